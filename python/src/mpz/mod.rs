//! `mpz`: the integer of Python's side. Operators, conversions and methods; no arithmetic.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the class, and numbers from objects and text |
//! | `slots.rs` | operators of short operands |
//! | `short.rs` | short operands and arguments, and the objects of results |
//! | `objects.rs` | memory of objects |
//! | `operators.rs` | all other operators |
//! | `protocol.rs` | comparison, hash, conversion, text, copies, bits by index |
//! | `methods.rs` | methods and attributes |
//! | `neighbours.rs` | what other libraries ask for |

mod methods;
mod neighbours;
mod objects;
mod operators;
mod protocol;
pub(crate) mod short;
mod slots;

pub(crate) use objects::{Raw, object};

use std::borrow::Cow;
use std::sync::atomic::{AtomicIsize, Ordering};

use bezout::{Int, memory};
use pyo3::BoundObject;
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyByteArray, PyBytes, PyComplex, PyInt, PyList, PyNotImplemented, PyString, PyTuple,
};

use crate::border;
use crate::convert::{self, Integer, Operand, operand};
use crate::functions::quick;
use crate::text;

/// An integer of any size, constant, that behaves as Python's int does.
///
/// ``mpz(n)`` takes the whole part of a number; ``mpz(s, base=0)`` reads text in a base from 2 to
/// 62, with base 0 by its prefix. Operators take ints on either side.
///
/// >>> from bezout import mpz
/// >>> mpz(3) * 4
/// mpz(12)
/// >>> 2 ** mpz(100) % 10**9
/// mpz(703205376)
/// >>> mpz("0xff") == 255 == mpz("ff", 16)
/// True
#[pyclass(name = "mpz", module = "bezout", frozen, mapping)]
pub(crate) struct Mpz(pub(crate) Int, KnownHash);

/// The hash of a number once it has been asked for. Numbers never change, so that it stays right.
struct KnownHash(AtomicIsize);

impl KnownHash {
    /// What Python takes for an error, so that it is never a hash.
    const UNKNOWN: isize = -1;

    #[inline]
    fn get(&self, compute: impl FnOnce() -> isize) -> isize {
        match self.0.load(Ordering::Relaxed) {
            Self::UNKNOWN => {
                let hash = compute();
                self.0.store(hash, Ordering::Relaxed);
                hash
            }
            hash => hash,
        }
    }

    /// For a new number in the place of an old one.
    #[inline]
    fn forget(&mut self) {
        *self.0.get_mut() = Self::UNKNOWN;
    }
}

impl From<Int> for Mpz {
    #[inline(always)]
    fn from(value: Int) -> Mpz {
        Mpz(value, KnownHash(AtomicIsize::new(KnownHash::UNKNOWN)))
    }
}

/// Puts the quick functions of short numbers in front of PyO3's.
///
/// A program that removes the module from `sys.modules` and imports it again gets a new module with
/// the same class. The slots and methods of the class are replaced the first time only: a second
/// replacement would call itself where it has to call PyO3's function.
pub(crate) fn install(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let is_first = short::class().is_null();
    if is_first && !slots::install(module.py())? {
        return Ok(());
    }
    quick::install_functions(module)?;
    if is_first {
        quick::install_methods(module.py())?;
    }
    Ok(())
}

/// The result of a function: a number whose object is made in the quick way of [`object`].
pub(crate) struct Number(pub(crate) Int);

impl<'py> IntoPyObject<'py> for Number {
    type Target = PyAny;
    type Output = Object<'py>;
    type Error = PyErr;

