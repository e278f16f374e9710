//! Pollard's rho as Brent has it (*An improved Monte Carlo factorization algorithm*, BIT 20 (1980)): x → x² + c in Montgomery's form, and one greatest
//! common divisor for many steps.

use malachite_base::num::arithmetic::traits::Gcd;
use malachite_nz::natural::Natural;

/// Differences multiplied up before a greatest common divisor is taken.
const BATCH: u64 = 512;

/// Arithmetic modulo an odd n of any length. Residues have its length and one limb more, which is 0, and are below n.
struct Residues {
    n: Vec<u64>,
    /// −1/n modulo 2^64.
    inverse: u64,
}

impl Residues {
    fn new(n: &Natural) -> Residues {
        let n = n.to_limbs_asc();
        let mut inverse = n[0].wrapping_mul(3) ^ 2;
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(n[0].wrapping_mul(inverse)));
        }
        Residues {
            inverse: inverse.wrapping_neg(),
            n,
        }
    }

    fn word(&self, x: u64) -> Vec<u64> {
        let mut residue = vec![0; self.n.len() + 1];
        residue[0] = x;
        residue
    }

    /// out = ab/R, limb by limb of b.
    fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        let len = self.n.len();
        out.fill(0);
        for y in &b[..len] {
            let mut carry = 0;
            for (t, x) in out.iter_mut().zip(&a[..len]) {
                carry += u128::from(*x) * u128::from(*y) + u128::from(*t);
                *t = carry as u64;
                carry >>= 64;
            }
            let top = u128::from(out[len]) + carry;
            let m = u128::from(out[0].wrapping_mul(self.inverse));
            carry = (m * u128::from(self.n[0]) + u128::from(out[0])) >> 64;
            for i in 1..len {
                carry += m * u128::from(self.n[i]) + u128::from(out[i]);
                out[i - 1] = carry as u64;
                carry >>= 64;
            }
            carry += top;
            out[len - 1] = carry as u64;
            out[len] = (carry >> 64) as u64;
        }
        self.reduce(out);
    }

    /// Brings a < 2n below n.
    fn reduce(&self, a: &mut [u64]) {
        let len = self.n.len();
        if a[len] != 0 || a[..len].iter().rev().ge(self.n.iter().rev()) {
            let mut borrow = false;
            for (x, n) in a.iter_mut().zip(&self.n) {
                (*x, borrow) = subtract(*x, *n, borrow);
            }
            a[len] = 0;
        }
    }

    /// a + c for c < n.
    fn add_word(&self, a: &mut [u64], c: u64) {
        let mut carry = c;
        for x in a.iter_mut() {
            let (sum, over) = x.overflowing_add(carry);
            *x = sum;
            carry = over.into();
        }
        self.reduce(a);
    }
}

fn subtract(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (first, one) = a.overflowing_sub(b);
    let (second, two) = first.overflowing_sub(borrow.into());
    (second, one || two)
}

/// out = |a − b|, which has the same divisors in common with n as a − b.
fn distance(out: &mut [u64], a: &[u64], b: &[u64]) {
    let (a, b) = match a.iter().rev().lt(b.iter().rev()) {
        true => (b, a),
        false => (a, b),
    };
    let mut borrow = false;
    for ((d, x), y) in out.iter_mut().zip(a).zip(b) {
        (*d, borrow) = subtract(*x, *y, borrow);
    }
}

/// A proper divisor of odd n > 2^64, if about so many steps find one.
pub(super) fn run(n: &Natural, steps: u64, keep_going: &dyn Fn() -> bool) -> Option<Natural> {
    let ring = Residues::new(n);
    let gcd = |x: &[u64]| Natural::from_limbs_asc(x).gcd(n);
    let proper = |divisor: &Natural| *divisor > 1u32 && divisor < n;
    let (mut left, mut c) = (steps, 1);
    while left > 0 {
        let (mut y, mut spare, mut apart) = (ring.word(2), ring.word(0), ring.word(0));
        let mut product = ring.word(1);
        let mut span = 1;
        let step = |y: &mut Vec<u64>, spare: &mut Vec<u64>| {
            ring.multiply(spare, y, y);
            ring.add_word(spare, c);
            std::mem::swap(y, spare);
        };
        'walk: loop {
            let x = y.clone();
            (0..span).for_each(|_| step(&mut y, &mut spare));
            let mut done = 0;
            while done < span {
                let start = y.clone();
                let batch = BATCH.min(span - done);
                for _ in 0..batch {
                    step(&mut y, &mut spare);
                    distance(&mut apart, &x, &y);
                    ring.multiply(&mut spare, &product, &apart);
                    std::mem::swap(&mut product, &mut spare);
                }
                done += batch;
                left = left.saturating_sub(batch);
                let divisor = gcd(&product);
                if divisor != 1u32 {
                    if proper(&divisor) {
                        return Some(divisor);
                    }
                    // Several at once: step by step from the last time that there were none.
                    y = start;
                    for _ in 0..batch {
                        step(&mut y, &mut spare);
                        distance(&mut apart, &x, &y);
                        let divisor = gcd(&apart);
                        if proper(&divisor) {
                            return Some(divisor);
                        }
                        if divisor != 1u32 {
                            break;
                        }
                    }
                    break 'walk;
                }
                if left == 0 || !keep_going() {
                    return None;
                }
            }
            left = left.saturating_sub(span);
            span *= 2;
        }
        c += 1;
    }
    None
}
