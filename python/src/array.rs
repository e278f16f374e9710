//! Arrays of other libraries, as they come in: by DLPack, or by the CUDA array interface.
//!
//! An array is shared where its layout is ours and its receiver wants no copy.

// Memory of other libraries is read here.
#![allow(unsafe_code)]

use std::ptr::NonNull;

use bezout::cuda;
use bezout::cuda::exchange::{self, Foreign};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::border::exception;
use crate::dlpack::{
    self, DataType, FLOAT, INT, Managed, PLAIN, Tensor, UINT, VERSIONED, Versioned,
};

/// The types that elements may have here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    U32,
    U64,
    I32,
    I64,
    F32,
    F64,
}

impl Element {
    /// Each with its name in NumPy's protocol and its type in DLPack.
    const ALL: [(Element, &str, DataType); 6] = [
        (Element::U32, "<u4", DataType::new(UINT, 32)),
        (Element::U64, "<u8", DataType::new(UINT, 64)),
        (Element::I32, "<i4", DataType::new(INT, 32)),
        (Element::I64, "<i8", DataType::new(INT, 64)),
        (Element::F32, "<f4", DataType::new(FLOAT, 32)),
        (Element::F64, "<f8", DataType::new(FLOAT, 64)),
    ];

    pub(crate) fn bytes(self) -> usize {
        match self {
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    /// The type in DLPack.
    pub(crate) fn kind(self) -> DataType {
        Element::ALL[self as usize].2
    }

    /// The name in NumPy's protocol.
    pub(crate) fn name(self) -> &'static str {
        Element::ALL[self as usize].1
    }

    fn of_kind(kind: DataType) -> PyResult<Element> {
        let found = Element::ALL.iter().find(|(_, _, known)| *known == kind);
        found.map(|found| found.0).ok_or_else(|| {
            let DataType { code, bits, lanes } = kind;
            let what = format!("elements of type ({code}, {bits} bits, {lanes} lanes)");
            PyTypeError::new_err(format!("{what} are not supported"))
        })
    }

    fn of_name(name: &str) -> PyResult<Element> {
        let found = Element::ALL.iter().find(|(_, known, _)| *known == name);
        found.map(|found| found.0).ok_or_else(|| {
            PyTypeError::new_err(format!("elements of type '{name}' are not supported"))
        })
    }
}

/// Where the elements of an array are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArrayHome {
    Host,
    /// A CUDA device, by its number.
    Cuda(u32),
}

/// An array of another library's, alive as long as this is.
pub(crate) struct Array<'py> {
    /// The capsule of DLPack, or the array itself.
    owner: Bound<'py, PyAny>,
    start: *mut u8,
    pub(crate) place: ArrayHome,
    pub(crate) element: Element,
    pub(crate) shape: Vec<usize>,
    /// In elements.
    strides: Vec<isize>,
    /// The stream that is still to write the array.
    stream: Option<u64>,
}

/// Limbs in memory of another library's.
pub(crate) struct SharedLimbs {
    start: NonNull<u64>,
    count: usize,
    /// Keeps the memory.
    _owner: Py<PyAny>,
}

// SAFETY: the memory is only read, and its owner promises not to write to it.
unsafe impl Send for SharedLimbs {}
// SAFETY: as above.
unsafe impl Sync for SharedLimbs {}

impl AsRef<[u64]> for SharedLimbs {
    fn as_ref(&self) -> &[u64] {
        // SAFETY: DLPack says that so many elements lie there, aligned and one after the other as
        // was checked, and the owner keeps them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

/// Whether an object is an array of another library's.
pub(crate) fn is_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__dlpack__")? || object.hasattr("__cuda_array_interface__")?)
}

impl<'py> Array<'py> {
    /// The array that an object is.
    pub(crate) fn new(object: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        if let Some(method) = object.getattr_opt("__dlpack__")? {
            return Array::of_capsule(capsule(object, &method)?);
        }
        if let Some(interface) = object.getattr_opt("__cuda_array_interface__")? {
            return Array::of_interface(object, &interface);
        }
        let class = object.get_type().name()?;
        let what = format!("'{class}' object has neither __dlpack__ nor __cuda_array_interface__");
        Err(PyTypeError::new_err(what))
    }

