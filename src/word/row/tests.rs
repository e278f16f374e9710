//! Rows against products from the definition, with the assembly and with its twins.

use super::*;
use crate::word::oracle::{SHAPES, generator, product, shaped, total};

fn rows(check: impl Fn(&[u64], &[u64], u64)) {
    let mut random = generator(4);
    for n in 0..40 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, n);
            let b = shaped(&mut random, shape * 7 % SHAPES, n);
            for word in [0, 1, u64::MAX, 1 << 63, shaped(&mut random, 0, 1)[0]] {
                check(&a, &b, word);
            }
        }
    }
}

#[test]
fn products() {
    rows(|a, b, word| {
        let n = a.len();
        let right = product(a, &[word]);
        let mut out = vec![7; n];
        let top = mul_word(&mut out, a, word);
        assert_eq!((&out[..], top), (&right[..n], right[n]));
        let right = total(&right, &[word], n + 1);
        let mut out = a.to_vec();
        let top = mul_word_assign(&mut out, word, word);
        assert_eq!((&out[..], top), (&right[..n], right[n]));
        let right = total(&product(a, &[word]), b, n + 1);
        let mut out = b.to_vec();
        let top = addmul_word(&mut out, a, word);
        assert_eq!((&out[..], top), (&right[..n], right[n]));
        // b − a·word + borrow·2^(64n), plus a·word, is b again.
        let mut out = b.to_vec();
        let borrow = submul_word(&mut out, a, word);
        let right = [b, &[borrow]].concat();
        assert_eq!(total(&out, &product(a, &[word]), n + 1), right);
    });
}

#[test]
fn twins() {
    rows(|a, b, word| {
        let Some(leaves) = asm::leaves().filter(|_| !a.is_empty()) else {
            return;
        };
        let (mut x, mut y) = (vec![1; a.len()], vec![2; a.len()]);
        assert_eq!(
            leaves.mul_word(&mut x, a, word),
            portable::mul_word(&mut y, a, word)
        );
        assert_eq!(x, y);
        assert_eq!(
            leaves.addmul_word(&mut x, b, word),
            portable::addmul_word(&mut y, b, word)
        );
        assert_eq!(x, y);
        assert_eq!(
            leaves.submul_word(&mut x, a, !word),
            portable::submul_word(&mut y, a, !word)
        );
        assert_eq!(x, y);
        let carries = (
            leaves.mul_word_assign(&mut x, word, 77),
            portable::mul_word_assign(&mut y, word, 77),
        );
        assert_eq!(carries.0, carries.1);
        assert_eq!(x, y);
    });
}

/// Sums of rows of every length around the length of a block, against another library.
#[test]
fn rows_of_products() {
    use malachite_nz::natural::Natural;
    let word = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i << 7);
    for len in 0..40u64 {
        for b in [0, 1, word(len + 1), u64::MAX] {
            for fill in [word, |_| u64::MAX] {
                let a: Vec<u64> = (0..len).map(|i| fill(i + 3)).collect();
                let mut t: Vec<u64> = (0..len).map(|i| fill(i + 99)).collect();
                let [x, y] = [&a, &t].map(|limbs| Natural::from_limbs_asc(limbs));
                let carry = addmul_word(&mut t, &a, b);
                t.push(carry);
                assert_eq!(
                    Natural::from_limbs_asc(&t),
                    x * Natural::from(b) + y,
                    "{len} {b}"
                );
            }
        }
    }
}
