//! The leader: processes the blocks in order, finds the step of each, and sends the step to the
//! followers.

use std::collections::VecDeque;
use std::ops::Range;

use super::super::basis::{Bound, OperandBounds, Step, divide, reduce};
use super::super::moduli::{Block, vectors};
use super::super::plan::LatticePlan;
use super::followers::{Followers, PublishedBlock};
use super::mailbox::NO_BLOCK;
use crate::error::Result;

/// The number of moduli beyond those that U needs. If any residue is wrong, the result exceeds its
/// bound, except with a probability of about 2^-62. This detects faults of memory, device or
/// program.
pub(crate) const CHECKS: usize = 2;

/// The outcome of a run: V is 0, and |U| is the greatest common divisor.
pub(crate) struct Outcome {
    /// The blocks below this one are finished. The moduli from this block on represent U.
    pub(crate) blocks: usize,
    /// The number of these moduli that represent U divided by the common moduli, with CHECKS more
    /// than necessary.
    pub(crate) need: usize,
    /// A bound of |U|.
    pub(crate) bound: Bound,
    /// The residues are those of U, times the moduli of all steps, times R^-exponent.
    pub(crate) exponent: u64,
    /// Moduli below `blocks` that divide both operands.
    pub(crate) common: Vec<u32>,
    pub(crate) steps: u64,
}

/// The result of [`Leader::lead_through_all_blocks`].
pub(crate) struct PassOutcome {
    pub(crate) blocks: usize,
    pub(crate) steps: u64,
    /// Moduli of these blocks that divide both operands.
    pub(crate) common: Vec<u32>,
}

impl Outcome {
    /// The moduli from which U is reconstructed.
    pub(crate) fn range(&self, plan: &LatticePlan) -> Range<usize> {
        let first = self.blocks * plan.k;
        first..first + self.need
    }
}

/// Leads one run to the end. None if the moduli were too few. The followers' initial residues are
/// those of the operands.
pub(crate) fn lead(
    plan: LatticePlan,
    followers: impl Followers,
    least: u32,
    bounds: OperandBounds,
) -> Result<Option<Outcome>> {
    Leader::new(plan, followers, least, bounds, 0).lead_to_end()
}

/// Leads one run. The followers' initial residues are R^-exponent times those of the operands. No
/// modulus is below `least`.
pub(crate) struct Leader<F: Followers> {
    plan: LatticePlan,
    followers: F,
    least: u32,
    /// Recent steps that are not applied to the published blocks that are still to come, each with
    /// its block.
    recent: VecDeque<(usize, Step)>,
    bounds: OperandBounds,
    exponent: u64,
    common: Vec<u32>,
    steps: u64,
}

impl<F: Followers> Leader<F> {
    pub(crate) fn new(
        plan: LatticePlan,
        followers: F,
        least: u32,
        bounds: OperandBounds,
        exponent: u64,
    ) -> Leader<F> {
        Leader {
            plan,
            followers,
            least,
            recent: VecDeque::new(),
            bounds,
            exponent,
            common: Vec::new(),
            steps: 0,
        }
    }

    /// Leads to the end. None if the moduli were too few.
    pub(crate) fn lead_to_end(mut self) -> Result<Option<Outcome>> {
        for number in 0..self.plan.blocks {
            if self.bounds.v.is_below_one() {
                let need = self.need();
                // The proof that the remaining moduli can represent U.
                let left = self.plan.moduli() - number * self.plan.k;
                return Ok((need <= left).then(|| self.end(number, need)));
            }
            self.lead_block(number)?;
        }
        Ok(None)
    }

    /// Leads through all blocks, or until V is 0. Calls `note` with every step.
    pub(crate) fn lead_through_all_blocks(
        mut self,
        mut note: impl FnMut(Step),
    ) -> Result<PassOutcome> {
        let mut blocks = 0;
        while blocks < self.plan.blocks && !self.bounds.v.is_below_one() {
            self.lead_block(blocks)?;
            let new = self.recent.iter().filter(|(block, _)| *block == blocks);
            new.for_each(|(_, step)| note(step.clone()));
            blocks += 1;
        }
        Ok(PassOutcome {
            blocks,
            steps: self.steps,
            common: std::mem::take(&mut self.common),
        })
    }

