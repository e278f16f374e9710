//! Sums against their definition, with the assembly and with its twins.

use super::*;
use crate::word::oracle::{SHAPES, generator, shaped, total};

/// −x modulo 2^(64·len).
fn minus(x: &[u64], len: usize) -> Vec<u64> {
    let complement: Vec<u64> = (0..len).map(|i| !x.get(i).copied().unwrap_or(0)).collect();
    total(&complement, &[1], len)
}

/// Calls `check` with operands of every pair of lengths, the second at most as long, and many
/// shapes.
fn pairs(check: impl Fn(&[u64], &[u64])) {
    let mut random = generator(1);
    for n in 0..40 {
        for m in 0..=n {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, n);
                let b = shaped(&mut random, (shape * 5 + m) % SHAPES, m);
                check(&a, &b);
                check(&a, &a[..m]);
            }
        }
    }
}

#[test]
fn sums() {
    pairs(|a, b| {
        let n = a.len();
        let right = total(a, b, n + 1);
        let mut out = vec![9; n];
        let carry = add(&mut out, a, b);
        assert_eq!((&out[..], u64::from(carry)), (&right[..n], right[n]));
        let mut out = a.to_vec();
        let carry = add_assign(&mut out, b);
        assert_eq!((&out[..], u64::from(carry)), (&right[..n], right[n]));
    });
}

#[test]
fn differences() {
    pairs(|a, b| {
        let n = a.len();
        // a + 2^(64n) − b has n + 1 limbs, and the top one says whether there was no borrow.
        let mut right = total(a, &minus(b, n), n + 1);
        if b.iter().all(|limb| *limb == 0) {
            right[n] = 1;
        }
        let (right, borrow) = (&right[..n], right[n] == 0);
        let mut out = vec![9; n];
        assert_eq!((sub(&mut out, a, b), &out[..]), (borrow, right));
        let mut out = a.to_vec();
        assert_eq!((sub_assign(&mut out, b), &out[..]), (borrow, right));
        if a.len() == b.len() {
            let mut out = b.to_vec();
            assert_eq!((sub_from(&mut out, a), &out[..]), (borrow, right));
            assert_eq!(compare_same(a, b).is_lt(), borrow);
        }
    });
}

#[test]
fn twins() {
    pairs(|a, b| {
        let a = &a[..b.len()];
        let Some(leaves) = asm::leaves().filter(|_| !b.is_empty()) else {
            return;
        };
        let (mut x, mut y) = (vec![1; b.len()], vec![2; b.len()]);
        assert_eq!(leaves.add(&mut x, a, b), portable::add(&mut y, a, b));
        assert_eq!(x, y);
        assert_eq!(leaves.sub(&mut x, a, b), portable::sub(&mut y, a, b));
        assert_eq!(x, y);
        assert_eq!(
            leaves.add_assign(&mut x, b),
            portable::add_assign(&mut y, b)
        );
        assert_eq!(x, y);
        assert_eq!(
            leaves.sub_assign(&mut x, a),
            portable::sub_assign(&mut y, a)
        );
        assert_eq!(x, y);
        assert_eq!(leaves.sub_from(&mut x, b), portable::sub_from(&mut y, b));
        assert_eq!(x, y);
    });
}

#[test]
fn words() {
    let mut random = generator(2);
    for n in 0..20 {
        for shape in 0..SHAPES {
            let a = shaped(&mut random, shape, n);
            for word in [0, 1, u64::MAX, a.first().copied().unwrap_or(3)] {
                let right = total(&a, &[word], n + 1);
                let mut out = a.clone();
                let carry = add_word(&mut out, word);
                assert_eq!(&out[..], &right[..n]);
                assert_eq!(carry, n == 0 && word != 0 || n != 0 && right[n] != 0);
                assert_eq!(sub_word(&mut out, word), carry);
                assert_eq!(out, a);
            }
            let mut out = a.clone();
            assert_eq!(negate(&mut out), a.iter().any(|limb| *limb != 0));
            assert_eq!(out, minus(&a, n));
        }
    }
}

#[test]
fn comparison() {
    let mut random = generator(3);
    for n in 1..40 {
        let a = shaped(&mut random, 0, n);
        for i in 0..n {
            let mut b = a.clone();
            b[i] ^= 1;
            assert_eq!(compare_same(&a, &b), a[i].cmp(&b[i]));
        }
        assert_eq!(compare_same(&a, &a), Ordering::Equal);
        let longer = [&a[..], &[1]].concat();
        if a[n - 1] != 0 {
            assert_eq!(compare(&a, &longer), Ordering::Less);
            assert_eq!(compare(&longer, &a), Ordering::Greater);
        }
    }
}
