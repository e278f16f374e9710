//! Bits, digits and bytes.

use bezout::{Error, Int};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::border::{bits, linear, product, run, short};
use crate::convert::{Count, Integer};
use crate::mpz::{Mpz, Number, Numbers, objects, room};
use crate::text;

/// The number of ones in the magnitude.
pub(crate) fn count(py: Python<'_>, a: &Int) -> PyResult<u64> {
    run(py, linear(bits(a)), || {
        Ok(a.try_abs()?.try_count_ones()?.unwrap_or(0))
    })
}

/// Bit n.
pub(crate) fn test(py: Python<'_>, a: &Int, n: u64) -> PyResult<bool> {
    short(py, || a.try_bit(n))
}

/// A copy with one bit changed.
pub(crate) fn change(
    py: Python<'_>,
    a: &Int,
    n: u64,
    work: impl Fn(&mut Int, u64) -> Result<(), Error> + Sync,
) -> PyResult<Number> {
    let effort = linear(bits(a).max(n));
    let changed = run(py, effort, || {
        let mut changed = a.clone();
        work(&mut changed, n)?;
        Ok(changed)
    })?;
    Ok(Number(changed))
}

/// The number of digits, or 1 more. The bound is GMP's: bits of the number by bits of a digit.
pub(crate) fn places(py: Python<'_>, a: &Int, base: i32) -> PyResult<u64> {
    let Some(base) = u32::try_from(base).ok().filter(|b| (2..=62).contains(b)) else {
        return Err(PyValueError::new_err(
            "base must be in the interval [2, 62]",
        ));
    };
    let length = short(py, || a.try_bit_length())?;
    Ok(if length == 0 {
        1
    } else if base.is_power_of_two() {
        length.div_ceil(base.ilog2().into())
    } else {
        (length as f64 / f64::from(base).log2()) as u64 + 1
    })
}

/// gmpy2's portable bytes: 1, the sign (0 for zero, 1 for positive, 2 for negative) and the
/// magnitude with the least significant byte first.
pub(crate) fn binary<'py>(py: Python<'py>, a: &Int) -> PyResult<Bound<'py, PyBytes>> {
    let (sign, bytes) = run(py, linear(bits(a)), || {
        Ok((a.try_signum()?, a.try_to_le_bytes()?))
    })?;
    PyBytes::new_with(py, bytes.len() + 2, |place| {
        place[0] = 1;
        place[1] = match sign {
            0 => 0,
            1 => 1,
            _ => 2,
        };
        place[2..].copy_from_slice(&bytes);
        Ok(())
    })
}

/// Bytes that from_binary turns back into x, the same as gmpy2's.
///
/// >>> import bezout
/// >>> bezout.to_binary(bezout.mpz(-300))
/// b'\x01\x02,\x01'
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn to_binary<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    match x.cast::<Mpz>() {
        Ok(value) => binary(x.py(), &value.get().0),
        Err(_) => Err(PyTypeError::new_err(
            "to_binary() argument type not supported",
        )),
    }
}

/// The mpz that to_binary, of bezout or of gmpy2, wrote these bytes for.
///
/// >>> import bezout
/// >>> bezout.from_binary(b'\x01\x02,\x01')
/// mpz(-300)
#[pyfunction]
#[pyo3(signature = (b, /))]
pub(crate) fn from_binary(py: Python<'_>, b: &Bound<'_, PyBytes>) -> PyResult<Number> {
    let (sign, bytes) = match b.as_bytes() {
        [] | [_] => {
            let what = "byte sequence too short for from_binary()";
            return Err(PyValueError::new_err(what));
        }
        [1, sign @ 0..=2, bytes @ ..] => (*sign, bytes),
        _ => {
            return Err(PyValueError::new_err(
                "byte sequence invalid for from_binary()",
            ));
        }
    };
    let value = run(py, linear(bytes.len() as u64 * 8), || {
        let magnitude = Int::from_le_bytes(bytes);
        if sign == 2 {
            magnitude.try_neg()
        } else {
            Ok(magnitude)
        }
    })?;
    Ok(Number(value))
}

