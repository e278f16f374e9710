//! Operations on the rows of batches that give batches.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use crate::border::{bezout_batch, call};
use crate::status::bezout_status;

/// Row by row sum, modulo 2^(64 * width). Both must have as many rows and limbs, here and in all
/// functions of two batches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_add(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_add(&b.all()))
}

/// Row by row difference, modulo 2^(64 * width).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_sub(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_sub(&b.all()))
}

/// Row by row AND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_and(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_and(&b.all()))
}

/// Row by row OR.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_or(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_or(&b.all()))
}

/// Row by row XOR.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_xor(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_xor(&b.all()))
}

/// Every bit inverted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_not(
    out: *mut bezout_batch,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = a; a.all().try_not())
}

/// Row by row negation, modulo 2^(64 * width).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_neg(
    out: *mut bezout_batch,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = a; a.all().try_neg())
}

/// Each row plus `word`, modulo 2^(64 * width).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_add_i64(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    word: i64,
) -> bezout_status {
    call!(out = a; a.all().try_add_small(word))
}

/// Each row times 2^count, modulo 2^(64 * width).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_shl(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    count: u64,
) -> bezout_status {
    call!(out = a; a.all().try_shl(count))
}

/// Each row divided by 2^count, rounded down.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_shr(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    count: u64,
) -> bezout_status {
    call!(out = a; a.all().try_shr(count))
}

/// Each row with bit `index` set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_set_bit(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    index: u64,
) -> bezout_status {
    call!(out = a; a.all().try_set_bit(index))
}

/// Each row with bit `index` cleared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_clear_bit(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    index: u64,
) -> bezout_status {
    call!(out = a; a.all().try_clear_bit(index))
}

/// Each row with bit `index` flipped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_flip_bit(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    index: u64,
) -> bezout_status {
    call!(out = a; a.all().try_flip_bit(index))
}

/// Row by row product, modulo 2^(64 * width).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_mul(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_mul(&b.all()))
}

/// Row by row product, in rows of twice the width.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_mul_wide(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_mul_wide(&b.all()))
}

/// Row by row square, modulo 2^(64 * width).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_square(
    out: *mut bezout_batch,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = a; a.all().try_square())
}

/// Row by row square, in rows of twice the width.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_square_wide(
    out: *mut bezout_batch,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = a; a.all().try_square_wide())
}

/// Row by row quotient and remainder. An error where a divisor is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_div_rem(
    quotient: *mut bezout_batch,
    remainder: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!((quotient, remainder) = a, b; a.all().try_div_rem(&b.all()))
}

/// Row by row quotient, rounded down. An error where a divisor is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_div(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_div(&b.all()))
}

/// Row by row remainder. An error where a divisor is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_rem(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_rem(&b.all()))
}

/// The square root of each row, rounded down.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_sqrt(
    out: *mut bezout_batch,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = a; a.all().try_sqrt())
}

/// Row by row greatest common divisor; that of a number and zero is the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_gcd(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    call!(out = a, b; a.all().try_gcd(&b.all()))
}

/// Each row to the power of a row of `exponent`, modulo a row of `modulus`. An error where a
/// modulus is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_pow_mod(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    exponent: *const bezout_batch,
    modulus: *const bezout_batch,
) -> bezout_status {
    call!(out = a, exponent, modulus; a.all().try_pow_mod(&exponent.all(), &modulus.all()))
}
