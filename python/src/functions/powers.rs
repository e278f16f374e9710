//! Powers modulo a number, and roots.

use bezout::{Engine, Error, Int};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyTuple};
use rayon::prelude::*;

use crate::border::{Effort, Stop, bits, choose, product, run};
use crate::convert::Integer;
use crate::mpz::{Number, Numbers, items, objects, two};

/// How long a power modulo a number of so many bits takes, or several.
fn effort(exponent: u64, modulus: u64, count: u64) -> Effort {
    // A step takes about (bits / 64)^2 nanoseconds, and faster products only for long numbers.
    let step = (modulus / 64 + 1)
        .saturating_pow(2)
        .min(modulus.saturating_mul(8));
    choose(
        exponent.saturating_mul(step).saturating_mul(count),
        4096,
        10_000_000,
    )
}

/// pow(base, exponent, modulus) with the sign of the modulus, as Python has it.
pub(crate) fn power_modulo(
    py: Python<'_>,
    base: &Int,
    exponent: &Int,
    modulus: &Int,
) -> PyResult<Int> {
    if modulus.is_zero() {
        return Err(PyValueError::new_err("pow() 3rd argument cannot be 0"));
    }
    let effort = effort(bits(exponent), bits(modulus), 1);
    let result = run(py, effort, || match base.try_pow_mod(exponent, modulus) {
        Err(Error::Domain(_)) => Ok(None),
        Ok(rest) if modulus.try_is_negative()? && !rest.try_is_zero()? => {
            rest.try_add(modulus).map(Some)
        }
        result => result.map(Some),
    })?;
    result.ok_or_else(not_invertible)
}

fn not_invertible() -> PyErr {
    PyValueError::new_err("pow() base not invertible")
}

/// x**y modulo m, with the sign of m. A negative y takes the inverse.
///
/// >>> import bezout
/// >>> bezout.powmod(3, 10**20, 10**9 + 7)
/// mpz(139421235)
/// >>> bezout.powmod(3, -1, 7)
/// mpz(5)
#[pyfunction]
#[pyo3(signature = (x, y, m, /))]
pub(crate) fn powmod(py: Python<'_>, x: Integer, y: Integer, m: Integer) -> PyResult<Number> {
    power_modulo(py, &x.0, &y.0, &m.0).map(Number)
}

/// Raises NotImplementedError. The name is gmpy2's, for powers of secrets in constant time: the
/// time that bezout takes depends on the operands. Use a library of cryptography.
#[pyfunction]
#[pyo3(signature = (x, y, m, /))]
pub(crate) fn powmod_sec(x: Integer, y: Integer, m: Integer) -> PyResult<Number> {
    let _ = (x, y, m);
    Err(PyNotImplementedError::new_err(
        "nothing in bezout takes constant time, so that powmod_sec would leak its exponent: use a \
         library of cryptography for secrets, or powmod where nothing is secret",
    ))
}

/// Numbers of a list, or of another sequence.
fn sequence(values: &Bound<'_, PyAny>, place: &str, name: &str) -> PyResult<Vec<Int>> {
    if values.cast::<PySequence>().is_err() {
        let what = format!("the {place} argument to {name} must be a sequence");
        return Err(PyTypeError::new_err(what));
    }
    items(values).map_err(|error| {
        if error.is_instance_of::<PyTypeError>(values.py()) {
            PyTypeError::new_err("all items in iterable must be integers")
        } else {
            error
        }
    })
}

fn positive(modulus: &Int, name: &str) -> PyResult<()> {
    if modulus.is_positive() {
        Ok(())
    } else {
        Err(PyValueError::new_err(format!("{name}() 'mod' must be > 0")))
    }
}

/// All powers, on as many threads as there are.
fn many(
    py: Python<'_>,
    count: usize,
    effort: Effort,
    power: impl Fn(usize) -> Result<Int, Error> + Sync,
) -> PyResult<Numbers> {
    let powers: Vec<Option<Int>> = run(py, effort, || {
        // Each thread takes some, under the engine of the one that asks.
        let (engine, stop) = (Engine::current(), Stop::current());
        let power = |at| match stop.watch(|| engine.scope(|| power(at))) {
            Err(Error::Domain(_)) => Ok(None),
            result => result.map(Some),
        };
        match effort {
            Effort::Short => (0..count).map(power).collect(),
            _ => (0..count).into_par_iter().map(power).collect(),
        }
    })?;
    let powers: Option<Vec<Int>> = powers.into_iter().collect();
    Ok(objects(powers.ok_or_else(not_invertible)?))
}

