//! What operations on rows are to the decision where they run: the time of a row on both engines,
//! the words that move to a device and back, and the kernels.
//!
//! The times are fits to those of rows of 64, 256, 1024 and 4096 bits (`bench lists` on an H200 and
//! 16 threads of its host, 2026-11-19). The decisions that follow from them take at most 1.15 times
//! as long as the better engine in 196 of 203 measurements, 2.1 times at worst. With w limbs in a
//! row:
//!
//! | operation | nanoseconds on a core | nanoseconds of a few rows on a device |
//! |---|---|---|
//! | product | 30 + 14w + 2w²/5 | 20000 + 500w |
//! | quotient, remainder | 50 + 26w | 36000 + 500w |
//! | square root | 20 + 30w | 20000 + 9500w |
//! | gcd | 180w + 3w² | 22000 + 5700w |
//! | inverse | 610w + 2w² | 50000 + 11500w |
//! | power, by an exponent of e bits | (6 + 2w + 13w²/100)·e | 30000 + (350 + min(25w², 580w))·e |
//! | primality | two thirds of a power by 64w bits | seven such powers, two for w = 1 |

use super::cuda;
use super::plan::MOST_LIMBS;
use crate::batch::Rows;
use crate::engine::{KernelList, Residence, RowCost, Work};

/// An operation on rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// Takes no longer than moving its operands: runs where they are.
    Linear,
    /// With a result whose rows are `times` as wide.
    Product {
        times: usize,
    },
    Quotient,
    Root,
    Gcd,
    Inverse,
    /// By exponents of up to `bits` bits.
    Power {
        bits: u64,
    },
    Prime,
    /// Trial division by `primes` primes.
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

    /// This operation on `count` rows of `width` limbs, with `operands` operands.
    pub(super) fn work(self, count: usize, width: usize, operands: usize) -> Work {
        // A product has rows of twice the width; a division has two results.
        let room = 4 * count * width;
        let Some((core_nanos, few_nanos, results, kernels)) = self.weight(width) else {
            return Work::in_place(room);
        };
        let cost = RowCost {
            core_nanos,
            few_nanos,
            bytes: 8 * (operands * width + results) as u64,
        };
        Work::rows(count, cost)
            .with_room(room)
            .needing(kernels, (width as u64, 0))
    }

    /// Nanoseconds of a row on one core, those of a few rows on a device, limbs of a row's result,
    /// and the kernels. None if the operation is never sent.
    fn weight(self, width: usize) -> Option<(u64, u64, usize, KernelList)> {
        /// Above this many limbs a device finds square roots no faster than sixteen cores.
        const MOST_ROOT_LIMBS: usize = 16;
        if width > MOST_LIMBS {
            return None;
        }
        let w = width as u64;
        let power = |bits: u64| {
            let device = 350 + (25 * w * w).min(580 * w);
            ((6 + 2 * w + 13 * w * w / 100) * bits, device * bits)
        };
        Some(match self {
            Operation::Linear => return None,
            Operation::Root if width > MOST_ROOT_LIMBS => return None,
            Operation::Product { times } => {
                let core = 30 + 14 * w + 2 * w * w / 5;
                (core, 20_000 + 500 * w, times * width, cuda::of_products)
            }
            Operation::Quotient => {
                let core = 50 + 26 * w;
                (core, 36_000 + 500 * w, width, cuda::of_quotients)
            }
            Operation::Root => {
                let core = 20 + 30 * w;
                (core, 20_000 + 9_500 * w, width, cuda::of_quotients)
            }
            Operation::Gcd => {
                let core = 180 * w + 3 * w * w;
                (core, 22_000 + 5_700 * w, width, cuda::of_gcds)
            }
            Operation::Inverse => {
                let core = 610 * w + 2 * w * w;
                (core, 50_000 + 11_500 * w, width + 1, cuda::of_gcds)
            }
            Operation::Power { bits } => {
                let (core, device) = power(bits);
                (core, 30_000 + device, width, cuda::of_powers)
            }
            Operation::Prime => {
                let (core, device) = power(64 * w);
                let powers = if w == 1 { 2 } else { 7 };
                (
                    core * 2 / 3,
                    40_000 + powers * device,
                    1,
                    cuda::of_primality,
                )
            }
            Operation::Trial { primes } => {
                let core = primes as u64 * (1 + w / 4);
                // Not measured: a lane takes ten times as long as a core.
                (core, 30_000 + 10 * core, 1, cuda::of_trials)
            }
        })
    }
}

fn leading_zeros(row: &[u64]) -> usize {
    row.iter().rev().take_while(|limb| **limb == 0).count()
}
