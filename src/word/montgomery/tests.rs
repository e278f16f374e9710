//! Montgomery products and powers against remainders from the definition.

use super::*;
use crate::word::oracle::{SHAPES, generator, product, remainder, shaped};

/// An odd modulus with a top limb above zero, and not 1.
fn modulus(mut m: Vec<u64>) -> Vec<u64> {
    let n = m.len();
    m[n - 1] |= 2;
    m[0] |= 1;
    m
}

/// `ring.power` to its end.
fn power_of(ring: &Modulus, base: &[u64], exponent: &[u64], scratch: &mut [u64]) -> Vec<u64> {
    let mut out = vec![0; ring.limbs()];
    let to_its_end = &mut |_| true;
    let course = &mut Course::new(ring.limbs(), to_its_end);
    assert!(ring.power(&mut out, base, exponent, scratch, course));
    out
}

fn power(base: &[u64], exponent: &[u64], m: &[u64]) -> Vec<u64> {
    let mut x = remainder(&[1], m);
    for i in (0..bit_length(exponent)).rev() {
        x = remainder(&product(&x, &x), m);
        if bit(exponent, i) {
            x = remainder(&product(&x, base), m);
        }
    }
    x
}

#[test]
fn products() {
    let mut random = generator(13);
    for n in 1..=20 {
        for shape in 0..SHAPES {
            let m = modulus(shaped(&mut random, shape, n));
            let a = remainder(&shaped(&mut random, 0, n), &m);
            let b = remainder(&shaped(&mut random, shape, n), &m);
            let right = remainder(&product(&a, &b), &m);
            for by_products in [2, 1000] {
                let ring = Modulus::with_threshold(&m, by_products);
                let mut scratch = vec![u64::MAX; ring.scratch()];
                let (mut x, mut y, mut z) = (vec![0; n], vec![0; n], vec![0; n]);
                ring.enter(&mut x, &a, &mut scratch);
                ring.enter(&mut y, &b, &mut scratch);
                ring.mul(&mut z, &x, &y, &mut scratch);
                let mut out = vec![0; n];
                ring.leave(&mut out, &z, &mut scratch);
                assert_eq!(out, right);
                ring.square(&mut z, &x, &mut scratch);
                ring.leave(&mut out, &z, &mut scratch);
                assert_eq!(out, remainder(&product(&a, &a), &m));
                ring.leave(&mut out, ring.one(), &mut scratch);
                assert_eq!(out, remainder(&[1], &m));
            }
        }
    }
}

#[test]
fn twins() {
    let mut random = generator(14);
    for n in 1..=40 {
        for shape in 0..SHAPES {
            let m = modulus(shaped(&mut random, shape, n));
            let inverse = inverse_word(m[0]).wrapping_neg();
            let mut x = shaped(&mut random, shape, 2 * n);
            let mut y = x.clone();
            portable_reduce(&mut x, &m, inverse);
            if let Some(leaves) = asm::leaves() {
                leaves.reduce(&mut y, &m, inverse);
                let (mut p, mut q) = (vec![0; n], vec![0; n]);
                assert_eq!(add(&mut p, &x[n..], &x[..n]), add(&mut q, &y[n..], &y[..n]));
                assert_eq!(p, q);
            }
            if let (1..=SHORT, Some(leaves)) = (n, asm::leaves()) {
                let mut x = shaped(&mut random, shape, 2 * n);
                let upper = remainder(&x[n..], &m);
                x[n..].copy_from_slice(&upper);
                let mut y = x.clone();
                let (mut p, mut q) = (vec![0; n], vec![0; n]);
                let over = reduce_rows(&mut p, &mut x, &m, inverse);
                if over || compare_same(&p, &m).is_ge() {
                    sub_assign(&mut p, &m);
                }
                leaves.reduce_short(&mut q, &mut y, &m, inverse);
                assert_eq!(p, q);
            }
        }
    }
}

#[test]
fn powers() {
    let mut random = generator(15);
    for n in 1..=6 {
        for shape in 0..SHAPES {
            let m = modulus(shaped(&mut random, shape, n));
            let ring = Modulus::new(&m);
            let mut scratch = vec![u64::MAX; ring.scratch()];
            for exponent in [
                vec![],
                vec![0],
                vec![1],
                vec![6, 0],
                shaped(&mut random, shape, 2),
            ] {
                for base in [0, 1, 2, 3, 10, 1 << 33, u64::MAX]
                    .map(Some)
                    .into_iter()
                    .chain([None])
                {
                    let mut limbs = vec![0; n];
                    match base {
                        Some(base) => limbs[0] = base,
                        None => limbs = shaped(&mut random, 0, n),
                    }
                    let out = power_of(&ring, &limbs, &exponent, &mut scratch);
                    assert_eq!(out, power(&limbs, &exponent, &m));
                }
            }
        }
    }
}

#[test]
fn long_exponents() {
    let mut random = generator(16);
    let m = modulus(shaped(&mut random, 0, 3));
    let ring = Modulus::new(&m);
    let mut scratch = vec![0; ring.scratch()];
    for len in [1, 2, 5, 12, 30] {
        let (base, exponent) = (shaped(&mut random, 0, 3), shaped(&mut random, 4, len));
        let out = power_of(&ring, &base, &exponent, &mut scratch);
        assert_eq!(out, power(&base, &exponent, &m));
    }
}

#[test]
fn long_moduli() {
    let mut random = generator(17);
    for n in [BY_PRODUCTS - 1, BY_PRODUCTS, BY_PRODUCTS + 1] {
        let m = modulus(shaped(&mut random, 0, n));
        let ring = Modulus::new(&m);
        let mut scratch = vec![u64::MAX; ring.scratch()];
        let base = shaped(&mut random, 0, n);
        let out = power_of(&ring, &base, &[3], &mut scratch);
        assert_eq!(out, power(&base, &[3], &m));
    }
}

/// Bits of the exponent are told as they are done, and no more follow once it is stopped.
#[test]
fn powers_can_be_stopped() {
    let mut random = generator(18);
    for (n, limbs) in [(1, 20_000), (2, 10_000), (3, 3_000), (40, 20)] {
        let m = modulus(shaped(&mut random, 0, n));
        let (ring, exponent) = (Modulus::new(&m), shaped(&mut random, 0, limbs));
        let mut scratch = vec![0; ring.scratch()];
        let mut word = vec![0; n];
        word[0] = 3;
        for base in [shaped(&mut random, 0, n), word] {
            for most in [1, 3, usize::MAX] {
                let (mut asked, mut bits) = (0, 0);
                let mut out = vec![0; n];
                let mut go_on = |more| {
                    (asked, bits) = (asked + 1, bits + more);
                    asked < most
                };
                let course = &mut Course::new(n, &mut go_on);
                let is_done = ring.power(&mut out, &base, &exponent, &mut scratch, course);
                assert_eq!(is_done, most == usize::MAX, "{n} limbs");
                assert!(asked >= 3.min(most) && asked <= most, "{n} limbs: {asked}");
                assert!(bits <= bit_length(&exponent).next_multiple_of(64));
            }
        }
    }
}
