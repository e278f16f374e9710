//! `weber-brew`: Table 2 and Figs. 3 and 4 of Weber and Brew: the modular GCD on a GPU against GMP
//! on one core, the line through its times, and what it foretells for 50 million bits.
//!
//! Times include sending the numbers to the device, their conversion to residues and bringing the
//! result back.

use bezout::{Engine, GcdAlgorithm, Int};
use bezout_lab::measure as library;
use bezout_lab::measure::{WeberCount, WeberOptions, WeberVariant};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Error;
use crate::measure::{self, Clock};
use crate::proof;
use crate::session::{DEFINITION, Session, refuted};

/// Kibit; milliseconds on GTX 980 Ti, GTX 1080, Tesla P100, Tesla V100; of GMP on a Xeon E5-2620.
pub const TABLE_2: [(u64, [f64; 4], f64); 22] = [
    (16, [9.0, 5.0, 8.0, 7.0], 0.6),
    (32, [16.0, 10.0, 15.0, 13.0], 1.7),
    (48, [22.0, 15.0, 20.0, 18.0], 2.6),
    (64, [33.0, 22.0, 27.0, 25.0], 3.8),
    (80, [40.0, 27.0, 33.0, 31.0], 5.0),
    (96, [47.0, 32.0, 40.0, 35.0], 6.5),
    (112, [53.0, 38.0, 47.0, 40.0], 7.9),
    (128, [65.0, 45.0, 54.0, 46.0], 8.7),
    (144, [78.0, 50.0, 61.0, 52.0], 10.9),
    (160, [88.0, 56.0, 85.0, 58.0], 12.9),
    (176, [98.0, 71.0, 98.0, 66.0], 14.9),
    (192, [124.0, 80.0, 112.0, 73.0], 16.3),
    (208, [136.0, 87.0, 124.0, 81.0], 17.8),
    (224, [152.0, 103.0, 138.0, 94.0], 17.9),
    (240, [170.0, 116.0, 152.0, 106.0], 20.1),
    (256, [199.0, 125.0, 164.0, 118.0], 22.5),
    (272, [220.0, 136.0, 177.0, 132.0], 24.1),
    (288, [238.0, 158.0, 189.0, 143.0], 25.6),
    (304, [257.0, 174.0, 199.0, 154.0], 26.5),
    (320, [294.0, 186.0, 230.0, 165.0], 27.3),
    (336, [321.0, 198.0, 261.0, 174.0], 30.6),
    (352, [342.0, 221.0, 276.0, 184.0], 32.9),
];

/// The paper's GPUs, in the order of [`TABLE_2`].
pub const GPUS: [&str; 4] = ["GTX 980 Ti", "GTX 1080", "P100", "V100"];

/// The line is fitted up to this size, in Kibit: beyond it the V100 was full.
pub const LINEAR: u64 = 160;

/// The size that the paper projects to, in bits.
const FAR: u64 = 50_000_000;

/// Pairs of each size, as in the paper.
const PAIRS: usize = 10;

/// The name of the table of the kernel's variants, and the sizes they are timed at, in Kibit.
pub const VARIANTS: &str = "Variants";
const VARIANT_SIZES: [u64; 3] = [16, 64, 352];

/// The name of the table of times by the number of moduli, which `--count` sets.
pub const COUNTS: &str = "Number of moduli";
const COUNTED: [usize; 6] = [12_000, 16_000, 24_000, 32_000, 48_000, 64_000];

/// The name of the table of what a device holds, and the bits of the numbers it is measured with.
pub const HELD: &str = "Moduli held";
const HELD_BITS: u64 = 4096;

