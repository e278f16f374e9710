//! Toom-4 for operands of about one length.
//!
//! Values at 0, 1, −1, 2, −2, 1/2 and ∞. With c_i the coefficients of the product c, the even ones
//! follow from c(1) + c(−1) and c(2) + c(−2), the odd ones from the differences and from c(1/2).

use super::toom::divide_exactly;
use super::{Thresholds, mul_with, square_with};
use crate::word::row::{mul_word_assign, submul_word};
use crate::word::shift::{shl, shl_assign, shr_assign};
use crate::word::sum::{add_assign, compare_same, sub_assign, sub_from, sub_word};
use crate::word::trimmed;

/// out = a·b. b has at most as many limbs as a and more than 3·⌈a/4⌉; a has at least 20.
pub(super) fn toom4(
    thresholds: &Thresholds,
    out: &mut [u64],
    a: &[u64],
    b: &[u64],
    scratch: &mut [u64],
) {
    let k = a.len().div_ceil(4);
    let wide = 2 * k + 2;
    let (values, scratch) = scratch.split_at_mut(4 * wide);
    let mut negative = [false; 2];
    for (i, pair) in values.chunks_exact_mut(2 * wide).enumerate() {
        let (a_values, b_values) = out[..2 * wide].split_at_mut(wide);
        let (a_plus, a_minus) = a_values.split_at_mut(k + 1);
        let (b_plus, b_minus) = b_values.split_at_mut(k + 1);
        negative[i] =
            evaluate(a_plus, a_minus, a, k, i as u32) != evaluate(b_plus, b_minus, b, k, i as u32);
        let (plus, minus) = pair.split_at_mut(wide);
        mul_with(thresholds, minus, a_minus, b_minus, scratch);
        mul_with(thresholds, plus, a_plus, b_plus, scratch);
    }
    let (halves, at_half) = out[..2 * wide].split_at_mut(wide);
    let (a_half, b_half) = halves.split_at_mut(k + 1);
    evaluate_half(a_half, a, k);
    evaluate_half(b_half, b, k);
    mul_with(thresholds, at_half, a_half, b_half, scratch);
    mul_with(thresholds, &mut out[..2 * k], &a[..k], &b[..k], scratch);
    mul_with(
        thresholds,
        &mut out[6 * k..],
        &a[3 * k..],
        &b[3 * k..],
        scratch,
    );
    interpolate(out, values, &mut scratch[..wide], k, negative);
}

/// out = a². a has at least 20 limbs.
pub(super) fn square_toom4(
    thresholds: &Thresholds,
    out: &mut [u64],
    a: &[u64],
    scratch: &mut [u64],
) {
    let k = a.len().div_ceil(4);
    let wide = 2 * k + 2;
    let (values, scratch) = scratch.split_at_mut(4 * wide);
    for (i, pair) in values.chunks_exact_mut(2 * wide).enumerate() {
        let (a_plus, a_minus) = out[..wide].split_at_mut(k + 1);
        evaluate(a_plus, a_minus, a, k, i as u32);
        let (plus, minus) = pair.split_at_mut(wide);
        square_with(thresholds, minus, a_minus, scratch);
        square_with(thresholds, plus, a_plus, scratch);
    }
    let (halves, at_half) = out[..2 * wide].split_at_mut(wide);
    evaluate_half(&mut halves[..k + 1], a, k);
    square_with(thresholds, at_half, &halves[..k + 1], scratch);
    square_with(thresholds, &mut out[..2 * k], &a[..k], scratch);
    square_with(thresholds, &mut out[6 * k..], &a[3 * k..], scratch);
    interpolate(out, values, &mut scratch[..wide], k, [false; 2]);
}

/// plus = a(x), minus = |a(−x)| for x = 2^bits, 1 or 2, each of k + 1 limbs, and whether a(−x) is
/// negative. Both are at most 15·2^(64k).
fn evaluate(plus: &mut [u64], minus: &mut [u64], a: &[u64], k: usize, bits: u32) -> bool {
    // The even part, then the odd part: a0 + x²·a2 and x·(a1 + x²·a3).
    plus[k] = shl(&mut plus[..k], &a[2 * k..3 * k], 2 * bits);
    add_assign(plus, &a[..k]);
    let top = &a[3 * k..];
    let (low, high) = minus.split_at_mut(top.len());
    high.fill(0);
    high[0] = shl(low, top, 2 * bits);
    add_assign(minus, &a[k..2 * k]);
    shl_assign(minus, bits);
    // Twice the even part, less or plus the distance of both, is their sum.
    let negative = compare_same(plus, minus).is_lt();
    if negative {
        sub_assign(minus, plus);
        shl_assign(plus, 1);
        add_assign(plus, minus);
    } else {
        sub_from(minus, plus);
        shl_assign(plus, 1);
        sub_assign(plus, minus);
    }
    negative
}

