//! The machine code of a kernel: where it is looked for, and its compilation.

use super::cache::{Cache, Key};
use super::declare::Source;
use super::nvrtc::{self, Nvrtc, Program};
use super::pack::Pack;
use crate::error::Result;

/// A kernel for an architecture, and the places where its machine code may be.
pub(super) struct Wanted {
    program: Program,
    pub(super) key: Key,
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
            key: nvrtc::key(kernel, &program, architecture),
            program,
            architecture,
            cache: Cache::of_user(),
        }
    }

    /// From the pack of this process.
    pub(super) fn packed(&self) -> Option<Vec<u8>> {
        Pack::of_process(self.architecture)?.get(&self.key)
    }

    /// From the user's cache.
    pub(super) fn cached(&self) -> Option<Vec<u8>> {
        self.cache.get(&self.key)
    }

    /// By the compiler.
    pub(super) fn compile(&self, nvrtc: &Nvrtc) -> Result<Vec<u8>> {
        nvrtc.compile(&self.program, self.architecture)
    }

    /// Puts it into the user's cache.
    pub(super) fn keep(&self, image: &[u8]) {
        self.cache.put(&self.key, image);
    }
}
