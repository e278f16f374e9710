//! The tests of a number that is short enough for schoolbook products, in Montgomery's form.

use super::rows::add_product;
use crate::error::Result;
use crate::progress;

/// Numbers of at most so many limbs are tested here; longer ones have faster products elsewhere.
pub(super) const MOST_LIMBS: usize = 256;
/// Products between two looks at whether to go on.
const BETWEEN_CHECKS: usize = 64;

/// Residues modulo an odd n > 1, below n: x itself for n = 2^k − c with a small c, else x·R mod n
/// with R = 2^(64·limbs).
struct Residues<'a> {
    n: &'a [u64],
    reduction: Reduction,
    /// The residue of 1.
    one: Vec<u64>,
    /// A product of two residues.
    product: Vec<u64>,
    products: usize,
}

/// How products are reduced.
enum Reduction {
    /// By 2^k ≡ c (mod n), for n of at least 2^128 and 0 < c < 2^31.
    Fold { k: usize, c: u64 },
    /// By Montgomery's way, with −1/n mod 2^64.
    Montgomery(u64),
}

impl Reduction {
    fn new(n: &[u64]) -> Reduction {
        let k = bit_length(n);
        let top = u64::MAX >> (64 * n.len() - k);
        let c = n[0].wrapping_neg();
        let is_full =
            |(i, limb): (usize, &u64)| *limb == if i + 1 == n.len() { top } else { u64::MAX };
        if k > 128 && c < 1 << 31 && n.iter().enumerate().skip(1).all(is_full) {
            return Reduction::Fold { k, c };
        }
        let mut inverse = n[0].wrapping_mul(3) ^ 2;
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(n[0].wrapping_mul(inverse)));
        }
        Reduction::Montgomery(inverse.wrapping_neg())
    }
}

