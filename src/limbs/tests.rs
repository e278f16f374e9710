//! Every linear operation, on every engine and with both tuning presets, against malachite.

use std::cmp::Ordering;
use std::sync::Arc;

use malachite_base::num::basic::traits::Zero;
use malachite_base::num::logic::traits::{
    BitAccess, BitConvertible, BitScan, CheckedHammingDistance, SignificantBits,
};
use malachite_nz::integer::Integer;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::cuda::{Device, device as cuda_device};
use crate::error::Error;
use crate::tests::support::{everywhere, from_limbs};
use crate::tuning::Tuning;

/// Lengths around every boundary of the kernels: pairs, warps' rows, tiles and look-back windows of
/// the minimal preset (64 limbs a tile), and a few tiles of the default one (2048).
const LENGTHS: [usize; 19] = [
    0, 1, 2, 3, 4, 5, 31, 63, 64, 65, 127, 128, 129, 130, 640, 2047, 2048, 2049, 4500,
];

/// Numbers that are hard on carries and signs, of `len` limbs.
fn hard(len: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<Integer> {
    let mut numbers = vec![
        from_limbs(vec![u64::MAX; len]),
        from_limbs((0..len).map(|_| rng.random()).collect()),
        // One bit at the very top, one at the very bottom.
        from_limbs(
            (0..len)
                .map(|i| if i + 1 == len { 1 << 63 } else { 0 })
                .collect(),
        ),
        from_limbs((0..len).map(|i| u64::from(i == 0)).collect()),
        // Long runs that pass carries on, broken now and then.
        from_limbs(
            (0..len)
                .map(|i| if i % 67 == 66 { 5 } else { u64::MAX })
                .collect(),
        ),
        from_limbs(
            (0..len)
                .map(|_| {
                    if rng.random_ratio(1, 90) {
                        rng.random()
                    } else {
                        0
                    }
                })
                .collect(),
        ),
    ];
    let negated: Vec<Integer> = numbers.iter().map(|x| -x).collect();
    numbers.extend(negated);
    numbers
}

fn pairs(mut test: impl FnMut(&Integer, &Integer)) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for (k, &len) in LENGTHS.iter().enumerate() {
        let a = hard(len, &mut rng);
        for other in [len, LENGTHS[k / 2]] {
            let b = hard(other, &mut rng);
            // All of the first few lengths, then a random selection.
            for x in &a {
                for y in &b {
                    if len < 6 || rng.random_ratio(1, 6) {
                        test(x, y);
                    }
                }
            }
        }
    }
}

fn host(limbs: Result<Resident>) -> Integer {
    limbs.unwrap().into_host().unwrap().into()
}

#[test]
fn two_operands() {
    everywhere(|engine| {
        pairs(|x, y| {
            let (a, b) = (Resident::from(x.clone()), Resident::from(y.clone()));
            let bits = (x.significant_bits(), y.significant_bits());
            assert_eq!(host(add(&a, &b)), x + y, "add {engine} {bits:?}");
            assert_eq!(host(sub(&a, &b)), x - y, "sub {engine} {bits:?}");
            assert_eq!(host(and(&a, &b)), x & y, "and {engine} {bits:?}");
            assert_eq!(host(or(&a, &b)), x | y, "or {engine} {bits:?}");
            assert_eq!(host(xor(&a, &b)), x ^ y, "xor {engine} {bits:?}");
            assert_eq!(
                compare(&a, &b).unwrap(),
                x.cmp(y),
                "compare {engine} {bits:?}"
            );
            assert_eq!(compare(&a, &a).unwrap(), Ordering::Equal);
            let expected = x.checked_hamming_distance(y);
            assert_eq!(
                hamming(&a, &b).unwrap(),
                expected,
                "hamming {engine} {bits:?}"
            );
            let mut c = a.clone();
            add_assign(&mut c, &b).unwrap();
            sub_assign(&mut c, &a).unwrap();
            xor_assign(&mut c, &a).unwrap();
            and_assign(&mut c, &b).unwrap();
            or_assign(&mut c, &a).unwrap();
            assert_eq!(host(Ok(c)), ((y ^ x) & y) | x, "assign {engine} {bits:?}");
            assert!(*a.host().unwrap() == *x && *b.host().unwrap() == *y);
        });
    });
}

