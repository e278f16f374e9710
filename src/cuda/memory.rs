//! Device memory: stream-ordered buffers, the limit, and eviction of idle copies by least recent
//! use.
//!
//! The limit counts every live buffer. When a new one does not fit, or the driver itself has no
//! memory left, the owners of copies registered by [`Device::track`] are asked, oldest use first,
//! to give theirs up; an owner that is busy says so instead of waiting, so two threads that make
//! room for each other cannot deadlock.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::span::{DevicePtr, Span};
use super::{Backend, Device};
use crate::error::{Error, Result};

/// Buffers are charged in units of this many bytes, the alignment that CUDA gives every allocation.
const UNIT: u64 = 256;

/// How often a thread looks again for an idle copy where all were busy, a millisecond apart.
const BUSY_ROUNDS: u32 = 100;

/// Device memory that frees itself, in stream order.
pub(crate) struct Buffer {
    device: Arc<Device>,
    /// Null for an empty buffer.
    address: DevicePtr,
    limbs: usize,
    owner: Owner,
}

/// Who frees a buffer's memory.
enum Owner {
    /// The buffer itself.
    Buffer,
    /// Other code, as soon as this is dropped.
    OtherCode(#[expect(dead_code, reason = "kept for its drop")] Box<dyn Any + Send + Sync>),
    /// The buffer of another stream of the same device, which is read here.
    OtherStream(Arc<Buffer>),
}

impl Buffer {
    /// The device it lies on.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Its length in limbs.
    pub(crate) fn limbs(&self) -> usize {
        self.limbs
    }

    /// Where it begins; 256-byte aligned, null if it is empty.
    pub(crate) fn ptr(&self) -> DevicePtr {
        self.address
    }

    /// Memory of other code, which stays valid as long as `owner` lives. Not counted by the limit.
    ///
    /// # Safety
    /// `limbs` limbs of memory of `device` lie at `address`, aligned as those of `alloc`. Nobody
    /// writes to them while the buffer lives.
    pub(super) unsafe fn of_other_code(
        device: Arc<Device>,
        address: u64,
        limbs: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Buffer {
        Buffer {
            device,
            address: DevicePtr(address),
            limbs,
            owner: Owner::OtherCode(owner),
        }
    }

    /// A buffer's memory for another stream of its device to read, once what is queued on the
    /// buffer's own stream is done. Not counted again by the limit.
    pub(super) fn read_by(lent: Arc<Buffer>, device: &Arc<Device>) -> Result<Buffer> {
        device.wait_for_stream(&lent.device)?;
        #[cfg(feature = "cuda")]
        if let Some(owners) = device.owners() {
            owners.lend(lent.address, device.stream_number());
        }
        Ok(Buffer {
            device: device.clone(),
            address: lent.address,
            limbs: lent.limbs,
            owner: Owner::OtherStream(lent),
        })
    }

    /// Hands a buffer over to another stream of its device: that stream's work from now on waits
    /// for all that the buffer's own stream was asked for.
    pub(super) fn hand_over(&mut self, device: &Arc<Device>) -> Result<()> {
        self.device.core.wait_for_readers()?;
        device.wait_for_stream(&self.device)?;
        #[cfg(feature = "cuda")]
        if let Some(owners) = device.owners() {
            owners.hand_over(self.address, device.stream_number());
        }
        self.device = device.clone();
        Ok(())
    }

    /// All of it.
    pub(crate) fn span(&self) -> Span<'_> {
        Span::new(self.address, self.limbs)
    }

    /// All from this limb on.
    pub(crate) fn skip_limbs(&self, start: usize) -> Span<'_> {
        self.span().skip_bytes(8 * start as u64)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // What a forked process has of its parent's devices is not its own to free.
        if !self.device.core.is_ours() {
            return;
        }
        match &self.owner {
            // The owner may reuse the memory at once, whatever is still queued here. A failure
            // means a lost device, on which nothing runs any more.
            Owner::OtherCode(_) => {
                let _ = self.device.finish();
            }
            Owner::OtherStream(lent) => {
                #[cfg(feature = "cuda")]
                if let Some(owners) = self.device.owners() {
                    owners.end_loan(self.address, self.device.stream_number());
                }
                lent.device.is_read_by(&self.device);
            }
            Owner::Buffer if self.limbs > 0 => {
                self.device.free(self.address, self.limbs);
                self.device
                    .memory
                    .give_back(charge(self.limbs).unwrap_or(0));
            }
            Owner::Buffer => {}
        }
    }
}

/// Bytes that a buffer of `limbs` limbs counts for.
fn charge(limbs: usize) -> Option<u64> {
    (limbs as u64)
        .checked_mul(8)?
        .checked_next_multiple_of(UNIT)
}

