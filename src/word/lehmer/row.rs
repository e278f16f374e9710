//! The half-GCD where only the first row of M is wanted, the second number's cofactors, and
//! Euclid's algorithm with rows of M in memory of the caller's.

use std::mem::swap;

use super::{Progress, Symbol, add_product, combine, euclid, euclid_of_vectors};
use crate::word::{bit_length, significant};

/// (m00, m01) of (a, b) = M·(c, d): d = ±(m00·b − m10·a) and c = ∓(m01·b − m11·a).
pub(crate) struct Row {
    pub(crate) m00: Vec<u64>,
    pub(crate) m01: Vec<u64>,
    /// Whether det M is −1, not 1.
    pub(crate) odd: bool,
}

impl Row {
    fn append(&mut self, progress: Progress) {
        let Row { m00, m01, odd } = self;
        match progress {
            Progress::Step(step) => {
                let [e00, e01, e10, e11] = step.entries;
                let top = combine(m00, m01, [e00, e10, e01, e11]);
                if top.0 | top.1 != 0 {
                    m00.push(top.0);
                    m01.push(top.1);
                }
                *odd ^= step.odd;
            }
            Progress::Quotient(q) => {
                let len = m00.len() + q.len() + 1;
                m01.resize(len, 0);
                for (i, digit) in q.iter().enumerate() {
                    add_product(&mut m01[i..], m00, *digit);
                }
                m00.resize(len, 0);
                swap(m00, m01);
                while m00.last() == Some(&0) {
                    m00.pop();
                    m01.pop();
                }
                *odd = !*odd;
            }
        }
    }
}

/// [`super::reduce_to`], but for the second row.
pub(crate) fn reduce_row(a: &mut Vec<u64>, b: &mut Vec<u64>, bits: u64) -> Row {
    let capacity = (bit_length(a).saturating_sub(bits) / 64) as usize + 4;
    let entry = |value| {
        let mut limbs = Vec::with_capacity(capacity);
        limbs.push(value);
        limbs
    };
    let mut row = Row {
        m00: entry(1),
        m01: entry(0),
        odd: false,
    };
    let symbol = &mut Symbol::of(0, 0, false);
    euclid_of_vectors::<false>(a, b, bits, symbol, |progress| row.append(progress));
    row
}

/// A row of M in memory of the caller's, zero above the first `len` limbs.
pub(crate) struct Entries<'a> {
    first: &'a mut [u64],
    second: &'a mut [u64],
    len: usize,
}

impl<'a> Entries<'a> {
    /// The first row of the identity, or the second, in limbs that are all zero.
    pub(crate) fn new(first: &'a mut [u64], second: &'a mut [u64], is_second: bool) -> Self {
        debug_assert!(first.iter().chain(&*second).all(|limb| *limb == 0));
        if is_second {
            second[0] = 1;
        } else {
            first[0] = 1;
        }
        Entries {
            first,
            second,
            len: 1,
        }
    }

    fn append(&mut self, progress: &Progress) {
        let Entries { first, second, len } = self;
        match progress {
            Progress::Step(step) => {
                let [e00, e01, e10, e11] = step.entries;
                let (x, y) = (&mut first[..*len], &mut second[..*len]);
                let top = combine(x, y, [e00, e10, e01, e11]);
                if top.0 | top.1 != 0 {
                    (first[*len], second[*len]) = top;
                    *len += 1;
                }
            }
            Progress::Quotient(q) => {
                for (i, digit) in q.iter().enumerate() {
                    add_product(&mut second[i..], &first[..*len], *digit);
                }
                first.swap_with_slice(second);
                let most = (*len + q.len() + 1).min(first.len());
                *len = significant(&first[..most])
                    .max(significant(&second[..most]))
                    .max(1);
            }
        }
    }
}

/// Euclid's algorithm on a ≥ b of one length n: (a, b) = M·(g, 0). Leaves g in a, and the rows of M
/// that are asked for; the limbs of g, and whether det M is −1. Rows have room for n + 2 limbs: no
/// entry of M is above a/g, and a product with a quotient may have a zero limb above.
pub(crate) fn reduce_rows<const N: usize>(
    a: &mut [u64],
    b: &mut [u64],
    rows: &mut [Entries; N],
) -> (usize, bool) {
    debug_assert!(rows.iter().all(|row| row.first.len() >= a.len() + 2));
    let mut odd = false;
    let symbol = &mut Symbol::of(0, 0, false);
    let len = euclid::<false>(a, b, 0, symbol, |progress| {
        for row in &mut *rows {
            row.append(&progress);
        }
        odd ^= match progress {
            Progress::Step(step) => step.odd,
            Progress::Quotient(_) => true,
        };
    });
    (len, odd)
}
