//! How choices are left out, measured and decided.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;

use bezout::{Engine, Result};

use super::{Choices, Machines, Task, Tunable, Values};
use crate::model::{Chosen, Machine, Tuning};

/// Choices that the model leaves to be measured, beside the shipped one.
const KEPT: usize = 5;
/// A choice must be better than the shipped one by this part to take its place.
const MARGIN: f64 = 0.02;
/// Sizes of a threshold lie this far apart.
const STEP: f64 = 1.189_207_115_002_721;
/// Samples of each that are enough.
const ROUNDS: usize = 24;
/// The least time of a sample.
const SAMPLE: f64 = 1e-3;
/// On the executor, kernels are tried and not timed: the largest size.
const EXECUTED: u64 = 1 << 9;

/// One choice at one size.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Measured {
    /// The size.
    pub size: u64,
    /// Values of the parameters.
    pub values: Values,
    /// Seconds that the model predicts.
    pub predicted: f64,
    /// Seconds that it took.
    pub measured: f64,
}

/// What was decided.
pub(super) struct Decided {
    pub choices: Vec<Chosen>,
    pub median_regret: f64,
    pub worst_regret: f64,
}

/// Finds the best choices in about so many seconds.
pub(super) fn search(
    kernel: &Tunable,
    engine: Engine,
    machines: &Machines,
    base: Tuning,
    seconds: f64,
) -> Result<(Decided, Vec<Measured>)> {
    let mut search = Search {
        kernel,
        engine,
        machines,
        base,
        start: Instant::now(),
        seconds,
        compiling: 0.0,
        measured: Vec::new(),
    };
    let decided = match kernel.choices {
        Choices::From | Choices::UpTo => search.threshold()?,
        Choices::One(_) => search.one()?,
        Choices::BySize(_) => search.by_size()?,
    };
    Ok((decided, search.measured))
}

struct Search<'a> {
    kernel: &'a Tunable,
    engine: Engine,
    machines: &'a Machines,
    /// What all other parameters are.
    base: Tuning,
    start: Instant,
    seconds: f64,
    /// Seconds that compiling took, which `seconds` are not for.
    compiling: f64,
    measured: Vec<Measured>,
}

