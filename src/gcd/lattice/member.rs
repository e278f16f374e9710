//! A member of a run whose moduli several members hold, each in a process of its own: its blocks of
//! moduli, and its followers, which are threads of this process or its device.
//!
//! Whoever brings the members together deals the blocks ([`Deal`]), makes each member's [`Part`],
//! and lets the members talk in [`Part::run`]: member 0 leads ([`lead`](super::lead)), the others
//! follow by [`Member`]. At the end each has a [`Part::fraction`], and their sum is the result.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::block::{Block, MODULUS_BITS};
use super::cpu::Share;
use super::cuda::Run;
use super::deal::Deal;
use super::finish::{Fraction, coefficients, natural, sum, whole};
use super::lanes;
use super::lead::{Outcome, Published, Residues};
use super::leader::Bounds;
use super::mailbox::{Line, NO_BLOCK, Shape};
use super::plan::{Plan, too_large};
use super::step::Step;
use crate::cuda::{self, Device};
use crate::engine::Engine;
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::modp::primes;
use crate::threads::{self, chunk};

/// Moduli that one thread works on at a time, at least.
const CHUNK: usize = 64 * lanes::LANES;

/// Moduli that a thread applies a step to before it looks for news: about ten microseconds.
pub(crate) const PORTION: usize = 512;

/// Words of the operands that are read at a time.
const PIECE: usize = 1 << 10;

/// Steps that a member may be behind its leader, so that no other waits for one that was held up
/// for a moment.
const BEHIND: usize = 16;

/// A member's part of a run.
pub(crate) struct Part<'a> {
    plan: Plan,
    deal: &'a Deal,
    member: usize,
    share: Share,
    least: u32,
}

impl<'a> Part<'a> {
    /// The blocks that this member is dealt, for operands of these bounds.
    pub(crate) fn new(
        plan: Plan,
        bounds: &Bounds,
        deal: &'a Deal,
        member: usize,
    ) -> Result<Part<'a>> {
        let own = Share::of_walk(&plan, deal, member);
        let (share, least) = own.ok_or_else(|| too_large(bounds))?;
        Ok(Part {
            plan,
            deal,
            member,
            share,
            least,
        })
    }

    /// The least modulus of all members.
    pub(crate) fn least(&self) -> u32 {
        self.least
    }

    /// Takes the residues of a and b, and lets the member `talk` with the others until the run is
    /// over: on the engine in force, which is not `Auto`. None where the moduli were too few. The
    /// residues of U stay here.
    pub(crate) fn run(
        &mut self,
        a: &Resident,
        b: &Resident,
        talk: impl FnOnce(&mut Member<'_>) -> Result<Option<Outcome>>,
    ) -> Result<Option<Outcome>> {
        let device = match Engine::current() {
            Engine::Cuda(n) if !self.share.q.is_empty() => Some(cuda::device(n)?),
            _ => None,
        };
        let (outcome, exponent) = match device {
            None => {
                convert(&mut self.share, &self.plan, a, b)?;
                let mut here = Here::new(&mut self.share);
                let outcome = talk(&mut Member::new(&mut here))?;
                here.finish();
                (outcome, self.plan.words as u64)
            }
            Some(device) => self.on_device(a, b, &device, talk)?,
        };
        // It is 0.
        self.share.v = Vec::new();
        Ok(outcome.map(|outcome| Outcome {
            exponent: outcome.exponent + exponent,
            ..outcome
        }))
    }

    /// The same with the followers on a device. The residues are at first R^-exponent times those
    /// of the operands, with the exponent that is given.
    fn on_device(
        &mut self,
        a: &Resident,
        b: &Resident,
        device: &Arc<Device>,
        talk: impl FnOnce(&mut Member<'_>) -> Result<Option<Outcome>>,
    ) -> Result<(Option<Outcome>, u64)> {
        let share = &mut self.share;
        (share.u, share.v) = Default::default();
        let there = |x: &Resident| -> Result<_> { Ok(x.on(device)?.lowest(limbs::size(x)?.1)) };
        let run = Run::of(device, &share.q, &share.ninv)?;
        run.convert(&self.plan, &there(a)?, &there(b)?)?;
        // Every member's log has all steps.
        let shape = Shape {
            published: share.q.len(),
            ..self.plan.shape()
        };
        let soon = usize::from(self.member == 0);
        let outcome = run.beside(self.plan.k, shape, soon, |line| {
            let mut there = There {
                line,
                deal: self.deal,
                member: self.member,
                share,
            };
            talk(&mut Member::new(&mut there))
        })?;
        if let Some(outcome) = &outcome {
            let from = share.start(outcome.blocks);
            share.u = vec![0; from];
            share.u.extend(run.residues(from..share.q.len())?);
        }
        Ok((outcome, run.exponent(&self.plan)))
    }

    /// Σ c/q over this member's moduli, exact and about: see `finish.rs`.
    pub(crate) fn fraction(&self, outcome: &Outcome) -> Result<(Fraction, f64)> {
        let (plan, share) = (&self.plan, &self.share);
        let range = outcome.range(plan);
        // What is needed of the share: all of its blocks up to the last, of which the beginning may
        // do.
        let (from, last) = (share.start(outcome.blocks), range.end / plan.k);
        let owned = self.deal.owner(last) == self.member;
        let to = share.start(last) + if owned { range.end % plan.k } else { 0 };
        let (q, ninv) = (&share.q[from..to], &share.ninv[from..to]);
        let mut c = share.u[from..to].to_vec();
        coefficients(
            plan,
            outcome,
            q,
            ninv,
            &products(range.end, q, ninv),
            &mut c,
        );
        let leaves = threads::map(q.len().div_ceil(plan.k), 1, |i| {
            Fraction::of(&Block::new(chunk(q, plan.k, i)), chunk(&c, plan.k, i))
        });
        let own = match leaves.is_empty() {
            true => Ok(Fraction {
                top: natural(vec![]),
                bottom: natural(vec![1]),
            }),
            false => sum(&leaves),
        };
        Ok((own?, whole(&c, q)))
    }
}

/// R·Π p/R over the first `count` moduli p, but for q itself, modulo each of these q.
fn products(count: usize, q: &[u32], ninv: &[u32]) -> Vec<u32> {
    let mut all = vec![0; q.len()];
    lanes::products(&[], q, ninv, &mut all);
    if q.is_empty() {
        return all;
    }
    primes::walk(MODULUS_BITS, count, |some| {
        let factors: Vec<u32> = some.iter().map(|p| *p as u32).collect();
        threads::chunks_mut(&mut all, CHUNK, 1, |i, all| {
            lanes::multiply(&factors, chunk(q, CHUNK, i), chunk(ninv, CHUNK, i), all);
        });
    });
    all
}

/// A member while a run goes on.
pub(crate) struct Member<'a> {
    own: &'a mut dyn Local,
    /// The number of the next of its blocks, and the tables of that.
    next: Option<(usize, Block)>,
}

