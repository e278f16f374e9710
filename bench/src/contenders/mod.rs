//! Products, division, radix conversion and greatest common divisors: every contender does the same
//! work on the same operands, and all answers must be the same number.

pub mod div;
mod flint;
pub mod gcd;
mod gmp;
mod malachite;
pub mod mul;
pub(crate) mod ours;
pub mod placement;
pub mod radix;
#[cfg(test)]
mod tests;
pub mod threads;
mod work;

use std::time::Instant;

use bezout::Int;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Error;
#[cfg(any(feature = "flint", feature = "gmp", feature = "malachite"))]
use crate::measure::{self, Clock};
use crate::record::{Lead, Measurement, Timing};
use crate::session::Session;
use ours::{Entry, Lane};
use work::{Answer, Job, Work};

#[cfg(feature = "flint")]
pub use flint::version as flint_version;

/// FLINT's baseline on one thread, and on as many as the machine has.
pub const FLINT: &str = "FLINT";
/// See [`FLINT`].
pub const FLINT_ALL: &str = "FLINT, all threads";

/// What runs on the host is timed in so many turns, each contender once a turn with this part of
/// the effort, and its best turn stands: a shared machine's speed wanders within seconds, and would
/// be taken for a contender's.
const TURNS: u32 = 5;
/// See [`TURNS`].
const EFFORT_PART: u32 = 3;
/// No further turn begins after so many seconds; long work sees all of a machine's speeds by
/// itself.
const TURNS_SECONDS: f64 = 4.0;

/// Time grows with at least this power of the size, so that a contender's next time can be
/// foretold.
const GROWTH: f64 = 1.15;

/// Limbs of a magnitude, least significant first, none above the highest nonzero one.
type Magnitude = Vec<u64>;

/// A library to compare with; there is none where none is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    #[cfg(feature = "malachite")]
    Malachite,
    #[cfg(feature = "gmp")]
    Gmp,
    #[cfg(feature = "flint")]
    Flint { all_threads: bool },
}

impl Library {
    fn built() -> Vec<Library> {
        vec![
            #[cfg(feature = "malachite")]
            Library::Malachite,
            #[cfg(feature = "gmp")]
            Library::Gmp,
            #[cfg(feature = "flint")]
            Library::Flint { all_threads: false },
            #[cfg(feature = "flint")]
            Library::Flint { all_threads: true },
        ]
    }

    /// FLINT's greatest common divisors are GMP's. Roots and powers are for comparing engines.
    fn does(self, work: Work) -> bool {
        match work {
            Work::Gcd | Work::Weber | Work::Cofactors => !matches!(self.name(), FLINT | FLINT_ALL),
            Work::Root | Work::Power => false,
            _ => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "malachite")]
            Library::Malachite => "malachite",
            #[cfg(feature = "gmp")]
            Library::Gmp => "GMP",
            #[cfg(feature = "flint")]
            Library::Flint { all_threads: false } => FLINT,
            #[cfg(feature = "flint")]
            Library::Flint { all_threads: true } => FLINT_ALL,
        }
    }
}

/// What is known of one job: the answer that all must give, whose it is, and what libraries and
/// host took.
#[derive(Default)]
struct Reference {
    baselines: Vec<(&'static str, Timing)>,
    host: Vec<(Lane, Timing)>,
    answer: Option<(Answer<Magnitude>, String)>,
}

/// All sizes of one benchmark.
struct Contest<'a> {
    session: &'a mut Session,
    /// Contenders' last sizes and times.
    last: Vec<(Work, String, u64, f64)>,
    one_thread: rayon::ThreadPool,
}

impl<'a> Contest<'a> {
    fn new(session: &'a mut Session) -> Result<Contest<'a>, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        Ok(Contest {
            session,
            last: Vec::new(),
            one_thread: pool.map_err(|e| Error::Threads(e.to_string()))?,
        })
    }

