//! Operators of short operands, and the memory of objects.
//!
//! A slot that PyO3 makes attaches to the interpreter, asks for ancestors of the operands' types
//! and hands its result through several layers. That takes longer than a sum of short numbers. The
//! slots here compare the exact types of both operands. They serve short mpz and int operands at
//! once, and leave everything else to PyO3's slot.
//!
//! The stable ABI reads slots of a finished type but does not replace them, so [`install`] writes
//! to the type object itself. The head of a type object has had one layout since CPython 3.8.
//! Before anything is written, every place is compared with what `PyType_GetSlot` says; where one
//! differs, the type stays as PyO3 made it, which is slower but works alike.

// Type objects and memory of Python's are handled here.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use bezout::Int;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;

use super::{Mpz, Object};
use crate::border::{self, InternalError};

/// Where the number is in the Python object: after the count of references and the type.
const OFFSET: usize = size_of::<ffi::PyObject>();

/// Whether a lock of the interpreter's lets one thread at a time run here. Objects of builds
/// without that lock have a longer head.
const HAS_GIL: bool = size_of::<ffi::PyObject>() == 2 * size_of::<usize>();

type Raw = *mut ffi::PyObject;
type Binary = unsafe extern "C" fn(Raw, Raw) -> Raw;
type Destructor = unsafe extern "C" fn(Raw);

/// The class of numbers, once it is installed.
static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());

/// The first fields of a type object.
#[repr(C)]
struct TypeHead {
    object: ffi::PyVarObject,
    name_and_sizes: [usize; 3],
    dealloc: *mut c_void,
    between: [usize; 5],
    number: *mut NumberMethods,
}

/// The first fields of `PyNumberMethods`.
#[repr(C)]
struct NumberMethods {
    add: *mut c_void,
    subtract: *mut c_void,
    multiply: *mut c_void,
    remainder: *mut c_void,
    between: [usize; 25],
    floor_divide: *mut c_void,
}

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

/// Begins a kept object anew. The count of references is the first word of an object, as extensions
/// of the stable ABI for Python 3.10 rely on. A call to change it takes as long as a short sum.
///
/// # Safety
/// The object came from [`EndedObjects::pop`].
#[inline]
unsafe fn revive(raw: Raw) -> Raw {
    // SAFETY: the object's memory is its own, and nobody refers to it.
    unsafe { *raw.cast::<ffi::Py_ssize_t>() += 1 };
    raw
}

/// A new object of the class whose number is yet to be written; null with an exception set.
///
/// # Safety
/// The interpreter is attached, and `class` is that of [`Mpz`].
#[inline]
unsafe fn allocate(class: *mut ffi::PyTypeObject) -> Raw {
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
fn number(raw: Raw) -> *mut Mpz {
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
        number(raw).write(Mpz(value));
        Ok(object)
    }
}

/// Ends an object. Objects of short numbers are kept; others end as PyO3's do.
unsafe extern "C" fn dealloc(raw: Raw) {
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
static DEALLOC: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The result of an operator of two short operands; none where PyO3's slot has to serve them.
///
/// # Safety
/// The interpreter is attached, and both objects are alive.
#[inline(always)]
unsafe fn served(
    a: Raw,
    b: Raw,
    operate: impl Fn(*mut ffi::PyTypeObject, &Int, &Int) -> Option<Raw>,
) -> Option<Raw> {
    let class = CLASS.load(Ordering::Relaxed);
    // SAFETY: the objects are alive, and numbers are where objects of the class have them.
    unsafe {
        if ffi::Py_TYPE(a) != class {
            let a = word(a)?;
            return operate(class, &a, &(*number(b)).0);
        }
        if ffi::Py_TYPE(b) != class {
            let b = word(b)?;
            return operate(class, &(*number(a)).0, &b);
        }
        operate(class, &(*number(a)).0, &(*number(b)).0)
    }
}

/// The value of an int of one machine word; none for other objects. One operand is always an mpz,
/// as Python calls a slot only for those.
///
/// # Safety
/// The interpreter is attached, and the object is alive.
#[inline]
unsafe fn word(object: Raw) -> Option<Int> {
    // SAFETY: the object is alive and an int, for which the call cannot fail.
    unsafe {
        if ffi::Py_TYPE(object) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let mut overflow: c_int = 0;
        let word = ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow);
        (overflow == 0).then(|| Int::from(word))
    }
}

/// Whether operands are so short that an operator takes a microsecond or two at most.
#[inline(always)]
fn are_short(x: &Int, y: &Int) -> bool {
    x.is_inline() && y.is_inline() && x.limbs().len() + y.limbs().len() <= 128
}

/// # Safety
/// The interpreter is attached, and `class` is that of [`Mpz`].
#[inline(always)]
unsafe fn computed(
    class: *mut ffi::PyTypeObject,
    x: &Int,
    y: &Int,
    at_once: impl Fn(&Int, &Int) -> Option<Int>,
) -> Option<Raw> {
    if !are_short(x, y) {
        return None;
    }
    let result = match panic::catch_unwind(AssertUnwindSafe(|| at_once(x, y))) {
        Ok(result) => result?,
        // SAFETY: the caller's promise.
        Err(payload) => return Some(unsafe { failed(&*payload) }),
    };
    // SAFETY: the caller's promise. The number is written before anyone sees the object.
    unsafe {
        let raw = allocate(class);
        if !raw.is_null() {
            number(raw).write(Mpz(result));
        }
        Some(raw)
    }
}

