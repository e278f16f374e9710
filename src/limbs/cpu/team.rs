//! Threads for linear operations: each free thread gets the next block of limbs, in ascending
//! order.
//!
//! The calling thread works too and starts at once; the pool's threads join when they wake. New
//! memory is first touched by the thread that fills it, which spreads the page faults of a large
//! result over the threads.

// `Vec` offers no safe way to fill new memory from several threads without a serial pass that
// zeroes it first.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::block::{Block, write_new};
use super::carry::Chain;
use crate::threads;
use crate::tuning::Tuning;

/// How an operation is cut into blocks. Taken once, on the calling thread, whose tuning holds.
#[derive(Clone, Copy)]
pub(super) struct Team {
    chunk: usize,
}

impl Team {
    /// The team for an operation on this many limbs. None if threads cost more than they gain.
    pub(super) fn of(limbs: usize) -> Option<Team> {
        let tuning = Tuning::in_force();
        (limbs >= tuning.cpu_parallel_limbs).then(|| Team {
            chunk: tuning.cpu_chunk_limbs.max(1),
        })
    }

    /// Limbs per block.
    pub(super) fn chunk(self) -> usize {
        self.chunk
    }

    /// Number of blocks of `limbs` limbs.
    pub(super) fn blocks(self, limbs: usize) -> usize {
        limbs.div_ceil(self.chunk)
    }

    /// Runs `work` on the calling thread and, for more than one block, on the threads of the pool
    /// at the same time. Returns when every call has returned. `work` must take its blocks from a
    /// shared queue, so that one call alone finishes the whole: how many threads come, and when, is
    /// open.
    pub(super) fn run(self, blocks: usize, work: impl Fn() + Sync) {
        let helpers = threads::count().min(blocks).saturating_sub(1);
        if helpers == 0 {
            return work();
        }
        threads::in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| work());
            }
            work();
        });
    }

    /// Changes `limbs` in place by `work(at, block)` for each block, where `at` is the index of its
    /// first limb. `work` returns the block's carry out, which the chain adds to the blocks above,
    /// or None if that is already done or not needed.
    pub(super) fn change(
        self,
        limbs: &mut [u64],
        chain: Option<&Chain>,
        work: impl Fn(usize, Block) -> Option<bool> + Sync,
    ) {
        let blocks = self.blocks(limbs.len());
        let queue = Queue::new(limbs.chunks_mut(self.chunk));
        self.run(blocks, || {
            while let Some((index, block)) = queue.next() {
                let carry = work(index * self.chunk, Block::own(block));
                if let (Some(chain), Some(carry)) = (chain, carry) {
                    chain.finish_block(index, block, carry);
                }
            }
        });
    }

    /// Computes `len` new limbs, with capacity for one more, from those of `source` at the same
    /// indices, which is zero past its end. `work` and the chain are as in [`Team::change`].
    pub(super) fn build(
        self,
        len: usize,
        source: &[u64],
        chain: Option<&Chain>,
        work: impl Fn(usize, Block) -> Option<bool> + Sync,
    ) -> Vec<u64> {
        let mut limbs: Vec<u64> =
            Vec::with_capacity(len.checked_add(1).expect("limbs fit in memory"));
        let queue = Queue::new(limbs.spare_capacity_mut()[..len].chunks_mut(self.chunk));
        self.run(self.blocks(len), || {
            while let Some((index, block)) = queue.next() {
                let at = index * self.chunk;
                let xs = part(source, at, block.len());
                let (carry, block) = write_new(block, xs, |block| work(at, block));
                if let (Some(chain), Some(carry)) = (chain, carry) {
                    chain.finish_block(index, block, carry);
                }
            }
        });
        assert!(queue.next().is_none());
        // SAFETY: the capacity is at least `len`. The queue held every limb below `len` once and is
        // empty, so each block was taken by a call of the closure above and wholly written; `run`
        // returned, so no such call is still at work, and a panic in one would have unwound from
        // `run`.
        unsafe { limbs.set_len(len) };
        limbs
    }

    /// The sum of `count(range)` over the blocks of `len` limbs.
    pub(super) fn total(self, len: usize, count: impl Fn(Range<usize>) -> u64 + Sync) -> u64 {
        let next = AtomicUsize::new(0);
        let total = AtomicU64::new(0);
        self.run(self.blocks(len), || {
            let mut own = 0;
            loop {
                let block = next.fetch_add(1, Relaxed);
                if block >= self.blocks(len) {
                    break;
                }
                let at = block * self.chunk;
                own += count(at..len.min(at + self.chunk));
            }
            total.fetch_add(own, Relaxed);
        });
        total.into_inner()
    }
}

/// The limbs of `limbs` at `at..at + len`, fewer past its end.
pub(super) fn part(limbs: &[u64], at: usize, len: usize) -> &[u64] {
    let from = at.min(limbs.len());
    &limbs[from..limbs.len().min(from + len)]
}

/// Hands out the items of an iterator, numbered, to several threads in order.
struct Queue<I>(Mutex<std::iter::Enumerate<I>>);

impl<I: Iterator> Queue<I> {
    fn new(items: I) -> Self {
        Queue(Mutex::new(items.enumerate()))
    }

    fn next(&self) -> Option<(usize, I::Item)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next()
    }
}
