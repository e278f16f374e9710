//! Transfers between pageable host memory and a GPU, through two page-locked slots: while the card
//! moves one, the CPU fills or empties the other. What is uploaded has been read when the call
//! returns, so the caller's memory is its own again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::{result, sys};

use super::super::DevicePtr;
use super::{Queue, failed};
use crate::error::Result;
use crate::memory;

/// Limbs of one slot: 8 MiB.
const SLOT_LIMBS: usize = 1 << 20;

/// Transfers up to this many limbs (64 KiB) go straight to the driver, which copies so few bytes
/// from pageable memory into its own command buffer before it returns.
const DIRECT_LIMBS: usize = 1 << 13;

/// The slots, made on first use; a transfer through them holds the lock.
#[derive(Default)]
pub(super) struct Staging {
    slots: Mutex<Option<[Slot; 2]>>,
}

/// Page-locked memory of [`SLOT_LIMBS`] limbs and the event of the last transfer that used it.
#[derive(Clone, Copy)]
struct Slot {
    memory: *mut u64,
    done: sys::CUevent,
}

// SAFETY: memory and event live as long as the process and mean the same on every thread; they are
// only reached under the lock of `Staging`.
unsafe impl Send for Slot {}

impl Slot {
    fn new() -> Result<Slot> {
        // SAFETY: plain allocation of page-locked memory, kept for the life of the process.
        let memory = unsafe { result::malloc_host(8 * SLOT_LIMBS, 0) }
            .map_err(|e| failed("cuMemHostAlloc", e))?;
        let done = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
            .map_err(|e| failed("cuEventCreate", e))?;
        Ok(Slot {
            memory: memory.cast(),
            done,
        })
    }

    /// Marks the slot as used by everything queued so far.
    fn mark(&self, queue: &Queue) -> Result<()> {
        // SAFETY: event and stream live as long as the process.
        unsafe { result::event::record(self.done, queue.stream) }
            .map_err(|e| failed("cuEventRecord", e))
    }

    /// Waits for the last transfer that used the slot, if there was one.
    fn wait(&self) -> Result<()> {
        // SAFETY: the event lives as long as the process; one never recorded is complete.
        unsafe { result::event::synchronize(self.done) }
            .map_err(|e| failed("cuEventSynchronize", e))
    }

    /// # Safety
    /// The slot's last transfer is complete.
    unsafe fn filled(&self, from: &[u64]) -> &[u64] {
        assert!(from.len() <= SLOT_LIMBS);
        // SAFETY: the slot holds SLOT_LIMBS limbs, asserted to be enough; nothing else writes them
        // now; page-locked memory of ours does not overlap the caller's.
        unsafe {
            std::ptr::copy_nonoverlapping(from.as_ptr(), self.memory, from.len());
            std::slice::from_raw_parts(self.memory, from.len())
        }
    }
}

impl Staging {
    /// The slots, or nothing where the system lets no more memory be locked.
    fn with_slots(&self, transfer: impl FnOnce(&[Slot; 2]) -> Result<()>) -> Option<Result<()>> {
        let mut slots: MutexGuard<_> = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.is_none() {
            *slots = Some([Slot::new().ok()?, Slot::new().ok()?]);
        }
        slots.as_ref().map(transfer)
    }

    /// # Safety
    /// `from.len()` limbs of live device memory lie at `to`; the context is current.
    pub(super) unsafe fn upload(&self, queue: &Queue, to: DevicePtr, from: &[u64]) -> Result<()> {
        let queue_copy = |to: DevicePtr, from: &[u64]| {
            // SAFETY: the caller's promise for `to`; `from` stays as it is until the copy is done
            // (a slot), or is read before the call returns (few limbs, pageable).
            unsafe { result::memcpy_htod_async(to.0, from, queue.stream) }
                .map_err(|e| failed("cuMemcpyHtoDAsync", e))
        };
        if from.len() <= DIRECT_LIMBS {
            return queue_copy(to, from);
        }
        let staged = self.with_slots(|slots| {
            for (index, part) in from.chunks(SLOT_LIMBS).enumerate() {
                let slot = &slots[index % 2];
                slot.wait()?;
                // SAFETY: waited for just above.
                let staged = unsafe { slot.filled(part) };
                queue_copy(to.offset_limbs(index * SLOT_LIMBS), staged)?;
                slot.mark(queue)?;
            }
            Ok(())
        });
        staged.unwrap_or_else(|| {
            queue_copy(to, from)?;
            queue.synchronize()
        })
    }

    /// # Safety
    /// `into.len()` limbs of live device memory lie at `from`; the context is current.
    pub(super) unsafe fn download(
        &self,
        queue: &Queue,
        from: DevicePtr,
        into: &mut [u64],
    ) -> Result<()> {
        let queue_copy = |into: &mut [u64], from: DevicePtr| {
            // SAFETY: the caller's promise for `from`; `into` is waited for before it is read.
            unsafe { result::memcpy_dtoh_async(into, from.0, queue.stream) }
                .map_err(|e| failed("cuMemcpyDtoHAsync", e))
        };
        if into.len() > DIRECT_LIMBS {
            memory::prefer_large_pages(into);
            let staged = self.with_slots(|slots| {
                // Stream order keeps a slot's earlier upload ahead of the download into it.
                let fetch = |index: usize, limbs: usize| {
                    let slot = &slots[index % 2];
                    // SAFETY: at most SLOT_LIMBS limbs of the slot, which nothing reads until it is
                    // waited for.
                    let staged = unsafe { std::slice::from_raw_parts_mut(slot.memory, limbs) };
                    queue_copy(staged, from.offset_limbs(index * SLOT_LIMBS))?;
                    slot.mark(queue)
                };
                let total = into.len();
                let part_limbs = |index: usize| (total - index * SLOT_LIMBS).min(SLOT_LIMBS);
                fetch(0, part_limbs(0))?;
                for (index, part) in into.chunks_mut(SLOT_LIMBS).enumerate() {
                    if (index + 1) * SLOT_LIMBS < total {
                        fetch(index + 1, part_limbs(index + 1))?;
                    }
                    let slot = &slots[index % 2];
                    slot.wait()?;
                    assert_eq!(part.len(), part_limbs(index));
                    // SAFETY: the transfer of `part.len()` limbs into the slot is complete, and our
                    // page-locked memory does not overlap the caller's.
                    unsafe {
                        std::ptr::copy_nonoverlapping(slot.memory, part.as_mut_ptr(), part.len())
                    };
                }
                Ok(())
            });
            if let Some(done) = staged {
                return done;
            }
        }
        queue_copy(into, from)?;
        queue.synchronize()
    }
}
