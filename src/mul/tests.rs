//! Products on every device against malachite.

use malachite_base::num::arithmetic::traits::Pow;
use malachite_base::num::logic::traits::SignificantBits;
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::engine::Engine;
use crate::error::Error;
use crate::ntt;
use crate::tests::support::{everywhere, from_limbs, random_limbs as random};
use crate::tuning::Tuning;

fn check(engine: Engine, x: &Integer, y: &Integer) {
    let (a, b) = (Resident::from(x.clone()), Resident::from(y.clone()));
    let what = || format!("{engine} {:?} {:?}", a.bits_bound(), b.bits_bound());
    let product = mul(&a, &b).unwrap().into_host().unwrap();
    assert!(product == x * y, "{}", what());
}

fn check_square(engine: Engine, x: &Integer) {
    let a = Resident::from(x.clone());
    let square = square(&a).unwrap().into_host().unwrap();
    assert!(mul(&a, &a).unwrap().into_host().unwrap() == square);
    assert!(square == x * x, "{engine} {:?}", a.bits_bound());
}

/// All ones is the largest coefficient everywhere and the longest chain of carries; its negative
/// and one beside it are the hardest signs.
pub(super) fn hard(len: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<Integer> {
    let ones = from_limbs(vec![u64::MAX; len]);
    let top = &ones + Integer::from(1);
    let sparse = from_limbs(
        (0..len)
            .map(|i| if i % 97 == 5 { rng.random() } else { 0 })
            .collect(),
    );
    vec![
        random(len, rng),
        -random(len, rng),
        -&ones,
        ones,
        -&top,
        top,
        sparse,
        Integer::from(-1),
        Integer::from(0),
    ]
}

#[test]
fn small_and_signed() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let lengths: &[usize] = if tuning == Tuning::MINIMAL {
            &[1, 2, 3, 33, 257]
        } else {
            &[1, 200]
        };
        for len in lengths {
            let a = hard(*len, &mut rng);
            let b = hard(2, &mut rng);
            for (i, x) in a.iter().enumerate() {
                for y in a[i..].iter().chain(&b[..4]) {
                    if *len < 4 || rng.random_ratio(1, 4) {
                        check(engine, x, y);
                    }
                }
            }
        }
    });
}

#[test]
fn every_length() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let logs = if tuning == Tuning::MINIMAL {
            9..14
        } else {
            11..15
        };
        for log in logs {
            // The product just fits 2^log limbs, and just does not.
            for over in [0, 1] {
                let la = (1usize << log) / 3;
                let lb = (1 << log) + 1 + over - la;
                let x = random(la, &mut rng);
                let y = -from_limbs(vec![u64::MAX; lb]);
                check(engine, &x, &y);
            }
            let half = from_limbs(vec![u64::MAX; 1 << (log - 1)]);
            check(engine, &half, &half);
            check_square(engine, &-half);
            check_square(engine, &random(1 << (log - 1), &mut rng));
        }
    });
}

/// Lengths that are split, up to many parts, and pieces of a long operand; just fitting and one
/// limb over.
#[test]
fn parts() {
    let tuning = Tuning::MINIMAL;
    for engine in Engine::usable().into_iter().filter(|e| *e != Engine::Cpu) {
        tuning.scope(|| {
            engine.scope(|| {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
                let ones = |len| from_limbs(vec![u64::MAX; len]);
                for count in [3072, 5120, 12288, 9 << 12, 17 << 12] {
                    for over in [0, 1] {
                        let la = count / 2 + 1 + over;
                        check(engine, &-random(la, &mut rng), &ones(count / 2));
                    }
                    check_square(engine, &-ones(count / 2));
                }
                for (la, lb) in [(9000, 300), (9001, 512), (1 << 15, 1), (700, 40_000)] {
                    check(engine, &-ones(la), &ones(lb));
                    check(engine, &random(la, &mut rng), &-random(lb, &mut rng));
                }
            })
        });
    }
}

/// Products by limbs, at the limits of their tiles and of the tuning.
#[test]
fn by_limbs() {
    for engine in Engine::usable().into_iter().filter(|e| *e != Engine::Cpu) {
        for block in [32, 64, 256] {
            let tuning = Tuning {
                mul_direct_limbs: 100,
                mul_short_limbs: 7,
                carry_block: block,
                ..Tuning::MINIMAL
            };
            tuning.scope(|| {
                engine.scope(|| {
                    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
                    for (la, lb) in [(1, 1), (15, 16), (16, 17), (100, 100), (3000, 7), (130, 1)] {
                        let (a, b) = (hard(la, &mut rng), hard(lb, &mut rng));
                        for x in &a {
                            check(engine, x, &b[rng.random_range(0..b.len())]);
                            check(engine, &b[rng.random_range(0..b.len())], x);
                        }
                        check(engine, &a[2], &b[3]);
                    }
                })
            });
        }
    }
}

