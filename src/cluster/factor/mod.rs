//! Factoring by all ranks. Many numbers are dealt in runs to whoever is free. For one
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

mod workers;

use std::sync::Arc;

use super::numbers::{Words, put};
use super::{Cluster, to_bytes, to_words};
use crate::error::{Error, Result};
use crate::factor::{KeepGoing, Search};
use crate::factoring::ecm::{self, CurveFound};
use crate::factoring::many::{self, Factors, factor_many};
use crate::factoring::sieve;
use crate::factoring::workers::{Curves, Workers};
use workers::Ranks;

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

/// How a rank's answer begins: what was found, or why nothing could be.
const RIGHT: u8 = 0;
const WRONG: u8 = 1;

/// Numbers dealt at a time, at most.
const MOST_NUMBERS: usize = 1 << 16;

impl Cluster {
    /// [`Search::run`] by all ranks, which run its curves and its sieves together: for rank 0,
    /// while the others are in [`Cluster::serve_factoring`].
    pub fn factor(
        &self,
        search: &mut Search,
        keep_going: KeepGoing<'_>,
        between: &mut dyn FnMut(&Search) -> Result<()>,
    ) -> Result<bool> {
        if self.size() == 1 {
            return search.run(keep_going, between);
        }
        let ranks = Arc::new(Ranks::gather_speeds(self));
        let done = search.run_by(ranks.clone(), keep_going, between);
        ranks.dismiss();
        done
    }

    /// Runs curves and sieves for rank 0 while it is in [`Cluster::factor`]; for all other ranks.
    pub fn serve_factoring(&self) -> Result<()> {
        Ranks::gather_speeds(self);
        while !self.is_first() {
            let job = to_words(&self.receive_patiently(0, JOB));
            if job.is_empty() {
                break;
            }
            let keep_going = || !self.has_arrived(0, STOP);
            if job[0] == SIEVE {
                let send = |bytes: &[u8]| self.send(0, RELATIONS, &message(RIGHT, bytes));
                if let Err(error) = sieved(&job, self.rank(), &send, &keep_going) {
                    let text = error.to_string();
                    self.send(0, RELATIONS, &message(WRONG, text.as_bytes()));
                }
                self.receive_patiently(0, STOP);
                self.send(0, RELATIONS, &[]);
                continue;
            }
            loop {
                let run = to_words(&self.receive_patiently(0, RUN));
                if run.is_empty() {
                    break;
                }
                let answer = match asked(&job, &run, &keep_going) {
                    Ok(found) => message(RIGHT, &to_bytes(&found)),
                    Err(error) => message(WRONG, error.to_string().as_bytes()),
                };
                self.send(0, FOUND, &answer);
            }
            self.receive_patiently(0, STOP);
        }
        Ok(())
    }

    /// Runs curves on all ranks, which all ask for the same; rank 0 gets what was found.
    pub(crate) fn curves(&self, curves: Curves<'_>) -> Result<Vec<CurveFound>> {
        if !self.is_first() {
            return self.serve_factoring().map(|()| Vec::new());
        }
        let ranks = Ranks::gather_speeds(self);
        let found = ranks.curves(curves, &|| true);
        ranks.dismiss();
        found
    }

    /// [`factor_many`] by all ranks, for the numbers of rank 0, which gets their factors; the
    /// others get none, and theirs are not looked at. All ranks call it.
    ///
    /// ```
    /// use bezout::cluster::Cluster;
    /// let factors = Cluster::start()?.factor_many(&[12, 35])?;
    /// assert_eq!((factors.of(0), factors.of(1)), (&[2, 2, 3][..], &[5, 7][..]));
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn factor_many(&self, numbers: &[u128]) -> Result<Factors> {
        if self.size() == 1 {
            return factor_many(numbers);
        }
        let numbers = if self.is_first() { numbers } else { &[] };
        self.share_error(many::check(numbers))?;
        let mut rest = numbers;
        let items = std::iter::from_fn(|| {
            let count = self.portion(rest.len(), many::PIECE, MOST_NUMBERS);
            let count = count.next_multiple_of(many::PIECE).min(rest.len());
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
        let short = || Error::Cluster("factors of another rank are cut short".into());
        let mut factors = Factors::default();
        self.queue(items, work, |_, bytes| {
            factors.append(&bytes).ok_or_else(short)
        })?;
        Ok(factors)
    }
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
    sieve::sieve_for_other(&n, primes, rank, send, keep_going)
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(body);
    bytes
}
