//! Status codes, and what the last call that failed on this thread has to say.

// Functions of C are declared here.
#![allow(unsafe_code)]

use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};

use bezout::Error;

/// What a call returns: BEZOUT_OK, or why it failed. The numbers are stable.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum bezout_status {
    /// Done.
    BEZOUT_OK = 0,
    /// An argument is NULL.
    BEZOUT_ERROR_NULL = 1,
    /// An argument that no value of this library can be: two results in one handle, an array
    /// that is not aligned, an index out of range.
    BEZOUT_ERROR_ARGUMENT = 2,
    /// The caller's buffer is too short. The length that is needed was stored.
    BEZOUT_ERROR_BUFFER = 3,
    /// Text that is not a number. bezout_last_error_position says where.
    BEZOUT_ERROR_PARSE = 10,
    /// A radix outside 2 to 36.
    BEZOUT_ERROR_RADIX = 11,
    /// Bytes that are not the serialised form they claim to be.
    BEZOUT_ERROR_FORMAT = 12,
    /// An argument outside the domain of the operation.
    BEZOUT_ERROR_DOMAIN = 13,
    /// Division or remainder by zero.
    BEZOUT_ERROR_DIVISION_BY_ZERO = 14,
    /// A modulus that has to be prime and is not.
    BEZOUT_ERROR_NOT_PRIME = 15,
    /// Text that is not a polynomial. bezout_last_error_line and bezout_last_error_position say
    /// where.
    BEZOUT_ERROR_POLYNOMIAL = 16,
    /// A result that cannot fit in the memory of any machine, or of a device.
    BEZOUT_ERROR_TOO_LARGE = 20,
    /// A result that needs more memory than this process may still use.
    BEZOUT_ERROR_MEMORY = 21,
    /// No usable CUDA device. The message says what is missing.
    BEZOUT_ERROR_NO_DEVICE = 30,
    /// The operation has no implementation on the engine that was forced.
    BEZOUT_ERROR_UNSUPPORTED = 31,
    /// The device has too little memory.
    BEZOUT_ERROR_DEVICE_MEMORY = 32,
    /// A kernel did not compile. The message is the compiler's log.
    BEZOUT_ERROR_COMPILE = 33,
    /// A CUDA call or a kernel failed. Values on that device are lost, host copies are not.
    BEZOUT_ERROR_DEVICE = 34,
    /// Ranks that do not go together, or what another rank failed with.
    BEZOUT_ERROR_CLUSTER = 35,
    /// The progress callback asked for the work to stop. All values are as they were.
    BEZOUT_ERROR_CANCELLED = 40,
    /// A result that its independent check refutes.
    BEZOUT_ERROR_VERIFICATION = 41,
    /// An error that has no number of its own yet.
    BEZOUT_ERROR_OTHER = 90,
    /// A bug in this library. Please report the message. Results were not stored.
    BEZOUT_ERROR_BUG = 99,
}

use bezout_status::*;

