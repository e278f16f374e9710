//! The half-GCD where only the first row of M is wanted: the second number's cofactors.

use std::mem::swap;

use super::{Progress, Symbol, add_product, combine, euclid};
use crate::word::bit_length;

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
    euclid::<false>(a, b, bits, symbol, |progress| row.append(progress));
    row
}
