//! Lenstra's elliptic curve method: many curves at once, both stages, on either engine.
//!
//! | file | what |
//! |---|---|
//! | `plan.rs` | the schedule of all curves: chains of stage 1, pairs of stage 2 |
//! | `curve.rs`, `curve.cuh` | the curves, and arithmetic of their points |
//! | `residues.rs`, `modular/number.cuh` | arithmetic modulo n |
//! | `cpu.rs`, `cuda.rs` | a group of curves on the host's threads, or on a device with one thread per curve |
//! | `points.cu`, `chain.cu` | the kernels: the parts that run once, and the two loops |
//!
//! ```text
//!   bits of n           1 ............... 2048 ................. any
//!   Cpu                 | 2, 3, 4, 8 limbs, or any               |
//!   Cuda                | a thread a curve | on the host         |
//! ```
//!
//! Groups run one after the other, and the search ends with the first group that finds something; a
//! group that does so in stage 1 has no stage 2. The same sigma finds the same factor everywhere.

mod cpu;
pub(crate) mod cuda;
mod curve;
pub(crate) mod gmp_ecm;
mod montgomery;
mod plan;
pub(crate) mod residues;
#[cfg(test)]
mod tests;

pub(crate) use plan::{Multipliers, Stage2};

use crate::number::Natural;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cuda::Device;
use crate::engine::{self, ChosenPlace, Engine, Residence, Work};
use crate::error::{Error, Result};
use crate::progress;
use crate::threads;
use plan::{LEAST_B1, MOST_B2, Round};
use residues::{Residues, with_residues};

/// A proper divisor of n, not always prime, and the curve and the stage that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CurveFound {
    pub(crate) factor: Natural,
    pub(crate) sigma: u64,
    pub(crate) stage: u8,
}

/// Called from time to time: whether to go on.
pub(crate) type KeepGoing<'a> = &'a (dyn Fn() -> bool + Sync);

/// A group of curves that run together. A long operation returns false if it was stopped, and the
/// factors found so far remain valid.
trait Group {
    /// Multiplies the point of every curve.
    fn multiply(&mut self, by: &Natural, keep_going: KeepGoing) -> Result<bool>;
    /// Prepares stage 2 from the points.
    fn begin(&mut self, stage: &Stage2) -> Result<()>;
    /// Some giant steps of it.
    fn round(&mut self, stage: &Stage2, round: &Round, keep_going: KeepGoing) -> Result<bool>;
    /// A residue of every curve, in Montgomery's form, one after the other, and the limbs of one: x
    /// of the point after stage 1, or stage 2's product.
    fn residues(&self, stage: u8) -> Result<(usize, Vec<u64>)>;
}

/// Runs the curves of sigma = `first_sigma` and the `count` − 1 after it on an odd n, with these
/// bounds. Finds nothing where n is prime or 1.
pub(crate) fn curves(
    n: &Natural,
    b1: u64,
    b2: u64,
    first_sigma: u64,
    count: usize,
    keep_going: KeepGoing,
) -> Result<Vec<CurveFound>> {
    if first_sigma == 0 || first_sigma.checked_add(count as u64).is_none() {
        return Err(Error::Domain(format!(
            "sigma runs from 1 to {}: {count} curves from {first_sigma} on go beyond that",
            u64::MAX - 1
        )));
    }
    let Some(bounds) = check(n, b1, b2)? else {
        return Ok(Vec::new());
    };
    match place(n.bit_length(), b1, count as u64)? {
        None => {
            Engine::Cpu.note_used();
            with_residues!(n, ring => {
                let mut group = cpu::Curves::new(&ring, first_sigma, count);
                run(&mut group, n, bounds, first_sigma, keep_going).map(|(found, _)| found)
            })
        }
        Some(device) => {
            Engine::Cuda(device.info().ordinal).note_used();
            let mut done = 0;
            while done < count {
                let sigma = first_sigma + done as u64;
                let mut group = cuda::Curves::new(&device, n, bounds, sigma, count - done)?;
                let (found, stopped) = run(&mut group, n, bounds, sigma, keep_going)?;
                if stopped || !found.is_empty() {
                    return Ok(found);
                }
                done += group.count();
            }
            Ok(Vec::new())
        }
    }
}

