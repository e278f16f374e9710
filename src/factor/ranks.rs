//! Factoring by all ranks of a cluster. Many numbers are dealt in runs to whoever is free. For one
//! number, rank 0 searches and decides what comes next; the others run curves, or sieve, when it
//! asks for that.
//!
//! The curves of a task are dealt in runs of sigma, longer to a rank whose engine is fast and
//! shorter towards the end, so that all are done at about the same time. Every rank has a run to go
//! on with when it is done with one, because rank 0 deals in between curves of its own. Together
//! they do what one machine does, with the same sigmas. What any of them finds counts, least sigma
//! first.
//!
//! In a sieve each rank chooses leading coefficients of its own until rank 0, which gets all
//! relations, has enough of them.

use std::cell::Cell;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::number::Natural;

use super::ecm::{self, Found, KeepGoing};
use super::mass::{self, Factors, factor_many};
use super::sieve;
use crate::cluster::numbers::{Words, put};
use crate::cluster::{Cluster, to_bytes, to_words};
use crate::error::{Error, Result};
use crate::notice;

/// What curves or a sieve are of, nothing where the search is over; a run of curves, an empty one
/// after the last; what they found; and, once for each job, that nothing more is wanted of it.
/// Relations that a sieve has found; the last message of a rank has nothing, or says why it ended.
const JOB: u16 = 64;
const RUN: u16 = 65;
const FOUND: u16 = 66;
const STOP: u16 = 67;
const RELATIONS: u16 = 68;

/// How a job begins.
const CURVES: u64 = 0;
const SIEVE: u64 = 1;

/// Runs that another rank has at a time: one that it works on, and the next.
const IN_HAND: usize = 2;

/// Runs that a rank would have of what is left.
const RUNS_LEFT: u64 = 4;

/// How a rank's answer begins: what was found, or why nothing could be.
const RIGHT: u8 = 0;
const WRONG: u8 = 1;

/// Ranks are as fast as they have curves for a number of so many bits at a time.
const USUAL_BITS: u64 = 512;

/// Numbers dealt at a time, at most.
const MOST_NUMBERS: usize = 1 << 16;

/// How often rank 0 asks whether to go on while it waits for others.
const PAUSE: Duration = Duration::from_micros(100);

/// Curves modulo n, those of all ranks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Curves<'a> {
    pub(crate) n: &'a Natural,
    pub(crate) b1: u64,
    pub(crate) b2: u64,
    pub(crate) sigma: u64,
    pub(crate) count: u64,
}

/// All ranks, and how fast they are.
#[derive(Debug, Clone)]
pub(super) struct Team {
    cluster: Cluster,
    speeds: Vec<u64>,
}

/// Runs curves for rank 0 while it is in [`super::Search::run_over`], on all other ranks.
pub fn help(cluster: &Cluster) -> Result<()> {
    Team::meet(cluster);
    while !cluster.is_first() {
        let job = to_words(&cluster.receive_patiently(0, JOB));
        if job.is_empty() {
            break;
        }
        let keep_going = || !cluster.has_arrived(0, STOP);
        if job[0] == SIEVE {
            let send = |bytes: &[u8]| cluster.send(0, RELATIONS, &message(RIGHT, bytes));
            if let Err(error) = sieved(&job, cluster.rank(), &send, &keep_going) {
                let text = error.to_string();
                cluster.send(0, RELATIONS, &message(WRONG, text.as_bytes()));
            }
            cluster.receive_patiently(0, STOP);
            cluster.send(0, RELATIONS, &[]);
            continue;
        }
        loop {
            let run = to_words(&cluster.receive_patiently(0, RUN));
            if run.is_empty() {
                break;
            }
            let answer = match asked(&job, &run, &keep_going) {
                Ok(found) => message(RIGHT, &to_bytes(&found)),
                Err(error) => message(WRONG, error.to_string().as_bytes()),
            };
            cluster.send(0, FOUND, &answer);
        }
        cluster.receive_patiently(0, STOP);
    }
    Ok(())
}

/// What rank 0 asks this one for: a run of a job.
fn asked(job: &[u64], run: &[u64], keep_going: KeepGoing<'_>) -> Result<Vec<u64>> {
    let (mut job, mut run) = (Words(&job[1..]), Words(run));
    let (b1, b2, n) = (job.word()?, job.word()?, job.number()?);
    let (sigma, count) = (run.word()?, run.word()? as usize);
    let mut words = Vec::new();
    for found in ecm::curves(&n, b1, b2, sigma, count, keep_going)? {
        words.extend([found.sigma, found.stage.into()]);
        put(&mut words, &found.factor);
    }
    Ok(words)
}

/// Sieves what rank 0 asks for.
fn sieved(job: &[u64], rank: usize, send: &dyn Fn(&[u8]), keep_going: KeepGoing<'_>) -> Result<()> {
    let mut job = Words(&job[1..]);
    let (primes, n) = (job.word()? as usize, job.number()?);
    sieve::help(&n, primes, rank, send, keep_going)
}

/// Runs curves on all ranks, which all ask for the same; rank 0 gets what was found.
pub(crate) fn curves(curves: Curves<'_>, cluster: &Cluster) -> Result<Vec<Found>> {
    if !cluster.is_first() {
        return help(cluster).map(|()| Vec::new());
    }
    let team = Team::meet(cluster);
    let found = team.run(curves, &|| true);
    team.dismiss();
    found
}

