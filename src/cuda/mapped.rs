//! Host memory that a kernel reads and writes while the host does, and launches that the host works
//! beside.
//!
//! On a GPU it is page-locked and mapped: a store of either side reaches the other in about a
//! microsecond. Words are accessed whole on both sides, by `AtomicU64` here and by `load_system`
//! and `store_system` in kernels.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use super::{Backend, Device, DevicePtr, Span};
use crate::error::{Error, Result};

/// Mappings that a device keeps for the next who asks: locking pages takes longer than a short run
/// does, and freeing them waits for the device.
const KEPT: usize = 4;
/// How many of the shortest it keeps besides: every thread that waits for a word needs one.
const KEPT_SHORT: usize = 64;
/// The shortest mapping, in limbs.
const LEAST: usize = 1 << 9;

/// The memory itself: where the host and where the device finds it.
#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) host: NonNull<AtomicU64>,
    pub(super) address: DevicePtr,
    pub(super) limbs: usize,
}

// SAFETY: the memory is the holder's alone to free, and is only accessed atomically.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

/// A mapping in use; it goes back to its device.
pub(crate) struct Mapped {
    device: Arc<Device>,
    /// Always there until this is dropped.
    mapping: Option<Mapping>,
}

impl Mapped {
    fn mapping(&self) -> &Mapping {
        self.mapping.as_ref().expect("there until it is dropped")
    }

    /// The words as the host sees them, whatever was written last.
    pub(crate) fn words(&self) -> &[AtomicU64] {
        let Mapping { host, limbs, .. } = self.mapping();
        // SAFETY: the mapping has `limbs` words, lives as long as `self`, and was zeroed when it
        // was made; all accesses are atomic, those of kernels too.
        unsafe { std::slice::from_raw_parts(host.as_ptr(), *limbs) }
    }

    /// The words as kernels find them.
    pub(crate) fn span(&self) -> Span<'_> {
        let Mapping { address, limbs, .. } = *self.mapping();
        Span::new(address, limbs)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let Some(mapping) = self.mapping.take() else {
            return;
        };
        let mut kept = (self.device.mappings.lock()).unwrap_or_else(PoisonError::into_inner);
        let is_short = mapping.limbs == LEAST;
        let most = if is_short { KEPT_SHORT } else { KEPT };
        kept.push(mapping);
        let alike = |m: &Mapping| (m.limbs == LEAST) == is_short;
        if kept.iter().filter(|m| alike(m)).count() > most
            && let Some(at) = kept.iter().position(alike)
        {
            let oldest = kept.remove(at);
            // SAFETY: it came from the same backend, and nothing names it after this; work that
            // used it was waited for by whoever launched it.
            unsafe { on!(self.device.core.backend, side => side.unmap(oldest)) };
        }
    }
}

impl Device {
    /// At least `limbs` words that host and device share.
    pub(crate) fn mapped(self: &Arc<Self>, limbs: usize) -> Result<Mapped> {
        let limbs = limbs.next_power_of_two().max(LEAST);
        let mut kept = self.mappings.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().position(|mapping| mapping.limbs == limbs);
        let mapping = match found {
            Some(index) => kept.remove(index),
            None => {
                let made: Result<Mapping> = on!(self.core.backend, side => side.map(limbs));
                made?
            }
        };
        drop(kept);
        Ok(Mapped {
            device: self.clone(),
            mapping: Some(mapping),
        })
    }

    /// Queues a kernel by `launch` and runs `work` beside it; returns when both are done. `work`
    /// can ask whether the kernel is still to end. It must see to it that the kernel does end,
    /// however `work` itself ends.
    pub(crate) fn beside<T>(
        &self,
        launch: impl FnOnce() -> Result<()> + Send,
        work: impl FnOnce(&dyn Fn() -> Result<bool>) -> Result<T>,
    ) -> Result<T> {
        match self.core.backend {
            #[cfg(feature = "cuda")]
            Backend::Driver(ref driver) => {
                launch()?;
                let done = work(&|| driver.is_busy());
                driver.synchronize()?;
                done
            }
            // The executor's launches return when they are done.
            #[cfg(feature = "cuda")]
            Backend::Executor(_) => std::thread::scope(|scope| {
                let launch = scope.spawn(launch);
                let done = work(&|| Ok(!launch.is_finished()));
                let lost = |_| Error::Device {
                    call: "launch",
                    reason: "its thread panicked".into(),
                };
                launch.join().map_err(lost)??;
                done
            }),
        }
    }
}

/// Sets every word to zero, so that they may be read.
pub(super) fn zeroed(mapping: Mapping) -> Mapping {
    for i in 0..mapping.limbs {
        // SAFETY: `limbs` words were allocated there, aligned for them, and nobody else has them
        // yet.
        unsafe { mapping.host.as_ptr().add(i).write(AtomicU64::new(0)) };
    }
    std::sync::atomic::fence(Ordering::Release);
    mapping
}
