//! What Python's own functions ask of `mpz`: comparison, hash, conversion, text, copies, bits.

use std::cmp::Ordering;

use bezout::{Error, Int};
use pyo3::IntoPyObjectExt;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use super::{Mpz, Object, not_implemented, object, works_with_int};
use crate::border::{bits, exception, linear, product, run, short};
use crate::convert::{self, Integer, Operand, operand, to_float, to_int};
use crate::functions::bits as bitwise;
use crate::text::{self, Format};

/// How an integer compares with a float; none for NaN.
fn compare_float(a: &Int, b: f64) -> PyResult<Option<Ordering>> {
    if b.is_nan() {
        return Ok(None);
    }
    if b.is_infinite() {
        return Ok(0.0.partial_cmp(&b));
    }
    // Every finite float is below 2^1024.
    if bits(a) > 1024 {
        return Ok(Some(a.signum().cmp(&0)));
    }
    let whole = convert::from_float(b)?;
    Ok(match a.cmp(&whole) {
        Ordering::Equal => 0.0.partial_cmp(&(b - b.trunc())),
        other => Some(other),
    })
}

/// The hash of an int is a remainder modulo 2^HASH_BITS − 1, which is prime.
const HASH_BITS: u32 = if cfg!(target_pointer_width = "64") {
    61
} else {
    31
};

/// Limbs whose remainders are added before the next reduction.
const TOGETHER: usize = 8;

/// Python's hash of an int: the magnitude modulo the prime, with the sign.
///
/// 2^HASH_BITS is 1 modulo the prime, so that limb i counts 2^(step·i) times, with step =
/// 64 mod HASH_BITS ≤ 3. A sum of eight limbs, each times at most 2^21, is below 2^88. The
/// remainder so far is below 2^62, and times 2^24 below 2^86.
fn hash_of(limbs: &[u64], negative: bool) -> isize {
    const MODULUS: u128 = (1 << HASH_BITS) - 1;
    const STEP: usize = 64 % HASH_BITS as usize;
    let folded = |x: u128| (x & MODULUS) + (x >> HASH_BITS);
    let weighted = |(i, limb): (usize, &u64)| u128::from(*limb) << (STEP * i);
    let (groups, top) = limbs.as_chunks::<TOGETHER>();
    let mut rest = folded(top.iter().enumerate().map(weighted).sum::<u128>());
    for group in groups.iter().rev() {
        let sum = group.iter().enumerate().map(weighted).sum::<u128>();
        rest = folded(folded((rest << (STEP * TOGETHER)) + sum));
    }
    while rest > MODULUS {
        rest = folded(rest);
    }
    let rest = if rest == MODULUS { 0 } else { rest as isize };
    let hash = if negative { -rest } else { rest };
    // −1 stands for an error.
    if hash == -1 { -2 } else { hash }
}

/// The hash of a number that is on the host.
#[inline]
pub(super) fn short_hash(value: &Mpz) -> isize {
    let Mpz(value, known) = value;
    known.get(|| hash_of(value.limbs(), value.signum() < 0))
}

/// `round(value, -places)`: to a multiple of 10^places, half to even.
fn rounded(value: &Int, places: u64) -> Result<Int, Error> {
    let power = match places {
        // A power far above the number has it rounded to zero.
        _ if places > value.try_bit_length()? => return Ok(Int::ZERO),
        _ => Int::from(10).try_pow(places)?,
    };
    let (quotient, rest) = value.try_div_rem_floor(&power)?;
    let up = match rest.try_shl(1)?.try_cmp(&power)? {
        Ordering::Less => false,
        Ordering::Equal => quotient.try_is_odd()?,
        Ordering::Greater => true,
    };
    let down = value.try_sub(&rest)?;
    if up { down.try_add(&power) } else { Ok(down) }
}

