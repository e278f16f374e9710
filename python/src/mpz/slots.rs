//! Slots of the class that serve short operands at once.
//!
//! A slot that PyO3 makes attaches to the interpreter, asks for ancestors of the operands' types
//! and hands its result through several layers. That takes longer than a sum of short numbers. The
//! slots here compare the exact types of both operands. They serve short mpz and int operands at
//! once, and leave everything else to PyO3's slot.
//!
//! The stable ABI reads slots of a finished type but does not replace them, so [`install`] writes
//! to the type object itself. A type object has had one layout since CPython 3.8. Before anything
//! is written, every place is compared with what `PyType_GetSlot` says; where one differs, the type
//! stays as PyO3 made it, which is slower but works alike.

// Type objects of Python's are handled here.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_ulong, c_void};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use bezout::Int;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;

use super::Mpz;
use super::objects::{DEALLOC, HAS_GIL, OFFSET, Raw, dealloc, number, revive, with_memory};
use super::operators;
use super::protocol;
use super::short::{self, Answer, CLASS, SHORT, answer, failed, is_short, word};
use crate::border::InternalError;
use crate::convert;

type Unary = unsafe extern "C" fn(Raw) -> Raw;
type Binary = unsafe extern "C" fn(Raw, Raw) -> Raw;
type Ternary = unsafe extern "C" fn(Raw, Raw, Raw) -> Raw;
type Hash = unsafe extern "C" fn(Raw) -> ffi::Py_hash_t;
type Compare = unsafe extern "C" fn(Raw, Raw, c_int) -> Raw;
type New = unsafe extern "C" fn(*mut ffi::PyTypeObject, Raw, Raw) -> Raw;

/// The fields of a type object.
#[repr(C)]
struct TypeObject {
    object: ffi::PyVarObject,
    name_and_sizes: [usize; 3],
    dealloc: *mut c_void,
    until_number: [usize; 5],
    number: *mut NumberMethods,
    sequence_and_mapping: [usize; 2],
    hash: *mut c_void,
    until_flags: [usize; 5],
    flags: c_ulong,
    doc_and_visits: [usize; 3],
    richcompare: *mut c_void,
    until_new: [usize; 13],
    new: *mut c_void,
    until_version: [usize; 8],
    version: c_uint,
    finalize: *mut c_void,
    vectorcall: *mut c_void,
}

/// The first fields of `PyNumberMethods`.
#[repr(C)]
struct NumberMethods {
    add: *mut c_void,
    subtract: *mut c_void,
    multiply: *mut c_void,
    remainder: *mut c_void,
    divmod: usize,
    power: *mut c_void,
    negative: *mut c_void,
    until_lshift: [usize; 4],
    lshift: *mut c_void,
    rshift: *mut c_void,
    and: *mut c_void,
    xor: *mut c_void,
    or: *mut c_void,
    int: *mut c_void,
    until_floor_divide: [usize; 12],
    floor_divide: *mut c_void,
    true_divide: usize,
    in_place: [usize; 2],
    index: *mut c_void,
}

/// The result of an operator of two short operands; none where PyO3's slot has to serve them. One
/// operand is always an mpz, as Python calls a slot only for those.
///
/// # Safety
/// The interpreter is attached, and both objects are alive.
#[inline(always)]
unsafe fn served(a: Raw, b: Raw, operate: impl Fn(&Int, &Int) -> Option<Raw>) -> Option<Raw> {
    let class = short::class();
    // SAFETY: the objects are alive, and numbers are where objects of the class have them.
    unsafe {
        if ffi::Py_TYPE(a) != class {
            let a = Int::from(word(a)?);
            return operate(&a, &(*number(b)).0);
        }
        if ffi::Py_TYPE(b) != class {
            let b = Int::from(word(b)?);
            return operate(&(*number(a)).0, &b);
        }
        operate(&(*number(a)).0, &(*number(b)).0)
    }
}

