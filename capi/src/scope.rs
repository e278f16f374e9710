//! What is in force on a thread: its engine and its progress callback.

// A callback of the caller's is called here.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ops::ControlFlow;

use bezout::progress::{self, Progress};
use bezout::{Engine, cuda};

use crate::border::{OutPointer, guard, text};
use crate::status::{Failure, bezout_status};
use crate::text::give_text;

/// Hears how far long work is. `stage` says what is being done and is valid during the call;
/// `fraction` is from 0 to 1, or negative where it is not known. A result other than 0 cancels the
/// work: the call in progress returns BEZOUT_ERROR_CANCELLED and all values are as they were.
///
/// The callback may be called from another thread than the one that made the call, never from two
/// at once. It must return: no exception and no longjmp may leave it.
pub type bezout_progress =
    Option<unsafe extern "C" fn(stage: *const c_char, fraction: f64, user: *mut c_void) -> c_int>;

/// Work that runs under an engine. It must return: no exception and no longjmp may leave it.
pub type bezout_work = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// A callback and the pointer that it gets.
#[derive(Clone, Copy)]
struct Observer {
    callback: unsafe extern "C" fn(*const c_char, f64, *mut c_void) -> c_int,
    user: *mut c_void,
}

// SAFETY: the pointer is not followed here. The contract of `bezout_progress` says that the
// callback may be called from another thread.
unsafe impl Send for Observer {}

thread_local! {
    static ENGINE: Cell<Option<Engine>> = const { Cell::new(None) };
    static OBSERVER: Cell<Option<Observer>> = const { Cell::new(None) };
}

/// Restores what was in force on this thread.
struct Restore(Option<Engine>, Option<Observer>);

impl Drop for Restore {
    fn drop(&mut self) {
        ENGINE.set(self.0);
        OBSERVER.set(self.1);
    }
}

/// Runs `work` with these in force on this thread.
fn with<T>(engine: Option<Engine>, observer: Option<Observer>, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(ENGINE.replace(engine), OBSERVER.replace(observer));
    work()
}

/// Runs the work of a call with this thread's engine and callback in force in the library.
pub(crate) fn in_force<T>(work: impl FnOnce() -> T) -> T {
    match (ENGINE.get(), OBSERVER.get()) {
        (None, None) => work(),
        (Some(engine), None) => engine.scope(work),
        (None, Some(observer)) => progress::scope(move |progress| observer.hear(progress), work),
        (Some(engine), Some(observer)) => {
            engine.scope(|| progress::scope(move |progress| observer.hear(progress), work))
        }
    }
}

impl Observer {
    fn hear(self, progress: Progress) -> ControlFlow<()> {
        let stage = CString::new(progress.stage).unwrap_or_default();
        let fraction = progress.fraction.unwrap_or(-1.0);
        // Calls that the callback makes itself are not observed.
        let answer = with(ENGINE.get(), None, || {
            // SAFETY: the callback was given for this, and the string outlives the call.
            unsafe { (self.callback)(stage.as_ptr(), fraction, self.user) }
        });
        match answer {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// Makes this callback hear of all work that this thread begins from now on, and lets it cancel
/// that work. NULL for none. `user` is passed to it.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_progress_set(callback: bezout_progress, user: *mut c_void) {
    let observer = callback.map(|callback| Observer { callback, user });
    // A thread that is ending begins no more work.
    let _ = OBSERVER.try_with(|place| place.set(observer));
}

/// The engine of this name: auto, cpu, cuda, cuda:N. A device has to be there.
unsafe fn engine(name: *const c_char) -> Result<Engine, Failure> {
    // SAFETY: a pointer that is not NULL is a string, by the contract of all functions.
    let engine: Engine = unsafe { text(name, "name") }?.parse()?;
    if let Engine::Cuda(n) = engine {
        cuda::device(n)?;
    }
    Ok(engine)
}

/// Makes this the engine of every thread that has set none of its own. This is the one thing that
/// is set for the whole process. Names are "auto", "cpu", "cuda" and "cuda:N". A device that is not
/// there is an error, and the engine stays what it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_engine_set_default(name: *const c_char) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe { engine(name) }?.set_default();
        Ok(())
    })
}

/// Makes this the engine of this thread from now on. NULL for that of the process again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_engine_set(name: *const c_char) -> bezout_status {
    guard(|| {
        let engine = if name.is_null() {
            None
        } else {
            // SAFETY: by the contract of all functions.
            Some(unsafe { engine(name) }?)
        };
        ENGINE.set(engine);
        Ok(())
    })
}

/// Calls `work(user)` with this engine in force on this thread, and restores the thread's engine
/// afterwards. Such calls nest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_engine_with(
    name: *const c_char,
    work: bezout_work,
    user: *mut c_void,
) -> bezout_status {
    guard(|| {
        let work = work.ok_or(Failure::Null("work"))?;
        // SAFETY: by the contract of all functions.
        let engine = unsafe { engine(name) }?;
        // SAFETY: the callback was given for this.
        with(Some(engine), OBSERVER.get(), || unsafe { work(user) });
        Ok(())
    })
}

/// The name of the engine in force on this thread. To be freed by bezout_string_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_engine_current(out: *mut *mut c_char) -> bezout_status {
    guard(|| {
        // SAFETY: by the contract of all functions.
        unsafe { give_text(OutPointer::new(out, "out")?, Engine::current().to_string()) }
    })
}

/// The name of the engine that the last operation on this thread ran on, never "auto"; empty if
/// there was none. To be freed by bezout_string_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_engine_last_used(out: *mut *mut c_char) -> bezout_status {
    guard(|| {
        let name = Engine::last_used().map_or(String::new(), |engine| engine.to_string());
        // SAFETY: by the contract of all functions.
        unsafe { give_text(OutPointer::new(out, "out")?, name) }
    })
}

/// Stores how many CUDA devices can be seen: 0 where there is no driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_device_count(out: *mut u32) -> bezout_status {
    crate::border::call!(out = ; Ok::<_, Failure>(cuda::device_count()))
}

/// The name of a device. To be freed by bezout_string_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_device_name(out: *mut *mut c_char, device: u32) -> bezout_status {
    guard(|| {
        let name = cuda::device(device)?.info().name.clone();
        // SAFETY: by the contract of all functions.
        unsafe { give_text(OutPointer::new(out, "out")?, name) }
    })
}

/// The bytes of memory that a device has, and those of them that this process uses now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bezout_device_memory(
    bytes: *mut u64,
    used: *mut u64,
    device: u32,
) -> bezout_status {
    crate::border::call!((bytes, used) = ; cuda::device(device)
        .map(|device| (device.info().memory_bytes, device.memory_used())))
}

/// Waits until a device has done everything that it was given.
#[unsafe(no_mangle)]
pub extern "C" fn bezout_device_synchronize(device: u32) -> bezout_status {
    guard(|| Ok(cuda::device(device)?.synchronize()?))
}
