//! Work of factoring: many small numbers, elliptic curves, and moduli that share a prime. The
//! primes are known, as the numbers are made of them.

use bezout::engine::{EXECUTOR, Engine};
use bezout::factor::{Method, Options, factor, factor_many};
use bezout::measure::{ecm_curves, ecm_preferred_count, small_primes};
use bezout::{Error, Int, Result, cuda, keys};

use super::words as random_words;
use crate::model::Tuning;
use crate::tune::Task;

fn refuse(what: &str) -> Result<()> {
    Err(Error::Verification(format!("{what} while tuning")))
}

/// A prime of so many bits, at least two, whose highest two are set, so that a product has as many
/// as its factors together; always the same for a seed.
fn prime(bits: u64, seed: u64) -> Result<Int> {
    let limbs = bits.div_ceil(64);
    let random = Int::from_limbs(random_words(limbs, seed).collect());
    let high = Int::from(3).try_shl(bits - 2)?;
    Engine::Cpu.scope(|| {
        random
            .try_shr(64 * limbs - bits)?
            .try_or(&high)?
            .try_next_prime()
    })
}

/// Factors of so many products of two primes each; number i has the bits that are given for it.
fn semiprimes(engine: Engine, count: u64, bits: fn(u64) -> u64) -> Result<Task> {
    /// Different primes of a size.
    const POOL: u64 = 512;
    let mut pools: Vec<(u64, Vec<u128>)> = Vec::new();
    let mut primes = Vec::with_capacity(count as usize);
    let mut choice = random_words(2 * count, 26).map(|word| (word % POOL) as usize);
    for i in 0..count {
        let half = bits(i) / 2;
        if !pools.iter().any(|(bits, _)| *bits == half) {
            let pool = (0..POOL).map(|seed| {
                let prime = prime(half, seed << 8)?;
                Ok(u128::from(prime.try_limbs()?[0]))
            });
            pools.push((half, pool.collect::<Result<_>>()?));
        }
        let pool = pools.iter().find(|(bits, _)| *bits == half);
        let pair = pool.zip(choice.next().zip(choice.next()));
        let pair = pair.map(|((_, pool), (a, b))| [pool[a].min(pool[b]), pool[a].max(pool[b])]);
        primes.extend(pair);
    }
    let numbers: Vec<u128> = primes.iter().map(|[p, q]| p * q).collect();
    Task::new(
        engine,
        move || factor_many(&numbers),
        move |found| {
            if found.iter().eq(primes.iter().map(|pair| &pair[..])) {
                Ok(())
            } else {
                refuse("factors")
            }
        },
    )
}

/// Factors of so many numbers of 64 bits.
pub(in crate::tune) fn words(engine: Engine, count: u64) -> Result<Task> {
    semiprimes(engine, count, |_| 64)
}

/// The same where one in eight has 80 bits, for which kernels of two words take as long as the
/// others do.
pub(in crate::tune) fn mixed(engine: Engine, count: u64) -> Result<Task> {
    semiprimes(engine, count, |i| if i % 8 == 7 { 80 } else { 64 })
}

/// A product of two primes of the same size, of so many bits together, by the quadratic sieve.
pub(in crate::tune) fn sieved(engine: Engine, bits: u64) -> Result<Task> {
    let half = bits / 2;
    let number = prime(half, 1)?.try_mul(&prime(half, 2)?)?;
    let options = Options::default().methods(&[Method::Siqs]);
    Task::new(
        engine,
        move || factor(&number, &options),
        |found| match found.factors.len() {
            2 => Ok(()),
            _ => refuse("a sieve that finds nothing"),
        },
    )
}

/// Elliptic curves modulo a prime of three limbs, of at least so many steps as placement counts
/// them. None of them finds anything.
pub(in crate::tune) fn curve_steps(engine: Engine, steps: u64) -> Result<Task> {
    const SIGMA: u64 = 1000;
    const B1: u64 = 2000;
    let n = prime(192, 30)?;
    let count = steps.div_ceil(9 * B1) as usize;
    Task::new(
        engine,
        move || ecm_curves(&n, B1, 100 * B1, SIGMA, count),
        |found| {
            if found.is_empty() {
                Ok(())
            } else {
                refuse("a curve that splits a prime")
            }
        },
    )
}