    #[inline]
    fn into_pyobject(self, py: Python<'py>) -> PyResult<Object<'py>> {
        object(py, self.0)
    }
}

type Object<'py> = Bound<'py, PyAny>;

fn not_implemented(py: Python<'_>) -> Object<'_> {
    PyNotImplemented::get(py).into_any().into_bound()
}

/// Whether a number is of a type of Python's own that works with int alone, and not with every
/// integer: a complex number, a fraction or a decimal number.
#[cold]
fn works_with_int(other: &Object<'_>) -> PyResult<bool> {
    static TYPES: PyOnceLock<Py<PyTuple>> = PyOnceLock::new();
    if other.is_instance_of::<PyComplex>() {
        return Ok(true);
    }
    let py = other.py();
    let make = || {
        let fraction = py.import("fractions")?.getattr("Fraction")?;
        let decimal = py.import("decimal")?.getattr("Decimal")?;
        PyResult::Ok(PyTuple::new(py, [fraction, decimal])?.unbind())
    };
    other.is_instance(TYPES.get_or_try_init(py, make)?.bind(py))
}

/// The text of a literal: a str, or bytes of ASCII.
fn literal<'a>(value: &'a Object<'_>) -> PyResult<Option<Cow<'a, str>>> {
    let not_ascii = || PyValueError::new_err("bytes of a number must be ASCII");
    if let Ok(text) = value.cast::<PyString>() {
        return text.to_cow().map(Some);
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        let text = str::from_utf8(bytes.as_bytes()).map_err(|_| not_ascii())?;
        return Ok(Some(text.into()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        // Other threads may change these bytes, so that they are copied. The copy must not fail.
        memory::room::<u8>("the digits", bytes.len()).map_err(border::exception)?;
        let text = String::from_utf8(bytes.to_vec());
        return text.map(|text| Some(text.into())).map_err(|_| not_ascii());
    }
    Ok(None)
}

/// The whole part of any other number: by `__mpz__`, `__index__`, `__int__` or `__trunc__`.
fn converted(value: &Object<'_>) -> PyResult<Int> {
    for method in ["__mpz__", "__index__", "__int__", "__trunc__"] {
        if let Some(method) = value.getattr_opt(method)? {
            return Ok(method.call0()?.extract::<Integer>()?.0.into_owned());
        }
    }
    let class = value.get_type().name()?;
    let what = format!("mpz() requires a number or text, not '{class}'");
    Err(PyTypeError::new_err(what))
}

#[pymethods]
impl Mpz {
    #[new]
    #[pyo3(signature = (*arguments, base = None), text_signature = "(n=0, /, base=0)")]
    fn new(arguments: &Bound<'_, PyTuple>, base: Option<u32>) -> PyResult<Mpz> {
        let base = match (arguments.len(), base) {
            (0, None) => return Ok(Mpz::from(Int::ZERO)),
            (0, Some(_)) => return Err(PyTypeError::new_err("mpz() missing string argument")),
            (1, base) => base,
            (2, None) => Some(arguments.get_item(1)?.extract()?),
            _ => return Err(PyTypeError::new_err("mpz() takes at most 2 arguments")),
        };
        let n = &arguments.get_item(0)?;
        if base.is_none()
            && let Ok(value) = n.cast::<PyInt>()
        {
            return convert::from_int(value).map(Mpz::from);
        }
        if let Some(text) = literal(n)? {
            let base = base.unwrap_or(0);
            if text.is_ascii() || base > 36 {
                return text::parse(n.py(), &text, base).map(Mpz::from);
            }
            // int knows the digits and the white space of all scripts.
            let base = if base == 0 { 10 } else { base };
            let value = n.py().get_type::<PyInt>().call1((text, base))?;
            return convert::from_int(value.cast::<PyInt>()?).map(Mpz::from);
        }
        if base.is_some() {
            return Err(PyTypeError::new_err(
                "mpz() with number argument only takes 1 argument",
            ));
        }
        match operand(n)? {
            Operand::Mpz(value) => Ok(Mpz::from(value.clone())),
            Operand::Int(value) => Ok(Mpz::from(value)),
            Operand::Float(value) => convert::from_float(value).map(Mpz::from),
            Operand::Other(value) => converted(value).map(Mpz::from),
        }
    }
}

/// Items of a sequence or of any other iterable as numbers.
pub(crate) fn items(values: &Object<'_>) -> PyResult<Vec<Int>> {
    let mut numbers = room(values.len().unwrap_or(0))?;
    for (count, item) in values.try_iter()?.enumerate() {
        if count % SIGNALS_EVERY == SIGNALS_EVERY - 1 {
            values.py().check_signals()?;
        }
        if numbers.len() == numbers.capacity() {
            let more = numbers.len().max(16);
            numbers.try_reserve(more).map_err(|_| no_room(2 * more))?;
        }
        numbers.push(item?.extract::<Integer>()?.0.into_owned());
    }
    Ok(numbers)
}

/// Numbers of a sequence between two looks for signals: some hundredths of a second.
pub(crate) const SIGNALS_EVERY: usize = 1 << 18;

/// An empty list with room for so many numbers.
pub(crate) fn room(count: usize) -> PyResult<Vec<Int>> {
    let mut numbers = Vec::new();
    numbers
        .try_reserve_exact(count)
        .map_err(|_| no_room(count))?;
    Ok(numbers)
}

fn no_room(count: usize) -> PyErr {
    PyMemoryError::new_err(format!("out of memory: a list of {count} numbers"))
}

/// A list of numbers.
pub(crate) fn objects(values: Vec<Int>) -> Numbers {
    Numbers(values)
}

/// A list of numbers on its way to Python. Millions of objects take long to make, so that signals
/// are looked for.
pub(crate) struct Numbers(Vec<Int>);

/// One of them, and whether to look for signals before.
struct Item(Int, bool);

impl<'py> IntoPyObject<'py> for Item {
    type Target = PyAny;
    type Output = Object<'py>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Object<'py>> {
        if self.1 {
            py.check_signals()?;
        }
        object(py, self.0)
    }
}

impl<'py> IntoPyObject<'py> for Numbers {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let is_due = |at: usize| at % SIGNALS_EVERY == SIGNALS_EVERY - 1;
        let items = self.0.into_iter().enumerate();
        PyList::new(py, items.map(|(at, value)| Item(value, is_due(at))))
    }
}

/// A tuple of two numbers.
pub(crate) fn two(py: Python<'_>, (x, y): (Int, Int)) -> PyResult<Bound<'_, PyTuple>> {
    (Number(x), Number(y)).into_pyobject(py)
}
