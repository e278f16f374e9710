//! One run of one benchmark: the record being filled, the device if there is one, and the way every
//! operation is measured and verified.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bezout::Engine;
use bezout::Int;
use bezout::cuda::{self, Device};
use indicatif::{ProgressBar, ProgressStyle};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

#[cfg(feature = "gmp")]
use crate::baseline::gmp::{Gmp, Room};
#[cfg(feature = "malachite")]
use crate::baseline::malachite::{self, Malachite};
use crate::measure::{self, Clock, Effort};
use crate::operation::{Answer, Operands, Operation};
use crate::plain::Number;
use crate::record::{CopyBandwidth, LaunchShape, Measurement, Record, Reproduced, SCHEMA, Timing};
use crate::{Error, device, machine};

/// The oracle's name where an answer is known from its definition.
pub const DEFINITION: &str = "what it is by definition";

/// Benchmarks that have no GPU part, so that its absence is not worth a note: `wtm` counts steps,
/// which are the same on every engine.
const WITHOUT_GPU_PART: [&str; 1] = ["wtm"];

/// The device under test.
#[derive(Clone)]
pub struct Target {
    /// The device.
    pub device: Arc<Device>,
    /// The engine that runs on it.
    pub engine: Engine,
    /// The device's number.
    pub ordinal: u32,
}

/// A run.
pub struct Session {
    /// What was measured so far.
    pub record: Record,
    /// How long to measure.
    pub effort: Effort,
    /// Numbers of more bits are left out.
    pub max_bits: u64,
    /// The device under test, if there is one.
    pub target: Option<Target>,
    copies: Vec<CopyBandwidth>,
    progress: ProgressBar,
}

/// Operands of one size: enough pairs that neither the device's second-level cache nor the host's
/// serves repeats.
pub struct Sets {
    /// Bits of each operand.
    pub bits: u64,
    /// The pairs.
    pub pairs: Vec<(Int, Int)>,
    copy: CopyBandwidth,
    #[cfg(feature = "malachite")]
    malachite: Vec<Malachite>,
    #[cfg(feature = "gmp")]
    gmp: Vec<Gmp>,
}

/// How an operation on a device is timed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// The host waits for each result.
    Alone,
    /// The host queues them; only operations whose result stays on the device can be.
    Queued,
}

