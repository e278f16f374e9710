//! The search for the factors of one number: the factors found, the methods tried, and the next
//! method.
//!
//! | remaining number | method |
//! |---|---|
//! | any | trial division by the primes below 2^17, by a gcd with their product |
//! | a power | its root, with the exponent: the test is much cheaper than a test of primality |
//! | a prime | kept: proved below 2^64, else by the Baillie–PSW test |
//! | up to 128 bits | short curves; then the quadratic sieve from 76 bits on, and more curves below |
//! | above 128 bits | Fermat's method, then rho |
//! | 129 to 400 bits, after rho | p − 1, p + 1, curves for 4/13 of the digits, then the quadratic sieve |
//! | above 400 bits, after rho | p − 1, p + 1 and curves for larger and larger factors |
//!
//! A search is a value: it can be saved between two steps and resumed later. A factor is recorded
//! only after a division confirms it. Every step on a long number can be stopped: see
//! [`progress::while_going`].

mod classify;
mod relation_files;
mod task;

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::levels::{self, LEVELS, Level};
use super::record::{Factor, Factorization, Method, Options, Origin, Status};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::factoring::workers::{ThisProcess, Workers};
use crate::factoring::{ecm, sieve, small};
use crate::int::Int;
use crate::progress;
use relation_files::RelationFiles;
use task::Task;

/// Every step on a number of at most this many bits takes a fraction of a second, so it need not be
/// stoppable.
const QUICK_BITS: u64 = 512;

/// Whether to go on. May be called from any thread.
pub type KeepGoing<'a> = &'a (dyn Fn() -> bool + Sync);

/// A factorisation in progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Search {
    number: Int,
    options: Options,
    factors: Vec<Factor>,
    open: Vec<Open>,
    /// Seconds spent before `clock`.
    seconds: f64,
    #[serde(skip)]
    clock: Option<Instant>,
    /// The seconds per curve of the last batch.
    #[serde(skip)]
    pace: Option<Pace>,
    /// The workers that run its curves and its sieves.
    #[serde(skip, default = "this_process")]
    workers: Arc<dyn Workers>,
    /// The files of the sieve's relations, if they are stored.
    #[serde(skip)]
    kept: Option<RelationFiles>,
}

/// A divisor that is not known to be prime.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Open {
    value: Int,
    exponent: u64,
    origin: Origin,
    /// It is not classified yet.
    is_new: bool,
    effort: Effort,
}

/// The methods that have been tried on a number.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Effort {
    trial: bool,
    /// The variants of rho as published that have found nothing.
    published: [bool; 2],
    /// Searches that were saved by a version without this method have not tried it.
    #[serde(default)]
    fermat: bool,
    rho: bool,
    /// p − 1 and p + 1 have been tried for levels below this.
    minus: usize,
    plus: usize,
    level: usize,
    /// The number of curves of this level, and of all levels.
    curves: u64,
    all_curves: u64,
    sigma: u64,
    /// Whether the sieve has given up.
    sieve: bool,
}

#[derive(Debug, Clone, Copy)]
struct Pace {
    b1: u64,
    bits: u64,
    seconds: f64,
}

/// The current work of a search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outlook {
    /// Decimal digits of the number that is to be split.
    pub digits: u32,
    /// The next method.
    pub method: Method,
    /// Digits of the factors for which curves search. None if B1 was given.
    pub factor_digits: Option<u32>,
    /// Their first bound.
    pub b1: u64,
    /// Curves done for that size.
    pub curves: u64,
    /// The number of curves for that size, if it is finite.
    pub curves_wanted: Option<u64>,
    /// Seconds until they are done, at the last pace.
    pub seconds_left: Option<f64>,
    /// Digits of the next larger size, and the seconds that it will take.
    pub next: Option<(u32, f64)>,
}

/// Runs a step on a number of `bits` bits. The operations of a long step end with an error after
/// `keep_going` returns false.
fn until_stopped<T>(bits: u64, keep_going: KeepGoing<'_>, step: impl FnOnce() -> T) -> T {
    if bits <= QUICK_BITS {
        return step();
    }
    progress::while_going(keep_going, step)
}

