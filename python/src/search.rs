//! Factors of numbers, and factors that keys share.

use bezout::factor::{self as factoring, Method, Options};
use bezout::{Int, keys};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::border::{Effort, exception, run};
use crate::convert::Integer;
use crate::mpz::{Number, items};

/// Numbers of at most so many bits are factored in some microseconds.
const SHORT_BITS: u64 = 40;

fn effort(number: &Int) -> Effort {
    match number.bit_length() {
        ..=SHORT_BITS => Effort::Short,
        _ => Effort::Long,
    }
}

/// The prime factors of n >= 1 with their exponents, in ascending order.
///
/// ``methods`` are some of "fermat", "rho", "p-1", "p+1", "ecm" and "siqs"; ``b1`` and ``b2`` are
/// bounds of the stages of curves and of p-1 and p+1, ``curves`` is the number of curves after
/// which to give up. With these, factors may be left composite. Large numbers may take for ever:
/// Ctrl-C ends the search.
///
/// >>> import bezout
/// >>> bezout.factor(2**101 - 1)
/// [(mpz(7432339208719), 1), (mpz(341117531003194129), 1)]
/// >>> bezout.factor(360)
/// [(mpz(2), 3), (mpz(3), 2), (mpz(5), 1)]
#[pyfunction]
#[pyo3(signature = (n, /, *, methods = None, b1 = None, b2 = None, curves = None, seed = 0))]
pub(crate) fn factor(
    py: Python<'_>,
    n: Integer,
    methods: Option<Vec<String>>,
    b1: Option<u64>,
    b2: Option<u64>,
    curves: Option<u64>,
    seed: u64,
) -> PyResult<Vec<(Number, u64)>> {
    let mut options = Options::default();
    if let Some(names) = methods {
        let methods: Result<Vec<Method>, _> = names.iter().map(|name| name.parse()).collect();
        options.methods = methods.map_err(exception)?;
    }
    (options.b1, options.b2) = (b1, b2);
    (options.curves, options.seed) = (curves, seed);
    factors(py, &n.0, &options)
}

fn factors(py: Python<'_>, n: &Int, options: &Options) -> PyResult<Vec<(Number, u64)>> {
    if !n.is_positive() {
        return Err(PyValueError::new_err("a number to factor must be positive"));
    }
    let found = run(py, effort(n), || factoring::factor(n, options))?;
    let pair = |factor: factoring::Factor| (Number(factor.value), factor.exponent);
    Ok(found.factors.into_iter().map(pair).collect())
}

/// A factor of n by elliptic curves, other than 1 and n, or None if none is found.
///
/// ``b1`` is the bound of the first stage, ``b2`` that of the second. Small factors come first, by
/// trial division.
///
/// >>> import bezout
/// >>> bezout.ecm((2**61 - 1) * (2**89 - 1), b1=10000, curves=100) in (2**61 - 1, 2**89 - 1)
/// True
#[pyfunction]
#[pyo3(signature = (n, /, *, b1 = None, b2 = None, curves = None, seed = 0))]
pub(crate) fn ecm(
    py: Python<'_>,
    n: Integer,
    b1: Option<u64>,
    b2: Option<u64>,
    curves: Option<u64>,
    seed: u64,
) -> PyResult<Option<Number>> {
    let mut options = Options::default().methods(&[Method::Ecm]);
    (options.b1, options.b2) = (b1, b2);
    (options.curves, options.seed) = (curves, seed);
    let found = factors(py, &n.0, &options)?.into_iter().next();
    Ok(found
        .map(|(value, _)| value)
        .filter(|value| value.0 != *n.0))
}

/// The prime factors of many numbers from 1 to 2**128 - 1, made for millions of them.
///
/// >>> import bezout
/// >>> bezout.factor_many([12, 97, 2**64 + 1])
/// [[2, 2, 3], [97], [274177, 67280421310721]]
#[pyfunction]
#[pyo3(signature = (numbers, /))]
pub(crate) fn factor_many(py: Python<'_>, numbers: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u128>>> {
    let refusal = || PyValueError::new_err("numbers must be from 1 to 2**128 - 1");
    let short = |number: &Int| {
        u128::try_from(number)
            .ok()
            .filter(|n| *n > 0)
            .ok_or_else(refusal)
    };
    let numbers: Vec<u128> = items(numbers)?.iter().map(short).collect::<PyResult<_>>()?;
    let found = run(py, Effort::Long, || factoring::factor_many(&numbers))?;
    Ok((0..found.len()).map(|at| found.of(at).to_vec()).collect())
}

/// The factors that different moduli share: pairs of a factor and of the places of the moduli that
/// it divides.
///
/// >>> import bezout
/// >>> bezout.batch_gcd([101 * 103, 107 * 109, 103 * 113])
/// [(mpz(103), [0, 2])]
#[pyfunction]
#[pyo3(signature = (moduli, /))]
pub(crate) fn batch_gcd(
    py: Python<'_>,
    moduli: &Bound<'_, PyAny>,
) -> PyResult<Vec<(Number, Vec<usize>)>> {
    let moduli = items(moduli)?;
    let shared = run(py, Effort::Long, || keys::shared_factors(&moduli))?;
    Ok(shared
        .into_iter()
        .map(|shared| (Number(shared.factor), shared.moduli))
        .collect())
}
