//! Roots on every engine, under both tunings, against malachite and against their definition.

use malachite_base::num::arithmetic::traits::{Pow, UnsignedAbs};
use malachite_base::num::factorization::traits::{ExpressAsPower, IsSquare};
use malachite_nz::integer::Integer;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::engine::Engine;
use crate::int::Int;

fn engines(test: impl Fn(Engine, bool)) {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            let minimal = tuning == Tuning::MINIMAL;
            tuning.scope(|| engine.scope(|| test(engine, minimal)));
        }
    }
}

/// s^n ≤ |a| < (s + 1)^n and r = a − s^n.
fn check(a: &Integer, n: u64) {
    let (s, r) = root_rem(&Resident::from(a.clone()), n).unwrap();
    let (s, r) = (
        Integer::from(s.into_host().unwrap()),
        Integer::from(r.into_host().unwrap()),
    );
    assert!(&s.clone().pow(n) + &r == *a, "{n}-th root");
    let above = (s.unsigned_abs() + malachite_nz::natural::Natural::from(1u32)).pow(n);
    assert!(above > *a.unsigned_abs_ref(), "{n}-th root is too small");
    assert!(r == 0 || (r > 0) == (*a > 0), "{n}-th root is too large");
}

#[test]
fn roots() {
    engines(|engine, minimal| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
        let host = engine == Engine::Cpu;
        let one = Integer::from(1);
        let sizes: &[u64] = match (minimal, host) {
            (true, true) => &[
                1, 2, 7, 8, 9, 10, 63, 64, 65, 127, 128, 129, 130, 131, 132, 500, 1001,
            ],
            (true, false) => &[129, 300],
            (false, true) => &[60_000, 200_001],
            (false, false) => &[140_000],
        };
        for bits in sizes {
            let x = Integer::from(Int::random_bits(*bits, &mut rng));
            let ones = (Integer::from(1) << *bits) - &one;
            check(&x, 2);
            check(&ones, 2);
            let square = &x * &x;
            for n in [
                &square - &one,
                square.clone(),
                &square + &one,
                &square + &x + &x,
            ] {
                check(&n, 2);
            }
            assert!(is_square(&square.into()).unwrap());
            if host || minimal {
                for n in [3, 5, rng.random_range(4..100)] {
                    check(&x, n);
                    check(&-&ones, n | 1);
                }
            }
        }
        if host && minimal {
            for a in 0..2000 {
                let a = Integer::from(a);
                (2..13).for_each(|n| check(&a, n));
                assert_eq!(
                    is_square(&a.clone().into()).unwrap(),
                    a.unsigned_abs().is_square()
                );
            }
        }
    });
}

#[test]
fn powers() {
    let check = |a: &Integer| {
        let found = perfect_power(&Resident::from(a.clone())).unwrap();
        let found = found.map(|(b, e)| (Integer::from(b.into_host().unwrap()), e));
        match a.express_as_power() {
            None => assert!(found.is_none(), "{a}: {found:?}"),
            Some(_) if *a >= -1 && *a <= 1 => assert!(found.is_some()),
            Some((_, least)) => {
                let (b, e) = found.unwrap_or_else(|| panic!("{a} is a power"));
                assert_eq!((&b).pow(e), *a);
                assert!(
                    e >= least && b.express_as_power().is_none(),
                    "{a} = {b}^{e}"
                );
            }
        }
    };
    for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
        tuning.scope(|| {
            (-1100..1100).for_each(|a| check(&Integer::from(a)));
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(32);
            for _ in 0..60 {
                let bits = rng.random_range(2..90);
                let b = Integer::from(Int::random_bits(bits, &mut rng));
                let power = b.pow(rng.random_range(1..40));
                check(&power);
                check(&-&power);
                check(&(power + Integer::from(1)));
            }
        });
    }
}

