use rand_xoshiro::rand_core::Rng;

use super::*;
use crate::word::oracle::{SHAPES, generator, product, shaped, total};

/// Digit by digit from the low end, by divisions of two words by the radix.
fn digits_of(a: &[u64], radix: u32) -> Vec<u8> {
    let mut rest = trimmed(a).to_vec();
    let mut digits = Vec::new();
    while !rest.is_empty() {
        let mut above = 0u128;
        for limb in rest.iter_mut().rev() {
            let pair = above << 64 | u128::from(*limb);
            *limb = (pair / u128::from(radix)) as u64;
            above = pair % u128::from(radix);
        }
        digits.push(above as u8);
        rest.truncate(significant(&rest));
    }
    digits.reverse();
    digits
}

fn text_of(digits: &[u8]) -> String {
    match digits {
        [] => "0".into(),
        _ => digits
            .iter()
            .map(|digit| char::from_digit((*digit).into(), 36).unwrap())
            .collect(),
    }
}

#[track_caller]
fn check_text(a: &[u64], radix: u32, digits: &[u8]) {
    let mut text = b"before".to_vec();
    to_text(&mut text, a, radix);
    let text = String::from_utf8(text).unwrap();
    assert_eq!(
        text.strip_prefix("before").unwrap(),
        text_of(digits),
        "{radix} {a:?}"
    );
    for zeros in [0, 1, 40] {
        let mut padded = vec![0; zeros];
        padded.extend(digits);
        let mut out = vec![0xaa; limbs_for(padded.len(), radix) + zeros % 2];
        from_digits(&mut out, &padded, radix);
        assert_eq!(trimmed(&out), trimmed(a), "{radix} {a:?}");
    }
}

#[track_caller]
fn check(a: &[u64], radix: u32) {
    check_text(a, radix, &digits_of(a, radix));
}

#[test]
fn every_length_in_ten() {
    let mut random = generator(31);
    for len in 0..=40 {
        for shape in 0..SHAPES {
            check(&shaped(&mut random, shape, len), 10);
        }
    }
}

#[test]
fn every_radix() {
    let mut random = generator(32);
    for radix in 2..=36 {
        for len in [1, 2, 3, 8, 9, LEAF - 1, LEAF, LEAF + 1, 2 * LEAF + 1] {
            let shape = random.next_u64() as usize % SHAPES;
            check(&shaped(&mut random, 1, len), radix);
            check(&shaped(&mut random, shape, len), radix);
        }
    }
}

/// All digits are known: powers of the radix, and their neighbours.
#[test]
fn around_powers() {
    for radix in [3, 7, 10, 24, 35, 36] {
        let digits = CHUNKS[radix as usize].0;
        let mut power = vec![1];
        for exponent in 0..6 * LEAF * digits + 2 {
            let chunks = exponent / digits;
            let near = exponent % digits <= 1 || exponent % digits == digits - 1;
            if near && (chunks < 4 || chunks % LEAF <= 2 || chunks % LEAF == LEAF - 1) {
                let mut expected = vec![0; exponent + 1];
                expected[0] = 1;
                check_text(&power, radix, &expected);
                *expected.last_mut().unwrap() += 1;
                if exponent > 0 {
                    check_text(&total(&power, &[1], power.len()), radix, &expected);
                }
                // One less: a one of all limbs is −1.
                let below = total(&power, &vec![u64::MAX; power.len()], power.len());
                check_text(&below, radix, &vec![radix as u8 - 1; exponent]);
            }
            power = product(&power, &[radix.into()]);
            power.truncate(significant(&power));
        }
    }
}

#[test]
fn around_thresholds() {
    let mut random = generator(33);
    let leaf = [
        LEAF - 1,
        LEAF,
        LEAF + 1,
        2 * LEAF - 1,
        2 * LEAF,
        2 * LEAF + 1,
        4 * LEAF + 1,
    ];
    let read = [
        READ_CHUNKS - 1,
        READ_CHUNKS,
        READ_CHUNKS + 1,
        2 * READ_CHUNKS + 1,
    ];
    for len in leaf.into_iter().chain(read).chain([150, 300]) {
        for shape in 0..SHAPES {
            check(&shaped(&mut random, shape, len), 10);
        }
    }
}

#[test]
fn chunks_of_ten() {
    let mut random = generator(34);
    for round in 0..20_000u64 {
        let word = match round % 4 {
            0 => round,
            1 => 10_u64.pow((round % 20) as u32) - round % 3 % 2,
            _ => random.next_u64() >> (round % 64),
        };
        check(&[word], 10);
    }
}
