//! Karatsuba's algorithm and Toom-3 for operands of about one length.
//!
//! Both split the operands into polynomials in X, a power of 2^64, multiply their values at a few
//! points and find the coefficients of the product from those.

use super::{Thresholds, mul_with, square_with};
use crate::word::asm;
use crate::word::row::submul_word;
use crate::word::shift::{shl_assign, shr_assign};
use crate::word::sum::{add, add_assign, add_word, compare_same, sub, sub_assign, sub_from};

/// out = a·b by Karatsuba's algorithm. b has at most as many limbs as a and at least three quarters
/// of them; a has at least 4.
///
/// With a = a0 + a1·X, b = b0 + b1·X: the coefficient of X is a0·b0 + a1·b1 − (a0 − a1)·(b0 − b1).
pub(super) fn karatsuba(
    thresholds: &Thresholds,
    out: &mut [u64],
    a: &[u64],
    b: &[u64],
    scratch: &mut [u64],
) {
    let half = a.len().div_ceil(2);
    let ((a0, a1), (b0, b1)) = (a.split_at(half), b.split_at(half));
    let (middle, rest) = scratch.split_at_mut(2 * half);
    let (low, high) = out.split_at_mut(2 * half);
    let (x, y) = low.split_at_mut(half);
    let negative = difference(x, a0, a1) != difference(y, b0, b1);
    mul_with(thresholds, middle, x, y, rest);
    mul_with(thresholds, low, a0, b0, rest);
    mul_with(thresholds, high, a1, b1, rest);
    add_middle(out, middle, negative);
}

/// out = a² by Karatsuba's algorithm. a has at least 4 limbs.
pub(super) fn square_karatsuba(
    thresholds: &Thresholds,
    out: &mut [u64],
    a: &[u64],
    scratch: &mut [u64],
) {
    let half = a.len().div_ceil(2);
    let (a0, a1) = a.split_at(half);
    let (middle, rest) = scratch.split_at_mut(2 * half);
    let (low, high) = out.split_at_mut(2 * half);
    difference(&mut low[..half], a0, a1);
    square_with(thresholds, middle, &low[..half], rest);
    square_with(thresholds, low, a0, rest);
    square_with(thresholds, high, a1, rest);
    add_middle(out, middle, false);
}

/// out = |a − b|, and whether a < b. `out` and `a` have one length, `b` at most that.
fn difference(out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    let n = b.len();
    let less = a[n..].iter().all(|limb| *limb == 0) && compare_same(&a[..n], b).is_lt();
    if less {
        sub(&mut out[..n], b, &a[..n]);
        out[n..].fill(0);
    } else {
        sub(out, a, b);
    }
    less
}

/// Adds low + high ∓ middle at a quarter of out, where out is low, then high. `middle` is as long
/// as low and destroyed; it counts as negative where `negative`.
fn add_middle(out: &mut [u64], middle: &mut [u64], negative: bool) {
    let n = middle.len();
    let (low, high) = out.split_at(n);
    let mut carry = if negative {
        i64::from(add_assign(middle, low))
    } else {
        -i64::from(sub_from(middle, low))
    };
    carry += i64::from(add_assign(middle, high));
    let (place, above) = out[n / 2..].split_at_mut(n);
    carry += i64::from(add_assign(place, middle));
    // The sum is the coefficient of X, so it is not negative, and it fits.
    let over = carry != 0 && add_word(above, carry as u64);
    debug_assert!(carry >= 0 && !over);
}

/// out = a·b by Toom-3. b has at most as many limbs as a and more than 2·⌈a/3⌉; a has at least 10.
///
/// Values at 0, 1, −1, 2 and ∞. M. Bodrato and A. Zanoni, *Integer and polynomial multiplication:
/// towards optimal Toom-Cook matrices*, ISSAC 2007.
pub(super) fn toom3(
    thresholds: &Thresholds,
    out: &mut [u64],
    a: &[u64],
    b: &[u64],
    scratch: &mut [u64],
) {
    let k = a.len().div_ceil(3);
    let wide = 2 * k + 2;
    let (at_minus, scratch) = scratch.split_at_mut(wide);
    let (at_one, scratch) = scratch.split_at_mut(wide);
    let (at_two, scratch) = scratch.split_at_mut(wide);
    // The values of a and b at −1 lie where the product at 1 comes to lie later, those at 1 and 2
    // in out.
    let (a_minus, b_minus) = at_one.split_at_mut(k + 1);
    let (a_plus, b_plus) = out[..wide].split_at_mut(k + 1);
    let negative = evaluate(a_plus, a_minus, a, k) != evaluate(b_plus, b_minus, b, k);
    mul_with(thresholds, at_minus, a_minus, b_minus, scratch);
    mul_with(thresholds, at_one, a_plus, b_plus, scratch);
    evaluate_two(a_plus, a, k);
    evaluate_two(b_plus, b, k);
    mul_with(thresholds, at_two, a_plus, b_plus, scratch);
    mul_with(thresholds, &mut out[..2 * k], &a[..k], &b[..k], scratch);
    mul_with(
        thresholds,
        &mut out[4 * k..],
        &a[2 * k..],
        &b[2 * k..],
        scratch,
    );
    interpolate(out, at_minus, at_one, at_two, k, negative);
}

