use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::tests::support::everywhere;
use crate::word::gcd::gcd_words;

/// Different primes of about `bits` bits.
fn primes(count: usize, bits: u64, rng: &mut Xoshiro256PlusPlus) -> Vec<Int> {
    let mut primes: Vec<Int> = Vec::new();
    while primes.len() < count {
        let prime = Int::random_bits(bits, rng).try_next_prime().unwrap();
        if !primes.contains(&prime) {
            primes.push(prime);
        }
    }
    primes
}

/// By the definition.
fn by_definition(numbers: &[&Natural]) -> Vec<Natural> {
    let product = |i| {
        let others = numbers.iter().enumerate().filter(|(j, _)| *j != i);
        others.fold(Natural::ONE, |product, (_, n)| product * *n)
    };
    (0..numbers.len())
        .map(|i| product(i).gcd(numbers[i]))
        .collect()
}

#[test]
fn common_parts_are_those_of_the_definition() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(61);
    let mut sets: Vec<Vec<Natural>> = Vec::new();
    for (count, most) in [(1, 100), (2, 64), (3, 65), (9, 200), (40, 30), (70, 3000)] {
        let mut numbers: Vec<Natural> = Vec::new();
        while numbers.len() < count {
            let bits = rng.random_range(2..=most);
            let n = Int::random_bits(bits, &mut rng).into_integer();
            let n = n.into_magnitude();
            if !numbers.contains(&n) {
                numbers.push(n);
            }
        }
        sets.push(numbers);
    }
    // All ones and powers of two: the widest carries, and fractions at both ends.
    sets.push(
        (1..=40u64)
            .map(|i| (Natural::ONE << (64 * i)) - Natural::ONE)
            .collect(),
    );
    sets.push((0..40u64).map(|i| Natural::ONE << (50 * i)).collect());
    // Common factors of all, and none of any.
    sets.push(
        (1..=60u64)
            .map(|i| Natural::from(i) * Natural::from(6u32))
            .collect(),
    );
    everywhere(|engine| {
        for set in &sets {
            let numbers: Vec<&Natural> = set.iter().collect();
            let found = common_parts(&numbers, None).unwrap();
            assert!(found == by_definition(&numbers), "{engine} {}", set.len());
        }
    });
}

#[test]
fn planted_factors_are_found_by_the_keys_that_have_them() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(62);
    let p = primes(90, 512, &mut rng);
    // Coprime keys first: those of primes 0 and 1, 2 and 3, ...
    let mut moduli: Vec<Int> = p[..80].chunks(2).map(|pair| &pair[0] * &pair[1]).collect();
    let own: Vec<&Int> = p[80..].iter().collect();
    moduli[3] = own[0] * own[1];
    moduli[17] = own[0] * own[2];
    moduli[30] = own[3] * own[4];
    moduli[31] = own[4] * own[5];
    moduli[38] = own[3] * own[5];
    moduli[39] = moduli[0].clone();
    moduli[5] = moduli[3].clone();
    let expected = [
        (own[0], vec![3, 5, 17]),
        (own[4], vec![30, 31]),
        (own[3], vec![30, 38]),
        (own[5], vec![31, 38]),
    ];
    everywhere(|engine| {
        let shared = shared_factors(&moduli).unwrap();
        let found: Vec<_> = shared
            .iter()
            .map(|s| (&s.factor, s.moduli.clone()))
            .collect();
        assert!(found == expected, "{engine}");
    });
    assert_eq!(duplicates(&moduli).unwrap(), [vec![0, 39], vec![3, 5]]);
}

#[test]
fn numbers_that_are_no_products_of_two_primes() {
    let shared = |moduli: &[i64]| -> Vec<(i64, Vec<usize>)> {
        let moduli: Vec<Int> = moduli.iter().map(|n| Int::from(*n)).collect();
        let shared = shared_factors(&moduli).unwrap().into_iter();
        shared
            .map(|s| (i64::try_from(s.factor.host()).unwrap(), s.moduli))
            .collect()
    };
    everywhere(|_| {
        assert_eq!(shared(&[]), []);
        assert_eq!(shared(&[15]), []);
        assert_eq!(shared(&[1, 1, 7]), []);
        assert_eq!(shared(&[15, 15]), []);
        assert_eq!(shared(&[9, 3]), [(3, vec![0, 1])]);
        assert_eq!(shared(&[9, 27, 5, 10]), [(9, vec![0, 1]), (5, vec![2, 3])]);
        assert_eq!(shared(&[105, 210, 11]), [(105, vec![0, 1])]);
        let all = (2..60).collect::<Vec<i64>>();
        for (factor, places) in shared(&all) {
            let divided = (0..58).filter(|i| all[*i] % factor == 0);
            assert!((2..factor).all(|d| factor % d != 0), "{factor}");
            assert!(places.len() > 1 && places == divided.collect::<Vec<_>>());
        }
    });
    for bad in [0, -15] {
        let moduli = [15, bad].map(Int::from);
        assert!(matches!(shared_factors(&moduli), Err(Error::Domain(_))));
        assert!(duplicates(&moduli).is_err());
    }
}

