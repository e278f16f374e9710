//! Sizes of a run: the number of blocks of moduli, and the layout of the mailbox.

use super::basis::{Bound, OperandBounds};
use super::moduli::{MAX_BLOCK, MODULUS_BITS};
use super::run::{CHECKS, MailboxLengths, NO_BLOCK};
use crate::error::{Error, Result};
use crate::tuning::Tuning;

/// Bits that a step may fall short of log2 M: log2(4/√3) < 1.2076, and a little for the estimates
/// in Gauss's reduction.
pub(crate) const LOSS_BITS: f64 = 1.25;

/// Maximum bits of both operands together: there are 50.7 million primes of 31 bits.
const MOST_BITS: u64 = 1_500_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LatticePlan {
    /// Moduli of a block.
    pub(crate) k: usize,
    /// The number of blocks after the current one whose residues the leader has received.
    pub(crate) ahead: usize,
    pub(crate) blocks: usize,
    /// 32-bit words that the operands are read as, both the same number; even.
    pub(crate) words: usize,
}

impl LatticePlan {
    /// The plan for operands of these bounds. Each attempt has a quarter more moduli than the
    /// previous one.
    ///
    /// The steps before the last one take the product of the bounds from |U||V| to some P, where
    /// both bounds are at least 1, so that the larger one, which still has to be represented, is at
    /// most P, and √2·P after the last step. Each step takes log2 M − LOSS_BITS bits off. So log2
    /// |U||V| bits, LOSS_BITS a block, the last block and one for rounding are enough, beside the
    /// checks. (A modulus that divides both operands serves in no step, and makes what has to be
    /// represented smaller by itself.)
    pub(crate) fn new(
        bounds: &OperandBounds,
        tuning: &Tuning,
        attempt: u32,
    ) -> Result<LatticePlan> {
        let [u, v] = [bounds.u, bounds.v].map(Bound::bits);
        let k = tuning.lattice_block.clamp(1, MAX_BLOCK);
        let bits = u as f64 + v as f64 + 4.0;
        // The mean distance of primes near 2^31 is 21.5.
        let estimate = bits / f64::from(MODULUS_BITS - 1);
        let least = (((1u64 << MODULUS_BITS) as f64) - 25.0 * (estimate + 1e5)).max(1e9);
        let progress = k as f64 * least.log2() - LOSS_BITS;
        let blocks = (bits / progress).ceil() * 1.25f64.powi(attempt as i32)
            + 2.0
            + CHECKS.div_ceil(k) as f64;
        if bits > MOST_BITS as f64 || blocks >= NO_BLOCK as f64 {
            return Err(too_large(bounds));
        }
        Ok(LatticePlan {
            k,
            ahead: tuning.lattice_ahead,
            blocks: blocks as usize,
            words: u.max(v).max(1).div_ceil(64) as usize * 2,
        })
    }

    /// The plan of a round of moduli whose product has about `bits` bits.
    pub(super) fn of_round(bits: u64, tuning: &Tuning) -> LatticePlan {
        let k = tuning.lattice_block.clamp(1, MAX_BLOCK);
        let blocks = bits.div_ceil(u64::from(MODULUS_BITS) * k as u64) as usize;
        let most = (blocks * k) as u64 * u64::from(MODULUS_BITS);
        LatticePlan {
            k,
            ahead: tuning.lattice_ahead,
            blocks,
            words: most.div_ceil(64) as usize * 2,
        }
    }

    pub(super) fn moduli(&self) -> usize {
        self.k * self.blocks
    }

    /// The lengths for all steps: a block has at most one step for the moduli that divide V and one
    /// for the others, and an entry is at most √2 times the product of the step's moduli.
    pub(super) fn mailbox_lengths(&self) -> MailboxLengths {
        let words = (self.k * MODULUS_BITS as usize).div_ceil(32) + 3;
        MailboxLengths {
            headers: 2 * self.blocks + 1,
            payload: 2 * words * self.blocks,
            published: self.moduli(),
        }
    }

    /// The block that is published after the last step of `block`.
    pub(super) fn published_after(&self, block: usize) -> usize {
        match block + 1 + self.ahead {
            next if next < self.blocks => next,
            _ => NO_BLOCK,
        }
    }
}

/// The error for operands of these bounds.
pub(crate) fn too_large(bounds: &OperandBounds) -> Error {
    Error::TooLarge {
        what: "gcd by lattices",
        bits: bounds.u.bits().saturating_add(bounds.v.bits()),
        limit: MOST_BITS,
    }
}