/// The name of the table of long numbers, their bits, and the most seconds that one may take.
pub const LONG: &str = "Long numbers";
const LONG_BITS: [u64; 4] = [1 << 20, 1 << 21, 1 << 22, FAR];
const LONG_SECONDS: f64 = 540.0;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let quick = session.record.quick;
    let on_device = session.target.is_some();
    // One core or two take a second for 100 Kibit, and the time grows with the square.
    let last = match (on_device, quick) {
        (true, false) => 352,
        (true, true) => 64,
        (false, false) => 96,
        (false, true) => 16,
    };
    let sizes = TABLE_2
        .iter()
        .filter(|(kibit, ..)| *kibit <= last && (kibit << 10) <= session.max_bits);
    let sizes: Vec<_> = sizes.copied().collect();
    session.expect(sizes.len() + 1 + if on_device { 2 } else { 0 });
    let mut times = Vec::new();
    for (kibit, theirs, gmp) in sizes {
        session.step(format!("{kibit} Kibit"));
        let pairs = pairs(kibit << 10, if on_device { PAIRS } else { 1 })?;
        let engine = session.target.as_ref().map_or(Engine::Cpu, |t| t.engine);
        let ours = timed(session, engine, "weber", &pairs, &|a, b| {
            Ok(a.try_gcd_by(b, GcdAlgorithm::Weber)?.0)
        })?;
        times.push((kibit as f64, 1e3 * ours));
        let core = one_core(session, &pairs)?;
        let x = kibit as f64;
        let figure = "Table 2";
        session.reproduce(figure, "weber", x, Some(theirs[3]), Some(1e3 * ours));
        session.reproduce(figure, "GMP", x, Some(gmp), core.map(|t| 1e3 * t));
        if on_device && VARIANT_SIZES.contains(&kibit) {
            variants(session, engine, kibit, &pairs)?;
            by_count(session, engine, kibit, &pairs)?;
        }
        for (name, time) in GPUS.into_iter().zip(theirs).take(3) {
            session.reproduce(figure, name, x, Some(time), None);
        }
    }
    let held = match session.target.as_ref().map(|target| target.engine) {
        Some(engine) => {
            session.step("moduli that the device holds".to_string());
            let held = held(session, engine)?;
            session.step(format!("up to {FAR} bits"));
            long(session, engine)?;
            held
        }
        None => None,
    };
    session.step(format!("projection to {FAR} bits"));
    project(session, &times, held)
}

/// Moduli that a device holds at once, with the time of a step; how many it holds at one per
/// thread. Every count is run, and its answer checked.
fn held(session: &mut Session, engine: Engine) -> Result<Option<u64>, Error> {
    let Engine::Cuda(number) = engine else {
        return Ok(None);
    };
    let all = engine.scope(|| library::weber_capacities(&bezout::cuda::device(number)?))?;
    let few = if session.record.quick { 2 } else { all.len() };
    let (a, b) = pairs(HELD_BITS, 1)?.swap_remove(0);
    for capacity in &all[..few] {
        let options = WeberOptions {
            bits: 32,
            count: WeberCount::Exactly(capacity.moduli as usize),
        };
        let mut steps = None;
        let work = &mut || {
            let (g, stats) = library::weber_by(&a, &b, options)?;
            g.try_fetch()?;
            steps = stats.iterations;
            Ok(g)
        };
        let (time, g) = measure::time_on(engine, &session.effort, Clock::Host, work)?;
        if !g.map_or(Ok(true), |g| proof::is_gcd(&a, &b, &g))? {
            return Err(refuted("weber", &engine.to_string(), HELD_BITS, DEFINITION));
        }
        let step = steps.map(|steps| 1e6 * time.median / steps as f64);
        for (quantity, here) in [
            ("moduli", Some(capacity.moduli as f64)),
            ("blocks", Some(capacity.blocks.into())),
            ("bits", Some(capacity.bits as f64)),
            ("µs per step", step),
        ] {
            session.reproduce(HELD, quantity, capacity.items.into(), None, here);
        }
    }
    Ok(all.first().map(|capacity| capacity.moduli))
}

