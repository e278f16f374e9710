//! Factorisations multiplied up again, against malachite's, and on every engine.

use std::time::Duration;

use malachite_base::num::factorization::traits::IsPrime;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::engine::Engine;
use crate::factoring::{ecm, pminus1, pplus1, rho, small};
use crate::int::Int;
use crate::tuning::Tuning;

fn prime(rng: &mut impl RngExt, bits: u32) -> u128 {
    loop {
        let n = rng.random::<u64>() >> (64 - bits) | 1 << (bits - 1) | 1;
        if n.is_prime() {
            return n.into();
        }
    }
}

/// Numbers of every size and shape, each with its primes.
fn examples(per_size: usize, sizes: impl Iterator<Item = u32> + Clone) -> Vec<(u128, Vec<u128>)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut all = Vec::new();
    for bits in sizes {
        for _ in 0..per_size {
            let (p, q) = (prime(&mut rng, bits), prime(&mut rng, bits));
            let r = prime(&mut rng, 2 + bits / 3);
            for mut primes in [
                vec![p],
                vec![p, q],
                vec![p, p],
                vec![r, r, r],
                vec![2, r, p],
            ] {
                primes.sort_unstable();
                all.push((primes.iter().product(), primes));
            }
        }
    }
    all
}

fn special() -> Vec<(u128, Vec<u128>)> {
    let power = |p: u128, k: u32| (p.pow(k), vec![p; k as usize]);
    let mut all = vec![
        (1, vec![]),
        power(2, 127),
        power(3, 80),
        power(509, 14),
        power(521, 14),
        power(1_048_583, 6),
        power(4_294_967_291, 3),
        power(18_446_744_073_709_551_557, 2),
        (
            u128::MAX,
            vec![3, 5, 17, 257, 641, 65537, 274177, 6700417, 67280421310721],
        ),
        // The largest prime below 2^128, Mersenne's, and a strong pseudoprime to twelve bases.
        (u128::MAX - 158, vec![u128::MAX - 158]),
        ((1 << 127) - 1, vec![(1 << 127) - 1]),
    ];
    all.push((
        318_665_857_834_031_151_167_461,
        vec![399_165_290_221, 798_330_580_441],
    ));
    all.push((
        523 * 541 * 547 * 557 * 563 * 569,
        vec![523, 541, 547, 557, 563, 569],
    ));
    all
}

fn factored(n: u128) -> Vec<u128> {
    let mut primes = Vec::new();
    let rest = small::divide_out_small(n, &mut primes);
    if rest > 1 {
        small::complete(rest, &mut primes);
    }
    primes.sort_unstable();
    primes
}

#[test]
fn words_of_every_size() {
    for n in 1..3000u128 {
        let primes = factored(n);
        assert_eq!(primes.iter().product::<u128>(), n);
        assert!(primes.iter().all(|p| (*p as u64).is_prime()), "{n}");
    }
    let all = examples(2, (3..34).chain([40, 44]))
        .into_iter()
        .chain(special());
    for (n, primes) in all {
        assert_eq!(factored(n), primes, "{n}");
    }
}

