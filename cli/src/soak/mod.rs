//! `bezout soak`: random operations on one engine against another, against GMP, or against checks
//! of their own, for as long as it is told to.

#[cfg(feature = "gmp")]
mod gmp;
mod judge;
mod linear;
mod operation;
mod polynomials;
mod products;
mod report;
mod residues;
mod rows;
mod sample;
mod sorting;
#[cfg(test)]
mod tests;
mod text;
mod theory;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bezout::{Engine, cuda, engine, progress};
use rand::rngs::SysRng;
use rand::{RngExt, SeedableRng, TryRng};

use crate::args::{self, Global};
use crate::failure::Failure;
use crate::interrupt;
use judge::{Against, Verdict, judge};
use operation::{Case, Operation};
use report::{Bar, Report};
use sample::{Rng, Sizes};

/// Of so many cases one is made wrong with `--plant`.
const PLANTED: u64 = 100;

/// How often the time and interrupts are looked at.
const TICK: Duration = Duration::from_millis(50);

/// Arguments of `soak`.
#[derive(Debug, clap::Args)]
pub struct Soak {
    /// How long to go on, in minutes, such as 10 or 0.5
    #[arg(long, value_name = "M", value_parser = minutes)]
    #[arg(required_unless_present_any = ["cases", "sizes", "replay"])]
    pub minutes: Option<Duration>,
    /// The seed of the list of cases, decimal or 0x... [default: another each time]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// Only these operations, with commas between them; 'linear' for all linear ones
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = operation::chosen)]
    pub operations: Vec<&'static [Operation]>,
    /// So many cases of each operation, and of each size with --sizes; then it ends
    #[arg(long, value_name = "N", value_parser = args::count)]
    pub cases: Option<u64>,
    /// Operands of these lengths in bits, such as 2^10,5000 or 2^4..2^25 for all powers of two
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = sample::lengths)]
    #[arg(requires = "cases", conflicts_with = "max_bits")]
    pub sizes: Vec<Vec<u64>>,
    /// The longest operands, in bits, such as 2^20
    #[arg(long, value_name = "BITS", default_value = "2^24", value_parser = args::bits)]
    pub max_bits: u64,
    /// What to compare with: check, gmp, cpu, cuda or cuda:N [default: gmp if built in, else check]
    #[arg(long, value_name = "WHAT", value_parser = Against::parse)]
    pub against: Option<Against>,
    /// Go on after a wrong result or a failure
    #[arg(long)]
    pub keep_going: bool,
    /// Run this one case, as OPERATION:BITS:SEED
    #[arg(long, value_name = "CASE", value_parser = Case::parse)]
    #[arg(conflicts_with_all = ["minutes", "seed", "operations", "max_bits", "cases"])]
    pub replay: Option<Case>,
    /// Make a result in a hundred wrong, to see that it is noticed
    #[arg(long, hide = true)]
    pub plant: bool,
}

/// Minutes, and fractions of them.
fn minutes(text: &str) -> Result<Duration, String> {
    let minutes = text.parse::<f64>().ok();
    let sane = minutes.filter(|minutes| *minutes > 0.0 && *minutes <= 1e6);
    let minutes = sane.ok_or("not a number of minutes, such as 10 or 0.5")?;
    Ok(Duration::from_secs_f64(60.0 * minutes))
}

/// A seed in decimal, or in hexadecimal after 0x, as the report has it.
fn seed(text: &str) -> Result<u64, String> {
    let seed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    seed.map_err(|_| "not a number from 0 to 2^64 - 1, decimal or 0x...".into())
}

/// Runs the command.
pub fn run(options: &Soak, global: &Global) -> Result<(), Failure> {
    let against = options.against.unwrap_or(Against::DEFAULT);
    if let Against::Engine(engine) = against {
        if engine == global.engine {
            let message = format!("engine {engine} is compared with itself");
            return Err(Failure::bad_input(message).hint("name another one with --against"));
        }
        if let Engine::Cuda(n) = engine {
            cuda::device(n)?;
        }
    }
    let sizes = options.sizes.concat();
    let each = Each {
        cases: options.cases,
        sizes,
    };
    let report = Report::new(global.engine, against, options.plant, each);
    if let Some(case) = &options.replay {
        let start = Instant::now();
        report.record(case, judge(case, global.engine, against, options.plant));
        let end = End {
            asked: Some(1),
            is_complete: true,
        };
        return report.print(None, start.elapsed(), end, global);
    }
    let seed = match options.seed {
        Some(seed) => seed,
        None => SysRng.try_next_u64().map_err(|error| {
            Failure::failed(format!("no random seed: {error}")).hint("give one with --seed")
        })?,
    };
    interrupt::listen(None)?;
    let start = Instant::now();
    let end = soak(options, seed, &report, global)?;
    report.print(Some(seed), start.elapsed(), end, global)
}

