//! A constant integer's limbs and where they are.
//!
//! Liu–Tong (section III.B) give every number a host copy, a device copy and a state that says which is newer, and name what
//! their design lacks: nothing ever frees device memory. Here a published value never changes, so its two copies are
//! write-once caches of the same integer: neither can be stale, and a device copy can be dropped at any time once the host
//! has one. The device evicts copies that way, least recently used first.
//!
//! The host copy is malachite's sign and magnitude. The device copy is two's complement, little-endian 64-bit limbs, so that
//! no operation needs to know a sign before it starts. Its length comes from a bound that the host keeps:
//! −2^bits ≤ x < 2^bits, stored in `bits / 64 + 1` limbs, so the top bit is always the sign. The bound may exceed the true size;
//! it is made exact whenever the value reaches the host.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use malachite_base::num::arithmetic::traits::UnsignedAbs;
use malachite_base::num::logic::traits::SignificantBits;
use malachite_nz::integer::Integer;

use super::plan::limbs_for;
use crate::cuda::{Buffer, Device, Evict, Use};
use crate::error::Result;
use crate::model::Tuning;

/// A constant signed integer. Small ones live inline on the host; large ones are shared, so clones are cheap.
#[derive(Clone)]
pub(crate) enum Limbs {
    Small(Integer),
    Large(Arc<Copies>),
}

/// The two copies of a large integer; at least one is always there.
pub(crate) struct Copies {
    host: OnceLock<Integer>,
    device: Mutex<Option<DeviceCopy>>,
    bits: u64,
}

struct DeviceCopy {
    buffer: Arc<Buffer>,
    last_use: Arc<Use>,
}

/// A device copy in use: as long as it lives, the copy is not evicted.
#[derive(Clone)]
pub(crate) struct DeviceLimbs {
    pub(crate) buffer: Arc<Buffer>,
    /// −2^bits ≤ x < 2^bits.
    pub(crate) bits: u64,
}

impl DeviceLimbs {
    /// Length in limbs.
    pub(crate) fn len(&self) -> usize {
        limbs_for(self.bits)
    }
}

impl From<Integer> for Limbs {
    fn from(value: Integer) -> Limbs {
        if value.unsigned_abs_ref().limb_count() <= Tuning::current().inline_limbs as u64 {
            return Limbs::Small(value);
        }
        let bits = value.significant_bits();
        Limbs::Large(Arc::new(Copies {
            host: OnceLock::from(value),
            device: Mutex::new(None),
            bits,
        }))
    }
}

impl Limbs {
    /// A value that a kernel has just been asked to write.
    pub(crate) fn from_device(buffer: Buffer, bits: u64) -> Limbs {
        debug_assert!(buffer.limbs() >= limbs_for(bits));
        let copies = Arc::new(Copies {
            host: OnceLock::new(),
            device: Mutex::new(None),
            bits,
        });
        copies.keep(Arc::new(buffer));
        Limbs::Large(copies)
    }

    /// The host copy, fetched first if there is none.
    pub(crate) fn host(&self) -> Result<&Integer> {
        match self {
            Limbs::Small(value) => Ok(value),
            Limbs::Large(copies) => copies.host(),
        }
    }

    /// The host copy by value: moved out where nothing else shares it, else cloned.
    pub(crate) fn into_host(self) -> Result<Integer> {
        match self {
            Limbs::Small(value) => Ok(value),
            Limbs::Large(copies) => {
                copies.host()?;
                Ok(match Arc::try_unwrap(copies) {
                    Ok(own) => own.host.into_inner().unwrap_or_default(),
                    Err(shared) => shared.host()?.clone(),
                })
            }
        }
    }

    /// The host copy for a change in place, where it is there already and nothing else shares it; leaves zero behind.
    pub(crate) fn take_host(&mut self) -> Option<Integer> {
        match self {
            Limbs::Small(value) => Some(std::mem::take(value)),
            Limbs::Large(copies) => {
                let value = Arc::get_mut(copies)?.host.take()?;
                *self = Limbs::Small(Integer::default());
                Some(value)
            }
        }
    }

    /// A device copy on `device`, made first if there is none.
    pub(crate) fn on(&self, device: &Arc<Device>) -> Result<DeviceLimbs> {
        match self {
            Limbs::Small(value) => upload(value, value.significant_bits(), device),
            Limbs::Large(copies) => copies.on(device),
        }
    }

    /// A device copy that only this value holds and that no one else can see change, taken out of it.
    pub(crate) fn take_device(&mut self, device: &Arc<Device>) -> Option<(Buffer, u64)> {
        let Limbs::Large(copies) = self else {
            return None;
        };
        let own = Arc::get_mut(copies)?;
        let slot = own.device.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(slot.as_ref()?.buffer.device(), device) {
            return None;
        }
        let copy = slot.take()?;
        match Arc::try_unwrap(copy.buffer) {
            Ok(buffer) => Some((buffer, own.bits)),
            Err(buffer) => {
                *slot = Some(DeviceCopy { buffer, ..copy });
                None
            }
        }
    }

