use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

/// Different primes of about so many bits.
fn primes(count: usize, bits: u64, rng: &mut Xoshiro256PlusPlus) -> Vec<Int> {
    let mut primes: Vec<Int> = Vec::new();
    while primes.len() < count {
        let prime = Int::random_bits(bits, rng)
            .unwrap()
            .try_next_prime()
            .unwrap();
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

fn everywhere(check: impl Fn(Engine)) {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| engine.scope(|| check(engine)));
        }
    }
}

#[test]
fn common_parts_are_those_of_the_definition() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(61);
    let mut sets: Vec<Vec<Natural>> = Vec::new();
    for (count, most) in [(1, 100), (2, 64), (3, 65), (9, 200), (40, 30), (70, 3000)] {
        let mut numbers: Vec<Natural> = Vec::new();
        while numbers.len() < count {
            let bits = rng.random_range(2..=most);
            let n = Int::random_bits(bits, &mut rng).unwrap().into_integer();
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
            let found = common_parts(&numbers, &Cluster::alone()).unwrap();
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
