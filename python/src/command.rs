//! The command `bezout`, which pip installs with the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line of these arguments, the program's name first, and gives its exit code. The
/// command sets threads and engine for the whole process, which is to end afterwards.
#[pyfunction]
pub(crate) fn _run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| bezout_cli::main_with(arguments))
}
