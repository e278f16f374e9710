//! Operations on batches that give one machine word for each row.
//!
//! Each stores its words in an array of the caller's, which must have room for as many as there are
//! rows.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use crate::border::{OutPointer, bezout_batch, converted, export_rows, given, guard, or_none};
use crate::status::bezout_status;

/// Stores bit `index` of each row. `capacity` is the room in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_bit(
    out: *mut bool,
    capacity: usize,
    a: *const bezout_batch,
    index: u64,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let a = given(a, "a")?;
            export_rows(&a.all().try_bit(index)?, out, capacity)
        }
    })
}

/// Stores the number of one bits of each row. `capacity` is the room in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_count_ones(
    out: *mut u64,
    capacity: usize,
    a: *const bezout_batch,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let a = given(a, "a")?;
            export_rows(&a.all().try_count_ones()?, out, capacity)
        }
    })
}

/// Stores the number of bits in which each pair of rows differs. `capacity` is the room in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_hamming_distance(
    out: *mut u64,
    capacity: usize,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let a = given(a, "a")?;
            let b = given(b, "b")?;
            export_rows(&a.all().try_hamming_distance(&b.all())?, out, capacity)
        }
    })
}

/// Stores -1, 0 or 1 for each pair of rows: the row of a below, equal to or above that of b.
/// `capacity` is the room in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_compare(
    out: *mut i32,
    capacity: usize,
    a: *const bezout_batch,
    b: *const bezout_batch,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let a = given(a, "a")?;
            let b = given(b, "b")?;
            let words = converted(a.all().try_compare(&b.all())?, |order| order as i32)?;
            export_rows(&words, out, capacity)
        }
    })
}

/// Stores the lowest one bit of each row at or above `from`, BEZOUT_NONE where there is none.
/// `capacity` is the room in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_first_set_bit(
    out: *mut u64,
    capacity: usize,
    a: *const bezout_batch,
    from: u64,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let a = given(a, "a")?;
            let words = converted(a.all().try_first_set_bit(from)?, or_none)?;
            export_rows(&words, out, capacity)
        }
    })
}

/// Stores the lowest zero bit of each row at or above `from`, BEZOUT_NONE where there is none.
/// `capacity` is the room in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_first_clear_bit(
    out: *mut u64,
    capacity: usize,
    a: *const bezout_batch,
    from: u64,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let a = given(a, "a")?;
            let words = converted(a.all().try_first_clear_bit(from)?, or_none)?;
            export_rows(&words, out, capacity)
        }
    })
}

/// Stores the least prime factor of each row that is below `bound`, which is at most 2^24;
/// BEZOUT_NONE where there is none. Zero has the factor 2. `capacity` is the room in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_smallest_factor(
    out: *mut u64,
    capacity: usize,
    a: *const bezout_batch,
    bound: u64,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let a = given(a, "a")?;
            let words = converted(a.all().try_smallest_factor(bound)?, or_none)?;
            export_rows(&words, out, capacity)
        }
    })
}

/// Stores whether each row is prime, by the Baillie-PSW test, which is exact below 2^64.
/// `capacity` is the room in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_is_prime(
    out: *mut bool,
    capacity: usize,
    a: *const bezout_batch,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let a = given(a, "a")?;
            export_rows(&a.all().try_is_probable_prime()?, out, capacity)
        }
    })
}

/// The inverse of each row modulo a row of `modulus`, from 0 to the modulus less 1. `exists` says
/// of each row whether there is one; the row is zero where there is none. An error where a modulus
/// is zero. `capacity` is the room in `exists`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_mod_inverse(
    out: *mut bezout_batch,
    exists: *mut bool,
    capacity: usize,
    a: *const bezout_batch,
    modulus: *const bezout_batch,
) -> bezout_status {
    guard(|| {
        let out = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions. The operands are not used after the results are
        // stored.
        unsafe {
            let modulus = given(modulus, "modulus")?;
            let (inverse, found) = given(a, "a")?.all().try_mod_inverse(&modulus.all())?;
            export_rows(&found, exists, capacity)?;
            out.put(inverse);
        }
        Ok(())
    })
}
