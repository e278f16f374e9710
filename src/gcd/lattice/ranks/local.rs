//! A rank's own followers: its threads, or a device.

use std::ops::Range;

use rayon::prelude::*;

use super::CHUNK;
use crate::cluster::Cluster;
use crate::error::Result;
use crate::gcd::lattice::cpu::Share;
use crate::gcd::lattice::lanes;
use crate::gcd::lattice::lead::Followers;
use crate::gcd::lattice::mailbox::{Line, NO_BLOCK};
use crate::gcd::lattice::plan::Plan;
use crate::gcd::lattice::step::Step;
use crate::limbs::Limbs;

/// Words of the operands that are read at a time.
const PIECE: usize = 1 << 10;

/// A rank's own followers, and their moduli.
pub(super) trait Local: Followers {
    fn share(&self) -> &Share;
}

/// On this thread and those of its pool.
pub(super) struct Here {
    pub(super) share: Share,
    /// A step and where it was applied already: the rest of the share waits for it.
    pub(super) last: Option<(Step, usize, Range<usize>)>,
}

impl Here {
    fn apply(&mut self, step: &Step, from: usize, to: usize) {
        self.share.on(from, to.max(from), |q, ninv, u, v| {
            on_threads(q, ninv, u, v, |q, ninv, u, v| {
                lanes::apply(step, q, ninv, u, v)
            });
        });
    }
}

impl Followers for Here {
    fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.rest();
        let first = self.share.start(publish)..self.share.start(publish + 1);
        self.apply(step, first.start, first.end);
        self.last = Some((step.clone(), self.share.start(active), first));
        Ok(())
    }

    fn residues(&mut self, block: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let range = self.share.start(block)..self.share.start(block + 1);
        Ok((
            self.share.u[range.clone()].to_vec(),
            self.share.v[range].to_vec(),
        ))
    }

    fn rest(&mut self) {
        if let Some((step, from, first)) = self.last.take() {
            self.apply(&step, from, first.start.max(from));
            self.apply(&step, first.end.max(from), self.share.q.len());
        }
    }
}

impl Local for Here {
    fn share(&self) -> &Share {
        &self.share
    }
}

/// On a device, which numbers its own blocks from 0.
pub(super) struct There<'a> {
    pub(super) line: Line<'a>,
    pub(super) cluster: &'a Cluster,
    pub(super) share: &'a Share,
}

impl Followers for There<'_> {
    fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        let (rank, size) = (self.cluster.rank(), self.cluster.size());
        let publish = match publish != NO_BLOCK && publish % size == rank {
            true => publish / size,
            false => NO_BLOCK,
        };
        let active = active.saturating_sub(rank).div_ceil(size);
        self.line.push(step, active, publish)
    }

    fn residues(&mut self, block: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        self.line.residues(block / self.cluster.size())
    }
}

impl Local for There<'_> {
    fn share(&self) -> &Share {
        self.share
    }
}

/// Takes the residues of both operands.
pub(super) fn convert(share: &mut Share, plan: &Plan, a: &Limbs, b: &Limbs) -> Result<()> {
    let [a, b] = [a.host()?, b.host()?].map(|x| x.unsigned_abs_ref().as_limbs_asc());
    let word = |limbs: &[u64], i: usize| {
        let limb = limbs.get(i / 2).copied().unwrap_or(0);
        (limb >> (32 * (i % 2))) as u32
    };
    for from in (0..plan.words).step_by(PIECE) {
        let piece = from..(from + PIECE).min(plan.words);
        let words: Vec<[u32; 2]> = piece.map(|i| [word(a, i), word(b, i)]).collect();
        share.on(0, share.q.len(), |q, ninv, u, v| {
            on_threads(q, ninv, u, v, |q, ninv, u, v| {
                lanes::convert(&words, q, ninv, u, v)
            });
        });
    }
    Ok(())
}

/// Runs `work` on parts of these, on all threads.
fn on_threads(
    q: &[u32],
    ninv: &[u32],
    u: &mut [u32],
    v: &mut [u32],
    work: impl Fn(&[u32], &[u32], &mut [u32], &mut [u32]) + Sync,
) {
    if q.len() <= CHUNK || rayon::current_num_threads() == 1 {
        return work(q, ninv, u, v);
    }
    (q.par_chunks(CHUNK).zip(ninv.par_chunks(CHUNK)))
        .zip(u.par_chunks_mut(CHUNK).zip(v.par_chunks_mut(CHUNK)))
        .for_each(|((q, ninv), (u, v))| work(q, ninv, u, v));
}
