//! The ranks as workers of a search on rank 0: curves distributed by speed, and one common sieve.

use std::cell::Cell;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{CURVES, FOUND, JOB, RELATIONS, RIGHT, RUN, SIEVE, STOP};
use crate::cluster::numbers::{Words, put};
use crate::cluster::{Cluster, to_bytes, to_words};
use crate::error::{Error, Result};
use crate::factor::KeepGoing;
use crate::factoring::ecm::{self, CurveFound};
use crate::factoring::sieve;
use crate::factoring::workers::{Curves, Workers};
use crate::notice;
use crate::number::Natural;

/// Runs that another rank has at a time: one that it works on, and the next.
const IN_HAND: usize = 2;

/// The number of runs into which a rank's share of the remaining curves is divided.
const RUNS_LEFT: u64 = 4;

/// The speed of a rank is taken as the number of curves that it runs at a time for numbers of this
/// many bits.
const USUAL_BITS: u64 = 512;

/// The interval at which rank 0 checks whether to go on while it waits for others.
const PAUSE: Duration = Duration::from_micros(100);

/// All ranks as rank 0 sees them, and how fast they are.
#[derive(Debug)]
pub(super) struct Ranks {
    cluster: Cluster,
    speeds: Vec<u64>,
}

impl Ranks {
    /// Every rank with its speed. All ranks call it.
    pub(super) fn gather_speeds(cluster: &Cluster) -> Ranks {
        let own = ecm::preferred_count(USUAL_BITS, u64::MAX, u64::MAX).max(1) as u64;
        let all = cluster.all_gather(&to_bytes(&[own]));
        Ranks {
            cluster: *cluster,
            speeds: all.iter().flat_map(|speed| to_words(speed)).collect(),
        }
    }

    /// Sends the others home.
    pub(super) fn dismiss(&self) {
        self.tell_others(JOB, &[]);
    }

    fn all(&self) -> u64 {
        self.speeds.iter().sum()
    }

    fn tell_others(&self, tag: u16, bytes: &[u8]) {
        (1..self.cluster.size()).for_each(|rank| self.cluster.send(rank, tag, bytes));
    }
}

impl Workers for Ranks {
    fn fill(&self, own: u64) -> u64 {
        own * self.all() / self.speeds[self.cluster.rank()]
    }

    fn curves(&self, curves: Curves<'_>, keep_going: KeepGoing<'_>) -> Result<Vec<CurveFound>> {
        let mut job = vec![CURVES, curves.b1, curves.b2];
        put(&mut job, curves.n);
        self.tell_others(JOB, &to_bytes(&job));
        let deal = Mutex::new(Deal::new(self, curves));
        let deal = || deal.lock().unwrap_or_else(PoisonError::into_inner);
        let watched = || {
            let goes_on = keep_going();
            let mut deal = deal();
            if !goes_on {
                deal.stop();
            }
            deal.serve();
            goes_on
        };
        let mut own = deal().take(0);
        for _ in 0..IN_HAND {
            (1..self.cluster.size()).for_each(|rank| deal().give(rank));
        }
        let mut all = Ok(Vec::new());
        while let (Some((sigma, count)), Ok(found)) = (own, &mut all) {
            let Curves { n, b1, b2, .. } = curves;
            match ecm::curves(n, b1, b2, sigma, count as usize, &watched) {
                Ok(some) => found.extend(some),
                Err(error) => {
                    deal().stop();
                    all = Err(error);
                }
            }
            own = deal().take(0);
        }
        while deal().away > 0 {
            watched();
            std::thread::sleep(PAUSE);
        }
        self.tell_others(RUN, &[]);
        deal().stop();
        let mut found = all?;
        found.extend(std::mem::replace(&mut deal().found, Ok(Vec::new()))?);
        found.sort_by_key(|found| found.sigma);
        Ok(found)
    }

    fn sieve(
        &self,
        n: &Natural,
        path: Option<&Path>,
        keep_going: KeepGoing<'_>,
    ) -> Result<Option<Natural>> {
        if n.bit_length() < sieve::LEAST_KEPT_BITS {
            return sieve::run_placed(n, path, None, keep_going);
        }
        let is_begun = Cell::new(false);
        let begin = |primes: usize| {
            let mut job = vec![SIEVE, primes as u64];
            put(&mut job, n);
            self.tell_others(JOB, &to_bytes(&job));
            is_begun.set(true);
        };
        let take = || {
            let mut all = Vec::new();
            while let Some((rank, bytes)) = self.cluster.receive_any(RELATIONS) {
                match bytes.split_first() {
                    Some((&RIGHT, relations)) => all.extend(relations),
                    Some((_, text)) => notice::say(&format!(
                        "rank {rank} sieves no longer: {}",
                        String::from_utf8_lossy(text)
                    )),
                    None => {}
                }
            }
            Ok(all)
        };
        let others = sieve::Others {
            begin: &begin,
            take: &take,
        };
        let divisor = sieve::run_placed(n, path, Some(others), keep_going);
        if is_begun.get() {
            self.tell_others(STOP, &[]);
            let mut away = self.cluster.size() - 1;
            while away > 0 {
                match self.cluster.receive_any(RELATIONS) {
                    Some((_, bytes)) => away -= usize::from(bytes.is_empty()),
                    None => std::thread::sleep(PAUSE),
                }
            }
        }
        divisor
    }
}

