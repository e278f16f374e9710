//! Text that the library gives to the caller.

// Pointers from C are followed here.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char};

use bezout::memory;

use crate::border::{OutPointer, dropped};
use crate::status::Failure;

/// Stores a new string, which the caller frees by [`bezout_string_free`].
///
/// # Safety
/// As [`OutPointer::put`].
pub(crate) unsafe fn give_text(
    place: OutPointer<*mut c_char>,
    text: String,
) -> Result<(), Failure> {
    let mut text = text.into_bytes();
    // The end by NUL may move the text.
    if text.try_reserve_exact(1).is_err() {
        let mut moved = memory::room("the text", text.len() + 1)?;
        moved.extend_from_slice(&text);
        text = moved;
    }
    let text =
        CString::new(text).map_err(|_| Failure::Argument("the text has a NUL inside it".into()))?;
    // SAFETY: the caller's promise.
    unsafe { place.put(text.into_raw()) };
    Ok(())
}

/// Frees a string that this library made. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it came from `give_text`, by the contract of all functions.
        let text = unsafe { CString::from_raw(text) };
        dropped(text);
    }
}

/// The version of the library, such as "0.2.0". Not to be freed. BEZOUT_VERSION is that of
/// the header.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
