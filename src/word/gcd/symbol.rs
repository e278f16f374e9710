//! Jacobi's symbol along the steps of the binary algorithms.
//!
//! For odd b ≠ 0 of any sign let J(a, b) be Jacobi's symbol of a over |b|. Three rules follow a
//! step of Stein's algorithm, and all they ask for are low bits:
//!
//! - J(2a, b) = J(a, b), negated for b = ±3 modulo 8.
//! - J(a − b, b) = J(a, b).
//! - J(a, b) = J(b, a) for odd a and b that are not both negative, negated if both are 3 modulo 4.
//!   For positive numbers this is quadratic reciprocity. For a < 0 < b it is J(−|a|, b) = J(−1,
//!   b)·J(|a|, b), and J(−1, b) is −1 for b = 3 modulo 4, where |a| and a differ modulo 4.
//!
//! Where a wrong guess of the larger number makes one of both negative, the rules hold still: the
//! pair (a, b) at the start is N·(a', b') for a matrix N without negative entries, as the inverses
//! of all steps are, so a' and b' are not both negative. Taking sizes changes J for a < 0 alone, by
//! J(−1, b).
//!
//! **Exact bits.** A word of a round has 31 exact low bits, and each halving takes one of them. The
//! first rule reads three bits of b, so that a round has at most 29 halvings: before the last there
//! are 31 − 28 = 3.

use std::hint::select_unpredictable;

use super::super::asm;
use super::super::div::rem_word;
use super::super::sum::{compare_same, sub_assign};
use super::{apply, halvings, strip};

/// Halvings of a round that the symbol follows.
const TRACKED: u32 = 29;

/// Bit 0: whether so many halvings of the number above an odd b negate the symbol. The other bits
/// mean nothing.
#[inline(always)]
pub(super) fn halvings_negate(b: u64, zeros: u32) -> u64 {
    (b >> 1 ^ b >> 2) & u64::from(zeros)
}

/// Bit 0: whether a swap of odd a and b negates the symbol. The other bits mean nothing.
#[inline(always)]
pub(super) fn swap_negates(a: u64, b: u64) -> u64 {
    (a & b) >> 1
}

/// The symbol where the pair has come down to (0, b).
#[inline(always)]
fn value(is_one: bool, sign: u64) -> i32 {
    if is_one { 1 - 2 * (sign & 1) as i32 } else { 0 }
}

/// Jacobi's symbol (a/n) for odd n.
#[inline]
pub(crate) fn jacobi_words(a: u64, n: u64) -> i32 {
    // A division for a quotient that would take many differences.
    let a = if a >> 4 > n { a % n } else { a };
    symbol_of_words(a, n, 0)
}

/// (a/b), negated if bit 0 of `sign` is set, for odd b.
#[inline]
fn symbol_of_words(a: u64, b: u64, sign: u64) -> i32 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if asm::leaves().is_some() {
        #[target_feature(enable = "bmi1,bmi2")]
        fn with_bmi(a: u64, b: u64, sign: u64) -> i32 {
            words_in_any_code(a, b, sign)
        }
        // SAFETY: The leaves are there only where the processor has BMI1 and BMI2.
        return unsafe { with_bmi(a, b, sign) };
    }
    words_in_any_code(a, b, sign)
}

/// [`symbol_of_words`], compiled once for every processor and once for those with tzcnt and shrx.
#[inline(always)]
fn words_in_any_code(mut a: u64, mut b: u64, mut sign: u64) -> i32 {
    debug_assert!(b % 2 == 1);
    if a == 0 {
        return value(b == 1, sign);
    }
    let zeros = a.trailing_zeros();
    sign ^= halvings_negate(b, zeros);
    a >>= zeros;
    loop {
        let (difference, less) = a.overflowing_sub(b);
        if difference == 0 {
            return value(b == 1, sign);
        }
        let zeros = difference.trailing_zeros();
        sign ^= select_unpredictable(less, swap_negates(a, b), 0);
        b = select_unpredictable(less, a, b);
        a = select_unpredictable(less, difference.wrapping_neg(), difference) >> zeros;
        sign ^= halvings_negate(b, zeros);
    }
}

/// Jacobi's symbol (a/n) for odd n.
pub(crate) fn jacobi_two_words(a: u128, n: u128) -> i32 {
    match (u64::try_from(a), u64::try_from(n)) {
        (Ok(a), Ok(n)) => jacobi_words(a, n),
        (Err(_), Ok(n)) => symbol_of_words((a % u128::from(n)) as u64, n, 0),
        (Ok(0), Err(_)) => 0,
        (Ok(a), Err(_)) => {
            let odd = a >> a.trailing_zeros();
            let sign = inverted(a, n as u64);
            symbol_of_words((n % u128::from(odd)) as u64, odd, sign)
        }
        _ => symbol_of_pairs(a, n, 0),
    }
}

/// Bit 0: whether (a/n) = −(n/a'), for a > 0 without its factors of 2 as a', and an odd n with this
/// lowest limb.
#[inline]
fn inverted(a: u64, n: u64) -> u64 {
    let zeros = a.trailing_zeros();
    halvings_negate(n, zeros) ^ swap_negates(a >> zeros, n)
}

