//! Division: by a word, schoolbook, divide and conquer.
//!
//! Quotient digits come from a reciprocal of the divisor's top limbs (Möller and Granlund, *Improved
//! division by invariant integers*, IEEE Trans. Comp. 60 (2011)): two products in place of a hardware
//! division of 128 by 64 bits.
//!
//! | limbs of divisor and quotient | algorithm |
//! |---|---|
//! | divisor of one limb | one pass with a reciprocal |
//! | the shorter below `DIVIDE_LIMBS` | schoolbook |
//! | from there on | divide and conquer (Moenck and Borodin; Burnikel and Ziegler) |

use super::mul::{mul, mul_scratch};
use super::row::submul_word;
use super::shift::{shl, shr};
use super::sum::{add_assign, compare_same, sub_assign, sub_word};

/// From this many limbs of the shorter of divisor and quotient on, divide and conquer is faster.
const DIVIDE_LIMBS: usize = 60;

/// ⌊(2^128 − 1)/d⌋ − 2^64 for d ≥ 2^63.
#[inline]
pub(crate) fn reciprocal_word(d: u64) -> u64 {
    debug_assert!(d >> 63 == 1);
    let top = u128::from(!d) << 64 | u128::from(u64::MAX);
    (top / u128::from(d)) as u64
}

/// Quotient and remainder of high·2^64 + low by d, for high < d, d ≥ 2^63 and v = reciprocal_word(d).
#[inline]
pub(crate) fn div_two_words(high: u64, low: u64, d: u64, v: u64) -> (u64, u64) {
    let q = u128::from(v) * u128::from(high) + (u128::from(high) << 64 | u128::from(low));
    let (q1, q0) = ((q >> 64) as u64, q as u64);
    let q1 = q1.wrapping_add(1);
    let r = low.wrapping_sub(q1.wrapping_mul(d));
    // Möller–Granlund, algorithm 4: q1 is right, one too large, or (seldom) one too small.
    let (q1, r) = if r > q0 {
        (q1.wrapping_sub(1), r.wrapping_add(d))
    } else {
        (q1, r)
    };
    if r >= d { (q1 + 1, r - d) } else { (q1, r) }
}

/// q = a / d; the remainder. `q` and `a` have one length, d > 0.
pub(crate) fn div_rem_word(q: &mut [u64], a: &[u64], d: u64) -> u64 {
    assert!(q.len() == a.len() && d != 0);
    let Some((top, rest)) = a.split_last() else {
        return 0;
    };
    if rest.is_empty() {
        q[0] = top / d;
        return top % d;
    }
    let shift = d.leading_zeros();
    let d = d << shift;
    let v = reciprocal_word(d);
    // The shifted dividend from the top: each limb takes the upper bits of the one below.
    let mut r = top >> 1 >> (63 - shift);
    let mut above = *top;
    for i in (0..rest.len()).rev() {
        let limb = above << shift | rest[i] >> 1 >> (63 - shift);
        above = rest[i];
        (q[i + 1], r) = div_two_words(r, limb, d, v);
    }
    (q[0], r) = div_two_words(r, above << shift, d, v);
    r >> shift
}

/// a mod d, for d > 0.
pub(crate) fn rem_word(a: &[u64], d: u64) -> u64 {
    assert!(d != 0);
    match a {
        [] => return 0,
        [word] => return word % d,
        _ => {}
    }
    let shift = d.leading_zeros();
    let d = d << shift;
    let v = reciprocal_word(d);
    let mut r = 0;
    // r < d holds from the start; the shift is undone at the end, as (2^s·a) mod (2^s·d) = 2^s·(a mod d).
    let mut above = 0;
    for limb in a.iter().rev() {
        let shifted = above << shift | limb >> 1 >> (63 - shift);
        above = *limb;
        (_, r) = div_two_words(r, shifted, d, v);
    }
    (_, r) = div_two_words(r, above << shift, d, v);
    r >> shift
}

/// The top two limbs of a divisor and their reciprocal ⌊(2^192 − 1)/(d1·2^64 + d0)⌋ − 2^64, d1 ≥ 2^63.
#[derive(Clone, Copy)]
struct Top {
    d1: u64,
    d0: u64,
    v: u64,
}

