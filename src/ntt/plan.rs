//! Which transforms serve a product: primes, lengths, passes. Pure; both proofs and sizes of the
//! kernels start here.
//!
//! A digit is a limb of 64 bits. A product of operands of `la` and `lb` limbs has `la + lb − 1`
//! coefficients, each a sum of at most `terms = min(la, lb)` products of two limbs, so below
//! `terms·2^128`. The coefficients are found modulo several primes between 2^29 and 2^30 (values up
//! to 4p then fit 32 bits, see `ntt.cuh`) and are exact when
//!
//! ```text
//!     terms·(2^64 − 1)^2 ≤ P·(1 − 2^-26),    P the product of the primes
//! ```
//!
//! where the last factor is what the Chinese remainders in `carry.cu` need. Five primes have P >
//! 2^149, which serves 2^20 terms with room, and 2^21 − 1 because 2^21·2^128 < P·(1 − 2^-26); six
//! have P > 2^178, more than any memory. 64-bit digits in five primes need fewer points than 32-bit
//! digits in three (5/64 against 3/32 a bit), and half the length.
//!
//! Every prime has 2^22 | p − 1, so there are transforms of every length N = 2^k up to 2^22. They
//! take two passes over memory, or one where a block holds all of it. Other lengths are made of
//! several such transforms ([`Parts`]):
//!
//! - *Split*: a product of at most m·N coefficients is found modulo x^N − c_j for m different
//!   numbers c_j = g^(j·N), g a generator. With x = g^j·y each of these is y^N − 1. The c_j are
//!   different while m ≤ (p − 1) / 2^22, which is 214 or more, so the m×m matrices in `split.cu`
//!   have inverses. This gives the lengths between the powers of 2, and those above 2^22.
//! - *Pieces*: the longer operand is cut into pieces of `step` limbs, step + short − 1 ≤ N; the
//!   shorter one is transformed once. A coefficient of the whole is the sum of at most two of
//!   pieces (short − 1 ≤ step), taken modulo the primes, so its bound is as above.

use crate::tuning::Tuning;

/// The primes, each with a generator of its multiplicative group; all are 1 modulo 2^22.
pub(crate) const PRIMES: [(u32, u32); 6] = [
    (998_244_353, 3),
    (985_661_441, 3),
    (943_718_401, 7),
    (935_329_793, 3),
    (918_552_577, 5),
    (897_581_057, 3),
];

/// log2 of the longest transform.
pub(crate) const MAX_LOG: u32 = 22;
/// log2 of the shortest: 32 threads with 16 values each.
pub(crate) const MIN_LOG: u32 = 9;
/// Maximum terms of a coefficient in five primes.
pub(crate) const FIVE_PRIME_TERMS: u64 = 1 << 21;

/// Values that a thread holds.
pub(crate) const VALUES: u32 = 16;
/// log2 of the most rows of a first pass: its nodes are numbered up to 2^10, and three more levels
/// by the row's own roots.
const MAX_ROWS_LOG: u32 = 10;
/// log2 of the most rows that two steps of the first pass can do.
const TWO_STEP_ROWS_LOG: u32 = 8;

/// Maximum parts of a split.
pub(crate) const MAX_PARTS: u32 = 128;
/// log2 of the shortest transform of two passes: 32 threads with 16 pairs each.
const MIN_TWO_PASS_LOG: u32 = 10;
/// How transforms make a product that is not of their length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    /// One transform a prime.
    One,
    /// The product modulo x^N − c_j, for this many c_j.
    Split(u32),
    /// `count` pieces of `step` limbs of the longer operand.
    Pieces { count: u32, step: u32 },
    /// `count` operands of `width` limbs each, `step` limbs apart, with a product modulo x^N − 1
    /// each.
    Rows { count: u32, step: u32, width: u32 },
}

/// The use of the transforms of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// They serve one product.
    Once,
    /// They are kept, multiplied by kept ones, or summed.
    Kept,
    /// Those of many rows are kept and multiplied by each other.
    Rows,
}

/// How a product is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DevicePlan {
    /// Primes in use, from the first on.
    pub(crate) primes: u32,
    /// log2 of the length of the transforms.
    pub(crate) log_n: u32,
    /// log2 of the rows of the first pass; 0 where one block holds the transform.
    pub(crate) log_rows: u32,
    /// Threads per block of the passes over columns and over rows.
    pub(crate) column_threads: u32,
    pub(crate) row_threads: u32,
    /// The transforms of each prime.
    pub(crate) parts: Parts,
    /// Primes whose two operands are held at once.
    pub(crate) group: u32,
    /// Transforms that are done together, so that their residues stay in the cache between the
    /// passes.
    pub(crate) batch: u32,
}