/// out = a² by Toom-3. a has at least 10 limbs.
pub(super) fn square_toom3(
    thresholds: &Thresholds,
    out: &mut [u64],
    a: &[u64],
    scratch: &mut [u64],
) {
    let k = a.len().div_ceil(3);
    let wide = 2 * k + 2;
    let (at_minus, scratch) = scratch.split_at_mut(wide);
    let (at_one, scratch) = scratch.split_at_mut(wide);
    let (at_two, scratch) = scratch.split_at_mut(wide);
    let (a_plus, a_minus) = out[..wide].split_at_mut(k + 1);
    evaluate(a_plus, a_minus, a, k);
    square_with(thresholds, at_minus, a_minus, scratch);
    square_with(thresholds, at_one, a_plus, scratch);
    evaluate_two(a_plus, a, k);
    square_with(thresholds, at_two, a_plus, scratch);
    square_with(thresholds, &mut out[..2 * k], &a[..k], scratch);
    square_with(thresholds, &mut out[4 * k..], &a[2 * k..], scratch);
    interpolate(out, at_minus, at_one, at_two, k, false);
}

/// plus = a(1), minus = |a(−1)|, each of k + 1 limbs, and whether a(−1) is negative.
fn evaluate(plus: &mut [u64], minus: &mut [u64], a: &[u64], k: usize) -> bool {
    let (a0, a1, a2) = (&a[..k], &a[k..2 * k], &a[2 * k..]);
    plus[k] = u64::from(add(&mut plus[..k], a0, a2));
    let negative = difference(minus, plus, a1);
    add_assign(plus, a1);
    negative
}

/// From a(1) to a(2) = 2·(a(1) + a2) − a0, which is below 7·2^(64k).
fn evaluate_two(value: &mut [u64], a: &[u64], k: usize) {
    add_assign(value, &a[2 * k..]);
    shl_assign(value, 1);
    sub_assign(value, &a[..k]);
}

/// out = Σ c_i·X^i, i from 0 to 4. At first, out has c_0 = value at 0 in its first 2k limbs and c_4
/// = value at ∞ from limb 4k on; the other values have 2k + 2 limbs. `negative` is the sign of the
/// value at −1. All differences and quotients here are sums of coefficients, so none is negative.
fn interpolate(
    out: &mut [u64],
    at_minus: &mut [u64],
    at_one: &mut [u64],
    at_two: &mut [u64],
    k: usize,
    negative: bool,
) {
    // at_two = c1 + c2 + 3c3 + 5c4; at_minus = c1 + c3.
    if negative {
        add_assign(at_two, at_minus);
        add_assign(at_minus, at_one);
    } else {
        sub_assign(at_two, at_minus);
        sub_from(at_minus, at_one);
    }
    divide_exactly::<3>(at_two);
    shr_assign(at_minus, 1);
    // at_one = c1 + c2 + c3 + c4; at_two = c3 + 2c4; at_one = c2; at_two = c3; at_minus = c1.
    sub_assign(at_one, &out[..2 * k]);
    sub_assign(at_two, at_one);
    shr_assign(at_two, 1);
    sub_assign(at_one, at_minus);
    let infinity = &out[4 * k..];
    sub_assign(at_one, infinity);
    let n = infinity.len();
    let borrow = submul_word(&mut at_two[..n], infinity, 2);
    crate::word::sum::sub_word(&mut at_two[n..], borrow);
    sub_assign(at_minus, at_two);

    out[2 * k..4 * k].copy_from_slice(&at_one[..2 * k]);
    let over = add_assign(&mut out[4 * k..], crate::word::trimmed(&at_one[2 * k..]));
    debug_assert!(!over);
    let over = add_assign(&mut out[k..], crate::word::trimmed(at_minus));
    debug_assert!(!over);
    let over = add_assign(&mut out[3 * k..], crate::word::trimmed(at_two));
    debug_assert!(!over);
}

/// a /= D, for a multiple of D. D divides 2^64 − 1.
///
/// From the low end: with t = (2^64 − 1)/D, the quotient is −t·a·(1 + 2^64 + 2^128 + …), modulo
/// 2^(64n).
pub(super) fn divide_exactly<const D: u64>(a: &mut [u64]) {
    const { assert!(u64::MAX.is_multiple_of(D)) };
    match asm::leaves() {
        Some(leaves) => leaves.divide_exactly(a, u64::MAX / D),
        None => portable_divide_exactly(a, u64::MAX / D),
    }
}

/// The twin of the assembly. `word` is (2^64 − 1)/D.
fn portable_divide_exactly(a: &mut [u64], word: u64) {
    let mut sum = 0u64;
    for a in a {
        let (low, high) = a.carrying_mul(word, 0);
        let (limb, borrow) = sum.overflowing_sub(low);
        *a = limb;
        sum = limb.wrapping_sub(high + u64::from(borrow));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::oracle::{SHAPES, generator, product, shaped};

    #[test]
    fn exact_divisions() {
        let mut random = generator(21);
        for n in 1..30 {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, n);
                let right = [&a[..], &[0]].concat();
                let mut three = product(&a, &[3]);
                portable_divide_exactly(&mut three, u64::MAX / 3);
                assert_eq!(three, right);
                let mut three = product(&a, &[3]);
                divide_exactly::<3>(&mut three);
                assert_eq!(three, right);
                let mut five = product(&a, &[5]);
                divide_exactly::<5>(&mut five);
                assert_eq!(five, right);
            }
        }
    }
}
