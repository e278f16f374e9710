//! Quotients and remainders, with one row per lane.
//!
//! The divisors d have D ≥ 3 digits each and are shifted until their top bit is the top bit of
//! digit D − 1. The dividends are shifted as much, and are below d·2^(52Q). Schoolbook division:
//! for i = Q − 1 down to 0, the rest is V·2^(52i) and lower digits with V < d·2^52, and digit i of
//! the quotient is q = ⌊V/d⌋. The rest is stored in columns whose carries are not propagated. A
//! column is a digit less at most min(D, Q) low and as many high halves of products. D + Q ≤ 632,
//! as rows have at most 512 limbs, so columns are below 2^62 in size.
//!
//! The digit. Let t1, t0 and tm be the top three columns of V, t1 with what is above it, so that V
//! is (t1·2^52 + t0 + tm/2^52 + e)·2^(52(D − 1)) with |e| < 2^−40. Likewise d is
//! u·2^(52(D − 1)) with 2^51 ≤ u < 2^52, and `inverse` is 1/u with a relative error below 2^−51.
//!
//! - q0 = ⌊(t1·2^52 + t0)·inverse⌋, in floating point, limited to the digits. For V ≥ 0 it differs
//!   from V/d by less than 5: 1 for the rounded sum, 2 for the inverse, 1/2 for the rounded
//!   product, less than 1/4 for tm and e, and 1 for the floor.
//! - rho, the integer part of V − q0·d in the same units, by the top two digits of d. The neglected
//!   parts (the lower digits of d, fractions, e) are less than 2 in size. |rho| < 2^55.
//! - q = q0 + ⌊rho·inverse + 2^−45⌋. Here rho·inverse differs from (V − q0·d)/d by less than 2^−47:
//!   2^−50 for what is left out, 2^−48 for the inverse, 2^−50 for rho as a number, and roundings.
//!   So q is right, or one too large where V/d is less than 2^−44 below an integer.
//!
//! A digit that is one too large leaves a number from −d/2^44 to 0. Then V/d is from −2^8 to 0, the
//! sums have room for that, and the next digit is negative, or 0 if V/d is above −2^−44, which
//! again leaves a negative number. A lane with a digit that is no digit, or with a remainder that
//! is not from 0 to d − 1 in the end, is given up: its row is divided by the floor. In all other
//! lanes the digits and the remainder are right, because dividend = quotient·d + remainder holds
//! whatever the digits are. Lanes do not touch each other.

#![allow(unsafe_code)]

use super::{BITS, Lanes, ROWS, Sum};
use crate::word::sum::compare;
use crate::word::{bit_length, trimmed};

/// Fewest digits of a divisor.
const LEAST_DIGITS: u64 = 3;

/// A dividend and a divisor, which is not zero.
#[derive(Clone, Copy)]
pub(in crate::batch::arith) struct Division<'a> {
    /// Without leading zero limbs, both.
    pub(in crate::batch::arith) dividend: &'a [u64],
    pub(in crate::batch::arith) divisor: &'a [u64],
    divisor_bits: u64,
    /// Maximum bits of the quotient.
    quotient_bits: u64,
}

impl<'a> Division<'a> {
    pub(in crate::batch::arith) fn new(dividend: &'a [u64], divisor: &'a [u64]) -> Division<'a> {
        let (dividend, divisor) = (trimmed(dividend), trimmed(divisor));
        let divisor_bits = bit_length(divisor);
        Division {
            dividend,
            divisor,
            divisor_bits,
            quotient_bits: (bit_length(dividend) + 1).saturating_sub(divisor_bits),
        }
    }

    /// Digits of the divisor.
    pub(in crate::batch::arith) fn digits(&self) -> u64 {
        self.divisor_bits.div_ceil(u64::from(BITS))
    }

    /// Maximum digits of the quotient.
    pub(in crate::batch::arith) fn quotient_digits(&self) -> u64 {
        self.quotient_bits.div_ceil(u64::from(BITS))
    }

    /// Whether lanes can divide it.
    pub(in crate::batch::arith) fn fits(&self) -> bool {
        self.digits() >= LEAST_DIGITS && self.quotient_bits > 0
    }
}

/// The lengths of a block of divisions in digits.
#[derive(Clone, Copy)]
pub(super) struct DivisionLengths {
    /// D.
    pub(super) divisor: usize,
    /// Q.
    pub(super) quotient: usize,
}

