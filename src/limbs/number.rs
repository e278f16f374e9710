//! A constant signed integer and where its limbs are.
//!
//! The host form is a sign and a magnitude. The device form is two's complement, little-endian
//! 64-bit limbs, so that no operation needs to know a sign before it starts. Its length comes from
//! a bound that the host keeps: −2^bits ≤ x < 2^bits, stored in `bits / 64 + 1` limbs, so the top
//! bit is always the sign. The bound may exceed the true size; once the host has the value, the
//! true size is used.

use std::mem::MaybeUninit;
use std::sync::Arc;

use crate::number::Integer;

use super::plan::limbs_for;
use crate::checks;
use crate::cuda::{Buffer, Copies, Device, DevicePtr, Lent, Mirror, Read, Span, Unshared};
use crate::engine::{self, Residence};
use crate::error::Result;
use crate::tuning::Tuning;
use crate::word;

/// A constant signed integer that resides on the host, on a device or on both. Small ones live
/// inline on the host; large ones are shared, so clones are cheap.
#[derive(Clone)]
pub(crate) enum Resident {
    Small(Integer),
    Large {
        copies: Arc<Copies<Integer>>,
        /// −2^bits ≤ x < 2^bits.
        bits: u64,
    },
}

/// A device copy in use: as long as it lives, the copy is not evicted.
#[derive(Clone)]
pub(crate) struct DeviceLimbs {
    pub(crate) buffer: Arc<Buffer>,
    /// Where the limbs begin in it.
    start: usize,
    /// −2^bits ≤ x < 2^bits.
    pub(crate) bits: u64,
}

impl DeviceLimbs {
    /// A natural number from limbs on the host without leading zeros.
    pub(crate) fn of_natural(device: &Arc<Device>, limbs: &[u64]) -> Result<DeviceLimbs> {
        let bits = word::bit_length(limbs);
        let buffer = device.alloc(limbs_for(bits))?;
        device.upload_into(&buffer, 0, limbs)?;
        device.zero(&buffer, limbs.len(), buffer.limbs() - limbs.len())?;
        Ok(DeviceLimbs {
            buffer: Arc::new(buffer),
            start: 0,
            bits,
        })
    }

    /// Copies its lowest limbs to the host, as many as `into` has.
    pub(crate) fn fill(&self, into: &mut [MaybeUninit<u64>]) -> Result<()> {
        self.buffer.device().fill(&self.buffer, self.start, into)
    }

    /// Length in limbs.
    pub(crate) fn len(&self) -> usize {
        limbs_for(self.bits)
    }

    /// Where they begin in the buffer.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Where they are.
    pub(crate) fn ptr(&self) -> DevicePtr {
        self.span().ptr()
    }

    fn span(&self) -> Span<'_> {
        self.buffer.skip_limbs(self.start)
    }

    /// As a kernel reads them.
    pub(crate) fn read(&self) -> Lent<'_, Read<u64>> {
        self.span().read()
    }

    /// Copies its limbs from number `first` on to the host.
    pub(crate) fn fetch(&self, first: usize, into: &mut [u64]) -> Result<()> {
        let device = self.buffer.device();
        device.download(&self.buffer, self.start + first, into)
    }

    /// Checks the precondition of every launch: the buffer has the limbs that the bound requires.
    pub(crate) fn check(&self) {
        assert!(self.len() >= 1 && self.start + self.len() <= self.buffer.limbs());
    }

    /// The buffer and the bound, if the limbs start at the beginning of the buffer and the buffer
    /// is not shared.
    pub(super) fn into_buffer(self) -> std::result::Result<(Buffer, u64), DeviceLimbs> {
        let DeviceLimbs {
            buffer,
            start,
            bits,
        } = self;
        if start > 0 {
            return Err(DeviceLimbs {
                buffer,
                start,
                bits,
            });
        }
        Arc::try_unwrap(buffer)
            .map(|buffer| (buffer, bits))
            .map_err(|buffer| DeviceLimbs {
                buffer,
                start,
                bits,
            })
    }

    /// ⌊x / 2^(64·limbs)⌋: the same limbs without the lowest. An even number of them, because limbs
    /// are loaded in pairs.
    pub(crate) fn above(mut self, limbs: usize) -> DeviceLimbs {
        assert!(limbs.is_multiple_of(2));
        assert!(limbs < self.len());
        self.start += limbs;
        self.bits -= 64 * limbs as u64;
        self
    }
}