    fn of_capsule(capsule: Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        // SAFETY: the capsule is alive, and its name says what its pointer points to.
        let tensor = unsafe {
            let raw = capsule.as_ptr();
            if ffi::PyCapsule_IsValid(raw, VERSIONED.as_ptr()) != 0 {
                let found = ffi::PyCapsule_GetPointer(raw, VERSIONED.as_ptr()).cast::<Versioned>();
                if (*found).major > 1 {
                    return Err(PyBufferError::new_err("an unknown version of DLPack"));
                }
                &raw mut (*found).tensor
            } else if ffi::PyCapsule_IsValid(raw, PLAIN.as_ptr()) != 0 {
                let found = ffi::PyCapsule_GetPointer(raw, PLAIN.as_ptr()).cast::<Managed>();
                &raw mut (*found).tensor
            } else {
                return Err(PyBufferError::new_err(
                    "__dlpack__ did not return a DLPack capsule",
                ));
            }
        };
        let tensor = NonNull::new(tensor)
            .ok_or_else(|| PyBufferError::new_err("a DLPack capsule without a tensor"))?;
        // SAFETY: the capsule owns the tensor, and is kept.
        let tensor = unsafe { tensor.as_ref() };
        let place = place(tensor.device.kind, tensor.device.id)?;
        let element = Element::of_kind(tensor.kind)?;
        // SAFETY: as above.
        let (shape, strides) = unsafe { layout(tensor) };
        if tensor.data.is_null() && shape.iter().product::<usize>() > 0 {
            return Err(PyValueError::new_err("a DLPack tensor without data"));
        }
        let start = tensor.data.cast::<u8>();
        Ok(Array {
            start: start.wrapping_add(tensor.byte_offset as usize),
            owner: capsule,
            place,
            element,
            shape,
            strides,
            stream: None,
        })
    }

    /// An array on a device, as version 3 of the CUDA array interface describes it.
    fn of_interface(
        object: &Bound<'py, PyAny>,
        interface: &Bound<'py, PyAny>,
    ) -> PyResult<Array<'py>> {
        let interface = interface.cast::<PyDict>()?;
        let entry = |name: &str| {
            let value = interface.get_item(name)?;
            PyResult::Ok(value.filter(|value| !value.is_none()))
        };
        let required = |name: &str| {
            let missing =
                || PyBufferError::new_err(format!("__cuda_array_interface__ without '{name}'"));
            entry(name)?.ok_or_else(missing)
        };
        if entry("mask")?.is_some() {
            return Err(PyBufferError::new_err("masked arrays are not supported"));
        }
        let shape: Vec<usize> = required("shape")?.extract()?;
        let element = Element::of_name(&required("typestr")?.extract::<String>()?)?;
        let (address, _read_only): (u64, bool) = required("data")?.extract()?;
        let strides = match entry("strides")? {
            None => contiguous(&shape),
            Some(strides) => {
                let bytes: Vec<isize> = strides.extract()?;
                let size = element.bytes() as isize;
                bytes.iter().map(|stride| stride / size).collect()
            }
        };
        let stream: Option<u64> = entry("stream")?.map(|value| value.extract()).transpose()?;
        if stream == Some(0) {
            return Err(PyBufferError::new_err("stream 0 is ambiguous"));
        }
        let place = match shape.iter().product::<usize>() {
            0 => ArrayHome::Cuda(0),
            _ => ArrayHome::Cuda(exchange::ordinal_of(address).map_err(exception)?),
        };
        Ok(Array {
            owner: object.clone(),
            start: address as *mut u8,
            place,
            element,
            shape,
            strides,
            stream,
        })
    }

    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the elements lie one after the other. The stride of a single element means nothing.
    fn is_contiguous(&self) -> bool {
        let expected = contiguous(&self.shape);
        let places = self.shape.iter().zip(self.strides.iter().zip(&expected));
        places
            .into_iter()
            .all(|(n, (stride, expected))| *n <= 1 || stride == expected)
    }

    /// The elements of an array on the host, the last index fastest. `T` has the size of an
    /// element.
    pub(crate) fn copied<T: Copy>(&self) -> Vec<T> {
        assert!(self.place == ArrayHome::Host && size_of::<T>() == self.element.bytes());
        let start = self.start.cast::<T>();
        if self.is_contiguous() && start.is_aligned() && self.count() > 0 {
            // SAFETY: DLPack says that an element is at every index within the shape, and these lie
            // one after the other.
            return unsafe { std::slice::from_raw_parts(start, self.count()) }.to_vec();
        }
        let mut items = Vec::with_capacity(self.count());
        let mut index = vec![0usize; self.shape.len()];
        for _ in 0..self.count() {
            let steps = index.iter().zip(&self.strides);
            let offset: isize = steps.map(|(at, stride)| *at as isize * stride).sum();
            // SAFETY: an element is at every index within the shape. It need not be aligned.
            items.push(unsafe { start.wrapping_offset(offset).read_unaligned() });
            for place in (0..index.len()).rev() {
                index[place] += 1;
                if index[place] < self.shape[place] {
                    break;
                }
                index[place] = 0;
            }
        }
        items
    }

