//! Numbers that have names.

use bezout::{Error, Int, memory};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::border::{Effort, bits, product, run};
use crate::convert::{Count, Integer};
use crate::mpz::{Number, two};

/// A number of about so many bits.
fn made(
    py: Python<'_>,
    size: u64,
    work: impl FnOnce() -> Result<Int, Error> + Send,
) -> PyResult<Number> {
    run(py, product(size), work).map(Number)
}

/// About log2(n!), or less.
fn factorial_bits(n: u64) -> u64 {
    n.saturating_mul(u64::from(n.max(2).ilog2()))
}

/// n!.
///
/// >>> import bezout
/// >>> bezout.fac(20)
/// mpz(2432902008176640000)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn fac(py: Python<'_>, n: Count) -> PyResult<Number> {
    made(py, factorial_bits(n.0), || Int::try_factorial(n.0))
}

/// n!! = n * (n-2) * (n-4) * ….
///
/// >>> import bezout
/// >>> bezout.double_fac(7)
/// mpz(105)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn double_fac(py: Python<'_>, n: Count) -> PyResult<Number> {
    made(py, factorial_bits(n.0) / 2, || {
        Int::try_double_factorial(n.0)
    })
}

/// n * (n-m) * (n-2m) * …, over positive factors.
///
/// >>> import bezout
/// >>> bezout.multi_fac(10, 3)
/// mpz(280)
#[pyfunction]
#[pyo3(signature = (n, m, /))]
pub(crate) fn multi_fac(py: Python<'_>, n: Count, m: Count) -> PyResult<Number> {
    match m.0 {
        // As in GMP.
        0 => Ok(Number(Int::from(n.0.max(1)))),
        m => made(py, factorial_bits(n.0) / m, || {
            Int::try_multi_factorial(n.0, m)
        }),
    }
}

/// The product of all primes up to n.
///
/// >>> import bezout
/// >>> bezout.primorial(10)
/// mpz(210)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn primorial(py: Python<'_>, n: Count) -> PyResult<Number> {
    made(py, n.0.saturating_mul(2), || Int::try_primorial(n.0))
}

/// The Fibonacci number F(n).
///
/// >>> import bezout
/// >>> bezout.fib(100)
/// mpz(354224848179261915075)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn fib(py: Python<'_>, n: Count) -> PyResult<Number> {
    made(py, n.0, || Int::try_fibonacci(n.0))
}

/// (F(n), F(n-1)).
///
/// >>> import bezout
/// >>> bezout.fib2(10)
/// (mpz(55), mpz(34))
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn fib2<'py>(py: Python<'py>, n: Count) -> PyResult<Bound<'py, PyTuple>> {
    let results = run(py, product(n.0), || {
        let previous =
            n.0.checked_sub(1)
                .map_or(Ok(Int::ONE), Int::try_fibonacci)?;
        Ok((Int::try_fibonacci(n.0)?, previous))
    })?;
    two(py, results)
}

/// The Lucas number L(n).
///
/// >>> import bezout
/// >>> bezout.lucas(10)
/// mpz(123)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn lucas(py: Python<'_>, n: Count) -> PyResult<Number> {
    made(py, n.0, || Int::try_lucas(n.0))
}

/// (L(n), L(n-1)).
///
/// >>> import bezout
/// >>> bezout.lucas2(10)
/// (mpz(123), mpz(76))
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn lucas2<'py>(py: Python<'py>, n: Count) -> PyResult<Bound<'py, PyTuple>> {
    let results = run(py, product(n.0), || {
        let previous =
            n.0.checked_sub(1)
                .map_or(Ok(Int::from(-1)), Int::try_lucas)?;
        Ok((Int::try_lucas(n.0)?, previous))
    })?;
    two(py, results)
}

/// The binomial coefficient "n choose k", for any n and k >= 0.
///
/// >>> import bezout
/// >>> bezout.bincoef(10, 3), bezout.bincoef(-10, 3)
/// (mpz(120), mpz(-220))
#[pyfunction]
#[pyo3(signature = (n, k, /))]
pub(crate) fn bincoef(py: Python<'_>, n: Integer, k: Count) -> PyResult<Number> {
    let (n, k) = (n.0, k.0);
    let effort = product(bits(&n).saturating_mul(k.min(1 << 40)));
    let effort = if k > 1 << 20 { Effort::Long } else { effort };
    run(py, effort, || coefficient(&n, k)).map(Number)
}

/// The binomial coefficient "n choose k"; another name of bincoef.
///
/// >>> import bezout
/// >>> bezout.comb(49, 6)
/// mpz(13983816)
#[pyfunction]
#[pyo3(signature = (n, k, /))]
pub(crate) fn comb(py: Python<'_>, n: Integer, k: Count) -> PyResult<Number> {
    bincoef(py, n, k)
}

fn coefficient(n: &Int, k: u64) -> Result<Int, Error> {
    if let Ok(n) = u64::try_from(n) {
        return Int::try_binomial(n, k);
    }
    if n.try_is_negative()? {
        // (n over k) = (−1)^k · (k − n − 1 over k).
        let mirrored = Int::from(k).try_sub(n)?.try_add_small(-1)?;
        let value = coefficient(&mirrored, k)?;
        return if k % 2 == 1 {
            value.try_neg()
        } else {
            Ok(value)
        };
    }
    // n is above 2^64: a product of k numbers by k!.
    let bits = u128::from(n.bit_length()) * u128::from(k);
    memory::check("the binomial coefficient", bits)?;
    let mut factors = memory::room("the binomial coefficient", k as usize)?;
    for i in 0..k {
        factors.push(n.try_sub(&Int::from(i))?);
    }
    bezout::tree::product(&factors)?.try_div_exact(&Int::try_factorial(k)?)
}
