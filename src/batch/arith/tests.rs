//! Arithmetic on rows against malachite, row by row, on every engine and preset.

use malachite_base::num::arithmetic::traits::{
    DivRem, FloorSqrt, Gcd, ModPow, ModPowerOf2, ModSub,
};
use malachite_base::num::basic::traits::{One, Zero};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::Int;
use crate::engine::{EXECUTOR, Engine};
use crate::tests::support;
use crate::tuning::Tuning;

/// Widths in limbs that between them have a row on 1, 2, 4 and 32 lanes. Modules are compiled for
/// few of them on the executor.
fn everywhere(test: impl Fn(usize, &mut Xoshiro256PlusPlus)) {
    let all = [1, 2, 3, 4, 8, 16, 31, 32, 33, 64, 512];
    support::everywhere(|engine| {
        let widths = match (engine, Tuning::current() == Tuning::MINIMAL) {
            (Engine::Cuda(EXECUTOR), true) => &[3, 4, 64][..],
            (Engine::Cuda(EXECUTOR), false) => &[1, 16, 33],
            _ => &all,
        };
        for width in widths {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(*width as u64);
            test(*width, &mut rng);
        }
    });
}

fn random(bits: usize, rng: &mut Xoshiro256PlusPlus) -> Natural {
    let limbs: Vec<u64> = (0..bits.div_ceil(64)).map(|_| rng.random()).collect();
    Natural::from_limbs_asc(&limbs).mod_power_of_2(bits as u64)
}

/// Pairs that are hard to get right, and a few that are not.
fn pairs(width: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<(Natural, Natural)> {
    let bits = 64 * width;
    let power = |k: usize| Natural::ONE << k as u64;
    let ones = power(bits) - Natural::ONE;
    let mut list = vec![
        (Natural::ZERO, Natural::ONE),
        (Natural::ONE, Natural::ONE),
        (ones.clone(), Natural::ONE),
        (ones.clone(), ones.clone()),
        (ones.clone(), &ones - Natural::ONE),
        (&ones - Natural::ONE, ones.clone()),
        (power(bits - 1), Natural::from(3u32)),
        (power(bits - 1), power(bits / 2)),
        (ones.clone(), power(bits - 1)),
        (power(bits - 1), ones.clone()),
        (
            power(bits - 1) + Natural::ONE,
            power(bits - 1) - Natural::ONE,
        ),
    ];
    for _ in 0..3 {
        list.push((random(bits, rng), random(bits, rng) | Natural::ONE));
        list.push((random(bits, rng), random(bits / 2, rng) | Natural::ONE));
        // The words that a quotient is estimated from are those of the dividend too.
        let divisor = (random(bits / 2, rng) | power(bits / 2 - 1)) << (bits / 4) as u64;
        let below = &divisor * power(bits / 4) - Natural::ONE;
        list.push((below.mod_power_of_2(bits as u64), divisor));
        // A large common divisor, with a power of two in it.
        let shared = random(bits / 2 - 1, rng) << rng.random_range(0..2u64);
        let [a, b] = [random(bits / 2, rng), random(bits / 2, rng)];
        list.push((
            &shared * a,
            shared * b + Natural::from(u32::from(width == 0)),
        ));
    }
    let (a, b) = list[list.len() - 4].clone();
    list.push((a.clone(), a));
    list.push((b.clone() + Natural::ZERO, b));
    list
}

fn batch(width: usize, numbers: impl IntoIterator<Item = Natural>) -> Batch {
    let ints: Vec<Int> = numbers
        .into_iter()
        .map(|n| Int::from(Integer::from(n)))
        .collect();
    Batch::from_ints(&ints, width).unwrap()
}

fn naturals(batch: &Batch) -> Vec<Natural> {
    let rows = batch.try_limbs().unwrap().chunks_exact(batch.width());
    rows.map(Natural::from_limbs_asc).collect()
}

/// Compares each row with what is expected of it.
fn check(what: &str, found: &Batch, expected: impl IntoIterator<Item = Natural>) {
    let (engine, width) = (Engine::current(), found.width());
    let found = naturals(found);
    let expected: Vec<Natural> = expected.into_iter().collect();
    assert_eq!(found.len(), expected.len());
    for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(
            found == expected,
            "{what} on {engine}, width {width}, row {row}: {found:x} not {expected:x}"
        );
    }
}

