use rand_xoshiro::rand_core::Rng;

use super::*;
use crate::word::div::{div_rem, div_rem_scratch};
use crate::word::lehmer::{Symbol, gcd_with_symbol};
use crate::word::oracle::{SHAPES, generator, product, shaped};
use crate::word::trimmed;

/// Euclid's algorithm.
fn euclid(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (mut a, mut b) = (trimmed(a).to_vec(), trimmed(b).to_vec());
    while !b.is_empty() {
        let (m, n) = (a.len(), b.len());
        if m >= n {
            let mut scratch = vec![0; div_rem_scratch(m, n)];
            div_rem(&mut vec![0; m - n + 1], &mut a, &b, &mut scratch);
        }
        a.truncate(significant(&a));
        std::mem::swap(&mut a, &mut b);
    }
    a
}

#[track_caller]
fn check(a: &[u64], b: &[u64]) {
    let len = a.len().max(b.len());
    let expected = euclid(a, b);
    for (x, y) in [(a, b), (b, a)] {
        let (mut x, mut y) = (x.to_vec(), y.to_vec());
        x.resize(len, 0);
        y.resize(len, 0);
        let found = gcd(&mut x, &mut y);
        assert_eq!(x[..found], expected, "{a:?} {b:?}");
        assert!(x[found..].iter().all(|limb| *limb == 0));
    }
}

#[test]
fn words() {
    let mut random = generator(21);
    for round in 0..5000 {
        let mut word = || match random.next_u64() % 6 {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (random.next_u64() % 64),
            3 => random.next_u64() >> (random.next_u64() % 64),
            _ => random.next_u64(),
        };
        let (a, b, c, d, g) = (word(), word(), word(), word(), word() >> 32);
        let expected = |mut a: u128, mut b: u128| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        assert_eq!(u128::from(gcd_words(a, b)), expected(a.into(), b.into()));
        let pair = |x: u64, y: u64| u128::from(x) << 64 | u128::from(y);
        let (mut x, mut y) = (pair(a, b), pair(c, d));
        if round % 2 == 0 {
            (x, y) = ((x >> 32) * u128::from(g), (y >> 32) * u128::from(g));
        }
        assert_eq!(gcd_two_words(x, y), expected(x, y), "{x} {y}");
        // Upper halves alone differ.
        let z = x ^ u128::from(c) << 64;
        assert_eq!(gcd_two_words(x, z), expected(x, z), "{x} {z}");
    }
}

#[test]
fn every_length_and_shape() {
    let mut random = generator(22);
    for len in 0..=40 {
        for shape in 0..SHAPES * SHAPES {
            let a = shaped(&mut random, shape % SHAPES, len);
            let b = shaped(&mut random, shape / SHAPES, len);
            check(&a, &b);
        }
        // Different lengths.
        let a = shaped(&mut random, 0, len);
        let short = random.next_u64() as usize % (len + 1);
        let b = shaped(&mut random, len % SHAPES, short);
        check(&a, &b);
    }
}

#[test]
fn common_divisors() {
    let mut random = generator(23);
    for len in [1, 2, 3, 4, 7, 12, 20] {
        for common in [1, 2, 3, 5, 8, 20] {
            for shape in 0..SHAPES {
                let g = shaped(&mut random, shape, common);
                let (x, y) = (shaped(&mut random, 0, len), shaped(&mut random, 4, len));
                check(&product(&g, &x), &product(&g, &y));
                // A number and its multiple.
                check(&g, &product(&g, &x));
                check(&g, &g);
            }
        }
    }
}

/// All quotients of Euclid's algorithm are 1, or all are large; numbers next to each other.
#[test]
fn long_chains_and_neighbours() {
    let (mut a, mut b) = (vec![0u64; 24], vec![0u64; 24]);
    (a[0], b[0]) = (1, 1);
    for _ in 0..2000 {
        crate::word::sum::add_assign(&mut a, &b);
        std::mem::swap(&mut a, &mut b);
    }
    assert_eq!(euclid(&a, &b), [1]);
    check(&a, &b);
    let mut random = generator(24);
    for len in [3, 4, 9, 24] {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, len);
            for at in [0, 1, len / 2, len - 1] {
                for bit in [1, 1 << 31, 1 << 63] {
                    let mut b = a.clone();
                    b[at] ^= bit;
                    check(&a, &b);
                }
            }
            let mut power = vec![0; len];
            power[len - 1] = 1 << 17;
            check(&a, &power);
        }
    }
}

