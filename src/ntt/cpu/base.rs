//! Products of numbers in a base B other than a power of two: one word holds one digit in base B.
//!
//! The digits are the coefficients of polynomials, whose product is found modulo three or four
//! primes as the product of limbs is. Only what follows differs: carries are quotients by B.
//!
//! **A coefficient in base B.** A coefficient of the product is x = v0 + v1·P1 + v2·P2 + … (`crt`)
//! with vi < 2^49 and Pi the product of i primes. With the digits of the Pi in base B known, column
//! j of x is the sum of the vi·Pi[j] and of the quotient of column j − 1 by B. P1 < 2^49 < B has
//! one digit, and Pi at most i, so a column is below 2^49·(1 + 2^49 + 2·B) + 2^64 < 2^115, and its
//! quotient by B is one word. Columns 0 to N − 2 hold all digits of N primes' products, and the
//! quotient of the last one is the digit above them.
//!
//! **Carries.** The carry above the digits written so far is below 2^140 < B^3. It starts as 0. The
//! sum of the carry and a coefficient, which is below 2^196, is below 2^197. The next digit is
//! written, and the carry above it is less than 2^197/B < 2^140.

use super::crt::Crt;
use super::field::PRIMES;
use super::lanes::{Lanes, Level};
use super::plan::HostPlan;
use super::polynomials::sum_back;
use super::portable::Portable;
use super::scratch::Buffer;
use super::{Context, Operand, Prepared, at_level, for_primes, residues};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, avx512_float};
use crate::threads;

/// Digits that the products of at most three primes have.
const DIGITS: usize = 3;

/// The carry above the digits written so far: digits in base B, the lowest first.
pub(super) type Carry = [u64; DIGITS];

/// A base from 2^58 to 2^64.
pub(crate) struct Base {
    base: u64,
    /// ⌊2^116 / base⌋.
    reciprocal: u64,
    /// The digits of the product of the first i primes, by i.
    products: [[u64; DIGITS]; 4],
}

impl Base {
    pub(crate) fn new(base: u64) -> Base {
        assert!(base > 1 << 58);
        let mut this = Base {
            base,
            reciprocal: ((1 << 116) / u128::from(base)) as u64,
            products: [[0; DIGITS]; 4],
        };
        this.products[0][0] = 1;
        for i in 1..4 {
            let mut carry = 0;
            for digit in 0..DIGITS {
                let before = this.products[i - 1][digit];
                let wide = u128::from(before) * u128::from(PRIMES[i - 1]) + u128::from(carry);
                (carry, this.products[i][digit]) = this.div(wide);
            }
        }
        this
    }

    /// Quotient and remainder of x < 2^115 by the base B.
    ///
    /// The estimate is the upper word of ⌊x/2^52⌋·⌊2^116/B⌋. That product is at most 2^64·x/B. The
    /// first floor takes less than 2^116/B < 2^58 off it, the second one less than 2^63. So the
    /// estimate is above x/B − 1 − 5/8, and the quotient is the estimate or one more.
    #[inline(always)]
    fn div(&self, x: u128) -> (u64, u64) {
        let base = u128::from(self.base);
        let product = u128::from((x >> 52) as u64) * u128::from(self.reciprocal);
        let estimate = (product >> 64) as u64;
        let rest = x - u128::from(estimate) * base;
        let is_more = rest >= base;
        let less = (rest as u64).wrapping_sub(self.base);
        let rest = if is_more { less } else { rest as u64 };
        (estimate + u64::from(is_more), rest)
    }

    /// x + y + carry, and the carry out of it, for digits x and y.
    #[inline(always)]
    fn sum(&self, x: u64, y: u64, carry: bool) -> (u64, bool) {
        let (sum, over) = x.carrying_add(y, carry);
        let (less, under) = sum.overflowing_sub(self.base);
        let carries = over | !under;
        (if carries { less } else { sum }, carries)
    }

    /// x += y for numbers in this base, y no longer than x; whether a carry is left.
    pub(crate) fn add(&self, x: &mut [u64], y: &[u64]) -> bool {
        let (low, high) = x.split_at_mut(y.len());
        let mut carry = false;
        for (x, y) in low.iter_mut().zip(y) {
            (*x, carry) = self.sum(*x, *y, carry);
        }
        for x in high {
            if !carry {
                return false;
            }
            (*x, carry) = self.sum(*x, 0, carry);
        }
        carry
    }

    /// The digits of v0 + v1·P1 + ….
    #[inline(always)]
    fn digits<const N: usize>(&self, v: [u64; N]) -> [u64; DIGITS + 1] {
        let mut digits = [0; DIGITS + 1];
        let mut above = 0;
        for (digit, out) in digits.iter_mut().enumerate().take(N - 1) {
            let mut column = u128::from(above);
            for (i, (v, product)) in v.iter().zip(&self.products).enumerate() {
                // P0 and P1 have one digit, P2 has two.
                if digit == 0 || digit < i {
                    column += u128::from(*v) * u128::from(product[digit]);
                }
            }
            (above, *out) = self.div(column);
        }
        digits[N - 1] = above;
        digits
    }
}

