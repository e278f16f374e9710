//! Sorts against the standard library's stable sort, on every engine and preset.

use std::cmp::Ordering;
use std::fmt::Debug;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::key::Bits;
use super::*;
use crate::engine::Engine;
use crate::tests::support::everywhere;
use crate::tuning::Tuning;

/// Sizes around whole tiles and launches of the preset in force.
fn sizes<K: Bits>() -> Vec<usize> {
    let shape = SortShape::of(Tuning::in_force(), Sizes::new(K::BYTES, 0, 8));
    let tile = shape.tile() as usize;
    match tile {
        ..1000 => vec![
            0,
            1,
            2,
            3,
            31,
            33,
            tile - 1,
            tile,
            tile + 1,
            3 * tile,
            10 * tile + 1,
        ],
        // The executor takes its time.
        _ => vec![1, 777, tile + 1],
    }
}

/// Lists of keys of different kinds: random bits, few distinct, all equal, sorted, reversed.
fn lists<K: Key>(n: usize, less: fn(&K, &K) -> Ordering) -> Vec<Vec<K>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(n as u64);
    let random: Vec<K> = (0..n).map(|_| K::from_bits(rng.random())).collect();
    let few = (0..n)
        .map(|_| K::from_bits(rng.random_range(0..3u64).wrapping_sub(1) << 7))
        .collect();
    let mut sorted = random.clone();
    sorted.sort_by(less);
    let reversed = sorted.iter().rev().copied().collect();
    let high = 8 * (K::BYTES - 1);
    let top = (0..n)
        .map(|_| K::from_bits(rng.random_range(0..256u64) << high))
        .collect();
    vec![
        random.clone(),
        few,
        vec![K::from_bits(u64::MAX / 3); n],
        vec![K::from_bits(u64::MAX); n],
        sorted,
        reversed,
        top,
    ]
}

fn bits<W: Bits>(words: &[W]) -> Vec<u64> {
    words.iter().map(|word| word.to_bits()).collect()
}

fn check<K: Key + Debug>(keys: &[K], less: fn(&K, &K) -> Ordering, options: Options) {
    let order = |a: &K, b: &K| {
        if options.descending {
            less(b, a)
        } else {
            less(a, b)
        }
    };
    let mut expected: Vec<(K, u64)> = keys.iter().copied().zip(0..).collect();
    expected.sort_by(|a, b| order(&a.0, &b.0));
    let (want, places): (Vec<K>, Vec<u64>) = expected.into_iter().unzip();

    let mut own = keys.to_vec();
    sort(&mut own, options).unwrap();
    assert_eq!(bits(&own), bits(&want), "{} keys, {options:?}", keys.len());

    let (mut own, mut values) = (keys.to_vec(), (0..keys.len() as u32).collect::<Vec<_>>());
    sort_with_values(&mut own, &mut values, options).unwrap();
    assert_eq!(bits(&own), bits(&want));
    assert!(
        values
            .iter()
            .map(|v| u64::from(*v))
            .eq(places.iter().copied())
    );
}

fn all_lists<K: Key + Debug>(less: fn(&K, &K) -> Ordering) {
    everywhere(|_| {
        for n in sizes::<K>() {
            for (kind, keys) in lists(n, less).iter().enumerate() {
                let options = Options::default();
                if kind < 3 || n < 1000 {
                    check(keys, less, options);
                }
                if kind == 1 {
                    check(keys, less, options.descending());
                }
            }
        }
    });
}

#[test]
fn unsigned_keys() {
    all_lists::<u32>(Ord::cmp);
    all_lists::<u64>(Ord::cmp);
}

#[test]
fn signed_keys() {
    all_lists::<i32>(Ord::cmp);
    all_lists::<i64>(Ord::cmp);
}

#[test]
fn floating_point_keys() {
    all_lists::<f32>(f32::total_cmp);
    all_lists::<f64>(f64::total_cmp);
}

#[test]
fn nans_and_zeros() {
    let words = [
        0.0f64,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        1.5,
        -1.5,
        f64::MIN_POSITIVE / 8.0,
        f64::from_bits(0x7ff0_0000_0000_0001),
        f64::from_bits(0xfff8_0000_0000_beef),
    ];
    let doubles = words.repeat(9);
    let singles: Vec<f32> = words
        .iter()
        .map(|x| *x as f32)
        .chain([f32::from_bits(0x7f80_0001), f32::from_bits(0xffc0_beef)])
        .collect();
    everywhere(|_| {
        check(&doubles, f64::total_cmp, Options::default());
        check(&doubles, f64::total_cmp, Options::default().descending());
        check(&singles, f32::total_cmp, Options::default());
        check(&singles, f32::total_cmp, Options::default().descending());
    });
}

