//! `wtm`: the experiments of Weber, Trevisan and Martins (2005), Figs. 3 to 6 and Table 1: how many
//! steps the modular algorithm takes, and how small b is. Beside them what the paper's theorems
//! say, and the steps of the algorithms that it names as the best known. Counts, not times, so they
//! are the same on any machine; the CPU engine does the work.

use bezout::{Engine, GcdAlgorithm, Int};
use bezout_lab::measure::{self, Competitor, WeberRun};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Error;
use crate::proof;
use crate::session::{DEFINITION, Session, refuted};

/// A value of n, w or the number of moduli, the mean number of steps, and the mean size of b.
type Row = (u32, f64, f64);

/// log2 n; 2^17 moduli of 32 bits.
pub const FIG_3: [Row; 8] = [
    (8, 17.0, 13.74),
    (9, 33.0, 13.92),
    (10, 65.2, 13.75),
    (11, 129.2, 13.73),
    (12, 257.6, 13.63),
    (13, 513.9, 13.70),
    (14, 1026.2, 13.68),
    (15, 2051.9, 13.73),
];

/// w; n = 2^12, 2^17 moduli.
pub const FIG_4: [Row; 17] = [
    (24, 343.9, 5.68),
    (25, 329.7, 6.64),
    (26, 316.8, 7.69),
    (27, 304.8, 8.68),
    (28, 293.9, 9.63),
    (29, 283.9, 10.65),
    (30, 274.3, 11.73),
    (31, 265.6, 12.71),
    (32, 257.8, 13.75),
    (33, 249.9, 14.69),
    (34, 243.3, 15.68),
    (35, 237.3, 16.65),
    (36, 231.9, 17.72),
    (37, 228.0, 18.73),
    (38, 224.9, 19.72),
    (39, 222.0, 20.69),
    (40, 220.8, 21.64),
];

/// log2 of the number of moduli; n = 2^12, w = 32.
pub const FIG_5: [Row; 13] = [
    (9, 412.4, 22.51),
    (10, 356.2, 20.93),
    (11, 323.7, 19.78),
    (12, 299.6, 18.69),
    (13, 280.8, 17.68),
    (14, 268.0, 16.69),
    (15, 261.7, 15.73),
    (16, 258.4, 14.71),
    (17, 257.6, 13.63),
    (18, 257.1, 12.65),
    (19, 257.0, 11.69),
    (20, 257.0, 10.63),
    (21, 257.0, 9.77),
];

/// log2 n, and the mean number of steps of the accelerated algorithm.
pub const FIG_6: [(u32, f64); 8] = [
    (8, 14.0),
    (9, 28.0),
    (10, 58.5),
    (11, 119.1),
    (12, 237.8),
    (13, 475.6),
    (14, 949.4),
    (15, 1824.7),
];

/// Share of the quotients with up to 15, with 16, 17, ... bits, in percent, for log2 n = 8 to 15.
pub const TABLE_1: [[f64; 8]; 17] = [
    [0.001, 0.000, 0.002, 0.002, 0.000, 0.001, 0.002, 0.004],
    [0.003, 0.003, 0.000, 0.002, 0.002, 0.003, 0.003, 0.002],
    [0.002, 0.002, 0.001, 0.229, 0.003, 0.001, 0.000, 0.005],
    [0.005, 0.012, 0.005, 0.006, 0.003, 0.005, 0.005, 0.005],
    [0.012, 0.019, 0.014, 0.013, 0.009, 0.010, 0.013, 0.017],
    [0.026, 0.018, 0.027, 0.019, 0.023, 0.029, 0.020, 0.022],
    [0.050, 0.054, 0.052, 0.047, 0.053, 0.047, 0.048, 0.044],
    [0.108, 0.105, 0.816, 0.110, 0.092, 0.093, 0.086, 0.105],
    [0.191, 0.217, 0.208, 0.221, 0.202, 0.201, 0.192, 0.218],
    [0.355, 0.385, 0.373, 0.414, 0.392, 0.396, 0.394, 0.397],
    [0.744, 0.791, 0.761, 0.804, 0.787, 0.737, 0.785, 0.779],
    [1.609, 1.632, 1.578, 1.616, 1.557, 1.547, 1.525, 1.540],
    [3.138, 3.166, 3.126, 3.190, 3.153, 3.153, 3.151, 3.088],
    [6.357, 6.316, 6.216, 6.241, 6.237, 6.252, 6.217, 6.144],
    [
        12.471, 12.553, 12.479, 12.411, 12.698, 12.492, 12.492, 12.613,
    ],
    [
        24.940, 24.769, 25.121, 24.862, 24.915, 24.965, 24.917, 25.013,
    ],
    [
        49.989, 49.951, 49.933, 49.976, 49.822, 50.038, 50.095, 49.829,
    ],
];

