//! Sieving until there are enough relations, on one thread or several.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::KeepGoing;
use super::cuda;
use super::filter::Collection;
use super::journal::Journal;
use super::plan::SievePlan;
use super::polynomial::{Coefficients, Leading};
use super::relation::Relation;
use super::worker::Worker;
use crate::cuda::Device;
use crate::error::Result;
use crate::progress::{self, Stage};

/// The interval at which the thread that collects relations checks `keep_going`.
const INTERVAL: Duration = Duration::from_millis(20);

/// The relations that are known, in memory and on disk.
#[derive(Default)]
pub(super) struct Known<'a> {
    collection: Collection,
    pub(super) journal: Option<Journal>,
    /// Those who sieve the same number outside of this process.
    pub(super) elsewhere: Elsewhere<'a>,
}

/// Other processes that sieve the same number.
#[derive(Default, Clone, Copy)]
pub(super) enum Elsewhere<'a> {
    #[default]
    Nobody,
    /// Helpers send their relations. Returns all that have arrived since the last call.
    Helpers(&'a dyn Fn() -> Result<Vec<Relation>>),
    /// This process is this helper of another process, to which it sends its relations.
    Leader {
        helper: usize,
        send: &'a dyn Fn(&[Relation]),
    },
}

impl Known<'_> {
    pub(super) fn extend(&mut self, found: Vec<Relation>) {
        if let Some(journal) = &mut self.journal {
            journal.append(&found);
        }
        if let Elsewhere::Leader { send, .. } = self.elsewhere {
            send(&found);
        }
        self.collection.extend(found);
    }

    /// The relations that other processes have found.
    fn take_from_others(&self) -> Result<Vec<Relation>> {
        match self.elsewhere {
            Elsewhere::Helpers(take) => take(),
            Elsewhere::Nobody | Elsewhere::Leader { .. } => Ok(Vec::new()),
        }
    }
}

/// The search for the relations of one number.
pub(super) struct Sieving<'a, 'b> {
    plan: &'a SievePlan,
    coefficients: Mutex<Coefficients<'a>>,
    known: &'a mut Known<'b>,
}

impl<'a, 'b> Sieving<'a, 'b> {
    pub(super) fn new(plan: &'a SievePlan, known: &'a mut Known<'b>) -> Sieving<'a, 'b> {
        // A resumed run chooses other coefficients than the previous run, and each helper chooses
        // other coefficients than the other helpers. If two choose the same coefficient, only time
        // is lost: a relation is stored once.
        let helper = match known.elsewhere {
            Elsewhere::Leader { helper, .. } => helper as u64,
            Elsewhere::Nobody | Elsewhere::Helpers(_) => 0,
        };
        let seed = known.collection.relations().len() as u64 | helper << 40;
        Sieving {
            plan,
            coefficients: Mutex::new(Coefficients::new(plan, seed)),
            known,
        }
    }

    pub(super) fn collection(&self) -> &Collection {
        &self.known.collection
    }

    /// Sieves until enough sets of relations are known, on a device if there is one. False if
    /// `keep_going` stops the work, or if there are no more polynomials. An error if the device
    /// fails, or if the observer stops the work.
    pub(super) fn run(
        &mut self,
        wanted: usize,
        device: Option<&Arc<Device>>,
        threads: usize,
        keep_going: KeepGoing<'_>,
    ) -> Result<bool> {
        progress::stage("sieving", wanted as u64, |stage| {
            let mut count = Count {
                wanted,
                reported: 0,
                stage,
            };
            count.add(self.known, Vec::new())?;
            match device {
                Some(device) => self.on_device(&mut count, device, threads, keep_going),
                None if threads == 1 => self.alone(&mut count, keep_going),
                None => self.together(&mut count, threads, keep_going),
            }
        })
    }

    fn alone(&mut self, count: &mut Count<'_>, keep_going: KeepGoing<'_>) -> Result<bool> {
        let mut worker = Worker::new(self.plan);
        while !count.is_reached(self.known) {
            if !keep_going() {
                return Ok(false);
            }
            let Some(a) = next(&self.coefficients) else {
                return Ok(false);
            };
            let mut found = worker.relations(&a, keep_going);
            found.extend(self.known.take_from_others()?);
            count.add(self.known, found)?;
        }
        Ok(true)
    }

