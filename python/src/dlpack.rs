//! DLPack and the array interfaces: arrays of ours, as they go out.
//!
//! The structures are those of `dlpack.h`, version 1. What goes out is not copied where the
//! receiver understands that it must not be written to.

// Capsules hand pointers out here.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use bezout::Error;
use bezout::cuda::exchange::Loan;
use pyo3::exceptions::{PyAttributeError, PyBufferError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::array::Element;
use crate::border::{Effort, run};

/// The host's memory, and other kinds of memory by DLPack's numbers.
pub(crate) const CPU: i32 = 1;
pub(crate) const CUDA: i32 = 2;
pub(crate) const CUDA_HOST: i32 = 3;
pub(crate) const CUDA_MANAGED: i32 = 13;

pub(crate) const INT: u8 = 0;
pub(crate) const UINT: u8 = 1;
pub(crate) const FLOAT: u8 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Device {
    pub(crate) kind: i32,
    pub(crate) id: i32,
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct DataType {
    pub(crate) code: u8,
    pub(crate) bits: u8,
    pub(crate) lanes: u16,
}

impl DataType {
    pub(crate) const fn new(code: u8, bits: u8) -> DataType {
        DataType {
            code,
            bits,
            lanes: 1,
        }
    }
}

#[repr(C)]
pub(crate) struct Tensor {
    pub(crate) data: *mut c_void,
    pub(crate) device: Device,
    pub(crate) dimensions: i32,
    pub(crate) kind: DataType,
    pub(crate) shape: *mut i64,
    pub(crate) strides: *mut i64,
    pub(crate) byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
pub(crate) struct Managed {
    pub(crate) tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub(crate) struct Versioned {
    pub(crate) major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    pub(crate) tensor: Tensor,
}

const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

pub(crate) const PLAIN: &CStr = c"dltensor";
pub(crate) const VERSIONED: &CStr = c"dltensor_versioned";

/// The arguments of `__dlpack__`.
pub(crate) struct Request {
    pub(crate) stream: Option<i64>,
    pub(crate) max_version: Option<(u32, u32)>,
    pub(crate) dl_device: Option<(i32, i32)>,
    pub(crate) copy: Option<bool>,
}

/// Constant values that can go out as an array of elements of one type.
pub(crate) trait Export: Sync {
    /// Whether the receiver may write to the elements, because nobody else has them.
    const IS_WRITABLE: bool = false;
    /// The type of the elements.
    fn element(&self) -> Element;
    /// How many elements there are in each dimension.
    fn shape(&self) -> Result<Vec<usize>, Error>;
    /// The number of the device that has a copy.
    fn ordinal(&self) -> Option<u32>;
    /// The address of the elements on the host, which stays valid as long as the value lives.
    fn host(&self) -> Result<*const c_void, Error>;
    /// The elements on a device.
    fn lend(&self, n: u32) -> Result<Loan, Error>;
    /// A loan that lasts as long as the value.
    fn pinned(&self) -> &OnceLock<Loan>;
}

/// What `__dlpack_device__` says: the device that has a copy, or else the host.
pub(crate) fn device(value: &impl Export) -> (i32, i32) {
    match value.ordinal() {
        Some(n) => (CUDA, n as i32),
        None => (CPU, 0),
    }
}

/// The address of memory on the host, that may go to another thread.
struct Address(*const c_void);

// SAFETY: the address is not followed here.
unsafe impl Send for Address {}

/// The array of `__array_interface__`: on the host, without a copy, read-only.
pub(crate) fn array_interface<'py, T: Export>(
    py: Python<'py>,
    value: &T,
) -> PyResult<Bound<'py, PyDict>> {
    let work = || Ok((value.shape()?, Address(value.host()?)));
    let (shape, Address(address)) = run(py, Effort::Medium, work)?;
    interface(py, value, shape, address.addr() as u64)
}

/// The array of `__cuda_array_interface__`: on the device that has a copy, without a copy,
/// read-only. All work on it is done.
pub(crate) fn cuda_array_interface<'py, T: Export>(
    py: Python<'py>,
    value: &T,
) -> PyResult<Bound<'py, PyDict>> {
    let Some(n) = value.ordinal() else {
        let what = "no device has a copy: to('cuda') makes one";
        return Err(PyAttributeError::new_err(what));
    };
    let (shape, address) = run(py, Effort::Medium, || {
        // Receivers keep the object alive, but say nothing when they are done with the memory.
        let loan = match value.pinned().get() {
            Some(loan) => loan,
            None => {
                let loan = value.lend(n)?;
                value.pinned().get_or_init(|| loan)
            }
        };
        bezout::cuda::device(n)?.synchronize()?;
        Ok((value.shape()?, loan.address()))
    })?;
    interface(py, value, shape, address)
}

fn interface<'py, T: Export>(
    py: Python<'py>,
    value: &T,
    shape: Vec<usize>,
    address: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let interface = PyDict::new(py);
    interface.set_item("version", 3)?;
    interface.set_item("shape", PyTuple::new(py, shape)?)?;
    interface.set_item("typestr", value.element().name())?;
    interface.set_item("data", (address, !T::IS_WRITABLE))?;
    interface.set_item("strides", py.None())?;
    Ok(interface)
}

/// What a capsule of ours owns.
struct Owner {
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// The elements, where they were copied on the host.
    _copied: Vec<u64>,
    /// The Python object whose elements they are, where they are on the host and were not copied.
    _kept: Option<Py<PyAny>>,
    /// The elements on a device.
    _loan: Option<Loan>,
}

