//! Division: by one or two words, schoolbook, divide and conquer, exact.
//!
//! Quotient digits come from a reciprocal of the divisor's top limbs (Möller and Granlund, *Improved
//! division by invariant integers*, IEEE Trans. Comp. 60 (2011)): two products in place of a
//! hardware division of 128 by 64 bits.
//!
//! | limbs of divisor and quotient | algorithm |
//! |---|---|
//! | divisor of one or two limbs | one pass with a reciprocal |
//! | the shorter below `DIVIDE_LIMBS` | schoolbook |
//! | from there on | divide and conquer (Moenck and Borodin; Burnikel and Ziegler) |

use std::hint::select_unpredictable;

use super::mul::{mul, mul_scratch};
use super::row::submul_word;
use super::shift::{shl, shr};
use super::sum::{add_assign, compare_same, sub_assign, sub_word};

/// Marks a branch that is seldom taken.
#[cold]
fn cold_path() {}

/// From this many limbs of the shorter of divisor and quotient on, divide and conquer is faster.
const DIVIDE_LIMBS: usize = 60;

/// ⌊(2^19 − 3·2^8)/d⌋ for the nine leading bits d of a normalised word, from d = 2^8 on.
static SEEDS: [u16; 256] = {
    let mut seeds = [0; 256];
    let mut i = 0;
    while i < 256 {
        seeds[i] = (((1 << 19) - (3 << 8)) / (256 + i)) as u16;
        i += 1;
    }
    seeds
};

/// ⌊(2^128 − 1)/d⌋ − 2^64 for d ≥ 2^63.
#[inline]
pub(crate) fn reciprocal_word(d: u64) -> u64 {
    debug_assert!(d >> 63 == 1);
    // Möller–Granlund, algorithm 3: Newton's iteration from 11 to 21, 34 and 65 bits.
    let high = |x: u64, y: u64| ((u128::from(x) * u128::from(y)) >> 64) as u64;
    let odd = d & 1;
    let (d40, d63) = ((d >> 24) + 1, (d >> 1) + odd);
    let v0 = u64::from(SEEDS[(d >> 55) as usize - 256]);
    let v1 = (v0 << 11) - ((v0 * v0 * d40) >> 40) - 1;
    let v2 = (v1 << 13) + ((v1 * ((1 << 60) - v1 * d40)) >> 47);
    let e = ((v2 >> 1) & odd.wrapping_neg()).wrapping_sub(v2.wrapping_mul(d63));
    let v3 = (v2 << 31).wrapping_add(high(v2, e) >> 1);
    let product = u128::from(v3) * u128::from(d) + u128::from(d);
    v3.wrapping_sub((product >> 64) as u64).wrapping_sub(d)
}

/// Quotient and remainder of high·2^64 + low by d, for high < d, d ≥ 2^63 and
/// v = reciprocal_word(d).
#[inline]
pub(crate) fn div_two_words(high: u64, low: u64, d: u64, v: u64) -> (u64, u64) {
    let q = u128::from(v) * u128::from(high) + (u128::from(high) << 64 | u128::from(low));
    let (q1, q0) = ((q >> 64) as u64, q as u64);
    let q1 = q1.wrapping_add(1);
    let r = low.wrapping_sub(q1.wrapping_mul(d));
    // Möller–Granlund, algorithm 4: q1 is right, one too large, or (seldom) one too small.
    let large = r > q0;
    let q1 = q1.wrapping_sub(u64::from(large));
    let r = select_unpredictable(large, r.wrapping_add(d), r);
    if r >= d {
        cold_path();
        (q1 + 1, r - d)
    } else {
        (q1, r)
    }
}

/// q = a / d; the remainder. `q` and `a` have one length, d > 0.
pub(crate) fn div_rem_word(q: &mut [u64], a: &[u64], d: u64) -> u64 {
    assert!(q.len() == a.len() && d != 0);
    match (a, &mut *q) {
        ([], _) => return 0,
        ([word], [digit]) => {
            *digit = word / d;
            return word % d;
        }
        _ => {}
    }
    let shift = d.leading_zeros();
    let (d_shifted, v) = (d << shift, reciprocal_word(d << shift));
    let mut digits = a.len();
    let mut next = a[digits - 1];
    let mut r = shifted(0, next, shift);
    if next < d {
        // The first digit is zero.
        digits -= 1;
        q[digits] = 0;
        r = shifted(next, a[digits - 1], shift);
        next = a[digits - 1];
    }
    let (low, q) = q[..digits].split_first_mut().expect("two limbs at least");
    for (digit, limb) in q.iter_mut().zip(a).rev() {
        (*digit, r) = div_two_words(r, shifted(next, *limb, shift), d_shifted, v);
        next = *limb;
    }
    (*low, r) = div_two_words(r, next << shift, d_shifted, v);
    r >> shift
}