/// # Safety
/// The interpreter is attached.
#[inline(always)]
unsafe fn computed<A: Answer>(
    x: &Int,
    y: &Int,
    at_once: impl Fn(&Int, &Int) -> Option<A>,
) -> Option<Raw> {
    if !is_short(x) || !is_short(y) {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { answer(|| at_once(x, y)) }
}

/// The sum, difference or product of operands of which one at least is so long that it has memory
/// of its own: in the memory that a kept object has. Others are [`computed`].
///
/// # Safety
/// The interpreter is attached.
#[inline(always)]
unsafe fn assigned(
    x: &Int,
    y: &Int,
    assign: impl Fn(&mut Int, &Int, &Int),
    at_once: impl Fn(&Int, &Int) -> Int,
) -> Option<Raw> {
    // SAFETY: the caller's promise. No operand is a kept object. An object whose result failed is
    // not used again.
    unsafe {
        if x.capacity() | y.capacity() != 0
            && is_short(x)
            && is_short(y)
            && let Some(raw) = with_memory()
        {
            let Mpz(out, hash) = &mut *number(raw);
            hash.forget();
            return match panic::catch_unwind(AssertUnwindSafe(|| assign(out, x, y))) {
                Ok(()) => Some(revive(raw)),
                Err(payload) => Some(failed(&*payload)),
            };
        }
        computed(x, y, |x, y| Some(at_once(x, y)))
    }
}

/// Most bits of a shift of short numbers to the left.
const MOST_SHIFTED: u64 = 64 * SHORT as u64;

/// How far a short number is shifted; none where the count is negative or long.
#[inline]
fn distance(count: &Int) -> Option<u64> {
    u64::try_from(count).ok()
}

/// For each slot its function, PyO3's, and a table of where they are in the type object.
macro_rules! slots {
    (
        binary { $($name:ident $id:ident $original:ident: $operate:expr;)* }
        unary { $($unary:ident $unary_id:ident $unary_original:ident: $give:expr;)* }
    ) => {
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
        $(
            static $unary_original: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

            unsafe extern "C" fn $unary(a: Raw) -> Raw {
                // SAFETY: as for the operators of two operands. The class has no subclasses, so
                // that the object is of the class itself.
                unsafe {
                    let value = &(*number(a)).0;
                    if is_short(value)
                        && let Some(result) = $give(value)
                    {
                        return result;
                    }
                    let original: Unary =
                        mem::transmute($unary_original.load(Ordering::Relaxed));
                    original(a)
                }
            }
        )*

        /// The slots of numbers to change.
        ///
        /// # Safety
        /// `number` is the table of a type, and its layout is as declared here.
        unsafe fn number_slots(number: *mut NumberMethods) -> Vec<SlotHook> {
            // SAFETY: the caller's promise.
            unsafe {
                vec![
                    $(SlotHook {
                        at: &raw mut (*number).$name,
                        id: ffi::$id,
                        original: &$original,
                        function: $name as *mut c_void,
                    },)*
                    $(SlotHook {
                        at: &raw mut (*number).$unary,
                        id: ffi::$unary_id,
                        original: &$unary_original,
                        function: $unary as *mut c_void,
                    },)*
                ]
            }
        }
    };
}

/// A place in the type object: its number in the stable ABI, where PyO3's function is to be
/// remembered, and the new function.
struct SlotHook {
    at: *mut *mut c_void,
    id: c_int,
    original: &'static AtomicPtr<c_void>,
    function: *mut c_void,
}

slots! {
    binary {
        add Py_nb_add ADD: |x, y| assigned(x, y, Int::assign_sum, |x, y| x + y);
        subtract Py_nb_subtract SUBTRACT:
            |x, y| assigned(x, y, Int::assign_difference, |x, y| x - y);
        multiply Py_nb_multiply MULTIPLY:
            |x, y| assigned(x, y, Int::assign_product, |x, y| x * y);
        // Rounding down is rounding towards zero where no sign is negative.
        remainder Py_nb_remainder REMAINDER: |x, y| computed(x, y, |x, y| {
            (x.signum() >= 0 && y.signum() > 0).then(|| x % y)
        });
        floor_divide Py_nb_floor_divide FLOOR_DIVIDE: |x, y| computed(x, y, |x, y| {
            (x.signum() >= 0 && y.signum() > 0).then(|| x / y)
        });
        lshift Py_nb_lshift LSHIFT: |x, y| computed(x, y, |x, y| {
            let count = distance(y).filter(|count| *count <= MOST_SHIFTED)?;
            x.try_shl(count).ok()
        });
        rshift Py_nb_rshift RSHIFT: |x, y| computed(x, y, |x, y| x.try_shr(distance(y)?).ok());
        and Py_nb_and AND: |x, y| computed(x, y, |x, y| x.try_and(y).ok());
        xor Py_nb_xor XOR: |x, y| computed(x, y, |x, y| x.try_xor(y).ok());
        or Py_nb_or OR: |x, y| computed(x, y, |x, y| x.try_or(y).ok());
    }
    unary {
        negative Py_nb_negative NEGATIVE:
            |x: &Int| assigned(&Int::ZERO, x, Int::assign_difference, |zero, x| zero - x);
        int Py_nb_int INT: |x: &Int| convert::short_int(x);
        index Py_nb_index INDEX: |x: &Int| convert::short_int(x);
    }
}

static HASH: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" fn hash(a: Raw) -> ffi::Py_hash_t {
    // SAFETY: Python calls a slot attached and with an object that is alive. The original was
    // stored before this function was, and is a slot of this kind.
    unsafe {
        let value = &*number(a);
        if is_short(&value.0) {
            return protocol::short_hash(value);
        }
        let original: Hash = mem::transmute(HASH.load(Ordering::Relaxed));
        original(a)
    }
}

