//! Half-GCD of numbers of a few thousand bits: Lehmer's algorithm, two words at a time.
//!
//! Euclid's remainders r_0 = a ≥ r_1 = b > r_2 > …, r_(k+1) = r_(k−1) − q_k·r_k, are written with
//! the product M of the [[q, 1], [1, 0]] so far: (a, b) = M·(c, d), where (c, d) are two remainders
//! in a row. M has natural entries, the first row is not below the second, the first column not
//! below the second, and det M = ±1 by the parity of the steps. As a = m00·c + m01·d, m01 ≤ m00 ≤
//! a/c.
//!
//! **Quotients from leading digits** (Lehmer 1938, Collins 1980, Jebelean 1995). Let a and b be
//! numbers cut off at 2^s: the true ones are between 2^s·a and 2^s·(a + 1). Steps on (a, b) that
//! gave M and (c, d) turn the true ones into C and D with |C − 2^s·c| < 2^s·m01 and
//! |D − 2^s·d| < 2^s·m00, for C = ±(m11·A − m01·B) has coefficients of opposite signs, none above
//! m01, and D alike. The last quotient is the true one iff 0 ≤ D < C, for which
//!
//! ```text
//!     d ≥ m00   and   c − d ≥ m00 + m01                                     (1)
//! ```
//!
//! suffice. Then the quotients before it are right too: going back one step, c grows to q·c + d, M
//! shrinks, and the difference becomes at least d ≥ m00 ≥ the sum of the earlier m00 and m01.
//!
//! **One word.** From the leading 64 bits, steps are made as long as (1) holds and c ≥ 2^32, so the
//! entries are below 2^64/2^32 and two of them share a word: a column is updated by one product.
//!
//! **Two words.** The first such matrix is applied to the leading 128 bits, which are then A1 ≥
//! 2^96 and B1; the second matrix comes from the leading 64 bits of A1, cut off at 2^s2, s2 ≥ 33,
//! with c ≥ 2^33 and 2^31 to spare in both parts of (1). In units of 2^s2 the 128-bit (C, D) are
//! off by less than m01 and m00 ≤ 2^31 there, so C ≥ (2^33 − 2^31)·2^33 > 2^65, the product of both
//! matrices has entries below 2^128/2^65 = 2^63, and D ≥ 2^31·2^33 and C − D ≥ 2^64 satisfy (1) for
//! it.
//!
//! **Where to stop.** Steps end at the first remainder below 2^bits, exactly: c ≥ 2^bits > d.
//! Whenever b ≥ 2^bits the next full step is allowed, since it makes c = b. A step from leading
//! digits must keep the true C ≥ 2^bits, which C > 2^s·(c − m01) shows if c is at least 2^(bits−s)
//! + 2^32 (or 2^33 for the second word, by the bounds above).

#![allow(unsafe_code)]

mod division;
mod row;
mod symbol;
mod words;

pub(crate) use row::{Entries, reduce_row, reduce_rows};
pub(crate) use symbol::Symbol;
pub(crate) use words::cofactors_of_words;

use std::hint::select_unpredictable;
use std::mem::swap;

use self::division::{add_product, divide, is_below, leading};
use super::bit_length;

/// (a, b) = M·(c, d) with M = [[m00, m01], [m10, m11]].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matrix {
    /// m00, m01, m10, m11: little-endian limbs.
    pub(crate) entries: [Vec<u64>; 4],
    /// Whether the determinant is −1, not 1.
    pub(crate) odd: bool,
}

impl Matrix {
    /// No quotients, and room for entries of so many limbs.
    pub(crate) fn identity(capacity: usize) -> Matrix {
        let entry = |value| {
            let mut limbs = Vec::with_capacity(capacity);
            limbs.push(value);
            limbs
        };
        Matrix {
            entries: [entry(1), entry(0), entry(0), entry(1)],
            odd: false,
        }
    }

    /// M·E for a step E.
    fn append(&mut self, step: &Step) {
        let [e00, e01, e10, e11] = step.entries;
        let [m00, m01, m10, m11] = &mut self.entries;
        let top0 = combine(m00, m01, [e00, e10, e01, e11]);
        let top1 = combine(m10, m11, [e00, e10, e01, e11]);
        if (top0.0 | top0.1 | top1.0 | top1.1) != 0 {
            m00.push(top0.0);
            m01.push(top0.1);
            m10.push(top1.0);
            m11.push(top1.1);
        }
        self.odd ^= step.odd;
    }

