//! Every operation on every engine, under both tunings, against GMP, at each of its thresholds and
//! one limb to either side.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rug::Integer;
use rug::ops::{DivRounding, Pow};

use super::number;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::int::Int;
use crate::tuning::Tuning;
use crate::{Divisor, tree};

type Rng = Xoshiro256PlusPlus;

fn gmp(x: &Int) -> Integer {
    Integer::from(x)
}

/// What is found must be what GMP finds.
macro_rules! same {
    ($what:expr; $($found:expr => $expected:expr),* $(,)?) => {$({
        let found = $found.unwrap_or_else(|error| {
            panic!("{}: {}: {error}", $what, stringify!($found))
        });
        assert!(gmp(&found) == $expected, "{}: {}", $what, stringify!($found));
    })*};
}

/// All of these on the CPU; one of them on a device, whose executor takes its time.
fn some<T: Copy, const N: usize>(choices: [T; N], rng: &mut Rng) -> Vec<T> {
    match Engine::current() {
        Engine::Cpu => choices.to_vec(),
        _ => vec![choices[rng.random_range(0..N)]],
    }
}

/// A family of operations: the lengths in limbs at which they change their ways, and the check of a
/// sample about so long.
struct Family {
    name: &'static str,
    thresholds: fn(&Tuning) -> Vec<usize>,
    /// Most limbs on the CPU and on a device.
    most: (usize, usize),
    check: fn(&str, usize, &mut Rng),
}

/// Runs a family on every engine under both tunings.
fn run(family: &Family) {
    for engine in Engine::usable() {
        let host = engine == Engine::Cpu;
        for (tuning, preset) in [(Tuning::MINIMAL, "minimal"), (Tuning::DEFAULT, "default")] {
            let mut rng = Rng::seed_from_u64(91);
            let most = if host { family.most.0 } else { family.most.1 };
            let mut lengths: Vec<usize> = (family.thresholds)(&tuning)
                .into_iter()
                .flat_map(|limbs| [limbs.saturating_sub(1), limbs, limbs.saturating_add(1)])
                .chain([1, 2, 3])
                .filter(|limbs| (1..=most).contains(limbs))
                .collect();
            lengths.sort_unstable();
            lengths.dedup();
            let times = match (host, preset) {
                (true, "minimal") => 6,
                (true, _) => 3,
                _ => 1,
            };
            for limbs in lengths {
                let what = format!("{}, {engine}, {preset}, {limbs} limbs", family.name);
                for _ in 0..times {
                    tuning.scope(|| engine.scope(|| (family.check)(&what, limbs, &mut rng)));
                }
            }
        }
    }
}

#[test]
fn products() {
    run(&Family {
        name: "products",
        thresholds: |t| {
            vec![
                t.inline_limbs,
                t.cpu_parallel_limbs,
                t.cpu_ntt_limbs,
                t.cpu_ntt_plain_limbs,
                t.cpu_ntt_parallel_limbs,
                t.cpu_ntt_narrow_limbs,
                t.cpu_ntt_values,
                t.mul_direct_limbs,
                t.mul_short_limbs,
                t.ntt_five_prime_terms as usize,
                1 << (t.ntt_one_pass_log - 1),
                1 << (t.ntt_split_log - 1),
            ]
        },
        most: (1 << 14, 1 << 11),
        check: |what, limbs, rng| {
            let a = number(limbs, rng);
            for other in some([limbs, limbs.div_ceil(3), 1], rng) {
                let b = number(other, rng);
                let product = gmp(&a) * gmp(&b);
                let cut = rng.random_range(0..=product.significant_bits()) as u64;
                let low = product.clone().keep_bits(cut as u32);
                same! { what;
                    a.try_mul(&b) => product,
                    b.try_mul(&a) => product,
                    a.try_prepare().and_then(|a| a.try_mul(&b)) => product,
                    b.try_prepare().and_then(|b| b.try_mul(&a)) => product,
                    a.try_mul_high(&b, cut) => Integer::from(&product >> cut as u32),
                    a.try_mul_low(&b, cut) => Integer::from(&low),
                    Int::try_sum_of_products(&[(&a, &b), (&b, &b), (&a, &a)])
                        => gmp(&b).square() + &product + gmp(&a).square(),
                }
                let mut c = a.clone();
                c *= &b;
                assert!(gmp(&c) == product, "{what}: *=");
            }
            same!(what; a.try_square() => gmp(&a).square(), a.try_mul(&a) => gmp(&a).square());
        },
    });
}

