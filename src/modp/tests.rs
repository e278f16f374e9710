//! Primes against malachite's, and both sides of the modular arithmetic against plain remainders.

#![allow(unsafe_code)]

use malachite_base::num::factorization::traits::{IsPrime, Primes};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::cuda::{self, Launch, Read, Write, kernels};
use crate::engine::Engine;

#[test]
fn primes_of_every_size() {
    for bits in 2..=16u32 {
        let mut expected: Vec<u32> = u32::primes_less_than(&(1 << bits))
            .filter(|p| p >> (bits - 1) == 1)
            .collect();
        expected.reverse();
        for count in [1, 2, expected.len(), expected.len() + 5] {
            let found = primes::largest(bits, count);
            assert!(found.len() >= count.min(expected.len()), "{bits} {count}");
            assert_eq!(found[..], expected[..found.len()], "{bits} {count}");
        }
    }
    for bits in [17, 24, 32] {
        // In two steps, so that the second continues the first.
        let (few, many) = (primes::largest(bits, 10), primes::largest(bits, 3000));
        assert_eq!(few[..10], many[..10]);
        assert!(many.is_sorted_by(|a, b| a > b));
        let all = (many[2999]..=u32::MAX >> (32 - bits))
            .rev()
            .filter(u32::is_prime);
        assert!(all.eq(many[..3000].iter().copied()), "{bits}");
    }
    // Weber–Trevisan–Martins: the largest and the smallest of the 2^17 largest primes below 2^32.
    let list = primes::largest(32, 1 << 17);
    assert_eq!(
        (list[0], list[(1 << 17) - 1]),
        (u32::MAX - 4, u32::MAX - 2_910_754)
    );
}

#[test]
fn walks() {
    for (bits, count) in [(3, 2), (16, 700), (31, 0), (31, 1), (31, 40_000)] {
        let mut seen = Vec::new();
        let number = primes::walk(bits, count, |some| {
            seen.extend(some.iter().map(|p| *p as u32));
        });
        assert_eq!(number, count);
        assert_eq!(seen[..], primes::largest(bits, count)[..count], "{bits}");
    }
    // 5 and 7 are all of three bits.
    assert_eq!(primes::walk(3, 9, |_| ()), 2);
}

#[test]
fn wide_primes() {
    for bits in [2, 3, 16, 33, 40, 41, 50, 62] {
        let found = primes::largest_wide(bits, 500);
        let all = (1u64 << (bits - 1)..1 << bits).rev().filter(u64::is_prime);
        assert!(all.take(found.len()).eq(found.iter().copied()), "{bits}");
        assert!(found.len() >= 500 || bits < 14);
    }
}

/// Moduli and residues, the hard ones and random ones: (p, x, y) with x, y < p.
fn cases() -> Vec<(u32, u32, u32)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut moduli = vec![3, 5, 7, 65_521, 4_294_967_291, 2_147_483_647, 2_147_483_659];
    moduli.extend(primes::largest(32, 2000).iter().step_by(31));
    moduli.extend(primes::largest(16, 2000).iter().step_by(301));
    let mut cases = Vec::new();
    for p in moduli {
        let edges = [
            1,
            2,
            3,
            4,
            5,
            1000,
            p / 2,
            p / 2 + 1,
            p / 3,
            p / 3 + 1,
            p / 7,
            p - 2,
            p - 1,
        ];
        let random = (0..60)
            .map(|i| rng.random::<u32>() >> (i / 2))
            .collect::<Vec<_>>();
        for x in edges.into_iter().chain(random) {
            let x = x % p;
            cases.push((p, if x == 0 { 1 } else { x }, rng.random::<u32>() % p));
        }
    }
    cases
}

#[test]
fn arithmetic_on_the_host() {
    for (p, x, y) in cases() {
        let m = Modulus::new(p);
        let (wide, p64) = (u64::from(x) * u64::from(y), u64::from(p));
        assert_eq!(m.inverse.wrapping_mul(p), 1);
        assert_eq!(u64::from(m.mul_plain(x, y)), wide % p64);
        assert_eq!(
            m.mul(m.mul(x, m.square), m.mul(y, m.square)),
            m.mul(m.mul_plain(x, y), m.square)
        );
        assert_eq!(u64::from(m.add(x, y)), (u64::from(x) + u64::from(y)) % p64);
        assert_eq!(m.add(m.sub(x, y), y), x);
        assert_eq!(u64::from(m.inv(x)) * u64::from(x) % p64, 1, "{p} {x}");
        assert_eq!(m.residue(m.symmetric(x)), x);
        assert!(i64::from(m.symmetric(x)).unsigned_abs() <= (p64 - 1) / 2);
        let limbs = [wide, !wide, wide << 7];
        let expected = limbs
            .iter()
            .rev()
            .fold(0u128, |r, l| ((r << 64) | u128::from(*l)) % u128::from(p));
        assert_eq!(u128::from(m.reduce(&limbs)), expected);
    }
}
kernels! {
     static PROBE = "modp_tests", concat!(
        include_str!("montgomery.cuh"),
        include_str!("modp.cuh"),
        include_str!("tests.cu")
    );

    fn modp_probe(out: Write<u64>[4 * n], from: Read<u64>[2 * n], n: u64);
}

#[cfg(feature = "cuda")]
#[test]
fn the_probe_is_declared_as_it_is() {
    cuda::tests::heads::compare(&PROBE);
}

#[test]
fn arithmetic_on_devices() {
    let cases = cases();
    let words: Vec<u64> = cases
        .iter()
        .flat_map(|(p, x, y)| [u64::from(*x) << 32 | u64::from(*p), u64::from(*y)])
        .collect();
    for engine in Engine::usable() {
        let Engine::Cuda(n) = engine else { continue };
        let device = cuda::device(n).unwrap();
        let (input, out) = (
            device.upload(&words).unwrap(),
            device.alloc(4 * cases.len()).unwrap(),
        );
        let kernel = device.kernel(modp_probe, &[]).unwrap();
        // SAFETY: two words in and four out for each case.
        unsafe {
            let shape = Launch::of(4, 128);
            kernel
                .launch(shape, out.write(), input.read(), cases.len())
                .unwrap();
        }
        let mut found = vec![0; 4 * cases.len()];
        device.download(&out, 0, &mut found).unwrap();
        for ((p, x, y), out) in cases.iter().zip(found.chunks(4)) {
            let m = Modulus::new(*p);
            let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
            assert_eq!(out[0], pair(m.square, m.inverse));
            assert_eq!(out[1], pair(m.mul(*x, *y), m.mul_plain(*x, *y)));
            assert_eq!(out[2], pair(m.add(*x, *y), m.sub(*x, *y)));
            assert_eq!(out[3], pair(*x, m.inv(*x)), "{p} {x} on {engine}");
        }
    }
}
