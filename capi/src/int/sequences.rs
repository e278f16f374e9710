//! Factorials, primorials, binomial coefficients, Fibonacci and Lucas numbers.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use bezout::Int;

use crate::border::{bezout_int, call};
use crate::status::bezout_status;

/// out = n!.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_factorial(out: *mut bezout_int, n: u64) -> bezout_status {
    call!(out = ; Int::try_factorial(n))
}

/// out = n!! = n * (n - 2) * (n - 4) ...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_double_factorial(
    out: *mut bezout_int,
    n: u64,
) -> bezout_status {
    call!(out = ; Int::try_double_factorial(n))
}

/// out = n * (n - step) * (n - 2 * step) ... as long as the factors are positive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_multi_factorial(
    out: *mut bezout_int,
    n: u64,
    step: u64,
) -> bezout_status {
    call!(out = ; Int::try_multi_factorial(n, step))
}

/// The product of all primes up to n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_primorial(out: *mut bezout_int, n: u64) -> bezout_status {
    call!(out = ; Int::try_primorial(n))
}

/// The binomial coefficient n over k, 0 for k > n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_binomial(
    out: *mut bezout_int,
    n: u64,
    k: u64,
) -> bezout_status {
    call!(out = ; Int::try_binomial(n, k))
}

/// The Fibonacci number F(n), with F(0) = 0 and F(1) = 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_fibonacci(out: *mut bezout_int, n: u64) -> bezout_status {
    call!(out = ; Int::try_fibonacci(n))
}

/// The Lucas number L(n), with L(0) = 2 and L(1) = 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_lucas(out: *mut bezout_int, n: u64) -> bezout_status {
    call!(out = ; Int::try_lucas(n))
}
