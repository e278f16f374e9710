//! Integers from machine integers, text, limbs and bytes.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use std::ffi::c_char;

use bezout::{Error, Int, Result, memory};

use crate::border::{bezout_int, call, copied, slice, text, utf8};
use crate::status::{Failure, bezout_status};

/// The number that a text is in a radix, or with radix 0 by its prefix.
pub(super) fn number(text: &str, radix: u32) -> Result<Int> {
    match radix {
        0 => text.parse(),
        _ => Int::from_str_radix(text, radix),
    }
}

/// out = a. Large values share their memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set(
    out: *mut bezout_int,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.clone()))
}

/// out = value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_i64(out: *mut bezout_int, value: i64) -> bezout_status {
    call!(out = ; Ok::<_, Failure>(Int::from(value)))
}

/// out = value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_u64(out: *mut bezout_int, value: u64) -> bezout_status {
    call!(out = ; Ok::<_, Failure>(Int::from(value)))
}

/// The integer part of a finite number. BEZOUT_ERROR_DOMAIN for infinities and for not-a-number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_f64(out: *mut bezout_int, value: f64) -> bezout_status {
    call!(out = ; Int::from_f64(value)
        .ok_or_else(|| Error::Domain(format!("{value} has no integer part"))))
}

/// The number that a text is: digits in `radix`, 2 to 36, in either case, with an optional sign
/// first and with single underscores between digits. With radix 0 the text is decimal, or
/// hexadecimal, octal or binary after 0x, 0o or 0b. The text ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_str(
    out: *mut bezout_int,
    text: *const c_char,
    radix: u32,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        number(unsafe { self::text(text, "text") }?, radix)
    })
}

/// bezout_int_set_str for a text of `length` bytes, which need not end with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_text(
    out: *mut bezout_int,
    text: *const c_char,
    length: usize,
    radix: u32,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        let bytes = unsafe { slice(text.cast::<u8>(), length, "text") }?;
        number(utf8(bytes)?, radix)
    })
}

/// The number with the magnitude of these 64-bit limbs, least significant first, below 0 if
/// `negative`. High limbs may be 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_limbs(
    out: *mut bezout_int,
    limbs: *const u64,
    count: usize,
    negative: bool,
) -> bezout_status {
    call!(out = ; {
        // SAFETY: by the contract of all functions.
        let limbs = unsafe { slice(limbs, count, "limbs") }?;
        Ok::<_, Failure>(Int::from_sign_limbs(negative, copied(limbs)?))
    })
}

/// Bytes of the caller's that are to be a number for which there is memory.
///
/// # Safety
/// As [`slice`].
unsafe fn number_bytes<'a>(
    bytes: *const u8,
    count: usize,
) -> std::result::Result<&'a [u8], Failure> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice(bytes, count, "bytes") }?;
    memory::check("the number", 8 * count as u128)?;
    Ok(bytes)
}

/// The number with these bytes, least significant first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_le_bytes(
    out: *mut bezout_int,
    bytes: *const u8,
    count: usize,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    call!(out = ; unsafe { number_bytes(bytes, count) }.map(Int::from_le_bytes))
}

/// The number with these bytes, most significant first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_be_bytes(
    out: *mut bezout_int,
    bytes: *const u8,
    count: usize,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    call!(out = ; unsafe { number_bytes(bytes, count) }.map(Int::from_be_bytes))
}

/// The number with this two's complement, least significant byte first. No bytes are 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_signed_le_bytes(
    out: *mut bezout_int,
    bytes: *const u8,
    count: usize,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    call!(out = ; unsafe { number_bytes(bytes, count) }.map(Int::from_signed_le_bytes))
}

/// The number with this two's complement, most significant byte first. No bytes are 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_signed_be_bytes(
    out: *mut bezout_int,
    bytes: *const u8,
    count: usize,
) -> bezout_status {
    // SAFETY: by the contract of all functions.
    call!(out = ; unsafe { number_bytes(bytes, count) }.map(Int::from_signed_be_bytes))
}

/// The number at the start of bytes in GMP's raw format, as mpz_out_raw writes it. `used` is the
/// number of bytes that it takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_set_gmp_raw(
    out: *mut bezout_int,
    used: *mut usize,
    bytes: *const u8,
    count: usize,
) -> bezout_status {
    call!((out, used) = ; {
        // SAFETY: by the contract of all functions.
        let bytes = unsafe { slice(bytes, count, "bytes") }?;
        let mut rest = bytes;
        let value = Int::read_gmp_raw(&mut rest).map_err(|error| gmp_raw(&error))?;
        Ok::<_, Failure>((value, bytes.len() - rest.len()))
    })
}

/// What reading or writing GMP's raw format fails with.
pub(super) fn gmp_raw(error: &std::io::Error) -> Error {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Error>());
    inner.cloned().unwrap_or_else(|| Error::Format {
        format: "GMP raw format",
        reason: error.to_string(),
    })
}