    /// Powers of two from 2^10 to the largest size that this run shall have; every second one from
    /// 2^20 on, and everywhere in a quick run.
    fn sizes(&self, largest: u32) -> Vec<u64> {
        let (largest, each_to) = if self.session.record.quick {
            (largest.min(22), 10)
        } else {
            (largest, 20)
        };
        let sizes = (10..=largest).filter(|log| *log <= each_to || log.is_multiple_of(2));
        let sizes = sizes.map(|log| 1 << log);
        sizes.filter(|bits| self.admits(*bits)).collect()
    }

    /// Whether the user and the host's memory admit work on numbers of so many bits. 16 times a
    /// product of two such numbers is what the slowest to give memory back need at their peak,
    /// answers to compare included.
    fn admits(&self, bits: u64) -> bool {
        let most = self
            .session
            .record
            .machine
            .memory_bytes
            .unwrap_or(u64::MAX / 64);
        bits <= self.session.max_bits && 16 * bits / 4 <= most
    }

    /// Whether one run of this contender may take too long, judged by its last. One that is never
    /// the best gets less.
    fn too_slow(&self, work: Work, who: &str, bits: u64) -> bool {
        let most = match (self.session.record.quick, who) {
            (true, _) => 1.0,
            (false, "malachite") => 1.0,
            // 50 million bits are the size that the papers ask for.
            (false, "GMP") if work == Work::Gcd => 60.0,
            (false, _) => 8.0,
        };
        let found = self
            .last
            .iter()
            .rev()
            .find(|(w, name, ..)| *w == work && name == who);
        found.is_some_and(|(_, _, size, seconds)| {
            seconds * (bits as f64 / *size as f64).powf(GROWTH) > most
        })
    }

    /// Random operands, the same in every run.
    fn job(&self, work: Work, bits: u64) -> Result<Job, Error> {
        self.session
            .step(format!("{} {}", work.name(), crate::format::size(bits)));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(bits);
        Ok(bezout::Engine::Cpu.scope(|| Job::new(work, bits, &mut rng))?)
    }

    /// [`Contest::libraries`] for numbers of at most 2^log bits; nothing is known of longer ones.
    fn libraries_up_to(&mut self, job: &Job, log: u32) -> Result<Reference, Error> {
        if job.bits <= 1 << log {
            self.libraries(job)
        } else {
            Ok(Reference::default())
        }
    }

    /// Times the libraries, and the host's lanes in turn with them, and checks that they agree.
    fn libraries(&mut self, job: &Job) -> Result<Reference, Error> {
        let mut reference = Reference::default();
        let swift = |who: &str| !self.too_slow(job.work, who, job.bits);
        let libraries: Vec<Library> = Library::built()
            .into_iter()
            .filter(|library| library.does(job.work) && swift(library.name()))
            .collect();
        let lanes = Lane::HOST
            .into_iter()
            .filter(|lane| swift(&lane.name(None)));
        let lanes: Vec<Lane> = lanes.collect();
        let effort = self.session.effort;
        self.session.effort = effort.divided(EFFORT_PART);
        let turns = if self.session.record.quick { 1 } else { TURNS };
        let began = Instant::now();
        for _ in 0..turns {
            for library in libraries.iter().copied() {
                let (time, answer) = self.library(library, job)?;
                reference.check_answer(job, job.work, library.name(), answer)?;
                keep_best(&mut reference.baselines, library.name(), time);
            }
            for lane in lanes.iter().copied() {
                let entry = ours::run(self.session, &self.one_thread, lane, job, job.work)?;
                if let Some(Entry { time, answer, .. }) = entry {
                    reference.check_answer(job, job.work, &lane.name(None), answer)?;
                    keep_best(&mut reference.host, lane, time);
                }
            }
            if began.elapsed().as_secs_f64() > TURNS_SECONDS {
                break;
            }
        }
        self.session.effort = effort;
        for (name, time) in &reference.baselines {
            self.last
                .push((job.work, name.to_string(), job.bits, time.median));
        }
        Ok(reference)
    }