/// The sum, difference or product of operands of which one at least is so long that it has memory
/// of its own: in the memory that a kept object has. Others are [`computed`].
///
/// # Safety
/// The interpreter is attached, and `class` is that of [`Mpz`].
#[inline(always)]
unsafe fn assigned(
    class: *mut ffi::PyTypeObject,
    x: &Int,
    y: &Int,
    assign: impl Fn(&mut Int, &Int, &Int),
    at_once: impl Fn(&Int, &Int) -> Int,
) -> Option<Raw> {
    // SAFETY: the caller's promise. The lock of the interpreter is held, so that nobody else uses
    // the kept objects, and no operand is one of them. An object whose result failed is not used
    // again.
    unsafe {
        if HAS_GIL
            && x.capacity() | y.capacity() != 0
            && are_short(x, y)
            && let Some(raw) = (*KEPT_OBJECTS.0.get()).long.pop()
        {
            let out = &mut (*number(raw)).0;
            return match panic::catch_unwind(AssertUnwindSafe(|| assign(out, x, y))) {
                Ok(()) => Some(revive(raw)),
                Err(payload) => Some(failed(&*payload)),
            };
        }
        computed(class, x, y, |x, y| Some(at_once(x, y)))
    }
}

/// Sets the exception of a panic; null.
///
/// # Safety
/// The interpreter is attached.
#[cold]
unsafe fn failed(payload: &(dyn Any + Send)) -> Raw {
    // SAFETY: the caller's promise.
    border::bug(payload).restore(unsafe { Python::assume_attached() });
    ptr::null_mut()
}

/// For each operator its function, PyO3's, and a table of where they are in the type object.
macro_rules! slots {
    ($($name:ident $id:ident $original:ident: $operate:expr;)*) => {
        $(
            static $original: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

            unsafe extern "C" fn $name(a: Raw, b: Raw) -> Raw {
                // SAFETY: Python calls a slot attached and with objects that are alive. The
                // original was stored before this function was, and is a slot of this kind.
                unsafe {
                    if let Some(result) = served(a, b, $operate) {
                        return result;
                    }
                    let original: Binary = mem::transmute($original.load(Ordering::Relaxed));
                    original(a, b)
                }
            }
        )*

        /// The places to change: each with its number in the stable ABI, where PyO3's function is
        /// to be remembered, and the new function.
        ///
        /// # Safety
        /// `head` is that of a type, and its layout is as declared here.
        unsafe fn places(head: *mut TypeHead) -> Vec<SlotHook> {
            // SAFETY: the caller's promise.
            unsafe {
                let number = (*head).number;
                let mut places = vec![$(SlotHook {
                    at: &raw mut (*number).$name,
                    id: ffi::$id,
                    original: &$original,
                    function: $name as *mut c_void,
                }),*];
                if HAS_GIL {
                    places.push(SlotHook {
                        at: &raw mut (*head).dealloc,
                        id: ffi::Py_tp_dealloc,
                        original: &DEALLOC,
                        function: dealloc as *mut c_void,
                    });
                }
                places
            }
        }
    };
}

struct SlotHook {
    at: *mut *mut c_void,
    id: c_int,
    original: &'static AtomicPtr<c_void>,
    function: *mut c_void,
}

slots! {
    add Py_nb_add ADD: |class, x, y| assigned(class, x, y, Int::assign_sum, |x, y| x + y);
    subtract Py_nb_subtract SUBTRACT:
        |class, x, y| assigned(class, x, y, Int::assign_difference, |x, y| x - y);
    multiply Py_nb_multiply MULTIPLY:
        |class, x, y| assigned(class, x, y, Int::assign_product, |x, y| x * y);
    // Rounding down is rounding towards zero where no sign is negative.
    remainder Py_nb_remainder REMAINDER: |class, x, y| computed(class, x, y, |x, y| {
        (x.signum() >= 0 && y.signum() > 0).then(|| x % y)
    });
    floor_divide Py_nb_floor_divide FLOOR_DIVIDE: |class, x, y| computed(class, x, y, |x, y| {
        (x.signum() >= 0 && y.signum() > 0).then(|| x / y)
    });
}

/// Puts the slots of short operands in front of PyO3's. Fails where the number is not where
/// [`object`] puts it.
pub(crate) fn install(py: Python<'_>) -> PyResult<()> {
    let made = Bound::new(py, Mpz(Int::ZERO))?;
    if ptr::from_ref(made.get()).addr() - made.as_ptr().addr() != OFFSET {
        return Err(InternalError::new_err(
            "unexpected layout of Python's objects",
        ));
    }
    let class = Mpz::type_object_raw(py);
    // SAFETY: the class is alive and stays so, as the module refers to it. The table of number
    // slots is followed only where the field before it has been confirmed by `PyType_GetSlot`.
    // Nothing else runs meanwhile, and the new functions serve what the old ones do.
    unsafe {
        let head = class.cast::<TypeHead>();
        if (*head).dealloc != ffi::PyType_GetSlot(class, ffi::Py_tp_dealloc)
            || (*head).number.is_null()
        {
            return Ok(());
        }
        let places = places(head);
        if places
            .iter()
            .any(|place| *place.at != ffi::PyType_GetSlot(class, place.id))
        {
            return Ok(());
        }
        CLASS.store(class, Ordering::Relaxed);
        for place in places {
            place.original.store(*place.at, Ordering::Relaxed);
            *place.at = place.function;
        }
    }
    Ok(())
}