#[test]
fn lengths_at_which_the_cpu_sorts_in_another_way() {
    Engine::Cpu.scope(|| {
        let few = [cpu::FEW_32, cpu::FEW_64, cpu::FEW_128];
        for length in few.into_iter().chain([cpu::CHUNK, cpu::MANY]) {
            for n in [length - 1, length, length + 1] {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(n as u64);
                let wide: Vec<i64> = (0..n).map(|_| rng.random()).collect();
                let narrow: Vec<u32> = wide.iter().map(|x| *x as u32).collect();
                check(&wide, i64::cmp, Options::default());
                check(&wide, i64::cmp, Options::default().descending());
                check(&narrow, u32::cmp, Options::default());
            }
        }
    });
}

#[test]
fn slices_that_begin_and_end_within_a_limb() {
    everywhere(|engine| {
        for (from, to) in [(0, 40), (0, 41), (1, 40), (1, 41), (3, 5)] {
            let mut keys: Vec<u32> = (0..41).rev().collect();
            let mut values = keys.clone();
            let mut expected = keys.clone();
            expected[from..to].sort_unstable();
            let options = Options::default();
            sort_with_values(&mut keys[from..to], &mut values[from..to], options).unwrap();
            assert_eq!(keys, expected, "{engine}");
            assert_eq!(values, expected, "{engine}");
            keys.reverse();
            expected.reverse();
            expected[from..to].sort_unstable();
            sort(&mut keys[from..to], options).unwrap();
            assert_eq!(keys, expected, "{engine}");
        }
    });
}

#[test]
fn digits_of_every_width() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let keys: Vec<i32> = (0..300).map(|_| rng.random()).collect();
    let wide: Vec<f64> = (0..200).map(|_| f64::from_bits(rng.random())).collect();
    everywhere(|_| {
        // Each width is a kernel of its own, which takes the executor's compiler a while.
        let all = *Tuning::in_force() == Tuning::MINIMAL;
        for bits in (1..=8).filter(|bits| all || *bits == 5) {
            let plain = Options::default().algorithm(Algorithm::Plain).bits(bits);
            check(&keys, Ord::cmp, Options::default().bits(bits));
            check(&keys, Ord::cmp, plain);
            if bits % 3 == 0 {
                check(&wide, f64::total_cmp, plain.descending());
                let onesweep = Options::default().bits(bits);
                check(&wide, f64::total_cmp, onesweep.descending());
            }
        }
        for bits in [0, 9, u32::MAX] {
            let refused = sort(&mut keys.clone(), Options::default().bits(bits));
            assert!(matches!(refused, Err(Error::Domain(_))));
        }
    });
}

#[test]
fn arrays_stay_where_they_are() {
    for engine in Engine::usable() {
        let Engine::Cuda(n) = engine else { continue };
        let keys = Array::from(vec![7u32, 1, 9, 1, 3]);
        let values = Array::from(vec![0u64, 1, 2, 3, 4]);
        keys.try_to_device(n).unwrap();
        values.try_to_device(n).unwrap();
        let sorted = keys.try_sorted(Options::default()).unwrap();
        let (same, moved) = keys.try_sorted_with(&values, Options::default()).unwrap();
        assert!(sorted.is_on_device() && moved.is_on_device());
        assert_eq!(sorted.try_host().unwrap(), [1, 1, 3, 7, 9]);
        assert_eq!(same.try_host().unwrap(), [1, 1, 3, 7, 9]);
        assert_eq!(moved.try_host().unwrap(), [1, 3, 4, 0, 2]);
        assert_eq!(keys.try_host().unwrap(), [7, 1, 9, 1, 3]);
    }
}

#[test]
fn unequal_lengths_are_refused() {
    let refused = sort_with_values(&mut [1u32, 2], &mut [1u64], Options::default());
    assert!(matches!(refused, Err(Error::Domain(_))));
    assert_eq!(
        permutation(&[5i64, -5, 0], Options::default()).unwrap(),
        [1, 2, 0]
    );
}
