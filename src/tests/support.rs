//! What tests of many folders share: every engine with both tunings, and random numbers.

use malachite_nz::integer::Integer;
use rand::{Rng, RngExt};

use crate::engine::Engine;
use crate::number::Natural;
use crate::tuning::Tuning;

/// Runs a test on every engine that is usable here, with the minimal and with the default tuning.
/// Both are in force while it runs.
pub(crate) fn everywhere(test: impl Fn(Engine)) {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| engine.scope(|| test(engine)));
        }
    }
}

/// The number with these limbs, the lowest first, for malachite.
pub(crate) fn from_limbs(limbs: Vec<u64>) -> Integer {
    Integer::from(malachite_nz::natural::Natural::from_owned_limbs_asc(limbs))
}

/// A number of `count` random limbs, for malachite. The highest may be zero.
pub(crate) fn random_limbs(count: usize, rng: &mut impl Rng) -> Integer {
    from_limbs((0..count).map(|_| rng.random()).collect())
}

/// A random number of exactly `bits` bits, at least one.
pub(crate) fn random_bits(bits: u64, rng: &mut impl Rng) -> Natural {
    let limbs: Vec<u64> = (0..bits.div_ceil(64)).map(|_| rng.random()).collect();
    let mut number = Natural::from_vec(limbs).low_bits(bits);
    number.set_bit(bits - 1);
    number
}
