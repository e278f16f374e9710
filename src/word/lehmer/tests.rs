use malachite_base::num::arithmetic::traits::Gcd;
use malachite_base::num::basic::traits::One;
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

fn number_of(limbs: &[u64]) -> Integer {
    Integer::from(Natural::from_limbs_asc(limbs))
}

/// The definition: (a, b) = M·(c, d), c ≥ 2^bits > d, det M = ±1, and M's columns and rows are those of Euclid's quotients.
fn check(a: &[u64], b: &[u64], bits: u64) {
    let (mut c, mut d) = (a.to_vec(), b.to_vec());
    let matrix = reduce_to(&mut c, &mut d, bits);
    let [m00, m01, m10, m11] = matrix.entries.each_ref().map(|entry| number_of(entry));
    let (c, d) = (number_of(&c), number_of(&d));
    assert_eq!(&m00 * &c + &m01 * &d, number_of(a));
    assert_eq!(&m10 * &c + &m11 * &d, number_of(b));
    let det = if matrix.odd { -1 } else { 1 };
    assert_eq!(&m00 * &m11 - &m01 * &m10, det);
    let stop = Integer::ONE << bits;
    assert!(c >= stop && d < stop, "{a:?} {b:?} {bits}");
    let (mut x, mut y) = (number_of(a), number_of(b));
    while y >= stop {
        let r = &x % &y;
        x = std::mem::replace(&mut y, r);
    }
    assert!(c == x && d == y);
}

#[test]
fn stops_where_euclid_does() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    for _ in 0..1000 {
        let (kind, limbs) = (rng.next_u64() % 5, rng.random_range(1..=12));
        let mut number = |limbs: usize| -> Vec<u64> {
            let limb = |_| match (kind, rng.next_u64() % 4) {
                (1, 1) | (3, 1) | (4, 0..3) => u64::MAX,
                (1, 0) | (2, 0..2) => 0,
                (2, 2) => 1,
                (3, 0) => 1 << 63,
                _ => rng.next_u64(),
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
        for bits in [
            0,
            n / 2,
            (n / 2).saturating_sub(1),
            n - 1,
            rng.random_range(0..n),
        ] {
            check(&a, &b, bits);
        }
        let expected = number_of(&a).gcd(number_of(&b));
        gcd(&mut a, &mut b);
        assert_eq!(number_of(&a), expected);
    }
}

#[test]
fn long_numbers() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
    for limbs in [32, 64, 129] {
        let mut a: Vec<u64> = (0..limbs).map(|_| rng.random()).collect();
        let mut b: Vec<u64> = (0..limbs).map(|_| rng.random()).collect();
        (a[limbs - 1], b[limbs - 1]) = (u64::MAX, 1);
        for bits in [0, 640, 32 * limbs as u64, 64 * limbs as u64 - 70] {
            check(&a, &b, bits);
        }
        let (mut c, mut d) = (a.clone(), b.clone());
        gcd(&mut c, &mut d);
        assert_eq!(number_of(&c), number_of(&a).gcd(number_of(&b)));
    }
}
