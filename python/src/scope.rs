//! What is in force where a call is made: the engine and the progress callback.
//!
//! Engine and callback are context variables of Python's, so that they hold for a thread or for a
//! task of `asyncio`.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use bezout::{Engine, cuda};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use crate::border;

/// Whether a context variable or the engine of the process was ever set. While none was, calls
/// need not look.
static IS_SCOPED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The engine of the last watched work, whose own thread remembers it in vain.
    static USED: Cell<Option<Engine>> = const { Cell::new(None) };
}

/// A context variable without a value at first.
struct Variable(PyOnceLock<Py<PyAny>>, &'static str);

impl Variable {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let make = || {
            let class = py.import("contextvars")?.getattr("ContextVar")?;
            PyResult::Ok(class.call1((self.1,))?.unbind())
        };
        Ok(self.0.get_or_try_init(py, make)?.bind(py))
    }

    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self
            .get(py)?
            .call_method1(intern!(py, "get"), (py.None(),))?;
        Ok((!value.is_none()).then_some(value))
    }

    fn set<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        IS_SCOPED.store(true, Ordering::Relaxed);
        let variable = self.get(value.py())?;
        variable.call_method1(intern!(value.py(), "set"), (value,))
    }

    fn reset(&self, py: Python<'_>, token: &Py<PyAny>) -> PyResult<()> {
        let variable = self.get(py)?;
        variable.call_method1(intern!(py, "reset"), (token,))?;
        Ok(())
    }
}

static ENGINE: Variable = Variable(PyOnceLock::new(), "bezout.engine");
static CALLBACK: Variable = Variable(PyOnceLock::new(), "bezout.progress");

/// Whether some engine or callback may be in force other than at the start of the process.
#[inline]
pub(crate) fn is_set() -> bool {
    IS_SCOPED.load(Ordering::Relaxed)
}

/// The engine that a context manager has put in force here.
#[inline]
pub(crate) fn engine(py: Python<'_>) -> PyResult<Option<Engine>> {
    if is_set() {
        scoped_engine(py)
    } else {
        Ok(None)
    }
}

#[cold]
fn scoped_engine(py: Python<'_>) -> PyResult<Option<Engine>> {
    let value = ENGINE.value(py)?;
    value
        .map(|name| parse(name.cast::<PyString>()?.to_str()?))
        .transpose()
}

/// The progress callback that a context manager has put in force here.
pub(crate) fn callback(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    if is_set() {
        CALLBACK.value(py)
    } else {
        Ok(None)
    }
}

fn parse(name: &str) -> PyResult<Engine> {
    name.parse().map_err(border::exception)
}

/// Remembers where watched work ran.
pub(crate) fn note_used(engine: Option<Engine>) {
    USED.set(engine);
}

/// Puts one engine in force: ``with bezout.engine("cpu"): …``.
///
/// The engine holds for the thread or the task that enters the block. Names are "auto", "cpu",
/// "cuda" and "cuda:N". A device that is not there is a DeviceError at once.
///
/// >>> import bezout
/// >>> with bezout.engine("cpu"):
/// ...     print(bezout.current_engine())
/// cpu
#[pyclass(name = "engine", module = "bezout")]
pub(crate) struct EngineScope {
    name: String,
    tokens: Vec<Py<PyAny>>,
}

#[pymethods]
impl EngineScope {
    #[new]
    #[pyo3(signature = (name, /))]
    fn new(name: &str) -> PyResult<EngineScope> {
        let engine = parse(name)?;
        if let Engine::Cuda(n) = engine {
            cuda::device(n).map_err(border::exception)?;
        }
        let name = engine.to_string();
        let tokens = Vec::new();
        Ok(EngineScope { name, tokens })
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let name = PyString::new(slf.py(), &slf.borrow().name).into_any();
        let token = ENGINE.set(&name)?;
        slf.borrow_mut().tokens.push(token.unbind());
        Ok(slf.clone())
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&mut self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Some(token) = self.tokens.pop() {
            ENGINE.reset(py, &token)?;
        }
        Ok(false)
    }

    fn __repr__(&self) -> String {
        format!("bezout.engine('{}')", self.name)
    }
}

/// Has a callback hear how far long work is: ``with bezout.progress(callback): …``.
///
/// The callback is called as ``callback(stage, fraction)`` some fifty times a second by the thread
/// that waits for the work; ``fraction`` is None where it is not known. If the callback returns
/// False or raises, the work stops: with Cancelled, or with what was raised. Without a callback, a
/// bar of tqdm's shows the progress; tqdm must be installed.
///
/// >>> import bezout
/// >>> with bezout.progress(lambda stage, fraction: None):
/// ...     bezout.is_prime(2**127 - 1)
/// True
#[pyclass(name = "progress", module = "bezout")]
pub(crate) struct ProgressScope {
    callback: Py<PyAny>,
    /// Whether the callback is a bar of ours, which ends with the block.
    is_bar: bool,
    tokens: Vec<Py<PyAny>>,
}

#[pymethods]
impl ProgressScope {
    #[new]
    #[pyo3(signature = (callback = None, /))]
    fn new(py: Python<'_>, callback: Option<Bound<'_, PyAny>>) -> PyResult<ProgressScope> {
        let is_bar = callback.is_none();
        let callback = match callback {
            Some(callback) => callback,
            None => py.import("bezout._progress")?.getattr("Bar")?.call0()?,
        };
        if !callback.is_callable() {
            let what = format!("'{}' object is not callable", callback.get_type().name()?);
            return Err(pyo3::exceptions::PyTypeError::new_err(what));
        }
        Ok(ProgressScope {
            callback: callback.unbind(),
            is_bar,
            tokens: Vec::new(),
        })
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let callback = slf.borrow().callback.bind(slf.py()).clone();
        let token = CALLBACK.set(&callback)?;
        slf.borrow_mut().tokens.push(token.unbind());
        Ok(slf.clone())
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&mut self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Some(token) = self.tokens.pop() {
            CALLBACK.reset(py, &token)?;
        }
        if self.is_bar {
            self.callback.bind(py).call_method0("close")?;
        }
        Ok(false)
    }
}

/// The name of the engine in force: "auto", "cpu" or "cuda:N".
#[pyfunction]
pub(crate) fn current_engine(py: Python<'_>) -> PyResult<String> {
    Ok(engine(py)?.unwrap_or_else(Engine::current).to_string())
}

/// Makes this the engine wherever no ``with bezout.engine(…)`` is in force.
///
/// >>> import bezout
/// >>> bezout.set_engine("auto")
#[pyfunction]
#[pyo3(signature = (name, /))]
pub(crate) fn set_engine(name: &str) -> PyResult<()> {
    let engine = parse(name)?;
    if let Engine::Cuda(n) = engine {
        cuda::device(n).map_err(border::exception)?;
    }
    IS_SCOPED.store(true, Ordering::Relaxed);
    engine.set_default();
    Ok(())
}

/// The name of the engine that the last operation of this thread ran on; None if there was none.
#[pyfunction]
pub(crate) fn last_engine() -> Option<String> {
    let engine = USED.take().or_else(Engine::last_used);
    engine.map(|engine| engine.to_string())
}

/// How many CUDA devices can be seen: 0 where there is no driver.
///
/// >>> import bezout
/// >>> bezout.device_count() >= 0
/// True
#[pyfunction]
pub(crate) fn device_count() -> u32 {
    cuda::device_count()
}
