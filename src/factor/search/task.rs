//! Chooses the next method, runs it, and records what it finds.

use std::time::Instant;

use crate::number::Natural;

use super::{Effort, KeepGoing, Open, Pace, Search};
use crate::error::{Error, Result};
use crate::factor::levels::{self, LEVELS, Level};
use crate::factor::record::{Method, Origin};
use crate::factoring::published::{self, Variant};
use crate::factoring::workers::Curves;
use crate::factoring::{fermat, pminus1, pplus1, rho, sieve};
use crate::progress;

/// Maximum steps of rho: enough for most factors of ten digits.
const RHO_STEPS: u64 = 1 << 17;
/// Steps of rho for a number that is sieved in milliseconds, and the number of additional bits that
/// double the steps.
const LEAST_RHO_STEPS: u64 = 1 << 11;
const RHO_BITS: u64 = 16;
/// For numbers of more bits the sieve takes so long that the maximum steps of rho are a small part
/// of it.
const MOST_STEPS_BITS: u64 = 205;
/// Runners of rho as published.
const RUNNERS: usize = 1 << 10;
/// Curves run for about this many seconds between two checks of the clock and the checkpoint.
const BATCH_SECONDS: f64 = 8.0;

/// The next work on a number.
pub(super) enum Task {
    Published(Variant),
    Fermat,
    Rho,
    PMinus1 { b1: u64, b2: u64 },
    PPlus1 { b1: u64, b2: u64 },
    Curves { b1: u64, b2: u64, count: u64 },
    Sieve,
    NextLevel,
    Nothing,
}

impl Task {
    /// Whether this task is tried between rho and the sieve.
    pub(super) fn comes_before_sieve(&self) -> bool {
        matches!(
            self,
            Task::PMinus1 { .. } | Task::PPlus1 { .. } | Task::Curves { .. }
        )
    }
}

/// Steps of rho for a number of `bits` bits, a small part of the sieve's time.
fn rho_steps(bits: u64) -> u64 {
    if bits > MOST_STEPS_BITS {
        return RHO_STEPS;
    }
    let doublings = (bits.saturating_sub(128) / RHO_BITS).min(16);
    (LEAST_RHO_STEPS << doublings).min(RHO_STEPS)
}

pub(super) fn published_method(variant: Variant) -> Method {
    match variant {
        Variant::First => Method::RhoV1,
        Variant::Second => Method::RhoV2,
    }
}

