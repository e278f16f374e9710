//! `liu-tong`: Figs. 1 to 12 of Liu and Tong's paper on this machine. Odd figures give time against
//! block and grid size, even ones the speed-up over one core against data size. Their limbs have 32
//! bits.

use bezout::Engine;

use crate::Error;
use crate::operation::{Operands, Operation};
use crate::record::{Crossover, Shape, Sweep};
use crate::session::{Session, Timed};

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
    let maps = if session.target.is_some() { 5 } else { 0 };
    session.expect(lines + maps * (BLOCKS.len() * GRIDS.len() + 1));
    for figure in &FIGURES {
        sweep(session, figure, scale)?;
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
    let product =
        "Fig. 11 has no counterpart: the grids of a product's transforms follow from its length";
    session.record.notes.push(product.to_string());
    Ok(())
}

/// Time against block and grid size. A product is several launches, whose grids follow from its
/// length.
fn sweep(session: &mut Session, figure: &Figure, scale: u64) -> Result<(), Error> {
    let operation = figure.operation;
    let Some(target) = session
        .target
        .clone()
        .filter(|_| operation != Operation::Mul)
    else {
        return Ok(());
    };
    let limbs = figure.limbs / scale;
    let mut sets = session.sets(Operands::Random, 32 * limbs)?;
    let reference = session.reference(operation, &mut sets)?;
    if !target.hold(&sets)? {
        return Ok(());
    }
    let own = Shape {
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
    let mut best: Option<(Shape, f64)> = None;
    for block in BLOCKS {
        for grid in GRIDS {
            let shape = Shape {
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
            paper: Shape {
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
