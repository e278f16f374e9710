//! The search for the factors of one number: what is known of it, what has been tried, and what comes next.
//!
//! | what is left | what is done |
//! |---|---|
//! | anything | primes below 2^17 by a greatest common divisor with their product |
//! | a power | its root, with the exponent |
//! | a prime | kept: proved below 2^64, else by the Baillie–PSW test |
//! | up to 128 bits | micro-ECM, completely |
//! | up to 330 bits | rho, curves for factors of 4/13 of the digits, then the quadratic sieve |
//! | more | rho, then for ever larger factors p − 1, p + 1 and curves |
//!
//! A search is a value: it can be written down between two steps and taken up later. A factor becomes one by division.

use std::time::Instant;

use malachite_base::num::arithmetic::traits::{DivRem, Gcd, UnsignedAbs};
use malachite_base::num::basic::traits::One;
use malachite_nz::natural::Natural;
use serde::{Deserialize, Serialize};

use super::levels::{self, LEVELS, Level};
use super::record::{Factor, Factorization, Method, Options, Origin, Status};
use super::{ecm, plan, pminus1, pplus1, rho, siqs, small};
use crate::error::{Error, Result};
use crate::int::Int;

/// Primes below this are divided out first.
const TRIAL: u64 = 1 << 17;
/// Steps of rho: enough for most factors of ten digits.
const RHO_STEPS: u64 = 1 << 17;
/// Curves are run for about so many seconds between two looks at the clock and the checkpoint.
const BATCH_SECONDS: f64 = 8.0;

/// Whether to go on; asked from any thread.
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
    /// Seconds a curve took, last time.
    #[serde(skip)]
    pace: Option<Pace>,
}

/// A divisor that is not known to be prime.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Open {
    value: Int,
    exponent: u64,
    origin: Origin,
    /// Nobody has looked at it yet.
    is_new: bool,
    effort: Effort,
}

/// What has been tried on a number.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Effort {
    trial: bool,
    rho: bool,
    /// p − 1 and p + 1 have been tried for levels below this.
    minus: usize,
    plus: usize,
    level: usize,
    /// Curves of this level, and of all.
    curves: u64,
    all_curves: u64,
    sigma: u64,
    /// The sieve has given it up.
    sieve: bool,
}

#[derive(Debug, Clone, Copy)]
struct Pace {
    b1: u64,
    bits: u64,
    seconds: f64,
}

/// What a search is at.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outlook {
    /// Decimal digits of the number that is to be split.
    pub digits: u32,
    /// By what it will be tried next.
    pub method: Method,
    /// Digits of the factors that curves are looking for; none where B1 was given.
    pub factor_digits: Option<u32>,
    /// Their first bound.
    pub b1: u64,
    /// Curves done for that size.
    pub curves: u64,
    /// Curves that it takes, if it ends.
    pub curves_wanted: Option<u64>,
    /// Seconds until they are done, at the last pace.
    pub seconds_left: Option<f64>,
    /// Digits of the next larger size and the seconds that it will take.
    pub next: Option<(u32, f64)>,
}

/// What to do next with a number.
enum Task {
    Rho,
    PMinus1 { b1: u64, b2: u64 },
    PPlus1 { b1: u64, b2: u64 },
    Curves { b1: u64, b2: u64, count: u64 },
    Sieve,
    NextLevel,
    Nothing,
}

