//! Primes and pseudoprimes that are known.

use malachite_base::num::factorization::traits::IsPrime;

use super::*;
use crate::engine::Engine;
use crate::int::Int;

fn int(text: &str) -> Int {
    text.parse().unwrap()
}

#[test]
fn small_numbers() {
    for n in -5i64..2000 {
        let expected = u64::try_from(n).is_ok_and(|n| n.is_prime());
        assert_eq!(Int::from(n).is_probable_prime(), expected, "{n}");
    }
    // The tests themselves, without the shortcut: together they make no error far beyond this.
    for n in (1001u64..60_001).step_by(2) {
        let x = Int::from(n);
        if has_small_factor(&[n]).unwrap() {
            continue;
        }
        let both =
            is_strong_to_base_2(x.as_limbs()).unwrap() && is_strong_lucas(x.as_limbs()).unwrap();
        assert_eq!(both, n.is_prime(), "{n}");
    }
}

#[test]
fn small_factors() {
    let trial = |n: &[u64]| has_small_factor(n).unwrap();
    for n in 1..100_000u64 {
        let expected = (2..TRIAL).any(|p| p.is_prime() && n % p == 0);
        assert_eq!(trial(&[n]), expected, "{n}");
    }
    // The least prime that is not tried, and multiples of the last one that is, of several words.
    let power = |p: u64, exponent: u32| Int::from(p).pow(exponent.into());
    assert!(!trial(power(1009, 30).limbs()));
    assert!(trial((power(1009, 30) * Int::from(997)).limbs()));
    assert!(trial((power(1009, 30) * Int::from(2)).limbs()));
}

/// Strong pseudoprimes to the base 2, and strong Lucas pseudoprimes: each passes one test and fails
/// the other.
#[test]
fn pseudoprimes() {
    for n in [
        2047i64,
        3277,
        4033,
        4681,
        8321,
        3_215_031_751,
        3_825_123_056_546_413_051,
    ] {
        assert!(is_strong_to_base_2(&small(n)).unwrap(), "{n}");
        assert!(!is_strong_lucas(&small(n)).unwrap(), "{n}");
    }
    for n in [
        5459i64, 5777, 10_877, 16_109, 18_971, 22_499, 24_569, 25_199, 40_309, 58_519,
    ] {
        assert!(is_strong_lucas(&small(n)).unwrap(), "{n}");
        assert!(!is_strong_to_base_2(&small(n)).unwrap(), "{n}");
    }
}

#[test]
fn large_numbers() {
    for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
        tuning.scope(|| {
            for exponent in [89u64, 107, 127, 521, 607, 1279] {
                assert!(Int::ones(exponent).is_probable_prime(), "{exponent}");
                assert!(!Int::ones(exponent + 2).is_probable_prime());
            }
            let p = int("170141183460469231731687303715884105727");
            let q = int("162259276829213363391578010288127");
            assert!(!(&p * &q).is_probable_prime());
            assert!(!(&p * &p).is_probable_prime());
            // A Carmichael number and a strong pseudoprime to the first twelve primes as bases.
            assert!(!int("318665857834031151167461").is_probable_prime());
            assert!(!int("3317044064679887385961981").is_probable_prime());
            assert_eq!(
                int("1000000000000000000000").try_next_prime().unwrap(),
                int("1000000000000000000117")
            );
        });
    }
    assert_eq!(
        int("1000000000000000000118").try_prev_prime().unwrap(),
        int("1000000000000000000117")
    );
    assert_eq!(Int::from(-7).try_next_prime().unwrap(), 2);
    assert_eq!(Int::from(2).try_next_prime().unwrap(), 3);
    assert_eq!(Int::from(13).try_next_prime().unwrap(), 17);
}

#[test]
fn on_a_device() {
    for engine in Engine::usable() {
        Tuning::MINIMAL.scope(|| {
            engine.scope(|| {
                let prime = Int::ones(89);
                if engine == Engine::Cpu {
                    assert!(prime.is_probable_prime());
                } else {
                    assert!(is_strong_to_base_2(prime.as_limbs()).unwrap());
                }
            });
        });
    }
}

#[test]
fn the_prime_below() {
    let mut below = None;
    for n in -3i64..3000 {
        let n_int = Int::from(n);
        assert_eq!(n_int.try_prev_prime().ok(), below.map(Int::from), "{n}");
        if u64::try_from(n).is_ok_and(|n| n.is_prime()) {
            below = Some(n);
        }
    }
    // 2^64 - 59 is the greatest prime below 2^64.
    assert_eq!(
        ((Int::ONE << 64) + 1).prev_prime(),
        Int::from(u64::MAX - 58)
    );
}

/// The tests of short numbers agree with those of long ones, whatever way products are reduced.
#[test]
fn short_and_long_tests_agree() {
    let mut numbers = Vec::new();
    for bits in [65u64, 127, 128, 129, 191, 192, 193, 256, 320, 521] {
        let power = Int::ONE << bits;
        // 2^bits − c with small c, one c that is not small any more, and numbers without such a
        // form.
        for c in [
            1u64,
            3,
            5,
            159,
            189,
            237,
            65535,
            (1 << 31) - 1,
            (1 << 31) + 1,
        ] {
            numbers.push(&power - Int::from(c));
            numbers.push(&power + Int::from(c));
        }
        numbers.push(&power + (Int::ONE << (bits / 2)) + 1);
        numbers.push(&power * Int::from(5) - 3);
    }
    // Mersenne's and Fermat's numbers that are composite are strong pseudoprimes to the base 2.
    numbers.extend([67, 101, 137, 193, 257].map(|p| Int::ones(p)));
    numbers.push((Int::ONE << 256) + 1);
    let passes = |n: &Int| {
        let n = n.as_limbs();
        (is_strong_to_base_2(n).unwrap(), is_strong_lucas(n).unwrap())
    };
    let (mut primes, mut pseudoprimes) = (0, 0);
    for n in numbers {
        let short = Tuning::DEFAULT.scope(|| passes(&n));
        let long = Tuning::MINIMAL.scope(|| passes(&n));
        assert_eq!(short, long, "{n}");
        primes += usize::from(short.0 && short.1);
        pseudoprimes += usize::from(short.0 && !short.1);
    }
    assert!(primes >= 3 && pseudoprimes >= 4);
}