#[test]
fn one_operand() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for len in LENGTHS {
            for x in hard(len, &mut rng) {
                let a = Resident::from(x.clone());
                let bits = x.significant_bits();
                assert_eq!(host(not(&a)), !&x, "not {engine} {bits}");
                assert_eq!(host(neg(&a)), -&x, "neg {engine} {bits}");
                assert_eq!(
                    host(abs(&a)),
                    if x < 0 { -&x } else { x.clone() },
                    "abs {engine} {bits}"
                );
                for small in [0, 1, -1, i64::MAX, i64::MIN] {
                    assert_eq!(
                        host(add_small(&a, small)),
                        &x + Integer::from(small),
                        "add_small {engine} {bits}"
                    );
                }
                let count = (x >= 0).then(|| Integer::ZERO.checked_hamming_distance(&x).unwrap());
                assert_eq!(popcount(&a).unwrap(), count, "popcount {engine} {bits}");
            }
        }
    });
}

#[test]
fn shifts() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(13);
        for len in LENGTHS {
            for x in hard(len, &mut rng) {
                let a = Resident::from(x.clone());
                for count in [0, 1, 63, 64, 65, 127, 128, 129, 64 * 65 + 3, 64 * 64] {
                    let bits = x.significant_bits();
                    assert_eq!(
                        host(shl(&a, count)),
                        &x << count,
                        "{engine} {bits} << {count}"
                    );
                    assert_eq!(
                        host(shr(&a, count)),
                        &x >> count,
                        "{engine} {bits} >> {count}"
                    );
                }
                let sign = if x < 0 { -1 } else { 0 };
                assert_eq!(host(shr(&a, u64::MAX)), sign);
            }
        }
        assert!(matches!(
            shl(&Resident::from(Integer::from(1)), u64::MAX),
            Err(Error::TooLarge { .. })
        ));
    });
}

#[test]
fn single_bits() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(17);
        for len in LENGTHS {
            for x in hard(len, &mut rng) {
                let bits = x.significant_bits();
                for index in [
                    0,
                    1,
                    63,
                    64,
                    bits / 2,
                    bits.saturating_sub(1),
                    bits,
                    bits + 64,
                    bits + 200,
                ] {
                    let a = Resident::from(x.clone());
                    assert_eq!(
                        bit(&a, index).unwrap(),
                        x.get_bit(index),
                        "{engine} {bits} {index}"
                    );
                    assert_eq!(
                        scan_set(&a, index).unwrap(),
                        x.index_of_next_true_bit(index),
                        "scan_set {engine} {bits} {index}"
                    );
                    assert_eq!(
                        scan_clear(&a, index).unwrap(),
                        x.index_of_next_false_bit(index),
                        "scan_clear {engine} {bits} {index}"
                    );
                    for change in [BitChange::Set, BitChange::Clear, BitChange::Flip] {
                        let mut expected = x.clone();
                        match change {
                            BitChange::Set => expected.set_bit(index),
                            BitChange::Clear => expected.clear_bit(index),
                            BitChange::Flip => expected.flip_bit(index),
                        }
                        let mut shared = a.clone();
                        change_bit(&mut shared, index, change).unwrap();
                        assert_eq!(
                            host(Ok(shared)),
                            expected,
                            "{change:?} {engine} {bits} {index}"
                        );
                        assert_eq!(a.host().unwrap(), &x, "the other owner saw {change:?}");
                        // A result that only lives where it was computed, changed in its own
                        // memory.
                        let mut own = add_small(&a, 0).unwrap();
                        change_bit(&mut own, index, change).unwrap();
                        assert_eq!(
                            host(Ok(own)),
                            expected,
                            "own {change:?} {engine} {bits} {index}"
                        );
                    }
                }
            }
        }
        let mut huge = Resident::from(Integer::from(1));
        assert!(change_bit(&mut huge, u64::MAX, BitChange::Set).is_err());
    });
}

#[test]
fn sizes_are_known_where_the_value_lives() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(19);
        for len in LENGTHS {
            for x in hard(len, &mut rng) {
                let a = add_small(&Resident::from(x.clone()), 0).unwrap();
                let sign = x.cmp(&Integer::ZERO) as i32;
                assert_eq!(size(&a).unwrap(), (sign, x.significant_bits()), "{engine}");
            }
        }
    });
}

/// The device of an engine; none for the CPU.
fn device_of(engine: Engine) -> Option<Arc<Device>> {
    match engine {
        Engine::Cuda(n) => Some(cuda_device(n).unwrap()),
        _ => None,
    }
}