/// The excess of `low` low and `high` high halves.
#[inline(always)]
fn excess<L: Lanes>(low: i64, high: i64) -> Sum<L> {
    L::excess(low as u64, high as u64)
}

/// The limbs of the rows: vector i has limb i of every row, zeros above those there are.
#[inline(always)]
fn load_limbs<L: Lanes>(rows: &[&[u64]; ROWS], out: &mut [Sum<L>]) {
    for (i, out) in out.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
        for l in 0..ROWS {
            let (chunks, rest) = rows[l].as_chunks::<ROWS>();
            out[l] = if i < chunks.len() {
                L::load(&chunks[i])
            } else if i == chunks.len() {
                let mut words = [0; ROWS];
                words[..rest.len()].copy_from_slice(rest);
                L::load(&words)
            } else {
                L::zero()
            };
        }
        L::transpose(out);
    }
}

/// The opposite of [`load_limbs`]: all limbs of the rows of `out`, zeros above those there are.
#[inline(always)]
fn store_limbs<L: Lanes>(limbs: &mut [Sum<L>], out: &mut [&mut [u64]]) {
    for (i, chunk) in limbs.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
        L::transpose(chunk);
        for l in 0..out.len() {
            let (chunks, rest) = out[l].as_chunks_mut::<ROWS>();
            if i < chunks.len() {
                L::store(chunk[l], &mut chunks[i]);
            } else if i == chunks.len() {
                let mut words = [0; ROWS];
                L::store(chunk[l], &mut words);
                rest.copy_from_slice(&words[..rest.len()]);
            }
        }
    }
    for row in out {
        let from = limbs.len().min(row.len());
        row[from..].fill(0);
    }
}

/// The digits of numbers times 2^shift, from their limbs, above which there is a zero. Shifts are
/// below 52.
#[inline(always)]
fn digits<L: Lanes>(limbs: &[Sum<L>], shift: Sum<L>, out: &mut [Sum<L>]) {
    let rest = L::sub(L::splat(BITS.into()), shift);
    let mut below = L::zero();
    for (i, out) in out.iter_mut().enumerate() {
        let (at, bit) = (BITS as usize * i / 64, (BITS as usize * i % 64) as u64);
        let low = L::shift_right(limbs[at], L::splat(bit));
        let high = L::shift_left(limbs[at + 1], L::splat(64 - bit));
        let digit = L::low_bits(L::or(low, high));
        let shifted = L::or(L::shift_left(digit, shift), L::shift_right(below, rest));
        *out = L::low_bits(shifted);
        below = digit;
    }
}

/// Divides numbers by 2^shift, all but two digits, which are zeros above them. Shifts are below 52.
#[inline(always)]
fn shift_digits<L: Lanes>(digits: &mut [Sum<L>], shift: Sum<L>) {
    let rest = L::sub(L::splat(BITS.into()), shift);
    for i in 0..digits.len() - 2 {
        let above = L::shift_left(digits[i + 1], rest);
        digits[i] = L::low_bits(L::or(L::shift_right(digits[i], shift), above));
    }
}

/// The limbs of numbers from their digits, above which there are two zeros.
#[inline(always)]
fn limbs<L: Lanes>(digits: &[Sum<L>], out: &mut [Sum<L>]) {
    let bits = u64::from(BITS);
    let count = (BITS as usize * (digits.len() - 2)).div_ceil(64);
    let (out, above) = out.split_at_mut(count);
    for (i, out) in out.iter_mut().enumerate() {
        let (at, bit) = (64 * i / BITS as usize, (64 * i % BITS as usize) as u64);
        let low = L::shift_right(digits[at], L::splat(bit));
        let middle = L::shift_left(digits[at + 1], L::splat(bits - bit));
        let high = L::shift_left(digits[at + 2], L::splat(2 * bits - bit));
        *out = L::or(low, L::or(middle, high));
    }
    above.fill(L::zero());
}

/// The top three columns of the rest before step i, where the first includes all higher columns.
/// `columns` has the negative of the rest, plus an excess.
#[inline(always)]
fn top<L: Lanes>(columns: &[Sum<L>], divisor: usize, i: isize) -> [Sum<L>; 3] {
    let at = (i + divisor as isize) as usize;
    let above = L::sub(excess::<L>(2, 3), columns[at + 1]);
    let first = L::sub(excess::<L>(2, 2), columns[at]);
    let second = L::sub(excess::<L>(1, 1), columns[at - 1]);
    let third = L::sub(L::zero(), columns[at - 2]);
    let first = L::add(first, L::shift_left(above, L::splat(BITS.into())));
    [first, second, third]
}

