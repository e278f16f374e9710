//! A divisor's reciprocal where the division is done.

use super::{cuda, newton};
use crate::engine::{self, ChosenPlace, Work};
use crate::error::Result;
use crate::limbs::Resident;
use crate::mul::made_of_products;

/// A divisor and its reciprocal.
#[derive(Clone)]
pub(crate) enum Reciprocal {
    Host(newton::Reciprocal),
    Device(cuda::Reciprocal),
}

impl Reciprocal {
    /// For a divisor d > 0 of exactly n bits, to find about `block` > 0 bits of quotient at a time.
    pub(crate) fn new(divisor: &Resident, n: u64, block: u64) -> Result<Reciprocal> {
        let work = made_of_products(Work::division(n.saturating_add(block), n));
        Ok(match engine::place(work, [divisor.residence()])? {
            ChosenPlace::Cpu => Reciprocal::Host(newton::Reciprocal::new(divisor, n, block)?),
            ChosenPlace::Cuda(device) => {
                let limbs = block.div_ceil(64) as usize;
                Reciprocal::Device(cuda::Reciprocal::new(&device, divisor, n, limbs)?)
            }
        })
    }

    /// (q, r) with a = q·d + r and 0 ≤ r < d, for 0 ≤ a < 2^m.
    pub(crate) fn div_rem(&self, a: &Resident, m: u64) -> Result<(Resident, Resident)> {
        match self {
            Reciprocal::Host(reciprocal) => reciprocal.div_rem(a, m),
            Reciprocal::Device(reciprocal) => reciprocal.div_rem(a, m),
        }
    }

    /// a modulo d, but below 2d, for 0 ≤ a < 2d·2^bits.
    pub(crate) fn residue(&self, a: &Resident, bits: u64) -> Result<Resident> {
        match self {
            Reciprocal::Host(reciprocal) => reciprocal.residue(a, bits),
            Reciprocal::Device(reciprocal) => reciprocal.residue(a, bits),
        }
    }
}