#[test]
fn published_sums_and_shifts() {
    for device in Engine::usable().into_iter().filter_map(device_of) {
        for (block, grid) in [(64, None), (256, None), (32, Some(3))] {
            let shape = cuda::PublishedShape { block, grid };
            pairs(|x, y| {
                let on = |x: &Integer| Resident::from(x.clone()).on(&device).unwrap();
                let (a, b) = (on(x), on(y));
                let sum = cuda::published_sum(&a, &b, false, shape);
                assert_eq!(host(sum), x + y);
                let difference = cuda::published_sum(&a, &b, true, shape);
                assert_eq!(host(difference), x - y);
                for count in [0, 1, 31, 32, 67] {
                    let shifted = cuda::published_shl(&a, count, a.bits + count, shape);
                    assert_eq!(host(shifted), x << count);
                }
            });
        }
    }
}

/// A natural number that takes exactly `len` limbs on a device.
fn of_length(len: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<u64> {
    let mut limbs: Vec<u64> = (0..len).map(|_| rng.random()).collect();
    limbs[len - 1] = limbs[len - 1] >> 1 | 1 << 62;
    limbs
}

/// Where a search of `len` limbs by tiles of `tile` limbs and `blocks` blocks changes its course.
fn places(len: usize, tile: usize, blocks: usize) -> Vec<usize> {
    let edges = [
        0,
        2,
        64,
        tile,
        len - len % tile,
        len / 2,
        blocks * tile,
        len.saturating_sub(tile * blocks),
        len,
    ];
    let mut places: Vec<usize> = (edges.iter())
        .flat_map(|edge| [edge.saturating_sub(1), *edge, edge + 1])
        .filter(|place| *place < len)
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

#[test]
fn comparisons_and_distances_at_every_boundary() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let tile = (tuning.linear_block * tuning.linear_items) as usize;
        // Blocks of the executor that are resident at once, and lengths of several rounds of them.
        let blocks = 8;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(29);
        let rounds = if tile > 64 { 1 } else { 3 };
        for edge in [tile, 2 * tile, rounds * blocks * tile] {
            for len in [edge - 1, edge, edge + 1, edge + 2] {
                let limbs = of_length(len, &mut rng);
                let x = from_limbs(limbs.clone());
                let (a, minus_a) = (Resident::from(x.clone()), Resident::from(-&x));
                for place in places(len, tile, blocks) {
                    let mut other = limbs.clone();
                    let flip: u64 = rng.random::<u64>() >> 2 | 1;
                    other[place] ^= flip;
                    // Often a second difference below the first, which only the distance shows.
                    let below = rng.random_range(0..=place);
                    other[below] ^= u64::from(below < place);
                    let y = from_limbs(other);
                    let (b, minus_b) = (Resident::from(y.clone()), Resident::from(-&y));
                    let at = format!("{engine} {len} limbs, at {place} and {below}");
                    assert_eq!(compare(&a, &b).unwrap(), x.cmp(&y), "{at}");
                    assert_eq!(compare(&b, &a).unwrap(), y.cmp(&x), "{at}");
                    assert_eq!(compare(&minus_a, &minus_b).unwrap(), y.cmp(&x), "-{at}");
                    assert_eq!(compare(&minus_a, &b).unwrap(), Ordering::Less, "±{at}");
                    assert_eq!(compare(&a, &minus_b).unwrap(), Ordering::Greater, "±{at}");
                    let distance = x.checked_hamming_distance(&y);
                    assert_eq!(hamming(&a, &b).unwrap(), distance, "{at}");
                    let distance = (-&x).checked_hamming_distance(&-&y);
                    assert_eq!(hamming(&minus_a, &minus_b).unwrap(), distance, "-{at}");
                }
                assert_eq!(compare(&a, &a.clone()).unwrap(), Ordering::Equal);
            }
        }
    });
}

#[test]
fn comparisons_of_sign_extended_operands() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let tile = (tuning.linear_block * tuning.linear_items) as usize;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
        for long in [tile - 1, 2 * tile, 3 * tile + 1] {
            let wide = Resident::from(from_limbs(of_length(long, &mut rng)));
            for short in [1, 2, tile - 1, tile, tile + 1, 2 * tile] {
                let x = from_limbs(of_length(short, &mut rng));
                for x in [x.clone(), -x, Integer::ZERO, Integer::from(-1)] {
                    // `extended` has the value of `a` in as many limbs as `wide` has.
                    let a = Resident::from(x.clone());
                    let extended = sub(&add(&wide, &a).unwrap(), &wide).unwrap();
                    let at = format!("{engine} {} bits in {long} limbs", x.significant_bits());
                    assert_eq!(compare(&a, &extended).unwrap(), Ordering::Equal, "{at}");
                    assert_eq!(compare(&extended, &a).unwrap(), Ordering::Equal, "{at}");
                    assert_eq!(hamming(&extended, &a).unwrap(), Some(0), "{at}");
                    for small in [1, -1] {
                        let y = &x + Integer::from(small);
                        let b = add_small(&extended, small).unwrap();
                        assert_eq!(compare(&a, &b).unwrap(), x.cmp(&y), "{at}");
                        assert_eq!(compare(&b, &extended).unwrap(), y.cmp(&x), "{at}");
                        let distance = x.checked_hamming_distance(&y);
                        assert_eq!(hamming(&b, &a).unwrap(), distance, "{at}");
                    }
                    let sign = x.cmp(&Integer::ZERO) as i32;
                    assert_eq!(
                        size(&extended).unwrap(),
                        (sign, x.significant_bits()),
                        "{at}"
                    );
                    for from in [0, 1, 63, 64 * tile as u64 - 1, 64 * tile as u64 + 1] {
                        let next = x.index_of_next_true_bit(from);
                        assert_eq!(scan_set(&extended, from).unwrap(), next, "{at} {from}");
                        let next = x.index_of_next_false_bit(from);
                        assert_eq!(scan_clear(&extended, from).unwrap(), next, "{at} {from}");
                    }
                }
            }
        }
    });
}