impl<'a> Member<'a> {
    fn new(own: &'a mut dyn Local) -> Member<'a> {
        Member { own, next: None }
    }

    /// Tells its followers a step: the blocks below `active` are done with, and `publish` is what
    /// the leader will ask for next.
    pub(crate) fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.own.push(step, active, publish)
    }

    /// What the leader needs of a block of this member, after the steps up to here.
    pub(crate) fn publish(&mut self, number: usize) -> Result<Published> {
        let (u, v) = self.own.residues(number)?;
        let block = self.block(number);
        Ok(match v.contains(&0) {
            true => Published::Residues(block.into(), u, v),
            false => {
                let ratio = block.ratio(&u, &v);
                Published::Ratio(block.product, ratio)
            }
        })
    }

    /// Makes the tables of this member's first block from `number` on.
    pub(crate) fn prepare(&mut self, number: usize) {
        let share = self.own.share();
        let number = share.next(number);
        if self.next.is_none() && share.start(number) < share.q.len() {
            self.next = Some((number, self.block(number)));
        }
    }

    /// Does a little of what is left of the steps; false where nothing is.
    pub(crate) fn work(&mut self) -> bool {
        self.own.work()
    }

    /// Whether there is so much left that it has to be less before another step.
    pub(crate) fn is_behind(&self) -> bool {
        self.own.is_behind()
    }

    /// A block of this member.
    fn block(&mut self, number: usize) -> Block {
        match self.next.take() {
            Some((of, block)) if of == number => block,
            _ => {
                let share = self.own.share();
                Block::new(&share.q[share.start(number)..share.start(number + 1)])
            }
        }
    }
}

/// A member's own followers, and their moduli.
trait Local: Residues {
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
struct Here<'a> {
    share: &'a mut Share,
    /// Steps that are not applied everywhere.
    steps: VecDeque<Step>,
    /// The first of them is applied below this place, a block's beginning; the others nowhere but
    /// below `ready`, where all are.
    place: usize,
    ready: usize,
}

impl<'a> Here<'a> {
    fn new(share: &'a mut Share) -> Here<'a> {
        Here {
            share,
            steps: VecDeque::new(),
            place: 0,
            ready: 0,
        }
    }

    /// Applies what is left of the steps.
    fn finish(mut self) {
        while self.work() {}
    }

    fn apply(share: &mut Share, step: &Step, part: Range<usize>) {
        share.on(part.start, part.end, |q, ninv, u, v| {
            on_threads(q, ninv, u, v, |q, ninv, u, v| {
                lanes::apply(step, q, ninv, u, v)
            });
        });
    }
}

impl Residues for Here<'_> {
    fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.steps.push_back(step.clone());
        self.ready = self.ready.max(self.share.start(active));
        let block = self.share.start(publish)..self.share.start(publish + 1);
        if !block.is_empty() {
            let has_first = usize::from(block.end <= self.place);
            for step in self.steps.iter().skip(has_first) {
                Here::apply(self.share, step, block.clone());
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

impl Local for Here<'_> {
    fn share(&self) -> &Share {
        self.share
    }

    fn work(&mut self) -> bool {
        let Some(step) = self.steps.front() else {
            return false;
        };
        let all = self.share.q.len();
        let from = self.place.max(self.ready).min(all);
        let little = PORTION * rayon::current_num_threads();
        let to = (from + little.next_multiple_of(self.share.k())).min(all);
        Here::apply(self.share, step, from..to);
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
struct There<'a> {
    line: Line<'a>,
    deal: &'a Deal,
    member: usize,
    share: &'a Share,
}

impl Residues for There<'_> {
    fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        let publish = if publish != NO_BLOCK && self.deal.owner(publish) == self.member {
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
fn convert(share: &mut Share, plan: &Plan, a: &Resident, b: &Resident) -> Result<()> {
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
