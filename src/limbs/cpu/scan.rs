//! The first set or clear bit from a place on, in two's complement.
//!
//! A negative x has zeros below the lowest nonzero limb of |x|, minus that limb there, and the
//! complement of |x| above.

use crate::number::Integer;

use super::Signed;
use super::logic::{lowest, next_other};

/// The first one at or above bit `from`: as `mpz_scan1`.
pub(crate) fn scan_set(a: &Integer, from: u64) -> Option<u64> {
    let Signed { negative, limbs } = Signed::of(a);
    if negative {
        scan_negative(limbs, from, 0)
    } else {
        scan(limbs, from, 0)
    }
}

/// The first zero at or above bit `from`: as `mpz_scan0`.
pub(crate) fn scan_clear(a: &Integer, from: u64) -> Option<u64> {
    let Signed { negative, limbs } = Signed::of(a);
    if negative {
        scan_negative(limbs, from, u64::MAX)
    } else {
        scan(limbs, from, u64::MAX)
    }
}

/// The first bit at or above `from` that differs from `skip`, which is 0 or all ones. The bits
/// above the limbs are zeros.
fn scan(limbs: &[u64], from: u64, skip: u64) -> Option<u64> {
    let above = (skip != 0).then(|| from.max(64 * limbs.len() as u64));
    let Some((&low, at)) = limb_at(limbs, from) else {
        return above;
    };
    if let Some(bit) = in_limb(low ^ skip, at, from) {
        return Some(bit);
    }
    match next_other(limbs, at + 1, skip) {
        Some(index) => in_limb(limbs[index] ^ skip, index, 0),
        None => above,
    }
}

/// The first bit at or above `from` in the two's complement of -|x|, for x != 0, that differs from
/// `skip`, which is 0 or all ones. The bits above the limbs are ones.
fn scan_negative(limbs: &[u64], from: u64, skip: u64) -> Option<u64> {
    let above = (skip == 0).then(|| from.max(64 * limbs.len() as u64));
    let Some((_, at)) = limb_at(limbs, from) else {
        return above;
    };
    let low = lowest(limbs, 0)?;
    if at < low && skip != 0 {
        return Some(from);
    }
    if at <= low
        && let Some(bit) = in_limb(limbs[low].wrapping_neg() ^ skip, low, from)
    {
        return Some(bit);
    }
    // Above the lowest limb: bits that are not as in `skip` in the complement are not as in `!skip`
    // in |x|.
    let start = if at > low {
        match in_limb(limbs[at] ^ !skip, at, from) {
            Some(bit) => return Some(bit),
            None => at + 1,
        }
    } else {
        low + 1
    };
    match next_other(limbs, start, !skip) {
        Some(index) => in_limb(limbs[index] ^ !skip, index, 0),
        None => above,
    }
}

/// The limb that holds a bit, and its index; none above the limbs.
fn limb_at(limbs: &[u64], bit: u64) -> Option<(&u64, usize)> {
    let index = usize::try_from(bit / 64).ok()?;
    Some((limbs.get(index)?, index))
}

/// The first one of `limb`, which is number `index`, at or above bit `from` of the whole.
fn in_limb(limb: u64, index: usize, from: u64) -> Option<u64> {
    let start = 64 * index as u64;
    let skipped = from.saturating_sub(start);
    let rest = limb & u64::MAX.checked_shl(skipped as u32)?;
    (rest != 0).then(|| start + u64::from(rest.trailing_zeros()))
}