#[test]
fn scans_find_the_first_of_several_bits() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let tile = (tuning.linear_block * tuning.linear_items) as usize;
        let len = 2 * tile + 3;
        for place in places(len, tile, 1) {
            let mut limbs = vec![0; len];
            limbs[place] = 1 << 17;
            limbs[len - 1] |= 1 << 62;
            let x = from_limbs(limbs);
            let (a, flipped) = (Resident::from(x.clone()), Resident::from(!&x));
            let bit = 64 * place as u64 + 17;
            for from in [0, bit.saturating_sub(64), bit - 1, bit, bit + 1] {
                let next = x.index_of_next_true_bit(from);
                let at = format!("{engine} {bit} from {from}");
                assert_eq!(scan_set(&a, from).unwrap(), next, "{at}");
                assert_eq!(scan_clear(&flipped, from).unwrap(), next, "{at}");
            }
        }
    });
}

#[test]
fn fills() {
    everywhere(|engine| {
        for count in LENGTHS {
            for (pattern, top) in [
                (0, 0),
                (u64::MAX, 0),
                (u64::MAX, 1),
                (0x0123_4567_89ab_cdef, 3),
            ] {
                let mut limbs = vec![pattern; count];
                limbs.push(top);
                assert_eq!(
                    host(fill(pattern, count, top)),
                    from_limbs(limbs),
                    "{engine} {count}"
                );
            }
        }
        assert!(fill(1, usize::MAX, 0).is_err());
    });
}

#[test]
fn random_chains_agree() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(23);
        for round in 0..10 {
            let mut expected: Vec<Integer> = (0..4)
                .map(|_| {
                    let len = rng.random_range(1..300);
                    let value = from_limbs((0..len).map(|_| rng.random()).collect());
                    if rng.random() { -value } else { value }
                })
                .collect();
            let mut actual: Vec<Resident> = expected.iter().cloned().map(Resident::from).collect();
            for step in 0..40 {
                let (i, j, k) = (
                    rng.random_range(0..4),
                    rng.random_range(0..4),
                    rng.random_range(0..4),
                );
                let count = rng.random_range(0..200);
                let (x, y) = (expected[i].clone(), expected[j].clone());
                let (a, b) = (actual[i].clone(), actual[j].clone());
                let (value, limbs) = match rng.random_range(0..9) {
                    0 => (x + y, add(&a, &b)),
                    1 => (x - y, sub(&a, &b)),
                    2 => (x & y, and(&a, &b)),
                    3 => (x | y, or(&a, &b)),
                    4 => (x ^ y, xor(&a, &b)),
                    5 => (!x, not(&a)),
                    6 => (-x, neg(&a)),
                    7 => (x << count, shl(&a, count)),
                    _ => (x >> count, shr(&a, count)),
                };
                expected[k] = value;
                actual[k] = limbs.unwrap();
                assert_eq!(
                    compare(&actual[i], &actual[j]).unwrap(),
                    expected[i].cmp(&expected[j]),
                    "{engine} round {round} step {step}"
                );
            }
            for (x, a) in expected.iter().zip(actual) {
                assert_eq!(&host(Ok(a)), x, "{engine} round {round}");
            }
        }
    });
}

#[test]
fn bit_lists_match() {
    // The oracle itself, once, against the definition.
    let x = Integer::from(-0b1011_0000);
    let a = Resident::from(x.clone());
    let bits: Vec<bool> = (0..x.to_bits_asc().len() as u64)
        .map(|i| bit(&a, i).unwrap())
        .collect();
    assert_eq!(bits, x.to_bits_asc());
}
