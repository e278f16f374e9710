//! Factoring by all ranks. Many numbers are divided into runs, and each free rank gets the next
//! run. For one number, rank 0 searches and chooses the methods. The others run curves, or sieve,
//! when rank 0 requests it.
//!
//! The curves of a task are distributed in runs of consecutive sigmas. Runs are longer for a fast
//! rank, and shorter towards the end, so that all ranks finish at about the same time. Every rank
//! has a second run in reserve, because rank 0 distributes runs only between its own curves.
//! Together the ranks run the same sigmas as one machine. The factors that they find count in the
//! order of sigma.
//!
//! In a sieve each rank chooses its own leading coefficients. Rank 0 gets all relations, and ends
//! the sieve when it has enough of them.

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

/// Tags of messages. JOB: the number and the parameters of curves or of a sieve, or nothing at the
/// end of the search. RUN: a run of curves, empty after the last one. FOUND: the results of a run.
/// STOP: sent once for each job, when no more results are needed. RELATIONS: relations of a sieve;
/// the last message of a rank is empty, or has the reason why it ended.
const JOB: u16 = 64;
const RUN: u16 = 65;
const FOUND: u16 = 66;
const STOP: u16 = 67;
const RELATIONS: u16 = 68;

/// The first word of a job.
const CURVES: u64 = 0;
const SIEVE: u64 = 1;

/// The first byte of a rank's answer: a result, or an error.
const RIGHT: u8 = 0;
const WRONG: u8 = 1;

/// Maximum numbers of a run.
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

    /// Runs curves on all ranks. Collective: all ranks pass the same curves. Rank 0 gets the
    /// results.
    pub(crate) fn curves(&self, curves: Curves<'_>) -> Result<Vec<CurveFound>> {
        if !self.is_first() {
            return self.serve_factoring().map(|()| Vec::new());
        }
        let ranks = Ranks::gather_speeds(self);
        let found = ranks.curves(curves, &|| true);
        ranks.dismiss();
        found
    }

    /// [`factor_many`] for the numbers of rank 0, computed by all ranks. Collective. Rank 0 gets
    /// the factors, and the other ranks get none. The numbers of the other ranks are ignored.
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

/// Does the run of a job that rank 0 requested.
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

/// Sieves the number that rank 0 sent.
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
