//! Greatest common divisors by binary algorithms: of words, of pairs of words, of slices.
//!
//! **Slices** (after Pornin, *Optimized binary GCD for modular inversion*, IACR ePrint 2020/972).
//! Stein's algorithm on an odd b and any a: while a is even, halve it; else swap the two if a < b,
//! and take b from a. The low bits say whether a is even, and the leading bits which of both is the
//! larger. So [`ROUND`] halvings are done on words that hold the leading 33 and the low 31 bits, and
//! what they amount to is a matrix:
//!
//! ```text
//!     2^31·a' = ±(p0·a − q0·b)    2^31·b' = ∓(p1·a − q1·b)    p + q ≤ 2^31 in both rows
//! ```
//!
//! The signs in a row differ at the start, (1, −0) and (−0, 1), and a difference of two rows of
//! opposite signs keeps them. So sizes are enough: a subtraction of rows adds them, and a swap of
//! the rows swaps the signs.
//!
//! Two rounds make one matrix with p + q ≤ 2^62, which is applied to all limbs at once. The second
//! round reads the leading 96 and the low 64 bits with the first matrix applied to them.
//!
//! **Right in any case.** The low bits are exact, so the divisions by 2^62 leave nothing, b stays
//! odd, and the odd common divisors of a and b stay the same. A wrong guess of the larger number
//! costs speed only, and a sign. |p0·a − q0·b| ≤ 2^62·max(a, b), so neither number outgrows the
//! larger of both. A pass that does not make them shorter is followed by one exact step, which does.

use std::hint::select_unpredictable;

use super::shift::{shl_assign, shr_assign};
use super::sum::{compare_same, negate, sub_assign, sub_from};
use super::{bit_length, significant, trailing_zeros};

/// gcd(a, b); gcd(0, b) = b.
#[inline]
pub(crate) fn gcd_words(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    gcd_odd_words(a >> a.trailing_zeros(), b >> b.trailing_zeros()) << twos
}

/// gcd(a, b) of odd words.
#[inline]
fn gcd_odd_words(mut a: u64, mut b: u64) -> u64 {
    // Stein's algorithm without a branch in it. The difference is even, and has as many zeros below
    // as its negative, so counting them need not wait for the choice.
    loop {
        let (difference, less) = a.overflowing_sub(b);
        if difference == 0 {
            return b;
        }
        let zeros = difference.trailing_zeros();
        b = select_unpredictable(less, a, b);
        a = select_unpredictable(less, difference.wrapping_neg(), difference) >> zeros;
    }
}

/// gcd(a, b) of numbers of two words; gcd(0, b) = b.
pub(crate) fn gcd_two_words(a: u128, b: u128) -> u128 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    gcd_odd_pairs(a >> a.trailing_zeros(), b >> b.trailing_zeros()) << twos
}

/// gcd(a, b) of odd numbers of two words.
fn gcd_odd_pairs(a: u128, b: u128) -> u128 {
    let (mut a0, mut a1) = (a as u64, (a >> 64) as u64);
    let (mut b0, mut b1) = (b as u64, (b >> 64) as u64);
    while a1 | b1 != 0 {
        let (low, borrow) = a0.overflowing_sub(b0);
        let (high, less) = a1.borrowing_sub(b1, borrow);
        if low == 0 {
            // The upper halves alone differ, or nothing.
            let b = u128::from(b1) << 64 | u128::from(b0);
            if high == 0 {
                return b;
            }
            let high = if less { high.wrapping_neg() } else { high };
            let smaller = if less { u128::from(a1) << 64 | u128::from(a0) } else { b };
            return gcd_two_words_odd(high, smaller);
        }
        let zeros = low.trailing_zeros();
        b0 = select_unpredictable(less, a0, b0);
        b1 = select_unpredictable(less, a1, b1);
        let (minus, minus_high) = (low.wrapping_neg(), !high);
        let low = select_unpredictable(less, minus, low);
        let high = select_unpredictable(less, minus_high, high);
        // zeros is at least 1 and below 64.
        a0 = low >> zeros | high << (64 - zeros);
        a1 = high >> zeros;
    }
    u128::from(gcd_odd_words(a0, b0))
}

/// gcd(a, b) for a > 0 and an odd b.
fn gcd_two_words_odd(a: u64, b: u128) -> u128 {
    gcd_odd_pairs(u128::from(a >> a.trailing_zeros()), b)
}

/// Halvings of a round.
const ROUND: u32 = 31;

/// The matrix of some halvings: sizes of its entries, and whether the first row is (−, +).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Halvings {
    /// p0, q0, p1, q1 of the head of this file.
    entries: [u64; 4],
    minus: bool,
}

