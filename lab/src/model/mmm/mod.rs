//! The many-core machine model (MMM) of Haque, Moreno Maza and Xie.
//!
//! A program is a directed acyclic graph of kernels; a kernel is a number of equal thread-blocks; a
//! block is run by one multiprocessor, which has a local memory of Z words and moves a word to or
//! from the global memory in the time of U local operations. Section 2 of the paper defines, for a
//! program P:
//!
//! | here | paper | what |
//! |---|---|---|
//! | [`Program::work`] | W(P) | local operations of all threads |
//! | [`Program::span`] | S(P) | local operations on the heaviest path, a kernel counting as its slowest thread |
//! | [`Program::overhead`] | O(P) | (α + β)·U summed over blocks: a thread reads at most α words and writes at most β |
//! | [`Program::blocks`] | N(P) | blocks |
//! | [`Program::path`] | L(P) | kernels on the longest path |
//! | [`Program::heaviest`] | C(P) | the largest span plus overhead of a block |
//! | [`Program::widest`] | K | the most blocks of which none must wait for another |
//! | [`Program::scheduling`] | – | what deciding on kernels costs along a path, 0 where all are known before |
//!
//! The paper defines L(P) by edges and then counts kernels in every example; here it counts
//! kernels, which the proof of its Theorem 1 allows and which is never less.
//!
//! The paper's programs are known before they run, and it leaves those that unfold as they run, and
//! what scheduling them costs, for later. [`Program::unfold`] takes a generator of kernels: it is
//! asked for the next one when those before are done, and each answer costs a time of its own. With
//! D the largest sum of these costs along a path, a greedy scheduler takes at most (N/P + L)·C + D:
//! whenever a multiprocessor is idle, every block that may run does run, so a kernel of the path
//! that ends last is running or being decided on, which takes at most L·C + D in all.
//!
//! `algorithms.rs` has the costs that the paper states for its four algorithms and the same
//! algorithms as programs, to count directly; `equations.rs` its equations (5) to (15);
//! `strategy.rs` the way it chooses a parameter by them.

pub mod algorithms;
pub mod equations;
pub mod strategy;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

/// What a local operation is. The paper has one kind, which takes time 1; a real machine takes
/// longer for a residue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// One of machine words, such as a multiplication and an addition.
    Word,
    /// One of residues in local memory, such as a product modulo a prime.
    Residue,
}

/// What one thread-block does. The last four tell what the paper leaves out, and what only a
/// calibrated prediction uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Its threads.
    pub threads: f64,
    /// Local operations of all of them.
    pub work: f64,
    /// Local operations of the busiest.
    pub span: f64,
    /// Words of global memory that a thread reads, at most.
    pub reads: f64,
    /// Words of global memory that a thread writes, at most.
    pub writes: f64,
    /// Bytes of such a word.
    pub word_bytes: f64,
    /// What a local operation is.
    pub operation: Operation,
    /// Times that all threads of the block meet.
    pub barriers: f64,
    /// Accesses to global memory of a thread of which each waits for the one before.
    pub waits: f64,
}

impl Block {
    /// Relation (1): the time of a block's transfers is at most (α + β)·U.
    pub fn overhead(&self, u: f64) -> f64 {
        (self.reads + self.writes) * u
    }

    /// Relation (2) with V = 1: the time of a block is at most its span and its transfers.
    pub fn time(&self, u: f64) -> f64 {
        self.span + self.overhead(u)
    }
}

/// A kernel of a program: equal blocks, launched once or several times in a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Launches {
    /// Blocks of a launch.
    pub blocks: u64,
    /// What each does.
    pub block: Block,
    /// Launches, each after the one before.
    pub times: u64,
    /// Local operations that it takes to decide on these launches, once all that they wait for is
    /// done; 0 where they are known before the program runs.
    pub decision: f64,
    /// Kernels that must be done before, by their places in the program.
    after: Vec<usize>,
}

/// A directed acyclic graph of kernels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Program {
    kernels: Vec<Launches>,
}

impl Program {
    /// Adds a kernel that waits for those at the places `after`, which must be there already; its
    /// place.
    ///
    /// # Panics
    /// If a place in `after` is not there.
    pub fn push(&mut self, blocks: u64, block: Block, times: u64, after: &[usize]) -> usize {
        self.push_decided(0.0, blocks, block, times, after)
    }

