//! Lanes against malachite, at every level that this processor has and in plain Rust.

use malachite_base::num::arithmetic::traits::{DivRem, ModPow, ModPowerOf2};
use malachite_base::num::basic::traits::{One, Zero};
use malachite_nz::natural::Natural;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::montgomery::Modulus;
use super::*;

fn levels() -> impl Iterator<Item = Level> {
    let all = [Level::Avx512, Level::Avx512Float, Level::Plain];
    all.into_iter().filter(|level| level.is_available())
}

fn ones(bits: u64) -> Natural {
    (Natural::ONE << bits) - Natural::ONE
}

/// A number of at most `bits` bits, of the shape with the number `shape`.
fn shaped(bits: u64, shape: usize, rng: &mut Xoshiro256PlusPlus) -> Natural {
    let limbs: Vec<u64> = (0..bits.div_ceil(64)).map(|_| rng.next_u64()).collect();
    let random = Natural::from_limbs_asc(&limbs).mod_power_of_2(bits);
    match shape % 8 {
        0 => ones(bits),
        1 => Natural::ONE << (bits - 1),
        2 => (Natural::ONE << (bits - 1)) | Natural::ONE,
        // Full digits and empty ones.
        3 => random & Natural::from_limbs_asc(&[u64::MAX << 52 | 0xff_ffff_ffff, 0, 0, u64::MAX]),
        4 => ones(bits) - (Natural::ONE << rng.random_range(0..bits)),
        5 => random >> rng.random_range(0..bits),
        _ => random,
    }
}

fn limbs(x: &Natural) -> Vec<u64> {
    x.to_limbs_asc()
}

#[test]
fn levels_are_found() {
    assert!(levels().any(|level| level == Level::Plain));
    assert!(Level::best().is_none_or(|best| best != Level::Plain && best.is_available()));
}

#[test]
fn digits_of_numbers() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (shape, bits) in (1..420).enumerate() {
        let groups = (bits as usize).div_ceil(GROUP * BITS as usize);
        let numbers: Vec<Natural> = (0..ROWS)
            .map(|i| shaped(bits, shape + i, &mut rng))
            .collect();
        let rows: Vec<Vec<u64>> = numbers.iter().map(limbs).collect();
        let rows: Vec<&[u64]> = rows.iter().map(Vec::as_slice).collect();
        let packed = pack::<plain::Plain>(&rows, groups);
        for (i, number) in numbers.iter().enumerate() {
            let found = unpack::<plain::Plain>(&packed, i, bits.div_ceil(64) as usize);
            assert_eq!(Natural::from_owned_limbs_asc(found), *number);
        }
    }
}

/// The product of residues up to 4n − 1, and its bounds.
fn check_products<L: Lanes>(groups: usize, rng: &mut Xoshiro256PlusPlus) {
    let bits = (groups * GROUP) as u64 * u64::from(BITS);
    let r = Natural::ONE << bits;
    for round in 0..12 {
        let n: [Natural; ROWS] =
            std::array::from_fn(|i| shaped(bits - 4, round + i, rng) | Natural::ONE);
        let four = n.each_ref().map(|n| n * Natural::from(4u32) - Natural::ONE);
        let mut residue = |i: usize, kind: usize| match (round + i + kind) % 3 {
            0 => four[i].clone(),
            1 => Natural::ZERO,
            _ => shaped(bits, round, rng) % &four[i],
        };
        let a: [Natural; ROWS] = std::array::from_fn(|i| residue(i, 0));
        let b: [Natural; ROWS] = std::array::from_fn(|i| residue(i, round / 3 % 3));
        let packed = |numbers: &[Natural; ROWS]| {
            let rows = numbers.each_ref().map(limbs);
            pack::<L>(&rows.each_ref().map(Vec::as_slice), groups)
        };
        let inverse = n
            .each_ref()
            .map(|n| crate::word::inverse_word(limbs(n)[0]).wrapping_neg() & ((1 << BITS) - 1));
        let folds = n.each_ref().map(|n| {
            Natural::from_owned_limbs_asc(power::fold(
                &limbs(n),
                crate::word::inverse_word(limbs(n)[0]).wrapping_neg(),
            ))
        });
        let weight = Natural::ONE << (GROUP as u64 * u64::from(BITS));
        for (n, fold) in n.iter().zip(&folds) {
            assert!(fold <= n && (fold * &weight) % n == Natural::ONE % n);
        }
        let modulus = Modulus::<L> {
            n: packed(&n),
            fold: packed(&folds),
            minus_inverse: L::pack(&inverse),
        };
        let (x, y) = (packed(&a), packed(&b));
        let (mut quotient, mut out) = (x.clone(), x.clone());
        for square in [false, true] {
            if square {
                L::square(&modulus, &x, &mut quotient, &mut out);
            } else {
                L::mul(&modulus, &x, &y, &mut quotient, &mut out);
            }
            for i in 0..ROWS {
                let found = unpack::<L>(&out, i, bits.div_ceil(64) as usize);
                let found = Natural::from_owned_limbs_asc(found);
                let factor = if square { &a[i] } else { &b[i] };
                assert!(found <= four[i], "{groups} groups, row {i}: {found:x}");
                assert!(
                    found * &r % &n[i] == &a[i] * factor % &n[i],
                    "{groups} groups, round {round}, row {i}, square: {square}"
                );
            }
        }
    }
}

#[test]
fn products_and_their_bounds() {
    for level in levels() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        for groups in [1, 2, 3, 4, 5, 10, 50] {
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => check_products::<avx512::Avx512>(groups, &mut rng),
                #[cfg(target_arch = "x86_64")]
                Level::Avx512Float => check_products::<avx512_float::Avx512Float>(groups, &mut rng),
                _ => check_products::<plain::Plain>(groups, &mut rng),
            }
        }
    }
}

