//! Number theory: functions of the prime factors, primes counted, residues, and the numbers of
//! combinatorics.

use bezout::{Error, Int, theory};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::border::{Effort, bits, run};
use crate::convert::{Count, Integer};
use crate::mpz::{Number, Numbers, items, objects};

/// Numbers of at most so many bits are factored in some microseconds.
const SHORT_BITS: u64 = 40;
/// Arguments up to which the numbers of combinatorics are there in some microseconds.
const SHORT_INDEX: u64 = 30;

/// How long work takes that factors these numbers.
fn factoring(numbers: &[&Int]) -> Effort {
    if numbers.iter().all(|n| bits(n) <= SHORT_BITS) {
        Effort::Short
    } else {
        Effort::Long
    }
}

fn number(
    py: Python<'_>,
    n: &Int,
    work: impl FnOnce() -> Result<Int, Error> + Send,
) -> PyResult<Number> {
    run(py, factoring(&[n]), work).map(Number)
}

fn index(n: u64) -> Effort {
    if n <= SHORT_INDEX {
        Effort::Short
    } else {
        Effort::Long
    }
}

/// All divisors of n >= 1, in ascending order.
///
/// >>> import bezout
/// >>> bezout.divisors(12)
/// [mpz(1), mpz(2), mpz(3), mpz(4), mpz(6), mpz(12)]
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn divisors(py: Python<'_>, n: Integer) -> PyResult<Numbers> {
    run(py, factoring(&[&n.0]), || theory::divisors(&n.0)).map(objects)
}

/// How many divisors n >= 1 has.
///
/// >>> import bezout
/// >>> bezout.divisor_count(360)
/// mpz(24)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn divisor_count(py: Python<'_>, n: Integer) -> PyResult<Number> {
    number(py, &n.0, || theory::divisor_count(&n.0))
}

/// The sum of the k-th powers of the divisors of n >= 1.
///
/// >>> import bezout
/// >>> bezout.divisor_sum(6), bezout.divisor_sum(6, 2)
/// (mpz(12), mpz(50))
#[pyfunction]
#[pyo3(signature = (n, k = Count(1), /), text_signature = "(n, k=1, /)")]
pub(crate) fn divisor_sum(py: Python<'_>, n: Integer, k: Count) -> PyResult<Number> {
    number(py, &n.0, || theory::divisor_sum(&n.0, k.0))
}

/// Möbius's function of n >= 1: 0 if the square of a prime divides n, else 1 or -1 by the number of
/// its prime factors.
///
/// >>> import bezout
/// >>> [bezout.moebius(n) for n in range(1, 7)]
/// [1, -1, -1, 0, -1, 1]
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn moebius(py: Python<'_>, n: Integer) -> PyResult<i32> {
    run(py, factoring(&[&n.0]), || theory::moebius(&n.0))
}

/// Euler's phi of n >= 1: how many of 1, 2, ..., n have no divisor in common with n.
///
/// >>> import bezout
/// >>> bezout.totient(36), bezout.totient(2**61 - 1) == 2**61 - 2
/// (mpz(12), True)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn totient(py: Python<'_>, n: Integer) -> PyResult<Number> {
    number(py, &n.0, || theory::totient(&n.0))
}

/// How many primes there are up to n, for n up to 2**46.
///
/// >>> import bezout
/// >>> bezout.prime_count(10**6)
/// 78498
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn prime_count(py: Python<'_>, n: Count) -> PyResult<u64> {
    run(py, index(n.0), || theory::prime_count(n.0))
}

/// The n-th prime, n >= 1: the first one is 2.
///
/// >>> import bezout
/// >>> bezout.nth_prime(78498)
/// 999983
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn nth_prime(py: Python<'_>, n: Count) -> PyResult<u64> {
    run(py, index(n.0), || theory::nth_prime(n.0))
}

/// The least x >= 0 with x = r modulo m for every pair of a remainder r and a modulus m.
///
/// Moduli may have common divisors. ValueError if no number has these remainders.
///
/// >>> import bezout
/// >>> bezout.crt([2, 3, 2], [3, 5, 7])
/// mpz(23)
#[pyfunction]
#[pyo3(signature = (remainders, moduli, /))]
pub(crate) fn crt(
    py: Python<'_>,
    remainders: &Bound<'_, PyAny>,
    moduli: &Bound<'_, PyAny>,
) -> PyResult<Number> {
    let (remainders, moduli) = (items(remainders)?, items(moduli)?);
    if remainders.len() != moduli.len() {
        let (r, m) = (remainders.len(), moduli.len());
        return Err(PyValueError::new_err(format!(
            "crt() got {r} remainders and {m} moduli"
        )));
    }
    if moduli.iter().any(Int::is_zero) {
        return Err(PyValueError::new_err("crt() moduli must not be 0"));
    }
    let total: u64 = moduli.iter().map(bits).fold(0, u64::saturating_add);
    let effort = if total <= 512 {
        Effort::Short
    } else {
        Effort::Long
    };
    let value = run(py, effort, || {
        let pairs = remainders.into_iter().zip(moduli);
        let pairs = pairs.map(|(remainder, modulus)| Ok((remainder, modulus.try_abs()?)));
        theory::chinese_remainder(&pairs.collect::<Result<Vec<_>, Error>>()?)
    })?;
    Ok(Number(value))
}

