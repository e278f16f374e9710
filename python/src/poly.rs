//! `Poly`: polynomials modulo a prime.

use std::ffi::c_void;
use std::sync::OnceLock;

use bezout::cuda::exchange::Loan;
use bezout::poly::{Format, Modulus};
use bezout::{Batch as Rows, Error, Int, Poly as Value};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};
use pyo3::{BoundObject, IntoPyObjectExt};

use crate::array::{Array, ArrayHome, Element, is_array};
use crate::border::{Effort, choose, run};
use crate::convert::Integer;
use crate::dlpack::{self, Export, Request};
use crate::mpz::items;

/// A polynomial over the integers modulo a prime p below 2**63: of coefficients, the constant term
/// first, of text, or of an array of words with DLPack.
///
/// >>> from bezout import Poly
/// >>> f = Poly("x^6 - 1", 101)
/// >>> g = Poly([2, 1, 0, 0, 1], 101)
/// >>> f % g
/// Poly('100*x^3 + 99*x^2 + 100', 101)
/// >>> (f * g).degree
/// 10
#[pyclass(name = "Poly", module = "bezout", frozen)]
pub(crate) struct Poly(Value, OnceLock<Loan>);

impl From<Value> for Poly {
    fn from(value: Value) -> Poly {
        Poly(value, OnceLock::new())
    }
}

impl Export for Poly {
    fn element(&self) -> Element {
        Element::U64
    }

    fn shape(&self) -> Result<Vec<usize>, Error> {
        Ok(vec![self.0.try_len()?])
    }

    fn ordinal(&self) -> Option<u32> {
        self.0.device_ordinal()
    }

    fn host(&self) -> Result<*const c_void, Error> {
        Ok(self.0.try_coefficients()?.as_ptr().cast())
    }

    fn lend(&self, n: u32) -> Result<Loan, Error> {
        self.0.lend(n)
    }

    fn pinned(&self) -> &OnceLock<Loan> {
        &self.1
    }
}

/// How long work on so many coefficients takes.
fn effort(count: usize) -> Effort {
    choose(count as u64, 256, 100_000)
}

/// For what takes a logarithm or two more time than a product.
fn long_effort(count: usize) -> Effort {
    choose(count as u64, 32, 10_000)
}

fn modulus(p: &Int) -> PyResult<Modulus> {
    let refusal = |_| PyValueError::new_err("the modulus must be a prime below 2**63");
    let p = u64::try_from(p).map_err(refusal)?;
    Modulus::new(p).map_err(crate::border::exception)
}

impl Poly {
    /// Another operand: a polynomial, or an integer modulo p. None for what is neither.
    fn other(&self, other: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
        if let Ok(other) = other.cast::<Poly>() {
            return Ok(Some(other.get().0.clone()));
        }
        match other.extract::<Integer>() {
            Ok(Integer(c)) => self.constant(&c).map(Some),
            Err(error) if error.is_instance_of::<PyTypeError>(other.py()) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn constant(&self, c: &Int) -> PyResult<Value> {
        let modulus = self.0.modulus();
        let rest = c
            .try_rem_floor(&Int::from(modulus.get()))
            .map_err(crate::border::exception)?;
        Ok(Value::constant(
            u64::try_from(&rest).unwrap_or_default(),
            modulus,
        ))
    }

    fn binary<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        work: impl Fn(&Value, &Value) -> Result<Value, Error> + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Some(other) = self.other(other)? else {
            return Ok(pyo3::types::PyNotImplemented::get(py)
                .into_any()
                .into_bound());
        };
        let effort = effort(self.0.len() + other.len());
        Poly::from(run(py, effort, || work(&self.0, &other))?).into_bound_py_any(py)
    }

    fn points(&self, points: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
        let p = Int::from(self.0.modulus().get());
        residues(points, &p)
    }
}

/// Integers modulo p.
fn residues(values: &Bound<'_, PyAny>, p: &Int) -> PyResult<Vec<u64>> {
    let residue = |value: Int| {
        let rest = value.try_rem_floor(p).map_err(crate::border::exception)?;
        Ok(u64::try_from(&rest).unwrap_or_default())
    };
    items(values)?.into_iter().map(residue).collect()
}

#[pymethods]
impl Poly {
    #[new]
    #[pyo3(signature = (coefficients, p, /))]
    fn new(coefficients: &Bound<'_, PyAny>, p: Integer) -> PyResult<Poly> {
        let py = coefficients.py();
        let modulus = modulus(&p.0)?;
        if let Ok(text) = coefficients.cast::<PyString>() {
            let text = text.to_cow()?;
            return run(py, effort(text.len()), || Value::parse(&text, modulus)).map(Poly::from);
        }
        let coefficients = if is_array(coefficients)? {
            let array = Array::new(coefficients)?;
            match (array.element, array.shape.len()) {
                (Element::U64 | Element::I64, 1) if array.place != ArrayHome::Host => {
                    let (count, signed) = (array.shape[0], array.element == Element::I64);
                    let memory = array.into_foreign()?;
                    return run(py, effort(count), || {
                        let rows = Rows::from_foreign(memory, 1, false)?;
                        Value::from_rows(&rows, signed, modulus)
                    })
                    .map(Poly::from);
                }
                (Element::U64, 1) => array.copied::<u64>(),
                (Element::I64, 1) => {
                    let p = modulus.get() as i64;
                    array
                        .copied::<i64>()
                        .iter()
                        .map(|c| c.rem_euclid(p) as u64)
                        .collect()
                }
                _ => {
                    let what = "coefficients must be words of 64 bits in one dimension";
                    return Err(PyTypeError::new_err(what));
                }
            }
        } else {
            residues(coefficients, &p.0)?
        };
        run(py, effort(coefficients.len()), || {
            Value::new(coefficients, modulus)
        })
        .map(Poly::from)
    }

