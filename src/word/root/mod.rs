//! Square roots with remainder (Zimmermann, *Karatsuba square root*, INRIA research report 3805
//! (1999); Bertot, Magaud and Zimmermann, *A proof of GMP square root*, J. Autom. Reasoning 29
//! (2002)).
//!
//! The root s' of the upper half of the limbs, with its remainder r', gives the lower half of the
//! root as the quotient of (r', next quarter) by 2s', at most one too large.

mod few;

pub(crate) use few::{may_be_square, root_two_words};

use super::div::{div_rem_in_place, div_rem_in_place_scratch};
use super::mul::{square, square_scratch};
use super::row::addmul_word;
use super::shift::{shl, shr_assign};
use super::sum::{add_assign, add_word, sub_assign, sub_word};

/// s = ⌊√a⌋ and a − s².
#[inline]
pub(crate) fn sqrt_rem_word(a: u64) -> (u64, u64) {
    // The root of the nearest double is off by less than 2^-20 at most, so by one when cut. It is
    // at most 2^32.
    let mut s = (a as f64).sqrt() as u64;
    s -= u64::from(s > 0xffff_ffff || s * s > a);
    let r = a - s * s;
    if r > 2 * s {
        (s + 1, r - 2 * s - 1)
    } else {
        (s, r)
    }
}

/// s = ⌊√a⌋ and a − s², which is at most 2s.
#[inline]
pub(crate) fn sqrt_rem_two_words(a: u128) -> (u64, u128) {
    if a >> 64 == 0 {
        let (s, r) = sqrt_rem_word(a as u64);
        return (s, u128::from(r));
    }
    // An even shift, so that the top two bits are not both zero.
    let half = a.leading_zeros() / 2;
    let (s, r) = normal((a << (2 * half) >> 64) as u64, (a << (2 * half)) as u64);
    if half == 0 {
        return (s, r);
    }
    let s = s >> half;
    (s, a - u128::from(s) * u128::from(s))
}

/// [`sqrt_rem_two_words`] for high ≥ 2^62.
#[inline]
fn normal(high: u64, low: u64) -> (u64, u128) {
    let (s1, r1) = sqrt_rem_word(high);
    // (r1·2^32 + the upper half of low) / 2·s1 is at most 2^32.
    let numerator = u128::from(r1) << 32 | u128::from(low >> 32);
    let (q, u) = if r1 >> 32 == 0 {
        let numerator = numerator as u64;
        (numerator / (2 * s1), numerator % (2 * s1))
    } else {
        let divisor = u128::from(2 * s1);
        ((numerator / divisor) as u64, (numerator % divisor) as u64)
    };
    let s = (u128::from(s1) << 32) + u128::from(q);
    let r = (i128::from(u) << 32 | i128::from(low & 0xffff_ffff)) - i128::from(q) * i128::from(q);
    if r < 0 {
        ((s - 1) as u64, (r + 2 * s as i128 - 1) as u128)
    } else {
        // 2^64 squared is beyond two words, so s is a word here.
        (s as u64, r as u128)
    }
}

/// Limbs of scratch that [`sqrt_rem`] needs for a number of m limbs.
pub(crate) fn sqrt_rem_scratch(m: usize) -> usize {
    let n = m.div_ceil(2);
    let within = square_scratch(n.div_ceil(2)).max(div_rem_in_place_scratch(n.div_ceil(2)));
    // The shifted number, the root before it is shifted back, and quotients or squares of a half.
    2 * n + n + n + 2 + within
}