/// Seconds for long numbers, 50 million bits at last where they are expected to take nine minutes
/// at most. Where the device is full, steps and the time of a step grow with the numbers, so the
/// time grows like n times the number of moduli.
fn long(session: &mut Session, engine: Engine) -> Result<(), Error> {
    let work = |bits: u64| bits as f64 * library::weber_moduli(bits, WeberCount::Auto) as f64;
    let mut known: Option<(u64, f64)> = None;
    let (quick, most) = (session.record.quick, session.max_bits);
    for bits in LONG_BITS.into_iter().filter(|bits| !quick && *bits <= most) {
        let expected = known.map_or(0.0, |(before, seconds)| seconds * work(bits) / work(before));
        if expected > LONG_SECONDS {
            break;
        }
        let seconds = one_long(engine, bits)?;
        session.reproduce(LONG, "s", bits as f64, None, Some(seconds));
        known = Some((bits, seconds));
    }
    let far = known.map(|(bits, seconds)| seconds * work(FAR) / work(bits));
    let measured = known.is_some_and(|(bits, _)| bits == FAR);
    let name = if measured {
        "modular GCD of 50 Mbit, measured, in s"
    } else {
        "modular GCD of 50 Mbit on one device, estimated from the longest run, in s"
    };
    session.reproduce("Fig. 4", name, 0.0, None, far);
    Ok(())
}

/// Seconds of one gcd, checked against another algorithm's.
fn one_long(engine: Engine, bits: u64) -> Result<f64, Error> {
    let (a, b) = pairs(bits, 1)?.swap_remove(0);
    engine.scope(|| {
        let begin = std::time::Instant::now();
        let (g, _) = a.try_gcd_by(&b, GcdAlgorithm::Weber)?;
        g.try_fetch()?;
        let seconds = begin.elapsed().as_secs_f64();
        let (expected, _) = a.try_gcd_by(&b, GcdAlgorithm::Auto)?;
        if g != expected {
            let engine = engine.to_string();
            return Err(refuted("weber", &engine, bits, "another algorithm"));
        }
        Ok(seconds)
    })
}

fn pairs(bits: u64, count: usize) -> Result<Vec<(Int, Int)>, Error> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(bits);
    let mut draw = || Engine::Cpu.scope(|| Int::try_random_bits(bits, &mut rng));
    (0..count).map(|_| Ok((draw()?, draw()?))).collect()
}

/// Milliseconds of every variant of the kernel, for one pair, every result checked.
fn variants(
    session: &mut Session,
    engine: Engine,
    kibit: u64,
    pairs: &[(Int, Int)],
) -> Result<(), Error> {
    for (name, variant) in WeberVariant::ALL {
        let time = timed(session, engine, name, pairs, &|a, b| {
            Ok(library::weber_variant(a, b, variant)?.0)
        })?;
        session.reproduce(VARIANTS, name, kibit as f64, None, Some(1e3 * time));
    }
    Ok(())
}

/// Milliseconds by the number of moduli, from those that the paper's estimate has down to those
/// that the steps use up.
fn by_count(
    session: &mut Session,
    engine: Engine,
    kibit: u64,
    pairs: &[(Int, Int)],
) -> Result<(), Error> {
    let bits = kibit << 10;
    let [least, most] =
        [WeberCount::Auto, WeberCount::Estimated].map(|count| library::weber_moduli(bits, count));
    let between = COUNTED
        .into_iter()
        .filter(|count| (least..most).contains(count));
    // Of short numbers there are no fewer.
    let both = [least, most].into_iter().filter(|_| least < most);
    for count in both.chain(between) {
        let options = WeberOptions {
            bits: 32,
            count: WeberCount::Exactly(count),
        };
        let time = timed(session, engine, "weber", pairs, &|a, b| {
            Ok(library::weber_by(a, b, options)?.0)
        })?;
        let name = format!("{kibit} Kibit, ms");
        session.reproduce(COUNTS, &name, count as f64, None, Some(1e3 * time));
    }
    Ok(())
}

/// Seconds for one pair by `gcd`, which is called with the greater number first. Every result is
/// checked.
fn timed(
    session: &Session,
    engine: Engine,
    name: &str,
    pairs: &[(Int, Int)],
    gcd: &dyn Fn(&Int, &Int) -> bezout::Result<Int>,
) -> Result<f64, Error> {
    let count = pairs.len();
    let mut answers = vec![None; count];
    let time = engine.scope(|| {
        measure::time(&session.effort, Clock::Host, count, &mut |k| {
            let (a, b) = &pairs[k % count];
            let (a, b) = if a < b { (b, a) } else { (a, b) };
            // Copies from an earlier call would spare the transfers.
            a.try_drop_device()?;
            b.try_drop_device()?;
            let g = gcd(a, b)?;
            g.try_fetch()?;
            answers[k % count] = Some(g);
            Ok(())
        })
    })?;
    for ((a, b), answer) in pairs.iter().zip(answers) {
        if !answer.map_or(Ok(true), |g| proof::is_gcd(a, b, &g))? {
            let engine = engine.to_string();
            return Err(refuted(name, &engine, a.bit_length(), DEFINITION));
        }
    }
    Ok(time.median)
}

