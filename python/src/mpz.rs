//! `mpz`: the integer of Python's side. Operators, conversions and methods; no arithmetic.

use std::cmp::Ordering;

use bezout::{Error, Int};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{
    PyIndexError, PyOverflowError, PyTypeError, PyValueError, PyZeroDivisionError,
};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{
    PyByteArray, PyBytes, PyComplex, PyFloat, PyInt, PyNotImplemented, PySlice, PyString, PyTuple,
    PyType,
};
use pyo3::{BoundObject, IntoPyObjectExt};

use crate::border::{self, Effort, InternalError, bits, linear, product, run, short};
use crate::convert::{self, Count, Integer, Operand, operand, to_float, to_int};
use crate::functions::{bits as bitwise, division, powers, theory};
use crate::scope;
use crate::text::{self, Format};

/// mpz(n=0, /)
/// --
///
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
pub(crate) struct Mpz(pub(crate) Int);

impl From<Int> for Mpz {
    fn from(value: Int) -> Mpz {
        Mpz(value)
    }
}

type Object<'py> = Bound<'py, PyAny>;

/// Where the number is in the Python object: after the count of references and the type.
const OFFSET: usize = 2 * size_of::<usize>();

/// The Python object of a number.
///
/// PyO3's own way is to call `object.__new__`, which takes as long as all the rest of a sum.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn object(py: Python<'_>, value: Int) -> PyResult<Object<'_>> {
    let class = Mpz::type_object_raw(py);
    // SAFETY: the class is alive, its instances have no more fields than the number, which
    // `check_layout` has found at `OFFSET`, and the memory is not in use by anyone else. The number
    // is written before anyone sees the object, and dropped by the class's own function.
    unsafe {
        let raw = ffi::PyType_GenericAlloc(class, 0);
        let object = Bound::from_owned_ptr_or_err(py, raw)?;
        raw.byte_add(OFFSET).cast::<Mpz>().write(Mpz(value));
        // A number refers to nothing, so the garbage collector need not visit it.
        ffi::PyObject_GC_UnTrack(raw.cast());
        Ok(object)
    }
}

/// Fails where the number is not where [`object`] puts it.
pub(crate) fn check_layout(py: Python<'_>) -> PyResult<()> {
    let made = Bound::new(py, Mpz(Int::ZERO))?;
    let offset = std::ptr::from_ref(made.get()).addr() - made.as_ptr().addr();
    match offset == OFFSET && size_of::<pyo3::ffi::PyObject>() == OFFSET {
        true => Ok(()),
        false => Err(InternalError::new_err(
            "unexpected layout of Python's objects",
        )),
    }
}

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

/// An operator of two numbers: on integers, and on the float or int that an integer becomes beside
/// a number of another type. `at_once` serves short numbers without the choice of an engine, or
/// leaves them to `work`.
#[inline]
fn binary<'py>(
    a: &Int,
    other: &Object<'py>,
    swapped: bool,
    effort: fn(u64) -> Effort,
    work: impl Fn(&Int, &Int) -> Result<Int, Error> + Sync,
    at_once: impl Fn(&Int, &Int) -> Option<Int> + Sync,
    on_floats: impl Fn(&Object<'py>, &Object<'py>) -> PyResult<Object<'py>>,
) -> PyResult<Object<'py>> {
    let py = other.py();
    let operate = |b: &Int| {
        let (x, y) = if swapped { (b, a) } else { (a, b) };
        if a.is_inline()
            && b.is_inline()
            && !scope::is_set()
            && let Some(result) = border::unfailing(|| at_once(x, y))?
        {
            return object(py, result);
        }
        let result = run(py, effort(bits(a) + bits(b)), || work(x, y))?;
        object(py, result)
    };
    match operand(other)? {
        Operand::Mpz(b) => operate(b),
        Operand::Int(b) => operate(&b),
        Operand::Other(other) if !works_with_int(other)? => Ok(not_implemented(py)),
        converted => {
            let a = match converted {
                Operand::Float(_) => PyFloat::new(py, to_float(a)?).into_any(),
                _ => to_int(py, a)?,
            };
            match swapped {
                false => on_floats(&a, other),
                true => on_floats(other, &a),
            }
        }
    }
}

