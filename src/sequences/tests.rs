//! Against definitions, against malachite, on every engine.

use malachite_base::num::arithmetic::traits::{
    BinomialCoefficient, DoubleFactorial, Factorial, Fibonacci, LucasNumber, Multifactorial,
    Primorial,
};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;

use super::*;
use crate::error::Error;
use crate::tuning::Tuning;

fn host(limbs: Result<Resident>) -> Integer {
    limbs.unwrap().into_host().unwrap().into()
}

/// The definitions themselves.
#[test]
fn against_definitions() {
    let (mut product, mut primes) = (Integer::from(1), Integer::from(1));
    let (mut f, mut l) = (
        (Integer::from(0), Integer::from(1)),
        (Integer::from(2), Integer::from(1)),
    );
    for n in 0..600u64 {
        if n > 0 {
            product *= Integer::from(n);
        }
        if n > 1 && (2..n).all(|d| n % d != 0) {
            primes *= Integer::from(n);
        }
        assert_eq!(host(factorial(n)), product, "{n}");
        assert_eq!(host(primorial(n)), primes, "{n}");
        assert_eq!(host(fibonacci(n)), f.0, "{n}");
        assert_eq!(host(lucas(n)), l.0, "{n}");
        f = (f.1.clone(), f.0 + f.1);
        l = (l.1.clone(), l.0 + l.1);
    }
}

#[test]
fn on_every_engine() {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            let same = |found: Result<Resident>, expected: Natural| {
                assert!(host(found) == expected, "{engine}");
            };
            let sizes: &[u64] = match engine {
                Engine::Cpu => &[511, 512, 513, 1023, 5000, 12_345],
                _ if tuning == Tuning::MINIMAL => &[700],
                _ => &[20_001],
            };
            tuning.scope(|| {
                engine.scope(|| {
                    for n in sizes.iter().copied() {
                        same(factorial(n), Natural::factorial(n));
                        same(double_factorial(n), Natural::double_factorial(n));
                        same(multi_factorial(n, 3), Natural::multifactorial(n, 3));
                        same(primorial(n), Natural::primorial(n));
                        same(fibonacci(n), Natural::fibonacci(n));
                        same(lucas(n), Natural::lucas_number(n));
                        for (n, k) in [(n, n / 3), (n + 1100, n), (n * 70, 512), (n, n + 1), (n, n)]
                        {
                            let [x, y] = [n, k].map(Natural::from);
                            same(binomial(n, k), Natural::binomial_coefficient(x, y));
                        }
                    }
                });
            });
        }
    }
}

#[test]
fn too_large_is_an_error() {
    for sequence in [factorial, double_factorial, primorial, fibonacci, lucas] {
        for n in [1 << 50, u64::MAX] {
            assert!(matches!(sequence(n), Err(Error::TooLarge { .. })));
        }
    }
    assert!(matches!(
        binomial(u64::MAX, 1 << 50),
        Err(Error::TooLarge { .. })
    ));
    assert_eq!(host(binomial(u64::MAX, 1)), Integer::from(u64::MAX));
}
