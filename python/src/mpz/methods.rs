//! Methods and attributes of `mpz` under the names of int's and gmpy2's.

use bezout::{Engine, Int};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyType};

use super::{Mpz, Number, Object};
use crate::border::{self, Effort, bits, linear, product, run, short};
use crate::convert::{Count, Integer};
use crate::functions::{bits as bitwise, division, powers, theory};
use crate::text;

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

#[pymethods]
impl Mpz {
    /// The number itself.
    #[getter]
    fn numerator(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// 1.
    #[getter]
    fn denominator(&self) -> Number {
        Number(Int::ONE)
    }

    /// The number itself.
    #[getter]
    fn real(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// 0.
    #[getter]
    fn imag(&self) -> Number {
        Number(Int::ZERO)
    }

    /// Where the value is kept: "cpu", or "cuda" where a device has a copy.
    ///
    /// >>> from bezout import mpz
    /// >>> mpz(5).device
    /// 'cpu'
    #[getter]
    fn device(&self) -> &'static str {
        if self.0.is_on_device() { "cuda" } else { "cpu" }
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
            Engine::Cuda(n) => value.try_to_device(n),
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
        (slf, Mpz::from(Int::ONE))
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
    fn bit_set(&self, py: Python<'_>, n: Count) -> PyResult<Number> {
        bitwise::change(py, &self.0, n.0, Int::try_set_bit)
    }

    /// The number with bit n cleared.
    #[pyo3(signature = (n, /))]
    fn bit_clear(&self, py: Python<'_>, n: Count) -> PyResult<Number> {
        bitwise::change(py, &self.0, n.0, Int::try_clear_bit)
    }

    /// The number with bit n inverted.
    #[pyo3(signature = (n, /))]
    fn bit_flip(&self, py: Python<'_>, n: Count) -> PyResult<Number> {
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

    /// Digits in a base from 2 to 62, after a minus if negative. Bases from -2 to -36 give
    /// capitals.
    ///
    /// >>> from bezout import mpz
    /// >>> mpz(-255).digits(16)
    /// '-ff'
    #[pyo3(signature = (base = 10, /))]
    fn digits(&self, py: Python<'_>, base: i32) -> PyResult<String> {
        text::digits_in(py, &self.0, base)
    }

    /// The number of digits in a base from 2 to 62; it may be 1 too large.
    #[pyo3(signature = (base = 10, /))]
    fn num_digits(&self, py: Python<'_>, base: i32) -> PyResult<u64> {
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
            Ok(if signed {
                (
                    self.0.try_to_signed_le_bytes()?,
                    if negative { 0xff } else { 0 },
                )
            } else {
                (self.0.try_to_le_bytes()?, 0)
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
    ) -> PyResult<Number> {
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
        Ok(Number(value))
    }
}
