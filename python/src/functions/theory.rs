//! Common divisors, inverses, symbols and primes.

use bezout::{Error, Int, tree};
use pyo3::exceptions::{PyValueError, PyZeroDivisionError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::border::{self, Effort, bits, choose, gcd as gcd_effort, product, run};
use crate::convert::{Count, Integer};
use crate::mpz::{Number, Numbers, items, objects};

fn total(numbers: &[Int]) -> u64 {
    numbers.iter().map(bits).fold(0, u64::saturating_add)
}

fn integers(arguments: &Bound<'_, PyTuple>) -> PyResult<Vec<Int>> {
    arguments
        .iter()
        .map(|item| Ok(item.extract::<Integer>()?.0.into_owned()))
        .collect()
}

/// The greatest common divisor of all arguments; 0 of none.
///
/// >>> import bezout
/// >>> bezout.gcd(2**700 - 1, 2**420 - 1) == 2**140 - 1
/// True
/// >>> bezout.gcd(12, 18, 27)
/// mpz(3)
#[pyfunction]
#[pyo3(signature = (*integers), text_signature = "(*integers)")]
pub(crate) fn gcd(py: Python<'_>, integers: &Bound<'_, PyTuple>) -> PyResult<Number> {
    let numbers = self::integers(integers)?;
    let result = run(py, gcd_effort(total(&numbers)), || match &*numbers {
        [a, b] => a.try_gcd(b),
        _ => numbers
            .iter()
            .try_fold(Int::ZERO, |divisor, number| divisor.try_gcd(number)),
    })?;
    Ok(Number(result))
}

/// The least common multiple of all arguments; 1 of none.
///
/// >>> import bezout
/// >>> bezout.lcm(12, 18, 27)
/// mpz(108)
#[pyfunction]
#[pyo3(signature = (*integers), text_signature = "(*integers)")]
pub(crate) fn lcm(py: Python<'_>, integers: &Bound<'_, PyTuple>) -> PyResult<Number> {
    let numbers = self::integers(integers)?;
    let result = run(py, gcd_effort(total(&numbers)), || {
        numbers
            .iter()
            .try_fold(Int::ONE, |multiple, number| multiple.try_lcm(number))
    })?;
    Ok(Number(result))
}

/// (g, s, t) with g the greatest common divisor and g = a*s + b*t.
///
/// >>> import bezout
/// >>> bezout.gcdext(240, 46)
/// (mpz(2), mpz(-9), mpz(47))
#[pyfunction]
#[pyo3(signature = (a, b, /))]
pub(crate) fn gcdext(py: Python<'_>, a: Integer, b: Integer) -> PyResult<(Number, Number, Number)> {
    let effort = gcd_effort(bits(&a.0) + bits(&b.0));
    let (g, s, t) = run(py, effort, || extended(&a.0, &b.0))?;
    Ok((Number(g), Number(s), Number(t)))
}

/// The cofactors that GMP gives: |s| < |b| / 2g and |t| < |a| / 2g where there are such, and
/// otherwise s the sign of a where b = 0, and else s = 0 and t the sign of b.
pub(super) fn extended(a: &Int, b: &Int) -> Result<(Int, Int, Int), Error> {
    let (g, s, t) = a.try_extended_gcd(b)?;
    if g.try_is_zero()? {
        return Ok((g, Int::ZERO, Int::ZERO));
    }
    let (sign_a, sign_b) = (Int::from(a.try_signum()?), Int::from(b.try_signum()?));
    let (divides_a, divides_b) = (
        g.try_cmp(&a.try_abs()?)?.is_eq(),
        g.try_cmp(&b.try_abs()?)?.is_eq(),
    );
    Ok(match (divides_a, divides_b) {
        (_, true) => (g, Int::ZERO, sign_b),
        (true, _) => (g, sign_a, Int::ZERO),
        _ => (g, s, t),
    })
}

/// y with x*y = 1 modulo m; ZeroDivisionError if there is none.
///
/// >>> import bezout
/// >>> bezout.invert(3, 7)
/// mpz(5)
#[pyfunction]
#[pyo3(signature = (x, m, /))]
pub(crate) fn invert(py: Python<'_>, x: Integer, m: Integer) -> PyResult<Number> {
    if m.0.is_zero() {
        return Err(PyZeroDivisionError::new_err("invert() division by 0"));
    }
    let effort = gcd_effort(bits(&x.0) + bits(&m.0));
    match run(py, effort, || inverse(&x.0, &m.0))? {
        Some(inverse) => Ok(Number(inverse)),
        None => Err(PyZeroDivisionError::new_err("invert() no inverse exists")),
    }
}

fn inverse(x: &Int, m: &Int) -> Result<Option<Int>, Error> {
    match x.try_mod_inverse(m) {
        Err(Error::Domain(_)) => Ok(None),
        result => result.map(Some),
    }
}

/// The least x with b*x = a modulo m; ZeroDivisionError if there is none.
///
/// >>> import bezout
/// >>> bezout.divm(4, 8, 20)
/// mpz(3)
#[pyfunction]
#[pyo3(signature = (a, b, m, /))]
pub(crate) fn divm(py: Python<'_>, a: Integer, b: Integer, m: Integer) -> PyResult<Number> {
    let [a, b, m] = [a.0, b.0, m.0];
    let effort = gcd_effort(bits(&a) + bits(&b) + bits(&m));
    let quotient = run(py, effort, || {
        if m.try_is_zero()? {
            return Ok(None);
        }
        let common = a.try_gcd(&b)?.try_gcd(&m)?;
        let [a, b, m] = [
            a.try_div_exact(&common)?,
            b.try_div_exact(&common)?,
            m.try_div_exact(&common)?,
        ];
        match inverse(&b, &m)? {
            Some(inverse) => a.try_mul(&inverse)?.try_rem_euclid(&m).map(Some),
            None => Ok(None),
        }
    })?;
    quotient
        .map(Number)
        .ok_or_else(|| PyZeroDivisionError::new_err("not invertible"))
}

/// Jacobi's symbol (x|y), for an odd y.
///
/// >>> import bezout
/// >>> bezout.jacobi(3, 7)
/// -1
#[pyfunction]
#[pyo3(signature = (x, y, /))]
pub(crate) fn jacobi(py: Python<'_>, x: Integer, y: Integer) -> PyResult<i32> {
    if y.0.is_odd() {
        symbol(py, &x.0, &y.0)
    } else {
        Err(PyValueError::new_err("y must be odd"))
    }
}

/// Legendre's symbol (x|y), for an odd prime y. Whether y is prime is not checked.
///
/// >>> import bezout
/// >>> bezout.legendre(2, 7)
/// 1
#[pyfunction]
#[pyo3(signature = (x, y, /))]
pub(crate) fn legendre(py: Python<'_>, x: Integer, y: Integer) -> PyResult<i32> {
    if y.0.is_odd() && y.0.is_positive() {
        symbol(py, &x.0, &y.0)
    } else {
        Err(PyValueError::new_err("y must be odd, prime, and >0"))
    }
}

/// Kronecker's symbol (x|y), for any y.
///
/// >>> import bezout
/// >>> bezout.kronecker(3, 8)
/// -1
#[pyfunction]
#[pyo3(signature = (x, y, /))]
pub(crate) fn kronecker(py: Python<'_>, x: Integer, y: Integer) -> PyResult<i32> {
    symbol(py, &x.0, &y.0)
}

fn symbol(py: Python<'_>, x: &Int, y: &Int) -> PyResult<i32> {
    run(py, gcd_effort(bits(x) + bits(y)), || x.try_kronecker(y))
}

/// How long a test for primality takes, or a search for a prime.
fn test_effort(x: &Int) -> Effort {
    choose(bits(x), 100, 2048)
}

/// Whether a number is prime, by Baillie and PSW.
pub(crate) fn prime(py: Python<'_>, x: &Int) -> PyResult<bool> {
    run(py, test_effort(x), || {
        Ok(x.try_is_positive()? && x.try_is_probable_prime()?)
    })
}

/// 2 for a prime, 1 for a probable prime, 0 for a composite number.
pub(crate) fn probable(py: Python<'_>, x: &Int) -> PyResult<u8> {
    // GMP's bound for numbers that its own test was tried on.
    let is_tried = *x < 35u64 << 46;
    Ok(if !prime(py, x)? {
        0
    } else if is_tried {
        2
    } else {
        1
    })
}

/// Whether x is prime, by the test of Baillie and PSW: exact below 2**64, and no composite number
/// above that passes is known. The second argument is gmpy2's number of tests, and is not needed.
///
/// >>> import bezout
/// >>> bezout.is_prime(2**127 - 1)
/// True
#[pyfunction]
#[pyo3(signature = (x, n = Count(25), /), text_signature = "(x, n=25, /)")]
pub(crate) fn is_prime(py: Python<'_>, x: Integer, n: Count) -> PyResult<bool> {
    let _ = n;
    prime(py, &x.0)
}

/// 2 if x is prime, 1 if it is a probable prime, 0 if it is not prime.
///
/// >>> import bezout
/// >>> bezout.is_probab_prime(7), bezout.is_probab_prime(2**127 - 1), bezout.is_probab_prime(561)
/// (2, 1, 0)
#[pyfunction]
#[pyo3(signature = (x, n = Count(25), /), text_signature = "(x, n=25, /)")]
pub(crate) fn is_probab_prime(py: Python<'_>, x: Integer, n: Count) -> PyResult<u8> {
    let _ = n;
    probable(py, &x.0)
}

/// The least probable prime above x.
///
/// >>> import bezout
/// >>> bezout.next_prime(10**20)
/// mpz(100000000000000000039)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn next_prime(py: Python<'_>, x: Integer) -> PyResult<Number> {
    run(py, test_effort(&x.0), || x.0.try_next_prime()).map(Number)
}