impl DevicePlan {
    /// The plan for operands of `la` and `lb` limbs. None if the product is too long.
    pub(crate) fn new(la: u64, lb: u64, tuning: &Tuning) -> Option<DevicePlan> {
        DevicePlan::in_primes(primes_for(la.min(lb), tuning), la, lb, tuning)
    }

    /// The plan for operands of `la` and `lb` digits of any size. The product of `primes` primes
    /// must exceed the product's coefficients. None if the product is too long.
    pub(crate) fn in_primes(primes: u32, la: u64, lb: u64, tuning: &Tuning) -> Option<DevicePlan> {
        let count = la.checked_add(lb)?.checked_sub(1)?;
        let (cost, log_n, parts) = best_length(count, tuning)?;
        if count > 1 << tuning.ntt_split_log
            && let Some((less, log_n, parts)) = best_pieces(la.max(lb), la.min(lb), tuning)
            && less < cost
        {
            return Some(DevicePlan::of(primes, log_n, parts, true, tuning));
        }
        let mut plan = DevicePlan::of(primes, log_n, parts, false, tuning);
        if count > 1 << tuning.ntt_split_log {
            // Residues of 4 bytes, beside operands and product of 8 bytes a limb, stay below 8
            // times the operands.
            let most = (8 * 8 - 16) * (la + lb) / (4 * plan.points());
            plan.group = most
                .saturating_sub(primes.into())
                .clamp(1, plan.group.into()) as u32;
        }
        Some(plan)
    }

    /// The plan for kept transforms, and for sums of products of at most `count` coefficients, of
    /// digits of any size. The product of `primes` primes must exceed the sums. The plan always has
    /// two passes and never pieces. [`primes_for`] returns the number of primes that sums of
    /// products of limbs need.
    pub(crate) fn for_reuse(primes: u32, count: u64, tuning: &Tuning) -> Option<DevicePlan> {
        let (_, log_n, parts) = best_length(count, tuning)?;
        let log_n = log_n.max(MIN_TWO_PASS_LOG);
        Some(DevicePlan::of(primes, log_n, parts, true, tuning))
    }

    /// The plan for products modulo x^(2^log_n) − 1 of operands no longer than that, of digits of
    /// any size, where `primes` primes hold the product's coefficients. In two passes where
    /// transforms are to be kept.
    ///
    /// A coefficient is a sum of no more terms than the shorter operand has digits, as in a product
    /// that does not wrap.
    pub(crate) fn wrapped(primes: u32, log_n: u32, keep: bool, tuning: &Tuning) -> DevicePlan {
        let two_passes = keep && log_n >= MIN_TWO_PASS_LOG;
        DevicePlan::of(primes, log_n, Parts::One, two_passes, tuning)
    }

    /// The plan for sums of products modulo x^N − 1, N ≥ `least`, of operands of at most that
    /// length, of digits of any size, where `primes` primes hold the sums.
    ///
    /// A coefficient has no more terms than it has without wrapping, because each digit meets each
    /// place once.
    pub(crate) fn cyclic(primes: u32, least: u64, tuning: &Tuning) -> Option<DevicePlan> {
        let log_n = least.checked_next_power_of_two()?.ilog2();
        let log_n = log_n.max(MIN_TWO_PASS_LOG);
        let fits = log_n <= MAX_LOG.min(tuning.ntt_max_log);
        fits.then(|| DevicePlan::wrapped(primes, log_n, true, tuning))
    }

    /// The plan for many products modulo x^(2^log_n) − 1 at once, the shorter operands of at most
    /// `terms` limbs; the transforms of the operands and of the products are those of
    /// [`DevicePlan::of_rows`].
    ///
    /// Every shape is compiled by itself, which takes about a second, and a tree has rows of all
    /// lengths: so there are few shapes, rows of 2^7 and 2^12 points (2^6 and 2^8 for the
    /// shortest), and the number of rows does not change them.
    pub(crate) fn rows(log_n: u32, terms: u64, tuning: &Tuning) -> DevicePlan {
        assert!((MIN_TWO_PASS_LOG..=MAX_LOG).contains(&log_n));
        let log_rows = match log_n {
            10..=12 => 4,
            13..=17 => log_n - 7,
            _ => log_n - 12,
        };
        let n = 1u32 << log_n;
        let threads =
            |log: u32, values: u32| tuning.ntt_block.min(n / values).max((1 << log) / VALUES);
        let primes = primes_for(terms, tuning);
        DevicePlan {
            primes,
            log_n,
            log_rows,
            column_threads: threads(log_rows, 2 * VALUES),
            row_threads: threads(log_n - log_rows, VALUES),
            parts: Parts::Rows {
                count: 1,
                step: n,
                width: n,
            },
            group: primes,
            batch: (tuning.ntt_cached_bytes / (8 * u64::from(n))).clamp(1, u32::MAX.into()) as u32,
        }
    }