    /// Adds a kernel that is decided on when those at the places `after` are done, which costs so
    /// many local operations; its place.
    ///
    /// # Panics
    /// If a place in `after` is not there.
    pub fn push_decided(
        &mut self,
        decision: f64,
        blocks: u64,
        block: Block,
        times: u64,
        after: &[usize],
    ) -> usize {
        assert!(
            after.iter().all(|place| *place < self.kernels.len()),
            "a kernel waits for kernels that are there"
        );
        self.kernels.push(Launches {
            blocks,
            block,
            times,
            decision,
            after: after.to_vec(),
        });
        self.kernels.len() - 1
    }

    /// Adds a kernel that waits for the last one.
    pub fn then(&mut self, blocks: u64, block: Block, times: u64) -> usize {
        match self.kernels.len() {
            0 => self.push(blocks, block, times, &[]),
            n => self.push(blocks, block, times, &[n - 1]),
        }
    }

    /// A program that unfolds as it runs: while `next` has one, a kernel of so many blocks,
    /// launched so many times, which waits for the one before; each costs `scheduling` local
    /// operations. `next` is told what has been launched so far.
    pub fn unfold(
        scheduling: f64,
        mut next: impl FnMut(&Program) -> Option<(u64, Block, u64)>,
    ) -> Program {
        let mut program = Program::default();
        while let Some((blocks, block, times)) = next(&program) {
            let last = program.kernels.len().checked_sub(1);
            program.push_decided(scheduling, blocks, block, times, last.as_slice());
        }
        program
    }

    /// Its kernels; each comes after those it waits for.
    pub fn kernels(&self) -> &[Launches] {
        &self.kernels
    }

    /// W(P).
    pub fn work(&self) -> f64 {
        self.sum(|kernel| kernel.block.work)
    }

    /// O(P).
    pub fn overhead(&self, u: f64) -> f64 {
        self.sum(|kernel| kernel.block.overhead(u))
    }

    /// N(P).
    pub fn blocks(&self) -> f64 {
        self.sum(|_| 1.0)
    }

    fn sum(&self, of_block: impl Fn(&Launches) -> f64) -> f64 {
        let of = |kernel: &Launches| kernel.blocks as f64 * kernel.times as f64 * of_block(kernel);
        self.kernels.iter().map(of).sum()
    }

    /// S(P).
    pub fn span(&self) -> f64 {
        self.longest(|kernel| kernel.times as f64 * kernel.block.span)
    }

    /// L(P), in kernels.
    pub fn path(&self) -> f64 {
        self.longest(|kernel| kernel.times as f64)
    }

    /// The largest sum of what decisions cost along a path.
    pub fn scheduling(&self) -> f64 {
        self.longest(|kernel| kernel.decision)
    }

    /// The largest sum of weights along a path.
    fn longest(&self, weight: impl Fn(&Launches) -> f64) -> f64 {
        let mut ends: Vec<f64> = Vec::with_capacity(self.kernels.len());
        for kernel in &self.kernels {
            let before = kernel.after.iter().map(|place| ends[*place]);
            ends.push(before.fold(0.0, f64::max) + weight(kernel));
        }
        ends.into_iter().fold(0.0, f64::max)
    }

    /// C(P).
    pub fn heaviest(&self, u: f64) -> f64 {
        let times = self.kernels.iter().map(|kernel| kernel.block.time(u));
        times.fold(0.0, f64::max)
    }

    /// K: the most blocks along an antichain of the blocks' graph.
    pub fn widest(&self) -> u64 {
        let chain = self
            .kernels
            .iter()
            .enumerate()
            .all(|(i, kernel)| i == 0 || kernel.after.contains(&(i - 1)));
        if chain {
            return self.kernels.iter().map(|k| k.blocks).max().unwrap_or(0);
        }
        // Dilworth with weights: a heaviest antichain weighs as much as the fewest chains that pass
        // each kernel as often as it has blocks; joining chains is a flow from each kernel to those
        // that come later.
        let total: u64 = self.kernels.iter().map(|kernel| kernel.blocks).sum();
        total - self.joined_chains()
    }

