//! Measures the cost of communication between the ranks of this job.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::{Cluster, Network, Tag, to_bytes, to_words};
use crate::gcd::lattice::exercise;

/// The number of samples. The smallest counts, because other load only adds time.
const SAMPLES: usize = 9;
/// Calls per sample. Broadcasts rotate the sender, so their number is rounded up to a multiple of
/// the number of ranks.
const CALLS: usize = 400;
/// Bytes of a long message.
const LONG: usize = 1 << 22;
/// The work that every rank does, alone and together with all others: moduli and words of a gcd,
/// some twenty milliseconds.
const MODULI: usize = 1024;
const WORDS: usize = 1 << 15;
/// How long the other ranks sleep during the measurement of one. A rank that waits in MPI would use
/// the shared resources.
const STILL: Duration = Duration::from_millis(400);

impl Cluster {
    /// Measures messages, broadcasts, all-reduces and the slowdown by sharing a machine. Returns
    /// the same on every rank, and None if there is only one rank. Takes about a second.
    /// Collective.
    pub fn probe(&self) -> Option<Network> {
        if self.size() == 1 {
            return None;
        }
        let long = vec![0u8; LONG];
        let message = self.least(CALLS, |calls| (0..calls).for_each(|_| self.ping(&[0; 8])));
        let long = self.least(4, |calls| (0..calls).for_each(|_| self.ping(&long)));
        // A rank sends what it has just received, so that each broadcast waits for the previous
        // one.
        let rounds = CALLS.div_ceil(self.size()) * self.size();
        let mut words = vec![0u64; Network::STEP_BYTES / 8];
        let broadcast = self.least(rounds, |calls| {
            (0..calls).for_each(|i| self.broadcast_words(i % self.size(), &mut words));
        });
        let all_reduce = self.meeting(CALLS);
        let (ranks, local) = (self.size() as u32, self.local_size() as u32);
        let mut figures = [
            message / 2.0,
            LONG as f64 / ((long - message) / 2.0).max(1e-9),
            broadcast,
            all_reduce,
            self.crowding(),
            f64::from(local),
        ]
        .map(f64::to_bits);
        self.broadcast_words(0, &mut figures);
        let [message, bandwidth, broadcast, all_reduce, crowding, local] =
            figures.map(f64::from_bits);
        Some(Network {
            ranks,
            local: local as u32,
            message,
            bandwidth,
            broadcast,
            all_reduce,
            crowding,
        })
    }

    /// The smallest seconds per call over all samples of `calls` calls, from a barrier until the
    /// last rank has finished.
    fn least(&self, calls: usize, mut work: impl FnMut(usize)) -> f64 {
        let sample = |_| {
            self.barrier();
            let start = Instant::now();
            work(calls);
            let taken = start.elapsed().as_nanos() as u64;
            self.most(taken) as f64 * 1e-9 / calls as f64
        };
        (0..SAMPLES).map(sample).fold(f64::INFINITY, f64::min)
    }

    /// The smallest seconds of an all-reduce of a word, over samples of `calls` calls.
    fn meeting(&self, calls: usize) -> f64 {
        self.least(calls, |calls| {
            black_box((0..calls).fold(0, |all, i| all ^ self.all_min(i as u64)));
        })
    }

    fn most(&self, word: u64) -> u64 {
        !self.all_min(!word)
    }

    /// Sends `bytes` from the first rank to the last and back.
    fn ping(&self, bytes: &[u8]) {
        let last = self.size() - 1;
        let tag = Tag::Gather as u16;
        if self.is_first() {
            self.send(last, tag, bytes);
            self.receive(last, tag);
        } else if self.rank() == last {
            let bytes = self.receive(0, tag);
            self.send(0, tag, &bytes);
        }
    }

    /// The seconds of the same work on all ranks at once, in lock-step, over those of the first
    /// rank alone.
    fn crowding(&self) -> f64 {
        let mut work = exercise(MODULI, WORDS);
        self.barrier();
        let alone = if self.is_first() {
            seconds(&mut work)
        } else {
            std::thread::sleep(STILL);
            1.0
        };
        (self.pace_in_step(Cluster::STEPS_APART) / alone).max(1.0)
    }

    /// The number of times that the ranks of a gcd by lattices wait for each other during the work
    /// of [`pace`](Cluster::pace). They may be 16 steps apart, which at a million bits are some
    /// milliseconds.
    pub const STEPS_APART: usize = 8;

    /// The seconds of a piece of work while every rank does such a piece, for the mean of the
    /// ranks' speeds. The work is of the kind that the ranks of a gcd do, because the effect of
    /// sharing a core depends on the work. Every rank gets the same result. Collective.
    pub fn pace(&self) -> f64 {
        let mut work = exercise(MODULI, WORDS);
        self.barrier();
        let own = seconds(&mut work);
        let all = self.all_gather(&to_bytes(&[own.to_bits()]));
        let speeds = all.iter().flat_map(|bytes| to_words(bytes));
        let speed: f64 = speeds.map(|bits| f64::from_bits(bits).recip()).sum();
        self.size() as f64 / speed
    }

    /// The seconds of the work of [`pace`](Cluster::pace) if all ranks wait for each other after
    /// each of `parts` parts of the work, so that a delay of one rank delays all. The time of
    /// waiting is included. The cost of the messages for it is not.
    pub fn pace_in_step(&self, parts: usize) -> f64 {
        let mut work = exercise(MODULI, WORDS.div_ceil(parts));
        let rounds = SAMPLES * parts;
        let meeting = self.meeting(rounds);
        self.barrier();
        let start = Instant::now();
        for i in 0..rounds {
            work();
            self.all_min(i as u64);
        }
        let taken = self.most(start.elapsed().as_nanos() as u64) as f64 * 1e-9;
        (taken - rounds as f64 * meeting).max(1e-9) / SAMPLES as f64
    }
}

/// The median of the seconds that `work` takes.
fn seconds(work: &mut impl FnMut()) -> f64 {
    let sample = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let mut samples: Vec<f64> = (0..SAMPLES).map(sample).collect();
    samples.sort_by(f64::total_cmp);
    samples[SAMPLES / 2].max(1e-9)
}
