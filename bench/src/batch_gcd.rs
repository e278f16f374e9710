//! `batch-gcd`: shared factors among 10^3 to 10^6 moduli of 2048 bits with planted pairs, on the device and on the CPU, and what all pairs would take.
//!
//! Prime factors of 1024 bits for a million moduli would take hours to make. A modulus here is the product of 64 different primes of 32 bits, the largest
//! there are, no two moduli with one in common: 32 limbs each, a little less than 2048 bits. A planted pair has 32 of its primes in common.

use bezout::keys::Shared;
use bezout::{Engine, Int, keys};
use rayon::prelude::*;

use crate::Error;
use crate::measure::{self, Clock};
use crate::record::{ClockKind, Measurement, Timing};
use crate::session::{Session, Target};

/// Bits of a modulus.
pub const BITS: u64 = 2048;
/// All pairs one by one, as the time of some of them says.
pub const PAIRWISE: &str = "pairwise";
/// What the measurements are of.
pub const OPERATION: &str = "shared factors";

/// Primes of a modulus, and those that a pair shares.
const PRIMES: usize = 64;
const SHARED: usize = 32;

/// The number of moduli that a measurement is of.
pub fn moduli(m: &Measurement) -> u64 {
    m.bits / BITS
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let quick = session.record.quick;
    let is_gpu = |t: &Target| t.ordinal != bezout::engine::EXECUTOR;
    let gpu = session.target.clone().filter(is_gpu);
    let sizes: Vec<usize> = match (&gpu, quick) {
        (Some(_), false) => vec![1000, 10_000, 100_000, 1_000_000],
        (None, false) => vec![1000, 10_000],
        (_, true) => vec![100, 400],
    };
    let sizes: Vec<usize> = sizes
        .into_iter()
        .filter(|count| *count as u64 * BITS <= session.max_bits)
        .collect();
    session.expect(sizes.len() + 1);
    session.step("primes".into());
    let primes = largest_primes(PRIMES * sizes.last().copied().unwrap_or(0));
    session.record.notes.push(format!(
        "A modulus is the product of {PRIMES} primes of 32 bits, 32 limbs; one pair in a hundred moduli, 100 at most, shares {SHARED} of them, and \
         every run found all of them and no other. All pairs: the time of some pairs on all threads, times how many there are."
    ));
    for count in sizes {
        session.step(format!("{count} moduli"));
        let planted = Planted::of(&primes, count);
        let pairwise = (count <= 10_000).then(|| all_pairs(&planted.numbers));
        let mut engines = Vec::new();
        if count <= 10_000 {
            engines.push(Engine::Cpu);
        }
        engines.extend(session.target.as_ref().map(|target| target.engine));
        for engine in engines {
            let time = timed(session, engine, &planted)?;
            enter(session, engine, count, time, pairwise);
        }
    }
    Ok(())
}

/// Times the search and checks what it found.
fn timed(session: &Session, engine: Engine, planted: &Planted) -> Result<Timing, Error> {
    let search = &mut || keys::shared_factors(&planted.numbers);
    let (time, found) = measure::time_on(engine, &session.effort, Clock::Host, search)?;
    match planted.are(&found.unwrap_or_default()) {
        true => Ok(time),
        false => Err(Error::Verification {
            operation: OPERATION.into(),
            engine: engine.to_string(),
            bits: BITS * planted.numbers.len() as u64,
            oracle: "the pairs that were planted".into(),
        }),
    }
}

fn enter(
    session: &mut Session,
    engine: Engine,
    count: usize,
    time: Timing,
    pairwise: Option<Timing>,
) {
    let others: Vec<_> = pairwise
        .map(|theirs| (PAIRWISE, theirs))
        .into_iter()
        .collect();
    let bits = BITS * count as u64;
    let measurement = Measurement::alone(OPERATION, engine.to_string(), bits, time, &others);
    session.record.measurements.push(measurement);
}

/// Seconds that the gcds of all pairs would take on all threads, from those of some of them.
fn all_pairs(numbers: &[Int]) -> Timing {
    const SAMPLE: usize = 4096;
    let count = numbers.len();
    let pair = |k: usize| {
        let other = (7 * k + 1 + k / count) % count;
        (&numbers[k % count], &numbers[other])
    };
    let samples = (0..5).map(|_| {
        let began = std::time::Instant::now();
        let coprime = (0..SAMPLE)
            .into_par_iter()
            .map(pair)
            .filter(|(a, b)| Engine::Cpu.scope(|| a.gcd(b)) == 1)
            .count();
        std::hint::black_box(coprime);
        let pairs = count as f64 * (count - 1) as f64 / 2.0;
        began.elapsed().as_secs_f64() * pairs / SAMPLE as f64
    });
    measure::summary(ClockKind::Host, samples.collect())
}

