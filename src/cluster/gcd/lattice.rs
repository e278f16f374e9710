//! The gcd by lattices over ranks. The blocks of moduli are assigned in turn. A rank that is
//! currently faster gets more of them, so that the work stays balanced while blocks retire.
//!
//! Rank 0 leads, and is also a follower. One broadcast per step sends the basis to all ranks, along
//! the branch to the owner of the next block first. That rank applies the step to the block, lifts
//! U/V from the block's residues, and sends it to rank 0. Rank 0 finds the next step while all
//! other ranks still apply the last steps to the rest of their blocks, as rank 0 does between its
//! steps. A rank may lag by some steps, so that a short delay of one rank does not delay the
//! others. No rank stores more than the share of its blocks: every rank sieves the moduli and keeps
//! only its own, operands are read a piece at a time, and the tables of a block are computed when
//! it is next.
//!
//! At the end every rank has the coefficients of its own moduli and adds their fractions. The sums
//! are added in a tree of ranks.

use super::speed::owners_by_speed;
use crate::cluster::{Cluster, to_bytes, to_words};
use crate::error::{Error, Result};
use crate::gcd::Stats;
use crate::gcd::lattice::{
    BlockOwners, Followers, Fraction, LatticePlan, LogEntry, NO_BLOCK, OperandBounds, Outcome,
    Participant, PublishedBlock, Step, conclude, from_message, lead, stats_of, stop_message,
    to_message, too_large,
};
use crate::limbs::Resident;
use crate::number::{Integer, Natural};
use crate::tuning::Tuning;

/// Blocks to the leader, and parts of the result; steps.
const TAG: u16 = Cluster::FIRST_TAG;
const STEP: u16 = Cluster::FIRST_TAG + 1;

/// The number of ranks to which each rank forwards a step. More would take rank 0 too much time,
/// and fewer would make the tree deeper.
pub(in crate::cluster) const FAN: usize = 4;

/// gcd(a, b) for a > b > 0, the same on every rank, by all of them: each under its own engine,
/// which is not `Auto`.
pub(super) fn gcd(a: &Resident, b: &Resident, cluster: &Cluster) -> Result<(Resident, Stats)> {
    let bounds = OperandBounds::by_size(a, b)?;
    for attempt in 0.. {
        // Rank 0's tuning is the one that counts.
        let own = LatticePlan::new(&bounds, &Tuning::current(), attempt)?;
        let mut sizes = [own.k as u64, own.blocks as u64];
        cluster.broadcast_words(0, &mut sizes);
        let plan = LatticePlan {
            k: sizes[0] as usize,
            blocks: sizes[1] as usize,
            ahead: 0,
            ..own
        };
        let owners = owners_by_speed(&plan, cluster);
        let mut participant = Participant::new(plan, &bounds, &owners, cluster.rank())?;
        let least = participant.least();
        let outcome = participant.run(a, b, |own| {
            let ranks = RankFollowers {
                cluster,
                owners: &owners,
                own,
                awaited: None,
            };
            if cluster.is_first() {
                ranks.lead(plan, least, bounds)
            } else {
                ranks.follow()
            }
        })?;
        if let Some(outcome) = outcome {
            let value = rebuilt(&participant, &outcome, cluster)?;
            return Ok((value, stats_of(&plan, &outcome, attempt)));
        }
    }
    Err(too_large(&bounds))
}

/// |U|, on every rank.
fn rebuilt(
    participant: &Participant<'_>,
    outcome: &Outcome,
    cluster: &Cluster,
) -> Result<Resident> {
    let (own, about) = participant.fraction(outcome)?;
    let mut value = match collected(own, about, cluster)? {
        None => Vec::new(),
        Some((all, about)) => bytes_of(&conclude(all, about, outcome)?)?,
    };
    cluster.broadcast(0, &mut value);
    Ok(natural(to_words(&value)))
}

/// The sums of all ranks' fractions, exact and about, at rank 0: each rank has those of the ranks
/// above it, up to the next with a higher power of two.
fn collected(
    mut all: Fraction,
    mut about: f64,
    cluster: &Cluster,
) -> Result<Option<(Fraction, f64)>> {
    let (rank, size) = (cluster.rank(), cluster.size());
    let mut apart = 1;
    while apart < size {
        if rank & apart != 0 {
            let about = to_bytes(&[about.to_bits()]);
            for part in [bytes_of(&all.top)?, bytes_of(&all.bottom)?, about] {
                cluster.send(rank - apart, TAG, &part);
            }
            return Ok(None);
        }
        if rank + apart < size {
            let next = || to_words(&cluster.receive(rank + apart, TAG));
            let [top, bottom] = [next(), next()].map(natural);
            about += next().first().map_or(0.0, |bits| f64::from_bits(*bits));
            all = all.plus(&Fraction { top, bottom })?;
        }
        apart *= 2;
    }
    Ok(Some((all, about)))
}