/// Seconds of GMP on one core; none where it is not built in.
#[cfg(feature = "gmp")]
fn one_core(session: &Session, pairs: &[(Int, Int)]) -> Result<Option<f64>, Error> {
    use rug::Assign;
    let copy = |x: &Int| rug::Integer::from_digits(x.limbs(), rug::integer::Order::Lsf);
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| (copy(a), copy(b))).collect();
    let mut out = rug::Integer::new();
    let time = measure::time(&session.effort, Clock::Host, pairs.len(), &mut |k| {
        let (a, b) = &pairs[k % pairs.len()];
        out.assign(a.gcd_ref(b));
        std::hint::black_box(&out);
        Ok(())
    })?;
    Ok(Some(time.median))
}

/// Seconds of GMP on one core; none where it is not built in.
#[cfg(not(feature = "gmp"))]
fn one_core(_session: &Session, _pairs: &[(Int, Int)]) -> Result<Option<f64>, Error> {
    Ok(None)
}

/// Fig. 4's line and section 5's projection, theirs and ours.
fn project(session: &mut Session, times: &[(f64, f64)], held: Option<u64>) -> Result<(), Error> {
    let linear: Vec<_> = times
        .iter()
        .copied()
        .filter(|(x, _)| *x <= LINEAR as f64)
        .collect();
    let line = fit(&linear);
    let far = FAR as f64 / 1024.0;
    let enter = |session: &mut Session, quantity, paper, here| {
        session.reproduce("Fig. 4", quantity, 0.0, Some(paper), here);
    };
    enter(
        session,
        "slope in ms per Kibit",
        0.35,
        line.map(|(slope, _)| slope),
    );
    enter(
        session,
        "intercept in ms",
        1.62,
        line.map(|(_, start)| start),
    );
    let projected = line.map(|(slope, start)| 1e-3 * (slope * far + start));
    enter(
        session,
        "modular GCD of 50 Mbit, projected, in s",
        17.0,
        projected,
    );
    let gmp = if session.record.quick {
        None
    } else {
        one_core(session, &pairs(FAR, 1)?)?
    };
    enter(session, "GMP at 50 Mbit in s", 17.0, gmp);
    let moduli = library::weber_moduli(FAR, WeberCount::Estimated) as f64;
    enter(
        session,
        "moduli for 50 Mbit, in millions",
        7.27,
        Some(1e-6 * moduli),
    );
    // One modulus per thread, before a step does more than one inverse after the other.
    let held = held.map(|held| held as f64);
    enter(session, "moduli one GPU holds", 35_000.0, held);
    enter(
        session,
        "GPUs for 50 Mbit",
        210.0,
        held.map(|h| (moduli / h).ceil()),
    );
    Ok(())
}

/// Slope and intercept of the line with the least squares; none for fewer than two points.
pub fn fit(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let sum = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>();
    let (x, y) = (sum(|p| p.0) / n, sum(|p| p.1) / n);
    let spread = sum(|p| p.0 * p.0) / n - x * x;
    let slope = (sum(|p| p.0 * p.1) / n - x * y) / spread;
    (points.len() >= 2).then_some((slope, y - slope * x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_line_comes_out_of_the_papers_table() {
        let points: Vec<_> = TABLE_2
            .iter()
            .filter(|(kibit, ..)| *kibit <= LINEAR)
            .map(|(kibit, gpus, _)| (*kibit as f64, gpus[3]))
            .collect();
        let (slope, start) = fit(&points).unwrap();
        assert!(
            (slope - 0.35).abs() < 0.005 && (start - 1.62).abs() < 0.3,
            "{slope} {start}"
        );
        assert!(fit(&points[..1]).is_none());
    }
}
