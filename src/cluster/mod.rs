//! Several processes that work together: the ranks that `mpirun` or Slurm starts, and their
//! messages.
//!
//! A [`Cluster`] is the set of all ranks of a job. Without a launcher it is this process alone, and
//! MPI is not started. No MPI type leaves this folder. Distributed operations are methods of a
//! cluster. They are *collective*: every rank calls them, with the same arguments, in the same
//! order. They call the operations of lower layers, which do not depend on ranks. If such an
//! operation distributes one of its steps, it defines a trait for that step, and this folder
//! implements the trait.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | start and end, broadcast, gather, reduce, messages |
//! | `queue.rs` | a work queue: each free rank gets the next item; results in order |
//! | `gcd/` | one gcd: moduli distributed by `gcd::lattice::Followers` and `gcd::weber::Holders` |
//! | `factor/` | many numbers; curves and sieves of one, by `factoring::workers::Workers` |
//! | `keys.rs` | shared factors: a tree on each rank, by `keys::OtherTrees` |
//! | `batch.rs` | batches of which every rank computes some rows |
//! | `probe.rs`, `network.rs` | the cost of messages, measured and stored |
//! | `projection/` | predicted times of the modular gcds on R ranks, and Weber and Brew's projection |
//! | `numbers.rs` | numbers as words |
//! | `launcher.rs` | the launcher's environment variables |
//! | `mpi.rs`, `alone.rs` | the MPI library; its replacement in a build without MPI |
//!
//! **Errors.** Every rank starts with the same version and, if a command requires it, with the same
//! input ([`Cluster::agree`]). A failure on one rank ends the job: the shell calls
//! [`Cluster::abort`], one rank prints the error, and the launcher kills the others.

mod batch;
mod factor;
mod gcd;
mod keys;
mod launcher;
mod network;
mod numbers;
mod probe;
#[doc(hidden)]
pub mod projection;
mod queue;
#[cfg(test)]
mod tests;
#[cfg_attr(feature = "mpi", path = "mpi.rs")]
#[cfg_attr(not(feature = "mpi"), path = "alone.rs")]
mod wire;

#[doc(hidden)]
pub use network::Network;

use std::sync::OnceLock;
use std::time::Duration;

use crate::error::{Error, Result};
use wire::Wire;

/// The version, which must be equal on every rank before any other message is sent.
const VERSION: &str = concat!("bezout ", env!("CARGO_PKG_VERSION"));

/// Maximum bytes of an MPI message: MPI counts in 31 bits. A message of exactly this length is
/// continued by the next message.
const PIECE: usize = 1 << 30;

/// Tags of this folder's messages. Tags of callers start at [`Cluster::FIRST_TAG`].
#[derive(Debug, Clone, Copy)]
enum Tag {
    Gather = 1,
    Deal = 2,
    Result = 3,
}

/// All ranks of this job.
#[derive(Debug, Clone, Copy)]
pub struct Cluster {
    rank: usize,
    size: usize,
    local_rank: usize,
    local_size: usize,
    /// None if this process is alone.
    wire: Option<Wire>,
}

static STARTED: OnceLock<Cluster> = OnceLock::new();

/// How an all-reduce combines two words.
#[derive(Debug, Clone, Copy)]
enum Reduce {
    Min,
    Or,
    Sum,
}

impl Cluster {
    /// The smallest tag of [`Cluster::send`] that callers may use. The largest is 32767.
    pub const FIRST_TAG: u16 = 16;

    /// Returns the ranks that the launcher started, or this process alone if there was no launcher.
    /// Collective: every rank must call it once before any other collective operation. Idempotent.
    ///
    /// An error if this build has no MPI and was started as one of several ranks, or if the ranks
    /// have different versions.
    pub fn start() -> Result<Cluster> {
        if let Some(started) = STARTED.get() {
            return Ok(*started);
        }
        let cluster = match launcher::ranks() {
            None | Some(1) => Cluster::alone(),
            Some(ranks) => wire::start(ranks)?,
        };
        let cluster = *STARTED.get_or_init(|| cluster);
        cluster.agree("the version", VERSION)?;
        Ok(cluster)
    }

