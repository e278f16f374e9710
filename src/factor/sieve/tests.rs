//! Products of known primes of every size that the sieve takes.

use malachite_base::num::factorization::traits::IsPrime;

use super::plan::{bits, square_root};
use super::*;

/// A splitmix64 generator.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of exactly so many bits that passes Fermat's test to the bases 2 and 3.
    fn prime(&mut self, bits: u64) -> Natural {
        loop {
            let limbs: Vec<u64> = (0..bits.div_ceil(64)).map(|_| self.word()).collect();
            let low = Natural::from_limbs(&limbs) % Natural::power_of_2(bits - 1);
            let mut p = low + Natural::power_of_2(bits - 1);
            p.set_bit(0);
            let is_prime = |base: u32| {
                let below = &p - Natural::ONE;
                Natural::from(base).mod_pow(&below, &p) == 1u32
            };
            if is_prime(2) && is_prime(3) {
                return p;
            }
        }
    }
}

fn splits(n: &Natural) {
    let divisor = run(n, &|| true).unwrap_or_else(|| panic!("{n} was not split"));
    assert!(divisor != 1u32 && divisor != *n, "{n}");
    assert_eq!(&divisor * n.div_exact(&divisor), *n);
}

#[test]
fn balanced_semiprimes_of_every_size() {
    let mut random = Random(1);
    for size in LEAST_BITS..=150 {
        let n = random.prime(size / 2) * random.prime(size - size / 2);
        if bits(&n) >= LEAST_BITS {
            splits(&n);
        }
    }
}

#[test]
fn many_semiprimes_of_one_size() {
    let mut random = Random(2);
    for _ in 0..40 {
        splits(&(random.prime(45) * random.prime(45)));
    }
}

#[test]
fn unbalanced_and_several_factors() {
    let mut random = Random(3);
    for small in [10, 17, 25, 40] {
        splits(&(random.prime(small) * random.prime(110 - small)));
    }
    for part in [22, 30, 40] {
        let product = random.prime(part) * random.prime(part) * random.prime(part);
        splits(&product);
        let square = random.prime(part);
        splits(&(&square * &square * random.prime(part)));
    }
}

#[test]
fn a_long_semiprime() {
    let mut random = Random(4);
    splits(&(random.prime(88) * random.prime(88)));
}

/// A number that cannot be split ends in None, not in an endless loop.
#[test]
fn primes_and_powers_are_given_up() {
    let mut random = Random(5);
    assert_eq!(run(&random.prime(64), &|| true), None);
    let p = random.prime(25);
    assert_eq!(run(&(&p * &p * &p), &|| true), None);
}

#[test]
fn sizes_out_of_range_are_refused() {
    let mut random = Random(6);
    let long = random.prime(MOST_BITS / 2 + 1) * random.prime(MOST_BITS / 2 + 1);
    assert_eq!(run(&long, &|| true), None);
    assert_eq!(run(&Natural::from(1001u32 * 1003), &|| true), None);
}

#[test]
fn it_stops_when_told() {
    let mut random = Random(7);
    let n = random.prime(90) * random.prime(90);
    assert_eq!(run(&n, &|| false), None);
}

#[test]
fn square_roots_modulo_primes() {
    for p in (3u32..600).filter(|p| p.is_prime()) {
        for x in 1..p {
            let has_root = (1..p).any(|y| y * y % p == x);
            let root = square_root(x, p);
            assert_eq!(root.is_some(), has_root, "{x} {p}");
            assert!(root.is_none_or(|y| y * y % p == x), "{x} {p}");
        }
    }
}

/// Every set is one of relations in which all columns are even, and none is empty.
#[test]
fn dependencies_are_even() {
    let mut random = Random(8);
    for (count, columns) in [(1, 1), (30, 20), (70, 64), (150, 130), (20, 40)] {
        let rows: Vec<Vec<u32>> = (0..count)
            .map(|_| (0..6).map(|_| (random.word() % columns) as u32).collect())
            .collect();
        let sets = matrix::dependencies(&rows, columns as usize);
        assert!(sets.len() as i64 >= count as i64 - columns as i64);
        for set in sets {
            let mut sums = vec![0; columns as usize];
            set.iter()
                .flat_map(|row| &rows[*row])
                .for_each(|column| sums[*column as usize] += 1);
            assert!(!set.is_empty() && sums.iter().all(|sum| sum % 2 == 0));
        }
    }
}
