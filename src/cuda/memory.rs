//! Device memory: stream-ordered buffers, the limit, and eviction of idle copies by least recent use.
//!
//! The limit counts every live buffer. When a new one does not fit, or the driver itself has no
//! memory left, the owners of copies registered by [`Device::track`] are asked, oldest use first,
//! to give theirs up; an owner that is busy says so instead of waiting, so two threads that make
//! room for each other cannot deadlock.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

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
}

/// An address in device memory, as kernels take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DevicePtr(pub(super) u64);

impl DevicePtr {
    /// No address: an operand that the kernel does not have.
    pub(crate) const NULL: DevicePtr = DevicePtr(0);

    /// As a number, for tables of addresses that kernels read.
    pub(crate) fn address(self) -> u64 {
        self.0
    }

    /// The address this many limbs further on.
    pub(crate) fn offset_limbs(self, limbs: usize) -> DevicePtr {
        DevicePtr(self.0 + 8 * limbs as u64)
    }
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
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.limbs > 0 {
            // SAFETY: the address came from the same backend's `alloc` with the same length, and
            // nothing can name it after this.
            unsafe { on!(self.device.core.backend, side => side.free(self.address, self.limbs)) };
            self.device
                .memory
                .give_back(charge(self.limbs).unwrap_or(0));
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
    /// Makes sure a host copy exists, then drops the device copy. Returns false where it is in use or
    /// already gone. Must not wait for a lock that is held while device memory is asked for.
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

pub(super) struct Memory {
    limit: u64,
    used: AtomicU64,
    /// The most that `used` has been since it was last watched.
    peak: AtomicU64,
    copies: Mutex<Copies>,
    workspaces: Mutex<HashMap<(&'static str, u64), Arc<Buffer>>>,
}

impl Memory {
    pub(super) fn new(limit: u64) -> Memory {
        Memory {
            limit,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            copies: Mutex::default(),
            workspaces: Mutex::default(),
        }
    }

    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn tracked(&self) -> usize {
        self.copies().list.len()
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
    /// `limbs` limbs of uninitialised device memory, evicting idle copies if it must.
    pub(crate) fn alloc(self: &Arc<Self>, limbs: usize) -> Result<Buffer> {
        let mut buffer = Buffer {
            device: self.clone(),
            address: DevicePtr(0),
            limbs: 0,
        };
        if limbs == 0 {
            return Ok(buffer);
        }
        let memory = &self.memory;
        let out_of_memory = || Error::DeviceMemory {
            needed: charge(limbs).unwrap_or(u64::MAX),
            available: memory.limit.saturating_sub(memory.used()),
            limit: memory.limit,
        };
        let bytes = charge(limbs)
            .filter(|b| *b <= memory.limit)
            .ok_or_else(out_of_memory)?;
        if !memory.take(bytes) && !self.make_room(|| Ok(memory.take(bytes)))? {
            return Err(out_of_memory());
        }
        let mut address = None;
        let mut take = || {
            let found: Result<Option<DevicePtr>> =
                on!(self.core.backend, side => side.alloc(limbs));
            address = found?;
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

    /// At least `limbs` limbs that stay between launches, zero when made: counters and flags that each kernel of `owner`
    /// leaves as the next one expects them. A longer one replaces a shorter one. Never part of what is evicted.
    pub(crate) fn workspace(
        self: &Arc<Self>,
        owner: &'static str,
        limbs: usize,
    ) -> Result<Arc<Buffer>> {
        let mut spaces = self
            .memory
            .workspaces
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
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

    /// Table `number` of `owner`, which stays on the device and never changes, made by the first who asks. Never part of what
    /// is evicted.
    pub(crate) fn constants(
        self: &Arc<Self>,
        owner: &'static str,
        number: u64,
        make: impl FnOnce() -> Vec<u64>,
    ) -> Result<Arc<Buffer>> {
        let mut spaces = self
            .memory
            .workspaces
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
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

    /// Evicts idle copies, oldest use first, until `enough` says yes; false if there is nothing left to evict.
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

/// The limit that `BEZOUT_DEVICE_MEMORY` sets, or nine tenths of the card.
pub(super) fn limit_from_environment(card: u64) -> Result<u64> {
    match std::env::var("BEZOUT_DEVICE_MEMORY") {
        Err(std::env::VarError::NotPresent) => Ok(card / 10 * 9),
        Err(bad) => Err(Error::Domain(format!(
            "BEZOUT_DEVICE_MEMORY cannot be read: {bad}"
        ))),
        Ok(text) if text.trim().is_empty() => Ok(card / 10 * 9),
        Ok(text) => parse_limit(&text, card),
    }
}

/// A size in bytes, with a unit (`8GiB`, `500MB`, `2T`), or a percentage of the card (`90%`); at most the card.
pub(super) fn parse_limit(text: &str, card: u64) -> Result<u64> {
    let bad = || {
        Error::Domain(format!(
            "BEZOUT_DEVICE_MEMORY='{text}' is not a size: use bytes, a unit (8GiB, 500MB) or a percentage (90%)"
        ))
    };
    let trimmed = text.trim();
    let digits = trimmed.len()
        - trimmed
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            .len();
    let (number, unit) = trimmed.split_at(digits);
    let number: f64 = number.parse().map_err(|_| bad())?;
    let scale = match unit.trim().to_ascii_lowercase().as_str() {
        "%" if number <= 100.0 => card as f64 / 100.0,
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024f64.powi(2),
        "g" | "gib" => 1024f64.powi(3),
        "t" | "tib" => 1024f64.powi(4),
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(bad()),
    };
    let bytes = (number * scale).min(card as f64) as u64;
    if bytes == 0 { Err(bad()) } else { Ok(bytes) }
}