/// Judges cases on all threads, each with a stream of its own, until there were all, the time is
/// up, an interrupt comes, or one is not right.
fn soak(options: &Soak, seed: u64, report: &Report, global: &Global) -> Result<End, Failure> {
    let operations: Vec<&Operation> = if options.operations.is_empty() {
        operation::all().collect()
    } else {
        options.operations.iter().copied().flatten().collect()
    };
    let plan = CaseList {
        seed,
        operations,
        sizes: Sizes::new(options.max_bits.max(1)),
        each: &report.each,
    };
    let total = plan.total();
    let next = AtomicU64::new(0);
    let at_work = AtomicUsize::new(0);
    let is_over = Arc::new(AtomicBool::new(false));
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if total.is_some_and(|total| number >= total) {
                break;
            }
            let case = plan.case(number);
            let is_spoiled = options.plant && number % PLANTED == PLANTED - 1;
            let verdict = judge(&case, report.engine, report.against, is_spoiled);
            let is_right = matches!(verdict, Verdict::Right | Verdict::Stopped);
            report.record(&case, verdict);
            if !is_right && !options.keep_going {
                is_over.store(true, Ordering::Relaxed);
            }
        }
        at_work.fetch_sub(1, Ordering::Relaxed);
    };
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = global.threads.map_or_else(cores, usize::from);
    let deadline = options.minutes.map(|minutes| Instant::now() + minutes);
    let bar = Bar::new(options.minutes.unwrap_or_default(), total, global);
    let is_time_up = thread::scope(|scope| {
        for stream in 0..threads {
            let ended = is_over.clone();
            // A long operation that is not done in time is cancelled.
            let observer = move |_| {
                if ended.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let work = &work;
            at_work.fetch_add(1, Ordering::Relaxed);
            let started = thread::Builder::new().spawn_scoped(scope, move || {
                engine::on_stream(stream, || progress::scope(observer, work))
            });
            if let Err(error) = started {
                is_over.store(true, Ordering::Relaxed);
                return Err(
                    Failure::failed(format!("cannot start {threads} threads: {error}"))
                        .hint("use fewer threads (--threads N)"),
                );
            }
        }
        let left = || deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let mut is_time_up = false;
        while !is_over.load(Ordering::Relaxed) && at_work.load(Ordering::Relaxed) > 0 {
            let left = left().unwrap_or(TICK);
            is_time_up = left.is_zero();
            if is_time_up || interrupt::is_requested() {
                is_over.store(true, Ordering::Relaxed);
            } else {
                bar.draw(report);
                thread::sleep(TICK.min(left));
            }
        }
        bar.clear();
        Ok(is_time_up)
    })?;
    Ok(End {
        asked: total,
        // A list that ends is complete with its last case, any other with its time.
        is_complete: total.map_or(is_time_up, |total| report.judged() == total),
    })
}

/// How a run ended.
#[derive(Debug, Clone, Copy)]
struct End {
    /// How many cases were asked for; none where only the time limits them.
    asked: Option<u64>,
    /// Whether all cases that were asked for were judged, or the time that was asked for was used.
    is_complete: bool,
}

/// How many cases there are, where that is asked for.
#[derive(Debug, Default)]
struct Each {
    /// Cases of each operation, and of each size where there are sizes.
    cases: Option<u64>,
    /// Lengths of operands, in bits; drawn where there are none.
    sizes: Vec<u64>,
}

/// The list of cases, which does not depend on threads or time.
struct CaseList<'a> {
    seed: u64,
    operations: Vec<&'static Operation>,
    sizes: Sizes,
    each: &'a Each,
}

impl CaseList<'_> {
    /// How many cases there are; none where the list does not end.
    fn total(&self) -> Option<u64> {
        let rounds = self.operations.len() as u64 * self.each.sizes.len().max(1) as u64;
        (self.each.cases).map(|cases| cases.saturating_mul(rounds))
    }

    /// The case of this number.
    fn case(&self, number: u64) -> Case {
        // Consecutive numbers must not give related streams: the generator's seeding mixes well,
        // and an odd factor keeps lists of neighbouring seeds apart.
        let stream = self
            .seed
            .wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut rng = Rng::seed_from_u64(stream);
        // Where the cases of each operation are counted, operations and sizes take turns.
        let count = self.operations.len();
        let turn = number / count as u64;
        let operation = match self.each.cases {
            Some(_) => self.operations[(number % count as u64) as usize],
            None => self.operations[rng.random_range(0..count)],
        };
        let bits = match &self.each.sizes[..] {
            [] => self.sizes.draw(&mut rng),
            sizes => sizes[(turn % sizes.len() as u64) as usize],
        };
        Case {
            operation,
            bits: bits.min(operation.most_bits),
            seed: rng.random(),
        }
    }
}