/// The least k >= 1 with a**k = 1 modulo m. ValueError if a and m have a common divisor.
///
/// >>> import bezout
/// >>> bezout.multiplicative_order(2, 7)
/// mpz(3)
#[pyfunction]
#[pyo3(signature = (a, m, /))]
pub(crate) fn multiplicative_order(py: Python<'_>, a: Integer, m: Integer) -> PyResult<Number> {
    number(py, &m.0, || theory::multiplicative_order(&a.0, &m.0))
}

/// The least number whose powers are all numbers modulo m that have no divisor in common with m.
/// ValueError if there is none.
///
/// >>> import bezout
/// >>> bezout.primitive_root(10**9 + 7)
/// mpz(5)
#[pyfunction]
#[pyo3(signature = (m, /))]
pub(crate) fn primitive_root(py: Python<'_>, m: Integer) -> PyResult<Number> {
    number(py, &m.0, || theory::primitive_root(&m.0))
}

/// The least x >= 0 with g**x = a modulo m. ValueError if there is none. Primes that divide the
/// order of g have at most 42 bits.
///
/// >>> import bezout
/// >>> bezout.discrete_log(13, 3, 17)
/// mpz(4)
#[pyfunction]
#[pyo3(signature = (a, g, m, /))]
pub(crate) fn discrete_log(py: Python<'_>, a: Integer, g: Integer, m: Integer) -> PyResult<Number> {
    run(py, Effort::Long, || theory::discrete_log(&a.0, &g.0, &m.0)).map(Number)
}

/// A square root of a modulo m >= 1. ValueError if a is no square.
///
/// >>> import bezout
/// >>> bezout.sqrt_mod(2, 7)
/// mpz(3)
#[pyfunction]
#[pyo3(signature = (a, m, /))]
pub(crate) fn sqrt_mod(py: Python<'_>, a: Integer, m: Integer) -> PyResult<Number> {
    number(py, &m.0, || theory::sqrt_mod(&a.0, &m.0))
}

/// The n-th number of Bernoulli, with B(1) = -1/2.
///
/// >>> import bezout
/// >>> bezout.bernoulli(12)
/// Fraction(-691, 2730)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn bernoulli<'py>(py: Python<'py>, n: Count) -> PyResult<Bound<'py, PyAny>> {
    let (over, under) = run(py, index(n.0), || theory::bernoulli(n.0))?;
    let whole = |value: Int| Number(value).into_pyobject(py)?.call_method0("__int__");
    let fraction = py.import("fractions")?.getattr("Fraction")?;
    fraction.call1((whole(over)?, whole(under)?))
}

/// In how many ways n is a sum of positive numbers, whatever their order.
///
/// >>> import bezout
/// >>> bezout.partitions(100)
/// mpz(190569292)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn partitions(py: Python<'_>, n: Count) -> PyResult<Number> {
    run(py, index(n.0), || theory::partitions(n.0)).map(Number)
}

/// In how many ways n things can be put into groups.
///
/// >>> import bezout
/// >>> bezout.bell(10)
/// mpz(115975)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn bell(py: Python<'_>, n: Count) -> PyResult<Number> {
    run(py, index(n.0), || theory::bell(n.0)).map(Number)
}

/// In how many ways n things can be put on k cycles (kind 1) or into k groups (kind 2).
///
/// >>> import bezout
/// >>> bezout.stirling(5, 2, kind=1), bezout.stirling(5, 2)
/// (mpz(50), mpz(15))
#[pyfunction]
#[pyo3(signature = (n, k, /, *, kind = 2))]
pub(crate) fn stirling(py: Python<'_>, n: Count, k: Count, kind: u32) -> PyResult<Number> {
    let work = match kind {
        1 => theory::stirling_first,
        2 => theory::stirling_second,
        _ => return Err(PyValueError::new_err("kind must be 1 or 2")),
    };
    run(py, index(n.0), || work(n.0, k.0)).map(Number)
}

/// The n-th number of Catalan: in how many ways n pairs of brackets can be written.
///
/// >>> import bezout
/// >>> bezout.catalan(10)
/// mpz(16796)
#[pyfunction]
#[pyo3(signature = (n, /))]
pub(crate) fn catalan(py: Python<'_>, n: Count) -> PyResult<Number> {
    run(py, index(n.0), || theory::catalan(n.0)).map(Number)
}

/// The sum of the digits of abs(x) in a base from 2 to 36.
///
/// >>> import bezout
/// >>> bezout.digit_sum(2**100), bezout.digit_sum(255, 16)
/// (mpz(115), mpz(30))
#[pyfunction]
#[pyo3(signature = (x, base = 10, /))]
pub(crate) fn digit_sum(py: Python<'_>, x: Integer, base: u32) -> PyResult<Number> {
    let effort = if bits(&x.0) <= 1024 {
        Effort::Short
    } else {
        Effort::Long
    };
    run(py, effort, || theory::digit_sum(&x.0, base)).map(Number)
}
