//! What other libraries ask an integer for: SymPy, gmpy2, mpmath, NumPy and IPython.
//!
//! Each of them looks for a method of its own name, and takes an object without it for a float or
//! for no number at all. None is imported before it asks.

use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;

use super::{Mpz, Object};
use crate::convert::to_int;
use crate::text;

/// A display of an interactive session shows this many digits of a number at most.
const SHOWN_DIGITS: usize = 1000;

/// Digits at either end of a number that is not shown whole.
const END_DIGITS: usize = 20;

#[pymethods]
impl Mpz {
    /// The number as SymPy's Integer.
    fn _sympy_<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let integer = py.import("sympy")?.getattr(intern!(py, "Integer"))?;
        integer.call1((to_int(py, &self.0)?,))
    }

    /// The number as gmpy2's mpz.
    fn __mpz__<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let mpz = py.import("gmpy2")?.getattr(intern!(py, "mpz"))?;
        mpz.call1((to_int(py, &self.0)?,))
    }

    /// The number as mpmath's mpf, rounded to so many bits.
    #[pyo3(signature = (prec, rounding, /))]
    fn _mpmath_<'py>(
        &self,
        py: Python<'py>,
        prec: &Object<'py>,
        rounding: &Object<'py>,
    ) -> PyResult<Object<'py>> {
        let mpmath = py.import("mpmath")?;
        let parts = mpmath.getattr("libmp")?.call_method1(
            intern!(py, "from_int"),
            (to_int(py, &self.0)?, prec, rounding),
        )?;
        mpmath.call_method1(intern!(py, "make_mpf"), (parts,))
    }

    /// The number as an array of NumPy's without dimensions: of int64 or uint64 where it fits.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Object<'py>>,
        copy: Option<bool>,
    ) -> PyResult<Object<'py>> {
        // An array is always made anew, so that every request for a copy is met.
        let _ = copy;
        let array = py.import("numpy")?.getattr(intern!(py, "array"))?;
        array.call1((to_int(py, &self.0)?, dtype))
    }

    /// What IPython and notebooks display: a number of many digits by its ends.
    fn _repr_pretty_(&self, printer: &Object<'_>, _cycle: bool) -> PyResult<()> {
        let py = printer.py();
        let digits = text::digits(py, &self.0, 10)?;
        let shown = if digits.len() <= SHOWN_DIGITS {
            format!("mpz({digits})")
        } else {
            let count = digits.trim_start_matches('-').len();
            let (first, last) = (&digits[..END_DIGITS], &digits[digits.len() - END_DIGITS..]);
            format!("<mpz of {count} digits: {first}...{last}>")
        };
        let shown = shown.into_bound_py_any(py)?;
        printer
            .call_method1(intern!(py, "text"), (shown,))
            .map(drop)
    }
}