/// All ranks' followers, as seen by one rank. When rank 0 drops it, the other ranks get a message
/// that the run is over.
struct RankFollowers<'a> {
    cluster: &'a Cluster,
    owners: &'a BlockOwners,
    /// This rank's own.
    own: &'a mut dyn Followers,
    /// The block that its owner sends to rank 0.
    awaited: Option<usize>,
}

impl RankFollowers<'_> {
    /// Leads to the end, as rank 0, and sends the outcome to the others.
    fn lead(self, plan: LatticePlan, least: u32, bounds: OperandBounds) -> Result<Option<Outcome>> {
        let cluster = self.cluster;
        let outcome = lead(plan, self, least, bounds);
        let words = outcome
            .as_ref()
            .map_or(Vec::new(), |found| Outcome::to_words(found.as_ref()));
        cluster.broadcast(0, &mut to_bytes(&words));
        outcome
    }

    /// Follows rank 0 to the end.
    fn follow(mut self) -> Result<Option<Outcome>> {
        self.follow_steps()?;
        let mut bytes = Vec::new();
        self.cluster.broadcast(0, &mut bytes);
        let failed = || Error::Cluster("the leader of the gcd, rank 0, has failed".into());
        Outcome::from_words(&to_words(&bytes)).ok_or_else(failed)
    }

    fn follow_steps(&mut self) -> Result<()> {
        let rank = self.cluster.rank();
        loop {
            self.catch_up();
            let message = self.receive((rank - 1) / FAN, STEP);
            let received = from_message(&message);
            let next = match &received {
                LogEntry::Step(header, _) => header.publish,
                LogEntry::Stop => NO_BLOCK,
            };
            self.pass(&message, next);
            let LogEntry::Step(header, step) = received else {
                return Ok(());
            };
            self.own.apply(&step, header.active, next)?;
            if next != NO_BLOCK && self.owners.owner(next) == rank {
                let block = self.own.published(next)?;
                self.cluster.post(0, TAG, &to_bytes(&block.to_words()));
            }
            // The published block is finished here.
            self.own.prepare(if next == NO_BLOCK {
                header.active
            } else {
                next + 1
            });
        }
    }

    /// Works until this rank does not lag too far. Lets MPI accept messages meanwhile, because
    /// their senders may wait for that.
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

    /// Forwards a step, first along the branch to the owner of the requested block.
    fn pass(&self, message: &[u64], publish: usize) {
        let (rank, size) = (self.cluster.rank(), self.cluster.size());
        // Rank r forwards a step to rank FAN·r + 1 and the ranks after it. A rank that has not
        // received some step does not publish its next block. By `BlockOwners` that block is one of
        // the next 9R. So at most FAN·(9R + 1) messages of at most 2.2 KiB are in flight from any
        // rank, for which `Cluster::post` has space.
        let below = FAN * rank + 1..(FAN * (rank + 1) + 1).min(size);
        if below.is_empty() {
            return;
        }
        let mut first = self.owners.owner(publish);
        while first > rank && !below.contains(&first) {
            first = (first - 1) / FAN;
        }
        let first = if first > rank { first } else { below.start };
        let bytes = to_bytes(message);
        let send = |to: usize| self.cluster.post(to, STEP, &bytes);
        send(first);
        below.filter(|to| *to != first).for_each(send);
    }
}

impl Followers for RankFollowers<'_> {
    fn apply(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.awaited = (publish != NO_BLOCK).then_some(publish);
        self.pass(&to_message(step, active, publish), publish);
        self.own.apply(step, active, publish)?;
        self.own.prepare(active);
        self.catch_up();
        Ok(())
    }

    fn published(&mut self, block: usize) -> Result<PublishedBlock> {
        self.awaited = None;
        let owner = self.owners.owner(block);
        if owner == 0 {
            return self.own.published(block);
        }
        let words = self.receive(owner, TAG);
        let other = || Error::Cluster(format!("rank {owner} sent something else than a block"));
        PublishedBlock::from_words(&words).ok_or_else(other)
    }
}

impl Drop for RankFollowers<'_> {
    fn drop(&mut self) {
        if self.cluster.is_first() {
            self.pass(&stop_message(), NO_BLOCK);
            // Nobody needs it any more, and it must not be taken for another.
            match self.awaited.map(|number| self.owners.owner(number)) {
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

fn natural(limbs: Vec<u64>) -> Resident {
    Resident::from(Integer::from(Natural::from_vec(limbs)))
}
