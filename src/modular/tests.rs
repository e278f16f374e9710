//! On every engine, under both tunings, against malachite and against definitions.

use malachite_base::num::arithmetic::traits::{KroneckerSymbol, ModPow, UnsignedAbs};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::Engine;
use crate::error::Error;
use crate::int::Int;
use crate::tuning::Tuning;

#[test]
fn powers() {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(41);
            let (host, minimal) = (engine == Engine::Cpu, tuning == Tuning::MINIMAL);
            let limit = 64 * tuning.powmod_limbs as u64;
            let sizes: Vec<(u64, u64)> = match (minimal, host) {
                (true, true) => vec![
                    (1, 5),
                    (2, 9),
                    (64, 64),
                    (127, 70),
                    (128, 25),
                    (129, 300),
                    (500, 81),
                ],
                (true, false) => vec![(200, 26)],
                (false, true) => vec![(1000, 300), (limit - 1, 3), (limit, 9), (limit + 1, 3)],
                (false, false) => vec![(limit, 5)],
            };
            for (n, bits) in sizes {
                for odd in [true, false] {
                    let mut m = Int::random_bits(n, &mut rng);
                    if odd || n < 2 {
                        m.set_bit(0);
                    } else {
                        m.clear_bit(0);
                    }
                    let a = Int::random_bits(n + rng.random_range(0..70), &mut rng);
                    let e = Int::random_bits(bits, &mut rng);
                    let [x, y, z] = [&a, &e, &m].map(|x| Natural::try_from(x).unwrap());
                    let expected = Int::from((x % &z).mod_pow(y, z));
                    let found = tuning
                        .scope(|| engine.scope(|| a.try_pow_mod(&e, &m)))
                        .unwrap();
                    assert!(found == expected, "{engine} {n} {bits}");
                }
            }
        }
    }
}

#[test]
fn signs_and_errors() {
    let pow = |a: i64, e: i64, m: i64| Int::from(a).try_pow_mod(&Int::from(e), &Int::from(m));
    assert_eq!(pow(2, 10, 1000), Ok(Int::from(24)));
    assert_eq!(pow(-2, 3, 7), Ok(Int::from(6)));
    assert_eq!(pow(-2, 3, -7), Ok(Int::from(6)));
    assert_eq!(pow(3, -1, 7), Ok(Int::from(5)));
    assert_eq!(pow(3, -2, 7), Ok(Int::from(4)));
    assert_eq!(pow(5, 0, 1), Ok(Int::from(0)));
    assert_eq!(pow(0, 0, 7), Ok(Int::from(1)));
    assert_eq!(pow(0, 0, 0), Err(Error::DivisionByZero));
    assert!(matches!(pow(2, -1, 6), Err(Error::Domain(_))));
    let inverse = |a: i64, m: i64| Int::from(a).try_mod_inverse(&Int::from(m));
    assert_eq!(inverse(1, 0), Err(Error::DivisionByZero));
    assert_eq!(inverse(5, 1), Ok(Int::from(0)));
    for m in 2..60i64 {
        for a in -70..70i64 {
            match inverse(a, m) {
                Ok(x) => assert_eq!((x * a).try_rem_euclid(&Int::from(m)), Ok(Int::ONE)),
                Err(error) => {
                    let g = Int::from(a).gcd(&Int::from(m));
                    assert!(g > 1 && error.to_string().ends_with(&format!("divisor {g}")));
                }
            }
        }
    }
}

/// Euler's criterion and multiplicativity.
#[test]
fn symbols() {
    for p in [3i64, 5, 7, 11, 13, 101] {
        for a in -200..200i64 {
            let power = Int::from(a)
                .try_pow_mod(&Int::from((p - 1) / 2), &Int::from(p))
                .unwrap();
            let expected = if power == p - 1 {
                -1
            } else {
                i32::try_from(&power).unwrap()
            };
            assert_eq!(
                Int::from(a).try_jacobi(&Int::from(p)).unwrap(),
                expected,
                "{a} {p}"
            );
        }
    }
    assert!(Int::from(3).try_jacobi(&Int::from(8)).is_err());
    assert!(Int::from(3).try_jacobi(&Int::from(-7)).is_err());
    assert_eq!(Int::from(3).kronecker(&Int::from(8)), -1);
    assert_eq!(
        Int::from(Integer::from(7).unsigned_abs()).kronecker(&Int::from(-1)),
        1
    );
}

/// Kronecker's symbol at the lengths where the way changes, of numbers of every shape, with common
/// divisors and without, against malachite.
#[test]
fn symbols_of_long_numbers() {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(43);
            let (host, minimal) = (engine == Engine::Cpu, tuning == Tuning::MINIMAL);
            let limit = 64 * tuning.gcd_host_limbs as u64;
            let base = 64 * tuning.gcd_base_limbs as u64;
            let sizes = match (minimal, host) {
                (true, true) => vec![
                    1,
                    2,
                    63,
                    64,
                    65,
                    66,
                    127,
                    128,
                    129,
                    192,
                    193,
                    300,
                    base,
                    base + 1,
                    1000,
                    3000,
                ],
                (true, false) => vec![129, 400],
                (false, true) => vec![limit - 1, limit, limit + 1, base, base + 1, 100_000],
                (false, false) => vec![limit + 1],
            };
            for bits in sizes {
                for round in 0..if minimal && host { 30 } else { 8 } {
                    let n = Int::random_bits(bits, &mut rng);
                    let a = match round % 5 {
                        // Long quotients, also the first.
                        0 => Int::random_bits(bits / 3 + 1, &mut rng),
                        1 => Int::random_bits(2 * bits + 1, &mut rng),
                        2 => (Int::ONE << bits) - rng.random_range(0..9),
                        3 => &n * 2 + rng.random_range(-9..9),
                        _ => Int::random_bits(bits, &mut rng),
                    };
                    let [mut a, mut n] = [a, n];
                    if round % 3 > 0 {
                        n.set_bit(0);
                    }
                    if round % 11 == 7 {
                        let common = Int::random_bits(bits / 4 + 2, &mut rng);
                        (a, n) = (&a * &common, &n * &common);
                    }
                    if rng.random() {
                        a = -a;
                    }
                    if rng.random() {
                        n = -n;
                    }
                    let [x, y] = [&a, &n].map(|x| Integer::from(x.clone()));
                    let expected = i32::from((&x).kronecker_symbol(&y));
                    let found = tuning.scope(|| engine.scope(|| a.try_kronecker(&n)));
                    assert_eq!(found, Ok(expected), "{engine} {bits} {round}: ({a}/{n})");
                }
            }
        }
    }
}

/// As the half-GCD, and not quadratic as Euclid's algorithm is.
#[test]
fn symbols_take_the_time_of_a_gcd() {
    use std::time::Instant;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(44);
    let a = Int::random_bits(1 << 20, &mut rng);
    let mut n = Int::random_bits(1 << 20, &mut rng);
    n.set_bit(0);
    let least = |work: &dyn Fn()| {
        let times = (0..2).map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        });
        times.min().unwrap()
    };
    let gcd = least(&|| drop(a.gcd(&n)));
    let symbol = least(&|| {
        a.jacobi(&n);
    });
    assert!(symbol < gcd * 6, "{symbol:?} beside {gcd:?}");
}
