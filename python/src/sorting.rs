//! Sorted keys, on the host and on a device.

use std::cmp::Ordering;
use std::ffi::c_void;
use std::sync::OnceLock;

use bezout::cuda::exchange::Loan;
use bezout::sort as radix;
use bezout::{Error, Int};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList};
use rayon::prelude::*;

use crate::array::{Array, ArrayHome, Element, is_array};
use crate::border::{Effort, Stop, choose, run};
use crate::convert::Integer;
use crate::dlpack::{self, Export, Request};
use crate::mpz::SIGNALS_EVERY;

/// Keys in order: of a list of ints or of floats as a new list, of an array with DLPack, such as
/// NumPy's or PyTorch's, as a new array of the same library. An array on a GPU stays there.
///
/// Floats are ordered as IEEE's total order has them: -0.0 before 0.0, and NaN at the ends.
///
/// >>> import bezout
/// >>> bezout.sort([3, 1, 2])
/// [1, 2, 3]
/// >>> bezout.sort([2.5, -1.0], descending=True)
/// [2.5, -1.0]
#[pyfunction]
#[pyo3(signature = (keys, /, *, descending = false))]
pub(crate) fn sort<'py>(keys: &Bound<'py, PyAny>, descending: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let options = if descending {
        radix::Options::default().descending()
    } else {
        radix::Options::default()
    };
    if is_array(keys)? {
        return sort_array(keys, options);
    }
    let list = collected(keys)?;
    let effort = sort_effort(list.len());
    if !list.is_empty() && list.iter().all(|key| key.is_instance_of::<PyFloat>()) {
        let mut floats = list
            .iter()
            .map(|key| key.extract())
            .collect::<PyResult<Vec<f64>>>()?;
        run(py, effort, || radix::sort(&mut floats, options))?;
        return Ok(PyList::new(py, floats)?.into_any());
    }
    let words: PyResult<Vec<i64>> = list.iter().map(word).collect();
    if let Ok(mut words) = words {
        run(py, effort, || radix::sort(&mut words, options))?;
        return Ok(PyList::new(py, words)?.into_any());
    }
    // Longer ones are compared, and the keys put into their order.
    if let Some(numbers) = integers(&list)? {
        let order = run(py, effort, || order_of(&numbers, descending))?;
        let sorted = order.into_iter().map(|at| &list[at]);
        return Ok(PyList::new(py, sorted)?.into_any());
    }
    if let Some(other) = list.iter().find(|key| !is_number(key)) {
        let kind = other.get_type().name()?.to_string();
        let what = format!("keys are ints or floats, not {kind}");
        return Err(PyTypeError::new_err(what));
    }
    let sorted = PyList::new(py, list)?;
    sorted.sort()?;
    if descending {
        sorted.reverse()?;
    }
    Ok(sorted.into_any())
}

/// Numbers that are sorted, or merged, between two looks whether to go on.
const AT_ONCE: usize = 1 << 15;

/// The places of numbers in ascending or descending order.
fn order_of(numbers: &[Int], descending: bool) -> Result<Vec<usize>, Error> {
    let stop = Stop::current();
    let compare = |x: &usize, y: &usize| {
        let order = numbers[*x].cmp(&numbers[*y]);
        if descending { order.reverse() } else { order }
    };
    let sorted = |first: usize| {
        stop.check()?;
        let mut run: Vec<usize> = (first..numbers.len().min(first + AT_ONCE)).collect();
        run.sort_by(compare);
        Ok(run)
    };
    let starts: Vec<usize> = (0..numbers.len()).step_by(AT_ONCE).collect();
    let runs = starts.into_par_iter().map(sorted);
    let mut runs = runs.collect::<Result<Vec<_>, Error>>()?;
    while runs.len() > 1 {
        let pairs = runs.par_chunks(2).map(|pair| match pair {
            [left, right] => merged(left, right, &compare, &stop),
            _ => Ok(pair.concat()),
        });
        runs = pairs.collect::<Result<_, Error>>()?;
    }
    Ok(runs.pop().unwrap_or_default())
}

/// Two sorted runs as one. Of equal keys the left one's are first.
fn merged(
    left: &[usize],
    right: &[usize],
    compare: &impl Fn(&usize, &usize) -> Ordering,
    stop: &Stop,
) -> Result<Vec<usize>, Error> {
    let mut all = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left, right);
    while let ([x, left_rest @ ..], [y, right_rest @ ..]) = (left, right) {
        if all.len() % AT_ONCE == 0 {
            stop.check()?;
        }
        if compare(y, x).is_lt() {
            all.push(*y);
            right = right_rest;
        } else {
            all.push(*x);
            left = left_rest;
        }
    }
    all.extend_from_slice(left);
    all.extend_from_slice(right);
    Ok(all)
}

/// The keys of any iterable.
fn collected<'py>(keys: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut list = Vec::new();
    for (count, key) in keys.try_iter()?.enumerate() {
        if count % SIGNALS_EVERY == SIGNALS_EVERY - 1 {
            keys.py().check_signals()?;
        }
        list.push(key?);
    }
    Ok(list)
}

