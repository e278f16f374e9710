//! Factoring: of one number, and of millions of short ones.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

mod search;

pub use search::*;

use std::ffi::c_char;
use std::ptr::null_mut;
use std::time::Duration;

use bezout::Int;
use bezout::factor::{self, Factor, Factorization, Factors, Method, Options, Status};

use crate::border::{
    OutPointer, bezout_int, call, changed, export, give, given, guard, handles, quietly, slice,
    take, text,
};
use crate::status::{Failure, bezout_status};

/// What is known of a factor.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum bezout_factor_kind {
    /// Prime, proved: it is below 2^64.
    BEZOUT_FACTOR_PROVED = 0,
    /// A Baillie-PSW probable prime. No composite number that is one is known.
    BEZOUT_FACTOR_PROBABLE = 1,
    /// Composite: it was not split by what was allowed.
    BEZOUT_FACTOR_COMPOSITE = 2,
    /// Prime or composite: the search was stopped before this was known.
    BEZOUT_FACTOR_UNKNOWN = 3,
}

/// The factors of a number in ascending order. Freed by bezout_factors_free.
pub struct bezout_factors {
    value: Factorization,
}

/// How to factor. Made by bezout_factor_options_new, freed by bezout_factor_options_free.
pub struct bezout_factor_options {
    value: Options,
}

/// The prime factors of many numbers. Freed by bezout_factor_lists_free.
pub struct bezout_factor_lists {
    value: Factors,
}

handles! {
    bezout_factors: Factorization;
    bezout_factor_options: Options;
    bezout_factor_lists: Factors;
}

/// A number below 2^128: low + 2^64 * high.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct bezout_u128 {
    /// The low 64 bits.
    pub low: u64,
    /// The high 64 bits.
    pub high: u64,
}

/// Stores the prime factors of a number from 1 on, to be freed by bezout_factors_free. `options`
/// may be NULL for the usual ones. A large number without small factors may take for ever: a
/// progress callback can cancel the work, and a bezout_search keeps what was found until then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor(
    out: *mut *mut bezout_factors,
    a: *const bezout_int,
    options: *const bezout_factor_options,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        unsafe {
            let found = factor::factor(fetched(a)?, &chosen(options))?;
            out.put(give::<bezout_factors>(found));
        }
        Ok(())
    })
}

/// The number to factor, on the host, where the library compares it with 1.
unsafe fn fetched<'a>(a: *const bezout_int) -> Result<&'a Int, Failure> {
    // SAFETY: by the contract of all functions.
    let number = unsafe { given(a, "a") }?;
    number.try_fetch()?;
    Ok(number)
}

/// The options that a caller chose, the usual ones for NULL.
unsafe fn chosen(options: *const bezout_factor_options) -> Options {
    // SAFETY: by the contract of all functions.
    let options = unsafe { options.as_ref() };
    options.map_or_else(Options::default, |options| options.value.clone())
}

/// Frees factors. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factors_free(factors: *mut bezout_factors) {
    // SAFETY: by the contract of all functions.
    unsafe { take(factors) };
}

/// Stores how many different factors there are; 1 has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factors_count(
    out: *mut usize,
    factors: *const bezout_factors,
) -> bezout_status {
    call!(out = factors; Ok::<_, Failure>(factors.factors.len()))
}

/// Stores whether every factor is prime, as far as anyone can tell.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factors_is_complete(
    out: *mut bool,
    factors: *const bezout_factors,
) -> bezout_status {
    call!(out = factors; Ok::<_, Failure>(factors.is_complete()))
}

fn at(factors: &Factorization, index: usize) -> Result<&Factor, Failure> {
    let count = factors.factors.len();
    factors
        .factors
        .get(index)
        .ok_or_else(|| Failure::Argument(format!("factor {index} of {count}")))
}

/// Factor `index`, from 0 on, and its exponent: how often it divides the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factors_get(
    value: *mut bezout_int,
    exponent: *mut u64,
    factors: *const bezout_factors,
    index: usize,
) -> bezout_status {
    call!((value, exponent) = factors;
        at(factors, index).map(|factor| (factor.value.clone(), factor.exponent)))
}

