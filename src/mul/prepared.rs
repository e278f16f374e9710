//! An operand whose transform is kept for further products.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{check_operands, cpu, cuda, mul};
use crate::cuda::{Device, Evict, Use};
use crate::engine::{self, ChosenPlace, Work};
use crate::error::{Error, Result};
use crate::limbs::{DeviceLimbs, Resident};
use crate::verify;

/// A number and, where products by it use transforms, its own.
pub(crate) struct Prepared {
    value: Resident,
    kept: Transform,
}

/// Where the transform is.
enum Transform {
    Nowhere,
    Host(Box<cpu::PreparedOperand>),
    Device(Arc<Slot>),
}

impl Prepared {
    /// Prepares `value` where a product with it would run. Where a device has no room for the
    /// transform, the number itself is all that is kept.
    pub(crate) fn new(value: &Resident) -> Result<Prepared> {
        let work = super::made_of_products(Work::product(value.bits_bound()));
        let kept = match engine::place(work, [value.residence()])? {
            ChosenPlace::Cpu => {
                check_operands(value, value)?;
                let kept = cpu::PreparedOperand::new(value.host()?);
                kept.map_or(Transform::Nowhere, |kept| Transform::Host(Box::new(kept)))
            }
            ChosenPlace::Cuda(home) => {
                let slot = Arc::new(Slot {
                    home: home.clone(),
                    kept: Mutex::new(None),
                });
                match slot.transform(&value.on(&home)?)? {
                    Some(_) => Transform::Device(slot),
                    None => Transform::Nowhere,
                }
            }
        };
        Ok(Prepared {
            value: value.clone(),
            kept,
        })
    }

    /// The number.
    pub(crate) fn value(&self) -> &Resident {
        &self.value
    }

    /// The number times `other`.
    pub(crate) fn mul(&self, other: &Resident) -> Result<Resident> {
        let work = Work::product(self.value.bits_bound().min(other.bits_bound()));
        let work = super::made_of_products(work);
        let operands = [self.value.residence(), other.residence()];
        let product = match &self.kept {
            Transform::Nowhere => return mul(&self.value, other),
            Transform::Host(kept) => engine::run(
                work,
                operands,
                || {
                    check_operands(&self.value, other)?;
                    Ok(kept.product(self.value.host()?, other.host()?).into())
                },
                |device| cuda::mul(&self.value.on(device)?, &other.on(device)?),
            )?,
            Transform::Device(slot) => engine::run(
                work,
                operands,
                || mul(&self.value, other),
                |device| {
                    let (a, b) = (self.value.on(device)?, other.on(device)?);
                    let kept = if Arc::ptr_eq(device, &slot.home) {
                        slot.transform(&a)?
                    } else {
                        None
                    };
                    match kept.map(|kept| kept.mul(&a, &b)) {
                        // The transform may be what takes the room; nothing holds on to it now.
                        None | Some(Err(Error::DeviceMemory { .. })) => cuda::mul(&a, &b),
                        Some(done) => done,
                    }
                },
            )?,
        };
        verify::product(
            "prepared multiplication",
            &self.value,
            Some(other),
            &product,
        )?;
        Ok(product)
    }
}

/// A transform on a device, dropped where memory runs short and made again by the next product.
struct Slot {
    home: Arc<Device>,
    kept: Mutex<Option<(Arc<cuda::PreparedOperand>, Arc<Use>)>>,
}

impl Slot {
    /// The transform of `a`, which stays in memory while the caller has it. None if there is not
    /// enough memory for it.
    fn transform(self: &Arc<Self>, a: &DeviceLimbs) -> Result<Option<Arc<cuda::PreparedOperand>>> {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((kept, used)) = &*lock() {
            used.touch();
            return Ok(Some(kept.clone()));
        }
        // Not under the lock: making room may ask the owners of other transforms, who may be doing
        // the same.
        let kept = match cuda::PreparedOperand::new(a) {
            Ok(kept) => Arc::new(kept),
            Err(Error::DeviceMemory { .. } | Error::TooLarge { .. }) => return Ok(None),
            Err(other) => return Err(other),
        };
        let weak: Weak<dyn Evict> = Arc::downgrade(self) as _;
        *lock() = Some((kept.clone(), self.home.track(weak)));
        Ok(Some(kept))
    }
}

impl Evict for Slot {
    fn evict(&self) -> Result<bool> {
        let Ok(mut slot) = self.kept.try_lock() else {
            return Ok(false);
        };
        Ok(slot
            .take_if(|(kept, _)| Arc::strong_count(kept) == 1)
            .is_some())
    }
}
