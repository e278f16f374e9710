//! The one interface of followers, wherever they are, and those behind a mailbox.
//!
//! | who | where |
//! |---|---|
//! | `MailboxFollowers` | threads or a kernel of this process, which know all moduli |
//! | `PoolFollowers` (`pool.rs`) | threads of this process, with the moduli of one share |
//! | `DeviceFollowers` (`participant.rs`) | a kernel, with the moduli of one share |
//! | `RankFollowers` (`src/cluster/gcd/lattice.rs`) | the processes of a cluster |

use std::sync::Arc;

use super::super::basis::Step;
use super::super::moduli::{Block, Moduli, Product, block};
use super::mailbox::LeaderEnd;
use crate::error::Result;

/// Those who hold the residues of U and V and apply the leader's steps to them. When the leader
/// drops this, they end, whether or not it succeeded.
pub(crate) trait Followers {
    /// Applies a step. The blocks below `active` have retired. `publish` is the block that the
    /// leader will ask for next, or [`NO_BLOCK`](super::mailbox::NO_BLOCK).
    fn apply(&mut self, step: &Step, active: usize, publish: usize) -> Result<()>;

    /// The residues of a block that was to be published, after the steps up to that.
    fn published(&mut self, block: usize) -> Result<PublishedBlock>;

    /// Makes the tables of the first own block from `number` on, before they are needed.
    fn prepare(&mut self, _number: usize) {}

    /// Does a little of the work that is left of earlier steps; false where nothing is. Followers
    /// that work by themselves have nothing left.
    fn work(&mut self) -> bool {
        false
    }

    /// Whether so much work is left that it has to become less before another step.
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

/// Followers behind a mailbox that know all moduli, as the leader does. The tables of the first
/// blocks are made.
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
