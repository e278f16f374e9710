//! Radix sort of machine words.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use bezout::sort::{Options, permutation, sort, sort_with_values};

use crate::border::{export_rows, guard, slice, slice_mut};
use crate::status::{Failure, bezout_status};

fn order(descending: bool) -> Options {
    if descending {
        Options::default().descending()
    } else {
        Options::default()
    }
}

/// Refuses keys and values in one array.
fn apart<K, V>(keys: *const K, values: *const V, count: usize) -> Result<(), Failure> {
    let (keys, values) = (keys.addr(), values.addr());
    let first_ends = if keys <= values {
        keys.checked_add(count.saturating_mul(size_of::<K>()))
    } else {
        values.checked_add(count.saturating_mul(size_of::<V>()))
    };
    match first_ends {
        Some(end) if end <= keys.max(values) => Ok(()),
        _ => Err(Failure::Argument("keys and values overlap".into())),
    }
}

/// Sorts `count` keys in place, from the largest down if `descending`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_u32(
    keys: *mut u32,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let keys = unsafe { slice_mut(keys, count, "keys") }?;
        Ok(sort(keys, order(descending))?)
    })
}

/// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
/// keys stay in the order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_permutation_u32(
    out: *mut u64,
    keys: *const u32,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let keys = slice(keys, count, "keys")?;
            export_rows(&permutation(keys, order(descending))?, out, count)
        }
    })
}

/// Sorts `count` keys in place, from the largest down if `descending`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_u64(
    keys: *mut u64,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let keys = unsafe { slice_mut(keys, count, "keys") }?;
        Ok(sort(keys, order(descending))?)
    })
}

/// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
/// keys stay in the order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_permutation_u64(
    out: *mut u64,
    keys: *const u64,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let keys = slice(keys, count, "keys")?;
            export_rows(&permutation(keys, order(descending))?, out, count)
        }
    })
}

/// Sorts `count` keys in place, from the largest down if `descending`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_i32(
    keys: *mut i32,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let keys = unsafe { slice_mut(keys, count, "keys") }?;
        Ok(sort(keys, order(descending))?)
    })
}

/// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
/// keys stay in the order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_permutation_i32(
    out: *mut u64,
    keys: *const i32,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let keys = slice(keys, count, "keys")?;
            export_rows(&permutation(keys, order(descending))?, out, count)
        }
    })
}

/// Sorts `count` keys in place, from the largest down if `descending`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_i64(
    keys: *mut i64,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let keys = unsafe { slice_mut(keys, count, "keys") }?;
        Ok(sort(keys, order(descending))?)
    })
}

/// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
/// keys stay in the order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_permutation_i64(
    out: *mut u64,
    keys: *const i64,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let keys = slice(keys, count, "keys")?;
            export_rows(&permutation(keys, order(descending))?, out, count)
        }
    })
}

/// Sorts `count` keys in place, from the largest down if `descending`. Numbers are in the order
/// of IEEE 754: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_f32(
    keys: *mut f32,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let keys = unsafe { slice_mut(keys, count, "keys") }?;
        Ok(sort(keys, order(descending))?)
    })
}

/// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
/// keys stay in the order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_permutation_f32(
    out: *mut u64,
    keys: *const f32,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let keys = slice(keys, count, "keys")?;
            export_rows(&permutation(keys, order(descending))?, out, count)
        }
    })
}

/// Sorts `count` keys in place, from the largest down if `descending`. Numbers are in the order
/// of IEEE 754: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_f64(
    keys: *mut f64,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let keys = unsafe { slice_mut(keys, count, "keys") }?;
        Ok(sort(keys, order(descending))?)
    })
}

/// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
/// keys stay in the order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_permutation_f64(
    out: *mut u64,
    keys: *const f64,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe {
            let keys = slice(keys, count, "keys")?;
            export_rows(&permutation(keys, order(descending))?, out, count)
        }
    })
}

/// Sorts `count` keys in place, and takes the value of each key with it. Equal keys stay in the
/// order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_pairs_u32(
    keys: *mut u32,
    values: *mut u64,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        apart(keys, values, count)?;
        // SAFETY: by the contract of all functions; they do not overlap.
        let (keys, values) = unsafe {
            (
                slice_mut(keys, count, "keys")?,
                slice_mut(values, count, "values")?,
            )
        };
        Ok(sort_with_values(keys, values, order(descending))?)
    })
}

/// Sorts `count` keys in place, and takes the value of each key with it. Equal keys stay in the
/// order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_sort_pairs_u64(
    keys: *mut u64,
    values: *mut u64,
    count: usize,
    descending: bool,
) -> bezout_status {
    guard(|| {
        apart(keys, values, count)?;
        // SAFETY: by the contract of all functions; they do not overlap.
        let (keys, values) = unsafe {
            (
                slice_mut(keys, count, "keys")?,
                slice_mut(values, count, "values")?,
            )
        };
        Ok(sort_with_values(keys, values, order(descending))?)
    })
}
