//! The greatest common divisor by short bases of lattices: residues modulo many small primes, one
//! block of them at a time.
//!
//! Both operands are represented by their residues modulo N primes of 31 bits. A block of k primes
//! with product M gives a step (see `basis/reduction.rs`) that takes log2 M − 1.21 bits off
//! |U|·|V|, for all operands. The moduli of the block are not used again. The *leader*, one thread
//! of the host, finds the step from the residues modulo the block. The *followers*, threads or a
//! kernel that stays on the device for the whole run, apply the step modulo all other primes, those
//! of the next blocks first. A follower needs no data of other followers. The leader updates the
//! residues of the next `lattice_ahead` blocks itself, so that it never waits for a round trip to
//! the device.
//!
//! Weber and Brew's algorithm has the same frame (operands as residues, used-up moduli retire),
//! with one modulus per step and a minimum over all moduli for each step.
//!
//! | where | what |
//! |---|---|
//! | `plan.rs` | sizes, and why the moduli suffice |
//! | `basis/` | a block's step: the reduction of a basis, and bounds of magnitudes |
//! | `moduli/` | the primes: their blocks, their owners, and vector loops over them |
//! | `run/` | the leader, and its followers on threads, on a device, or in several processes |
//! | `rounds.rs` | long operands, in rounds that use the same moduli |
//! | `cofactors.rs` | cofactors of long operands |
//! | `rebuild.rs` | from residues to the result |

mod basis;
mod cofactors;
mod moduli;
mod plan;
mod rebuild;
mod rounds;
mod run;
#[cfg(test)]
mod tests;

pub(super) use cofactors::extended;
pub(crate) use run::{cuda, exercise};
// Constants on which the sizes and times of a run depend.
pub(crate) use moduli::{CACHED_MODULI, LEAST_PART, MODULUS_BITS};
pub(crate) use plan::LOSS_BITS;
pub(crate) use run::PORTION;
// The interface for a run whose moduli are distributed over several processes.
pub(crate) use basis::{OperandBounds, Step};
pub(crate) use moduli::BlockOwners;
pub(crate) use plan::{LatticePlan, too_large};
pub(crate) use rebuild::{Fraction, conclude};
pub(crate) use run::{
    Followers, LogEntry, NO_BLOCK, Outcome, Participant, PublishedBlock, from_message, lead,
    stop_message, to_message,
};

use std::sync::Arc;

use super::{Advance, Algorithm, Stats, half};
use crate::cuda::Device;
use crate::engine::{self, Work};
use crate::error::Result;
use crate::limbs::{self, DeviceLimbs, Resident};
use crate::tuning::Tuning;
use basis::Bound;
use moduli::Moduli;
use rounds::{Rounds, Shortened, shorten};
use run::DeviceRun;
pub(super) use run::cuda::needed;

/// gcd(a, b) ≥ 0, and the statistics.
pub(crate) fn gcd(a: &Resident, b: &Resident, advance: Advance<'_>) -> Result<(Resident, Stats)> {
    if limbs::size(a)?.0 == 0 {
        return Ok((limbs::abs(b)?, Stats::of(Algorithm::Lattice)));
    }
    if limbs::size(b)?.0 == 0 {
        return Ok((limbs::abs(a)?, Stats::of(Algorithm::Lattice)));
    }
    engine::run(
        Work::IN_PLACE,
        [a.residence(), b.residence()],
        || on_cpu(a, b),
        |device| on_cuda(a, b, device, advance),
    )
}

fn on_cpu(a: &Resident, b: &Resident) -> Result<(Resident, Stats)> {
    let [a, b] = [a.host()?, b.host()?].map(|x| x.magnitude().limbs());
    let (bounds, u, v) = ordered((Bound::above(a), a), (Bound::above(b), b));
    repeat(&bounds, |plan, moduli| {
        let word = |limbs: &[u64], i: usize| {
            let limb = limbs.get(i / 2).copied().unwrap_or(0);
            (limb >> (32 * (i % 2))) as u32
        };
        let words: Vec<[u32; 2]> = (0..plan.words).map(|i| [word(u, i), word(v, i)]).collect();
        let Some((outcome, residues)) = run::run(plan, moduli, &words, bounds)? else {
            return Ok(None);
        };
        let products = rebuild::products(plan, moduli, &outcome);
        let value = rebuild::rebuild(plan, moduli, &outcome, &residues, &products)?;
        Ok(Some((value, outcome)))
    })
}