    /// Where the device copy lies, if there is one.
    pub(crate) fn device(&self) -> Option<Arc<Device>> {
        match self {
            Limbs::Small(_) => None,
            Limbs::Large(copies) => {
                let slot = copies.device.lock().unwrap_or_else(PoisonError::into_inner);
                slot.as_ref().map(|copy| copy.buffer.device().clone())
            }
        }
    }

    /// Whether the host has a copy.
    pub(crate) fn is_on_host(&self) -> bool {
        match self {
            Limbs::Small(_) => true,
            Limbs::Large(copies) => copies.host.get().is_some(),
        }
    }

    /// Gives the device copy up, fetching the value first if the host has none.
    pub(crate) fn drop_device(&self) -> Result<()> {
        if let Limbs::Large(copies) = self {
            copies.host()?;
            *copies.device.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Ok(())
    }

    /// A bound: −2^bits ≤ x < 2^bits. Exact (the bit length) where the host has the value.
    pub(crate) fn bits_bound(&self) -> u64 {
        match self {
            Limbs::Small(value) => value.significant_bits(),
            Limbs::Large(copies) => match copies.host.get() {
                Some(value) => value.significant_bits(),
                None => copies.bits,
            },
        }
    }
}

impl Copies {
    fn host(&self) -> Result<&Integer> {
        if let Some(value) = self.host.get() {
            return Ok(value);
        }
        let copy = {
            let slot = self.device.lock().unwrap_or_else(PoisonError::into_inner);
            slot.as_ref().map(|copy| copy.buffer.clone())
        };
        // Eviction sets the host copy before it drops the device copy, so one of the two is always found.
        if let Some(buffer) = copy {
            let value = download(&buffer, self.bits)?;
            let _ = self.host.set(value);
        }
        Ok(self.host.get().expect("a value has at least one copy"))
    }

    fn on(self: &Arc<Copies>, device: &Arc<Device>) -> Result<DeviceLimbs> {
        {
            let slot = self.device.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(copy) = slot.as_ref().filter(|copy| Arc::ptr_eq(copy.buffer.device(), device)) {
                copy.last_use.touch();
                return Ok(DeviceLimbs {
                    buffer: copy.buffer.clone(),
                    bits: self.bits,
                });
            }
        }
        // The lock is not held here: making room may evict other values, whose owners may be doing the same.
        let made = upload(self.host()?, self.bits, device)?;
        self.keep(made.buffer.clone());
        Ok(made)
    }

    /// Keeps `buffer` as the device copy, known to its device as something that can be evicted.
    fn keep(self: &Arc<Copies>, buffer: Arc<Buffer>) {
        let weak: std::sync::Weak<dyn Evict> = Arc::downgrade(self) as _;
        let last_use = buffer.device().track(weak);
        *self.device.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(DeviceCopy { buffer, last_use });
    }
}

impl Evict for Copies {
    fn evict(&self) -> Result<bool> {
        let Ok(mut slot) = self.device.try_lock() else {
            return Ok(false);
        };
        let Some(copy) = slot.as_ref().filter(|copy| Arc::strong_count(&copy.buffer) == 1) else {
            return Ok(false);
        };
        if self.host.get().is_none() {
            let value = download(&copy.buffer, self.bits)?;
            let _ = self.host.set(value);
        }
        *slot = None;
        Ok(true)
    }
}

/// A device copy of `value` in `limbs_for(bits)` limbs of two's complement.
fn upload(value: &Integer, bits: u64, device: &Arc<Device>) -> Result<DeviceLimbs> {
    let len = limbs_for(bits);
    let buffer = device.alloc(len)?;
    if *value < 0 {
        let mut limbs = value.to_twos_complement_limbs_asc();
        limbs.resize(len, u64::MAX);
        device.upload_into(&buffer, 0, &limbs)?;
    } else {
        let limbs = value.unsigned_abs_ref().as_limbs_asc();
        device.upload_into(&buffer, 0, limbs)?;
        device.zero(&buffer, limbs.len(), len - limbs.len())?;
    }
    Ok(DeviceLimbs {
        buffer: Arc::new(buffer),
        bits,
    })
}

fn download(buffer: &Buffer, bits: u64) -> Result<Integer> {
    let mut limbs = vec![0u64; limbs_for(bits)];
    buffer.device().download(buffer, 0, &mut limbs)?;
    Ok(Integer::from_owned_twos_complement_limbs_asc(limbs))
}
