//! Division: by one or two words, schoolbook, divide and conquer, exact.
//!
//! Quotient digits come from a reciprocal of the divisor's top limbs (Möller and Granlund,
//! *Improved division by invariant integers*, IEEE Trans. Comp. 60 (2011)): two products in place
//! of a hardware division of 128 by 64 bits.
//!
//! | limbs of divisor and quotient | algorithm |
//! |---|---|
//! | divisor of one or two limbs | one pass with a reciprocal |
//! | rows, quotient of few limbs | schoolbook without shifts |
//! | remainder alone, dividend of at most `SHORT_LIMBS` | schoolbook on the stack |
//! | the shorter below `DIVIDE_LIMBS` | schoolbook |
//! | from there on | divide and conquer (Moenck and Borodin; Burnikel and Ziegler) |

use std::hint::select_unpredictable;

use super::mul::{mul, mul_scratch};
use super::row::submul_word;
use super::shift::{shl, shr};
use super::sum::{add_assign, compare_same, sub_assign, sub_word};

mod divisor;
mod exact;
mod few;
mod word;

pub(crate) use divisor::Divisor;
pub(crate) use exact::{div_exact, div_exact_scratch};
pub(crate) use few::div_rem_few;
pub(crate) use word::{div_rem_word, div_two_words, reciprocal_word, rem_word};

use word::shifted;

/// From this many limbs of the shorter of divisor and quotient on, divide and conquer is faster.
const DIVIDE_LIMBS: usize = 60;

/// (q + 1, r − d). Out of line, so that what comes next waits for a branch that is seldom taken and
/// not for a choice.
#[cold]
#[inline(never)]
fn one_more(q: u64, r: u128, d: u128) -> (u64, u128) {
    (q.wrapping_add(1), r.wrapping_sub(d))
}

/// The top two limbs of a divisor and their reciprocal ⌊(2^192 − 1)/(d1·2^64 + d0)⌋ − 2^64, where
/// d1 ≥ 2^63.
#[derive(Clone, Copy)]
struct Top {
    d1: u64,
    d0: u64,
    v: u64,
}

impl Top {
    /// Of a divisor of at least two limbs.
    fn of(d: &[u64]) -> Top {
        Top::new(d[d.len() - 1], d[d.len() - 2])
    }

    fn new(d1: u64, d0: u64) -> Top {
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

    /// Quotient and remainder of n2·2^128 + n1·2^64 + n0, whose upper two limbs are below the
    /// divisor's.
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
        let large = (r >> 64) as u64 >= q0;
        let q1 = q1.wrapping_add(u64::from(!large));
        let more = r.wrapping_add(d);
        let high = select_unpredictable(large, (more >> 64) as u64, (r >> 64) as u64);
        let low = select_unpredictable(large, more as u64, r as u64);
        let r = u128::from(high) << 64 | u128::from(low);
        if r >= d { one_more(q1, r, d) } else { (q1, r) }
    }
}

/// q = a / d for a divisor of two limbs, d1 > 0; the remainder. `a` has m ≥ 2 limbs, `q` m − 1.
fn div_rem_two_words(q: &mut [u64], a: &[u64], d1: u64, d0: u64) -> (u64, u64) {
    assert!(a.len() >= 2 && q.len() == a.len() - 1);
    let shift = d1.leading_zeros();
    let top = Top::new(shifted(d1, d0, shift), d0 << shift);
    let at = |i: usize| if i < a.len() { a[i] } else { 0 };
    let (a2, a1) = (a[a.len() - 1], a[a.len() - 2]);
    let mut digits = q.len();
    let (mut n2, mut n1) = (shifted(0, a2, shift), shifted(a2, a1, shift));
    let mut next = a1;
    if a2 < d1 {
        // The first digit is zero.
        digits -= 1;
        q[digits] = 0;
        let below = at(digits.wrapping_sub(1));
        (n2, n1) = (n1, shifted(a1, below, shift));
        next = below;
    }
    for i in (0..digits).rev() {
        let below = at(i.wrapping_sub(1));
        let (digit, r) = top.divide(n2, n1, shifted(next, below, shift));
        (q[i], n2, n1, next) = (digit, (r >> 64) as u64, r as u64, below);
    }
    (n1 >> shift | n2 << 1 << (63 - shift), n2 >> shift)
}