fn this_process() -> Arc<dyn Workers> {
    Arc::new(ThisProcess)
}

impl Search {
    /// The search for the factors of a number from 1 on.
    pub fn new(number: &Int, options: &Options) -> Result<Search> {
        options.check()?;
        // The engine used so far is the CPU, until a device takes part. Small numbers are split on
        // the host, which does not record the engine.
        Engine::Cpu.note_used();
        if *number < 1 {
            let what = if number.is_zero() {
                "0"
            } else {
                "a negative number"
            };
            return Err(Error::Domain(format!(
                "{what} has no factorisation: a number from 1 on was expected"
            )));
        }
        let mut search = Search {
            number: number.clone(),
            options: options.clone(),
            factors: Vec::new(),
            open: Vec::new(),
            seconds: 0.0,
            clock: None,
            pace: None,
            workers: this_process(),
            kept: None,
        };
        if *number > 1 {
            search.open.push(Open {
                value: number.clone(),
                exponent: 1,
                origin: Origin::of(Method::None, 0.0),
                is_new: true,
                effort: Effort {
                    trial: false,
                    published: [false; 2],
                    fermat: false,
                    rho: false,
                    minus: 0,
                    plus: 0,
                    level: 0,
                    curves: 0,
                    all_curves: 0,
                    sigma: small::FIRST_SIGMA + ((options.seed % (1 << 31)) << 32),
                    sieve: false,
                },
            });
        }
        Ok(search)
    }

    /// The number that is factored.
    pub fn number(&self) -> &Int {
        &self.number
    }

    /// How.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Seconds of work so far, including those before it was resumed.
    pub fn seconds(&self) -> f64 {
        self.seconds
            + self
                .clock
                .map_or(0.0, |clock| clock.elapsed().as_secs_f64())
    }

    /// Runs until nothing is left to do, which returns true, or until `keep_going` returns false.
    /// Calls `between` from time to time with the current state.
    pub fn run(
        &mut self,
        keep_going: KeepGoing<'_>,
        between: &mut dyn FnMut(&Search) -> Result<()>,
    ) -> Result<bool> {
        self.clock.get_or_insert_with(Instant::now);
        let mut given_up = Vec::new();
        let done = self.steps(keep_going, between, &mut given_up);
        self.open.extend(given_up);
        let done = done?;
        self.note_time();
        self.clock = None;
        between(self)?;
        Ok(done)
    }

    /// The steps of [`run`](Search::run). Numbers for which no method is left go to `given_up`.
    fn steps(
        &mut self,
        keep_going: KeepGoing<'_>,
        between: &mut dyn FnMut(&Search) -> Result<()>,
        given_up: &mut Vec<Open>,
    ) -> Result<bool> {
        loop {
            if let Some(at) = self.open.iter().position(|open| open.is_new) {
                let open = self.open.swap_remove(at);
                let bits = open.value.bit_length();
                match until_stopped(bits, keep_going, || self.look_at(open)) {
                    Err(Error::Cancelled) if !keep_going() => return Ok(false),
                    looked => looked?,
                }
                continue;
            }
            let Some(open) = self.open.last() else {
                return Ok(true);
            };
            let bits = open.value.bit_length();
            let task = self.task(open);
            if let Task::Nothing = task {
                given_up.extend(self.open.pop());
                continue;
            }
            self.note_time();
            between(self)?;
            if !keep_going() {
                return Ok(false);
            }
            // A number that rho has not split is likely to be sieved. The device is woken while p −
            // 1 and curves run.
            if task.comes_before_sieve() && self.may_sieve(bits) {
                sieve::wake_ahead(bits);
            }
            match until_stopped(bits, keep_going, || self.work(task, keep_going)) {
                Err(Error::Cancelled) if !keep_going() => return Ok(false),
                worked => worked?,
            }
        }
    }