/// Makes the columns of the dividend's digits: these negative, less the excess of the steps before
/// column c is the third from the top, before step i = c − D + 2. So the column has no excess then,
/// and [`top`] knows that of the later steps. Columns that are above the third from the first step
/// on get the excess that [`top`] takes away.
#[inline(always)]
fn columns<L: Lanes>(digits: &mut [Sum<L>], shape: DivisionLengths) {
    let (d, q) = (shape.divisor as i64, shape.quotient as i64);
    for c in 0..d + q + 1 {
        let excess = match c - (d + q - 3) {
            1 => excess::<L>(-1, -1),
            2 => excess::<L>(-2, -2),
            3 => excess::<L>(-2, -3),
            _ => {
                // Steps i to Q − 1 that add a low half, c − D < i ≤ c, and a high half.
                let first = (c - d + 3).max(0);
                let steps = |last: i64| (last.min(q - 1) - first + 1).max(0);
                excess::<L>(steps(c), steps(c - 1))
            }
        };
        let c = c as usize;
        digits[c] = L::sub(L::zero(), L::add(digits[c], excess));
    }
}

/// Takes `len` vectors of the remaining ones.
#[inline(always)]
fn take<'a, T>(left: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (taken, rest) = std::mem::take(left).split_at_mut(len);
    *left = rest;
    taken
}

/// Limbs of a number of `digits` digits, rounded up to whole chunks.
fn limbs_of(digits: usize) -> usize {
    (BITS as usize * digits).div_ceil(64).next_multiple_of(ROWS)
}

impl DivisionLengths {
    /// Vectors of scratch that [`divide`] needs.
    fn scratch(self) -> usize {
        let (d, q) = (self.divisor, self.quotient);
        (limbs_of(d + q) + 1) + (d + 2) + d + (d + q + 1) + (q + 2)
    }
}

