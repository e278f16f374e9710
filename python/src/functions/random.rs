//! Random numbers. The generator is not gmpy2's, so equal seeds give other numbers than there.

use std::sync::{Mutex, PoisonError};

use bezout::{Error, Int};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::border::{linear, run};
use crate::convert::{Count, Integer};
use crate::mpz::Number;

/// The state of a generator of random numbers, for mpz_random and its kin. It is not for secrets.
///
/// >>> import bezout
/// >>> state = bezout.random_state(42)
/// >>> 0 <= bezout.mpz_random(state, 100) < 100
/// True
#[pyclass(name = "random_state", module = "bezout", frozen)]
pub(crate) struct RandomState(Mutex<Xoshiro256PlusPlus>);

#[pymethods]
impl RandomState {
    #[new]
    #[pyo3(signature = (seed = None, /))]
    fn new(seed: Option<&Bound<'_, PyAny>>) -> PyResult<RandomState> {
        let seed = match seed {
            None => Int::ZERO,
            Some(seed) => match seed.extract::<Integer>() {
                Ok(Integer(seed)) => seed.into_owned(),
                Err(_) => return Err(PyTypeError::new_err("seed must be an integer")),
            },
        };
        // All limbs of the seed count: each is mixed with what the ones before it gave.
        let start = u64::from(seed.is_negative());
        let mixed = seed.limbs().iter().fold(start, |seed, limb| {
            Xoshiro256PlusPlus::seed_from_u64(seed).random::<u64>() ^ limb
        });
        Ok(RandomState(Mutex::new(Xoshiro256PlusPlus::seed_from_u64(
            mixed,
        ))))
    }
}

/// Draws a number of at most so many bits.
fn draw(
    py: Python<'_>,
    state: &RandomState,
    bits: u64,
    work: impl FnOnce(&mut Xoshiro256PlusPlus) -> Result<Int, Error> + Send,
) -> PyResult<Number> {
    let drawn = run(py, linear(bits), || {
        work(&mut state.0.lock().unwrap_or_else(PoisonError::into_inner))
    })?;
    Ok(Number(drawn))
}

/// A random number from 0 to n - 1, each as likely.
///
/// >>> import bezout
/// >>> bezout.mpz_random(bezout.random_state(1), 1)
/// mpz(0)
#[pyfunction]
#[pyo3(signature = (random_state, n, /))]
pub(crate) fn mpz_random(
    py: Python<'_>,
    random_state: &Bound<'_, RandomState>,
    n: Integer,
) -> PyResult<Number> {
    if !n.0.is_positive() {
        return Err(PyValueError::new_err("mpz_random() requires n > 0"));
    }
    let state = random_state.get();
    draw(py, state, n.0.bit_length(), |rng| {
        Int::try_random_below(&n.0, rng)
    })
}

/// A random number from 0 to 2**bit_count - 1, each as likely.
///
/// >>> import bezout
/// >>> bezout.mpz_urandomb(bezout.random_state(1), 100).bit_length() <= 100
/// True
#[pyfunction]
#[pyo3(signature = (random_state, bit_count, /))]
pub(crate) fn mpz_urandomb(
    py: Python<'_>,
    random_state: &Bound<'_, RandomState>,
    bit_count: Count,
) -> PyResult<Number> {
    let state = random_state.get();
    draw(py, state, bit_count.0, |rng| {
        Int::try_random_bits(bit_count.0, rng)
    })
}

/// A random number of bit_count bits with long runs of zeros and of ones, for tests.
///
/// >>> import bezout
/// >>> bezout.mpz_rrandomb(bezout.random_state(1), 100).bit_length()
/// 100
#[pyfunction]
#[pyo3(signature = (random_state, bit_count, /))]
pub(crate) fn mpz_rrandomb(
    py: Python<'_>,
    random_state: &Bound<'_, RandomState>,
    bit_count: Count,
) -> PyResult<Number> {
    let state = random_state.get();
    draw(py, state, bit_count.0, |rng| runs(bit_count.0, rng))
}

/// Runs of ones and of zeros in turn, the topmost of ones.
fn runs(count: u64, rng: &mut Xoshiro256PlusPlus) -> Result<Int, Error> {
    let (mut left, mut value, mut is_one) = (count, Int::ZERO, true);
    while left > 0 {
        let run = rng.random_range(1..=(count / 4).max(1)).min(left);
        left -= run;
        if is_one {
            value = value.try_or(&Int::try_ones(run)?.try_shl(left)?)?;
        }
        is_one = !is_one;
    }
    Ok(value)
}
