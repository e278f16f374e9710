//! Taking times: warm up, repeat until both a least time and a least number of samples, keep the
//! median and the spread.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bezout::cuda::Device;
use bezout::progress::{self, Progress};
use bezout::{Engine, Result};
use rayon::prelude::*;

use crate::record::{ClockKind, Timing};

/// How long to measure.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Seconds to spend at least,
    pub min_time: f64,
    /// on at least so many samples,
    pub min_samples: usize,
    /// unless more than this has gone by.
    pub max_time: f64,
}

impl Effort {
    /// For figures. All benchmarks together take half an hour on a GPU and its host.
    pub const FULL: Effort = Effort {
        min_time: 0.05,
        min_samples: 5,
        max_time: 0.5,
    };
    /// For a look, and for tests.
    pub const QUICK: Effort = Effort {
        min_time: 0.005,
        min_samples: 3,
        max_time: 0.1,
    };

    /// A part of it, for one of several turns.
    pub fn divided(self, turns: u32) -> Effort {
        Effort {
            min_time: self.min_time / f64::from(turns),
            min_samples: self.min_samples.div_ceil(turns as usize),
            max_time: self.max_time / f64::from(turns),
        }
    }
}

/// Seconds of each stage of some work, as its progress names them, in order.
pub fn stages<T>(
    engine: Engine,
    name: fn(&Progress) -> &'static str,
    work: impl FnOnce() -> Result<T>,
) -> Result<Vec<(&'static str, f64)>> {
    let heard = Arc::new(Mutex::new(Vec::<(&'static str, Instant)>::new()));
    let list = heard.clone();
    let observer = move |progress: Progress| {
        let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
        let last = list.last().map(|(stage, _)| *stage);
        let name = name(&progress);
        if last != Some(name) {
            list.push((name, Instant::now()));
        }
        ControlFlow::Continue(())
    };
    engine.scope(|| progress::scope(observer, work))?;
    let mut begun = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
    begun.push(("", Instant::now()));
    let spans = begun.windows(2).map(|two| {
        let ((stage, start), (_, end)) = (two[0], two[1]);
        (stage, (end - start).as_secs_f64())
    });
    Ok(spans.filter(|(stage, _)| !stage.is_empty()).collect())
}

/// What takes the time.
#[derive(Clone, Copy)]
pub enum Clock<'a> {
    /// The host's clock, for work that is done when the call returns.
    Host,
    /// The host's clock, waiting for the device after each operation: what a caller sees who needs
    /// each result.
    Synchronized(&'a Device),
    /// The device's clock around a queue of operations: what the device can do while the host only
    /// queues.
    Events(&'a Device),
}

impl Clock<'_> {
    fn kind(self) -> ClockKind {
        match self {
            Clock::Host | Clock::Synchronized(_) => ClockKind::Host,
            Clock::Events(_) => ClockKind::Device,
        }
    }

    /// A sample is at least this long. The host's clock ticks in tens of nanoseconds; events leave
    /// some 10 µs between the first one and the first kernel, which must vanish in the whole.
    fn sample_seconds(self) -> f64 {
        match self {
            Clock::Host | Clock::Synchronized(_) => 2e-4,
            Clock::Events(_) => 5e-3,
        }
    }

    /// Seconds that calls `start` to `start + count` take together.
    fn seconds(
        self,
        start: usize,
        count: usize,
        work: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<f64> {
        let calls = start..start + count;
        match self {
            Clock::Host => {
                let began = Instant::now();
                for k in calls {
                    work(k)?;
                }
                Ok(began.elapsed().as_secs_f64())
            }
            Clock::Synchronized(device) => {
                device.synchronize()?;
                let began = Instant::now();
                for k in calls {
                    work(k)?;
                    device.synchronize()?;
                }
                Ok(began.elapsed().as_secs_f64())
            }
            Clock::Events(device) => {
                let milliseconds = device.time_ms(|| {
                    for k in calls {
                        work(k)?;
                    }
                    Ok(())
                })?;
                Ok(milliseconds * 1e-3)
            }
        }
    }
}

/// Times `work`, which is called with 0, 1, 2, …: call k should use operand set k mod `sets`, so
/// that a cache does not serve repeats. Every set is used at least once.
pub fn time(
    effort: &Effort,
    clock: Clock<'_>,
    sets: usize,
    work: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<Timing> {
    let warm_up = clock.seconds(0, sets, work)?;
    if warm_up > effort.max_time * sets as f64 {
        // So slow that neither a cold cache nor a compiler matters.
        return Ok(summary(clock.kind(), vec![warm_up / sets as f64]));
    }
    let mut next = sets;
    let one = clock.seconds(next, 1, work)?;
    next += 1;
    let per_sample = (clock.sample_seconds() / one.max(1e-9))
        .ceil()
        .clamp(1.0, 4096.0) as usize;
    let mut samples = Vec::new();
    let began = Instant::now();
    loop {
        let seconds = clock.seconds(next, per_sample, work)?;
        next += per_sample;
        samples.push(seconds / per_sample as f64);
        let spent = began.elapsed().as_secs_f64();
        let enough = spent >= effort.min_time && samples.len() >= effort.min_samples;
        if enough || spent >= effort.max_time {
            return Ok(summary(clock.kind(), samples));
        }
    }
}

/// Times `work` on one set of operands and gives what its last call gave. What the call before gave
/// is freed in the time of each.
pub fn time_kept<T>(
    effort: &Effort,
    clock: Clock<'_>,
    work: &mut dyn FnMut() -> Result<T>,
) -> Result<(Timing, Option<T>)> {
    let mut last = None;
    let time = time(effort, clock, 1, &mut |_| {
        last = None;
        last = Some(work()?);
        Ok(())
    })?;
    Ok((time, last))
}

/// [`time_kept`] of what an engine does. On a device a call that is not timed comes first: kernels
/// are compiled once on a machine, which takes longer than most of the work.
pub fn time_on<T>(
    engine: Engine,
    effort: &Effort,
    clock: Clock<'_>,
    work: &mut dyn FnMut() -> Result<T>,
) -> Result<(Timing, Option<T>)> {
    engine.scope(|| {
        if engine != Engine::Cpu {
            work()?;
        }
        time_kept(effort, clock, work)
    })
}

/// Median and spread of at least one sample.
pub fn summary(clock: ClockKind, mut samples: Vec<f64>) -> Timing {
    // A clock that did not move gives zero, which no later division could bear.
    samples.iter_mut().for_each(|s| *s = s.max(1e-12));
    samples.sort_by(f64::total_cmp);
    Timing {
        clock,
        samples: samples.len(),
        median: quantile(&samples, 0.5),
        min: samples[0],
        p10: quantile(&samples, 0.1),
        p90: quantile(&samples, 0.9),
    }
}

/// The `q` quantile of sorted samples, between two of them by interpolation.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let position = q * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    below + (above - below) * position.fract()
}

/// Bytes read plus bytes written per second by a copy of `limbs` limbs in host memory, on all cores
/// where that is faster.
pub fn host_copy_bandwidth(effort: &Effort, limbs: usize) -> Result<f64> {
    // Below this, waking the cores costs more than the copy.
    const PARALLEL: usize = 1 << 17;
    let chunk = limbs.div_ceil(rayon::current_num_threads()).max(PARALLEL);
    let sources: Vec<Vec<u64>> = (0..3).map(|k| vec![k; limbs]).collect();
    let mut targets = sources.clone();
    let timing = time(effort, Clock::Host, 3, &mut |k| {
        let (source, target) = (&sources[k % 3], &mut targets[k % 3]);
        if limbs <= PARALLEL {
            target.copy_from_slice(source);
        } else {
            let pairs = target.par_chunks_mut(chunk).zip(source.par_chunks(chunk));
            pairs.for_each(|(target, source)| target.copy_from_slice(source));
        }
        std::hint::black_box(target);
        Ok(())
    })?;
    Ok(16.0 * limbs as f64 / timing.median)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics() {
        let samples = vec![5.0, 1.0, 3.0, 2.0, 4.0];
        let timing = summary(ClockKind::Host, samples);
        assert_eq!((timing.samples, timing.median, timing.min), (5, 3.0, 1.0));
        assert!((timing.p10 - 1.4).abs() < 1e-12 && (timing.p90 - 4.6).abs() < 1e-12);
        let one = summary(ClockKind::Device, vec![7.0]);
        assert_eq!(
            (one.median, one.min, one.p10, one.p90),
            (7.0, 7.0, 7.0, 7.0)
        );
        assert_eq!(summary(ClockKind::Host, vec![1.0, 2.0]).median, 1.5);
    }

    #[test]
    fn every_set_is_used_and_calls_are_numbered() {
        let mut calls = Vec::new();
        let timing = time(&Effort::QUICK, Clock::Host, 5, &mut |k| {
            calls.push(k);
            Ok(())
        });
        assert!(timing.unwrap().samples >= Effort::QUICK.min_samples);
        assert!(calls.len() > 5);
        assert!(calls.iter().enumerate().all(|(i, k)| i == *k));
    }

    #[test]
    fn an_error_stops_the_measurement() {
        let failed = time(&Effort::QUICK, Clock::Host, 2, &mut |k| match k {
            3 => Err(bezout::Error::DivisionByZero),
            _ => Ok(()),
        });
        assert_eq!(failed, Err(bezout::Error::DivisionByZero));
    }

    #[test]
    fn copies_take_time() {
        assert!(host_copy_bandwidth(&Effort::QUICK, 1000).unwrap() > 0.0);
    }
}
