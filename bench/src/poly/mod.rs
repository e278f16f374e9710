//! `poly`: polynomials over Z_p of 10^3 to 10^6 coefficients against FLINT, many pairs at once, and
//! the algorithms as published.
//!
//! The first answer must hold by itself (`work`), and every other one be the same: FLINT's, the
//! CPU's and the device's.

#[cfg(feature = "flint")]
mod flint;
pub mod mmm;
mod work;

use bezout::engine::EXECUTOR;
use bezout::{Engine, Poly};

use crate::Error;
use crate::contenders::ours::Lane;
#[cfg(feature = "flint")]
use crate::contenders::{FLINT, FLINT_ALL};
use crate::measure::{self, Clock, Effort};
use crate::record::{Measurement, Timing};
use crate::session::Session;
use work::{Job, Work};

/// Bits that a record counts for a coefficient.
pub const COEFFICIENT_BITS: u64 = 64;

/// A contender is left out where one run of it may take more seconds than this.
const PATIENCE: f64 = 6.0;

/// How long each is measured in a full run: the slowest take seconds.
const EFFORT: Effort = Effort {
    min_time: 0.05,
    min_samples: 5,
    max_time: 0.4,
};

/// What a run measures.
struct Sizes {
    lens: &'static [usize],
    /// Pairs of a batch, and coefficients of each.
    many: (usize, usize),
    plain_mul: usize,
    plain_gcd: usize,
}

impl Sizes {
    fn of(session: &Session) -> Sizes {
        let (lens, many, plain_mul, plain_gcd): (&[usize], _, _, _) = match &session.target {
            Some(target) if target.ordinal == EXECUTOR => (&[100, 300], (3, 50), 100, 100),
            _ if session.record.quick => (&[1000, 10_000], (64, 1000), 8000, 10_000),
            _ => (
                &[1000, 10_000, 100_000, 1_000_000],
                (4096, 1000),
                8000,
                10_000,
            ),
        };
        Sizes {
            lens,
            many,
            plain_mul,
            plain_gcd,
        }
    }

    /// Work, coefficients and pairs.
    fn jobs(&self) -> Vec<(Work, usize, usize)> {
        let works = [
            Work::Mul,
            Work::WideMul,
            Work::Square,
            Work::DivRem,
            Work::Gcd,
            Work::ExtendedGcd,
        ];
        let of = |work| self.lens.iter().map(move |len| (work, *len, 1));
        let mut jobs: Vec<_> = works.into_iter().flat_map(of).collect();
        // For the longest, cofactors would take the host half of the run.
        jobs.retain(|(work, len, _)| *work != Work::ExtendedGcd || *len <= 100_000);
        let (pairs, len) = self.many;
        jobs.extend([
            (Work::MulMany, len, pairs),
            (Work::GcdMany, len, pairs),
            (Work::PlainMul, self.plain_mul, 1),
            (Work::PlainGcd, self.plain_gcd, 1),
        ]);
        jobs
    }
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    if !session.record.quick {
        session.effort = EFFORT;
    }
    let (sizes, on_device) = (Sizes::of(session), session.target.is_some());
    let mut jobs = sizes.jobs();
    jobs.retain(|(work, len, _)| {
        COEFFICIENT_BITS * *len as u64 <= session.max_bits && (on_device || !work.is_plain())
    });
    session.expect(jobs.len());
    session.record.notes.push(format!(
        "Coefficients modulo {} where nothing else is said; operands of a gcd have a common factor \
         of degree 15. Many pairs are {} of {} coefficients, which FLINT does one after the other.",
        work::PRIME,
        sizes.many.0,
        sizes.many.1
    ));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let mut contest = Contest {
        session,
        last: Vec::new(),
        one_thread: pool.map_err(|e| Error::Threads(e.to_string()))?,
    };
    for (work, len, pairs) in jobs {
        contest.session.step(format!("{}, {len}", work.name()));
        contest.enter(&Job::new(work, len, pairs)?)?;
    }
    Ok(())
}

/// All results of one run, coefficients on the host.
type Answer = Vec<Vec<u64>>;

/// What a lane took, and what its last call gave.
type Timed = (Timing, Option<Vec<Poly>>);

struct Contest<'a> {
    session: &'a mut Session,
    /// Contenders' last lengths and times.
    last: Vec<(Work, String, usize, f64)>,
    one_thread: rayon::ThreadPool,
}