/// [powmod(x, exp, mod) for x in base_lst], on all cores.
///
/// >>> import bezout
/// >>> bezout.powmod_base_list([1, 2, 3], 5, 7)
/// [mpz(1), mpz(4), mpz(5)]
#[pyfunction]
#[pyo3(signature = (base_lst, exp, r#mod, /), text_signature = "(base_lst, exp, mod, /)")]
pub(crate) fn powmod_base_list(
    py: Python<'_>,
    base_lst: &Bound<'_, PyAny>,
    exp: Integer,
    r#mod: Integer,
) -> PyResult<Numbers> {
    let bases = sequence(base_lst, "first", "powmod_base_list")?;
    positive(&r#mod.0, "powmod_base_list")?;
    let effort = effort(bits(&exp.0), bits(&r#mod.0), bases.len() as u64);
    many(py, bases.len(), effort, |at| {
        bases[at].try_pow_mod(&exp.0, &r#mod.0)
    })
}

/// [powmod(base, y, mod) for y in exp_lst], on all cores.
///
/// >>> import bezout
/// >>> bezout.powmod_exp_list(2, [1, 2, 3], 7)
/// [mpz(2), mpz(4), mpz(1)]
#[pyfunction]
#[pyo3(signature = (base, exp_lst, r#mod, /), text_signature = "(base, exp_lst, mod, /)")]
pub(crate) fn powmod_exp_list(
    py: Python<'_>,
    base: Integer,
    exp_lst: &Bound<'_, PyAny>,
    r#mod: Integer,
) -> PyResult<Numbers> {
    let exponents = sequence(exp_lst, "second", "powmod_exp_list")?;
    positive(&r#mod.0, "powmod_exp_list")?;
    let longest = exponents.iter().map(bits).max().unwrap_or(0);
    let effort = effort(longest, bits(&r#mod.0), exponents.len() as u64);
    many(py, exponents.len(), effort, |at| {
        base.0.try_pow_mod(&exponents[at], &r#mod.0)
    })
}

/// x * x.
///
/// >>> import bezout
/// >>> bezout.square(-12)
/// mpz(144)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn square(py: Python<'_>, x: Integer) -> PyResult<Number> {
    run(py, product(2 * bits(&x.0)), || x.0.try_square()).map(Number)
}

fn refuse_negative(x: &Int, name: &str) -> PyResult<()> {
    if x.is_negative() {
        Err(PyValueError::new_err(format!(
            "{name}() of negative number"
        )))
    } else {
        Ok(())
    }
}

/// The square root, rounded down.
///
/// >>> import bezout
/// >>> bezout.isqrt(99)
/// mpz(9)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn isqrt(py: Python<'_>, x: Integer) -> PyResult<Number> {
    refuse_negative(&x.0, "isqrt")?;
    run(py, product(bits(&x.0)), || x.0.try_isqrt()).map(Number)
}

/// (s, r) with s the square root of x, rounded down, and x = s*s + r.
///
/// >>> import bezout
/// >>> bezout.isqrt_rem(99)
/// (mpz(9), mpz(18))
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn isqrt_rem<'py>(py: Python<'py>, x: Integer) -> PyResult<Bound<'py, PyTuple>> {
    refuse_negative(&x.0, "isqrt_rem")?;
    let results = run(py, product(bits(&x.0)), || x.0.try_sqrt_rem())?;
    two(py, results)
}

/// The exponent of a root.
fn exponent(n: &Int) -> PyResult<u64> {
    if n.is_positive() {
        u64::try_from(n).map_err(|_| pyo3::exceptions::PyOverflowError::new_err("n is too large"))
    } else {
        Err(PyValueError::new_err("n must be > 0"))
    }
}

/// (y, exact) with y the n-th root of x, rounded down, and whether y**n is x.
///
/// >>> import bezout
/// >>> bezout.iroot(28, 3)
/// (mpz(3), False)
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(crate) fn iroot(py: Python<'_>, x: Integer, n: Integer) -> PyResult<(Number, bool)> {
    let n = exponent(&n.0)?;
    refuse_negative(&x.0, "iroot")?;
    let (root, rest) = run(py, product(bits(&x.0)), || x.0.try_root_rem(n))?;
    Ok((Number(root), rest.is_zero()))
}

/// (y, r) with y the n-th root of x, rounded down, and x = y**n + r.
///
/// >>> import bezout
/// >>> bezout.iroot_rem(28, 3)
/// (mpz(3), mpz(1))
#[pyfunction]
#[pyo3(signature = (x, n, /))]
pub(crate) fn iroot_rem<'py>(
    py: Python<'py>,
    x: Integer,
    n: Integer,
) -> PyResult<Bound<'py, PyTuple>> {
    let n = exponent(&n.0)?;
    refuse_negative(&x.0, "iroot_rem")?;
    let results = run(py, product(bits(&x.0)), || x.0.try_root_rem(n))?;
    two(py, results)
}

/// Whether x is the square of an integer.
///
/// >>> import bezout
/// >>> bezout.is_square(10**40)
/// True
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn is_square(py: Python<'_>, x: Integer) -> PyResult<bool> {
    run(py, product(bits(&x.0)), || x.0.try_is_square())
}

/// Whether a number is a power with an exponent above 1.
pub(crate) fn is_perfect_power(py: Python<'_>, x: &Int) -> PyResult<bool> {
    let effort = product(bits(x) * 8);
    run(py, effort, || Ok(x.try_perfect_power()?.is_some()))
}

/// Whether x is a power with an exponent above 1.
///
/// >>> import bezout
/// >>> bezout.is_power(2**89), bezout.is_power(12)
/// (True, False)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn is_power(py: Python<'_>, x: Integer) -> PyResult<bool> {
    is_perfect_power(py, &x.0)
}
