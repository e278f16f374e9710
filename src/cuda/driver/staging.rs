//! Transfers between pageable host memory and a GPU, through page-locked slots: while the card moves
//! one slot, the CPU fills or empties another. One core copies 6 GB/s where the bus does 52, so a long
//! transfer goes in several lanes, each a thread with two slots of its own. What is uploaded has been
//! read when the call returns, so the caller's memory is its own again.
//!
//! The threads of a lane are not those of the pool: a thread of the pool that waits takes up other
//! work, which might ask for the slots that it holds.

use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use cudarc::driver::{result, sys};

use super::super::DevicePtr;
use super::{Queue, failed};
use crate::error::Result;
use crate::memory;

/// Limbs of one slot: 1 MiB.
const SLOT_LIMBS: usize = 1 << 17;

/// Most lanes of a transfer.
const LANES: usize = 6;

/// Limbs of a transfer for each lane: 2 MiB, which one core copies in 0.2 ms, twice what starting a thread takes.
const LANE_LIMBS: usize = 1 << 18;

/// Fewest limbs that are worth a transfer of their own: 256 KiB.
const LEAST_PIECE: usize = 1 << 15;

/// Transfers up to this many limbs (64 KiB) go straight to the driver, which copies so few bytes
/// from pageable memory into its own command buffer before it returns.
const DIRECT_LIMBS: usize = 1 << 13;

/// The lanes, made on first use; a transfer through them holds the lock.
#[derive(Default)]
pub(super) struct Staging {
    lanes: Mutex<Option<[Lane; LANES]>>,
}

/// The slots of a lane, used in turn.
type Lane = [Slot; 2];

/// Page-locked memory of [`SLOT_LIMBS`] limbs and the event of the last transfer that used it.
#[derive(Clone, Copy)]
struct Slot {
    memory: *mut u64,
    done: sys::CUevent,
}

// SAFETY: memory and event live as long as the process and mean the same on every thread; they are
// only reached under the lock of `Staging`, by one thread at a time.
unsafe impl Send for Slot {}
// SAFETY: as above; a lane is given to one thread.
unsafe impl Sync for Slot {}

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
    /// The lanes, or nothing where the system lets no more memory be locked.
    fn with_lanes(
        &self,
        transfer: impl FnOnce(&[Lane; LANES]) -> Result<()>,
    ) -> Option<Result<()>> {
        let mut lanes: MutexGuard<_> = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if lanes.is_none() {
            let mut made = Vec::with_capacity(LANES);
            while made.len() < LANES {
                made.push([Slot::new().ok()?, Slot::new().ok()?]);
            }
            *lanes = made.try_into().ok();
        }
        lanes.as_ref().map(transfer)
    }

    /// # Safety
    /// `from.len()` limbs of live device memory lie at `to`; the context is current.
    pub(super) unsafe fn upload(&self, queue: &Queue, to: DevicePtr, from: &[u64]) -> Result<()> {
        if from.len() <= DIRECT_LIMBS {
            // SAFETY: the caller's promise; so few limbs are read before the call returns.
            return unsafe { queue_upload(queue, to, from) };
        }
        let staged = self.with_lanes(|lanes| {
            let cut = Cut::of(from.len());
            let parts = from.chunks(cut.share).zip(lanes).enumerate();
            in_lanes(queue, parts, |(index, (part, lane))| {
                // SAFETY: the caller's promise for the part of `to` that this part of `from` goes to.
                unsafe {
                    upload_lane(
                        queue,
                        lane,
                        to.offset_limbs(index * cut.share),
                        part,
                        cut.piece,
                    )
                }
            })
        });
        staged.unwrap_or_else(|| {
            // SAFETY: the caller's promise; `from` stays as it is until all is done.
            unsafe { queue_upload(queue, to, from) }?;
            queue.synchronize()
        })
    }

    /// Writes all of `into` where it succeeds.
    ///
    /// # Safety
    /// `into.len()` limbs of live device memory lie at `from`; the context is current.
    pub(super) unsafe fn download(
        &self,
        queue: &Queue,
        from: DevicePtr,
        into: &mut [MaybeUninit<u64>],
    ) -> Result<()> {
        if into.len() > DIRECT_LIMBS {
            memory::prefer_large_pages(into);
            let cut = Cut::of(into.len());
            let staged = self.with_lanes(|lanes| {
                let parts = into.chunks_mut(cut.share).zip(lanes).enumerate();
                in_lanes(queue, parts, |(index, (part, lane))| {
                    // SAFETY: the caller's promise for the part of `from` that goes to this part of `into`.
                    unsafe {
                        download_lane(
                            queue,
                            lane,
                            from.offset_limbs(index * cut.share),
                            part,
                            cut.piece,
                        )
                    }
                })
            });
            if let Some(done) = staged {
                return done;
            }
        }
        // SAFETY: the caller's promise; `into` is waited for before it is read.
        unsafe { queue_download(queue, into, from) }?;
        queue.synchronize()
    }
}

