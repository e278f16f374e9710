use rand_xoshiro::rand_core::Rng;

use super::*;
use crate::word::oracle::{SHAPES, generator, product, shaped, total};
use crate::word::{significant, trimmed};

/// The definition: s² + r = a and r ≤ 2s.
#[track_caller]
fn check(a: &[u64]) {
    let a = trimmed(a);
    if a.is_empty() {
        return;
    }
    let n = a.len().div_ceil(2);
    let (mut root, mut rest) = (vec![0xaa; n], vec![0xaa; n + 1]);
    let mut scratch = vec![0x55; sqrt_rem_scratch(a.len())];
    sqrt_rem(&mut root, &mut rest, a, &mut scratch);
    let sum = total(&product(&root, &root), &rest, 2 * n + 1);
    assert_eq!(trimmed(&sum), a, "{a:?}");
    let twice = total(&root, &root, n + 1);
    assert!(rest.iter().rev().le(twice.iter().rev()), "{a:?}");
}

#[test]
fn words() {
    let mut random = generator(41);
    let check = |a: u128| {
        let (s, r) = sqrt_rem_two_words(a);
        let s = u128::from(s);
        assert!(s * s + r == a && r <= 2 * s, "{a}");
        if let Ok(word) = u64::try_from(a) {
            let (root, rest) = sqrt_rem_word(word);
            assert_eq!((u128::from(root), u128::from(rest)), (s, r));
        }
    };
    for i in 0..2000 {
        check(i);
        check(u128::MAX - i);
        check(u128::from(u64::MAX) - 1000 + i);
        check((1 << 126) - 1000 + i);
    }
    for i in 0..20_000 {
        let root = u128::from(random.next_u64() >> (i % 64));
        let square = root * root;
        check(square);
        check(square.saturating_sub(1));
        check(square + 2 * root);
        check(u128::from(random.next_u64()) << 64 | u128::from(random.next_u64()));
    }
    for root in [
        (1u128 << 32) - 1,
        1 << 32,
        (1 << 52) + 1,
        (1 << 63) + 1,
        (1 << 64) - 1,
    ] {
        for square in [root * root - 1, root * root, root * root + 2 * root] {
            check(square);
        }
    }
}

#[test]
fn every_length() {
    let mut random = generator(42);
    for len in 1..=40 {
        for shape in 0..SHAPES {
            for _ in 0..8 {
                let mut a = shaped(&mut random, shape, len);
                check(&a);
                a[len - 1] >>= random.next_u64() % 64;
                check(&a);
            }
        }
    }
}

/// Squares, and the numbers next to them: remainders of 0, of 1 and of 2s.
#[test]
fn squares() {
    let mut random = generator(43);
    for len in (1..=24).chain([60, 61, 100, 150]) {
        for shape in 0..SHAPES {
            let mut s = shaped(&mut random, shape, len);
            s[len - 1] |= 1 << (random.next_u64() % 64);
            let a = product(&s, &s);
            check(&a);
            check(&total(&a, &[1], 2 * len));
            check(&total(&a, &vec![u64::MAX; 2 * len], 2 * len));
            check(&total(&total(&a, &s, 2 * len), &s, 2 * len));
            assert!(significant(&a) >= 2 * len - 1);
        }
    }
}