fn on_cuda(
    a: &Resident,
    b: &Resident,
    device: &Arc<Device>,
    advance: Advance<'_>,
) -> Result<(Resident, Stats)> {
    let total = a.bits_bound().saturating_add(b.bits_bound());
    device.prepare(&cuda::needed(total / 2, &Tuning::current()))?;
    let short = shorten(a, b, &mut Rounds::new(device, total), false, advance)?;
    let Shortened {
        u, v, steps, stuck, ..
    } = short;
    let (g, mut stats) = if limbs::size(&v)?.1 == 0 {
        let retries = Some(0);
        let stats = Stats::of(Algorithm::Lattice);
        (u, Stats { retries, ..stats })
    } else if stuck {
        half::gcd(&u, &v, advance)?
    } else {
        in_one_run(&u, &v, device)?
    };
    stats.algorithm = Algorithm::Lattice;
    stats.iterations = Some(stats.iterations.unwrap_or(0) + steps);
    Ok((g, stats))
}

/// gcd(a, b) ≥ 0 on a device in one run, and the statistics.
fn in_one_run(a: &Resident, b: &Resident, device: &Arc<Device>) -> Result<(Resident, Stats)> {
    let operand = |x: &Resident| -> Result<(Bound, DeviceLimbs)> {
        let (sign, bits) = limbs::size(x)?;
        let bound = if x.is_on_host() {
            Bound::above(x.host()?.magnitude().limbs())
        } else {
            Bound::power(bits)
        };
        let there = if sign < 0 { limbs::abs(x)? } else { x.clone() };
        let there = there.on(device)?;
        Ok((bound, there.lowest(bits)))
    };
    let (bounds, u, v) = ordered(operand(a)?, operand(b)?);
    repeat(&bounds, |plan, moduli| {
        let run = DeviceRun::new(device, plan)?;
        run.convert(plan, &u, &v)?;
        let Some(outcome) = run.lead(plan, moduli, bounds)? else {
            return Ok(None);
        };
        let (residues, products) = run.products(outcome.range(plan))?;
        let value = rebuild::rebuild(plan, moduli, &outcome, &residues, &products)?;
        Ok(Some((value, outcome)))
    })
}

/// The operand with the larger bound first.
fn ordered<T>(a: (Bound, T), b: (Bound, T)) -> (OperandBounds, T, T) {
    let (u, v) = if a.0.is_less(b.0) { (b, a) } else { (a, b) };
    (OperandBounds { u: u.0, v: v.0 }, u.1, v.1)
}

/// Repeats the run with more moduli until they suffice. By the argument of `plan.rs` the first
/// attempt suffices. A run whose moduli do not suffice gives no answer.
fn repeat(
    bounds: &OperandBounds,
    mut attempt_run: impl FnMut(&LatticePlan, &Moduli) -> Result<Option<(Resident, Outcome)>>,
) -> Result<(Resident, Stats)> {
    for attempt in 0.. {
        let plan = LatticePlan::new(bounds, &Tuning::current(), attempt)?;
        let Some(moduli) = Moduli::new(plan.moduli()) else {
            return Err(too_large(bounds));
        };
        if let Some((value, outcome)) = attempt_run(&plan, &moduli)? {
            return Ok((value, stats_of(&plan, &outcome, attempt)));
        }
    }
    Err(too_large(bounds))
}

/// The statistics of a run of this plan in this attempt.
pub(crate) fn stats_of(plan: &LatticePlan, outcome: &Outcome, attempt: u32) -> Stats {
    let used = outcome.blocks * plan.k - outcome.common.len();
    Stats {
        iterations: Some(outcome.steps),
        moduli: Some(plan.moduli() as u64),
        moduli_used: Some(used as u64),
        modulus_bits: Some(MODULUS_BITS),
        retries: Some(attempt.into()),
        blocks: Some(outcome.blocks as u64),
        ..Stats::of(Algorithm::Lattice)
    }
}
