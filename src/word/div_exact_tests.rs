use rand_xoshiro::rand_core::Rng;

use super::*;
use crate::word::mul_oracle::{SHAPES, generator, product, remainder, shaped, total};
use crate::word::trimmed;

#[track_caller]
fn check(q: &[u64], d: &[u64]) {
    let a = product(q, d);
    let (m, n) = (a.len(), d.len());
    let mut scratch = vec![0x55; div_exact_scratch(m, n)];
    let mut quotient = vec![0xaa; m - n + 1];
    div_exact(&mut quotient, &a, d, &mut scratch);
    assert_eq!(trimmed(&quotient), trimmed(q), "{d:?}");
    let mut scratch = vec![0x55; is_multiple_scratch(m, n)];
    assert!(is_multiple(&a, d, &mut scratch));
    // One more or one bit more is no multiple, but of 1 and of powers of two.
    let mut scratch = vec![0x55; is_multiple_scratch(m + 1, n)];
    if trimmed(d) != [1] {
        assert!(
            !is_multiple(&total(&a, &[1], m + 1), d, &mut scratch),
            "{d:?}"
        );
    }
}

#[test]
fn every_length() {
    let mut random = generator(11);
    for n in 1..=40 {
        for k in 1..=40 {
            let shape = random.next_u64() as usize;
            let q = shaped(&mut random, shape % SHAPES, k);
            let mut d = shaped(&mut random, shape / 8 % SHAPES, n);
            d[n - 1] |= 1 << (shape % 64);
            check(&q, &d);
            // Limbs and bits of zero below.
            d[..n / 2].fill(0);
            if n > 1 {
                d[n / 2] = (d[n / 2] | 1) << (shape % 63);
                d[n - 1] |= 1;
            }
            check(&q, &d);
        }
    }
}

#[test]
fn around_the_threshold() {
    let mut random = generator(12);
    let t = DIVIDE_LIMBS;
    for n in [t - 1, t, t + 1, 2 * t + 1] {
        for k in [1, t - 1, t, t + 1, 2 * t - 1, 2 * t, 3 * t + 1] {
            for shape in 0..SHAPES {
                let q = shaped(&mut random, shape, k);
                let mut d = shaped(&mut random, (shape + k) % SHAPES, n);
                d[n - 1] |= 1;
                check(&q, &d);
            }
        }
    }
}

#[test]
fn multiples_by_the_remainder() {
    let mut random = generator(13);
    for round in 0..2000 {
        let n = 1 + round % 4;
        let a = shaped(&mut random, round % SHAPES, round / 7 % 9);
        let mut d = shaped(&mut random, round / 3 % SHAPES, n);
        d[n - 1] |= 1;
        if round % 2 == 0 {
            // Short divisors, which are hit more often.
            d = vec![1 + random.next_u64() % 12];
        }
        let mut scratch = vec![0x55; is_multiple_scratch(a.len(), d.len())];
        let expected = remainder(&a, &d).iter().all(|limb| *limb == 0);
        assert_eq!(is_multiple(&a, &d, &mut scratch), expected, "{a:?} {d:?}");
    }
}
