//! An operand whose transform is kept for further products.

use std::sync::Arc;

use super::{check_operands, cpu, cuda, mul};
use crate::cuda::Device;
use crate::engine::{self, Place};
use crate::error::{Error, Result};
use crate::limbs::Limbs;
use crate::verify;

/// A number and, where products by it use transforms, its own.
pub(crate) struct Prepared {
    value: Limbs,
    kept: Kept,
}

/// Where the transform is.
enum Kept {
    Nowhere,
    Host(cpu::Kept),
    Device(Arc<Device>, cuda::Kept),
}

impl Prepared {
    /// Prepares `value` where a product with it would run. Where the device has no room under `Engine::Auto`, the number itself is
    /// all that is kept.
    pub(crate) fn new(value: &Limbs) -> Result<Prepared> {
        let kept = match engine::place([value.residence()])? {
            Place::Cpu => {
                check_operands(value, value)?;
                cpu::Kept::new(value.host()?).map_or(Kept::Nowhere, Kept::Host)
            }
            Place::Cuda(device) => match cuda::Kept::new(&value.on(&device)?) {
                Ok(kept) => Kept::Device(device, kept),
                Err(Error::DeviceMemory { .. } | Error::TooLarge { .. }) => Kept::Nowhere,
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
        let operands = [self.value.residence(), other.residence()];
        let product = match &self.kept {
            Kept::Nowhere => return mul(&self.value, other),
            Kept::Host(kept) => engine::run(
                operands,
                || {
                    check_operands(&self.value, other)?;
                    Ok(kept.product(self.value.host()?, other.host()?).into())
                },
                |device| cuda::mul(&self.value.on(device)?, &other.on(device)?),
            )?,
            Kept::Device(home, kept) => engine::run(
                operands,
                || mul(&self.value, other),
                |device| {
                    let (a, b) = (self.value.on(device)?, other.on(device)?);
                    match Arc::ptr_eq(device, home) {
                        true => kept.mul(&a, &b),
                        false => cuda::mul(&a, &b),
                    }
                },
            )?,
        };
        verify::product("multiplication", &self.value, Some(other), &product)?;
        Ok(product)
    }
}
