//! Number to digits: the entry, and the way by multiplication with fractions alone, which serves
//! devices, fractions themselves, and processors without vector instructions. The CPU's own way is
//! in `cpu.rs`.
//!
//! A number v of N digits in radix b is represented by a fraction F/2^P ≈ (v + 1/2)/b^N, where
//! 2^P/b^N is between 2^62 and 2^63. v is the integer part of (F/2^P)·b^N, and is correct if F is
//! off by less than 2^61 units. (After Bernstein, *Scaled remainder trees*, 2004: one product per
//! node instead of a division.)
//!
//! A node with N = 2N' digits forms Z = F·b^N'. Then Z/2^P = v_h + τ with τ = (v_l + 1/2 + e)/b^N',
//! v = v_h·b^N' + v_l and e the error of F in units of v. So
//!
//! - the lower half is τ itself, cut to the precision of N' digits: its error grows by at most one
//!   unit, 2^-62 of v_l;
//! - the upper half is F, cut likewise, which stands for v_h + τ, plus (1/2 − τ)·2^P'/b^N': a
//!   number of 63 bits, for which the leading 64 bits of τ are enough. Cutting F, τ, the scale and
//!   the sum loses at most 5 units, whatever the error of F was.
//!
//! A leaf multiplies by b^19 (for radix ten) repeatedly. The integer part of each product is the
//! next digits. At most one unit is lost for each limb that is dropped. With at most 64 levels and
//! 2^16 limbs in a leaf the error stays far below 2^61 units.
//!
//! The first F is (2v + 1)·X / 2^(p+1−62) for a reciprocal X of the odd part of b^N of precision p
//! = bits(v) + 65: off by 2^(bits(v)+1)·2·2^-p·2^61 < 1/4, and by 1 for rounding.

use std::sync::Arc;

use crate::number::Integer;

use super::cpu;
use super::cuda as leaves;
use super::plan::{self, ConversionPlan, GUARD, Power, Radix, on_cpu_if_short, work_of};
use crate::cuda::{self, Device};
use crate::div::newton;
use crate::engine::{self, Engine, Work};
use crate::error::Result;
use crate::limbs::{self, Resident, low};
use crate::mul::mul;
use crate::progress::{self, Stage};
use crate::tuning::Tuning;

/// Digits of v ≥ 0, most significant first, lower case, without leading zeros.
pub(crate) fn to_digits(v: &Resident, radix: u32) -> Result<String> {
    let bits = v.bits_bound();
    if bits <= 64 * Tuning::current().radix_limbs as u64 {
        return Ok(v.host()?.magnitude().to_text(radix));
    }
    let bits = limbs::size(v)?.1;
    let radix = Radix::new(radix);
    let digits = || {
        on_cpu_if_short(bits, || {
            if !matches!(Engine::current(), Engine::Cuda(_))
                && bits > 0
                && let Some(text) = cpu::to_digits(v.host()?.limbs(), radix)?
            {
                return Ok(text);
            }
            by_fractions(v, bits, radix)
        })
    };
    let mut text = engine::wholly(work_of(Work::print(bits)), [v.residence()], digits)?;
    let zeros = text.iter().take_while(|byte| **byte == b'0').count();
    text.drain(..zeros.min(text.len() - 1));
    Ok(String::from_utf8(text).expect("digits are ASCII"))
}

/// The digits of v, with leading zeros.
fn by_fractions(v: &Resident, bits: u64, radix: Radix) -> Result<Vec<u8>> {
    let digits = radix.digits_for(bits);
    // The reciprocal takes as long as three levels.
    conversion(radix, digits, 3, |whole| first_fraction(v, bits, whole))
}

