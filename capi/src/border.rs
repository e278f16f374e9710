//! The border between C and Rust: every function passes through [`guard`], and every pointer
//! through one of the functions here.
//!
//! The contract of all pointers is in the crate's documentation. A result is stored last, after
//! everything that can fail, so that a call that fails leaves all values as they were, and so that
//! a result may lie where an operand does.

// Pointers from C are followed here.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::panic::{self, AssertUnwindSafe};

use bezout::{Batch, Error, Int, Poly, memory};

use crate::scope;
use crate::status::{Failure, bezout_status, bug, fail, no_memory};

/// Runs the work of one call under this thread's engine and progress callback. Neither an error nor
/// a panic leaves it as anything but a status code.
pub(crate) fn guard(work: impl FnOnce() -> Result<(), Failure>) -> bezout_status {
    if memory::set_up().is_err() {
        return no_memory();
    }
    // A result is stored at once and last, so no value is seen half changed after a panic.
    match panic::catch_unwind(AssertUnwindSafe(|| scope::in_force(work))) {
        Ok(Ok(())) => bezout_status::BEZOUT_OK,
        Ok(Err(failure)) => fail(failure),
        Err(payload) => bug(payload),
    }
}

/// Runs work that has no status to return: a panic or no memory gives `otherwise`.
pub(crate) fn quietly<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    if memory::set_up().is_err() {
        no_memory();
        return otherwise;
    }
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        bug(payload);
        otherwise
    })
}

/// The guarded body of a function: results, operands, and the work on the operands' values.
///
/// `call!(out = a, b; a.try_add(b))` refuses NULL among `out`, `a` and `b`, does the work, whose
/// error becomes the status, and stores its result. Several results are a tuple.
macro_rules! call {
    (() = $($operand:ident),*; $work:expr) => {
        $crate::border::guard(|| {
            // SAFETY: a pointer that is not NULL is valid, by the contract of all functions.
            $(let $operand = unsafe { $crate::border::given($operand, stringify!($operand)) }?;)*
            Ok($work?)
        })
    };
    (($($out:ident),+) = $($operand:ident),*; $work:expr) => {
        $crate::border::guard(|| {
            $(let $out = $crate::border::OutPointer::new($out, stringify!($out))?;)+
            $crate::border::distinct(&[$($out.address()),+])?;
            // SAFETY: a pointer that is not NULL is valid, by the contract of all functions. The
            // operands are not used after the results are stored.
            $(let $operand = unsafe { $crate::border::given($operand, stringify!($operand)) }?;)*
            let values = $work?;
            // SAFETY: as above.
            unsafe { $crate::border::Store::store(($($out,)+), values) };
            Ok(())
        })
    };
    ($out:ident = $($operand:ident),*; $work:expr) => {
        $crate::border::guard(|| {
            let $out = $crate::border::OutPointer::new($out, stringify!($out))?;
            // SAFETY: a pointer that is not NULL is valid, by the contract of all functions. The
            // operands are not used after the result is stored.
            $(let $operand = unsafe { $crate::border::given($operand, stringify!($operand)) }?;)*
            let value = $work?;
            // SAFETY: as above.
            unsafe { $out.put(value) };
            Ok(())
        })
    };
}

pub(crate) use call;

/// An opaque type, and the value of the library inside it.
pub(crate) trait Handle {
    /// The library's type.
    type Value;

    /// The value.
    fn value(&self) -> &Self::Value;
}

/// Makes handles of opaque types, which have one field `value`.
macro_rules! handles {
    ($($name:ident: $value:ty;)*) => {$(
        impl $crate::border::Handle for $name {
            type Value = $value;

            fn value(&self) -> &$value {
                &self.value
            }
        }

        impl From<$value> for $name {
            fn from(value: $value) -> $name {
                $name { value }
            }
        }
    )*};
}

pub(crate) use handles;

/// An integer of any size. Made by bezout_int_new and the bezout_int_from functions, freed by
/// bezout_int_free.
pub struct bezout_int {
    pub(crate) value: Int,
}

/// A polynomial over Z_p, p any prime below 2^63. Made by bezout_poly_new, freed by
/// bezout_poly_free.
pub struct bezout_poly {
    pub(crate) value: Poly,
}

/// Many unsigned integers of one length, the rows of the batch. Made by bezout_batch_new, freed by
/// bezout_batch_free.
pub struct bezout_batch {
    pub(crate) value: Batch,
}

handles! {
    bezout_int: Int;
    bezout_poly: Poly;
    bezout_batch: Batch;
}

/// The value of an operand; an error for NULL.
///
/// # Safety
/// A pointer that is not NULL points to a value that nobody changes for as long as the result is
/// used.
pub(crate) unsafe fn given<'a, T: Handle + 'a>(
    pointer: *const T,
    name: &'static str,
) -> Result<&'a T::Value, Failure> {
    // SAFETY: the caller's promise.
    let handle = unsafe { pointer.as_ref() };
    handle.map(T::value).ok_or(Failure::Null(name))
}

