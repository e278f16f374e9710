//! Weber's modular GCD, as Weber and Brew publish it (Fig. 2), with a size bound that is a proof.
//!
//! U and V are stored as residues modulo a set Q of L-bit primes. A step takes the p in Q with the
//! smallest |b|, where b = U/V mod p in the symmetric residues, replaces (U, V) by (V, (U − bV)/p),
//! and removes p from Q. As p does not divide V, the GCD stays the same (Weber–Trevisan–Martins,
//! lemma 1). When V is 0 modulo all of Q, U is ±GCD, rebuilt from its residues by symmetric
//! mixed-radix digits.
//!
//! **One inverse per step.** With t = u/v mod q the step is t' = v·p/(u − bv) = p/(t − b), and v' =
//! v·(t − b)/p. Each modulus therefore stores t and, for the end, the word V = v·P, where P is the
//! product of all p so far. V' = V·(t − b) and P' = P·p need no inverse. If v = 0, then t = ∞, and
//! the word is U = u·P instead. The cases are
//!
//! ```text
//!   t finite, s = t − b ≠ 0    t' = p/s     word' = word·s
//!   t finite, s = 0            t' = ∞       word' = word·p      v' = 0, u' = v
//!   t = ∞, word ≠ 0            t' = 0       word' = word        u' = 0, v' = u/p
//!   t = ∞, word = 0            t' = ∞       word' = 0           q divides both, and so the GCD
//! ```
//!
//! The modulus p itself is a case of the second line, and its word becomes 0. This removes it from
//! Q without extra code. P is 0 modulo p too, so p has no digit.
//!
//! **Digits.** u = word/P. A digit is g = word/P mod p for some p with word ≠ 0; then (u − g)/p is
//! word' = word − g·P, P' = P·p. All words are 0 once the digits are complete.
//!
//! **Proof.** Residues modulo the primes that are still in Q are those of the true integers,
//! however large these are, so no bound is needed during the run. At the end (`plan.rs`), the
//! recorded steps bound |U| and |V| by |V'| ≤ (|U| + |b|·|V|)/p. If |V| and 2|U| are below the
//! product of the remaining primes, then V = 0 and U is the number with these digits. Otherwise the
//! run is repeated with more primes. (Weber and Brew's own code uses the lowest set bit of b as its
//! size, so its check proves nothing.)

pub(crate) mod basic;
mod cpu;
pub(crate) mod cuda;
mod float_residues;
mod part;
mod plan;
#[cfg(test)]
mod tests;
pub(crate) mod variant;
mod wide;

pub use plan::Count;
pub(crate) use plan::wanted;

use std::sync::Arc;

use super::{Algorithm, Stats};
use crate::cuda::Device;
use crate::engine::{self, ChosenPlace, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::mul::mul;
use crate::number::Integer;
use crate::tuning::Tuning;
use plan::Moduli;

/// How the moduli of Weber's algorithm are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Options {
    /// Bits of a modulus, L in the paper, from 16 to 62. Steps are fastest up to 32 on a device,
    /// and up to 40 on the CPU.
    pub bits: u32,
    /// The number of moduli.
    pub count: Count,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            bits: 32,
            count: Count::Auto,
        }
    }
}

/// A prime that was used up, with the b of its step or with its digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Used {
    p: u64,
    value: i64,
}

/// The steps and digits that an engine made with a set of moduli.
#[derive(Debug, Default, PartialEq, Eq)]
struct Run {
    steps: Vec<Used>,
    digits: Vec<Used>,
}

/// gcd(a, b) for a, b ≥ 0, not both 0.
pub(crate) fn gcd(a: &Resident, b: &Resident, options: Options) -> Result<(Resident, Stats)> {
    let (u, v) = if a.bits_bound() >= b.bits_bound() {
        (a, b)
    } else {
        (b, a)
    };
    let bits = [u.bits_bound(), v.bits_bound()];
    let place = engine::place(Work::IN_PLACE, [u.residence(), v.residence()])?;
    let options = match &place {
        ChosenPlace::Cpu => options,
        ChosenPlace::Cuda(device) => cuda::options_on(device, options, bits[0]),
    };
    let mut moduli = Moduli::new(options, bits[0], wide::MOST_BITS)?;
    let mut retries = 0;
    loop {
        let run = match &place {
            ChosenPlace::Cpu if moduli.bits <= float_residues::MOST_BITS => {
                cpu::run(u.host()?, v.host()?, &moduli, None).0
            }
            ChosenPlace::Cpu => wide::cpu::run(u.host()?, v.host()?, &moduli),
            ChosenPlace::Cuda(device) => run_on(device, u, v, &moduli)?,
        };
        if let Some(most) = plan::proved(bits, &run, &moduli) {
            return finish(&run, &moduli, most, retries);
        }
        retries += 1;
        moduli = moduli.more(wide::MOST_BITS, bits[0])?;
    }
}

/// Computes the steps and the digits on a device, with the kernel for the bits of these moduli.
fn run_on(device: &Arc<Device>, u: &Resident, v: &Resident, moduli: &Moduli) -> Result<Run> {
    let (u, v) = (u.on(device)?, v.on(device)?);
    match moduli.bits {
        0..=32 => cuda::run(&u, &v, moduli),
        _ => wide::cuda::run(&u, &v, moduli),
    }
}

/// The holders of the moduli of a run, as seen by one holder. Chunk c of the moduli belongs to
/// holder c mod `count`.
pub(crate) trait Holders {
    /// The number of holders.
    fn count(&self) -> usize;

