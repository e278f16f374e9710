//! Every operation against malachite's own, on values of all shapes, with tiny thresholds and with
//! the real ones.

use std::cmp::Ordering;
use std::panic::RefUnwindSafe;

use malachite_base::num::arithmetic::traits::Abs;
use malachite_base::num::logic::traits::{BitAccess, BitScan, CheckedHammingDistance};
use malachite_nz::integer::Integer as Oracle;
use malachite_nz::natural::Natural;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::carry::{Carry, Chain};
use super::*;
use crate::tuning::Tuning;

fn value(negative: bool, limbs: Vec<u64>) -> Integer {
    integer(negative, limbs)
}

/// Limbs of each shape that carries, borrows and runs of zeros can take.
fn shapes(len: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<Vec<u64>> {
    let random: Vec<u64> = (0..len).map(|_| rng.random()).collect();
    let at = |index: usize, limb: u64| {
        let mut limbs = vec![0; len];
        if let Some(place) = limbs.get_mut(index) {
            *place = limb;
        }
        limbs
    };
    let mut sparse = vec![0; len];
    let mut holes = vec![u64::MAX; len];
    for _ in 0..len.div_ceil(8) {
        sparse[rng.random_range(0..len)] = 1 << rng.random_range(0..64);
        holes[rng.random_range(0..len)] ^= 1 << rng.random_range(0..64);
    }
    // Runs of limbs that pass, make or stop a carry, of lengths that cross the edges of blocks.
    let mut runs = Vec::new();
    while runs.len() < len {
        let limb = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63][rng.random_range(0..5)];
        let run = rng.random_range(1..=1 + len / 2);
        runs.extend(std::iter::repeat_n(limb, run));
    }
    runs.truncate(len);
    let complement = random.iter().map(|limb| !limb).collect();
    let alternating = (0..len)
        .map(|i| if i % 2 == 0 { u64::MAX } else { 0 })
        .collect();
    vec![
        random,
        complement,
        vec![u64::MAX; len],
        at(0, 1),
        at(len.saturating_sub(1), 1),
        at(len.saturating_sub(1), 1 << 63),
        at(len / 2, rng.random()),
        alternating,
        runs,
        sparse,
        holes,
    ]
}

/// Both signs of each shape at each length.
fn values(lengths: &[usize], rng: &mut Xoshiro256PlusPlus) -> Vec<Integer> {
    let mut values = vec![Integer::ZERO];
    for &len in lengths.iter().filter(|&&len| len > 0) {
        for limbs in shapes(len, rng) {
            values.push(value(false, limbs.clone()));
            values.push(value(true, limbs));
        }
    }
    values
}

fn check_pair(a: &Integer, b: &Integer) {
    let assigned = |op: fn(&mut Integer, &Integer)| {
        let mut x = a.clone();
        op(&mut x, b);
        x
    };
    let sizes = (limb_count(a), limb_count(b), *a < 0, *b < 0);
    let (x, y) = (&Oracle::from(a), &Oracle::from(b));
    assert!(add(a, b) == x + y, "add {sizes:?}");
    assert!(sub(a, b) == x - y, "sub {sizes:?}");
    assert!(and(a, b) == x & y, "and {sizes:?}");
    assert!(or(a, b) == x | y, "or {sizes:?}");
    assert!(xor(a, b) == x ^ y, "xor {sizes:?}");
    assert!(assigned(add_assign) == x + y, "add_assign {sizes:?}");
    assert!(assigned(sub_assign) == x - y, "sub_assign {sizes:?}");
    assert!(assigned(and_assign) == x & y, "and_assign {sizes:?}");
    assert!(assigned(or_assign) == x | y, "or_assign {sizes:?}");
    assert!(assigned(xor_assign) == x ^ y, "xor_assign {sizes:?}");
    assert_eq!(hamming(a, b), x.checked_hamming_distance(y), "{sizes:?}");
    assert_eq!(compare(a, b), x.cmp(y), "{sizes:?}");
}

