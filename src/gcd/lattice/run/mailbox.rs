//! The communication of the leader and its followers: a log of steps in one direction, residues of
//! the next blocks in the other.
//!
//! The words are in memory that both sides can access while they run: ordinary memory for threads,
//! page-locked and mapped memory for a kernel. The log only grows, so a slow follower misses no
//! step. A header is written after the words that it describes. A word with residues has its own
//! ready mark. Therefore each side waits only for the word that it reads.
//!
//! ```text
//!   headers    one word for each step     there 1 | stop 1 | signs 4 | words 10 | active 24 | publish 24 bits
//!   payload    2·words for each step      a1, b1, a2, b2: a 32-bit word of each entry, lowest first
//!   published  one word for each modulus  there 1 | 0 | v 31 | u 31 bits
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::basis::Step;
use crate::error::{Error, Result};

/// The ready mark of a word.
pub(super) const THERE: u64 = 1 << 63;
pub(super) const STOP: u64 = 1 << 62;
/// Maximum 32-bit words of an entry.
pub(crate) const MAX_WORDS: usize = (1 << 10) - 1;
/// Maximum blocks of moduli. As a block number, it means that no block is to be published.
pub(crate) const NO_BLOCK: usize = (1 << 24) - 1;

/// Polls before the leader yields its core to other threads.
const SPINS: u32 = 1 << 14;

/// The memory of a mailbox, divided into its three parts.
#[derive(Clone, Copy)]
pub(crate) struct Mailbox<'a> {
    pub(crate) headers: &'a [AtomicU64],
    pub(crate) payload: &'a [AtomicU64],
    pub(crate) published: &'a [AtomicU64],
}

/// Lengths of the three parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MailboxLengths {
    pub(crate) headers: usize,
    pub(crate) payload: usize,
    pub(crate) published: usize,
}

impl MailboxLengths {
    pub(crate) fn words(self) -> usize {
        self.headers + self.payload + self.published
    }
}

/// The contents of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepHeader {
    pub(crate) signs: u8,
    pub(crate) words: usize,
    /// The blocks below this one are finished.
    pub(crate) active: usize,
    /// The block whose residues the leader requests after this step.
    pub(crate) publish: usize,
}

impl StepHeader {
    /// The word of this header, with the ready mark.
    pub(super) fn encode(self) -> u64 {
        assert!(self.words <= MAX_WORDS && self.active.max(self.publish) <= NO_BLOCK);
        THERE
            | u64::from(self.signs) << 58
            | (self.words as u64) << 48
            | (self.active as u64) << 24
            | self.publish as u64
    }

    /// The header of a word.
    pub(super) fn decode(word: u64) -> StepHeader {
        let block = |from: u32| (word >> from) as usize & NO_BLOCK;
        StepHeader {
            signs: (word >> 58) as u8 & 15,
            words: (word >> 48) as usize & MAX_WORDS,
            active: block(24),
            publish: block(0),
        }
    }
}

/// A step that a follower has received, or the end.
pub(crate) enum LogEntry {
    Step(StepHeader, Step),
    Stop,
}

impl<'a> Mailbox<'a> {
    /// Divides `memory` into the parts, and clears what an earlier run left.
    pub(crate) fn new(memory: &'a [AtomicU64], lengths: MailboxLengths) -> Mailbox<'a> {
        let (headers, rest) = memory.split_at(lengths.headers);
        let (payload, rest) = rest.split_at(lengths.payload);
        let mailbox = Mailbox {
            headers,
            payload,
            published: &rest[..lengths.published],
        };
        for word in mailbox.headers.iter().chain(mailbox.published) {
            word.store(0, Ordering::Relaxed);
        }
        mailbox
    }

    /// Publishes a pair of residues for the leader.
    pub(crate) fn publish(&self, modulus: usize, u: u32, v: u32) {
        let word = THERE | u64::from(v) << 31 | u64::from(u);
        self.published[modulus].store(word, Ordering::Relaxed);
    }

    /// Returns the residues of a modulus if they have been published.
    pub(crate) fn residues(&self, modulus: usize) -> Option<(u32, u32)> {
        let word = self.published[modulus].load(Ordering::Relaxed);
        let low = |bits: u64| bits as u32 & (u32::MAX >> 1);
        (word & THERE != 0).then(|| (low(word), low(word >> 31)))
    }
}

/// The position of a reader or of the writer in the log.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LogPosition {
    step: usize,
    payload: usize,
}