    /// The index of this holder, below `count`.
    fn place(&self) -> usize;

    /// Returns the minimum of the words that the holders pass, to every holder. Collective: every
    /// holder must call it.
    fn least(&self, word: u64) -> u64;
}

/// The only holder: this process, with all moduli.
pub(crate) struct OneProcess;

impl Holders for OneProcess {
    fn count(&self) -> usize {
        1
    }

    fn place(&self) -> usize {
        0
    }

    fn least(&self, word: u64) -> u64 {
        word
    }
}

/// gcd(a, b) for a ≥ b, with the moduli distributed over several holders, as Weber and Brew plan
/// it. Each holder works on the CPU or on a device. Collective: every holder calls it with the same
/// numbers and gets the same result.
pub(crate) fn gcd_shared(
    a: &Resident,
    b: &Resident,
    holders: &dyn Holders,
) -> Result<(Resident, Stats)> {
    let place = engine::place(Work::IN_PLACE, [a.residence(), b.residence()])?;
    let bits = [limbs::size(a)?.1, limbs::size(b)?.1];
    // The number of moduli must not depend on the engine of the holder.
    let mut moduli = Moduli::new(Options::default(), bits[0], 32)?;
    let mut retries = 0;
    loop {
        let run = match &place {
            ChosenPlace::Cpu => cpu::run_shared(a.host()?, b.host()?, &moduli, holders),
            ChosenPlace::Cuda(device) => {
                part::run_shared(&a.on(device)?, &b.on(device)?, &moduli, holders)?
            }
        };
        if let Some(most) = plan::proved(bits, &run, &moduli) {
            return finish(&run, &moduli, most, retries);
        }
        retries += 1;
        moduli = moduli.more(32, bits[0])?;
    }
}

/// The distribution of the quotients before one step: `[i]` of them had i bits.
pub(crate) type Sizes = Vec<u64>;

/// gcd(u, v) on the CPU, for experiments. Too few moduli are an error, without a second try. Also
/// returns the sizes of |t| before step `watch`, if that step exists.
pub(crate) fn observe(
    u: &Integer,
    v: &Integer,
    options: Options,
    watch: Option<usize>,
) -> Result<(Resident, Stats, Option<Sizes>)> {
    let bits = [u, v].map(|x| x.bit_length());
    let moduli = Moduli::new(options, bits[0], float_residues::MOST_BITS)?;
    let (run, sizes) = cpu::run(u, v, &moduli, watch);
    let Some(most) = plan::proved(bits, &run, &moduli) else {
        return Err(Error::Domain(format!(
            "{} moduli of {} bits are too few for these numbers",
            moduli.len(),
            moduli.bits
        )));
    };
    let (g, stats) = finish(&run, &moduli, most, 0)?;
    Ok((g, stats, sizes))
}

/// Reconstructs the GCD from the digits, and collects the statistics. A result of more bits than
/// the proved bound is an error, because it shows a fault: a wrong residue modulo one prime gives a
/// number about as long as the product of all moduli.
fn finish(run: &Run, moduli: &Moduli, most_bits: u64, retries: u64) -> Result<(Resident, Stats)> {
    let mut stats = Stats::of(Algorithm::Weber);
    stats.iterations = Some(run.steps.len() as u64);
    stats.moduli = Some(moduli.len() as u64);
    stats.moduli_used = Some((run.steps.len() + run.digits.len()) as u64);
    stats.modulus_bits = Some(moduli.bits);
    stats.average_b_bits = average_bits(&run.steps);
    stats.retries = Some(retries);
    let value = rebuild(&run.digits)?.0;
    let value = on_suited(run.digits.len(), || limbs::abs(&value))?;
    if limbs::size(&value)?.1 > most_bits {
        let reason = "gcd by Weber's algorithm: the digits make a number that is too long";
        return Err(Error::Verification(reason.into()));
    }
    Ok((value, stats))
}

fn average_bits(steps: &[Used]) -> Option<f64> {
    let bits = |used: &Used| f64::from(64 - used.value.unsigned_abs().leading_zeros());
    (!steps.is_empty()).then(|| steps.iter().map(bits).sum::<f64>() / steps.len() as f64)
}

/// Returns g_1 + p_1·(g_2 + p_2·(...)) and the product of all p, computed recursively by halves.
fn rebuild(digits: &[Used]) -> Result<(Resident, Resident)> {
    /// Up to this many digits are added one by one.
    const FEW: usize = 32;
    if digits.len() <= FEW {
        let (mut value, mut product) = (Integer::ZERO, Integer::ONE);
        for digit in digits.iter().rev() {
            value = value * Integer::from(digit.p) + Integer::from(digit.value);
            product *= Integer::from(digit.p);
        }
        return Ok((value.into(), product.into()));
    }
    let (low, high) = digits.split_at(digits.len() / 2);
    let (low, high) = engine::join(|| rebuild(low), || rebuild(high));
    let ((low, below), (high, above)) = (low?, high?);
    on_suited(digits.len(), || {
        let value = limbs::add(&low, &mul(&high, &below)?)?;
        Ok((value, mul(&below, &above)?))
    })
}

/// Runs `work` on a number of `digits` digits. Short numbers are computed on the CPU, because they
/// do not pay for the launches of a device.
fn on_suited<T>(digits: usize, work: impl FnOnce() -> T) -> T {
    engine::on_cpu_if_short(40 * digits as u64, Tuning::current().pow_limbs, work)
}