/// Whether a product or a quotient of two inline numbers takes a microsecond or two at most.
#[inline]
fn are_short(x: &Int, y: &Int) -> bool {
    x.limbs().len() + y.limbs().len() <= 128
}

/// x * y of short numbers.
#[inline]
fn product_at_once(x: &Int, y: &Int) -> Option<Int> {
    are_short(x, y).then(|| x * y)
}

/// x // y of short numbers.
#[inline]
fn quotient_at_once(x: &Int, y: &Int) -> Option<Int> {
    // Rounding down is rounding towards zero where no sign is negative.
    (x.signum() >= 0 && y.signum() > 0 && are_short(x, y)).then(|| x / y)
}

/// x % y of short numbers.
#[inline]
fn remainder_at_once(x: &Int, y: &Int) -> Option<Int> {
    (x.signum() >= 0 && y.signum() > 0 && are_short(x, y)).then(|| x % y)
}

/// An operator of two integers.
#[inline]
fn integral<'py>(
    a: &Int,
    other: &Object<'py>,
    swapped: bool,
    work: impl Fn(&Int, &Int) -> Result<Int, Error> + Sync,
    at_once: impl Fn(&Int, &Int) -> Option<Int> + Sync,
) -> PyResult<Object<'py>> {
    let none = |_: &Object<'py>, _: &Object<'py>| Ok(not_implemented(other.py()));
    match operand(other)? {
        Operand::Float(_) | Operand::Other(_) => Ok(not_implemented(other.py())),
        _ => binary(a, other, swapped, linear, work, at_once, none),
    }
}

/// a << count, or a >> count where `left` is not set.
fn shift<'py>(py: Python<'py>, a: &Int, count: &Int, left: bool) -> PyResult<Object<'py>> {
    if count.is_negative() {
        return Err(PyValueError::new_err("negative shift count"));
    }
    let result = match (u64::try_from(count), left) {
        (Ok(count), true) => {
            let effort = linear(bits(a).saturating_add(count));
            run(py, effort, || a.try_shl(count))?
        }
        (Ok(count), false) => run(py, linear(bits(a)), || a.try_shr(count))?,
        (Err(_), true) if a.is_zero() => Int::ZERO,
        (Err(_), true) => return Err(PyOverflowError::new_err("shift count too large")),
        (Err(_), false) if a.is_negative() => Int::from(-1),
        (Err(_), false) => Int::ZERO,
    };
    object(py, result)
}

/// The quotient of two integers as the nearest float.
fn true_quotient<'py>(py: Python<'py>, a: &Int, b: &Int) -> PyResult<Object<'py>> {
    if b.is_zero() {
        return Err(PyZeroDivisionError::new_err("division by zero"));
    }
    // Whole numbers below 2^53 are floats, and IEEE's division rounds correctly.
    if bits(a) <= 53 && bits(b) <= 53 {
        return (to_float(a)? / to_float(b)?).into_bound_py_any(py);
    }
    to_int(py, a)?.div(to_int(py, b)?)
}

/// base ** exponent of integers.
fn power<'py>(py: Python<'py>, base: &Int, exponent: &Int) -> PyResult<Object<'py>> {
    if exponent.is_negative() {
        if base.is_zero() {
            return Err(PyZeroDivisionError::new_err(
                "0.0 cannot be raised to a negative power",
            ));
        }
        let base = PyFloat::new(py, to_float(base)?);
        return base.pow(PyFloat::new(py, to_float(exponent)?), py.None());
    }
    let result = match u64::try_from(exponent) {
        Ok(count) => {
            let effort = product(bits(base).saturating_mul(count));
            run(py, effort, || base.try_pow(count))?
        }
        Err(_) if base.is_zero() || *base == 1 => base.clone(),
        Err(_) if *base == -1 && exponent.is_even() => Int::ONE,
        Err(_) if *base == -1 => base.clone(),
        Err(_) => return Err(PyOverflowError::new_err("exponent too large")),
    };
    object(py, result)
}

/// An integer among the arguments of an operator; none where it is of another type.
fn whole(value: &Object<'_>) -> PyResult<Option<Int>> {
    Ok(match operand(value)? {
        Operand::Mpz(value) => Some(value.clone()),
        Operand::Int(value) => Some(value),
        Operand::Float(_) | Operand::Other(_) => None,
    })
}