static COMPARE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" fn compare(a: Raw, b: Raw, how: c_int) -> Raw {
    // SAFETY: as for `hash`.
    unsafe {
        let result = served(a, b, |x, y| {
            if !x.is_inline() || !y.is_inline() {
                return None;
            }
            let holds = match how {
                ffi::Py_EQ => x == y,
                ffi::Py_NE => x != y,
                ffi::Py_LT => x < y,
                ffi::Py_LE => x <= y,
                ffi::Py_GT => x > y,
                _ => x >= y,
            };
            Some(holds.into_raw())
        });
        if let Some(result) = result {
            return result;
        }
        let original: Compare = mem::transmute(COMPARE.load(Ordering::Relaxed));
        original(a, b, how)
    }
}

static POWER: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// `pow(a, b, c)`. Python tries the slots of the types of all three operands. PyO3's slot serves an
/// mpz as `a` or `b`. This one also serves an mpz that is `c` alone.
unsafe extern "C" fn power(a: Raw, b: Raw, c: Raw) -> Raw {
    // SAFETY: as for `hash`.
    unsafe {
        let class = short::class();
        if ffi::Py_TYPE(c) == class && ffi::Py_TYPE(a) != class && ffi::Py_TYPE(b) != class {
            return power_by_modulus(a, b, c);
        }
        let original: Ternary = mem::transmute(POWER.load(Ordering::Relaxed));
        original(a, b, c)
    }
}

/// # Safety
/// The interpreter is attached, the objects are alive, and the modulus is of the class.
#[cold]
unsafe fn power_by_modulus(base: Raw, exponent: Raw, modulus: Raw) -> Raw {
    let work = || {
        Python::attach(|py| {
            // SAFETY: the caller's promise.
            let (base, exponent, modulus) = unsafe {
                (
                    Bound::from_borrowed_ptr(py, base),
                    Bound::from_borrowed_ptr(py, exponent),
                    &(*number(modulus)).0,
                )
            };
            match operators::power_by_modulus(&base, &exponent, modulus) {
                Ok(result) => result.into_ptr(),
                Err(error) => {
                    error.restore(py);
                    ptr::null_mut()
                }
            }
        })
    };
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        // SAFETY: the caller's promise.
        Err(payload) => unsafe { failed(&*payload) },
    }
}

static NEW: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The bit of a count of arguments that says that the place before them may be written to.
const ARGUMENTS_OFFSET: usize = 1 << (usize::BITS - 1);

