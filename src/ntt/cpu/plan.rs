//! How a product is cut: coefficients, primes, rows and columns.
//!
//! **No coefficient overflows.** Operands are cut into coefficients of one limb (three primes) or
//! two (six). A coefficient of the product is a sum of at most m terms below 2^64·2^64 or
//! 2^128·2^128, m the number of coefficients of the shorter operand, so it is less than m·2^128 or
//! m·2^256. With P3 = p0·p1·p2 > 2^147 − 2^136 it is less than P3 for m <= 2^19 − 2^8, and with
//! P6 > 2^294 − 2^285, less than P6 for m < 2^37: then the residues determine it. Lengths are
//! bounded by 2^32, the order of the roots of unity, before that.
//!
//! **Nor does one of a sum of products.** With m terms in all and one sign, it is bounded as above.
//! With both signs its size is less than m·2^128 or m·2^256; that, m rounded up to a power of two,
//! is added to every coefficient, which makes them less than twice that and not negative (`sums`).
//!
//! **Polynomials over Z_p** have coefficients of one limb. One of a sum of products is at most m·(p
//! − 1)^2, which fits as many primes as it takes: four, whose product is above 2^195, for any p <
//! 2^63 and m < 2^32. Where p itself has roots of unity, it is the only one.
//!
//! **Digits in a base B** from 2^58 to 2^64 are bounded as coefficients below p = B are: m·(B −
//! 1)^2 < 2^160 fits four primes.
//!
//! **The transform does not wrap.** The product has na + nb − 1 coefficients, and the transform has
//! at least as many values.

use super::field::{FIXED, ORDER_LOG, PRIMES, Prime};
use crate::tuning::Tuning;

/// The most coefficients of the shorter operand for three primes.
pub(super) const NARROW_TERMS: usize = (1 << 19) - (1 << 8);

/// The most values of a transform.
const MOST_VALUES: u64 = 1 << ORDER_LOG;

/// Values of a strip of columns.
const STRIP_VALUES: usize = 1 << 17;

/// How one product is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostPlan {
    /// Limbs a coefficient: one with three primes, two with six.
    pub(super) limbs: usize,
    /// Primes that coefficients of the product are found modulo.
    pub(super) primes: usize,
    /// The modulus of the polynomials themselves, in place of all other primes.
    pub(super) own: Option<Prime>,
    /// Coefficients a row.
    pub(super) row: usize,
    /// Rows that are computed: the transform has row·rows values.
    pub(super) rows: usize,
    /// Whether products of polynomials are wanted modulo x^n − 1 for the n values of the transform,
    /// a power of two.
    pub(super) cyclic: bool,
    /// Columns that are transformed together.
    pub(super) strip: usize,
    /// Whether several threads take part.
    pub(super) parallel: bool,
    /// Values that are worth a thread of their own.
    pub(super) task: usize,
    /// Whether products are found modulo Φ (`wrapped`), of row·rows values.
    pub(super) wrapped: bool,
}

impl HostPlan {
    /// The plan for operands of these numbers of limbs, both at least one. None if the product has
    /// more values than a transform may have.
    pub(crate) fn new(a: usize, b: usize, tuning: &Tuning) -> Option<HostPlan> {
        HostPlan::for_sums(&[(a, b)], a.min(b), tuning)
    }

    /// The plan for sums of products of operands of these many limbs, all at least one, whose
    /// coefficients have at most `terms` terms of one sign, or are less than terms/2 times a
    /// product of two limbs in size.
    pub(crate) fn for_sums(
        pairs: &[(usize, usize)],
        terms: usize,
        tuning: &Tuning,
    ) -> Option<HostPlan> {
        let limbs = 1 + usize::from(terms > NARROW_TERMS.min(tuning.cpu_ntt_narrow_limbs));
        HostPlan::cut(pairs, limbs, 3 * limbs, tuning)
    }

