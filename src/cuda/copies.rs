//! A constant value's two copies, on the host and on a device.
//!
//! Liu–Tong (section III.B) give every number a host copy, a device copy and a state that says
//! which is newer, and name what their design lacks: nothing ever frees device memory. Here a
//! published value never changes, so its two copies are write-once caches of the same thing:
//! neither can be stale, and a device copy can be dropped at any time once the host has one. The
//! device evicts copies that way, least recently used first.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::{Buffer, Device, Evict, FORKED, Use};
use crate::error::{Error, Result};
use crate::fork;

/// Where an operand's copies are.
pub(crate) enum Residence {
    /// Small and on the host: cheap to send anywhere.
    Inline,
    /// On the host alone.
    Host,
    /// On this device alone.
    Device(Arc<Device>),
    /// On the host and on this device.
    Both(Arc<Device>),
}

/// A host form that has a device form of 64-bit limbs.
pub(crate) trait Mirror: Send + Sync + Sized + 'static {
    /// Fills all of `buffer` with the device form.
    fn write(&self, buffer: &Buffer) -> Result<()>;
    /// The host form of these limbs.
    fn read(limbs: Vec<u64>) -> Self;
}

/// The copies; at least one is always there.
pub(crate) struct Copies<H> {
    host: OnceLock<H>,
    device: Mutex<Option<DeviceCopy>>,
    /// The process that made the value (`fork::age`). Its forked children have the host copy
    /// alone, and do not touch the lock, which another thread may have held at the fork.
    age: u32,
    /// Length of the device form in limbs.
    limbs: usize,
}

struct DeviceCopy {
    buffer: Arc<Buffer>,
    last_use: Arc<Use>,
}

impl DeviceCopy {
    /// The copy for work of `device`, where it lies on one of its streams. The first stream takes a
    /// copy over that nobody uses, because values that further streams made are used there in the
    /// end; a further stream reads it where it is, because others may read it too.
    fn for_stream(&mut self, device: &Arc<Device>) -> Result<Option<Arc<Buffer>>> {
        let home = self.buffer.device();
        if !home.shares_memory(device) {
            return Ok(None);
        }
        self.last_use.touch();
        if Arc::ptr_eq(home, device) {
            return Ok(Some(self.buffer.clone()));
        }
        if device.stream_number() == 0
            && let Some(idle) = Arc::get_mut(&mut self.buffer)
        {
            idle.hand_over(device)?;
            return Ok(Some(self.buffer.clone()));
        }
        Buffer::read_by(self.buffer.clone(), device).map(|view| Some(Arc::new(view)))
    }
}

/// Copies that nothing else can see, so that they may change.
pub(crate) struct Unshared<H> {
    pub(crate) host: Option<H>,
    pub(crate) device: Option<Arc<Buffer>>,
}

impl<H: Mirror> Copies<H> {
    /// A value that the host has; its device form would take `limbs` limbs.
    pub(crate) fn from_host(value: H, limbs: usize) -> Arc<Self> {
        Arc::new(Copies {
            host: OnceLock::from(value),
            device: Mutex::new(None),
            age: fork::age(),
            limbs,
        })
    }

    /// A value whose kernel has been queued.
    pub(crate) fn from_device(buffer: Buffer) -> Arc<Self> {
        Copies::from_parts(None, Arc::new(buffer))
    }

    /// A value with a device copy and perhaps a host copy.
    pub(crate) fn from_parts(host: Option<H>, buffer: Arc<Buffer>) -> Arc<Self> {
        let copies = Arc::new(Copies {
            host: host.map_or_else(OnceLock::new, OnceLock::from),
            device: Mutex::new(None),
            age: fork::age(),
            limbs: buffer.limbs(),
        });
        copies.keep(buffer);
        copies
    }

    /// The host copy, fetched first if there is none.
    pub(crate) fn host(&self) -> Result<&H> {
        if let Some(value) = self.host.get() {
            return Ok(value);
        }
        let copy = self.slot(|slot| slot.as_ref().map(|copy| copy.buffer.clone()));
        // Eviction sets the host copy before it drops the device copy, so one of the two is always
        // found.
        if let Some(buffer) = copy {
            let _ = self.host.set(download(&buffer)?);
        }
        match self.host.get() {
            None if !self.is_ours() => Err(Error::Lost {
                limbs: self.limbs,
                device: "a device of the parent process".into(),
                reason: FORKED.into(),
            }),
            host => Ok(host.expect("a value has at least one copy")),
        }
    }

