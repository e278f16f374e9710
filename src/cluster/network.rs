//! The cost of communication between ranks, and of sharing a machine: shipped values, or values
//! that [`Cluster::probe`](super::Cluster::probe) measured under `mpirun` and stored in the user's
//! cache.
//!
//! Collective calls are assumed to use a tree: a time measured among some ranks is scaled by ⌈log2
//! R⌉ for R ranks.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::{cache, notice};

/// Costs between the ranks of a job, in seconds, measured among `ranks` ranks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Network {
    /// The number of ranks in the measurement, at least 2.
    pub ranks: u32,
    /// Ranks of the first machine.
    pub local: u32,
    /// A word from the first rank to the last.
    pub message: f64,
    /// Bytes per second of a long message from the first rank to the last.
    pub bandwidth: f64,
    /// [`Network::STEP_BYTES`] from one rank to all others.
    pub broadcast: f64,
    /// An all-reduce: the minimum of one word per rank, on every rank.
    pub all_reduce: f64,
    /// The time of some work on every rank at once, over its time on one rank alone. Above 1
    /// because ranks share caches, clock and cores.
    pub crowding: f64,
}

impl Network {
    /// Bytes of the measured broadcast: about one step of the gcd by lattices.
    pub const STEP_BYTES: usize = 1024;

    /// Open MPI 4.1 among 16 ranks of one host with 16 cores, 2026-11-15.
    pub const SHIPPED: Network = Network {
        ranks: 16,
        local: 16,
        message: 8.5e-7,
        bandwidth: 7.6e9,
        broadcast: 3.0e-6,
        all_reduce: 3.9e-6,
        crowding: 1.26,
    };

    /// This network with another time per message, in seconds, and with the times of broadcasts and
    /// all-reduces that follow from it.
    pub fn with_message(self, message: f64) -> Network {
        let levels = levels(self.ranks.into());
        Network {
            message,
            broadcast: levels * message,
            all_reduce: 2.0 * levels * message,
            ..self
        }
    }

    /// Seconds of a broadcast of `bytes` bytes among `ranks` ranks.
    pub fn broadcast(&self, bytes: usize, ranks: u64) -> f64 {
        let more = bytes.saturating_sub(Network::STEP_BYTES) as f64 / self.bandwidth;
        levels(ranks) * (self.broadcast / levels(self.ranks.into()) + more)
    }

    /// Seconds of an all-reduce of one word among `ranks` ranks.
    pub fn all_reduce(&self, ranks: u64) -> f64 {
        self.all_reduce * levels(ranks) / levels(self.ranks.into())
    }

    /// Seconds of a message of `bytes` bytes.
    pub fn message(&self, bytes: usize) -> f64 {
        self.message + bytes as f64 / self.bandwidth
    }

    /// The slowdown of work that `ranks` ranks do at once. It grows in proportion up to the
    /// measured number of ranks, and is constant above, where more equal machines are assumed.
    pub fn crowding(&self, ranks: u64) -> f64 {
        let share = (ranks as f64 - 1.0) / (f64::from(self.ranks) - 1.0).max(1.0);
        1.0 + (self.crowding - 1.0) * share.min(1.0)
    }

    /// The networks measured on this machine, by increasing number of ranks. Empty if there are
    /// none, or if the file is damaged.
    pub fn measured() -> Vec<Network> {
        let Some(path) = path() else {
            return Vec::new();
        };
        let Ok(text) = cache::read(&path) else {
            return Vec::new();
        };
        let sane = |network: &Network| network.ranks > 1 && network.bandwidth > 0.0;
        match serde_json::from_slice::<Vec<Network>>(&text) {
            Ok(list) if list.iter().all(sane) => list,
            _ => {
                let path = path.display();
                notice::say_once(&format!(
                    "{path} is damaged and not used; probing the ranks again replaces it"
                ));
                Vec::new()
            }
        }
    }

    /// The network whose number of ranks is nearest to `ranks` in proportion, or the shipped one.
    pub fn nearest(ranks: u64) -> Network {
        let apart = |network: &Network| {
            let ratio: f64 = f64::from(network.ranks) / ranks as f64;
            ratio.ln().abs()
        };
        let measured = Network::measured().into_iter();
        let nearest = measured.min_by(|a, b| apart(a).total_cmp(&apart(b)));
        nearest.unwrap_or(Network::SHIPPED)
    }

    /// Stores this network beside the tuning of this machine, and replaces a network of as many
    /// ranks. Returns the path of the file.
    pub fn save(&self) -> Result<PathBuf> {
        let failed = |reason: String| Error::Domain(format!("the probe is not kept: {reason}"));
        let path = path()
            .ok_or_else(|| failed("there is no cache folder; BEZOUT_CACHE names one".into()))?;
        let mut list = Network::measured();
        list.retain(|other| other.ranks != self.ranks);
        list.push(*self);
        list.sort_by_key(|network| network.ranks);
        let text = serde_json::to_vec_pretty(&list).map_err(|error| failed(error.to_string()))?;
        cache::write(&path, &text)
            .map_err(|error| failed(format!("{} cannot be written ({error})", path.display())))?;
        Ok(path)
    }
}

/// Levels of a tree of `ranks` ranks.
fn levels(ranks: u64) -> f64 {
    f64::from(u64::BITS - ranks.saturating_sub(1).leading_zeros())
}

fn path() -> Option<PathBuf> {
    Some(cache::trusted_folder()?.join("ranks.json"))
}
