//! `ecm`: curves a second of the elliptic curve method modulo numbers of 192 to 1024 bits, and the
//! time to find factors that were planted.
//!
//! Curves are timed modulo primes, where there is nothing to find and no run ends early. Before
//! that, every engine has to find the same factors of a number of the same size with the same
//! curves; and a planted factor is compared with what is found.

use std::time::Instant;

use bezout::engine::EXECUTOR;
use bezout::{Engine, Int};
use bezout_lab::measure::{EcmFound, ecm_curves, ecm_preferred_count};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Error;
use crate::measure::{self, Clock};
use crate::record::{Measurement, Reproduced, Timing};
use crate::session::Session;

/// What is timed: stage 1 alone, and both.
pub const STAGE_1: &str = "stage 1";
pub const BOTH: &str = "both stages";

/// The experiment with planted factors, and seconds to find each.
pub const PLANTED: &str = "planted factors";
pub const SECONDS: &str = "seconds";

/// Both stages modulo 448 bits on a device, and the figure that was published for an RTX 2080 Ti
/// (Wloka, Richter-Brockmann, Stahlke, Kleinjung, Gaj and Güneysu, *Revisiting ECM on GPUs*, CANS
/// 2020).
pub const PUBLISHED: &str = "448 bits, B1 = 50000, B2 = 5000000";
pub const CURVES_A_SECOND: &str = "curves a second";
const PUBLISHED_BITS: u64 = 448;
const PUBLISHED_BOUNDS: (u64, u64) = (50_000, 5_000_000);
const PUBLISHED_RATE: f64 = 2781.0;

/// First of the curves.
const SIGMA: u64 = 1000;

/// What a machine is asked for.
struct Scale {
    sizes: &'static [u64],
    b1: u64,
    b2: u64,
    planted: Planted,
}

/// Numbers of so many bits with a prime factor of so many, and the bounds it is searched with.
struct Planted {
    numbers: usize,
    bits: u64,
    factor_bits: u64,
    b1: u64,
    b2: u64,
}

impl Scale {
    fn of(session: &Session) -> Scale {
        const LARGE: Scale = Scale {
            sizes: &[192, 256, 384, 512, 1024],
            b1: 8192,
            b2: 819_200,
            planted: Planted {
                numbers: 20,
                bits: 512,
                factor_bits: 99,
                b1: 11_000,
                b2: 1_500_000,
            },
        };
        match &session.target {
            Some(target) if target.ordinal == EXECUTOR => Scale {
                sizes: &[128],
                b1: 30,
                b2: 200,
                planted: Planted {
                    numbers: 1,
                    bits: 100,
                    factor_bits: 20,
                    b1: 50,
                    b2: 500,
                },
            },
            Some(_) if !session.record.quick => LARGE,
            // A third of the digits on a host, which has a thousandth of the threads.
            _ => Scale {
                sizes: if session.record.quick {
                    &[192]
                } else {
                    LARGE.sizes
                },
                b1: if session.record.quick { 200 } else { LARGE.b1 },
                b2: if session.record.quick {
                    20_000
                } else {
                    LARGE.b2
                },
                planted: Planted {
                    numbers: if session.record.quick { 2 } else { 20 },
                    bits: 192,
                    factor_bits: 40,
                    b1: 300,
                    b2: 20_000,
                },
            },
        }
    }
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let scale = Scale::of(session);
    session.expect(scale.sizes.len() + scale.planted.numbers);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let most = session.max_bits;
    for bits in scale.sizes.iter().filter(|bits| **bits <= most) {
        session.step(format!("curves modulo {bits} bits"));
        rates(session, *bits, scale.b1, scale.b2, &mut random)?;
    }
    session.record.notes.push(format!(
        "B1 = {}, B2 = {}. A planted factor has {} bits, its number {}; it is searched with B1 = \
         {} and B2 = {}.",
        scale.b1,
        scale.b2,
        scale.planted.factor_bits,
        scale.planted.bits,
        scale.planted.b1,
        scale.planted.b2
    ));
    planted(session, &scale.planted, &mut random)?;
    match &session.target {
        Some(target) if target.ordinal != EXECUTOR && !session.record.quick => {
            let engine = target.engine;
            published(session, engine, &mut random)
        }
        _ => Ok(()),
    }
}

/// Curves with the bounds of the published figure.
fn published(
    session: &mut Session,
    engine: Engine,
    random: &mut Xoshiro256PlusPlus,
) -> Result<(), Error> {
    let n = prime(PUBLISHED_BITS, random)?;
    let count = engine.scope(|| ecm_preferred_count(PUBLISHED_BITS));
    let (b1, b2) = PUBLISHED_BOUNDS;
    let curves = &mut || ecm_curves(&n, b1, b2, SIGMA, count);
    let (time, found) = measure::time_on(engine, &session.effort, Clock::Host, curves)?;
    if found.is_some_and(|found| !found.is_empty()) {
        return Err(refuted(PUBLISHED, engine, PUBLISHED_BITS));
    }
    session.record.reproduced.push(Reproduced {
        figure: PUBLISHED.into(),
        quantity: CURVES_A_SECOND.into(),
        x: PUBLISHED_BITS as f64,
        paper: Some(PUBLISHED_RATE),
        here: Some(count as f64 / time.median),
    });
    Ok(())
}