#[test]
fn powers_of_rows() {
    for level in levels() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for width in [1, 2, 3, 4, 5, 8, 13, 16, 33, MOST_LIMBS as u64] {
            for count in [1, 7, 8] {
                let exponent_bits = (4096 / width).clamp(17, 200);
                let mut draw = |shape: usize| -> [Natural; 3] {
                    let modulus = match shape % 5 {
                        // One limb in a wide row.
                        3 => Natural::from(rng.next_u64()),
                        _ => shaped(64 * width, shape, &mut rng),
                    };
                    let modulus = modulus | Natural::ONE;
                    let base = match shape % 7 {
                        0 => Natural::ZERO,
                        1 => Natural::ONE,
                        2 => &modulus - Natural::ONE,
                        3 => ones(64 * width),
                        _ => shaped(64 * width, shape / 2, &mut rng),
                    };
                    let exponent = match shape % 6 {
                        0 => Natural::ZERO,
                        1 => Natural::ONE,
                        2 => ones(exponent_bits),
                        _ => shaped(exponent_bits, shape / 3, &mut rng),
                    };
                    [base, exponent, modulus]
                };
                for shape in 0..if width > 16 { 3 } else { 12 } {
                    let numbers: Vec<[Natural; 3]> =
                        (0..count).map(|i| draw(37 * shape + i)).collect();
                    let rows: Vec<[Vec<u64>; 3]> = numbers
                        .iter()
                        .map(|row| row.each_ref().map(limbs))
                        .collect();
                    let powers: Vec<Power<'_>> = rows
                        .iter()
                        .map(|[base, exponent, modulus]| Power {
                            base,
                            exponent,
                            modulus,
                        })
                        .collect();
                    let mut found = vec![None; count];
                    level.powers(&powers, &mut |i, power| {
                        found[i] = Some(Natural::from_limbs_asc(power));
                    });
                    for ([base, exponent, modulus], found) in numbers.iter().zip(found) {
                        let expected = (base % modulus).mod_pow(exponent, modulus);
                        assert!(
                            found == Some(expected),
                            "{level:?}: {base:x}^{exponent:x} modulo {modulus:x}"
                        );
                    }
                }
            }
        }
    }
}

/// Checks pairs of dividends and divisors: every row that lanes do not give up is right.
fn check_quotients(level: Level, rows: &[(Natural, Natural)]) -> u32 {
    let numbers: Vec<[Vec<u64>; 2]> = rows.iter().map(|(a, d)| [limbs(a), limbs(d)]).collect();
    let divisions: Vec<Division<'_>> = numbers.iter().map(|[a, d]| Division::new(a, d)).collect();
    let width = numbers.iter().map(|[a, _]| a.len()).max().unwrap() + rows.len() % 3;
    let [mut q, mut r] = [(); 2].map(|()| vec![0x5555; rows.len() * width]);
    let [mut quotients, mut remainders] =
        [&mut q, &mut r].map(|out| out.chunks_exact_mut(width).collect::<Vec<&mut [u64]>>());
    let mut scratch = vec![u64::MAX; 100];
    let bad = level.quotients(&divisions, &mut quotients, &mut remainders, &mut scratch);
    for (i, (a, d)) in rows.iter().enumerate() {
        if bad >> i & 1 == 0 {
            let row = |out: &[u64]| Natural::from_limbs_asc(&out[i * width..(i + 1) * width]);
            let expected = a.div_rem(d);
            assert!((row(&q), row(&r)) == expected, "{level:?}: {a:x} / {d:x}");
        }
    }
    bad.count_ones()
}

#[test]
fn quotients_of_rows() {
    for level in levels() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut given_up = 0;
        for digits in [3, 4, 5, 9, 20, 40, 150] {
            for quotient in [1, 2, 3, 5, 8, 20, 41] {
                for (round, count) in [1, 7, 8, 8, 8, 8].into_iter().enumerate() {
                    let mut draw = |shape: usize| {
                        let bits = 52 * digits - rng.random_range(0..52);
                        let top = Natural::ONE << (bits - 1);
                        let d = shaped(bits, shape, &mut rng) | &top;
                        let most = 52 * quotient;
                        let q = shaped(most, shape / 8, &mut rng);
                        let a = match round {
                            // Any, and multiples with the least and the largest remainders.
                            0..=2 => shaped(bits + most - 1, shape / 3, &mut rng) | &top,
                            3 => (&q * &d) | Natural::ZERO,
                            4 => &q * &d + &d - Natural::ONE,
                            _ => &q * &d + shaped(bits, shape / 5, &mut rng) % &d,
                        };
                        // At least as long as the divisor.
                        (a | &top, d)
                    };
                    let rows: Vec<(Natural, Natural)> =
                        (0..count).map(|i| draw(11 * round + i)).collect();
                    given_up += check_quotients(level, &rows);
                    // Random rows are never given up.
                    if round == 0 {
                        let random: Vec<(Natural, Natural)> = (0..8)
                            .map(|_| {
                                let d = shaped(52 * digits, 6, &mut rng);
                                let d = d | Natural::ONE << (52 * digits - 1);
                                (shaped(52 * (digits + quotient) - 1, 6, &mut rng) | &d, d)
                            })
                            .collect();
                        assert_eq!(check_quotients(level, &random), 0);
                    }
                }
            }
        }
        assert!(given_up > 0, "no row is hard");
    }
}