/// How a transfer is cut.
#[derive(Clone, Copy)]
struct Cut {
    /// Limbs of each lane's part.
    share: usize,
    /// Limbs that are moved at once, at most those of a slot.
    piece: usize,
}

impl Cut {
    /// Parts are whole pieces, and those of a long transfer whole slots, so that threads share no large page. A part
    /// has two pieces at least, so that the CPU copies one while the card moves the other.
    fn of(limbs: usize) -> Cut {
        let lanes = (limbs / LANE_LIMBS).clamp(1, LANES);
        let share = limbs.div_ceil(lanes);
        let piece = (share / 2)
            .clamp(LEAST_PIECE, SLOT_LIMBS)
            .next_multiple_of(LEAST_PIECE);
        Cut {
            share: share.next_multiple_of(piece),
            piece,
        }
    }
}

/// Does all parts at once, the first on this thread, each other on one of its own; the first error wins.
fn in_lanes<P: Send>(
    queue: &Queue,
    parts: impl Iterator<Item = P>,
    work: impl Fn(P) -> Result<()> + Sync,
) -> Result<()> {
    thread::scope(|scope| {
        let mut parts = parts;
        let first = parts.next();
        let work = &work;
        let others: Vec<_> = parts
            .map(|part| {
                scope.spawn(move || {
                    queue.enter()?;
                    work(part)
                })
            })
            .collect();
        let mut done = first.map_or(Ok(()), work);
        for other in others {
            let other = other.join().expect("a lane does not panic");
            done = done.and(other);
        }
        done
    })
}

/// # Safety
/// `from.len()` limbs of live device memory lie at `to`. `from` stays as it is until the copy is done, or is short
/// enough to be read before this returns.
unsafe fn queue_upload(queue: &Queue, to: DevicePtr, from: &[u64]) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { result::memcpy_htod_async(to.0, from, queue.stream) }
        .map_err(|e| failed("cuMemcpyHtoDAsync", e))
}

/// # Safety
/// `into.len()` limbs of live device memory lie at `from`. Nothing reads `into` until the copy has been waited for.
unsafe fn queue_download(
    queue: &Queue,
    into: &mut [MaybeUninit<u64>],
    from: DevicePtr,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { result::memcpy_dtoh_async(into, from.0, queue.stream) }
        .map_err(|e| failed("cuMemcpyDtoHAsync", e))
}

/// # Safety
/// `from.len()` limbs of live device memory lie at `to`; the context is current, and the lane this thread's.
unsafe fn upload_lane(
    queue: &Queue,
    lane: &Lane,
    to: DevicePtr,
    from: &[u64],
    piece: usize,
) -> Result<()> {
    for (index, part) in from.chunks(piece).enumerate() {
        let slot = &lane[index % 2];
        slot.wait()?;
        // SAFETY: waited for just above; the slot stays as it is until it is waited for again.
        unsafe { queue_upload(queue, to.offset_limbs(index * piece), slot.filled(part)) }?;
        slot.mark(queue)?;
    }
    Ok(())
}

/// # Safety
/// `into.len()` limbs of live device memory lie at `from`; the context is current, and the lane this thread's.
unsafe fn download_lane(
    queue: &Queue,
    lane: &Lane,
    from: DevicePtr,
    into: &mut [MaybeUninit<u64>],
    piece: usize,
) -> Result<()> {
    assert!(piece <= SLOT_LIMBS);
    let total = into.len();
    let part_limbs = |index: usize| (total - index * piece).min(piece);
    // Stream order keeps a slot's earlier upload ahead of the download into it.
    let fetch = |index: usize| {
        let slot = &lane[index % 2];
        // SAFETY: at most `piece` limbs of the slot, which has SLOT_LIMBS, which nothing reads until it is waited for; the caller's
        // promise for `from`.
        unsafe {
            let staged = std::slice::from_raw_parts_mut(slot.memory.cast(), part_limbs(index));
            queue_download(queue, staged, from.offset_limbs(index * piece))?;
        }
        slot.mark(queue)
    };
    fetch(0)?;
    for (index, part) in into.chunks_mut(piece).enumerate() {
        if (index + 1) * piece < total {
            fetch(index + 1)?;
        }
        let slot = &lane[index % 2];
        slot.wait()?;
        assert_eq!(part.len(), part_limbs(index));
        // SAFETY: the transfer of `part.len()` limbs into the slot is complete, and our page-locked memory does not
        // overlap the caller's.
        unsafe {
            std::ptr::copy_nonoverlapping(slot.memory.cast(), part.as_mut_ptr(), part.len());
        }
    }
    Ok(())
}