/// Something that holds a device copy it can give up.
pub(crate) trait Evict: Send + Sync {
    /// Makes sure a host copy exists, then drops the device copy. Returns false where it is in use
    /// or already gone. Must not wait for a lock that is held while device memory is asked for.
    fn evict(&self) -> Result<bool>;
}

/// When a device copy was last used; shared between the copy's owner and the device's list. The
/// owner drops it together with the copy.
pub(crate) struct Use {
    tick: AtomicU64,
}

impl Use {
    fn now() -> u64 {
        static TICK: AtomicU64 = AtomicU64::new(0);
        TICK.fetch_add(1, Ordering::Relaxed)
    }

    /// The copy is being used now.
    pub(crate) fn touch(&self) {
        self.tick.store(Use::now(), Ordering::Relaxed);
    }
}

#[derive(Clone)]
struct Tracked {
    owner: Weak<dyn Evict>,
    used: Arc<Use>,
}

impl Tracked {
    /// Whether there may still be a copy: its owner lives and holds on to the `Use`.
    fn is_live(&self) -> bool {
        Arc::strong_count(&self.used) > 1 && self.owner.strong_count() > 0
    }
}

#[derive(Default)]
struct Copies {
    list: Vec<Tracked>,
    /// Dead entries are dropped when the list has grown to this length.
    prune_at: usize,
}