    /// [`run`](Search::run), with curves and sieves by these workers.
    pub(crate) fn run_by(
        &mut self,
        workers: Arc<dyn Workers>,
        keep_going: KeepGoing<'_>,
        between: &mut dyn FnMut(&Search) -> Result<()>,
    ) -> Result<bool> {
        let before = std::mem::replace(&mut self.workers, workers);
        let done = self.run(keep_going, between);
        self.workers = before;
        done
    }

    /// Adds the elapsed time to the seconds of the search, before it is saved.
    fn note_time(&mut self) {
        self.seconds = self.seconds();
        self.clock = Some(Instant::now());
    }

    /// The number of curves that is just enough to keep the workers of this level busy.
    fn fill(&self, level: &Level, bits: u64) -> u64 {
        // Bounds that a user chose are used for as many curves as it takes.
        let wanted = if level.curves == 0 {
            u64::MAX
        } else {
            level.curves
        };
        let own = ecm::preferred_count(bits, level.b1, wanted) as u64;
        self.workers.fill(own)
    }

    /// The current factors: primes, and numbers that are not split yet. Their product has been
    /// compared with the number.
    pub fn result(&self) -> Result<Factorization> {
        let unsplit = self.open.iter().map(|open| Factor {
            value: open.value.clone(),
            exponent: open.exponent,
            // A number that is still new has not been tested.
            status: if open.is_new {
                Status::Unknown
            } else {
                Status::Composite
            },
            origin: open.origin,
        });
        let mut factors: Vec<Factor> = Vec::new();
        let mut all: Vec<Factor> = self.factors.iter().cloned().chain(unsplit).collect();
        all.sort_by(|a, b| a.value.cmp(&b.value));
        for factor in all {
            match factors.last_mut() {
                Some(last) if last.value == factor.value => last.exponent += factor.exponent,
                _ => factors.push(factor),
            }
        }
        let mut product = Int::ONE;
        for factor in &factors {
            if factor.value < 2 {
                return Err(Error::Verification(format!("a factor is {}", factor.value)));
            }
            product = product.try_mul(&factor.value.try_pow(factor.exponent)?)?;
        }
        if product != self.number {
            return Err(Error::Verification(
                "the factors do not multiply up to the number".into(),
            ));
        }
        Ok(Factorization {
            number: self.number.clone(),
            factors,
            seconds: self.seconds(),
        })
    }

    /// The current work, for a progress display.
    pub fn outlook(&self) -> Option<Outlook> {
        let open = self.open.last()?;
        let bits = open.value.bit_length();
        let (level, wanted) = self.level(&open.effort, bits);
        let per_curve = |b1: u64| {
            let pace = self.pace.filter(|pace| pace.bits == bits)?;
            Some(pace.seconds * b1 as f64 / pace.b1 as f64)
        };
        let next = match self.options.b1 {
            Some(_) => None,
            None => LEVELS.get(open.effort.level + 1),
        };
        let left = wanted.map(|wanted| wanted.saturating_sub(open.effort.curves));
        Some(Outlook {
            digits: (bits as f64 * std::f64::consts::LOG10_2) as u32 + 1,
            method: match self.task(open) {
                Task::Published(variant) => task::published_method(variant),
                Task::Fermat => Method::Fermat,
                Task::Rho => Method::Rho,
                Task::PMinus1 { .. } => Method::PMinus1,
                Task::PPlus1 { .. } => Method::PPlus1,
                Task::Curves { .. } => Method::Ecm,
                Task::Sieve => Method::Siqs,
                Task::NextLevel | Task::Nothing => Method::None,
            },
            factor_digits: (self.options.b1.is_none())
                .then(|| levels::reached(&level, wanted.unwrap_or(0))),
            b1: level.b1,
            curves: open.effort.curves,
            curves_wanted: wanted,
            seconds_left: left.and_then(|left| Some(left as f64 * per_curve(level.b1)?)),
            next: next.and_then(|next| {
                let curves = next.curves.max(self.fill(&level, bits));
                Some((
                    levels::reached(next, curves),
                    per_curve(next.b1)? * curves as f64,
                ))
            }),
        })
    }
}
