//! Where an integer is: on the host, on a device, or on both.

// Each function follows the pointers that it is given.
#![allow(unsafe_code)]

use crate::border::{bezout_int, call};
use crate::status::{Failure, bezout_status};

/// Puts a copy on a CUDA device, where operations under engine "auto" will then run. A value of a
/// few limbs owns no device copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_to_device(a: *const bezout_int, device: u32) -> bezout_status {
    call!(() = a; a.try_to_device(device))
}

/// Brings a copy of the value to the host, where there is none yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_fetch(a: *const bezout_int) -> bezout_status {
    call!(() = a; a.try_fetch())
}

/// Gives the device copy up, fetching the value first if the host has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_drop_device(a: *const bezout_int) -> bezout_status {
    call!(() = a; a.try_drop_device())
}

/// Stores whether a device has a copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_on_device(
    out: *mut bool,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.is_on_device()))
}

/// Stores whether the host has a copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_int_is_on_host(
    out: *mut bool,
    a: *const bezout_int,
) -> bezout_status {
    call!(out = a; Ok::<_, Failure>(a.is_on_host()))
}
