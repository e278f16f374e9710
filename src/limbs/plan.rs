//! The common part of both engines: the sizes of results, and the maximum size.
//!
//! Bounds are two's complement: a bound of `bits` means −2^bits ≤ x < 2^bits. Each function's bound
//! follows from that by the inequality in its comment, so no kernel can run past the length it is
//! given.

use crate::error::{Error, Result};
use crate::memory::MOST_BITS;

/// Limbs that hold every x with −2^bits ≤ x < 2^bits in two's complement: bits + 1 bits, rounded up
/// to limbs.
pub(crate) fn limbs_for(bits: u64) -> usize {
    usize::try_from(bits / 64 + 1)
        .expect("bounds are checked against MOST_BITS when values are made")
}

/// Refuses a result of `bits` bits that no machine can hold. Whether this machine's memory holds it
/// is checked where it is made: by [`crate::memory`] on the host, by the device's allocator on a
/// device.
pub(crate) fn check_bits(what: &'static str, bits: u64) -> Result<u64> {
    if bits <= MOST_BITS {
        return Ok(bits);
    }
    Err(Error::TooLarge {
        what,
        bits,
        limit: MOST_BITS,
    })
}

/// x ± y: −2·2^max ≤ x ± y ≤ 2·2^max − 1, because y ≥ −2^b only reaches 2^b when subtracted from x
/// ≤ 2^a − 1.
pub(crate) fn sum_bits(a: u64, b: u64) -> u64 {
    a.max(b) + 1
}

/// Bitwise operations keep the sign extension of the longer operand, so they stay inside its range.
pub(crate) fn logic_bits(a: u64, b: u64) -> u64 {
    a.max(b)
}

/// −x and |x| leave the range only for x = −2^bits.
pub(crate) fn negated_bits(a: u64) -> u64 {
    a + 1
}

/// x·2^count.
pub(crate) fn shifted_left_bits(a: u64, count: u64) -> Result<u64> {
    check_bits("shift left", a.saturating_add(count))
}

/// ⌊x / 2^count⌋; bound 0 means x is 0 or −1.
pub(crate) fn shifted_right_bits(a: u64, count: u64) -> u64 {
    a.saturating_sub(count)
}

/// Changing bit `index` of the two's complement.
pub(crate) fn changed_bit_bits(a: u64, index: u64) -> Result<u64> {
    Ok(a.max(check_bits("bit index", index.saturating_add(1))?))
}