/// The number of bits of the magnitude.
///
/// >>> import bezout
/// >>> bezout.bit_length(-8)
/// 4
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn bit_length(py: Python<'_>, x: Integer) -> PyResult<u64> {
    short(py, || x.0.try_bit_length())
}

/// The number of ones in the magnitude.
///
/// >>> import bezout
/// >>> bezout.bit_count(-7)
/// 3
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn bit_count(py: Python<'_>, x: Integer) -> PyResult<u64> {
    count(py, &x.0)
}

/// The number of ones in x; -1 for a negative x, which has infinitely many.
///
/// >>> import bezout
/// >>> bezout.popcount(2**100 - 1)
/// 100
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn popcount(py: Python<'_>, x: Integer) -> PyResult<i64> {
    let ones = run(py, linear(bits(&x.0)), || x.0.try_count_ones())?;
    Ok(ones.map_or(-1, |ones| ones as i64))
}

/// The number of places where the bits of x and y differ; 2**64 - 1 if there are infinitely many.
///
/// >>> import bezout
/// >>> bezout.hamdist(7, 8)
/// 4
#[pyfunction]
#[pyo3(signature = (x, y, /))]
pub(crate) fn hamdist(py: Python<'_>, x: Integer, y: Integer) -> PyResult<u64> {
    let effort = linear(bits(&x.0) + bits(&y.0));
    let distance = run(py, effort, || x.0.try_hamming_distance(&y.0))?;
    Ok(distance.unwrap_or(u64::MAX))
}

/// Bit n of two's complement.
///
/// >>> import bezout
/// >>> bezout.bit_test(5, 2), bezout.bit_test(-1, 10**6)
/// (True, True)
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(crate) fn bit_test(py: Python<'_>, x: Integer, n: Count) -> PyResult<bool> {
    test(py, &x.0, n.0)
}

/// x with bit n set.
///
/// >>> import bezout
/// >>> bezout.bit_set(0, 5)
/// mpz(32)
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(crate) fn bit_set(py: Python<'_>, x: Integer, n: Count) -> PyResult<Number> {
    change(py, &x.0, n.0, Int::try_set_bit)
}

/// x with bit n cleared.
///
/// >>> import bezout
/// >>> bezout.bit_clear(7, 1)
/// mpz(5)
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(crate) fn bit_clear(py: Python<'_>, x: Integer, n: Count) -> PyResult<Number> {
    change(py, &x.0, n.0, Int::try_clear_bit)
}

/// x with bit n inverted.
///
/// >>> import bezout
/// >>> bezout.bit_flip(7, 1)
/// mpz(5)
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(crate) fn bit_flip(py: Python<'_>, x: Integer, n: Count) -> PyResult<Number> {
    change(py, &x.0, n.0, Int::try_flip_bit)
}

/// The least index from n on of a bit that is 0; None if there is none.
///
/// >>> import bezout
/// >>> bezout.bit_scan0(7)
/// 3
#[pyfunction]
#[pyo3(signature = (x, n = Count(0), /), text_signature = "(x, n=0, /)")]
pub(crate) fn bit_scan0(py: Python<'_>, x: Integer, n: Count) -> PyResult<Option<u64>> {
    run(py, linear(bits(&x.0)), || x.0.try_first_clear_bit(n.0))
}

/// The least index from n on of a bit that is 1; None if there is none.
///
/// >>> import bezout
/// >>> bezout.bit_scan1(2**100)
/// 100
#[pyfunction]
#[pyo3(signature = (x, n = Count(0), /), text_signature = "(x, n=0, /)")]
pub(crate) fn bit_scan1(py: Python<'_>, x: Integer, n: Count) -> PyResult<Option<u64>> {
    run(py, linear(bits(&x.0)), || x.0.try_first_set_bit(n.0))
}

