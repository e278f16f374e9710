//! The allocator: the system's, except that a failed allocation ends the command with a message.
//!
//! Results are sized before they are made ([`bezout::memory`]), so this is the last line of
//! defence: most allocations cannot report a failure, and Rust would abort with a signal and a
//! backtrace. Nothing here allocates, and the process ends without its exit handlers, because other
//! threads still run.

// Reason: an allocator is an unsafe trait. Every method passes its arguments on unchanged to
// `System`, which has the same contract.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

struct Allocator;

// SAFETY: memory comes from `System` and goes back to it, with the layout that the caller gave. A
// null pointer, which the trait allows for a failure, is not returned at all: the process ends.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of `System`.
        present(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of `System`.
        present(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is that of `System`, from which `at` came.
        present(unsafe { System.realloc(at, layout, size) }, size)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is that of `System`, from which `at` came.
        unsafe { System.dealloc(at, layout) }
    }
}

#[inline]
fn present(at: *mut u8, bytes: usize) -> *mut u8 {
    if at.is_null() {
        out_of_memory(bytes);
    }
    at
}

/// Says that an allocation of so many bytes failed, and ends the process with exit code 1.
#[cold]
fn out_of_memory(bytes: usize) -> ! {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        // Another thread is writing the message and ends the process.
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    let mut buffer = [0; 256];
    let mut text = Cursor::new(&mut buffer[..]);
    let _ = writeln!(
        text,
        "bezout: error: out of memory: an allocation of {bytes} bytes failed\n\
         bezout: hint: use smaller numbers or fewer threads, or raise the limit (ulimit -v)"
    );
    let written = text.position() as usize;
    let _ = std::io::stderr().write_all(&buffer[..written]);
    end();
}

#[cfg(unix)]
fn end() -> ! {
    // SAFETY: ends the process, whatever its state.
    unsafe { libc::_exit(1) }
}

#[cfg(not(unix))]
fn end() -> ! {
    std::process::exit(1)
}
