//! Products on the CPU.
//!
//! The shorter operand decides:
//!
//! | limbs of the shorter | served by |
//! |---|---|
//! | below `cpu_ntt_limbs` (`cpu_ntt_plain_limbs` without vector instructions) | malachite |
//! | from there on | transforms (`ntt::cpu`), all threads from `cpu_ntt_parallel_limbs` limbs of the longer on |
//!
//! A longer operand of more than four times that length is cut into pieces, for which the shorter one is transformed
//! once; operands whose product no transform can hold are cut in halves.

use malachite_base::num::arithmetic::traits::Square;
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;

use crate::model::Tuning;
use crate::ntt::cpu::{self, Level, Plan, Prepared};

/// a · b.
pub(super) fn product(a: &Integer, b: &Integer) -> Integer {
    if by_malachite(a, b) {
        return a * b;
    }
    let (x, y) = (a.unsigned_abs_ref(), b.unsigned_abs_ref());
    let limbs = if std::ptr::eq(a, b) {
        square(x.as_limbs_asc())
    } else {
        mul(x.as_limbs_asc(), y.as_limbs_asc())
    };
    Integer::from_sign_and_abs((*a < 0) == (*b < 0), Natural::from_owned_limbs_asc(limbs))
}

/// a *= b, in the memory of a where malachite multiplies.
pub(super) fn product_assign(a: &mut Integer, b: &Integer) {
    if by_malachite(a, b) {
        *a *= b;
    } else {
        *a = product(a, b);
    }
}

fn by_malachite(a: &Integer, b: &Integer) -> bool {
    let limbs = |x: &Integer| x.unsigned_abs_ref().limb_count() as usize;
    limbs(a).min(limbs(b)) < least(Tuning::in_force(), Level::best())
}

/// The fewest limbs of the shorter operand for transforms.
fn least(tuning: &Tuning, level: Level) -> usize {
    match level {
        // Malachite has the faster loop; threads are what transforms have over it.
        Level::Portable if rayon::current_num_threads() == 1 => usize::MAX,
        Level::Portable => tuning.cpu_ntt_plain_limbs.max(1),
        Level::Avx512 | Level::Avx2 => tuning.cpu_ntt_limbs.max(1),
    }
}

/// The product, of as many limbs as both operands have together.
pub(super) fn mul(a: &[u64], b: &[u64]) -> Vec<u64> {
    mul_with(&Tuning::current(), Level::best(), a, b)
}

/// The square, of twice as many limbs.
pub(super) fn square(a: &[u64]) -> Vec<u64> {
    let tuning = Tuning::current();
    if a.len() < least(&tuning, Level::best()) {
        let square = Natural::from_limbs_asc(a).square();
        return padded(square, 2 * a.len());
    }
    match Plan::new(a.len(), a.len(), &tuning) {
        Some(plan) => cpu::square(Level::best(), plan, a),
        None => mul_with(&tuning, Level::best(), a, a),
    }
}

fn padded(x: Natural, len: usize) -> Vec<u64> {
    let mut limbs = x.into_limbs_asc();
    limbs.resize(len, 0);
    limbs
}

fn mul_with(tuning: &Tuning, level: Level, a: &[u64], b: &[u64]) -> Vec<u64> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    if short.len() < least(tuning, level) {
        let product = Natural::from_limbs_asc(long) * Natural::from_limbs_asc(short);
        return padded(product, long.len() + short.len());
    }
    // Pieces of three times the shorter operand, or a little less: each costs two transforms, where one product of the
    // whole costs three.
    let pieces = long.len().div_ceil(3 * short.len());
    let piece = long.len().div_ceil(pieces.max(1));
    if long.len() > 4 * short.len()
        && let Some(plan) = Plan::new(piece, short.len(), tuning)
    {
        let short = Prepared::new(level, plan, short);
        return sum_of_pieces(long, piece, |part| short.mul(part));
    }
    match Plan::new(long.len(), short.len(), tuning) {
        Some(plan) => cpu::mul(level, plan, long, short),
        None => sum_of_pieces(long, long.len().div_ceil(2), |part| {
            mul_with(tuning, level, part, short)
        }),
    }
}

/// The product from those of the pieces of `long` with `short`.
fn sum_of_pieces(long: &[u64], piece: usize, product: impl Fn(&[u64]) -> Vec<u64>) -> Vec<u64> {
    let mut sum: Vec<u64> = Vec::new();
    for (at, part) in long.chunks(piece).enumerate() {
        let product = product(part);
        // The sum so far ends within the first `short.len()` limbs of this product.
        let below = sum.len().saturating_sub(at * piece);
        let from = sum.len();
        sum.extend_from_slice(&product[below..]);
        let carry = cpu::add(&mut sum[at * piece..from], &product[..below]);
        cpu::add(&mut sum[from..], &[u64::from(carry)]);
    }
    sum
}

#[cfg(test)]
mod tests;
