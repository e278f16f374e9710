//! Transfers between pageable host memory and a GPU, through page-locked slots: while the card
//! moves one slot, the CPU fills or empties another. One core copies 6 GB/s where the bus does 52,
//! so a long transfer goes in several lanes, each a thread with two slots of its own. What is
//! uploaded has been read when the call returns, so the caller's memory is its own again.
//!
//! The threads of the lanes are not those of the pool: a thread of the pool that waits takes up
//! other work, which might ask for the slots that it holds. They are kept, because starting one
//! takes as long as a transfer of 4 MiB.

use std::mem::MaybeUninit;
use std::sync::mpsc::{self, Receiver, Sender};
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
const LANES: usize = 8;

/// Limbs of a transfer for each lane: 2 MiB, which one core copies in 0.2 ms.
const LANE_LIMBS: usize = 1 << 18;

/// Fewest limbs that are worth a transfer of their own: 256 KiB.
const LEAST_PIECE: usize = 1 << 15;

/// Transfers up to this many limbs (64 KiB) go straight to the driver, which copies so few bytes
/// from pageable memory into its own command buffer before it returns.
const DIRECT_LIMBS: usize = 1 << 13;

/// The lanes, made on first use; a transfer through them holds the lock.
#[derive(Default)]
pub(super) struct Staging {
    lanes: Mutex<Option<Lanes>>,
}

struct Lanes {
    /// That of the thread that asks for the transfer.
    own: Lane,
    others: Vec<Thread>,
}

/// The slots of a lane, used in turn.
type Lane = [Slot; 2];

/// A thread with a lane of its own: parts go in, results come out in their order.
struct Thread {
    parts: Sender<Part>,
    results: Receiver<Result<()>>,
}

/// Page-locked memory of [`SLOT_LIMBS`] limbs and the event of the last transfer that used it.
#[derive(Clone, Copy)]
struct Slot {
    memory: *mut u64,
    done: sys::CUevent,
}

// SAFETY: memory and event live as long as the process and mean the same on every thread; a lane
// belongs to one thread, or is reached under the lock of `Staging`.
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

/// What one lane moves.
#[derive(Clone, Copy)]
struct Part {
    queue: Queue,
    device: DevicePtr,
    host: Host,
    limbs: usize,
    /// Limbs that are moved at once.
    piece: usize,
}

/// Where a part lies on the host, and with that its direction.
#[derive(Clone, Copy)]
enum Host {
    From(*const u64),
    Into(*mut MaybeUninit<u64>),
}

// SAFETY: whoever makes a part promises that its memory is for the lane that moves it, on any
// thread.
unsafe impl Send for Part {}

impl Part {
    /// The part of `limbs` limbs that begins `start` limbs further on.
    ///
    /// # Safety
    /// It lies inside this one.
    unsafe fn at(self, start: usize, limbs: usize) -> Part {
        // SAFETY: the caller's promise.
        let host = unsafe {
            match self.host {
                Host::From(from) => Host::From(from.add(start)),
                Host::Into(into) => Host::Into(into.add(start)),
            }
        };
        Part {
            device: self.device.offset_limbs(start),
            host,
            limbs,
            ..self
        }
    }

    /// # Safety
    /// `limbs` limbs of live device memory lie at `device` and as many on the host, which is for
    /// this call alone to read or to write. The lane is this thread's.
    unsafe fn transfer(self, lane: &Lane) -> Result<()> {
        self.queue.enter()?;
        // SAFETY: the caller's promise.
        unsafe {
            match self.host {
                Host::From(from) => {
                    let from = std::slice::from_raw_parts(from, self.limbs);
                    upload_lane(&self.queue, lane, self.device, from, self.piece)
                }
                Host::Into(into) => {
                    let into = std::slice::from_raw_parts_mut(into, self.limbs);
                    download_lane(&self.queue, lane, self.device, into, self.piece)
                }
            }
        }
    }
}

impl Thread {
    fn start(lane: Lane) -> Option<Thread> {
        let (parts, inbox) = mpsc::channel::<Part>();
        let (outbox, results) = mpsc::channel();
        let serve = move || {
            for part in inbox {
                // SAFETY: `Lanes::transfer` sends parts of live memory, and waits for the result.
                let done = unsafe { part.transfer(&lane) };
                if outbox.send(done).is_err() {
                    break;
                }
            }
        };
        let builder = thread::Builder::new().name("bezout transfer".into());
        builder.spawn(serve).ok()?;
        Some(Thread { parts, results })
    }
}

