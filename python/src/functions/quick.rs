//! Functions of short arguments, before PyO3 unpacks them.
//!
//! A function that PyO3 makes takes some fifty nanoseconds to attach to the interpreter and to hand
//! arguments and results through, which is longer than many functions of short numbers take. Those
//! that programs call most have a function here in their place in the module. It serves short
//! arguments at once, and leaves every other call, and whatever would be an error, to PyO3's.

// Python's objects are handled here.
#![allow(unsafe_code)]

use std::ffi::{CString, c_int, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use bezout::Int;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::mpmath::{Rounding, normalised};
use super::theory;
use crate::mpz::short::{answer, argument, arguments, class, packed, word};
use crate::mpz::{Mpz, Raw};

/// How PyO3's functions are called: with arguments, their number, and the names of the last ones.
type Original = unsafe extern "C" fn(Raw, *const Raw, ffi::Py_ssize_t, Raw) -> Raw;

/// The convention of [`Original`].
const CONVENTION: c_int = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;

/// A function as Python calls it: with the module or the number, and with its arguments. None takes
/// names.
#[derive(Clone, Copy)]
enum Function {
    /// Without an argument; Python passes null.
    Alone(ffi::PyCFunction),
    /// With one argument.
    One(ffi::PyCFunction),
    /// With any number of arguments.
    Any(ffi::PyCFunctionFast),
}

impl Function {
    /// The flags that Python knows the convention by, and the function.
    fn definition(self) -> (c_int, ffi::PyMethodDefPointer) {
        let simple = |function| ffi::PyMethodDefPointer {
            PyCFunction: function,
        };
        match self {
            Function::Alone(function) => (ffi::METH_NOARGS, simple(function)),
            Function::One(function) => (ffi::METH_O, simple(function)),
            Function::Any(function) => (
                ffi::METH_FASTCALL,
                ffi::PyMethodDefPointer {
                    PyCFunctionFast: function,
                },
            ),
        }
    }
}

/// A function and what it stands before.
struct Quick {
    name: &'static str,
    function: Function,
    /// PyO3's function once this one is installed; for a method, the object.
    original: &'static AtomicPtr<c_void>,
}

/// An argument that counts something; none where it is negative or long.
///
/// # Safety
/// As for [`argument`].
#[inline(always)]
unsafe fn count(object: Raw) -> Option<u64> {
    // SAFETY: the caller's promise.
    unsafe {
        if ffi::Py_TYPE(object) == class() {
            return u64::try_from(&*argument(object)?).ok();
        }
        u64::try_from(word(object)?).ok()
    }
}

/// The value of an argument: a number, or what counts something.
macro_rules! value {
    ($argument:ident) => {
        argument($argument)?
    };
    ($argument:ident count) => {
        count($argument)?
    };
}

/// A count of at most so many.
#[inline]
fn below(count: u64, most: u64) -> Option<u64> {
    (count <= most).then_some(count)
}

/// Whether a power modulo such numbers takes some microseconds at most.
fn is_short_power(exponent: &Int, modulus: &Int) -> bool {
    exponent.limbs().len() <= 4 && modulus.limbs().len() <= 4 && modulus.signum() > 0
}

/// A function of the module that serves what it can of its arguments.
macro_rules! function {
    ($name:ident, $serve:expr) => {{
        static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

        unsafe extern "C" fn $name(own: Raw, first: *mut Raw, count: ffi::Py_ssize_t) -> Raw {
            // SAFETY: Python calls this attached, with as many arguments as it says, all alive.
            // The original was stored before this function was installed, and is called as its
            // convention says.
            unsafe {
                if let Some(result) = $serve(arguments(first, count, ptr::null_mut())) {
                    return result;
                }
                let original: Original = mem::transmute(ORIGINAL.load(Ordering::Relaxed));
                original(own, first, count, ptr::null_mut())
            }
        }

        Quick {
            name: stringify!($name),
            function: Function::Any($name),
            original: &ORIGINAL,
        }
    }};
}

/// Functions of several numbers.
macro_rules! functions {
    ($($name:ident($($argument:ident $(: $kind:ident)?),+) => $work:expr;)*) => {
        [$(function!($name, |arguments: &[Raw]| {
            let &[$($argument),+] = arguments else {
                return None;
            };
            $(let $argument = value!($argument $($kind)?);)+
            answer(|| $work)
        })),*]
    };
}

/// Functions of one number.
macro_rules! functions_of_one {
    ($($name:ident($argument:ident $(: $kind:ident)?) => $work:expr;)*) => {
        [$({
            static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

            unsafe extern "C" fn $name(own: Raw, object: Raw) -> Raw {
                // SAFETY: as for functions of several numbers.
                unsafe {
                    let serve = |$argument: Raw| {
                        let $argument = value!($argument $($kind)?);
                        answer(|| $work)
                    };
                    if let Some(result) = serve(object) {
                        return result;
                    }
                    let original: Original = mem::transmute(ORIGINAL.load(Ordering::Relaxed));
                    original(own, &object, 1, ptr::null_mut())
                }
            }

            Quick {
                name: stringify!($name),
                function: Function::One($name),
                original: &ORIGINAL,
            }
        }),*]
    };
}

/// Methods of a number: those that take one argument, and those that take none.
macro_rules! methods {
    ($($convention:ident $name:ident($($argument:ident: $kind:ident)?) of $number:ident
        => $work:expr;)*) => {
        [$({
            static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

            unsafe extern "C" fn $name(own: Raw, object: Raw) -> Raw {
                // SAFETY: Python calls this attached, with a number, and with an argument that is
                // alive or null. The original is the object of PyO3's method, which takes the
                // number as its first argument.
                unsafe {
                    let serve = || {
                        $(let $argument = value!(object $kind);)?
                        let $number = argument(own)?;
                        answer(|| $work)
                    };
                    if let Some(result) = serve() {
                        return result;
                    }
                    let given = [own, object];
                    let given = if object.is_null() { &given[..1] } else { &given };
                    packed(given, ptr::null_mut(), |positional, named| {
                        let original = ORIGINAL.load(Ordering::Relaxed).cast();
                        ffi::PyObject_Call(original, positional, named)
                    })
                }
            }

            Quick {
                name: stringify!($name),
                function: Function::$convention($name),
                original: &ORIGINAL,
            }
        }),*]
    };
}

static FUNCTIONS: &[Quick] = &functions! {
    gcd(x, y) => x.try_gcd(&y).ok();
    lcm(x, y) => x.try_lcm(&y).ok();
    gcdext(x, y) => theory::extended(&x, &y).ok();
    invert(x, m) => x.try_mod_inverse(&m).ok();
    powmod(x, y, m) => is_short_power(&y, &m).then(|| x.try_pow_mod(&y, &m).ok())?;
    jacobi(x, y) => y.is_odd().then(|| symbol(&x, &y))?;
    legendre(x, y) => (y.is_odd() && y.signum() > 0).then(|| symbol(&x, &y))?;
    kronecker(x, y) => symbol(&x, &y);
    iroot(x, n: count) => (x.signum() >= 0).then(|| root(&x, n))?;
    remove(x, f) => (*f > 1u64).then(|| x.try_remove(&f).ok())?;
    divexact(x, y) => x.try_div_exact(&y).ok();
    is_divisible(x, d) => x.try_is_multiple_of(&d).ok();
    is_congruent(x, y, m) => x.try_is_congruent(&y, &m).ok();
    c_div(x, y) => x.try_div_ceil(&y).ok();
    c_mod(x, y) => x.try_rem_ceil(&y).ok();
    c_divmod(x, y) => x.try_div_rem_ceil(&y).ok();
    f_div(x, y) => x.try_div_floor(&y).ok();
    f_mod(x, y) => x.try_rem_floor(&y).ok();
    f_divmod(x, y) => x.try_div_rem_floor(&y).ok();
    t_div(x, y) => x.try_div(&y).ok();
    t_mod(x, y) => x.try_rem(&y).ok();
    t_divmod(x, y) => x.try_div_rem(&y).ok();
    bit_test(x, n: count) => x.try_bit(n).ok();
    comb(n: count, k: count) => Int::try_binomial(below(n, 64)?, k).ok();
    bincoef(n: count, k: count) => Int::try_binomial(below(n, 64)?, k).ok();
};

static FUNCTIONS_OF_ONE: &[Quick] = &functions_of_one! {
    isqrt(x) => x.try_isqrt().ok();
    isqrt_rem(x) => x.try_sqrt_rem().ok();
    is_square(x) => x.try_is_square().ok();
    square(x) => x.try_square().ok();
    bit_length(x) => x.try_bit_length().ok();
    popcount(x) => x.try_count_ones().ok()?;
    is_even(x) => x.try_is_even().ok();
    is_odd(x) => x.try_is_odd().ok();
    fac(n: count) => Int::try_factorial(below(n, 64)?).ok();
    fib(n: count) => Int::try_fibonacci(below(n, 1024)?).ok();
};

static METHODS: &[Quick] = &methods! {
    Alone bit_length() of x => x.try_bit_length().ok();
    One bit_test(n: count) of x => x.try_bit(n).ok();
    Alone is_even() of x => x.try_is_even().ok();
    Alone is_odd() of x => x.try_is_odd().ok();
};

/// Those of mpmath's, whose other arguments are words and a letter.
static FLOATS: &[Quick] = &[
    function!(_mpmath_create, |arguments: &[Raw]| {
        let [man, exponent, precision, letter] = *arguments else {
            return None;
        };
        let man = argument(man)?;
        if man.signum() < 0 {
            return float(true, &man.abs(), exponent, precision, letter);
        }
        float(false, &man, exponent, precision, letter)
    }),
    function!(_mpmath_normalize, |arguments: &[Raw]| {
        let [sign, man, exponent, _, precision, letter] = *arguments else {
            return None;
        };
        let man = argument(man)?;
        if man.signum() < 0 {
            return None;
        }
        float(word(sign)? != 0, &man, exponent, precision, letter)
    }),
];

/// The float of mpmath's with this magnitude.
///
/// # Safety
/// The interpreter is attached, and the objects are alive.
#[inline(always)]
unsafe fn float(
    is_negative: bool,
    magnitude: &Int,
    exponent: Raw,
    precision: Raw,
    letter: Raw,
) -> Option<Raw> {
    // SAFETY: the caller's promise. The text of a str is as long as it says.
    unsafe {
        let precision = u64::try_from(word(precision)?).ok()?;
        let exponent = word(exponent)?;
        if ffi::PyUnicode_Check(letter) == 0 {
            return None;
        }
        let mut length = 0;
        let text = ffi::PyUnicode_AsUTF8AndSize(letter, &mut length);
        if text.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        if length != 1 {
            return None;
        }
        let rounding = Rounding::of(char::from(*text.cast::<u8>()), is_negative)?;
        answer(|| {
            let normal = normalised(magnitude, precision, rounding).ok()?;
            if normal.bits == 0 {
                return Some((0, Int::ZERO, 0, 0));
            }
            let exponent = exponent.checked_add_unsigned(normal.shift)?;
            Some((
                i64::from(is_negative),
                normal.mantissa,
                exponent,
                normal.bits,
            ))
        })
    }
}

fn root(x: &Int, n: u64) -> Option<(Int, bool)> {
    let (root, rest) = x.try_root_rem(n).ok()?;
    Some((root, rest.is_zero()))
}

fn symbol(x: &Int, y: &Int) -> Option<i64> {
    x.try_kronecker(y).ok().map(i64::from)
}

/// The definition of a function in the place of another, with its signature and its words. It is
/// never freed.
fn definition(
    quick: &Quick,
    original: &Bound<'_, PyAny>,
) -> PyResult<&'static mut ffi::PyMethodDef> {
    let py = original.py();
    let name = quick.name;
    let signature: Option<String> = original
        .getattr(intern!(py, "__text_signature__"))?
        .extract()?;
    let words: Option<String> = original.getattr(intern!(py, "__doc__"))?.extract()?;
    // Python takes the signature from the head of the words.
    let words = format!(
        "{name}{}\n--\n\n{}",
        signature.unwrap_or_default(),
        words.unwrap_or_default()
    );
    let (flags, function) = quick.function.definition();
    Ok(Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: CString::new(name)?.into_raw(),
        ml_meth: function,
        ml_flags: flags,
        ml_doc: CString::new(words)?.into_raw(),
    })))
}

