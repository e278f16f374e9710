//! DLPack: arrays of other libraries in, arrays of ours out.
//!
//! The structures are those of `dlpack.h`, version 1. Arrays that come in are copied, so that nothing
//! depends on what their owner does with them afterwards. A batch that goes out is not copied where
//! the receiver understands that it must not be written to.

// Pointers of DLPack are followed here.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The host's memory.
pub(crate) const CPU: i32 = 1;

const INT: u8 = 0;
const UINT: u8 = 1;
const FLOAT: u8 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
struct Device {
    kind: i32,
    id: i32,
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: Device,
    dimensions: i32,
    kind: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

const PLAIN: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

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

/// An array of another library's, alive as long as this is.
pub(crate) struct Array<'py> {
    _capsule: Bound<'py, PyAny>,
    tensor: NonNull<Tensor>,
    pub(crate) element: Element,
    pub(crate) shape: Vec<usize>,
    /// In elements.
    strides: Vec<isize>,
}

impl<'py> Array<'py> {
    /// The array that an object with `__dlpack__` is, in the host's memory.
    pub(crate) fn new(object: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        let py = object.py();
        let Some(method) = object.getattr_opt("__dlpack__")? else {
            let class = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "'{class}' object has no __dlpack__"
            )));
        };
        let keywords = PyDict::new(py);
        keywords.set_item("max_version", (1, 0))?;
        let capsule = match method.call((), Some(&keywords)) {
            Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call0()?,
            result => result?,
        };
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
        let (element, shape, strides) = unsafe { described(tensor.as_ref()) }?;
        Ok(Array {
            _capsule: capsule,
            tensor,
            element,
            shape,
            strides,
        })
    }

    /// The address of the first element.
    fn start(&self) -> *mut u8 {
        // SAFETY: the capsule, which is kept, owns the tensor.
        let tensor = unsafe { self.tensor.as_ref() };
        tensor
            .data
            .cast::<u8>()
            .wrapping_add(tensor.byte_offset as usize)
    }

    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// The elements, the last index fastest. `T` has the size of an element.
    pub(crate) fn copied<T: Copy>(&self) -> Vec<T> {
        let mut items = Vec::with_capacity(self.count());
        let mut index = vec![0usize; self.shape.len()];
        let start = self.start().cast::<T>();
        for _ in 0..self.count() {
            let steps = index.iter().zip(&self.strides);
            let offset: isize = steps.map(|(at, stride)| *at as isize * stride).sum();
            // SAFETY: DLPack says that an element is at every index within the shape. It need not
            // be aligned.
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

    /// The elements in place, of an array of one dimension that nobody else knows of. `T` has the
    /// size of an element; an error where they do not lie one after the other.
    pub(crate) fn elements<T>(&mut self) -> PyResult<&mut [T]> {
        let start = self.start().cast::<T>();
        if self.count() == 0 {
            return Ok(&mut []);
        }
        if self.strides != [1] || !start.is_aligned() || start.is_null() {
            return Err(PyBufferError::new_err("the array is not contiguous"));
        }
        // SAFETY: aligned and contiguous as just checked. Nobody else uses the array, by contract.
        Ok(unsafe { std::slice::from_raw_parts_mut(start, self.shape[0]) })
    }
}

/// # Safety
/// The tensor's pointers are valid.
unsafe fn described(tensor: &Tensor) -> PyResult<(Element, Vec<usize>, Vec<isize>)> {
    if tensor.device.kind != CPU {
        return Err(PyBufferError::new_err(format!(
            "the array is on device ({}, {}): bring it to the host first",
            tensor.device.kind, tensor.device.id
        )));
    }
    let element = match tensor.kind {
        DataType {
            code: UINT,
            bits: 32,
            lanes: 1,
        } => Element::U32,
        DataType {
            code: UINT,
            bits: 64,
            lanes: 1,
        } => Element::U64,
        DataType {
            code: INT,
            bits: 32,
            lanes: 1,
        } => Element::I32,
        DataType {
            code: INT,
            bits: 64,
            lanes: 1,
        } => Element::I64,
        DataType {
            code: FLOAT,
            bits: 32,
            lanes: 1,
        } => Element::F32,
        DataType {
            code: FLOAT,
            bits: 64,
            lanes: 1,
        } => Element::F64,
        DataType { code, bits, lanes } => {
            let what = format!("elements of type ({code}, {bits} bits, {lanes} lanes)");
            return Err(PyTypeError::new_err(format!("{what} are not supported")));
        }
    };
    let dimensions = usize::try_from(tensor.dimensions).unwrap_or(0);
    let numbers = |pointer: *mut i64| match dimensions {
        0 => Vec::new(),
        // SAFETY: the caller's promise, for as many as there are dimensions.
        _ => unsafe { std::slice::from_raw_parts(pointer, dimensions) }.to_vec(),
    };
    let shape: Vec<usize> = numbers(tensor.shape).iter().map(|n| *n as usize).collect();
    let strides: Vec<isize> = match tensor.strides.is_null() {
        false => numbers(tensor.strides)
            .iter()
            .map(|n| *n as isize)
            .collect(),
        true => {
            let mut strides: Vec<isize> = vec![1; dimensions];
            for place in (1..dimensions).rev() {
                strides[place - 1] = strides[place] * shape[place] as isize;
            }
            strides
        }
    };
    if tensor.data.is_null() && shape.iter().product::<usize>() > 0 {
        return Err(PyValueError::new_err("a DLPack tensor without data"));
    }
    Ok((element, shape, strides))
}

/// What a capsule of ours owns.
struct Owner {
    shape: [i64; 2],
    strides: [i64; 2],
    /// The elements, where they were copied.
    copied: Vec<u64>,
    /// The Python object whose elements they are, where they were not.
    kept: Option<Py<PyAny>>,
}

/// A capsule with rows of words. Without `read_only` the words are copied first.
pub(crate) fn capsule<'py>(
    owner: &Bound<'py, PyAny>,
    limbs: &[u64],
    width: usize,
    versioned: bool,
    copy: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    let copied = if copy { limbs.to_vec() } else { Vec::new() };
    let data = if copy {
        copied.as_ptr()
    } else {
        limbs.as_ptr()
    };
    let owned = Box::into_raw(Box::new(Owner {
        shape: [(limbs.len() / width) as i64, width as i64],
        strides: [width as i64, 1],
        copied,
        kept: (!copy).then(|| owner.clone().unbind()),
    }));
    let tensor = Tensor {
        data: data.cast_mut().cast(),
        device: Device { kind: CPU, id: 0 },
        dimensions: 2,
        kind: DataType {
            code: UINT,
            bits: 64,
            lanes: 1,
        },
        // SAFETY: the box was just made.
        shape: unsafe { &raw mut (*owned).shape }.cast(),
        // SAFETY: as above.
        strides: unsafe { &raw mut (*owned).strides }.cast(),
        byte_offset: 0,
    };
    let context = owned.cast();
    let (pointer, name, destructor): (*mut c_void, _, unsafe extern "C" fn(*mut ffi::PyObject)) =
        match versioned {
            true => {
                let flags = if copy { IS_COPIED } else { READ_ONLY };
                let deleter = Some(drop_versioned as unsafe extern "C" fn(*mut Versioned));
                let made = Versioned {
                    major: 1,
                    minor: 0,
                    context,
                    deleter,
                    flags,
                    tensor,
                };
                (
                    Box::into_raw(Box::new(made)).cast(),
                    VERSIONED,
                    end_versioned,
                )
            }
            false => {
                let deleter = Some(drop_plain as unsafe extern "C" fn(*mut Managed));
                let made = Managed {
                    tensor,
                    context,
                    deleter,
                };
                (Box::into_raw(Box::new(made)).cast(), PLAIN, end_plain)
            }
        };
    // SAFETY: the name is static, and the destructor takes the pointer back where no consumer has
    // renamed the capsule.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(destructor));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// A consumer, or the capsule's end, drops what the capsule owns. It may come from any thread.
unsafe extern "C" fn drop_versioned(pointer: *mut Versioned) {
    // SAFETY: made by `capsule`, and dropped once by DLPack's rules.
    unsafe { drop_owner(Box::from_raw(pointer).context) };
}

unsafe extern "C" fn drop_plain(pointer: *mut Managed) {
    // SAFETY: made by `capsule`, and dropped once by DLPack's rules.
    unsafe { drop_owner(Box::from_raw(pointer).context) };
}

unsafe fn drop_owner(context: *mut c_void) {
    // SAFETY: made by `capsule`.
    let owner = unsafe { Box::from_raw(context.cast::<Owner>()) };
    // PyO3 defers the end of a reference that is dropped where no interpreter is attached.
    let Owner { kept, copied, .. } = *owner;
    drop((kept, copied));
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
