//! Division, with every rounding.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use crate::border::{bezout_int, call};
use crate::status::bezout_status;

/// out = a / b rounded towards zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_div(b))
}

/// The remainder of bezout_int_div, which has the sign of a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_rem(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_rem(b))
}

/// Quotient rounded towards zero, and the remainder, which has the sign of a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div_rem(
    quotient: *mut bezout_int,
    remainder: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!((quotient, remainder) = a, b; a.try_div_rem(b))
}

/// out = a / b rounded down.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div_floor(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_div_floor(b))
}

/// The remainder of bezout_int_div_floor, which has the sign of b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_rem_floor(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_rem_floor(b))
}

/// Quotient rounded down, and the remainder, which has the sign of b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div_rem_floor(
    quotient: *mut bezout_int,
    remainder: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!((quotient, remainder) = a, b; a.try_div_rem_floor(b))
}

/// out = a / b rounded up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div_ceil(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_div_ceil(b))
}

/// The remainder of bezout_int_div_ceil, which is 0 or has the sign opposite to b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_rem_ceil(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_rem_ceil(b))
}

/// Quotient rounded up, and the remainder, which is 0 or has the sign opposite to b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div_rem_ceil(
    quotient: *mut bezout_int,
    remainder: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!((quotient, remainder) = a, b; a.try_div_rem_ceil(b))
}

/// The quotient that leaves a remainder from 0 to |b| - 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div_euclid(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_div_euclid(b))
}

/// The remainder from 0 to |b| - 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_rem_euclid(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_rem_euclid(b))
}

/// The quotient that leaves a remainder from 0 to |b| - 1, and that remainder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div_rem_euclid(
    quotient: *mut bezout_int,
    remainder: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!((quotient, remainder) = a, b; a.try_div_rem_euclid(b))
}

/// out = a / b where b divides a. Where b does not, the result is an error, or for large values
/// on a device a meaningless number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_div_exact(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_div_exact(b))
}

/// Stores whether b divides a. 0 divides 0 alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_multiple_of(
    out: *mut bool,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_is_multiple_of(b))
}

/// Stores whether `modulus` divides a - b. Modulo 0 only equal numbers are congruent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_congruent(
    out: *mut bool,
    a: *const bezout_int,
    b: *const bezout_int,
    modulus: *const bezout_int,
) -> bezout_status {
    call!(out = a, b, modulus; a.try_is_congruent(b, modulus))
}

/// Stores rest and count with a = rest * factor^count and count as large as possible; 0 and 0 for
/// a = 0. An error if `factor` is 0, 1 or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_remove(
    rest: *mut bezout_int,
    count: *mut u64,
    a: *const bezout_int,
    factor: *const bezout_int,
) -> bezout_status {
    call!((rest, count) = a, factor; a.try_remove(factor))
}