/// Kept transforms: as long as their partner, shorter, longer in pieces, and split.
#[test]
fn prepared() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(13);
        let lengths: &[(usize, &[usize])] = if tuning == Tuning::MINIMAL {
            &[
                (5, &[1, 2, 5, 6, 2000]),
                (700, &[1, 300, 700, 1400, 5000]),
                (3000, &[3000, 9000]),
            ]
        } else {
            &[(1500, &[700, 1500, 9000])]
        };
        for (len, others) in lengths {
            for x in &hard(*len, &mut rng)[..4] {
                let prepared = Prepared::new(&Resident::from(x.clone())).unwrap();
                for other in *others {
                    let y = -random(*other, &mut rng);
                    let product = prepared.mul(&Resident::from(y.clone())).unwrap();
                    assert!(
                        product.into_host().unwrap() == x * y,
                        "{engine} {len} {other}"
                    );
                }
            }
        }
    });
}

#[test]
fn halves() {
    for engine in Engine::usable() {
        engine.scope(|| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(19);
            let (x, y) = (random(90, &mut rng), -random(80, &mut rng));
            let (a, b) = (Resident::from(x.clone()), Resident::from(y.clone()));
            for bits in [0, 1, 64, 5000, 90 * 64, 20_000] {
                let high = mul_high(&a, &b, bits).unwrap().into_host().unwrap();
                let low = mul_low(&a, &b, bits).unwrap().into_host().unwrap();
                assert!(high == (&x * &y) >> bits, "{engine} {bits}");
                assert!(
                    low >= 0 && low == &x * &y - (((&x * &y) >> bits) << bits),
                    "{engine} {bits}"
                );
            }
        });
    }
}

/// Products beyond the longest transform, and parts of all lengths and signs.
#[test]
fn from_halves() {
    everywhere(|engine| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(35);
        for (la, lb) in [
            (1, 1),
            (2, 1),
            (7, 7),
            (64, 32),
            (64, 33),
            (65, 64),
            (300, 40),
        ] {
            let (some, others) = (hard(la, &mut rng), hard(lb, &mut rng));
            for (x, y) in some.iter().flat_map(|x| others.iter().map(move |y| (x, y))) {
                let (a, b) = (Resident::from(x.clone()), Resident::from(y.clone()));
                let product = super::halves::mul(&a, &b).unwrap().into_host().unwrap();
                assert!(product == x * y, "{engine} {la} {lb}");
                let square = super::halves::square(&a).unwrap().into_host().unwrap();
                assert!(square == x * x, "{engine} {la}");
            }
        }
    });
    let (short, most) = (Tuning::MINIMAL, u64::from(ntt::plan::MAX_PARTS) << 12);
    assert!(ntt::plan::DevicePlan::new(most / 2, most / 2 + 1, &short).is_some());
    assert!(ntt::plan::DevicePlan::new(most / 2 + 1, most / 2 + 1, &short).is_none());
}

#[test]
fn low_products_of_host_numbers() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(20);
    for limbs in [1, 2, 3, 4, 5, 30, 179, 180, 181] {
        let host = |x: Integer| Resident::from(x).into_host().unwrap();
        let (x, y) = (
            host(random(limbs, &mut rng)),
            host(-random(limbs, &mut rng)),
        );
        let product = &x * &y;
        for n in [1, limbs - 1, limbs, limbs + 1, 2 * limbs, 3 * limbs] {
            for bits in [
                (64 * n as u64).saturating_sub(1),
                64 * n as u64,
                64 * n as u64 + 1,
            ] {
                let low = &product - ((&product >> bits) << bits);
                assert_eq!(crate::number::Integer::from(x.mul_low(&y, bits)), low);
            }
        }
    }
}

#[test]
fn power_bits_bounds_the_power() {
    let two64 = Integer::from(1u128 << 64);
    for base in [0, 1, 2, 3, 10, 255, 256, u64::MAX]
        .map(Integer::from)
        .into_iter()
        .chain([
            two64.clone(),
            &two64 + Integer::from(1),
            &two64 * &two64 - Integer::from(1),
        ])
    {
        for exponent in [0, 1, 2, 3, 64, 1000, 12345] {
            let bits = (&base).pow(exponent).significant_bits();
            let bound = power_bits(base.unsigned_abs_ref().as_limbs_asc(), exponent);
            let slack = if exponent == 0 { 0 } else { 2 };
            assert!(
                bits <= bound.max(1) && bound <= bits + slack,
                "{base}^{exponent}: {bits} {bound}"
            );
        }
    }
    assert_eq!(power_bits(&[3], u64::MAX), u64::MAX);
    assert_eq!(power_bits(&[1], u64::MAX), 1);
}

#[test]
fn too_large_is_an_error() {
    let three = Resident::from(Integer::from(3));
    assert!(matches!(
        pow(&three, 1 << 60),
        Err(Error::TooLarge { what: "power", .. })
    ));
}

