//! Integers of any size.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

mod arith;
mod bits;
mod device;
mod div;
mod export;
mod sequences;
mod set;
mod theory;

pub use arith::*;
pub use bits::*;
pub use device::*;
pub use div::*;
pub use export::*;
pub use sequences::*;
pub use set::*;
pub use theory::*;

use std::ffi::c_char;
use std::ptr::null_mut;

use bezout::Int;

use crate::border::{bezout_int, give, guard, quietly, take};
use set::number;

/// A new integer with the value 0, to be freed by bezout_int_free.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_int_new() -> *mut bezout_int {
    bezout_int_from_i64(0)
}

/// A new integer, to be freed by bezout_int_free.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_int_from_i64(value: i64) -> *mut bezout_int {
    quietly(null_mut(), || give(Int::from(value)))
}

/// A new integer, to be freed by bezout_int_free.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_int_from_u64(value: u64) -> *mut bezout_int {
    quietly(null_mut(), || give(Int::from(value)))
}

/// A new integer with the value of a text, to be freed by bezout_int_free; see bezout_int_set_str.
/// NULL where the text is not a number: bezout_last_error says why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_from_str(text: *const c_char, radix: u32) -> *mut bezout_int {
    let mut made = null_mut();
    guard(|| {
        // SAFETY: by the contract of all functions.
        let text = unsafe { crate::border::text(text, "text") }?;
        made = give(number(text, radix)?);
        Ok(())
    });
    made
}

/// A new integer with the value of another, to be freed by bezout_int_free. Large values share
/// their memory. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_clone(a: *const bezout_int) -> *mut bezout_int {
    // SAFETY: by the contract of all functions.
    let value = unsafe { a.as_ref() };
    quietly(null_mut(), || {
        value.map_or(null_mut(), |a| give(a.value.clone()))
    })
}

/// Frees an integer. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_free(a: *mut bezout_int) {
    // SAFETY: by the contract of all functions.
    unsafe { take(a) };
}

/// Exchanges two integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_swap(
    a: *mut bezout_int,
    b: *mut bezout_int,
) -> crate::status::bezout_status {
    guard(|| {
        crate::border::OutPointer::new(a, "a")?;
        crate::border::OutPointer::new(b, "b")?;
        // SAFETY: neither is NULL; valid by the contract of all functions. They may be the same.
        unsafe { std::ptr::swap(a, b) };
        Ok(())
    })
}
