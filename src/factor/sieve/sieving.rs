//! Sieving until there are enough relations, on one thread or several.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::KeepGoing;
use super::filter::Collection;
use super::journal::Journal;
use super::plan::Plan;
use super::polynomial::{Coefficients, Leading};
use super::relation::Relation;
use super::worker::Worker;
use crate::error::Result;
use crate::progress::{self, Stage};

/// How often the thread that collects relations asks whether to go on.
const INTERVAL: Duration = Duration::from_millis(20);

/// The relations that are known, in memory and on disk.
#[derive(Default)]
pub(super) struct Known {
    collection: Collection,
    pub(super) journal: Option<Journal>,
}

impl Known {
    pub(super) fn extend(&mut self, found: Vec<Relation>) {
        if let Some(journal) = &mut self.journal {
            journal.append(&found);
        }
        self.collection.extend(found);
    }
}

/// The search for the relations of one number.
pub(super) struct Sieving<'a> {
    plan: &'a Plan,
    coefficients: Mutex<Coefficients<'a>>,
    known: Known,
}

impl<'a> Sieving<'a> {
    pub(super) fn new(plan: &'a Plan, known: Known) -> Sieving<'a> {
        // A run that is taken up has other coefficients than the run before.
        let seed = known.collection.relations().len() as u64;
        Sieving {
            plan,
            coefficients: Mutex::new(Coefficients::new(plan, seed)),
            known,
        }
    }

    pub(super) fn collection(&self) -> &Collection {
        &self.known.collection
    }

    /// Sieves until so many sets of relations are known. None if `keep_going` says no, or if there
    /// are no more polynomials.
    pub(super) fn run(
        &mut self,
        wanted: usize,
        threads: usize,
        keep_going: KeepGoing<'_>,
    ) -> Option<()> {
        let sieved = progress::stage("sieving", wanted as u64, |stage| {
            let mut count = Count {
                wanted,
                reported: 0,
                stage,
            };
            count.add(&mut self.known, Vec::new())?;
            if threads == 1 {
                self.alone(&mut count, keep_going)
            } else {
                self.together(&mut count, threads, keep_going)
            }
        });
        // Who stopped it knows.
        sieved.is_ok_and(|is_enough| is_enough).then_some(())
    }

    fn alone(&mut self, count: &mut Count<'_>, keep_going: KeepGoing<'_>) -> Result<bool> {
        let mut worker = Worker::new(self.plan);
        while !count.is_reached(&self.known) {
            if !keep_going() {
                return Ok(false);
            }
            let Some(a) = next(&self.coefficients) else {
                return Ok(false);
            };
            let found = worker.relations(&a, keep_going);
            count.add(&mut self.known, found)?;
        }
        Ok(true)
    }

    /// The other threads sieve, and this one collects what they find.
    fn together(
        &mut self,
        count: &mut Count<'_>,
        threads: usize,
        keep_going: KeepGoing<'_>,
    ) -> Result<bool> {
        let is_over = AtomicBool::new(false);
        let (plan, coefficients) = (self.plan, &self.coefficients);
        let known = &mut self.known;
        let (send, receive) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..threads {
                let (send, is_over) = (send.clone(), &is_over);
                scope.spawn(move || {
                    let goes_on = || !is_over.load(Ordering::Relaxed);
                    let mut worker = Worker::new(plan);
                    while goes_on()
                        && let Some(a) = next(coefficients)
                        && send.send(worker.relations(&a, &goes_on)).is_ok()
                    {}
                });
            }
            drop(send);
            let mut collect = || {
                while !count.is_reached(known) {
                    if !keep_going() {
                        return Ok(false);
                    }
                    match receive.recv_timeout(INTERVAL) {
                        Ok(found) => count.add(known, found)?,
                        Err(RecvTimeoutError::Timeout) => progress::check()?,
                        Err(RecvTimeoutError::Disconnected) => return Ok(false),
                    }
                }
                Ok(true)
            };
            let collected = collect();
            is_over.store(true, Ordering::Relaxed);
            collected
        })
    }
}

/// The next leading coefficient.
fn next(coefficients: &Mutex<Coefficients<'_>>) -> Option<Leading> {
    let mut coefficients = coefficients.lock().unwrap_or_else(PoisonError::into_inner);
    coefficients.next()
}

/// How far the sieve is.
struct Count<'a> {
    wanted: usize,
    reported: usize,
    stage: &'a Stage,
}

impl Count<'_> {
    fn is_reached(&self, known: &Known) -> bool {
        known.collection.cycles() >= self.wanted
    }

    /// Adds relations, and reports them. An error if the observer wants the work to stop.
    fn add(&mut self, known: &mut Known, found: Vec<Relation>) -> Result<()> {
        known.extend(found);
        let cycles = known.collection.cycles();
        let more = cycles - self.reported;
        self.reported = cycles;
        self.stage.advance(more as u64)
    }
}
