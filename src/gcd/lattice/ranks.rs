//! The same over ranks: the blocks of moduli are dealt in turn, more of them to a rank that is
//! faster just now, so that all have as much to do while blocks retire.
//!
//! Rank 0 leads, and is a follower beside that. One broadcast a step tells all ranks the basis, on
//! the way to the owner of the next block first. That rank applies it there, lifts U/V from the
//! block's residues, and sends that to rank 0, which finds the next step while all others, and
//! itself in between, still apply the last ones to the rest of their blocks. They may be some steps
//! behind, so that a rank that is held up for a moment holds up no other. Nobody holds more than
//! the share of its blocks: moduli are sieved by every rank and all but its own dropped, operands
//! are read a piece at a time, and the tables of a block are made when it is next.
//!
//! At the end every rank has the coefficients of its own moduli and sums their fractions; the sums
//! go up a tree of ranks.

mod local;
mod message;
mod speed;

use std::sync::Arc;

use super::block::{Block, MODULUS_BITS};
use super::bound::Bound;
use super::cpu::Share;
use super::cuda::Run;
use super::deal::Deal;
use super::finish::{Fraction, coefficients, conclude, natural, sum, whole};
use super::lanes;
use super::lead::{Found, Leader, Outcome, Team};
use super::leader::Bounds;
use super::mailbox::{NO_BLOCK, Received, Shape, from_message, stop_message, to_message};
use super::plan::{Plan, too_large};
use super::step::Step;
use super::{Stats, stats_of};
use crate::cluster::{Cluster, to_bytes, to_words};
use crate::cuda::{self, Device};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::model::Tuning;
use crate::model::ranks::FAN;
use crate::modp::primes;
use crate::threads::{self, chunk};
use local::{Here, Local, There, convert};
use message::{from_list, to_list};
use speed::dealt;

/// Blocks to the leader, and parts of the result; steps.
const TAG: u16 = Cluster::FIRST_TAG;
const STEP: u16 = Cluster::FIRST_TAG + 1;

/// Moduli that one thread works on at a time, at least.
const CHUNK: usize = 64 * lanes::LANES;

/// gcd(a, b) for a > b > 0, the same on every rank, by all of them: each under its own engine,
/// which is not `Auto`.
pub(crate) fn gcd(a: &Resident, b: &Resident, cluster: &Cluster) -> Result<(Resident, Stats)> {
    let bounds = |x: &Resident| Ok(Bound::power(limbs::size(x)?.1));
    let bounds = Bounds {
        u: bounds(a)?,
        v: bounds(b)?,
    };
    for attempt in 0.. {
        // Rank 0's tuning is the one that counts.
        let own = Plan::new(bounds.u, bounds.v, &Tuning::current(), attempt)?;
        let mut sizes = [own.k as u64, own.blocks as u64];
        cluster.broadcast_words(0, &mut sizes);
        let plan = Plan {
            k: sizes[0] as usize,
            blocks: sizes[1] as usize,
            ahead: 0,
            ..own
        };
        let deal = dealt(&plan, cluster);
        let rank = Share::of_walk(&plan, &deal, cluster.rank());
        let (share, least) = rank.ok_or_else(|| too_large(bounds.u, bounds.v))?;
        let run = Rank {
            cluster,
            deal: &deal,
            plan,
            least,
            bounds,
        };
        if let Some((value, outcome)) = run.run(share, a, b)? {
            let stats = stats_of(&plan, &outcome, attempt);
            let ranks = Some(cluster.size() as u64);
            return Ok((value, Stats { ranks, ..stats }));
        }
    }
    Err(too_large(bounds.u, bounds.v))
}

/// One attempt, as one rank sees it.
struct Rank<'a> {
    cluster: &'a Cluster,
    deal: &'a Deal,
    plan: Plan,
    least: u32,
    bounds: Bounds,
}

