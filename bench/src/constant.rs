//! `constant`: digits of constants as text in memory, and a long factorial, on the CPU and on a
//! device.
//!
//! Digits are compared with published ones where these are known, and with those of a second
//! formula up to a length. How often each digit is among those of π is published too, and compared
//! up to 10^10 digits. A factorial's digits are compared with a product modulo a prime.

use std::f64::consts::LOG2_10;
use std::time::Instant;

use bezout::constant::{Constant, Digits};
use bezout::{Engine, Int};
use rayon::prelude::*;

use crate::Error;
use crate::measure;
use crate::record::{ClockKind, Measurement, Reproduced};
use crate::session::{DEFINITION, Session, refuted};

/// Digits that a second formula confirms at most: it takes longer than the first.
const MOST_VERIFIED: u64 = 100_000_000;
/// Turns of each, the best of which stands; one where a turn takes this many seconds.
const TURNS: usize = 3;
const LONG_SECONDS: f64 = 4.0;

/// From so many digits on, one turn must do: it takes minutes.
const ONE_TURN: u64 = 10_000_000_000;
/// Bytes of a device's memory for so many: the peak is 117 GB.
const ONE_TURN_BYTES: u64 = 125_000_000_000;

/// The constants that are measured, and the most digits of each on a CPU and on a device.
const CONSTANTS: [(Constant, u64, u64); 4] = [
    (Constant::Pi, 10_000_000, 10_000_000_000),
    (Constant::E, 1_000_000, 100_000_000),
    (Constant::Ln2, 1_000_000, 100_000_000),
    (Constant::Zeta3, 1_000_000, 100_000_000),
];

/// Digits of π and the last ten of them, as published by many. Longer texts have them within.
const ENDS: [(u64, &str); 5] = [
    (100_000, "5493624646"),
    (1_000_000, "5779458151"),
    (10_000_000, "5348955897"),
    (100_000_000, "0187751592"),
    (1_000_000_000, "5275045519"),
];

/// Digits of π behind the point, and how often 0, 1, …, 9 are among them (OEIS A099291 to A099300).
const COUNTS: [(u64, [u64; 10]); 5] = [
    (
        1_000_000,
        [
            99_959, 99_758, 100_026, 100_229, 100_230, 100_359, 99_548, 99_800, 99_985, 100_106,
        ],
    ),
    (
        10_000_000,
        [
            999_440, 999_333, 1_000_306, 999_964, 1_001_093, 1_000_466, 999_337, 1_000_207,
            999_814, 1_000_040,
        ],
    ),
    (
        100_000_000,
        [
            9_999_922, 10_002_475, 10_001_092, 9_998_442, 10_003_863, 9_993_478, 9_999_417,
            9_999_610, 10_002_180, 9_999_521,
        ],
    ),
    (
        1_000_000_000,
        [
            99_993_942,
            99_997_334,
            100_002_410,
            99_986_911,
            100_011_958,
            99_998_885,
            100_010_387,
            99_996_061,
            100_001_839,
            100_000_273,
        ],
    ),
    (
        10_000_000_000,
        [
            999_967_995,
            1_000_037_790,
            1_000_017_271,
            999_976_483,
            999_937_688,
            1_000_007_928,
            999_985_731,
            1_000_041_330,
            999_991_772,
            1_000_036_012,
        ],
    ),
];

/// Digits that one thread counts in a row.
const COUNTED: usize = 1 << 20;

/// Factorials, by their numbers.
const FACTORIAL: &str = "n! to text, of n";
const FACTORIALS: [u64; 2] = [1_000_000, 10_000_000];
/// A prime above all of them.
const PRIME: u64 = 1_000_000_007;

/// y-cruncher 0.7.1 on an i7-5960X, as its author published it: digits of π and seconds.
const Y_CRUNCHER: (&str, u64, f64) = ("y-cruncher, i7-5960X", 1_000_000_000, 48.6);

