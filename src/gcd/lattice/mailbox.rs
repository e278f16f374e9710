//! What the leader and its followers say to each other: a log of steps one way, residues of the
//! next blocks the other way.
//!
//! The words lie in memory that both sides reach while they run: the host's own for threads,
//! page-locked and mapped memory for a kernel. The log only grows, so that no follower can be
//! overtaken; a header is written after the words it speaks of. A residue's word says by itself
//! that it is there. So neither side waits for more than the word it reads.
//!
//! ```text
//!   headers    one word for each step     there 1 | stop 1 | signs 4 | words 10 | active 24 | publish 24 bits
//!   payload    2·words for each step      a1, b1, a2, b2: a 32-bit word of each entry, lowest first
//!   published  one word for each modulus  there 1 | 0 | v 31 | u 31 bits
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use super::lead::Residues;
use super::step::Step;
use crate::error::{Error, Result};

/// A word that is there.
const THERE: u64 = 1 << 63;
const STOP: u64 = 1 << 62;
/// Most 32-bit words of an entry.
pub(super) const MAX_WORDS: usize = (1 << 10) - 1;
/// Most blocks of moduli; no block is published where this is its number.
pub(crate) const NO_BLOCK: usize = (1 << 24) - 1;

/// Rounds of waiting before the leader lets others have its core.
const SPINS: u32 = 1 << 14;

/// The memory, cut into its three parts.
#[derive(Clone, Copy)]
pub(super) struct Mailbox<'a> {
    pub(super) headers: &'a [AtomicU64],
    pub(super) payload: &'a [AtomicU64],
    pub(super) published: &'a [AtomicU64],
}

/// Lengths of the three parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) headers: usize,
    pub(super) payload: usize,
    pub(super) published: usize,
}

impl Shape {
    pub(super) fn words(self) -> usize {
        self.headers + self.payload + self.published
    }
}

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(super) signs: u8,
    pub(super) words: usize,
    /// The moduli of the blocks below are done with.
    pub(crate) active: usize,
    /// The block whose residues the leader wants to see after this step.
    pub(crate) publish: usize,
}

impl Header {
    fn encode(self) -> u64 {
        assert!(self.words <= MAX_WORDS && self.active.max(self.publish) <= NO_BLOCK);
        THERE
            | u64::from(self.signs) << 58
            | (self.words as u64) << 48
            | (self.active as u64) << 24
            | self.publish as u64
    }

    fn decode(word: u64) -> Header {
        let block = |from: u32| (word >> from) as usize & NO_BLOCK;
        Header {
            signs: (word >> 58) as u8 & 15,
            words: (word >> 48) as usize & MAX_WORDS,
            active: block(24),
            publish: block(0),
        }
    }
}

/// A step that a follower has received, or the end.
pub(crate) enum Received {
    Step(Header, Step),
    Stop,
}

impl<'a> Mailbox<'a> {
    /// Cuts `memory` into the parts, cleared of what an earlier run left.
    pub(super) fn new(memory: &'a [AtomicU64], shape: Shape) -> Mailbox<'a> {
        let (headers, rest) = memory.split_at(shape.headers);
        let (payload, rest) = rest.split_at(shape.payload);
        let mailbox = Mailbox {
            headers,
            payload,
            published: &rest[..shape.published],
        };
        for word in mailbox.headers.iter().chain(mailbox.published) {
            word.store(0, Ordering::Relaxed);
        }
        mailbox
    }

    /// Writes a residue pair for the leader to see.
    pub(super) fn publish(&self, modulus: usize, u: u32, v: u32) {
        let word = THERE | u64::from(v) << 31 | u64::from(u);
        self.published[modulus].store(word, Ordering::Relaxed);
    }

    /// The residues of a modulus, once they are there.
    pub(super) fn residues(&self, modulus: usize) -> Option<(u32, u32)> {
        let word = self.published[modulus].load(Ordering::Relaxed);
        let low = |bits: u64| bits as u32 & (u32::MAX >> 1);
        (word & THERE != 0).then(|| (low(word), low(word >> 31)))
    }
}

/// Where a reader or the writer stands in the log.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    step: usize,
    payload: usize,
}

