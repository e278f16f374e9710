//! `liu-tong`: Figs. 1 to 12 of Liu and Tong's paper on this machine. Odd figures give time against
//! block and grid size, even ones the speed-up over one core against data size. Their limbs have 32
//! bits.
//!
//! Beside the library's operations stand theirs as they published them: sums and differences whose
//! carries single threads walk, a shift by way of a carry buffer, and the product in floating
//! point, whose wrong bits are counted.

use bezout::{Engine, Int};
use bezout_lab::measure::{PublishedOp, published_linear, published_product};
use bezout_lab::model::Tuning;

use crate::Error;
use crate::measure::{self, Clock};
use crate::operation::{Answer, Operands, Operation};
use crate::record::{Crossover, LaunchShape, Sweep};
use crate::session::{Session, Target, Timed};

/// What the paper says of one operation.
struct Figure {
    operation: Operation,
    /// Its figure of block and grid sizes; the next one is that of data sizes.
    number: u32,
    /// Limbs in the first.
    limbs: u64,
    /// Best block and grid.
    best: (u32, u32),
    /// Limbs from which their GPU was faster than GMP on one core.
    crossover: u64,
}

const FIGURES: [Figure; 6] = [
    figure(Operation::And, 1, 33000, (256, 12000), 262_144),
    figure(Operation::Add, 3, 21000, (64, 12000), 65_536),
    figure(Operation::Sub, 5, 21000, (128, 45000), 65_536),
    figure(Operation::Popcount, 7, 45000, (64, 12000), 65_536),
    figure(Operation::Fill, 9, 45000, (256, 24000), 65_536),
    figure(Operation::Mul, 11, 1024, (128, 2400), 65_536),
];

const fn figure(
    operation: Operation,
    number: u32,
    rows: u64,
    best: (u32, u32),
    crossover: u64,
) -> Figure {
    Figure {
        operation,
        number,
        limbs: 256 * rows,
        best,
        crossover,
    }
}

const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];
/// The paper's grids, and as many blocks as are resident at once.
const GRIDS: [Option<u32>; 5] = [Some(2400), Some(12000), Some(24000), Some(45000), None];

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let quick = session.record.quick;
    let scale = if quick { 64 } else { 1 };
    let logs = if quick { 10..=15 } else { 10..=24 };
    // A product of the largest size takes a core a minute.
    let last = |operation| if operation == Operation::Mul { 20 } else { 24 };
    let sizes = |operation| logs.clone().filter(move |log| *log <= last(operation));
    let lines: usize = FIGURES.iter().map(|f| sizes(f.operation).count()).sum();
    // Every second size is enough for theirs.
    let theirs = logs.clone().step_by(2);
    let (maps, beside) = match session.target {
        Some(_) => (5, theirs.clone().count() * PUBLISHED.len()),
        None => (0, 0),
    };
    let passes = if maps > 0 { 1 + NTT_SHAPES } else { 0 };
    let products = if maps > 0 {
        2 * sizes(Operation::Mul).count()
    } else {
        0
    };
    let side_by_side = if maps > 0 {
        2 * sizes(Operation::Mul).step_by(2).count()
    } else {
        0
    };
    let shapes = maps * (BLOCKS.len() * GRIDS.len() + 1);
    session.expect(lines + shapes + beside + passes + products + side_by_side);
    for figure in &FIGURES {
        if figure.operation == Operation::Mul {
            sweep_product(session, figure, scale)?;
        } else {
            sweep(session, figure, scale)?;
        }
    }
    for figure in &FIGURES {
        for log in sizes(figure.operation) {
            session.step(format!("{} 2^{log} limbs", figure.operation.name()));
            let operands = match figure.operation {
                Operation::Mul => Operands::Product,
                _ => Operands::Random,
            };
            let mut sets = session.sets(operands, 32 << log)?;
            session.operation(figure.operation, &mut sets, Timed::Alone)?;
        }
        crossovers(session, figure);
    }
    if let Some(target) = session.target.clone() {
        for log in theirs {
            published(session, &target, 32 << log)?;
        }
        for log in sizes(Operation::Mul) {
            published_products(session, &target, 32 << log)?;
        }
        for log in sizes(Operation::Mul).step_by(2) {
            on_streams(session, &target, 32 << log)?;
        }
        session.record.notes.extend(NOTES.map(String::from));
    }
    Ok(())
}

