//! Hexadecimal digits of π at a place, without those before it.
//!
//! π = Σ 16^-k·(4/(8k + 1) − 2/(8k + 4) − 1/(8k + 5) − 1/(8k + 6)) (Bailey, Borwein and Plouffe,
//! 1997). The fraction of 16^place·π is the sum of the fractions of 16^(place − k)·c/(8k + j),
//! which powers modulo 8k + j give. Fractions are words, in units of 2^-64: each of the at most
//! 2^26 terms loses less than one unit, so the sum is right to 2^-35.

use crate::error::{Error, Result};
use crate::{progress, threads};

/// The farthest place that is used to verify: some seconds of one core. At 10^7 the digits are
/// 7af5863e fed8de97, which the sum does not decide, but it does at the place before.
pub(super) const FARTHEST: u64 = 9_999_999;

/// Places from which on the bound above does not hold.
const END: u64 = 1 << 24;

/// Terms that one thread sums at a time.
const CHUNK: u64 = 1 << 14;

/// Numerators c and offsets j.
const PARTS: [(u64, u64); 4] = [(4, 1), (2, 4), (1, 5), (1, 6)];

/// The eight hexadecimal digits of π that follow the first `place` digits after the point, as a
/// number.
///
/// ```
/// // π = 3.243f6a8885a3…
/// assert_eq!(bezout::constant::pi_hexadecimal_at(0)?, 0x243f_6a88);
/// assert_eq!(bezout::constant::pi_hexadecimal_at(4)?, 0x6a88_85a3);
/// # Ok::<(), bezout::Error>(())
/// ```
///
/// Takes time proportional to place·log(place), and refuses places from 2^24 on. A place whose
/// digits are followed by a long run of 0 or f is refused too, as the sum does not decide them.
pub fn pi_hexadecimal_at(place: u64) -> Result<u32> {
    decided_at(place)?.ok_or_else(|| {
        Error::Domain(format!(
            "the digits at place {place} are followed by a long run of 0 or f: choose another place"
        ))
    })
}

/// As [`pi_hexadecimal_at`], for the first place that is decided, from `place` downwards, and that
/// place. Few places are not, and among sixteen neighbours hardly all.
pub(super) fn pi_hexadecimal_near(place: u64) -> Result<(u64, u32)> {
    for place in (place.saturating_sub(15)..=place).rev() {
        if let Some(digits) = decided_at(place)? {
            return Ok((place, digits));
        }
    }
    pi_hexadecimal_at(place).map(|digits| (place, digits))
}

/// The digits at a place. None if the precision of the sum does not decide them.
fn decided_at(place: u64) -> Result<Option<u32>> {
    if place >= END {
        return Err(Error::Domain(format!(
            "hexadecimal digits at a place are found for places below {END}"
        )));
    }
    let chunks = (place + 1).div_ceil(CHUNK);
    let sums = threads::map(chunks as usize, 1, |i| {
        if progress::check().is_err() {
            return 0;
        }
        let from = i as u64 * CHUNK;
        let terms = from..(from + CHUNK).min(place + 1);
        terms.fold(0u64, |sum, k| sum.wrapping_add(term(place - k, k)))
    });
    progress::check()?;
    let near = sums.into_iter().fold(0, u64::wrapping_add);
    // From k = place + 1 on every term is below 2^(64 − 4(k − place)) units.
    let far = (place + 1..place + 17).map(|k| {
        let shift = 4 * (k - place);
        PARTS.iter().fold(0u64, |sum, (c, j)| {
            let part = (u128::from(*c) << 64 >> shift) / u128::from(8 * k + j);
            sign(*j, sum, part as u64)
        })
    });
    let sum = far.fold(near, u64::wrapping_add);
    let error = 8 * (place + 32);
    let is_decided = (sum.wrapping_add(error) ^ sum.wrapping_sub(error)) >> 32 == 0;
    Ok(is_decided.then_some((sum >> 32) as u32))
}

/// The fraction of 16^exponent·(4/(8k + 1) − …), in units of 2^-64.
fn term(exponent: u64, k: u64) -> u64 {
    PARTS.iter().fold(0, |sum, (c, j)| {
        let modulus = 8 * k + j;
        let rest = c * power_of_16(exponent, modulus) % modulus;
        sign(
            *j,
            sum,
            ((u128::from(rest) << 64) / u128::from(modulus)) as u64,
        )
    })
}

/// The first part is added, the others are subtracted.
fn sign(j: u64, sum: u64, part: u64) -> u64 {
    if j == 1 {
        sum.wrapping_add(part)
    } else {
        sum.wrapping_sub(part)
    }
}

/// 16^exponent modulo a number below 2^28.
fn power_of_16(exponent: u64, modulus: u64) -> u64 {
    let mut power = 1 % modulus;
    for bit in (0..64 - exponent.leading_zeros()).rev() {
        power = power * power % modulus;
        if exponent >> bit & 1 == 1 {
            power = 16 * power % modulus;
        }
    }
    power
}