impl Residues<'_> {
    fn new(n: &[u64]) -> Residues<'_> {
        let mut one = vec![0; n.len()];
        one[0] = 1;
        let mut residues = Residues {
            n,
            reduction: Reduction::new(n),
            one,
            product: vec![0; 2 * n.len()],
            products: 0,
        };
        if let Reduction::Fold { .. } = residues.reduction {
            return residues;
        }
        // The highest power of two below n, doubled until it is R.
        let bits = bit_length(n);
        let mut power = vec![0; n.len()];
        power[(bits - 1) / 64] = 1 << ((bits - 1) % 64);
        for _ in bits - 1..64 * n.len() {
            residues.double(&mut power);
        }
        residues.one = power;
        residues
    }

    /// x ← 2x.
    fn double(&self, x: &mut [u64]) {
        let mut carry = 0;
        for limb in x.iter_mut() {
            let next = *limb >> 63;
            *limb = *limb << 1 | carry;
            carry = next;
        }
        if carry == 1 || !is_less(x, self.n) {
            subtract(x, self.n);
        }
    }

    /// x ← x − y.
    fn sub(&self, x: &mut [u64], y: &[u64]) {
        if subtract(x, y) {
            add(x, self.n);
        }
    }

    fn minus_one(&self) -> Vec<u64> {
        let mut x = self.n.to_vec();
        subtract(&mut x, &self.one);
        x
    }

    /// x ← x·y.
    fn multiply(&mut self, x: &mut [u64], y: &[u64]) -> Result<()> {
        let len = x.len();
        self.product[..len].fill(0);
        for (i, y) in y.iter().enumerate() {
            self.product[i + len] = add_product(&mut self.product[i..i + len], x, *y);
        }
        self.reduce(x)
    }

    /// x ← x².
    fn square(&mut self, x: &mut [u64]) -> Result<()> {
        let len = x.len();
        // Products of different limbs, each once.
        let product = &mut self.product[..];
        product.fill(0);
        for i in 0..len {
            product[i + len] = add_product(&mut product[2 * i + 1..i + len], &x[i + 1..], x[i]);
        }
        // Twice that, and the squares of limbs.
        let (mut high, mut carry) = (0, false);
        for (pair, x) in product.as_chunks_mut::<2>().0.iter_mut().zip(x.iter()) {
            let square = u128::from(*x) * u128::from(*x);
            let low = pair[0] << 1 | high;
            let middle = pair[1] << 1 | pair[0] >> 63;
            high = pair[1] >> 63;
            (pair[0], carry) = carrying_add(low, square as u64, carry);
            (pair[1], carry) = carrying_add(middle, (square >> 64) as u64, carry);
        }
        self.reduce(x)
    }

    /// x ← product, or product/R in Montgomery's form.
    fn reduce(&mut self, x: &mut [u64]) -> Result<()> {
        match self.reduction {
            Reduction::Fold { k, c } => self.fold(x, k, c),
            Reduction::Montgomery(inverse) => self.divide_by_r(x, inverse),
        }
        self.products += 1;
        if self.products.is_multiple_of(BETWEEN_CHECKS) {
            progress::check()?;
        }
        Ok(())
    }

    /// n times a limb clears each lower limb in turn, and its carry takes the limb's place.
    fn divide_by_r(&mut self, x: &mut [u64], inverse: u64) {
        let len = x.len();
        for i in 0..len {
            let m = self.product[i].wrapping_mul(inverse);
            self.product[i] = add_product(&mut self.product[i..i + len], self.n, m);
        }
        let (carries, upper) = self.product.split_at(len);
        x.copy_from_slice(upper);
        if add(x, carries) || !is_less(x, self.n) {
            subtract(x, self.n);
        }
    }

    /// With product = high·2^k + low, x ← low + c·high, folded once more where that reaches 2^k.
    fn fold(&mut self, x: &mut [u64], k: usize, c: u64) {
        let len = x.len();
        let (last, used) = (len - 1, k - 64 * (len - 1));
        let mask = u64::MAX >> (64 - used);
        x.copy_from_slice(&self.product[..len]);
        x[last] &= mask;
        for i in 0..len {
            let pair = [self.product[last + i], self.product[len + i]];
            self.product[i] = shifted(pair, used);
        }
        let carry = add_product(x, &self.product[..len], c);
        // low + c·high < 2^(k + 32): what is above bit k is below 2^32, and times c below 2^63.
        let above = shifted([x[last], carry], used);
        x[last] &= mask;
        let mut rest = above * c;
        for limb in x.iter_mut() {
            let over;
            (*limb, over) = limb.overflowing_add(rest);
            rest = over.into();
            if !over {
                break;
            }
        }
        while rest > 0 || !is_less(x, self.n) {
            rest -= u64::from(subtract(x, self.n));
        }
    }

    /// x/q modulo n for 0 < q < 2^32 that is prime to n: (x + tn)/q for the t < q that makes this
    /// an integer.
    fn divide(&self, x: &[u64], q: u32) -> Option<Vec<u64>> {
        let q = u64::from(q);
        let rest = |limbs: &[u64]| {
            let step = |rest: u64, limb: &u64| {
                ((u128::from(rest) << 64 | u128::from(*limb)) % u128::from(q)) as u64
            };
            limbs.iter().rev().fold(0, step)
        };
        let (x_rest, n_rest) = (rest(x), rest(self.n));
        let t = (0..q).find(|t| (x_rest + t * n_rest).is_multiple_of(q))?;
        let mut sum = x.to_vec();
        let top = add_product(&mut sum, self.n, t);
        let mut rest = top;
        for limb in sum.iter_mut().rev() {
            let wide = u128::from(rest) << 64 | u128::from(*limb);
            *limb = (wide / u128::from(q)) as u64;
            rest = (wide % u128::from(q)) as u64;
        }
        Some(sum)
    }
}

/// The low limb of (low + 2^64·high)/2^by, for 0 < by ≤ 64.
fn shifted([low, high]: [u64; 2], by: usize) -> u64 {
    low >> (by - 1) >> 1 | high << (64 - by)
}

fn carrying_add(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry.into());
    (sum, first | second)
}

/// x ← x + y, with the carry.
fn add(x: &mut [u64], y: &[u64]) -> bool {
    let mut carry = false;
    for (x, y) in x.iter_mut().zip(y) {
        (*x, carry) = carrying_add(*x, *y, carry);
    }
    carry
}

/// x ← x − y, with the borrow.
fn subtract(x: &mut [u64], y: &[u64]) -> bool {
    let mut borrow = false;
    for (x, y) in x.iter_mut().zip(y) {
        let (difference, first) = x.overflowing_sub(*y);
        let (difference, second) = difference.overflowing_sub(borrow.into());
        (*x, borrow) = (difference, first | second);
    }
    borrow
}