#[test]
fn divisions() {
    run(&Family {
        name: "divisions",
        thresholds: |t| {
            vec![
                t.div_cpu_limbs,
                t.div_device_limbs,
                t.div_device_limbs / 2,
                t.div_base_limbs,
                t.div_block_limbs,
            ]
        },
        most: (1 << 13, 1 << 10),
        check: |what, limbs, rng| {
            let b = number(limbs, rng);
            let quotient = number([limbs, 2 * limbs + 1, 1][rng.random_range(0..3)], rng);
            let near = rng.random_range(-1..=1);
            let multiple = &b * &quotient;
            for a in [&multiple + near, &multiple + number(limbs, rng)] {
                let (x, y) = (gmp(&a), gmp(&b));
                let both = |found: Result<(Int, Int)>, (q, r): (Integer, Integer)| {
                    let (fq, fr) = found.unwrap();
                    assert!(gmp(&fq) == q && gmp(&fr) == r, "{what}");
                };
                for rounding in some([0, 1, 2, 3], rng) {
                    let (x, y) = (x.clone(), y.clone());
                    match rounding {
                        0 => both(a.try_div_rem(&b), x.div_rem(y)),
                        1 => both(a.try_div_rem_floor(&b), x.div_rem_floor(y)),
                        2 => both(a.try_div_rem_ceil(&b), x.div_rem_ceil(y)),
                        _ => both(a.try_div_rem_euclid(&b), x.div_rem_euc(y)),
                    }
                }
                let divisor = Divisor::new(&b).unwrap();
                both(divisor.try_div_rem(&a), x.clone().div_rem(y.clone()));
                same! { what;
                    divisor.try_rem_euclid(&a) => x.clone().div_rem_euc(y.clone()).1,
                    a.try_div_floor(&b) => Integer::from((&x).div_floor(&y)),
                }
                assert_eq!(a.is_multiple_of(&b), x.is_divisible(&y), "{what}");
            }
            same!(what; multiple.try_div_exact(&b) => gmp(&quotient));
            if b.bit_length() > 1 {
                let (rest, count) = (&multiple * &b).remove(&b);
                let (expected, times) = gmp(&(&multiple * &b)).remove_factor(&gmp(&b));
                assert_eq!((gmp(&rest), count), (expected, u64::from(times)), "{what}");
            }
        },
    });
}

#[test]
fn modular() {
    run(&Family {
        name: "modular",
        thresholds: |t| vec![t.powmod_limbs],
        most: (1 << 12, 64),
        check: |what, limbs, rng| {
            let m = number(limbs, rng);
            let a = number(limbs + rng.random_range(0..2), rng);
            let e = number(1, rng)
                .try_shr(if limbs > 9 { 59 } else { 50 })
                .unwrap();
            let (x, y, z) = (gmp(&a), gmp(&e).abs(), gmp(&m).abs());
            let power = Integer::from(x.pow_mod_ref(&y, &z).unwrap());
            same!(what; a.try_pow_mod(&e.abs(), &m) => power);
            match (a.try_mod_inverse(&m), x.clone().invert(&z)) {
                (Ok(found), Ok(expected)) => assert!(gmp(&found) == expected, "{what}: inverse"),
                (Err(Error::Domain(_)), Err(_)) => {}
                (found, expected) => panic!("{what}: inverse: {found:?}, {expected:?}"),
            }
            assert_eq!(a.kronecker(&m), x.kronecker(&gmp(&m)), "{what}: Kronecker");
            let mut n = m.abs();
            n.set_bit(0);
            assert_eq!(a.try_jacobi(&n), Ok(x.jacobi(&gmp(&n))), "{what}: Jacobi");
        },
    });
}

#[test]
fn powers_and_roots() {
    run(&Family {
        name: "powers and roots",
        thresholds: |t| vec![t.pow_limbs, t.root_limbs],
        most: (1 << 11, 600),
        check: |what, limbs, rng| {
            let a = number(limbs, rng);
            let degree = if rng.random() {
                3
            } else {
                rng.random_range(4..70)
            };
            let base = number(limbs.div_ceil(degree as usize), rng);
            let power = gmp(&base).pow(degree);
            same!(what; base.try_pow(degree.into()) => power);
            let near = Int::from(&power) + rng.random_range(-1..=1);
            for x in [a, near] {
                let (y, odd) = (gmp(&x), degree | 1);
                let (root, rest) = y.clone().abs().sqrt_rem(Integer::new());
                let (s, r) = x.abs().try_sqrt_rem().unwrap();
                assert!(gmp(&s) == root && gmp(&r) == rest, "{what}: square root");
                let (root, rest) = y.clone().root_rem(Integer::new(), odd);
                let (s, r) = x.try_root_rem(odd.into()).unwrap();
                assert!(gmp(&s) == root && gmp(&r) == rest, "{what}: root {odd}");
                assert_eq!(x.is_square(), y.is_perfect_square(), "{what}");
                // GMP has no word for the power, only for whether there is one.
                let found = x.try_perfect_power().unwrap();
                assert_eq!(found.is_some(), y.is_perfect_power(), "{what}: {x}");
                if let Some((base, exponent)) = found {
                    assert!(gmp(&base).pow(exponent as u32) == y, "{what}");
                }
            }
        },
    });
}