impl LogPosition {
    /// Appends a step.
    pub(crate) fn push(
        &mut self,
        mailbox: &Mailbox<'_>,
        step: &Step,
        active: usize,
        publish: usize,
    ) {
        let words = step.words();
        let room = &mailbox.payload[self.payload..self.payload + 2 * words.len()];
        for (to, pair) in room.iter().zip(words.iter().flat_map(packed)) {
            to.store(pair, Ordering::Relaxed);
        }
        let header = StepHeader {
            signs: step.signs(),
            words: words.len(),
            active,
            publish,
        };
        mailbox.headers[self.step].store(header.encode(), Ordering::Release);
        self.step += 1;
        self.payload += 2 * words.len();
    }

    /// Tells every follower that there are no more steps.
    pub(crate) fn stop(&self, mailbox: &Mailbox<'_>) {
        mailbox.headers[self.step].store(THERE | STOP, Ordering::Release);
    }

    /// Returns the next entry of the log if it has been written.
    pub(crate) fn receive(&mut self, mailbox: &Mailbox<'_>) -> Option<LogEntry> {
        let word = mailbox.headers[self.step].load(Ordering::Acquire);
        if word & THERE == 0 {
            return None;
        }
        if word & STOP != 0 {
            return Some(LogEntry::Stop);
        }
        let header = StepHeader::decode(word);
        let room = &mailbox.payload[self.payload..self.payload + 2 * header.words];
        let words = room
            .chunks_exact(2)
            .map(|pair| unpacked([&pair[0], &pair[1]].map(|word| word.load(Ordering::Relaxed))));
        let step = Step::from_words(words.collect(), header.signs);
        self.step += 1;
        self.payload += 2 * header.words;
        Some(LogEntry::Step(header, step))
    }
}

/// A word of each of a1, b1, a2, b2 as the payload has them, and back.
pub(super) fn packed([a1, b1, a2, b2]: &[u32; 4]) -> [u64; 2] {
    [(a1, b1), (a2, b2)].map(|(a, b)| u64::from(*a) | u64::from(*b) << 32)
}

pub(super) fn unpacked([a, b]: [u64; 2]) -> [u32; 4] {
    [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
}

/// The leader's end of a mailbox, for blocks of k moduli. It appends steps to the log and reads
/// residues. `alive` tells whether the followers still run, and is called only while the leader
/// waits for them. Dropping this ends the log.
pub(crate) struct LeaderEnd<'a> {
    mailbox: Mailbox<'a>,
    position: LogPosition,
    alive: &'a dyn Fn() -> Result<bool>,
    pub(crate) k: usize,
}

impl<'a> LeaderEnd<'a> {
    pub(crate) fn new(
        mailbox: Mailbox<'a>,
        alive: &'a dyn Fn() -> Result<bool>,
        k: usize,
    ) -> LeaderEnd<'a> {
        LeaderEnd {
            mailbox,
            position: LogPosition::default(),
            alive,
            k,
        }
    }

    fn wait(&self, modulus: usize) -> Result<(u32, u32)> {
        let mut round = 0u32;
        loop {
            if let Some(pair) = self.mailbox.residues(modulus) {
                return Ok(pair);
            }
            round = round.saturating_add(1);
            if round < SPINS {
                std::hint::spin_loop();
                continue;
            }
            // The followers may have written this and ended since the last check.
            if !(self.alive)()? && self.mailbox.residues(modulus).is_none() {
                return Err(Error::Device {
                    call: "gcd by lattices",
                    reason: "the followers have ended before the leader".into(),
                });
            }
            std::thread::yield_now();
        }
    }

    /// Appends a step to the log.
    pub(super) fn push(&mut self, step: &Step, active: usize, publish: usize) {
        self.position.push(&self.mailbox, step, active, publish);
    }

    /// Waits for the residues of a block that a step requested.
    pub(super) fn residues(&mut self, block: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let pairs = (block * self.k..(block + 1) * self.k).map(|modulus| self.wait(modulus));
        pairs.collect()
    }
}

impl Drop for LeaderEnd<'_> {
    fn drop(&mut self) {
        self.position.stop(&self.mailbox);
    }
}
