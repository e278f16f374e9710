//! An allocator for libraries that other programs load. It defines what happens when memory runs
//! out.
//!
//! Long buffers are asked for by functions that give an error. The many short pieces of an
//! operation are not, and Rust ends the process when one of them cannot be had. So the allocator
//! holds a reserve of address space, which it never touches. Once a short piece cannot be had, the
//! reserve is given back to the system and the piece comes from there. From then on every operation
//! that asks [`check`] fails, until the reserve can be set up again.

// Reason: an allocator is an unsafe trait. Every method passes its arguments on unchanged to
// `System`, which has the same contract.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::error::{Error, Result};

/// Bytes of the reserve: what an operation may take in short pieces before it asks again.
const RESERVE: Layout = match Layout::from_size_align(16 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("a valid layout"),
};

/// The longest pieces that come from the reserve.
const LONGEST: usize = 1 << 20;

/// The reserve; null where there is none.
static BLOCK: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// Whether the reserve has been given back for lack of memory.
static IS_GONE: AtomicBool = AtomicBool::new(false);

/// The system's allocator with a reserve. It is for libraries that are loaded by programs of
/// others: with it as their `#[global_allocator]`, and with [`set_up`] called before each
/// operation, they report a lack of memory and do not end the program.
///
/// ```
/// use bezout::memory::{self, ReservingAllocator};
///
/// #[global_allocator]
/// static ALLOCATOR: ReservingAllocator = ReservingAllocator;
///
/// memory::set_up()?;
/// assert_eq!(bezout::Int::from(2).try_pow(10)?, 1024);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Debug)]
pub struct ReservingAllocator;

// SAFETY: memory comes from `System` and goes back to it, with the layout that the caller gave.
unsafe impl GlobalAlloc for ReservingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of `System`.
        let at = unsafe { System.alloc(layout) };
        if at.is_null() && gives_way(layout.size()) {
            // SAFETY: as above.
            return unsafe { System.alloc(layout) };
        }
        at
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of `System`.
        let at = unsafe { System.alloc_zeroed(layout) };
        if at.is_null() && gives_way(layout.size()) {
            // SAFETY: as above.
            return unsafe { System.alloc_zeroed(layout) };
        }
        at
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is that of `System`, from which `at` came.
        let moved = unsafe { System.realloc(at, layout, size) };
        if moved.is_null() && gives_way(size) {
            // SAFETY: as above. A call that fails leaves the memory as it was.
            return unsafe { System.realloc(at, layout, size) };
        }
        moved
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is that of `System`, from which `at` came.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Frees the reserve for an allocation of `size` bytes. Returns whether to try the allocation
/// again, which is also the case if another thread has just freed the reserve.
#[cold]
fn gives_way(size: usize) -> bool {
    if size > LONGEST {
        return false;
    }
    IS_GONE.store(true, Ordering::Relaxed);
    let block = BLOCK.swap(ptr::null_mut(), Ordering::AcqRel);
    if !block.is_null() {
        // SAFETY: `fill` took it from `System` with this layout, and the swap gave it to this
        // thread alone.
        unsafe { System.dealloc(block, RESERVE) };
    }
    true
}

/// Sets up the reserve of a [`ReservingAllocator`] where there is none. An error if there is no
/// memory for it; making that error takes no memory.
#[inline]
pub fn set_up() -> Result<()> {
    if BLOCK.load(Ordering::Relaxed).is_null() {
        return fill();
    }
    Ok(())
}

/// An error if the reserve is gone and cannot be had again. Without a reserve, this is no error.
#[inline]
pub(crate) fn check() -> Result<()> {
    if IS_GONE.load(Ordering::Relaxed) {
        return fill();
    }
    Ok(())
}

#[cold]
fn fill() -> Result<()> {
    // SAFETY: the layout is not of size 0.
    let block = unsafe { System.alloc(RESERVE) };
    if block.is_null() {
        return Err(Error::Memory {
            what: "any operation",
            needed: RESERVE.size() as u64,
            available: 0,
            limit: "the system",
        });
    }
    IS_GONE.store(false, Ordering::Relaxed);
    let other = BLOCK.swap(block, Ordering::AcqRel);
    if !other.is_null() {
        // SAFETY: another thread has set it up at the same time, as this one has.
        unsafe { System.dealloc(other, RESERVE) };
    }
    Ok(())
}
