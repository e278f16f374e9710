//! How a product is cut: coefficients, primes, rows and columns.
//!
//! **No coefficient overflows.** Operands are cut into coefficients of one limb (three primes) or two (six). A coefficient
//! of the product is a sum of at most m terms below 2^64·2^64 or 2^128·2^128, m the number of coefficients of the shorter
//! operand, so it is less than m·2^128 or m·2^256. With P3 = p0·p1·p2 > 2^147 − 2^136 it is less than P3 for
//! m <= 2^19 − 2^8, and with P6 > 2^294 − 2^285, less than P6 for m < 2^37: then the residues determine it. Lengths are bounded by
//! 2^32, the order of the roots of unity, before that.
//!
//! **Nor does one of a sum of products.** With m terms in all and one sign, it is bounded as above. With both signs its size is less
//! than m·2^128 or m·2^256; that, m rounded up to a power of two, is added to every coefficient, which makes them less than
//! twice that and not negative (`sums`).
//!
//! **The transform does not wrap.** The product has na + nb − 1 coefficients, and the transform has at least as many values.

use super::field::ORDER_LOG;
use crate::model::Tuning;

/// The most coefficients of the shorter operand for three primes.
pub(super) const NARROW_TERMS: usize = (1 << 19) - (1 << 8);

/// The most values of a transform.
const MOST_VALUES: u64 = 1 << ORDER_LOG;

/// Values of a strip of columns.
const STRIP_VALUES: usize = 1 << 17;

/// How one product is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Limbs a coefficient: one with three primes, two with six.
    pub(super) limbs: usize,
    /// Coefficients a row.
    pub(super) row: usize,
    /// Rows that are computed: the transform has row·rows values.
    pub(super) rows: usize,
    /// Columns that are transformed together.
    pub(super) strip: usize,
    /// Whether all threads take part.
    pub(super) parallel: bool,
}

impl Plan {
    /// The plan for operands of these many limbs, both at least one; none where the product has more values than a
    /// transform may have.
    pub(crate) fn new(a: usize, b: usize, tuning: &Tuning) -> Option<Plan> {
        Plan::for_sums(&[(a, b)], a.min(b), tuning)
    }

    /// The plan for sums of products of operands of these many limbs, all at least one, whose coefficients have at most
    /// `terms` terms of one sign, or are less than terms/2 times a product of two limbs in size.
    pub(crate) fn for_sums(
        pairs: &[(usize, usize)],
        terms: usize,
        tuning: &Tuning,
    ) -> Option<Plan> {
        let limbs = 1 + usize::from(terms > NARROW_TERMS.min(tuning.cpu_ntt_narrow_limbs));
        let mut values = 1;
        let mut longest = 0;
        for (a, b) in pairs {
            let count = a.div_ceil(limbs).checked_add(b.div_ceil(limbs))? - 1;
            values = values.max(count);
            longest = longest.max(*a).max(*b);
        }
        if values as u64 > MOST_VALUES.min(tuning.cpu_ntt_values as u64) {
            return None;
        }
        let row = match values.ilog2() {
            0..10 => 1 << 6,
            10..14 => 1 << 8,
            14..20 => 1 << 10,
            20..24 => 1 << 12,
            _ => 1 << 14,
        };
        let rows = values.div_ceil(row);
        // A strip of all rows stays in the second cache.
        let strip = (STRIP_VALUES / rows.next_power_of_two()).clamp(8, 128.min(row));
        Some(Plan {
            limbs,
            row,
            rows,
            strip,
            parallel: longest >= tuning.cpu_ntt_parallel_limbs,
        })
    }

    /// Whether the product of operands of these many limbs may be computed so.
    pub(super) fn fits(&self, a: usize, b: usize) -> bool {
        let values = a.div_ceil(self.limbs) + b.div_ceil(self.limbs) - 1;
        values <= self.row * self.rows && (self.limbs == 2 || a.min(b) <= NARROW_TERMS)
    }

    /// The most limbs of an operand beside one of `b` limbs.
    pub(crate) fn room(&self, b: usize) -> usize {
        (self.row * self.rows + 1).saturating_sub(b.div_ceil(self.limbs)) * self.limbs
    }

    pub(super) fn primes(&self) -> usize {
        3 * self.limbs
    }

    /// Rows of the whole tree, of which the first `rows` are computed.
    pub(super) fn tree_rows(&self) -> usize {
        self.rows.next_power_of_two()
    }

    /// The number of values of the whole tree, by which transforms back and forth multiply.
    pub(super) fn scale(&self) -> u64 {
        self.tree_rows() as u64 * self.row as u64
    }

    /// Limbs that the values of a row stand for.
    pub(super) fn row_limbs(&self) -> usize {
        self.row * self.limbs
    }

    /// Words from one row in memory to the next. Rows a power of two apart would fall on the same few lines of a cache.
    pub(super) fn pitch(&self) -> usize {
        self.row + 8
    }

    /// Words that one prime's residues take.
    pub(super) fn words(&self) -> usize {
        self.pitch() * self.rows
    }
}
