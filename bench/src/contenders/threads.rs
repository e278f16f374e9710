//! `threads`: products and greatest common divisors on the CPU with 1, 2, 4 … threads.

use std::time::Instant;

use bezout::Engine;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::ours::Lane;
use super::work::{Ours, Work};
use super::{Contest, EFFORT_PART, Reference, TURNS, TURNS_SECONDS, keep_best, read};
use crate::Error;
use crate::measure::{self, Clock};
use crate::record::{Measurement, Timing};
use crate::session::Session;

/// Numbers of threads that are measured where there are so many, and their columns. The largest
/// that there is stands for all threads.
pub const COUNTS: [(usize, &str); 7] = [
    (1, "1"),
    (2, "2"),
    (4, "4"),
    (8, "8"),
    (16, "16"),
    (32, "32"),
    (64, "64"),
];

/// log2 of the sizes: of products all from the first to the last, of greatest common divisors
/// these.
const PRODUCTS: [u32; 2] = [12, 26];
const GCDS: [u32; 2] = [22, 24];

/// The engine's name in records.
pub fn engine(count: usize) -> String {
    match count {
        1 => Lane::OneThread.name(None),
        _ => format!("{}, {count} threads", Engine::Cpu),
    }
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let mut contest = Contest::new(session)?;
    let cores = rayon::current_num_threads();
    let counts = COUNTS.into_iter().filter(|(count, _)| *count <= cores);
    let pools: Vec<ThreadPool> = counts
        .map(|(count, _)| ThreadPoolBuilder::new().num_threads(count).build())
        .collect::<Result<_, _>>()
        .map_err(|e| Error::Threads(e.to_string()))?;
    let (step, most) = if contest.session.record.quick {
        (4, 18)
    } else {
        (1, u32::MAX)
    };
    let products = (PRODUCTS[0]..=PRODUCTS[1]).step_by(step);
    let products = products.map(|log| (Work::Mul, log));
    let gcds = GCDS.into_iter().map(|log| (Work::Gcd, log));
    let all: Vec<(Work, u64)> = products
        .chain(gcds)
        .filter(|(_, log)| *log <= most && contest.admits(1 << log))
        .map(|(work, log)| (work, 1 << log))
        .collect();
    contest.session.expect(all.len());
    for (work, bits) in all {
        contest.with_threads(&pools, work, bits)?;
    }
    Ok(())
}

impl Contest<'_> {
    /// One kind of work at one size, in every pool by turns.
    fn with_threads(&mut self, pools: &[ThreadPool], work: Work, bits: u64) -> Result<(), Error> {
        let job = self.job(work, bits)?;
        let mut reference = Reference::default();
        let mut times: Vec<(usize, Timing)> = Vec::new();
        let effort = self.session.effort.divided(EFFORT_PART);
        let turns = if self.session.record.quick { 1 } else { TURNS };
        let began = Instant::now();
        for _ in 0..turns {
            for pool in pools {
                let count = pool.current_num_threads();
                let (time, answer) = pool.install(|| {
                    Engine::Cpu.scope(|| {
                        let ours = Ours::new(&job, work)?;
                        measure::time_kept(&effort, Clock::Host, &mut || ours.apply())
                    })
                })?;
                let answer = answer.map(|answer| answer.try_map(read)).transpose()?;
                reference.check_answer(&job, work, &engine(count), answer)?;
                keep_best(&mut times, count, time);
            }
            if began.elapsed().as_secs_f64() > TURNS_SECONDS {
                break;
            }
        }
        for (count, time) in times {
            let measured = Measurement::alone(work.name(), engine(count), bits, time, &[]);
            self.session.record.measurements.push(measured);
        }
        Ok(())
    }
}
