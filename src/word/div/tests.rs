use rand_xoshiro::rand_core::Rng;

use super::*;
use crate::word::oracle::{SHAPES, generator, product, shaped, total};
use crate::word::trimmed;

/// The definition: q·d + r = a and r < d.
#[track_caller]
fn check(a: &[u64], d: &[u64], q: &[u64], r: &[u64]) {
    let len = a.len() + d.len() + q.len() + 1;
    let sum = total(&product(q, d), r, len);
    assert_eq!(
        trimmed(&sum),
        trimmed(a),
        "{a:?} / {d:?} = {q:?} rest {r:?}"
    );
    let (r, d) = (trimmed(r), trimmed(d));
    assert!(r.len() < d.len() || r.len() == d.len() && r.iter().rev().lt(d.iter().rev()));
}

/// Every way to divide.
#[track_caller]
fn check_all(a: &[u64], d: &[u64]) {
    let (m, n) = (a.len(), d.len());
    let mut scratch = vec![0x55; div_rem_scratch(m, n)];
    let (mut q, mut r) = (vec![0xaa; m - n + 1], vec![0xaa; n]);
    div_rem_to(&mut q, &mut r, a, d, &mut scratch);
    check(a, d, &q, &r);
    let (mut same, mut rest) = (vec![0xaa; m - n + 1], a.to_vec());
    div_rem(&mut same, &mut rest, d, &mut scratch);
    assert_eq!(same, q);
    assert_eq!(rest[..n], r);
    assert!(rest[n..].iter().all(|limb| *limb == 0));
    if n >= 2 && m <= SHORT_LIMBS {
        let mut rest = vec![0xaa; n];
        rem_short(&mut rest, a, d);
        assert_eq!(rest, r);
    }
    if n >= 3 {
        let (mut same, mut rest) = (vec![0xaa; m - n + 1], a.to_vec());
        div_rem_few(&mut same, &mut rest, d);
        assert_eq!((&same[..], &rest[..n]), (&q[..], &r[..]));
        assert!(rest[n..].iter().all(|limb| *limb == 0));
    }
    if d[n - 1] >> 63 == 1 {
        let mut rest = a.to_vec();
        let mut scratch = vec![0x55; div_rem_in_place_scratch(n)];
        let one = div_rem_in_place(&mut same[..m - n], &mut rest, d, &mut scratch);
        assert_eq!(same[..m - n], q[..m - n]);
        assert_eq!(u64::from(one), q[m - n]);
        assert_eq!(rest[..n], r);
    }
    if d.iter().skip_while(|limb| **limb == 0).count() >= 2 {
        let divisor = Divisor::new(d);
        assert_eq!(divisor.len(), n);
        let mut scratch = vec![0x55; m + 1 + divisor.scratch()];
        let mut rest = a.to_vec();
        divisor.div_rem(&mut same, &mut rest, &mut scratch);
        assert_eq!((&same[..], &rest[..n]), (&q[..], &r[..]));
    }
}

/// Words at which reciprocals and digits go wrong first.
const WORDS: [u64; 14] = [
    1,
    2,
    3,
    10,
    0xffff_ffff,
    1 << 32,
    (1 << 63) - 1,
    1 << 63,
    (1 << 63) + 1,
    0xaaaa_aaaa_aaaa_aaab,
    u64::MAX - 2,
    u64::MAX - 1,
    u64::MAX,
    10_000_000_000_000_000_000,
];

#[test]
fn reciprocals() {
    let mut random = generator(1);
    let expected = |d: u64| (u128::MAX / u128::from(d)) as u64;
    for d in WORDS {
        assert_eq!(reciprocal_word(d | 1 << 63), expected(d | 1 << 63));
    }
    // Both ends of every interval of the table.
    for top in 256..512u64 {
        for d in [top << 55, top << 55 | ((1 << 55) - 1), (top << 55) + 1] {
            assert_eq!(reciprocal_word(d), expected(d), "{d:x}");
        }
    }
    for _ in 0..20_000 {
        let d = random.next_u64() | 1 << 63;
        assert_eq!(reciprocal_word(d), expected(d), "{d:x}");
        // ⌊(2^192 − 1)/(d1, d0)⌋ − 2^64 = v: (2^64 + v)·d ≤ 2^192 − 1 < (2^64 + v + 1)·d.
        let low = match random.next_u64() % 4 {
            0 => 0,
            1 => u64::MAX,
            _ => random.next_u64(),
        };
        let v = Top::new(d, low).v;
        let multiple = product(&[v, 1], &[low, d]);
        assert_eq!(multiple[3], 0, "{d:x} {low:x}");
        let next = total(&multiple, &[low, d], 4);
        assert_eq!(next[3], 1, "{d:x} {low:x}");
    }
}

