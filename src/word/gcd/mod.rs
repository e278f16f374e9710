//! Greatest common divisors by binary algorithms: of words, of pairs of words, of slices. Jacobi's
//! symbols by the same steps are in `symbol.rs`.
//!
//! **Slices** (after Pornin, *Optimized binary GCD for modular inversion*, IACR ePrint 2020/972).
//! Stein's algorithm on an odd b and any a: while a is even, halve it; else swap the two if a < b,
//! and take b from a. The low bits say whether a is even, and the leading bits which of both is the
//! larger. So [`ROUND`] halvings are done on words that hold the leading 33 and the low 31 bits,
//! and what they amount to is a matrix:
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
//! larger of both. A pass that does not make them shorter is followed by one exact step, which
//! does.

#![allow(unsafe_code)]

mod symbol;

pub(crate) use symbol::{jacobi, jacobi_of_word, jacobi_two_words, jacobi_words};

use std::hint::select_unpredictable;

use super::asm;
use super::shift::{shl_assign, shr_assign};
use super::sum::{compare_same, negate, sub_assign};
use super::{significant, trailing_zeros};

/// gcd(a, b); gcd(0, b) = b.
#[inline]
pub(crate) fn gcd_words(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    gcd_odd_words(a >> a.trailing_zeros(), b >> b.trailing_zeros()) << twos
}

/// gcd(a, b) of numbers of two words; gcd(0, b) = b.
pub(crate) fn gcd_two_words(a: u128, b: u128) -> u128 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    gcd_odd_pairs(a >> a.trailing_zeros(), b >> b.trailing_zeros()) << twos
}

/// gcd(a, b) of odd words.
#[inline]
fn gcd_odd_words(a: u64, b: u64) -> u64 {
    match asm::leaves() {
        Some(leaves) => leaves.gcd_odd_words(a, b),
        None => portable::gcd_odd_words(a, b),
    }
}

/// gcd(a, b) of odd numbers of two words.
fn gcd_odd_pairs(a: u128, b: u128) -> u128 {
    match asm::leaves() {
        Some(leaves) => leaves.gcd_odd_pairs(a, b),
        None => portable::gcd_odd_pairs(a, b),
    }
}

/// The loops in plain Rust. `asm` has them compiled for processors whose shifts take their count
/// from any register.
pub(super) mod portable {
    use std::hint::select_unpredictable;

