//! Polynomials against the definition, written here once more in the plainest way, and against the
//! identities that results must satisfy; on every engine, with both presets.

mod algebra;
mod inputs;
mod naive;
mod text;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Modulus, Poly};
use crate::engine::Engine;
use crate::tests::support;
use crate::tuning::Tuning;

/// Primes at the ends of every range that some code treats alike.
const PRIMES: [u64; 10] = [
    2,
    3,
    101,
    469762049,
    (1 << 31) - 1,
    (1 << 49) - 81,
    562949953421381,
    (1 << 61) - 1,
    (1 << 62) - 57,
    (1 << 63) - 25,
];

fn primes() -> impl Iterator<Item = Modulus> {
    PRIMES.into_iter().map(|p| Modulus::new(p).unwrap())
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// On every engine with both presets; `size` is smaller where kernels run on the host.
fn everywhere(test: impl Fn(usize)) {
    support::everywhere(|engine| test(if engine == Engine::Cpu { 600 } else { 40 }));
}
