//! Digits to number: halves, each the upper times a power of the radix plus the lower.

use std::sync::Arc;

use crate::number::Integer;
use crate::number::Natural;

use super::cuda as leaves;
use super::plan::{self, ConversionPlan, Radix, on_cpu_if_short, work_of};
use crate::cuda::{self, Device};
use crate::engine::{self, Engine, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::memory;
use crate::mul::{self, mul};
use crate::progress::{self, Stage};
use crate::tuning::Tuning;

/// The number with these digits, most significant first: each is the byte `zero` plus a value below
/// `radix`.
pub(crate) fn from_digits(digits: &[u8], zero: u8, radix: u32) -> Result<Resident> {
    let radix = Radix::new(radix);
    let bits = (digits.len() as f64 * (radix.radix as f64).log2()) as u64;
    memory::check_copies("number", bits.into(), 1)?;
    let count = digits.len() as u64;
    // A level takes about as long as any other; the powers as long as one.
    let leaf_chunks = Tuning::current().radix_leaf_limbs;
    let units = count * (2 + radix.levels(digits.len(), leaf_chunks));
    engine::wholly(work_of(Work::parse(bits)), [], || {
        if let Engine::Cuda(ordinal) = Engine::current() {
            return on_device(&cuda::device(ordinal)?, radix, digits, zero);
        }
        progress::stage("reading", units, |stage| {
            let plan = stage.step(count, || {
                ConversionPlan::new(radix, digits.len(), leaf_chunks, false)
            })?;
            node(stage, &plan, digits, zero, plan.powers.len())
        })
    })
}

/// Level by level on a device, from rows of leaves as far as one transform holds a row.
fn on_device(device: &Arc<Device>, radix: Radix, digits: &[u8], zero: u8) -> Result<Resident> {
    /// Fewer rows are numbers of their own, which have their own lengths.
    const LEAST_ROWS: usize = 5;
    let (count, leaf_chunks) = (digits.len() as u64, leaves::leaf_chunks());
    let leaf = leaf_chunks * radix.chunk;
    let units = count * (2 + radix.levels(digits.len(), leaf_chunks));
    progress::stage("reading", units, |stage| {
        let mut power = stage.step(count, || {
            let radix = Resident::from(Integer::from(radix.radix));
            Engine::Cpu.scope(|| mul::pow(&radix, leaf as u64))
        })?;
        let mut rows = stage.step(count, || leaves::numbers(device, radix, digits, zero))?;
        // A leaf leaves a limb of its row free, so every row does, and the power is below a row's.
        let mut row_digits = leaf;
        while rows.count >= LEAST_ROWS && rows.can_pair() {
            rows.make_even(0)?;
            rows = stage.step(count, || rows.joined(&power.on(device)?))?;
            power = mul::square(&power)?;
            row_digits *= 2;
        }
        let numbers = (0..rows.count).map(|i| {
            let digits = (digits.len() - i * row_digits).min(row_digits);
            // The product is right to less than a bit.
            let bits = (digits as f64 * (radix.radix as f64).log2()) as u64 + 2;
            let bits = bits.min(64 * rows.width as u64 - 1);
            Ok(Resident::from_device(rows.row(i)?, bits))
        });
        let mut numbers: Vec<Resident> = numbers.collect::<Result<_>>()?;
        drop(rows);
        while numbers.len() > 1 {
            progress::check()?;
            let pairs = numbers.chunks(2).map(|pair| match pair {
                [lower, upper] => {
                    let bits = upper.bits_bound() + power.bits_bound();
                    let sum = limbs::add(&mul(upper, &power)?, lower)?;
                    Ok(sum.narrow(bits))
                }
                one => Ok(one[0].clone()),
            });
            numbers = pairs.collect::<Result<_>>()?;
            if numbers.len() > 1 {
                power = mul::square(&power)?;
            }
        }
        Ok(numbers.remove(0))
    })
}

fn node(
    stage: &Stage,
    plan: &ConversionPlan,
    digits: &[u8],
    zero: u8,
    level: usize,
) -> Result<Resident> {
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
    let number = on_cpu_if_short(bits, || {
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
