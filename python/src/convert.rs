//! Numbers of Python's to numbers of the library's, and back.
//!
//! Numbers of at most 64 bits go through a machine word, longer ones through their bytes.

// An int's word is asked for by the C API, which PyO3 wraps only with a check more.
#![allow(unsafe_code)]

use std::ops::Deref;

use bezout::Int;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt};

use crate::border::{self, Effort};
use crate::digits;
use crate::mpz::{Mpz, Raw};

/// An integer argument of a function: an mpz, an int, or what has `__index__`.
pub(crate) struct Integer<'a>(pub(crate) Value<'a>);

/// The number of an argument: that of an mpz where it is, or one that was made of another object.
pub(crate) enum Value<'a> {
    Held(&'a Int),
    Made(Int),
}

impl Deref for Value<'_> {
    type Target = Int;

    #[inline]
    fn deref(&self) -> &Int {
        match self {
            Value::Held(value) => value,
            Value::Made(value) => value,
        }
    }
}

impl Value<'_> {
    /// The number itself, or a copy of it.
    pub(crate) fn into_owned(self) -> Int {
        match self {
            Value::Held(value) => value.clone(),
            Value::Made(value) => value,
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Integer<'a> {
    type Error = PyErr;

    #[inline]
    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Integer<'a>> {
        if let Ok(value) = obj.cast_exact::<Mpz>() {
            return Ok(Integer(Value::Held(&value.get().0)));
        }
        let made = if let Ok(value) = obj.cast::<PyInt>() {
            from_int(&value)?
        } else {
            indexed(&obj)?
        };
        Ok(Integer(Value::Made(made)))
    }
}

/// A number with `__index__`, such as an integer of NumPy's.
#[cold]
fn indexed(obj: &Bound<'_, PyAny>) -> PyResult<Int> {
    let py = obj.py();
    // SAFETY: `obj` is alive. The result is a new reference or NULL with an exception set.
    let index = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyNumber_Index(obj.as_ptr())) };
    match index {
        Ok(value) => from_int(value.cast::<PyInt>()?),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            let class = obj.get_type().name()?;
            Err(PyTypeError::new_err(format!(
                "'{class}' object is not an integer"
            )))
        }
        Err(error) => Err(error),
    }
}

/// An argument that counts something: bits, or places in a sequence. As in gmpy2, a negative one
/// and one that does not fit a machine word are an OverflowError.
pub(crate) struct Count(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Count> {
        let Integer(value) = Integer::extract(obj)?;
        match u64::try_from(&*value) {
            Ok(count) => Ok(Count(count)),
            Err(_) if value.is_negative() => Err(PyOverflowError::new_err(
                "can't convert negative value to unsigned int",
            )),
            Err(_) => Err(PyOverflowError::new_err(
                "int too large to convert to a machine word",
            )),
        }
    }
}

/// The value of an int.
#[inline]
pub(crate) fn from_int(value: &Bound<'_, PyInt>) -> PyResult<Int> {
    let mut overflow = 0;
    // SAFETY: `value` is an int, for which this cannot fail.
    let word = unsafe { ffi::PyLong_AsLongLongAndOverflow(value.as_ptr(), &mut overflow) };
    match overflow {
        0 => Ok(Int::from(word)),
        sign => from_long(value, sign < 0),
    }
}

fn from_long(value: &Bound<'_, PyInt>, negative: bool) -> PyResult<Int> {
    let py = value.py();
    // SAFETY: `value` is an int.
    if let Some(value) = unsafe { digits::read(py, value.as_ptr()) } {
        return Ok(value);
    }
    let bits: u64 = value.call_method0(intern!(py, "bit_length"))?.extract()?;
    // One bit more for the sign.
    let arguments = (bits / 8 + 1, intern!(py, "little"));
    let to_bytes = intern!(py, "to_bytes");
    let bytes = if negative {
        value.call_method(to_bytes, arguments, Some(signed(py)?))?
    } else {
        value.call_method1(to_bytes, arguments)?
    };
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    border::run(py, Effort::Short, || {
        Ok(if negative {
            Int::from_signed_le_bytes(bytes)
        } else {
            Int::from_le_bytes(bytes)
        })
    })
}

/// The value of an int of at most 4096 bits; none where that takes methods of ints.
///
/// # Safety
/// The interpreter is attached, and the object is an int that is alive.
#[inline]
pub(crate) unsafe fn short_from_int(int: Raw) -> Option<Int> {
    let mut overflow = 0;
    // SAFETY: the caller's promise, with which the call cannot fail.
    unsafe {
        let word = ffi::PyLong_AsLongLongAndOverflow(int, &mut overflow);
        if overflow == 0 {
            return Some(Int::from(word));
        }
        digits::read(Python::assume_attached(), int)
    }
}