/// The first row of Table 1 is of up to so many bits.
pub const SMALL_BITS: usize = 15;

/// The paper's figures have no names for these tables.
pub const THEORY: &str = "Theory";
pub const BASIC: &str = "Fig. 1";
pub const COMPETITORS: &str = "Competitors";
pub const THRESHOLD: &str = "Threshold";

/// Bits of the moduli of the basic algorithm: with 32 it would invert 2^16 + n residues an
/// iteration, one by one.
pub const BASIC_WIDTH: u32 = 24;

/// Differences of lengths from which on the accelerated algorithm takes dmod.
const THRESHOLDS: [u64; 10] = [0, 1, 2, 4, 8, 16, 24, 32, 48, 63];

/// Sizes of which the thresholds are tried, for which the paper has ratios over 0.92, and of which
/// the basic algorithm is run.
const THRESHOLD_LOGS: std::ops::RangeInclusive<u32> = 11..=14;
const BASIC_LOGS: std::ops::RangeInclusive<u32> = 8..=11;

/// How many pairs a mean is taken over, for readers of the tables.
pub const NOTE: &str = "Means here are of ten pairs, as in the paper. For numbers of fewer than \
    2^11 bits and for fewer than 2^12 moduli they are of a hundred pairs.";

/// Pairs for each value, as in the paper.
const PAIRS: usize = 10;
/// With few moduli the least of their residues scatters, and the mean of ten pairs by 0.3%; short
/// numbers have few steps, and their mean scatters by as much. So many pairs do better at little
/// cost.
const PAIRS_FEW: usize = 100;
/// Fewer than 2^12 moduli are few, and numbers of fewer than 2^11 bits are short.
const FEW_LOG: u32 = 12;
const SHORT_LOG: u32 = 11;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let quick = session.record.quick;
    let sizes: Vec<_> = FIG_3.iter().filter(|(n, ..)| !quick || *n <= 11).collect();
    let widths: Vec<_> = FIG_4
        .iter()
        .filter(|(w, ..)| !quick || w % 8 == 0)
        .collect();
    let counts: Vec<_> = FIG_5.iter().filter(|(q, ..)| !quick || *q <= 13).collect();
    let of_counts: usize = counts.iter().map(|(log, ..)| pairs_with(*log)).sum();
    let of_sizes: usize = sizes.iter().map(|(log, ..)| pairs_of(*log)).sum();
    // The tables beside the figures are a step for each size.
    session.expect(2 * of_sizes + widths.len() * PAIRS + of_counts + sizes.len());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2005);
    for (log, steps, bits) in sizes {
        let pairs = pairs(pairs_of(*log), 1 << log, &mut rng)?;
        let paper = [*steps, *bits];
        let (means, most) = modular(session, "Fig. 3", &pairs, 32, 17, &mut rng)?;
        enter(session, "Fig. 3", f64::from(*log).exp2(), paper, means);
        accelerated(session, *log, *steps, means[0], &pairs)?;
        session.step(format!("theorems and competitors, 2^{log} bits"));
        theory(session, *log, [means[0], means[1]], most);
        competitors(session, *log, means[0], &pairs)?;
        if THRESHOLD_LOGS.contains(log) {
            thresholds(session, *log, means[0], *steps, &pairs)?;
        }
        if BASIC_LOGS.contains(log) {
            basic(session, *log, &pairs[..PAIRS])?;
        }
    }
    for (width, steps, bits) in widths {
        let pairs = pairs(PAIRS, 1 << 12, &mut rng)?;
        let (means, _) = modular(session, "Fig. 4", &pairs, *width, 17, &mut rng)?;
        enter(session, "Fig. 4", (*width).into(), [*steps, *bits], means);
    }
    for (log, steps, bits) in counts {
        let pairs = pairs(pairs_with(*log), 1 << 12, &mut rng)?;
        let (means, _) = modular(session, "Fig. 5", &pairs, 32, *log, &mut rng)?;
        enter(
            session,
            "Fig. 5",
            f64::from(*log).exp2(),
            [*steps, *bits],
            means,
        );
    }
    Ok(())
}

/// Pairs for a value with 2^log moduli.
fn pairs_with(log: u32) -> usize {
    if log < FEW_LOG { PAIRS_FEW } else { PAIRS }
}

/// Pairs of numbers of 2^log bits.
fn pairs_of(log: u32) -> usize {
    if log < SHORT_LOG { PAIRS_FEW } else { PAIRS }
}

