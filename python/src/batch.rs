//! `Batch`: many unsigned numbers of one length, row by row.

use std::cmp::Ordering;
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};

use bezout::cuda::exchange::Loan;
use bezout::{Batch as Rows, Error, Int};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PySlice, PyType};
use pyo3::{IntoPyObjectExt, intern};

use crate::array::{Array, ArrayHome, Element};
use crate::border::{Effort, choose, run};
use crate::convert::{Count, Integer};
use crate::dlpack::{self, Export, Request};
use crate::mpz::{Numbers, items, object, objects};
use crate::text::digits;

/// Many unsigned integers of one length, a row each; operators and methods work row by row.
///
/// ``bits`` is the length of a row, rounded up to whole limbs of 64 bits; without it the longest
/// number decides. Sums, differences and products are modulo 2**bits. The other operand is a Batch
/// of as many rows, or one number for all rows.
///
/// >>> from bezout import Batch
/// >>> a = Batch([2, 3, 5])
/// >>> (a * 7).tolist()
/// [mpz(14), mpz(21), mpz(35)]
/// >>> a.powmod(100, 101).tolist()
/// [mpz(1), mpz(1), mpz(1)]
#[pyclass(name = "Batch", module = "bezout", frozen, sequence)]
pub(crate) struct Batch(pub(crate) Rows, OnceLock<Loan>);

impl From<Rows> for Batch {
    fn from(rows: Rows) -> Batch {
        Batch(rows, OnceLock::new())
    }
}

impl Export for Batch {
    fn element(&self) -> Element {
        Element::U64
    }

    fn shape(&self) -> Result<Vec<usize>, Error> {
        Ok(vec![self.0.count(), self.0.width()])
    }

    fn ordinal(&self) -> Option<u32> {
        self.0.device_ordinal()
    }

    fn host(&self) -> Result<*const c_void, Error> {
        Ok(self.0.try_limbs()?.as_ptr().cast())
    }

    fn lend(&self, n: u32) -> Result<Loan, Error> {
        self.0.lend(n)
    }

    fn pinned(&self) -> &OnceLock<Loan> {
        &self.1
    }
}

/// How long work on rows takes: `step` nanoseconds or so for a limb.
fn effort(batch: &Rows, step: u64) -> Effort {
    choose(
        (batch.count() as u64 * batch.width() as u64).saturating_mul(step),
        4096,
        20_000_000,
    )
}

/// A batch of at most so many rows is shown by all of them, and a longer one by its ends.
const SHOWN_ROWS: usize = 8;

/// Rows of at most so many bits are shown whole: as Python reads them.
const SHOWN_BITS: usize = 256;

/// The decimal digits of a number of [`SHOWN_BITS`].
const SHOWN_DIGITS: usize = 78;

/// Digits at either end of a number that is not shown whole.
const END_DIGITS: usize = 10;

/// What [`Batch::from_bytes`] is called with to read a pickle.
type Pickled<'py> = (Bound<'py, PyBytes>, usize, &'static str);

/// The limbs that so many bits need.
fn limbs(bits: u64) -> usize {
    bits.div_ceil(64).max(1) as usize
}

impl Batch {
    /// Another operand: rows, or one number for all rows.
    fn other(&self, other: &Bound<'_, PyAny>) -> PyResult<Rows> {
        if let Ok(batch) = other.cast::<Batch>() {
            return Ok(batch.get().0.clone());
        }
        let number = other.extract::<Integer>()?.0.into_owned();
        let (count, width) = (self.0.count(), self.0.width());
        run(other.py(), effort(&self.0, 1), || {
            let row = Rows::from_ints(&[number], width)?;
            Rows::from_limbs(row.try_limbs()?.repeat(count), width)
        })
    }

    /// An operation of two batches.
    fn binary(
        &self,
        other: &Bound<'_, PyAny>,
        step: u64,
        work: impl Fn(&Rows, &Rows) -> Result<Rows, Error> + Sync,
    ) -> PyResult<Batch> {
        let other_rows = self.other(other)?;
        run(other.py(), effort(&self.0, step), || {
            work(&self.0, &other_rows)
        })
        .map(Batch::from)
    }

    /// The batch of some rows.
    fn chosen(
        &self,
        py: Python<'_>,
        rows: impl ExactSizeIterator<Item = isize> + Send,
    ) -> PyResult<Rows> {
        let width = self.0.width();
        run(py, effort(&self.0, 1), || {
            let limbs = self.0.try_limbs()?;
            let mut chosen = Vec::with_capacity(rows.len() * width);
            for at in rows {
                chosen.extend_from_slice(&limbs[at as usize * width..][..width]);
            }
            Rows::from_limbs(chosen, width)
        })
    }

