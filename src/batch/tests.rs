//! Rows against the same operation done row by row with malachite, on every engine and preset.

use malachite_base::num::arithmetic::traits::{ModPowerOf2, ModPowerOf2Shl};
use malachite_base::num::basic::traits::Zero;
use malachite_base::num::logic::traits::{BitAccess, BitScan, CountOnes, HammingDistance};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::engine::Engine;
use crate::tests::support::everywhere;

/// Rows of random, all-ones and nearly all-ones limbs, so that carries run to the end of rows and
/// must stop there.
fn limbs(count: usize, width: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<u64> {
    (0..count * width)
        .map(|_| match rng.random_range(0..8) {
            0 => rng.random(),
            1 => 0,
            _ => u64::MAX,
        })
        .collect()
}

fn naturals(rows: &Rows<'_>) -> Vec<Natural> {
    let limbs = rows.host().unwrap();
    limbs
        .chunks_exact(rows.batch.width)
        .map(Natural::from_limbs_asc)
        .collect()
}

fn check(batch: Batch, expected: impl Iterator<Item = Natural>) {
    assert!(naturals(&batch.all()).into_iter().eq(expected));
}

#[test]
fn rows_against_single_numbers() {
    everywhere(|_| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for (count, width) in [
            (1, 1),
            (70, 1),
            (33, 2),
            (50, 3),
            (7, 64),
            (5, 65),
            (40, 17),
            (3, 700),
        ] {
            let a = Batch::from_limbs(limbs(count + 2, width, &mut rng), width).unwrap();
            let b = Batch::from_limbs(limbs(count + 3, width, &mut rng), width).unwrap();
            let (a, b) = (
                a.try_rows(1..count + 1).unwrap(),
                b.try_rows(3..count + 3).unwrap(),
            );
            let (x, y) = (naturals(&a), naturals(&b));
            let bits = 64 * width as u64;
            let modulus = Natural::from(1u32) << bits;
            let both = || x.iter().zip(&y);
            check(
                a.try_add(&b).unwrap(),
                both().map(|(x, y)| (x + y).mod_power_of_2(bits)),
            );
            check(
                a.try_sub(&b).unwrap(),
                both().map(|(x, y)| (x + &modulus - y).mod_power_of_2(bits)),
            );
            check(a.try_and(&b).unwrap(), both().map(|(x, y)| x & y));
            check(a.try_or(&b).unwrap(), both().map(|(x, y)| x | y));
            check(a.try_xor(&b).unwrap(), both().map(|(x, y)| x ^ y));
            check(
                a.try_not().unwrap(),
                x.iter().map(|x| &modulus - x - Natural::from(1u32)),
            );
            check(
                a.try_neg().unwrap(),
                x.iter().map(|x| (&modulus - x).mod_power_of_2(bits)),
            );
            for word in [1i64, -1, 5, i64::MIN] {
                let expected = x.iter().map(|x| {
                    let sum = Integer::from(x) + Integer::from(&modulus) + Integer::from(word);
                    sum.mod_power_of_2(bits)
                });
                check(a.try_add_small(word).unwrap(), expected);
            }
            for shift in [0, 1, 63, 64, 65, bits - 1, bits, u64::MAX] {
                let left = x.iter().map(|x| match shift {
                    _ if shift >= bits => Natural::ZERO,
                    _ => x.mod_power_of_2_shl(shift, bits),
                });
                check(a.try_shl(shift).unwrap(), left);
                check(
                    a.try_shr(shift).unwrap(),
                    x.iter().map(|x| x >> shift.min(bits)),
                );
            }
            assert!(
                a.try_count_ones()
                    .unwrap()
                    .into_iter()
                    .eq(x.iter().map(CountOnes::count_ones))
            );
            let expected = both().map(|(x, y)| x.hamming_distance(y));
            assert!(a.try_hamming_distance(&b).unwrap().into_iter().eq(expected));
            assert!(
                a.try_compare(&b)
                    .unwrap()
                    .into_iter()
                    .eq(both().map(|(x, y)| x.cmp(y)))
            );
            assert!(
                a.try_compare(&a)
                    .unwrap()
                    .into_iter()
                    .all(|order| order == Ordering::Equal)
            );
            for index in [0, 1, 63, 64, bits / 2, bits - 1] {
                let expected = x.iter().map(|x| x.index_of_next_true_bit(index));
                assert!(a.try_first_set_bit(index).unwrap().into_iter().eq(expected));
                let inside = |bit: &u64| *bit < bits;
                let expected = x
                    .iter()
                    .map(|x| x.index_of_next_false_bit(index).filter(inside));
                assert!(
                    a.try_first_clear_bit(index)
                        .unwrap()
                        .into_iter()
                        .eq(expected)
                );
                if index >= bits {
                    continue;
                }
                assert!(
                    a.try_bit(index)
                        .unwrap()
                        .into_iter()
                        .eq(x.iter().map(|x| x.get_bit(index)))
                );
                let changed = |change: fn(&mut Natural, u64)| {
                    x.iter().cloned().map(move |mut x| {
                        change(&mut x, index);
                        x
                    })
                };
                check(a.try_set_bit(index).unwrap(), changed(Natural::set_bit));
                check(a.try_clear_bit(index).unwrap(), changed(Natural::clear_bit));
                check(a.try_flip_bit(index).unwrap(), changed(Natural::flip_bit));
            }
            assert!(
                a.try_first_set_bit(u64::MAX)
                    .unwrap()
                    .iter()
                    .all(Option::is_none)
            );
        }
        check(
            Batch::fill(9, 3, 1).unwrap(),
            [9u32, 9, 9].into_iter().map(Natural::from),
        );
    });
}

#[test]
fn results_stay_on_the_device_they_were_made_on() {
    let Some(engine) = Engine::usable()
        .into_iter()
        .find(|e| matches!(e, Engine::Cuda(_)))
    else {
        return;
    };
    let a = Batch::from_limbs(vec![1, 2, 3, 4], 2).unwrap();
    let b = engine.scope(|| a.all().try_add(&a.all())).unwrap();
    assert!(a.is_on_device() && b.is_on_device());
    let c = b.try_rows(1..2).unwrap().try_not().unwrap();
    assert!(c.is_on_device(), "Auto follows the operands");
    assert_eq!(c.try_limbs().unwrap(), [!6, !8]);
}

#[test]
fn bad_shapes() {
    assert!(Batch::from_limbs(vec![1, 2, 3], 2).is_err());
    assert!(Batch::from_limbs(vec![], 0).is_err());
    assert!(Batch::fill(0, usize::MAX, 2).is_err());
    assert!(Batch::from_ints(&[Int::from(-1)], 1).is_err());
    assert!(Batch::from_ints(&[Int::from(1u128 << 64)], 1).is_err());
    let a = Batch::from_ints(&[Int::from(1), Int::from(2)], 3).unwrap();
    assert_eq!(a.try_get(1).unwrap(), Int::from(2));
    assert!(a.try_get(2).is_err() && a.try_rows(1..3).is_err());
    assert!(a.all().try_add(&a.try_rows(0..1).unwrap()).is_err());
    assert!(a.all().try_set_bit(192).is_err());
    everywhere(|_| {
        let none = a.try_rows(1..1).unwrap();
        assert_eq!(none.try_add(&none).unwrap().count(), 0);
        assert!(none.try_count_ones().unwrap().is_empty());
    });
}