/// Whether a value of `limbs` limbs stays inline. One limb does with every tuning.
#[inline]
fn lies_inline(limbs: usize) -> bool {
    limbs <= Tuning::inline_limbs_everywhere()
        || limbs <= 1
        || limbs <= Tuning::in_force().inline_limbs
}

impl From<Integer> for Resident {
    #[inline]
    fn from(value: Integer) -> Resident {
        if lies_inline(value.limbs().len()) {
            Resident::Small(value)
        } else {
            Resident::large(value)
        }
    }
}

/// For tests that take malachite as their oracle.
#[cfg(test)]
impl From<malachite_nz::integer::Integer> for Resident {
    fn from(value: malachite_nz::integer::Integer) -> Resident {
        Resident::from(Integer::from(value))
    }
}

impl Resident {
    #[cold]
    fn large(value: Integer) -> Resident {
        let bits = value.bit_length();
        Resident::Large {
            copies: Copies::from_host(value, limbs_for(bits)),
            bits,
        }
    }

    /// A value that a kernel has just been asked to write, at least `limbs_for(bits)` limbs long
    /// and sign above them.
    pub(crate) fn from_device(buffer: Buffer, bits: u64) -> Resident {
        assert!(buffer.limbs() >= limbs_for(bits));
        Resident::Large {
            copies: Copies::from_device(buffer),
            bits,
        }
    }

    /// The value of an inline number, unless a device is in force that is not there: linear
    /// operations on it are the host's.
    #[inline]
    pub(crate) fn inline(&self) -> Option<&Integer> {
        match self {
            // Under the `minimal` tuning everything is sent, so that tests reach every kernel.
            Resident::Small(value)
                if Tuning::inline_limbs_everywhere() > 1 && !engine::is_device_missing() =>
            {
                Some(value)
            }
            _ => None,
        }
    }

    /// The value of a number that is short under every tuning, unless products are checked: all
    /// operations on it are the floor's.
    #[inline]
    pub(crate) fn short(&self) -> Option<&Integer> {
        self.inline()
            .filter(|value| value.limbs().len() < Tuning::short_limbs() && !checks::is_on())
    }

    /// The host copy, fetched first if there is none.
    pub(crate) fn host(&self) -> Result<&Integer> {
        match self {
            Resident::Small(value) => Ok(value),
            Resident::Large { copies, .. } => copies.host(),
        }
    }

    /// The host copy by value: moved out where nothing else shares it, else cloned.
    pub(crate) fn into_host(mut self) -> Result<Integer> {
        self.host()?;
        match self.take_host() {
            Some(value) => Ok(value),
            None => self.host().cloned(),
        }
    }

    /// Takes the host copy for a change in place, if it exists already and is not shared. Leaves
    /// zero in its place.
    pub(crate) fn take_host(&mut self) -> Option<Integer> {
        match std::mem::replace(self, Resident::Small(Integer::default())) {
            Resident::Small(value) => Some(value),
            Resident::Large { copies, bits } => {
                let copies = match copies.host_if_there() {
                    None => copies,
                    Some(_) => match Copies::unshared(copies) {
                        Ok(own) => return own.host,
                        Err(shared) => shared,
                    },
                };
                *self = Resident::Large { copies, bits };
                None
            }
        }
    }

