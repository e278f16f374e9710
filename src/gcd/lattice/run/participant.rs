//! A participant of a run whose moduli are distributed over several processes: its blocks of
//! moduli, and its followers, which are threads of this process or its device.
//!
//! The caller brings the participants together. It assigns the blocks ([`BlockOwners`]), makes a
//! [`Participant`] in each process, and lets them exchange messages in [`Participant::run`]:
//! participant 0 leads ([`lead`](super::lead)), and the others forward the steps that they receive
//! to their own [`Followers`]. At the end each has a [`Participant::fraction`], and the sum of
//! these is the result.

use std::sync::Arc;

use super::super::basis::{OperandBounds, Step};
use super::super::moduli::{Block, BlockOwners, MODULUS_BITS, ModuliShare, vectors};
use super::super::plan::{LatticePlan, too_large};
use super::super::rebuild::{Fraction, coefficients, natural, sum, whole};
use super::cuda::DeviceRun;
use super::followers::{Followers, PublishedBlock};
use super::leader::Outcome;
use super::mailbox::{LeaderEnd, MailboxLengths, NO_BLOCK};
use super::pool::{CHUNK, NextBlock, PoolFollowers, convert};
use crate::cuda::{self, Device};
use crate::engine::Engine;
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::modp::primes;
use crate::threads::{self, chunk};

/// One process's part in a run.
pub(crate) struct Participant<'a> {
    plan: LatticePlan,
    owners: &'a BlockOwners,
    number: usize,
    share: ModuliShare,
    least: u32,
}

impl<'a> Participant<'a> {
    /// The part of participant `number`, with the blocks that it owns, for operands of these
    /// bounds.
    pub(crate) fn new(
        plan: LatticePlan,
        bounds: &OperandBounds,
        owners: &'a BlockOwners,
        number: usize,
    ) -> Result<Participant<'a>> {
        let own = ModuliShare::sieved(&plan, owners, number);
        let (share, least) = own.ok_or_else(|| too_large(bounds))?;
        Ok(Participant {
            plan,
            owners,
            number,
            share,
            least,
        })
    }

    /// The smallest modulus of all participants.
    pub(crate) fn least(&self) -> u32 {
        self.least
    }

    /// Computes the residues of a and b, and calls `talk` with this participant's own followers.
    /// `talk` returns when the run is over. Runs on the current engine, which must not be `Auto`.
    /// None if the moduli were too few. The residues of U are kept in this participant.
    pub(crate) fn run(
        &mut self,
        a: &Resident,
        b: &Resident,
        talk: impl FnOnce(&mut dyn Followers) -> Result<Option<Outcome>>,
    ) -> Result<Option<Outcome>> {
        let device = match Engine::current() {
            Engine::Cuda(n) if !self.share.q.is_empty() => Some(cuda::device(n)?),
            _ => None,
        };
        let (outcome, exponent) = match device {
            None => {
                convert(&mut self.share, &self.plan, a, b)?;
                let mut followers = PoolFollowers::new(&mut self.share);
                let outcome = talk(&mut followers)?;
                followers.finish();
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

    /// `run` with the followers on a device. Also returns an exponent: the initial residues are
    /// R^-exponent times those of the operands.
    fn on_device(
        &mut self,
        a: &Resident,
        b: &Resident,
        device: &Arc<Device>,
        talk: impl FnOnce(&mut dyn Followers) -> Result<Option<Outcome>>,
    ) -> Result<(Option<Outcome>, u64)> {
        let share = &mut self.share;
        (share.u, share.v) = Default::default();
        let there = |x: &Resident| -> Result<_> { Ok(x.on(device)?.lowest(limbs::size(x)?.1)) };
        let run = DeviceRun::of(device, &share.q, &share.ninv)?;
        run.convert(&self.plan, &there(a)?, &there(b)?)?;
        // Every participant's log has all steps.
        let lengths = MailboxLengths {
            published: share.q.len(),
            ..self.plan.mailbox_lengths()
        };
        let soon = usize::from(self.number == 0);
        let outcome = run.with_kernel(self.plan.k, lengths, soon, |mailbox| {
            talk(&mut DeviceFollowers {
                mailbox,
                owners: self.owners,
                number: self.number,
                share,
                next: NextBlock::default(),
            })
        })?;
        if let Some(outcome) = &outcome {
            let from = share.start(outcome.blocks);
            share.u = vec![0; from];
            share.u.extend(run.residues(from..share.q.len())?);
        }
        Ok((outcome, run.exponent(&self.plan)))
    }

    /// Σ c/q over this participant's moduli, exactly and approximately: see `rebuild.rs`.
    pub(crate) fn fraction(&self, outcome: &Outcome) -> Result<(Fraction, f64)> {
        let (plan, share) = (&self.plan, &self.share);
        let range = outcome.range(plan);
        // The needed part of the share: all of its blocks up to the last. Of the last block only
        // the beginning may be needed.
        let (from, last) = (share.start(outcome.blocks), range.end / plan.k);
        let owned = self.owners.owner(last) == self.number;
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
        let own = if leaves.is_empty() {
            Ok(Fraction {
                top: natural(vec![]),
                bottom: natural(vec![1]),
            })
        } else {
            sum(&leaves)
        };
        Ok((own?, whole(&c, q)))
    }
}

/// R·Π p/R over the first `count` moduli p, but for q itself, modulo each of these q.
fn products(count: usize, q: &[u32], ninv: &[u32]) -> Vec<u32> {
    let mut all = vec![0; q.len()];
    vectors::products(&[], q, ninv, &mut all);
    if q.is_empty() {
        return all;
    }
    primes::walk(MODULUS_BITS, count, |some| {
        let factors: Vec<u32> = some.iter().map(|p| *p as u32).collect();
        threads::chunks_mut(&mut all, CHUNK, 1, |i, all| {
            vectors::multiply(&factors, chunk(q, CHUNK, i), chunk(ninv, CHUNK, i), all);
        });
    });
    all
}

/// The moduli of one participant on its device, which numbers the participant's blocks from 0.
struct DeviceFollowers<'a> {
    mailbox: LeaderEnd<'a>,
    owners: &'a BlockOwners,
    number: usize,
    share: &'a ModuliShare,
    next: NextBlock,
}

impl Followers for DeviceFollowers<'_> {
    fn apply(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        let publish = if publish != NO_BLOCK && self.owners.owner(publish) == self.number {
            self.share.before(publish)
        } else {
            NO_BLOCK
        };
        self.mailbox.push(step, self.share.before(active), publish);
        Ok(())
    }

    fn published(&mut self, number: usize) -> Result<PublishedBlock> {
        let (u, v) = self.mailbox.residues(self.share.before(number))?;
        let block = self.next.take(self.share, number);
        Ok(PublishedBlock::lifted(block, u, v))
    }

    fn prepare(&mut self, number: usize) {
        self.next.prepare(self.share, number);
    }
}