impl Search {
    /// The current bounds, and the number of curves for them. A device runs curves by the thousand,
    /// and fewer would take as long.
    pub(super) fn level(&self, effort: &Effort, bits: u64) -> (Level, Option<u64>) {
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
                let wanted = level.curves.max(self.fill(&level, bits));
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

    /// Whether the sieve accepts numbers of `bits` bits and is expected to end within the longest
    /// step.
    pub(super) fn may_sieve(&self, bits: u64) -> bool {
        let is_short = |seconds| {
            let longest = self.options.longest_step;
            longest.is_none_or(|most| seconds <= most.as_secs_f64())
        };
        self.options.uses(Method::Siqs)
            && bits <= sieve::MOST_BITS
            && (self.keeps_relations(bits) || is_short(sieve::expected_seconds(bits)))
    }

    /// Chooses the next work on an open number.
    pub(super) fn task(&self, open: &Open) -> Task {
        let (effort, options) = (&open.effort, &self.options);
        let bits = open.value.bit_length();
        let (level, wanted) = self.level(effort, bits);
        let is_default = options.b1.is_none();
        for variant in [Variant::First, Variant::Second] {
            let is_wanted = options.uses(published_method(variant));
            let is_done = effort.published[variant as usize];
            if is_wanted && !is_done && bits <= published::MOST_BITS {
                return Task::Published(variant);
            }
        }
        if options.uses(Method::Fermat) && !effort.fermat && is_default {
            return Task::Fermat;
        }
        if options.uses(Method::Rho) && !effort.rho && is_default {
            return Task::Rho;
        }
        let curves_left = options.curves.is_none_or(|most| effort.all_curves < most);
        let uses_curves = options.uses(Method::Ecm) && curves_left;
        let enough = levels::digits_before_sieve(bits);
        let has_reached = |level: &Level| {
            levels::reached(level, level.curves.max(self.fill(level, bits))) >= enough
        };
        let is_pretested = !uses_curves
            || is_default
                && (level.digits > enough
                    || LEVELS[..effort.level].last().is_some_and(has_reached));
        if self.may_sieve(bits) && !effort.sieve && is_pretested {
            return Task::Sieve;
        }
        if let Some(b1) = options.b1.or(levels::single_b1(effort.level)) {
            let b2 = options.b2.unwrap_or(levels::b2(b1));
            if options.uses(Method::PMinus1) && effort.minus <= effort.level {
                return Task::PMinus1 { b1, b2 };
            }
            if options.uses(Method::PPlus1) && effort.plus <= effort.level {
                return Task::PPlus1 { b1, b2 };
            }
        }
        if uses_curves {
            let left = wanted.map_or(u64::MAX, |wanted| wanted - effort.curves.min(wanted));
            let fill = self.fill(&level, bits);
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
        // Without curves, p ± 1 continue with larger bounds.
        let has_single = options.uses(Method::PMinus1) || options.uses(Method::PPlus1);
        let goes_on = is_default && options.curves.is_none() && has_single;
        if goes_on && levels::single_b1(effort.level + 1).is_some() {
            Task::NextLevel
        } else {
            Task::Nothing
        }
    }

    /// Does a task on the last open number.
    pub(super) fn work(&mut self, task: Task, keep_going: KeepGoing<'_>) -> Result<()> {
        let Some(open) = self.open.last() else {
            return Ok(());
        };
        let value = open.value.try_host()?.magnitude().clone();
        let (sigma, bits) = (open.effort.sigma, open.value.bit_length());
        let start = Instant::now();
        let mut found: Vec<(Natural, Origin)> = Vec::new();
        let origin = |method, search: &Search| Origin::of(method, search.seconds());
        match task {
            Task::Nothing | Task::NextLevel => {}
            Task::Published(variant) => {
                let divisor = published::rho(&value, variant, RUNNERS, keep_going)?;
                let origin = origin(published_method(variant), self);
                found.extend(divisor.map(|divisor| (divisor, origin)));
            }
            Task::Fermat => {
                let divisor = fermat::run(&value, fermat::steps(bits), keep_going);
                found.extend(divisor.map(|divisor| (divisor, origin(Method::Fermat, self))));
            }
            Task::Rho => {
                let divisor = rho::run(&value, rho_steps(bits), keep_going);
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
                let curves = Curves {
                    n: &value,
                    b1,
                    b2,
                    sigma,
                    count,
                };
                let curves = self.workers.curves(curves, keep_going)?;
                let origin = origin(Method::Ecm, self).with_bounds(b1, b2);
                found.extend(curves.into_iter().map(|curve| {
                    let sigma = Some(curve.sigma);
                    (curve.factor, Origin { sigma, ..origin })
                }));
                if keep_going() && !progress::is_cancelled() {
                    let seconds = start.elapsed().as_secs_f64() / count as f64;
                    self.pace = Some(Pace { b1, bits, seconds });
                }
            }
            Task::Sieve => {
                let file = self.relations_file(&value);
                let divisor = self.workers.sieve(&value, file.as_deref(), keep_going)?;
                let origin = origin(Method::Siqs, self);
                found.extend(divisor.map(|divisor| (divisor, origin)));
            }
        }
        // A method that was stopped has not been tried.
        if found.is_empty() {
            progress::check()?;
        }
        if keep_going() || !found.is_empty() {
            self.note(&task);
            self.split_last(&value, &found)?;
        }
        Ok(())
    }

    /// Records that a task on the last open number is finished.
    fn note(&mut self, task: &Task) {
        let Some(open) = self.open.last() else {
            return;
        };
        let bits = open.value.bit_length();
        let (_, wanted) = self.level(&open.effort, bits);
        let has_default_bounds = self.options.b1.is_none();
        let may_rise = self.next_level_is_short(&open.effort, bits);
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let effort = &mut open.effort;
        match task {
            Task::Nothing => {}
            Task::Published(variant) => effort.published[*variant as usize] = true,
            Task::Fermat => effort.fermat = true,
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
                    effort.level += usize::from(may_rise);
                    effort.curves = 0;
                }
            }
        }
    }

    /// Whether a round of curves of the next level takes no longer than the longest step, at the
    /// speed of the last round.
    fn next_level_is_short(&self, effort: &Effort, bits: u64) -> bool {
        let (Some(most), Some(pace)) = (self.options.longest_step, self.pace) else {
            return true;
        };
        let (level, _) = self.level(effort, bits);
        let next = LEVELS[(effort.level + 1).min(LEVELS.len() - 1)];
        pace.seconds * self.fill(&level, bits) as f64 * next.b1 as f64 / pace.b1 as f64
            <= most.as_secs_f64()
    }

    /// Splits the last open number by the divisors found. Each piece inherits the record of the
    /// methods tried.
    fn split_last(&mut self, value: &Natural, found: &[(Natural, Origin)]) -> Result<()> {
        let mut pieces: Vec<(Natural, Option<Origin>)> = vec![(value.clone(), None)];
        for (divisor, origin) in found {
            let mut finer = Vec::new();
            for (piece, before) in pieces {
                let common = piece.gcd(divisor);
                if common == Natural::ONE || common == piece {
                    finer.push((piece, before));
                    continue;
                }
                let (quotient, remainder) = piece.div_rem(&common);
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
                effort: Effort {
                    published: [false; 2],
                    ..whole.effort.clone()
                },
            }));
        Ok(())
    }
}