impl Search {
    /// The search for the factors of a number from 1 on.
    pub fn new(number: &Int, options: &Options) -> Result<Search> {
        options.check()?;
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
        };
        if *number > 1 {
            search.open.push(Open {
                value: number.clone(),
                exponent: 1,
                origin: Origin::of(Method::None, 0.0),
                is_new: true,
                effort: Effort {
                    trial: false,
                    rho: false,
                    minus: 0,
                    plus: 0,
                    level: 0,
                    curves: 0,
                    all_curves: 0,
                    sigma: small::FIRST_SIGMA + (options.seed % (1 << 31) << 32),
                    sieve: false,
                },
            });
        }
        Ok(search)
    }

    /// What is being factored.
    pub fn number(&self) -> &Int {
        &self.number
    }

    /// How.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Seconds of work so far, those before it was taken up again among them.
    pub fn seconds(&self) -> f64 {
        self.seconds
            + self
                .clock
                .map_or(0.0, |clock| clock.elapsed().as_secs_f64())
    }

    /// Goes on until nothing is left to do, which gives true, or until `keep_going` says no. `between` is called now and then with everything
    /// that is known up to there.
    pub fn run(
        &mut self,
        keep_going: KeepGoing<'_>,
        between: &mut dyn FnMut(&Search) -> Result<()>,
    ) -> Result<bool> {
        self.clock.get_or_insert_with(Instant::now);
        let mut given_up = Vec::new();
        let done = loop {
            if let Some(at) = self.open.iter().position(|open| open.is_new) {
                let open = self.open.swap_remove(at);
                self.look_at(open)?;
                continue;
            }
            let Some(open) = self.open.last() else {
                break true;
            };
            let task = self.task(open);
            if let Task::Nothing = task {
                given_up.extend(self.open.pop());
                continue;
            }
            between(self)?;
            if !keep_going() {
                break false;
            }
            self.work(task, keep_going)?;
        };
        self.open.extend(given_up);
        between(self)?;
        Ok(done)
    }

    /// What is known now: primes, and numbers that are not split yet. Their product has been compared with the number.
    pub fn result(&self) -> Result<Factorization> {
        let unsplit = self.open.iter().map(|open| Factor {
            value: open.value.clone(),
            exponent: open.exponent,
            status: Status::Composite,
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
        let mut product = Int::one();
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

    /// What is being tried, for whoever waits.
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
                Task::Rho => Method::Rho,
                Task::PMinus1 { .. } => Method::PMinus1,
                Task::PPlus1 { .. } => Method::PPlus1,
                Task::Curves { .. } => Method::Ecm,
                Task::Sieve => Method::Siqs,
                Task::NextLevel | Task::Nothing => Method::None,
            },
            factor_digits: self.options.b1.is_none().then_some(level.digits),
            b1: level.b1,
            curves: open.effort.curves,
            curves_wanted: wanted,
            seconds_left: left.and_then(|left| Some(left as f64 * per_curve(level.b1)?)),
            next: next
                .and_then(|next| Some((next.digits, per_curve(next.b1)? * next.curves as f64))),
        })
    }

    /// The bounds in force and the curves that they are worth. A device's curves come by the thousand: there is no use in fewer.
    fn level(&self, effort: &Effort, bits: u64) -> (Level, Option<u64>) {
        let least = ecm::preferred_count(bits) as u64;
        let given_up = self
            .options
            .curves
            .map(|most| (most + effort.curves).saturating_sub(effort.all_curves));
        match self.options.b1 {
            Some(b1) => {
                let level = Level {
                    digits: 0,
                    b1,
                    curves: 0,
                };
                (level, given_up)
            }
            None => {
                let level = LEVELS[effort.level.min(LEVELS.len() - 1)];
                let wanted = level.curves.max(least);
                let last = effort.level + 1 >= LEVELS.len();
                let wanted = match (last, given_up) {
                    (_, Some(most)) => Some(most.min(wanted)),
                    (true, None) => None,
                    (false, None) => Some(wanted),
                };
                (level, wanted)
            }
        }
    }

    fn task(&self, open: &Open) -> Task {
        let (effort, options) = (&open.effort, &self.options);
        let bits = open.value.bit_length();
        let (level, wanted) = self.level(effort, bits);
        let is_default = options.b1.is_none();
        if options.uses(Method::Rho) && !effort.rho && is_default {
            return Task::Rho;
        }
        let curves_left = options.curves.is_none_or(|most| effort.all_curves < most);
        let uses_curves = options.uses(Method::Ecm) && curves_left;
        let is_pretested =
            !uses_curves || !is_default || level.digits > levels::digits_before_sieve(bits);
        let may_sieve = options.uses(Method::Siqs) && !effort.sieve && bits <= siqs::MOST_BITS;
        if may_sieve && is_pretested {
            return Task::Sieve;
        }
        let (b1, b2) = match options.b1 {
            Some(b1) => (b1, options.b2.unwrap_or(levels::b2(b1))),
            None => {
                let b1 = levels::single_b1(level.b1);
                (b1, levels::b2(b1))
            }
        };
        if options.uses(Method::PMinus1) && effort.minus <= effort.level {
            return Task::PMinus1 { b1, b2 };
        }
        if options.uses(Method::PPlus1) && effort.plus <= effort.level {
            return Task::PPlus1 { b1, b2 };
        }
        if uses_curves {
            let left = wanted.map_or(u64::MAX, |wanted| wanted - effort.curves.min(wanted));
            let fill = ecm::preferred_count(bits) as u64;
            let pace = self.pace.filter(|p| p.b1 == level.b1 && p.bits == bits);
            let affordable = pace.map_or(fill, |pace| {
                let count = (BATCH_SECONDS / pace.seconds.max(1e-9)) as u64;
                (count / fill * fill).max(fill)
            });
            return Task::Curves {
                b1: level.b1,
                b2: options.b2.unwrap_or(levels::b2(level.b1)),
                count: affordable.min(left).max(1),
            };
        }
        // Without curves, p ± 1 go on with larger bounds.
        let has_single = options.uses(Method::PMinus1) || options.uses(Method::PPlus1);
        let goes_on = is_default && options.curves.is_none() && effort.level + 1 < LEVELS.len();
        match goes_on && has_single {
            true => Task::NextLevel,
            false => Task::Nothing,
        }
    }

    /// Keeps a new number if it is prime, splits it if that is easy, and leaves it to the methods if not.
    fn look_at(&mut self, mut open: Open) -> Result<()> {
        open.is_new = false;
        if !open.effort.trial {
            open.effort.trial = true;
            open = match self.divide_out_small(open)? {
                Some(open) => open,
                None => return Ok(()),
            };
        }
        let host = open.value.try_host()?;
        if let Ok(word) = u128::try_from(host) {
            self.split_small(word, open.exponent, open.origin);
        } else if open.value.try_is_probable_prime()? {
            self.keep(open.value, open.exponent, open.origin);
        } else if let Some((base, exponent)) = open.value.try_perfect_power()? {
            let origin = Origin::of(Method::Power, self.seconds());
            self.open.push(Open {
                value: base,
                exponent: open.exponent * exponent,
                origin,
                is_new: true,
                effort: open.effort,
            });
        } else {
            self.open.push(open);
        }
        Ok(())
    }

    /// A prime.
    fn keep(&mut self, value: Int, exponent: u64, origin: Origin) {
        let status = match value.bit_length() <= 64 {
            true => Status::Proved,
            false => Status::Probable,
        };
        self.factors.push(Factor {
            value,
            exponent,
            status,
            origin,
        });
    }

    /// Divides by all primes below TRIAL; gives what is left, if anything.
    fn divide_out_small(&mut self, mut open: Open) -> Result<Option<Open>> {
        let mut rest = open.value.try_host()?.unsigned_abs_ref().clone();
        let common = open.value.try_gcd(&Int::primorial(TRIAL)?)?;
        let mut common = common.into_integer().unsigned_abs();
        let primes = if common == 1u32 {
            Vec::new()
        } else {
            plan::primes_below(TRIAL as u32)
        };
        for p in primes {
            if common == 1u32 {
                break;
            }
            let p = Natural::from(p);
            let (quotient, remainder) = (&common).div_rem(&p);
            if remainder != 0u32 {
                continue;
            }
            common = quotient;
            let mut exponent = 0;
            loop {
                let (quotient, remainder) = (&rest).div_rem(&p);
                if remainder != 0u32 {
                    break;
                }
                rest = quotient;
                exponent += 1;
            }
            let origin = match rest == 1u32 && self.factors.is_empty() && exponent == 1 {
                true => open.origin,
                false => Origin::of(Method::Trial, self.seconds()),
            };
            self.keep(p.into(), exponent * open.exponent, origin);
        }
        if rest == 1u32 {
            return Ok(None);
        }
        if rest != *open.value.try_host()?.unsigned_abs_ref() {
            open.origin = Origin::of(Method::Trial, self.seconds());
            open.value = rest.into();
        }
        Ok(Some(open))
    }

    /// Splits a number of at most 128 bits without small factors completely.
    fn split_small(&mut self, n: u128, exponent: u64, origin: Origin) {
        if small::is_prime(n) {
            return self.keep(n.into(), exponent, origin);
        }
        let split = small::split(n);
        let plan = plan::plan(split.level);
        let origin = Origin {
            sigma: Some(split.sigma),
            ..Origin::of(Method::Ecm, self.seconds()).with_bounds(plan.b1.into(), plan.b2.into())
        };
        for piece in [split.divisor, n / split.divisor] {
            self.split_small(piece, exponent, origin);
        }
    }

    /// Does a task on the last open number.
    fn work(&mut self, task: Task, keep_going: KeepGoing<'_>) -> Result<()> {
        let Some(open) = self.open.last() else {
            return Ok(());
        };
        let value = open.value.try_host()?.unsigned_abs_ref().clone();
        let (sigma, bits) = (open.effort.sigma, open.value.bit_length());
        let start = Instant::now();
        let mut found: Vec<(Natural, Origin)> = Vec::new();
        let origin = |method, search: &Search| Origin::of(method, search.seconds());
        match task {
            Task::Nothing | Task::NextLevel => {}
            Task::Rho => {
                let divisor = rho::run(&value, RHO_STEPS, keep_going);
                found.extend(divisor.map(|divisor| (divisor, origin(Method::Rho, self))));
            }
            Task::PMinus1 { b1, b2 } => {
                let divisor = pminus1::run(&value, b1, b2, keep_going)?;
                let origin = origin(Method::PMinus1, self).with_bounds(b1, b2);
                found.extend(divisor.map(|divisor| (divisor, origin)));
            }
            Task::PPlus1 { b1, b2 } => {
                let divisor = pplus1::run(&value, b1, b2, self.options.seed, keep_going)?;
                let origin = origin(Method::PPlus1, self).with_bounds(b1, b2);
                found.extend(divisor.map(|divisor| (divisor, origin)));
            }
            Task::Curves { b1, b2, count } => {
                let curves = ecm::curves(&value, b1, b2, sigma, count as usize, keep_going)?;
                let origin = origin(Method::Ecm, self).with_bounds(b1, b2);
                found.extend(curves.into_iter().map(|curve| {
                    let sigma = Some(curve.sigma);
                    (curve.factor, Origin { sigma, ..origin })
                }));
                if keep_going() {
                    let seconds = start.elapsed().as_secs_f64() / count as f64;
                    self.pace = Some(Pace { b1, bits, seconds });
                }
            }
            Task::Sieve => {
                let primes = siqs::run(&value, keep_going)?.unwrap_or_default();
                let origin = origin(Method::Siqs, self);
                found.extend(primes.into_iter().map(|prime| (prime, origin)));
            }
        }
        // A method that was stopped has not been tried.
        if keep_going() || !found.is_empty() {
            self.note(&task);
            self.split_last(&value, &found)?;
        }
        Ok(())
    }

    /// Notes that a task on the last open number is done.
    fn note(&mut self, task: &Task) {
        let Some(open) = self.open.last() else {
            return;
        };
        let (_, wanted) = self.level(&open.effort, open.value.bit_length());
        let has_default_bounds = self.options.b1.is_none();
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let effort = &mut open.effort;
        match task {
            Task::Nothing => {}
            Task::Rho => effort.rho = true,
            Task::PMinus1 { .. } => effort.minus = effort.level + 1,
            Task::PPlus1 { .. } => effort.plus = effort.level + 1,
            Task::Sieve => effort.sieve = true,
            Task::NextLevel => effort.level += 1,
            Task::Curves { count, .. } => {
                effort.curves += count;
                effort.all_curves += count;
                effort.sigma += count;
                if has_default_bounds && wanted.is_some_and(|wanted| effort.curves >= wanted) {
                    effort.level += 1;
                    effort.curves = 0;
                }
            }
        }
    }

    /// Splits the last open number by what was found in it; each piece knows what has been tried on it.
    fn split_last(&mut self, value: &Natural, found: &[(Natural, Origin)]) -> Result<()> {
        let mut pieces: Vec<(Natural, Option<Origin>)> = vec![(value.clone(), None)];
        for (divisor, origin) in found {
            let mut finer = Vec::new();
            for (piece, before) in pieces {
                let common = (&piece).gcd(divisor);
                if common == Natural::ONE || common == piece {
                    finer.push((piece, before));
                    continue;
                }
                let (quotient, remainder) = (&piece).div_rem(&common);
                if remainder != 0u32 {
                    return Err(Error::Verification("a factor that does not divide".into()));
                }
                finer.extend([(common, Some(*origin)), (quotient, Some(*origin))]);
            }
            pieces = finer;
        }
        if pieces.len() == 1 {
            return Ok(());
        }
        let Some(whole) = self.open.pop() else {
            return Ok(());
        };
        self.open
            .extend(pieces.into_iter().map(|(piece, origin)| Open {
                value: piece.into(),
                exponent: whole.exponent,
                origin: origin.unwrap_or(whole.origin),
                is_new: true,
                effort: whole.effort.clone(),
            }));
        Ok(())
    }
}