    /// The host copy, if it is there already.
    pub(crate) fn host_if_there(&self) -> Option<&H> {
        self.host.get()
    }

    /// Length of the device form in limbs.
    pub(crate) fn limbs(&self) -> usize {
        self.limbs
    }

    /// The copies by themselves, if nothing else shares them; the eviction list's weak reference
    /// does not count.
    pub(crate) fn unshared(copies: Arc<Self>) -> Result<Unshared<H>, Arc<Self>> {
        let is_ours = copies.is_ours();
        if !is_ours && copies.host.get().is_none() {
            return Err(copies);
        }
        Arc::try_unwrap(copies).map(|copies| Unshared {
            host: copies.host.into_inner(),
            device: copies
                .device
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
                .filter(|_| is_ours)
                .map(|copy| copy.buffer),
        })
    }

    /// Where the device copy lies, if there is one.
    pub(crate) fn device(&self) -> Option<Arc<Device>> {
        self.slot(|slot| slot.as_ref().map(|copy| copy.buffer.device().clone()))
    }

    /// Where the copies are.
    pub(crate) fn residence(&self) -> Residence {
        match (self.device(), self.host.get()) {
            (None, _) => Residence::Host,
            (Some(device), Some(_)) if device.is_lost() => Residence::Host,
            (Some(device), None) => Residence::Device(device),
            (Some(device), Some(_)) => Residence::Both(device),
        }
    }

    /// A device copy on `device`, made first if there is none. It is not evicted while the caller
    /// holds it.
    pub(crate) fn on(self: &Arc<Self>, device: &Arc<Device>) -> Result<Arc<Buffer>> {
        let there = self.slot(|slot| slot.as_mut().map(|copy| copy.for_stream(device)));
        if let Some(Some(buffer)) = there.transpose()? {
            return Ok(buffer);
        }
        // The slot is not locked here: making room may evict other values, whose owners may be
        // doing the same.
        let host = self.host()?;
        let buffer = device.alloc(self.limbs)?;
        host.write(&buffer)?;
        let buffer = Arc::new(buffer);
        self.keep(buffer.clone());
        Ok(buffer)
    }

    /// Gives the device copy up, fetching the value first if the host has none.
    pub(crate) fn drop_device(&self) -> Result<()> {
        self.host()?;
        self.slot(|slot| *slot = None);
        Ok(())
    }

    /// Keeps `buffer` as the device copy, known to its device as something that can be evicted.
    fn keep(self: &Arc<Self>, buffer: Arc<Buffer>) {
        let weak: Weak<dyn Evict> = Arc::downgrade(self) as _;
        let last_use = buffer.device().track(weak);
        self.slot(|slot| *slot = Some(DeviceCopy { buffer, last_use }));
    }

    fn is_ours(&self) -> bool {
        self.age == fork::age()
    }

    fn slot<T>(&self, look: impl FnOnce(&mut Option<DeviceCopy>) -> T) -> T {
        if !self.is_ours() {
            return look(&mut None);
        }
        look(&mut self.device.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<H: Mirror> Evict for Copies<H> {
    fn evict(&self) -> Result<bool> {
        let Ok(mut slot) = self.device.try_lock() else {
            return Ok(false);
        };
        let idle = slot
            .as_ref()
            .filter(|copy| Arc::strong_count(&copy.buffer) == 1);
        let Some(copy) = idle else {
            return Ok(false);
        };
        if self.host.get().is_none() {
            let _ = self.host.set(download(&copy.buffer)?);
        }
        *slot = None;
        Ok(true)
    }
}

fn download<H: Mirror>(buffer: &Buffer) -> Result<H> {
    let device = buffer.device();
    let limbs = device.fetch(buffer).map_err(|error| {
        if !device.is_lost() {
            return error;
        }
        Error::Lost {
            limbs: buffer.limbs(),
            device: device.info().name.clone(),
            reason: error.to_string(),
        }
    })?;
    Ok(H::read(limbs))
}
