//! Every branch against malachite.

use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{mul, product, square};
use crate::tuning::Tuning;

fn random(len: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<u64> {
    (0..len).map(|_| rng.next_u64()).collect()
}

fn expected(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut limbs = (Natural::from_limbs_asc(a) * Natural::from_limbs_asc(b)).into_limbs_asc();
    limbs.resize(a.len() + b.len(), 0);
    limbs
}

/// With the minimal tuning: one limb and two a coefficient, pieces, halves, one thread and several.
#[test]
fn all_lengths_give_the_product() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let lengths = [
        0, 1, 2, 19, 20, 21, 39, 40, 41, 63, 64, 65, 99, 300, 301, 1000,
    ];
    for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
        tuning.scope(|| {
            for a in lengths {
                let a = random(a, &mut rng);
                assert!(square(&a) == expected(&a, &a), "{}", a.len());
                for b in lengths {
                    let b = random(b, &mut rng);
                    assert!(mul(&a, &b) == expected(&a, &b), "{} {}", a.len(), b.len());
                }
            }
        });
    }
}

#[test]
fn boundaries_of_the_defaults_give_the_product() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let Tuning {
        cpu_ntt_limbs,
        cpu_ntt_parallel_limbs,
        ..
    } = Tuning::DEFAULT;
    for short in [cpu_ntt_limbs - 1, cpu_ntt_limbs, cpu_ntt_limbs + 1] {
        for long in [
            short,
            4 * short,
            4 * short + 1,
            cpu_ntt_parallel_limbs - 1,
            cpu_ntt_parallel_limbs,
        ] {
            let (a, b) = (random(long, &mut rng), random(short, &mut rng));
            assert!(mul(&a, &b) == expected(&a, &b), "{long} {short}");
            assert!(mul(&b, &a) == expected(&a, &b), "{short} {long}");
        }
    }
}

#[test]
fn signs_and_zero() {
    Tuning::MINIMAL.scope(|| {
        let big = (Integer::from(1) << 500u64) - Integer::from(3);
        let small = Integer::from(-7);
        assert_eq!(product(&(&big).into(), &(&small).into()), &big * &small);
        assert_eq!(
            product(&(&small).into(), &(&small).into()),
            Integer::from(49)
        );
        assert_eq!(
            product(&(&big).into(), &Integer::from(0).into()),
            Integer::from(0)
        );
    });
}
