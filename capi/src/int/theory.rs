//! Number theory: common divisors, powers and inverses modulo a number, roots, primes.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use std::ffi::c_char;

use bezout::{GcdAlgorithm, Int};

use crate::border::{OutPointer, bezout_int, call, distinct, given, guard, text};
use crate::status::bezout_status;

/// The greatest common divisor, never negative. gcd(0, 0) = 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_gcd(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_gcd(b))
}

/// The greatest common divisor, and s and t with s * a + t * b = gcd, as small as GMP's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_gcdext(
    gcd: *mut bezout_int,
    s: *mut bezout_int,
    t: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!((gcd, s, t) = a, b; a.try_extended_gcd(b))
}

/// Proves that gcd is the greatest common divisor of a and b: it divides both and s * a + t * b =
/// gcd. BEZOUT_ERROR_VERIFICATION, with a message that says what fails, where it is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_verify_gcd(
    a: *const bezout_int,
    b: *const bezout_int,
    gcd: *const bezout_int,
    s: *const bezout_int,
    t: *const bezout_int,
) -> bezout_status {
    call!(() = a, b, gcd, s, t; Int::verify_gcd(a, b, gcd, s, t))
}

/// The least common multiple, never negative. 0 if either is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_lcm(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
) -> bezout_status {
    call!(out = a, b; a.try_lcm(b))
}

/// out = a^exponent modulo |modulus|, from 0 to |modulus| - 1. A negative exponent takes the
/// inverse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_pow_mod(
    out: *mut bezout_int,
    a: *const bezout_int,
    exponent: *const bezout_int,
    modulus: *const bezout_int,
) -> bezout_status {
    call!(out = a, exponent, modulus; a.try_pow_mod(exponent, modulus))
}

/// The x from 0 to |modulus| - 1 with a * x = 1 modulo |modulus|. BEZOUT_ERROR_DOMAIN, with a
/// message that names the common divisor, where there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_mod_inverse(
    out: *mut bezout_int,
    a: *const bezout_int,
    modulus: *const bezout_int,
) -> bezout_status {
    call!(out = a, modulus; a.try_mod_inverse(modulus))
}

/// Stores Jacobi's symbol (a/n): -1, 0 or 1. An error unless n is odd and positive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_jacobi(
    out: *mut i32,
    a: *const bezout_int,
    n: *const bezout_int,
) -> bezout_status {
    call!(out = a, n; a.try_jacobi(n))
}

/// Stores Kronecker's symbol (a/n), which extends Jacobi's to every n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_kronecker(
    out: *mut i32,
    a: *const bezout_int,
    n: *const bezout_int,
) -> bezout_status {
    call!(out = a, n; a.try_kronecker(n))
}

/// The square root rounded down. An error for a negative number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_sqrt(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_isqrt())
}

/// The square root rounded down, and a - root^2. An error for a negative number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_sqrt_rem(
    root: *mut bezout_int,
    remainder: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!((root, remainder) = a; a.try_sqrt_rem())
}

/// The n-th root rounded towards zero. An error for n = 0 and for an even root of a negative
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_root(
    out: *mut bezout_int,
    a: *const bezout_int,
    n: u64,
) -> bezout_status {
    call!(out = a; a.try_root(n))
}

/// The n-th root rounded towards zero, and a - root^n. An error for n = 0 and for an even root of
/// a negative number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_root_rem(
    root: *mut bezout_int,
    remainder: *mut bezout_int,
    a: *const bezout_int,
    n: u64,
) -> bezout_status {
    call!((root, remainder) = a; a.try_root_rem(n))
}

/// Stores whether a is the square of an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_square(
    out: *mut bool,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_is_square())
}

/// Stores whether a is prime, by the Baillie-PSW test: exact below 2^64, and no composite number
/// that passes is known beyond.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_prime(
    out: *mut bool,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_is_probable_prime())
}

/// The least probable prime above a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_next_prime(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_next_prime())
}

/// The greatest probable prime below a. An error if a is at most 2.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_prev_prime(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; a.try_prev_prime())
}

/// bezout_int_gcd by one algorithm: "auto", "weber", "accelerated", "lattice", "half" or "host".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_gcd_by(
    out: *mut bezout_int,
    a: *const bezout_int,
    b: *const bezout_int,
    algorithm: *const c_char,
) -> bezout_status {
    call!(out = a, b; {
        // SAFETY: by the contract of all functions.
        let algorithm: GcdAlgorithm = unsafe { text(algorithm, "algorithm") }?.parse()?;
        a.try_gcd_by(b, algorithm).map(|(gcd, _)| gcd)
    })
}

/// The fraction numerator / denominator that is a modulo `modulus`, in lowest terms, with
/// |numerator| <= most_numerator and 0 < denominator <= most_denominator. `found` says whether
/// there is one; without one nothing else is stored. An error unless 2 * most_numerator *
/// most_denominator < modulus, which makes the fraction unique.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_rational_reconstruction(
    found: *mut bool,
    numerator: *mut bezout_int,
    denominator: *mut bezout_int,
    a: *const bezout_int,
    modulus: *const bezout_int,
    most_numerator: *const bezout_int,
    most_denominator: *const bezout_int,
) -> bezout_status {
    guard(|| {
        let found = OutPointer::new(found, "found")?;
        let numerator = OutPointer::new(numerator, "numerator")?;
        let denominator = OutPointer::new(denominator, "denominator")?;
        distinct(&[numerator.address(), denominator.address()])?;
        // SAFETY: by the contract of all functions. The operands are not used after the results are
        // stored.
        let fraction = unsafe {
            let modulus = given(modulus, "modulus")?;
            let most_numerator = given(most_numerator, "most_numerator")?;
            let most_denominator = given(most_denominator, "most_denominator")?;
            given(a, "a")?.try_rational_reconstruction(modulus, most_numerator, most_denominator)
        }?;
        // SAFETY: as above.
        unsafe {
            found.put(fraction.is_some());
            if let Some((r, t)) = fraction {
                numerator.put(r);
                denominator.put(t);
            }
        }
        Ok(())
    })
}

/// The base and the exponent with a = base^exponent and the exponent > 1 as large as possible.
/// `found` says whether there are such; without them nothing else is stored. 0 and 1 give the
/// exponent 2, and -1 gives 3.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_perfect_power(
    found: *mut bool,
    base: *mut bezout_int,
    exponent: *mut u64,
    a: *const bezout_int,
) -> bezout_status {
    guard(|| {
        let found = OutPointer::new(found, "found")?;
        let base = OutPointer::new(base, "base")?;
        let exponent = OutPointer::new(exponent, "exponent")?;
        // SAFETY: by the contract of all functions.
        let power = unsafe { given(a, "a") }?.try_perfect_power()?;
        // SAFETY: as above; the operand is not used any more.
        unsafe {
            found.put(power.is_some());
            if let Some((b, e)) = power {
                base.put(b);
                exponent.put(e);
            }
        }
        Ok(())
    })
}