/// The greatest probable prime below x.
///
/// >>> import bezout
/// >>> bezout.prev_prime(100)
/// mpz(97)
#[pyfunction]
#[pyo3(signature = (x, /))]
pub(crate) fn prev_prime(py: Python<'_>, x: Integer) -> PyResult<Number> {
    if *x.0 < 3 {
        return Err(PyValueError::new_err("x must be >= 3"));
    }
    run(py, test_effort(&x.0), || x.0.try_prev_prime()).map(Number)
}

/// The product of all numbers, by a tree: much faster than one after the other.
///
/// >>> import bezout
/// >>> bezout.product(range(1, 21)) == bezout.fac(20)
/// True
#[pyfunction(name = "product")]
#[pyo3(signature = (numbers, /))]
pub(crate) fn product_of(py: Python<'_>, numbers: &Bound<'_, PyAny>) -> PyResult<Number> {
    let numbers = items(numbers)?;
    let effort = product(total(&numbers));
    run(py, effort, || tree::product(&numbers)).map(Number)
}

/// [x % m for m in moduli], by a tree: much faster than one after the other.
///
/// >>> import bezout
/// >>> bezout.remainders(10**100, [7, 11, 13])
/// [mpz(4), mpz(1), mpz(3)]
#[pyfunction]
#[pyo3(signature = (x, moduli, /))]
pub(crate) fn remainders(
    py: Python<'_>,
    x: Integer,
    moduli: &Bound<'_, PyAny>,
) -> PyResult<Numbers> {
    let moduli = items(moduli)?;
    if moduli.iter().any(Int::is_zero) {
        return Err(border::exception(Error::DivisionByZero));
    }
    let effort = product(total(&moduli).saturating_add(bits(&x.0)));
    let rests = run(py, effort, || {
        let rests = tree::remainders(&x.0, &moduli)?;
        // Python's remainders have the sign of the modulus.
        let floor = |(rest, m): (Int, &Int)| rest.try_rem_floor(m);
        rests
            .into_iter()
            .zip(&moduli)
            .map(floor)
            .collect::<Result<Vec<Int>, Error>>()
    })?;
    Ok(objects(rests))
}