/// Puts a function in the place of the module's of this name.
fn replace_function(module: &Bound<'_, PyModule>, quick: &Quick) -> PyResult<()> {
    let py = module.py();
    let original = module.getattr(quick.name)?;
    let of_module = original.getattr(intern!(py, "__module__"))?;
    let raw = original.as_ptr();
    // SAFETY: what is not a builtin function of the convention of [`Original`] is not replaced. The
    // original is kept alive for ever.
    unsafe {
        if ffi::PyCFunction_Check(raw) == 0 || ffi::PyCFunction_GetFlags(raw) != CONVENTION {
            return Ok(());
        }
        let Some(function) = ffi::PyCFunction_GetFunction(raw) else {
            return Ok(());
        };
        let original_function = function as *mut c_void;
        quick.original.store(original_function, Ordering::Relaxed);
        let own = ffi::PyCFunction_GetSelf(raw);
        let made = ffi::PyCFunction_NewEx(definition(quick, &original)?, own, of_module.as_ptr());
        module.setattr(quick.name, Bound::from_owned_ptr_or_err(py, made)?)?;
    }
    mem::forget(original);
    Ok(())
}

/// Puts a method in the place of the class's of this name.
fn replace_method(class: &Bound<'_, PyType>, quick: &Quick) -> PyResult<()> {
    let original = class.getattr(quick.name)?;
    let definition = definition(quick, &original)?;
    let py = class.py();
    // SAFETY: the definition is never freed, and the class is that of numbers.
    let made = unsafe {
        let made = ffi::PyDescr_NewMethod(class.as_type_ptr(), definition);
        Bound::from_owned_ptr_or_err(py, made)?
    };
    quick
        .original
        .store(original.into_ptr().cast(), Ordering::Relaxed);
    class.setattr(quick.name, made)
}

/// Puts the functions here in front of PyO3's in a module.
pub(crate) fn install_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for quick in FUNCTIONS.iter().chain(FUNCTIONS_OF_ONE).chain(FLOATS) {
        replace_function(module, quick)?;
    }
    Ok(())
}

/// Puts the methods here in front of PyO3's. Call it once for the process, as the class is one.
pub(crate) fn install_methods(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<Mpz>();
    METHODS
        .iter()
        .try_for_each(|quick| replace_method(&class, quick))
}