    /// The limbs of an array on the host in place; an error where they do not lie one after the
    /// other. Its owner must not write to them while a value shares them.
    pub(crate) fn into_shared(self) -> PyResult<SharedLimbs> {
        let start = self.start.cast::<u64>();
        let is_ours = self.place == ArrayHome::Host && self.element.bytes() == size_of::<u64>();
        match NonNull::new(start) {
            Some(start) if is_ours && self.is_contiguous() && start.is_aligned() => {
                Ok(SharedLimbs {
                    start,
                    count: self.count(),
                    _owner: self.owner.unbind(),
                })
            }
            _ => Err(PyBufferError::new_err(
                "the array is not contiguous, or not aligned: it cannot be shared",
            )),
        }
    }

    /// The elements in place, of an array of one dimension on the host that nobody else knows of.
    /// `T` has the size of an element; an error where they do not lie one after the other.
    pub(crate) fn elements<T>(&mut self) -> PyResult<&mut [T]> {
        assert!(self.place == ArrayHome::Host && size_of::<T>() == self.element.bytes());
        let start = self.start.cast::<T>();
        if self.count() == 0 {
            return Ok(&mut []);
        }
        if self.shape.len() != 1 || !self.is_contiguous() || !start.is_aligned() || start.is_null()
        {
            return Err(PyBufferError::new_err("the array is not contiguous"));
        }
        // SAFETY: aligned and contiguous as just checked. Nobody else uses the array, by contract.
        Ok(unsafe { std::slice::from_raw_parts_mut(start, self.shape[0]) })
    }

    /// The memory of an array on a device. Its owner must not write to it while a value shares it.
    pub(crate) fn into_foreign(self) -> PyResult<Foreign> {
        let ArrayHome::Cuda(n) = self.place else {
            return Err(PyBufferError::new_err("the array is in the host's memory"));
        };
        let bytes = self.count() * self.element.bytes();
        if bytes > 0 && !self.is_contiguous() {
            return Err(PyBufferError::new_err(
                "an array on a device must be contiguous: make it so first",
            ));
        }
        let owner = Box::new(self.owner.unbind());
        // SAFETY: the owner keeps the memory, which is on this device, as both protocols promise.
        let memory = unsafe { Foreign::new(n, self.start.addr() as u64, bytes, owner) };
        let memory = memory.map_err(exception)?;
        if let Some(stream) = self.stream {
            // SAFETY: the array interface says that this is a stream of the array's device.
            unsafe { memory.wait_for(stream) }.map_err(exception)?;
        }
        Ok(memory)
    }
}

/// The capsule that an object's `__dlpack__` gives. Work on a device is ordered before ours.
fn capsule<'py>(
    object: &Bound<'py, PyAny>,
    method: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let keywords = PyDict::new(py);
    if let Some(device) = object.getattr_opt("__dlpack_device__")? {
        let (kind, id): (i32, i32) = device.call0()?.extract()?;
        if let ArrayHome::Cuda(n) = place(kind, id)? {
            let device = cuda::device(n).map_err(exception)?;
            keywords.set_item("stream", device.stream())?;
        }
    }
    let older = keywords.copy()?;
    keywords.set_item("max_version", (1, 0))?;
    match method.call((), Some(&keywords)) {
        // A library from before version 1.0.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call((), Some(&older)),
        result => result,
    }
}

/// The place that DLPack's kind and number of a device mean.
fn place(kind: i32, id: i32) -> PyResult<ArrayHome> {
    match kind {
        dlpack::CPU | dlpack::CUDA_HOST => Ok(ArrayHome::Host),
        dlpack::CUDA | dlpack::CUDA_MANAGED => Ok(ArrayHome::Cuda(id.max(0) as u32)),
        _ => Err(PyBufferError::new_err(format!(
            "the array is on device ({kind}, {id}): bring it to the host or to a CUDA device first"
        ))),
    }
}

/// Shape, and strides in elements.
///
/// # Safety
/// The tensor's pointers are valid.
unsafe fn layout(tensor: &Tensor) -> (Vec<usize>, Vec<isize>) {
    let dimensions = usize::try_from(tensor.dimensions).unwrap_or(0);
    let numbers = |pointer: *mut i64| match dimensions {
        0 => Vec::new(),
        // SAFETY: the caller's promise, for as many as there are dimensions.
        _ => unsafe { std::slice::from_raw_parts(pointer, dimensions) }.to_vec(),
    };
    let shape: Vec<usize> = numbers(tensor.shape).iter().map(|n| *n as usize).collect();
    if tensor.strides.is_null() {
        let strides = contiguous(&shape);
        return (shape, strides);
    }
    let strides = numbers(tensor.strides);
    (shape, strides.iter().map(|n| *n as isize).collect())
}

/// The strides of elements that lie one after the other, the last index fastest.
fn contiguous(shape: &[usize]) -> Vec<isize> {
    let mut strides: Vec<isize> = vec![1; shape.len()];
    for place in (1..shape.len()).rev() {
        strides[place - 1] = strides[place] * shape[place] as isize;
    }
    strides
}