/// The figure of times by stage, and digits of π that are timed so: on a device, and without one.
const STAGES: &str = "stages of pi, seconds";
const STAGED: [&[u64]; 2] = [&[100_000_000, 1_000_000_000], &[10_000_000]];

/// What is measured of a constant.
pub fn operation(constant: Constant) -> String {
    format!("{constant}, digits")
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let (quick, device) = (session.record.quick, session.target.clone());
    let mut engines = vec![Engine::Cpu];
    engines.extend(device.iter().map(|target| target.engine));
    let sizes: &[u64] = if quick {
        &[1000]
    } else {
        &[
            100_000,
            1_000_000,
            10_000_000,
            100_000_000,
            1_000_000_000,
            ONE_TURN,
        ]
    };
    let memory = device
        .as_ref()
        .map_or(0, |target| target.device.info().memory_bytes);
    let fits = |digits: u64| digits < ONE_TURN || memory >= ONE_TURN_BYTES;
    let mut all = Vec::new();
    for (constant, on_cpu, on_device) in CONSTANTS {
        for digits in sizes {
            for engine in &engines {
                let most = if *engine == Engine::Cpu {
                    on_cpu
                } else {
                    on_device
                };
                let bits = (*digits as f64 * LOG2_10) as u64;
                if *digits <= most && bits <= session.max_bits && fits(*digits) {
                    all.push((constant, *digits, *engine));
                }
            }
        }
    }
    let factorials: &[u64] = if quick { &[1000] } else { &FACTORIALS };
    session.expect(all.len() + factorials.len() * engines.len());
    for (constant, digits, engine) in all {
        session.step(format!("{constant}, {digits} digits, {engine}"));
        let wanted = Digits::new(constant, digits);
        let is_right = |text: &str| {
            if digits <= MOST_VERIFIED {
                engine.scope(|| wanted.try_verify(text))?;
            }
            Ok(constant != Constant::Pi || is_published(text))
        };
        let name = operation(constant);
        timed(
            session,
            &name,
            digits,
            engine,
            &|| wanted.try_text(),
            &is_right,
        )?;
    }
    for n in factorials {
        for engine in &engines {
            session.step(format!("{n}!, {engine}"));
            let text = || Int::try_factorial(*n)?.try_to_string_radix(10);
            let is_right = |text: &str| Ok(remainder(text) == factorial_mod(*n));
            timed(session, FACTORIAL, *n, *engine, &text, &is_right)?;
        }
    }
    let (engine, staged) = match device {
        _ if quick => (Engine::Cpu, [1000].as_slice()),
        Some(target) => (target.engine, STAGED[0]),
        None => (Engine::Cpu, STAGED[1]),
    };
    let is_short = |digits: &&u64| **digits as f64 * LOG2_10 <= session.max_bits as f64;
    for digits in staged.iter().filter(is_short).copied().collect::<Vec<_>>() {
        session.step(format!("pi, {digits} digits, stages"));
        let stages = measure::stages(
            engine,
            |heard| heard.part,
            || Constant::Pi.try_digits(digits),
        )?;
        let values = stages.into_iter().map(|(stage, seconds)| Reproduced {
            figure: STAGES.into(),
            quantity: stage.into(),
            x: digits as f64,
            paper: None,
            here: Some(seconds),
        });
        session.record.reproduced.extend(values);
    }
    let (figure, digits, seconds) = Y_CRUNCHER;
    session.record.reproduced.push(Reproduced {
        figure: figure.into(),
        quantity: "seconds".into(),
        x: digits as f64,
        paper: Some(seconds),
        here: None,
    });
    Ok(())
}

