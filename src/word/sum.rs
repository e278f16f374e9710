//! Sums, differences, comparison, complement.

use std::cmp::Ordering;

/// out = a + b, and the carry out of the top limb. `out` and `a` have one length, `b` at most that.
#[inline]
pub(crate) fn add(out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    assert!(out.len() == a.len() && b.len() <= a.len());
    let mut carry = false;
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        (*out, carry) = a.carrying_add(*b, carry);
    }
    let rest = b.len();
    out[rest..].copy_from_slice(&a[rest..]);
    carry && add_word(&mut out[rest..], 1)
}

/// a += b, and the carry out of the top limb. `b` is at most as long as `a`.
#[inline]
pub(crate) fn add_assign(a: &mut [u64], b: &[u64]) -> bool {
    assert!(b.len() <= a.len());
    let mut carry = false;
    for (a, b) in a.iter_mut().zip(b) {
        (*a, carry) = a.carrying_add(*b, carry);
    }
    carry && add_word(&mut a[b.len()..], 1)
}

/// a += word, and the carry out of the top limb.
#[inline]
pub(crate) fn add_word(a: &mut [u64], word: u64) -> bool {
    let mut carry = word;
    for limb in a {
        let (sum, over) = limb.overflowing_add(carry);
        *limb = sum;
        if !over {
            return false;
        }
        carry = 1;
    }
    carry != 0
}

/// out = a − b modulo 2^(64n), and the borrow. `out` and `a` have n limbs, `b` at most n.
#[inline]
pub(crate) fn sub(out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    assert!(out.len() == a.len() && b.len() <= a.len());
    let mut borrow = false;
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        (*out, borrow) = a.borrowing_sub(*b, borrow);
    }
    let rest = b.len();
    out[rest..].copy_from_slice(&a[rest..]);
    borrow && sub_word(&mut out[rest..], 1)
}

/// a −= b modulo 2^(64n), and the borrow. `b` is at most as long as `a`.
#[inline]
pub(crate) fn sub_assign(a: &mut [u64], b: &[u64]) -> bool {
    assert!(b.len() <= a.len());
    let mut borrow = false;
    for (a, b) in a.iter_mut().zip(b) {
        (*a, borrow) = a.borrowing_sub(*b, borrow);
    }
    borrow && sub_word(&mut a[b.len()..], 1)
}

/// a = b − a modulo 2^(64n), and the borrow. `b` and `a` have n limbs.
#[inline]
pub(crate) fn sub_from(a: &mut [u64], b: &[u64]) -> bool {
    assert!(b.len() == a.len());
    let mut borrow = false;
    for (a, b) in a.iter_mut().zip(b) {
        (*a, borrow) = b.borrowing_sub(*a, borrow);
    }
    borrow
}

/// a −= word modulo 2^(64n), and the borrow.
#[inline]
pub(crate) fn sub_word(a: &mut [u64], word: u64) -> bool {
    let mut borrow = word;
    for limb in a {
        let (difference, under) = limb.overflowing_sub(borrow);
        *limb = difference;
        if !under {
            return false;
        }
        borrow = 1;
    }
    borrow != 0
}

/// a = −a modulo 2^(64n); whether a was not zero.
#[inline]
pub(crate) fn negate(a: &mut [u64]) -> bool {
    let Some(lowest) = a.iter().position(|limb| *limb != 0) else {
        return false;
    };
    a[lowest] = a[lowest].wrapping_neg();
    a[lowest + 1..].iter_mut().for_each(|limb| *limb = !*limb);
    true
}

/// The order of two numbers of one length.
#[inline]
pub(crate) fn compare_same(a: &[u64], b: &[u64]) -> Ordering {
    debug_assert_eq!(a.len(), b.len());
    a.iter().rev().cmp(b.iter().rev())
}

/// The order of two numbers whose top limbs are not zero.
#[inline]
pub(crate) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    debug_assert!(a.last() != Some(&0) && b.last() != Some(&0));
    a.len().cmp(&b.len()).then_with(|| compare_same(a, b))
}