/// The bounds that are used for these, with an n that a factor may be searched of; none for n = 1.
pub(crate) fn check(n: &Natural, b1: u64, b2: u64) -> Result<Option<(u64, u64)>> {
    if n.is_even() {
        return Err(Error::Domain(
            "factors are searched of odd numbers: divide by two first".into(),
        ));
    }
    if b1 > MOST_B2 || b2 > MOST_B2 {
        return Err(Error::Domain(format!(
            "bounds of a search for factors are at most 2^{}",
            MOST_B2.ilog2()
        )));
    }
    Ok((*n != Natural::ONE).then_some((b1.max(LEAST_B1), b2)))
}

/// As many curves as keep the engine busy that runs `wanted` of them with this bound, and no more.
pub(crate) fn preferred_count(n_bits: u64, b1: u64, wanted: u64) -> usize {
    match place(n_bits, b1, wanted) {
        Ok(Some(device)) => cuda::preferred_count(&device, n_bits),
        _ => threads::count(),
    }
}

/// The device on which `count` curves modulo a number of `n_bits` bits run, if any.
fn place(n_bits: u64, b1: u64, count: u64) -> Result<Option<Arc<Device>>> {
    if n_bits > cuda::MOST_BITS {
        return Ok(None);
    }
    let work = Work::curves(n_bits, b1, count).needing(cuda::units_of, (n_bits, 0));
    Ok(match engine::place(work, [Residence::Host])? {
        ChosenPlace::Cuda(device) => Some(device),
        ChosenPlace::Cpu => None,
    })
}

/// Both stages of a group, and whether it was stopped.
fn run(
    group: &mut dyn Group,
    n: &Natural,
    (b1, b2): (u64, u64),
    sigma: u64,
    keep_going: KeepGoing,
) -> Result<(Vec<CurveFound>, bool)> {
    for multiplier in Multipliers::new(b1) {
        if !keep_going() || !group.multiply(&multiplier, keep_going)? {
            return Ok((Vec::new(), true));
        }
    }
    let found = divisors(n, group.residues(1)?, sigma, 1);
    let Some(stage) = Stage2::new(b1, b2).filter(|_| found.is_empty()) else {
        return Ok((found, false));
    };
    group.begin(&stage)?;
    let mut stopped = false;
    for round in stage.rounds() {
        if !keep_going() || !group.round(&stage, &round, keep_going)? {
            stopped = true;
            break;
        }
    }
    Ok((divisors(n, group.residues(2)?, sigma, 2), stopped))
}

/// Does `work` on every curve of the host, on all threads. Returns false if `keep_going` stopped
/// it.
fn on_each<T: Send>(all: &mut [T], keep_going: KeepGoing, work: impl Fn(&mut T) + Sync) -> bool {
    let place = progress::shared();
    let is_stopped = AtomicBool::new(false);
    threads::chunks_mut(all, 1, 1, |_, chunk| {
        if is_stopped.load(Ordering::Relaxed) {
            return;
        }
        for one in chunk {
            progress::inherit(place.clone(), || work(one));
        }
        if !keep_going() {
            is_stopped.store(true, Ordering::Relaxed);
        }
    });
    !is_stopped.into_inner()
}

/// The curves whose residues have a common divisor with n, other than n itself. A gcd is taken of
/// the product of many.
fn divisors(
    n: &Natural,
    (limbs, residues): (usize, Vec<u64>),
    sigma: u64,
    stage: u8,
) -> Vec<CurveFound> {
    const TOGETHER: usize = 256;
    let place = progress::shared();
    with_residues!(n, ring => {
        let size = TOGETHER * limbs;
        let found = threads::map(residues.len().div_ceil(size), 1, |chunk| {
            let residues = threads::chunk(&residues, size, chunk);
            let any = progress::inherit(place.clone(), || {
                let product = residues.chunks(limbs).fold(ring.one(), |product, x| {
                    ring.mul(&product, &ring.element(x))
                });
                residues::common_divisor(&ring, &product, n) != Natural::ONE
            });
            let all = any.then(|| residues.chunks(limbs)).into_iter().flatten();
            let found = all.enumerate().filter_map(|(i, x)| {
                let factor = Natural::from_limbs(x).gcd(n);
                (factor != Natural::ONE && factor != *n).then(|| CurveFound {
                    factor,
                    sigma: sigma + (chunk * TOGETHER + i) as u64,
                    stage,
                })
            });
            found.collect::<Vec<CurveFound>>()
        });
        found.into_iter().flatten().collect()
    })
}