/// The capsule of `__dlpack__`. The elements are read-only, and copied for a receiver that does
/// not know of read-only arrays.
pub(crate) fn capsule<'py, T: Export>(
    object: &Bound<'py, PyAny>,
    value: &T,
    request: &Request,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let versioned = request.max_version.is_some_and(|(major, _)| major >= 1);
    let may_share = versioned || T::IS_WRITABLE;
    if !may_share && request.copy == Some(false) {
        return Err(PyBufferError::new_err(
            "without a copy, a receiver must take DLPack 1.0",
        ));
    }
    if request.stream == Some(0) {
        return Err(PyBufferError::new_err("stream 0 is ambiguous"));
    }
    let copy = request.copy.unwrap_or(!may_share);
    let (kind, id) = request.dl_device.unwrap_or_else(|| device(value));
    let shape = run(py, Effort::Medium, || value.shape())?;
    let (mut copied, mut kept, mut loan) = (Vec::new(), None, None);
    let data = match kind {
        CPU => {
            if request.stream.is_some() {
                return Err(PyBufferError::new_err("the host's memory has no streams"));
            }
            let Address(data) = run(py, Effort::Medium, || value.host().map(Address))?;
            if copy {
                let bytes = shape.iter().product::<usize>() * value.element().bytes();
                copied = vec![0u64; bytes.div_ceil(8)];
                // SAFETY: so many bytes are at the address, which the value keeps, and the vector
                // is no shorter.
                unsafe {
                    let to = copied.as_mut_ptr().cast::<u8>();
                    std::ptr::copy_nonoverlapping(data.cast::<u8>(), to, bytes);
                }
                copied.as_ptr().cast()
            } else {
                kept = Some(object.clone().unbind());
                data
            }
        }
        CUDA => {
            let stream = request.stream;
            let lent = run(py, Effort::Medium, || {
                let loan = value.lend(id.max(0) as u32)?;
                let loan = if copy { loan.copied()? } else { loan };
                match stream {
                    // The receiver asks for no order.
                    Some(-1) => {}
                    // SAFETY: DLPack says that this is a stream of the device. Without one it is
                    // the legacy default stream, whose handle is 1.
                    _ => unsafe { loan.make_stream_wait(stream.unwrap_or(1) as u64) }?,
                }
                Ok(loan)
            })?;
            let address = lent.address();
            loan = Some(lent);
            address as *const c_void
        }
        _ => {
            let what = format!("no array can be made on device ({kind}, {id})");
            return Err(PyBufferError::new_err(what));
        }
    };
    let id = loan.as_ref().map_or(0, |loan: &Loan| loan.ordinal() as i32);
    let mut strides = vec![1i64; shape.len()];
    for place in (1..shape.len()).rev() {
        strides[place - 1] = strides[place] * shape[place] as i64;
    }
    let dimensions = shape.len() as i32;
    let mut owner = Box::new(Owner {
        shape: shape.iter().map(|n| *n as i64).collect(),
        strides,
        _copied: copied,
        _kept: kept,
        _loan: loan,
    });
    let tensor = Tensor {
        data: data.cast_mut(),
        device: Device { kind, id },
        dimensions,
        kind: value.element().kind(),
        // The vectors stay where they are when their box moves.
        shape: owner.shape.as_mut_ptr(),
        strides: owner.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let flags = match (copy, T::IS_WRITABLE) {
        (true, _) => IS_COPIED,
        (false, true) => 0,
        (false, false) => READ_ONLY,
    };
    wrap(py, owner, tensor, versioned.then_some(flags))
}

/// A capsule which owns `owner`: with flags that of version 1.0, without that of older versions.
fn wrap(
    py: Python<'_>,
    owner: Box<Owner>,
    tensor: Tensor,
    flags: Option<u64>,
) -> PyResult<Bound<'_, PyAny>> {
    type Destructor = unsafe extern "C" fn(*mut ffi::PyObject);
    let context = Box::into_raw(owner).cast();
    let (pointer, name, destructor): (*mut c_void, &CStr, Destructor) = if let Some(flags) = flags {
        let made = Box::new(Versioned {
            major: 1,
            minor: 0,
            context,
            deleter: Some(drop_versioned),
            flags,
            tensor,
        });
        (Box::into_raw(made).cast(), VERSIONED, end_versioned)
    } else {
        let made = Box::new(Managed {
            tensor,
            context,
            deleter: Some(drop_plain),
        });
        (Box::into_raw(made).cast(), PLAIN, end_plain)
    };
    // SAFETY: the name is static, and the destructor takes the pointer back where no consumer has
    // renamed the capsule.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(destructor));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// A consumer, or the capsule's end, drops what the capsule owns. It may come from any thread. PyO3
/// defers the end of a reference that is dropped where no interpreter is attached.
unsafe extern "C" fn drop_versioned(pointer: *mut Versioned) {
    // SAFETY: made by `wrap`, and dropped once by DLPack's rules.
    unsafe {
        drop(Box::from_raw(
            Box::from_raw(pointer).context.cast::<Owner>(),
        ))
    };
}

unsafe extern "C" fn drop_plain(pointer: *mut Managed) {
    // SAFETY: made by `wrap`, and dropped once by DLPack's rules.
    unsafe {
        drop(Box::from_raw(
            Box::from_raw(pointer).context.cast::<Owner>(),
        ))
    };
}

unsafe extern "C" fn end_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with a capsule of ours. A consumer renames what it has taken.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) != 0 {
            drop_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        }
    }
}

unsafe extern "C" fn end_plain(capsule: *mut ffi::PyObject) {
    // SAFETY: as above.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, PLAIN.as_ptr()) != 0 {
            drop_plain(ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr()).cast());
        }
    }
}
