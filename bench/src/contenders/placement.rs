//! `placement`: what `auto` takes beside the CPU and a device, from the host and back to it.

use std::time::Instant;

use bezout::{Engine, Int};

use super::ours::host_to_host;
use super::work::{Ours, Work};
use super::{Contest, EFFORT_PART, Reference, TURNS, TURNS_SECONDS, keep_best, read};
use crate::Error;
use crate::measure::{self, Clock};
use crate::record::{Measurement, Timing};
use crate::session::Session;

/// Kinds of work, and log2 of the largest size.
const ALL: [(Work, u32); 9] = [
    (Work::Mul, 30),
    (Work::Square, 30),
    (Work::DivRem, 30),
    (Work::Root, 30),
    (Work::Power, 30),
    (Work::ToDecimal, 30),
    (Work::FromDecimal, 30),
    (Work::Gcd, 26),
    (Work::Cofactors, 26),
];

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let mut contest = Contest::new(session)?;
    let mut all = Vec::new();
    for (work, largest) in ALL {
        all.extend(contest.sizes(largest).into_iter().map(|bits| (work, bits)));
    }
    contest.session.expect(all.len());
    let device = contest.session.target.as_ref().map(|target| target.engine);
    let mut engines = vec![Engine::Cpu];
    engines.extend(device);
    engines.push(Engine::Auto);
    for (work, bits) in all {
        contest.on_engines(&engines, work, bits)?;
    }
    Ok(())
}

impl Contest<'_> {
    /// One kind of work at one size, on every engine by turns.
    fn on_engines(&mut self, engines: &[Engine], work: Work, bits: u64) -> Result<(), Error> {
        // Work that takes an engine too long is left out, and with it what `auto` would be held
        // against.
        let is_too_slow = |engine: &Engine| self.too_slow(work, &engine.to_string(), bits);
        if engines.iter().any(is_too_slow) {
            return Ok(());
        }
        let job = self.job(work, bits)?;
        let moved: [&Int; 2] = [&job.a, &job.b];
        let mut reference = Reference::default();
        let mut times: Vec<(Engine, Timing)> = Vec::new();
        let effort = self.session.effort.divided(EFFORT_PART);
        let turns = if self.session.record.quick { 1 } else { TURNS };
        let began = Instant::now();
        for _ in 0..turns {
            for engine in engines.iter().copied() {
                let (time, answer) = engine.scope(|| {
                    let ours = Ours::new(&job, work)?;
                    // Kernels are compiled and tables made before.
                    host_to_host(&ours, &moved)?;
                    let mut call = || host_to_host(&ours, &moved);
                    measure::time_kept(&effort, Clock::Host, &mut call)
                })?;
                let answer = answer.map(|answer| answer.try_map(read)).transpose()?;
                reference.check_answer(&job, work, &engine.to_string(), answer)?;
                keep_best(&mut times, engine, time);
            }
            if began.elapsed().as_secs_f64() > TURNS_SECONDS / 8.0 {
                break;
            }
        }
        for (engine, time) in times {
            let name = engine.to_string();
            self.last.push((work, name.clone(), bits, time.median));
            let measured = Measurement::alone(work.name(), name, bits, time, &[]);
            self.session.record.measurements.push(measured);
        }
        Ok(())
    }
}