/// [`factor_many`](super::factor_many) by all ranks of a cluster, for the numbers of rank 0, which gets their factors; the others get none, and theirs are not
/// looked at.
pub fn factor_many_over(numbers: &[u128], cluster: &Cluster) -> Result<Factors> {
    if cluster.size() == 1 {
        return factor_many(numbers);
    }
    let numbers = if cluster.is_first() { numbers } else { &[] };
    cluster.settle(mass::check(numbers))?;
    let mut rest = numbers;
    let items = std::iter::from_fn(|| {
        let count = cluster.portion(rest.len(), mass::PIECE, MOST_NUMBERS);
        let count = count.next_multiple_of(mass::PIECE).min(rest.len());
        let (now, later) = rest.split_at(count);
        rest = later;
        let bytes = now.iter().flat_map(|n| n.to_le_bytes()).collect();
        (!now.is_empty()).then_some(Ok(bytes))
    });
    let work = |bytes: &[u8]| {
        let (words, _) = bytes.as_chunks();
        let numbers: Vec<u128> = words.iter().map(|n| u128::from_le_bytes(*n)).collect();
        Ok(factor_many(&numbers)?.to_bytes())
    };
    let mut factors = Factors::default();
    cluster.queue(items, work, |_, bytes| factors.append(&bytes))?;
    Ok(factors)
}

impl Team {
    /// To be called by all ranks.
    pub(super) fn meet(cluster: &Cluster) -> Team {
        let own = ecm::preferred_count(USUAL_BITS, u64::MAX, u64::MAX).max(1) as u64;
        let all = cluster.all_gather(&to_bytes(&[own]));
        Team {
            cluster: *cluster,
            speeds: all.iter().flat_map(|speed| to_words(speed)).collect(),
        }
    }

    /// Sends the others home.
    pub(super) fn dismiss(&self) {
        self.tell_others(JOB, &[]);
    }

    /// As many curves as keep all ranks busy, where this one takes so many.
    pub(super) fn fill(&self, own: u64) -> u64 {
        own * self.all() / self.speeds[self.cluster.rank()]
    }

    fn all(&self) -> u64 {
        self.speeds.iter().sum()
    }

    /// Runs curves on all ranks, from rank 0.
    pub(super) fn run(&self, curves: Curves<'_>, keep_going: KeepGoing<'_>) -> Result<Vec<Found>> {
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

    /// A quadratic sieve by all ranks, from rank 0: see [`sieve::run_placed`].
    pub(super) fn sieve(
        &self,
        n: &Natural,
        path: Option<&Path>,
        keep_going: KeepGoing<'_>,
    ) -> Result<Option<Natural>> {
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

    fn tell_others(&self, tag: u16, bytes: &[u8]) {
        (1..self.cluster.size()).for_each(|rank| self.cluster.send(rank, tag, bytes));
    }
}

/// Curves as rank 0 deals them.
struct Deal<'a> {
    team: &'a Team,
    /// The next sigma, and how many curves there are from there on and at all.
    sigma: u64,
    left: u64,
    count: u64,
    /// Runs that other ranks have.
    away: usize,
    is_stopped: bool,
    /// What the others found, or the first of their errors.
    found: Result<Vec<Found>>,
}

impl<'a> Deal<'a> {
    fn new(team: &'a Team, curves: Curves<'_>) -> Deal<'a> {
        Deal {
            team,
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
            self.team.speeds[rank],
            self.team.all(),
        );
        let run = (self.sigma, count);
        self.sigma += count;
        self.left -= count;
        Some(run)
    }

    fn give(&mut self, rank: usize) {
        if let Some((sigma, count)) = self.take(rank) {
            let run = to_bytes(&[sigma, count]);
            self.team.cluster.send(rank, RUN, &run);
            self.away += 1;
        }
    }

    /// Takes what has come, and gives those ranks more.
    fn serve(&mut self) {
        while let Some((rank, answer)) = self.team.cluster.receive_any(FOUND) {
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

    /// Lets all ranks end what they do.
    fn stop(&mut self) {
        if !self.is_stopped {
            self.is_stopped = true;
            self.team.tell_others(STOP, &[]);
        }
    }
}

/// How many curves of those left a rank of this speed gets: a few runs of what is left, and no
/// fewer than keep it busy or than are its part of all of them.
fn portion(left: u64, count: u64, speed: u64, all: u64) -> u64 {
    let part = |of: u64, runs: u64| {
        let parts = u128::from(all) * u128::from(runs);
        (u128::from(of) * u128::from(speed)).div_ceil(parts) as u64
    };
    let least = speed.min(part(count, 1));
    part(left, RUNS_LEFT).max(least).min(left)
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(body);
    bytes
}

fn read(words: &[u64]) -> Result<Vec<Found>> {
    let (mut words, mut all) = (Words(words), Vec::new());
    while !words.is_empty() {
        all.push(Found {
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
        let team = Team::meet(&Cluster::alone());
        assert_eq!(team.fill(7), 7);
        let curves = Curves {
            n: &n,
            b1: 100,
            b2: 2000,
            sigma: 10,
            count: 20,
        };
        let found = team.run(curves, &|| true).unwrap();
        assert!(!found.is_empty());
        assert_eq!(found, ecm::curves(&n, 100, 2000, 10, 20, &|| true).unwrap());
        assert_eq!(team.run(curves, &|| false), Ok(Vec::new()));
        team.dismiss();
        assert_eq!(help(&Cluster::alone()), Ok(()));
        let mut words = Vec::new();
        for found in &found {
            words.extend([found.sigma, found.stage.into()]);
            put(&mut words, &found.factor);
        }
        assert_eq!(read(&words), Ok(found));
        assert!(read(&words[1..]).is_err());
    }
}