/// `{"signed": True}`.
fn signed<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyDict>> {
    static SIGNED: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let make = || {
        let keywords = PyDict::new(py);
        keywords.set_item("signed", true)?;
        PyResult::Ok(keywords.unbind())
    };
    Ok(SIGNED.get_or_try_init(py, make)?.bind(py))
}

/// A new reference to the int of a short number; none where that takes methods of ints. Null with
/// an exception set where there is no memory.
///
/// # Safety
/// The interpreter is attached.
#[inline]
pub(crate) unsafe fn short_int(value: &Int) -> Option<Raw> {
    // SAFETY: the caller's promise.
    unsafe {
        if let Ok(word) = i64::try_from(value) {
            return Some(ffi::PyLong_FromLongLong(word));
        }
        digits::write(Python::assume_attached(), value.limbs(), value.signum() < 0)
    }
}

/// The int of this value.
pub(crate) fn to_int<'py>(py: Python<'py>, value: &Int) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(word) = i64::try_from(value) {
        return Ok(word.into_pyobject(py)?.into_any());
    }
    let (limbs, negative) = border::run(py, border::linear(border::bits(value)), || {
        Ok((value.try_limbs()?, value.try_is_negative()?))
    })?;
    if let Some(int) = digits::write(py, limbs, negative) {
        // SAFETY: the reference is new, or null with an exception set.
        return unsafe { Bound::from_owned_ptr_or_err(py, int) };
    }
    let bytes = PyBytes::new_with(py, limbs.len() * 8, |bytes| {
        for (place, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
            place.copy_from_slice(&limb.to_le_bytes());
        }
        Ok(())
    })?;
    let int = py.get_type::<PyInt>();
    let arguments = (bytes, intern!(py, "little"));
    let magnitude = int.call_method1(intern!(py, "from_bytes"), arguments)?;
    if negative {
        magnitude.neg()
    } else {
        Ok(magnitude)
    }
}

/// The float nearest to this value; an OverflowError as for an int beyond the range of floats.
pub(crate) fn to_float(value: &Int) -> PyResult<f64> {
    let float = value.try_to_f64().map_err(border::exception)?;
    if float.is_finite() {
        Ok(float)
    } else {
        Err(PyOverflowError::new_err(
            "'mpz' too large to convert to float",
        ))
    }
}

/// The whole part of a float.
pub(crate) fn from_float(value: f64) -> PyResult<Int> {
    Int::from_f64(value).ok_or_else(|| {
        if value.is_nan() {
            PyValueError::new_err("'mpz' does not support NaN")
        } else {
            PyOverflowError::new_err("'mpz' does not support Infinity")
        }
    })
}

/// What may stand on the other side of an operator.
pub(crate) enum Operand<'a, 'py> {
    /// An mpz.
    Mpz(&'a Int),
    /// An int, or a bool.
    Int(Int),
    /// A float.
    Float(f64),
    /// A complex number, or something else that a number of Python's own may work with.
    Other(&'a Bound<'py, PyAny>),
}

/// Tells operands apart.
#[inline]
pub(crate) fn operand<'a, 'py>(other: &'a Bound<'py, PyAny>) -> PyResult<Operand<'a, 'py>> {
    if let Ok(value) = other.cast::<Mpz>() {
        return Ok(Operand::Mpz(&value.get().0));
    }
    if let Ok(value) = other.cast::<PyInt>() {
        return from_int(value).map(Operand::Int);
    }
    match other.cast::<PyFloat>() {
        Ok(value) => Ok(Operand::Float(value.value())),
        Err(_) if is_integral(other)? => indexed(other).map(Operand::Int),
        Err(_) => Ok(Operand::Other(other)),
    }
}

/// Whether something is an integer of another library's, such as NumPy's or gmpy2's. SymPy's are
/// none: what an operator gives beside them is SymPy's to say, and a quotient is no float there.
#[cold]
fn is_integral(other: &Bound<'_, PyAny>) -> PyResult<bool> {
    static INTEGRAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = other.py();
    if other.hasattr(intern!(py, "_op_priority"))? {
        return Ok(false);
    }
    let make = || PyResult::Ok(py.import("numbers")?.getattr("Integral")?.unbind());
    other.is_instance(INTEGRAL.get_or_try_init(py, make)?.bind(py))
}
