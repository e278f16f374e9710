//! Short operands and arguments, and the objects of their results.
//!
//! A function of short numbers takes tens of nanoseconds, and PyO3 takes longer than that to bring
//! arguments in and results out. What is here serves numbers of up to [`SHORT`] limbs and ints of a
//! machine word. Callers leave everything else, and all errors, to PyO3's function.

// Python's objects are handled here.
#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::c_int;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

use bezout::Int;
use pyo3::ffi;
use pyo3::prelude::*;

use super::Mpz;
use super::objects::{Raw, allocate, number};
use crate::border;
use crate::convert::Value;

/// Most limbs of a short number. Work on such numbers takes some microseconds, so that nothing is
/// gained by letting other threads of Python's run meanwhile.
pub(crate) const SHORT: usize = 64;

/// The class of numbers, once its quick functions are installed.
pub(super) static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());

/// The class of numbers; null while no quick functions are installed.
#[inline(always)]
pub(crate) fn class() -> *mut ffi::PyTypeObject {
    CLASS.load(Ordering::Relaxed)
}

/// Whether work on a number takes some microseconds at most.
#[inline(always)]
pub(crate) fn is_short(x: &Int) -> bool {
    x.is_inline() && x.limbs().len() <= SHORT
}

/// The value of an int of one machine word; none for other objects.
///
/// # Safety
/// The interpreter is attached, and the object is alive.
#[inline]
pub(crate) unsafe fn word(object: Raw) -> Option<i64> {
    // SAFETY: the object is alive and an int, for which the call cannot fail.
    unsafe {
        if ffi::Py_TYPE(object) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let mut overflow: c_int = 0;
        let word = ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow);
        (overflow == 0).then_some(word)
    }
}

/// The number of a short argument: an mpz, or an int of one machine word.
///
/// # Safety
/// The interpreter is attached, [`class`] is that of [`Mpz`], and the object is alive as long as
/// the number is used.
#[inline]
pub(crate) unsafe fn argument<'a>(object: Raw) -> Option<Value<'a>> {
    // SAFETY: the caller's promise. An object of the class has its number where `number` says, and
    // numbers never change.
    unsafe {
        if ffi::Py_TYPE(object) == class() {
            let value = &(*number(object)).0;
            return is_short(value).then_some(Value::Held(value));
        }
        word(object).map(|word| Value::Made(Int::from(word)))
    }
}

/// The arguments of a call, those with names after the others.
///
/// # Safety
/// The interpreter is attached. There are `count` arguments without a name, and one for each of the
/// names, which are a tuple or null.
#[inline(always)]
pub(crate) unsafe fn arguments<'a>(
    first: *const Raw,
    count: ffi::Py_ssize_t,
    names: Raw,
) -> &'a [Raw] {
    // SAFETY: the caller's promise. Without arguments the pointer may be null.
    unsafe {
        let named = if names.is_null() {
            0
        } else {
            ffi::PyTuple_Size(names)
        };
        match count + named {
            0 => &[],
            all => slice::from_raw_parts(first, all as usize),
        }
    }
}

/// Calls a function that takes a tuple, and a dictionary or null. The last of the arguments have
/// these names.
///
/// # Safety
/// The interpreter is attached, the arguments are alive, and the names are a tuple or null.
pub(crate) unsafe fn packed(
    arguments: &[Raw],
    names: Raw,
    call: impl FnOnce(Raw, Raw) -> Raw,
) -> Raw {
    // SAFETY: the caller's promise. `PyTuple_SetItem` takes the reference that it is given.
    unsafe {
        let named = if names.is_null() {
            0
        } else {
            ffi::PyTuple_Size(names) as usize
        };
        let (plain, last) = arguments.split_at(arguments.len() - named);
        let positional = ffi::PyTuple_New(plain.len() as ffi::Py_ssize_t);
        if positional.is_null() {
            return positional;
        }
        for (at, argument) in (0..).zip(plain) {
            ffi::PyTuple_SetItem(positional, at, ffi::Py_NewRef(*argument));
        }
        let mut keywords = ptr::null_mut();
        let mut is_complete = true;
        if named > 0 {
            keywords = ffi::PyDict_New();
            is_complete = !keywords.is_null();
            for (at, argument) in (0..).zip(last) {
                let name = ffi::PyTuple_GetItem(names, at);
                is_complete = is_complete && ffi::PyDict_SetItem(keywords, name, *argument) == 0;
            }
        }
        let result = if is_complete {
            call(positional, keywords)
        } else {
            ptr::null_mut()
        };
        ffi::Py_DECREF(positional);
        ffi::Py_XDECREF(keywords);
        result
    }
}