/// So many pairs drawn from 0 to 2^bits − 1.
fn pairs(count: usize, bits: u64, rng: &mut Xoshiro256PlusPlus) -> Result<Vec<(Int, Int)>, Error> {
    let top = Int::ONE << bits;
    let mut draw =
        || Ok::<_, Error>(Engine::Cpu.scope(|| Int::try_random_bits(bits + 1, rng))? - &top);
    (0..count).map(|_| Ok((draw()?, draw()?))).collect()
}

/// Mean steps and mean size of b over the pairs, and the most steps of one, with 2^log moduli of
/// `width` bits. The first pair of Fig. 3 gives Table 1's column.
fn modular(
    session: &mut Session,
    figure: &str,
    pairs: &[(Int, Int)],
    width: u32,
    log: u32,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<([f64; 2], f64), Error> {
    let (mut means, mut most) = ([0.0; 2], 0f64);
    for (k, (a, b)) in pairs.iter().enumerate() {
        let size = a.bit_length().max(b.bit_length());
        session.step(format!("{figure}, {size} bits, 2^{log} moduli of {width}"));
        let watched = figure == "Fig. 3" && k == 0;
        // A step in the first half: near the end, where numbers are short, quotients are not
        // random.
        let watch = watched.then(|| rng.random_range(1..=(size as usize / 32).max(1)));
        let WeberRun { gcd, stats, sizes } =
            Engine::Cpu.scope(|| measure::weber(a, b, width, 1 << log, watch))?;
        check(a, b, &gcd, "weber")?;
        let steps = stats.iterations.unwrap_or(0) as f64;
        let bits = stats.average_b_bits.unwrap_or(0.0);
        most = most.max(steps);
        means = [
            means[0] + steps / pairs.len() as f64,
            means[1] + bits / pairs.len() as f64,
        ];
        if let Some(sizes) = sizes {
            distribution(session, pairs, &sizes);
        }
    }
    Ok((means, most))
}

/// A column of Table 1.
fn distribution(session: &mut Session, pairs: &[(Int, Int)], sizes: &[u64]) {
    // The pairs are of 2^k bits at most, and of ten or more some reach half of that.
    let bits = pairs
        .iter()
        .map(|(a, b)| a.bit_length().max(b.bit_length()))
        .max();
    let n = bits.unwrap_or(0).next_power_of_two();
    let column = (n.ilog2() as usize).checked_sub(8);
    let all: u64 = sizes.iter().sum();
    for (row, shares) in TABLE_1.iter().enumerate() {
        let bits = SMALL_BITS + row;
        let range = if row == 0 { 0..=bits } else { bits..=bits };
        let count: u64 = sizes[range].iter().sum();
        let paper = column.and_then(|c| shares.get(c)).copied();
        let quantity = format!("n = {}", crate::format::size(n));
        let here = 100.0 * count as f64 / all as f64;
        session.reproduce("Table 1", &quantity, bits as f64, paper, Some(here));
    }
}

/// Fig. 6: steps of the accelerated algorithm for the same pairs, and their ratio to the modular
/// algorithm's.
fn accelerated(
    session: &mut Session,
    log: u32,
    paper_steps: f64,
    steps: f64,
    pairs: &[(Int, Int)],
) -> Result<(), Error> {
    let mut mean = 0.0;
    for (a, b) in pairs {
        session.step(format!("Fig. 6, 2^{log} bits"));
        let by = || a.try_gcd_by(b, GcdAlgorithm::Accelerated);
        let (gcd, stats) = Engine::Cpu.scope(by)?;
        check(a, b, &gcd, "accelerated gcd")?;
        mean += stats.iterations.unwrap_or(0) as f64 / pairs.len() as f64;
    }
    let paper = FIG_6
        .iter()
        .find(|(n, _)| *n == log)
        .map(|(_, steps)| *steps);
    let ratio = paper.map(|p| p / paper_steps);
    for (quantity, paper, here) in [("accelerated", paper, mean), ("ratio", ratio, mean / steps)] {
        session.reproduce("Fig. 6", quantity, f64::from(log).exp2(), paper, Some(here));
    }
    Ok(())
}

/// What the theorems and the heuristic model say of numbers of 2^log bits with 2^17 moduli of 32
/// bits, and what was counted.
fn theory(session: &mut Session, log: u32, [steps, bits]: [f64; 2], most: f64) {
    // The largest and the least of the 2^17 largest primes below 2^32.
    const LARGEST: f64 = 4_294_967_291.0;
    const LEAST: f64 = 4_292_056_541.0;
    let n = 1u64 << log;
    let moduli = f64::from(1 << 17);
    // Half of the steps before the middle one have used up a modulus each.
    let middle = moduli - steps / 2.0;
    for (quantity, value) in [
        ("n + 2", measure::most_iterations(n) as f64),
        ("most", most),
        ("average", measure::average_iterations(n, LEAST)),
        ("2n/w", 2.0 * n as f64 / 32.0),
        ("mean", steps),
        ("published b", measure::published_b_bits(middle, LARGEST)),
        ("expected b", measure::expected_b_bits(middle, LARGEST)),
        ("b", bits),
    ] {
        session.reproduce(THEORY, quantity, n as f64, None, Some(value));
    }
}

/// Steps and work of the algorithms that the paper names as the best known, for the same pairs.
fn competitors(
    session: &mut Session,
    log: u32,
    steps: f64,
    pairs: &[(Int, Int)],
) -> Result<(), Error> {
    let x = f64::from(log).exp2();
    let all = Competitor::ALL.map(Some).into_iter().chain([None]);
    session.reproduce(COMPETITORS, "modular", x, None, Some(steps));
    for which in all {
        let (mut mean, mut work) = (0.0, 0.0);
        for (a, b) in pairs {
            let counted = match which {
                Some(which) => measure::gcd_by_competitor(a, b, which),
                None => measure::gcd_accelerated(a, b, 32),
            }?;
            check(
                a,
                b,
                &counted.gcd,
                which.map_or("accelerated", Competitor::name),
            )?;
            mean += counted.iterations as f64 / pairs.len() as f64;
            work += counted.work as f64 / pairs.len() as f64;
        }
        let name = which.map_or("accelerated", Competitor::name);
        session.reproduce(COMPETITORS, name, x, None, Some(mean));
        session.reproduce(COMPETITORS, &format!("{name}, work"), x, None, Some(work));
    }
    Ok(())
}

/// Fig. 6's ratio for every threshold of dmod: the paper does not say which it has.
fn thresholds(
    session: &mut Session,
    log: u32,
    steps: f64,
    paper_steps: f64,
    pairs: &[(Int, Int)],
) -> Result<(), Error> {
    let paper = FIG_6.iter().find(|(n, _)| *n == log);
    let paper = paper.map(|(_, accelerated)| accelerated / paper_steps);
    let quantity = format!("n = 2^{log}");
    for longer in THRESHOLDS {
        let mut mean = 0.0;
        for (a, b) in pairs {
            let counted = measure::gcd_accelerated(a, b, longer)?;
            check(a, b, &counted.gcd, "accelerated gcd")?;
            mean += counted.iterations as f64 / pairs.len() as f64;
        }
        let here = Some(mean / steps);
        session.reproduce(THRESHOLD, &quantity, longer as f64, paper, here);
    }
    Ok(())
}

/// The basic algorithm on integers (Fig. 1) with the worst-case count of moduli: how far theorems 2
/// and 6 and lemma 3 are from being sharp. The least of all pairs counts.
fn basic(session: &mut Session, log: u32, pairs: &[(Int, Int)]) -> Result<(), Error> {
    let x = f64::from(log).exp2();
    let mut all = Vec::new();
    for (a, b) in pairs {
        let (u, v) = if a < b { (b, a) } else { (a, b) };
        let (gcd, done) = measure::weber_basic(u, v, BASIC_WIDTH)?;
        check(a, b, &gcd, "basic modular gcd")?;
        all.push(done);
    }
    let least = |of: &dyn Fn(&measure::WeberBasic) -> f64| all.iter().map(of).reduce(f64::min);
    let mean = |of: &dyn Fn(&measure::WeberBasic) -> f64| {
        Some(all.iter().map(of).sum::<f64>() / all.len() as f64)
    };
    for (quantity, value) in [
        ("moduli", mean(&|done| done.moduli.0 as f64)),
        ("iterations", mean(&|done| done.iterations as f64)),
        ("bits of b", mean(&|done| done.b_bits)),
        ("theorem 2", least(&|done| done.spare_bits)),
        ("lemma 3", least(&|done| done.spare_choice)),
        ("theorem 6", least(&|done| done.spare_product)),
    ] {
        session.reproduce(BASIC, quantity, x, None, value);
    }
    Ok(())
}

fn enter(session: &mut Session, figure: &str, x: f64, paper: [f64; 2], here: [f64; 2]) {
    for ((quantity, paper), here) in ["iterations", "bits of b"].into_iter().zip(paper).zip(here) {
        session.reproduce(figure, quantity, x, Some(paper), Some(here));
    }
}

fn check(a: &Int, b: &Int, gcd: &Int, what: &str) -> Result<(), Error> {
    if !proof::is_gcd(a, b, gcd)? {
        return Err(refuted(what, "cpu", a.bit_length(), DEFINITION));
    }
    Ok(())
}