/// [`ROUND`] halvings, for words with the leading and the low bits of a and of an odd b.
#[inline]
fn round(mut a: u64, mut b: u64) -> Halvings {
    // A row in a word: p below, q above. Both are at most 2^31.
    let (mut row0, mut row1) = (1u64, 1u64 << 32);
    let mut minus = false;
    let mut left = 1u64 << ROUND;
    loop {
        let zeros = (a | left).trailing_zeros();
        a >>= zeros;
        row1 <<= zeros;
        left >>= zeros;
        if left == 1 {
            break;
        }
        let (difference, less) = a.overflowing_sub(b);
        b = select_unpredictable(less, a, b);
        a = select_unpredictable(less, difference.wrapping_neg(), difference);
        let sum = row0 + row1;
        row1 = select_unpredictable(less, row0, row1);
        row0 = sum;
        minus ^= less;
    }
    let low = u64::from(u32::MAX);
    Halvings {
        entries: [row0 & low, row0 >> 32, row1 & low, row1 >> 32],
        minus,
    }
}

/// The word for [`round`]: `leading` < 2^33 above the low bits.
#[inline]
fn word(leading: u64, low: u64) -> u64 {
    leading << ROUND | low & ((1 << ROUND) - 1)
}

/// The 96 bits of x below bit n ≥ 96.
#[inline]
fn leading(x: &[u64], n: u64) -> u128 {
    let (limb, bit) = (((n - 96) / 64) as usize, (n - 96) % 64);
    let pair = u128::from(x[limb + 1]) << 64 | u128::from(x[limb]);
    let above = x.get(limb + 2).copied().unwrap_or(0);
    let upper = u128::from(above) << 1 << 64;
    (pair >> bit | if bit == 0 { 0 } else { upper << (63 - bit) }) & ((1 << 96) - 1)
}

/// The matrix of two rounds on a and an odd b below 2^n, n > 128.
#[inline]
fn halvings(a: &[u64], b: &[u64], n: u64) -> Halvings {
    let (top_a, top_b) = (leading(a, n), leading(b, n));
    let (low_a, low_b) = (a[0], b[0]);
    let cut = |top: u128| (top >> 63) as u64;
    let first = round(word(cut(top_a), low_a), word(cut(top_b), low_b));
    let [p0, q0, p1, q1] = first.entries;
    // Products of 96 and 32 bits. A number that comes out below zero is near zero.
    let difference = |x: u64, y: u64| {
        let top = u128::from(x) * top_a;
        (top as i128).wrapping_sub((u128::from(y) * top_b) as i128)
    };
    let (mut high_a, mut high_b) = (difference(p0, q0), difference(p1, q1).wrapping_neg());
    let mut next_a = p0.wrapping_mul(low_a).wrapping_sub(q0.wrapping_mul(low_b));
    let mut next_b = q1.wrapping_mul(low_b).wrapping_sub(p1.wrapping_mul(low_a));
    if first.minus {
        (high_a, high_b) = (high_a.wrapping_neg(), high_b.wrapping_neg());
        (next_a, next_b) = (next_a.wrapping_neg(), next_b.wrapping_neg());
    }
    let (high_a, high_b) = (high_a.max(0) as u128, high_b.max(0) as u128);
    let cut = (95 - (high_a | high_b).leading_zeros().min(95)) as u32;
    let high = |x: u128| (x >> cut) as u64;
    let second = round(
        word(high(high_a), next_a >> ROUND),
        word(high(high_b), next_b >> ROUND),
    );
    let [r0, s0, r1, s1] = second.entries;
    Halvings {
        entries: [
            r0 * p0 + s0 * p1,
            r0 * q0 + s0 * q1,
            r1 * p0 + s1 * p1,
            r1 * q0 + s1 * q1,
        ],
        minus: first.minus ^ second.minus,
    }
}

/// Applies two rounds to a and b, of one length ≥ 1, and takes the sizes of the results.
#[inline]
fn apply(step: &Halvings, a: &mut [u64], b: &mut [u64]) {
    let (below_a, below_b) = if step.minus {
        differences::<true>(step.entries, a, b)
    } else {
        differences::<false>(step.entries, a, b)
    };
    if below_a {
        negate(a);
    }
    if below_b {
        negate(b);
    }
}

