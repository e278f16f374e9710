//! The command `bezout`, which pip installs with the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// The version of the package, which is there without the files that pip installs beside it.
#[pyfunction]
pub(crate) fn _version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Runs the command line of these arguments, the program's name first, and gives its exit code. The
/// command sets threads and engine for the whole process, which is to end afterwards.
#[pyfunction]
pub(crate) fn _run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| bezout_cli::main_with(arguments))
}
