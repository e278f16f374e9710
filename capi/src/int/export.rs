//! Integers as machine integers, text, limbs and bytes.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use std::ffi::c_char;

use crate::border::{OutPointer, bezout_int, call, export, given, guard};
use crate::status::{Failure, bezout_status};
use crate::text::give_text;

use super::set::gmp_raw;

/// Stores a. BEZOUT_ERROR_DOMAIN where it does not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_i64(out: *mut i64, a: *const bezout_int) -> bezout_status {
    call!(out = a; i64::try_from(a))
}

/// Stores a. BEZOUT_ERROR_DOMAIN where it does not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_u64(out: *mut u64, a: *const bezout_int) -> bezout_status {
    call!(out = a; u64::try_from(a))
}

/// Stores the nearest double, ties to even; infinite beyond its range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_f64(out: *mut f64, a: *const bezout_int) -> bezout_status {
    call!(out = a; a.try_to_f64())
}

/// Stores the nearest float, ties to even; infinite beyond its range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_f32(out: *mut f32, a: *const bezout_int) -> bezout_status {
    call!(out = a; a.try_to_f32())
}

/// A new string with the digits of a in `radix`, 2 to 36, in lower case, after a minus if a is
/// negative. To be freed by bezout_string_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_to_string(
    out: *mut *mut c_char,
    a: *const bezout_int,
    radix: u32,
) -> bezout_status {
    guard(|| {
        let place = OutPointer::new(out, "out")?;
        // SAFETY: by the contract of all functions.
        unsafe { give_text(place, given(a, "a")?.try_to_string_radix(radix)?) }
    })
}

/// The text of bezout_int_to_string in the caller's buffer, with NUL at its end. `needed` is set to
/// the bytes that it takes with that NUL. A NULL buffer asks for that number alone, which costs as
/// much as the text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_str(
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_int,
    radix: u32,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let mut text = unsafe { given(a, "a") }?.try_to_string_radix(radix)?;
        text.push('\0');
        // SAFETY: by the contract of all functions.
        unsafe { export(text.as_bytes(), buffer.cast(), capacity, needed) }
    })
}

/// Copies the 64-bit limbs of |a| into the caller's buffer, least significant first. `needed` is
/// set to their number. A NULL buffer asks for that number alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_limbs(
    buffer: *mut u64,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_int,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    guard(|| unsafe { export(given(a, "a")?.try_limbs()?, buffer, capacity, needed) })
}

/// The limbs of |a| where they lie, least significant first, none above the highest that is not 0.
/// They stay valid until a is changed or freed, and must not be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_limbs(
    limbs: *mut *const u64,
    count: *mut usize,
    a: *const bezout_int,
) -> bezout_status {
    call!((limbs, count) = a; a.try_limbs().map(|limbs| (limbs.as_ptr(), limbs.len())))
}

/// Copies the bytes of |a| into the caller's buffer, least significant first, as few as there can
/// be; 0 has none. `needed` is set to their number. A NULL buffer asks for that number alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_le_bytes(
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_int,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    guard(|| unsafe { export(&given(a, "a")?.try_to_le_bytes()?, buffer, capacity, needed) })
}

/// bezout_int_get_le_bytes with the most significant byte first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_be_bytes(
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_int,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    guard(|| unsafe { export(&given(a, "a")?.try_to_be_bytes()?, buffer, capacity, needed) })
}

/// Copies the two's complement of a into the caller's buffer, least significant byte first, as few
/// bytes as there can be but at least one. `needed` is set to their number. A NULL buffer asks for
/// that number alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_signed_le_bytes(
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_int,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let bytes = unsafe { given(a, "a") }?.try_to_signed_le_bytes()?;
        // SAFETY: by the contract of all functions.
        unsafe { export(&bytes, buffer, capacity, needed) }
    })
}

/// bezout_int_get_signed_le_bytes with the most significant byte first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_signed_be_bytes(
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_int,
) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        let bytes = unsafe { given(a, "a") }?.try_to_signed_be_bytes()?;
        // SAFETY: by the contract of all functions.
        unsafe { export(&bytes, buffer, capacity, needed) }
    })
}

/// Copies a in GMP's raw format, as mpz_inp_raw reads it, into the caller's buffer. `needed` is set
/// to its bytes. A NULL buffer asks for that number alone. An error for a magnitude of 2^31 bytes
/// or more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_get_gmp_raw(
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
    a: *const bezout_int,
) -> bezout_status {
    guard(|| {
        let mut bytes = Vec::new();
        // SAFETY: by the contract of all functions.
        let a = unsafe { given(a, "a") }?;
        let written = a.write_gmp_raw(&mut bytes);
        written.map_err(|error| Failure::from(gmp_raw(&error)))?;
        // SAFETY: by the contract of all functions.
        unsafe { export(&bytes, buffer, capacity, needed) }
    })
}