    /// gcd(a, b) of odd words.
    #[inline(always)]
    pub(in crate::word) fn gcd_odd_words(mut a: u64, mut b: u64) -> u64 {
        // Stein's algorithm without a branch in it. The difference is even, and has as many zeros
        // below as its negative, so counting them need not wait for the choice.
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

    /// gcd(a, b) of odd numbers of two words.
    #[inline(always)]
    pub(in crate::word) fn gcd_odd_pairs(a: u128, b: u128) -> u128 {
        let (mut a0, mut a1) = (a as u64, (a >> 64) as u64);
        let (mut b0, mut b1) = (b as u64, (b >> 64) as u64);
        while a1 | b1 != 0 {
            let (low, borrow) = a0.overflowing_sub(b0);
            let (high, less) = a1.borrowing_sub(b1, borrow);
            if low == 0 {
                // The upper halves alone differ, or nothing.
                if high == 0 {
                    return u128::from(b1) << 64 | u128::from(b0);
                }
                if less {
                    (b0, b1) = (a0, a1);
                }
                let high = if less { high.wrapping_neg() } else { high };
                (a0, a1) = (high >> high.trailing_zeros(), 0);
                continue;
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
}

/// Halvings of a round. A word for a round has so many low bits.
const ROUND: u32 = 31;

/// The matrix of some halvings: sizes of its entries, and whether the first row is (−, +).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Halvings {
    /// p0, q0, p1, q1 of the head of this file.
    entries: [u64; 4],
    minus: bool,
}

/// `COUNT` ≤ [`ROUND`] halvings, for words with the leading and the low bits of a and of an odd b.
/// Jacobi's symbol of the numbers follows them in bit 0 of `sign` where `TRACK` says so.
#[inline(always)]
fn round<const COUNT: u32, const TRACK: bool>(mut a: u64, mut b: u64, sign: &mut u64) -> Halvings {
    // A row in a word: p below, q above. Both are at most 2^31.
    let (mut row0, mut row1) = (1u64, 1u64 << 32);
    let mut minus = 0;
    let mut left = 1u64 << COUNT;
    let mut zeros = (a | left).trailing_zeros();
    loop {
        if TRACK {
            *sign ^= symbol::halvings_negate(b, zeros);
        }
        a >>= zeros;
        row1 <<= zeros;
        left >>= zeros;
        if left == 1 {
            break;
        }
        let (difference, less) = a.overflowing_sub(b);
        // The negative has as many zeros below: counting them need not wait for the choice.
        zeros = (difference | left).trailing_zeros();
        let sum = row0 + row1;
        if TRACK {
            *sign ^= select_unpredictable(less, symbol::swap_negates(a, b), 0);
        }
        b = select_unpredictable(less, a, b);
        row1 = select_unpredictable(less, row0, row1);
        a = select_unpredictable(less, difference.wrapping_neg(), difference);
        row0 = sum;
        minus ^= u32::from(less);
    }
    let low = u64::from(u32::MAX);
    Halvings {
        entries: [row0 & low, row0 >> 32, row1 & low, row1 >> 32],
        minus: minus == 1,
    }
}

/// The word for [`round`]: the leading 33 bits of `leading` above the low bits.
#[inline(always)]
fn word(leading: u64, low: u64) -> u64 {
    leading >> ROUND << ROUND | low & ((1 << ROUND) - 1)
}

/// The upper limb of (high, low) shifted left.
#[inline(always)]
fn shifted(high: u64, low: u64, shift: u32) -> u64 {
    high << shift | low >> 1 >> (63 - shift)
}

/// The leading 128 bits of x·2^shift, which has three limbs at least.
#[inline(always)]
fn leading(x: &[u64], shift: u32) -> (u64, u64) {
    let [.., x0, x1, x2] = x else {
        unreachable!("three limbs at least");
    };
    (shifted(*x2, *x1, shift), shifted(*x1, *x0, shift))
}

/// The matrix of two rounds of `COUNT` halvings on a and an odd b, of one length ≥ 3; the longer
/// begins after `shift` zero bits. `sign` as for [`round`].
#[inline(always)]
fn halvings<const COUNT: u32, const TRACK: bool>(
    a: &[u64],
    b: &[u64],
    shift: u32,
    sign: &mut u64,
) -> Halvings {
    let (top_a, top_b) = (leading(a, shift), leading(b, shift));
    let (low_a, low_b) = (a[0], b[0]);
    let first = round::<COUNT, TRACK>(word(top_a.0, low_a), word(top_b.0, low_b), sign);
    let [p0, q0, p1, q1] = first.entries;
    // Products of 96 and 32 bits. A number that comes out below zero is near zero.
    let times = |x: u64, top: (u64, u64)| {
        let (high, low) = (
            u128::from(top.0) * u128::from(x),
            u128::from(top.1 >> 32) * u128::from(x),
        );
        ((high << 32) + low) as i128
    };
    let mut high_a = times(p0, top_a).wrapping_sub(times(q0, top_b));
    let mut high_b = times(q1, top_b).wrapping_sub(times(p1, top_a));
    let mut next_a = p0.wrapping_mul(low_a).wrapping_sub(q0.wrapping_mul(low_b));
    let mut next_b = q1.wrapping_mul(low_b).wrapping_sub(p1.wrapping_mul(low_a));
    if first.minus {
        (high_a, high_b) = (high_a.wrapping_neg(), high_b.wrapping_neg());
        (next_a, next_b) = (next_a.wrapping_neg(), next_b.wrapping_neg());
    }
    let (high_a, high_b) = (high_a.max(0) as u128, high_b.max(0) as u128);
    // At most 31 bits go in a round but for numbers that are near each other.
    let zeros = (((high_a | high_b) >> 64) as u64).leading_zeros().min(63);
    let high = |x: u128| shifted((x >> 64) as u64, x as u64, zeros);
    let second = round::<COUNT, TRACK>(
        word(high(high_a), next_a >> COUNT),
        word(high(high_b), next_b >> COUNT),
        sign,
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

/// Applies two rounds of `COUNT` halvings to a and b, of one length ≥ 1, and takes the sizes of the
/// results. Whether a was below zero.
#[inline(always)]
fn apply<const COUNT: u32>(step: &Halvings, a: &mut [u64], b: &mut [u64]) -> bool {
    let [p0, q0, p1, q1] = step.entries;
    let (below_a, below_b) = if step.minus {
        // (q0·b − p0·a, p1·a − q1·b): as below with the numbers swapped, and then the results.
        differences::<COUNT>([p1, q1, p0, q0], a, b, true)
    } else {
        differences::<COUNT>([p0, q0, p1, q1], a, b, false)
    };
    if below_a {
        negate(a);
    }
    if below_b {
        negate(b);
    }
    below_a
}

/// (x, y) = (p0·a − q0·b, q1·b − p1·a)/2^(2·COUNT); (a, b) ← (x, y), or (y, x) where `swap` says
/// so; whether the new a and b are below zero.
#[inline(always)]
fn differences<const COUNT: u32>(
    m: [u64; 4],
    a: &mut [u64],
    b: &mut [u64],
    swap: bool,
) -> (bool, bool) {
    let (cut, up) = (2 * COUNT, 64 - 2 * COUNT);
    let [p0, q0, p1, q1] = m;
    let wide = |x: u64, y: u64| u128::from(x) * u128::from(y);
    let (last, len) = (a.len() - 1, a.len());
    let b = &mut b[..len];
    // −q·b = q·(2^(64n) − 1 − b) + q − q·2^(64n): sums alone, at most 2^62·2^64 with their carry.
    let (mut sum_x, mut sum_y) = (u128::from(q0), u128::from(p1));
    let mut low = (0, 0);
    for i in 0..len {
        let (s, t) = (a[i], b[i]);
        sum_x += wide(s, p0) + wide(!t, q0);
        sum_y += wide(t, q1) + wide(!s, p1);
        let next = (sum_x as u64, sum_y as u64);
        (sum_x, sum_y) = (sum_x >> 64, sum_y >> 64);
        if i > 0 {
            let (x, y) = (low.0 >> cut | next.0 << up, low.1 >> cut | next.1 << up);
            (a[i - 1], b[i - 1]) = if swap { (y, x) } else { (x, y) };
        }
        low = next;
    }
    let top_x = (sum_x as u64).wrapping_sub(q0);
    let top_y = (sum_y as u64).wrapping_sub(p1);
    let (x, y) = (low.0 >> cut | top_x << up, low.1 >> cut | top_y << up);
    let signs = ((top_x as i64) < 0, (top_y as i64) < 0);
    (a[last], b[last]) = if swap { (y, x) } else { (x, y) };
    if swap { (signs.1, signs.0) } else { signs }
}

/// One exact step of Stein's algorithm on a > 0 and an odd b of one length; whether a is 0 now.
#[cold]
fn exact(a: &mut [u64], b: &mut [u64]) -> bool {
    strip(a);
    if compare_same(a, b).is_lt() {
        a.swap_with_slice(b);
    }
    sub_assign(a, b);
    strip(a);
    a.iter().all(|limb| *limb == 0)
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

/// a = gcd(a, b), and its number of limbs, the top one not zero; gcd(0, b) = b. `a` and `b` have
/// one length. The limbs of a above the result are zero, and b is destroyed.
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
#[inline]
fn odd(a: &mut [u64], b: &mut [u64]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if asm::leaves().is_some() {
        #[target_feature(enable = "bmi2")]
        fn with_bmi2(a: &mut [u64], b: &mut [u64]) {
            odd_in_any_code(a, b);
        }
        // SAFETY: The leaves are there only where the processor has BMI2.
        return unsafe { with_bmi2(a, b) };
    }
    odd_in_any_code(a, b);
}

/// [`odd`], compiled once for every processor and once for those with mulx and shrx.
#[inline(always)]
fn odd_in_any_code(a: &mut [u64], b: &mut [u64]) {
    let mut len = a.len();
    while len > 2 {
        let top = a[len - 1] | b[len - 1];
        if top == 0 {
            len -= 1;
            continue;
        }
        let (a, b) = (&mut a[..len], &mut b[..len]);
        let shift = top.leading_zeros();
        let step = halvings::<ROUND, false>(a, b, shift, &mut 0);
        apply::<ROUND>(&step, a, b);
        if a.iter().all(|limb| *limb == 0) {
            a.copy_from_slice(b);
            return;
        }
        // Exact steps make the sum of both smaller, so they come to an end.
        while (a[len - 1] | b[len - 1]).leading_zeros() <= shift && !exact(a, b) {}
    }
    let pair = |x: &[u64]| {
        let limb = |i| u128::from(x.get(i).copied().unwrap_or(0));
        limb(1) << 64 | limb(0)
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
}

#[cfg(test)]
mod tests;