    /// M·[[q, 1], [1, 0]] for a quotient of any length.
    fn append_quotient(&mut self, q: &[u64]) {
        let len = self.entries[0].len() + q.len() + 1;
        let [m00, m01, m10, m11] = &mut self.entries;
        for (first, second) in [(m00, m01), (m10, m11)] {
            second.resize(len, 0);
            for (i, digit) in q.iter().enumerate() {
                add_product(&mut second[i..], first, *digit);
            }
            first.resize(len, 0);
            swap(first, second);
        }
        while self.entries[0].last() == Some(&0) {
            for entry in &mut self.entries {
                entry.pop();
            }
        }
        self.odd = !self.odd;
    }
}

/// The least c of the first word, 1.625·2^32: then c − m01 ≥ c − 2^64/c > 2^32.
const FIRST_FLOOR: u64 = 13 << 29;
/// The least c of the second word.
const SECOND_FLOOR: u64 = 1 << 33;
/// What the second word has to spare in (1).
const SPARE: u64 = 1 << 31;

/// The half of a word that holds the entry of the first row.
const LOW: u64 = 0xffff_ffff;

/// Some of Euclid's steps at once; the entries are below 2^63.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    entries: [u64; 4],
    odd: bool,
}

/// a / b and a mod b for b ≥ 2^32, by a division of doubles, which is faster than one of words.
///
/// The halves of both numbers are off by less than 1, so by 2^-31 of b's part, and the three
/// roundings by 2^-53 of a part. With a/b < 2^32 the quotient is off by one at most. One too small
/// leaves r ≥ b. One too large leaves r = a − q·b < 0, which wraps to at least 2^64 − b ≥ b if
/// b ≤ 2^63; for a larger b the quotient 2 means that a is near 2b, so b near 2^63 and r near 2^64.
#[inline(always)]
fn quotient(a: u64, b: u64) -> (u64, u64) {
    debug_assert!(b >> 32 != 0);
    let ratio = (a >> 1) as i64 as f64 / (b >> 1) as i64 as f64;
    // SAFETY: The ratio is between 0 and 2^33.
    let q = unsafe { ratio.to_int_unchecked::<i64>() } as u64;
    let r = a.wrapping_sub(q.wrapping_mul(b));
    if r >= b { by_words(a, b) } else { (q, r) }
}

/// [`quotient`] where the doubles say too little.
#[cold]
#[inline(never)]
fn by_words(a: u64, b: u64) -> (u64, u64) {
    (a / b, a % b)
}

/// Euclid's steps on 2^63 ≤ a < 2^64 and b ≤ a while c ≥ floor ≥ 2^32 and (1) holds with `spare` to
/// spare. The two entries of each column of M share a word, that of the first row below.
///
/// Where r = a mod b is above b/2 the next quotient is 1 and both steps are made at once, chosen
/// without a branch: the chain of divisions is what this costs, and it gets shorter by 3/10.
///
/// The symbol follows the steps that count where `TRACK` says so.
#[inline]
fn from_word<const TRACK: bool>(
    mut a: u64,
    mut b: u64,
    floor: u64,
    spare: u64,
    symbol: &mut Symbol,
) -> (u64, u64, bool) {
    let (mut first, mut second) = (1u64, 1u64 << 32);
    let mut odd = false;
    // (1) for (c, d) and the columns; entries are below 2^32 if c ≥ 2^32, else it does not matter
    // what they are.
    let certain = |c: u64, d: u64, first: u64, second: u64| {
        let bound = (first & LOW) + spare;
        c >= floor && d >= bound && c - d >= bound + (second & LOW)
    };
    while b >= floor {
        let (q, r) = quotient(a, b);
        let rest = b - r;
        let next = first.wrapping_mul(q).wrapping_add(second);
        let twice = rest < r;
        let c = select_unpredictable(twice, r, b);
        let d = select_unpredictable(twice, rest, r);
        let last = select_unpredictable(twice, next, first);
        let both = next.wrapping_add(select_unpredictable(twice, first, 0));
        let mut after_one = *symbol;
        if TRACK {
            after_one.push(q);
        }
        if !certain(c, d, both, last) {
            if twice && certain(b, r, next, first) {
                (first, second, odd) = (next, first, !odd);
                *symbol = after_one;
            }
            break;
        }
        if TRACK {
            let mut after_two = after_one;
            after_two.push(1);
            *symbol = select_unpredictable(twice, after_two, after_one);
        }
        (a, b, first, second) = (c, d, both, last);
        odd ^= !twice;
    }
    (first, second, odd)
}