/// The upper limb of (high, low) shifted left.
#[inline(always)]
fn shifted(high: u64, low: u64, shift: u32) -> u64 {
    high << shift | low >> 1 >> (63 - shift)
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
    if a.len() >= 4 && d << 1 != 0 {
        return rem_folded(a, d, v, shift);
    }
    // r < d holds from the start. The shift is undone at the end, since
    // (2^s·a) mod (2^s·d) = 2^s·(a mod d).
    let (mut r, mut above) = (0, 0);
    for limb in a.iter().rev() {
        let limb_shifted = shifted(above, *limb, shift);
        above = *limb;
        (_, r) = div_two_words(r, limb_shifted, d, v);
    }
    (_, r) = div_two_words(r, above << shift, d, v);
    r >> shift
}

/// [`rem_word`] for at least two limbs and a divisor d/2^shift > 1: the upper of two limbs is
/// replaced by its product with 2^128 mod d, which takes no quotient.
fn rem_folded(a: &[u64], d: u64, v: u64, shift: u32) -> u64 {
    let b1 = div_two_words(1 << shift, 0, d, v).1;
    let b2 = u128::from(div_two_words(b1, 0, d, v).1 >> shift);
    let (rest, top) = a.split_at(a.len() - 2);
    let (mut low, mut high) = (top[0], top[1]);
    for limb in rest.iter().rev() {
        let pair = u128::from(low) << 64 | u128::from(*limb);
        let (sum, over) = pair.overflowing_add(u128::from(high) * b2);
        // 2^128 ≡ b2 for the carry. The sum is below high·b2 then, so there is no second one.
        let sum = sum.wrapping_add(if over { b2 } else { 0 });
        (high, low) = ((sum >> 64) as u64, sum as u64);
    }
    let (_, r) = div_two_words(shifted(0, high, shift), shifted(high, low, shift), d, v);
    let (_, r) = div_two_words(r, low << shift, d, v);
    r >> shift
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
        if r >= d {
            cold_path();
            (q1.wrapping_add(1), r - d)
        } else {
            (q1, r)
        }
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
    // The upper half of the quotient from the upper half of the divisor, then what its lower half
    // takes.
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

/// Scratch of [`divide`] for a divisor of n limbs: a product of at most n limbs, and that product's
/// own.
fn scratch_for(n: usize) -> usize {
    n + mul_scratch(n.div_ceil(2), n.div_ceil(2)).max(mul_scratch(n, n))
}

/// Limbs of scratch that [`div_rem`] and [`div_rem_to`] need for a dividend of m limbs and a divisor
/// of n.
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

/// A divisor with its top bit set, for divisions by the same number again and again.
pub(crate) struct Divisor {
    /// d·2^bits without its limbs of zero below.
    limbs: Vec<u64>,
    bits: u32,
    /// The limbs of zero below.
    zeros: usize,
    top: Top,
}

impl Divisor {
    /// For d ≥ 2^128, whose top limb is not zero, and whose limbs of zero below leave two limbs.
    pub(crate) fn new(d: &[u64]) -> Divisor {
        let zeros = d.iter().take_while(|limb| **limb == 0).count();
        let bits = d[d.len() - 1].leading_zeros();
        let mut limbs = vec![0; d.len() - zeros];
        shl(&mut limbs, &d[zeros..], bits);
        let top = Top::of(&limbs);
        Divisor {
            limbs,
            bits,
            zeros,
            top,
        }
    }

    /// The limbs of d.
    pub(crate) fn len(&self) -> usize {
        self.zeros + self.limbs.len()
    }

    /// Whether v, whose top limb is not zero, has fewer limbs than d, or a top limb so much lower
    /// that it is below d.
    pub(crate) fn is_above(&self, v: &[u64]) -> bool {
        v.len() < self.len()
            || v.len() == self.len() && v[v.len() - 1] < self.top.d1 >> self.bits
    }

    /// Limbs of scratch that [`Divisor::div_rem`] needs.
    pub(crate) fn scratch(&self) -> usize {
        scratch_for(self.limbs.len())
    }

    /// q = v / d, and v = v mod d in its low limbs, as many as d has; the limbs above mean nothing.
    /// v has m ≥ [`Divisor::len`] limbs, q m − len + 1. `scratch` has [`Divisor::scratch`] limbs and
    /// m + 1 more.
    pub(crate) fn div_rem(&self, q: &mut [u64], v: &mut [u64], scratch: &mut [u64]) {
        let (m, n) = (v.len(), self.limbs.len());
        let (shifted, scratch) = scratch.split_at_mut(m + 1);
        shifted[m] = shl(&mut shifted[..m], v, self.bits);
        let upper = &mut shifted[self.zeros..];
        if upper[m - self.zeros] == 0 {
            let (low, first) = q.split_at_mut(m - self.zeros - n);
            let upper = &mut upper[..m - self.zeros];
            first[0] = u64::from(divide(low, upper, &self.limbs, self.top, scratch));
        } else {
            let above = divide(q, upper, &self.limbs, self.top, scratch);
            debug_assert!(!above);
        }
        let len = self.len();
        shr(&mut v[..len], &shifted[..len], self.bits);
    }
}