fn check_one(a: &Integer, rng: &mut Xoshiro256PlusPlus) {
    let limbs = limb_count(a) as u64;
    let oracle = &Oracle::from(a);
    assert!(neg(a) == -oracle);
    assert!(abs(a) == oracle.abs());
    assert!(not(a) == !oracle);
    assert_eq!(popcount(a), oracle.checked_count_ones());
    assert_eq!(compare(a, &a.clone()), Ordering::Equal);
    assert!(sub(a, a) == 0);
    for small in [0, 1, -1, i64::MAX, i64::MIN, rng.random()] {
        assert!(
            add_small(a, small) == oracle + Oracle::from(small),
            "{small}"
        );
    }
    let counts = [
        0,
        1,
        63,
        64,
        65,
        128,
        129,
        200,
        64 * limbs,
        64 * limbs + 1,
        64 * limbs / 2,
    ];
    for bits in counts
        .into_iter()
        .chain([rng.random_range(0..64 * limbs + 70)])
    {
        assert!(shl(a, bits) == oracle << bits, "shl {bits}");
        assert!(shr(a, bits) == oracle >> bits, "shr {bits}");
        let (mut x, mut y) = (a.clone(), a.clone());
        shl_assign(&mut x, bits);
        assert!(x == oracle << bits, "shl_assign {bits}");
        shr_assign(&mut y, bits);
        assert!(y == oracle >> bits, "shr_assign {bits}");
        check_bit(a, bits);
        check_bit(a, bits.saturating_sub(1));
    }
    assert_eq!(shr(a, u64::MAX), oracle >> u64::MAX);
    assert_eq!(scan_set(a, u64::MAX), (*a < 0).then_some(u64::MAX));
    assert_eq!(scan_clear(a, u64::MAX), (*a >= 0).then_some(u64::MAX));
}

fn check_bit(a: &Integer, index: u64) {
    let oracle = Oracle::from(a);
    assert_eq!(
        scan_set(a, index),
        oracle.index_of_next_true_bit(index),
        "{index}"
    );
    assert_eq!(
        scan_clear(a, index),
        oracle.index_of_next_false_bit(index),
        "{index}"
    );
    assert_eq!(bit(a, index), oracle.get_bit(index));
    let (mut set, mut clear, mut flip) = (a.clone(), a.clone(), a.clone());
    change_bit(&mut set, index, BitChange::Set).unwrap();
    change_bit(&mut clear, index, BitChange::Clear).unwrap();
    change_bit(&mut flip, index, BitChange::Flip).unwrap();
    assert!(bit(&set, index) && !bit(&clear, index));
    assert!(flip == if bit(a, index) { clear } else { set });
}

/// Numbers shorter and longer than those whose memory is asked for, with carries through all limbs.
#[test]
fn bits_of_long_values() {
    for len in [1, LONG - 1, LONG, LONG + 1, 3 * LONG] {
        let bits = 64 * len as u64;
        let power = Integer::ONE << (bits - 1);
        let ones = (Integer::ONE << bits) - Integer::ONE;
        for a in [power.clone(), &power + Integer::ONE, ones, power >> 70u64] {
            for a in [a.clone(), -a] {
                let places = [
                    0,
                    1,
                    63,
                    64,
                    65,
                    bits - 64,
                    bits - 2,
                    bits - 1,
                    bits,
                    bits + 1,
                ];
                for index in places.into_iter().chain([2 * bits, 2 * bits + 63]) {
                    check_bit(&a, index);
                    let mut spacious = copy_with_room(&a, 2 * len).unwrap();
                    change_bit(&mut spacious, index, BitChange::Flip).unwrap();
                    assert!(bit(&spacious, index) != bit(&a, index));
                    change_bit(&mut spacious, index, BitChange::Flip).unwrap();
                    assert_eq!(spacious, a);
                    let step = Integer::ONE << index;
                    let expected = if bit(&a, index) { &a - step } else { &a + step };
                    let mut changed = a.clone();
                    change_bit(&mut changed, index, BitChange::Flip).unwrap();
                    assert_eq!(changed, expected, "{len} {index}");
                }
            }
        }
    }
}

/// A value that cannot be extended is still there, and a bit that keeps its value needs no memory.
#[test]
fn bits_that_do_not_fit() {
    let huge = u64::MAX;
    let mut a = Integer::from(5);
    assert!(change_bit(&mut a, huge, BitChange::Set).is_err());
    assert!(change_bit(&mut a, huge, BitChange::Flip).is_err());
    assert!(change_bit(&mut a, huge, BitChange::Clear).is_ok());
    assert_eq!(a, 5);
}

#[test]
fn tiny_thresholds() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    Tuning::MINIMAL.scope(|| {
        let values = values(&[1, 2, 3, 4, 5, 6, 7, 9, 16, 33], &mut rng);
        for a in &values {
            check_one(a, &mut rng);
            for b in &values {
                check_pair(a, b);
            }
        }
    });
}

#[test]
fn chunks_of_every_small_size() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for chunk in [1, 3, 16, 17, 64] {
        let mut tuning = Tuning::MINIMAL;
        tuning.cpu_chunk_limbs = chunk;
        tuning.scope(|| {
            let values = values(&[4, chunk, chunk + 1, 5 * chunk - 1], &mut rng);
            for a in &values {
                check_one(a, &mut rng);
                for b in &values {
                    check_pair(a, b);
                }
            }
        });
    }
}