/// Euclid's steps on b ≤ a < 2^63 while b ≥ stop. Entries are at most a/c.
fn in_a_word<const TRACK: bool>(a: &mut u64, b: &mut u64, stop: u64, symbol: &mut Symbol) -> Step {
    let [mut m00, mut m01, mut m10, mut m11] = [1, 0, 0, 1];
    let mut odd = false;
    while *b >= stop {
        let (q, r) = words::div_rem(*a, *b);
        (*a, *b) = (*b, r);
        (m00, m01) = (m00 * q + m01, m00);
        (m10, m11) = (m10 * q + m11, m10);
        odd = !odd;
        if TRACK {
            symbol.push(q);
        }
    }
    Step {
        entries: [m00, m01, m10, m11],
        odd,
    }
}

/// The columns that share a word as m00, m01, m10, m11.
#[inline]
fn unpack(first: u64, second: u64) -> [u64; 4] {
    [first & LOW, second & LOW, first >> 32, second >> 32]
}

/// Steps from the leading 128 bits of a and b ≤ a, a having `n` bits, such that c ≥ 2^bits; none
/// where none is certain.
#[inline]
fn from_two_words<const TRACK: bool>(
    a: u128,
    b: u128,
    n: u64,
    bits: u64,
    symbol: &mut Symbol,
) -> Option<Step> {
    // The least c in units of the leading word's last bit, as the head of this file says.
    let floor = |shift: i64, least: u64| match bits as i64 - shift {
        ..=0 => Some(least),
        above @ 1..=62 => Some((1u64 << above) + least),
        _ => None,
    };
    let shift = n as i64 - 64;
    let (first, second, odd) = from_word::<TRACK>(
        (a >> 64) as u64,
        (b >> 64) as u64,
        floor(shift, FIRST_FLOOR)?,
        0,
        symbol,
    );
    if second == 1 << 32 {
        return None;
    }
    let m = unpack(first, second);
    let one = Step { entries: m, odd };
    let [m00, m01, m10, m11] = m.map(u128::from);
    let (mut c, mut d) = (
        a.wrapping_mul(m11).wrapping_sub(b.wrapping_mul(m01)),
        b.wrapping_mul(m00).wrapping_sub(a.wrapping_mul(m10)),
    );
    if odd {
        (c, d) = (c.wrapping_neg(), d.wrapping_neg());
    }
    let zeros = c.leading_zeros();
    debug_assert!(d < c && zeros < 32);
    let Some(floor) = floor(shift - i64::from(zeros), SECOND_FLOOR) else {
        return Some(one);
    };
    let word = |x: u128| (x << zeros >> 64) as u64;
    let (first, second, flips) = from_word::<TRACK>(word(c), word(d), floor, SPARE, symbol);
    let [n00, n01, n10, n11] = unpack(first, second);
    let [m00, m01, m10, m11] = m;
    Some(Step {
        entries: [
            m00 * n00 + m01 * n10,
            m00 * n01 + m01 * n11,
            m10 * n00 + m11 * n10,
            m10 * n01 + m11 * n11,
        ],
        odd: odd ^ flips,
    })
}

/// (x, y) ← (x·e0 + y·e1, x·e2 + y·e3), and the limbs above them; x and y as long as each other, e
/// below 2^63.
#[inline]
fn combine(x: &mut [u64], y: &mut [u64], e: [u64; 4]) -> (u64, u64) {
    let [e0, e1, e2, e3] = e.map(u128::from);
    let (mut above_x, mut above_y) = (0u128, 0u128);
    for (x, y) in x.iter_mut().zip(y) {
        let (s, t) = (u128::from(*x), u128::from(*y));
        // Two products below 2^127 and a limb.
        above_x += s * e0 + t * e1;
        above_y += s * e2 + t * e3;
        (*x, *y) = (above_x as u64, above_y as u64);
        (above_x, above_y) = (above_x >> 64, above_y >> 64);
    }
    (above_x as u64, above_y as u64)
}

/// (a, b) ← M^-1·(a, b), which is known to be natural; a and b as long as each other.
#[inline]
fn apply(step: &Step, a: &mut [u64], b: &mut [u64]) {
    let [m00, m01, m10, m11] = step.entries;
    if step.odd {
        differences::<true>([m10, m00, m11, m01], a, b);
    } else {
        differences::<false>([m11, m01, m10, m00], a, b);
    }
}