/// Rows of `width` limbs: random ones, all ones, zeros, and a one at either end.
fn rows_of(width: usize, count: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<u64> {
    let mut limbs = Vec::new();
    for row in 0..count {
        let kind = rng.random_range(0..8);
        let ends = |i: usize| u64::from(i == 0 || i == width - 1);
        limbs.extend((0..width).map(|i| match kind {
            0..4 => rng.random(),
            4 | 5 => u64::MAX,
            6 => ends(i),
            _ => u64::from(row % 2 == 0),
        }));
    }
    limbs
}

fn naturals(limbs: &[u64], width: usize) -> Vec<Natural> {
    let rows = limbs.chunks(width);
    rows.map(Natural::from_limbs_asc).collect()
}

fn limbs_of(rows: cuda::Rows) -> Vec<u64> {
    let buffer = rows.into_buffer();
    buffer.device().fetch(&buffer).unwrap()
}

/// Sums of two products, parts of products and products with siblings, from one limb to the most.
#[test]
fn short_rows() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(97);
    for engine in Engine::usable() {
        let Engine::Cuda(ordinal) = engine else {
            continue;
        };
        let device = crate::cuda::device(ordinal).unwrap();
        for (width, count) in [
            (1, 2),
            (1, 700),
            (2, 6),
            (3, 4),
            (7, 30),
            (16, 2),
            (33, 40),
            (64, 4),
            (129, 4),
            (257, 2),
            (511, 2),
        ] {
            let [a, b] = [(); 2].map(|()| rows_of(width, count, &mut rng));
            let upload = |limbs: &[u64], width| cuda::Rows::upload(&device, limbs, width).unwrap();
            let (x, y) = (upload(&a, width), upload(&b, width));
            let (na, nb) = (naturals(&a, width), naturals(&b, width));
            let what = format!("{engine} {width} {count}");

            let products = cuda::Rows::products(x.all().even(), y.all().odd(), 2 * width).unwrap();
            let expected: Vec<Natural> = (0..count / 2)
                .map(|j| &na[2 * j] * &nb[2 * j + 1])
                .collect();
            assert!(
                naturals(&limbs_of(products), 2 * width) == expected,
                "{what}"
            );

            let (left, right) = (
                (x.all().even(), y.all().odd()),
                (x.all().odd(), y.all().even()),
            );
            let sums = cuda::Rows::sums_of_products(left, right, 2 * width + 1).unwrap();
            let expected: Vec<Natural> = (0..count / 2)
                .map(|j| &na[2 * j] * &nb[2 * j + 1] + &na[2 * j + 1] * &nb[2 * j])
                .collect();
            assert!(
                naturals(&limbs_of(sums), 2 * width + 1) == expected,
                "{what}"
            );

            for low in [1, width.div_ceil(2), width] {
                let out = 2 * width - low + 1;
                let rounded = cuda::Rows::rounded(x.all(), y.all(), low, out).unwrap();
                let half = Natural::from(1u32) << (64 * low - 1);
                let expected: Vec<Natural> = na
                    .iter()
                    .zip(&nb)
                    .map(|(a, b)| (a * b + &half) >> (64 * low))
                    .collect();
                assert!(
                    naturals(&limbs_of(rounded), out) == expected,
                    "{what} {low}"
                );
            }

            for wide in [2 * width - 1, 2 * width] {
                let f = rows_of(wide, count / 2, &mut rng);
                let children = upload(&f, wide).times_short_siblings(&x).unwrap();
                let nf = naturals(&f, wide);
                let expected: Vec<Natural> = (0..count)
                    .map(|j| {
                        let product = &nf[j / 2] * &na[j ^ 1];
                        let low =
                            product & ((Natural::from(1u32) << (64 * wide)) - Natural::from(1u32));
                        low >> (64 * (wide - width))
                    })
                    .collect();
                assert!(
                    naturals(&limbs_of(children), width) == expected,
                    "{what} {wide}"
                );
            }

            let (mut u, mut v) = (x, y);
            u.exchange_odd(&mut v).unwrap();
            let (u, v) = (naturals(&limbs_of(u), width), naturals(&limbs_of(v), width));
            for j in 0..count {
                let (from_u, from_v) = if j % 2 == 0 { (&na, &nb) } else { (&nb, &na) };
                assert!(u[j] == from_u[j] && v[j] == from_v[j], "{what} {j}");
            }
        }
    }
}

#[test]
fn published_products_are_exact_only_while_they_are_short() {
    for engine in Engine::usable() {
        let Engine::Cuda(n) = engine else { continue };
        let device = crate::cuda::device(n).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(41);
        let mut product = |len_a: usize, len_b: usize, double: bool| {
            let (x, y) = (random(len_a, &mut rng), random(len_b, &mut rng));
            let [a, b] = [&x, &y].map(|x| Resident::from(x.clone()).on(&device).unwrap());
            let found = cuda::published_product(&a, &b, double).unwrap();
            found.into_host().unwrap() == x * y
        };
        for len in [1, 2, 3, 4, 63, 64, 65, 500] {
            assert!(product(len, len, true), "{engine} {len} limbs, double");
            assert!(product(len, 1, true), "{engine} {len} limbs by one, double");
        }
        for len in [1, 2, 3] {
            assert!(product(len, len, false), "{engine} {len} limbs, single");
        }
        assert!(!product(1000, 1000, false), "{engine}");
    }
}
