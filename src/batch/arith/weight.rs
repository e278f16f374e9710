//! What operations on rows are to the decision where they run: the time of a row on one core, the
//! words that move to a device and back, and the kernels.
//!
//! The times are fits to measurements on rows of 64 to 32768 bits (`bench batch`, 16 threads of the
//! H200's host, 2026-11-18), to within a factor of two. With w limbs in a row:
//!
//! | operation | nanoseconds |
//! |---|---|
//! | product | 30 + 9w + w²/3 |
//! | quotient, remainder | 140 + 18w |
//! | square root | 60 + 45w |
//! | gcd | 280w + 3w² |
//! | inverse | 650w + 4w² |
//! | power, by an exponent of e bits | (15 + w²/4)·5e/4 |
//! | primality | those of a power by 16w bits: most rows are composite |

use super::cuda;
use super::plan::MOST_LIMBS;
use crate::batch::Rows;
use crate::engine::{KernelList, Residence, Work};

/// An operation on rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// Takes no longer than moving its operands: runs where they are.
    Linear,
    /// With rows of the result that are so many times as wide.
    Product {
        times: usize,
    },
    Quotient,
    Root,
    Gcd,
    Inverse,
    /// By exponents of up to so many bits.
    Power {
        bits: u64,
    },
    Prime,
    /// Trial division by so many primes.
    Trial {
        primes: usize,
    },
}

impl Operation {
    /// A power by these exponents. Exponents on a device count as full rows: they are not fetched
    /// for the decision.
    pub(super) fn power(exponents: &Rows<'_>) -> Operation {
        let width = exponents.batch.width;
        let limbs = match exponents.batch.copies.residence() {
            Residence::Device(_) => width,
            _ => exponents.host().map_or(width, |limbs| {
                let used = |row: &[u64]| row.len() - leading_zeros(row);
                limbs.chunks_exact(width).map(used).max().unwrap_or(0)
            }),
        };
        let bits = 64 * limbs as u64;
        Operation::Power { bits }
    }

    /// This operation on `count` rows of `width` limbs, with so many operands.
    pub(super) fn work(self, count: usize, width: usize, operands: usize) -> Work {
        // A product has rows of twice the width; a division has two results.
        let room = 4 * count * width;
        let Some((nanos, results, kernels)) = self.weight(width) else {
            return Work::in_place(room);
        };
        let bytes = 8 * (operands * width + results) as u64;
        Work::rows(count, nanos, bytes)
            .with_room(room)
            .needing(kernels, (width as u64, 0))
    }

    /// Nanoseconds of a row on one core, limbs of its result, and the kernels; none where it is
    /// never sent.
    fn weight(self, width: usize) -> Option<(u64, usize, KernelList)> {
        /// Above this many limbs a device finds square roots no faster than sixteen cores.
        const MOST_ROOT_LIMBS: usize = 16;
        if width > MOST_LIMBS {
            return None;
        }
        let w = width as u64;
        let power = |bits: u64| (15 + w * w / 4) * 5 * bits / 4;
        Some(match self {
            Operation::Product { times } => {
                (30 + 9 * w + w * w / 3, times * width, cuda::of_products)
            }
            Operation::Quotient => (140 + 18 * w, 2 * width, cuda::of_quotients),
            Operation::Root if width <= MOST_ROOT_LIMBS => (60 + 45 * w, width, cuda::of_quotients),
            Operation::Linear | Operation::Root => return None,
            Operation::Gcd => (280 * w + 3 * w * w, width, cuda::of_gcds),
            Operation::Inverse => (650 * w + 4 * w * w, width + 1, cuda::of_gcds),
            Operation::Power { bits } => (power(bits), width, cuda::of_powers),
            Operation::Prime => (power(16 * w), 1, cuda::of_primality),
            Operation::Trial { primes } => (primes as u64 * (1 + w / 4), 1, cuda::of_trials),
        })
    }
}

fn leading_zeros(row: &[u64]) -> usize {
    row.iter().rev().take_while(|limb| **limb == 0).count()
}