/// Numbers with no primes but small ones, with one more small prime, and with a long one.
#[test]
fn powers_of_small_primes() {
    let found = |a: Integer| {
        let found = perfect_power(&Resident::from(a)).unwrap();
        found.map(|(b, e)| (Integer::from(b.into_host().unwrap()), e))
    };
    for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
        tuning.scope(|| {
            for base in [2u64, 3, 6, 10, 15, 210, 255, 502, 251 * 241] {
                for e in [2u64, 3, 64, 97, 1000, 3001] {
                    let (b, odd) = (Integer::from(base), e >> e.trailing_zeros());
                    let power = (&b).pow(e);
                    assert_eq!(found(power.clone()), Some((b.clone(), e)));
                    let negative = (odd > 1).then(|| (-(&b).pow(e / odd), odd));
                    assert_eq!(found(-&power), negative);
                    let long = Integer::from(257);
                    assert_eq!(found(&power * &long), None);
                    assert_eq!(found(&power * &(&long).pow(e)), Some((&b * &long, e)));
                    if base % 7 != 0 {
                        assert_eq!(found(&power * &Integer::from(7)), None);
                    }
                }
            }
        });
    }
}

/// Exponents share divisions in groups of primes; these lie at the ends of groups.
#[test]
fn powers_with_long_exponents() {
    for e in [1613, 1619, 1621, 2 * 1621, 3671, 3673] {
        let power = Integer::from(257).pow(e);
        for (a, sign) in [(power.clone(), 1), (-&power, -1)] {
            let found = perfect_power(&Resident::from(a)).unwrap();
            let (base, exponent) = found.unwrap();
            // A negative number has no even power.
            let even = if sign < 0 && e.is_multiple_of(2) {
                2
            } else {
                1
            };
            assert_eq!(exponent, e / even);
            assert_eq!(
                base.into_host().unwrap(),
                Integer::from(sign) * Integer::from(257).pow(even)
            );
        }
        let next = power + Integer::from(2);
        assert!(perfect_power(&Resident::from(next)).unwrap().is_none());
    }
}

/// Bases as long as are looked for modulo 2^64, and longer, with exponents on either side of that
/// limit.
#[test]
fn powers_of_bases_of_a_word() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(33);
    for bits in [9, 16, 30, 46, 47, 48, 49, 50, 62, 63, 64, 65] {
        for e in [3, 5, 7, 9, 15, 25, 49, 77, 101, 121, 131] {
            let mut base = Int::random_bits(bits, &mut rng);
            base.set_bit(0);
            base.set_bit(bits - 1);
            // Without small factors, or few exponents would be tried.
            while (3..256).any(|p| (&base % p) == 0) || base.perfect_power().is_some() {
                base += 2;
            }
            let power = base.pow(e);
            assert_eq!(power.perfect_power(), Some((base.clone(), e)), "{base}^{e}");
            assert_eq!((-&power).perfect_power(), Some((-base, e)));
            assert_eq!((power + 2).perfect_power(), None);
        }
    }
}

/// The test of a number takes a few products of its length. Their number does not grow with the
/// number of exponents.
#[test]
fn long_numbers_take_few_products() {
    use std::time::Instant;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(34);
    let mut n = Int::random_bits(1 << 23, &mut rng);
    while (2..256).any(|p| (&n % p) == 0) {
        n += 1;
    }
    let least = |work: &dyn Fn()| {
        let times = (0..2).map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        });
        times.min().unwrap()
    };
    let product = least(&|| drop(n.square()));
    let found = least(&|| assert_eq!(n.perfect_power(), None));
    assert!(found < product * 60, "{found:?} beside {product:?}");
}

#[test]
fn bad_degrees() {
    let [a, b] = [-8, 8].map(Int::from);
    assert!(a.try_sqrt_rem().is_err());
    assert!(a.try_root(4).is_err());
    assert!(b.try_root(0).is_err());
    assert_eq!(a.try_root(3).unwrap(), -2);
}