    /// The polynomial of least degree with these values at these points.
    ///
    /// >>> from bezout import Poly
    /// >>> Poly.interpolate([0, 1, 2], [1, 2, 5], 101)
    /// Poly('x^2 + 1', 101)
    #[classmethod]
    #[pyo3(signature = (points, values, p, /))]
    fn interpolate(
        _class: &Bound<'_, PyType>,
        points: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        p: Integer,
    ) -> PyResult<Poly> {
        let modulus = modulus(&p.0)?;
        let (points, values) = (residues(points, &p.0)?, residues(values, &p.0)?);
        let py = _class.py();
        run(py, long_effort(points.len()), || {
            Value::try_interpolate(&points, &values, modulus)
        })
        .map(Poly::from)
    }

    /// The prime.
    #[getter]
    fn modulus(&self) -> u64 {
        self.0.modulus().get()
    }

    /// The degree; -1 of the polynomial 0.
    #[getter]
    fn degree(&self) -> isize {
        self.0.degree().map_or(-1, |degree| degree as isize)
    }

    /// The coefficients, the constant term first.
    fn coefficients(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        run(py, effort(self.0.len()), || {
            self.0.try_coefficients().map(<[u64]>::to_vec)
        })
    }

    /// "cuda" where a device has a copy, else "cpu".
    #[getter]
    fn device(&self) -> &'static str {
        if self.0.is_on_device() { "cuda" } else { "cpu" }
    }

