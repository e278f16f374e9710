//! The interface of all followers, and the followers that use a mailbox.
//!
//! | followers | where they run |
//! |---|---|
//! | `MailboxFollowers` | threads or a kernel of this process, with all moduli |
//! | `PoolFollowers` (`pool.rs`) | threads of this process, with the moduli of one share |
//! | `DeviceFollowers` (`participant.rs`) | a kernel, with the moduli of one share |
//! | `RankFollowers` (`src/cluster/gcd/lattice.rs`) | the processes of a cluster |

use std::sync::Arc;

use super::super::basis::Step;
use super::super::moduli::{Block, Moduli, Product, block};
use super::mailbox::LeaderEnd;
use crate::error::Result;

/// The owners of the residues of U and V, who apply the leader's steps to them. When the leader
/// drops this, the followers end, whether or not the leader succeeded.
pub(crate) trait Followers {
    /// Applies a step. The blocks below `active` have retired. `publish` is the block that the
    /// leader will request next, or [`NO_BLOCK`](super::mailbox::NO_BLOCK).
    fn apply(&mut self, step: &Step, active: usize, publish: usize) -> Result<()>;

    /// Returns the residues of a block that a step requested, after all steps up to that step.
    fn published(&mut self, block: usize) -> Result<PublishedBlock>;

    /// Computes the tables of the first own block from `number` on, before they are needed.
    fn prepare(&mut self, _number: usize) {}

    /// Does a small part of the pending work of earlier steps. Returns false if there is none.
    /// Followers that work in the background have no pending work.
    fn work(&mut self) -> bool {
        false
    }

    /// Whether so much work is pending that some of it must be done before another step.
    fn is_behind(&self) -> bool {
        false
    }
}

/// A block as its followers publish it.
pub(crate) enum PublishedBlock {
    /// Its moduli, and the residues of U and V modulo each.
    Residues(Arc<Block>, Vec<u32>, Vec<u32>),
    /// Its product, and U/V modulo that.
    Ratio(Product, Vec<u64>),
}

impl PublishedBlock {
    /// The ratio of a block's residues where no modulus divides V, else the residues.
    pub(super) fn lifted(block: Block, u: Vec<u32>, v: Vec<u32>) -> PublishedBlock {
        if v.contains(&0) {
            PublishedBlock::Residues(block.into(), u, v)
        } else {
            let ratio = block.ratio(&u, &v);
            PublishedBlock::Ratio(block.product, ratio)
        }
    }
}

/// Followers that use a mailbox and have all moduli, as the leader does. The tables of the first
/// blocks exist already.
pub(super) struct MailboxFollowers<'a> {
    pub(super) mailbox: LeaderEnd<'a>,
    pub(super) moduli: &'a Moduli,
    pub(super) blocks: &'a [Arc<Block>],
}

impl Followers for MailboxFollowers<'_> {
    fn apply(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.mailbox.push(step, active, publish);
        Ok(())
    }

    fn published(&mut self, number: usize) -> Result<PublishedBlock> {
        let known = self.blocks.get(number).cloned();
        let block = known.unwrap_or_else(|| block(self.moduli, self.mailbox.k, number));
        let (u, v) = self.mailbox.residues(number)?;
        Ok(PublishedBlock::Residues(block, u, v))
    }
}
