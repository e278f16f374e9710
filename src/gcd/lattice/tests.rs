//! Every engine and both tunings against the host library's gcd.

use malachite_base::num::arithmetic::traits::{Gcd, Parity, Pow};
use malachite_base::num::basic::traits::{One, Zero};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::engine::Engine;
use crate::modp::primes;

type Random = Xoshiro256PlusPlus;

fn random(bits: u64, rng: &mut impl Rng) -> Natural {
    if bits == 0 {
        return Natural::ZERO;
    }
    let limbs = (0..bits.div_ceil(64)).map(|_| rng.random()).collect();
    let low = Natural::from_owned_limbs_asc(limbs);
    (low >> (bits.div_ceil(64) * 64 - bits)) | (Natural::ONE << (bits - 1))
}

fn check(a: &Natural, b: &Natural, what: &str) -> Stats {
    let limbs = |x: &Natural| Limbs::from(Integer::from(x));
    let (g, stats) = gcd(&limbs(a), &limbs(b)).unwrap();
    let expected = Integer::from(a.gcd(b));
    assert!(*g.host().unwrap() == expected, "{what}: {stats:?} on {:?}", Engine::current());
    stats
}

/// `test` on every engine under both tunings, with a source of randomness and whether numbers should be short.
fn everywhere(test: impl Fn(&mut Random, bool)) {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            let short = engine == Engine::Cuda(crate::engine::EXECUTOR);
            let mut rng = Random::seed_from_u64(42);
            tuning.scope(|| engine.scope(|| test(&mut rng, short)));
        }
    }
}

#[test]
fn random_pairs() {
    everywhere(|rng, short| {
        let sizes: &[u64] = if short { &[1, 64, 700, 5000] } else { &[1, 2, 31, 64, 65, 700, 2000, 9000, 40000] };
        for bits in sizes {
            let (a, b) = (random(*bits, rng), random(*bits, rng));
            check(&a, &b, &format!("{bits} bits"));
            check(&b, &(a + Natural::ONE), &format!("{bits} bits and one more"));
        }
    });
}