/// Curves as rank 0 deals them.
struct Deal<'a> {
    ranks: &'a Ranks,
    /// The next sigma, and how many curves there are from there on and at all.
    sigma: u64,
    left: u64,
    count: u64,
    /// Runs that other ranks have.
    away: usize,
    is_stopped: bool,
    /// The results of the other ranks, or the first of their errors.
    found: Result<Vec<CurveFound>>,
}

impl<'a> Deal<'a> {
    fn new(ranks: &'a Ranks, curves: Curves<'_>) -> Deal<'a> {
        Deal {
            ranks,
            sigma: curves.sigma,
            left: curves.count,
            count: curves.count,
            away: 0,
            is_stopped: false,
            found: Ok(Vec::new()),
        }
    }

    /// A run for this rank: its first sigma and its length.
    fn take(&mut self, rank: usize) -> Option<(u64, u64)> {
        if self.is_stopped || self.left == 0 {
            return None;
        }
        let count = portion(
            self.left,
            self.count,
            self.ranks.speeds[rank],
            self.ranks.all(),
        );
        let run = (self.sigma, count);
        self.sigma += count;
        self.left -= count;
        Some(run)
    }

    fn give(&mut self, rank: usize) {
        if let Some((sigma, count)) = self.take(rank) {
            let run = to_bytes(&[sigma, count]);
            self.ranks.cluster.send(rank, RUN, &run);
            self.away += 1;
        }
    }

    /// Receives the results that have arrived, and sends new runs to those ranks.
    fn serve(&mut self) {
        while let Some((rank, answer)) = self.ranks.cluster.receive_any(FOUND) {
            self.away -= 1;
            let error = |text: &str| Error::Cluster(format!("rank {rank}: {text}"));
            let found = match answer.split_first() {
                Some((&RIGHT, words)) => read(&to_words(words)),
                Some((_, text)) => Err(error(&String::from_utf8_lossy(text))),
                None => Err(error("no answer")),
            };
            match (&mut self.found, found) {
                (Ok(all), Ok(found)) => all.extend(found),
                (Ok(_), Err(error)) => {
                    self.found = Err(error);
                    self.stop();
                }
                (Err(_), _) => {}
            }
            self.give(rank);
        }
    }

    /// Tells all ranks to stop.
    fn stop(&mut self) {
        if !self.is_stopped {
            self.is_stopped = true;
            self.ranks.tell_others(STOP, &[]);
        }
    }
}

/// The number of the remaining curves that a rank of this speed gets: a fraction of its share of
/// them, but enough to keep it busy, or its share of all curves if that is less.
fn portion(left: u64, count: u64, speed: u64, all: u64) -> u64 {
    let part = |of: u64, runs: u64| {
        let parts = u128::from(all) * u128::from(runs);
        (u128::from(of) * u128::from(speed)).div_ceil(parts) as u64
    };
    let least = speed.min(part(count, 1));
    part(left, RUNS_LEFT).max(least).min(left)
}

fn read(words: &[u64]) -> Result<Vec<CurveFound>> {
    let (mut words, mut all) = (Words(words), Vec::new());
    while !words.is_empty() {
        all.push(CurveFound {
            sigma: words.word()?,
            stage: words.word()? as u8,
            factor: words.number()?,
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_are_by_speed_and_fewer_towards_the_end() {
        // No more than a rank's part, be there ever so few.
        assert_eq!(portion(2, 2, 1, 4), 1);
        assert_eq!(portion(12, 12, 4, 12), 4);
        assert_eq!(portion(100, 100, 10_000, 20_000), 50);
        assert_eq!(portion(20_000, 20_000, 10_000, 20_000), 10_000);
        // Many runs of one.
        assert_eq!(portion(640, 640, 1, 16), 10);
        assert_eq!(portion(64, 640, 1, 16), 1);
        assert_eq!(portion(3, 640, 16, 16), 3);
        let half = u64::MAX / 2;
        assert_eq!(portion(u64::MAX, u64::MAX, half, u64::MAX), half);
    }

    #[test]
    fn a_team_of_one_finds_what_one_machine_does() {
        let n = Natural::from(1_000_003u64) * Natural::from(2_147_483_647u64);
        let ranks = Ranks::gather_speeds(&Cluster::alone());
        assert_eq!(ranks.fill(7), 7);
        let curves = Curves {
            n: &n,
            b1: 100,
            b2: 2000,
            sigma: 10,
            count: 20,
        };
        let found = ranks.curves(curves, &|| true).unwrap();
        assert!(!found.is_empty());
        assert_eq!(found, ecm::curves(&n, 100, 2000, 10, 20, &|| true).unwrap());
        assert_eq!(ranks.curves(curves, &|| false), Ok(Vec::new()));
        ranks.dismiss();
        assert_eq!(Cluster::alone().serve_factoring(), Ok(()));
        let mut words = Vec::new();
        for found in &found {
            words.extend([found.sigma, found.stage.into()]);
            put(&mut words, &found.factor);
        }
        assert_eq!(read(&words), Ok(found));
        assert!(read(&words[1..]).is_err());
    }
}
