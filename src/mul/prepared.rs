//! An operand whose transform is kept for further products.

use std::sync::Arc;

use super::{cuda, mul};
use crate::cuda::Device;
use crate::engine::{self, Place};
use crate::error::{Error, Result};
use crate::limbs::Limbs;

/// A number and, where it was prepared on a device, its transform there.
pub(crate) struct Prepared {
    value: Limbs,
    kept: Option<(Arc<Device>, cuda::Kept)>,
}

impl Prepared {
    /// Prepares `value` where a product with it would run. On the CPU, and where the device has no room under `Engine::Auto`, the
    /// number itself is all that is kept.
    pub(crate) fn new(value: &Limbs) -> Result<Prepared> {
        let kept = match engine::place([value.residence()])? {
            Place::Cpu => None,
            Place::Cuda(device) => match cuda::Kept::new(&value.on(&device)?) {
                Ok(kept) => Some((device, kept)),
                Err(Error::DeviceMemory { .. } | Error::TooLarge { .. }) => None,
                Err(other) => return Err(other),
            },
        };
        Ok(Prepared {
            value: value.clone(),
            kept,
        })
    }

    /// The number.
    pub(crate) fn value(&self) -> &Limbs {
        &self.value
    }

    /// The number times `other`.
    pub(crate) fn mul(&self, other: &Limbs) -> Result<Limbs> {
        let Some((home, kept)) = &self.kept else {
            return mul(&self.value, other);
        };
        engine::run(
            [self.value.residence(), other.residence()],
            || mul(&self.value, other),
            |device| {
                let (a, b) = (self.value.on(device)?, other.on(device)?);
                match Arc::ptr_eq(device, home) {
                    true => kept.mul(&a, &b),
                    false => cuda::mul(&a, &b),
                }
            },
        )
    }
}