/// What shared_factors gives, as natural numbers.
fn found(moduli: &[Natural]) -> Vec<(Natural, Vec<usize>)> {
    let moduli: Vec<Int> = moduli.iter().cloned().map(Int::from).collect();
    let shared = shared_factors(&moduli).unwrap().into_iter();
    let natural = |n: Int| n.into_integer().into_magnitude();
    shared.map(|s| (natural(s.factor), s.moduli)).collect()
}

fn in_order(mut shared: Vec<(Natural, Vec<usize>)>) -> Vec<(Natural, Vec<usize>)> {
    shared.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
    shared
}

/// The shared factors of products of primes from their exponents alone. A common part has exponents
/// min(e, sum of the other moduli's). Primes are in one factor exactly if their exponents in all
/// common parts are proportional.
fn by_exponents(primes: &[Natural], moduli: &[Vec<u64>]) -> Vec<(Natural, Vec<usize>)> {
    let mut distinct = moduli.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut factors: BTreeMap<Vec<u64>, (Natural, Vec<usize>)> = BTreeMap::new();
    for (k, prime) in primes.iter().enumerate() {
        let all: u64 = distinct.iter().map(|n| n[k]).sum();
        let common: Vec<u64> = distinct.iter().map(|n| n[k].min(all - n[k])).collect();
        let gcd = common.iter().fold(0, |gcd: u64, e| gcd_words(gcd, *e));
        if gcd > 0 {
            let direction = common.iter().map(|e| e / gcd).collect();
            let owners = (0..moduli.len()).filter(|i| moduli[*i][k] > 0).collect();
            let one = || (Natural::ONE, owners);
            factors.entry(direction).or_insert_with(one).0 *= prime.pow(gcd);
        }
    }
    in_order(factors.into_values().collect())
}

fn products(primes: &[Natural], moduli: &[Vec<u64>]) -> Vec<Natural> {
    let product = |exponents: &Vec<u64>| {
        let powers = primes.iter().zip(exponents).map(|(p, e)| p.pow(*e));
        powers.fold(Natural::ONE, |product, power| product * power)
    };
    moduli.iter().map(product).collect()
}

/// The shared factors of square-free moduli from the gcds of all pairs, refined one by one.
fn by_gcds_of_pairs(moduli: &[Natural]) -> Vec<(Natural, Vec<usize>)> {
    let mut gcds = HashSet::new();
    for (i, a) in moduli.iter().enumerate() {
        for b in moduli[..i].iter().filter(|b| *b != a) {
            gcds.insert(a.gcd(b));
        }
    }
    let mut base: Vec<Natural> = Vec::new();
    let mut rest: Vec<Natural> = gcds.into_iter().collect();
    while let Some(x) = rest.pop() {
        let at = base.iter().position(|b| b.gcd(&x) != Natural::ONE);
        match at.map(|at| base.swap_remove(at)) {
            None if x == Natural::ONE => {}
            None => base.push(x),
            Some(b) => {
                let g = b.gcd(&x);
                rest.extend([b.div_exact(&g), x.div_exact(&g), g]);
            }
        }
    }
    let owners = |factor: &Natural| -> Vec<usize> {
        let divided = (0..moduli.len()).filter(|i| moduli[*i].is_multiple_of(factor));
        divided.collect()
    };
    in_order(base.into_iter().map(|f| (f.clone(), owners(&f))).collect())
}

fn natural_primes(count: usize, bits: u64, seed: u64) -> Vec<Natural> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let primes = primes(count, bits, &mut rng).into_iter();
    primes.map(|p| p.into_integer().into_magnitude()).collect()
}

/// The exponents of products of some of the primes.
fn exponents(primes: usize, moduli: &[&[usize]]) -> Vec<Vec<u64>> {
    let exponents = |modulus: &&[usize]| {
        let mut exponents = vec![0; primes];
        modulus.iter().for_each(|k| exponents[*k] += 1);
        exponents
    };
    moduli.iter().map(exponents).collect()
}

