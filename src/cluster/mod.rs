//! Many processes as one: the ranks that `mpirun` or Slurm start, and what they say to each other.
//!
//! A [`Cluster`] is all ranks of a job; without a launcher it is this process alone, and no MPI is
//! started. No MPI type leaves this folder. Operations that spread over ranks are methods of a
//! cluster, and *collective*: every rank calls them, with the same arguments, in the same order.
//! They call the operations below, none of which knows of ranks; where one gives a step of its own
//! away, it is an interface of that operation, and implemented here.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | start and end, broadcast, gather, reduce, messages |
//! | `queue.rs` | work dealt to whoever is free, results in order |
//! | `gcd/` | one gcd: moduli spread by `gcd::lattice::Followers` and `gcd::weber::Holders` |
//! | `factor/` | many numbers; curves and sieves of one, by `factoring::workers::Workers` |
//! | `keys.rs` | shared factors: a tree on each rank, by `keys::OtherTrees` |
//! | `batch.rs` | batches that every rank makes some rows of |
//! | `probe.rs`, `network.rs` | what messages cost, measured and kept |
//! | `projection/` | what ranks make of the modular gcds, and Weber and Brew's projection |
//! | `numbers.rs` | numbers as words |
//! | `launcher.rs` | what the launcher says in the environment |
//! | `mpi.rs`, `alone.rs` | the MPI library; nothing, in a build without it |
//!
//! **Errors.** Every rank starts with the same version and, where a command asks for it, the same
//! input ([`Cluster::agree`]). What fails on one rank alone ends the job: the shell calls
//! [`Cluster::abort`], one rank speaks, and the launcher takes the others down.

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

/// What must be the same on every rank before anything is sent.
const VERSION: &str = concat!("bezout ", env!("CARGO_PKG_VERSION"));

/// Bytes of a message at most: MPI counts in 31 bits. One of just this length is continued by the
/// next.
const PIECE: usize = 1 << 30;

/// Tags of this folder's messages; callers' own begin at [`Cluster::FIRST_TAG`].
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
    /// None where this process is alone.
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
    /// The least tag of [`Cluster::send`] that this module leaves to its callers; the largest is
    /// 32767.
    pub const FIRST_TAG: u16 = 16;

    /// The ranks that the launcher started, or this process alone where there was none. To be
    /// called once by every rank, before the others go on without it; a later call gives the same.
    ///
    /// An error where this build has no MPI and was started as one of several ranks, or where the
    /// ranks are of different versions.
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

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether this is rank 0, which prints and writes.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// The number of this rank among those of its machine.
    pub fn local_rank(&self) -> usize {
        self.local_rank
    }

    /// How many ranks this machine has.
    pub fn local_size(&self) -> usize {
        self.local_size
    }

    /// CPU threads that are this rank's part of its machine, unless the user says otherwise.
    pub fn threads(&self) -> usize {
        launcher::threads(self.local_size)
    }

    /// Lets every rank of a machine number the GPUs from its own on: the first of this one is
    /// `local_rank` modulo their number. Needed before the first of them is used.
    pub fn share_devices(&self) {
        crate::cuda::number_from(self.local_rank as u32);
    }

    /// Sends the bytes of one rank to all others, in place of theirs.
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

    /// Sends the words of one rank to all others, in place of theirs. Every rank passes the same
    /// number of words.
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

    /// The bytes of every rank, in their order, at one of them; none at the others.
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

    /// The bytes of every rank, in their order, at all of them.
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

    /// The least of the ranks' words.
    pub fn all_min(&self, word: u64) -> u64 {
        self.reduce(word, Reduce::Min)
    }

    /// The ranks' words, joined bit by bit.
    pub fn all_or(&self, word: u64) -> u64 {
        self.reduce(word, Reduce::Or)
    }

    /// The sum of the ranks' words, modulo 2^64.
    pub fn all_sum(&self, word: u64) -> u64 {
        self.reduce(word, Reduce::Sum)
    }

    fn reduce(&self, word: u64, how: Reduce) -> u64 {
        self.wire.map_or(word, |wire| wire.reduce(word, how))
    }

    /// Waits for all ranks.
    pub fn barrier(&self) {
        self.reduce(0, Reduce::Or);
    }

    /// Sends bytes to another rank, which has to receive them with the same tag; does not wait for
    /// it where they are few.
    pub fn send(&self, to: usize, tag: u16, bytes: &[u8]) {
        let Some(wire) = &self.wire else { return };
        let mut pieces = bytes.chunks_exact(PIECE);
        pieces.by_ref().for_each(|piece| wire.send(to, tag, piece));
        wire.send(to, tag, pieces.remainder());
    }

    /// Sends bytes to another rank, as [`Cluster::send`] does, but never waits for that rank. For
    /// short messages: at most 128 KiB for each rank of the job, or 4 MiB where that is more, may
    /// be in flight from a rank.
    pub(crate) fn post(&self, to: usize, tag: u16, bytes: &[u8]) {
        if let Some(wire) = &self.wire {
            wire.post(to, tag, bytes);
        }
    }

    /// What another rank sends with this tag, in the order it was sent in.
    pub fn receive(&self, from: usize, tag: u16) -> Vec<u8> {
        let Some(wire) = &self.wire else {
            return Vec::new();
        };
        let first = wire.receive(from, tag);
        self.complete(wire, from, tag, first)
    }

    /// What another rank sends with this tag, in the order it was sent in, for messages that may be
    /// long in coming. Asks now and then, and sleeps in between, where [`Cluster::receive`] keeps a
    /// core busy.
    pub fn receive_patiently(&self, from: usize, tag: u16) -> Vec<u8> {
        while self.wire.is_some() && !self.has_arrived(from, tag) {
            std::thread::sleep(PAUSE);
        }
        self.receive(from, tag)
    }

    /// Whether something is there to be received.
    pub fn has_arrived(&self, from: usize, tag: u16) -> bool {
        self.wire.is_some_and(|wire| wire.has_arrived(from, tag))
    }

    /// Lets MPI go on while a rank is busy: take in what others send, who may wait for that however
    /// short it is, and send on what was posted here.
    pub(crate) fn let_in(&self) {
        self.has_arrived(0, Tag::Gather as u16);
    }

    /// What has come from anybody with this tag, and from whom; none where nothing has.
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

    /// An error on every rank where `value`, the rank's own, is not the same on all of them.
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

    /// The error of the first rank that has one, on every rank; else the values of each.
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

    /// Ends the ranks' conversation: the last call of each of them. Waits for all.
    pub fn end() {
        if let Some(Cluster {
            wire: Some(wire), ..
        }) = STARTED.get()
        {
            wire.end();
        }
    }

    /// Ends every rank with this code because something failed on this one, after `say` has said
    /// what. Returns where there is no MPI.
    ///
    /// Where several ranks fail, as a rule for the same reason, the first of them speaks and takes
    /// the others down while they wait.
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

/// How long a rank sleeps that has nothing else to do.
const PAUSE: Duration = Duration::from_micros(100);

/// How long a rank that failed waits for one before it to end the job, for each of those; and most
/// of them that it waits for.
const TURN: Duration = Duration::from_millis(150);
const LAST_TURN: usize = 20;

/// Words as they are sent.
pub(crate) fn to_bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(crate) fn to_words(bytes: &[u8]) -> Vec<u64> {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}
