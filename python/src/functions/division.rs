//! Division by every rounding, by numbers and by powers of two.

use bezout::{Error, Int};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::border::{bits, linear, product, run};
use crate::convert::{Count, Integer};
use crate::mpz::{Number, two};

/// The quotient and the remainder as a tuple.
pub(crate) fn pair<'py>(
    py: Python<'py>,
    a: &Int,
    b: &Int,
    work: impl Fn(&Int, &Int) -> Result<(Int, Int), Error> + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let results = run(py, product(bits(a) + bits(b)), || work(a, b))?;
    Ok(two(py, results)?.into_any())
}

fn one(
    py: Python<'_>,
    a: &Int,
    b: &Int,
    work: impl Fn(&Int, &Int) -> Result<Int, Error> + Sync,
) -> PyResult<Number> {
    run(py, product(bits(a) + bits(b)), || work(a, b)).map(Number)
}

/// Whether d divides a; 0 divides 0 alone.
pub(crate) fn divides(py: Python<'_>, a: &Int, d: &Int) -> PyResult<bool> {
    run(py, product(bits(a) + bits(d)), || a.try_is_multiple_of(d))
}

/// Whether a is b modulo m; modulo 0 only equal numbers are congruent.
pub(crate) fn congruent(py: Python<'_>, a: &Int, b: &Int, m: &Int) -> PyResult<bool> {
    run(py, product(bits(a) + bits(b) + bits(m)), || {
        a.try_is_congruent(b, m)
    })
}

/// The functions of one rounding: quotient, remainder and both.
macro_rules! rounding {
    ($($div:ident $mod:ident $divmod:ident: $quotient:ident $remainder:ident $both:ident,
        $what:literal, $example:literal $answer:literal;)*) => {$(
        #[doc = concat!("The quotient of x divided by y, rounded ", $what, ".")]
        #[doc = ""]
        #[doc = concat!(
            ">>> import bezout\n>>> bezout.", stringify!($divmod), $example, "\n", $answer
        )]
        #[pyfunction]
        #[pyo3(signature = (x, y, /))]
        pub(crate) fn $div(py: Python<'_>, x: Integer, y: Integer) -> PyResult<Number> {
            one(py, &x.0, &y.0, Int::$quotient)
        }

        #[doc = concat!(
            "What x leaves when it is divided by y, with the quotient rounded ", $what, "."
        )]
        #[pyfunction]
        #[pyo3(signature = (x, y, /))]
        pub(crate) fn $mod(py: Python<'_>, x: Integer, y: Integer) -> PyResult<Number> {
            one(py, &x.0, &y.0, Int::$remainder)
        }

        #[doc = concat!("The quotient of x divided by y, rounded ", $what, ", and the remainder.")]
        #[doc = ""]
        #[doc = concat!(
            ">>> import bezout\n>>> bezout.", stringify!($divmod), $example, "\n", $answer
        )]
        #[pyfunction]
        #[pyo3(signature = (x, y, /))]
        pub(crate) fn $divmod<'py>(
            py: Python<'py>,
            x: Integer,
            y: Integer,
        ) -> PyResult<Bound<'py, PyAny>> {
            pair(py, &x.0, &y.0, Int::$both)
        }
    )*};
}

rounding! {
    c_div c_mod c_divmod: try_div_ceil try_rem_ceil try_div_rem_ceil,
        "upwards", "(7, 2)" "(mpz(4), mpz(-1))";
    f_div f_mod f_divmod: try_div_floor try_rem_floor try_div_rem_floor,
        "downwards", "(-7, 2)" "(mpz(-4), mpz(1))";
    t_div t_mod t_divmod: try_div try_rem try_div_rem,
        "towards zero", "(-7, 2)" "(mpz(-3), mpz(-1))";
}

/// How a quotient by a power of two is rounded.
#[derive(Clone, Copy)]
enum Rounding {
    Ceil,
    Floor,
    Truncate,
}

/// The quotient and the remainder by 2^n.
fn by_power(x: &Int, n: u64, rounding: Rounding) -> Result<(Int, Int), Error> {
    let up = match rounding {
        Rounding::Ceil => true,
        Rounding::Floor => false,
        Rounding::Truncate => x.try_is_negative()?,
    };
    // ⌈x / 2^n⌉ = −⌊−x / 2^n⌋. A quotient by more bits than x has is −1 or 0, and is not shifted
    // back: its remainder is x, or 2^n away from x.
    let floor = |x: &Int| {
        let quotient = x.try_shr(n)?;
        let rest = if quotient.try_is_zero()? {
            x.clone()
        } else {
            x.try_sub(&quotient.try_shl(n)?)?
        };
        Ok((quotient, rest))
    };
    if up {
        let (quotient, rest) = floor(&x.try_neg()?)?;
        Ok((quotient.try_neg()?, rest.try_neg()?))
    } else {
        floor(x)
    }
}

