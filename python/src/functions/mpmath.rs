//! What mpmath asks its integers' library for: its binary floats in normal form.
//!
//! A float of mpmath's is the tuple (sign, mantissa, exponent, bits of the mantissa), with an odd
//! mantissa, or (0, 0, 0, 0).

use bezout::{Error, Int};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::border::{bits, linear, run};
use crate::convert::Integer;
use crate::mpz::Number;

/// A float of mpmath's. The exponent is an int, of any size.
type Float<'py> = (u8, Number, Bound<'py, PyAny>, u64);

/// The magnitude of a float: its odd mantissa, or 0; how much larger its exponent is than that of
/// the mantissa that it was made from; and its bits.
pub(crate) struct Normal {
    pub(crate) mantissa: Int,
    pub(crate) shift: u64,
    pub(crate) bits: u64,
}

/// How a mantissa is rounded.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Rounding {
    /// To the nearest, half to even.
    Nearest,
    /// Away from zero.
    Up,
    /// Towards zero.
    Down,
}

impl Rounding {
    /// That of a letter of mpmath's, for the magnitude of a number of this sign.
    pub(crate) fn of(letter: char, negative: bool) -> Option<Rounding> {
        Some(match (letter, negative) {
            ('n', _) => Rounding::Nearest,
            ('u', _) | ('f', true) | ('c', false) => Rounding::Up,
            ('d', _) | ('f', false) | ('c', true) => Rounding::Down,
            _ => return None,
        })
    }
}

/// The normal form of a magnitude, rounded to so many bits; of precision 0, not rounded.
pub(crate) fn normalised(
    magnitude: &Int,
    precision: u64,
    rounding: Rounding,
) -> Result<Normal, Error> {
    let Some(zeros) = magnitude.try_first_set_bit(0)? else {
        let mantissa = Int::ZERO;
        return Ok(Normal {
            mantissa,
            shift: 0,
            bits: 0,
        });
    };
    let bits = magnitude.try_bit_length()?;
    let excess = match precision {
        0 => 0,
        _ => bits.saturating_sub(precision),
    };
    if zeros >= excess {
        let mantissa = match zeros {
            0 => magnitude.clone(),
            _ => magnitude.try_shr(zeros)?,
        };
        return Ok(Normal {
            mantissa,
            shift: zeros,
            bits: bits - zeros,
        });
    }
    // Some bit that is cut off is set: exactly half of a unit where it is the highest of them.
    let mut mantissa = magnitude.try_shr(excess)?;
    let is_up = match rounding {
        Rounding::Down => false,
        Rounding::Up => true,
        Rounding::Nearest => {
            magnitude.try_bit(excess - 1)? && (zeros < excess - 1 || mantissa.try_is_odd()?)
        }
    };
    if is_up {
        mantissa = mantissa.try_add_small(1)?;
    }
    let zeros = mantissa.try_first_set_bit(0)?.unwrap_or(0);
    if zeros > 0 {
        mantissa = mantissa.try_shr(zeros)?;
    }
    let bits = mantissa.try_bit_length()?;
    Ok(Normal {
        mantissa,
        shift: excess + zeros,
        bits,
    })
}

fn float<'py>(
    negative: bool,
    magnitude: &Int,
    exponent: Bound<'py, PyAny>,
    precision: u64,
    rounding: char,
) -> PyResult<Float<'py>> {
    let py = exponent.py();
    let rounding = Rounding::of(rounding, negative).ok_or_else(|| {
        PyValueError::new_err("the rounding must be one of 'n', 'u', 'd', 'f', 'c'")
    })?;
    let normal = run(py, linear(bits(magnitude)), || {
        normalised(magnitude, precision, rounding)
    })?;
    if normal.bits == 0 {
        return Ok((0, Number(Int::ZERO), 0u8.into_bound_py_any(py)?, 0));
    }
    let exponent = exponent.add(normal.shift)?;
    Ok((
        negative.into(),
        Number(normal.mantissa),
        exponent,
        normal.bits,
    ))
}

/// The float man * 2**exp of mpmath's, rounded to prec bits; for prec = 0 not rounded.
#[pyfunction]
#[pyo3(signature = (man, exp, prec = 0, rnd = 'f', /))]
pub(crate) fn _mpmath_create<'py>(
    man: Integer,
    exp: Bound<'py, PyAny>,
    prec: u64,
    rnd: char,
) -> PyResult<Float<'py>> {
    float(man.0.is_negative(), &man.0.abs(), exp, prec, rnd)
}

/// The float of mpmath's with this sign and magnitude man * 2**exp, rounded to prec bits.
#[pyfunction]
#[pyo3(signature = (sign, man, exp, bc, prec, rnd, /))]
pub(crate) fn _mpmath_normalize<'py>(
    sign: i64,
    man: Integer,
    exp: Bound<'py, PyAny>,
    bc: u64,
    prec: u64,
    rnd: char,
) -> PyResult<Float<'py>> {
    // The bits are counted anew.
    let _ = bc;
    float(sign != 0, &man.0, exp, prec, rnd)
}
