//! Followers on the threads of one participant's rayon pool, which work between messages.

use std::collections::VecDeque;
use std::ops::Range;

use super::super::basis::Step;
use super::super::moduli::{Block, ModuliShare, vectors};
use super::super::plan::LatticePlan;
use super::followers::{Followers, PublishedBlock};
use crate::error::Result;
use crate::limbs::Resident;
use crate::threads::{self, chunk};

/// Minimum moduli per task of one thread.
pub(super) const CHUNK: usize = 64 * vectors::LANES;

/// Moduli to which a thread applies a step before it checks for messages: about ten microseconds of
/// work.
pub(crate) const PORTION: usize = 512;

/// Words of the operands that are read at a time.
const PIECE: usize = 1 << 10;

/// Steps by which a participant may lag its leader, so that a short delay of one participant does
/// not delay the others.
const BEHIND: usize = 16;

/// The tables of a participant's next block, computed before they are needed.
#[derive(Default)]
pub(super) struct NextBlock {
    /// The block's number, and the block.
    made: Option<(usize, Block)>,
}

impl NextBlock {
    /// Computes the tables of the share's first block from `number` on.
    pub(super) fn prepare(&mut self, share: &ModuliShare, number: usize) {
        let number = share.next(number);
        if self.made.is_none() && share.start(number) < share.q.len() {
            self.made = Some((number, self.take(share, number)));
        }
    }

    /// Returns a block of the share. Computes its tables if they do not exist yet.
    pub(super) fn take(&mut self, share: &ModuliShare, number: usize) -> Block {
        match self.made.take() {
            Some((of, block)) if of == number => block,
            _ => Block::new(&share.q[share.start(number)..share.start(number + 1)]),
        }
    }
}

/// The followers of one participant on this thread and those of its pool. A requested block gets
/// all steps immediately. The other blocks get them when there is no other work.
///
/// Blocks are published in order. A published block gets no more steps here: the leader uses it
/// next, and then it is finished.
pub(super) struct PoolFollowers<'a> {
    share: &'a mut ModuliShare,
    /// Steps that are not applied to all moduli yet.
    steps: VecDeque<Step>,
    /// The first of them is applied below this place, which is the beginning of a block. The others
    /// are applied only below `ready`, where all are.
    place: usize,
    ready: usize,
    next: NextBlock,
}

impl<'a> PoolFollowers<'a> {
    pub(super) fn new(share: &'a mut ModuliShare) -> PoolFollowers<'a> {
        PoolFollowers {
            share,
            steps: VecDeque::new(),
            place: 0,
            ready: 0,
            next: NextBlock::default(),
        }
    }

    /// Applies the pending steps.
    pub(super) fn finish(mut self) {
        while self.work() {}
    }
}

impl Followers for PoolFollowers<'_> {
    fn apply(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.steps.push_back(step.clone());
        self.ready = self.ready.max(self.share.start(active));
        let block = self.share.start(publish)..self.share.start(publish + 1);
        if !block.is_empty() {
            let has_first = usize::from(block.end <= self.place);
            for step in self.steps.iter().skip(has_first) {
                apply_on_threads(self.share, step, block.clone());
            }
            self.ready = self.ready.max(block.end);
        }
        Ok(())
    }

    fn published(&mut self, number: usize) -> Result<PublishedBlock> {
        let range = self.share.start(number)..self.share.start(number + 1);
        let [u, v] = [&self.share.u, &self.share.v].map(|x| x[range.clone()].to_vec());
        let block = self.next.take(self.share, number);
        Ok(PublishedBlock::lifted(block, u, v))
    }

    fn prepare(&mut self, number: usize) {
        self.next.prepare(self.share, number);
    }

    fn work(&mut self) -> bool {
        let Some(step) = self.steps.front() else {
            return false;
        };
        let all = self.share.q.len();
        let from = self.place.max(self.ready).min(all);
        let little = PORTION * threads::count();
        let to = (from + little.next_multiple_of(self.share.k())).min(all);
        apply_on_threads(self.share, step, from..to);
        self.place = to;
        if to == all {
            self.steps.pop_front();
            self.place = 0;
        }
        true
    }

    fn is_behind(&self) -> bool {
        self.steps.len() >= BEHIND
    }
}

/// Applies a step to a range of a share's moduli, on all threads.
fn apply_on_threads(share: &mut ModuliShare, step: &Step, part: Range<usize>) {
    share.on(part.start, part.end, |q, ninv, u, v| {
        on_threads(q, ninv, u, v, |q, ninv, u, v| {
            vectors::apply(step, q, ninv, u, v)
        });
    });
}

/// Computes the residues of both operands.
pub(super) fn convert(
    share: &mut ModuliShare,
    plan: &LatticePlan,
    a: &Resident,
    b: &Resident,
) -> Result<()> {
    let [a, b] = [a.host()?, b.host()?].map(|x| x.magnitude().limbs());
    let word = |limbs: &[u64], i: usize| {
        let limb = limbs.get(i / 2).copied().unwrap_or(0);
        (limb >> (32 * (i % 2))) as u32
    };
    for from in (0..plan.words).step_by(PIECE) {
        let piece = from..(from + PIECE).min(plan.words);
        let words: Vec<[u32; 2]> = piece.map(|i| [word(a, i), word(b, i)]).collect();
        share.on(0, share.q.len(), |q, ninv, u, v| {
            on_threads(q, ninv, u, v, |q, ninv, u, v| {
                vectors::convert(&words, q, ninv, u, v)
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
    if q.len() <= CHUNK || threads::count() == 1 {
        return work(q, ninv, u, v);
    }
    threads::chunk_pairs_mut(u, v, CHUNK, 1, |i, u, v| {
        work(chunk(q, CHUNK, i), chunk(ninv, CHUNK, i), u, v);
    });
}