    /// The plan for products of numbers of these many digits in a base, one digit a coefficient.
    pub(crate) fn for_base(a: usize, b: usize, base: u64, tuning: &Tuning) -> Option<HostPlan> {
        HostPlan::cut(&[(a, b)], 1, primes_for(a.min(b), base), tuning)
    }

    /// The plan for sums of products of polynomials of these many coefficients below p < 2^63, all
    /// at least one, of at most `terms` terms a coefficient.
    pub(crate) fn for_polynomials(
        pairs: &[(usize, usize)],
        terms: usize,
        p: u64,
        tuning: &Tuning,
    ) -> Option<HostPlan> {
        HostPlan::cut(pairs, 1, primes_for(terms, p), tuning)?.with_own(p)
    }

    /// The plan for sums of products modulo x^n − 1 of polynomials with coefficients below p <
    /// 2^63, of at most `terms` terms a coefficient. n is the smallest power of two that is at
    /// least `len` and 64. No polynomial has more coefficients than n.
    pub(crate) fn for_cyclic(
        len: usize,
        terms: usize,
        p: u64,
        tuning: &Tuning,
    ) -> Option<HostPlan> {
        let n = len.checked_next_power_of_two()?.max(64);
        let plan = HostPlan::cut(&[(n, 1)], 1, primes_for(terms, p), tuning)?;
        let plan = HostPlan {
            cyclic: true,
            ..plan
        };
        debug_assert!(plan.rows * plan.row == n);
        plan.with_own(p)
    }

    /// With p itself for the only prime, where it has roots of unity.
    fn with_own(self, p: u64) -> Option<HostPlan> {
        let (plan, primes) = (self, self.primes);
        let own = Prime::own(p, plan.scale()).filter(|_| primes > 1);
        Some(HostPlan {
            primes: if own.is_some() { 1 } else { primes },
            own,
            ..plan
        })
    }

    fn cut(
        pairs: &[(usize, usize)],
        limbs: usize,
        primes: usize,
        tuning: &Tuning,
    ) -> Option<HostPlan> {
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
        let plan = HostPlan {
            limbs,
            primes,
            own: None,
            cyclic: false,
            row,
            rows,
            strip,
            // Several products have as much work as a longer one.
            parallel: longest.saturating_mul(pairs.len()) >= tuning.cpu_ntt_parallel_limbs,
            task: tuning.cpu_ntt_task_values,
            wrapped: false,
        };
        Some(plan.with_strip(strip))
    }

    /// With strips of this width, or of less where threads need more of them. Two lines of the
    /// cache wide they still are: narrower ones take longer to load.
    fn with_strip(self, strip: usize) -> HostPlan {
        let mut strip = strip;
        while self.parallel && strip > 16 && self.rows * strip > self.task {
            strip /= 2;
        }
        HostPlan { strip, ..self }
    }

    /// How many consecutive parts of `values` values each a task has.
    pub(super) fn parts_per_task(&self, values: usize) -> usize {
        (self.task / values.max(1)).max(1)
    }

    /// The plan of `for_sums` for sums that are known to be in −2^bits ≤ x < 2^bits, if that allows
    /// a transform shorter by a tenth or more.
    pub(crate) fn wrapped(
        pairs: &[(usize, usize)],
        terms: usize,
        bits: u64,
        tuning: &Tuning,
    ) -> Option<HostPlan> {
        // Coefficients modulo Φ are up to 64 times as large.
        let whole = HostPlan::for_sums(
            pairs,
            terms.checked_shl(super::wrapped::LOG_GROWTH)?,
            tuning,
        )?;
        let rows = (bits + 2).div_ceil(64 * whole.row_limbs() as u64);
        let rows = usize::try_from(rows).ok()?;
        // The products may have four times as many values as the largest block.
        let rows = rows.max(whole.rows.div_ceil(4).next_power_of_two());
        let step = 1 << rows.ilog2().saturating_sub(3);
        let rows = rows.next_multiple_of(step);
        let strip = STRIP_VALUES / 2 / (rows + 1).next_power_of_two();
        let plan = HostPlan {
            rows,
            wrapped: true,
            ..whole
        };
        let strip = strip.clamp(8, 128.min(whole.row));
        (10 * rows <= 9 * whole.rows).then(|| plan.with_strip(strip))
    }

