//! Digits of mathematical constants.

use bezout::constant::{Constant, Digits};
use pyo3::prelude::*;

use crate::border::{exception, product, run};

/// The digits of a constant, cut after so many behind the point.
///
/// Names are "pi", "e", "sqrt2", "phi" (the golden ratio), "ln2", "zeta3", "catalan" and "gamma"
/// (Euler's constant). ``base`` is from 2 to 36.
///
/// >>> import bezout
/// >>> bezout.constant("pi", 20), bezout.constant("e", 10, base=16)
/// ('3.14159265358979323846', '2.b7e151628a')
#[pyfunction]
#[pyo3(signature = (name, digits = 50, /, *, base = 10))]
pub(crate) fn constant(py: Python<'_>, name: &str, digits: u64, base: u32) -> PyResult<String> {
    let constant: Constant = name.parse().map_err(exception)?;
    // A digit takes a logarithmic number of products of all bits.
    let effort = product(digits.saturating_mul(256));
    run(py, effort, || {
        Digits::new(constant, digits).radix(base).try_text()
    })
}
