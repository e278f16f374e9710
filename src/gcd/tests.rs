//! Every algorithm on every engine under both tunings, against the host library and (feature `gmp`)
//! GMP.

use malachite_base::num::arithmetic::traits::{ExtendedGcd, Gcd, Lcm};
use malachite_base::num::basic::traits::{One, Zero};
use malachite_nz::integer::Integer;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::engine::EXECUTOR;
use crate::int::Int;
use crate::tests::support::{from_limbs, random_limbs as random};

/// Algorithms and where each runs.
fn algorithms() -> Vec<(Algorithm, Engine)> {
    let mut all = Vec::new();
    for engine in Engine::usable() {
        all.push((Algorithm::Auto, engine));
        all.push((Algorithm::Half, engine));
        all.push((Algorithm::Lattice, engine));
    }
    all.push((Algorithm::Accelerated, Engine::Cpu));
    all.push((Algorithm::Host, Engine::Cpu));
    all
}

/// Calls `test` with each algorithm, its engine in force, under each tuning.
fn everywhere(test: impl Fn(Algorithm)) {
    for (algorithm, engine) in algorithms() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| engine.scope(|| test(algorithm)));
        }
    }
}

/// Longest numbers that are worth the time: the executor runs kernels on one thread of the host.
fn longest(limbs: usize) -> usize {
    match Engine::current() {
        Engine::Cuda(EXECUTOR) => limbs / 4,
        _ => limbs,
    }
}

fn check(algorithm: Algorithm, a: &Integer, b: &Integer) {
    let expected = Integer::from(a.gcd(b));
    for (a, b) in [(a, b), (b, a)] {
        let (x, y) = (Resident::from(a.clone()), Resident::from(b.clone()));
        let (g, stats) = gcd_by(&x, &y, algorithm).unwrap();
        let what = || {
            let engine = Engine::current();
            format!("{algorithm} {engine} {} {}", x.bits_bound(), y.bits_bound())
        };
        assert!(g.into_host().unwrap() == expected, "{}", what());
        match algorithm {
            Algorithm::Auto => assert_ne!(stats.algorithm, Algorithm::Auto, "{}", what()),
            named => assert_eq!(stats.algorithm, named, "{}", what()),
        }
    }
}

#[test]
fn small_pairs() {
    everywhere(|algorithm| {
        let reach = longest(50) as i64;
        for a in -reach..=reach {
            for b in -reach..=reach {
                check(algorithm, &a.into(), &b.into());
            }
        }
    });
}

#[test]
fn random_pairs() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for limbs in [1, 2, 3, 5, 8, 12, 13, 30, 64, 65, 129, 300, 600] {
            let limbs = longest(limbs).max(1);
            let shorter = rng.random_range(1..=limbs);
            let (a, b) = (random(limbs, &mut rng), random(limbs, &mut rng));
            check(algorithm, &a, &b);
            check(algorithm, &-a, &random(shorter, &mut rng));
        }
    });
}

#[test]
fn every_length() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        for bits in (1..longest(1600) as u64).step_by(37) {
            let cut = |x: Integer| x >> (64 * 25 - bits);
            let (a, b) = (cut(random(25, &mut rng)), cut(random(25, &mut rng)));
            check(algorithm, &a, &b);
        }
    });
}

#[test]
fn lengths_at_every_threshold() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(10);
        let t = Tuning::current();
        let all = [
            t.gcd_host_limbs,
            t.gcd_leaf_limbs,
            t.gcd_base_limbs,
            t.gcd_device_limbs,
        ];
        for limbs in all.into_iter().filter(|limbs| *limbs <= longest(2000)) {
            for over in [-1, 0, 1] {
                let bits = (64 * limbs as i64 + over) as u64;
                let mut some = |bits: u64| {
                    (random(limbs + 1, &mut rng) | (Integer::ONE << (64 * limbs as u64 + 63)))
                        >> (64 * (limbs as u64 + 1) - bits)
                };
                let (a, b) = (some(bits), some(bits));
                check(algorithm, &a, &b);
                check(algorithm, &some(bits), &some(bits - bits / 4));
            }
        }
    });
}

#[test]
fn zero_one_equal_and_multiples() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for limbs in [1, 4, 40, longest(400)] {
            let a = random(limbs, &mut rng);
            for b in [Integer::ZERO, Integer::ONE, a.clone(), -&a] {
                check(algorithm, &a, &b);
            }
            for q in [random(1, &mut rng), random(limbs, &mut rng)] {
                check(algorithm, &a, &(&a * &q));
                check(algorithm, &a, &(&a * q + Integer::ONE));
            }
        }
    });
}

#[test]
fn planted_divisors() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        for limbs in [6, 30, longest(300)] {
            for planted in [1, limbs / 2, limbs - 1] {
                let g = random(planted, &mut rng);
                let a = random(limbs - planted, &mut rng) * &g;
                let b = random(limbs - planted, &mut rng) * &g;
                check(algorithm, &a, &b);
            }
        }
    });
}

#[test]
fn very_unbalanced() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let a = random(longest(15625), &mut rng);
        check(algorithm, &a, &random(1, &mut rng));
        let b = random(20, &mut rng);
        check(algorithm, &(a * &b), &(b * random(3, &mut rng)));
    });
}