    /// This process alone.
    pub fn alone() -> Cluster {
        Cluster {
            rank: 0,
            size: 1,
            local_rank: 0,
            local_size: 1,
            wire: None,
        }
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether this is rank 0, which prints and writes.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// The index of this rank among the ranks of its machine.
    pub fn local_rank(&self) -> usize {
        self.local_rank
    }

    /// The number of ranks of this machine.
    pub fn local_size(&self) -> usize {
        self.local_size
    }

    /// The number of CPU threads that this rank should use: its share of the cores of its machine.
    /// The user may override it.
    pub fn threads(&self) -> usize {
        launcher::threads(self.local_size)
    }

    /// Numbers the GPUs of this machine from this rank's own GPU on: device 0 of this rank is GPU
    /// `local_rank` modulo the number of GPUs. Must be called before the first use of a GPU.
    pub fn share_devices(&self) {
        crate::cuda::number_from(self.local_rank as u32);
    }

    /// Replaces the bytes of every rank by those of rank `from`. Collective.
    pub fn broadcast(&self, from: usize, bytes: &mut Vec<u8>) {
        let mut length = [bytes.len() as u64];
        self.broadcast_words(from, &mut length);
        bytes.resize(length[0] as usize, 0);
        if let Some(wire) = &self.wire {
            bytes
                .chunks_mut(PIECE)
                .for_each(|piece| wire.broadcast(from, piece));
        }
    }

    /// Replaces the words of every rank by those of rank `from`. Collective: every rank passes the
    /// same number of words.
    pub fn broadcast_words(&self, from: usize, words: &mut [u64]) {
        let Some(wire) = &self.wire else { return };
        let mut bytes = to_bytes(words);
        bytes
            .chunks_mut(PIECE)
            .for_each(|piece| wire.broadcast(from, piece));
        if self.rank != from {
            words.copy_from_slice(&to_words(&bytes));
        }
    }

    /// Returns the bytes of every rank, in rank order, on rank `to`, and None on the other ranks.
    /// Collective.
    pub fn gather(&self, to: usize, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        if self.rank != to {
            self.send(to, Tag::Gather as u16, bytes);
            return None;
        }
        let of = |rank| {
            if rank == to {
                bytes.to_vec()
            } else {
                self.receive(rank, Tag::Gather as u16)
            }
        };
        Some((0..self.size).map(of).collect())
    }

    /// Returns the bytes of every rank, in rank order, on all ranks. Collective.
    pub fn all_gather(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let gathered = self.gather(0, bytes);
        (0..self.size)
            .map(|rank| {
                let mut one = gathered
                    .as_ref()
                    .map_or_else(Vec::new, |all| all[rank].clone());
                self.broadcast(0, &mut one);
                one
            })
            .collect()
    }

    /// Returns the minimum of the ranks' words, on all ranks. Collective.
    pub fn all_min(&self, word: u64) -> u64 {
        self.reduce(word, Reduce::Min)
    }

    /// Returns the bitwise or of the ranks' words, on all ranks. Collective.
    pub fn all_or(&self, word: u64) -> u64 {
        self.reduce(word, Reduce::Or)
    }

    /// Returns the sum of the ranks' words modulo 2^64, on all ranks. Collective.
    pub fn all_sum(&self, word: u64) -> u64 {
        self.reduce(word, Reduce::Sum)
    }

    fn reduce(&self, word: u64, how: Reduce) -> u64 {
        self.wire.map_or(word, |wire| wire.reduce(word, how))
    }

    /// Waits until all ranks have called it. Collective.
    pub fn barrier(&self) {
        self.reduce(0, Reduce::Or);
    }

    /// Sends bytes to another rank, which must receive them with the same tag. May wait for that
    /// rank if the message is long.
    pub fn send(&self, to: usize, tag: u16, bytes: &[u8]) {
        let Some(wire) = &self.wire else { return };
        let mut pieces = bytes.chunks_exact(PIECE);
        pieces.by_ref().for_each(|piece| wire.send(to, tag, piece));
        wire.send(to, tag, pieces.remainder());
    }

    /// Sends bytes to another rank, as [`Cluster::send`] does, but never waits for that rank. For
    /// short messages: a rank may have at most 128 KiB in flight for each rank of the job, or 4 MiB
    /// if that is more.
    pub(crate) fn post(&self, to: usize, tag: u16, bytes: &[u8]) {
        if let Some(wire) = &self.wire {
            wire.post(to, tag, bytes);
        }
    }

    /// Receives the next message of rank `from` with this tag. Messages arrive in the order of
    /// sending.
    pub fn receive(&self, from: usize, tag: u16) -> Vec<u8> {
        let Some(wire) = &self.wire else {
            return Vec::new();
        };
        let first = wire.receive(from, tag);
        self.complete(wire, from, tag, first)
    }

    /// As [`Cluster::receive`], for messages for which the wait may be long. Polls and sleeps in
    /// between, while [`Cluster::receive`] keeps a core busy.
    pub fn receive_patiently(&self, from: usize, tag: u16) -> Vec<u8> {
        while self.wire.is_some() && !self.has_arrived(from, tag) {
            std::thread::sleep(PAUSE);
        }
        self.receive(from, tag)
    }

    /// Whether a message of rank `from` with this tag has arrived.
    pub fn has_arrived(&self, from: usize, tag: u16) -> bool {
        self.wire.is_some_and(|wire| wire.has_arrived(from, tag))
    }

    /// Lets MPI make progress while this rank computes: MPI accepts messages of other ranks, which
    /// may wait for that even if the message is short, and sends the messages posted here.
    pub(crate) fn let_in(&self) {
        self.has_arrived(0, Tag::Gather as u16);
    }

    /// Receives a message with this tag from any rank, with the rank of its sender. None if no
    /// message has arrived.
    pub(crate) fn receive_any(&self, tag: u16) -> Option<(usize, Vec<u8>)> {
        let wire = self.wire.as_ref()?;
        let (from, first) = wire.try_receive(tag)?;
        Some((from, self.complete(wire, from, tag, first)))
    }

    fn complete(&self, wire: &Wire, from: usize, tag: u16, mut bytes: Vec<u8>) -> Vec<u8> {
        let mut last = bytes.len();
        while last == PIECE {
            let piece = wire.receive(from, tag);
            last = piece.len();
            bytes.extend(piece);
        }
        bytes
    }

    /// Returns an error on every rank if `value` is not equal on all ranks. Collective.
    pub fn agree(&self, what: &str, value: &str) -> Result<()> {
        if self.size == 1 {
            return Ok(());
        }
        let all = self.all_gather(value.as_bytes());
        match all.iter().position(|other| *other != all[0]) {
            None => Ok(()),
            Some(rank) => {
                let [first, other] = [0, rank].map(|rank| String::from_utf8_lossy(&all[rank]));
                Err(Error::Cluster(format!(
                    "the ranks do not agree on {what}: rank 0 has '{first}', rank {rank} has \
                     '{other}'"
                )))
            }
        }
    }

    /// If any rank has an error, returns the error of the first such rank on every rank. Otherwise
    /// returns each rank's own value. Collective.
    pub fn share_error<T>(&self, mine: Result<T>) -> Result<T> {
        if self.size == 1 {
            return mine;
        }
        let failed = if mine.is_err() { self.rank } else { self.size };
        let first = self.all_min(failed as u64) as usize;
        if first == self.size {
            return mine;
        }
        let mut text = mine
            .as_ref()
            .err()
            .map_or(String::new(), Error::to_string)
            .into_bytes();
        self.broadcast(first, &mut text);
        Err(match mine {
            Err(error) => error,
            Ok(_) => Error::Cluster(format!("rank {first}: {}", String::from_utf8_lossy(&text))),
        })
    }

    /// Ends MPI. Must be the last call of every rank. Waits for all ranks.
    pub fn end() {
        if let Some(Cluster {
            wire: Some(wire), ..
        }) = STARTED.get()
        {
            wire.end();
        }
    }

    /// Ends every rank with this exit code because this rank failed. Calls `say` first, which
    /// prints the error. Returns if there is no MPI.
    ///
    /// If several ranks fail, usually for the same reason, only the first of them prints: it ends
    /// the others while they wait.
    pub fn abort(code: u8, say: impl FnOnce()) {
        let started = STARTED.get().and_then(|cluster| cluster.wire);
        let rank = STARTED.get().map(|cluster| cluster.rank);
        let rank = rank.or_else(launcher::rank).unwrap_or(0);
        match started {
            None if rank == 0 => say(),
            None => {}
            Some(wire) => {
                if rank > 0 {
                    std::thread::sleep(TURN * (1 + rank.min(LAST_TURN) as u32));
                }
                say();
                wire.abort(code);
            }
        }
    }
}

/// How long a rank sleeps between two polls.
const PAUSE: Duration = Duration::from_micros(100);

/// How long a failed rank waits for each rank before it to end the job, and the maximum number of
/// ranks that it waits for.
const TURN: Duration = Duration::from_millis(150);
const LAST_TURN: usize = 20;

/// Converts words to the bytes of a message.
pub(crate) fn to_bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(crate) fn to_words(bytes: &[u8]) -> Vec<u64> {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}