/// The first `digits` digits of x/2^bits, for 0 ≤ x < 2^bits, most significant first. The last
/// digit may be off by one, with its carry or borrow.
///
/// The conversion starts with a fraction, so this takes neither a power of the whole length nor its
/// reciprocal.
///
/// The radix is not a power of two, and `bits` is above `radix_limbs` limbs.
pub(crate) fn fraction_digits(
    x: &Resident,
    bits: u64,
    digits: usize,
    radix: u32,
) -> Result<Vec<u8>> {
    let work = || {
        let first = |whole: &Power| {
            let precision = whole.precision();
            let fraction = match precision.checked_sub(bits) {
                Some(more) => limbs::shl(x, more)?,
                None => limbs::shr(x, bits - precision)?,
            };
            Ok(fraction.narrow(precision))
        };
        on_cpu_if_short(bits, || conversion(Radix::new(radix), digits, 0, first))
    };
    let mut text = engine::wholly(work_of(Work::print(bits)), [x.residence()], work)?;
    text.truncate(digits);
    Ok(text)
}

/// At least `digits` digits of the fraction that `first` returns in the precision of the whole.
/// `first_levels` is the time of `first` in levels, for the progress.
fn conversion(
    radix: Radix,
    digits: usize,
    first_levels: u64,
    first: impl FnOnce(&Power) -> Result<Resident>,
) -> Result<Vec<u8>> {
    let device = match Engine::current() {
        Engine::Cuda(ordinal) => Some(cuda::device(ordinal)?),
        _ => None,
    };
    let leaf_chunks = match &device {
        Some(_) => leaves::leaf_chunks(),
        None => Tuning::current().radix_leaf_limbs,
    };
    // A level takes about as long as any other, the powers as long as two.
    let levels = 3 + first_levels + radix.levels(digits, leaf_chunks);
    progress::stage("printing", digits as u64 * levels, |stage| {
        let plan = stage.step(2 * digits as u64, || {
            ConversionPlan::new(radix, digits, leaf_chunks, true)
        })?;
        let (whole, powers) = plan.powers.split_last().expect("one power at least");
        let scales = powers
            .iter()
            .map(|power| power.scale())
            .collect::<Result<_>>()?;
        let first = stage.step(first_levels * digits as u64, || first(whole))?;
        let printer = Printer {
            stage,
            plan: &plan,
            scales,
        };
        match device {
            Some(device) => printer.on_device(&device, first),
            None => {
                let mut text = vec![0; whole.digits];
                printer.node(first, powers.len(), &mut text)?;
                Ok(text)
            }
        }
    })
}

/// The fraction of the digits of v, a number of exactly `bits` bits.
fn first_fraction(v: &Resident, bits: u64, whole: &Power) -> Result<Resident> {
    let precision = bits + GUARD + 3;
    let reciprocal = newton::reciprocal(&whole.odd, whole.bits, precision)?;
    let twice = limbs::add_small(&limbs::shl(v, 1)?, 1)?.narrow(bits + 1);
    let product = mul(&twice, &reciprocal)?;
    Ok(limbs::shr(&product, precision + 1 - GUARD)?.narrow(whole.precision()))
}

struct Printer<'a> {
    stage: &'a Stage,
    plan: &'a ConversionPlan,
    /// 2^precision / radix^digits of each level but the whole.
    scales: Vec<u64>,
}