    /// The transforms of this plan for `count` rows of `width` limbs, `step` limbs apart.
    pub(crate) fn of_rows(&self, count: u32, step: u32, width: u32) -> DevicePlan {
        assert!(width <= step && u64::from(width) <= self.n() && step.is_multiple_of(2));
        DevicePlan {
            parts: Parts::Rows { count, step, width },
            ..*self
        }
    }

    /// log2 of the shortest and of the longest transforms of rows.
    pub(crate) fn row_logs(tuning: &Tuning) -> (u32, u32) {
        (MIN_TWO_PASS_LOG, MAX_LOG.min(tuning.ntt_max_log))
    }

    /// The transforms of this plan for the product of an operand of `kept` limbs, whose transform
    /// this is, and one of `other` limbs: in pieces where that is longer than fits. None if the
    /// product does not fit so.
    pub(crate) fn with_kept(&self, kept: u64, other: u64) -> Option<DevicePlan> {
        if kept.checked_add(other)? <= self.points() + 1 {
            return Some(*self);
        }
        let (count, step) = pieces(other, kept, self.log_n)?;
        let parts = match self.parts {
            Parts::One => Parts::Pieces { count, step },
            Parts::Split(_) | Parts::Pieces { .. } | Parts::Rows { .. } => return None,
        };
        Some(DevicePlan { parts, ..*self })
    }

    /// Selects the variant for the number of primes of a product of limbs, five or six.
    pub(crate) fn by_primes<T>(&self, five: T, six: T) -> T {
        match self.primes {
            5 => five,
            _ => six,
        }
    }

    /// The plan for the transform of the shorter operand alone, which all pieces share.
    pub(crate) fn one(&self) -> DevicePlan {
        DevicePlan {
            parts: Parts::One,
            ..*self
        }
    }

    fn of(primes: u32, log_n: u32, parts: Parts, two_passes: bool, tuning: &Tuning) -> DevicePlan {
        let n = 1u64 << log_n;
        if log_n <= tuning.ntt_one_pass_log && !two_passes {
            return DevicePlan {
                primes,
                log_n,
                log_rows: 0,
                column_threads: 0,
                row_threads: (n / u64::from(VALUES)) as u32,
                parts,
                group: primes,
                batch: primes,
            };
        }
        // Few rows in the first pass while the second can hold the rest: two steps instead of
        // three.
        let log_row = match log_n
            .div_ceil(2)
            .max(log_n.saturating_sub(TWO_STEP_ROWS_LOG))
            .min(tuning.ntt_row_log)
            .max(log_n.saturating_sub(MAX_ROWS_LOG))
        {
            // Not a sum of steps of 3 and 4 levels.
            5 => 6,
            log if log_n - log == 5 => log + 1,
            log => log,
        };
        let log_rows = log_n - log_row;
        let transforms = u64::from(primes * parts.count());
        // Small products use more and smaller blocks, to reach all multiprocessors.
        let spread = |least: u32, values: u32| {
            let mut threads = tuning.ntt_block.min((n / u64::from(values)) as u32);
            while threads > 64
                && n * transforms / u64::from(values * threads) < u64::from(tuning.ntt_blocks)
            {
                threads /= 2;
            }
            threads.max(least)
        };
        let batch = (tuning.ntt_cached_bytes / (8 * n)).clamp(1, u32::MAX.into()) as u32;
        DevicePlan {
            primes,
            log_n,
            log_rows,
            column_threads: spread((1 << log_rows) / VALUES, 2 * VALUES),
            row_threads: spread((1 << log_row) / VALUES, VALUES),
            parts,
            group: match parts {
                Parts::One => batch.min(primes),
                Parts::Split(_) | Parts::Pieces { .. } | Parts::Rows { .. } => primes,
            },
            batch,
        }
    }

    /// A plan of every shape for which kernels are compiled, with its use. A plan's shape depends
    /// on its length and on how many transforms it has; with twice as many, blocks are as large or
    /// twice as large, so powers of two meet every size of blocks.
    pub(crate) fn shapes(tuning: &Tuning) -> Vec<(DevicePlan, Use)> {
        const MOST_TRANSFORMS_LOG: u32 = 24;
        let mut all = Vec::new();
        for log_n in MIN_LOG..=MAX_LOG.min(tuning.ntt_max_log) {
            for transforms in (0..=MOST_TRANSFORMS_LOG).map(|log| 1 << log) {
                let parts = Parts::Split(transforms);
                all.push((DevicePlan::of(1, log_n, parts, false, tuning), Use::Once));
                if log_n >= MIN_TWO_PASS_LOG {
                    all.push((DevicePlan::of(1, log_n, parts, true, tuning), Use::Kept));
                }
            }
            if log_n >= MIN_TWO_PASS_LOG {
                all.push((DevicePlan::rows(log_n, 1, tuning), Use::Rows));
            }
        }
        all
    }

