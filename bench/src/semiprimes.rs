//! `semiprimes`: products of two primes of the same size, from 32 to 128 bits, each factored
//! completely.
//!
//! Every factorisation is compared with the primes that the number was made of. Times are for one
//! number among many; those of a GPU begin and end with lists on the host.

use bezout::factor::{Factors, factor_many};
use bezout::{Engine, Int};
use rayon::prelude::*;

use crate::Error;
use crate::measure::{self, Clock};
use crate::record::Measurement;
use crate::session::{Session, refuted};

/// What is measured.
pub const OPERATION: &str = "semiprimes";

/// Bits of the numbers.
const SIZES: [u32; 10] = [32, 40, 48, 56, 64, 72, 80, 96, 112, 128];
/// Seconds of one core that a number of so many bits takes, roughly: lists are made to fit.
const COSTS: [f64; 10] = [4e-6, 7e-6, 1.5e-5, 4e-5, 7e-5, 4e-4, 8e-4, 5e-3, 2e-2, 8e-2];
/// Different primes of a size: lists combine them.
const POOL: u64 = 4096;

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let sizes = SIZES.iter().zip(COSTS);
    let wanted: Vec<(u32, f64)> = sizes
        .map(|(bits, cost)| (*bits, cost))
        .filter(|(bits, _)| u64::from(*bits) <= session.max_bits)
        .filter(|(bits, _)| !session.record.quick || *bits <= 64)
        .collect();
    session.expect(wanted.len());
    let one_thread = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(|error| Error::Threads(error.to_string()))?;
    for (bits, cost) in wanted {
        session.step(format!("{bits} bits"));
        let seconds = if session.record.quick { 0.02 } else { 0.2 };
        let count = |speed: f64| ((seconds * speed / cost) as usize).clamp(8, 1 << 21);
        let threads = rayon::current_num_threads() as f64;
        let all = List::new(bits, count(threads));
        let some = all.first(count(1.0));
        one_thread.install(|| enter(session, Engine::Cpu, "cpu, 1 thread", &some))?;
        enter(session, Engine::Cpu, "cpu", &all)?;
        if let Some(target) = session.target.clone() {
            let is_real = target.ordinal != bezout::engine::EXECUTOR;
            let list = if is_real {
                List::new(bits, count(1000.0))
            } else {
                all.first(8)
            };
            let name = format!("{}, transfers", target.engine);
            enter(session, target.engine, &name, &list)?;
        }
    }
    Ok(())
}

/// Numbers with their primes.
pub struct List {
    bits: u32,
    pub numbers: Vec<u128>,
    primes: Vec<[u128; 2]>,
}

impl List {
    pub fn new(bits: u32, count: usize) -> List {
        let pool: Vec<u64> = (0..POOL)
            .into_par_iter()
            .map(|i| prime(bits / 2, i))
            .collect();
        let pick = |i: u64| u128::from(pool[(word(i) % POOL) as usize]);
        let mut primes = vec![[0; 2]; count];
        for (i, pair) in (0..).zip(&mut primes) {
            *pair = [pick(2 * i), pick(2 * i + 1)];
            pair.sort_unstable();
        }
        List {
            bits,
            numbers: primes.iter().map(|[p, q]| p * q).collect(),
            primes,
        }
    }

    /// Whether these are the primes.
    pub fn has(&self, found: &Factors) -> bool {
        found.iter().eq(self.primes.iter().map(|pair| &pair[..]))
    }

    fn first(&self, count: usize) -> List {
        let count = count.min(self.numbers.len());
        List {
            bits: self.bits,
            numbers: self.numbers[..count].to_vec(),
            primes: self.primes[..count].to_vec(),
        }
    }
}

/// Random word i: splitmix64.
fn word(i: u64) -> u64 {
    let z = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A random prime of so many bits with the two highest set, so that products have twice as many.
fn prime(bits: u32, seed: u64) -> u64 {
    let tries = (0..).map(|k| word(seed << 16 | k) >> (64 - bits) | 3 << (bits - 2) | 1);
    let mut primes = tries.filter(|n| Int::from(*n).is_probable_prime());
    primes.next().unwrap_or(2)
}

fn enter(session: &mut Session, engine: Engine, name: &str, list: &List) -> Result<(), Error> {
    let factor = &mut || factor_many(&list.numbers);
    let (time, found) = measure::time_on(engine, &session.effort, Clock::Host, factor)?;
    if !found.is_some_and(|found| list.has(&found)) {
        let oracle = "the primes that were multiplied";
        return Err(refuted(OPERATION, name, list.bits.into(), oracle));
    }
    let count = list.numbers.len() as f64;
    let measurement = Measurement::alone(
        OPERATION,
        name.into(),
        list.bits.into(),
        time.each(count),
        &[],
    );
    session.record.measurements.push(measurement);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_bits() {
        for bits in SIZES {
            let list = List::new(bits, 20);
            for (n, [p, q]) in list.numbers.iter().zip(&list.primes) {
                assert_eq!((128 - n.leading_zeros(), p * q), (bits, *n));
            }
        }
    }

    #[test]
    fn threads_are_measured() {
        let mut session = Engine::Cpu.scope(|| Session::begin(OPERATION, true, true).unwrap());
        session.max_bits = 40;
        run(&mut session).unwrap();
        let record = session.finish();
        let engines: Vec<&str> = record
            .measurements
            .iter()
            .map(|m| m.engine.as_str())
            .collect();
        assert_eq!(engines, ["cpu, 1 thread", "cpu", "cpu, 1 thread", "cpu"]);
    }
}