fn is_less(x: &[u64], y: &[u64]) -> bool {
    x.iter().rev().lt(y.iter().rev())
}

fn is_zero(x: &[u64]) -> bool {
    x.iter().all(|limb| *limb == 0)
}

fn bit_length(n: &[u64]) -> usize {
    64 * n.len() - n.last().map_or(0, |top| top.leading_zeros() as usize)
}

fn bit(n: &[u64], at: usize) -> bool {
    n[at / 64] >> (at % 64) & 1 == 1
}

/// Miller's test of odd n > 2 to the base 2; the highest limb is not 0.
pub(super) fn is_strong_to_base_2(n: &[u64]) -> Result<bool> {
    let mut residues = Residues::new(n);
    let (one, minus_one) = (residues.one.clone(), residues.minus_one());
    // n − 1 is n without its lowest bit.
    let bits = bit_length(n);
    let twos = (1..bits).find(|at| bit(n, *at)).unwrap_or(bits);
    let mut x = one.clone();
    for at in (twos..bits).rev() {
        residues.square(&mut x)?;
        if bit(n, at) {
            residues.double(&mut x);
        }
    }
    if x == one || x == minus_one {
        return Ok(true);
    }
    for _ in 1..twos {
        residues.square(&mut x)?;
        if x == minus_one {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The strong Lucas test of odd n > 2 with P = 1, Q = (1 − D)/4 and (D/n) = −1. None if Q is not
/// prime to n.
///
/// Only one sequence is computed: Wk = Vk(1/Q − 2, 1), for which V2k(1, Q) = Q^k·Wk. With n + 1 =
/// d·2^s and d = 2m + 1, U and V at odd indices are sums of those at even ones, which gives, modulo
/// n:
/// - Ud ≡ 0 just if W(m+1) ≡ Wm, and Vd ≡ 0 just if W(m+1) ≡ −Wm;
/// - V(d·2^r) ≡ 0 for r > 0 just if W(d·2^(r−1)) ≡ 0.
///
/// Proof of the first line, with D = 1 − 4Q: V2m = Q^m·Wm and D·U2m = Q^(m+1)·(2W(m+1) − (1/Q −
/// 2)·Wm). So 2D·Ud = D·U2m + D·V2m = 2Q^(m+1)·(W(m+1) − Wm) and 2Vd = D·U2m + V2m =
/// 2Q^(m+1)·(W(m+1) + Wm).
pub(super) fn is_strong_lucas(n: &[u64], d: i64) -> Result<Option<bool>> {
    let mut residues = Residues::new(n);
    let q = (1 - d) / 4;
    let Ok(size) = u32::try_from(q.unsigned_abs()) else {
        return Ok(None);
    };
    let one = residues.one.clone();
    let mut two = one.clone();
    residues.double(&mut two);
    let Some(quotient) = residues.divide(&one, size) else {
        return Ok(None);
    };
    // W1 = 1/Q − 2.
    let mut first = vec![0; n.len()];
    if q < 0 {
        residues.sub(&mut first, &quotient);
    } else {
        first.copy_from_slice(&quotient);
    }
    residues.sub(&mut first, &two);
    let (mut low, mut high) = (two.clone(), first.clone());
    let bits = bit_length(n);
    // n + 1 has as many zeros below its lowest one as n has ones; m is n without them and the zero
    // above them.
    let twos = (0..bits).find(|at| !bit(n, *at)).unwrap_or(bits);
    for at in (twos + 1..bits).rev() {
        // (Wk, W(k+1)) becomes (W2k, W(2k+1)) or (W(2k+1), W(2k+2)).
        let (doubled, sum) = if bit(n, at) {
            (&mut high, &mut low)
        } else {
            (&mut low, &mut high)
        };
        residues.multiply(sum, doubled)?;
        residues.sub(sum, &first);
        residues.square(doubled)?;
        residues.sub(doubled, &two);
    }
    let mut negative = vec![0; n.len()];
    residues.sub(&mut negative, &low);
    if high == low || high == negative {
        return Ok(Some(true));
    }
    residues.multiply(&mut high, &low)?;
    residues.sub(&mut high, &first);
    for r in 1..twos {
        if is_zero(&high) {
            return Ok(Some(true));
        }
        if r + 1 < twos {
            residues.square(&mut high)?;
            residues.sub(&mut high, &two);
        }
    }
    Ok(Some(false))
}
