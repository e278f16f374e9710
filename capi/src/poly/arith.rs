//! Arithmetic of polynomials, and where they are.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use crate::border::{bezout_int, bezout_poly, call};
use crate::status::{Failure, bezout_status};

/// out = a + b. Both must have one modulus, here and in all functions of two polynomials.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_add(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; a.try_add(b))
}

/// out = a - b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_sub(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; a.try_sub(b))
}

/// out = -a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_neg(
    out: *mut bezout_poly,
    a: *const bezout_poly,
) -> bezout_status {
    call!(out = a; a.try_neg())
}

/// out = c * a, c taken modulo p.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_scale(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    c: u64,
) -> bezout_status {
    call!(out = a; a.try_scale(c))
}

/// The derivative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_derivative(
    out: *mut bezout_poly,
    a: *const bezout_poly,
) -> bezout_status {
    call!(out = a; a.try_derivative())
}

/// a divided by its leading coefficient; 0 for 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_monic(
    out: *mut bezout_poly,
    a: *const bezout_poly,
) -> bezout_status {
    call!(out = a; a.try_monic())
}

/// out = a * b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_mul(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; a.try_mul(b))
}

/// out = a^2.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_square(
    out: *mut bezout_poly,
    a: *const bezout_poly,
) -> bezout_status {
    call!(out = a; a.try_square())
}

/// Quotient and remainder, which is of lower degree than b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_div_rem(
    quotient: *mut bezout_poly,
    remainder: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!((quotient, remainder) = a, b; a.try_div_rem(b))
}

/// The quotient of a and b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_div(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; a.try_div_rem(b).map(|(quotient, _)| quotient))
}

/// a modulo b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_rem(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; a.try_rem(b))
}

/// The greatest common divisor, monic; 0 where both are 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_gcd(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; a.try_gcd(b))
}

/// The monic greatest common divisor, and s and t with s * a + t * b = gcd.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_gcdext(
    gcd: *mut bezout_poly,
    s: *mut bezout_poly,
    t: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!((gcd, s, t) = a, b; a.try_extended_gcd(b))
}

/// Stores the resultant: 0 exactly where both have a common factor or one is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_resultant(
    out: *mut u64,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; a.try_resultant(b))
}

/// out = a(b).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_compose(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; a.try_compose(b))
}

/// out = a^exponent modulo another polynomial. An error for a negative exponent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_pow_mod(
    out: *mut bezout_poly,
    a: *const bezout_poly,
    exponent: *const bezout_int,
    modulus: *const bezout_poly,
) -> bezout_status {
    call!(out = a, exponent, modulus; {
        // The library looks at the exponent's limbs where they cannot be missing.
        exponent.try_fetch()?;
        a.try_pow_mod(exponent, modulus)
    })
}

/// Puts a copy on a CUDA device, where operations under engine "auto" will then run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_to_device(
    a: *const bezout_poly,
    device: u32,
) -> bezout_status {
    call!(() = a; a.try_to_device(device))
}

/// Brings the coefficients to the host, where there are none yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_fetch(a: *const bezout_poly) -> bezout_status {
    call!(() = a; a.try_coefficients().map(drop))
}

/// Gives the device copy up, fetching the coefficients first if the host has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_drop_device(a: *const bezout_poly) -> bezout_status {
    call!(() = a; a.try_drop_device())
}

/// Stores whether a device has a copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_is_on_device(
    out: *mut bool,
    a: *const bezout_poly,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.is_on_device()))
}

/// Stores whether the host has a copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_is_on_host(
    out: *mut bool,
    a: *const bezout_poly,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.is_on_host()))
}