    /// A device sieves. One thread launches its kernels, and another thread prepares the next
    /// launch. Further threads make relations from its records, and this thread collects them.
    /// Threads that sieve too would add less than a fiftieth (H200, 16 cores).
    fn on_device(
        &mut self,
        count: &mut Count<'_>,
        device: &Arc<Device>,
        threads: usize,
        keep_going: KeepGoing<'_>,
    ) -> Result<bool> {
        let is_over = AtomicBool::new(false);
        let (plan, coefficients) = (self.plan, &self.coefficients);
        let factors = {
            let mut coefficients = lock(coefficients);
            coefficients.leave_out_inverses();
            coefficients.factors()
        };
        let sieve = cuda::Sieve::new(device.clone(), plan, factors)?;
        let known = &mut *self.known;
        let (send, receive) = mpsc::channel();
        // The device waits if the threads lag by this many launches.
        let (hand, take) = mpsc::sync_channel::<cuda::SievedRecords>(2 * threads);
        let take = Mutex::new(take);
        let (prepare, prepared) = mpsc::sync_channel::<Vec<Leading>>(1);
        thread::scope(|scope| {
            let (is_over, take, sieve) = (&is_over, &take, &sieve);
            let failures = send.clone();
            scope.spawn(move || {
                let mut coefficients = lock(coefficients);
                let mut next = || -> Vec<Leading> {
                    (0..sieve.leadings())
                        .map_while(|_| coefficients.next())
                        .collect()
                };
                while !is_over.load(Ordering::Relaxed) && prepare.send(next()).is_ok() {}
            });
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed)
                    && let Ok(leadings) = prepared.recv()
                {
                    let found = match sieve.sieve(leadings) {
                        Ok(Some(found)) => found,
                        Ok(None) => break,
                        Err(error) => {
                            // If the receiver is closed, the sieve has ended.
                            let _ = failures.send(Err(error));
                            break;
                        }
                    };
                    if hand.send(found).is_err() {
                        break;
                    }
                }
            });
            for _ in 0..threads {
                let send = send.clone();
                scope.spawn(move || {
                    let next = || lock(take).recv();
                    // To the end, so that the device's thread never waits for room.
                    while let Ok(found) = next() {
                        if !is_over.load(Ordering::Relaxed) {
                            // If the receiver is closed, the sieve has ended.
                            let _ = send.send(Ok(found.relations(plan)));
                        }
                    }
                });
            }
            drop(send);
            let collected = collect(count, known, &receive, keep_going);
            is_over.store(true, Ordering::Relaxed);
            collected
        })
    }

    /// The other threads sieve, and this thread collects their relations.
    fn together(
        &mut self,
        count: &mut Count<'_>,
        threads: usize,
        keep_going: KeepGoing<'_>,
    ) -> Result<bool> {
        let is_over = AtomicBool::new(false);
        let (plan, coefficients) = (self.plan, &self.coefficients);
        let known = &mut *self.known;
        let (send, receive) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..threads {
                let (send, is_over) = (send.clone(), &is_over);
                scope.spawn(move || {
                    let goes_on = || !is_over.load(Ordering::Relaxed);
                    let mut worker = Worker::new(plan);
                    while goes_on()
                        && let Some(a) = next(coefficients)
                        && send.send(Ok(worker.relations(&a, &goes_on))).is_ok()
                    {
                    }
                });
            }
            drop(send);
            let collected = collect(count, known, &receive, keep_going);
            is_over.store(true, Ordering::Relaxed);
            collected
        })
    }
}

/// Collects relations that other threads find until there are enough. False if `keep_going` stops
/// the work, or if no thread is left.
fn collect(
    count: &mut Count<'_>,
    known: &mut Known<'_>,
    receive: &mpsc::Receiver<Result<Vec<Relation>>>,
    keep_going: KeepGoing<'_>,
) -> Result<bool> {
    while !count.is_reached(known) {
        if !keep_going() {
            return Ok(false);
        }
        let others = known.take_from_others()?;
        if !others.is_empty() {
            count.add(known, others)?;
        }
        match receive.recv_timeout(INTERVAL) {
            Ok(found) => count.add(known, found?)?,
            Err(RecvTimeoutError::Timeout) => progress::check()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(false),
        }
    }
    Ok(true)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next leading coefficient.
fn next(coefficients: &Mutex<Coefficients<'_>>) -> Option<Leading> {
    lock(coefficients).next()
}

/// How far the sieve is.
struct Count<'a> {
    wanted: usize,
    reported: usize,
    stage: &'a Stage,
}

impl Count<'_> {
    fn is_reached(&self, known: &Known<'_>) -> bool {
        known.collection.cycles() >= self.wanted
    }

    /// Adds relations, and reports them. An error if the observer wants the work to stop.
    fn add(&mut self, known: &mut Known<'_>, found: Vec<Relation>) -> Result<()> {
        known.extend(found);
        let cycles = known.collection.cycles();
        let more = cycles - self.reported;
        self.reported = cycles;
        self.stage.advance(more as u64)
    }
}
