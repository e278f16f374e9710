//! Factoring on many ranks: elliptic curves of one number, many short numbers, and moduli that
//! share a factor.

use bezout::Engine;
use bezout_lab::measure::{ecm_curves, ecm_curves_by_ranks};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Timed;
use crate::Error;
use crate::ecm::prime;
use crate::session::refuted;
use crate::{batch_gcd, semiprimes};

/// Bounds, and curves of all ranks together: some ten seconds of one core, so that the last of a
/// rank's take a fiftieth of the time of 16 ranks.
const B1: u64 = 8192;
const B2: u64 = 819_200;
const CURVES: usize = 512;

/// Short numbers, likewise: the runs that are dealt last take a hundredth of the time that 16 ranks
/// need.
const NUMBERS: usize = 1 << 17;

/// First of the curves.
const SIGMA: u64 = 1000;

fn curve_count(bits: u64) -> usize {
    match bits {
        ..=128 => 64,
        _ => CURVES,
    }
}

/// Curves modulo a prime of so many bits, where no run ends early; before that, those of a number
/// that is easy have to find what one process does.
pub fn curves(bits: u64) -> Result<Timed, Error> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(bits);
    let (n, count) = (prime(bits, &mut random)?, curve_count(bits));
    let mut factor = |bits| prime(bits, &mut random);
    let easy = factor(33)? * factor(34)? * factor(bits - 66)?;
    let expected = Engine::Cpu.scope(|| ecm_curves(&easy, 1000, 0, SIGMA, 64))?;
    let mut is_checked = false;
    Ok(Box::new(move |cluster| {
        let run = |n, b1, b2, count| {
            Engine::Cpu.scope(|| ecm_curves_by_ranks(cluster, n, b1, b2, SIGMA, count))
        };
        let is_right = is_checked || run(&easy, 1000, 0, 64)? == expected || !cluster.is_first();
        is_checked = true;
        if is_right && run(&n, B1, B2, count)?.is_empty() {
            Ok(())
        } else {
            Err(refuted("elliptic curves", "cpu", bits, "one rank alone"))
        }
    }))
}

/// Products of two primes.
pub fn numbers(bits: u64) -> Result<Timed, Error> {
    let count = if bits < 64 { NUMBERS / 32 } else { NUMBERS };
    let list = semiprimes::List::new(bits as u32, count);
    Ok(Box::new(move |cluster| {
        let found = Engine::Cpu.scope(|| cluster.factor_many(&list.numbers))?;
        if list.has(&found) || !cluster.is_first() {
            Ok(())
        } else {
            let oracle = "the primes that were multiplied";
            Err(refuted(semiprimes::OPERATION, "cpu", bits, oracle))
        }
    }))
}

/// Moduli of so many bits together.
pub fn moduli(bits: u64) -> Result<Timed, Error> {
    let planted = batch_gcd::Planted::new((bits / batch_gcd::BITS) as usize);
    Ok(Box::new(move |cluster| {
        let search = || cluster.shared_factors(&planted.numbers);
        if planted.are(&Engine::Cpu.scope(search)?) || !cluster.is_first() {
            Ok(())
        } else {
            let oracle = "the pairs that were planted";
            Err(refuted(batch_gcd::OPERATION, "cpu", bits, oracle))
        }
    }))
}
