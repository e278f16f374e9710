//! The leaves of a tree on a device: numbers of similar length in rows of one width.
//!
//! **Leaves.** A leaf has the product of one number, or of several short ones that the CPU joins,
//! of at most L limbs. Its row has at least L + 1. Of the 2^k leaves under a row of W limbs, the
//! first for transforms, as many are used as have at most W − 1 limbs together; the others are 1.
//!
//! **Widths.** A row of w limbs holds a product of at most 64·(w − 1) bits. Above W a level's rows
//! are twice as wide as those below.

use std::sync::Arc;

use crate::cuda::Device;
use crate::error::Result;
use crate::mul::cuda::Rows;
use crate::number::Natural;
use crate::threads;
use crate::tuning::Tuning;

/// Shorter numbers are multiplied to leaves of at least this many limbs.
const LEAST_LIMBS: usize = 8;

/// Leaves that one thread writes at a time.
const LEAVES: usize = 256;

/// Widths and places of the leaves of a tree.
pub(crate) struct Leaves<'a> {
    /// The numbers of each leaf.
    pub(crate) numbers: Vec<&'a [&'a Natural]>,
    /// Limbs of the longest product of a leaf.
    pub(crate) limbs: usize,
    /// Limbs of the first rows for transforms.
    width: usize,
    /// Leaves of such a row: the number in use, and log2 of the number of all.
    used: usize,
    pub(crate) log: u32,
}

impl<'a> Leaves<'a> {
    pub(crate) fn new(numbers: &'a [&'a Natural]) -> Leaves<'a> {
        let longest = numbers.iter().map(|n| n.limb_count()).max().unwrap_or(0);
        let limbs = longest.max(LEAST_LIMBS);
        let least = Tuning::current().keys_row_limbs;
        let width = least.max((limbs + 1).next_power_of_two());
        let used = (width - 1) / limbs;
        Leaves {
            numbers: groups(numbers, 64 * limbs as u64),
            limbs,
            width,
            used,
            log: used.next_power_of_two().ilog2(),
        }
    }

    /// The row of leaf i.
    pub(crate) fn row(&self, i: usize) -> usize {
        ((i / self.used) << self.log) + i % self.used
    }

    /// How many rows of leaves there are.
    pub(crate) fn rows(&self) -> usize {
        self.numbers.len().div_ceil(self.used) << self.log
    }

    /// Limbs of the rows of a level of words; at most the width of the first rows for transforms.
    pub(crate) fn row_limbs(&self, level: u32) -> usize {
        if level == self.log {
            self.width
        } else {
            ((self.limbs << level) + 1).min(self.width)
        }
    }

    /// One number for each leaf, in rows of `limbs` limbs. Unused leaves get `other`.
    pub(crate) fn rows_of(
        &self,
        device: &Arc<Device>,
        limbs: usize,
        other: u64,
        number: &(dyn Fn(usize, &mut [u64]) -> Result<()> + Sync),
    ) -> Result<Rows> {
        let write = |chunk: usize, rows: &mut [u64]| {
            for (row, to) in (chunk * LEAVES..).zip(rows.chunks_mut(limbs)) {
                let leaf = (row >> self.log) * self.used + row % (1 << self.log);
                let is_used = row % (1 << self.log) < self.used && leaf < self.numbers.len();
                if is_used {
                    number(leaf, to)?
                } else {
                    to[0] = other
                }
            }
            Ok(())
        };
        let (all, written) = threads::build_chunks(self.rows() * limbs, LEAVES * limbs, write);
        written.into_iter().collect::<Result<()>>()?;
        Rows::upload(device, &all, limbs)
    }
    /// Whether each leaf has one number.
    pub(crate) fn are_single(&self) -> bool {
        self.numbers.iter().all(|numbers| numbers.len() == 1)
    }
}

/// Divides the numbers, in order, into groups of at most `bits` bits in all.
fn groups<'a>(numbers: &'a [&'a Natural], bits: u64) -> Vec<&'a [&'a Natural]> {
    let (mut groups, mut start, mut used) = (Vec::new(), 0, 0);
    for (i, n) in numbers.iter().enumerate() {
        let size = n.bit_length();
        if used + size > bits {
            groups.push(&numbers[start..i]);
            (start, used) = (i, 0);
        }
        used += size;
    }
    groups.push(&numbers[start..]);
    groups
}