/// pow(base, exponent, modulus) with the mpz as base, or as exponent where `swapped`.
fn pow<'py>(
    a: &Int,
    other: &Object<'py>,
    modulus: &Object<'py>,
    swapped: bool,
) -> PyResult<Object<'py>> {
    let py = other.py();
    if modulus.is_none() {
        return match operand(other)? {
            Operand::Mpz(b) if swapped => power(py, b, a),
            Operand::Int(b) if swapped => power(py, &b, a),
            Operand::Mpz(b) => power(py, a, b),
            Operand::Int(b) => power(py, a, &b),
            Operand::Float(_) | Operand::Other(_) => {
                let none = |_: &Int, _: &Int| Ok(Int::ZERO);
                let at_once = |_: &Int, _: &Int| None;
                binary(a, other, swapped, linear, none, at_once, |x, y| {
                    x.pow(y, py.None())
                })
            }
        };
    }
    let Some(b) = whole(other)? else {
        return Ok(not_implemented(py));
    };
    let Some(modulus) = whole(modulus)? else {
        return Err(PyTypeError::new_err("pow() modulus must be an integer"));
    };
    let (base, exponent) = if swapped { (&b, a) } else { (a, &b) };
    object(py, powers::power_modulo(py, base, exponent, &modulus)?)
}

/// How an integer compares with a float; none for NaN.
fn compare_float(a: &Int, b: f64) -> PyResult<Option<Ordering>> {
    if b.is_nan() {
        return Ok(None);
    }
    if b.is_infinite() {
        return Ok(0.0.partial_cmp(&b));
    }
    // Every finite float is below 2^1024.
    if bits(a) > 1024 {
        return Ok(Some(a.signum().cmp(&0)));
    }
    let whole = convert::from_float(b)?;
    Ok(match a.cmp(&whole) {
        Ordering::Equal => 0.0.partial_cmp(&(b - b.trunc())),
        other => Some(other),
    })
}

/// The hash of an int is a remainder modulo 2^HASH_BITS − 1, which is prime.
const HASH_BITS: u32 = if cfg!(target_pointer_width = "64") {
    61
} else {
    31
};

/// Python's hash of an int: the magnitude modulo the prime, with the sign.
fn hash(value: &Int) -> Result<isize, Error> {
    const MODULUS: u64 = (1 << HASH_BITS) - 1;
    // Bits above HASH_BITS count as much as those below: 2^HASH_BITS is 1 modulo the prime.
    let folded = |mut x: u64| {
        while x > MODULUS {
            x = (x & MODULUS) + (x >> HASH_BITS);
        }
        if x == MODULUS { 0 } else { x }
    };
    let step = 64 % HASH_BITS;
    let rest = value.try_limbs()?.iter().rev().fold(0, |rest, limb| {
        let times = (rest << step & MODULUS) | rest >> (HASH_BITS - step);
        folded(times + folded(*limb))
    });
    let hash = match value.try_is_negative()? {
        true => -(rest as isize),
        false => rest as isize,
    };
    // −1 stands for an error.
    Ok(if hash == -1 { -2 } else { hash })
}

/// `round(value, -places)`: to a multiple of 10^places, half to even.
fn rounded(value: &Int, places: u64) -> Result<Int, Error> {
    let power = match places {
        // A power far above the number has it rounded to zero.
        _ if places > value.try_bit_length()? => return Ok(Int::ZERO),
        _ => Int::from(10).try_pow(places)?,
    };
    let (quotient, rest) = value.try_div_rem_floor(&power)?;
    let up = match rest.try_shl(1)?.try_cmp(&power)? {
        Ordering::Less => false,
        Ordering::Equal => quotient.try_is_odd()?,
        Ordering::Greater => true,
    };
    let down = value.try_sub(&rest)?;
    if up { down.try_add(&power) } else { Ok(down) }
}

/// Whether bytes come with the least significant first.
fn is_little(order: &str) -> PyResult<bool> {
    match order {
        "little" => Ok(true),
        "big" => Ok(false),
        _ => Err(PyValueError::new_err(
            "byteorder must be either 'little' or 'big'",
        )),
    }
}

/// The text of a literal: a str, or bytes of ASCII.
fn literal(value: &Object<'_>) -> PyResult<Option<String>> {
    let bytes = if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(text.to_cow()?.into()));
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        bytes.as_bytes().to_vec()
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        bytes.to_vec()
    } else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| PyValueError::new_err("bytes of a number must be ASCII"))?;
    Ok(Some(text))
}