/// The pairs as two batches, and as numbers.
fn operands(width: usize, rng: &mut Xoshiro256PlusPlus) -> (Batch, Batch, Vec<(Natural, Natural)>) {
    let list = pairs(width, rng);
    let a = batch(width, list.iter().map(|(a, _)| a.clone()));
    let b = batch(width, list.iter().map(|(_, b)| b.clone()));
    (a, b, list)
}

#[test]
fn products() {
    everywhere(|width, rng| {
        let (a, b, list) = operands(width, rng);
        let (a, b) = (a.all(), b.all());
        let bits = 64 * width as u64;
        check(
            "product",
            &a.try_mul_wide(&b).unwrap(),
            list.iter().map(|(a, b)| a * b),
        );
        check(
            "low product",
            &a.try_mul(&b).unwrap(),
            list.iter().map(|(a, b)| (a * b).mod_power_of_2(bits)),
        );
        let square = a.try_square_wide().unwrap();
        check("square", &square, list.iter().map(|(a, _)| a * a));
        check(
            "low square",
            &a.try_square().unwrap(),
            naturals(&square)
                .into_iter()
                .map(|s| s.mod_power_of_2(bits)),
        );
    });
}

#[test]
fn quotients_and_roots() {
    everywhere(|width, rng| {
        let (a, b, list) = operands(width, rng);
        let nonzero: Vec<usize> = (0..list.len()).filter(|i| list[*i].1 != 0).collect();
        assert_eq!(nonzero.len(), list.len());
        let (a, b) = (a.all(), b.all());
        let divided = || list.iter().map(|(a, b)| a.div_rem(b));
        let (q, r) = a.try_div_rem(&b).unwrap();
        check("quotient", &q, divided().map(|x| x.0));
        check("remainder", &r, divided().map(|x| x.1));
        check("quotient alone", &a.try_div(&b).unwrap(), naturals(&q));
        check("remainder alone", &a.try_rem(&b).unwrap(), naturals(&r));
        // Roots of squares and of their neighbours.
        let squares = list.iter().flat_map(|(a, _)| {
            let s = a.floor_sqrt();
            let square = &s * &s;
            let below = if square == 0 {
                Natural::ZERO
            } else {
                &square - Natural::ONE
            };
            [a.clone(), square, below]
        });
        let squares: Vec<Natural> = squares.collect();
        check(
            "root",
            &batch(width, squares.clone()).all().try_sqrt().unwrap(),
            squares.iter().map(FloorSqrt::floor_sqrt),
        );
        let zero = batch(width, list.iter().map(|_| Natural::ZERO));
        assert_eq!(a.try_rem(&zero.all()).err(), Some(Error::DivisionByZero));
    });
}

#[test]
fn common_divisors_and_inverses() {
    everywhere(|width, rng| {
        let (a, b, list) = operands(width, rng);
        let zero = batch(width, list.iter().map(|_| Natural::ZERO));
        check(
            "gcd",
            &a.all().try_gcd(&b.all()).unwrap(),
            list.iter().map(|(a, b)| a.gcd(b)),
        );
        check(
            "gcd with 0",
            &a.all().try_gcd(&zero.all()).unwrap(),
            naturals(&a),
        );
        check(
            "0 with it",
            &zero.all().try_gcd(&b.all()).unwrap(),
            naturals(&b),
        );
        for moduli in [
            naturals(&b),
            naturals(&b).into_iter().map(|n| n | Natural::ONE).collect(),
        ] {
            let modulus = batch(width, moduli.clone());
            let (inverse, exists) = a.all().try_mod_inverse(&modulus.all()).unwrap();
            let found = naturals(&inverse);
            for (row, n) in moduli.iter().enumerate() {
                let coprime = (&list[row].0).gcd(n) == 1;
                assert!(exists[row] == coprime, "width {width}, row {row}");
                if coprime {
                    assert!(found[row] < *n);
                    assert!((&found[row] * &list[row].0) % n == Natural::ONE % n);
                } else {
                    assert!(found[row] == 0)
                }
            }
        }
    });
}

