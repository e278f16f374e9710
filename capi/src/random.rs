//! Random numbers. The same seed gives the same numbers on every machine.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use std::ptr::null_mut;

use bezout::Int;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::border::{bezout_int, call, changed, give, quietly, take};
use crate::status::bezout_status;

/// A generator of random numbers, xoshiro256++, not for secrets. Made by bezout_random_new, freed
/// by bezout_random_free.
pub struct bezout_random {
    pub(crate) generator: Xoshiro256PlusPlus,
}

/// A new generator, to be freed by bezout_random_free. The same seed gives the same numbers.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_random_new(seed: u64) -> *mut bezout_random {
    quietly(null_mut(), || {
        give(bezout_random {
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
        })
    })
}

/// Frees a generator. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_random_free(random: *mut bezout_random) {
    // SAFETY: by the contract of all functions.
    unsafe { take(random) };
}

/// A uniformly random number of exactly `bits` bits: its top bit is set. 0 bits give 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_random_bits(
    out: *mut bezout_int,
    bits: u64,
    random: *mut bezout_random,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        let random = unsafe { changed(random, "random") }?;
        Int::try_random_bits(bits, &mut random.generator)
    })
}

/// A uniformly random number from 0 to bound - 1. An error if `bound` is not positive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_random_below(
    out: *mut bezout_int,
    bound: *const bezout_int,
    random: *mut bezout_random,
) -> bezout_status {
    call!(out = bound; {
        // SAFETY: by the contract of all functions.
        let random = unsafe { changed(random, "random") }?;
        Int::try_random_below(bound, &mut random.generator)
    })
}
