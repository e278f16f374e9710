//! The coefficients of a polynomial and where they are.
//!
//! On the host, residues in [0, p), constant term first, without leading zeros. On a device the
//! format is the same, one limb each, but zeros may follow: a kernel's result has the length that
//! its operands allow, and its degree is computed only on demand.

use std::sync::Arc;

use crate::batch::HostLimbs;
use crate::cuda::{Buffer, Copies, Device, DevicePtr, Mirror, Unshared};
use crate::engine::Residence;
use crate::error::Result;
use crate::tuning::Tuning;

/// Constant coefficients; clones share them.
#[derive(Clone)]
pub(crate) struct Coefficients {
    copies: Arc<Copies<Residues>>,
}

/// Without zeros at the end.
struct Residues(Vec<u64>);

/// A device copy in use: as long as it lives, the copy is not evicted.
#[derive(Clone)]
pub(crate) struct DeviceCoefficients {
    pub(crate) buffer: Arc<Buffer>,
    /// How many of the buffer's limbs are coefficients; the last may be zero.
    pub(crate) len: usize,
}

impl DeviceCoefficients {
    /// The device that they are on.
    pub(crate) fn device(&self) -> &Arc<Device> {
        self.buffer.device()
    }

    /// Where they begin.
    pub(crate) fn ptr(&self) -> DevicePtr {
        self.buffer.ptr()
    }

    /// Copies them to the host.
    pub(crate) fn fetch(&self) -> Result<Vec<u64>> {
        let mut all = vec![0; self.len];
        self.device().download(&self.buffer, 0, &mut all)?;
        Ok(all)
    }
}

impl From<Vec<u64>> for Coefficients {
    /// Residues in [0, p); zeros at the end are dropped.
    fn from(mut values: Vec<u64>) -> Coefficients {
        trim(&mut values);
        let len = values.len();
        Coefficients {
            copies: Copies::from_host(Residues(values), len),
        }
    }
}

impl Coefficients {
    /// Residues in [0, p) that a kernel has just been asked to write; all of the buffer, zeros at
    /// the end allowed.
    pub(crate) fn from_device(buffer: Buffer) -> Coefficients {
        Coefficients {
            copies: Copies::from_device(buffer),
        }
    }

    /// Residues in [0, p), zeros at the end allowed, where their copies are.
    pub(crate) fn from_copies(copies: Arc<Copies<HostLimbs>>) -> Result<Coefficients> {
        match Copies::unshared(copies) {
            Ok(Unshared {
                device: Some(buffer),
                ..
            }) => Ok(Coefficients {
                copies: Copies::from_parts(None, buffer),
            }),
            Ok(Unshared { host, .. }) => Ok(host.map_or_else(Vec::new, HostLimbs::into_vec).into()),
            Err(shared) => Ok(shared.host()?.get().to_vec().into()),
        }
    }

    /// The host copy, fetched first if there is none.
    pub(crate) fn host(&self) -> Result<&[u64]> {
        Ok(&self.copies.host()?.0)
    }

    /// A device copy on `device`, made first if there is none.
    pub(crate) fn on(&self, device: &Arc<Device>) -> Result<DeviceCoefficients> {
        Ok(DeviceCoefficients {
            buffer: self.copies.on(device)?,
            len: self.len_bound(),
        })
    }

    /// At least as many as there are without leading zeros; exactly where the host has them.
    pub(crate) fn len_bound(&self) -> usize {
        match self.copies.host_if_there() {
            Some(Residues(values)) => values.len(),
            None => self.copies.limbs(),
        }
    }

    /// Whether the host has a copy.
    pub(crate) fn is_on_host(&self) -> bool {
        self.copies.host_if_there().is_some()
    }

    /// Whether both are clones of one value.
    pub(crate) fn is_same(&self, other: &Coefficients) -> bool {
        Arc::ptr_eq(&self.copies, &other.copies)
    }

    /// The device of the device copy, if there is one.
    pub(crate) fn device(&self) -> Option<Arc<Device>> {
        self.copies.device()
    }

    /// Where the copies are.
    pub(crate) fn residence(&self) -> Residence {
        match self.copies.residence() {
            Residence::Host if self.len_bound() <= Tuning::in_force().inline_limbs => {
                Residence::Inline
            }
            other => other,
        }
    }

    /// Gives the device copy up, fetching the coefficients first if the host has none.
    pub(crate) fn drop_device(&self) -> Result<()> {
        self.copies.drop_device()
    }
}

impl Mirror for Residues {
    fn write(&self, buffer: &Buffer) -> Result<()> {
        let (device, Residues(values)) = (buffer.device(), self);
        device.upload_into(buffer, 0, values)?;
        device.zero(buffer, values.len(), buffer.limbs() - values.len())
    }

    fn read(mut limbs: Vec<u64>) -> Residues {
        trim(&mut limbs);
        Residues(limbs)
    }
}

/// Drops zeros at the end.
pub(super) fn trim(values: &mut Vec<u64>) {
    let len = values.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1);
    values.truncate(len);
}