/// The keys as integers. None if one of them is no integer.
fn integers(keys: &[Bound<'_, PyAny>]) -> PyResult<Option<Vec<Int>>> {
    let mut numbers = Vec::with_capacity(keys.len());
    for (count, key) in keys.iter().enumerate() {
        if count % SIGNALS_EVERY == SIGNALS_EVERY - 1 {
            key.py().check_signals()?;
        }
        let Ok(number) = key.extract::<Integer>() else {
            return Ok(None);
        };
        numbers.push(number.0.into_owned());
    }
    Ok(Some(numbers))
}

fn is_number(key: &Bound<'_, PyAny>) -> bool {
    key.is_instance_of::<PyFloat>() || key.extract::<Integer>().is_ok()
}

/// An int that is one word.
fn word(key: &Bound<'_, PyAny>) -> PyResult<i64> {
    key.cast::<PyInt>()?.extract()
}

fn sort_effort(count: usize) -> Effort {
    choose(count as u64, 1000, 5_000_000)
}

fn sort_array<'py>(
    keys: &Bound<'py, PyAny>,
    options: radix::Options,
) -> PyResult<Bound<'py, PyAny>> {
    let array = Array::new(keys)?;
    if let ArrayHome::Cuda(n) = array.place {
        return sort_on_device(keys, array, n, options);
    }
    drop(array);
    // The copy is nobody else's, so it may be sorted in place.
    let method = if keys.hasattr("clone")? {
        "clone"
    } else {
        "copy"
    };
    let sorted = keys.call_method0(method)?;
    let mut array = Array::new(&sorted)?;
    if array.shape.len() != 1 {
        return Err(PyTypeError::new_err("keys must have one dimension"));
    }
    let py = keys.py();
    let effort = sort_effort(array.shape[0]);
    match array.element {
        Element::U32 => sort_elements::<u32>(py, &mut array, effort, options)?,
        Element::U64 => sort_elements::<u64>(py, &mut array, effort, options)?,
        Element::I32 => sort_elements::<i32>(py, &mut array, effort, options)?,
        Element::I64 => sort_elements::<i64>(py, &mut array, effort, options)?,
        Element::F32 => sort_elements::<f32>(py, &mut array, effort, options)?,
        Element::F64 => sort_elements::<f64>(py, &mut array, effort, options)?,
    }
    drop(array);
    Ok(sorted)
}

fn sort_elements<K: radix::Key>(
    py: Python<'_>,
    array: &mut Array<'_>,
    effort: Effort,
    options: radix::Options,
) -> PyResult<()> {
    let elements = array.elements::<K>()?;
    run(py, effort, || radix::sort(elements, options))
}

/// An array on a device, for a library that makes one of its own of it.
#[pyclass(name = "DeviceArray", module = "bezout", frozen)]
pub(crate) struct DeviceArray {
    loan: OnceLock<Loan>,
    device: u32,
    element: Element,
    len: usize,
}

impl Export for DeviceArray {
    const IS_WRITABLE: bool = true;

    fn element(&self) -> Element {
        self.element
    }

    fn shape(&self) -> Result<Vec<usize>, Error> {
        Ok(vec![self.len])
    }

    fn ordinal(&self) -> Option<u32> {
        Some(self.device)
    }

    fn host(&self) -> Result<*const c_void, Error> {
        Err(Error::Domain("the array is on a device alone".into()))
    }

    fn lend(&self, n: u32) -> Result<Loan, Error> {
        let loan = self.loan.get().filter(|_| n == self.device).cloned();
        loan.ok_or_else(|| Error::Domain(format!("the array is on device {}", self.device)))
    }

    fn pinned(&self) -> &OnceLock<Loan> {
        &self.loan
    }
}

#[pymethods]
impl DeviceArray {
    /// The elements for CuPy, Numba and others, without a copy.
    #[getter(__cuda_array_interface__)]
    fn cuda_array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dlpack::cuda_array_interface(py, self)
    }

    /// (2, N) for CUDA device N.
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device(self)
    }

    /// The elements as a capsule of DLPack, without a copy.
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

/// Sorts keys on a device into a new array there, which the keys' library takes over.
fn sort_on_device<'py>(
    keys: &Bound<'py, PyAny>,
    array: Array<'py>,
    n: u32,
    options: radix::Options,
) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let [len] = *array.shape else {
        return Err(PyTypeError::new_err("keys must have one dimension"));
    };
    let element = array.element;
    let loan = match element {
        Element::U32 => sorted::<u32>(py, array, n, options),
        Element::U64 => sorted::<u64>(py, array, n, options),
        Element::I32 => sorted::<i32>(py, array, n, options),
        Element::I64 => sorted::<i64>(py, array, n, options),
        Element::F32 => sorted::<f32>(py, array, n, options),
        Element::F64 => sorted::<f64>(py, array, n, options),
    }?;
    let made = DeviceArray {
        loan: OnceLock::from(loan),
        device: n,
        element,
        len,
    };
    let made = Bound::new(py, made)?.into_any();
    let module = keys.get_type().module()?;
    let library = module.to_str()?.split('.').next().unwrap_or_default();
    match py.import(library)?.getattr_opt("from_dlpack")? {
        Some(from_dlpack) => from_dlpack.call1((made,)),
        None => Ok(made),
    }
}

fn sorted<K: radix::Key>(
    py: Python<'_>,
    array: Array<'_>,
    n: u32,
    options: radix::Options,
) -> PyResult<Loan> {
    let effort = sort_effort(array.shape[0]);
    let memory = array.into_foreign()?;
    run(py, effort, || {
        let sorted = radix::Array::<K>::from_foreign(memory)?.try_sorted(options)?;
        let loan = sorted.lend(n)?;
        // One key is in order where it is, in memory of its owner.
        if sorted.len() < 2 {
            loan.copied()
        } else {
            Ok(loan)
        }
    })
}