impl Search<'_> {
    fn left(&self) -> f64 {
        self.seconds + self.compiling - self.start.elapsed().as_secs_f64()
    }

    fn machine(&self) -> &Machine {
        self.machines.of(self.kernel.side)
    }

    fn sizes(&self) -> Vec<u64> {
        let executed = self.machine().identity.kind == "executor";
        let most = if executed { EXECUTED } else { u64::MAX };
        let mut sizes: Vec<u64> = self
            .kernel
            .sizes
            .iter()
            .map(|size| *size.min(&most))
            .collect();
        sizes.dedup();
        sizes
    }

    fn predicted(&self, size: u64, values: &[u64]) -> Result<f64> {
        let tuning = self.kernel.tuning(&self.base, values)?;
        Ok((self.kernel.predicted)(self.machines, size, &tuning))
    }

    /// Seconds of each of these choices at a size.
    fn measure(&mut self, size: u64, candidates: &[Values], seconds: f64) -> Result<Vec<f64>> {
        let tunings = candidates
            .iter()
            .map(|values| self.kernel.tuning(&self.base, values))
            .collect::<Result<Vec<_>>>()?;
        let mut task = (self.kernel.prepare)(self.engine, size)?;
        let (times, compiling) = compare(&mut task, &tunings, seconds)?;
        self.compiling += compiling;
        for ((values, tuning), measured) in candidates.iter().zip(&tunings).zip(&times) {
            self.measured.push(Measured {
                size,
                values: values.clone(),
                predicted: (self.kernel.predicted)(self.machines, size, tuning),
                measured: *measured,
            });
        }
        Ok(times)
    }

    /// The candidates that are worth measuring at these sizes: the shipped values first, then the
    /// best by the model.
    fn pruned(&self, mut candidates: Vec<Values>, sizes: &[u64]) -> Result<Vec<Values>> {
        let shipped = self.kernel.values(&Tuning::shipped());
        candidates.retain(|values| {
            *values != shipped && self.kernel.tuning(&Tuning::DEFAULT, values).is_ok()
        });
        let mut scored = Vec::new();
        for values in candidates {
            let logs = sizes
                .iter()
                .map(|size| Ok(self.predicted(*size, &values)?.ln()));
            scored.push((logs.sum::<Result<f64>>()?, values));
        }
        // Stable: where the model does not tell choices apart, their order does.
        scored.sort_by(|a, b| a.0.total_cmp(&b.0));
        let kept = scored.into_iter().take(KEPT).map(|(_, values)| values);
        Ok(std::iter::once(shipped).chain(kept).collect())
    }

    /// The same values for all sizes: the least geometric mean.
    fn one(&mut self) -> Result<Decided> {
        let sizes = self.sizes();
        let all = self.kernel.candidates(self.machine(), sizes[0]);
        let candidates = self.pruned(all, &sizes)?;
        let mut scores = vec![0.0; candidates.len()];
        let mut rows = Vec::new();
        for (i, size) in sizes.iter().enumerate() {
            let left = self.left();
            // A size that there is no time for is left out, never the first.
            if i > 0 && left < 0.1 * self.seconds {
                break;
            }
            let times = self.measure(*size, &candidates, left / (sizes.len() - i) as f64)?;
            for (score, time) in scores.iter_mut().zip(&times) {
                *score += time.ln();
            }
            rows.push(times);
        }
        let mean = |i: usize| (scores[i] / rows.len() as f64).exp();
        let best = best_by(candidates.len(), mean);
        Ok(decided(
            vec![Chosen {
                from: 0,
                values: candidates[best].clone(),
            }],
            rows.iter().map(|times| regret(times, best)),
        ))
    }

    /// The best values at each size, up to the middle between it and the next.
    fn by_size(&mut self) -> Result<Decided> {
        let sizes = self.sizes();
        let mut choices: Vec<Chosen> = Vec::new();
        let mut regrets = Vec::new();
        for (i, size) in sizes.iter().enumerate() {
            let all = self.kernel.candidates(self.machine(), *size);
            let candidates = self.pruned(all, &[*size])?;
            let seconds = (self.left() / (sizes.len() - i) as f64).max(0.02 * self.seconds);
            let times = self.measure(*size, &candidates, seconds)?;
            let best = best_by(candidates.len(), |k| times[k]);
            regrets.push(regret(&times, best));
            if choices
                .last()
                .is_some_and(|last| last.values == candidates[best])
            {
                continue;
            }
            let from = match i {
                0 => 0,
                _ => between(sizes[i - 1], *size),
            };
            choices.push(Chosen {
                from,
                values: candidates[best].clone(),
            });
        }
        Ok(decided(choices, regrets.into_iter()))
    }

    /// The size where the second way begins to be faster.
    fn threshold(&mut self) -> Result<Decided> {
        let bounds = self.sizes();
        let (least, most) = (bounds[0], bounds[bounds.len() - 1]);
        let count = ((most as f64 / least as f64).ln() / STEP.ln()).floor() as usize;
        let mut sizes: Vec<u64> = (0..=count)
            .map(|i| (least as f64 * STEP.powi(i as i32)).round() as u64)
            .collect();
        sizes.dedup();
        let mut known = BTreeMap::new();
        self.walk(&sizes, &mut known)?;
        // Around the shipped value too, which is not to be left for the noise of one size.
        let shipped = self.kernel.values(&Tuning::shipped())[0];
        let near = sizes.partition_point(|size| *size < shipped);
        for at in [near.saturating_sub(3), near + 2] {
            if at < sizes.len() && !known.contains_key(&sizes[at]) {
                self.way(sizes[at], &mut known)?;
            }
        }
        let up_to = matches!(self.kernel.choices, Choices::UpTo);
        let second = |value: u64, size: u64| if up_to { size > value } else { size >= value };
        let regrets = |value: u64| -> Vec<f64> {
            let rows = known.iter();
            rows.map(|(size, times)| regret(times, usize::from(second(value, *size))))
                .collect()
        };
        let log = |value: u64| regrets(value).iter().map(|regret| regret.ln()).sum::<f64>();
        // The best border between two sizes that were measured; or always, as far down as was
        // measured; or never, where a shipped value beyond says the same.
        let measured: Vec<u64> = known.keys().copied().collect();
        let borders = measured.windows(2).map(|pair| between(pair[0], pair[1]));
        let borders = borders.map(|size| size.saturating_sub(u64::from(up_to)));
        let ends = [
            measured[0].saturating_sub(u64::from(up_to)),
            shipped.max(most + 1),
        ];
        let all = borders.chain(ends).map(|value| value.max(1));
        let found = all
            .min_by(|a, b| log(*a).total_cmp(&log(*b)))
            .unwrap_or(shipped);
        let value = if log(shipped) > log(found) + MARGIN * known.len() as f64 {
            found
        } else {
            shipped
        };
        let choice = Chosen {
            from: 0,
            values: vec![value],
        };
        Ok(decided(vec![choice], regrets(value).into_iter()))
    }

    /// Measures sizes towards the one where the winner changes: the model says where to begin,
    /// steps that double lead to two sizes between which it is, and those are halved.
    fn walk(&mut self, sizes: &[u64], known: &mut BTreeMap<u64, Vec<f64>>) -> Result<()> {
        let last = sizes.len() - 1;
        let mut at = last;
        for (i, size) in sizes.iter().enumerate() {
            let [first, second] = self.both(*size);
            if self.predicted(*size, &second)? < self.predicted(*size, &first)? {
                at = i;
                break;
            }
        }
        // Up to `low` the first way is faster, from `high` on the second, as far as is known.
        let (mut low, mut high) = (None, None);
        let mut step = 1;
        loop {
            if self.way(sizes[at], known)? {
                high = Some(at)
            } else {
                low = Some(at)
            }
            at = match (low, high) {
                (Some(low), Some(high)) if high <= low + 1 => return Ok(()),
                (Some(low), Some(high)) => low.midpoint(high),
                (None, Some(0)) | (None, None) => return Ok(()),
                (Some(low), None) if low == last => return Ok(()),
                (None, Some(high)) => high.saturating_sub(step),
                (Some(low), None) => (low + step).min(last),
            };
            step *= 2;
            if self.left() <= 0.0 {
                return Ok(());
            }
        }
    }

    /// Whether the second way is faster at a size.
    fn way(&mut self, size: u64, known: &mut BTreeMap<u64, Vec<f64>>) -> Result<bool> {
        let both = self.both(size);
        let seconds = (self.left() / 6.0).clamp(0.02 * self.seconds, 0.1 * self.seconds);
        let times = self.measure(size, &both, seconds)?;
        let faster = times[1] < times[0];
        known.insert(size, times);
        Ok(faster)
    }

    /// The choices on both sides of a threshold at a size.
    fn both(&self, size: u64) -> [Values; 2] {
        let mut both = self.kernel.candidates(self.machine(), size).into_iter();
        let first = both.next().unwrap_or_default();
        let second = both.next().unwrap_or_else(|| first.clone());
        [first, second]
    }
}