/// (x, y) = (p·a − q·b, s·b − r·a) for entries p, q, r and s below 2^63 and natural x and y;
/// (a, b) ← (x, y), or (y, x) where `SWAP` says so.
#[inline]
fn differences<const SWAP: bool>([p, q, r, s]: [u64; 4], a: &mut [u64], b: &mut [u64]) {
    let wide = |x: u64, y: u64| u128::from(x) * u128::from(y);
    // −q·b = q·(2^(64n) − 1 − b) + q − q·2^(64n): sums alone, which with their carry are below
    // 2^128, and the carries at the end are q and r.
    let (mut sum_x, mut sum_y) = (u128::from(q), u128::from(r));
    for (a, b) in a.iter_mut().zip(b) {
        sum_x += wide(*a, p) + wide(!*b, q);
        sum_y += wide(*b, s) + wide(!*a, r);
        let low = (sum_x as u64, sum_y as u64);
        (*a, *b) = if SWAP { (low.1, low.0) } else { low };
        (sum_x, sum_y) = (sum_x >> 64, sum_y >> 64);
    }
    debug_assert!(sum_x == u128::from(q) && sum_y == u128::from(r));
}

/// Euclid's algorithm on a ≥ b until the first remainder below 2^bits: (a, b) = M·(c, d) and c ≥
/// 2^bits > d. Leaves c and d in a and b, both as long as c. Needs a ≥ 2^bits; with b < 2^bits
/// already, M is the identity. `symbol` follows the quotients.
pub(crate) fn reduce_to(
    a: &mut Vec<u64>,
    b: &mut Vec<u64>,
    bits: u64,
    symbol: Option<&mut Symbol>,
) -> Matrix {
    let n = bit_length(a);
    debug_assert!(n > bits);
    // Entries are at most a/c < 2^(n−bits); one more limb for what `append_quotient` holds
    // meanwhile.
    let mut matrix = Matrix::identity(((n - bits) / 64) as usize + 4);
    let note = |step: Progress| match step {
        Progress::Step(step) => matrix.append(step),
        Progress::Quotient(q) => matrix.append_quotient(q),
    };
    match symbol {
        Some(symbol) => euclid_of_vectors::<true>(a, b, bits, symbol, note),
        None => euclid_of_vectors::<false>(a, b, bits, &mut Symbol::of(0, 0, false), note),
    }
    matrix
}

/// gcd(a, b) into a, without leading zero limbs, for a ≥ b, by Euclid's quotients, which `symbol`
/// follows.
pub(crate) fn gcd_with_symbol(a: &mut Vec<u64>, b: &mut Vec<u64>, symbol: &mut Symbol) {
    euclid_of_vectors::<true>(a, b, 0, symbol, |_| ());
}

/// gcd(a, b) into a, without leading zero limbs, for a ≥ b.
pub(crate) fn gcd(a: &mut Vec<u64>, b: &mut Vec<u64>) {
    let len = a.len().max(b.len());
    a.resize(len, 0);
    b.resize(len, 0);
    let len = super::gcd::gcd(a, b);
    a.truncate(len);
}

enum Progress<'a> {
    Step(&'a Step),
    Quotient(&'a [u64]),
}

fn euclid_of_vectors<const TRACK: bool>(
    a: &mut Vec<u64>,
    b: &mut Vec<u64>,
    bits: u64,
    symbol: &mut Symbol,
    note: impl FnMut(Progress),
) {
    b.resize(a.len(), 0);
    let len = euclid::<TRACK>(a, b, bits, symbol, note);
    a.truncate(len);
    b.truncate(len);
}

/// Euclid's algorithm on a ≥ b of one length until b < 2^bits. The limbs of a without leading
/// zeros; b has none above them.
fn euclid<const TRACK: bool>(
    a: &mut [u64],
    b: &mut [u64],
    bits: u64,
    symbol: &mut Symbol,
    mut note: impl FnMut(Progress),
) -> usize {
    debug_assert!(a.len() == b.len() && !is_below(a, b));
    let mut len = a.len();
    loop {
        while len > 0 && a[len - 1] == 0 {
            len -= 1;
        }
        let (a, b) = (&mut a[..len], &mut b[..len]);
        if bit_length(b) <= bits {
            return len;
        }
        if let ([x], [y]) = (&mut a[..], &mut b[..])
            && *x >> 63 == 0
        {
            let step = in_a_word::<TRACK>(x, y, 1 << bits, symbol);
            note(Progress::Step(&step));
            return 1;
        }
        let n = 64 * a.len() as u64 - u64::from(a[a.len() - 1].leading_zeros());
        match from_two_words::<TRACK>(leading(a, n), leading(b, n), n, bits, symbol) {
            Some(step) => {
                apply(&step, a, b);
                note(Progress::Step(&step));
            }
            None => {
                let q = divide(a, b);
                if TRACK {
                    symbol.push(q[0]);
                }
                note(Progress::Quotient(&q));
            }
        }
    }
}

#[cfg(test)]
mod tests;
