//! The border between Python and Rust: how work is run, and what its errors become.
//!
//! Work of the library passes through [`run`], which takes the engine in force along, lets other
//! Python threads run while the work is long, obeys Ctrl-C, and turns errors and panics into
//! exceptions.

use std::any::Any;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bezout::progress::{self, Progress};
use bezout::{Engine, Error, Int, memory};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyMemoryError, PyOverflowError, PyRuntimeError, PyValueError, PyZeroDivisionError,
};
use pyo3::prelude::*;

use crate::scope;

create_exception!(
    bezout,
    DeviceError,
    PyRuntimeError,
    "A CUDA device is missing, has too little memory, or failed."
);
create_exception!(
    bezout,
    InternalError,
    PyRuntimeError,
    "A bug in bezout. Please report it with what led to it."
);
create_exception!(
    bezout,
    Cancelled,
    PyRuntimeError,
    "A progress callback asked for the work to stop."
);

/// How long work may take, which decides what it is worth to let others run meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Some microseconds at most: the work runs at once.
    Short,
    /// Less than a tenth of a second: other Python threads run meanwhile.
    Medium,
    /// Any time: signals are obeyed too, and a progress callback is called.
    Long,
}

thread_local! {
    /// Whether the watched work of this thread is to stop.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// For work that is shared between threads here: whether it is to stop. The library's own work
/// asks its observer.
#[derive(Clone)]
pub(crate) struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    /// That of the watched work of this thread.
    pub(crate) fn current() -> Stop {
        Stop(STOP.with_borrow(Clone::clone))
    }

    /// An error where the work is to stop.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.0 {
            Some(stop) if verdict(stop).is_break() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    /// Runs a part of the work on whatever thread, until it is to stop.
    pub(crate) fn watch<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(stop) = self.0.clone() else {
            return work();
        };
        progress::scope(move |_| verdict(&stop), work)
    }
}

fn verdict(stopped: &AtomicBool) -> ControlFlow<()> {
    if stopped.load(Ordering::Relaxed) {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// How often a thread that waits for long work looks for signals.
const INTERVAL: Duration = Duration::from_millis(20);

/// The stack of a thread that does long work: that of a main thread.
const STACK: usize = 8 << 20;

/// Bytes that are left where such a thread is started.
const LEAST_LEFT: usize = 1 << 20;

/// Runs work of the library and gives its result, or the exception that its error stands for.
#[inline]
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    effort: Effort,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    memory::set_up().map_err(exception)?;
    let engine = scope::engine(py)?;
    match effort {
        Effort::Short => into_python(caught(|| under(engine, work))),
        Effort::Medium => {
            let work = || caught(|| under(engine, work));
            into_python(py.detach(work))
        }
        Effort::Long => watched(py, engine, work),
    }
}

/// Runs short work that cannot fail but by a bug.
#[inline]
pub(crate) fn short<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    run(py, Effort::Short, work)
}

/// The work's result; none where it panicked, with what it said.
type Caught<T> = Result<Result<T, Error>, Box<dyn Any + Send>>;

/// Values are constant and results are made at once and last, so none is seen half changed after
/// a panic.
fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Caught<T> {
    panic::catch_unwind(AssertUnwindSafe(work))
}

#[inline]
fn under<T>(engine: Option<Engine>, work: impl FnOnce() -> T) -> T {
    match engine {
        None => work(),
        Some(engine) => engine.scope(work),
    }
}

#[inline]
fn into_python<T>(result: Caught<T>) -> PyResult<T> {
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(exception(error)),
        Err(payload) => Err(bug(&*payload)),
    }
}

/// Long work runs on a thread of its own, because only the calling thread may handle signals: the
/// calling thread waits, looks for signals, and tells a progress callback how far the work is.
fn watched<T: Send>(
    py: Python<'_>,
    engine: Option<Engine>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    // A thread that finds no memory for what the system keeps of it ends the process.
    memory::room::<u8>("a thread", STACK + LEAST_LEFT).map_err(exception)?;
    let callback = scope::callback(py)?;
    let engine = Some(engine.unwrap_or_else(Engine::current));
    let stopped = Arc::new(AtomicBool::new(false));
    let heard: Arc<Mutex<Option<Progress>>> = Arc::default();
    let stop = stopped.clone();
    let observer = {
        let (stopped, heard) = (stopped.clone(), heard.clone());
        move |progress| {
            *heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
            verdict(&stopped)
        }
    };
    let (done, mut waiting) = mpsc::channel();
    let mut failure = None;
    let result = thread::scope(|threads| {
        let work = move || {
            let work = || under(engine, || progress::scope(observer, work));
            let work = || {
                STOP.set(Some(stop));
                let result = caught(work);
                STOP.set(None);
                result
            };
            let result = work();
            // The other end waits until something comes.
            let _ = done.send((result, Engine::last_used()));
        };
        let worker = thread::Builder::new().stack_size(STACK);
        if let Err(error) = worker.spawn_scoped(threads, work) {
            let what = format!("cannot start a thread: {error}");
            return Err(PyRuntimeError::new_err(what));
        }
        loop {
            let waiting = &mut waiting;
            match py.detach(move || waiting.recv_timeout(INTERVAL)) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(InternalError::new_err("a thread ended without a result"));
                }
                Err(RecvTimeoutError::Timeout) if failure.is_some() => {}
                Err(RecvTimeoutError::Timeout) => {
                    let progress = *heard.lock().unwrap_or_else(PoisonError::into_inner);
                    let told = py.check_signals().and_then(|()| {
                        let callback = callback.as_ref().zip(progress);
                        callback.map_or(Ok(()), |(callback, progress)| tell(callback, progress))
                    });
                    if let Err(error) = told {
                        stopped.store(true, Ordering::Relaxed);
                        failure = Some(error);
                    }
                }
            }
        }
    });
    let (result, used) = result?;
    scope::note_used(used);
    match failure {
        // Work that was done before it noticed has a result, but an interrupt must not be lost.
        Some(error) => Err(error),
        None => into_python(result),
    }
}

