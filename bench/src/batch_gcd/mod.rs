//! `batch-gcd`: shared factors among 10^3 to 10^7 moduli of 2048 bits with planted pairs, on the
//! device and on the CPU, and what all pairs would take.
//!
//! Where there is a GPU, moduli are products of two primes of 1024 bits, up to 10^5 of them: the
//! host sieves odd numbers by small primes, and the device tests those that are left, some millions
//! a second. More moduli, and those without a GPU, would take long to make so: each is the product
//! of 64 different primes of 32 bits, the largest there are, no two moduli with one in common, a
//! little less than 2048 bits. From 2·10^6 moduli on there are not enough such primes: each is the
//! fourth power of a product of 16. A planted pair has half of its primes in common. The search
//! takes the same steps for all kinds.
//!
//! With a GPU, whole commands are timed too, which read their moduli from files (`files`).

mod files;

use bezout::keys::Shared;
use bezout::{Batch, Engine, Int, keys};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::Error;
use crate::format::memory;
use crate::measure::{self, Clock};
use crate::record::{ClockKind, Measurement, Timing};
use crate::session::{Session, Target};
use files::Form;

/// Bits of a modulus.
pub const BITS: u64 = 2048;
/// All pairs one by one, as the time of some of them says.
pub const PAIRWISE: &str = "pairwise";
/// What the measurements are of.
pub const OPERATION: &str = "shared factors";

/// Most moduli that are products of two primes.
const MOST_OF_TWO: usize = 100_000;

/// Primes of a modulus, a power of two, and most moduli for which there are enough of 32 bits.
const PRIMES: usize = 64;
const MOST_OF_ALL: usize = 2_000_000;

/// Primes of each of so many moduli, which are its fourth power where they are fewer than PRIMES.
fn primes_of(count: usize) -> usize {
    if count > MOST_OF_ALL {
        PRIMES / 4
    } else {
        PRIMES
    }
}

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
        (Some(_), false) => vec![1000, 10_000, 100_000, 1_000_000, 4_000_000, 10_000_000],
        (None, false) => vec![1000, 10_000],
        (_, true) => vec![100, 400],
    };
    let sizes: Vec<usize> = sizes
        .into_iter()
        .filter(|count| *count as u64 * BITS <= session.max_bits)
        .collect();
    session.expect(sizes.len() + 1);
    session.step("primes".into());
    let of_two = |count: usize| gpu.is_some() && count <= MOST_OF_TWO;
    let many = sizes.iter().filter(|count| !of_two(**count));
    let primes = many.map(|count| primes_of(*count) * count).max();
    let primes = largest_primes(primes.unwrap_or(0));
    let few = sizes.iter().filter(|count| of_two(**count)).max();
    let large = large_primes(session, 2 * few.copied().unwrap_or(0))?;
    session.record.notes.push(format!(
        "With a GPU, a modulus is the product of two primes of 1024 bits, up to {MOST_OF_TWO} \
         moduli; of {PRIMES} primes of 32 bits otherwise, or the fourth power of {} of them for \
         more than {MOST_OF_ALL} moduli. One pair in a hundred moduli, 100 at most, shares half of \
         its primes, and every run found all of them and no other. All pairs: the time of some \
         pairs on all threads, times how many there are.",
        PRIMES / 4
    ));
    for count in sizes {
        session.step(format!("{count} moduli"));
        let planted = if of_two(count) {
            Planted::of_two(&large, count)
        } else {
            Planted::of(&primes, count)
        };
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
        if let Some(target) = gpu.as_ref().filter(|_| !quick) {
            let forms = match count {
                1_000_000 => vec![Form::Hexadecimal, Form::Pem],
                4_000_000 => {
                    // A tenth of the keys at a time, and of the memory that all of them take.
                    let search = || keys::shared_factors(&planted.numbers);
                    let search = || target.engine.scope(search);
                    let (peak, _) = target.device.memory_peak(search)?;
                    session.record.notes.push(format!(
                        "{count} moduli on the device at once: {} of its memory.",
                        memory(peak)
                    ));
                    vec![Form::Hexadecimal, Form::Groups(count / 10, peak / 10)]
                }
                _ => Vec::new(),
            };
            files::run(session, &planted, &forms)?;
        }
    }
    Ok(())
}

