//! Products of known primes of every size that the sieve takes.

use malachite_base::num::factorization::traits::IsPrime;

use super::base::{multiplier, square_root};
use super::filter::Collection;
use super::polynomial::{Coefficients, Leading};
use super::relation::Relation;
use super::worker::Worker;
use super::*;
use crate::tuning::Tuning;

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

    /// A number of exactly `bits` bits that passes Fermat's test to the bases 2 and 3.
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
        if n.bit_length() >= LEAST_BITS {
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

fn splits_with(n: &Natural, sizes: &Sizes) {
    let plan = match SievePlan::new(n, sizes) {
        Ok(plan) => plan,
        Err(divisor) => panic!("{divisor} of {n}"),
    };
    let divisor = sieve(&plan, None, &mut Known::default(), &|| true).unwrap();
    let divisor = divisor.unwrap_or_else(|| panic!("{n} was not split: {sizes:?}"));
    assert!(divisor != 1u32 && divisor != *n, "{n}");
    assert_eq!(&divisor * n.div_exact(&divisor), *n);
}

/// Few primes, short intervals, most of the primes in buckets, two large primes per relation.
#[test]
fn other_sizes_than_those_of_the_table() {
    let mut random = Random(11);
    let n = random.prime(50) * random.prime(51);
    let usual = Sizes::for_bits(n.bit_length());
    for primes in [60, 300, 2000] {
        for interval in [1 << 12, 1 << 15] {
            for (large, two) in [(2, 0.0), (100, 0.0), (100, 1.8)] {
                splits_with(
                    &n,
                    &Sizes {
                        primes,
                        interval,
                        large,
                        two,
                        ..usual
                    },
                );
            }
        }
    }
}

#[test]
fn close_factors_and_small_ones() {
    let mut random = Random(12);
    let p = random.prime(56);
    let mut next = &p + Natural::from(2u32);
    while Natural::from(2u32).mod_pow(&(&next - Natural::ONE), &next) != 1u32 {
        next += Natural::from(2u32);
    }
    splits(&(&p * &next));
    // Every multiplier has a factor in common with these.
    for small in [3u32, 5, 7, 61] {
        splits(&(&p * Natural::from(small) * random.prime(56)));
    }
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

/// The relations of some polynomials of a number.
fn relations_of(n: &Natural, count: usize) -> (Vec<u32>, Vec<Relation>) {
    let plan = SievePlan::new(n, &Sizes::for_bits(n.bit_length())).expect("no divisor");
    let mut coefficients = Coefficients::new(&plan, 0);
    let mut worker = Worker::new(&plan);
    let mut found = Vec::new();
    while found.len() < count {
        let a = coefficients.next().expect("a coefficient");
        found.extend(worker.relations(&a, &|| true));
    }
    (plan.primes(), found)
}

/// X = ax + b and X = 2ax + b.
#[test]
fn relations_of_both_forms_hold() {
    let mut random = Random(13);
    for bits in [90, 130, 180] {
        let mut n = random.prime(bits / 2) * random.prime(bits / 2);
        while multiplier(&n).wrapping_mul(n.limbs()[0] as u32) % 8 != 1 {
            n = random.prime(bits / 2) * random.prime(bits / 2);
        }
        for doubles in [false, true] {
            let sizes = Sizes {
                doubles,
                ..Sizes::for_bits(n.bit_length())
            };
            let plan = SievePlan::new(&n, &sizes).expect("no divisor");
            assert_eq!(plan.doubles, doubles);
            let a = Coefficients::new(&plan, 0).next().expect("a coefficient");
            let found = Worker::new(&plan).relations(&a, &|| true);
            assert!(found.len() > 3, "{} of {bits} bits", found.len());
            let primes = plan.primes();
            assert!(found.iter().all(|relation| relation.holds(&n, &primes)));
        }
    }
}

#[test]
fn relations_hold_and_changed_ones_do_not() {
    let mut random = Random(9);
    let n = random.prime(60) * random.prime(61);
    let (primes, found) = relations_of(&n, 100);
    for relation in found {
        assert!(relation.holds(&n, &primes));
        let changed = |change: &dyn Fn(&mut Relation)| {
            let mut other = relation.clone();
            change(&mut other);
            assert!(!other.holds(&n, &primes), "{other:?}");
        };
        changed(&|other| other.x = &other.x + Natural::ONE);
        changed(&|other| other.x = &other.x + &n);
        changed(&|other| other.factors.push(0));
        changed(&|other| other.factors.push(primes.len() as u32));
        changed(&|other| other.factors[0] += 1);
        changed(&|other| other.large[1] += 2);
        changed(&|other| other.large = [0, 0]);
    }
}

/// Relations that do not hold make no wrong divisor: none, or a proper one by chance.
#[test]
fn wrong_relations_give_no_wrong_divisor() {
    let mut random = Random(10);
    let n = random.prime(50) * random.prime(51);
    let (primes, mut found) = relations_of(&n, 1500);
    for relation in found.iter_mut().step_by(7) {
        relation.x = &relation.x / Natural::from(2u32);
    }
    let mut collection = Collection::default();
    collection.extend(found);
    assert!(collection.cycles() > primes.len());
    let found = square::divisor(&n, &primes, &collection, None, &|| true).unwrap();
    if let Some(divisor) = found {
        assert!(divisor != 1u32 && divisor != n);
        assert_eq!(&divisor * n.div_exact(&divisor), n);
    }
}

/// The devices of this machine, the executor among them.
pub(super) fn devices() -> Vec<Arc<Device>> {
    let usable = Engine::usable().into_iter();
    let devices = usable.filter_map(|engine| match engine {
        Engine::Cuda(ordinal) => Some(crate::cuda::device(ordinal).unwrap()),
        _ => None,
    });
    devices.collect()
}

#[test]
fn a_device_finds_the_relations_that_a_thread_finds() {
    let mut random = Random(21);
    for (bits, primes, interval) in [(70, 50, 1 << 12), (100, 130, 1 << 13), (128, 300, 1 << 14)] {
        let n = random.prime(bits / 2) * random.prime(bits / 2);
        let sizes = Sizes {
            primes,
            interval,
            doubles: false,
            ..Sizes::for_bits(n.bit_length())
        };
        let plan = SievePlan::new(&n, &sizes).unwrap();
        for device in devices() {
            let mut coefficients = Coefficients::new(&plan, 0);
            let sieve = cuda::Sieve::new(device, &plan, coefficients.factors()).unwrap();
            let mut next = || coefficients.next().unwrap();
            let leadings: Vec<Leading> = vec![next(), next()];
            let mut worker = Worker::new(&plan);
            let known: Vec<Relation> = leadings
                .iter()
                .flat_map(|leading| worker.relations(leading, &|| true))
                .collect();
            let found = sieve.sieve(leadings).unwrap().unwrap().relations(&plan);
            assert!(known.len() > 3, "{} of {bits} bits", known.len());
            let table = plan.primes();
            assert!(found.iter().all(|relation| relation.holds(&n, &table)));
            for relation in &known {
                let is_same = |other: &&Relation| other.x == relation.x;
                let other = found
                    .iter()
                    .find(is_same)
                    .expect("the relation of a thread");
                assert_eq!(other.large, relation.large);
            }
        }
    }
}

#[test]
fn devices_split_numbers() {
    let mut random = Random(22);
    for engine in Engine::usable() {
        for bits in [64, 90, 112] {
            let n = random.prime(bits / 2) * random.prime(bits - bits / 2);
            if n.bit_length() < LEAST_BITS {
                continue;
            }
            let tuning = Tuning::preset("minimal").unwrap();
            let divisor = tuning
                .scope(|| engine.scope(|| run_placed(&n, None, None, &|| true)))
                .unwrap()
                .unwrap();
            assert!(divisor != 1u32 && divisor != n);
            assert_eq!(&divisor * n.div_exact(&divisor), n);
        }
    }
}

/// A sieve that is stopped again and again completes with the relations on disk.
#[test]
fn relations_on_disk_are_taken_up() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let mut random = Random(11);
    let n = random.prime(88) * random.prime(89);
    let name = format!("bezout-sieve-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let (mut patience, mut was_taken_up) = (1, false);
    let divisor = loop {
        let asked = AtomicUsize::new(0);
        let keep_going = || asked.fetch_add(1, Ordering::Relaxed) < patience;
        if let Some(divisor) = run_placed(&n, Some(&path), None, &keep_going).unwrap() {
            break divisor;
        }
        was_taken_up |= std::fs::metadata(&path).unwrap().len() > 0;
        patience += 1;
    };
    assert!(was_taken_up, "it was never stopped");
    assert!(divisor != 1u32 && divisor != n);
    assert_eq!(&divisor * n.div_exact(&divisor), n);
    // The file of another number is refused.
    let other = random.prime(88) * random.prime(89);
    assert!(run_placed(&other, Some(&path), None, &|| true).is_err());
    std::fs::remove_file(&path).unwrap();
}
