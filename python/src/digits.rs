//! The digits of ints of more than one machine word.
//!
//! The stable ABI for Python 3.10 has no function for them but the methods `int.to_bytes` and
//! `int.from_bytes`, which take longer than a product of such numbers. CPython has had functions of
//! its own since long before; from 3.13 on there are public ones. They are looked for by name, and
//! without them the methods do.

// Functions of C's are called here.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use bezout::Int;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::mpz::Raw;

type AsNativeBytes =
    unsafe extern "C" fn(Raw, *mut c_void, ffi::Py_ssize_t, c_int) -> ffi::Py_ssize_t;
type FromNativeBytes = unsafe extern "C" fn(*const c_void, usize, c_int) -> Raw;
type NumBits = unsafe extern "C" fn(Raw) -> usize;
type AsByteArray = unsafe extern "C" fn(Raw, *mut u8, usize, c_int, c_int) -> c_int;
type FromByteArray = unsafe extern "C" fn(*const u8, usize, c_int, c_int) -> Raw;

/// The flag of the native functions for bytes with the least significant first, of numbers with a
/// sign.
const LITTLE_ENDIAN: c_int = 1;

/// CPython's functions.
#[derive(Clone, Copy)]
enum Functions {
    /// Those of 3.13 and later.
    Public(AsNativeBytes, FromNativeBytes),
    /// Those of 3.10 to 3.12, whose arguments were these.
    Private(NumBits, AsByteArray, FromByteArray),
}

/// Those of the interpreter that runs; none where they are not found.
static FUNCTIONS: PyOnceLock<Option<Functions>> = PyOnceLock::new();

#[cfg(unix)]
fn find(py: Python<'_>) -> Option<Functions> {
    let function = |name: &std::ffi::CStr| {
        // SAFETY: the name ends with a zero.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    };
    let version = py.version_info();
    // SAFETY: the functions of these versions of CPython have these types.
    unsafe {
        use std::mem::transmute;
        if version >= (3, 13) {
            return Some(Functions::Public(
                transmute::<*mut c_void, AsNativeBytes>(function(c"PyLong_AsNativeBytes")?),
                transmute::<*mut c_void, FromNativeBytes>(function(
                    c"PyLong_FromUnsignedNativeBytes",
                )?),
            ));
        }
        Some(Functions::Private(
            transmute::<*mut c_void, NumBits>(function(c"_PyLong_NumBits")?),
            transmute::<*mut c_void, AsByteArray>(function(c"_PyLong_AsByteArray")?),
            transmute::<*mut c_void, FromByteArray>(function(c"_PyLong_FromByteArray")?),
        ))
    }
}

#[cfg(not(unix))]
fn find(_py: Python<'_>) -> Option<Functions> {
    None
}

fn functions(py: Python<'_>) -> Option<Functions> {
    *FUNCTIONS.get_or_init(py, || find(py))
}

/// Bytes of the longest int that [`read`] takes: 4096 bits and a sign.
const MOST: usize = 64 * 8 + 8;

/// The number of an int of at most 4096 bits; none for a longer one, or where there are only
/// methods.
///
/// # Safety
/// The object is an int that is alive.
pub(crate) unsafe fn read(py: Python<'_>, int: Raw) -> Option<Int> {
    let mut bytes = [0u8; MOST];
    // SAFETY: the caller's promise. The functions write at most as many bytes as they are told.
    unsafe {
        let length = match functions(py)? {
            Functions::Public(read, _) => {
                let room = MOST as ffi::Py_ssize_t;
                let needed = read(int, bytes.as_mut_ptr().cast(), room, LITTLE_ENDIAN);
                // More where the int is longer; an error cannot be, of an int.
                usize::try_from(needed)
                    .ok()
                    .filter(|needed| *needed <= MOST)?
            }
            Functions::Private(bits, read, _) => {
                let length = bits(int) / 8 + 1;
                if length > MOST || read(int, bytes.as_mut_ptr(), length, 1, 1) != 0 {
                    ffi::PyErr_Clear();
                    return None;
                }
                length
            }
        };
        Some(Int::from_signed_le_bytes(&bytes[..length]))
    }
}

/// A new reference to the int of this sign and magnitude; none where there are only methods. Null
/// with an exception set where there is no memory.
pub(crate) fn write(py: Python<'_>, limbs: &[u64], negative: bool) -> Option<Raw> {
    if cfg!(target_endian = "big") {
        return None;
    }
    let (bytes, length) = (limbs.as_ptr(), size_of_val(limbs));
    // SAFETY: the bytes are those of the limbs, least significant first. The reference to the
    // magnitude is given up once its negative has been made.
    unsafe {
        let magnitude = match functions(py)? {
            Functions::Public(_, write) => write(bytes.cast(), length, LITTLE_ENDIAN),
            Functions::Private(_, _, write) => write(bytes.cast(), length, 1, 0),
        };
        if !negative || magnitude.is_null() {
            return Some(magnitude);
        }
        let int = ffi::PyNumber_Negative(magnitude);
        ffi::Py_DECREF(magnitude);
        Some(int)
    }
}
