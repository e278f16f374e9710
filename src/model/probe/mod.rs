//! Measures a machine: launches, accesses, operations, barriers and transfers, each alone.
//!
//! A time is the minimum of several samples, because other load only adds time.

mod cpu;
pub(crate) mod cuda;
mod ring;
#[cfg(test)]
mod tests;

use std::time::Instant;

use super::machine::concrete;
use crate::engine::Engine;
use crate::error::Result;
use crate::tuning::Machine;
use crate::{cuda as devices, progress};

/// Measures the machine of this engine; `Auto` is the first GPU where there is one, else the CPU.
pub fn probe(engine: Engine) -> Result<Machine> {
    match concrete(engine) {
        Engine::Cuda(ordinal) => cuda::probe(&devices::device(ordinal)?),
        _ => progress::stage("probing", cpu::STEPS, cpu::probe),
    }
}

/// The smallest seconds per operation over several calls of `work`, each of which does `count`
/// operations. Takes about `seconds` seconds in all.
fn least(seconds: f64, count: f64, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let began = Instant::now();
    let mut best = f64::INFINITY;
    // The first warms up.
    for sample in 0.. {
        let start = Instant::now();
        work()?;
        let taken = start.elapsed().as_secs_f64();
        if sample > 0 {
            best = best.min(taken);
        }
        if sample >= 3 && began.elapsed().as_secs_f64() > seconds {
            break;
        }
    }
    Ok(best / count)
}