    /// Leads one block: takes its published residues, and applies the later steps to them.
    fn lead_block(&mut self, number: usize) -> Result<()> {
        // It was published after the last step of block number − 1 − ahead.
        while let Some((block, _)) = self.recent.front()
            && block + self.plan.ahead < number
        {
            self.recent.pop_front();
        }
        match self.followers.published(number)? {
            PublishedBlock::Ratio(product, ratio) => {
                let (step, bounds) = reduce(&product, ratio, &self.bounds)?;
                self.push(number, step, bounds, true)
            }
            PublishedBlock::Residues(block, mut u, mut v) => {
                for (_, step) in &self.recent {
                    vectors::advance(step, &block.q, &block.ninv, &mut u, &mut v);
                }
                #[cfg(test)]
                super::super::tests::faulty_residue(number, &mut u);
                self.steps_of_block(number, &block, &u, &v)
            }
        }
    }

    /// Finds the steps of one block from its residues.
    fn steps_of_block(&mut self, number: usize, block: &Block, u: &[u32], v: &[u32]) -> Result<()> {
        if !v.contains(&0) {
            let (step, bounds) = reduce(&block.product, block.ratio(u, v), &self.bounds)?;
            return self.push(number, step, bounds, true);
        }
        let q = block.q.iter().zip(u.iter().zip(v));
        let some = |wanted: fn(u32, u32) -> bool| -> Vec<u32> {
            let chosen = q.clone().filter(|(_, (u, v))| wanted(**u, **v));
            chosen.map(|(q, _)| *q).collect()
        };
        self.common.extend(some(|u, v| u == 0 && v == 0));
        let (divisors, others) = (some(|u, v| u != 0 && v == 0), some(|_, v| v != 0));
        let left = |x: &[u32]| -> Vec<u32> {
            let chosen = x.iter().zip(v).filter(|(_, v)| **v != 0);
            chosen.map(|(x, _)| *x).collect()
        };
        let (mut u, mut v) = (left(u), left(v));
        let rest = (!others.is_empty()).then(|| Block::new(&others));
        if !divisors.is_empty() {
            let (step, bounds) = divide(&Block::new(&divisors), &self.bounds);
            if let Some(rest) = &rest {
                vectors::advance(&step, &rest.q, &rest.ninv, &mut u, &mut v);
            }
            self.push(number, step, bounds, rest.is_none())?;
        }
        if let Some(rest) = &rest {
            let (step, bounds) = reduce(&rest.product, rest.ratio(&u, &v), &self.bounds)?;
            self.push(number, step, bounds, true)?;
        } else if divisors.is_empty() {
            self.push(number, Step::identity(), self.bounds, true)?;
        }
        Ok(())
    }

    fn push(&mut self, number: usize, step: Step, bounds: OperandBounds, last: bool) -> Result<()> {
        let publish = if last {
            self.plan.published_after(number)
        } else {
            NO_BLOCK
        };
        #[cfg(test)]
        let step = super::super::tests::faulty(self.steps, step);
        self.followers.apply(&step, number + 1, publish)?;
        self.exponent += step.words().len() as u64 + 1;
        self.steps += 1;
        self.bounds = bounds;
        self.recent.push_back((number, step));
        Ok(())
    }

    /// The number of moduli that represent U divided by the moduli that divide it, plus those that
    /// detect a fault.
    fn need(&self) -> usize {
        let log = |q: u32| f64::from(q).log2();
        let known: f64 = self.common.iter().map(|q| log(*q)).sum();
        // Sums and quotients of doubles are right to far less than the bit that is added here.
        let bits = self.bounds.u.bits() as f64 + 3.0 - known;
        let least = log(self.least);
        (bits.max(1.0) / least).ceil() as usize + CHECKS
    }

    fn end(mut self, number: usize, need: usize) -> Outcome {
        Outcome {
            blocks: number,
            need,
            bound: self.bounds.u,
            exponent: self.exponent,
            common: std::mem::take(&mut self.common),
            steps: self.steps,
        }
    }
}
