//! Carries in one pass over memory, by decoupled look-back (Merrill and Garland, "Single-pass
//! parallel prefix scan with decoupled look-back", 2016), on blocks of limbs.
//!
//! Each block is computed without a carry in, and publishes its carry out: 0, 1, or equal to its
//! carry in. It then looks back over the previous blocks for its carry in, and adds it while the
//! block is still in cache. A block with a carry out can take a carry in: x + y - B^n <= B^n - 2.
//!
//! No thread waits for work that has not started: blocks start in ascending order, and a block
//! waits only for the first step of previous blocks, which waits for nothing.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::block::Block;
use super::team::Team;
use crate::tuning::Tuning;

/// The effect of a carry on a limb.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Carry {
    /// Adds one: a carry proper.
    Up,
    /// Takes one away: a borrow.
    Down,
}

impl Carry {
    /// The limb that propagates a carry.
    fn passing(self) -> u64 {
        match self {
            Carry::Up => u64::MAX,
            Carry::Down => 0,
        }
    }

    /// Carries into `limbs` and stops where the carry ends; whether it leaves at the top.
    pub(super) fn ripple(self, limbs: &mut [u64]) -> bool {
        for limb in limbs {
            let passes = *limb == self.passing();
            *limb = match self {
                Carry::Up => limb.wrapping_add(1),
                Carry::Down => limb.wrapping_sub(1),
            };
            if !passes {
                return false;
            }
        }
        true
    }

    /// As [`Carry::ripple`], with all threads where the carry runs far.
    pub(super) fn ripple_far(self, limbs: &mut [u64]) -> bool {
        // Lighter than other operations by about half, so threads pay off later.
        let near = Tuning::in_force().cpu_parallel_limbs.saturating_mul(2);
        let near = near.min(limbs.len());
        let (near, far) = limbs.split_at_mut(near);
        if !self.ripple(near) {
            return false;
        }
        let Some(team) = Team::of(far.len()) else {
            return self.ripple(far);
        };
        let chain = Chain::new(self, team.blocks(far.len()), true);
        team.change(far, Some(&chain), |_, _| Some(false));
        chain.out()
    }
}

/// Whether every limb is `value`.
pub(super) fn all_are(limbs: &[u64], value: u64) -> bool {
    match limbs {
        [] => true,
        // Each is as the next one: the comparison of slices is the platform's `memcmp`, the widest
        // loop there is.
        [first, rest @ ..] => *first == value && *rest == limbs[..rest.len()],
    }
}

/// Limbs that a search tests together.
const GROUP: usize = 32;

/// Index of the first limb that is not `value`.
pub(super) fn first_other(limbs: &[u64], value: u64) -> Option<usize> {
    // The groups make the search of a long run wide: one branch for many limbs.
    let (groups, _) = limbs.as_chunks::<GROUP>();
    let same = groups
        .iter()
        .take_while(|group| group.iter().fold(0, |acc, &limb| acc | (limb ^ value)) == 0)
        .count();
    let from = same * GROUP;
    limbs[from..]
        .iter()
        .position(|&limb| limb != value)
        .map(|i| from + i)
}

const UNKNOWN: u8 = 0;
const PASSES: u8 = 1;
const NONE: u8 = 2;
const CARRY: u8 = 3;

/// The carries between the blocks of one operation.
pub(super) struct Chain {
    kind: Carry,
    into_first: bool,
    // One state per block. Nothing else is read through the states, so relaxed order is enough: any
    // later reader of the limbs joins the threads first.
    states: Vec<AtomicU8>,
}

impl Chain {
    /// For an operation of this many blocks, with or without a carry into the lowest.
    pub(super) fn new(kind: Carry, blocks: usize, into_first: bool) -> Chain {
        Chain {
            kind,
            into_first,
            states: (0..blocks).map(|_| AtomicU8::new(UNKNOWN)).collect(),
        }
    }

    /// Ends the work on the block number `index`, computed with no carry in, from which `carry`
    /// went out.
    pub(super) fn finish_block(&self, index: usize, block: &mut [u64], carry: bool) {
        let passes = !carry && all_are(block, self.kind.passing());
        if passes {
            if self.pass(index) {
                block.fill(!self.kind.passing());
            }
            return;
        }
        self.states[index].store(if carry { CARRY } else { NONE }, Relaxed);
        if self.into(index) {
            self.kind.ripple(block);
        }
    }

    /// Settles the block number `index` as one that just passes a carry on; whether one comes.
    fn pass(&self, index: usize) -> bool {
        self.states[index].store(PASSES, Relaxed);
        let into = self.into(index);
        // Spares those above the way further back.
        self.states[index].store(if into { CARRY } else { NONE }, Relaxed);
        into
    }

    /// All the work on block `index` if only a carry can change it. Its treatment of a carry is
    /// known and published before it is written, so that it is written once.
    pub(super) fn keep(&self, index: usize, block: Block) {
        let passing = self.kind.passing();
        if block.is_all(passing) {
            block.fill(if self.pass(index) { !passing } else { passing });
            return;
        }
        self.states[index].store(NONE, Relaxed);
        let limbs = block.keep();
        if self.into(index) {
            self.kind.ripple(limbs);
        }
    }

    /// The carry that leaves the highest block; all blocks are settled.
    pub(super) fn out(&self) -> bool {
        self.into(self.states.len())
    }

    /// The carry into a block, from the nearest block before it that does not just pass it on.
    fn into(&self, index: usize) -> bool {
        let mut spins = 0u32;
        for state in self.states[..index].iter().rev() {
            loop {
                match state.load(Relaxed) {
                    UNKNOWN => {
                        // The thread at work there may have lost its core to another program.
                        spins += 1;
                        if spins.is_multiple_of(64) {
                            std::thread::yield_now();
                        } else {
                            std::hint::spin_loop();
                        }
                    }
                    PASSES => break,
                    known => return known == CARRY,
                }
            }
        }
        self.into_first
    }
}