/// 2**n - 1.
///
/// >>> import bezout
/// >>> bezout.bit_mask(10)
/// mpz(1023)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn bit_mask(py: Python<'_>, n: Count) -> PyResult<Number> {
    run(py, linear(n.0), || Int::try_ones(n.0)).map(Number)
}

/// Digits in a base from 2 to 62, after a minus if negative. Bases from -2 to -36 give capitals.
///
/// >>> import bezout
/// >>> bezout.digits(-255, 16), bezout.digits(255, -16)
/// ('-ff', 'FF')
#[pyfunction]
#[pyo3(signature = (x, base = 10, /))]
pub(crate) fn digits(py: Python<'_>, x: Integer, base: i32) -> PyResult<String> {
    text::digits_in(py, &x.0, base)
}

/// The number of digits in a base from 2 to 62; it may be 1 too large.
///
/// >>> import bezout
/// >>> bezout.num_digits(1000, 2)
/// 10
#[pyfunction]
#[pyo3(signature = (x, base = 10, /))]
pub(crate) fn num_digits(py: Python<'_>, x: Integer, base: i32) -> PyResult<u64> {
    places(py, &x.0, base)
}

/// One number whose digits in base 2**n are those of the list, the lowest first.
///
/// >>> import bezout
/// >>> hex(bezout.pack([1, 2, 3], 8))
/// '0x30201'
#[pyfunction]
#[pyo3(signature = (lst, n, /))]
pub(crate) fn pack(py: Python<'_>, lst: &Bound<'_, PyList>, n: Count) -> PyResult<Number> {
    let refusal =
        || PyTypeError::new_err("pack() requires list elements be positive integers < 2^n bits");
    let item = |item: Bound<'_, PyAny>| match item.extract::<Integer>() {
        Ok(Integer(value)) if !value.is_negative() && value.bit_length() <= n.0 => {
            Ok(value.into_owned())
        }
        _ => Err(refusal()),
    };
    let mut values = room(lst.len())?;
    for value in lst.iter() {
        values.push(item(value)?);
    }
    if n.0 == 0 {
        return Ok(Number(Int::ZERO));
    }
    let effort = linear((values.len() as u64).saturating_mul(n.0));
    run(py, effort, || Int::try_pack(&values, n.0)).map(Number)
}

/// The digits of x in base 2**n, the lowest first.
///
/// >>> import bezout
/// >>> bezout.unpack(0x30201, 8)
/// [mpz(1), mpz(2), mpz(3)]
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(crate) fn unpack(py: Python<'_>, x: Integer, n: Count) -> PyResult<Numbers> {
    if x.0.is_negative() {
        return Err(PyValueError::new_err("unpack() requires x >= 0"));
    }
    if n.0 == 0 {
        return Err(PyValueError::new_err("unpack() requires n > 0"));
    }
    run(py, linear(bits(&x.0)), || x.0.try_unpack(n.0)).map(objects)
}

/// Whether x is even.
///
/// >>> import bezout
/// >>> bezout.is_even(10)
/// True
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn is_even(py: Python<'_>, x: Integer) -> PyResult<bool> {
    short(py, || x.0.try_is_even())
}

/// Whether x is odd.
///
/// >>> import bezout
/// >>> bezout.is_odd(10)
/// False
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn is_odd(py: Python<'_>, x: Integer) -> PyResult<bool> {
    short(py, || x.0.try_is_odd())
}

/// -1, 0 or 1 as |x| is less than, equal to or greater than |y|.
///
/// >>> import bezout
/// >>> bezout.cmp_abs(-3, 2)
/// 1
#[pyfunction]
#[pyo3(signature = (x, y, /))]
pub(crate) fn cmp_abs(py: Python<'_>, x: Integer, y: Integer) -> PyResult<i8> {
    let effort = product(bits(&x.0) + bits(&y.0));
    run(py, effort, || {
        Ok(x.0.try_abs()?.try_cmp(&y.0.try_abs()?)? as i8)
    })
}