impl Rank<'_> {
    /// None where the moduli were too few.
    fn run(
        &self,
        mut share: Share,
        a: &Resident,
        b: &Resident,
    ) -> Result<Option<(Resident, Outcome)>> {
        let device = match Engine::current() {
            Engine::Cuda(n) if !share.q.is_empty() => Some(cuda::device(n)?),
            _ => None,
        };
        let outcome = match device {
            None => {
                convert(&mut share, &self.plan, a, b)?;
                let mut here = Here::new(share);
                let outcome = self.talk(&mut here, self.plan.words as u64)?;
                share = here.into_share();
                outcome
            }
            Some(device) => self.on_device(&mut share, a, b, &device)?,
        };
        let Some(outcome) = outcome else {
            return Ok(None);
        };
        // It is 0.
        share.v = Vec::new();
        Ok(Some((self.rebuild(&share, &outcome)?, outcome)))
    }

    /// The same with the followers on a device. Leaves the residues of U in the share.
    fn on_device(
        &self,
        share: &mut Share,
        a: &Resident,
        b: &Resident,
        device: &Arc<Device>,
    ) -> Result<Option<Outcome>> {
        (share.u, share.v) = Default::default();
        let there = |x: &Resident| -> Result<_> { Ok(x.on(device)?.lowest(limbs::size(x)?.1)) };
        let run = Run::of(device, &share.q, &share.ninv)?;
        run.convert(&self.plan, &there(a)?, &there(b)?)?;
        // Every rank's log has all steps.
        let shape = Shape {
            published: share.q.len(),
            ..self.plan.shape()
        };
        let soon = usize::from(self.cluster.is_first());
        let exponent = run.exponent(&self.plan);
        let outcome = run.beside(self.plan.k, shape, soon, |line| {
            let mut there = There {
                line,
                deal: self.deal,
                rank: self.cluster.rank(),
                share,
            };
            self.talk(&mut there, exponent)
        })?;
        if let Some(outcome) = &outcome {
            let from = share.start(outcome.blocks);
            share.u = vec![0; from];
            share.u.extend(run.residues(from..share.q.len())?);
        }
        Ok(outcome)
    }

    /// Leads or follows to the end, with residues that are at first R^-exponent times those of the
    /// operands.
    fn talk(&self, own: &mut impl Local, exponent: u64) -> Result<Option<Outcome>> {
        let cluster = self.cluster;
        let dealt = Dealt {
            cluster,
            deal: self.deal,
            own,
            next: None,
            awaited: None,
        };
        let outcome = if cluster.is_first() {
            let first = Leader::new(self.plan, dealt, self.least, self.bounds, 0).run();
            let list = first
                .as_ref()
                .map_or(Vec::new(), |found| to_list(found.as_ref()));
            cluster.broadcast(0, &mut to_bytes(&list));
            first?
        } else {
            dealt.follow()?;
            let mut bytes = Vec::new();
            cluster.broadcast(0, &mut bytes);
            let failed = || Error::Cluster("the leader of the gcd, rank 0, has failed".into());
            from_list(&to_words(&bytes)).ok_or_else(failed)?
        };
        Ok(outcome.map(|outcome| Outcome {
            exponent: outcome.exponent + exponent,
            ..outcome
        }))
    }

    /// |U|, on every rank.
    fn rebuild(&self, share: &Share, outcome: &Outcome) -> Result<Resident> {
        let (plan, cluster) = (&self.plan, self.cluster);
        let range = outcome.range(plan);
        // What is needed of the share: all of its blocks up to the last, of which the beginning may
        // do.
        let (from, last) = (share.start(outcome.blocks), range.end / plan.k);
        let owned = self.deal.owner(last) == cluster.rank();
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
        drop(leaves);
        let all = self.collect(own?, whole(&c, q))?;
        let mut value = match all {
            None => Vec::new(),
            Some((all, whole)) => bytes_of(&conclude(all, whole, outcome)?)?,
        };
        cluster.broadcast(0, &mut value);
        Ok(natural(to_words(&value)))
    }

    /// The sums of all ranks' fractions, exact and about, at rank 0: each rank has those of the
    /// ranks above it, up to the next with a higher power of two.
    fn collect(&self, mut all: Fraction, mut whole: f64) -> Result<Option<(Fraction, f64)>> {
        let (rank, size) = (self.cluster.rank(), self.cluster.size());
        let mut apart = 1;
        while apart < size {
            if rank & apart != 0 {
                let about = to_bytes(&[whole.to_bits()]);
                for part in [bytes_of(&all.top)?, bytes_of(&all.bottom)?, about] {
                    self.cluster.send(rank - apart, TAG, &part);
                }
                return Ok(None);
            }
            if rank + apart < size {
                let next = || to_words(&self.cluster.receive(rank + apart, TAG));
                let [top, bottom] = [next(), next()].map(natural);
                whole += next().first().map_or(0.0, |bits| f64::from_bits(*bits));
                all = all.plus(&Fraction { top, bottom })?;
            }
            apart *= 2;
        }
        Ok(Some((all, whole)))
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

/// All ranks' followers, as one of the ranks sees them. Where rank 0 drops it, the others are told
/// that it is over.
struct Dealt<'a, L: Local> {
    cluster: &'a Cluster,
    deal: &'a Deal,
    own: &'a mut L,
    /// The number of the next block of this rank, and its tables.
    next: Option<(usize, Block)>,
    /// The block that its owner sends to rank 0.
    awaited: Option<usize>,
}

