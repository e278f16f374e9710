//! Bits, in the two's-complement view where a negative number has infinitely many ones.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use crate::border::{bezout_int, call, changed, guard, or_none};
use crate::status::bezout_status;

/// out = a AND b. Negative numbers have infinitely many one bits, here and in all functions of
/// bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_and(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_and(b))
}

/// out = a OR b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_or(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_or(b))
}

/// out = a XOR b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_xor(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_xor(b))
}

/// out = -a - 1, all bits of a inverted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_not(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_not())
}

/// out = a * 2^count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_shl(
    out: *mut bezout_int,
    a: *const bezout_int,
    count: u64,
) -> bezout_status {
    call!(out = a; a.try_shl(count))
}

/// out = a / 2^count, rounded down.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_shr(
    out: *mut bezout_int,
    a: *const bezout_int,
    count: u64,
) -> bezout_status {
    call!(out = a; a.try_shr(count))
}

/// Stores bit `index` of a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_bit(
    out: *mut bool,
    a: *const bezout_int,
    index: u64,
) -> bezout_status {
    call!(out = a; a.try_bit(index))
}

/// Stores the bits of |a|: the least n with |a| < 2^n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_bit_length(
    out: *mut u64,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_bit_length())
}

/// Stores the number of 64-bit limbs of |a|. 0 has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_limb_count(
    out: *mut usize,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_limb_count())
}

/// Stores the number of one bits, BEZOUT_NONE for a negative number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_count_ones(
    out: *mut u64,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_count_ones().map(or_none))
}

/// Stores the number of bits that differ, BEZOUT_NONE for opposite signs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_hamming_distance(
    out: *mut u64,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_hamming_distance(b).map(or_none))
}

/// Stores the first one bit at or above `from`, BEZOUT_NONE if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_first_set_bit(
    out: *mut u64,
    a: *const bezout_int,
    from: u64,
) -> bezout_status {
    call!(out = a; a.try_first_set_bit(from).map(or_none))
}

/// Stores the first zero bit at or above `from`, BEZOUT_NONE if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_first_clear_bit(
    out: *mut u64,
    a: *const bezout_int,
    from: u64,
) -> bezout_status {
    call!(out = a; a.try_first_clear_bit(from).map(or_none))
}

/// Stores the number of zero bits below the lowest one bit, BEZOUT_NONE for 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_trailing_zeros(
    out: *mut u64,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_trailing_zeros().map(or_none))
}

/// Stores the number of one bits below the lowest zero bit, BEZOUT_NONE for -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_trailing_ones(
    out: *mut u64,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_trailing_ones().map(or_none))
}

/// Stores whether a = 2^k for some k >= 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_power_of_two(
    out: *mut bool,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_is_power_of_two())
}

/// The least power of two that is not below a: 1 for every a below 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_next_power_of_two(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_next_power_of_two())
}

/// Makes bit `index` of a one, in place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_bit(a: *mut bezout_int, index: u64) -> bezout_status {
    // SAFETY: by the contract of all functions.
    guard(|| Ok(unsafe { changed(a, "a") }?.value.try_set_bit(index)?))
}

/// Makes bit `index` of a zero, in place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_clear_bit(a: *mut bezout_int, index: u64) -> bezout_status {
    // SAFETY: by the contract of all functions.
    guard(|| Ok(unsafe { changed(a, "a") }?.value.try_clear_bit(index)?))
}

/// Changes bit `index` of a, in place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_flip_bit(a: *mut bezout_int, index: u64) -> bezout_status {
    // SAFETY: by the contract of all functions.
    guard(|| Ok(unsafe { changed(a, "a") }?.value.try_flip_bit(index)?))
}
