//! Which transforms serve a product: primes, lengths, passes. Pure; both proofs and sizes of the kernels start here.
//!
//! A digit is a limb of 64 bits. A product of operands of `la` and `lb` limbs has `la + lb − 1` coefficients, each a sum of at
//! most `terms = min(la, lb)` products of two limbs, so below `terms·2^128`. The coefficients are found modulo several primes
//! between 2^29 and 2^30 (values up to 4p then fit 32 bits, see `ntt.cu`) and are exact when
//!
//! ```text
//!     terms·(2^64 − 1)^2 ≤ P·(1 − 2^-26),    P the product of the primes
//! ```
//!
//! where the last factor is what the Chinese remainders in `release.cu` need. Five primes have P > 2^149, which serves
//! 2^20 terms with room, and 2^21 − 1 because 2^21·2^128 < P·(1 − 2^-26); six have P > 2^178, more than any memory. 64-bit digits in five primes
//! need fewer points than 32-bit digits in three (5/64 against 3/32 a bit), and half the length.
//!
//! Every prime has 2^22 | p − 1, so there are transforms of every length 2^k up to 2^22. They take two passes over memory, or
//! one where a block holds all of it.

use crate::model::Tuning;

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
/// Most terms of a coefficient in five primes.
pub(crate) const FIVE_PRIME_TERMS: u64 = 1 << 21;

/// Values that a thread holds.
pub(crate) const VALUES: u32 = 16;
/// log2 of the most rows of a first pass: its nodes are numbered up to 2^10, and three more levels by the row's own roots.
const MAX_ROWS_LOG: u32 = 10;
/// log2 of the most rows that two steps of the first pass can do.
const TWO_STEP_ROWS_LOG: u32 = 8;

/// How a product is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Primes in use, from the first on.
    pub(crate) primes: u32,
    /// log2 of the length of the transforms.
    pub(crate) log_n: u32,
    /// log2 of the rows of the first pass; 0 where one block holds the transform.
    pub(crate) log_rows: u32,
    /// Threads per block of the passes over columns and over rows.
    pub(crate) column_threads: u32,
    pub(crate) row_threads: u32,
    /// Primes that are transformed together, so that their residues stay in the cache between the passes.
    pub(crate) group: u32,
}

impl Plan {
    /// The plan for operands of `la` and `lb` limbs; none where the product is too long for one transform.
    pub(crate) fn new(la: u64, lb: u64, tuning: &Tuning) -> Option<Plan> {
        let count = la.checked_add(lb)?.checked_sub(1)?;
        let five = FIVE_PRIME_TERMS.min(tuning.ntt_five_prime_terms);
        let primes = if la.min(lb) <= five { 5 } else { 6 };
        let log_n = count.checked_next_power_of_two()?.ilog2().max(MIN_LOG);
        if log_n > MAX_LOG {
            return None;
        }
        let n = 1u64 << log_n;
        if log_n <= tuning.ntt_one_pass_log {
            return Some(Plan {
                primes,
                log_n,
                log_rows: 0,
                column_threads: 0,
                row_threads: (n / u64::from(VALUES)) as u32,
                group: primes,
            });
        }
        // Few rows in the first pass while the second can hold the rest: two steps instead of three.
        let log_row = match log_n
            .div_ceil(2)
            .max(log_n.saturating_sub(TWO_STEP_ROWS_LOG))
            .min(tuning.ntt_row_log)
            .max(log_n.saturating_sub(MAX_ROWS_LOG))
        {
            // Not a sum of steps of 3 and 4 levels.
            5 => 6,
            log => log,
        };
        let log_rows = log_n - log_row;
        // Small products use more and smaller blocks, to reach all multiprocessors.
        let spread = |least: u32, values: u32| {
            let mut threads = tuning.ntt_block.min((n / u64::from(values)) as u32);
            while threads > 64
                && n * u64::from(primes) / u64::from(values * threads)
                    < u64::from(tuning.ntt_blocks)
            {
                threads /= 2;
            }
            threads.max(least)
        };
        let pair = 8 * n;
        Some(Plan {
            primes,
            log_n,
            log_rows,
            column_threads: spread((1 << log_rows) / VALUES, 2 * VALUES),
            row_threads: spread((1 << log_row) / VALUES, VALUES),
            group: (tuning.ntt_cached_bytes / pair).clamp(1, u64::from(primes)) as u32,
        })
    }

    /// The plan of the longest transforms.
    #[cfg(test)]
    pub(crate) fn longest(tuning: &Tuning) -> Plan {
        Plan::new(1 << (MAX_LOG - 1), 1 << (MAX_LOG - 1), tuning).expect("it fits one transform")
    }

    /// Length of the transforms.
    pub(crate) fn n(&self) -> u64 {
        1 << self.log_n
    }

    /// Cells of 8 bytes that a block exchanges through: 16 a thread and a spare row in 8 or 16.
    pub(crate) fn column_shared_bytes(&self) -> u32 {
        self.column_threads * VALUES * 9
    }
    pub(crate) fn row_shared_bytes(&self) -> u32 {
        self.row_threads * VALUES * 17 / 2
    }
}