    /// A device copy on `device`, made first if there is none.
    pub(crate) fn on(&self, device: &Arc<Device>) -> Result<DeviceLimbs> {
        match self {
            Resident::Small(value) => {
                let bits = value.bit_length();
                // One copy, with its sign limbs: a memset for those alone would cost as much again.
                let mut limbs = value.to_twos_complement();
                limbs.resize(limbs_for(bits), if *value < 0 { u64::MAX } else { 0 });
                Ok(DeviceLimbs {
                    buffer: Arc::new(device.upload(&limbs)?),
                    start: 0,
                    bits,
                })
            }
            Resident::Large { copies, bits } => Ok(DeviceLimbs {
                buffer: copies.on(device)?,
                start: 0,
                bits: *bits,
            }),
        }
    }

    /// Takes the device copy and its bound, if it is on `device` and is not shared. Leaves zero in
    /// its place.
    pub(crate) fn take_device(&mut self, device: &Arc<Device>) -> Option<(Buffer, u64)> {
        if !self.device().is_some_and(|home| Arc::ptr_eq(&home, device)) {
            return None;
        }
        let Resident::Large { copies, bits } =
            std::mem::replace(self, Resident::Small(Integer::default()))
        else {
            return None;
        };
        let copies = match Copies::unshared(copies) {
            Ok(Unshared { host, device }) => match device.map(Arc::try_unwrap) {
                Some(Ok(buffer)) => return Some((buffer, bits)),
                Some(Err(busy)) => Copies::from_parts(host, busy),
                // Evicted meanwhile, so the host has it.
                None => Copies::from_host(host.unwrap_or_default(), limbs_for(bits)),
            },
            Err(shared) => shared,
        };
        *self = Resident::Large { copies, bits };
        None
    }

    /// The value, if it is a machine word on the host, which a launch can pass as an argument.
    pub(crate) fn small_word(&self) -> Option<i64> {
        match self {
            Resident::Small(value) => i64::try_from(value).ok(),
            Resident::Large { .. } => None,
        }
    }

    /// Whether both are clones of one large value.
    pub(crate) fn is_same(&self, other: &Resident) -> bool {
        match (self, other) {
            (Resident::Large { copies: a, .. }, Resident::Large { copies: b, .. }) => {
                Arc::ptr_eq(a, b)
            }
            _ => false,
        }
    }

    /// Where its copies are.
    pub(crate) fn residence(&self) -> Residence {
        match self {
            Resident::Small(_) => Residence::Inline,
            Resident::Large { copies, .. } => copies.residence(),
        }
    }

    /// The device of the device copy, if there is one.
    pub(crate) fn device(&self) -> Option<Arc<Device>> {
        match self {
            Resident::Small(_) => None,
            Resident::Large { copies, .. } => copies.device(),
        }
    }

    /// Whether the host has a copy.
    pub(crate) fn is_on_host(&self) -> bool {
        match self {
            Resident::Small(_) => true,
            Resident::Large { copies, .. } => copies.host_if_there().is_some(),
        }
    }

    /// Gives the device copy up, fetching the value first if the host has none.
    pub(crate) fn drop_device(&self) -> Result<()> {
        match self {
            Resident::Small(_) => Ok(()),
            Resident::Large { copies, .. } => copies.drop_device(),
        }
    }

    /// A bound: −2^bits ≤ x < 2^bits. The bit length of |x| where the host has the value.
    pub(crate) fn bits_bound(&self) -> u64 {
        match self {
            Resident::Small(value) => value.bit_length(),
            Resident::Large { copies, bits } => {
                copies.host_if_there().map_or(*bits, Integer::bit_length)
            }
        }
    }
}

impl Mirror for Integer {
    fn write(&self, buffer: &Buffer) -> Result<()> {
        let device = buffer.device();
        if *self < 0 {
            let mut limbs = self.to_twos_complement();
            limbs.resize(buffer.limbs(), u64::MAX);
            device.upload_into(buffer, 0, &limbs)
        } else {
            let limbs = self.magnitude().limbs();
            device.upload_into(buffer, 0, limbs)?;
            device.zero(buffer, limbs.len(), buffer.limbs() - limbs.len())
        }
    }

    fn read(limbs: Vec<u64>) -> Integer {
        Integer::from_twos_complement(limbs)
    }
}
