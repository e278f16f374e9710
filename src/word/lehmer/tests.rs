use rand_xoshiro::rand_core::Rng;

use super::*;
use crate::word::div::{div_rem, div_rem_scratch};
use crate::word::oracle::{SHAPES, generator, product, shaped, total};
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
    let matrix = reduce_to(&mut c, &mut d, bits, None);
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

/// (a/n) for odd n, by the law of reciprocity on long numbers.
fn jacobi_by_definition(a: &[u64], n: &[u64]) -> i32 {
    let rest = |a: &[u64], n: &[u64]| {
        let mut a = trimmed(a).to_vec();
        if a.len() >= n.len() {
            let mut scratch = vec![0; div_rem_scratch(a.len(), n.len())];
            let mut q = vec![0; a.len() - n.len() + 1];
            div_rem(&mut q, &mut a, n, &mut scratch);
            a.truncate(significant(&a));
        }
        a
    };
    let mut n = trimmed(n).to_vec();
    let (mut a, mut sign) = (rest(a, &n), 1);
    while !a.is_empty() {
        while a[0] & 1 == 0 {
            crate::word::shift::shr_assign(&mut a, 1);
            if matches!(n[0] % 8, 3 | 5) {
                sign = -sign;
            }
        }
        a.truncate(significant(&a));
        if a[0] % 4 == 3 && n[0] % 4 == 3 {
            sign = -sign;
        }
        let next = rest(&n, &a);
        n = std::mem::replace(&mut a, next);
    }
    if n == [1] { sign } else { 0 }
}

/// Whatever is pushed and popped in between, the symbol comes out.
#[test]
fn symbols_of_words() {
    let mut random = generator(15);
    for n in (1..300u64).step_by(2) {
        for a in 0..2 * n {
            let (mut x, mut y) = (n.max(a), n.min(a));
            let mut symbol = Symbol::of(x, y, a > n);
            while y > 0 {
                let wrong = [random.next_u64(), random.next_u64()];
                symbol.push(wrong[0]);
                symbol.push(wrong[1]);
                symbol.pop(wrong[1]);
                symbol.pop(wrong[0]);
                symbol.push(x / y);
                (x, y) = (y, x % y);
            }
            let found = if x == 1 { symbol.value() } else { 0 };
            assert_eq!(found, jacobi_by_definition(&[a], &[n]), "({a}/{n})");
        }
    }
}

#[test]
fn symbols_follow_the_quotients() {
    let mut random = generator(16);
    for round in 0..1200 {
        let limbs = 1 + random.next_u64() as usize % 9;
        let mut n = shaped(&mut random, round % SHAPES, limbs);
        let mut a = shaped(&mut random, round / SHAPES % SHAPES, limbs);
        n[0] |= 1;
        if round % 7 == 0 {
            // Quotients that need a full step.
            a[limbs / 2..].fill(0);
        }
        let expected = jacobi_by_definition(&a, &n);
        let lower_is_second = is_below(&n, &a);
        let (mut x, mut y) = if lower_is_second { (a, n) } else { (n, a) };
        let first = Symbol::of(x[0], y[0], lower_is_second);
        // At once, and in two parts.
        for bits in [0, random.next_u64() % bit_length(&x)] {
            let mut symbol = first;
            let (mut c, mut d) = (x.clone(), y.clone());
            reduce_to(&mut c, &mut d, bits, Some(&mut symbol));
            gcd_with_symbol(&mut c, &mut d, &mut symbol);
            let found = if c == [1] { symbol.value() } else { 0 };
            assert_eq!(found, expected, "{x:?} {y:?}");
        }
        let mut symbol = first;
        gcd_with_symbol(&mut x, &mut y, &mut symbol);
        assert_eq!(if x == [1] { symbol.value() } else { 0 }, expected);
    }
}

/// Rows in memory of the caller's, and the words' own loop, give the matrix of `reduce_to`.
#[test]
fn rows_and_words() {
    let mut random = generator(77);
    for len in 1..=20 {
        for shape in 0..SHAPES * SHAPES {
            let mut a = shaped(&mut random, shape % SHAPES, len);
            let short = if shape % 3 == 0 { len } else { 1 + shape % len };
            let mut b = shaped(&mut random, shape / SHAPES, short);
            b.resize(len, 0);
            if a.iter().rev().le(b.iter().rev()) {
                std::mem::swap(&mut a, &mut b);
            }
            if a == b || significant(&b) == 0 {
                continue;
            }
            let (mut c, mut d) = (a.clone(), b.clone());
            let matrix = reduce_to(&mut c, &mut d, 0, None);
            let mut memory = vec![vec![0; len + 2]; 4];
            let [m00, m01, m10, m11] = &mut memory[..] else {
                unreachable!()
            };
            let (mut x, mut y) = (a.clone(), b.clone());
            let rows = &mut [Entries::new(m00, m01, false), Entries::new(m10, m11, true)];
            let (left, odd) = reduce_rows(&mut x, &mut y, rows);
            assert!(
                x[..left] == *trimmed(&c) && odd == matrix.odd,
                "{a:?} {b:?}"
            );
            for (found, entry) in memory.iter().zip(&matrix.entries) {
                assert_eq!(trimmed(found), trimmed(entry), "{a:?} {b:?}");
            }
            if len == 1 {
                let found = cofactors_of_words(a[0], b[0]);
                let entry = |k: usize| matrix.entries[k].first().copied().unwrap_or(0);
                assert_eq!((found.g, found.odd), (c[0], odd));
                assert_eq!((found.m01, found.m11), (entry(1), entry(3)));
            }
        }
    }
}