/// How what is measured here differs from the paper.
const NOTES: [&str; 4] = [
    "Fig. 11 by threads of a block and least blocks of a pass (ntt_block, ntt_blocks): a product \
     is several launches, and a pass of more work than that has more blocks",
    "'as published': limbs of 32 bits, one thread for each, 256 threads a block. Subtraction walks \
     borrows (III.E), not a complement (IV.D)",
    "The published shift adds its two buffers by the published sum, two kernels, though no carry \
     can arise",
    "The published product has digits of 8 bits and a transform of our own in place of CUFFT; the \
     paper gives neither its digits nor its precision",
];

/// Operands of operations that are measured as published, and ours beside them.
const PUBLISHED: [(Operands, Operation, PublishedOp); 4] = [
    (Operands::Random, Operation::Add, PublishedOp::Add),
    (Operands::Random, Operation::Sub, PublishedOp::Sub),
    (
        Operands::Random,
        Operation::ShiftLeft1,
        PublishedOp::ShiftLeft(1),
    ),
    (Operands::Carry, Operation::AddCarry, PublishedOp::Add),
];

/// The longest carry, in bits, that is walked: one thread takes a second for four times as many.
const WALKED: u64 = 32 << 18;

/// Ours and theirs at one size, both queued: the device's own time.
fn published(session: &mut Session, target: &Target, bits: u64) -> Result<(), Error> {
    for (operands, operation, op) in PUBLISHED {
        session.step(format!("{} as published", operation.name()));
        if operands == Operands::Carry && bits > WALKED {
            continue;
        }
        let mut sets = session.sets(operands, bits)?;
        let reference = session.reference(operation, &mut sets)?;
        if !target.put_on_device(&sets)? {
            continue;
        }
        let clock = Clock::Events(&target.device);
        let ours = |a: &Int, b: &Int| operation.apply(a, b, bits);
        let theirs = |a: &Int, b: &Int| {
            published_linear(&target.device, op, a, b, None, None).map(Answer::Value)
        };
        let works: [(&str, Work<'_>); 2] = [("queued", &ours), ("as published", &theirs)];
        for (way, work) in works {
            let engine = target.engine;
            let time = session.verified(operation, engine, clock, &sets, &reference, work)?;
            session.enter(operation, engine, None, &sets, time, &reference);
            if let Some(entered) = session.record.measurements.last_mut() {
                entered.engine = format!("{engine}, {way}");
            }
        }
    }
    Ok(())
}

type Work<'a> = &'a dyn Fn(&Int, &Int) -> bezout::Result<Answer<Int>>;

/// Time of the published product, and bits and limbs of it that are wrong.
fn published_products(session: &mut Session, target: &Target, bits: u64) -> Result<(), Error> {
    let sets = session.sets(Operands::Product, bits)?;
    let held = target.put_on_device(&sets)?;
    let count = sets.pairs.len();
    let exact = |(a, b): &(Int, Int)| Engine::Cpu.scope(|| a.try_mul(b));
    let exact: Vec<Int> = (sets.pairs.iter())
        .map(exact)
        .collect::<bezout::Result<_>>()?;
    for (precision, double) in [("single", false), ("double", true)] {
        session.step(format!("mul as published, {precision}"));
        if !held {
            continue;
        }
        let mut found = vec![None; count];
        let clock = Clock::Synchronized(&target.device);
        let time = measure::time(&session.effort, clock, count, &mut |k| {
            let (a, b) = &sets.pairs[k % count];
            found[k % count] = Some(published_product(&target.device, a, b, double)?);
            Ok(())
        })?;
        let mut wrong = Wrong::default();
        for (found, exact) in found.iter().zip(&exact) {
            if let Some(found) = found {
                wrong.count(&found.try_abs()?, exact)?;
            }
        }
        let limbs = bits as f64 / 32.0;
        let products = wrong.products.max(1) as f64;
        for (quantity, value) in [
            ("seconds", time.median),
            ("wrong bits", wrong.bits as f64 / products),
            ("wrong limbs", wrong.limbs as f64 / products),
        ] {
            let quantity = format!("published product, {precision}: {quantity}");
            session.reproduce("III.F", &quantity, limbs, None, Some(value));
        }
    }
    Ok(())
}

/// Independent operations that are asked for together.
const INDEPENDENT: usize = 64;

/// Independent sums and products of one size, on one stream and on several (IV.C and V).
fn on_streams(session: &mut Session, target: &Target, bits: u64) -> Result<(), Error> {
    let sets = session.sets(Operands::Product, bits)?;
    let held = target.put_on_device(&sets)?;
    let pair = |k: &usize| &sets.pairs[k % sets.pairs.len()];
    let numbers: Vec<usize> = (0..INDEPENDENT).collect();
    type Work = fn(&Int, &Int) -> bezout::Result<Int>;
    type AllWork<'a> = &'a dyn Fn() -> bezout::Result<Vec<Int>>;
    let works: [(&str, Work); 2] = [("sums", Int::try_add), ("products", Int::try_mul)];
    for (name, work) in works {
        session.step(format!("{INDEPENDENT} {name} on streams"));
        if !held {
            continue;
        }
        let one = |k: &usize| work(&pair(k).0, &pair(k).1);
        let in_turn = || {
            numbers
                .iter()
                .map(one)
                .collect::<bezout::Result<Vec<Int>>>()
        };
        let exact = Engine::Cpu.scope(in_turn)?;
        let at_once = || bezout::engine::concurrently(&numbers, one);
        let ways: [(&str, AllWork<'_>); 2] = [("one stream", &in_turn), ("streams", &at_once)];
        for (way, work) in ways {
            let clock = Clock::Synchronized(&target.device);
            let mut found = Vec::new();
            let time = target.engine.scope(|| {
                measure::time(&session.effort, clock, 1, &mut |_| {
                    found = work()?;
                    Ok(())
                })
            })?;
            if found != exact {
                return Err(Error::Verification {
                    operation: format!("{INDEPENDENT} {name}, {way}"),
                    engine: target.engine.to_string(),
                    bits,
                    oracle: "the CPU".into(),
                });
            }
            let quantity = format!("{INDEPENDENT} {name}, {way}: seconds");
            session.reproduce(
                "IV.C",
                &quantity,
                bits as f64 / 32.0,
                None,
                Some(time.median),
            );
        }
    }
    Ok(())
}

/// What is wrong in so many products together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wrong {
    products: u64,
    bits: u64,
    /// Limbs of 32 bits.
    limbs: u64,
}

impl Wrong {
    fn count(&mut self, found: &Int, exact: &Int) -> Result<(), Error> {
        let (found, exact) = (found.try_limbs()?, exact.try_limbs()?);
        for i in 0..found.len().max(exact.len()) {
            let limb = |limbs: &[u64]| limbs.get(i).copied().unwrap_or(0);
            let differ = limb(found) ^ limb(exact);
            self.bits += u64::from(differ.count_ones());
            self.limbs += u64::from(differ as u32 != 0) + u64::from(differ >> 32 != 0);
        }
        self.products += 1;
        Ok(())
    }
}

/// Threads of a block, and least blocks of a pass, of a product's transforms. Their registers allow
/// no more than 256 threads.
const NTT_BLOCKS: [u32; 3] = [64, 128, 256];
const NTT_GRIDS: [u32; 6] = [66, 132, 264, 528, 1056, 2400];
const NTT_SHAPES: usize = NTT_BLOCKS.len() * NTT_GRIDS.len();

/// Fig. 11: the time of a product by the shape of its passes.
fn sweep_product(session: &mut Session, figure: &Figure, scale: u64) -> Result<(), Error> {
    let Some(target) = session.target.clone() else {
        return Ok(());
    };
    let operation = figure.operation;
    let limbs = figure.limbs / scale;
    let mut sets = session.sets(Operands::Product, 32 * limbs)?;
    let reference = session.reference(operation, &mut sets)?;
    if !target.put_on_device(&sets)? {
        return Ok(());
    }
    let engine = target.engine;
    let clock = Clock::Events(&target.device);
    let work = |a: &Int, b: &Int| operation.apply(a, b, 32 * limbs);
    let mut timed = |shape: LaunchShape, tuning: Tuning| {
        session.step(format!("{} in shape", operation.name()));
        let time = tuning
            .scope(|| session.verified(operation, engine, clock, &sets, &reference, &work))?;
        session.enter(operation, engine, Some(shape), &sets, time, &reference);
        Ok::<f64, Error>(time.median)
    };
    let own = LaunchShape {
        block: None,
        grid: None,
    };
    let own_time = timed(own, Tuning::current())?;
    let mut best: Option<(LaunchShape, f64)> = None;
    for block in NTT_BLOCKS {
        for grid in NTT_GRIDS {
            let values = [
                ("ntt_block", u64::from(block)),
                ("ntt_blocks", u64::from(grid)),
            ];
            let shape = LaunchShape {
                block: Some(block),
                grid: Some(grid),
            };
            let time = timed(shape, Tuning::current().with(&values)?)?;
            if best.is_none_or(|(_, least)| time < least) {
                best = Some((shape, time));
            }
        }
    }
    if let Some((best, best_time)) = best {
        session.record.sweeps.push(Sweep {
            operation: operation.name().to_string(),
            figure: figure.number,
            limbs,
            best,
            best_time,
            own_time,
            paper: LaunchShape {
                block: Some(figure.best.0),
                grid: Some(figure.best.1),
            },
        });
    }
    Ok(())
}

/// Time against block and grid size.
fn sweep(session: &mut Session, figure: &Figure, scale: u64) -> Result<(), Error> {
    let operation = figure.operation;
    let Some(target) = session.target.clone() else {
        return Ok(());
    };
    let limbs = figure.limbs / scale;
    let mut sets = session.sets(Operands::Random, 32 * limbs)?;
    let reference = session.reference(operation, &mut sets)?;
    if !target.put_on_device(&sets)? {
        return Ok(());
    }
    let own = LaunchShape {
        block: None,
        grid: None,
    };
    session.step(format!("{} own shape", operation.name()));
    let own_time = session.shaped(operation, &target, own, &sets, &reference)?;
    session.enter(
        operation,
        target.engine,
        Some(own),
        &sets,
        own_time,
        &reference,
    );
    let mut best: Option<(LaunchShape, f64)> = None;
    for block in BLOCKS {
        for grid in GRIDS {
            let shape = LaunchShape {
                block: Some(block),
                grid,
            };
            session.step(format!("{} block {block}", operation.name()));
            let time = session.shaped(operation, &target, shape, &sets, &reference)?;
            session.enter(
                operation,
                target.engine,
                Some(shape),
                &sets,
                time,
                &reference,
            );
            if best.is_none_or(|(_, least)| time.median < least) {
                best = Some((shape, time.median));
            }
        }
    }
    if let Some((best, best_time)) = best {
        session.record.sweeps.push(Sweep {
            operation: operation.name().to_string(),
            figure: figure.number,
            limbs,
            best,
            best_time,
            own_time: own_time.median,
            paper: LaunchShape {
                block: Some(figure.best.0),
                grid: Some(figure.best.1),
            },
        });
    }
    Ok(())
}

/// Where each engine overtakes each library on one core.
fn crossovers(session: &mut Session, figure: &Figure) {
    let mut engines = vec![Engine::Cpu];
    engines.extend(session.target.as_ref().map(|t| t.engine));
    for engine in engines.iter().map(Engine::to_string) {
        for baseline in ["malachite", "GMP"] {
            let points = session.record.measurements.iter().filter(|m| {
                m.operation == figure.operation.name() && m.engine == engine && m.shape.is_none()
            });
            let points: Vec<(f64, f64)> = points
                .filter_map(|m| Some((m.bits as f64 / 32.0, m.baseline(baseline)?.ratio)))
                .collect();
            if points.is_empty() {
                continue;
            }
            let (limbs, always) = crossover(&points);
            session.record.crossovers.push(Crossover {
                operation: figure.operation.name().to_string(),
                engine: engine.clone(),
                baseline: baseline.to_string(),
                figure: figure.number + 1,
                limbs,
                always,
                paper_limbs: figure.crossover,
            });
        }
    }
}

/// The size from which the speed-up stays above 1, between the last size where it is not and the
/// next by a straight line in both logarithms; and whether it is above 1 at every size. `points` go
/// by size.
fn crossover(points: &[(f64, f64)]) -> (Option<f64>, bool) {
    match points.iter().rposition(|(_, ratio)| *ratio <= 1.0) {
        None => (points.first().map(|(size, _)| *size), true),
        Some(last) if last + 1 == points.len() => (None, false),
        Some(last) => {
            let ((x0, y0), (x1, y1)) = (points[last], points[last + 1]);
            let part = -y0.ln() / (y1.ln() - y0.ln());
            (Some(x0 * (x1 / x0).powf(part)), false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_bits_and_limbs_are_counted() {
        let mut wrong = Wrong::default();
        let exact = Int::from(1) << 100;
        wrong.count(&exact, &exact).unwrap();
        wrong.count(&(&exact + 3), &exact).unwrap();
        let counted = Wrong {
            products: 2,
            bits: 2,
            limbs: 1,
        };
        assert_eq!(wrong, counted);
    }

    /// The kernels on the host CPU stand in for a GPU.
    #[test]
    fn published_operations_stand_beside_ours() {
        let executor = Engine::Cuda(bezout::engine::EXECUTOR);
        if !Engine::usable().contains(&executor) {
            println!("not run: there is no executor here");
            return;
        }
        executor.scope(|| {
            let mut session = Session::begin("liu-tong", true, true).unwrap();
            let target = session.target.clone().unwrap();
            published(&mut session, &target, 1 << 17).unwrap();
            published_products(&mut session, &target, 1 << 17).unwrap();
            let engines: Vec<&str> = (session.record.measurements.iter())
                .map(|m| m.engine.as_str())
                .collect();
            let both = ["cuda:executor, queued", "cuda:executor, as published"];
            assert_eq!(engines, both.repeat(PUBLISHED.len()));
            let wrong = |precision: &str| {
                let name = format!("published product, {precision}: wrong bits");
                let mut all = session.record.reproduced.iter();
                all.find(|r| r.quantity == name).unwrap().here.unwrap()
            };
            assert_eq!(wrong("double"), 0.0);
            assert!(wrong("single") > 0.0);
        });
    }

    #[test]
    fn crossovers_lie_between_the_sizes_around_them() {
        let (limbs, always) = crossover(&[(1024.0, 0.25), (4096.0, 4.0)]);
        assert!((limbs.unwrap() - 2048.0).abs() < 1e-6 && !always);
        assert_eq!(
            crossover(&[(1024.0, 2.0), (2048.0, 3.0)]),
            (Some(1024.0), true)
        );
        assert_eq!(crossover(&[(1024.0, 2.0), (2048.0, 0.9)]), (None, false));
        // Noise above 1 at a small size does not count: what stays above does.
        let (limbs, _) = crossover(&[(1.0, 1.1), (4.0, 0.5), (16.0, 2.0)]);
        assert!((limbs.unwrap() - 8.0).abs() < 1e-9);
    }
}