/// What other libraries take on one core, and the answers that every engine must give.
pub struct Reference {
    baselines: Vec<(&'static str, Timing)>,
    answers: Vec<Answer<Number>>,
}

impl Session {
    /// A new run on the engine in force.
    pub fn begin(benchmark: &str, quick: bool, quiet: bool) -> Result<Session, Error> {
        let mut notes = Vec::new();
        let target = match Engine::current() {
            Engine::Cpu => Err("the engine is cpu".to_string()),
            Engine::Cuda(n) => Ok(n),
            // Whatever keeps the first device from opening is what the user must hear.
            Engine::Auto => cuda::device(0).map(|_| 0).map_err(|e| e.to_string()),
        };
        let target = match target {
            Ok(ordinal) => Some(Target {
                device: cuda::device(ordinal)?,
                engine: Engine::Cuda(ordinal),
                ordinal,
            }),
            Err(reason) => {
                if !WITHOUT_GPU_PART.contains(&benchmark) {
                    notes.push(format!("The GPU part was not run: {reason}"));
                }
                None
            }
        };
        let progress = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(0)
        };
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg:<32}");
        progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        progress.set_prefix(benchmark.to_string());
        progress.enable_steady_tick(Duration::from_millis(200));
        let (commit, dirty) = machine::commit();
        let record = Record {
            schema: SCHEMA,
            benchmark: benchmark.to_string(),
            quick,
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit,
            dirty,
            date: machine::date(),
            machine: machine::host(),
            device: target.as_ref().map(|t| machine::device(&t.device)),
            versions: machine::versions(),
            copy: CopyBandwidth::default(),
            notes,
            measurements: Vec::new(),
            chains: Vec::new(),
            sweeps: Vec::new(),
            crossovers: Vec::new(),
            leads: Vec::new(),
            reproduced: Vec::new(),
        };
        Ok(Session {
            record,
            max_bits: u64::MAX,
            effort: if quick { Effort::QUICK } else { Effort::FULL },
            target,
            copies: Vec::new(),
            progress,
        })
    }

    /// The finished record.
    pub fn finish(self) -> Record {
        self.progress.finish_and_clear();
        self.record
    }

    /// Announces how many steps there will be.
    pub fn expect(&self, steps: usize) {
        self.progress.set_length(steps as u64);
    }

    /// One more step has begun.
    pub fn step(&self, what: String) {
        self.progress.set_message(what);
        self.progress.inc(1);
    }

    /// Enters a value of a paper's figure or table, and ours.
    pub fn reproduce(
        &mut self,
        figure: &str,
        quantity: &str,
        x: f64,
        paper: Option<f64>,
        here: Option<f64>,
    ) {
        self.record.reproduced.push(Reproduced {
            figure: figure.into(),
            quantity: quantity.into(),
            x,
            paper,
            here,
        });
    }

    /// Operands of `bits` bits, on the host and on the device under test.
    pub fn sets(&mut self, operands: Operands, bits: u64) -> Result<Sets, Error> {
        // Three times the larger of the device's cache and what one core of a server can call its
        // own; three pairs at least. More than 64 pairs of small values would measure the host's
        // page tables.
        const CACHE: u64 = 64 << 20;
        let l2 = self.record.device.as_ref().map_or(0, |d| d.l2_bytes);
        let most = match operands {
            Operands::Product => 3,
            _ if self.record.quick => 6,
            _ => 64,
        };
        let pairs = (3 * l2.max(CACHE) / bits.div_ceil(4)).clamp(3, most);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(bits);
        let make = |_| Engine::Cpu.scope(|| operands.pair(bits, &mut rng));
        let pairs: Vec<(Int, Int)> = (0..pairs).map(make).collect::<bezout::Result<_>>()?;
        #[cfg(feature = "malachite")]
        let malachite = pairs
            .iter()
            .map(|(a, b)| Malachite::new(a, b, bits))
            .collect();
        #[cfg(feature = "gmp")]
        let gmp = pairs
            .iter()
            .map(|(a, b)| Gmp::new(a, b, bits))
            .collect::<bezout::Result<_>>()?;
        let copy = self.copy_bandwidth(bits)?;
        Ok(Sets {
            bits,
            pairs,
            copy,
            #[cfg(feature = "malachite")]
            malachite,
            #[cfg(feature = "gmp")]
            gmp,
        })
    }

    /// Measures plain copies of `bits` bits, once in a run; the largest stands in the record.
    fn copy_bandwidth(&mut self, bits: u64) -> Result<CopyBandwidth, Error> {
        if let Some(known) = self.copies.iter().find(|c| c.bits == bits) {
            return Ok(*known);
        }
        let on_device = match &self.target {
            Some(target) => Some(device::copy_bandwidth(&target.device, bits)?),
            None => None,
        };
        let copy = CopyBandwidth {
            bits,
            host: measure::host_copy_bandwidth(&self.effort, device::limbs(bits))?,
            device: on_device,
        };
        if copy.bits > self.record.copy.bits {
            self.record.copy = copy;
        }
        self.copies.push(copy);
        Ok(copy)
    }

    /// Measures `operation` by the libraries that are built in, on the CPU engine, and on the
    /// device if the operands can be resident there; checks every result and enters what was found.
    pub fn operation(
        &mut self,
        operation: Operation,
        sets: &mut Sets,
        timed: Timed,
    ) -> Result<(), Error> {
        let reference = self.reference(operation, sets)?;
        let work = |a: &Int, b: &Int| operation.apply(a, b, sets.bits);
        let time = self.verified(operation, Engine::Cpu, Clock::Host, sets, &reference, &work)?;
        self.enter(operation, Engine::Cpu, None, sets, time, &reference);
        let Some(target) = self.target.clone() else {
            return Ok(());
        };
        if !target.put_on_device(sets)? {
            return Ok(());
        }
        let to_host = matches!(operation, Operation::Hamming | Operation::Compare);
        let time = if timed == Timed::Alone || to_host {
            let clock = Clock::Synchronized(&target.device);
            self.verified(operation, target.engine, clock, sets, &reference, &work)?
        } else if operation == Operation::Popcount {
            let shape = LaunchShape {
                block: None,
                grid: None,
            };
            self.shaped(operation, &target, shape, sets, &reference)?
        } else {
            let clock = Clock::Events(&target.device);
            self.verified(operation, target.engine, clock, sets, &reference, &work)?
        };
        self.enter(operation, target.engine, None, sets, time, &reference);
        Ok(())
    }

    /// Times a launch of chosen shape on operands that are resident, and checks what it gives.
    pub fn shaped(
        &self,
        operation: Operation,
        target: &Target,
        shape: LaunchShape,
        sets: &Sets,
        reference: &Reference,
    ) -> Result<Timing, Error> {
        let clock = Clock::Events(&target.device);
        self.verified(operation, target.engine, clock, sets, reference, &|a, b| {
            device::queue(&target.device, operation, a, b, shape).map(Answer::Value)
        })
    }

    /// The answers by definition, and what one core takes with each library that is built in, whose
    /// answers must be the same.
    pub fn reference(&self, operation: Operation, sets: &mut Sets) -> Result<Reference, Error> {
        let bits = sets.bits;
        let by_definition = |(a, b): &(Int, Int)| {
            let (a, b) = (Number::of(a)?, Number::of(b)?);
            Ok::<_, Error>(operation.by_definition(&a, &b, bits))
        };
        let answers: Vec<_> = sets
            .pairs
            .iter()
            .map(by_definition)
            .collect::<Result<_, _>>()?;
        #[cfg_attr(not(any(feature = "gmp", feature = "malachite")), expect(unused_mut))]
        let mut baselines = Vec::new();
        #[cfg(feature = "malachite")]
        {
            let (name, count) = ("malachite", sets.malachite.len());
            let mut given = vec![None; count];
            let time = measure::time(&self.effort, Clock::Host, count, &mut |k| {
                given[k % count] = Some(sets.malachite[k % count].apply(operation));
                Ok(())
            })?;
            for (given, answer) in given.iter().flatten().zip(&answers) {
                if !malachite::agrees(given, answer) {
                    return Err(refuted(operation.name(), name, bits, DEFINITION));
                }
            }
            baselines.push((name, time));
        }
        #[cfg(feature = "gmp")]
        for (name, room) in [("GMP", Room::New), ("GMP in place", Room::Reused)] {
            let count = sets.gmp.len();
            let mut given = vec![None; count];
            let time = measure::time(&self.effort, Clock::Host, count, &mut |k| {
                given[k % count] = std::hint::black_box(sets.gmp[k % count].apply(operation, room));
                Ok(())
            })?;
            for ((gmp, given), answer) in sets.gmp.iter().zip(&given).zip(&answers) {
                if !gmp.agrees(given, answer) {
                    return Err(refuted(operation.name(), name, bits, DEFINITION));
                }
            }
            baselines.push((name, time));
        }
        Ok(Reference { baselines, answers })
    }

    /// Times `work` on `engine` and checks the answer for every pair of operands.
    pub fn verified(
        &self,
        operation: Operation,
        engine: Engine,
        clock: Clock<'_>,
        sets: &Sets,
        reference: &Reference,
        work: &dyn Fn(&Int, &Int) -> bezout::Result<Answer<Int>>,
    ) -> Result<Timing, Error> {
        let count = sets.pairs.len();
        let mut answers = vec![None; count];
        let time = engine.scope(|| {
            measure::time(&self.effort, clock, count, &mut |k| {
                let (a, b) = &sets.pairs[k % count];
                answers[k % count] = Some(work(a, b)?);
                Ok(())
            })
        })?;
        for (answer, wanted) in answers.iter().flatten().zip(&reference.answers) {
            if !answer.agrees(wanted)? {
                let engine = engine.to_string();
                return Err(refuted(operation.name(), &engine, sets.bits, DEFINITION));
            }
        }
        Ok(time)
    }

    /// Enters one measurement.
    pub fn enter(
        &mut self,
        operation: Operation,
        engine: Engine,
        shape: Option<LaunchShape>,
        sets: &Sets,
        time: Timing,
        reference: &Reference,
    ) {
        let bytes_moved = operation.bytes_moved(sets.bits);
        let bandwidth = bytes_moved.map(|bytes| bytes as f64 / time.median);
        let copy = match engine {
            Engine::Cuda(_) => sets.copy.device,
            _ => Some(sets.copy.host),
        };
        let (name, engine) = (operation.name(), engine.to_string());
        self.record.measurements.push(Measurement {
            shape,
            bytes_moved,
            bandwidth,
            share_of_copy: bandwidth.zip(copy).map(|(ours, copy)| ours / copy),
            ..Measurement::alone(name, engine, sets.bits, time, &reference.baselines)
        });
    }
}

impl Target {
    /// Puts the operands on the device. False where they are too small to be kept there, so that
    /// every operation would move them again.
    pub fn put_on_device(&self, sets: &Sets) -> Result<bool, Error> {
        for (a, b) in &sets.pairs {
            a.try_to_device(self.ordinal)?;
            b.try_to_device(self.ordinal)?;
        }
        Ok(sets.pairs.iter().all(|(a, _)| a.is_on_device()))
    }
}

/// The engines that tests measure on: the CPU, and the executor where it is built in.
#[cfg(test)]
pub fn tested_engines() -> impl Iterator<Item = Engine> {
    let engines = [Engine::Cpu, Engine::Cuda(bezout::engine::EXECUTOR)];
    let usable = Engine::usable();
    engines.into_iter().filter(move |e| usable.contains(e))
}

/// The error for a result that differs from what `oracle` says.
pub fn refuted(operation: &str, engine: &str, bits: u64, oracle: &str) -> Error {
    Error::Verification {
        operation: operation.to_string(),
        engine: engine.to_string(),
        bits,
        oracle: oracle.to_string(),
    }
}