    #[cfg_attr(
        not(any(feature = "flint", feature = "gmp", feature = "malachite")),
        expect(unused_variables)
    )]
    fn library(
        &self,
        library: Library,
        job: &Job,
    ) -> Result<(Timing, Option<Answer<Magnitude>>), Error> {
        match library {
            #[cfg(feature = "malachite")]
            Library::Malachite => {
                let malachite = malachite::Malachite::new(job);
                self.kept(&mut || malachite.apply(), malachite::Malachite::read)
            }
            #[cfg(feature = "gmp")]
            Library::Gmp => {
                let gmp = gmp::Gmp::new(job)?;
                self.kept(&mut || gmp.apply(), gmp::Gmp::read)
            }
            #[cfg(feature = "flint")]
            Library::Flint { all_threads } => {
                let threads = if all_threads {
                    rayon::current_num_threads()
                } else {
                    1
                };
                let flint = flint::Flint::new(job, threads)?;
                self.kept(&mut || flint.apply(), flint::Number::read)
            }
        }
    }

    /// Times `work`; its last answer as limbs.
    #[cfg(any(feature = "flint", feature = "gmp", feature = "malachite"))]
    fn kept<N>(
        &self,
        work: &mut dyn FnMut() -> bezout::Result<Answer<N>>,
        read: fn(N) -> Magnitude,
    ) -> Result<(Timing, Option<Answer<Magnitude>>), Error> {
        let (time, answer) = measure::time_kept(&self.session.effort, Clock::Host, work)?;
        let read = |a: Answer<N>| a.try_map(|x| Ok::<_, Error>(read(x)));
        Ok((time, answer.map(read).transpose()?))
    }

    /// Times `work` in every lane there is, checks the answers and enters what was found.
    fn engines(&mut self, job: &Job, work: Work, reference: &mut Reference) -> Result<(), Error> {
        let lanes = Lane::all(self.session.target.as_ref());
        self.in_lanes(&lanes, job, work, reference)
    }

    /// The same with operands that come from the host to the device each time.
    fn on_device(&mut self, job: &Job, work: Work, reference: &mut Reference) -> Result<(), Error> {
        self.in_lanes(&[Lane::Transfers], job, work, reference)
    }

    fn in_lanes(
        &mut self,
        lanes: &[Lane],
        job: &Job,
        work: Work,
        reference: &mut Reference,
    ) -> Result<(), Error> {
        for lane in lanes.iter().copied() {
            let name = lane.name(self.session.target.as_ref());
            if self.too_slow(work, &name, job.bits) {
                continue;
            }
            let timed = reference.host.iter().find(|(timed, _)| *timed == lane);
            if let Some((_, time)) = timed.filter(|_| work == job.work) {
                let entry = Entry::of_host(*time);
                self.enter(job, work, name, entry, &reference.baselines);
                continue;
            }
            let mut entry = match ours::run(self.session, &self.one_thread, lane, job, work) {
                // Too small to be resident.
                Ok(None) => continue,
                Ok(Some(entry)) => entry,
                Err(Error::Library(
                    e @ (bezout::Error::DeviceMemory { .. }
                    | bezout::Error::Memory { .. }
                    | bezout::Error::TooLarge { .. }),
                )) => {
                    let size = crate::format::size(job.bits);
                    let note = format!("{} on {name} at {size} bits: {e}", work.name());
                    self.session.record.notes.push(note);
                    continue;
                }
                Err(e) => return Err(e),
            };
            reference.check_answer(job, work, &name, entry.answer.take())?;
            self.enter(job, work, name, entry, &reference.baselines);
        }
        Ok(())
    }

    /// Enters what a lane took, its answer checked.
    fn enter(
        &mut self,
        job: &Job,
        work: Work,
        name: String,
        entry: Entry,
        baselines: &[(&'static str, Timing)],
    ) {
        let time = entry.time;
        self.last.push((work, name.clone(), job.bits, time.median));
        let product = self.median(Work::Mul, &name, job.bits);
        let held = |bytes| bytes as f64 / job.operand_bytes() as f64;
        self.session.record.measurements.push(Measurement {
            share_of_limit: entry.share_of_limit,
            device_memory: entry.peak_bytes.map(held),
            products: product
                .filter(|_| work != Work::Mul)
                .map(|p| time.median / p),
            ..Measurement::alone(work.name(), name, job.bits, time, baselines)
        });
    }

    fn median(&self, work: Work, engine: &str, bits: u64) -> Option<f64> {
        let measured = self.session.record.measurements.iter();
        let mut found =
            measured.filter(|m| m.operation == work.name() && m.engine == engine && m.bits == bits);
        found.next().map(|m| m.time.median)
    }

    /// Enters from which size on the device, transfers included, is ahead of all that runs on the
    /// host.
    fn lead(&mut self, work: Work) {
        let name = Lane::Transfers.name(self.session.target.as_ref());
        if self.session.target.is_none() {
            return;
        }
        let record = &self.session.record;
        let of_work = || {
            record
                .measurements
                .iter()
                .filter(|m| m.operation == work.name())
        };
        let mut points = Vec::new();
        for device in of_work().filter(|m| m.engine == name) {
            let engines = of_work()
                .filter(|m| m.bits == device.bits && m.engine.starts_with("cpu"))
                .map(|m| (m.engine.as_str(), m.time.median));
            let libraries = device
                .baselines
                .iter()
                .map(|b| (b.name.as_str(), b.time.median));
            let best = engines.chain(libraries).min_by(|x, y| x.1.total_cmp(&y.1));
            if let Some((rival, best)) = best {
                points.push((device.bits, best / device.time.median, rival.to_string()));
            }
        }
        points.sort_by_key(|p| p.0);
        let behind = points.iter().rposition(|p| p.1 <= 1.0);
        let first = points.get(behind.map_or(0, |last| last + 1));
        let lead = Lead {
            operation: work.name().to_string(),
            engine: name,
            bits: first.map(|p| p.0),
            always: behind.is_none() && first.is_some(),
            rival: first
                .or(points.last())
                .map(|p| p.2.clone())
                .unwrap_or_default(),
        };
        self.session.record.leads.push(lead);
    }
}

/// Keeps the time of `who`'s best turn.
pub fn keep_best<W: PartialEq>(times: &mut Vec<(W, Timing)>, who: W, time: Timing) {
    match times.iter_mut().find(|(known, _)| *known == who) {
        Some((_, best)) if best.median <= time.median => {}
        Some((_, best)) => *best = time,
        None => times.push((who, time)),
    }
}

impl Reference {
    /// The first answer must hold by itself; every other must be the same.
    fn check_answer(
        &mut self,
        job: &Job,
        work: Work,
        who: &str,
        answer: Option<Answer<Magnitude>>,
    ) -> Result<(), Error> {
        let refuted = |oracle: &str| Error::Verification {
            operation: work.name().to_string(),
            engine: who.to_string(),
            bits: job.bits,
            oracle: oracle.to_string(),
        };
        let by_residues = "what its operands give modulo a random prime";
        let answer = answer.ok_or_else(|| refuted(by_residues))?;
        match &self.answer {
            Some((known, _)) if *known == answer => Ok(()),
            Some((_, whose)) => Err(refuted(whose)),
            None if job.holds(&answer)? => {
                self.answer = Some((answer, who.to_string()));
                Ok(())
            }
            None => Err(refuted(by_residues)),
        }
    }
}

/// The magnitude of a result of the library's, fetched from its device.
fn read(x: Int) -> bezout::Result<Magnitude> {
    x.try_fetch()?;
    Ok(x.into_limbs())
}