/// value = 8·a(1/2) = 8·a0 + 4·a1 + 2·a2 + a3, of k + 1 limbs.
fn evaluate_half(value: &mut [u64], a: &[u64], k: usize) {
    value[k] = shl(&mut value[..k], &a[..k], 1);
    add_assign(value, &a[k..2 * k]);
    shl_assign(value, 1);
    add_assign(value, &a[2 * k..3 * k]);
    shl_assign(value, 1);
    add_assign(value, &a[3 * k..]);
}

/// out = Σ c_i·X^i, i from 0 to 6, from the values of c.
///
/// At first out has c_0 in its first 2k limbs and c_6 from limb 6k on. Between them, from limb 2k +
/// 2 on, it has 64·c(1/2). That value and the `values` have 2k + 2 limbs each: c(1), c(−1), c(2),
/// c(−2) without their signs. `negative` says whether c(−1) and c(−2) are negative.
///
/// Every difference and quotient here is a sum of coefficients with factors above zero, so none is
/// negative, and all divisions are exact.
fn interpolate(
    out: &mut [u64],
    values: &mut [u64],
    half: &mut [u64],
    k: usize,
    negative: [bool; 2],
) {
    let wide = 2 * k + 2;
    half.copy_from_slice(&out[wide..2 * wide]);
    let (c0, c6) = (&out[..2 * k], &out[6 * k..]);
    let (at_one, at_two) = values.split_at_mut(2 * wide);
    let (even_one, odd_one) = at_one.split_at_mut(wide);
    let (even_two, odd_two) = at_two.split_at_mut(wide);
    split(even_one, odd_one, negative[0]);
    split(even_two, odd_two, negative[1]);
    // odd_one = c1 + c3 + c5, odd_two = c1 + 4·c3 + 16·c5.
    shr_assign(odd_two, 1);

    // even_one = c2 + c4, even_two = c2 + 4·c4; then c2 and c4.
    sub_assign(even_one, c0);
    sub_assign(even_one, c6);
    sub_assign(even_two, c0);
    sub_multiple(even_two, c6, 64);
    shr_assign(even_two, 2);
    sub_assign(even_two, even_one);
    divide_exactly::<3>(even_two);
    sub_assign(even_one, even_two);
    let (c2, c4) = (even_one, even_two);

    // half = 16·c1 + 4·c3 + c5.
    sub_multiple(half, c0, 64);
    sub_multiple(half, c2, 16);
    sub_multiple(half, c4, 4);
    sub_assign(half, c6);
    shr_assign(half, 1);

    // odd_two = c3 + 5·c5, half = 5·c1 + c3, odd_one = 3·c3.
    sub_assign(odd_two, odd_one);
    divide_exactly::<3>(odd_two);
    sub_assign(half, odd_one);
    divide_exactly::<3>(half);
    mul_word_assign(odd_one, 5, 0);
    sub_assign(odd_one, odd_two);
    sub_assign(odd_one, half);
    divide_exactly::<3>(odd_one);
    let c3 = odd_one;
    sub_assign(odd_two, c3);
    divide_exactly::<5>(odd_two);
    sub_assign(half, c3);
    divide_exactly::<5>(half);
    let (c1, c5) = (half, odd_two);

    out[2 * k..4 * k].copy_from_slice(&c2[..2 * k]);
    out[4 * k..6 * k].copy_from_slice(&c4[..2 * k]);
    let high = [
        (4, &c2[2 * k..]),
        (6, &c4[2 * k..]),
        (1, &*c1),
        (3, &*c3),
        (5, &*c5),
    ];
    for (power, coefficient) in high {
        let over = add_assign(&mut out[power * k..], trimmed(coefficient));
        debug_assert!(!over);
    }
}

/// From c(x) and |c(−x)| to the even and the odd part of c(x).
fn split(plus: &mut [u64], minus: &mut [u64], negative: bool) {
    if negative {
        add_assign(minus, plus);
    } else {
        sub_from(minus, plus);
    }
    shr_assign(minus, 1);
    sub_assign(plus, minus);
}

/// a −= b·word, for b·word ≤ a.
fn sub_multiple(a: &mut [u64], b: &[u64], word: u64) {
    let (low, high) = a.split_at_mut(b.len());
    let borrow = submul_word(low, b, word);
    let under = sub_word(high, borrow);
    debug_assert!(!under);
}