/// The whole part of any other number: by `__mpz__`, `__index__`, `__int__` or `__trunc__`.
fn converted(value: &Object<'_>) -> PyResult<Int> {
    for method in ["__mpz__", "__index__", "__int__", "__trunc__"] {
        if let Some(method) = value.getattr_opt(method)? {
            return Ok(method.call0()?.extract::<Integer>()?.0);
        }
    }
    let class = value.get_type().name()?;
    let what = format!("mpz() requires a number or text, not '{class}'");
    Err(PyTypeError::new_err(what))
}

#[pymethods]
impl Mpz {
    #[new]
    #[pyo3(signature = (*arguments, base = None))]
    fn new(arguments: &Bound<'_, PyTuple>, base: Option<u32>) -> PyResult<Mpz> {
        let base = match (arguments.len(), base) {
            (0, None) => return Ok(Mpz(Int::ZERO)),
            (0, Some(_)) => return Err(PyTypeError::new_err("mpz() missing string argument")),
            (1, base) => base,
            (2, None) => Some(arguments.get_item(1)?.extract()?),
            _ => return Err(PyTypeError::new_err("mpz() takes at most 2 arguments")),
        };
        let n = &arguments.get_item(0)?;
        if base.is_none()
            && let Ok(value) = n.cast::<PyInt>()
        {
            return convert::from_int(value).map(Mpz);
        }
        if let Some(text) = literal(n)? {
            let base = base.unwrap_or(0);
            if text.is_ascii() || base > 36 {
                return text::parse(n.py(), &text, base).map(Mpz);
            }
            // int knows the digits and the white space of all scripts.
            let base = if base == 0 { 10 } else { base };
            let value = n.py().get_type::<PyInt>().call1((text, base))?;
            return convert::from_int(value.cast::<PyInt>()?).map(Mpz);
        }
        if base.is_some() {
            return Err(PyTypeError::new_err(
                "mpz() with number argument only takes 1 argument",
            ));
        }
        match operand(n)? {
            Operand::Mpz(value) => Ok(Mpz(value.clone())),
            Operand::Int(value) => Ok(Mpz(value)),
            Operand::Float(value) => convert::from_float(value).map(Mpz),
            Operand::Other(value) => converted(value).map(Mpz),
        }
    }