    /// The same polynomial, with a copy on a device: "cuda" or "cuda:N"; or on the host alone:
    /// "cpu".
    #[pyo3(signature = (device, /))]
    fn to<'py>(slf: &Bound<'py, Self>, device: &str) -> PyResult<Bound<'py, Self>> {
        let engine = device.parse().map_err(crate::border::exception)?;
        let value = &slf.get().0;
        run(slf.py(), Effort::Medium, || match engine {
            bezout::Engine::Cuda(n) => value.try_to_device(n),
            _ => value.try_drop_device(),
        })?;
        Ok(slf.clone())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __bool__(&self) -> bool {
        !self.0.is_zero()
    }

    fn __getitem__(&self, index: isize) -> PyResult<u64> {
        match usize::try_from(index) {
            Ok(index) => Ok(self.0.coefficient(index)),
            Err(_) => Err(pyo3::exceptions::PyIndexError::new_err("negative exponent")),
        }
    }

    /// The coefficients; indices beyond them are 0, so that the list must end the loop.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let coefficients = PyList::new(py, self.coefficients(py)?)?;
        Ok(coefficients.try_iter()?.into_any())
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        run(py, effort(self.0.len()), || {
            self.0.try_to_text(Format::Expression)
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Poly('{}', {})", self.__str__(py)?, self.modulus()))
    }

    fn __richcmp__<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let equal = match self.other(other)? {
            Some(other) if self.0.modulus() != other.modulus() => false,
            Some(other) => run(py, effort(self.0.len()), || Ok(self.0 == other))?,
            None => {
                return Ok(pyo3::types::PyNotImplemented::get(py)
                    .into_any()
                    .into_bound());
            }
        };
        match op {
            CompareOp::Eq => equal.into_bound_py_any(py),
            CompareOp::Ne => (!equal).into_bound_py_any(py),
            _ => Ok(pyo3::types::PyNotImplemented::get(py)
                .into_any()
                .into_bound()),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let coefficients = pyo3::types::PyTuple::new(py, self.coefficients(py)?)?;
        (self.modulus(), coefficients).into_pyobject(py)?.hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let value = slf.get();
        let arguments = (value.coefficients(slf.py())?, value.modulus());
        (slf.get_type(), arguments).into_bound_py_any(slf.py())
    }

    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, Value::try_add)
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, Value::try_add)
    }

    fn __sub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, Value::try_sub)
    }

    fn __rsub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, |a, b| b.try_sub(a))
    }

    fn __mul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, Value::try_mul)
    }

    fn __rmul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, Value::try_mul)
    }

    fn __floordiv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, |a, b| Ok(a.try_div_rem(b)?.0))
    }

    fn __mod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.binary(other, Value::try_rem)
    }

    fn __divmod__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Some(other) = self.other(other)? else {
            return Ok(pyo3::types::PyNotImplemented::get(py)
                .into_any()
                .into_bound());
        };
        let (quotient, rest) = run(py, effort(self.0.len()), || self.0.try_div_rem(&other))?;
        (Poly::from(quotient), Poly::from(rest)).into_bound_py_any(py)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Poly> {
        run(py, effort(self.0.len()), || self.0.try_neg()).map(Poly::from)
    }

    /// The values at a point, or at all points of a list.
    ///
    /// >>> from bezout import Poly
    /// >>> f = Poly("x^2 + 1", 101)
    /// >>> f(10), f([0, 1, 2])
    /// (0, [1, 2, 5])
    #[pyo3(signature = (x, /))]
    fn __call__<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = x.py();
        if x.try_iter().is_ok() {
            let points = self.points(x)?;
            let effort = long_effort(self.0.len() + points.len());
            return run(py, effort, || self.0.try_evaluate(&points))?.into_bound_py_any(py);
        }
        let points = self.points(PyList::new(py, [x])?.as_any())?;
        let values = run(py, effort(self.0.len()), || self.0.try_evaluate(&points))?;
        values[0].into_bound_py_any(py)
    }

    /// The greatest common divisor, with leading coefficient 1.
    ///
    /// >>> from bezout import Poly
    /// >>> Poly("x^6 - 1", 101).gcd(Poly("x^4 - 1", 101))
    /// Poly('x^2 + 100', 101)
    #[pyo3(signature = (other, /))]
    fn gcd<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let other = self
            .other(other)?
            .ok_or_else(|| PyTypeError::new_err("not a polynomial"))?;
        let effort = long_effort(self.0.len() + other.len());
        Poly::from(run(py, effort, || self.0.try_gcd(&other))?).into_bound_py_any(py)
    }

    /// (g, s, t) with g the greatest common divisor and g = s*self + t*other.
    #[pyo3(signature = (other, /))]
    fn gcdext(&self, other: &Bound<'_, PyAny>) -> PyResult<(Poly, Poly, Poly)> {
        let py = other.py();
        let other = self
            .other(other)?
            .ok_or_else(|| PyTypeError::new_err("not a polynomial"))?;
        let effort = long_effort(self.0.len() + other.len());
        let (g, s, t) = run(py, effort, || self.0.try_extended_gcd(&other))?;
        Ok((g.into(), s.into(), t.into()))
    }

    /// The resultant.
    #[pyo3(signature = (other, /))]
    fn resultant(&self, other: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = other.py();
        let other = self
            .other(other)?
            .ok_or_else(|| PyTypeError::new_err("not a polynomial"))?;
        run(py, long_effort(self.0.len() + other.len()), || {
            self.0.try_resultant(&other)
        })
    }

    /// self(other).
    #[pyo3(signature = (other, /))]
    fn compose(&self, other: &Bound<'_, PyAny>) -> PyResult<Poly> {
        let py = other.py();
        let other = self
            .other(other)?
            .ok_or_else(|| PyTypeError::new_err("not a polynomial"))?;
        let size = self.0.len().saturating_mul(other.len());
        run(py, long_effort(size), || self.0.try_compose(&other)).map(Poly::from)
    }

    /// self**exponent modulo another polynomial.
    ///
    /// >>> from bezout import Poly
    /// >>> Poly("x", 101).powmod(101**2, Poly("x^2 + x + 1", 101))
    /// Poly('x', 101)
    #[pyo3(signature = (exponent, modulus, /))]
    fn powmod(
        &self,
        py: Python<'_>,
        exponent: Integer,
        modulus: &Bound<'_, Poly>,
    ) -> PyResult<Poly> {
        let modulus = &modulus.get().0;
        let size = modulus
            .len()
            .saturating_mul(exponent.0.bit_length() as usize);
        run(py, long_effort(size), || {
            self.0.try_pow_mod(&exponent.0, modulus)
        })
        .map(Poly::from)
    }

    /// The derivative.
    fn derivative(&self, py: Python<'_>) -> PyResult<Poly> {
        run(py, effort(self.0.len()), || self.0.try_derivative()).map(Poly::from)
    }

    /// The polynomial by its leading coefficient.
    fn monic(&self, py: Python<'_>) -> PyResult<Poly> {
        run(py, effort(self.0.len()), || self.0.try_monic()).map(Poly::from)
    }

    /// The coefficients for NumPy, without a copy, read-only: ``numpy.asarray(poly)``.
    #[getter(__array_interface__)]
    fn array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dlpack::array_interface(py, self)
    }

    /// The coefficients for CuPy, Numba and others, without a copy, read-only, where a device has
    /// them.
    #[getter(__cuda_array_interface__)]
    fn cuda_array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dlpack::cuda_array_interface(py, self)
    }

    /// The device of DLPack that has the coefficients: (2, N) for CUDA device N, or (1, 0) for the
    /// host.
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device(self)
    }

    /// The coefficients as a capsule of DLPack. They are read-only, and copied for a receiver that
    /// does not know of read-only arrays.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = Request {
            stream,
            max_version,
            dl_device,
            copy,
        };
        dlpack::capsule(slf.as_any(), slf.get(), &request)
    }
}