/// A handle that the call changes in place; an error for NULL.
///
/// # Safety
/// A pointer that is not NULL points to a value that nobody else uses for as long as the result is
/// used.
pub(crate) unsafe fn changed<'a, T>(
    pointer: *mut T,
    name: &'static str,
) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller's promise.
    let handle = unsafe { pointer.as_mut() };
    handle.ok_or(Failure::Null(name))
}

/// Where a result goes.
pub(crate) struct OutPointer<T>(*mut T);

impl<T> OutPointer<T> {
    /// The place that a pointer names; an error for NULL.
    pub(crate) fn new(pointer: *mut T, name: &'static str) -> Result<OutPointer<T>, Failure> {
        if pointer.is_null() {
            Err(Failure::Null(name))
        } else {
            Ok(OutPointer(pointer))
        }
    }

    /// Its address, to tell places apart.
    pub(crate) fn address(&self) -> usize {
        self.0.addr()
    }

    /// Stores a result and drops the value that was there.
    ///
    /// # Safety
    /// The pointer is valid for writes, and nobody else uses what it points to. If `T` is dropped,
    /// it points to a value.
    pub(crate) unsafe fn put(self, value: impl Into<T>) {
        // SAFETY: the caller's promise.
        unsafe { *self.0 = value.into() };
    }
}

/// Places for as many results as a tuple has.
pub(crate) trait Store<V> {
    /// Stores each result in its place.
    ///
    /// # Safety
    /// As [`OutPointer::put`], for each place.
    unsafe fn store(self, values: V);
}

impl<A, B, V: Into<A>, W: Into<B>> Store<(V, W)> for (OutPointer<A>, OutPointer<B>) {
    unsafe fn store(self, (v, w): (V, W)) {
        // SAFETY: the caller's promise.
        unsafe {
            self.0.put(v);
            self.1.put(w);
        }
    }
}

impl<A, B, C, V: Into<A>, W: Into<B>, X: Into<C>> Store<(V, W, X)>
    for (OutPointer<A>, OutPointer<B>, OutPointer<C>)
{
    unsafe fn store(self, (v, w, x): (V, W, X)) {
        // SAFETY: the caller's promise.
        unsafe {
            self.0.put(v);
            self.1.put(w);
            self.2.put(x);
        }
    }
}

/// Refuses two results in one place.
pub(crate) fn distinct(addresses: &[usize]) -> Result<(), Failure> {
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        Err(Failure::Argument(
            "two results cannot be stored in one place".into(),
        ))
    } else {
        Ok(())
    }
}

/// An array of the caller's. NULL is allowed where it has no items.
///
/// # Safety
/// A pointer that is not NULL points to `count` items that nobody changes for as long as the result
/// is used.
pub(crate) unsafe fn slice<'a, T>(
    items: *const T,
    count: usize,
    name: &'static str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check_array(items, count, name)?;
    // SAFETY: not NULL, aligned and of a possible length as just checked; the rest is the caller's
    // promise.
    Ok(unsafe { std::slice::from_raw_parts(items, count) })
}

/// A copy of an array of the caller's.
pub(crate) fn copied<T: Copy>(items: &[T]) -> Result<Vec<T>, Failure> {
    let mut copy = memory::room("the array", items.len())?;
    copy.extend_from_slice(items);
    Ok(copy)
}

/// Another word for each.
pub(crate) fn converted<T, U>(items: Vec<T>, convert: fn(T) -> U) -> Result<Vec<U>, Failure> {
    let mut all = memory::room("the words", items.len())?;
    all.extend(items.into_iter().map(convert));
    Ok(all)
}

/// An array of the caller's that the call changes. NULL is allowed where it has no items.
///
/// # Safety
/// A pointer that is not NULL points to `count` items that nobody else uses for as long as the
/// result is used.
pub(crate) unsafe fn slice_mut<'a, T>(
    items: *mut T,
    count: usize,
    name: &'static str,
) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_array(items, count, name)?;
    // SAFETY: as in `slice`.
    Ok(unsafe { std::slice::from_raw_parts_mut(items, count) })
}

/// Refuses arrays that no memory holds.
fn check_array<T>(items: *const T, count: usize, name: &'static str) -> Result<(), Failure> {
    if items.is_null() {
        return Err(Failure::Null(name));
    }
    if !items.is_aligned() {
        return Err(Failure::Argument(format!("argument {name} is not aligned")));
    }
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(Failure::Argument(format!(
            "argument {name} cannot have {count} items"
        ))),
    }
}