impl Printer<'_> {
    /// Writes the digits of a fraction; `level` is the number of halvings down to the leaves.
    fn node(&self, fraction: Resident, level: usize, text: &mut [u8]) -> Result<()> {
        let precision = self.plan.powers[level].precision();
        if level == 0 {
            leaf(self.plan.radix, fraction.host()?, precision, text);
            return self.stage.advance(text.len() as u64);
        }
        let half = &self.plan.powers[level - 1];
        let (upper, lower) = self.split(&fraction, level)?;
        drop(fraction);
        self.stage.advance(text.len() as u64)?;
        let (above, below) = text.split_at_mut(half.digits);
        let (above, below) = plan::join(
            precision,
            || self.node(upper, level - 1, above),
            || self.node(lower, level - 1, below),
        );
        above.and(below)
    }

    /// The fractions of the upper and of the lower half of the digits.
    fn split(&self, fraction: &Resident, level: usize) -> Result<(Resident, Resident)> {
        let precision = self.plan.powers[level].precision();
        let half = &self.plan.powers[level - 1];
        let point = precision - half.zeros;
        let product = mul(fraction, &half.odd)?;
        let below_point = low(&product, point)?;
        drop(product);
        let lower = limbs::shr(&below_point, point - half.precision())?;
        let tau = limbs::shr(&lower, half.precision() - 64)?;
        let tau = u64::try_from(tau.host()?).unwrap_or(u64::MAX);
        let offset = (1i128 << 63) - i128::from(tau);
        let change = (offset * i128::from(self.scales[level - 1])) >> 64;
        let upper = limbs::shr(fraction, precision - half.precision())?;
        let upper = limbs::add_small(&upper, change as i64)?;
        Ok((
            upper.narrow(half.precision()),
            lower.narrow(half.precision()),
        ))
    }

    /// All digits, level by level, on a device; nothing returns to the host before the text does.
    fn on_device(&self, device: &Arc<Device>, first: Resident) -> Result<Vec<u8>> {
        let mut fractions = vec![first];
        for level in (1..self.plan.powers.len()).rev() {
            let precision = self.plan.powers[level].precision();
            let (half, scale) = (&self.plan.powers[level - 1], self.scales[level - 1]);
            let mut halves = Vec::with_capacity(2 * fractions.len());
            for fraction in fractions {
                let product = mul(&fraction, &half.odd)?;
                let (upper, lower) =
                    leaves::split(device, &fraction, precision, &product, half, scale)?;
                halves.extend([upper, lower]);
                self.stage.advance(2 * half.digits as u64)?;
            }
            fractions = halves;
        }
        let leaf = &self.plan.powers[0];
        let units = (leaf.digits * fractions.len()) as u64;
        let text = leaves::text(
            device,
            self.plan.radix,
            fractions,
            leaf.digits,
            leaf.precision(),
        )?;
        self.stage.advance(units)?;
        Ok(text)
    }
}

/// The digits of a fraction with `precision` bits below the point.
fn leaf(radix: Radix, fraction: &Integer, precision: u64, text: &mut [u8]) {
    let len = precision.div_ceil(64) as usize;
    let aligned = fraction << (64 * len as u64 - precision);
    let mut limbs = aligned.magnitude().to_vec();
    limbs.resize(len, 0);
    let chunks = text.len() / radix.chunk;
    for (i, digits) in text.chunks_exact_mut(radix.chunk).enumerate() {
        // r remaining chunks of at most 64 bits, and a guard of 62 bits, need at most r + 1 limbs.
        let from = limbs.len() - limbs.len().min(chunks - i + 1);
        let mut carry = 0;
        for limb in &mut limbs[from..] {
            let wide = u128::from(*limb) * u128::from(radix.chunk_power) + carry;
            *limb = wide as u64;
            carry = wide >> 64;
        }
        limbs.drain(..from);
        match radix.radix {
            10 => decimal(carry as u64, digits),
            other => any_radix(carry as u64, other, digits),
        }
    }
}

/// Two digits at a time.
fn decimal(mut value: u64, text: &mut [u8]) {
    let mut pairs = text.rchunks_exact_mut(2);
    for pair in &mut pairs {
        let two = value % 100;
        value /= 100;
        pair[0] = b'0' + (two / 10) as u8;
        pair[1] = b'0' + (two % 10) as u8;
    }
    if let [first] = pairs.into_remainder() {
        *first = b'0' + value as u8;
    }
}

fn any_radix(mut value: u64, radix: u64, text: &mut [u8]) {
    for byte in text.iter_mut().rev() {
        *byte = b"0123456789abcdefghijklmnopqrstuvwxyz"[(value % radix) as usize];
        value /= radix;
    }
}