/// Both stages of elliptic curves modulo a prime of so many bits, at least 80, where nothing is
/// found and no curve ends early: always the same number of curves, a multiple of what any choice
/// runs at a time. A number of the same length with a prime that the CPU finds shows that curves
/// are right.
pub(in crate::tune) fn curves(engine: Engine, bits: u64) -> Result<Task> {
    const SIGMA: u64 = 1000;
    /// Bounds, and curves of a multiprocessor up to 256 bits and beyond.
    const BOUNDS: (u64, u64) = (1000, 50_000);
    const CURVES: [usize; 2] = [3072, 1536];
    // With primes of fewer bits than this, points meet by chance where formulas do not hold, and
    // what is found depends on the chain.
    const SHORT: u64 = 34;
    let bits = bits.clamp(80, 2048);
    let ((b1, b2), total) = match engine {
        Engine::Cuda(ordinal) if ordinal != EXECUTOR => {
            let units = cuda::device(ordinal)?.info().multiprocessors as usize;
            (BOUNDS, units * CURVES[usize::from(bits > 256)])
        }
        // Tried and not timed.
        _ => ((20, 200), 64),
    };
    let n = prime(bits, 27)?;
    let easy = prime(SHORT, 28)? * prime(bits - SHORT, 29)?;
    let search = move || ecm_curves(&easy, 60, 3000, SIGMA, 64);
    let expected = Engine::Cpu.scope(&search)?;
    let work = move || {
        let (mut found, mut done) = (Vec::new(), 0);
        while done < total {
            let count = ecm_preferred_count(bits).min(total - done);
            found.extend(ecm_curves(&n, b1, b2, SIGMA + done as u64, count)?);
            done += count;
        }
        Ok((found, Tuning::current()))
    };
    Task::new(engine, work, move |(found, tuning)| {
        let searched = engine.scope(|| tuning.scope(&search))?;
        if found.is_empty() && !searched.is_empty() && searched == expected {
            Ok(())
        } else {
            refuse("elliptic curves")
        }
    })
}

/// Moduli of 80 primes of their own each, and their limbs together, until `are_enough` says so of
/// how many they are and of those limbs; the first two share one more prime, which is 3.
fn moduli(are_enough: impl Fn(u64, u64) -> bool) -> Result<(Vec<Int>, u64)> {
    const PRIMES: usize = 80;
    let primes = small_primes(1 << 24);
    let product = |primes: &[u32]| {
        primes
            .iter()
            .fold(Int::ONE, |product, p| product * Int::from(*p))
    };
    // The least are left for whoever needs another.
    let mut chunks = primes[PRIMES..].rchunks_exact(PRIMES);
    let (mut numbers, mut limbs) = (Vec::new(), 0);
    while numbers.len() < 2 || !are_enough(numbers.len() as u64, limbs) {
        let chunk = chunks.next().ok_or_else(|| {
            let most = primes.len() / PRIMES - 1;
            Error::Domain(format!("there are primes for {most} moduli"))
        })?;
        let shared = Int::from(if numbers.len() < 2 { 3 } else { 1 });
        let number = product(chunk) * shared;
        limbs += number.limb_count() as u64;
        numbers.push(number);
    }
    Ok((numbers, limbs))
}

fn search(
    engine: Engine,
    numbers: Vec<Int>,
    work: impl Fn(&[Int]) -> Result<Vec<keys::Shared>> + 'static,
) -> Result<Task> {
    Task::new(
        engine,
        move || work(&numbers),
        |found| match &found[..] {
            [one] if one.factor == 3 && one.moduli == [0, 1] => Ok(()),
            _ => refuse("shared factors"),
        },
    )
}

/// As many moduli as the size.
pub(in crate::tune) fn shared_factors(engine: Engine, count: u64) -> Result<Task> {
    let (numbers, _) = moduli(|moduli, _| moduli >= count)?;
    search(engine, numbers, keys::shared_factors)
}

/// The same by trees whose rows are on the device, however few there are.
pub(in crate::tune) fn shared_factors_by_rows(engine: Engine, count: u64) -> Result<Task> {
    let (numbers, _) = moduli(|moduli, _| moduli >= count)?;
    search(engine, numbers, |numbers| {
        Tuning::current()
            .with(&[("keys_pairwise", 0), ("keys_device_pairwise", 0)])?
            .scope(|| keys::shared_factors(numbers))
    })
}

/// As many as have the size's limbs together.
pub(in crate::tune) fn shared_factors_of_limbs(engine: Engine, limbs: u64) -> Result<Task> {
    search(engine, moduli_of(limbs)?, keys::shared_factors)
}

/// Moduli of exactly so many limbs together, if those are enough for two: the last has a power of 5
/// too.
pub(in crate::tune) fn moduli_of(limbs: u64) -> Result<Vec<Int>> {
    // Until not even the longest would fit.
    let (mut numbers, mut sum) = moduli(|_, sum| sum + 31 > limbs)?;
    // Below 2^64: one limb more at most.
    let power = Int::from(5u64.pow(27));
    while let Some(last) = numbers.last_mut()
        && sum < limbs
    {
        sum -= last.limb_count() as u64;
        *last = &*last * &power;
        sum += last.limb_count() as u64;
    }
    Ok(numbers)
}
