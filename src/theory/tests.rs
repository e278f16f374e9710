//! Every function against its definition, tried out on small numbers, and known large values.

use super::*;

fn int(x: u64) -> Int {
    Int::from(x)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[test]
fn functions_of_divisors() {
    for n in 1..600u64 {
        let all: Vec<u64> = (1..=n).filter(|d| n % d == 0).collect();
        let x = int(n);
        assert_eq!(
            divisors(&x).unwrap(),
            all.iter().map(|d| int(*d)).collect::<Vec<_>>()
        );
        assert_eq!(divisor_count(&x), Ok(int(all.len() as u64)));
        for k in 0..4 {
            let sum = all.iter().map(|d| d.pow(k)).sum::<u64>();
            assert_eq!(divisor_sum(&x, u64::from(k)), Ok(int(sum)), "{n} {k}");
        }
        let phi = (1..=n).filter(|x| gcd(*x, n) == 1).count() as u64;
        assert_eq!(totient(&x), Ok(int(phi)), "{n}");
        // Σ μ(d) over the divisors of n is 0 but for n = 1.
        let sum: i32 = all.iter().map(|d| moebius(&int(*d)).unwrap()).sum();
        assert_eq!(sum, i32::from(n == 1), "{n}");
    }
    for bad in [0, -6] {
        assert!(divisors(&Int::from(bad)).is_err() && moebius(&Int::from(bad)).is_err());
    }
    let highly = Int::factorial(60) * Int::primorial(200);
    assert!(divisors(&highly).is_err());
    let count = divisor_count(&Int::factorial(20)).unwrap();
    assert_eq!(
        (count, divisors(&Int::factorial(20)).unwrap().len()),
        (int(41_040), 41_040)
    );
}

#[test]
fn primes_are_counted() {
    let (mut count, mut primes) = (0, Vec::new());
    for n in 0..3000u64 {
        if n > 1 && (2..n).all(|d| n % d != 0) {
            count += 1;
            primes.push(n);
        }
        assert_eq!(prime_count(n), Ok(count), "{n}");
    }
    for (i, p) in primes.iter().enumerate() {
        assert_eq!(nth_prime(i as u64 + 1), Ok(*p));
    }
    // OEIS A006880 and A006988.
    let counts = [78_498, 664_579, 5_761_455, 50_847_534];
    let primes = [15_485_863, 179_424_673, 2_038_074_743];
    for (count, power) in counts.into_iter().zip(6..) {
        assert_eq!(prime_count(10u64.pow(power)), Ok(count));
    }
    for (prime, power) in primes.into_iter().zip(6..) {
        assert_eq!(nth_prime(10u64.pow(power)), Ok(prime));
    }
    for bad in [(1 << 46) + 1, u64::MAX] {
        assert!(prime_count(bad).is_err() && nth_prime(bad).is_err());
    }
    assert!(nth_prime(0).is_err());
}

#[test]
fn remainders() {
    for (m, n) in [(1, 1), (4, 6), (9, 10), (12, 18)] {
        for r in -3..m {
            for s in 0..n + 2 {
                let found = chinese_remainder(&[(r, m), (s, n)].map(|(r, m)| (r.into(), m.into())));
                let fits = |x: &i64| (x - r) % m == 0 && (x - s) % n == 0;
                match (0..m * n).find(fits) {
                    Some(x) => assert_eq!(found, Ok(Int::from(x)), "{r} {m} {s} {n}"),
                    None => assert!(found.is_err(), "{r} {m} {s} {n}"),
                }
            }
        }
    }
    assert_eq!(chinese_remainder(&[]), Ok(Int::ZERO));
    assert!(chinese_remainder(&[(Int::ONE, Int::ZERO)]).is_err());
}

#[test]
fn orders_roots_and_logarithms() {
    for m in 1..200u64 {
        let powers = |a: u64| {
            let mut all = vec![1 % m];
            loop {
                let next = all[all.len() - 1] * a % m;
                if next == 1 % m {
                    return all;
                }
                all.push(next);
            }
        };
        let units: Vec<u64> = (0..m).filter(|a| gcd(*a, m) == 1).collect();
        for a in 0..m {
            let order = multiplicative_order(&int(a), &int(m));
            if gcd(a, m) != 1 {
                assert!(order.is_err());
                continue;
            }
            assert_eq!(order, Ok(int(powers(a).len() as u64)), "{a} {m}");
        }
        let generator = units.iter().find(|g| powers(**g).len() == units.len());
        let root = primitive_root(&int(m));
        match generator {
            Some(g) => assert_eq!(root, Ok(int(*g)), "{m}"),
            None => assert!(root.is_err(), "{m}"),
        }
        for g in units.iter().take(5) {
            let all = powers(*g);
            for a in 0..m {
                let log = discrete_log(&int(a), &int(*g), &int(m));
                match all.iter().position(|power| *power == a) {
                    Some(x) => assert_eq!(log, Ok(int(x as u64)), "{a} {g} {m}"),
                    None => assert!(log.is_err(), "{a} {g} {m}"),
                }
            }
        }
    }
    // 2 is a primitive root, and p − 1 has small factors.
    let p: Int = "1000000000000000003".parse().unwrap();
    let g = primitive_root(&p).unwrap();
    assert_eq!(multiplicative_order(&g, &p), Ok(&p - 1));
    assert!(primitive_root(&Int::ZERO).is_err() && multiplicative_order(&g, &(-p)).is_err());
    let p = (Int::ONE << 61) - 1;
    let x = int(1_234_567_890_123_456_789);
    let power = Int::from(37).pow_mod(&x, &p);
    assert_eq!(discrete_log(&power, &Int::from(37), &p), Ok(x));
}

#[test]
fn square_roots() {
    for m in 1..400u64 {
        for a in 0..m {
            let squares = (0..m).any(|x| x * x % m == a);
            match sqrt_mod(&int(a), &int(m)) {
                Ok(x) => assert!(squares && &x * &x % m == a && x < m, "{a} {m}: {x}"),
                Err(_) => assert!(!squares, "{a} {m}"),
            }
        }
    }
    // p − 1 with many twos, a power, and a product.
    let p = Int::ONE + (Int::from(15) << 27);
    for m in [p.clone(), p.pow(5), &p * 7 * (Int::ONE << 9)] {
        for x in [2u64, 12_345, 999_999_937] {
            let square = int(x).square().rem_euclid(&m);
            let root = sqrt_mod(&square, &m).unwrap();
            assert_eq!(root.square().rem_euclid(&m), square);
        }
    }
}

#[test]
fn numbers_of_combinatorics() {
    // Σ C(n + 1, k)·B(k) = 0 for n ≥ 1.
    let all: Vec<(Int, Int)> = (0..40).map(|n| bernoulli(n).unwrap()).collect();
    for n in 1..40u64 {
        let common: Int = all.iter().map(|(_, under)| under).product();
        let terms = (0..=n).map(|k| {
            let (over, under) = &all[k as usize];
            Int::binomial(n + 1, k) * over * &common / under
        });
        assert_eq!(terms.sum::<Int>(), 0, "{n}");
        assert_eq!(all[n as usize].0.gcd(&all[n as usize].1), 1);
    }
    // Ways to write n as a sum of parts up to k.
    let mut ways = vec![Int::ZERO; 101];
    ways[0] = Int::ONE;
    for part in 1..=100 {
        for n in part..=100 {
            ways[n] = &ways[n] + &ways[n - part];
        }
    }
    for n in 0..=100 {
        assert_eq!(partitions(n), Ok(ways[n as usize].clone()), "{n}");
    }
    assert_eq!(
        partitions(1000).unwrap().to_string(),
        "24061467864032622473692149727991"
    );
    for n in 0..25u64 {
        let groups: Int = (0..=n).map(|k| stirling_second(n, k).unwrap()).sum();
        let cycles: Int = (0..=n).map(|k| stirling_first(n, k).unwrap()).sum();
        assert_eq!(bell(n), Ok(groups), "{n}");
        assert_eq!(cycles, Int::factorial(n), "{n}");
        // Σ S(n, k)·x(x − 1)⋯(x − k + 1) = x^n.
        let falling = |k: u64| (0..k).map(|i| 7 - Int::from(i)).product::<Int>();
        let sum: Int = (0..=n)
            .map(|k| stirling_second(n, k).unwrap() * falling(k))
            .sum();
        assert_eq!(sum, Int::from(7).pow(n));
    }
    assert_eq!(stirling_first(3, 5), Ok(Int::ZERO));
    for n in 1..30u64 {
        let sum: Int = (0..n)
            .map(|i| catalan(i).unwrap() * catalan(n - 1 - i).unwrap())
            .sum();
        assert_eq!(catalan(n), Ok(sum));
    }
    assert_eq!(digit_sum(&Int::from(-199), 10), Ok(int(19)));
    assert_eq!(digit_sum(&Int::from(0xff1), 16), Ok(int(31)));
    assert!(digit_sum(&Int::ONE, 1).is_err());
    for huge in [1 << 40, u64::MAX] {
        assert!(bernoulli(huge).is_err() && partitions(huge).is_err() && bell(huge).is_err());
        assert!(stirling_first(huge, 2).is_err() && catalan(huge).is_err());
    }
}