#[test]
fn primality_of_words() {
    for n in (0..5000u64)
        .chain(4_294_960_000..4_294_970_000)
        .chain(u64::MAX - 2000..=u64::MAX)
    {
        assert_eq!(small::is_prime(n.into()), n.is_prime(), "{n}");
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for _ in 0..2000 {
        let n = (rng.random::<u128>() | 1) >> rng.random_range(0..63);
        assert_eq!(small::is_prime(n), Int::from(n).is_probable_prime(), "{n}");
    }
}

#[test]
fn many_on_every_engine() {
    let mut all = examples(1, [3, 9, 15, 20, 24].into_iter());
    all.extend(special());
    // The executor fills its threads with curves: many of them with the shipped shape.
    let short: Vec<_> = all.iter().filter(|(n, _)| *n < 1 << 50).cloned().collect();
    for engine in Engine::usable() {
        for (tuning, list) in [(Tuning::MINIMAL, &all), (Tuning::DEFAULT, &short)] {
            let numbers: Vec<u128> = list.iter().map(|(n, _)| *n).collect();
            let factors = tuning.scope(|| engine.scope(|| factor_many(&numbers)));
            let factors = factors.unwrap();
            assert_eq!(factors.len(), numbers.len());
            for ((n, primes), found) in list.iter().zip(factors.iter()) {
                assert_eq!(found, primes, "{n} on {engine}");
            }
        }
    }
    // Several chunks of the minimal preset.
    let numbers: Vec<u128> = (1..700).map(|i| i * 1_000_003).collect();
    for engine in Engine::usable() {
        let factors = Tuning::MINIMAL.scope(|| engine.scope(|| factor_many(&numbers)));
        for (n, primes) in numbers.iter().zip(factors.unwrap().iter()) {
            assert_eq!(
                (primes.iter().product::<u128>(), primes.last()),
                (*n, Some(&1_000_003))
            );
        }
    }
    assert!(factor_many(&[]).unwrap().is_empty());
    assert!(factor_many(&[5, 0]).is_err());
}

fn int(text: &str) -> Int {
    text.parse().unwrap()
}

fn lines(found: &Factorization) -> Vec<String> {
    let line = |f: &Factor| format!("{}^{} {}", f.value, f.exponent, f.origin.method);
    found.factors.iter().map(line).collect()
}

#[test]
fn searches_end_with_primes() {
    let p = (Int::ONE << 89) - 1;
    let cases: [(Int, &[&str]); 9] = [
        (Int::ONE, &[]),
        (int("2"), &["2^1 none"]),
        (int("360"), &["2^3 trial", "3^2 trial", "5^1 trial"]),
        (int("131071"), &["131071^1 none"]),
        (
            (Int::ONE << 127) - 1,
            &["170141183460469231731687303715884105727^1 none"],
        ),
        (
            (&p * &p) * 12,
            &[
                "2^2 trial",
                "3^1 trial",
                "618970019642690137449562111^2 power",
            ],
        ),
        (
            (Int::ONE << 67) - 1,
            &["193707721^1 ecm", "761838257287^1 ecm"],
        ),
        // A factor of ten digits in a number of 200 bits.
        (
            int("4294967311") * int("1532495540865888858358347027150309183618739357528837633"),
            &[
                "4294967311^1 rho",
                "1532495540865888858358347027150309183618739357528837633^1 rho",
            ],
        ),
        // Forty digits, half each.
        (int("5110307550914302636007179803502077917999"), &["0"]),
    ];
    for (n, expected) in cases {
        let found = n.factor();
        assert!(found.is_complete());
        let primes = found
            .factors
            .iter()
            .map(|f| f.value.try_pow(f.exponent).unwrap());
        assert_eq!(primes.fold(Int::ONE, |a, b| a * b), n);
        for factor in &found.factors {
            assert!(factor.value.is_probable_prime());
            assert_eq!(
                factor.status == Status::Proved,
                factor.value.bit_length() <= 64
            );
        }
        if expected != ["0"] {
            assert_eq!(lines(&found), expected, "{n}");
        } else {
            assert_eq!(found.factors.len(), 2);
            assert_eq!(found.factors[0].origin.method, Method::Siqs);
        }
    }
    assert!(Int::ZERO.try_factor().is_err());
    assert!(Int::from(-6).try_factor().is_err());
}

#[test]
fn no_step_is_longer_than_it_may() {
    // 2^50 − 27 and 2^110 − 21 are primes: the sieve would split their product, but a step of no
    // time is none of it.
    let prime = |bits: u64, less: u64| (Int::ONE << bits) - Int::from(less);
    let n = prime(50, 27) * prime(110, 21);
    let methods = [Method::Ecm, Method::Siqs];
    let short = Options::default()
        .methods(&methods)
        .longest_step(Some(Duration::from_nanos(1)));
    let found = factor(&n, &short).unwrap();
    assert!(
        found
            .factors
            .iter()
            .all(|factor| factor.origin.method == Method::Ecm)
    );
    let kept = Options::default()
        .methods(&[Method::Siqs])
        .longest_step(Some(Duration::from_nanos(1)));
    let unsplit = factor(&n, &kept).unwrap();
    assert_eq!(unsplit.factors.len(), 1);
}

#[test]
fn searches_stop_and_go_on() {
    // Nothing but trial division in no time: what is left is composite, and the search can be
    // written down.
    let n = int("5110307550914302636007179803502077917999") * 30;
    let mut search = Search::new(&n, &Options::default()).unwrap();
    assert!(!search.run(&|| false, &mut |_| Ok(())).unwrap());
    let partial = search.result().unwrap();
    assert!(!partial.is_complete());
    assert_eq!(partial.factors.len(), 4);
    assert_eq!(partial.factors[3].status, Status::Composite);
    let text = serde_json::to_string(&search).unwrap();
    let mut again: Search = serde_json::from_str(&text).unwrap();
    assert!(again.run(&|| true, &mut |_| Ok(())).unwrap());
    assert_eq!(again.result().unwrap().factors.len(), 5);
}

#[test]
fn a_long_number_that_is_not_tested_is_of_unknown_status() {
    let prime = (Int::ONE << 2203) - 1;
    let n = &prime * &(Int::from(3).try_pow(50).unwrap() << 7);
    let mut search = Search::new(&n, &Options::default()).unwrap();
    assert!(!search.run(&|| false, &mut |_| Ok(())).unwrap());
    let partial = search.result().unwrap();
    assert!(!partial.is_complete());
    assert_eq!(partial.factors.last().unwrap().status, Status::Unknown);
    assert!(search.run(&|| true, &mut |_| Ok(())).unwrap());
    let found: Vec<_> = search.result().unwrap().factors;
    let found: Vec<_> = found
        .iter()
        .map(|f| (f.value.clone(), f.exponent, f.status))
        .collect();
    assert_eq!(
        found,
        [
            (Int::from(2), 7, Status::Proved),
            (Int::from(3), 50, Status::Proved),
            (prime, 1, Status::Probable)
        ]
    );
}

/// No step of a search for factors of a number of this length can be waited for.
#[test]
fn long_steps_end_soon_after_they_are_stopped() {
    let one_million_digits = Int::from(10).try_pow(1_000_000).unwrap();
    let long = Int::from(10).try_pow(20_000).unwrap();
    for n in [one_million_digits + 7, &long * &long + &long + 1] {
        let start = std::time::Instant::now();
        let keep_going = || start.elapsed() < Duration::from_millis(300);
        let mut search = Search::new(&n, &Options::default()).unwrap();
        assert!(!search.run(&keep_going, &mut |_| Ok(())).unwrap());
        // Far above what a step takes, far below what the search would: machines may be busy.
        assert!(start.elapsed() < Duration::from_secs(60));
        assert!(!search.result().unwrap().is_complete());
    }
}

#[test]
fn methods_stop_within_a_step() {
    // A product of two Mersenne primes, of 13 000 bits: a multiplier of p − 1 alone takes seconds.
    let n = ((Int::ONE << 9689) - 1) * ((Int::ONE << 3217) - 1);
    let n = n.into_integer().into_magnitude();
    let start = std::time::Instant::now();
    let keep_going = || start.elapsed() < Duration::from_millis(200);
    progress::while_going(&keep_going, || {
        assert_eq!(rho::run(&n, 1 << 17, &keep_going), None);
        assert_eq!(pminus1::run(&n, 1 << 20, 1 << 26, &keep_going), Ok(None));
        assert_eq!(pplus1::run(&n, 1 << 20, 1 << 26, 0, &keep_going), Ok(None));
        let curves = ecm::curves(&n, 1 << 20, 1 << 26, 1, 2, &keep_going);
        assert_eq!(curves, Ok(Vec::new()));
    });
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn small_primes_are_divided_out_as_often_as_they_divide() {
    let prime = (Int::ONE << 127) - 1;
    for (p, exponents) in [
        (2, &[1, 64, 1000][..]),
        (3, &[1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 255, 256, 257]),
        (131_071, &[1, 2, 3, 4, 31, 32, 33]),
    ] {
        for exponent in exponents {
            let power = Int::from(p).try_pow(*exponent).unwrap();
            // Beside a large prime, and beside nothing but another small one.
            for rest in [prime.clone(), Int::from(5).try_pow(90).unwrap()] {
                let found = factor(&(&power * &rest), &Options::default()).unwrap();
                let of_p = found.factors.iter().find(|f| f.value == p).unwrap();
                assert_eq!(of_p.exponent, *exponent, "{p}");
                assert!(found.is_complete() && found.factors.len() == 2);
            }
        }
    }
}

#[test]
fn options_are_checked() {
    let n = Int::from(15);
    let bad = [
        Options::default().methods(&[]),
        Options::default().bounds(Some(1), None),
        Options::default().bounds(None, Some(100)),
        Options::default().bounds(Some(1000), Some(100)),
    ];
    for options in bad {
        assert!(factor(&n, &options).is_err());
    }
    // Bounds too small for the factors, and few curves: an end without success.
    let n = int("5110307550914302636007179803502077917999");
    let few = Options::default()
        .methods(&[Method::Ecm])
        .bounds(Some(20), None)
        .curves(Some(2));
    assert!(!factor(&n, &few).unwrap().is_complete());
}

#[test]
fn rho_finds_short_factors() {
    let n = int("4294967311") * ((Int::ONE << 521) - 1);
    let n = n.host().magnitude();
    let found = rho::run(n, 1 << 20, &|| true).unwrap();
    assert_eq!(found, 4_294_967_311u64);
    assert_eq!(rho::run(n, 10, &|| true), None);
    let prime = Int::ones(127);
    assert_eq!(rho::run(prime.host().magnitude(), 2000, &|| true), None);
}

/// Where they are asked for, the published variants split even what is short enough for better
/// ways.
#[test]
fn published_variants_on_request() {
    let primes = [1_000_003u64, 1_000_033, 2_000_003];
    let n = primes.iter().fold(Int::ONE, |n, p| n * Int::from(*p));
    for engine in Engine::usable() {
        for method in [Method::RhoV1, Method::RhoV2] {
            let options = Options::default().methods(&[method]);
            let found = engine.scope(|| factor(&n, &options).unwrap());
            let values: Vec<Int> = found.factors.iter().map(|f| f.value.clone()).collect();
            assert_eq!(values, primes.map(Int::from), "{engine} {method}");
            assert!(found.factors.iter().all(|f| f.origin.method == method));
        }
    }
    let rest = factor(&n, &Options::default()).unwrap();
    assert!(rest.factors.iter().all(|f| !f.origin.method.is_published()));
}

/// Beránek's own number is the square of a prime: where his variants are asked for, they find the
/// root, and no test for powers is before them.
#[test]
fn published_variants_split_a_square() {
    let (n, root) = (int("1140586421661513649"), Int::from(1_067_982_407u64));
    for method in [Method::RhoV1, Method::RhoV2] {
        let options = Options::default().methods(&[method]);
        let found = Engine::Cpu.scope(|| factor(&n, &options).unwrap());
        assert!(found.is_complete() && found.factors.len() == 1);
        let factor = &found.factors[0];
        assert_eq!((&factor.value, factor.exponent), (&root, 2));
        assert_eq!(factor.origin.method, method);
    }
    let by_power = factor(&n, &Options::default()).unwrap();
    assert_eq!(by_power.factors[0].origin.method, Method::Power);
    // Longer numbers than the variants take are still tested for powers.
    let p = (Int::ONE << 1279) - 1;
    let options = Options::default().methods(&[Method::RhoV1]);
    let long = Engine::Cpu.scope(|| factor(&(&p * &p), &options).unwrap());
    assert!(long.is_complete());
    assert_eq!((&long.factors[0].value, long.factors[0].exponent), (&p, 2));
}

#[test]
fn factors_are_sent_and_put_together() {
    let numbers: Vec<u128> = (1..700).chain([u128::MAX, 1 << 127]).collect();
    let all = factor_many(&numbers).unwrap();
    assert_eq!(
        crate::cluster::Cluster::alone().factor_many(&numbers),
        Ok(all.clone())
    );
    let (first, rest) = numbers.split_at(512);
    let mut together = Factors::default();
    for part in [first, rest] {
        let bytes = factor_many(part).unwrap().to_bytes();
        together.append(&bytes).unwrap();
        assert!(
            Factors::default()
                .append(&bytes[..bytes.len() - 1])
                .is_none()
        );
    }
    assert_eq!(together, all);
}
