//! Polynomials over Z_p.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

mod arith;

pub use arith::*;

use std::ffi::c_char;
use std::ptr::null_mut;

use bezout::Poly;
use bezout::poly::{Format, Modulus};

use crate::border::{
    OutPointer, bezout_poly, call, copied, export, export_rows, give, given, guard, many, or_none,
    places, put_all, quietly, slice, take, text,
};
use crate::random::bezout_random;
use crate::status::{Failure, bezout_status};
use crate::text::give_text;

/// A new polynomial, 0 over Z_2, to be freed by bezout_poly_free. A function that stores a
/// polynomial in it stores the modulus too.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_poly_new() -> *mut bezout_poly {
    quietly(null_mut(), || {
        Modulus::new(2).map_or(null_mut(), |two| give(Poly::zero(two)))
    })
}

/// Frees a polynomial. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_free(a: *mut bezout_poly) {
    // SAFETY: by the contract of all functions.
    unsafe { take(a) };
}

/// out = a. Both share their memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_set(
    out: *mut bezout_poly,
    a: *const bezout_poly,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.clone()))
}

/// The polynomial over Z_p with these coefficients, constant term first; all must be below p.
/// BEZOUT_ERROR_NOT_PRIME, with a message that names a factor, where p is not prime.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_set_coefficients(
    out: *mut bezout_poly,
    p: u64,
    coefficients: *const u64,
    count: usize,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        let coefficients = unsafe { slice(coefficients, count, "coefficients") }?;
        Poly::new(copied(coefficients)?, Modulus::new(p)?)
    })
}

/// The polynomial over Z_p in a text such as "3*x^2 + x - 5", or one coefficient a line, constant
/// term first, if `lines`. The text ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_set_str(
    out: *mut bezout_poly,
    p: u64,
    text: *const c_char,
    lines: bool,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        let text = unsafe { self::text(text, "text") }?;
        Poly::parse_as(text, format(lines), Modulus::new(p)?)
    })
}

fn format(lines: bool) -> Format {
    if lines {
        Format::Lines
    } else {
        Format::Expression
    }
}

/// The polynomial over Z_p with `count` random coefficients, the leading one other than 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_set_random(
    out: *mut bezout_poly,
    p: u64,
    count: usize,
    random: *mut bezout_random,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        let random = unsafe { crate::border::changed(random, "random") }?;
        Poly::try_random(count, Modulus::new(p)?, &mut random.generator)
    })
}

/// The polynomial of least degree over Z_p with these values at these points. An error where a
/// point is repeated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_interpolate(
    out: *mut bezout_poly,
    p: u64,
    points: *const u64,
    values: *const u64,
    count: usize,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        let points = unsafe { slice(points, count, "points") }?;
        // SAFETY: by the contract of all functions.
        let values = unsafe { slice(values, count, "values") }?;
        Poly::try_interpolate(points, values, Modulus::new(p)?)
    })
}

/// Stores the value at each of `count` points, which are taken modulo p.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_evaluate(
    out: *mut u64,
    a: *const bezout_poly,
    points: *const u64,
    count: usize,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions. The points are not used after the values are
        // stored, so both may be one array.
        unsafe {
            let points = slice(points, count, "points")?;
            let values = given(a, "a")?.try_evaluate(points)?;
            match count {
                0 => Ok(()),
                _ => export_rows(&values, out, count),
            }
        }
    })
}

/// Stores the prime p.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_modulus(
    out: *mut u64,
    a: *const bezout_poly,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.modulus().get()))
}

/// Stores the degree, BEZOUT_NONE for 0. Brings the coefficients to the host, where there are none
/// yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_degree(out: *mut u64, a: *const bezout_poly) -> bezout_status {
    call!(out = a; a.try_coefficients().map(|all| or_none((all.len() as u64).checked_sub(1))))
}

/// Stores whether a and b are the same polynomial over the same field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_equal(
    out: *mut bool,
    a: *const bezout_poly,
    b: *const bezout_poly,
) -> bezout_status {
    call!(out = a, b; Ok::<_, Failure>(
        a.modulus() == b.modulus() && a.try_coefficients()? == b.try_coefficients()?
    ))
}

/// Stores the coefficient of x^i, 0 above the degree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_coefficient(
    out: *mut u64,
    a: *const bezout_poly,
    i: usize,
) -> bezout_status {
    call!(out = a; a.try_coefficients().map(|all| all.get(i).copied().unwrap_or(0)))
}

/// The coefficients where they lie, constant term first, without leading zeros. They stay valid
/// until a is changed or freed, and must not be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_coefficients(
    coefficients: *mut *const u64,
    count: *mut usize,
    a: *const bezout_poly,
) -> bezout_status {
    call!((coefficients, count) = a; a.try_coefficients().map(|all| (all.as_ptr(), all.len())))
}

/// Copies the coefficients into the caller's buffer, constant term first. `needed` is set to their
/// number. A NULL buffer asks for that number alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_get_coefficients(
    buffer: *mut u64,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_poly,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe { export(given(a, "a")?.try_coefficients()?, buffer, capacity, needed) }
    })
}

/// A new string such as "3*x^2 + x + 5", or one coefficient a line, constant term first, if
/// `lines`. To be freed by bezout_string_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_to_string(
    out: *mut *mut c_char,
    a: *const bezout_poly,
    lines: bool,
) -> bezout_status {
    guard(|| {
        let place = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        unsafe { give_text(place, given(a, "a")?.try_to_text(format(lines))?) }
    })
}

/// The products of `count` pairs, in as many handles of the caller's. All polynomials must have one
/// modulus.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_mul_many(
    out: *const *mut bezout_poly,
    a: *const *const bezout_poly,
    b: *const *const bezout_poly,
    count: usize,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let out = places(out, count, "out")?;
            put_all(
                out,
                Poly::try_mul_many(&many(a, count, "a")?, &many(b, count, "b")?)?,
            );
        }
        Ok(())
    })
}

/// The monic greatest common divisors of `count` pairs, in as many handles of the caller's. All
/// polynomials must have one modulus.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_poly_gcd_many(
    out: *const *mut bezout_poly,
    a: *const *const bezout_poly,
    b: *const *const bezout_poly,
    count: usize,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let out = places(out, count, "out")?;
            put_all(
                out,
                Poly::try_gcd_many(&many(a, count, "a")?, &many(b, count, "b")?)?,
            );
        }
        Ok(())
    })
}