impl Cursor {
    /// Appends a step.
    pub(super) fn push(
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
        let header = Header {
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
    pub(super) fn stop(&self, mailbox: &Mailbox<'_>) {
        mailbox.headers[self.step].store(THERE | STOP, Ordering::Release);
    }

    /// The next entry of the log, if it is there.
    pub(super) fn receive(&mut self, mailbox: &Mailbox<'_>) -> Option<Received> {
        let word = mailbox.headers[self.step].load(Ordering::Acquire);
        if word & THERE == 0 {
            return None;
        }
        if word & STOP != 0 {
            return Some(Received::Stop);
        }
        let header = Header::decode(word);
        let room = &mailbox.payload[self.payload..self.payload + 2 * header.words];
        let words = room
            .chunks_exact(2)
            .map(|pair| unpacked([&pair[0], &pair[1]].map(|word| word.load(Ordering::Relaxed))));
        let step = Step::from_words(words.collect(), header.signs);
        self.step += 1;
        self.payload += 2 * header.words;
        Some(Received::Step(header, step))
    }
}

/// A word of each of a1, b1, a2, b2 as the payload has them, and back.
fn packed([a1, b1, a2, b2]: &[u32; 4]) -> [u64; 2] {
    [(a1, b1), (a2, b2)].map(|(a, b)| u64::from(*a) | u64::from(*b) << 32)
}

fn unpacked([a, b]: [u64; 2]) -> [u32; 4] {
    [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
}

/// A step as one message: its header, then its words.
pub(crate) fn to_message(step: &Step, active: usize, publish: usize) -> Vec<u64> {
    let header = Header {
        signs: step.signs(),
        words: step.words().len(),
        active,
        publish,
    };
    let pairs = step.words().iter().flat_map(packed);
    std::iter::once(header.encode()).chain(pairs).collect()
}

/// The message that there are no more steps.
pub(crate) fn stop_message() -> Vec<u64> {
    vec![THERE | STOP]
}

pub(crate) fn from_message(message: &[u64]) -> Received {
    if message[0] & STOP != 0 {
        return Received::Stop;
    }
    let header = Header::decode(message[0]);
    let pairs = message[1..].chunks_exact(2).take(header.words);
    let words = pairs.map(|pair| unpacked([pair[0], pair[1]]));
    Received::Step(header, Step::from_words(words.collect(), header.signs))
}

/// Followers behind a mailbox, whose blocks have k moduli. `alive` says whether they still are, and
/// is asked only while nothing comes from them.
pub(super) struct Line<'a> {
    mailbox: Mailbox<'a>,
    cursor: Cursor,
    alive: &'a dyn Fn() -> Result<bool>,
    pub(super) k: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(
        mailbox: Mailbox<'a>,
        alive: &'a dyn Fn() -> Result<bool>,
        k: usize,
    ) -> Line<'a> {
        Line {
            mailbox,
            cursor: Cursor::default(),
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
            // They may have written this and ended in between.
            if !(self.alive)()? && self.mailbox.residues(modulus).is_none() {
                return Err(Error::Device {
                    call: "gcd by lattices",
                    reason: "the followers have ended before the leader".into(),
                });
            }
            std::thread::yield_now();
        }
    }
}

impl Residues for Line<'_> {
    fn push(&mut self, step: &Step, active: usize, publish: usize) -> Result<()> {
        self.cursor.push(&self.mailbox, step, active, publish);
        Ok(())
    }

    fn residues(&mut self, block: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let pairs = (block * self.k..(block + 1) * self.k).map(|modulus| self.wait(modulus));
        pairs.collect()
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        self.cursor.stop(&self.mailbox);
    }
}
