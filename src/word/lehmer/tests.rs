use rand_xoshiro::rand_core::Rng;

use super::*;
use crate::word::div::{div_rem, div_rem_scratch};
use crate::word::oracle::{generator, product, shaped, total};
use crate::word::{significant, trimmed};

/// x·y + z·w.
fn sum_of_products([x, y, z, w]: [&[u64]; 4]) -> Vec<u64> {
    let len = (x.len() + y.len()).max(z.len() + w.len()) + 1;
    let mut sum = total(&product(x, y), &product(z, w), len);
    sum.truncate(significant(&sum));
    sum
}

/// Euclid's remainders until one is below 2^bits.
fn euclid_to(a: &[u64], b: &[u64], bits: u64) -> (Vec<u64>, Vec<u64>) {
    let (mut a, mut b) = (trimmed(a).to_vec(), trimmed(b).to_vec());
    while bit_length(&b) > bits {
        let mut scratch = vec![0; div_rem_scratch(a.len(), b.len())];
        let mut q = vec![0; a.len() - b.len() + 1];
        div_rem(&mut q, &mut a, &b, &mut scratch);
        a.truncate(significant(&a));
        swap(&mut a, &mut b);
    }
    (a, b)
}

/// The definition: (a, b) = M·(c, d), c ≥ 2^bits > d, det M = ±1, and c and d are two of Euclid's
/// remainders.
#[track_caller]
fn check(a: &[u64], b: &[u64], bits: u64) {
    let (mut c, mut d) = (a.to_vec(), b.to_vec());
    let matrix = reduce_to(&mut c, &mut d, bits);
    let [m00, m01, m10, m11] = matrix.entries.each_ref().map(|entry| &entry[..]);
    assert_eq!(sum_of_products([m00, &c, m01, &d]), trimmed(a));
    assert_eq!(sum_of_products([m10, &c, m11, &d]), trimmed(b));
    // m00·m11 and m01·m10 differ by one.
    let one: &[u64] = &[1];
    let (more, less) = if matrix.odd {
        ([m01, m10], [m00, m11])
    } else {
        ([m00, m11], [m01, m10])
    };
    let expected = sum_of_products([less[0], less[1], one, one]);
    assert_eq!(sum_of_products([more[0], more[1], &[0], one]), expected);
    let (x, y) = euclid_to(a, b, bits);
    assert!(trimmed(&c) == x && trimmed(&d) == y, "{a:?} {b:?} {bits}");
    assert!(bit_length(&c) > bits && bit_length(&d) <= bits);
    let (mut c, mut d) = (a.to_vec(), b.to_vec());
    let row = reduce_row(&mut c, &mut d, bits);
    assert_eq!(
        (trimmed(&row.m00), trimmed(&row.m01)),
        (trimmed(m00), trimmed(m01))
    );
    assert!(row.odd == matrix.odd && trimmed(&c) == x && trimmed(&d) == y);
}

#[test]
fn stops_where_euclid_does() {
    let mut random = generator(11);
    for round in 0..1000 {
        let (kind, limbs) = (round % 5, 1 + random.next_u64() as usize % 12);
        let mut number = |limbs: usize| -> Vec<u64> {
            let limb = |_| match (kind, random.next_u64() % 4) {
                (1, 1) | (3, 1) | (4, 0..3) => u64::MAX,
                (1, 0) | (2, 0..2) => 0,
                (2, 2) => 1,
                (3, 0) => 1 << 63,
                _ => random.next_u64(),
            };
            (0..limbs).map(limb).collect()
        };
        let mut a = number(limbs);
        let mut b = number(1 + limbs * 2 / 3);
        a[limbs - 1] |= 1;
        b.resize(limbs, 0);
        if is_below(&a, &b) {
            swap(&mut a, &mut b);
        }
        let n = bit_length(&a);
        let any = random.next_u64() % n;
        for bits in [0, n / 2, (n / 2).saturating_sub(1), n - 1, any] {
            check(&a, &b, bits);
        }
        let (expected, _) = euclid_to(&a, &b, 0);
        gcd(&mut a, &mut b);
        assert_eq!(a, expected);
    }
}

#[test]
fn long_numbers() {
    let mut random = generator(12);
    for limbs in [32, 64, 129] {
        let mut a = shaped(&mut random, 0, limbs);
        let mut b = shaped(&mut random, 0, limbs);
        (a[limbs - 1], b[limbs - 1]) = (u64::MAX, 1);
        for bits in [0, 640, 32 * limbs as u64, 64 * limbs as u64 - 70] {
            check(&a, &b, bits);
        }
        let (mut c, mut d) = (a.clone(), b.clone());
        gcd(&mut c, &mut d);
        assert_eq!(c, euclid_to(&a, &b, 0).0);
    }
}

/// Numbers of one word, which end in words alone, and those with all quotients 1.
#[test]
fn words_and_ones() {
    let mut random = generator(13);
    for round in 0..2000 {
        let x = random.next_u64() >> (round % 60) | 1;
        let y = random.next_u64() % x;
        let n = bit_length(&[x]);
        for bits in [0, n / 2, n - 1] {
            check(&[x], &[y], bits);
        }
    }
    let (mut a, mut b) = (vec![0; 10], vec![0; 10]);
    (a[0], b[0]) = (1, 1);
    for _ in 0..900 {
        crate::word::sum::add_assign(&mut b, &a);
        swap(&mut a, &mut b);
    }
    for bits in [0, 1, 63, 64, 65, 300, 620] {
        check(&a, &b, bits);
    }
}

/// Quotients by doubles: at multiples and next to them, where they round the wrong way.
#[test]
fn quotients_of_words() {
    let mut random = generator(14);
    let check = |a: u64, b: u64| {
        assert_eq!(quotient(a, b), (a / b, a % b), "{a} {b}");
    };
    for round in 0..100_000 {
        let b = random.next_u64() >> (round % 32) | 1 << 32;
        let b = [b, 1 << 32, 1 << 63, (1 << 63) - 1, u64::MAX, (1 << 63) + 1][round / 32 % 6];
        let q = (random.next_u64() >> (round % 64)).min(u64::MAX / b).max(1);
        let multiple = q * b;
        for a in [multiple, multiple - 1, multiple.saturating_add(1)] {
            check(a, b);
        }
        check(u64::MAX, b);
        check(random.next_u64(), b);
    }
}