/// Divides. Returns a mask of the lanes whose results are wrong. All divisors have the number of
/// digits of `shape`.
#[inline(always)]
pub(super) fn divide<L: Lanes>(
    dividends: &[&[u64]; ROWS],
    divisors: &[&[u64]; ROWS],
    shape: DivisionLengths,
    quotients: &mut [&mut [u64]],
    remainders: &mut [&mut [u64]],
    mut scratch: &mut [Sum<L>],
) -> u8 {
    let (d, q) = (shape.divisor, shape.quotient);
    assert!(d >= LEAST_DIGITS as usize && q > 0);
    let mut shifts = [0; ROWS];
    for l in 0..ROWS {
        shifts[l] = d as u64 * u64::from(BITS) - bit_length(divisors[l]);
    }
    let shift = L::load(&shifts);
    let words = take(&mut scratch, limbs_of(d + q) + 1);
    let (rest, factors) = (take(&mut scratch, d + 2), take(&mut scratch, d));
    let (columns, quotient) = (take(&mut scratch, d + q + 1), take(&mut scratch, q + 2));
    load_limbs::<L>(divisors, &mut words[..limbs_of(d)]);
    words[limbs_of(d)] = L::zero();
    digits::<L>(words, shift, &mut rest[..d]);
    load_limbs::<L>(dividends, &mut words[..limbs_of(d + q)]);
    words[limbs_of(d + q)] = L::zero();
    digits::<L>(words, shift, &mut columns[..d + q]);
    columns[d + q] = L::zero();
    for i in 0..2 {
        (rest[d + i], quotient[q + i]) = (L::zero(), L::zero());
    }
    self::columns::<L>(columns, shape);
    let (d1, d0) = (rest[d - 1], rest[d - 2]);
    let inverse = L::inverse(L::add_real(
        L::real(d1),
        L::mul_real(L::real(d0), L::splat_real(1.0 / (1u64 << BITS) as f64)),
    ));
    for j in 0..d {
        factors[j] = L::to_bits(L::digit(rest[j]));
    }
    let (f1, f0) = (L::from_bits(factors[d - 1]), L::from_bits(factors[d - 2]));
    let mut bad = 0;
    for i in (0..q).rev() {
        let [t1, t0, tm] = top::<L>(columns, d, i as isize);
        let head = L::mul_real(L::real(t1), L::splat_real((1u64 << BITS) as f64));
        let head = L::add_real(head, L::real(t0));
        let guess = L::clamp(L::floor(L::mul_real(head, inverse)));
        // rho.
        let mut low = excess::<L>(-1, 0);
        let mut middle = excess::<L>(-1, -1);
        let mut high = excess::<L>(0, -1);
        L::multiply_add(&mut middle, &mut high, L::digit(guess), f1);
        L::multiply_add(&mut low, &mut middle, L::digit(guess), f0);
        let rho = L::add(
            L::shift_left(L::sub(t1, high), L::splat(BITS.into())),
            L::add(L::sub(t0, middle), L::signed_carry(L::sub(tm, low))),
        );
        let more = L::mul_real(L::real(rho), inverse);
        let more = L::floor(L::add_real(more, L::splat_real(1.0 / (1u64 << 45) as f64)));
        let digit = L::add(guess, more);
        bad |= L::outside(digit);
        quotient[i] = L::low_bits(digit);
        // The columns from the top on: the next digit waits for the upper ones.
        let factor = L::digit(digit);
        let (first, upper) = columns[i..i + d + 1].split_at_mut(1);
        let mut low = L::zero();
        for (column, divisor) in upper.iter_mut().rev().zip(factors.iter().rev()) {
            let (mut next, mut sum) = (L::zero(), *column);
            L::multiply_add(&mut next, &mut sum, factor, L::from_bits(*divisor));
            *column = L::add(sum, low);
            low = next;
        }
        first[0] = L::add(first[0], low);
    }
    // The remainder, carried.
    let mut carry = L::zero();
    let [t1, t0, _] = top::<L>(columns, d, -1);
    for j in 0..d {
        let column = match d - j {
            1 => t1,
            2 => t0,
            _ => L::sub(L::zero(), columns[j]),
        };
        let sum = L::add(column, carry);
        rest[j] = L::low_bits(sum);
        carry = L::signed_carry(sum);
    }
    bad |= L::outside(carry) | L::outside(L::sub(L::zero(), carry));
    shift_digits::<L>(rest, shift);
    let (longer, shorter) = (limbs_of(q), limbs_of(d));
    limbs::<L>(quotient, &mut words[..longer]);
    store_limbs::<L>(&mut words[..longer], quotients);
    limbs::<L>(rest, &mut words[..shorter]);
    store_limbs::<L>(&mut words[..shorter], remainders);
    bad
}

/// The quotient and the remainder of each row, in slices of any length that has room for them; the
/// rows, a bit each, that must be divided in another way. There are at most ROWS rows, and at least
/// one. All fit, and their divisors have as many digits. `scratch` is lengthened as needed.
pub(super) fn quotients<L: Lanes>(
    rows: &[Division<'_>],
    quotients: &mut [&mut [u64]],
    remainders: &mut [&mut [u64]],
    scratch: &mut Vec<u64>,
) -> u8 {
    assert!((1..=ROWS).contains(&rows.len()));
    assert!(quotients.len() == rows.len() && remainders.len() == rows.len());
    // The last row fills the lanes that are left.
    let all: [Division<'_>; ROWS] = std::array::from_fn(|i| rows[i.min(rows.len() - 1)]);
    let digits = all[0].digits();
    assert!(all.iter().all(|row| row.fits() && row.digits() == digits));
    let most = all.iter().map(Division::quotient_digits).max();
    let shape = DivisionLengths {
        divisor: digits as usize,
        quotient: most.unwrap_or(0) as usize,
    };
    let divisors = all.each_ref().map(|row| row.divisor);
    let dividends = all.each_ref().map(|row| row.dividend);
    // One vector more, of which a part comes before the first aligned one.
    let needed = ROWS * (shape.scratch() + 1);
    if scratch.len() < needed {
        scratch.resize(needed, 0);
    }
    // SAFETY: a vector is ROWS words of 64 bits, any bits are such a vector, and any bits of a
    // vector are words.
    let vectors = unsafe { scratch.align_to_mut::<Sum<L>>().1 };
    let mut bad = L::divide(&dividends, &divisors, shape, quotients, remainders, vectors);
    for (i, remainder) in remainders.iter().enumerate() {
        bad |= u8::from(compare(trimmed(remainder), divisors[i]).is_ge()) << i;
    }
    bad
}