/// What a stream's kernels keep between launches, by owner and number.
#[derive(Default)]
pub(super) struct Workspaces(Mutex<HashMap<(&'static str, u64), Arc<Buffer>>>);

impl Workspaces {
    fn lock(&self) -> MutexGuard<'_, HashMap<(&'static str, u64), Arc<Buffer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memory of a GPU, for all its streams.
pub(super) struct Memory {
    limit: u64,
    used: AtomicU64,
    /// The most that `used` has been since it was last watched.
    peak: AtomicU64,
    copies: Mutex<Copies>,
    /// Allocations until one fails, whatever memory there is; never at 0.
    #[cfg(test)]
    fault: AtomicU64,
}

impl Memory {
    pub(super) fn new(limit: u64) -> Memory {
        Memory {
            limit,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            copies: Mutex::default(),
            #[cfg(test)]
            fault: AtomicU64::new(0),
        }
    }

    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn tracked(&self) -> usize {
        self.copies().list.len()
    }

    /// Whether this is the allocation that a test asked to fail.
    #[cfg(test)]
    fn is_fault(&self) -> bool {
        let left = |n: u64| n.checked_sub(1);
        self.fault
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left)
            == Ok(1)
    }

    fn copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts `bytes` more if they fit under the limit.
    fn take(&self, bytes: u64) -> bool {
        let fits = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        let taken = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        if let Ok(before) = taken {
            self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        }
        taken.is_ok()
    }

    /// Begins to watch for the most memory in use, from what is in use now.
    pub(super) fn watch(&self) -> u64 {
        let used = self.used();
        self.peak.store(used, Ordering::Relaxed);
        used
    }

    /// The most that was in use since [`Memory::watch`].
    pub(super) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The live copies, oldest use first, each with the tick it was last used at.
    fn oldest_first(&self) -> Vec<(u64, Tracked)> {
        let mut copies = self.copies();
        copies.list.retain(Tracked::is_live);
        let ticked = |t: &Tracked| (t.used.tick.load(Ordering::Relaxed), t.clone());
        let mut order: Vec<_> = copies.list.iter().map(ticked).collect();
        drop(copies);
        order.sort_unstable_by_key(|(tick, _)| *tick);
        order
    }
}

impl Device {
    fn free(&self, at: DevicePtr, limbs: usize) {
        // A failure means a lost device, on which nothing runs any more.
        let _ = self.core.wait_for_readers();
        // SAFETY: the address came from the same backend's `alloc` with the same length, and
        // nothing can name it after this.
        unsafe { on!(self.core.backend, side => side.free(at, limbs)) };
    }

    /// `limbs` limbs of uninitialised device memory, evicting idle copies if it must.
    pub(crate) fn alloc(self: &Arc<Self>, limbs: usize) -> Result<Buffer> {
        let mut buffer = Buffer {
            device: self.clone(),
            address: DevicePtr(0),
            limbs: 0,
            owner: Owner::Buffer,
        };
        if limbs == 0 {
            return Ok(buffer);
        }
        self.core.alive(|_| Ok(()))?;
        let memory = &self.memory;
        let out_of_memory = || Error::DeviceMemory {
            needed: charge(limbs).unwrap_or(u64::MAX),
            available: memory.limit.saturating_sub(memory.used()),
            limit: memory.limit,
        };
        #[cfg(test)]
        if memory.is_fault() {
            return Err(out_of_memory());
        }
        let bytes = charge(limbs)
            .filter(|b| *b <= memory.limit)
            .ok_or_else(out_of_memory)?;
        if !memory.take(bytes) && !self.make_room(|| Ok(memory.take(bytes)))? {
            return Err(out_of_memory());
        }
        let mut address = None;
        let mut take = || {
            let core = &self.core;
            address = core.alive(|backend| on!(*backend, side => side.alloc(limbs)))?;
            Ok(address.is_some())
        };
        // The driver may have less than the limit allows: other processes use the card too.
        match take().and_then(|done| Ok(done || self.make_room(&mut take)?)) {
            Ok(true) => {}
            failed => {
                memory.give_back(bytes);
                return Err(failed.err().unwrap_or_else(out_of_memory));
            }
        }
        buffer.address = address.unwrap_or(DevicePtr(0));
        buffer.limbs = limbs;
        Ok(buffer)
    }

    /// The allocation of this number from now on fails, as if there were no memory; none for 0.
    /// Gives back how many were left.
    #[cfg(test)]
    pub(crate) fn fail_allocation(&self, number: u64) -> u64 {
        self.memory.fault.swap(number, Ordering::Relaxed)
    }

    /// Bytes of workspaces and tables, which stay for the life of the device.
    #[cfg(test)]
    pub(crate) fn permanent_bytes(&self) -> u64 {
        let spaces = self.workspaces.lock();
        spaces.values().filter_map(|s| charge(s.limbs())).sum()
    }

    /// At least `limbs` limbs that stay between launches, zero when made: counters and flags that
    /// each kernel of `owner` leaves as the next one expects them. A longer one replaces a shorter
    /// one. Never part of what is evicted.
    pub(crate) fn workspace(
        self: &Arc<Self>,
        owner: &'static str,
        limbs: usize,
    ) -> Result<Arc<Buffer>> {
        let mut spaces = self.workspaces.lock();
        if let Some(space) = spaces
            .get(&(owner, 0))
            .filter(|space| space.limbs() >= limbs)
        {
            return Ok(space.clone());
        }
        let space = Arc::new(self.alloc(limbs.next_power_of_two())?);
        self.zero(&space, 0, space.limbs())?;
        spaces.insert((owner, 0), space.clone());
        Ok(space)
    }

    /// Table `number` of `owner`, which stays on the device and never changes, made by the first
    /// who asks. Never part of what is evicted.
    pub(crate) fn constants(
        self: &Arc<Self>,
        owner: &'static str,
        number: u64,
        make: impl FnOnce() -> Vec<u64>,
    ) -> Result<Arc<Buffer>> {
        let mut spaces = self.workspaces.lock();
        if let Some(table) = spaces.get(&(owner, number)) {
            return Ok(table.clone());
        }
        let table = Arc::new(self.upload(&make())?);
        spaces.insert((owner, number), table.clone());
        Ok(table)
    }

    /// Registers the owner of a device copy, used now. It may be asked to give the copy up until it
    /// drops the `Use`; after an eviction it registers its next copy anew.
    pub(crate) fn track(&self, owner: Weak<dyn Evict>) -> Arc<Use> {
        let used = Arc::new(Use {
            tick: AtomicU64::new(Use::now()),
        });
        let mut copies = self.memory.copies();
        if copies.list.len() >= copies.prune_at {
            copies.list.retain(Tracked::is_live);
            copies.prune_at = 2 * copies.list.len() + 64;
        }
        copies.list.push(Tracked {
            owner,
            used: used.clone(),
        });
        used
    }

    /// Moves every device copy that is not in use to the host; says how many there were.
    pub fn evict_all_idle(&self) -> Result<usize> {
        let mut moved = 0;
        for (_, copy) in self.memory.oldest_first() {
            moved += usize::from(self.evict(&copy)?);
        }
        Ok(moved)
    }

    /// Evicts idle copies, oldest use first, until `enough` says yes; false if there is nothing
    /// left to evict.
    fn make_room(&self, mut enough: impl FnMut() -> Result<bool>) -> Result<bool> {
        for _ in 0..BUSY_ROUNDS {
            let mut busy = false;
            for (tick, copy) in self.memory.oldest_first() {
                if copy.used.tick.load(Ordering::Relaxed) == tick && self.evict(&copy)? {
                    if enough()? {
                        return Ok(true);
                    }
                } else {
                    busy = true;
                }
            }
            if !busy {
                break;
            }
            // Another thread is using the rest: what it drops or finishes with may be enough.
            std::thread::sleep(Duration::from_millis(1));
            if enough()? {
                return Ok(true);
            }
        }
        enough()
    }

    fn evict(&self, copy: &Tracked) -> Result<bool> {
        let Some(owner) = copy.owner.upgrade() else {
            return Ok(false);
        };
        let gone = owner.evict()?;
        if gone {
            self.memory
                .copies()
                .list
                .retain(|other| !Arc::ptr_eq(&other.used, &copy.used));
            self.core.counters.evictions.fetch_add(1, Ordering::Relaxed);
        }
        Ok(gone)
    }
}