/// The step for numbers that the leading bits do not make shorter.
#[test]
fn exact_steps_alone() {
    let mut random = generator(25);
    for _ in 0..50 {
        let (mut a, mut b) = (shaped(&mut random, 0, 3), shaped(&mut random, 0, 3));
        b[0] |= 1;
        let expected = euclid(&a, &b);
        let twos = trailing_zeros(&expected);
        assert_eq!(twos, Some(0));
        while !exact(&mut a, &mut b) {
            assert!(b[0] & 1 == 1);
        }
        assert_eq!(trimmed(&b), expected);
    }
}

/// Jacobi's symbol along Euclid's quotients, which share nothing with halvings.
fn symbol_by_euclid(a: &[u64], n: &[u64]) -> i32 {
    let (a, n) = (trimmed(a), trimmed(n));
    let is_one = |x: &[u64]| *x == [1];
    if a.is_empty() || is_one(n) || a == n {
        return i32::from(is_one(n));
    }
    let lower_is_second =
        a.len() > n.len() || a.len() == n.len() && a.iter().rev().gt(n.iter().rev());
    let (mut x, mut y) = if lower_is_second {
        (a.to_vec(), n.to_vec())
    } else {
        (n.to_vec(), a.to_vec())
    };
    let mut symbol = Symbol::of(x[0], y[0], lower_is_second);
    gcd_with_symbol(&mut x, &mut y, &mut symbol);
    if is_one(&x) { symbol.value() } else { 0 }
}

#[track_caller]
fn check_symbol(a: &[u64], n: &[u64]) {
    let len = a.len().max(n.len()).max(1);
    let padded = |x: &[u64]| {
        let mut x = x.to_vec();
        x.resize(len, 0);
        x
    };
    let (mut x, mut y) = (padded(a), padded(n));
    y[0] |= 1;
    let (first, second) = (x.clone(), y.clone());
    let expected = symbol_by_euclid(&x, &y);
    assert_eq!(jacobi(&mut x, &mut y), expected, "{first:?} {second:?}");
    let pair = |x: &[u64]| u128::from(x[1]) << 64 | u128::from(x[0]);
    if len == 1 {
        assert_eq!(jacobi_words(first[0], second[0]), expected);
    } else if len == 2 {
        assert_eq!(jacobi_two_words(pair(&first), pair(&second)), expected);
    }
    if len >= 2 && first[1..].iter().all(|limb| *limb == 0) && significant(&second) >= 2 {
        assert_eq!(jacobi_of_word(first[0], trimmed(&second)), expected);
    }
}

#[test]
fn symbols_of_every_length_and_shape() {
    let mut random = generator(25);
    for a in 0..200u64 {
        for n in (1..200).step_by(2) {
            check_symbol(&[a], &[n]);
        }
    }
    for len in 1..=24 {
        for shape in 0..SHAPES * SHAPES {
            for other in [len, len.max(2) - 1, 1] {
                let a = shaped(&mut random, shape % SHAPES, len);
                let n = shaped(&mut random, shape / SHAPES, other);
                check_symbol(&a, &n);
                check_symbol(&n, &a);
            }
        }
    }
}

/// Numbers near each other, for which the leading bits say nothing, and powers of 2 apart.
#[test]
fn symbols_of_neighbours() {
    let mut random = generator(26);
    for len in 2..=12 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, len);
            for at in 0..len {
                for bit in 0..64 {
                    let mut b = a.clone();
                    b[at] ^= 1 << bit;
                    check_symbol(&a, &b);
                    check_symbol(&b, &a);
                }
            }
            check_symbol(&a, &a);
        }
    }
}
