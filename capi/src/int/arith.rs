//! Sums, products, powers, signs and comparisons.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use bezout::Int;

use crate::border::{bezout_int, call};
use crate::status::bezout_status;

/// out = a + b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_add(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_add(b))
}

/// out = a - b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_sub(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_sub(b))
}

/// out = a * b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_mul(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_mul(b))
}

/// out = a + b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_add_i64(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: i64,
) -> bezout_status {
    call!(out = a; a.try_add_small(b))
}

/// out = a * b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_mul_i64(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: i64,
) -> bezout_status {
    call!(out = a; a.try_mul(&Int::from(b)))
}

/// out = a^2, cheaper than a product of two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_square(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_square())
}

/// out = a^exponent. 0^0 is 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_pow(
    out: *mut bezout_int,
    a: *const bezout_int,
    exponent: u64,
) -> bezout_status {
    call!(out = a; a.try_pow(exponent))
}

/// out = -a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_neg(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_neg())
}

/// out = |a|.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_abs(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_abs())
}

/// out = |a - b|.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_abs_diff(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_abs_diff(b))
}

/// out = a * b modulo 2^bits, not negative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_mul_low(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
    bits: u64,
) -> bezout_status {
    call!(out = a, b; a.try_mul_low(b, bits))
}

/// out = a * b / 2^bits, rounded down.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_mul_high(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
    bits: u64,
) -> bezout_status {
    call!(out = a, b; a.try_mul_high(b, bits))
}

/// out = 2^bits - 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_ones(out: *mut bezout_int, bits: u64) -> bezout_status {
    call!(out = ; Int::try_ones(bits))
}

/// The number whose limbs are `count` copies of `limb`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_fill(
    out: *mut bezout_int,
    limb: u64,
    count: usize,
) -> bezout_status {
    call!(out = ; Int::try_fill(limb, count))
}

/// Stores -1, 0 or 1: a below, equal to or above b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_cmp(
    out: *mut i32,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_cmp(b).map(|order| order as i32))
}

/// Stores -1, 0 or 1: a below, equal to or above b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_cmp_i64(
    out: *mut i32,
    a: *const bezout_int,
    b: i64,
) -> bezout_status {
    call!(out = a; a.try_cmp(&Int::from(b)).map(|order| order as i32))
}

/// Stores whether a = b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_equal(
    out: *mut bool,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_cmp(b).map(|order| order.is_eq()))
}

/// Stores -1, 0 or 1: the sign of a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_sign(out: *mut i32, a: *const bezout_int) -> bezout_status {
    call!(out = a; a.try_signum())
}

/// Stores whether a = 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_zero(out: *mut bool, a: *const bezout_int) -> bezout_status {
    call!(out = a; a.try_is_zero())
}

/// Stores whether a < 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_negative(
    out: *mut bool,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_is_negative())
}

/// Stores whether a > 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_positive(
    out: *mut bool,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_is_positive())
}

/// Stores whether 2 divides a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_even(out: *mut bool, a: *const bezout_int) -> bezout_status {
    call!(out = a; a.try_is_even())
}

/// Stores whether 2 does not divide a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_odd(out: *mut bool, a: *const bezout_int) -> bezout_status {
    call!(out = a; a.try_is_odd())
}