/// q = a / d and a = a mod d in its low limbs; whether the quotient has a one above q. `d` has
/// n ≥ 2 limbs and its top bit set, `a` m ≥ n limbs, `q` m − n. The upper limbs of `a` mean nothing
/// afterwards.
fn schoolbook(q: &mut [u64], a: &mut [u64], d: &[u64], top: Top) -> bool {
    let n = d.len();
    let count = a.len() - n;
    assert!(n >= 2 && q.len() == count);
    let above = compare_same(&a[count..], d).is_ge();
    if above {
        sub_assign(&mut a[count..], d);
    }
    let lower = &d[..n - 2];
    let divisor = u128::from(top.d1) << 64 | u128::from(top.d0);
    // The top two limbs of what is left stay in registers.
    let mut high = u128::from(a[a.len() - 1]) << 64 | u128::from(a[a.len() - 2]);
    for (i, digit) in q.iter_mut().enumerate().rev() {
        let part = &mut a[i..i + n];
        if high == divisor {
            // The digit would be 2^64 or more by the top limbs: it is 2^64 − 1.
            part[n - 1] = high as u64;
            submul_word(part, d, u64::MAX);
            high = u128::from(part[n - 1]) << 64 | u128::from(part[n - 2]);
            *digit = u64::MAX;
            continue;
        }
        let (estimate, rest) = top.divide((high >> 64) as u64, high as u64, part[n - 2]);
        let borrow = submul_word(&mut part[..n - 2], lower, estimate);
        let (rest, under) = rest.overflowing_sub(u128::from(borrow));
        (*digit, high) = (estimate, rest);
        if under {
            // One too large: the estimate ignored the lower limbs.
            *digit = estimate.wrapping_sub(1);
            let carry = add_assign(&mut part[..n - 2], lower);
            high = rest.wrapping_add(divisor).wrapping_add(u128::from(carry));
        }
    }
    (a[n - 2], a[n - 1]) = (high as u64, (high >> 64) as u64);
    above
}

