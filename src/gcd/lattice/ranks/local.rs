//! A rank's own followers: its threads, or a device.

use std::collections::VecDeque;
use std::ops::Range;

use super::CHUNK;
use crate::error::Result;
use crate::gcd::lattice::cpu::Share;
use crate::gcd::lattice::deal::Deal;
use crate::gcd::lattice::lanes;
use crate::gcd::lattice::lead::Followers;
use crate::gcd::lattice::mailbox::{Line, NO_BLOCK};
use crate::gcd::lattice::plan::Plan;
use crate::gcd::lattice::step::Step;
use crate::limbs::Resident;
use crate::model::ranks::PORTION;
use crate::threads::{self, chunk};

/// Words of the operands that are read at a time.
const PIECE: usize = 1 << 10;

/// Steps that a rank may be behind its leader, so that no other waits for one that was held up for
/// a moment.
const BEHIND: usize = 16;

/// A rank's own followers, and their moduli.
pub(super) trait Local: Followers {
    fn share(&self) -> &Share;

    /// Does a little of what is left of the steps; false where nothing is. Followers that work by
    /// themselves have nothing left.
    fn work(&mut self) -> bool {
        false
    }

    /// Whether there is so much left that it has to be less before another step.
    fn is_behind(&self) -> bool {
        false
    }
}

/// On this thread and those of its pool. A block that is to be published gets all steps at once,
/// the others when there is nothing else to do.
///
/// Blocks are published in order, and none has a step after that: it is the next to lead, and done
/// with once it has led.
pub(super) struct Here {
    share: Share,
    /// Steps that are not applied everywhere.
    steps: VecDeque<Step>,
    /// The first of them is applied below this place, a block's beginning; the others nowhere but
    /// below `ready`, where all are.
    place: usize,
    ready: usize,
}

impl Here {
    pub(super) fn new(share: Share) -> Here {
        Here {
            share,
            steps: VecDeque::new(),
            place: 0,
            ready: 0,
        }
    }

    /// The share, with all steps applied.
    pub(super) fn into_share(mut self) -> Share {
        while self.work() {}
        self.share
    }

    fn apply(share: &mut Share, step: &Step, part: Range<usize>) {
        share.on(part.start, part.end, |q, ninv, u, v| {
            on_threads(q, ninv, u, v, |q, ninv, u, v| {
                lanes::apply(step, q, ninv, u, v)
            });
        });
    }
}

impl Followers for Here {
    fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.steps.push_back(step.clone());
        self.ready = self.ready.max(self.share.start(active));
        let block = self.share.start(publish)..self.share.start(publish + 1);
        if !block.is_empty() {
            let has_first = usize::from(block.end <= self.place);
            for step in self.steps.iter().skip(has_first) {
                Here::apply(&mut self.share, step, block.clone());
            }
            self.ready = self.ready.max(block.end);
        }
        Ok(())
    }

    fn residues(&mut self, block: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let range = self.share.start(block)..self.share.start(block + 1);
        Ok((
            self.share.u[range.clone()].to_vec(),
            self.share.v[range].to_vec(),
        ))
    }
}

impl Local for Here {
    fn share(&self) -> &Share {
        &self.share
    }

    fn work(&mut self) -> bool {
        let Some(step) = self.steps.front() else {
            return false;
        };
        let all = self.share.q.len();
        let from = self.place.max(self.ready).min(all);
        let little = PORTION * rayon::current_num_threads();
        let to = (from + little.next_multiple_of(self.share.k())).min(all);
        Here::apply(&mut self.share, step, from..to);
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

/// On a device, which numbers its own blocks from 0.
pub(super) struct There<'a> {
    pub(super) line: Line<'a>,
    pub(super) deal: &'a Deal,
    pub(super) rank: usize,
    pub(super) share: &'a Share,
}

impl Followers for There<'_> {
    fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        let publish = if publish != NO_BLOCK && self.deal.owner(publish) == self.rank {
            self.share.before(publish)
        } else {
            NO_BLOCK
        };
        self.line.push(step, self.share.before(active), publish)
    }

    fn residues(&mut self, block: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        self.line.residues(self.share.before(block))
    }
}

impl Local for There<'_> {
    fn share(&self) -> &Share {
        self.share
    }
}

/// Takes the residues of both operands.
pub(super) fn convert(share: &mut Share, plan: &Plan, a: &Resident, b: &Resident) -> Result<()> {
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
    threads::chunk_pairs_mut(u, v, CHUNK, 1, |i, u, v| {
        work(chunk(q, CHUNK, i), chunk(ninv, CHUNK, i), u, v);
    });
}