/// A prime of so many bits.
pub fn prime(bits: u64, random: &mut Xoshiro256PlusPlus) -> Result<Int, Error> {
    Engine::Cpu.scope(|| {
        loop {
            let prime = Int::try_random_bits(bits, random)?.try_next_prime()?;
            if prime.bit_length() == bits {
                return Ok(prime);
            }
        }
    })
}

/// The lanes: an engine, and whether it has one thread.
fn lanes(session: &Session) -> Vec<(Engine, bool)> {
    let mut lanes = vec![(Engine::Cpu, true), (Engine::Cpu, false)];
    lanes.extend(session.target.as_ref().map(|target| (target.engine, false)));
    lanes
}

fn rates(
    session: &mut Session,
    bits: u64,
    b1: u64,
    b2: u64,
    random: &mut Xoshiro256PlusPlus,
) -> Result<(), Error> {
    let n = prime(bits, random)?;
    // Of exactly as many bits: kernels are compiled for the words of the number.
    let easy = loop {
        let easy = prime(33, random)? * prime(34, random)? * prime(bits - 66, random)?;
        if easy.bit_length() == bits {
            break easy;
        }
    };
    let search = || ecm_curves(&easy, 60, 3000, SIGMA, 64);
    let expected = Engine::Cpu.scope(search)?;
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one_thread = one_thread.map_err(|e| Error::Threads(e.to_string()))?;
    for (engine, alone) in lanes(session) {
        if engine.scope(search)? != expected {
            return Err(refuted("curves", engine, bits));
        }
        let count = if alone {
            1
        } else {
            engine.scope(|| ecm_preferred_count(bits))
        };
        for (operation, b2) in [(STAGE_1, 0), (BOTH, b2)] {
            let time = || {
                let curves = &mut || ecm_curves(&n, b1, b2, SIGMA, count);
                measure::time_on(engine, &session.effort, Clock::Host, curves)
            };
            let (time, found) = if alone {
                one_thread.install(time)?
            } else {
                time()?
            };
            if found.is_some_and(|found| !found.is_empty()) {
                return Err(refuted(operation, engine, bits));
            }
            enter(
                session,
                operation,
                engine,
                alone,
                bits,
                time.each(count as f64),
            );
        }
    }
    Ok(())
}

fn planted(
    session: &mut Session,
    wanted: &Planted,
    random: &mut Xoshiro256PlusPlus,
) -> Result<(), Error> {
    let engine = session.target.as_ref().map_or(Engine::Cpu, |t| t.engine);
    let count = engine.scope(|| ecm_preferred_count(wanted.bits));
    for number in 0..wanted.numbers {
        session.step(format!("planted factor {}", number + 1));
        let factor = prime(wanted.factor_bits, random)?;
        let other = prime(wanted.bits - wanted.factor_bits, random)?;
        let n = &factor * &other;
        if engine != Engine::Cpu {
            // Kernels are compiled once on a machine.
            engine.scope(|| ecm_curves(&n, 60, 3000, SIGMA, 1))?;
        }
        let start = Instant::now();
        let mut sigma = SIGMA;
        let found = loop {
            let run = || ecm_curves(&n, wanted.b1, wanted.b2, sigma, count);
            match engine.scope(run)?.into_iter().next() {
                Some(EcmFound { factor, .. }) => break factor,
                None => sigma += count as u64,
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        if found != factor && found != other {
            return Err(refuted(PLANTED, engine, wanted.bits));
        }
        session.record.reproduced.push(Reproduced {
            figure: PLANTED.into(),
            quantity: SECONDS.into(),
            x: (number + 1) as f64,
            paper: None,
            here: Some(seconds),
        });
    }
    Ok(())
}

fn refuted(operation: &str, engine: Engine, bits: u64) -> Error {
    Error::Verification {
        operation: operation.into(),
        engine: engine.to_string(),
        bits,
        oracle: "what is known of the number".into(),
    }
}

fn enter(
    session: &mut Session,
    operation: &str,
    engine: Engine,
    alone: bool,
    bits: u64,
    time: Timing,
) {
    let engine = format!("{engine}{}", if alone { ", 1 thread" } else { "" });
    let measurement = Measurement::alone(operation, engine, bits, time, &[]);
    session.record.measurements.push(measurement);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tested_engines;

    #[test]
    fn every_engine_is_measured() {
        for engine in tested_engines() {
            let mut session = engine.scope(|| Session::begin("ecm", true, true).unwrap());
            run(&mut session).unwrap();
            let record = session.finish();
            for operation in [STAGE_1, BOTH] {
                let list = record.measurements.iter();
                let lanes = list.filter(|m| m.operation == operation).count();
                assert_eq!(lanes, if engine == Engine::Cpu { 2 } else { 3 });
            }
            assert!(!record.reproduced.is_empty());
        }
    }
}