/// Times one text, checks it, and enters the best time.
fn timed(
    session: &mut Session,
    operation: &str,
    size: u64,
    engine: Engine,
    text: &dyn Fn() -> bezout::Result<String>,
    is_right: &dyn Fn(&str) -> bezout::Result<bool>,
) -> Result<(), Error> {
    let (mut best, mut checked) = (f64::INFINITY, None);
    let turns = if session.record.quick { 1 } else { TURNS };
    // The first turn of a device compiles its kernels, if no shorter number has.
    let first = if engine == Engine::Cpu || size >= ONE_TURN {
        1
    } else {
        0
    };
    for turn in first..=turns {
        let began = Instant::now();
        let found = engine.scope(text)?;
        let seconds = began.elapsed().as_secs_f64();
        match &checked {
            Some(known) if *known == found => {}
            None if is_right(&found)? => checked = Some(found),
            _ => return Err(refuted(operation, &engine.to_string(), size, DEFINITION)),
        }
        if turn > 0 {
            best = best.min(seconds);
        }
        if turn > 0 && seconds > LONG_SECONDS {
            break;
        }
    }
    let time = measure::summary(ClockKind::Host, vec![best]);
    let measured = Measurement::alone(operation, engine.to_string(), size, time, &[]);
    session.record.measurements.push(measured);
    Ok(())
}

/// Whether published digits of π and counts of them are those of the text, as far as it goes.
fn is_published(text: &str) -> bool {
    let digits = &text.as_bytes()[2..];
    let has = |count: u64| count <= digits.len() as u64;
    let ends = ENDS.iter().filter(|(count, _)| has(*count));
    let has_end = |(count, end): &(u64, &str)| digits[..*count as usize].ends_with(end.as_bytes());
    let counts = COUNTS.iter().rfind(|(count, _)| has(*count));
    let has_counts =
        |(count, published): &(u64, [u64; 10])| counts_of(&digits[..*count as usize]) == *published;
    ends.into_iter().all(has_end) && counts.is_none_or(has_counts)
}

/// How often each digit is among these, on all threads.
fn counts_of(digits: &[u8]) -> [u64; 10] {
    let count = |part: &[u8]| {
        let mut counts = [0; 10];
        for digit in part {
            counts[usize::from(digit - b'0')] += 1;
        }
        counts
    };
    let add = |a: [u64; 10], b: [u64; 10]| std::array::from_fn(|i| a[i] + b[i]);
    digits
        .par_chunks(COUNTED)
        .map(count)
        .reduce(|| [0; 10], add)
}

/// Decimal digits modulo the prime.
fn remainder(text: &str) -> u64 {
    let digit = |rest: u64, byte: u8| (10 * rest + u64::from(byte - b'0')) % PRIME;
    text.bytes().fold(0, digit)
}

/// n! modulo the prime.
fn factorial_mod(n: u64) -> u64 {
    (1..=n).fold(1, |product, k| product * k % PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_gives_the_digits() {
        for engine in Engine::usable() {
            let mut session = engine.scope(|| Session::begin("constant", true, true).unwrap());
            run(&mut session).unwrap();
            let record = session.finish();
            let lanes = if engine == Engine::Cpu { 1 } else { 2 };
            assert_eq!(record.measurements.len(), lanes * (CONSTANTS.len() + 1));
        }
    }

    #[test]
    fn published_counts_are_complete() {
        for (digits, counts) in COUNTS {
            assert_eq!(counts.iter().sum::<u64>(), digits);
        }
    }

    #[test]
    fn digits_are_those_published() {
        let text = Digits::new(Constant::Pi, 1_000_000).try_text().unwrap();
        assert!(is_published(&text));
        // A digit that no published end has, and of which one more makes all counts wrong.
        let wrong = format!(
            "{}{}",
            &text[..500_002],
            text[500_002..].replacen('1', "2", 1)
        );
        assert!(!is_published(&wrong));
    }

    #[test]
    fn digits_modulo_the_prime() {
        assert_eq!(remainder("1000000008"), 1);
        assert_eq!(factorial_mod(20), 2_432_902_008_176_640_000 % PRIME);
    }
}
