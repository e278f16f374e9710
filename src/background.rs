//! Work that goes on beside the call that asked for it: waking a device, compiling kernels.
//!
//! A process may end while such work runs. The driver and the compiler then lose what they stand
//! on: the system runs their functions for the end of a process, which do not wait for their other
//! threads. So a process ends in this order:
//!
//! 1. Its work in the background sees that the process ends (`is_ending`). A compilation by NVRTC
//!    12.8 or newer stops within some tenths of a second, because its first phase does not ask
//!    whether to stop. An older compiler continues to its end. Waking a device cannot be stopped
//!    and takes some tenths of a second.
//! 2. All threads of the background are waited for.
//! 3. The system ends the process.
//!
//! The first two steps are taken by a destructor of the main thread. The C library runs it before
//! all functions for the end of a process. Other threads have no such moment, and so they cannot
//! begin work in the background: `spawn` refuses, and the caller does the work itself. Two
//! promises of a program lift that restriction. A program that ends by [`leave`] alone ends at
//! once, whatever runs. A program that calls [`end`] before it ends, as an interpreter can, takes
//! the first two steps there.
//!
//! A forked process has none of its parent's threads and begins without any.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "cuda")]
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
#[cfg(feature = "cuda")]
use std::time::Duration;

use crate::fork::PerProcess;

/// The threads that were begun and may still run.
static THREADS: PerProcess<Mutex<Vec<JoinHandle<()>>>> = PerProcess::new(Mutex::new(Vec::new()));
/// Set when the process begins to end.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Whether the program has promised to end by [`leave`], or to call [`end`].
static IS_PROMISED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Armed on the main thread while there is work in the background.
    static LAST: Ending = const { Ending };
    static IS_BACKGROUND: Cell<bool> = const { Cell::new(false) };
}

/// Ends the background when the main thread ends.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        end();
    }
}

/// How much a thread wants of the cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Priority {
    /// As any thread.
    Usual,
    /// What the others leave, where the system has such threads.
    Low,
}

/// Runs `work` on a thread of its own. False, and nothing runs, where the process might end before
/// that thread without noticing it, or no thread can start.
pub(crate) fn spawn(name: &str, priority: Priority, work: impl FnOnce() + Send + 'static) -> bool {
    if is_ending() || !is_waited_for() {
        return false;
    }
    let run = move || {
        IS_BACKGROUND.set(true);
        if priority == Priority::Low {
            step_back();
        }
        work();
    };
    let Ok(thread) = thread::Builder::new().name(name.into()).spawn(run) else {
        return false;
    };
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    threads.retain(|thread| !thread.is_finished());
    threads.push(thread);
    true
}

/// Whether the process has begun to end: work in the background is to stop.
pub(crate) fn is_ending() -> bool {
    ENDING.load(Ordering::Relaxed)
}

/// What `work` gives. On a thread of the background `stop` is called once if the process begins to
/// end meanwhile: it makes `work` return.
#[cfg(feature = "cuda")]
pub(crate) fn unless_ending<T>(stop: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    const STEP: Duration = Duration::from_millis(5);
    if !is_here() {
        return work();
    }
    thread::scope(|threads| {
        let (done, waiting) = mpsc::channel::<()>();
        threads.spawn(move || {
            while waiting.recv_timeout(STEP) == Err(RecvTimeoutError::Timeout) {
                if is_ending() {
                    return stop();
                }
            }
        });
        let given = work();
        drop(done);
        given
    })
}

/// Whether this is a thread of the background.
#[cfg(feature = "cuda")]
pub(crate) fn is_here() -> bool {
    IS_BACKGROUND.get()
}

/// Waits until all work in the background is done, that which it begins itself included.
pub(crate) fn wait() {
    loop {
        let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
        let all = std::mem::take(&mut *threads);
        drop(threads);
        if all.is_empty() {
            return;
        }
        // One that panicked has said so, and has nothing left to do.
        all.into_iter().for_each(|thread| drop(thread.join()));
    }
}

/// A promise that this process ends by [`leave`], or by a signal.
pub fn ends_by_leave() {
    IS_PROMISED.store(true, Ordering::Relaxed);
}

/// A promise that this process calls [`end`] before it ends, or ends by a signal.
pub fn ends_by_end() {
    IS_PROMISED.store(true, Ordering::Relaxed);
}

/// Stops the work in the background and waits until all of it has stopped. None begins afterwards.
pub fn end() {
    ENDING.store(true, Ordering::Relaxed);
    wait();
}

/// Ends the process with this exit code: at once where work runs in the background, without the
/// functions for the end of a process, and in the usual way otherwise.
pub fn leave(code: u8) -> ! {
    ENDING.store(true, Ordering::Relaxed);
    let threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_idle = threads.iter().all(JoinHandle::is_finished);
    drop(threads);
    #[cfg(unix)]
    if !is_idle {
        let _ = std::io::stdout().flush();
        // SAFETY: ends the process without running anything of it. Rust's streams were flushed.
        unsafe { libc::_exit(code.into()) };
    }
    let _ = is_idle;
    std::process::exit(code.into());
}

/// Whether the end of the process will wait for the background, or needs not.
fn is_waited_for() -> bool {
    if IS_PROMISED.load(Ordering::Relaxed) {
        return true;
    }
    // The first use has the destructor run at the end of the thread.
    is_main_thread() && LAST.try_with(|_| ()).is_ok()
}

/// Whether this is the process's main thread. Its destructors run before the functions for the end
/// of the process do.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn is_main_thread() -> bool {
    // SAFETY: both calls take nothing and cannot fail.
    unsafe { libc::gettid() == libc::getpid() }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn is_main_thread() -> bool {
    false
}

/// Has this thread alone take what the others leave.
#[cfg(target_os = "linux")]
fn step_back() {
    const LAST: libc::c_int = 19;
    // SAFETY: changes the priority of one thread (0 is the caller's on Linux). A failure leaves it.
    let _ = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, LAST) };
}

#[cfg(not(target_os = "linux"))]
fn step_back() {}