/// Every quotient is 1.
#[test]
fn fibonacci_numbers() {
    everywhere(|algorithm| {
        for n in [20, 90, 187, 1000, 90 * longest(200)] {
            let (mut a, mut b) = (Integer::ZERO, Integer::ONE);
            for _ in 0..n {
                a += &b;
                std::mem::swap(&mut a, &mut b);
            }
            check(algorithm, &a, &b);
            let common = Integer::from(0x1234_5678_9abcu64) << 100u64;
            check(algorithm, &(&a * &common), &(&b * &common));
        }
    });
}

/// Long quotients, and remainders that vanish at once.
#[test]
fn powers_of_two_and_mersenne_numbers() {
    everywhere(|algorithm| {
        let power = |n: usize| Integer::ONE << n as u64;
        let most = 64 * longest(200);
        for (m, n) in [
            (3, 2),
            (64, 63),
            (512, 448),
            (most, most / 2 + 1),
            (most + 7, most),
        ] {
            check(algorithm, &power(m), &power(n));
            let [a, b] = [m, n].map(|n| power(n) - Integer::ONE);
            check(algorithm, &a, &b);
            check(algorithm, &a, &power(n));
            check(algorithm, &(power(m) + Integer::ONE), &b);
        }
    });
}

/// Powers of 2 and their multiples, which shifts answer.
#[test]
fn powers_of_two() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
        for limbs in [2, 3, longest(140), longest(400)] {
            let (a, b) = (random(limbs, &mut rng), random(limbs, &mut rng));
            let power = Integer::ONE << (64 * limbs as u64);
            check(algorithm, &power, &(&a | Integer::ONE));
            check(algorithm, &power, &a);
            check(algorithm, &(&power << 70u64), &-&power);
            for (x, y) in [(63u64, 0u64), (64, 0), (0, 65), (200, 130), (64, 64)] {
                check(algorithm, &(&a << x), &(&b << y));
                check(algorithm, &-(&a << x), &(&a << y));
            }
        }
    });
}

#[test]
fn patterns() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        for limbs in [2, 3, 7, 20, longest(200)] {
            let some = |rng: &mut Xoshiro256PlusPlus| {
                let kind = rng.next_u64() % 4;
                let limb = |_| match (kind, rng.next_u64() % 4) {
                    (0, _) | (1, 0..3) => u64::MAX,
                    (2, 0..3) => 0,
                    (3, 0) => 1 << 63,
                    (3, 1) => 1,
                    _ => rng.next_u64(),
                };
                from_limbs((0..limbs).map(limb).collect())
            };
            for _ in 0..4 {
                let (a, b) = (some(&mut rng), some(&mut rng));
                check(algorithm, &a, &b);
            }
        }
    });
}

/// Quotients of every length in turn, from the greatest common divisor up.
#[test]
fn chosen_quotients() {
    everywhere(|algorithm| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        for longest_quotient in [1, 3, 40, 64, 130, 700] {
            let (mut a, mut b) = (random(2, &mut rng), Integer::ZERO);
            for _ in 0..longest(40 + 12000 / (longest_quotient as usize + 30)) {
                let q = random(11, &mut rng) >> (704 - rng.random_range(1..=longest_quotient));
                b += &a * (q + Integer::ONE);
                std::mem::swap(&mut a, &mut b);
            }
            check(algorithm, &a, &b);
        }
    });
}

/// Cofactors and what comes from them, on every engine.
#[test]
fn extended() {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| engine.scope(cofactors));
        }
    }
}

fn cofactors() {
    let check = |a: &Integer, b: &Integer| {
        let (g, s, t) = a.extended_gcd(b);
        let (x, y) = (Int::from(a), Int::from(b));
        let found = x.try_extended_gcd(&y).unwrap();
        assert!(found == (Int::from(Integer::from(g)), s.into(), t.into()));
        let lcm = a.unsigned_abs_ref().lcm(b.unsigned_abs_ref());
        assert!(x.lcm(&y) == Int::from(Integer::from(lcm)));
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    for a in -12..12 {
        for b in -12..12 {
            check(&a.into(), &b.into());
        }
    }
    for limbs in [2, 5, 12, 40, longest(700)] {
        let (a, b) = (random(limbs, &mut rng), random(limbs, &mut rng));
        check(&a, &-&b);
        check(&b, &a);
        check(&-&a, &a);
        let short = random(limbs.div_ceil(3), &mut rng);
        check(&(&a * &short), &short);
        check(&(&a * &short), &(&b * &short));
        check(&(&short << 1u64), &(&a * &short));
        check(&(&short * Integer::from(6)), &(&short << 2u64));
    }
}

#[test]
fn fractions_are_reconstructed() {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| engine.scope(fractions));
        }
    }
}

fn fractions() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    for limbs in [1, 3, 10, longest(150)] {
        let m = Int::from(random(2 * limbs + 1, &mut rng));
        let bound = Int::from(Integer::ONE << (64 * limbs as u64));
        for sign in [1, -1] {
            let r = Int::from(random(limbs, &mut rng)) * sign;
            let t = Int::from(random(limbs, &mut rng));
            let Ok(inverse) = t.try_mod_inverse(&m) else {
                continue;
            };
            let g = r.gcd(&t);
            let found = (&r * inverse).try_rational_reconstruction(&m, &bound, &bound);
            assert_eq!(found.unwrap(), Some((&r / &g, &t / &g)));
        }
        // Hardly any residue is so small a fraction.
        let u = Int::from(random(2 * limbs, &mut rng));
        let little = Int::from(1000);
        assert_eq!(
            u.try_rational_reconstruction(&m, &little, &little),
            Ok(None)
        );
        assert!(u.try_rational_reconstruction(&m, &m, &little).is_err());
    }
}