impl Lanes {
    /// Nothing where the system lets no more memory be locked, or no more threads start.
    fn new() -> Option<Lanes> {
        let lane = || Some([Slot::new().ok()?, Slot::new().ok()?]);
        let own = lane()?;
        let others = (1..LANES).map(|_| Thread::start(lane()?));
        Some(Lanes {
            own,
            others: others.collect::<Option<_>>()?,
        })
    }

    /// Moves everything, the first part on this thread; the first error wins.
    ///
    /// # Safety
    /// As for [`Part::transfer`].
    unsafe fn transfer(&self, all: Part) -> Result<()> {
        let cut = Cut::of(all.limbs);
        let part = |index: usize| {
            let start = index * cut.share;
            let limbs = (all.limbs - start).min(cut.share);
            // SAFETY: the part ends where the whole does, or before that.
            unsafe {
                Part {
                    piece: cut.piece,
                    ..all
                }
                .at(start, limbs)
            }
        };
        let count = all.limbs.div_ceil(cut.share);
        let others = &self.others[..count - 1];
        for (index, other) in others.iter().enumerate() {
            let sent = other.parts.send(part(index + 1));
            sent.expect("a lane does not end");
        }
        // SAFETY: the caller's promise; parts do not overlap, and each has a lane of its own.
        let mut done = unsafe { part(0).transfer(&self.own) };
        for other in others {
            done = done.and(other.results.recv().expect("a lane does not end"));
        }
        done
    }
}

impl Staging {
    /// Moves everything through the lanes; nothing where there are none.
    ///
    /// # Safety
    /// As for [`Part::transfer`].
    unsafe fn through_lanes(&self, all: Part) -> Option<Result<()>> {
        let mut lanes: MutexGuard<_> = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if lanes.is_none() {
            *lanes = Lanes::new();
        }
        // SAFETY: the caller's promise.
        lanes.as_ref().map(|lanes| unsafe { lanes.transfer(all) })
    }

    /// # Safety
    /// `from.len()` limbs of live device memory lie at `to`; the context is current.
    pub(super) unsafe fn upload(&self, queue: &Queue, to: DevicePtr, from: &[u64]) -> Result<()> {
        if from.len() <= DIRECT_LIMBS {
            // SAFETY: the caller's promise; so few limbs are read before the call returns.
            return unsafe { queue_upload(queue, to, from) };
        }
        let all = Part {
            queue: *queue,
            device: to,
            host: Host::From(from.as_ptr()),
            limbs: from.len(),
            piece: SLOT_LIMBS,
        };
        // SAFETY: the caller's promise; `from` is borrowed until the lanes are done.
        let staged = unsafe { self.through_lanes(all) };
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
            let all = Part {
                queue: *queue,
                device: from,
                host: Host::Into(into.as_mut_ptr()),
                limbs: into.len(),
                piece: SLOT_LIMBS,
            };
            // SAFETY: the caller's promise; `into` is borrowed until the lanes are done.
            if let Some(done) = unsafe { self.through_lanes(all) } {
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
    /// Parts are whole pieces, and those of a long transfer whole slots, so that threads share no
    /// large page. A part has two pieces at least, so that the CPU copies one while the card moves
    /// the other.
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

/// # Safety
/// `from.len()` limbs of live device memory lie at `to`. `from` stays as it is until the copy is
/// done, or is short enough to be read before this returns.
unsafe fn queue_upload(queue: &Queue, to: DevicePtr, from: &[u64]) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { result::memcpy_htod_async(to.0, from, queue.stream) }
        .map_err(|e| failed("cuMemcpyHtoDAsync", e))
}

/// # Safety
/// `into.len()` limbs of live device memory lie at `from`. Nothing reads `into` until the copy has
/// been waited for.
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
/// `from.len()` limbs of live device memory lie at `to`; the context is current, and the lane this
/// thread's.
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
/// `into.len()` limbs of live device memory lie at `from`; the context is current, and the lane
/// this thread's.
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
        // SAFETY: at most `piece` limbs of the slot, which has SLOT_LIMBS, which nothing reads
        // until it is waited for; the caller's promise for `from`.
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
        // SAFETY: the transfer of `part.len()` limbs into the slot is complete, and our page-locked
        // memory does not overlap the caller's.
        unsafe {
            std::ptr::copy_nonoverlapping(slot.memory.cast(), part.as_mut_ptr(), part.len());
        }
    }
    Ok(())
}