#[test]
fn powers() {
    everywhere(|width, rng| {
        let (a, b, list) = operands(width, rng);
        // Long exponents of long rows take the executor minutes.
        let length = 4096 / (64 * width * width).max(16);
        let exponents: Vec<Natural> = (0..list.len())
            .map(|i| match i {
                0 => Natural::ZERO,
                1 => Natural::ONE,
                _ => random(1 + i * length.min(64 * width - 1) / list.len(), rng),
            })
            .collect();
        let exponent = batch(width, exponents.clone());
        for moduli in [
            naturals(&b),
            naturals(&b).into_iter().map(|n| n | Natural::ONE).collect(),
        ] {
            let modulus = batch(width, moduli.clone());
            check(
                "power",
                &a.all()
                    .try_pow_mod(&exponent.all(), &modulus.all())
                    .unwrap(),
                list.iter()
                    .enumerate()
                    .map(|(i, (a, _))| (a % &moduli[i]).mod_pow(&exponents[i], &moduli[i])),
            );
        }
    });
}

/// Rows of one length, as many as fill vectors and as few as do not.
#[test]
fn rows_that_fill_vectors() {
    for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
        for (width, count) in [3, 8, 16, 33]
            .into_iter()
            .zip([[1, 8], [7, 9], [9, 17], [17, 40]])
        {
            for count in count {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(count as u64);
                let bits = 64 * width;
                let mut draw = |bits: usize| -> Vec<Natural> {
                    let top = Natural::ONE << (bits as u64 - 1);
                    (0..count).map(|_| random(bits, &mut rng) | &top).collect()
                };
                let (a, d, e, n) = (draw(bits), draw(bits / 2), draw(90), draw(bits));
                // Two even ones, where there are as many, and a short one.
                let n: Vec<Natural> = n
                    .into_iter()
                    .enumerate()
                    .map(|(i, n)| match i {
                        2 | 8 => n & (Natural::ONE << (bits as u64 - 1)),
                        5 => (n >> (bits as u64 - 20)) | Natural::ONE,
                        _ => n | Natural::ONE,
                    })
                    .collect();
                let [x, y, z, m] = [&a, &d, &e, &n].map(|list| batch(width, list.clone()));
                let (x, y, z, m) = (x.all(), y.all(), z.all(), m.all());
                tuning.scope(|| {
                    Engine::Cpu.scope(|| {
                        let (q, r) = x.try_div_rem(&y).unwrap();
                        let divided = || a.iter().zip(&d).map(|(a, d)| a.div_rem(d));
                        check("quotient", &q, divided().map(|x| x.0));
                        check("remainder", &r, divided().map(|x| x.1));
                        let powers = a.iter().zip(&e).zip(&n);
                        let powers = powers.map(|((a, e), n)| (a % n).mod_pow(e, n));
                        check("power", &x.try_pow_mod(&z, &m).unwrap(), powers);
                    });
                });
            }
        }
    }
}

#[test]
fn montgomery() {
    everywhere(|width, rng| {
        let (a, b, list) = operands(width, rng);
        assert!(Moduli::new(b.clone()).is_err(), "even");
        let n: Vec<Natural> = list.iter().map(|(_, b)| b | Natural::ONE).collect();
        let moduli = Moduli::new(batch(width, n.clone())).unwrap();
        let r = Natural::ONE << (64 * width as u64);
        check("one", moduli.one(), n.iter().map(|n| &r % n));
        let form = moduli.try_to_form(&a.all()).unwrap();
        check(
            "form",
            &form,
            list.iter().zip(&n).map(|((a, _), n)| a * &r % n),
        );
        let other: Vec<Natural> = n.iter().map(|n| random(64 * width, rng) % n).collect();
        let second = batch(width, other.clone());
        let (x, y) = (form.all(), second.all());
        let rows = || naturals(&form).into_iter().zip(&other).zip(&n);
        // The product is divided by R: it is multiplied by R again.
        let again = |found: Batch| {
            let found = naturals(&found);
            assert!(found.iter().zip(&n).all(|(x, n)| x < n));
            batch(width, found.iter().zip(&n).map(|(x, n)| x * &r % n))
        };
        check(
            "product",
            &again(moduli.try_mul(&a.all(), &y).unwrap()),
            list.iter()
                .zip(&other)
                .zip(&n)
                .map(|(((a, _), y), n)| a * y % n),
        );
        check(
            "square",
            &again(moduli.try_square(&y).unwrap()),
            other.iter().zip(&n).map(|(y, n)| y * y % n),
        );
        check(
            "sum",
            &moduli.try_add(&x, &y).unwrap(),
            rows().map(|((x, y), n)| (x + y) % n),
        );
        check(
            "difference",
            &moduli.try_sub(&x, &y).unwrap(),
            rows().map(|((x, y), n)| x.mod_sub(y, n)),
        );
        check(
            "number",
            &moduli.try_from_form(&x).unwrap(),
            list.iter().zip(&n).map(|((a, _), n)| a % n),
        );
    });
}