/// Seconds of work under each of these tunings, the least of samples taken in turn, in about so
/// many seconds; and the seconds that compiling took beside them.
pub(super) fn compare(
    task: &mut Task,
    tunings: &[Tuning],
    seconds: f64,
) -> Result<(Vec<f64>, f64)> {
    let start = Instant::now();
    let (mut best, mut compiling) = (Vec::new(), 0.0);
    for tuning in tunings {
        // The first run fills caches, and on a device compiles, which may take longer than all
        // samples: it counts only where nothing is compiled and there is no time for another.
        let first = task.run(tuning, 1)?;
        if !task.compiles && first > seconds / tunings.len() as f64 {
            best.push(first);
            continue;
        }
        let second = task.run(tuning, 1)?;
        if task.compiles {
            compiling += (first - second).max(0.0);
        }
        best.push(second);
    }
    let count = |once: f64| (SAMPLE / once.max(1e-9)).ceil().clamp(1.0, 10_000.0) as usize;
    let counts: Vec<usize> = best.iter().map(|once| count(*once)).collect();
    for round in 0.. {
        let spent = start.elapsed().as_secs_f64() - compiling;
        if spent >= seconds || (round >= ROUNDS && spent >= seconds / 4.0) {
            break;
        }
        for (i, tuning) in tunings.iter().enumerate() {
            best[i] = best[i].min(task.run(tuning, counts[i])?);
        }
    }
    Ok((best, compiling))
}

/// The choice that the tuning in force makes at a size, by its place; added where it is not among
/// the candidates.
pub(super) fn chosen(
    kernel: &Tunable,
    tuning: &Tuning,
    size: u64,
    candidates: &mut Vec<Values>,
) -> usize {
    let values = kernel.values(tuning);
    match kernel.choices {
        Choices::From => usize::from(size >= values[0]),
        Choices::UpTo => usize::from(size > values[0]),
        _ => candidates
            .iter()
            .position(|other| *other == values)
            .unwrap_or_else(|| {
                candidates.push(values);
                candidates.len() - 1
            }),
    }
}

/// The place of the least, or the first where that is not clearly better.
fn best_by(count: usize, time: impl Fn(usize) -> f64) -> usize {
    let best = (0..count)
        .min_by(|a, b| time(*a).total_cmp(&time(*b)))
        .unwrap_or(0);
    if time(best) < time(0) * (1.0 - MARGIN) {
        best
    } else {
        0
    }
}

fn regret(times: &[f64], chosen: usize) -> f64 {
    times[chosen] / times.iter().copied().fold(f64::INFINITY, f64::min)
}

fn decided(choices: Vec<Chosen>, regrets: impl Iterator<Item = f64>) -> Decided {
    let mut regrets: Vec<f64> = regrets.collect();
    regrets.sort_by(f64::total_cmp);
    let middle = |at: usize| regrets.get(at).copied().unwrap_or(1.0);
    let half = regrets.len() / 2;
    Decided {
        choices,
        median_regret: match regrets.len() % 2 {
            1 => middle(half),
            _ => (middle(half.saturating_sub(1)) * middle(half)).sqrt(),
        },
        worst_regret: regrets.last().copied().unwrap_or(1.0),
    }
}

fn between(a: u64, b: u64) -> u64 {
    ((a as f64 * b as f64).sqrt().round() as u64).clamp(a, b)
}

/// Measured over predicted, the geometric mean.
pub(super) fn scale(measured: &[Measured]) -> f64 {
    let logs = measured.iter().map(|m| (m.measured / m.predicted).ln());
    let finite: Vec<f64> = logs.filter(|log| log.is_finite()).collect();
    match finite.len() {
        0 => 1.0,
        n => (finite.iter().sum::<f64>() / n as f64).exp(),
    }
}