/// Jacobi's symbol (a/n) of a word over an odd number of two limbs at least.
pub(crate) fn jacobi_of_word(a: u64, n: &[u64]) -> i32 {
    if a == 0 {
        return 0;
    }
    let odd = a >> a.trailing_zeros();
    symbol_of_words(rem_word(n, odd), odd, inverted(a, n[0]))
}

/// (a/b), negated if bit 0 of `sign` is set, for odd b.
fn symbol_of_pairs(a: u128, b: u128, sign: u64) -> i32 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if asm::leaves().is_some() {
        #[target_feature(enable = "bmi1,bmi2")]
        fn with_bmi(a: u128, b: u128, sign: u64) -> i32 {
            pairs_in_any_code(a, b, sign)
        }
        // SAFETY: The leaves are there only where the processor has BMI1 and BMI2.
        return unsafe { with_bmi(a, b, sign) };
    }
    pairs_in_any_code(a, b, sign)
}

/// [`symbol_of_pairs`], compiled once for every processor and once for those with tzcnt and shrx.
#[inline(always)]
fn pairs_in_any_code(mut a: u128, b: u128, mut sign: u64) -> i32 {
    debug_assert!(b % 2 == 1);
    let (mut b0, mut b1) = (b as u64, (b >> 64) as u64);
    if a == 0 {
        return value(b == 1, sign);
    }
    let zeros = a.trailing_zeros();
    sign ^= halvings_negate(b0, zeros);
    a >>= zeros;
    let (mut a0, mut a1) = (a as u64, (a >> 64) as u64);
    while a1 | b1 != 0 {
        let (low, borrow) = a0.overflowing_sub(b0);
        let (high, less) = a1.borrowing_sub(b1, borrow);
        sign ^= select_unpredictable(less, swap_negates(a0, b0), 0);
        b0 = select_unpredictable(less, a0, b0);
        if low == 0 {
            // The upper halves alone differ, or nothing: 64 halvings more negate nothing.
            b1 = select_unpredictable(less, a1, b1);
            let high = select_unpredictable(less, high.wrapping_neg(), high);
            if high == 0 {
                return value(b0 == 1 && b1 == 0, sign);
            }
            let zeros = high.trailing_zeros();
            sign ^= halvings_negate(b0, zeros);
            (a0, a1) = (high >> zeros, 0);
            continue;
        }
        let zeros = low.trailing_zeros();
        b1 = select_unpredictable(less, a1, b1);
        let (minus, minus_high) = (low.wrapping_neg(), !high);
        let low = select_unpredictable(less, minus, low);
        let high = select_unpredictable(less, minus_high, high);
        // zeros is at least 1 and below 64.
        a0 = low >> zeros | high << (64 - zeros);
        a1 = high >> zeros;
        sign ^= halvings_negate(b0, zeros);
    }
    words_in_any_code(a0, b0, sign)
}

/// Jacobi's symbol (a/b) for odd b. Both have one length and are destroyed.
pub(crate) fn jacobi(a: &mut [u64], b: &mut [u64]) -> i32 {
    assert!(a.len() == b.len() && b.first().is_some_and(|low| low % 2 == 1));
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if asm::leaves().is_some() {
        #[target_feature(enable = "bmi1,bmi2")]
        fn with_bmi(a: &mut [u64], b: &mut [u64]) -> i32 {
            in_any_code(a, b)
        }
        // SAFETY: The leaves are there only where the processor has BMI1 and BMI2.
        return unsafe { with_bmi(a, b) };
    }
    in_any_code(a, b)
}

/// [`jacobi`], compiled once for every processor and once for those with mulx and shrx.
#[inline(always)]
fn in_any_code(a: &mut [u64], b: &mut [u64]) -> i32 {
    let mut sign = 0;
    let mut len = a.len();
    while len > 2 {
        let top = a[len - 1] | b[len - 1];
        if top == 0 {
            len -= 1;
            continue;
        }
        let (a, b) = (&mut a[..len], &mut b[..len]);
        let shift = top.leading_zeros();
        let step = halvings::<TRACKED, true>(a, b, shift, &mut sign);
        if apply::<TRACKED>(&step, a, b) {
            sign ^= b[0] >> 1;
        }
        // Exact steps make the sum of both smaller, so they come to an end.
        while (a[len - 1] | b[len - 1]).leading_zeros() <= shift && exact(a, b, &mut sign) {}
        if a.iter().all(|limb| *limb == 0) {
            return value(b[0] == 1 && b[1..].iter().all(|limb| *limb == 0), sign);
        }
    }
    let pair = |x: &[u64]| {
        let limb = |i| u128::from(x.get(i).copied().unwrap_or(0));
        limb(1) << 64 | limb(0)
    };
    pairs_in_any_code(pair(&a[..len]), pair(&b[..len]), sign)
}

/// One exact step of Stein's algorithm on a and an odd b of one length; false if a is 0 now.
#[cold]
fn exact(a: &mut [u64], b: &mut [u64], sign: &mut u64) -> bool {
    *sign ^= halvings_negate(b[0], strip(a) as u32);
    if a[0] == 0 {
        return false;
    }
    if compare_same(a, b).is_lt() {
        *sign ^= swap_negates(a[0], b[0]);
        a.swap_with_slice(b);
    }
    sub_assign(a, b);
    *sign ^= halvings_negate(b[0], strip(a) as u32);
    a[0] != 0
}
