//! One polynomial of another, on the CPU.
//!
//! a = low + x^k·high with k a power of two, so a(b) = low(b) + b^k·high(b): by halves, with the
//! powers b, b², b⁴, … found once.

use super::arith::PRODUCT_MEMORY;
use super::modulus::Modulus;
use super::{linear, mul};
use crate::engine;
use crate::error::Result;
use crate::memory;
use crate::progress;

/// Sides of fewer coefficients than this are one thread's.
const ALONE: usize = 1 << 12;

/// a(b); neither has leading zeros.
pub(super) fn compose(a: &[u64], b: &[u64], p: Modulus) -> Result<Vec<u64>> {
    if a.len() <= 1 {
        return Ok(a.to_vec());
    }
    check_len(a.len(), b.len(), PRODUCT_MEMORY)?;
    let mut powers = vec![b.to_vec()];
    let mut exponent = 1;
    while 2 * exponent < a.len() {
        progress::check()?;
        powers.push(mul::square(&powers[powers.len() - 1], p));
        exponent *= 2;
    }
    halves(a, &powers, p)
}

/// Refuses a composition of these lengths, the first other than 0, for which the host would need
/// `copies` times the memory of the result and has less.
pub(super) fn check_len(a: usize, b: usize, copies: u64) -> Result<()> {
    let len = (a - 1).saturating_mul(b.saturating_sub(1));
    memory::check_copies("composition", 64 * len as u128, copies)
}

/// a(b) for a of at most 2^(powers.len()) coefficients.
fn halves(a: &[u64], powers: &[Vec<u64>], p: Modulus) -> Result<Vec<u64>> {
    let Some((power, below)) = powers.split_last() else {
        return Ok(a.to_vec());
    };
    let k = 1 << below.len();
    if a.len() <= k {
        return halves(a, below, p);
    }
    let (low, high) = a.split_at(k);
    let (low, high) = if power.len() < ALONE {
        (halves(low, below, p), halves(high, below, p))
    } else {
        progress::check()?;
        engine::join(|| halves(low, below, p), || halves(high, below, p))
    };
    Ok(linear::add(&low?, &mul::mul(&high?, power, p), p))
}