/// (a, b) ← (p0·a − q0·b, q1·b − p1·a)/2^62, or both negated; whether they are below zero.
#[inline(always)]
fn differences<const MINUS: bool>(m: [u64; 4], a: &mut [u64], b: &mut [u64]) -> (bool, bool) {
    const CUT: u32 = 2 * ROUND;
    let [p0, q0, p1, q1] = m;
    let wide = |x: u64, y: u64| (u128::from(x) * u128::from(y)) as i128;
    // Products below 2^126 and a carry below 2^64 in size.
    let (mut sum_a, mut sum_b) = (0i128, 0i128);
    let mut term = |x: u64, y: u64| {
        if MINUS {
            sum_a += wide(y, q0) - wide(x, p0);
            sum_b += wide(x, p1) - wide(y, q1);
        } else {
            sum_a += wide(x, p0) - wide(y, q0);
            sum_b += wide(y, q1) - wide(x, p1);
        }
        let low = (sum_a as u64, sum_b as u64);
        (sum_a, sum_b) = (sum_a >> 64, sum_b >> 64);
        low
    };
    let last = a.len() - 1;
    let (mut low_a, mut low_b) = term(a[0], b[0]);
    let b = &mut b[..=last];
    for i in 1..=last {
        let (next_a, next_b) = term(a[i], b[i]);
        a[i - 1] = low_a >> CUT | next_a << (64 - CUT);
        b[i - 1] = low_b >> CUT | next_b << (64 - CUT);
        (low_a, low_b) = (next_a, next_b);
    }
    a[last] = low_a >> CUT | (sum_a as u64) << (64 - CUT);
    b[last] = low_b >> CUT | (sum_b as u64) << (64 - CUT);
    (sum_a < 0, sum_b < 0)
}

/// One exact step of Stein's algorithm on a > 0 and an odd b of one length.
fn exact(a: &mut [u64], b: &mut [u64]) {
    strip(a);
    if compare_same(a, b).is_ge() {
        sub_assign(a, b);
    } else {
        // (a, b) ← (b − a, a).
        a.swap_with_slice(b);
        sub_assign(a, b);
    }
    strip(a);
}

/// a without the zero bits below; their number. 0 stays.
fn strip(a: &mut [u64]) -> u64 {
    let Some(zeros) = trailing_zeros(a) else {
        return 0;
    };
    let limbs = (zeros / 64) as usize;
    let len = a.len();
    if limbs > 0 {
        a.copy_within(limbs.., 0);
        a[len - limbs..].fill(0);
    }
    if zeros % 64 > 0 {
        shr_assign(a, (zeros % 64) as u32);
    }
    zeros
}

/// a = gcd(a, b), and its number of limbs, the top one not zero; gcd(0, b) = b. `a` and `b` have one
/// length. The limbs of a above the result are zero, and b is destroyed.
pub(crate) fn gcd(a: &mut [u64], b: &mut [u64]) -> usize {
    assert_eq!(a.len(), b.len());
    match (trailing_zeros(a), trailing_zeros(b)) {
        (_, None) => return significant(a),
        (None, _) => {
            a.copy_from_slice(b);
            return significant(a);
        }
        _ => {}
    }
    let twos = strip(a).min(strip(b));
    odd(a, b);
    let (limbs, bits) = ((twos / 64) as usize, (twos % 64) as u32);
    let len = significant(a);
    if limbs > 0 {
        a.copy_within(..len, limbs);
        a[..limbs].fill(0);
    }
    // The result is not longer than the shorter operand, so nothing is shifted out.
    if bits > 0 {
        shl_assign(&mut a[limbs..], bits);
    }
    significant(a)
}

/// a = gcd(a, b) for odd numbers of one length.
fn odd(a: &mut [u64], b: &mut [u64]) {
    let all = a;
    let mut len = all.len();
    loop {
        let (a, b) = (&mut all[..len], &mut b[..len]);
        while len > 2 && a[len - 1] | b[len - 1] == 0 {
            len -= 1;
        }
        if len <= 2 {
            let pair = |x: &[u64]| {
                x.iter().rev().fold(0u128, |sum, limb| sum << 64 | u128::from(*limb))
            };
            let (x, y) = (pair(&a[..len]), pair(&b[..len]));
            let g = if x == 0 {
                y
            } else {
                gcd_odd_pairs(x >> x.trailing_zeros(), y)
            };
            for (i, limb) in a[..len].iter_mut().enumerate() {
                *limb = (g >> (64 * i)) as u64;
            }
            return;
        }
        let (a, b) = (&mut a[..len], &mut b[..len]);
        let n = 64 * len as u64 - u64::from((a[len - 1] | b[len - 1]).leading_zeros());
        let before = bit_length(a) + bit_length(b);
        let step = halvings(a, b, n);
        apply(&step, a, b);
        let after = bit_length(a) + bit_length(b);
        if a.iter().all(|limb| *limb == 0) {
            a.copy_from_slice(b);
            return;
        }
        if after >= before {
            exact(a, b);
        }
    }
}
