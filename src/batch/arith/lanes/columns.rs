//! Sums of products of groups of digits, column by column.
//!
//! The products of two groups have seven columns: digit i of the one times digit j of the other
//! belongs to column i + j with its low half, and to the column above with its high half. The two
//! kinds of halves have separate sums: an addition to a sum waits for the previous one, so more
//! sums mean less waiting.
//!
//! No vector goes through a closure (`map`): a function of the standard library in between would
//! be compiled without the level's instructions.

use super::{Digit, GROUP, Group, Lanes, Sum};

/// Low halves in columns −1 to 7 of one product of groups; high halves in columns 0 to 8.
const TERMS: [u64; 9] = [0, 1, 2, 3, 4, 3, 2, 1, 0];

/// The sums of the low halves of the products of each column, and those of the high halves, which
/// belong to the column above.
pub(super) struct Columns<L: Lanes> {
    low: [Sum<L>; 7],
    high: [Sum<L>; 7],
    /// Products of groups that were added. A doubled product counts twice.
    products: u64,
}

impl<L: Lanes> Columns<L> {
    #[inline(always)]
    pub(super) fn new() -> Columns<L> {
        Columns {
            low: [L::zero(); 7],
            high: [L::zero(); 7],
            products: 0,
        }
    }

    #[inline(always)]
    fn term(&mut self, column: usize, a: Digit<L>, b: Digit<L>) {
        L::multiply_add(&mut self.low[column], &mut self.high[column], a, b);
    }

    /// Adds a·b.
    #[inline(always)]
    pub(super) fn product(&mut self, a: &Group<L>, b: &Group<L>) {
        let a = *a;
        for (j, b) in b.iter().enumerate() {
            for (i, a) in a.iter().enumerate() {
                self.term(i + j, *a, *b);
            }
        }
        self.products += 1;
    }

    /// Adds Σ a[i]·b[len − 1 − i], where both have one length.
    #[inline(always)]
    pub(super) fn convolution(&mut self, a: &[Group<L>], b: &[Group<L>]) {
        for (a, b) in a.iter().zip(b.iter().rev()) {
            self.product(a, b);
        }
    }

    /// Doubles the sums, and adds a² for the group a in the middle, if there is one.
    #[inline(always)]
    pub(super) fn double_and_square(&mut self, middle: Option<&Group<L>>) {
        if let Some(a) = middle {
            for i in 1..GROUP {
                for j in 0..i {
                    self.term(i + j, a[i], a[j]);
                }
            }
        }
        for j in 0..7 {
            self.low[j] = L::add(self.low[j], self.low[j]);
            self.high[j] = L::add(self.high[j], self.high[j]);
        }
        self.products *= 2;
        if let Some(a) = middle {
            for (i, a) in a.iter().enumerate() {
                self.term(2 * i, *a, *a);
            }
            self.products += 1;
        }
    }

    /// The true sums of the columns, and `below`, the upper columns of the sums one group below.
    #[inline(always)]
    pub(super) fn sums(self, below: &[Sum<L>; GROUP]) -> [Sum<L>; 2 * GROUP] {
        let mut sums = [L::zero(); 2 * GROUP];
        for j in 0..2 * GROUP {
            // Low halves of this column, high halves of the one below.
            let sum = match j {
                0 => self.low[0],
                7 => self.high[6],
                _ => L::add(self.low[j], self.high[j - 1]),
            };
            let excess = L::excess(self.products * TERMS[j + 1], self.products * TERMS[j]);
            let settled = L::sub(sum, excess);
            sums[j] = if j < GROUP {
                L::add(settled, below[j])
            } else {
                settled
            };
        }
        sums
    }
}

/// The digits of the lower columns, and the upper columns with the carry.
#[inline(always)]
pub(super) fn carried<L: Lanes>(sums: &[Sum<L>; 2 * GROUP]) -> (Group<L>, [Sum<L>; GROUP]) {
    let [a, b, c, d, mut e, f, g, h] = *sums;
    let b = L::add(b, L::carry(a));
    let c = L::add(c, L::carry(b));
    let d = L::add(d, L::carry(c));
    e = L::add(e, L::carry(d));
    let digits = [L::digit(a), L::digit(b), L::digit(c), L::digit(d)];
    (digits, [e, f, g, h])
}