/// Moduli, and of each planted pair both places and the common factor.
pub struct Planted {
    pub numbers: Vec<Int>,
    pairs: Vec<(usize, usize, Int)>,
}

impl Planted {
    /// So many moduli.
    pub fn new(count: usize) -> Planted {
        Planted::of(&largest_primes(PRIMES * count), count)
    }

    fn of(primes: &[u32], count: usize) -> Planted {
        let mut chosen: Vec<&[u32]> = primes.chunks(PRIMES / 2).collect();
        let pairs = (count / 100).clamp(1, 100);
        let places: Vec<(usize, usize)> = (0..pairs)
            .map(|k| (k * (count / pairs / 2), count - 1 - k * (count / pairs / 2)))
            .collect();
        for (i, j) in &places {
            chosen[2 * j] = chosen[2 * i];
        }
        let numbers = (0..count).into_par_iter().map(|i| {
            let factors = [chosen[2 * i], chosen[2 * i + 1]].concat();
            product(&factors)
        });
        let factor = |(i, j): &(usize, usize)| (*i, *j, product(&chosen[2 * i][..SHARED]));
        Planted {
            numbers: numbers.collect(),
            pairs: places.iter().map(factor).collect(),
        }
    }

    /// Whether these are the pairs, and all of them.
    pub fn are(&self, found: &[Shared]) -> bool {
        let pairs = self.pairs.iter();
        let expected = pairs.map(|(i, j, factor)| (vec![*i, *j], factor));
        let found = found.iter().map(|s| (s.moduli.clone(), &s.factor));
        found.eq(expected)
    }
}

/// The product of words, one after another.
fn product(factors: &[u32]) -> Int {
    let mut limbs: Vec<u64> = vec![1];
    for pair in factors.chunks(2) {
        let word = pair.iter().map(|p| u128::from(*p)).product::<u128>();
        let mut carry = 0;
        for limb in &mut limbs {
            carry += u128::from(*limb) * word;
            *limb = carry as u64;
            carry >>= 64;
        }
        limbs.push(carry as u64);
    }
    Int::from_limbs(limbs)
}

/// The largest primes of 32 bits, descending.
fn largest_primes(count: usize) -> Vec<u32> {
    const SEGMENT: u64 = 1 << 22;
    let small: Vec<u64> = {
        let mut composite = vec![false; 1 << 16];
        let mut small = Vec::new();
        for p in 2..1 << 16 {
            if !composite[p] {
                small.push(p as u64);
                (p * p..1 << 16)
                    .step_by(p)
                    .for_each(|i| composite[i] = true);
            }
        }
        small
    };
    let segment = |index: u64| -> Vec<u32> {
        let start = (1 << 32) - (index + 1) * SEGMENT;
        let mut composite = vec![false; SEGMENT as usize];
        for p in &small {
            let first = start.next_multiple_of(*p) - start;
            for i in (first..SEGMENT).step_by(*p as usize) {
                composite[i as usize] = true;
            }
        }
        let primes = (0..SEGMENT).rev().filter(|i| !composite[*i as usize]);
        primes.map(|i| (start + i) as u32).collect()
    };
    let (mut primes, mut next) = (Vec::with_capacity(count), 0);
    while primes.len() < count {
        // About one number in 22 is prime.
        let segments = ((count - primes.len()) as u64 * 22).div_ceil(SEGMENT);
        let more: Vec<Vec<u32>> = (next..next + segments)
            .into_par_iter()
            .map(segment)
            .collect();
        next += segments;
        primes.extend(more.into_iter().flatten());
    }
    primes.truncate(count);
    primes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_primes() {
        let primes = largest_primes(1000);
        assert_eq!(primes[..3], [4_294_967_291, 4_294_967_279, 4_294_967_231]);
        assert!(primes.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn planted_pairs_are_found() {
        for engine in Engine::usable() {
            let mut session = engine.scope(|| Session::begin("batch-gcd", true, true).unwrap());
            run(&mut session).unwrap();
            let record = session.finish();
            let lanes = if engine == Engine::Cpu { 1 } else { 2 };
            assert_eq!(record.measurements.len(), 2 * lanes);
            assert!(
                record
                    .measurements
                    .iter()
                    .all(|m| m.baseline(PAIRWISE).is_some())
            );
            assert_eq!(moduli(&record.measurements[0]), 100);
        }
    }
}
