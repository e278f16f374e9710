//! How environment variables are read. `src/environment.rs` lists those that there are.

use std::ffi::OsString;
use std::path::PathBuf;

/// The value of a variable. Bytes that are not Unicode become U+FFFD.
pub fn text(name: &str) -> Option<String> {
    value(name).map(|value| value.to_string_lossy().into_owned())
}

/// The value of a variable, as a path.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    value(name).map(PathBuf::from)
}

fn value(name: &str) -> Option<OsString> {
    let value = std::env::var_os(name)?;
    let blank = value.to_str().is_some_and(|text| text.trim().is_empty());
    (!blank).then_some(value)
}