macro_rules! by_power {
    ($($div:ident $mod:ident $divmod:ident: $rounding:ident, $what:literal;)*) => {$(
        #[doc = concat!("The quotient of x divided by 2**n, rounded ", $what, ".")]
        #[pyfunction]
        #[pyo3(signature = (x, n, /))]
        pub(crate) fn $div(py: Python<'_>, x: Integer, n: Count) -> PyResult<Number> {
            run(py, linear(bits(&x.0)), || quotient(&x.0, n.0, Rounding::$rounding)).map(Number)
        }

        #[doc = concat!(
            "What x leaves when it is divided by 2**n, with the quotient rounded ", $what, "."
        )]
        #[pyfunction]
        #[pyo3(signature = (x, n, /))]
        pub(crate) fn $mod(py: Python<'_>, x: Integer, n: Count) -> PyResult<Number> {
            let work = || Ok(by_power(&x.0, n.0, Rounding::$rounding)?.1);
            run(py, linear(bits(&x.0)), work).map(Number)
        }

        #[doc = concat!(
            "The quotient of x divided by 2**n, rounded ", $what, ", and the remainder."
        )]
        #[pyfunction]
        #[pyo3(signature = (x, n, /))]
        pub(crate) fn $divmod<'py>(
            py: Python<'py>,
            x: Integer,
            n: Count,
        ) -> PyResult<Bound<'py, PyAny>> {
            let work = || by_power(&x.0, n.0, Rounding::$rounding);
            Ok(two(py, run(py, linear(bits(&x.0)), work)?)?.into_any())
        }
    )*};
}

/// The quotient by 2^n alone.
fn quotient(x: &Int, n: u64, rounding: Rounding) -> Result<Int, Error> {
    match rounding {
        Rounding::Floor => x.try_shr(n),
        Rounding::Truncate if !x.try_is_negative()? => x.try_shr(n),
        Rounding::Truncate | Rounding::Ceil => x.try_neg()?.try_shr(n)?.try_neg(),
    }
}

by_power! {
    c_div_2exp c_mod_2exp c_divmod_2exp: Ceil, "upwards";
    f_div_2exp f_mod_2exp f_divmod_2exp: Floor, "downwards";
    t_div_2exp t_mod_2exp t_divmod_2exp: Truncate, "towards zero";
}

/// x / y where y divides x.
///
/// Unlike gmpy2, which gives a meaningless number, bezout raises ValueError if y does not divide x.
///
/// >>> import bezout
/// >>> bezout.divexact(10**30, 10**28)
/// mpz(100)
#[pyfunction]
#[pyo3(signature = (x, y, /))]
pub(crate) fn divexact(py: Python<'_>, x: Integer, y: Integer) -> PyResult<Number> {
    one(py, &x.0, &y.0, Int::try_div_exact)
}

/// Whether d divides x; 0 divides 0 alone.
///
/// >>> import bezout
/// >>> bezout.is_divisible(6, 3)
/// True
#[pyfunction]
#[pyo3(signature = (x, d, /))]
pub(crate) fn is_divisible(py: Python<'_>, x: Integer, d: Integer) -> PyResult<bool> {
    divides(py, &x.0, &d.0)
}

/// Whether x is y modulo m; modulo 0 only equal numbers are congruent.
///
/// >>> import bezout
/// >>> bezout.is_congruent(-7, 13, 10)
/// True
#[pyfunction]
#[pyo3(signature = (x, y, m, /))]
pub(crate) fn is_congruent(py: Python<'_>, x: Integer, y: Integer, m: Integer) -> PyResult<bool> {
    congruent(py, &x.0, &y.0, &m.0)
}

/// (y, m) with x = y * f**m and m as large as possible; f > 1.
///
/// >>> import bezout
/// >>> bezout.remove(48, 2)
/// (mpz(3), 4)
#[pyfunction]
#[pyo3(signature = (x, f, /))]
pub(crate) fn remove(py: Python<'_>, x: Integer, f: Integer) -> PyResult<(Number, u64)> {
    if *f.0 < 2 {
        return Err(PyValueError::new_err("factor must be > 1"));
    }
    let (rest, count) = run(py, product(bits(&x.0) * 2), || x.0.try_remove(&f.0))?;
    Ok((Number(rest), count))
}