#[test]
fn entangled_moduli_are_sorted_out() {
    let primes = natural_primes(40, 60, 63);
    let mut sets: Vec<Vec<Vec<usize>>> = Vec::new();
    for length in [3, 4, 5, 16, 40] {
        sets.push((0..length).map(|i| vec![i, (i + 1) % length]).collect());
        let pairs = (0..length).flat_map(|i| (0..i).map(move |j| vec![i, j]));
        sets.push(pairs.collect());
        let triples = (0..length).map(|i| vec![i, (i + 1) % length, (3 * i + 7) % length]);
        sets.push(triples.collect());
        // A modulus that all others divide, also as powers.
        let mut divisors: Vec<Vec<usize>> = (1..length).map(|i| vec![i, i - 1]).collect();
        divisors.push((0..length).collect());
        divisors.push((0..length).flat_map(|i| vec![i; 1 + i % 4]).collect());
        sets.push(divisors);
        sets.push((0..length).map(|i| vec![0; i + 1]).collect());
        sets.push((1..length).map(|i| vec![0, i]).collect());
        let mut twice: Vec<Vec<usize>> = (0..length).map(|i| vec![i / 2, length - 1 - i]).collect();
        twice.extend(twice.clone());
        sets.push(twice);
    }
    for set in &sets {
        let moduli = exponents(40, &set.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let expected = by_exponents(&primes, &moduli);
        Engine::Cpu.scope(|| {
            for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
                let found = tuning.scope(|| found(&products(&primes, &moduli)));
                assert!(
                    found == expected,
                    "{set:?}: {found:?} instead of {expected:?}"
                );
            }
        });
    }
    let cycle = exponents(
        40,
        &[&[0, 1], &[1, 2], &[2, 3], &[3, 0], &[0, 2], &[4, 4, 0]],
    );
    let expected = by_exponents(&primes, &cycle);
    everywhere(|engine| assert!(found(&products(&primes, &cycle)) == expected, "{engine}"));
}

#[test]
fn shared_factors_are_those_of_all_pairs() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(64);
    for (count, of, bits, most) in [(300, 200, 256, 2), (300, 60, 128, 2), (200, 150, 100, 5)] {
        let primes = natural_primes(of, bits, 65 + most as u64);
        let modulus = |_| {
            let mut chosen = HashSet::new();
            let size = rng.random_range(1..=most);
            while chosen.len() < size {
                chosen.insert(rng.random_range(0..of));
            }
            let factors = chosen.into_iter().map(|k| &primes[k]);
            factors.fold(Natural::ONE, |product, p| product * p)
        };
        let moduli: Vec<Natural> = (0..count).map(modulus).collect();
        let found = Engine::Cpu.scope(|| found(&moduli));
        assert!(found == by_gcds_of_pairs(&moduli), "{count} {of}");
    }
}

#[test]
fn large_powers_are_sorted_out() {
    let power = |p: u32, e: u64| Natural::from(p).pow(e);
    let moduli = [
        power(3, 60_000),
        power(3, 7),
        power(3, 60_001) * power(5, 9),
        power(5, 6),
    ];
    let expected = vec![
        (Natural::from(3u32), vec![0, 1, 2]),
        (power(5, 6), vec![2, 3]),
    ];
    assert!(found(&moduli) == expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn shared_factors_are_those_of_the_exponents(
        moduli in prop::collection::vec(
            prop::collection::vec(prop_oneof![4 => Just(0), 3 => Just(1), 1 => 2..7u64], 9),
            1..30,
        ),
    ) {
        let primes = [2u32, 3, 5, 7, 11, 10_007, 1_000_003, 65_537, 4_294_967_291];
        let primes = primes.map(Natural::from);
        let found = Engine::Cpu.scope(|| found(&products(&primes, &moduli)));
        prop_assert_eq!(found, by_exponents(&primes, &moduli));
    }
}

#[test]
fn suspects_of_a_group_are_those_of_all_moduli() {
    let primes = natural_primes(60, 90, 66);
    let product = |places: &[usize]| -> Int {
        let factors = places.iter().map(|i| &primes[*i]);
        Int::from(factors.fold(Natural::ONE, |product, p| product * p))
    };
    // Coprime moduli, then factors shared within a group and between groups, and equal moduli.
    let mut all: Vec<Int> = (0..20).map(|i| product(&[2 * i, 2 * i + 1])).collect();
    all[3] = product(&[40, 41]);
    all[4] = product(&[40, 42]);
    all[0] = product(&[43, 44]);
    all[19] = product(&[43, 45]);
    all[7] = all[8].clone();
    all[12] = all[2].clone();
    all[15] = product(&[50, 50, 51]);
    all[16] = product(&[50]);
    all[17] = Int::ONE;
    let expected = [0, 2, 3, 4, 7, 8, 12, 15, 16, 19];
    everywhere(|engine| {
        for size in [1, 2, 5, 7, 19, 20] {
            let groups: Vec<&[Int]> = all.chunks(size).collect();
            let products: Vec<Int> = groups.iter().map(|g| g.iter().product()).collect();
            let mut found = Vec::new();
            for (i, group) in groups.iter().enumerate() {
                let others = products.iter().enumerate().filter(|(j, _)| *j != i);
                let mut others = others.map(|(_, product)| product.clone());
                let suspects = suspects(group, &mut others).unwrap();
                found.extend(suspects.into_iter().map(|place| i * size + place));
            }
            assert_eq!(found, expected, "{engine} {size}");
        }
    });
    assert!(
        suspects(&[], &mut [Int::from(6)].into_iter())
            .unwrap()
            .is_empty()
    );
    assert!(suspects(&[Int::ZERO], &mut std::iter::empty()).is_err());
}