#[test]
fn radixes() {
    run(&Family {
        name: "radixes",
        thresholds: |t| {
            vec![
                t.radix_limbs,
                t.radix_leaf_limbs,
                2 * t.radix_leaf_limbs,
                t.radix_print_limbs,
                2 * t.radix_print_limbs,
                t.radix_device_limbs,
            ]
        },
        most: (1 << 13, 1 << 11),
        check: |what, limbs, rng| {
            let a = number(limbs, rng);
            let any = rng.random_range(2..=36);
            for radix in [10, 3, any] {
                let text = gmp(&a).to_string_radix(radix);
                assert!(a.to_string_radix(radix as u32) == text, "{what}: {radix}");
                same!(what; Int::from_str_radix(&text, radix as u32) => gmp(&a));
            }
        },
    });
}

#[test]
fn trees() {
    run(&Family {
        name: "trees",
        thresholds: |t| vec![t.pow_limbs, t.div_device_limbs],
        most: (1 << 10, 40),
        check: |what, limbs, rng| {
            let count = rng.random_range(1..9);
            let numbers: Vec<Int> = (0..count)
                .map(|_| number(rng.random_range(1..=limbs.div_ceil(2)), rng))
                .collect();
            let product: Integer = numbers.iter().map(gmp).product();
            same!(what; tree::product(&numbers) => product);
            let x = number(limbs, rng);
            let rests = tree::remainders(&x, &numbers).unwrap();
            for (rest, modulus) in rests.iter().zip(&numbers) {
                let expected = gmp(&x).div_rem_euc(gmp(modulus)).1;
                assert!(gmp(rest) == expected, "{what}: remainder");
            }
        },
    });
}

#[test]
fn sequences() {
    run(&Family {
        name: "sequences",
        thresholds: |t| vec![t.pow_limbs, 2 * t.pow_limbs, 20],
        most: (1 << 11, 600),
        check: |what, limbs, rng| {
            // Arguments whose results are about so long.
            let bits = 64 * limbs as u32 + rng.random_range(0..3);
            let n = (f64::from(bits) / f64::from(bits).log2()) as u32 + rng.random_range(0..2);
            let k = rng.random_range(0..=bits);
            let few = rng.random_range(0..700.min(bits));
            let golden = (f64::from(bits) / 0.694) as u32;
            same! { what;
                Int::try_factorial(n.into()) => Integer::from(Integer::factorial(n)),
                Int::try_double_factorial(n.into()) => Integer::from(Integer::factorial_2(n)),
                Int::try_multi_factorial(n.into(), 3) => Integer::from(Integer::factorial_m(n, 3)),
                Int::try_primorial(bits.into()) => Integer::from(Integer::primorial(bits)),
                Int::try_binomial(bits.into(), k.into())
                    => Integer::from(Integer::binomial_u(bits, k)),
                Int::try_binomial((100 * bits).into(), few.into())
                    => Integer::from(Integer::binomial_u(100 * bits, few)),
                Int::try_fibonacci(golden.into()) => Integer::from(Integer::fibonacci(golden)),
                Int::try_lucas(golden.into()) => Integer::from(Integer::lucas(golden)),
            }
        },
    });
}

#[test]
fn primes() {
    let prime = |x: &Int| gmp(x).is_probably_prime(25) != rug::integer::IsPrime::No;
    for n in (0..3000u64).chain((1 << 32) - 50..(1 << 32) + 50) {
        let n = Int::from(n);
        assert_eq!(n.is_probable_prime(), prime(&n), "{n}");
    }
    Engine::Cpu.scope(|| {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            let mut rng = Rng::seed_from_u64(92);
            tuning.scope(|| {
                for limbs in [1, 2, 3] {
                    for _ in 0..4 {
                        let n = number(limbs, &mut rng).abs();
                        assert_eq!(n.is_probable_prime(), prime(&n), "{n}");
                        let next = n.try_next_prime().unwrap();
                        assert!(gmp(&next) == gmp(&n).next_prime(), "{n}");
                        assert!(!(&next * &next).is_probable_prime(), "{n}");
                    }
                }
            });
        }
    });
}