/// `mpz(…)`: of one int or mpz at once, and of anything else by PyO3's `__new__`.
unsafe extern "C" fn vectorcall(
    class: Raw,
    arguments: *const Raw,
    count: usize,
    names: Raw,
) -> Raw {
    // SAFETY: Python calls this attached, with as many arguments as it says, all alive, and the
    // names of the last of them in a tuple or null.
    unsafe {
        let count = count & !ARGUMENTS_OFFSET;
        if count == 1 && names.is_null() {
            let argument = *arguments;
            if ffi::Py_TYPE(argument) == short::class() {
                return ffi::Py_NewRef(argument);
            }
            if ffi::Py_TYPE(argument) == &raw mut ffi::PyLong_Type
                && let Some(value) = convert::short_from_int(argument)
            {
                return value.into_raw();
            }
        }
        let arguments = short::arguments(arguments, count as ffi::Py_ssize_t, names);
        new(class, arguments, names)
    }
}

/// PyO3's `__new__`.
///
/// # Safety
/// As for [`vectorcall`].
#[cold]
unsafe fn new(class: Raw, arguments: &[Raw], names: Raw) -> Raw {
    // SAFETY: the caller's promise. The original is the class's own function.
    unsafe {
        short::packed(arguments, names, |positional, named| {
            let original: New = mem::transmute(NEW.load(Ordering::Relaxed));
            original(class.cast(), positional, named)
        })
    }
}

/// Whether type objects have `vectorcall` where [`TypeObject`] has it. The stable ABI does not tell
/// its place, but `tuple`, `list` and `dict` are made through it, and numbers are not yet.
///
/// # Safety
/// The interpreter is attached, and `head` is the class's.
unsafe fn has_vectorcall(head: *mut TypeObject) -> bool {
    let known = [
        &raw mut ffi::PyTuple_Type,
        &raw mut ffi::PyList_Type,
        &raw mut ffi::PyDict_Type,
    ];
    // SAFETY: the caller's promise; the types of Python's own are never freed. A type object is
    // at least as long as `TypeObject`, as its fields have been these since CPython 3.8.
    unsafe {
        let class = head.cast();
        (*head).new == ffi::PyType_GetSlot(class, ffi::Py_tp_new)
            && (*head).finalize == ffi::PyType_GetSlot(class, ffi::Py_tp_finalize)
            && (*head).vectorcall.is_null()
            && known
                .iter()
                .all(|known| !(*known.cast::<TypeObject>()).vectorcall.is_null())
    }
}

/// Puts the slots of short operands in front of PyO3's, and says whether it did. Fails where the
/// number is not where [`super::object`] puts it.
///
/// Call it once for the process: a second call would take the slots here for PyO3's.
pub(super) fn install(py: Python<'_>) -> PyResult<bool> {
    let made = Bound::new(py, Mpz::from(Int::ZERO))?;
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
        let head = class.cast::<TypeObject>();
        if (*head).dealloc != ffi::PyType_GetSlot(class, ffi::Py_tp_dealloc)
            || (*head).number.is_null()
        {
            return Ok(false);
        }
        let mut places = number_slots((*head).number);
        places.push(SlotHook {
            at: &raw mut (*head).hash,
            id: ffi::Py_tp_hash,
            original: &HASH,
            function: hash as *mut c_void,
        });
        places.push(SlotHook {
            at: &raw mut (*head).richcompare,
            id: ffi::Py_tp_richcompare,
            original: &COMPARE,
            function: compare as *mut c_void,
        });
        places.push(SlotHook {
            at: &raw mut (*(*head).number).power,
            id: ffi::Py_nb_power,
            original: &POWER,
            function: power as *mut c_void,
        });
        if HAS_GIL {
            places.push(SlotHook {
                at: &raw mut (*head).dealloc,
                id: ffi::Py_tp_dealloc,
                original: &DEALLOC,
                function: dealloc as *mut c_void,
            });
        }
        if places
            .iter()
            .any(|place| *place.at != ffi::PyType_GetSlot(class, place.id))
        {
            return Ok(false);
        }
        CLASS.store(class, Ordering::Relaxed);
        for place in places {
            place.original.store(*place.at, Ordering::Relaxed);
            *place.at = place.function;
        }
        if has_vectorcall(head) {
            NEW.store((*head).new, Ordering::Relaxed);
            (*head).vectorcall = vectorcall as *mut c_void;
        }
        Ok(true)
    }
}