    fn __add__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            false,
            linear,
            Int::try_add,
            |x, y| Some(x + y),
            |x, y| x.add(y),
        )
    }

    fn __radd__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            true,
            linear,
            Int::try_add,
            |x, y| Some(x + y),
            |x, y| x.add(y),
        )
    }

    fn __sub__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            false,
            linear,
            Int::try_sub,
            |x, y| Some(x - y),
            |x, y| x.sub(y),
        )
    }

    fn __rsub__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            true,
            linear,
            Int::try_sub,
            |x, y| Some(x - y),
            |x, y| x.sub(y),
        )
    }

    fn __mul__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            false,
            product,
            Int::try_mul,
            product_at_once,
            |x, y| x.mul(y),
        )
    }

    fn __rmul__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            true,
            product,
            Int::try_mul,
            product_at_once,
            |x, y| x.mul(y),
        )
    }

    fn __floordiv__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            false,
            product,
            Int::try_div_floor,
            quotient_at_once,
            |x, y| x.floor_div(y),
        )
    }

    fn __rfloordiv__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            true,
            product,
            Int::try_div_floor,
            quotient_at_once,
            |x, y| x.floor_div(y),
        )
    }

    fn __mod__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            false,
            product,
            Int::try_rem_floor,
            remainder_at_once,
            |x, y| x.rem(y),
        )
    }

    fn __rmod__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            true,
            product,
            Int::try_rem_floor,
            remainder_at_once,
            |x, y| x.rem(y),
        )
    }

    fn __divmod__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        let py = other.py();
        match operand(other)? {
            Operand::Mpz(b) => division::pair(py, &self.0, b, Int::try_div_rem_floor),
            Operand::Int(b) => division::pair(py, &self.0, &b, Int::try_div_rem_floor),
            Operand::Float(_) => PyFloat::new(py, to_float(&self.0)?).divmod(other),
            Operand::Other(other) if works_with_int(other)? => to_int(py, &self.0)?.divmod(other),
            Operand::Other(_) => Ok(not_implemented(py)),
        }
    }

    fn __rdivmod__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        let py = other.py();
        match operand(other)? {
            Operand::Mpz(b) => division::pair(py, b, &self.0, Int::try_div_rem_floor),
            Operand::Int(b) => division::pair(py, &b, &self.0, Int::try_div_rem_floor),
            Operand::Float(_) => other.divmod(PyFloat::new(py, to_float(&self.0)?)),
            Operand::Other(other) if works_with_int(other)? => other.divmod(to_int(py, &self.0)?),
            Operand::Other(_) => Ok(not_implemented(py)),
        }
    }

    fn __truediv__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        match operand(other)? {
            Operand::Mpz(b) => true_quotient(other.py(), &self.0, b),
            Operand::Int(b) => true_quotient(other.py(), &self.0, &b),
            _ => binary(
                &self.0,
                other,
                false,
                linear,
                Int::try_div,
                |_, _| None,
                |x, y| x.div(y),
            ),
        }
    }

    fn __rtruediv__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        match operand(other)? {
            Operand::Mpz(b) => true_quotient(other.py(), b, &self.0),
            Operand::Int(b) => true_quotient(other.py(), &b, &self.0),
            _ => binary(
                &self.0,
                other,
                true,
                linear,
                Int::try_div,
                |_, _| None,
                |x, y| x.div(y),
            ),
        }
    }

    fn __pow__<'py>(&self, other: &Object<'py>, modulo: &Object<'py>) -> PyResult<Object<'py>> {
        pow(&self.0, other, modulo, false)
    }

    fn __rpow__<'py>(&self, other: &Object<'py>, modulo: &Object<'py>) -> PyResult<Object<'py>> {
        pow(&self.0, other, modulo, true)
    }

    fn __lshift__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        let py = other.py();
        whole(other)?.map_or(Ok(not_implemented(py)), |count| {
            shift(py, &self.0, &count, true)
        })
    }

    fn __rlshift__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        let py = other.py();
        whole(other)?.map_or(Ok(not_implemented(py)), |value| {
            shift(py, &value, &self.0, true)
        })
    }

    fn __rshift__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        let py = other.py();
        whole(other)?.map_or(Ok(not_implemented(py)), |count| {
            shift(py, &self.0, &count, false)
        })
    }

    fn __rrshift__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        let py = other.py();
        whole(other)?.map_or(Ok(not_implemented(py)), |value| {
            shift(py, &value, &self.0, false)
        })
    }

    fn __and__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, false, Int::try_and, |x, y| Some(x & y))
    }

    fn __rand__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, true, Int::try_and, |x, y| Some(x & y))
    }

    fn __or__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, false, Int::try_or, |x, y| Some(x | y))
    }

    fn __ror__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, true, Int::try_or, |x, y| Some(x | y))
    }

    fn __xor__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, false, Int::try_xor, |x, y| Some(x ^ y))
    }

    fn __rxor__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, true, Int::try_xor, |x, y| Some(x ^ y))
    }

    fn __neg__<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        object(py, run(py, linear(bits(&self.0)), || self.0.try_neg())?)
    }

    fn __pos__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __abs__<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        object(py, run(py, linear(bits(&self.0)), || self.0.try_abs())?)
    }

    fn __invert__<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        object(py, run(py, linear(bits(&self.0)), || self.0.try_not())?)
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        short(py, || self.0.try_is_zero()).map(|zero| !zero)
    }

    fn __richcmp__<'py>(&self, other: &Object<'py>, op: CompareOp) -> PyResult<Object<'py>> {
        let py = other.py();
        let compare = |b: &Int| {
            let effort = linear(bits(&self.0).min(bits(b)));
            run(py, effort, || self.0.try_cmp(b)).map(Some)
        };
        let ordering = match operand(other)? {
            Operand::Mpz(b) => compare(b)?,
            Operand::Int(b) => compare(&b)?,
            Operand::Float(b) => compare_float(&self.0, b)?,
            Operand::Other(other) if works_with_int(other)? => {
                return to_int(py, &self.0)?.rich_compare(other, op);
            }
            Operand::Other(_) => return Ok(not_implemented(py)),
        };
        let answer = match ordering {
            Some(ordering) => op.matches(ordering),
            None => matches!(op, CompareOp::Ne),
        };
        answer.into_bound_py_any(py)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        short(py, || hash(&self.0))
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        to_int(py, &self.0)
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        to_int(py, &self.0)
    }

    fn __float__(&self) -> PyResult<f64> {
        to_float(&self.0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("mpz({})", text::digits(py, &self.0, 10)?))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        text::digits(py, &self.0, 10)
    }

    fn __format__<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<Object<'py>> {
        match Format::parse(spec) {
            Some(format) => {
                let digits = text::digits(py, &self.0, format.base())?;
                format.apply(&digits).into_bound_py_any(py)
            }
            // Formats of floats, of characters and by the locale are int's, and so are errors.
            None => to_int(py, &self.0)?.call_method1(intern!(py, "__format__"), (spec,)),
        }
    }

    #[pyo3(signature = (ndigits = None, /))]
    fn __round__<'py>(
        slf: &Bound<'py, Self>,
        ndigits: Option<Integer>,
    ) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let value = &slf.get().0;
        let places = match ndigits {
            Some(Integer(places)) if places.is_negative() => {
                u64::try_from(&-places).unwrap_or(u64::MAX)
            }
            _ => return Ok(slf.clone()),
        };
        let result = run(py, product(bits(value)), || rounded(value, places))?;
        Bound::new(py, Mpz(result))
    }

    fn __trunc__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __floor__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __ceil__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Object<'py>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Object<'py>, (Object<'py>,))> {
        let read = py.import("bezout")?.getattr("from_binary")?;
        Ok((read, (bitwise::binary(py, &self.0)?.into_any(),)))
    }

    fn __sizeof__(&self) -> usize {
        size_of::<Mpz>() + 2 * size_of::<usize>() + 8 * self.0.limb_count()
    }

    /// The number of bits, at least 1.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        short(py, || self.0.try_bit_length()).map(|bits| bits.max(1) as usize)
    }

    /// Bit n, or the number that a slice of bits is. A negative n counts from the highest bit.
    fn __getitem__<'py>(&self, key: &Object<'py>) -> PyResult<Object<'py>> {
        let py = key.py();
        let length = self.__len__(py)?;
        if let Ok(slice) = key.cast::<PySlice>() {
            let indices = slice.indices(length as isize)?;
            let result = run(py, linear(bits(&self.0)), || {
                let mut result = Int::ZERO;
                let mut from = indices.start;
                for to in 0..indices.slicelength as u64 {
                    if self.0.try_bit(from as u64)? {
                        result.try_set_bit(to)?;
                    }
                    from += indices.step;
                }
                Ok(result)
            })?;
            return object(py, result);
        }
        let Integer(mut index) = key.extract()?;
        if index.is_negative() {
            index += length;
        }
        let Ok(index) = u64::try_from(&index) else {
            return Err(PyIndexError::new_err("bit index out of range"));
        };
        let bit = short(py, || self.0.try_bit(index))?;
        u8::from(bit).into_bound_py_any(py)
    }

    /// The number itself.
    #[getter]
    fn numerator(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// 1.
    #[getter]
    fn denominator(&self) -> Mpz {
        Mpz(Int::ONE)
    }

    /// The number itself.
    #[getter]
    fn real(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// 0.
    #[getter]
    fn imag(&self) -> Mpz {
        Mpz(Int::ZERO)
    }

    /// Where the value is kept: "cpu", or "cuda" where a device has a copy.
    ///
    /// >>> from bezout import mpz
    /// >>> mpz(5).device
    /// 'cpu'
    #[getter]
    fn device(&self) -> &'static str {
        match self.0.is_on_device() {
            true => "cuda",
            false => "cpu",
        }
    }

    /// The same number, with a copy on a device: "cuda", "cuda:N"; or on the host alone: "cpu".
    ///
    /// Operations run where their operands are, and results stay there until someone looks.
    #[pyo3(signature = (device, /))]
    fn to<'py>(slf: &Bound<'py, Self>, device: &str) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let value = &slf.get().0;
        let engine = device.parse().map_err(border::exception)?;
        run(py, Effort::Medium, || match engine {
            bezout::Engine::Cuda(n) => value.try_to_device(n),
            _ => value.try_drop_device(),
        })?;
        Ok(slf.clone())
    }

    /// The number itself.
    fn conjugate(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// True.
    fn is_integer(&self) -> bool {
        true
    }

    /// The pair (self, 1).
    fn as_integer_ratio(slf: Bound<'_, Self>) -> (Bound<'_, Self>, Mpz) {
        (slf, Mpz(Int::ONE))
    }

    /// The number of bits of the magnitude.
    ///
    /// >>> from bezout import mpz
    /// >>> mpz(-8).bit_length()
    /// 4
    fn bit_length(&self, py: Python<'_>) -> PyResult<u64> {
        short(py, || self.0.try_bit_length())
    }

    /// The number of ones in the binary representation of the magnitude.
    fn bit_count(&self, py: Python<'_>) -> PyResult<u64> {
        bitwise::count(py, &self.0)
    }

    /// Bit n of two's complement.
    #[pyo3(signature = (n, /))]
    fn bit_test(&self, py: Python<'_>, n: Count) -> PyResult<bool> {
        bitwise::test(py, &self.0, n.0)
    }

    /// The number with bit n set.
    #[pyo3(signature = (n, /))]
    fn bit_set(&self, py: Python<'_>, n: Count) -> PyResult<Mpz> {
        bitwise::change(py, &self.0, n.0, Int::try_set_bit)
    }

    /// The number with bit n cleared.
    #[pyo3(signature = (n, /))]
    fn bit_clear(&self, py: Python<'_>, n: Count) -> PyResult<Mpz> {
        bitwise::change(py, &self.0, n.0, Int::try_clear_bit)
    }

    /// The number with bit n inverted.
    #[pyo3(signature = (n, /))]
    fn bit_flip(&self, py: Python<'_>, n: Count) -> PyResult<Mpz> {
        bitwise::change(py, &self.0, n.0, Int::try_flip_bit)
    }

    /// The least index from n on of a bit that is 0; None if there is none.
    #[pyo3(signature = (n = Count(0), /), text_signature = "(self, n=0, /)")]
    fn bit_scan0(&self, py: Python<'_>, n: Count) -> PyResult<Option<u64>> {
        run(py, linear(bits(&self.0)), || {
            self.0.try_first_clear_bit(n.0)
        })
    }

    /// The least index from n on of a bit that is 1; None if there is none.
    #[pyo3(signature = (n = Count(0), /), text_signature = "(self, n=0, /)")]
    fn bit_scan1(&self, py: Python<'_>, n: Count) -> PyResult<Option<u64>> {
        run(py, linear(bits(&self.0)), || self.0.try_first_set_bit(n.0))
    }

    /// Digits in a base from 2 to 62, after a minus if negative.
    ///
    /// >>> from bezout import mpz
    /// >>> mpz(-255).digits(16)
    /// '-ff'
    #[pyo3(signature = (base = 10, /))]
    fn digits(&self, py: Python<'_>, base: u32) -> PyResult<String> {
        text::digits(py, &self.0, base)
    }

    /// The number of digits in a base from 2 to 62; it may be 1 too large.
    #[pyo3(signature = (base = 10, /))]
    fn num_digits(&self, py: Python<'_>, base: u32) -> PyResult<u64> {
        bitwise::places(py, &self.0, base)
    }

    /// Whether the number is even.
    fn is_even(&self, py: Python<'_>) -> PyResult<bool> {
        short(py, || self.0.try_is_even())
    }

    /// Whether the number is odd.
    fn is_odd(&self, py: Python<'_>) -> PyResult<bool> {
        short(py, || self.0.try_is_odd())
    }

    /// Whether the number is the square of an integer.
    fn is_square(&self, py: Python<'_>) -> PyResult<bool> {
        run(py, product(bits(&self.0)), || self.0.try_is_square())
    }

    /// Whether the number is a power with an exponent above 1.
    fn is_power(&self, py: Python<'_>) -> PyResult<bool> {
        powers::is_perfect_power(py, &self.0)
    }

    /// Whether d divides the number.
    #[pyo3(signature = (d, /))]
    fn is_divisible(&self, py: Python<'_>, d: Integer) -> PyResult<bool> {
        division::divides(py, &self.0, &d.0)
    }

    /// Whether the number is y modulo m.
    #[pyo3(signature = (y, m, /))]
    fn is_congruent(&self, py: Python<'_>, y: Integer, m: Integer) -> PyResult<bool> {
        division::congruent(py, &self.0, &y.0, &m.0)
    }

    /// Whether the number is prime, as far as anyone can tell: see bezout.is_prime.
    #[pyo3(signature = (n = Count(25), /), text_signature = "(self, n=25, /)")]
    fn is_prime(&self, py: Python<'_>, n: Count) -> PyResult<bool> {
        let _ = n;
        theory::prime(py, &self.0)
    }

    /// 2 for a prime, 1 for a probable prime, 0 for a composite number.
    #[pyo3(signature = (n = Count(25), /), text_signature = "(self, n=25, /)")]
    fn is_probab_prime(&self, py: Python<'_>, n: Count) -> PyResult<u8> {
        let _ = n;
        theory::probable(py, &self.0)
    }

    /// The bytes of the number, as int.to_bytes gives them.
    ///
    /// >>> from bezout import mpz
    /// >>> mpz(-5).to_bytes(2, "big", signed=True)
    /// b'\xff\xfb'
    #[pyo3(signature = (length = 1, byteorder = "big", *, signed = false))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        length: isize,
        byteorder: &str,
        signed: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let little = is_little(byteorder)?;
        let Ok(length) = usize::try_from(length) else {
            return Err(PyValueError::new_err(
                "length argument must be non-negative",
            ));
        };
        let negative = self.0.is_negative();
        if negative && !signed {
            return Err(PyOverflowError::new_err(
                "can't convert negative mpz to unsigned",
            ));
        }
        let (mut bytes, fill) = run(py, linear(bits(&self.0)), || {
            Ok(match signed {
                true => (
                    self.0.try_to_signed_le_bytes()?,
                    if negative { 0xff } else { 0 },
                ),
                false => (self.0.try_to_le_bytes()?, 0),
            })
        })?;
        // Zero takes no bytes.
        if bytes == [0] {
            bytes.clear();
        }
        if bytes.len() > length {
            return Err(PyOverflowError::new_err("mpz too big to convert"));
        }
        PyBytes::new_with(py, length, |place| {
            place.fill(fill);
            place[..bytes.len()].copy_from_slice(&bytes);
            if !little {
                place.reverse();
            }
            Ok(())
        })
    }

    /// The number with these bytes, as int.from_bytes reads them.
    ///
    /// >>> from bezout import mpz
    /// >>> mpz.from_bytes(b"\x01\x00")
    /// mpz(256)
    #[classmethod]
    #[pyo3(signature = (bytes, byteorder = "big", *, signed = false))]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        bytes: &Object<'_>,
        byteorder: &str,
        signed: bool,
    ) -> PyResult<Mpz> {
        let py = bytes.py();
        let little = is_little(byteorder)?;
        let bytes = match bytes.cast::<PyBytes>() {
            Ok(bytes) => bytes.clone(),
            // `bytes(n)` would be n zeros.
            Err(_) if bytes.is_instance_of::<PyInt>() => {
                return Err(PyTypeError::new_err("cannot convert 'int' object to bytes"));
            }
            Err(_) => py
                .get_type::<PyBytes>()
                .call1((bytes,))?
                .cast_into::<PyBytes>()?,
        };
        let bytes = bytes.as_bytes();
        let value = run(py, linear(bytes.len() as u64 * 8), || {
            Ok(match (little, signed) {
                (true, false) => Int::from_le_bytes(bytes),
                (true, true) => Int::from_signed_le_bytes(bytes),
                (false, false) => Int::from_be_bytes(bytes),
                (false, true) => Int::from_signed_be_bytes(bytes),
            })
        })?;
        Ok(Mpz(value))
    }
}

/// Items of a sequence or of any other iterable as numbers.
pub(crate) fn items(values: &Object<'_>) -> PyResult<Vec<Int>> {
    let number = |item: PyResult<Object<'_>>| Ok(item?.extract::<Integer>()?.0);
    values.try_iter()?.map(number).collect()
}

/// A list of numbers.
pub(crate) fn objects(values: Vec<Int>) -> Vec<Mpz> {
    values.into_iter().map(Mpz).collect()
}

/// A tuple of two numbers.
pub(crate) fn two(py: Python<'_>, (x, y): (Int, Int)) -> PyResult<Bound<'_, PyTuple>> {
    (Mpz(x), Mpz(y)).into_pyobject(py)
}
