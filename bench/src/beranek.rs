//! `beranek`: Beránek's number by both variants of his Pollard rho, with blocks and threads as in
//! his Figs. 7 and 11, and by this library itself.
//!
//! His figures are pictures without numbers; his text has the means of all their times, 11505.4 ms
//! and 488627 ms on a GTX 780 Ti, and 3.081 s for one runner on a Phenom II X4 960T.

use std::time::Instant;

use bezout::{Engine, Int};
use bezout_lab::measure::{self as library, RhoFound, RhoShape, RhoStart, RhoVariant};
use bezout_lab::model::probe;

use crate::Error;
use crate::measure::{self, Clock};
use crate::record::Reproduced;
use crate::session::Session;

/// N = p².
const N: u64 = 1_140_586_421_661_513_649;
const P: u64 = 1_067_982_407;

/// A variant in all shapes.
pub struct Figure {
    /// Where the paper has it.
    pub name: &'static str,
    variant: RhoVariant,
    /// Iterations of a launch of the first variant.
    steps: u32,
    /// His mean in milliseconds.
    paper: f64,
}

/// The first variant with 16 iterations a launch, with one as he has it, and the second.
pub const FIGURES: [Figure; 3] = [
    Figure {
        name: "Fig. 7",
        variant: RhoVariant::First,
        steps: RhoShape::STEPS,
        paper: 11505.4,
    },
    Figure {
        name: "Fig. 7, one iteration a launch",
        variant: RhoVariant::First,
        steps: 1,
        paper: 11505.4,
    },
    Figure {
        name: "Fig. 11",
        variant: RhoVariant::Second,
        steps: RhoShape::STEPS,
        paper: 488_627.0,
    },
];
/// Blocks.
pub const BLOCKS: [u32; 6] = [10, 210, 410, 610, 810, 1010];
/// Threads of a block.
pub const THREADS: [u32; 7] = [10, 110, 210, 410, 610, 810, 1010];
/// Blocks and threads of his conclusion (section 4), where variant 1 is 5.52 times as fast.
const CONCLUSION: (u32, u32) = (810, 110);
/// The mean over all shapes, in milliseconds.
pub const MEAN: &str = "mean";
/// The fewest iterations until a factor is found, over all shapes: a lucky start.
pub const FEWEST: &str = "fewest iterations";
/// The most iterations until a factor is found, over all shapes.
pub const MOST: &str = "most iterations";
/// One runner on one core, as in his Fig. 4, in milliseconds.
pub const ONE_CORE: &str = "one runner on one core";
/// Iterations of that runner.
pub const ITERATIONS: &str = "iterations of one runner";
/// This library's own way, a test for perfect powers, in microseconds.
pub const LIBRARY: &str = "the library on the host";
/// Seeds of random starts: of a quick run, and of another.
const SEEDS: [u64; 2] = [2, 8];

/// What follows a value of a row without a shape.
pub fn unit(quantity: &str) -> &'static str {
    let is_count = [FEWEST, MOST, ITERATIONS].contains(&quantity) || quantity.starts_with(OVER_AT);
    match quantity {
        LIBRARY => " µs",
        _ if quantity.starts_with(PART_OF) => " %",
        _ if is_count => "",
        _ => " ms",
    }
}

/// How quantities without a unit, and parts of a whole, begin.
const OVER_AT: &str = "variant 2 over variant 1, ";
const PART_OF: &str = "part of the ";

/// The name of a row of shapes.
pub fn blocks(blocks: u32) -> String {
    format!("{blocks} blocks")
}

/// How this differs from what the paper timed, for readers of the tables.
pub const NOTE: &str = "His variant 1 (Fig. 7) launches a kernel for each iteration. In the rows \
    of Fig. 7 a launch does 16 iterations here, which gives the same factor and saves launches; a \
    record that has the rows of one iteration a launch has his way beside it. The library on the \
    host does not run Pollard's rho: it finds by a test for perfect powers that N is a square, and \
    then tests the root for primality.";

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let is_gpu = session
        .target
        .as_ref()
        .is_some_and(|t| t.ordinal != bezout::engine::EXECUTOR);
    let engine = session.target.as_ref().map_or(Engine::Cpu, |t| t.engine);
    let (blocks_of, threads_of): (&[u32], &[u32]) = match (is_gpu, session.record.quick) {
        (true, false) => (&BLOCKS, &THREADS),
        (true, true) => (&[10, 810], &[10, 110, 810]),
        // Runners take turns on the host.
        (false, _) => (&[10], &[10]),
    };
    let conclusion = if is_gpu { CONCLUSION } else { (10, 10) };
    session.expect(FIGURES.len() * blocks_of.len() + 2);
    let mut means = Vec::new();
    let mut concluded = Vec::new();
    for Figure {
        name,
        variant,
        steps,
        paper,
    } in FIGURES
    {
        let mut times = Vec::new();
        let mut iterations = Vec::new();
        for side in blocks_of {
            session.step(format!("{name}, {side} blocks"));
            for threads in threads_of {
                let shape = RhoShape {
                    steps,
                    ..RhoShape::new(*side, *threads)
                };
                let (time, found) = timed(session, engine, variant, shape)?;
                times.push(1e3 * time);
                iterations.push(found.iterations as f64);
                if (*side, *threads) == conclusion {
                    concluded.push(time);
                }
                let row = blocks(*side);
                enter(
                    session,
                    name,
                    &row,
                    f64::from(*threads),
                    None,
                    Some(1e3 * time),
                );
            }
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        means.push(mean);
        enter(session, name, MEAN, 0.0, Some(paper), Some(mean));
        let fewest = iterations.iter().copied().fold(f64::INFINITY, f64::min);
        let most = iterations.iter().copied().fold(0.0, f64::max);
        enter(session, name, FEWEST, 0.0, None, Some(fewest));
        enter(session, name, MOST, 0.0, None, Some(most));
    }
    let (most_blocks, most_threads) = conclusion;
    let at = format!("{most_blocks} × {most_threads}");
    for (first, how) in [(0, ""), (1, ", one iteration a launch")] {
        let over = |times: &[f64]| Some(times[2] / times[first]);
        let paper = Some(FIGURES[2].paper / FIGURES[first].paper);
        let (means, concluded) = (over(&means), over(&concluded));
        let what = format!("{OVER_AT}means{how}");
        enter(session, "Section 4", &what, 0.0, paper, means);
        let paper = is_gpu.then_some(5.52);
        let what = format!("{OVER_AT}{at}{how}");
        enter(session, "Section 4", &what, 0.0, paper, concluded);
    }
    session.step("starts, caches and lanes".into());
    ways_to_run(session, engine, conclusion, &at)?;
    session.step("the host".into());
    on_host(session)
}

