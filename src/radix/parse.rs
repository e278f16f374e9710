//! Digits to number: halves, each the upper times a power of the radix plus the lower.

use crate::number::Integer;
use crate::number::Natural;

use super::plan::{self, Plan, Radix, suited};
use crate::engine::{self, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::memory;
use crate::model::Tuning;
use crate::mul::mul;
use crate::progress::{self, Stage};

/// The number with these digits, most significant first: each is the byte that stands for 0 plus a
/// value below `radix`.
pub(crate) fn from_digits(digits: &[u8], zero: u8, radix: u32) -> Result<Resident> {
    let radix = Radix::new(radix);
    let bits = (digits.len() as f64 * (radix.radix as f64).log2()) as u64;
    memory::check_copies("number", bits.into(), 1)?;
    let count = digits.len() as u64;
    // A level takes about as long as any other; the powers as long as one.
    let leaf_chunks = Tuning::current().radix_leaf_limbs;
    let units = count * (2 + radix.levels(digits.len(), leaf_chunks));
    engine::wholly(Work::parse(bits), [], || {
        progress::stage("reading", units, |stage| {
            let plan = stage.step(count, || Plan::new(radix, digits.len(), leaf_chunks, false))?;
            node(stage, &plan, digits, zero, plan.powers.len())
        })
    })
}

fn node(stage: &Stage, plan: &Plan, digits: &[u8], zero: u8, level: usize) -> Result<Resident> {
    if digits.len() <= plan.leaf {
        let number = leaf(plan.radix, digits, zero);
        stage.advance(digits.len() as u64)?;
        return Ok(number);
    }
    let half = &plan.powers[level - 1];
    let Some(cut) = digits.len().checked_sub(half.digits).filter(|cut| *cut > 0) else {
        return node(stage, plan, digits, zero, level - 1);
    };
    let (above, below) = digits.split_at(cut);
    let (upper, lower) = plan::join(
        half.bits + half.zeros,
        || node(stage, plan, above, zero, level - 1),
        || node(stage, plan, below, zero, level - 1),
    );
    let (upper, lower) = (upper?, lower?);
    let bits = upper.bits_bound() + half.bits + half.zeros;
    let number = suited(bits, || {
        let shifted = limbs::shl(&mul(&upper, &half.odd)?, half.zeros)?;
        Ok::<_, Error>(limbs::add(&shifted, &lower)?.narrow(bits))
    })?;
    stage.advance(digits.len() as u64)?;
    Ok(number)
}

/// One limb's digits at a time.
fn leaf(radix: Radix, digits: &[u8], zero: u8) -> Resident {
    let mut limbs: Vec<u64> = Vec::with_capacity(digits.len() / radix.chunk + 1);
    let (first, rest) = digits.split_at(digits.len() % radix.chunk);
    for chunk in std::iter::once(first).chain(rest.chunks_exact(radix.chunk)) {
        let value = chunk
            .iter()
            .fold(0, |v, digit| v * radix.radix + u64::from(*digit - zero));
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
    Integer::from(Natural::from_vec(limbs)).into()
}
