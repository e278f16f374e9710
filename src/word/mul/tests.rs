//! Products of every shape against the definition, with shipped and with minimal thresholds.

use proptest::prelude::*;

use super::*;
use crate::word::oracle::{SHAPES, generator, product, shaped};

/// Scratch is exactly as long as promised, and its contents mean nothing.
fn check(thresholds: &Thresholds, a: &[u64], b: &[u64]) {
    let mut out = vec![5; a.len() + b.len()];
    let mut scratch = vec![u64::MAX; mul_scratch_with(thresholds, a.len(), b.len())];
    mul_with(thresholds, &mut out, a, b, &mut scratch);
    assert!(out == product(a, b), "{} x {} limbs", a.len(), b.len());
}

fn check_square(thresholds: &Thresholds, a: &[u64]) {
    let mut out = vec![5; 2 * a.len()];
    let mut scratch = vec![u64::MAX; square_scratch_with(thresholds, a.len())];
    square_with(thresholds, &mut out, a, &mut scratch);
    assert!(out == product(a, a), "the square of {} limbs", a.len());
}

#[test]
fn every_length() {
    let mut random = generator(8);
    for n in 1..=40 {
        for m in 1..=40 {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, n);
                let b = shaped(&mut random, (shape + m % 2) % SHAPES, m);
                check(&MINIMAL, &a, &b);
                check(&SHIPPED, &a, &b);
            }
        }
    }
}

#[test]
fn every_branch_of_longer_operands() {
    let mut random = generator(9);
    for n in (41..300).step_by(7) {
        for m in [
            1,
            3,
            4,
            9,
            10,
            n / 3,
            n / 2,
            2 * n / 3,
            3 * n / 4 - 1,
            3 * n / 4,
            n - 1,
            n,
        ] {
            let shape = random_shape(&mut random);
            let a = shaped(&mut random, shape, n);
            let b = shaped(&mut random, shape, m);
            check(&MINIMAL, &a, &b);
        }
    }
}

fn random_shape(random: &mut impl rand_xoshiro::rand_core::Rng) -> usize {
    (random.next_u64() % SHAPES as u64) as usize
}

#[test]
fn thresholds() {
    let mut random = generator(10);
    for threshold in [SHIPPED.karatsuba, SHIPPED.toom3, SHIPPED.toom4] {
        for n in threshold - 1..=threshold + 2 {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, n);
                for m in [
                    n,
                    n - 1,
                    3 * n / 4,
                    SHIPPED.karatsuba - 1,
                    SHIPPED.karatsuba,
                ] {
                    let b = shaped(&mut random, (shape + 1) % SHAPES, m);
                    check(&SHIPPED, &a, &b);
                    check(&SHIPPED, &b, &a);
                }
            }
        }
    }
    for threshold in [
        SHIPPED.square_karatsuba,
        SHIPPED.square_toom3,
        SHIPPED.square_toom4,
    ] {
        for n in threshold - 1..=threshold + 2 {
            for shape in 0..SHAPES {
                check_square(&SHIPPED, &shaped(&mut random, shape, n));
            }
        }
    }
}

#[test]
fn squares() {
    let mut random = generator(11);
    for n in 1..=120 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, n);
            check_square(&MINIMAL, &a);
            check_square(&SHIPPED, &a);
        }
    }
}

/// The bound of scratch against the recursion it bounds.
#[test]
fn scratch_bound() {
    let mut exact = vec![0usize; 4];
    for n in 4..5000usize {
        let (half, third) = (n.div_ceil(2), n.div_ceil(3));
        let karatsuba = 2 * half + exact[half];
        let toom3 = if n < 10 {
            0
        } else {
            6 * third + 6 + exact[third + 1]
        };
        let quarter = n.div_ceil(4);
        let toom4 = match n {
            ..20 => 0,
            _ => 8 * quarter + 8 + exact[quarter + 1].max(2 * quarter + 2),
        };
        exact.push(karatsuba.max(toom3).max(toom4));
        assert!(exact[n] <= balanced_scratch(n));
    }
}

proptest! {
    #[test]
    fn any_operands(
        a in prop::collection::vec(any::<u64>(), 1..200),
        b in prop::collection::vec(any::<u64>(), 1..200),
    ) {
        check(&MINIMAL, &a, &b);
        check(&SHIPPED, &a, &b);
        check_square(&MINIMAL, &a);
    }
}