#[test]
fn two_words_by_one() {
    let mut random = generator(2);
    for round in 0..20_000 {
        let d = WORDS[round % WORDS.len()] | 1 << 63;
        let d = if round % 2 == 0 {
            d
        } else {
            random.next_u64() | 1 << 63
        };
        let high = match random.next_u64() % 3 {
            0 => d - 1,
            _ => random.next_u64() % d,
        };
        let low = [0, u64::MAX, d, d - 1, random.next_u64()][round % 5];
        let (q, r) = div_two_words(high, low, d, reciprocal_word(d));
        let a = u128::from(high) << 64 | u128::from(low);
        let (d, q, r) = (u128::from(d), u128::from(q), u128::from(r));
        assert_eq!((q, r), (a / d, a % d));
    }
}

#[test]
fn by_words_of_every_shape() {
    let mut random = generator(3);
    for len in 0..=40 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, len);
            let any = random.next_u64();
            for d in WORDS.into_iter().chain([any | 1, any >> 40 | 1]) {
                let mut q = vec![0xaa; len];
                let r = div_rem_word(&mut q, &a, d);
                check(&a, &[d], &q, &[r]);
                assert_eq!(rem_word(&a, d), r, "{a:?} {d}");
                // The quotient as long as it can be, and the greatest remainder.
                let mut multiple = product(&a, &[d]);
                multiple = total(&multiple, &[d - 1], len + 1);
                let mut q = vec![0xaa; len + 1];
                assert_eq!(div_rem_word(&mut q, &multiple, d), d - 1);
                assert_eq!((trimmed(&q), rem_word(&multiple, d)), (trimmed(&a), d - 1));
            }
        }
    }
}

#[test]
fn every_length() {
    let mut random = generator(4);
    for n in 1..=40 {
        for m in n..=40 {
            let shapes = [random.next_u64() as usize % SHAPES, m % SHAPES];
            let a = shaped(&mut random, shapes[0], m);
            let mut d = shaped(&mut random, shapes[1], n);
            d[n - 1] |= 1;
            check_all(&a, &d);
            d[n - 1] |= 1 << 63;
            check_all(&a, &d);
        }
    }
}

#[test]
fn around_the_threshold() {
    let mut random = generator(5);
    let t = DIVIDE_LIMBS;
    for n in [t - 1, t, t + 1, 2 * t - 1, 2 * t, 2 * t + 1] {
        for count in [
            1,
            t - 1,
            t,
            t + 1,
            n - 1,
            n,
            n + 1,
            2 * n + t - 1,
            2 * n + t,
        ] {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, n + count);
                let mut d = shaped(&mut random, (shape + count) % SHAPES, n);
                d[n - 1] |= [1, 1 << 63][shape % 2];
                check_all(&a, &d);
            }
        }
    }
}

/// Dividends whose quotient digits and remainders are extreme: a = q·d + r.
#[test]
fn adversarial_digits() {
    let mut random = generator(6);
    let t = DIVIDE_LIMBS;
    for n in [2, 3, 4, 5, 9, 17, t - 1, t, 2 * t + 1] {
        for count in [1, 2, 3, 8, n, n + 1] {
            for kind in 0..8 {
                let mut d = shaped(&mut random, [0, 1, 5, 3][kind % 4], n);
                d[n - 1] |= 1 << 63;
                match kind {
                    // The top limbs alone say little: the estimate is too large by one or two.
                    4 => (d[n - 1], d[n - 2]) = (1 << 63, 0),
                    5 => (d[n - 1], d[n - 2]) = (1 << 63, u64::MAX),
                    6 => d[..n - 1].fill(u64::MAX),
                    7 => d[..n - 1].fill(0),
                    _ => {}
                }
                for shape in 0..SHAPES {
                    let q = shaped(&mut random, shape, count);
                    let exact = product(&q, &d);
                    check_all(&exact, &d);
                    // The greatest remainder, d − 1 = d + (2^(64·len) − 1) modulo 2^(64·len).
                    let len = exact.len();
                    let greatest = total(&total(&exact, &d, len), &vec![u64::MAX; len], len);
                    check_all(&greatest, &d);
                }
                // The top limbs of the dividend are those of the divisor.
                let mut a = shaped(&mut random, kind % SHAPES, count);
                a.extend(&d);
                check_all(&a, &d);
                a[count] = a[count].wrapping_sub(1);
                check_all(&a, &d);
                a[..count].fill(u64::MAX);
                check_all(&a, &d);
            }
        }
    }
}