    fn unary(
        &self,
        py: Python<'_>,
        step: u64,
        work: impl Fn(&Rows) -> Result<Rows, Error> + Sync,
    ) -> PyResult<Batch> {
        run(py, effort(&self.0, step), || work(&self.0)).map(Batch::from)
    }

    fn answers(
        &self,
        other: &Bound<'_, PyAny>,
        holds: impl Fn(Ordering) -> bool + Sync,
    ) -> PyResult<Vec<bool>> {
        let other_rows = self.other(other)?;
        let orders = run(other.py(), effort(&self.0, 1), || {
            self.0.all().try_compare(&other_rows.all())
        })?;
        Ok(orders.into_iter().map(holds).collect())
    }

    fn shift(&self, count: &Integer) -> PyResult<u64> {
        if count.0.is_negative() {
            Err(PyValueError::new_err("negative shift count"))
        } else {
            Ok(u64::try_from(&*count.0).unwrap_or(u64::MAX))
        }
    }

    /// About the nanoseconds that a limb's share of a product takes, and of a quotient.
    fn quadratic(&self) -> u64 {
        self.0.width() as u64
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (numbers, /, bits = None))]
    fn new(numbers: &Bound<'_, PyAny>, bits: Option<u64>) -> PyResult<Batch> {
        let py = numbers.py();
        if bits == Some(0) {
            return Err(PyValueError::new_err("rows have at least one bit"));
        }
        if let Ok(batch) = numbers.cast::<Batch>() {
            let batch = &batch.get().0;
            let ints = run(py, effort(batch, 1), || batch.try_to_ints())?;
            let width = bits.map_or(batch.width(), limbs);
            return run(py, effort(batch, 1), || Rows::from_ints(&ints, width)).map(Batch::from);
        }
        let numbers = items(numbers)?;
        let longest = || numbers.iter().map(Int::bit_length).max().unwrap_or(0);
        let width = limbs(bits.unwrap_or_else(longest));
        let work = (numbers.len() * width) as u64;
        let effort = if work < 4096 {
            Effort::Short
        } else {
            Effort::Medium
        };
        run(py, effort, || Rows::from_ints(&numbers, width)).map(Batch::from)
    }

    /// The rows of an array of any library with DLPack or the CUDA array interface, such as NumPy,
    /// PyTorch or CuPy: words of 64 bits, signed or not, one row of limbs after the other, the
    /// lowest limb first. An array of one dimension has rows of one limb.
    ///
    /// An array on the host is copied, and shared with ``copy=False``. A contiguous array on a
    /// device is shared, and copied with ``copy=True``. A shared array may be freed, and must not
    /// be written to while the batch is alive.
    #[classmethod]
    #[pyo3(signature = (array, /, *, copy = None))]
    fn from_dlpack(
        _class: &Bound<'_, PyType>,
        array: &Bound<'_, PyAny>,
        copy: Option<bool>,
    ) -> PyResult<Batch> {
        let py = array.py();
        let array = Array::new(array)?;
        let width = match (array.element, &*array.shape) {
            (Element::U64 | Element::I64, [_]) => 1,
            (Element::U64 | Element::I64, [_, width]) => *width,
            (Element::U64 | Element::I64, shape) => {
                let what = format!("a batch has two dimensions, not {}", shape.len());
                return Err(PyValueError::new_err(what));
            }
            (other, _) => {
                let what = format!("limbs are words of 64 bits, not {other:?}");
                return Err(PyTypeError::new_err(what));
            }
        };
        if let ArrayHome::Cuda(_) = array.place {
            let memory = array.into_foreign()?;
            let copy = copy.unwrap_or(false);
            return run(py, Effort::Medium, || {
                Rows::from_foreign(memory, width, copy)
            })
            .map(Batch::from);
        }
        if copy == Some(false) {
            let limbs = array.into_shared()?;
            let shared = || Rows::from_shared(Arc::new(limbs), width);
            return run(py, Effort::Short, shared).map(Batch::from);
        }
        let limbs = array.copied::<u64>();
        run(py, Effort::Short, || Rows::from_limbs(limbs, width)).map(Batch::from)
    }

    /// Rows of ``size`` bytes each, one after the other.
    ///
    /// >>> from bezout import Batch
    /// >>> Batch.from_bytes(b"\x01\x00\x02\x00", 2, "little").tolist()
    /// [mpz(1), mpz(2)]
    #[classmethod]
    #[pyo3(signature = (data, size, byteorder = "big"))]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        data: &Bound<'_, PyBytes>,
        size: usize,
        byteorder: &str,
    ) -> PyResult<Batch> {
        let bytes = data.as_bytes();
        let effort = if bytes.len() < 1 << 15 {
            Effort::Short
        } else {
            Effort::Medium
        };
        let read = match byteorder {
            "little" => Rows::from_le_bytes,
            "big" => Rows::from_be_bytes,
            _ => {
                return Err(PyValueError::new_err(
                    "byteorder must be either 'little' or 'big'",
                ));
            }
        };
        run(data.py(), effort, || read(bytes, size)).map(Batch::from)
    }

    /// The bytes of all rows, one after the other, ``bits / 8`` each.
    #[pyo3(signature = (byteorder = "big"))]
    fn to_bytes<'py>(&self, py: Python<'py>, byteorder: &str) -> PyResult<Bound<'py, PyBytes>> {
        let little = match byteorder {
            "little" => true,
            "big" => false,
            _ => {
                return Err(PyValueError::new_err(
                    "byteorder must be either 'little' or 'big'",
                ));
            }
        };
        let bytes = run(py, effort(&self.0, 1), || {
            if little {
                self.0.all().try_to_le_bytes()
            } else {
                self.0.all().try_to_be_bytes()
            }
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The numbers of all rows.
    fn tolist(&self, py: Python<'_>) -> PyResult<Numbers> {
        run(py, effort(&self.0, 1), || self.0.try_to_ints()).map(objects)
    }

    /// The bits of a row.
    #[getter]
    fn bits(&self) -> usize {
        self.0.width() * 64
    }

    /// (rows, limbs of a row).
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.count(), self.0.width())
    }

    /// "cuda" where a device has a copy, else "cpu".
    #[getter]
    fn device(&self) -> &'static str {
        if self.0.is_on_device() { "cuda" } else { "cpu" }
    }

    /// The same batch, with a copy on a device: "cuda" or "cuda:N".
    #[pyo3(signature = (device, /))]
    fn to<'py>(slf: &Bound<'py, Self>, device: &str) -> PyResult<Bound<'py, Self>> {
        let engine = device.parse().map_err(crate::border::exception)?;
        let batch = &slf.get().0;
        run(slf.py(), Effort::Medium, || match engine {
            bezout::Engine::Cuda(n) => batch.try_to_device(n),
            _ => batch.try_limbs().map(drop),
        })?;
        Ok(slf.clone())
    }

    fn __len__(&self) -> usize {
        self.0.count()
    }

    /// The number of a row, or the batch of the rows of a slice.
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        let count = self.0.count() as isize;
        if let Ok(slice) = key.cast::<PySlice>() {
            let rows = slice.indices(count)?;
            let rows = (0..rows.slicelength as isize).map(|at| rows.start + at * rows.step);
            return Batch::from(self.chosen(py, rows)?).into_bound_py_any(py);
        }
        let index: isize = key.extract()?;
        let at = if index < 0 { index + count } else { index };
        if !(0..count).contains(&at) {
            return Err(PyIndexError::new_err("row out of range"));
        }
        object(py, run(py, Effort::Short, || self.0.try_get(at as usize))?)
    }

    /// Rows cannot be changed, so that a copy is the batch itself.
    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// Pickles have the bytes of the rows. Whether a device had a copy is not kept.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let read = py.get_type::<Batch>().getattr(intern!(py, "from_bytes"))?;
        let size = self.0.width() * 8;
        Ok((read, (self.to_bytes(py, "little")?, size, "little")))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (count, bits) = (self.0.count(), self.bits());
        let row = |at: usize| {
            let digits = digits(py, &run(py, Effort::Short, || self.0.try_get(at))?, 10)?;
            Ok(match digits.len() {
                ..=SHOWN_DIGITS => digits,
                n => format!("{}...{}", &digits[..END_DIGITS], &digits[n - END_DIGITS..]),
            })
        };
        if count <= SHOWN_ROWS && bits <= SHOWN_BITS {
            let rows: Vec<String> = (0..count).map(row).collect::<PyResult<_>>()?;
            return Ok(format!("Batch([{}], bits={bits})", rows.join(", ")));
        }
        let ends = match count {
            ..=SHOWN_ROWS => (0..count)
                .map(row)
                .collect::<PyResult<Vec<_>>>()?
                .join(", "),
            _ => format!(
                "{}, {}, {}, ..., {}",
                row(0)?,
                row(1)?,
                row(2)?,
                row(count - 1)?
            ),
        };
        Ok(format!("<Batch of {count} numbers of {bits} bits: {ends}>"))
    }

    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, 1, |a, b| a.all().try_add(&b.all()))
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.__add__(other)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, 1, |a, b| a.all().try_sub(&b.all()))
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, 1, |a, b| b.all().try_sub(&a.all()))
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, self.quadratic(), |a, b| a.all().try_mul(&b.all()))
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.__mul__(other)
    }

    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, self.quadratic(), |a, b| a.all().try_div(&b.all()))
    }

    fn __mod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, self.quadratic(), |a, b| a.all().try_rem(&b.all()))
    }

    fn __divmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Batch, Batch)> {
        let other_rows = self.other(other)?;
        let (quotient, rest) = run(other.py(), effort(&self.0, self.quadratic()), || {
            self.0.all().try_div_rem(&other_rows.all())
        })?;
        Ok((quotient.into(), rest.into()))
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, 1, |a, b| a.all().try_and(&b.all()))
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, 1, |a, b| a.all().try_or(&b.all()))
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, 1, |a, b| a.all().try_xor(&b.all()))
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<Batch> {
        self.unary(py, 1, |a| a.all().try_not())
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Batch> {
        self.unary(py, 1, |a| a.all().try_neg())
    }

    fn __lshift__(&self, py: Python<'_>, count: Integer) -> PyResult<Batch> {
        let count = self.shift(&count)?;
        self.unary(py, 1, |a| a.all().try_shl(count))
    }

    fn __rshift__(&self, py: Python<'_>, count: Integer) -> PyResult<Batch> {
        let count = self.shift(&count)?;
        self.unary(py, 1, |a| a.all().try_shr(count))
    }

    /// Which rows are equal to those of another batch, or to a number.
    #[pyo3(signature = (other, /))]
    fn equal(&self, other: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        self.answers(other, Ordering::is_eq)
    }

    /// Which rows are less than those of another batch, or than a number.
    #[pyo3(signature = (other, /))]
    fn less(&self, other: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        self.answers(other, Ordering::is_lt)
    }

    /// The products in rows twice as long.
    #[pyo3(signature = (other, /))]
    fn mul_wide(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, self.quadratic(), |a, b| {
            a.all().try_mul_wide(&b.all())
        })
    }

    /// Each row to a power modulo a number; exponents and moduli are batches, or one for all rows.
    #[pyo3(signature = (exponent, modulus, /))]
    fn powmod(&self, exponent: &Bound<'_, PyAny>, modulus: &Bound<'_, PyAny>) -> PyResult<Batch> {
        let py = exponent.py();
        let (exponents, moduli) = (self.other(exponent)?, self.other(modulus)?);
        let step = self
            .quadratic()
            .saturating_mul(exponents.width() as u64 * 64);
        run(py, effort(&self.0, step), || {
            self.0.all().try_pow_mod(&exponents.all(), &moduli.all())
        })
        .map(Batch::from)
    }

    /// The inverses modulo a number, and for each row whether it has one.
    #[pyo3(signature = (modulus, /))]
    fn invert(&self, modulus: &Bound<'_, PyAny>) -> PyResult<(Batch, Vec<bool>)> {
        let moduli = self.other(modulus)?;
        let effort = effort(&self.0, 64 * self.quadratic());
        let (inverses, exist) = run(modulus.py(), effort, || {
            self.0.all().try_mod_inverse(&moduli.all())
        })?;
        Ok((inverses.into(), exist))
    }

    /// The greatest common divisors.
    #[pyo3(signature = (other, /))]
    fn gcd(&self, other: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.binary(other, 16 * self.quadratic(), |a, b| {
            a.all().try_gcd(&b.all())
        })
    }

    /// The square roots, rounded down.
    fn isqrt(&self, py: Python<'_>) -> PyResult<Batch> {
        self.unary(py, 4 * self.quadratic(), |a| a.all().try_sqrt())
    }

    /// Which rows are probable primes.
    fn is_prime(&self, py: Python<'_>) -> PyResult<Vec<bool>> {
        let effort = effort(
            &self.0,
            64 * self.quadratic().saturating_mul(self.0.width() as u64),
        );
        run(py, effort, || self.0.all().try_is_probable_prime())
    }

    /// The number of ones in each row.
    fn popcount(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        run(py, effort(&self.0, 1), || self.0.all().try_count_ones())
    }

    /// Bit n of each row.
    #[pyo3(signature = (n, /))]
    fn bit_test(&self, py: Python<'_>, n: Count) -> PyResult<Vec<bool>> {
        run(py, effort(&self.0, 1), || self.0.all().try_bit(n.0))
    }

    /// The limbs for NumPy, without a copy, read-only: ``numpy.asarray(batch)``.
    #[getter(__array_interface__)]
    fn array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dlpack::array_interface(py, self)
    }

    /// The limbs for CuPy, Numba and others, without a copy, read-only, where a device has them.
    #[getter(__cuda_array_interface__)]
    fn cuda_array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dlpack::cuda_array_interface(py, self)
    }

    /// The device of DLPack that has the limbs: (2, N) for CUDA device N, or (1, 0) for the host.
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device(self)
    }

    /// The limbs as a capsule of DLPack. They are read-only, and copied for a receiver that does
    /// not know of read-only arrays.
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