/// The values of an array of handles. Clones of large values share their memory.
///
/// # Safety
/// A pointer that is not NULL points to `count` pointers, each NULL or valid as for [`given`].
pub(crate) unsafe fn many<T: Handle>(
    items: *const *const T,
    count: usize,
    name: &'static str,
) -> Result<Vec<T::Value>, Failure>
where
    T::Value: Clone,
{
    // SAFETY: the caller's promise.
    let items = unsafe { slice(items, count, name) }?;
    let value = |(at, item): (usize, &*const T)| {
        // SAFETY: the caller's promise.
        let handle = unsafe { item.as_ref() };
        handle
            .map(|handle| handle.value().clone())
            .ok_or(Failure::NullItem(name, at))
    };
    let mut values = memory::room(name, count)?;
    for item in items.iter().enumerate() {
        values.push(value(item)?);
    }
    Ok(values)
}

/// The places of an array of handles.
///
/// # Safety
/// A pointer that is not NULL points to `count` pointers.
pub(crate) unsafe fn places<T>(
    items: *const *mut T,
    count: usize,
    name: &'static str,
) -> Result<Vec<OutPointer<T>>, Failure> {
    // SAFETY: the caller's promise.
    let items = unsafe { slice(items, count, name) }?;
    let place = |(at, item): (usize, &*mut T)| {
        if item.is_null() {
            Err(Failure::NullItem(name, at))
        } else {
            Ok(OutPointer(*item))
        }
    };
    let mut places = memory::room(name, count)?;
    for item in items.iter().enumerate() {
        places.push(place(item)?);
    }
    Ok(places)
}

/// Stores one result in each place.
///
/// # Safety
/// As [`OutPointer::put`], for each place.
pub(crate) unsafe fn put_all<T: From<V>, V>(places: Vec<OutPointer<T>>, values: Vec<V>) {
    for (place, value) in places.into_iter().zip(values) {
        // SAFETY: the caller's promise.
        unsafe { place.put(value) };
    }
}

/// Copies items into the caller's buffer and stores how many there are. A NULL buffer asks for the
/// number alone.
///
/// # Safety
/// `needed` is valid for a write. A buffer that is not NULL is valid for `capacity` writes.
pub(crate) unsafe fn export<T: Copy>(
    items: &[T],
    buffer: *mut T,
    capacity: usize,
    needed: *mut usize,
) -> Result<(), Failure> {
    let place = OutPointer::new(needed, "needed")?;
    // SAFETY: the caller's promise.
    unsafe { place.put(items.len()) };
    if buffer.is_null() {
        return Ok(());
    }
    if capacity < items.len() {
        return Err(Failure::Buffer {
            needed: items.len(),
            capacity,
        });
    }
    check_array(buffer, items.len(), "buffer")?;
    // SAFETY: the buffer has room as just checked, and memory of the caller does not overlap a
    // value of the library.
    unsafe { std::ptr::copy_nonoverlapping(items.as_ptr(), buffer, items.len()) };
    Ok(())
}

/// Copies one item for each row into the caller's array, which must have room for all.
///
/// # Safety
/// An array that is not NULL is valid for `capacity` writes.
pub(crate) unsafe fn export_rows<T: Copy>(
    items: &[T],
    array: *mut T,
    capacity: usize,
) -> Result<(), Failure> {
    if array.is_null() {
        return Err(Failure::Null("out"));
    }
    let mut needed = 0;
    // SAFETY: the caller's promise; `needed` is a local variable.
    unsafe { export(items, array, capacity, &mut needed) }
}

/// Text of the caller's up to its end by NUL.
///
/// # Safety
/// A pointer that is not NULL points to a string that ends with NUL and that nobody changes for as
/// long as the result is used.
pub(crate) unsafe fn text<'a>(
    pointer: *const c_char,
    name: &'static str,
) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(Failure::Null(name));
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(pointer) }.to_bytes();
    utf8(bytes)
}

/// Bytes as text.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        Failure::Library(Error::Parse {
            position: error.valid_up_to(),
            reason: "the text is not UTF-8".into(),
        })
    })
}

/// Gives a value to the caller, who frees it by its own function.
pub(crate) fn give<T>(value: impl Into<T>) -> *mut T {
    Box::into_raw(Box::new(value.into()))
}

/// Drops a value. That takes no memory, so that it goes on where there is none.
pub(crate) fn dropped<T>(value: T) {
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| drop(value))) {
        bug(payload);
    }
}

/// Takes a value back and drops it. NULL is allowed.
///
/// # Safety
/// A pointer that is not NULL came from [`give`] and was not taken back before.
pub(crate) unsafe fn take<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: the caller's promise.
        let value = unsafe { Box::from_raw(pointer) };
        dropped(value);
    }
}

/// Stands for no number where the library has none.
pub(crate) fn or_none(number: Option<u64>) -> u64 {
    number.unwrap_or(u64::MAX)
}