    /// Whether the product of operands of these many limbs may be computed so.
    pub(super) fn fits(&self, a: usize, b: usize) -> bool {
        let values = a.div_ceil(self.limbs) + b.div_ceil(self.limbs) - 1;
        let most = if self.wrapped {
            2 * self.tree_rows()
        } else {
            self.rows
        };
        values <= self.row * most && (self.limbs == 2 || a.min(b) <= NARROW_TERMS)
    }

    /// Whether the product of polynomials of these many coefficients has room.
    pub(super) fn holds(&self, a: usize, b: usize) -> bool {
        let values = self.row * self.rows;
        if self.cyclic {
            a.max(b) <= values && self.rows == self.tree_rows()
        } else {
            a > 0 && b > 0 && a + b - 1 <= values
        }
    }

    /// Coefficients of such a product.
    pub(super) fn coefficients(&self, a: usize, b: usize) -> usize {
        if self.cyclic {
            self.row * self.rows
        } else {
            a + b - 1
        }
    }

    /// The most limbs of an operand beside one of `b` limbs.
    pub(crate) fn room(&self, b: usize) -> usize {
        (self.row * self.rows + 1).saturating_sub(b.div_ceil(self.limbs)) * self.limbs
    }

    /// A prime that coefficients of the product are found modulo.
    pub(super) fn prime(&self, number: usize) -> Prime {
        self.own.unwrap_or(FIXED[number])
    }

    /// Rows of the whole tree, of which the first `rows` are computed, or the plan's blocks.
    pub(super) fn tree_rows(&self) -> usize {
        (self.rows + usize::from(self.wrapped)).next_power_of_two()
    }

    /// The blocks of a plan that wraps, the smallest first: the first row in memory, and how many
    /// there are, a power of two, which is the number of their first row in the tree too.
    pub(super) fn blocks(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        let rows = self.rows;
        let sizes = (0..usize::BITS).map(|bit| 1usize << bit);
        let sizes = sizes.filter(move |size| rows & size != 0);
        sizes.map(move |size| (rows & (size - 1), size))
    }

    /// The number of a row in the tree.
    pub(super) fn leaf(&self, r: usize) -> usize {
        if !self.wrapped {
            return r;
        }
        let inside = self.blocks().find(|(first, size)| r < first + size);
        inside.map_or(r, |(first, size)| r - first + size)
    }

    /// The number of values of the whole tree, by which transforms back and forth multiply.
    pub(super) fn scale(&self) -> u64 {
        self.tree_rows() as u64 * self.row as u64
    }

    /// Limbs that the values of a row represent.
    pub(super) fn row_limbs(&self) -> usize {
        self.row * self.limbs
    }

    /// Words from one row in memory to the next. Rows a power of two apart would fall on the same
    /// few lines of a cache.
    pub(super) fn pitch(&self) -> usize {
        self.row + 8
    }

    /// Words that one prime's residues take.
    pub(super) fn words(&self) -> usize {
        self.pitch() * self.rows
    }
}

/// How many of the primes hold m·(p − 1)^2.
fn primes_for(m: usize, p: u64) -> usize {
    let square = u128::from(p - 1) * u128::from(p - 1);
    let [first, second] = [PRIMES[0], PRIMES[1]].map(u128::from);
    match square.checked_mul(m as u128) {
        Some(most) if most < first => 1,
        Some(most) if most < first * second => 2,
        // Three primes hold 2^146.
        Some(_) => 3,
        None if (square >> 64) < (1 << 82) / m as u128 => 3,
        None => 4,
    }
}
