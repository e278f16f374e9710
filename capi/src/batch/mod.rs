//! Batches: many unsigned integers of one length, side by side.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

mod arith;
mod moduli;
mod rows;

pub use arith::*;
pub use moduli::*;
pub use rows::*;

use std::ptr::null_mut;

use bezout::{Batch, memory};

use crate::border::{
    bezout_batch, bezout_int, call, copied, export, give, given, guard, many, quietly, slice, take,
};
use crate::status::{Failure, bezout_status};

/// A new batch, no rows of one limb, to be freed by bezout_batch_free. A function that stores a
/// batch in it stores its shape too.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_batch_new() -> *mut bezout_batch {
    quietly(null_mut(), || {
        Batch::from_limbs(Vec::new(), 1).map_or(null_mut(), give)
    })
}

/// Frees a batch. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_free(a: *mut bezout_batch) {
    // SAFETY: by the contract of all functions.
    unsafe { take(a) };
}

/// out = a. Both share their memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_set(
    out: *mut bezout_batch,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.clone()))
}

/// `rows` rows of `width` limbs each, one after the other, the least significant limb of each
/// first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_set_limbs(
    out: *mut bezout_batch,
    limbs: *const u64,
    rows: usize,
    width: usize,
) -> bezout_status {
    call!(out = ; {
        let count = rows.saturating_mul(width);
        // Refuses what no machine holds, as it does for a count that is saturated here.
        memory::check("the batch", 64 * count as u128)?;
        // SAFETY: by the contract of all functions.
        let limbs = unsafe { slice(limbs, count, "limbs") }?;
        Batch::from_limbs(copied(limbs)?, width)
    })
}

/// One row for each of `count` numbers, `width` limbs each; every number must be non-negative and
/// fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_set_ints(
    out: *mut bezout_batch,
    numbers: *const *const bezout_int,
    count: usize,
    width: usize,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        Batch::from_ints(&unsafe { many(numbers, count, "numbers") }?, width)
    })
}

/// One row for every `size` bytes of `count`, the least significant first, in as few limbs as hold
/// them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_set_le_bytes(
    out: *mut bezout_batch,
    bytes: *const u8,
    count: usize,
    size: usize,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    call!(out = ; Batch::from_le_bytes(unsafe { slice(bytes, count, "bytes") }?, size))
}

/// bezout_batch_set_le_bytes with the most significant byte first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_set_be_bytes(
    out: *mut bezout_batch,
    bytes: *const u8,
    count: usize,
    size: usize,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    call!(out = ; Batch::from_be_bytes(unsafe { slice(bytes, count, "bytes") }?, size))
}

/// `rows` rows of `width` limbs, every limb `pattern`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_fill(
    out: *mut bezout_batch,
    pattern: u64,
    rows: usize,
    width: usize,
) -> bezout_status {
    call!(out = ; Batch::fill(pattern, rows, width))
}

/// A copy of `count` rows from row `first` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_slice(
    out: *mut bezout_batch,
    a: *const bezout_batch,
    first: usize,
    count: usize,
) -> bezout_status {
    // A shift by no bits copies rows where they are.
    call!(out = a; a.try_rows(first..first.saturating_add(count))?.try_shr(0))
}

/// Stores the number of rows and the limbs in a row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_shape(
    rows: *mut usize,
    width: *mut usize,
    a: *const bezout_batch,
) -> bezout_status {
    call!((rows, width) = a; Ok::<_, Failure>((a.count(), a.width())))
}

/// Row `row` as a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_get(
    out: *mut bezout_int,
    a: *const bezout_batch,
    row: usize,
) -> bezout_status {
    call!(out = a; a.try_get(row))
}

/// All limbs where they lie, row after row. They stay valid until a is changed or freed, and must
/// not be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_limbs(
    limbs: *mut *const u64,
    count: *mut usize,
    a: *const bezout_batch,
) -> bezout_status {
    call!((limbs, count) = a; a.try_limbs().map(|limbs| (limbs.as_ptr(), limbs.len())))
}

/// Copies all limbs into the caller's buffer, row after row. `needed` is set to their number. A
/// NULL buffer asks for that number alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_get_limbs(
    buffer: *mut u64,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_batch,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    guard(|| unsafe { export(given(a, "a")?.try_limbs()?, buffer, capacity, needed) })
}

/// Copies the rows into the caller's buffer, 8 * width bytes each, the least significant first.
/// `needed` is set to the number of bytes. A NULL buffer asks for that number alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_get_le_bytes(
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_batch,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let bytes = unsafe { given(a, "a") }?.all().try_to_le_bytes()?;
        // SAFETY: by the contract of all functions.
        unsafe { export(&bytes, buffer, capacity, needed) }
    })
}

/// bezout_batch_get_le_bytes with the most significant byte of each row first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_get_be_bytes(
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_batch,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let bytes = unsafe { given(a, "a") }?.all().try_to_be_bytes()?;
        // SAFETY: by the contract of all functions.
        unsafe { export(&bytes, buffer, capacity, needed) }
    })
}

/// Puts a copy on a CUDA device, where operations under engine "auto" will then run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_to_device(
    a: *const bezout_batch,
    device: u32,
) -> bezout_status {
    call!(() = a; a.try_to_device(device))
}

/// Brings a copy of all rows to the host, where there is none yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_fetch(a: *const bezout_batch) -> bezout_status {
    call!(() = a; a.try_limbs().map(drop))
}

/// Stores whether a device has a copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_batch_is_on_device(
    out: *mut bool,
    a: *const bezout_batch,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.is_on_device()))
}