impl<L: Local> Dealt<'_, L> {
    /// A block of this rank.
    fn block(&mut self, number: usize) -> Block {
        match self.next.take() {
            Some((of, block)) if of == number => block,
            _ => {
                let share = self.own.share();
                Block::new(&share.q[share.start(number)..share.start(number + 1)])
            }
        }
    }

    /// What this rank publishes.
    fn publish(&mut self, number: usize) -> Result<Found> {
        let (u, v) = self.own.residues(number)?;
        let block = self.block(number);
        Ok(match v.contains(&0) {
            true => Found::Residues(block.into(), u, v),
            false => {
                let ratio = block.ratio(&u, &v);
                Found::Ratio(block.product, ratio)
            }
        })
    }

    /// Makes the tables of this rank's first block from `number` on.
    fn prepare(&mut self, number: usize) {
        let share = self.own.share();
        let number = share.next(number);
        if self.next.is_none() && share.start(number) < share.q.len() {
            self.next = Some((number, self.block(number)));
        }
    }

    /// Works until it is not too far behind. What others send meanwhile is let in, because they
    /// wait for that.
    fn catch_up(&mut self) {
        while self.own.is_behind() {
            self.own.work();
            self.cluster.let_in();
        }
    }

    /// Waits for a message, and does some of the rank's own work meanwhile.
    fn receive(&mut self, from: usize, tag: u16) -> Vec<u64> {
        while !self.cluster.has_arrived(from, tag) && self.own.work() {}
        to_words(&self.cluster.receive(from, tag))
    }

    /// Passes a step on, to where the owner of the block that it asks for is first.
    fn pass(&self, message: &[u64], publish: usize) {
        let (rank, size) = (self.cluster.rank(), self.cluster.size());
        // Rank r passes a step on to rank FAN·r + 1 and those after it. A rank that has not taken
        // in some step does not publish its next block, which is one of the next 9R as `Deal` has
        // it: so FAN·(9R + 1) messages of at most 2.2 KiB are in flight from any rank, which is
        // what `Cluster::post` has room for.
        let below = FAN * rank + 1..(FAN * (rank + 1) + 1).min(size);
        if below.is_empty() {
            return;
        }
        let mut first = self.deal.owner(publish);
        while first > rank && !below.contains(&first) {
            first = (first - 1) / FAN;
        }
        let first = if first > rank { first } else { below.start };
        let bytes = to_bytes(message);
        let send = |to: usize| self.cluster.post(to, STEP, &bytes);
        send(first);
        below.filter(|to| *to != first).for_each(send);
    }

    /// Follows rank 0 to the end.
    fn follow(mut self) -> Result<()> {
        let rank = self.cluster.rank();
        loop {
            self.catch_up();
            let message = self.receive((rank - 1) / FAN, STEP);
            let received = from_message(&message);
            let next = match &received {
                Received::Step(header, _) => header.publish,
                Received::Stop => NO_BLOCK,
            };
            self.pass(&message, next);
            let Received::Step(header, step) = received else {
                return Ok(());
            };
            self.own.push(&step, header.active, next)?;
            if next != NO_BLOCK && self.deal.owner(next) == rank {
                let found = self.publish(next)?;
                self.cluster.post(0, TAG, &to_bytes(&found.to_words()));
            }
            // What was published is done with.
            self.prepare(if next == NO_BLOCK {
                header.active
            } else {
                next + 1
            });
        }
    }
}

impl<L: Local> Team for Dealt<'_, L> {
    fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.awaited = (publish != NO_BLOCK).then_some(publish);
        self.pass(&to_message(step, active, publish), publish);
        self.own.push(step, active, publish)?;
        self.prepare(active);
        self.catch_up();
        Ok(())
    }

    fn find(&mut self, number: usize) -> Result<Found> {
        self.awaited = None;
        let owner = self.deal.owner(number);
        if owner == 0 {
            return self.publish(number);
        }
        let words = self.receive(owner, TAG);
        let other = || Error::Cluster(format!("rank {owner} sent something else than a block"));
        Found::from_words(&words).ok_or_else(other)
    }
}

impl<L: Local> Drop for Dealt<'_, L> {
    fn drop(&mut self) {
        if self.cluster.is_first() {
            self.pass(&stop_message(), NO_BLOCK);
            // Nobody needs it any more, and it must not be taken for another.
            match self.awaited.map(|number| self.deal.owner(number)) {
                None | Some(0) => {}
                Some(owner) => drop(self.cluster.receive(owner, TAG)),
            }
        }
    }
}

/// The limbs of a number that is not negative.
fn bytes_of(x: &Resident) -> Result<Vec<u8>> {
    Ok(to_bytes(x.host()?.magnitude().limbs()))
}