/// Calls a progress callback. `False` asks for the work to stop.
fn tell(callback: &Bound<'_, PyAny>, progress: Progress) -> PyResult<()> {
    let answer = callback.call1((progress.stage, progress.fraction))?;
    match answer.extract::<bool>() {
        Ok(false) => Err(Cancelled::new_err("cancelled by the progress callback")),
        _ => Ok(()),
    }
}

/// The exception that an error of the library stands for.
#[cold]
pub(crate) fn exception(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::DivisionByZero => PyZeroDivisionError::new_err("division or modulo by zero"),
        Error::TooLarge { .. } => PyOverflowError::new_err(text),
        Error::Memory { .. } => PyMemoryError::new_err(text),
        Error::NoDevice(_)
        | Error::Unsupported { .. }
        | Error::DeviceMemory { .. }
        | Error::Compile { .. }
        | Error::Device { .. }
        | Error::Lost { .. } => DeviceError::new_err(text),
        Error::Cancelled => Cancelled::new_err(text),
        Error::Verification(_) => InternalError::new_err(text),
        // Bad input. New kinds of errors are taken for bad input too, as they say what is wrong.
        _ => PyValueError::new_err(text),
    }
}

#[cold]
pub(crate) fn bug(payload: &(dyn Any + Send)) -> PyErr {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message");
    InternalError::new_err(format!("this is a bug in bezout, please report it: {text}"))
}

/// At least this many bits: what a value on a device alone has is not asked, as it would wait for
/// the device.
const ON_DEVICE: u64 = 1 << 24;

/// The bits of a value, for a guess at how long work on it takes.
#[inline]
pub(crate) fn bits(a: &Int) -> u64 {
    if a.is_on_host() {
        a.bit_length()
    } else {
        ON_DEVICE
    }
}

/// Work that takes time proportional to the bits. 2^30 bits take some 60 ms on two cores.
#[inline]
pub(crate) fn linear(bits: u64) -> Effort {
    choose(bits, 1 << 17, 1 << 29)
}

/// A product or a division of so many bits in all, or text of so many bits.
#[inline]
pub(crate) fn product(bits: u64) -> Effort {
    choose(bits, 1 << 13, 1 << 23)
}

/// A GCD, an inverse, a root, or something else of the same kind.
#[inline]
pub(crate) fn gcd(bits: u64) -> Effort {
    choose(bits, 1 << 11, 1 << 19)
}

/// Work of size `medium` takes some microseconds, of size `long` some tens of milliseconds.
#[inline]
pub(crate) fn choose(size: u64, medium: u64, long: u64) -> Effort {
    match size {
        _ if size < medium => Effort::Short,
        _ if size < long => Effort::Medium,
        _ => Effort::Long,
    }
}

/// Work with a bug in it: for tests of what Python sees then.
#[pyfunction]
pub fn _panic(py: Python<'_>, message: String, is_long: bool) -> PyResult<()> {
    let effort = if is_long { Effort::Long } else { Effort::Short };
    run(py, effort, || -> Result<(), Error> { panic!("{message}") })
}

/// Stops the library's work in the background: for the end of the interpreter.
#[pyfunction]
pub fn _end_background(py: Python<'_>) {
    py.detach(bezout::background::end);
}

/// Has the interpreter call [`_end_background`] before it ends, so that any thread may begin work
/// in the background.
pub(crate) fn end_background_at_exit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let end = module.getattr("_end_background")?;
    let atexit = module.py().import("atexit")?;
    atexit.call_method1("register", (end,))?;
    bezout::background::ends_by_end();
    Ok(())
}

/// Refuses a number of about so many bits that does not fit in memory.
#[pyfunction]
pub fn _check_size(bits: crate::convert::Integer) -> PyResult<()> {
    let bits = u128::try_from(&*bits.0).unwrap_or(u128::MAX);
    memory::check("the number", bits).map_err(exception)
}

/// Refuses an interpreter other than the first: the types of this module, and the slots that it
/// sets, belong to one interpreter.
#[allow(unsafe_code)]
pub(crate) fn check_interpreter() -> PyResult<()> {
    // SAFETY: a function of Python is called with the GIL held, by a thread with a state.
    let number =
        unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) };
    if number == 0 {
        return Ok(());
    }
    let words = "bezout does not run in a subinterpreter: import it in the main interpreter";
    Err(pyo3::exceptions::PyImportError::new_err(words))
}
