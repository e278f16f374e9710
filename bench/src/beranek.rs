//! `beranek`: Beránek's number by both variants of his Pollard rho, with blocks and threads as in
//! his Figs. 7 and 11, and by this library itself.
//!
//! His figures are pictures without numbers; his text has the means of all their times, 11505.4 ms
//! and 488627 ms on a GTX 780 Ti, and 3.081 s for one runner on a Phenom II X4 960T.

use std::time::Instant;

use bezout::measure::{self as library, RhoShape, RhoVariant};
use bezout::{Engine, Int};

use crate::Error;
use crate::measure::{self, Clock};
use crate::record::Reproduced;
use crate::session::Session;

/// N = p².
const N: u64 = 1_140_586_421_661_513_649;
const P: u64 = 1_067_982_407;

/// Figure, variant, and his mean in milliseconds.
pub const FIGURES: [(&str, RhoVariant, f64); 2] = [
    ("Fig. 7", RhoVariant::First, 11505.4),
    ("Fig. 11", RhoVariant::Second, 488_627.0),
];
/// Blocks, and threads of each.
pub const SIDES: [u32; 6] = [10, 210, 410, 610, 810, 1010];
/// The mean over all shapes, in milliseconds.
pub const MEAN: &str = "mean";
/// One runner on one core, as in his Fig. 4, in milliseconds.
pub const ONE_CORE: &str = "one runner on one core";
/// This library's own way, a test for perfect powers, in microseconds.
pub const LIBRARY: &str = "the library on the host";

/// The name of a row of shapes.
pub fn blocks(blocks: u32) -> String {
    format!("{blocks} blocks")
}

/// How this differs from what the paper timed, for readers of the tables.
pub const NOTE: &str = "His variant 1 (Fig. 7) launches a kernel for each iteration. Here a launch \
    does 16 iterations, which gives the same factor and saves launches. The library on the host \
    does not run Pollard's rho: it finds by a test for perfect powers that N is a square, and then \
    tests the root for primality.";

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let is_gpu = session
        .target
        .as_ref()
        .is_some_and(|t| t.ordinal != bezout::engine::EXECUTOR);
    let engine = session.target.as_ref().map_or(Engine::Cpu, |t| t.engine);
    let sides: &[u32] = match (is_gpu, session.record.quick) {
        (true, false) => &SIDES,
        (true, true) => &[10, 810],
        // Runners take turns on the host.
        (false, _) => &[10],
    };
    session.expect(2 * sides.len() + 1);
    for (figure, variant, paper) in FIGURES {
        let mut times = Vec::new();
        for side in sides {
            session.step(format!("{figure}, {side} blocks"));
            for threads in sides {
                let shape = RhoShape {
                    blocks: *side,
                    threads: *threads,
                };
                let time = 1e3 * timed(session, engine, variant, shape)?;
                times.push(time);
                enter(
                    session,
                    figure,
                    &blocks(*side),
                    f64::from(*threads),
                    None,
                    Some(time),
                );
            }
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        enter(session, figure, MEAN, 0.0, Some(paper), Some(mean));
    }
    session.step("the host".into());
    let one = RhoShape {
        blocks: 1,
        threads: 1,
    };
    let time = timed(session, Engine::Cpu, RhoVariant::First, one)?;
    enter(
        session,
        "Fig. 4",
        ONE_CORE,
        0.0,
        Some(3081.0),
        Some(1e3 * time),
    );
    let n = Int::from(N);
    let (time, found) = Engine::Cpu.scope(|| {
        measure::time_kept(&session.effort, Clock::Host, &mut || {
            let power = n.try_perfect_power()?;
            Ok(power.filter(|(root, _)| root.is_probable_prime()))
        })
    })?;
    if found != Some(Some((Int::from(P), 2))) {
        return Err(refuted("a prime power", Engine::Cpu));
    }
    enter(
        session,
        "Fig. 4",
        LIBRARY,
        0.0,
        None,
        Some(1e6 * time.median),
    );
    Ok(())
}

/// Seconds until a factor is found, the least of a few runs, checked.
fn timed(
    session: &Session,
    engine: Engine,
    variant: RhoVariant,
    shape: RhoShape,
) -> Result<f64, Error> {
    let n = Int::from(N);
    let mut best = f64::INFINITY;
    for _ in 0..if session.record.quick { 2 } else { 4 } {
        let began = Instant::now();
        let factor = engine.scope(|| library::published_rho(&n, variant, shape))?;
        best = best.min(began.elapsed().as_secs_f64());
        if factor != Some(Int::from(P)) {
            return Err(refuted("rho as published", engine));
        }
    }
    Ok(best)
}

fn refuted(operation: &str, engine: Engine) -> Error {
    Error::Verification {
        operation: operation.into(),
        engine: engine.to_string(),
        bits: 60,
        oracle: "the number's square root".into(),
    }
}

fn enter(
    session: &mut Session,
    figure: &str,
    quantity: &str,
    x: f64,
    paper: Option<f64>,
    here: Option<f64>,
) {
    session.record.reproduced.push(Reproduced {
        figure: figure.into(),
        quantity: quantity.into(),
        x,
        paper,
        here,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_a_square_and_everything_finds_its_root() {
        assert_eq!(P * P, N);
        let mut session = Engine::Cpu.scope(|| Session::begin("beranek", true, true).unwrap());
        run(&mut session).unwrap();
        let record = session.finish();
        assert_eq!(record.reproduced.len(), 2 * 2 + 2);
        assert!(
            record
                .reproduced
                .iter()
                .all(|r| r.here.is_some_and(|x| x > 0.0))
        );
    }
}
