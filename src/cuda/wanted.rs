//! The machine code of a kernel: where it is looked for, and its compilation.

use super::cache::{Cache, Key};
use super::declare::Source;
use super::nvrtc::{self, Nvrtc, Program};
use super::pack::{Pack, Packed, Sought};
use crate::error::Result;

/// A kernel for an architecture, and the places where its machine code may be.
pub(super) struct Wanted {
    program: Program,
    key: Key,
    source: &'static str,
    /// Of all that is compiled for the source.
    checksum: u128,
    architecture: u32,
    cache: Cache,
}

impl Wanted {
    pub(super) fn new(
        source: &Source,
        defines: &[(impl AsRef<str>, i64)],
        kernel: &str,
        architecture: u32,
    ) -> Wanted {
        let program = Program::new(source, defines, kernel);
        Wanted {
            key: nvrtc::key(kernel, source, &program, architecture),
            source: source.name,
            checksum: nvrtc::checksum(source, &program),
            program,
            architecture,
            cache: Cache::of_user(),
        }
    }

    fn sought(&self) -> Sought<'_> {
        Sought {
            key: &self.key,
            source: self.source,
            checksum: self.checksum,
        }
    }

    /// From the pack of this process.
    pub(super) fn packed(&self) -> Option<Vec<u8>> {
        Pack::of_process(self.architecture)?.get(&self.sought())
    }

    /// Has nobody use the pack of this process any more, for this reason.
    pub(super) fn refuse_pack(&self, reason: &str) {
        if let Some(pack) = Pack::of_process(self.architecture) {
            pack.refuse(reason);
        }
    }

    /// From the user's cache.
    pub(super) fn cached(&self) -> Option<Vec<u8>> {
        self.cache.get(&self.key)
    }

    /// Whether the pack has it.
    pub(super) fn is_packed(&self) -> bool {
        Pack::of_process(self.architecture).is_some_and(|pack| pack.has(&self.sought()))
    }

    /// Whether the cache has an entry for it, which may be damaged.
    pub(super) fn is_cached(&self) -> bool {
        self.cache
            .path(&self.key)
            .is_some_and(|path| path.is_file())
    }

    /// By the compiler.
    pub(super) fn compile(&self, nvrtc: &Nvrtc) -> Result<Vec<u8>> {
        nvrtc.compile(&self.program, self.architecture)
    }

    /// Puts it into the user's cache.
    pub(super) fn keep(&self, image: &[u8]) {
        self.cache.put(&self.key, image);
    }

    /// As a part of a pack.
    pub(super) fn for_pack(self, image: Vec<u8>) -> Packed {
        Packed {
            key: self.key,
            source: self.source,
            checksum: self.checksum,
            image,
        }
    }
}