    /// Length of one transform.
    pub(crate) fn n(&self) -> u64 {
        1 << self.log_n
    }

    /// Residues of one prime.
    pub(crate) fn points(&self) -> u64 {
        u64::from(self.parts.count()) << self.log_n
    }

    /// Cells of 8 bytes that a block exchanges through: 16 a thread and a spare row in 8 or 16.
    pub(crate) fn column_shared_bytes(&self) -> u32 {
        self.column_threads * VALUES * 9
    }
    pub(crate) fn row_shared_bytes(&self) -> u32 {
        self.row_threads * VALUES * 17 / 2
    }

    /// Threads per block of a split: each keeps two columns of all parts, in at most 32 KiB a
    /// block.
    pub(crate) fn split_threads(&self) -> u32 {
        match self.parts.count() {
            0..=32 => 128,
            33..=64 => 64,
            _ => 32,
        }
    }
    pub(crate) fn split_shared_bytes(&self) -> u32 {
        8 * self.split_threads() * self.parts.count().next_multiple_of(4)
    }
}

impl Parts {
    /// Transforms a prime.
    pub(crate) fn count(self) -> u32 {
        match self {
            Parts::One => 1,
            Parts::Split(count) | Parts::Pieces { count, .. } | Parts::Rows { count, .. } => count,
        }
    }
}

/// log2 of the shortest transform of one part that has at least `count` points, where there is one
/// and it is no dearer than a product of `full` coefficients.
pub(crate) fn wrap_log(count: u64, full: u64, tuning: &Tuning) -> Option<u32> {
    let log_n = count.checked_next_power_of_two()?.ilog2().max(MIN_LOG);
    let fits = log_n <= MAX_LOG.min(tuning.ntt_max_log);
    let cheaper = best_length(full, tuning).is_none_or(|(cost, ..)| 300 << log_n <= cost);
    (fits && cheaper).then_some(log_n)
}

/// The primes that hold sums of at most `terms` products of two limbs.
pub(crate) fn primes_for(terms: u64, tuning: &Tuning) -> u32 {
    if terms <= FIVE_PRIME_TERMS.min(tuning.ntt_five_prime_terms) {
        5
    } else {
        6
    }
}

/// The cheapest way to `count` coefficients in one transform or a split, with its cost: three
/// transforms' points in percent of those of a plain one. A split reads and writes all once more,
/// and takes m products a value.
fn best_length(count: u64, tuning: &Tuning) -> Option<(u64, u32, Parts)> {
    let max_log = MAX_LOG.min(tuning.ntt_max_log);
    let log_n = count.checked_next_power_of_two()?.ilog2().max(MIN_LOG);
    let one = (log_n <= max_log).then(|| (300u64 << log_n, log_n, Parts::One));
    if one.is_some() && count <= 1 << tuning.ntt_split_log {
        return one;
    }
    let splits =
        (MIN_TWO_PASS_LOG.max(tuning.ntt_one_pass_log + 1)..=max_log).filter_map(|log_n| {
            let parts = count.div_ceil(1 << log_n);
            (2..=MAX_PARTS.into()).contains(&parts).then(|| {
                let cost = 3 * (parts << log_n) * (120 + 2 * parts);
                (cost, log_n, Parts::Split(parts as u32))
            })
        });
    one.into_iter().chain(splits).min_by_key(|(cost, ..)| *cost)
}

/// Pieces of `long` limbs beside `short` in transforms of 2^log_n points: how many, and their
/// limbs, even because limbs are loaded in pairs.
fn pieces(long: u64, short: u64, log_n: u32) -> Option<(u32, u32)> {
    let n = 1u64 << log_n;
    if 2 * short > n {
        return None;
    }
    let step = (n - short + 1) & !1;
    Some((u32::try_from(long.div_ceil(step)).ok()?, step as u32))
}

/// The cheapest pieces, with their cost: two transforms each, and one of the shorter operand.
fn best_pieces(long: u64, short: u64, tuning: &Tuning) -> Option<(u64, u32, Parts)> {
    let logs = MIN_TWO_PASS_LOG.max(tuning.ntt_one_pass_log + 1)..=MAX_LOG.min(tuning.ntt_max_log);
    logs.filter_map(|log_n| {
        let (count, step) = pieces(long, short, log_n)?;
        let cost = (2 * u64::from(count) + 1) * (105 << log_n);
        (count > 1).then_some((cost, log_n, Parts::Pieces { count, step }))
    })
    .min_by_key(|(cost, ..)| *cost)
}
