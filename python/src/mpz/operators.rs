//! Operators of `mpz`. Short operands are served by `slots.rs` before they come here.

use bezout::{Error, Int};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError, PyZeroDivisionError};
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use super::{Mpz, Object, not_implemented, object, works_with_int};
use crate::border::{Effort, bits, linear, product, run, short};
use crate::convert::{Operand, operand, to_float, to_int};
use crate::functions::{division, powers};

/// An operator of two numbers: on integers, and on the float or int that an integer becomes beside
/// a number of another type.
fn binary<'py>(
    a: &Int,
    other: &Object<'py>,
    swapped: bool,
    effort: fn(u64) -> Effort,
    work: impl Fn(&Int, &Int) -> Result<Int, Error> + Sync,
    on_floats: impl Fn(&Object<'py>, &Object<'py>) -> PyResult<Object<'py>>,
) -> PyResult<Object<'py>> {
    let py = other.py();
    let operate = |b: &Int| {
        let (x, y) = if swapped { (b, a) } else { (a, b) };
        object(py, run(py, effort(bits(a) + bits(b)), || work(x, y))?)
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
            if swapped {
                on_floats(other, &a)
            } else {
                on_floats(&a, other)
            }
        }
    }
}

/// An operator of two integers.
fn integral<'py>(
    a: &Int,
    other: &Object<'py>,
    swapped: bool,
    work: impl Fn(&Int, &Int) -> Result<Int, Error> + Sync,
) -> PyResult<Object<'py>> {
    let none = |_: &Object<'py>, _: &Object<'py>| Ok(not_implemented(other.py()));
    match operand(other)? {
        Operand::Float(_) | Operand::Other(_) => Ok(not_implemented(other.py())),
        _ => binary(a, other, swapped, linear, work, none),
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
                binary(a, other, swapped, linear, none, |x, y| x.pow(y, py.None()))
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

/// pow(base, exponent, modulus) where the modulus alone is an mpz.
pub(super) fn power_by_modulus<'py>(
    base: &Object<'py>,
    exponent: &Object<'py>,
    modulus: &Int,
) -> PyResult<Object<'py>> {
    let py = base.py();
    let (Some(base), Some(exponent)) = (whole(base)?, whole(exponent)?) else {
        return Ok(not_implemented(py));
    };
    object(py, powers::power_modulo(py, &base, &exponent, modulus)?)
}

#[pymethods]
impl Mpz {
    fn __add__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(&self.0, other, false, linear, Int::try_add, |x, y| x.add(y))
    }

    fn __radd__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(&self.0, other, true, linear, Int::try_add, |x, y| x.add(y))
    }

    fn __sub__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(&self.0, other, false, linear, Int::try_sub, |x, y| x.sub(y))
    }

    fn __rsub__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(&self.0, other, true, linear, Int::try_sub, |x, y| x.sub(y))
    }

    fn __mul__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(&self.0, other, false, product, Int::try_mul, |x, y| {
            x.mul(y)
        })
    }

    fn __rmul__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(&self.0, other, true, product, Int::try_mul, |x, y| x.mul(y))
    }

    fn __floordiv__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            false,
            product,
            Int::try_div_floor,
            |x, y| x.floor_div(y),
        )
    }

    fn __rfloordiv__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(&self.0, other, true, product, Int::try_div_floor, |x, y| {
            x.floor_div(y)
        })
    }

    fn __mod__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(
            &self.0,
            other,
            false,
            product,
            Int::try_rem_floor,
            |x, y| x.rem(y),
        )
    }

    fn __rmod__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(&self.0, other, true, product, Int::try_rem_floor, |x, y| {
            x.rem(y)
        })
    }

    fn __and__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, false, Int::try_and)
    }

    fn __rand__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, true, Int::try_and)
    }

    fn __or__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, false, Int::try_or)
    }

    fn __ror__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, true, Int::try_or)
    }

    fn __xor__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, false, Int::try_xor)
    }

    fn __rxor__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        integral(&self.0, other, true, Int::try_xor)
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
            _ => binary(&self.0, other, false, linear, Int::try_div, |x, y| x.div(y)),
        }
    }

    fn __rtruediv__<'py>(&self, other: &Object<'py>) -> PyResult<Object<'py>> {
        match operand(other)? {
            Operand::Mpz(b) => true_quotient(other.py(), b, &self.0),
            Operand::Int(b) => true_quotient(other.py(), &b, &self.0),
            _ => binary(&self.0, other, true, linear, Int::try_div, |x, y| x.div(y)),
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
}