/// Stores what is known of factor `index`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factors_kind(
    out: *mut bezout_factor_kind,
    factors: *const bezout_factors,
    index: usize,
) -> bezout_status {
    call!(out = factors; at(factors, index).map(|factor| match factor.status {
        Status::Proved => bezout_factor_kind::BEZOUT_FACTOR_PROVED,
        Status::Probable => bezout_factor_kind::BEZOUT_FACTOR_PROBABLE,
        Status::Composite => bezout_factor_kind::BEZOUT_FACTOR_COMPOSITE,
        Status::Unknown => bezout_factor_kind::BEZOUT_FACTOR_UNKNOWN,
    }))
}

/// New options, the usual ones, to be freed by bezout_factor_options_free.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_factor_options_new() -> *mut bezout_factor_options {
    quietly(null_mut(), || give(Options::default()))
}

/// Frees options. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_options_free(options: *mut bezout_factor_options) {
    // SAFETY: by the contract of all functions.
    unsafe { take(options) };
}

/// The methods to use after trial division, with commas between them: fermat, rho, p-1, p+1, ecm,
/// siqs, rho-v1, rho-v2.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_options_methods(
    options: *mut bezout_factor_options,
    names: *const c_char,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let (options, names) = unsafe { (changed(options, "options")?, text(names, "names")?) };
        let methods: Result<Vec<Method>, _> = names.split(',').map(str::parse).collect();
        options.value.methods = methods?;
        Ok(())
    })
}

/// B1 and B2 of every curve, of p - 1 and of p + 1; 0 for the usual ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_options_bounds(
    options: *mut bezout_factor_options,
    b1: u64,
    b2: u64,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let options = unsafe { changed(options, "options") }?;
        options.value.b1 = (b1 > 0).then_some(b1);
        options.value.b2 = (b2 > 0).then_some(b2);
        Ok(())
    })
}

/// Curves after which to give up; BEZOUT_NONE for no such number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_options_curves(
    options: *mut bezout_factor_options,
    curves: u64,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let options = unsafe { changed(options, "options") }?;
        options.value.curves = (curves < u64::MAX).then_some(curves);
        Ok(())
    })
}

/// Other seeds are other curves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_options_seed(
    options: *mut bezout_factor_options,
    seed: u64,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe { changed(options, "options") }?.value.seed = seed;
        Ok(())
    })
}

/// No step that is expected to take more seconds is begun; 0 for no such bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_options_longest_step(
    options: *mut bezout_factor_options,
    seconds: f64,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let options = unsafe { changed(options, "options") }?;
        let longest = Duration::try_from_secs_f64(seconds)
            .map_err(|error| Failure::Argument(format!("{seconds} seconds: {error}")))?;
        options.value.longest_step = (!longest.is_zero()).then_some(longest);
        Ok(())
    })
}

/// Stores the prime factors of `count` numbers below 2^128, none of them 0, to be freed by
/// bezout_factor_lists_free. Made for millions of numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_many(
    out: *mut *mut bezout_factor_lists,
    numbers: *const bezout_u128,
    count: usize,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        let numbers = unsafe { slice(numbers, count, "numbers") }?;
        let whole = |n: &bezout_u128| u128::from(n.low) | u128::from(n.high) << 64;
        let numbers: Vec<u128> = numbers.iter().map(whole).collect();
        let lists = factor::factor_many(&numbers)?;
        // SAFETY: by the contract of all functions.
        unsafe { out.put(give::<bezout_factor_lists>(lists)) };
        Ok(())
    })
}

/// Copies the primes of number `index` into the caller's buffer, in ascending order, each as often
/// as it divides the number; those above 2^64 are probable primes. `needed` is set to their number.
/// A NULL buffer asks for that number alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_lists_get(
    buffer: *mut bezout_u128,
    capacity: usize,
    needed: *mut usize,
    lists: *const bezout_factor_lists,
    index: usize,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let lists = unsafe { given(lists, "lists") }?;
        if index >= lists.len() {
            let what = format!("number {index} of {}", lists.len());
            return Err(Failure::Argument(what));
        }
        let halves = |prime: &u128| bezout_u128 {
            low: *prime as u64,
            high: (*prime >> 64) as u64,
        };
        let primes: Vec<bezout_u128> = lists.of(index).iter().map(halves).collect();
        // SAFETY: by the contract of all functions.
        unsafe { export(&primes, buffer, capacity, needed) }
    })
}

/// Frees lists of factors. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_factor_lists_free(lists: *mut bezout_factor_lists) {
    // SAFETY: by the contract of all functions.
    unsafe { take(lists) };
}