impl Contest<'_> {
    /// Measures all contenders, checks what they give, and enters it.
    fn enter(&mut self, job: &Job) -> Result<(), Error> {
        let mut known: Option<(Answer, String)> = None;
        #[cfg_attr(not(feature = "flint"), expect(unused_mut))]
        let mut baselines: Vec<(&str, Timing)> = Vec::new();
        #[cfg(feature = "flint")]
        for (name, threads) in [(FLINT, 1), (FLINT_ALL, rayon::current_num_threads())] {
            // One after the other: more threads would do nothing for short ones. What all are
            // compared with is always there.
            let alone = job.a.len() > 1 || job.work.is_plain();
            if threads > 1 && (alone || self.too_slow(job, name)) {
                continue;
            }
            let flint = flint::Flint::new(job, threads)?;
            let mut work = || Ok(flint.apply());
            let (time, found) = measure::time_kept(&self.session.effort, Clock::Host, &mut work)?;
            let read = |all: Vec<flint::Polynomial>| all.iter().map(|x| x.read()).collect();
            self.check_answer(job, name, &time, found.map(read), &mut known)?;
            baselines.push((name, time));
        }
        for lane in Lane::all(self.session.target.as_ref()) {
            let host = matches!(lane, Lane::OneThread | Lane::AllThreads);
            let name = lane.name(self.session.target.as_ref());
            if (host && job.work.is_plain()) || self.too_slow(job, &name) {
                continue;
            }
            let Some((time, found)) = self.lane(lane, job)? else {
                continue;
            };
            let found = found.map(read).transpose()?;
            self.check_answer(job, &name, &time, found, &mut known)?;
            self.session.record.measurements.push(Measurement::alone(
                job.work.name(),
                name,
                COEFFICIENT_BITS * job.len as u64,
                time,
                &baselines,
            ));
        }
        Ok(())
    }

    fn lane(&self, lane: Lane, job: &Job) -> Result<Option<Timed>, Error> {
        let effort = &self.session.effort;
        let cpu =
            || Engine::Cpu.scope(|| measure::time_kept(effort, Clock::Host, &mut || job.apply()));
        let timed = match (lane, &self.session.target) {
            (Lane::OneThread, _) => self.one_thread.install(cpu)?,
            (Lane::AllThreads, _) => cpu()?,
            (Lane::Resident, Some(target)) => {
                job.operands()
                    .try_for_each(|x| x.try_to_device(target.ordinal))?;
                let clock = if job.work.is_queued() {
                    Clock::Events(&target.device)
                } else {
                    Clock::Synchronized(&target.device)
                };
                let timed = target.engine.scope(|| {
                    // Kernels are compiled and tables made.
                    job.apply()?;
                    measure::time_kept(effort, clock, &mut || job.apply())
                })?;
                job.operands().try_for_each(Poly::try_drop_device)?;
                timed
            }
            (Lane::Transfers, Some(target)) => target.engine.scope(|| {
                measure::time_kept(effort, Clock::Host, &mut || {
                    job.operands().try_for_each(Poly::try_drop_device)?;
                    let found = job.apply()?;
                    for x in &found {
                        x.try_coefficients()?;
                    }
                    Ok(found)
                })
            })?,
            (Lane::Resident | Lane::Transfers, None) => return Ok(None),
        };
        Ok(Some(timed))
    }

    /// Whether one run of this contender may take too long, judged by its last.
    fn too_slow(&self, job: &Job, who: &str) -> bool {
        let mut of = self.last.iter().rev();
        let last = of.find(|(work, name, ..)| *work == job.work && name == who);
        last.is_some_and(|(_, _, len, seconds)| seconds * job.len as f64 / *len as f64 > PATIENCE)
    }

    /// The first answer must hold by itself; every other must be the same.
    fn check_answer(
        &mut self,
        job: &Job,
        who: &str,
        time: &Timing,
        answer: Option<Answer>,
        known: &mut Option<(Answer, String)>,
    ) -> Result<(), Error> {
        self.last
            .push((job.work, who.to_string(), job.len, time.median));
        let answer = answer.unwrap_or_default();
        let oracle = match known {
            Some((first, _)) if *first == answer => return Ok(()),
            Some((_, whose)) => whose.clone(),
            None if job.holds(&answer) => {
                *known = Some((answer, who.to_string()));
                return Ok(());
            }
            None => "what its operands give at random points".into(),
        };
        Err(Error::Verification {
            operation: job.work.name().to_string(),
            engine: who.to_string(),
            bits: COEFFICIENT_BITS * job.len as u64,
            oracle,
        })
    }
}

fn read(found: Vec<Poly>) -> Result<Answer, Error> {
    let host = |x: &Poly| Ok(x.try_coefficients()?.to_vec());
    found.iter().map(host).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tested_engines;

    #[test]
    fn every_contender_is_measured() {
        for engine in tested_engines() {
            let mut session = engine.scope(|| Session::begin("poly", true, true).unwrap());
            session.max_bits = COEFFICIENT_BITS * 1000;
            run(&mut session).unwrap();
            let record = session.finish();
            let lanes = |operation: &str| {
                let all = record.measurements.iter();
                let of = all.filter(|m| m.operation == operation);
                let least = of.clone().map(|m| m.bits).min();
                of.filter(|m| Some(m.bits) == least).count()
            };
            let on_device = engine != Engine::Cpu;
            assert_eq!(lanes("extended gcd"), if on_device { 4 } else { 2 });
            assert_eq!(lanes("gcd, many pairs"), if on_device { 4 } else { 2 });
            assert_eq!(lanes("plain mul"), if on_device { 2 } else { 0 });
        }
    }

    #[test]
    fn wrong_answers_are_refuted() {
        for work in [
            Work::Mul,
            Work::WideMul,
            Work::Square,
            Work::DivRem,
            Work::Gcd,
            Work::ExtendedGcd,
            Work::MulMany,
            Work::GcdMany,
        ] {
            let many = matches!(work, Work::MulMany | Work::GcdMany);
            let job = Job::new(work, 60, if many { 2 } else { 1 }).unwrap();
            let mut answer = read(Engine::Cpu.scope(|| job.apply()).unwrap()).unwrap();
            assert!(job.holds(&answer), "{work:?}");
            for part in 0..answer.len() {
                answer[part][0] ^= 1;
                assert!(!job.holds(&answer), "{work:?}");
                answer[part][0] ^= 1;
            }
        }
    }
}