/// Times the search and checks what it found.
fn timed(session: &Session, engine: Engine, planted: &Planted) -> Result<Timing, Error> {
    let search = &mut || keys::shared_factors(&planted.numbers);
    let (time, found) = measure::time_on(engine, &session.effort, Clock::Host, search)?;
    if planted.are(&found.unwrap_or_default()) {
        Ok(time)
    } else {
        Err(Error::Verification {
            operation: OPERATION.into(),
            engine: engine.to_string(),
            bits: BITS * planted.numbers.len() as u64,
            oracle: "the pairs that were planted".into(),
        })
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
        Planted::of(&largest_primes(primes_of(count) * count), count)
    }

    /// Products of two of these primes.
    fn of_two(primes: &[Int], count: usize) -> Planted {
        let mut chosen: Vec<&Int> = primes[..2 * count].iter().collect();
        let places = places(count);
        for (i, j) in &places {
            chosen[2 * j] = chosen[2 * i];
        }
        let product = |i: usize| Engine::Cpu.scope(|| chosen[2 * i] * chosen[2 * i + 1]);
        let factor = |(i, j): &(usize, usize)| (*i, *j, chosen[2 * i].clone());
        Planted {
            numbers: (0..count).map(product).collect(),
            pairs: places.iter().map(factor).collect(),
        }
    }

    /// Products of many of these primes.
    fn of(primes: &[u32], count: usize) -> Planted {
        let half = primes_of(count) / 2;
        let power = (PRIMES / 2 / half) as u64;
        let mut chosen: Vec<&[u32]> = primes[..2 * half * count].chunks(half).collect();
        let places = places(count);
        for (i, j) in &places {
            chosen[2 * j] = chosen[2 * i];
        }
        let number = |factors: &[u32]| Engine::Cpu.scope(|| product(factors).pow(power));
        let numbers = (0..count)
            .into_par_iter()
            .map(|i| number(&[chosen[2 * i], chosen[2 * i + 1]].concat()));
        let factor = |(i, j): &(usize, usize)| (*i, *j, number(chosen[2 * i]));
        Planted {
            numbers: numbers.collect(),
            pairs: places.iter().map(factor).collect(),
        }
    }

    /// The factors that pairs have in common.
    fn factors(&self) -> impl Iterator<Item = &Int> {
        self.pairs.iter().map(|(_, _, factor)| factor)
    }

    /// Whether these are the pairs, and all of them.
    pub fn are(&self, found: &[Shared]) -> bool {
        let pairs = self.pairs.iter();
        let expected = pairs.map(|(i, j, factor)| (vec![*i, *j], factor));
        let found = found.iter().map(|s| (s.moduli.clone(), &s.factor));
        found.eq(expected)
    }
}

/// The places of pairs with a common factor among so many moduli.
fn places(count: usize) -> Vec<(usize, usize)> {
    let pairs = (count / 100).clamp(1, 100);
    let place = |k| (k * (count / pairs / 2), count - 1 - k * (count / pairs / 2));
    (0..pairs).map(place).collect()
}

/// Different primes of 1024 bits with their highest two bits set: their products have 2048 bits.
/// Around random numbers, those without a small prime are tested on the device.
fn large_primes(session: &Session, count: usize) -> Result<Vec<Int>, Error> {
    const LIMBS: usize = BITS as usize / 128;
    const STARTS: usize = 1 << 12;
    const PLACES: u64 = 1 << 10;
    let Some(target) = session.target.as_ref().filter(|_| count > 0) else {
        return Ok(Vec::new());
    };
    let small = primes_below(1 << 12).split_off(1);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1024);
    let mut primes = Vec::with_capacity(count + STARTS);
    while primes.len() < count {
        let starts: Vec<u64> = (0..STARTS * LIMBS).map(|_| rng.random()).collect();
        // start + 2·k for the k < PLACES that leave no small prime.
        let candidates = |start: &[u64]| {
            let mut start = start.to_vec();
            // Low bits are free, so that no sum carries into the second limb.
            start[0] = start[0] >> 12 << 12 | 1;
            start[LIMBS - 1] |= 3 << 62;
            let mut divided = [false; PLACES as usize];
            for p in &small {
                let words = start
                    .iter()
                    .rev()
                    .flat_map(|limb| [limb >> 32, limb & 0xffff_ffff]);
                let rest = words.fold(0, |rest, word| (rest << 32 | word) % p);
                // start + 2k ≡ 0 for k ≡ −rest/2.
                let first = (p - rest) * p.div_ceil(2) % p;
                (first..PLACES)
                    .step_by(*p as usize)
                    .for_each(|k| divided[k as usize] = true);
            }
            let left = (0..PLACES).filter(|k| !divided[*k as usize]);
            let number = |k| std::iter::once(start[0] + 2 * k).chain(start[1..].to_vec());
            left.flat_map(number).collect::<Vec<u64>>()
        };
        let found: Vec<Vec<u64>> = starts.par_chunks(LIMBS).map(candidates).collect();
        let limbs = found.concat();
        let batch = Batch::from_limbs(limbs.clone(), LIMBS)?;
        let are_prime = target
            .engine
            .scope(|| batch.all().try_is_probable_prime())?;
        let numbers = limbs.chunks(LIMBS).zip(are_prime);
        primes.extend(
            numbers
                .filter(|(_, is_prime)| *is_prime)
                .map(|(limbs, _)| Int::from_limbs(limbs.to_vec())),
        );
    }
    primes.truncate(count);
    Ok(primes)
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

/// The primes below a number.
fn primes_below(end: usize) -> Vec<u64> {
    let mut composite = vec![false; end];
    let mut primes = Vec::new();
    for p in 2..end {
        if !composite[p] {
            primes.push(p as u64);
            (p * p..end).step_by(p).for_each(|i| composite[i] = true);
        }
    }
    primes
}

/// The largest primes of 32 bits, descending.
fn largest_primes(count: usize) -> Vec<u32> {
    const SEGMENT: u64 = 1 << 22;
    let small = primes_below(1 << 16);
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
    fn large_primes_are_different_primes() {
        for engine in Engine::usable().into_iter().filter(|e| *e != Engine::Cpu) {
            let session = engine.scope(|| Session::begin("batch-gcd", true, true).unwrap());
            // An executor takes long for one of these tests.
            let count = if engine == Engine::Cuda(bezout::engine::EXECUTOR) {
                0
            } else {
                50
            };
            let mut primes = large_primes(&session, count).unwrap();
            assert_eq!(primes.len(), count);
            assert!(
                primes
                    .iter()
                    .all(|p| p.bit_length() == 1024 && p.is_probable_prime())
            );
            primes.sort_unstable();
            primes.dedup();
            assert_eq!(primes.len(), count);
        }
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