/// At the shape of the conclusion: random starts, more first-level cache, and active lanes.
fn ways_to_run(
    session: &mut Session,
    engine: Engine,
    (most_blocks, threads): (u32, u32),
    at: &str,
) -> Result<(), Error> {
    let shape = RhoShape::new(most_blocks, threads);
    let seeds = SEEDS[usize::from(!session.record.quick)];
    let held = match engine {
        Engine::Cpu => 0,
        engine => probe(engine)?.resident_threads,
    };
    for Figure { name, variant, .. } in [&FIGURES[0], &FIGURES[2]] {
        let mut sum = 0.0;
        for seed in 0..seeds {
            let start = Some(RhoStart::Random(seed));
            sum += timed(session, engine, *variant, RhoShape { start, ..shape })?.0;
        }
        let mean = 1e3 * sum / seeds as f64;
        let what = format!("random starts, mean of {seeds} seeds, {at}");
        enter(session, name, &what, 0.0, None, Some(mean));
        if engine == Engine::Cpu {
            continue;
        }
        for prefers_l1 in [false, true] {
            let asked = if prefers_l1 {
                "preferred"
            } else {
                "not preferred"
            };
            let what = format!("L1 {asked} (Fig. 6), {at}");
            let shape = RhoShape {
                prefers_l1,
                ..shape
            };
            let time = 1e3 * timed(session, engine, *variant, shape)?.0;
            enter(session, name, &what, 0.0, None, Some(time));
        }
        let counted =
            engine.scope(|| library::published_rho_activity(&Int::from(N), *variant, shape))?;
        let Some(counted) = counted else { continue };
        let (of_warp, paper) = match variant {
            RhoVariant::First => ("Figs. 8, 9", Some(54.6)),
            RhoVariant::Second => ("Fig. 12", None),
        };
        let occupancy = counted.resident_runners as f64 / held.max(1) as f64;
        for (what, paper, part) in [
            ("lanes at work in the GCDs", paper, counted.gcd_efficiency()),
            (
                "lanes still running, step by step",
                None,
                counted.step_efficiency(),
            ),
            ("threads that fit the device", None, occupancy),
        ] {
            let what = format!("{PART_OF}{what}, {at}");
            enter(session, of_warp, &what, 0.0, paper, Some(100.0 * part));
        }
    }
    Ok(())
}

/// His sequential run, y one step ahead of x, and the library's own way.
fn on_host(session: &mut Session) -> Result<(), Error> {
    let one = RhoShape {
        start: Some(RhoStart::Ahead),
        ..RhoShape::new(1, 1)
    };
    let (time, found) = timed(session, Engine::Cpu, RhoVariant::First, one)?;
    let (here, iterations) = (Some(1e3 * time), Some(found.iterations as f64));
    enter(session, "Fig. 4", ONE_CORE, 0.0, Some(3081.0), here);
    enter(
        session,
        "Section 2.3",
        ITERATIONS,
        0.0,
        Some(54443.0),
        iterations,
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
    let here = Some(1e6 * time.median);
    enter(session, "Fig. 4", LIBRARY, 0.0, None, here);
    Ok(())
}

/// Seconds until a factor is found, the least of a few runs, checked.
fn timed(
    session: &Session,
    engine: Engine,
    variant: RhoVariant,
    shape: RhoShape,
) -> Result<(f64, RhoFound), Error> {
    let n = Int::from(N);
    let mut best = f64::INFINITY;
    let mut found = None;
    for _ in 0..if session.record.quick { 2 } else { 4 } {
        let began = Instant::now();
        found = engine.scope(|| library::published_rho(&n, variant, shape))?;
        best = best.min(began.elapsed().as_secs_f64());
        if found.as_ref().is_none_or(|found| found.factor != P) {
            return Err(refuted("rho as published", engine));
        }
    }
    match found {
        Some(found) => Ok((best, found)),
        None => Err(refuted("rho as published", engine)),
    }
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
        // Four rows of each figure, four ratios, random starts of both variants, and the host.
        assert_eq!(record.reproduced.len(), 3 * 4 + 4 + 2 + 3);
        let iterations = |r: &&Reproduced| r.quantity == ITERATIONS;
        let one = record.reproduced.iter().find(iterations).unwrap();
        assert_eq!((one.paper, one.here), (Some(54443.0), Some(54443.0)));
        let of_conclusion = format!("{OVER_AT}810 × 110");
        assert_eq!(
            [MEAN, ITERATIONS, &of_conclusion].map(unit),
            [" ms", "", ""]
        );
        assert!(
            record
                .reproduced
                .iter()
                .all(|r| r.here.is_some_and(|x| x > 0.0))
        );
    }
}