/// Why a call fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// This argument is NULL.
    Null(&'static str),
    /// This item of an array is NULL.
    NullItem(&'static str, usize),
    /// An argument that the library cannot be given.
    Argument(String),
    /// A buffer of `capacity` items where `needed` are to be stored.
    Buffer { needed: usize, capacity: usize },
    /// What the library says.
    Library(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Library(error)
    }
}

/// What a call that failed leaves for its thread.
struct Last {
    status: bezout_status,
    message: Cow<'static, CStr>,
    line: usize,
    position: usize,
}

/// The line or position where there is none.
const NOWHERE: usize = usize::MAX;

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// Keeps a failure for this thread, and gives its code.
#[cold]
pub(crate) fn fail(failure: Failure) -> bezout_status {
    let (mut line, mut position) = (NOWHERE, NOWHERE);
    let status = match &failure {
        Failure::Null(_) | Failure::NullItem(..) => BEZOUT_ERROR_NULL,
        Failure::Argument(_) => BEZOUT_ERROR_ARGUMENT,
        Failure::Buffer { .. } => BEZOUT_ERROR_BUFFER,
        Failure::Library(error) => {
            match error {
                Error::Parse { position: at, .. } => position = *at,
                Error::Polynomial {
                    line: row,
                    position: at,
                    ..
                } => (line, position) = (*row, *at),
                _ => {}
            }
            of(error)
        }
    };
    let message = match failure {
        Failure::Null(name) => format!("argument {name} is NULL"),
        Failure::NullItem(name, at) => format!("argument {name}[{at}] is NULL"),
        Failure::Argument(text) => text,
        Failure::Buffer { needed, capacity } => {
            format!("the buffer has room for {capacity} items, and {needed} are needed")
        }
        Failure::Library(error) => error.to_string(),
    };
    keep(status, &message, line, position)
}

/// Keeps a panic for this thread, and gives its code.
#[cold]
pub(crate) fn bug(payload: Box<dyn Any + Send>) -> bezout_status {
    let words = match (
        payload.downcast_ref::<&str>(),
        payload.downcast_ref::<String>(),
    ) {
        (Some(words), _) => words,
        (_, Some(words)) => words.as_str(),
        _ => "it left no message",
    };
    let message = format!("this is a bug in bezout, please report it: {words}");
    // What a foreign payload does when it is dropped could unwind again.
    std::mem::forget(payload);
    keep(BEZOUT_ERROR_BUG, &message, NOWHERE, NOWHERE)
}

fn keep(status: bezout_status, message: &str, line: usize, position: usize) -> bezout_status {
    let message = CString::new(message.replace('\0', "\\0")).unwrap_or_default();
    keep_as(status, message.into(), line, position)
}

/// Keeps for this thread that there is no memory at all, without taking any, and gives its code.
#[cold]
pub(crate) fn no_memory() -> bezout_status {
    let message = c"out of memory: nothing is left for any operation";
    keep_as(BEZOUT_ERROR_MEMORY, message.into(), NOWHERE, NOWHERE)
}

fn keep_as(
    status: bezout_status,
    message: Cow<'static, CStr>,
    line: usize,
    position: usize,
) -> bezout_status {
    let last = Last {
        status,
        message,
        line,
        position,
    };
    // A thread that is ending has no place for the message any more. The code is still right.
    let _ = LAST.try_with(|place| *place.borrow_mut() = Some(last));
    status
}

/// The code of an error of the library.
fn of(error: &Error) -> bezout_status {
    match error {
        Error::Parse { .. } => BEZOUT_ERROR_PARSE,
        Error::Radix(_) => BEZOUT_ERROR_RADIX,
        Error::Format { .. } => BEZOUT_ERROR_FORMAT,
        Error::Domain(_) => BEZOUT_ERROR_DOMAIN,
        Error::DivisionByZero => BEZOUT_ERROR_DIVISION_BY_ZERO,
        Error::NotPrime { .. } => BEZOUT_ERROR_NOT_PRIME,
        Error::Polynomial { .. } => BEZOUT_ERROR_POLYNOMIAL,
        Error::TooLarge { .. } => BEZOUT_ERROR_TOO_LARGE,
        Error::Memory { .. } => BEZOUT_ERROR_MEMORY,
        Error::NoDevice(_) => BEZOUT_ERROR_NO_DEVICE,
        Error::Unsupported { .. } => BEZOUT_ERROR_UNSUPPORTED,
        Error::DeviceMemory { .. } => BEZOUT_ERROR_DEVICE_MEMORY,
        Error::Compile { .. } => BEZOUT_ERROR_COMPILE,
        Error::Device { .. } | Error::Lost { .. } => BEZOUT_ERROR_DEVICE,
        Error::Cluster(_) => BEZOUT_ERROR_CLUSTER,
        Error::Cancelled => BEZOUT_ERROR_CANCELLED,
        Error::Verification(_) => BEZOUT_ERROR_VERIFICATION,
        // The library's list of errors may grow.
        _ => BEZOUT_ERROR_OTHER,
    }
}

/// Something of this thread's last failure, or what stands for none.
fn of_last<T>(none: T, some: impl FnOnce(&Last) -> T) -> T {
    LAST.try_with(|last| last.borrow().as_ref().map(some))
        .ok()
        .flatten()
        .unwrap_or(none)
}

/// The message of the last call that failed on this thread, empty if none has. It stays valid until
/// another call fails on this thread. A call that succeeds does not change it.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_last_error() -> *const c_char {
    of_last(c"".as_ptr(), |last| last.message.as_ptr())
}

/// The code of the last call that failed on this thread, BEZOUT_OK if none has.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_last_error_status() -> bezout_status {
    of_last(BEZOUT_OK, |last| last.status)
}

/// Where the text of the last call that failed on this thread is wrong. For BEZOUT_ERROR_PARSE this
/// is the number of bytes before the place, for BEZOUT_ERROR_POLYNOMIAL the character of the line,
/// from 1 on. SIZE_MAX after any other error.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_last_error_position() -> usize {
    of_last(NOWHERE, |last| last.position)
}

/// The line, from 1 on, where the text of a polynomial is wrong. SIZE_MAX after any other error.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_last_error_line() -> usize {
    of_last(NOWHERE, |last| last.line)
}

/// The name of a code, such as "division by zero". Any number may be given. Never NULL, never to be
/// freed.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_status_name(status: c_int) -> *const c_char {
    let known = NAMES.iter().find(|(code, _)| *code as c_int == status);
    known.map_or(c"unknown status", |(_, name)| *name).as_ptr()
}

/// Every code and its name.
pub(crate) const NAMES: [(bezout_status, &CStr); 23] = [
    (BEZOUT_OK, c"ok"),
    (BEZOUT_ERROR_NULL, c"null argument"),
    (BEZOUT_ERROR_ARGUMENT, c"invalid argument"),
    (BEZOUT_ERROR_BUFFER, c"buffer too short"),
    (BEZOUT_ERROR_PARSE, c"not a number"),
    (BEZOUT_ERROR_RADIX, c"radix out of range"),
    (BEZOUT_ERROR_FORMAT, c"malformed bytes"),
    (BEZOUT_ERROR_DOMAIN, c"argument outside the domain"),
    (BEZOUT_ERROR_DIVISION_BY_ZERO, c"division by zero"),
    (BEZOUT_ERROR_NOT_PRIME, c"modulus not prime"),
    (BEZOUT_ERROR_POLYNOMIAL, c"not a polynomial"),
    (BEZOUT_ERROR_TOO_LARGE, c"result too large"),
    (BEZOUT_ERROR_MEMORY, c"out of memory"),
    (BEZOUT_ERROR_NO_DEVICE, c"no device"),
    (BEZOUT_ERROR_UNSUPPORTED, c"not supported by the engine"),
    (BEZOUT_ERROR_DEVICE_MEMORY, c"out of device memory"),
    (BEZOUT_ERROR_COMPILE, c"kernel does not compile"),
    (BEZOUT_ERROR_DEVICE, c"device failed"),
    (BEZOUT_ERROR_CLUSTER, c"cluster failed"),
    (BEZOUT_ERROR_CANCELLED, c"cancelled"),
    (BEZOUT_ERROR_VERIFICATION, c"verification failed"),
    (BEZOUT_ERROR_OTHER, c"other error"),
    (BEZOUT_ERROR_BUG, c"bug in bezout"),
];