/// Adds numbers that are one digit apart. `carry` is the carry above the digits written so far.
#[inline(always)]
pub(super) fn propagate_carries<L: Lanes, const N: usize>(
    crt: &Crt<L>,
    base: &Base,
    rows: [&[u64]; N],
    out: &mut [u64],
    carry: &mut Carry,
) {
    let [mut a0, mut a1, mut a2] = *carry;
    for (at, out) in out.chunks_exact_mut(8).enumerate() {
        let mut x = [L::splat(0); N];
        for i in 0..N {
            x[i] = L::load(&rows[i].as_chunks::<8>().0[at]);
        }
        let v = crt.mixed_radix(x);
        for (lane, out) in out.iter_mut().enumerate() {
            let mut one = [0; N];
            for i in 0..N {
                one[i] = v[i][lane];
            }
            let d = base.digits(one);
            let mut over;
            (*out, over) = base.sum(a0, d[0], false);
            (a0, over) = base.sum(a1, d[1], over);
            (a1, over) = base.sum(a2, d[2], over);
            a2 = d[3] + u64::from(over);
        }
    }
    *carry = [a0, a1, a2];
}

impl Prepared {
    /// The product with a, both numbers in this base, for which the plan was made; of as many
    /// digits as both have together.
    pub(crate) fn mul_in(&self, base: &Base, a: &[u64]) -> Vec<u64> {
        let plan = self.plan;
        assert!(plan.holds(a.len(), self.len));
        at_level!(self.level, L => {
            let operand = Operand::Prepared(self);
            let found = for_primes(plan, |prime| residues::<L>(plan, prime, a, &operand));
            digits_of::<L>(plan, base, &found, a.len() + self.len)
        })
    }

    /// The square of a number in this base, for which the plan was made; of twice as many digits.
    pub(crate) fn square_in(&self, base: &Base) -> Vec<u64> {
        let plan = self.plan;
        assert!(plan.holds(self.len, self.len));
        at_level!(self.level, L => {
            let found = for_primes(plan, |prime| {
                let context = Context::<L>::new(plan, prime);
                sum_back(&context, std::slice::from_ref(&self.residues[prime]), &[(0, 0)])
            });
            digits_of::<L>(plan, base, &found, 2 * self.len)
        })
    }
}

/// The digits of a number from its coefficients' residues modulo each prime.
fn digits_of<L: Lanes>(plan: HostPlan, base: &Base, residues: &[Buffer], len: usize) -> Vec<u64> {
    match residues {
        [a, b, c] => digits_from::<L, 3>(plan, base, [a, b, c], len),
        [a, b, c, d] => digits_from::<L, 4>(plan, base, [a, b, c, d], len),
        _ => unreachable!("a plan for a base has three or four primes"),
    }
}

fn digits_from<L: Lanes, const N: usize>(
    plan: HostPlan,
    base: &Base,
    residues: [&Buffer; N],
    len: usize,
) -> Vec<u64> {
    let crt = Crt::<L>::new(&plan);
    // Rows of a block. One task computes the digits of a block. Carries between blocks are added at
    // the end.
    let block_rows = plan.parts_per_task(plan.row);
    let block = |at: usize, out: &mut [u64]| {
        let mut carry = [0; DIGITS];
        for (r, out) in out.chunks_mut(plan.row).enumerate() {
            let r = at * block_rows + r;
            if r >= plan.rows {
                // The carry alone: one coefficient fewer than digits fills whole rows.
                let some = carry.len().min(out.len());
                out[..some].copy_from_slice(&carry[..some]);
                return [0; DIGITS];
            }
            let rows = residues.map(|x| &x[r * plan.pitch()..][..plan.row]);
            if out.len() == plan.row {
                L::propagate_carries_in::<N>(&crt, base, rows, out, &mut carry);
            } else {
                let mut whole = vec![0; plan.row];
                L::propagate_carries_in::<N>(&crt, base, rows, &mut whole, &mut carry);
                out.copy_from_slice(&whole[..out.len()]);
                return [0; DIGITS];
            }
        }
        carry
    };
    let block_len = block_rows * plan.row;
    let (mut out, carries) = if plan.parallel {
        threads::build_chunks(len, block_len, block)
    } else {
        let mut out = vec![0; len];
        let blocks = out.chunks_mut(block_len).enumerate();
        let carries = blocks.map(|(at, out)| block(at, out)).collect();
        (out, carries)
    };
    for (at, carry) in carries.iter().enumerate() {
        let above = out.get_mut((at + 1) * block_len..).unwrap_or_default();
        let some = carry.len().min(above.len());
        let over = base.add(above, &carry[..some]);
        debug_assert!(!over && carry[some..].iter().all(|digit| *digit == 0));
    }
    out
}
