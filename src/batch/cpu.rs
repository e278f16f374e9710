//! Linear operations on rows with the host's cores: rows are independent, so threads share them
//! out.

use std::cmp::Ordering;

use super::Pairwise;
use crate::error::Result;
use crate::limbs::BitChange;
use crate::threads::{self, chunk};
use crate::word::sum;

/// Rows handed to a thread at a time: enough that handing them out costs nothing.
fn rows_at_once(width: usize) -> usize {
    (4096 / width).max(1)
}

/// `out` from `a` and `b`, a few rows at a time.
fn by_rows(
    a: &[u64],
    b: &[u64],
    width: usize,
    work: impl Fn(&mut [u64], &[u64], &[u64]) + Sync,
) -> Vec<u64> {
    let mut out = vec![0; a.len()];
    let step = width * rows_at_once(width);
    threads::chunks_mut(&mut out, step, 1, |i, out| {
        for ((out, a), b) in out
            .chunks_exact_mut(width)
            .zip(chunk(a, step, i).chunks_exact(width))
            .zip(chunk(b, step, i).chunks_exact(width))
        {
            work(out, a, b);
        }
    });
    out
}

/// Applies `op` to each pair of rows. Sums and differences are modulo 2^(64·width).
pub(super) fn pairwise(a: &[u64], b: &[u64], width: usize, op: Pairwise) -> Result<Vec<u64>> {
    let each = |op: fn(u64, u64) -> u64| {
        move |out: &mut [u64], a: &[u64], b: &[u64]| {
            for ((out, x), y) in out.iter_mut().zip(a).zip(b) {
                *out = op(*x, *y);
            }
        }
    };
    Ok(match op {
        Pairwise::Add => by_rows(a, b, width, |out, a, b| {
            sum::add(out, a, b);
        }),
        Pairwise::Sub => by_rows(a, b, width, |out, a, b| {
            sum::sub(out, a, b);
        }),
        Pairwise::And => by_rows(a, b, width, each(|x, y| x & y)),
        Pairwise::Or => by_rows(a, b, width, each(|x, y| x | y)),
        Pairwise::Xor => by_rows(a, b, width, each(|x, y| x ^ y)),
    })
}

/// (a ^ flip) + word + carry in each row.
pub(super) fn add_word(a: &[u64], width: usize, flip: u64, word: i64, carry: bool) -> Vec<u64> {
    by_rows(a, a, width, |out, a, _| {
        let mut carry = carry;
        let mut addend = word as u64;
        for (out, x) in out.iter_mut().zip(a) {
            (*out, carry) = (x ^ flip).carrying_add(addend, carry);
            addend = (word >> 63) as u64;
        }
    })
}

/// out[i] = bits [64(i + offset) + part, … + 64) of the row, zero outside it.
pub(super) fn shift(a: &[u64], width: usize, offset: i64, part: u32) -> Vec<u64> {
    by_rows(a, a, width, |out, row, _| {
        let at = |i: i64| {
            usize::try_from(i)
                .ok()
                .and_then(|i| row.get(i))
                .copied()
                .unwrap_or(0)
        };
        for (i, out) in (0..).zip(out) {
            let (low, high) = (at(i + offset), at(i + offset + 1));
            *out = match part {
                0 => low,
                _ => low >> part | high << (64 - part),
            };
        }
    })
}

/// Changes bit `index` of each row, which must be below 64·width.
pub(super) fn change_bit(a: &[u64], width: usize, index: u64, change: BitChange) -> Vec<u64> {
    by_rows(a, a, width, |out, row, _| {
        out.copy_from_slice(row);
        let limb = &mut out[(index / 64) as usize];
        let mask = 1 << (index % 64);
        match change {
            BitChange::Set => *limb |= mask,
            BitChange::Clear => *limb &= !mask,
            BitChange::Flip => *limb ^= mask,
        }
    })
}

/// One answer a row.
fn answers<T: Send>(
    a: &[u64],
    b: &[u64],
    width: usize,
    answer: impl Fn(&[u64], &[u64]) -> T + Sync,
) -> Vec<T> {
    threads::map(a.len() / width, rows_at_once(width), |i| {
        answer(chunk(a, width, i), chunk(b, width, i))
    })
}

/// Returns the number of one bits of each row.
pub(super) fn count(a: &[u64], width: usize) -> Result<Vec<u64>> {
    Ok(answers(a, a, width, |row, _| {
        row.iter().map(|limb| u64::from(limb.count_ones())).sum()
    }))
}

/// Returns for each pair of rows the number of bits in which they differ.
pub(super) fn hamming(a: &[u64], b: &[u64], width: usize) -> Vec<u64> {
    answers(a, b, width, |a, b| {
        a.iter()
            .zip(b)
            .map(|(x, y)| u64::from((x ^ y).count_ones()))
            .sum()
    })
}

/// Compares each pair of rows as unsigned numbers.
pub(super) fn compare(a: &[u64], b: &[u64], width: usize) -> Vec<Ordering> {
    answers(a, b, width, |a, b| a.iter().rev().cmp(b.iter().rev()))
}

/// Returns for each row the index of the first one bit of (row ^ flip) from bit `from` on. `flip`
/// is 0 or all ones.
pub(super) fn first_bit(a: &[u64], width: usize, from: u64, flip: u64) -> Vec<Option<u64>> {
    answers(a, a, width, |row, _| {
        let start = usize::try_from(from / 64).ok()?;
        let mut keep = u64::MAX << (from % 64);
        for (i, limb) in row.iter().enumerate().skip(start) {
            let found = (limb ^ flip) & keep;
            if found != 0 {
                return Some(64 * i as u64 + u64::from(found.trailing_zeros()));
            }
            keep = u64::MAX;
        }
        None
    })
}