#[test]
fn factors_and_primes() {
    everywhere(|width, rng| {
        if width > 64 {
            return;
        }
        let mersenne = [61u64, 89, 107, 127, 521, 607, 1279].into_iter();
        let mut numbers: Vec<Natural> = mersenne
            .filter(|p| *p <= 64 * width as u64)
            .map(|p| (Natural::ONE << p) - Natural::ONE)
            .collect();
        // Small ones, strong pseudoprimes to the base 2, Lucas pseudoprimes, squares, Carmichael
        // numbers.
        let small = (0..40u64).chain([
            1009,
            1019,
            1021,
            1024,
            1025,
            2047,
            3277,
            4033,
            4681,
            8321,
            1_194_649,
            12_327_121,
            5459,
            5777,
            10_877,
            561,
            1729,
            65_521,
            65_537,
            65_521 * 65_537,
            4_294_967_291,
        ]);
        numbers.extend(small.map(Natural::from));
        if width < 8 {
            numbers.extend((0..30).map(|_| random(64 * width.min(2), rng) | Natural::ONE));
        }
        let rows = batch(width, numbers.clone());
        let primes: Vec<bool> = numbers
            .iter()
            .map(|n| Engine::Cpu.scope(|| Int::from(Integer::from(n)).is_probable_prime()))
            .collect();
        assert_eq!(rows.all().try_is_probable_prime().unwrap(), primes);
        for bound in [0, 2, 3, 4, 100, 65_538] {
            let least = |n: &Natural| {
                let mut candidates = 2..bound.min(65_538);
                candidates.find(|p| n % Natural::from(*p) == 0)
            };
            let expected: Vec<Option<u64>> = numbers.iter().map(least).collect();
            assert_eq!(
                rows.all().try_smallest_factor(bound).unwrap(),
                expected,
                "{bound}"
            );
        }
    });
}

#[test]
fn bytes_and_shapes() {
    let bytes: Vec<u8> = (0..60).collect();
    let little = Batch::from_le_bytes(&bytes, 12).unwrap();
    assert_eq!((little.count(), little.width()), (5, 2));
    assert_eq!(
        &little.all().try_to_le_bytes().unwrap()[16..28],
        &bytes[12..24]
    );
    let big = Batch::from_be_bytes(&bytes, 12).unwrap();
    assert_eq!(
        &big.all().try_to_be_bytes().unwrap()[20..32],
        &bytes[12..24]
    );
    assert_eq!(
        big.try_to_ints().unwrap()[0],
        Int::from_be_bytes(&bytes[..12])
    );
    assert!(Batch::from_le_bytes(&bytes, 7).is_err() && Batch::from_le_bytes(&[], 0).is_err());
    assert!(little.all().try_smallest_factor(1 << 30).is_err());
    let long = Batch::fill(1, 2, 513).unwrap();
    assert!(long.all().try_mul(&long.all()).is_err());
    everywhere(|width, _| {
        let none = Batch::from_limbs(Vec::new(), width).unwrap();
        let none = none.all();
        assert_eq!(none.try_mul_wide(&none).unwrap().count(), 0);
        assert_eq!(none.try_pow_mod(&none, &none).unwrap().count(), 0);
        assert_eq!(none.try_gcd(&none).unwrap().count(), 0);
        assert!(none.try_is_probable_prime().unwrap().is_empty());
    });
}
