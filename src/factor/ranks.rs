//! Factoring by all ranks of a cluster. Many numbers are dealt in runs to whoever is free. For one number's curves, rank 0 searches and decides what comes next, the others run curves when it asks for them.
//!
//! For every task of curves each rank takes a run of sigma of its own, one after the other in the order of ranks and as long as its engine is fast, so that
//! together they do what one machine does, with the same sigmas. What any of them finds counts, least sigma first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use malachite_nz::natural::Natural;

use super::ecm::{self, Found, KeepGoing};
use super::mass::{self, Factors, factor_many};
use crate::cluster::numbers::{Words, put};
use crate::cluster::{Cluster, to_bytes, to_words};
use crate::error::{Error, Result};

/// Curves to run, none where the search is over; what they found; and, once for each job, that nothing more is wanted of it.
const JOB: u16 = 64;
const FOUND: u16 = 65;
const STOP: u16 = 66;

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
    let team = Team::meet(cluster);
    while !cluster.is_first() {
        let job = to_words(&cluster.receive_patiently(0, JOB));
        if job.is_empty() {
            break;
        }
        let keep_going = || !cluster.has_arrived(0, STOP);
        let answer = match team.asked(&job, &keep_going) {
            Ok(found) => message(RIGHT, &to_bytes(&found)),
            Err(error) => message(WRONG, error.to_string().as_bytes()),
        };
        cluster.send(0, FOUND, &answer);
        cluster.receive_patiently(0, STOP);
    }
    Ok(())
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
        let own = ecm::preferred_count(USUAL_BITS).max(1) as u64;
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
        let all: u64 = self.speeds.iter().sum();
        own * all / self.speeds[self.cluster.rank()]
    }

    /// Runs curves on all ranks, from rank 0.
    pub(super) fn run(&self, curves: Curves<'_>, keep_going: KeepGoing<'_>) -> Result<Vec<Found>> {
        let mut job = vec![curves.b1, curves.b2, curves.sigma, curves.count];
        put(&mut job, curves.n);
        self.tell_others(JOB, &to_bytes(&job));
        let is_told = AtomicBool::new(false);
        let stop = || {
            if !is_told.swap(true, Ordering::Relaxed) {
                self.tell_others(STOP, &[]);
            }
        };
        let watched = || {
            let goes_on = keep_going();
            if !goes_on {
                stop();
            }
            goes_on
        };
        let own = self.part(curves, &watched);
        let mut others = Vec::new();
        for rank in 1..self.cluster.size() {
            while !self.cluster.has_arrived(rank, FOUND) {
                watched();
                std::thread::sleep(PAUSE);
            }
            others.push(self.cluster.receive(rank, FOUND));
        }
        stop();
        let mut found = own?;
        for (rank, answer) in (1..).zip(others) {
            match answer.split_first() {
                Some((&RIGHT, words)) => found.extend(read(&to_words(words))?),
                Some((_, text)) => {
                    let text = String::from_utf8_lossy(text);
                    return Err(Error::Cluster(format!("rank {rank}: {text}")));
                }
                None => return Err(Error::Cluster(format!("rank {rank}: no answer"))),
            }
        }
        Ok(found)
    }

    fn tell_others(&self, tag: u16, bytes: &[u8]) {
        (1..self.cluster.size()).for_each(|rank| self.cluster.send(rank, tag, bytes));
    }

    /// What rank 0 asks this one for.
    fn asked(&self, job: &[u64], keep_going: KeepGoing<'_>) -> Result<Vec<u64>> {
        let mut job = Words(job);
        let [b1, b2, sigma, count] = [job.word()?, job.word()?, job.word()?, job.word()?];
        let n = &job.number()?;
        let curves = Curves {
            n,
            b1,
            b2,
            sigma,
            count,
        };
        let mut words = Vec::new();
        for found in self.part(curves, keep_going)? {
            words.extend([found.sigma, found.stage.into()]);
            put(&mut words, &found.factor);
        }
        Ok(words)
    }

    /// Runs this rank's part of the curves.
    fn part(&self, curves: Curves<'_>, keep_going: KeepGoing<'_>) -> Result<Vec<Found>> {
        let bounds = shares(curves.count, &self.speeds);
        let rank = self.cluster.rank();
        let (first, end) = (bounds[rank], bounds[rank + 1]);
        if first == end {
            return Ok(Vec::new());
        }
        let (sigma, count) = (curves.sigma + first, (end - first) as usize);
        ecm::curves(curves.n, curves.b1, curves.b2, sigma, count, keep_going)
    }
}

/// Where the part of each begins, and the last ends, of a whole that is shared out by their speeds.
fn shares(whole: u64, speeds: &[u64]) -> Vec<u64> {
    let all: u128 = speeds.iter().map(|speed| u128::from(*speed)).sum();
    let mut before = 0;
    let mut bounds = vec![0];
    for speed in speeds {
        before += u128::from(*speed);
        bounds.push((u128::from(whole) * before / all) as u64);
    }
    bounds
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
    fn shares_are_by_speed() {
        assert_eq!(shares(12, &[1, 1, 1]), [0, 4, 8, 12]);
        assert_eq!(shares(2, &[1, 1, 1, 1]), [0, 0, 1, 1, 2]);
        assert_eq!(shares(100, &[2, 6, 2]), [0, 20, 80, 100]);
        assert_eq!(shares(u64::MAX, &[1 << 40, 1 << 40])[2], u64::MAX);
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
