//! Computes one call by bezout.
//!
//! - Signals are blocked meanwhile: a handler that leaves by `longjmp`, as PARI's does, would leave
//!   threads at work for a caller that is gone. Threads that the call starts inherit the mask, so
//!   the program's handlers never run on them.
//! - A panic or an error makes the original do the call again.
//! - After a fork the child computes on the CPU, by threads of its own: neither a CUDA context nor
//!   the parent's threads exist there. If another thread was inside a call at the fork, a lock of
//!   bezout may be held for ever in the child, and the child leaves every call to the originals.

use std::any::Any;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use bezout::{Engine, Error};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::function::Function;
use crate::{log, start};

/// Why bezout does not serve a call.
pub(crate) enum Decline {
    /// A special case that is left to the original.
    Case,
    /// bezout failed.
    Failed(Error),
}

impl From<Error> for Decline {
    fn from(error: Error) -> Decline {
        Decline::Failed(error)
    }
}

/// Threads that are inside [`by_bezout`].
static IN_FLIGHT: AtomicUsize = AtomicUsize::new(0);
/// Whether this process is the child of a fork.
static IS_CHILD: AtomicBool = AtomicBool::new(false);
/// The threads of a child; null until its first call.
static CHILD_POOL: AtomicPtr<ThreadPool> = AtomicPtr::new(std::ptr::null_mut());

/// What `compute` gives, or nothing where the original has to do it.
pub(crate) fn by_bezout<T: Send>(
    function: &Function,
    compute: impl FnOnce() -> Result<T, Decline> + Send,
) -> Option<T> {
    let undisturbed = Undisturbed::enter();
    IN_FLIGHT.fetch_add(1, Ordering::AcqRel);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if !IS_CHILD.load(Ordering::Relaxed) {
            return compute();
        }
        child_pool()?.install(|| Engine::Cpu.scope(compute))
    }));
    IN_FLIGHT.fetch_sub(1, Ordering::AcqRel);
    drop(undisturbed);
    let reason = match outcome {
        Ok(Ok(computed)) => return Some(computed),
        Ok(Err(Decline::Case)) => return None,
        Ok(Err(Decline::Failed(error))) => error.to_string(),
        Err(panic) => message(&*panic),
    };
    log::say_once(&format!(
        "{}: bezout failed, the original did it: {reason}",
        function.name()
    ));
    None
}

/// The text of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("internal error: {}", text.unwrap_or("unknown"))
}

/// The child's threads, started by its first call and never dropped: a fork of the child has none
/// of them.
fn child_pool() -> Result<&'static ThreadPool, Decline> {
    let known = CHILD_POOL.load(Ordering::Acquire);
    if !known.is_null() {
        // SAFETY: the pool was leaked when it was stored.
        return Ok(unsafe { &*known });
    }
    let pool = ThreadPoolBuilder::new().build();
    let pool = pool.map_err(|error| Error::Domain(format!("cannot start threads: {error}")))?;
    let pool = Box::into_raw(Box::new(pool));
    // Two threads may both have built one. The second one stays, unused.
    let stored = CHILD_POOL.compare_exchange(
        std::ptr::null_mut(),
        pool,
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    // SAFETY: both were leaked.
    Ok(unsafe { &*stored.map_or_else(|other| other, |_| pool) })
}

/// Registers what the child of a fork does first.
pub(crate) fn watch_forks() {
    // SAFETY: `after_fork` only writes to atomics.
    unsafe { libc::pthread_atfork(None, None, Some(after_fork)) };
}

unsafe extern "C" fn after_fork() {
    IS_CHILD.store(true, Ordering::Relaxed);
    CHILD_POOL.store(std::ptr::null_mut(), Ordering::Relaxed);
    let functions = || start::functions();
    if IN_FLIGHT.swap(0, Ordering::Relaxed) > 0 {
        functions().for_each(|function| function.least.store(usize::MAX, Ordering::Relaxed));
    }
    functions().for_each(|function| {
        function.by_bezout.clear();
        function.by_original.clear();
    });
}

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

/// `PTHREAD_CANCEL_DISABLE` of glibc and musl.
const CANCEL_DISABLE: c_int = 1;

/// Signals that the running instruction itself causes. They stay as they are.
const SYNCHRONOUS: [c_int; 7] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGABRT,
];

/// Neither a signal nor a cancellation reaches this thread while the value lives.
struct Undisturbed {
    mask: libc::sigset_t,
    cancel: c_int,
}

impl Undisturbed {
    fn enter() -> Undisturbed {
        // SAFETY: all zeros is a valid set; the functions only write to these variables and change
        // this thread's own mask.
        unsafe {
            let mut blocked: libc::sigset_t = std::mem::zeroed();
            let mut mask: libc::sigset_t = std::mem::zeroed();
            let mut cancel = 0;
            libc::sigfillset(&mut blocked);
            for signal in SYNCHRONOUS {
                libc::sigdelset(&mut blocked, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &blocked, &mut mask);
            pthread_setcancelstate(CANCEL_DISABLE, &mut cancel);
            Undisturbed { mask, cancel }
        }
    }
}

impl Drop for Undisturbed {
    fn drop(&mut self) {
        // SAFETY: puts back what `enter` found on this thread.
        unsafe {
            pthread_setcancelstate(self.cancel, std::ptr::null_mut());
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.mask, std::ptr::null_mut());
        }
    }
}