    /// The largest flow from kernels to later ones where each sends, and each takes, at most as
    /// much as it has blocks.
    fn joined_chains(&self) -> u64 {
        let n = self.kernels.len();
        let mut before = vec![vec![false; n]; n];
        for (i, kernel) in self.kernels.iter().enumerate() {
            for place in &kernel.after {
                let earlier = before[*place].clone();
                let row = before[i].iter_mut().zip(earlier);
                row.for_each(|(known, earlier)| *known |= earlier);
                before[i][*place] = true;
            }
        }
        let mut sends: Vec<u64> = self.kernels.iter().map(|kernel| kernel.blocks).collect();
        let mut takes = sends.clone();
        let mut flow = vec![vec![0u64; n]; n];
        let mut whole = 0;
        // Nodes 0..n send, n..2n take; from a taker, flow that it has can be sent back.
        loop {
            let mut from: Vec<Option<usize>> = vec![None; 2 * n];
            let mut queue: VecDeque<usize> = (0..n).filter(|i| sends[*i] > 0).collect();
            let mut seen = vec![false; 2 * n];
            queue.iter().for_each(|i| seen[*i] = true);
            let mut end = None;
            while let Some(node) = queue.pop_front() {
                if node >= n && takes[node - n] > 0 {
                    end = Some(node);
                    break;
                }
                for next in 0..n {
                    let (next, open) = if node < n {
                        (n + next, before[next][node])
                    } else {
                        (next, flow[next][node - n] > 0)
                    };
                    if open && !seen[next] {
                        seen[next] = true;
                        from[next] = Some(node);
                        queue.push_back(next);
                    }
                }
            }
            let Some(end) = end else { return whole };
            let mut amount = takes[end - n];
            let mut node = end;
            while let Some(previous) = from[node] {
                if previous >= n {
                    amount = amount.min(flow[node][previous - n]);
                }
                node = previous;
            }
            amount = amount.min(sends[node]);
            sends[node] -= amount;
            takes[end - n] -= amount;
            whole += amount;
            node = end;
            while let Some(previous) = from[node] {
                if previous < n {
                    flow[previous][node - n] += amount
                } else {
                    flow[node][previous - n] -= amount
                }
                node = previous;
            }
        }
    }

    /// Theorem 1: the running time on P multiprocessors is at most (N(P)/P + L(P))·C(P), in local
    /// operations; and what decisions cost, where the program unfolds as it runs.
    pub fn time_on(&self, multiprocessors: f64, u: f64) -> f64 {
        let known = graham_brent(
            self.blocks(),
            self.path(),
            self.heaviest(u),
            multiprocessors,
        );
        known + self.scheduling()
    }

    /// Corollary 1: the same with K multiprocessors, as more are never busy.
    pub fn time(&self, u: f64) -> f64 {
        self.time_on(self.widest() as f64, u)
    }
}

/// Relations (3) and (4): (N/P + L)·C.
pub fn graham_brent(blocks: f64, path: f64, heaviest: f64, multiprocessors: f64) -> f64 {
    (blocks / multiprocessors + path) * heaviest
}

/// What the paper states of an algorithm, as functions of its sizes and its parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// W.
    pub work: f64,
    /// S.
    pub span: f64,
    /// O/U.
    pub words: f64,
    /// N.
    pub blocks: f64,
    /// L.
    pub path: f64,
    /// C is this many local operations
    pub block_span: f64,
    /// and this many transfers.
    pub block_words: f64,
    /// K.
    pub widest: f64,
}

impl Cost {
    /// O.
    pub fn overhead(&self, u: f64) -> f64 {
        self.words * u
    }

    /// C.
    pub fn heaviest(&self, u: f64) -> f64 {
        self.block_span + self.block_words * u
    }

    /// Corollary 1, in local operations.
    pub fn time(&self, u: f64) -> f64 {
        graham_brent(self.blocks, self.path, self.heaviest(u), self.widest)
    }

    /// Whether work and overhead are above 0. Those of a program are; a formula of the paper may be
    /// used outside the range that it holds in.
    pub fn is_positive(&self) -> bool {
        self.work > 0.0 && self.words > 0.0
    }

    /// How many times longer than `other` it may take, by Corollary 1.
    pub fn ratio(&self, other: &Cost, u: f64) -> f64 {
        self.time(u) / other.time(u)
    }
}
