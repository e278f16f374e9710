//! The memory of number objects.
//!
//! PyO3 makes an object by calling `object.__new__`, which takes as long as all the rest of a short
//! sum. Here objects that have ended are kept and begun anew, with the memory of their numbers
//! where these have some.

// Memory of Python's is handled here.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use bezout::Int;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;

use super::{Mpz, Object};

/// Where the number is in the Python object: after the count of references and the type.
pub(super) const OFFSET: usize = size_of::<ffi::PyObject>();

/// Whether a lock of the interpreter's lets one thread at a time run here. Objects of builds
/// without that lock have a longer head.
pub(super) const HAS_GIL: bool = size_of::<ffi::PyObject>() == 2 * size_of::<usize>();

/// A Python object, as C has it.
pub(crate) type Raw = *mut ffi::PyObject;

type Destructor = unsafe extern "C" fn(Raw);

/// Most objects of a kind that are kept for the next ones.
const KEPT: usize = 128;

/// Most limbs of memory that the number of a kept object has.
const KEPT_LIMBS: usize = 64;

/// Objects that have ended. Each still refers to its class, and its number is a valid one.
struct EndedObjects {
    places: [Raw; KEPT],
    count: usize,
}

impl EndedObjects {
    const NONE: EndedObjects = EndedObjects {
        places: [ptr::null_mut(); KEPT],
        count: 0,
    };

    /// An object that has not begun anew: its count of references is 0.
    #[inline]
    fn pop(&mut self) -> Option<Raw> {
        self.count = self.count.checked_sub(1)?;
        Some(self.places[self.count & (KEPT - 1)])
    }

    /// Keeps an object, unless there are enough.
    #[inline]
    fn push(&mut self, raw: Raw) -> bool {
        let has_room = self.count < KEPT;
        if has_room {
            self.places[self.count] = raw;
            self.count += 1;
        }
        has_room
    }
}

/// The objects that are kept.
struct AllKept {
    /// Those whose numbers have no memory of their own.
    short: EndedObjects,
    /// Those whose numbers have some, for results to be put into.
    long: EndedObjects,
}

struct Locked(UnsafeCell<AllKept>);

// SAFETY: whoever makes or ends an object holds the interpreter's lock, and where there is no such
// lock no objects are kept.
unsafe impl Sync for Locked {}

static KEPT_OBJECTS: Locked = Locked(UnsafeCell::new(AllKept {
    short: EndedObjects::NONE,
    long: EndedObjects::NONE,
}));

/// A kept object whose number has memory, for a result to be put into it; [`revive`] begins it
/// anew.
///
/// # Safety
/// The interpreter is attached.
#[inline]
pub(super) unsafe fn with_memory() -> Option<Raw> {
    // SAFETY: the lock of the interpreter is held, so that nobody else uses the kept objects.
    unsafe {
        if HAS_GIL {
            (*KEPT_OBJECTS.0.get()).long.pop()
        } else {
            None
        }
    }
}

/// Begins a kept object anew. The count of references is the first word of an object, as extensions
/// of the stable ABI for Python 3.10 rely on. A call to change it takes as long as a short sum.
///
/// # Safety
/// The object came from [`EndedObjects::pop`].
#[inline]
pub(super) unsafe fn revive(raw: Raw) -> Raw {
    // SAFETY: the object's memory is its own, and nobody refers to it.
    unsafe { *raw.cast::<ffi::Py_ssize_t>() += 1 };
    raw
}

/// A new object of the class whose number is yet to be written; null with an exception set.
///
/// # Safety
/// The interpreter is attached, and `class` is that of [`Mpz`].
#[inline]
pub(super) unsafe fn allocate(class: *mut ffi::PyTypeObject) -> Raw {
    // SAFETY: the caller's promise. The lock of the interpreter is held, so that nobody else uses
    // the kept objects. Their numbers have no memory, so that overwriting them leaks nothing.
    unsafe {
        if HAS_GIL && let Some(raw) = (*KEPT_OBJECTS.0.get()).short.pop() {
            return revive(raw);
        }
        let raw = ffi::PyType_GenericAlloc(class, 0);
        if !raw.is_null() {
            // A number refers to nothing, so the garbage collector need not visit it.
            ffi::PyObject_GC_UnTrack(raw.cast());
        }
        raw
    }
}

/// The place of the number in an object.
#[inline]
pub(super) fn number(raw: Raw) -> *mut Mpz {
    raw.wrapping_byte_add(OFFSET).cast()
}

/// The Python object of a number.
///
/// PyO3's own way is to call `object.__new__`, which takes as long as all the rest of a sum.
#[inline]
pub(crate) fn object(py: Python<'_>, value: Int) -> PyResult<Object<'_>> {
    // SAFETY: the class is alive, its instances have no more fields than the number, which
    // `install` has found at `OFFSET`, and the memory is not in use by anyone else. The number is
    // written before anyone sees the object, and dropped by the class's own function.
    unsafe {
        let raw = allocate(Mpz::type_object_raw(py));
        let object = Bound::from_owned_ptr_or_err(py, raw)?;
        number(raw).write(Mpz::from(value));
        Ok(object)
    }
}

/// Ends an object. Objects of short numbers are kept; others end as PyO3's do.
pub(super) unsafe extern "C" fn dealloc(raw: Raw) {
    // SAFETY: Python calls this once for an object of the class, with its lock held.
    unsafe {
        let value = &mut (*number(raw)).0;
        if !value.is_inline() {
            let original: Destructor = mem::transmute(DEALLOC.load(Ordering::Relaxed));
            return original(raw);
        }
        ffi::PyObject_GC_UnTrack(raw.cast());
        let kept = &mut *KEPT_OBJECTS.0.get();
        let capacity = value.capacity();
        if capacity > 0 {
            if capacity <= KEPT_LIMBS && kept.long.push(raw) {
                return;
            }
            *value = Int::ZERO;
        }
        if !kept.short.push(raw) {
            let class = ffi::Py_TYPE(raw);
            ffi::PyObject_GC_Del(raw.cast());
            ffi::Py_DECREF(class.cast());
        }
    }
}

/// PyO3's function in the place of [`dealloc`].
pub(super) static DEALLOC: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
