//! Digits to number: halves, each the upper times a power of the radix plus the lower.

use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;

use super::plan::{self, Plan, Radix, suited};
use crate::error::Result;
use crate::limbs::{self, Limbs, check_bits};
use crate::mul::mul;

/// The number whose digits are these values, most significant first, each below `radix`.
pub(crate) fn from_digits(digits: &[u8], radix: u32) -> Result<Limbs> {
    let radix = Radix::new(radix);
    let bits = (digits.len() as f64 * (radix.radix as f64).log2()) as u64;
    check_bits("number", bits)?;
    let plan = Plan::new(radix, digits.len(), false)?;
    node(&plan, digits, plan.powers.len())
}

fn node(plan: &Plan, digits: &[u8], level: usize) -> Result<Limbs> {
    if digits.len() <= plan.leaf {
        return Ok(leaf(plan.radix, digits));
    }
    let half = &plan.powers[level - 1];
    let Some(cut) = digits.len().checked_sub(half.digits).filter(|cut| *cut > 0) else {
        return node(plan, digits, level - 1);
    };
    let (above, below) = digits.split_at(cut);
    let (upper, lower) = plan::join(
        half.bits + half.zeros,
        || node(plan, above, level - 1),
        || node(plan, below, level - 1),
    );
    let (upper, lower) = (upper?, lower?);
    let bits = upper.bits_bound() + half.bits + half.zeros;
    suited(bits, || {
        let shifted = limbs::shl(&mul(&upper, &half.odd)?, half.zeros)?;
        Ok(limbs::add(&shifted, &lower)?.narrow(bits))
    })
}

/// One limb's digits at a time.
fn leaf(radix: Radix, digits: &[u8]) -> Limbs {
    let mut limbs: Vec<u64> = Vec::with_capacity(digits.len() / radix.chunk + 1);
    let (first, rest) = digits.split_at(digits.len() % radix.chunk);
    for chunk in std::iter::once(first).chain(rest.chunks_exact(radix.chunk)) {
        let value = chunk
            .iter()
            .fold(0, |v, digit| v * radix.radix + u64::from(*digit));
        let mut carry = u128::from(value);
        for limb in &mut limbs {
            let wide = u128::from(*limb) * u128::from(radix.chunk_power) + carry;
            *limb = wide as u64;
            carry = wide >> 64;
        }
        if carry > 0 {
            limbs.push(carry as u64);
        }
    }
    Integer::from(Natural::from_owned_limbs_asc(limbs)).into()
}