/// root = ⌊√a⌋ and rest = a − root² ≤ 2·root. `a` has m ≥ 1 limbs, the top one not zero, `root`
/// ⌈m/2⌉ limbs, `rest` one more.
pub(crate) fn sqrt_rem(root: &mut [u64], rest: &mut [u64], a: &[u64], scratch: &mut [u64]) {
    let (m, n) = (a.len(), a.len().div_ceil(2));
    assert!(m >= 1 && a[m - 1] != 0 && root.len() == n && rest.len() == n + 1);
    if m <= 2 {
        let high = if m == 2 { a[1] } else { 0 };
        let (s, r) = sqrt_rem_two_words(u128::from(high) << 64 | u128::from(a[0]));
        root[0] = s;
        (rest[0], rest[1]) = (r as u64, (r >> 64) as u64);
        return;
    }
    // a·4^k has 2n limbs, and its top two bits are not both zero. k < 64.
    let half = a[m - 1].leading_zeros() / 2;
    let odd = m % 2;
    let k = half + 32 * odd as u32;
    let (shifted, scratch) = scratch.split_at_mut(2 * n);
    shifted[0] = 0;
    shl(&mut shifted[odd..], a, 2 * half);
    let above = halves(root, shifted, scratch);
    rest[..n].copy_from_slice(&shifted[..n]);
    rest[n] = u64::from(above);
    if k == 0 {
        return;
    }
    // a·4^k = S² + R and S = s·2^k + t: 4^k·(a − s²) = R + 2t·S − t².
    let t = root[0] & ((1 << k) - 1);
    let above = addmul_word(&mut rest[..n], root, 2 * t);
    rest[n] += above;
    let square_of_t = u128::from(t) * u128::from(t);
    sub_assign(rest, &[square_of_t as u64, (square_of_t >> 64) as u64]);
    if 2 * k >= 64 {
        rest.copy_within(1.., 0);
        rest[n] = 0;
    }
    shr_assign(rest, 2 * k % 64);
    shr_assign(root, k);
}

/// s = ⌊√a⌋, and a = a − s² in its low n limbs; whether the remainder has a one above those. `a`
/// has 2n ≥ 2 limbs and the top two bits not both zero, `s` n. The upper limbs of `a` mean nothing
/// afterwards.
fn halves(s: &mut [u64], a: &mut [u64], scratch: &mut [u64]) -> bool {
    let n = s.len();
    debug_assert!(a.len() == 2 * n && a[2 * n - 1] >> 62 != 0);
    if n == 1 {
        let (root, rest) = normal(a[1], a[0]);
        (s[0], a[0]) = (root, rest as u64);
        return rest >> 64 != 0;
    }
    let low = n / 2;
    let high = n - low;
    let mut above = halves(&mut s[low..], &mut a[2 * low..], scratch);
    if above {
        sub_assign(&mut a[2 * low..2 * low + high], &s[low..]);
    }
    // The quotient by s', of `low` limbs with a one or two above; half of it is wanted.
    let (quotient, rest) = scratch.split_at_mut(low);
    let more = div_rem_in_place(quotient, &mut a[low..low + n], &s[low..], rest);
    let ones = u64::from(above) + u64::from(more);
    let odd = quotient[0] & 1 == 1;
    shr_assign(quotient, 1);
    quotient[low - 1] |= ones << 63;
    s[..low].copy_from_slice(quotient);
    // Where the half is 2^(64·low), the limbs of s below are zero.
    let carried = ones >> 1;
    let mut balance = 0i64;
    if odd {
        balance = i64::from(add_assign(&mut a[low..low + high], &s[low..]));
    }
    let (product, rest) = scratch.split_at_mut(2 * low);
    square(product, &s[..low], rest);
    let mut borrow = u64::from(sub_assign(&mut a[..2 * low], product)) + carried;
    if low < high {
        borrow = u64::from(sub_word(&mut a[2 * low..n], borrow));
    }
    balance -= borrow as i64;
    if balance < 0 {
        // One too large: (s − 1)² = s² − 2s + 1.
        let over = u64::from(add_word(&mut s[low..], carried));
        balance += (addmul_word(&mut a[..n], s, 2) + 2 * over) as i64;
        balance -= i64::from(sub_word(&mut a[..n], 1));
        let under = sub_word(s, 1);
        debug_assert!(u64::from(under) == over);
    }
    above = balance > 0;
    above
}

#[cfg(test)]
mod tests;