impl Top {
    fn new(d: &[u64]) -> Top {
        let (d1, d0) = (d[d.len() - 1], d[d.len() - 2]);
        // Möller–Granlund, algorithm 6.
        let mut v = reciprocal_word(d1);
        let mut p = d1.wrapping_mul(v).wrapping_add(d0);
        if p < d0 {
            v = v.wrapping_sub(1);
            if p >= d1 {
                v = v.wrapping_sub(1);
                p = p.wrapping_sub(d1);
            }
            p = p.wrapping_sub(d1);
        }
        let t = u128::from(v) * u128::from(d0);
        let (t1, t0) = ((t >> 64) as u64, t as u64);
        let (p, over) = p.overflowing_add(t1);
        if over {
            v = v.wrapping_sub(1);
            if u128::from(p) << 64 | u128::from(t0) >= u128::from(d1) << 64 | u128::from(d0) {
                v = v.wrapping_sub(1);
            }
        }
        Top { d1, d0, v }
    }

    /// Quotient and remainder of n2·2^128 + n1·2^64 + n0, whose upper two limbs are below the divisor's.
    #[inline]
    fn divide(self, n2: u64, n1: u64, n0: u64) -> (u64, u128) {
        // Möller–Granlund, algorithm 5.
        let d = u128::from(self.d1) << 64 | u128::from(self.d0);
        let q = u128::from(self.v) * u128::from(n2) + (u128::from(n2) << 64 | u128::from(n1));
        let (q1, q0) = ((q >> 64) as u64, q as u64);
        let r1 = n1.wrapping_sub(q1.wrapping_mul(self.d1));
        let t = u128::from(self.d0) * u128::from(q1);
        let r = (u128::from(r1) << 64 | u128::from(n0))
            .wrapping_sub(t)
            .wrapping_sub(d);
        let q1 = q1.wrapping_add(1);
        let (q1, r) = if (r >> 64) as u64 >= q0 {
            (q1.wrapping_sub(1), r.wrapping_add(d))
        } else {
            (q1, r)
        };
        if r >= d {
            (q1.wrapping_add(1), r - d)
        } else {
            (q1, r)
        }
    }
}

/// q = a / d and a = a mod d in its low limbs; whether the quotient has a one above q. `d` has n ≥ 2 limbs
/// and its top bit set, `a` m ≥ n limbs, `q` m − n. The upper limbs of `a` are zero afterwards.
fn schoolbook(q: &mut [u64], a: &mut [u64], d: &[u64], top: Top) -> bool {
    let n = d.len();
    let count = a.len() - n;
    debug_assert!(n >= 2 && q.len() == count);
    let high = compare_same(&a[count..], d).is_ge();
    if high {
        sub_assign(&mut a[count..], d);
    }
    let lower = &d[..n - 2];
    for i in (0..count).rev() {
        let part = &mut a[i..=i + n];
        let (n2, n1, n0) = (part[n], part[n - 1], part[n - 2]);
        let digit = if n2 == top.d1 && n1 == top.d0 {
            // The digit would be 2^64 or more by the top limbs: it is 2^64 − 1.
            submul_word(&mut part[..n], d, u64::MAX);
            u64::MAX
        } else {
            let (mut digit, rest) = top.divide(n2, n1, n0);
            let borrow = submul_word(&mut part[..n - 2], lower, digit);
            let (rest, under) = rest.overflowing_sub(u128::from(borrow));
            (part[n - 2], part[n - 1]) = (rest as u64, (rest >> 64) as u64);
            if under {
                // One too large: the estimate ignored the lower limbs.
                digit -= 1;
                add_assign(&mut part[..n], d);
            }
            digit
        };
        part[n] = 0;
        q[i] = digit;
    }
    high
}

/// Takes quotient·lower from the remainder `a`, and corrects the quotient: a −= q·lower, where a, with the
/// quotient's one above q as `high`, is what the division by the upper limbs of `d` left, and `lower` the
/// limbs of `d` below those. The new one above q.
fn settle(
    q: &mut [u64],
    mut high: bool,
    a: &mut [u64],
    d: &[u64],
    lower: usize,
    scratch: &mut [u64],
) -> bool {
    let n = d.len();
    debug_assert!(a.len() == n && q.len() + lower == n);
    let (product, rest) = scratch.split_at_mut(n);
    if q.len() >= lower {
        mul(product, q, &d[..lower], rest);
    } else {
        mul(product, &d[..lower], q, rest);
    }
    let mut borrows = u32::from(sub_assign(a, product));
    if high {
        borrows += u32::from(sub_assign(&mut a[q.len()..], &d[..lower]));
    }
    while borrows > 0 {
        if sub_word(q, 1) {
            high = false;
        }
        borrows -= u32::from(add_assign(a, d));
    }
    high
}

