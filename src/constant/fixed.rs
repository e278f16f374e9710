//! Numbers in fixed point: X represents X/2^bits.

use crate::error::Result;
use crate::int::Int;
use crate::progress;

/// Bits of a divisor beyond those of the quotient. Truncating both numbers to that length changes
/// the quotient by less than one unit.
const GUARD: u64 = 16;

/// numerator/denominator·2^bits, off by at most 2 units for a quotient below 2^8.
pub(super) fn quotient(numerator: &Int, denominator: &Int, bits: u64) -> Result<Int> {
    progress::stage("division", 1, |_| {
        cut_quotient(numerator, denominator, bits)
    })
}

fn cut_quotient(numerator: &Int, denominator: &Int, bits: u64) -> Result<Int> {
    let cut = denominator.try_bit_length()?.saturating_sub(bits + GUARD);
    if cut == 0 {
        return numerator.try_shl(bits)?.try_div_floor(denominator);
    }
    let dividend = shift(numerator, i128::from(bits) - i128::from(cut))?;
    dividend.try_div_floor(&denominator.try_shr(cut)?)
}

/// x·2^by, rounded down.
pub(super) fn shift(x: &Int, by: i128) -> Result<Int> {
    let count = by.unsigned_abs() as u64;
    if by < 0 {
        x.try_shr(count)
    } else {
        x.try_shl(count)
    }
}

/// √d·2^bits for d ≥ 1, off by at most d units.
pub(super) fn root(d: u32, bits: u64) -> Result<Int> {
    inverse_root(d, bits)?.try_mul(&Int::from(d))
}

/// 2^bits/√d for d ≥ 1, off by at most one unit.
///
/// With y = r/2^h and ε = 1 − d·y², Newton's step is y' = y + y·ε/2. If y is off by δ, relative to
/// 1/√d, then ε = 2δ + …, and y' is off by 3δ²/2 + …, relative. From r off by at most one unit,
/// δ ≤ √d·2^-h, so with p = 2h − 2·log2(d) − 8 the step loses less than 2^-6 units of 2^-p, and
/// rounding loses one half.
pub(super) fn inverse_root(d: u32, bits: u64) -> Result<Int> {
    progress::stage("root", 1, |_| newton_inverse_root(d, bits))
}

fn newton_inverse_root(d: u32, bits: u64) -> Result<Int> {
    let spare = 2 * u64::from(d.ilog2() + 1) + 8;
    // 2^(2h)/d has a root of at least 2^(h − 16) bits: exact to one unit.
    let base = 2 * spare + 64;
    let mut precisions = vec![bits];
    while let Some(p) = precisions.last().copied().filter(|p| *p > base) {
        precisions.push((p + spare).div_ceil(2));
    }
    let mut h = precisions.pop().unwrap_or(bits);
    let mut r = ((Int::ONE << (2 * h)) / d).try_isqrt()?;
    while let Some(p) = precisions.pop() {
        let square = r.try_square()?.try_mul(&Int::from(d))?;
        let epsilon = Int::ONE.try_shl(2 * h)?.try_sub(&square)?;
        // y·ε/2·2^p = r·ε·2^(p − 3h − 1)
        let change = r.try_mul(&epsilon)?.try_shr(3 * h - p)?;
        let change = change.try_add_small(1)?.try_shr(1)?;
        r = r.try_shl(p - h)?.try_add(&change)?;
        h = p;
    }
    Ok(r)
}
