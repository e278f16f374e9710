//! Kernels compiled before a device asks for them, also for devices that are not here: NVRTC needs
//! none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::kernel::Unit;
use super::nvrtc::Nvrtc;
use super::pack::{self, Packed};
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
    packed: Packed,
    pub(crate) architecture: u32,
    pub(crate) found: Obtained,
}

impl Ahead {
    /// The bytes of its machine code.
    pub(crate) fn bytes(&self) -> usize {
        self.packed.image.len()
    }
}

/// Where the kernel for this architecture is now; none where it would be compiled.
pub(crate) fn find(unit: &Unit, kernel: &str, architecture: u32) -> Option<Obtained> {
    let wanted = Wanted::new(unit.source, &unit.defines, kernel, architecture);
    if wanted.is_packed() {
        return Some(Obtained::Packed);
    }
    wanted.is_cached().then_some(Obtained::Cached)
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
        packed: wanted.for_pack(image),
        architecture,
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

/// Writes a pack for each of these architectures into a folder; their paths, and bytes.
pub(crate) fn write_packs(folder: &Path, all: Vec<Ahead>) -> std::io::Result<Vec<(PathBuf, u64)>> {
    let mut of: BTreeMap<u32, Vec<Packed>> = BTreeMap::new();
    for Ahead {
        packed,
        architecture,
        ..
    } in all
    {
        of.entry(architecture).or_default().push(packed);
    }
    let write = |(architecture, all): (&u32, &Vec<Packed>)| {
        let path = folder.join(pack::name(*architecture));
        let bytes = pack::write(&path, *architecture, all)?;
        Ok((path, bytes))
    };
    of.iter().map(write).collect()
}
