//! The moduli of one follower.

use super::super::plan::LatticePlan;
use super::owners::{BlockOwners, OwnedBlocks};
use super::{MODULUS_BITS, Moduli, negative_inverse};
use crate::modp::primes;

/// The data of one follower in a run: the moduli of its blocks, and the residues modulo each.
pub(crate) struct ModuliShare {
    blocks: OwnedBlocks,
    k: usize,
    pub(crate) q: Vec<u32>,
    pub(crate) ninv: Vec<u32>,
    pub(crate) u: Vec<u32>,
    pub(crate) v: Vec<u32>,
}

impl ModuliShare {
    pub(crate) fn new(plan: &LatticePlan, moduli: &Moduli, blocks: OwnedBlocks) -> ModuliShare {
        let of = |list: &[u32]| -> Vec<u32> {
            let numbers = (0..blocks.before(plan.blocks)).map(|i| blocks.block(i));
            let parts = numbers.map(|b| &list[b * plan.k..(b + 1) * plan.k]);
            parts.flatten().copied().collect()
        };
        let (q, ninv) = (of(&moduli.q), of(&moduli.ninv));
        ModuliShare {
            blocks,
            k: plan.k,
            u: vec![0; q.len()],
            v: vec![0; q.len()],
            q,
            ninv,
        }
    }

    /// The share of one follower if no process stores all moduli, and the smallest modulus of all
    /// shares. None if there are too few primes.
    pub(crate) fn sieved(
        plan: &LatticePlan,
        owners: &BlockOwners,
        follower: usize,
    ) -> Option<(ModuliShare, u32)> {
        let blocks = owners.blocks_of(follower);
        let count = blocks.before(plan.blocks) * plan.k;
        let (mut q, mut number, mut least) = (Vec::with_capacity(count), 0, 0);
        primes::walk(MODULUS_BITS, plan.moduli(), |primes| {
            for prime in primes {
                least = *prime as u32;
                if owners.owner(number / plan.k) == follower {
                    q.push(least);
                }
                number += 1;
            }
        });
        let share = ModuliShare {
            blocks,
            k: plan.k,
            ninv: q.iter().map(|q| negative_inverse(*q)).collect(),
            u: vec![0; q.len()],
            v: vec![0; q.len()],
            q,
        };
        (number == plan.moduli()).then_some((share, least))
    }

    /// How many of this share's blocks come before this one.
    pub(crate) fn before(&self, block: usize) -> usize {
        self.blocks.before(block)
    }

    /// The first of its blocks from this one on.
    pub(crate) fn next(&self, block: usize) -> usize {
        self.blocks.block(self.blocks.before(block))
    }

    /// Moduli of a block.
    pub(crate) fn k(&self) -> usize {
        self.k
    }

    /// The place at which the first of this share's blocks from `block` on starts.
    pub(crate) fn start(&self, block: usize) -> usize {
        (self.blocks.before(block) * self.k).min(self.q.len())
    }

    /// The number, among all moduli, of the modulus at place `at` of this share.
    pub(crate) fn modulus_number(&self, at: usize) -> usize {
        self.blocks.block(at / self.k) * self.k + at % self.k
    }

    /// Runs `work` on the moduli from one place to another.
    pub(crate) fn on(
        &mut self,
        from: usize,
        to: usize,
        work: impl FnOnce(&[u32], &[u32], &mut [u32], &mut [u32]),
    ) {
        work(
            &self.q[from..to],
            &self.ninv[from..to],
            &mut self.u[from..to],
            &mut self.v[from..to],
        );
    }
}