#[pymethods]
impl Mpz {
    fn __richcmp__<'py>(&self, other: &Object<'py>, op: CompareOp) -> PyResult<Object<'py>> {
        let py = other.py();
        let compare = |b: &Int| {
            let effort = linear(bits(&self.0).min(bits(b)));
            run(py, effort, || self.0.try_cmp(b)).map(Some)
        };
        let ordering = match operand(other)? {
            Operand::Mpz(b) => compare(b)?,
            Operand::Int(b) => compare(&b)?,
            Operand::Float(b) => compare_float(&self.0, b)?,
            Operand::Other(other) if works_with_int(other)? => {
                return to_int(py, &self.0)?.rich_compare(other, op);
            }
            Operand::Other(_) => return Ok(not_implemented(py)),
        };
        let answer = match ordering {
            Some(ordering) => op.matches(ordering),
            None => matches!(op, CompareOp::Ne),
        };
        answer.into_bound_py_any(py)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        short(py, || {
            let (limbs, negative) = (self.0.try_limbs()?, self.0.try_is_negative()?);
            Ok(self.1.get(|| hash_of(limbs, negative)))
        })
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        to_int(py, &self.0)
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        to_int(py, &self.0)
    }

    fn __float__(&self) -> PyResult<f64> {
        to_float(&self.0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("mpz({})", text::digits(py, &self.0, 10)?))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        text::digits(py, &self.0, 10)
    }

    fn __format__<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<Object<'py>> {
        match Format::parse(spec) {
            Some(format) => {
                let digits = text::digits(py, &self.0, format.base())?;
                let text = format.apply(&digits).map_err(exception)?;
                text.into_bound_py_any(py)
            }
            // Formats of floats, of characters and by the locale are int's, and so are errors.
            None => to_int(py, &self.0)?.call_method1(intern!(py, "__format__"), (spec,)),
        }
    }

    #[pyo3(signature = (ndigits = None, /))]
    fn __round__<'py>(
        slf: &Bound<'py, Self>,
        ndigits: Option<Integer>,
    ) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let value = &slf.get().0;
        let places = match ndigits {
            Some(Integer(places)) if places.is_negative() => {
                u64::try_from(&-places.into_owned()).unwrap_or(u64::MAX)
            }
            _ => return Ok(slf.clone()),
        };
        let result = run(py, product(bits(value)), || rounded(value, places))?;
        Bound::new(py, Mpz::from(result))
    }

    fn __trunc__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __floor__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __ceil__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Object<'py>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Object<'py>, (Object<'py>,))> {
        let read = py.import("bezout")?.getattr("from_binary")?;
        Ok((read, (bitwise::binary(py, &self.0)?.into_any(),)))
    }

    fn __sizeof__(&self) -> usize {
        size_of::<Mpz>() + 2 * size_of::<usize>() + 8 * self.0.limb_count()
    }

    /// The number of bits, at least 1.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        short(py, || self.0.try_bit_length()).map(|bits| bits.max(1) as usize)
    }

    /// Bit n, or the number that a slice of bits is. A negative n counts from the highest bit.
    fn __getitem__<'py>(&self, key: &Object<'py>) -> PyResult<Object<'py>> {
        let py = key.py();
        let length = self.__len__(py)?;
        if let Ok(slice) = key.cast::<PySlice>() {
            let indices = slice.indices(length as isize)?;
            let result = run(py, linear(bits(&self.0)), || {
                let mut result = Int::ZERO;
                let mut from = indices.start;
                for to in 0..indices.slicelength as u64 {
                    if self.0.try_bit(from as u64)? {
                        result.try_set_bit(to)?;
                    }
                    from += indices.step;
                }
                Ok(result)
            })?;
            return object(py, result);
        }
        let mut index = key.extract::<Integer>()?.0.into_owned();
        if index.is_negative() {
            index += length;
        }
        let Ok(index) = u64::try_from(&index) else {
            return Err(PyIndexError::new_err("bit index out of range"));
        };
        let bit = short(py, || self.0.try_bit(index))?;
        u8::from(bit).into_bound_py_any(py)
    }
}