/// [`schoolbook`] for m = 2n by divide and conquer; `scratch` of [`scratch_for`] limbs.
fn halves(q: &mut [u64], a: &mut [u64], d: &[u64], top: Top, scratch: &mut [u64]) -> bool {
    let n = d.len();
    if n < DIVIDE_LIMBS {
        return schoolbook(q, a, d, top);
    }
    let low = n / 2;
    let high = n - low;
    // The upper half of the quotient from the upper half of the divisor, then what its lower half takes.
    let above = halves(&mut q[low..], &mut a[2 * low..], &d[low..], top, scratch);
    let above = settle(&mut q[low..], above, &mut a[low..low + n], d, low, scratch);
    let below = halves(
        &mut q[..low],
        &mut a[high..high + 2 * low],
        &d[high..],
        top,
        scratch,
    );
    let below = settle(&mut q[..low], below, &mut a[..n], d, high, scratch);
    debug_assert!(!below);
    above
}

/// [`schoolbook`] for any lengths, by whichever algorithm is fastest.
fn divide(q: &mut [u64], a: &mut [u64], d: &[u64], top: Top, scratch: &mut [u64]) -> bool {
    let (n, count) = (d.len(), q.len());
    if n.min(count) < DIVIDE_LIMBS {
        return schoolbook(q, a, d, top);
    }
    if count < n {
        // Only the top limbs of the divisor count at first.
        let low = n - count;
        let above = halves(q, &mut a[low..], &d[low..], top, scratch);
        return settle(q, above, &mut a[..n], d, low, scratch);
    }
    // Blocks of n quotient limbs; the first one is shorter.
    let first = (count - 1) % n + 1;
    let mut at = count - first;
    let above = if first < n {
        divide(&mut q[at..], &mut a[at..], d, top, scratch)
    } else {
        halves(&mut q[at..], &mut a[at..], d, top, scratch)
    };
    while at > 0 {
        at -= n;
        let above = halves(&mut q[at..at + n], &mut a[at..at + 2 * n], d, top, scratch);
        debug_assert!(!above);
    }
    above
}

/// Scratch of [`divide`] for a divisor of n limbs: a product of at most n limbs, and that product's own.
fn scratch_for(n: usize) -> usize {
    n + mul_scratch(n.div_ceil(2), n.div_ceil(2)).max(mul_scratch(n, n))
}

/// Limbs of scratch that [`div_rem`] needs for a dividend of m limbs and a divisor of n.
pub(crate) fn div_rem_scratch(m: usize, n: usize) -> usize {
    m + 1
        + n
        + if n.min(m + 1 - n) < DIVIDE_LIMBS {
            0
        } else {
            scratch_for(n)
        }
}

/// q = a / d and a = a mod d, whose upper limbs become zero. `d` has n limbs, the top one not zero, `a` m ≥ n
/// limbs, `q` m − n + 1.
pub(crate) fn div_rem(q: &mut [u64], a: &mut [u64], d: &[u64], scratch: &mut [u64]) {
    let (m, n) = (a.len(), d.len());
    assert!(n >= 1 && m >= n && q.len() == m - n + 1 && d[n - 1] != 0);
    if n == 1 {
        let (shifted, _) = scratch.split_at_mut(m);
        shifted.copy_from_slice(a);
        let rest = div_rem_word(q, shifted, d[0]);
        a.fill(0);
        a[0] = rest;
        return;
    }
    // The divisor gets its top bit set, the dividend one limb more: then the quotient has no limb above q.
    let bits = d[n - 1].leading_zeros();
    let (shifted, scratch) = scratch.split_at_mut(m + 1);
    let (divisor, scratch) = scratch.split_at_mut(n);
    shl(divisor, d, bits);
    shifted[m] = shl(&mut shifted[..m], a, bits);
    let above = divide(q, shifted, divisor, Top::new(divisor), scratch);
    debug_assert!(!above);
    shr(&mut a[..n], &shifted[..n], bits);
    a[n..].fill(0);
}
