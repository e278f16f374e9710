//! Kernels compiled before a device asks for them, also for devices that are not here: NVRTC needs
//! none.

use std::path::Path;

use super::cache::Key;
use super::kernel::Unit;
use super::nvrtc::Nvrtc;
use super::pack;
use super::wanted::Wanted;
use crate::error::{Error, Result};

/// CUDA's major version, whose NVRTC is looked for first where there is no driver to say it.
const NEWEST: u32 = 13;

/// Where a kernel was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obtained {
    Packed,
    Cached,
    Compiled,
}

/// A kernel for one architecture.
pub(crate) struct Ahead {
    key: Key,
    image: Vec<u8>,
    pub(crate) found: Obtained,
}

impl Ahead {
    /// The bytes of its machine code.
    pub(crate) fn bytes(&self) -> usize {
        self.image.len()
    }
}

/// Where the kernel for this architecture is now; none where it would be compiled.
pub(crate) fn find(unit: &Unit, kernel: &str, architecture: u32) -> Option<Obtained> {
    let wanted = Wanted::new(unit.source, &unit.defines, kernel, architecture);
    match wanted.packed() {
        Some(_) => Some(Obtained::Packed),
        None => wanted.cached().map(|_| Obtained::Cached),
    }
}

/// The kernel for this architecture (90 for sm_90), from the cache or by NVRTC; the cache has it
/// afterwards.
pub(crate) fn compile(unit: &Unit, kernel: &str, architecture: u32) -> Result<Ahead> {
    let wanted = Wanted::new(unit.source, &unit.defines, kernel, architecture);
    let (image, found) = match wanted.cached() {
        Some(image) => (image, Obtained::Cached),
        None => {
            let image = wanted.compile(Nvrtc::get(NEWEST)?)?;
            wanted.keep(&image);
            (image, Obtained::Compiled)
        }
    };
    Ok(Ahead {
        key: wanted.key,
        image,
        found,
    })
}

/// An error unless NVRTC is here and compiles machine code for each of these.
pub(crate) fn check(architectures: &[u32]) -> Result<String> {
    let nvrtc = Nvrtc::get(NEWEST)?;
    match architectures.iter().find(|a| !nvrtc.serves(**a)) {
        None => Ok(nvrtc.name()),
        Some(other) => Err(Error::Domain(format!(
            "{} does not compile for sm_{other}: it knows {}",
            nvrtc.name(),
            nvrtc.architectures()
        ))),
    }
}

/// Writes a pack of these kernels; the bytes written.
pub(crate) fn write_pack(
    path: &Path,
    architectures: &[u32],
    all: Vec<Ahead>,
) -> std::io::Result<u64> {
    let modules: Vec<(Key, Vec<u8>)> = all.into_iter().map(|one| (one.key, one.image)).collect();
    pack::write(path, architectures, &modules)
}
