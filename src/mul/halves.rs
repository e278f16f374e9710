//! Products that no transform of a device holds, from those of halves.
//!
//! With a = a1·2^h + a0 and b = b1·2^h + b0, 0 ≤ a0, b0 < 2^h, the product is
//! a1·b1·2^(2h) + m·2^h + a0·b0, where m = a1·b1 + a0·b0 − (a1 − a0)·(b1 − b0) (Karatsuba and
//! Ofman, 1962). Where the shorter operand has no more than h bits, only the longer one is cut.

use super::{mul as product, square as square_of};
use crate::error::Result;
use crate::limbs::{self, Resident, add, shl, sub};

/// a·b.
pub(super) fn mul(a: &Resident, b: &Resident) -> Result<Resident> {
    let (long, short) = if a.bits_bound() >= b.bits_bound() {
        (a, b)
    } else {
        (b, a)
    };
    let half = half_of(long);
    let (high, low) = parts(long, half)?;
    if short.bits_bound() <= half {
        let high = shl(&product(&high, short)?, half)?;
        return add(&high, &product(&low, short)?);
    }
    let (other_high, other_low) = parts(short, half)?;
    let across = product(&sub(&high, &low)?, &sub(&other_high, &other_low)?)?;
    let (high, low) = (product(&high, &other_high)?, product(&low, &other_low)?);
    join(high, low, across, half)
}

/// a².
pub(super) fn square(a: &Resident) -> Result<Resident> {
    let half = half_of(a);
    let (high, low) = parts(a, half)?;
    let across = square_of(&sub(&high, &low)?)?;
    join(square_of(&high)?, square_of(&low)?, across, half)
}

/// Half of the bits, in whole limbs.
fn half_of(x: &Resident) -> u64 {
    x.bits_bound().div_ceil(2).next_multiple_of(64)
}

fn parts(x: &Resident, half: u64) -> Result<(Resident, Resident)> {
    Ok((limbs::shr(x, half)?, limbs::low(x, half)?))
}

/// high·2^(2h) + (high + low − across)·2^h + low.
fn join(high: Resident, low: Resident, across: Resident, half: u64) -> Result<Resident> {
    let middle = sub(&add(&high, &low)?, &across)?;
    drop(across);
    let upper = add(&shl(&high, half)?, &middle)?;
    drop((high, middle));
    add(&shl(&upper, half)?, &low)
}