#[test]
fn real_thresholds() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let edge = Tuning::DEFAULT.cpu_parallel_limbs;
    Tuning::DEFAULT.scope(|| {
        for len in [edge - 1, edge, edge + 1] {
            let values = values(&[len], &mut rng);
            let short = value(true, vec![0, 0, 5]);
            for a in &values {
                check_pair(a, &values[rng.random_range(0..values.len())]);
                check_pair(a, &short);
                check_pair(&short, a);
            }
            for a in values.iter().step_by(3) {
                let oracle = &Oracle::from(a);
                assert!(not(a) == !oracle);
                assert!(shl(a, 77) == oracle << 77u64);
                assert!(shr(a, 77) == oracle >> 77u64);
                assert_eq!(popcount(a), oracle.checked_count_ones());
                check_bit(a, rng.random_range(0..64 * len as u64));
            }
        }
    });
}

#[test]
fn carries_from_end_to_end() {
    let len = 4 * Tuning::DEFAULT.cpu_parallel_limbs + 3;
    let ones = fill(u64::MAX, len, 0);
    let power = add_small(&ones, 1);
    assert!(power == Oracle::from(1) << (64 * len as u64));
    assert!(add_small(&power, -1) == ones);
    assert!(add(&ones, &ones) == Oracle::from(&ones) << 1u64);
    let mut x = ones.clone();
    add_assign(&mut x, &Integer::from(1));
    assert!(x == power);
    sub_assign(&mut x, &Integer::from(1));
    assert!(x == ones);
    assert!(sub(&power, &ones) == 1);
    assert_eq!(scan_clear(&ones, 0), Some(64 * len as u64));
    assert_eq!(scan_set(&power, 5), Some(64 * len as u64));
    assert!(not(&ones) == -&power);
    assert!(or(&-&power, &ones) == -1);
}

#[test]
fn filled() {
    Tuning::MINIMAL.scope(|| {
        for count in 0..20 {
            for limb in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
                let expected = Natural::from_owned_limbs_asc(vec![limb; count]);
                assert_eq!(fill(limb, count, 0), Oracle::from(expected));
            }
        }
    });
}

#[test]
fn assigning_keeps_the_memory() {
    let place = |x: &Integer| Signed::of(x).limbs.as_ptr();
    let len = Tuning::DEFAULT.cpu_parallel_limbs;
    let mut x = fill(1 << 40 | 1, len, 0);
    let y = fill(1 << 40 | 1 << 20, len, 0);
    let before = place(&x);
    for op in [add_assign, sub_assign, and_assign, or_assign, xor_assign] {
        op(&mut x, &y);
        assert_eq!(place(&x), before);
        add_assign(&mut x, &y);
    }
    shl_assign(&mut x, 3);
    shr_assign(&mut x, 5);
    assert_eq!(place(&x), before);
}

#[test]
fn a_carry_waits_for_the_blocks_below() {
    let chain = Chain::new(Carry::Up, 3, true);
    let mut blocks = [[u64::MAX; 2], [u64::MAX; 2], [7, 0]];
    let [low, middle, high] = &mut blocks;
    std::thread::scope(|scope| {
        scope.spawn(|| chain.finish_block(2, high, false));
        scope.spawn(|| chain.finish_block(1, middle, false));
        chain.finish_block(0, low, false);
    });
    assert!(!chain.out());
    assert_eq!(blocks, [[0, 0], [0, 0], [8, 0]]);
}

#[test]
fn shifts_of_zero_need_no_memory() {
    assert_eq!(shl(&Integer::ZERO, u64::MAX), Integer::ZERO);
    assert_eq!(shr(&Integer::ZERO, u64::MAX), Integer::ZERO);
}

/// Limbs that are often all ones or zero, so that runs meet.
fn any_value() -> impl Strategy<Value = Integer> + RefUnwindSafe {
    let limb = prop_oneof![Just(0), Just(u64::MAX), Just(1), any::<u64>()];
    (any::<bool>(), prop::collection::vec(limb, 0..40)).prop_map(|(sign, limbs)| value(sign, limbs))
}

proptest! {
    #[test]
    fn pairs_agree_with_malachite(a in any_value(), b in any_value()) {
        Tuning::MINIMAL.scope(|| check_pair(&a, &b));
    }

    #[test]
    fn single_values_agree_with_malachite(a in any_value(), seed in any::<u64>()) {
        Tuning::MINIMAL.scope(|| check_one(&a, &mut Xoshiro256PlusPlus::seed_from_u64(seed)));
    }
}