/// Takes quotient·lower from the remainder `a`, and corrects the quotient: a −= q·lower, where a,
/// with the quotient's one above q as `high`, is what the division by the upper limbs of `d` left,
/// and `lower` the limbs of `d` below those. The new one above q.
fn subtract_lower_product(
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
    // The upper half of the quotient from the upper half of the divisor, then what its lower half
    // takes.
    let above = halves(&mut q[low..], &mut a[2 * low..], &d[low..], top, scratch);
    let above = subtract_lower_product(&mut q[low..], above, &mut a[low..low + n], d, low, scratch);
    let below = halves(
        &mut q[..low],
        &mut a[high..high + 2 * low],
        &d[high..],
        top,
        scratch,
    );
    let below = subtract_lower_product(&mut q[..low], below, &mut a[..n], d, high, scratch);
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
        return subtract_lower_product(q, above, &mut a[..n], d, low, scratch);
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

/// Scratch of [`divide`] for a divisor of n limbs: a product of at most n limbs, and that product's
/// own.
fn scratch_for(n: usize) -> usize {
    n + mul_scratch(n.div_ceil(2), n.div_ceil(2)).max(mul_scratch(n, n))
}

/// Limbs of scratch that [`div_rem`] and [`div_rem_to`] need for a dividend of m limbs and a
/// divisor of n.
pub(crate) fn div_rem_scratch(m: usize, n: usize) -> usize {
    let within = if n.min(m + 1 - n) < DIVIDE_LIMBS {
        0
    } else {
        scratch_for(n)
    };
    m + 1 + n + within
}

/// q = a / d and a = a mod d, whose upper limbs become zero. `d` has n limbs, the top one not zero,
/// `a` m ≥ n limbs, `q` m − n + 1.
pub(crate) fn div_rem(q: &mut [u64], a: &mut [u64], d: &[u64], scratch: &mut [u64]) {
    let (m, n) = (a.len(), d.len());
    assert!(n >= 1 && m >= n && q.len() == m - n + 1 && d[n - 1] != 0);
    if n >= 3 && d[n - 1] >> 63 == 1 {
        let (low, top) = q.split_at_mut(m - n);
        top[0] = u64::from(divide(low, a, d, Top::of(d), scratch));
    } else {
        let (copy, scratch) = scratch.split_at_mut(n);
        div_rem_to(q, copy, a, d, scratch);
        a[..n].copy_from_slice(copy);
    }
    a[n..].fill(0);
}

/// q = a / d and rest = a mod d. `d` has n limbs, the top one not zero, `rest` n, `a` m ≥ n, `q`
/// m − n + 1.
pub(crate) fn div_rem_to(
    q: &mut [u64],
    rest: &mut [u64],
    a: &[u64],
    d: &[u64],
    scratch: &mut [u64],
) {
    let (m, n) = (a.len(), d.len());
    assert!(n >= 1 && m >= n && q.len() == m - n + 1 && rest.len() == n && d[n - 1] != 0);
    match d {
        [word] => rest[0] = div_rem_word(q, a, *word),
        [low, high] => {
            (rest[0], rest[1]) = div_rem_two_words(q, a, *high, *low);
        }
        _ => {
            let bits = d[n - 1].leading_zeros();
            let (shifted, scratch) = scratch.split_at_mut(m + 1);
            if bits == 0 {
                shifted[..m].copy_from_slice(a);
                let (low, top) = q.split_at_mut(m - n);
                top[0] = u64::from(divide(low, &mut shifted[..m], d, Top::of(d), scratch));
                rest.copy_from_slice(&shifted[..n]);
                return;
            }
            // The divisor gets its top bit set. The remainder's place holds it meanwhile.
            shl(rest, d, bits);
            shifted[m] = shl(&mut shifted[..m], a, bits);
            let top = Top::of(rest);
            if shifted[m] == 0 {
                let (low, first) = q.split_at_mut(m - n);
                first[0] = u64::from(divide(low, &mut shifted[..m], rest, top, scratch));
            } else {
                // The top limb is below 2^bits: the quotient has no limb above q.
                let above = divide(q, shifted, rest, top, scratch);
                debug_assert!(!above);
            }
            shr(rest, &shifted[..n], bits);
        }
    }
}

/// Longest dividend of [`rem_short`], in limbs.
pub(crate) const SHORT_LIMBS: usize = 16;

/// rest = a mod d for short numbers, with all scratch on the stack. `d` has n ≥ 2 limbs, the top
/// one not zero, `rest` n, `a` n ≤ m ≤ [`SHORT_LIMBS`].
pub(crate) fn rem_short(rest: &mut [u64], a: &[u64], d: &[u64]) {
    let (m, n) = (a.len(), d.len());
    assert!(n >= 2 && (n..=SHORT_LIMBS).contains(&m) && rest.len() == n && d[n - 1] != 0);
    let mut q = [0; SHORT_LIMBS];
    if let [low, high] = *d {
        (rest[0], rest[1]) = div_rem_two_words(&mut q[..m - 1], a, high, low);
        return;
    }
    let mut shifted = [0; SHORT_LIMBS + 1];
    let bits = d[n - 1].leading_zeros();
    // The divisor gets its top bit set. The remainder's place holds it meanwhile.
    shl(rest, d, bits);
    shifted[m] = shl(&mut shifted[..m], a, bits);
    let digits = m - n + usize::from(shifted[m] != 0);
    schoolbook(
        &mut q[..digits],
        &mut shifted[..n + digits],
        rest,
        Top::of(rest),
    );
    shr(rest, &shifted[..n], bits);
}

/// Limbs of scratch that [`div_rem_in_place`] needs for a divisor of n limbs.
pub(super) fn div_rem_in_place_scratch(n: usize) -> usize {
    scratch_for(n)
}

/// q = a / d, and a = a mod d in its low limbs; whether the quotient has a one above q. `d` has
/// n ≥ 1 limbs and its top bit set, `a` m ≥ n limbs, `q` m − n. The upper limbs of `a` mean nothing
/// afterwards.
pub(super) fn div_rem_in_place(
    q: &mut [u64],
    a: &mut [u64],
    d: &[u64],
    scratch: &mut [u64],
) -> bool {
    let [word] = d else {
        return divide(q, a, d, Top::of(d), scratch);
    };
    let v = reciprocal_word(*word);
    let top = a[a.len() - 1];
    let above = top >= *word;
    let mut r = if above { top - word } else { top };
    for (digit, limb) in q.iter_mut().zip(&*a).rev() {
        (*digit, r) = div_two_words(r, *limb, *word, v);
    }
    a[0] = r;
    above
}

#[cfg(test)]
mod tests;