/// What a quick function gives.
pub(crate) trait Answer {
    /// A new reference to its object; null with an exception set.
    ///
    /// # Safety
    /// The interpreter is attached, and [`class`] is that of [`Mpz`].
    unsafe fn into_raw(self) -> Raw;
}

impl Answer for Int {
    #[inline(always)]
    unsafe fn into_raw(self) -> Raw {
        // SAFETY: the caller's promise. The number is written before anyone sees the object.
        unsafe {
            let raw = allocate(class());
            if !raw.is_null() {
                number(raw).write(Mpz::from(self));
            }
            raw
        }
    }
}

impl Answer for bool {
    #[inline]
    unsafe fn into_raw(self) -> Raw {
        // SAFETY: the caller's promise.
        unsafe {
            ffi::Py_NewRef(if self {
                ffi::Py_True()
            } else {
                ffi::Py_False()
            })
        }
    }
}

impl Answer for i64 {
    #[inline]
    unsafe fn into_raw(self) -> Raw {
        // SAFETY: the caller's promise.
        unsafe { ffi::PyLong_FromLongLong(self) }
    }
}

impl Answer for u64 {
    #[inline]
    unsafe fn into_raw(self) -> Raw {
        // SAFETY: the caller's promise.
        unsafe { ffi::PyLong_FromUnsignedLongLong(self) }
    }
}

impl<A: Answer, B: Answer> Answer for (A, B) {
    #[inline]
    unsafe fn into_raw(self) -> Raw {
        // SAFETY: the caller's promise.
        unsafe { tuple([self.0.into_raw(), self.1.into_raw()]) }
    }
}

impl<A: Answer, B: Answer, C: Answer> Answer for (A, B, C) {
    #[inline]
    unsafe fn into_raw(self) -> Raw {
        // SAFETY: the caller's promise.
        unsafe { tuple([self.0.into_raw(), self.1.into_raw(), self.2.into_raw()]) }
    }
}

impl<A: Answer, B: Answer, C: Answer, D: Answer> Answer for (A, B, C, D) {
    #[inline]
    unsafe fn into_raw(self) -> Raw {
        let (a, b, c, d) = self;
        // SAFETY: the caller's promise.
        unsafe { tuple([a.into_raw(), b.into_raw(), c.into_raw(), d.into_raw()]) }
    }
}

/// The tuple of these objects, whose references it takes; null if one of them is null.
///
/// # Safety
/// The interpreter is attached, and the references are owned.
unsafe fn tuple<const N: usize>(items: [Raw; N]) -> Raw {
    // SAFETY: the caller's promise. Each place of the new tuple is set once.
    unsafe {
        let made = if items.iter().any(|item| item.is_null()) {
            ptr::null_mut()
        } else {
            ffi::PyTuple_New(N as ffi::Py_ssize_t)
        };
        for (at, item) in (0..).zip(items) {
            if made.is_null() {
                ffi::Py_XDECREF(item);
            } else {
                ffi::PyTuple_SetItem(made, at, item);
            }
        }
        made
    }
}

/// The object of what the work gives; none where it gives nothing. A panic becomes an exception.
///
/// # Safety
/// The interpreter is attached, and [`class`] is that of [`Mpz`].
#[inline(always)]
pub(crate) unsafe fn answer<A: Answer>(work: impl FnOnce() -> Option<A>) -> Option<Raw> {
    // SAFETY: the caller's promise. Numbers never change, so none is seen half changed.
    unsafe {
        match panic::catch_unwind(AssertUnwindSafe(work)) {
            Ok(answer) => answer.map(|answer| answer.into_raw()),
            Err(payload) => Some(failed(&*payload)),
        }
    }
}

/// Sets the exception of a panic; null.
///
/// # Safety
/// The interpreter is attached.
#[cold]
pub(super) unsafe fn failed(payload: &(dyn Any + Send)) -> Raw {
    // SAFETY: the caller's promise.
    border::bug(payload).restore(unsafe { Python::assume_attached() });
    ptr::null_mut()
}
