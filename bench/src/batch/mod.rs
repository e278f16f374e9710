//! `batch`: arithmetic on many rows of 64 to 32768 bits, in numbers a second, against GMP on all
//! cores and beside what CGBN did in a run of its own, which `bench/baselines/cgbn-h200.json` has
//! with its source, device and date.
//!
//! Times are for one row. Rows on the device stay there; "mul, in registers" repeats a product of
//! the low half in one kernel, as CGBN's own benchmark does, so that memory does not count. Some
//! rows of the CPU are checked by definition; rows that the CPU computed too are compared with it,
//! and those of GMP with both.

mod definition;

use std::ops::RangeInclusive;

use bezout::engine::EXECUTOR;
use bezout::{Batch, Engine, Result, Rows};
use bezout_lab::measure as internals;
use serde::Deserialize;

use crate::Error;
use crate::measure::{self, Clock};
use crate::record::{Measurement, Reproduced, Timing};
use crate::session::{DEFINITION, Session, Target, refuted};

/// GMP on all cores.
pub const GMP: &str = "GMP";
/// What CGBN does on an H200; rows a second, not of this run.
pub const CGBN: &str = "CGBN, H200";

/// Bits of short exponents: those of CGBN's performance tests.
const SHORT: u64 = 512;

/// Most bits of a row that powers are measured with.
const LONGEST_POWER: u64 = 8192;

/// Products in one kernel of the rate in registers.
const TIMES: u32 = 256;

/// An operation on rows a and b, modulo odd rows n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Mul,
    MulInRegisters,
    DivRem,
    Sqrt,
    Gcd,
    Inverse,
    Power,
    PowerShort,
    Prime,
}

const ALL: [Work; 9] = [
    Work::Mul,
    Work::MulInRegisters,
    Work::DivRem,
    Work::Sqrt,
    Work::Gcd,
    Work::Inverse,
    Work::Power,
    Work::PowerShort,
    Work::Prime,
];

/// Rates that were measured in another run, with where they come from.
#[derive(Deserialize)]
struct Baseline {
    source: String,
    device: String,
    date: String,
    exponent_bits: u64,
    rates: Vec<Rate>,
}

#[derive(Deserialize)]
struct Rate {
    /// As [`Work::name`] has it.
    operation: String,
    bits: u64,
    per_second: f64,
}

impl Baseline {
    fn cgbn() -> Baseline {
        let text = include_str!("../../baselines/cgbn-h200.json");
        serde_json::from_str(text).expect("a test reads the file")
    }
}

/// Where CGBN's rates come from, for readers of the tables.
pub fn cgbn_source() -> String {
    let Baseline {
        source,
        device,
        date,
        exponent_bits,
        ..
    } = Baseline::cgbn();
    format!(
        "CGBN's rates are not of this run. They are those of {source}, on an {device} on {date}, \
         with exponents of {exponent_bits} bits (bench/baselines/cgbn-h200.json)."
    )
}

struct Operands {
    a: Batch,
    b: Batch,
    n: Batch,
    /// Exponents of SHORT bits.
    short: Batch,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Work::Mul => "mul",
            Work::MulInRegisters => "mul, in registers",
            Work::DivRem => "divrem",
            Work::Sqrt => "sqrt",
            Work::Gcd => "gcd",
            Work::Inverse => "inverse",
            Work::Power => "powmod",
            Work::PowerShort => "powmod, exponents of 512 bits",
            Work::Prime => "is prime",
        }
    }

    /// Bits of all rows together on a device, and on the host: what it can do in some tens of
    /// milliseconds.
    fn bits(self, size: u64) -> (u64, u64) {
        match self {
            Work::Mul | Work::MulInRegisters => (1 << 29, 1 << 24),
            Work::DivRem | Work::Gcd => (1 << 28, 1 << 21),
            Work::Sqrt | Work::Inverse => (1 << 27, 1 << 21),
            // Cubic in the size of a row. A device needs some ten thousand rows to be busy.
            Work::Power | Work::PowerShort | Work::Prime => {
                let less = (size / 1024).max(1).ilog2();
                let on_device = (1u64 << 27) >> less.saturating_sub(1);
                (on_device, ((1 << 17) >> (2 * less)).max(size))
            }
        }
    }

    /// Fewest rows on the host. Powers have eight rows for each thread, where that takes no
    /// minutes: vectors of the CPU have as many lanes.
    fn fewest(self, size: u64) -> u64 {
        match self {
            Work::Power | Work::PowerShort if size <= 4096 => {
                8 * rayon::current_num_threads() as u64
            }
            _ => 4,
        }
    }

    /// Bits of rows that it is measured with: a power of a longer row is a second's work of many
    /// rows together.
    fn sizes(self) -> RangeInclusive<u64> {
        match self {
            Work::PowerShort => SHORT + 1..=LONGEST_POWER,
            Work::Power | Work::Prime => 1..=LONGEST_POWER,
            _ => 1..=u64::MAX,
        }
    }

    /// Does it by the engine in force.
    fn apply(self, [a, b, n, short]: [&Rows<'_>; 4]) -> Result<Batch> {
        match self {
            Work::Mul => a.try_mul_wide(b),
            Work::MulInRegisters => match Engine::current() {
                Engine::Cuda(k) => {
                    internals::products_of_rows(&bezout::cuda::device(k)?, a, b, TIMES)
                }
                _ => {
                    let mut x = a.try_mul(b)?;
                    for _ in 1..TIMES {
                        x = x.all().try_mul(b)?;
                    }
                    Ok(x)
                }
            },
            Work::DivRem => Ok(a.try_div_rem(n)?.1),
            Work::Sqrt => a.try_sqrt(),
            Work::Gcd => a.try_gcd(b),
            Work::Inverse => Ok(a.try_mod_inverse(n)?.0),
            Work::Power => a.try_pow_mod(b, n),
            Work::PowerShort => a.try_pow_mod(short, n),
            Work::Prime => flags(n.try_is_probable_prime()?),
        }
    }

    /// Operations for each row of one call.
    fn repeats(self) -> f64 {
        match self {
            Work::MulInRegisters => TIMES.into(),
            _ => 1.0,
        }
    }
}

fn flags(list: Vec<bool>) -> Result<Batch> {
    Batch::from_limbs(list.into_iter().map(u64::from).collect(), 1)
}

/// Limb i of the input of number `stream`: splitmix64.
fn limb(i: u64, stream: u64) -> u64 {
    let z = (i + 1 + (stream << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Operands {
    fn new(rows: u64, bits: u64) -> Result<Operands> {
        let width = bits / 64;
        let batch = |stream, odd: u64, most: u64| {
            let limbs = (0..rows * width).map(|i| match i % width {
                0 => limb(i, stream) | odd,
                k if k < most => limb(i, stream),
                _ => 0,
            });
            Batch::from_limbs(limbs.collect(), width as usize)
        };
        Ok(Operands {
            a: batch(1, 0, width)?,
            b: batch(2, 0, width)?,
            n: batch(3, 1, width)?,
            short: batch(4, 1, SHORT / 64)?,
        })
    }

    /// The first rows.
    fn apply(&self, work: Work, rows: u64) -> Result<Batch> {
        let part = |batch| Batch::try_rows(batch, 0..rows as usize);
        work.apply([
            &part(&self.a)?,
            &part(&self.b)?,
            &part(&self.n)?,
            &part(&self.short)?,
        ])
    }
}

/// Runs it.
pub fn run(session: &mut Session) -> std::result::Result<(), Error> {
    let executor = session
        .target
        .as_ref()
        .is_some_and(|t| t.ordinal == EXECUTOR);
    let sizes: &[u64] = match (executor, session.record.quick) {
        (true, _) => &[128],
        (false, true) => &[1024],
        (false, false) => &[64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768],
    };
    let sizes: Vec<u64> = sizes
        .iter()
        .copied()
        .filter(|bits| *bits <= session.max_bits)
        .collect();
    session.expect(sizes.len() * ALL.len());
    for work in ALL {
        for bits in &sizes {
            session.step(format!("{}, {bits} bits", work.name()));
            if work.sizes().contains(bits) {
                contest(session, work, *bits)?;
            }
        }
    }
    Ok(())
}

/// Measures all contenders on rows of so many bits.
fn contest(session: &mut Session, work: Work, bits: u64) -> std::result::Result<(), Error> {
    let (device_bits, host_bits) = work.bits(bits);
    let quick = if session.record.quick { 8 } else { 0 };
    let fewest = if session.record.quick {
        4
    } else {
        work.fewest(bits)
    };
    let few = ((host_bits >> quick) / bits).max(fewest);
    let many = match &session.target {
        Some(target) if target.ordinal == EXECUTOR => few,
        Some(_) => ((device_bits >> quick) / bits).max(few),
        None => few,
    };
    let operands = Operands::new(many, bits)?;
    let wanted = Engine::Cpu.scope(|| operands.apply(work, few))?;
    let operation = format!("{} of rows", work.name());
    if !definition::holds(work, &operands, &wanted)? {
        return Err(refuted(&operation, "cpu", bits, DEFINITION));
    }
    let check = |engine: &str, found: Option<&[u64]>| {
        let wanted = wanted.try_limbs()?;
        match found {
            Some(limbs) if limbs.get(..wanted.len()) != Some(wanted) => {
                Err(refuted(&operation, engine, bits, "the CPU engine"))
            }
            _ => Ok(()),
        }
    };
    #[cfg_attr(not(feature = "gmp"), expect(unused_mut))]
    let mut baselines: Vec<(&str, Timing)> = Vec::new();
    // In registers a product is one of the device; the host has none to set beside it.
    if work != Work::MulInRegisters {
        #[cfg(feature = "gmp")]
        {
            let gmp = gmp::Rows::new(&operands, few)?;
            let (time, found) =
                measure::time_kept(&session.effort, Clock::Host, &mut || Ok(gmp.apply(work)))?;
            check(GMP, found.map(|rows| gmp.limbs(work, &rows)).as_deref())?;
            baselines.push((GMP, time.each(few as f64)));
        }
        let (time, found) = Engine::Cpu.scope(|| {
            measure::time_kept(&session.effort, Clock::Host, &mut || {
                operands.apply(work, few)
            })
        })?;
        check("cpu", found.as_ref().map(Batch::try_limbs).transpose()?)?;
        enter(
            session,
            work,
            "cpu".into(),
            bits,
            time.each(few as f64),
            &baselines,
        );
    }
    let Some(target) = session.target.clone() else {
        return Ok(());
    };
    let time = on_device(session, &target, &operands, work, many, &check)?;
    enter(
        session,
        work,
        target.engine.to_string(),
        bits,
        time,
        &baselines,
    );
    let mut rates = Baseline::cgbn().rates.into_iter();
    if let Some(rate) = rates.find(|r| (r.operation.as_str(), r.bits) == (work.name(), bits)) {
        session.record.reproduced.push(Reproduced {
            figure: CGBN.into(),
            quantity: work.name().into(),
            x: bits as f64,
            paper: Some(rate.per_second),
            here: Some(1.0 / time.median),
        });
    }
    Ok(())
}

/// Compares the limbs of the first rows with those of the CPU engine; the name is for the error.
type Check<'a> = &'a dyn Fn(&str, Option<&[u64]>) -> std::result::Result<(), Error>;

fn on_device(
    session: &Session,
    target: &Target,
    operands: &Operands,
    work: Work,
    rows: u64,
    check: Check<'_>,
) -> std::result::Result<Timing, Error> {
    for batch in [&operands.a, &operands.b, &operands.n, &operands.short] {
        batch.try_to_device(target.ordinal)?;
    }
    let clock = Clock::Events(&target.device);
    let apply = &mut || operands.apply(work, rows);
    let (time, found) = measure::time_on(target.engine, &session.effort, clock, apply)?;
    check(
        &target.engine.to_string(),
        found.as_ref().map(Batch::try_limbs).transpose()?,
    )?;
    Ok(time.each(rows as f64 * work.repeats()))
}

fn enter(
    session: &mut Session,
    work: Work,
    engine: String,
    bits: u64,
    time: Timing,
    baselines: &[(&str, Timing)],
) {
    let measurement = Measurement::alone(work.name(), engine, bits, time, baselines);
    session.record.measurements.push(measurement);
}

#[cfg(feature = "gmp")]
mod gmp {
    use bezout::{Batch, Result};
    use rayon::prelude::*;
    use rug::{Complete, Integer, integer::IsPrime, integer::Order};

    use super::{Operands, Work};

    /// GMP's copies of the first rows.
    pub struct Rows {
        rows: Vec<[Integer; 4]>,
        width: usize,
    }

    impl Rows {
        pub fn new(operands: &Operands, count: u64) -> Result<Rows> {
            let width = operands.a.width();
            let import = |batch: &Batch, row: usize| {
                let limbs = &batch.try_limbs()?[row * width..(row + 1) * width];
                Ok(Integer::from_digits(limbs, Order::Lsf))
            };
            let Operands { a, b, n, short } = operands;
            let one = |i| {
                let [a, b, n, short] = [a, b, n, short].map(|batch| import(batch, i));
                Ok([a?, b?, n?, short?])
            };
            let rows: Result<Vec<_>> = (0..count as usize).map(one).collect();
            Ok(Rows { rows: rows?, width })
        }

        /// All rows, shared out to all cores.
        pub fn apply(&self, work: Work) -> Vec<Integer> {
            let one = |[a, b, n, short]: &[Integer; 4]| match work {
                Work::Mul | Work::MulInRegisters => (a * b).complete(),
                Work::DivRem => a.div_rem_ref(n).complete().1,
                Work::Sqrt => a.sqrt_ref().complete(),
                Work::Gcd => a.gcd_ref(b).complete(),
                Work::Inverse => a.invert_ref(n).map_or(Integer::new(), Integer::from),
                Work::Power => a.pow_mod_ref(b, n).map_or(Integer::new(), Integer::from),
                Work::PowerShort => a
                    .pow_mod_ref(short, n)
                    .map_or(Integer::new(), Integer::from),
                Work::Prime => Integer::from(n.is_probably_prime(25) != IsPrime::No),
            };
            self.rows.par_iter().map(one).collect()
        }

        /// Results as the limbs of a batch.
        pub fn limbs(&self, work: Work, results: &[Integer]) -> Vec<u64> {
            let width = match work {
                Work::Mul => 2 * self.width,
                Work::Prime => 1,
                _ => self.width,
            };
            let padded = |x: &Integer| {
                let mut limbs = x.to_digits::<u64>(Order::Lsf);
                limbs.resize(width, 0);
                limbs
            };
            results.iter().flat_map(padded).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tested_engines;

    #[test]
    fn every_engine_is_measured() {
        for engine in tested_engines() {
            let mut session = engine.scope(|| Session::begin("batch", true, true).unwrap());
            session.max_bits = 1024;
            run(&mut session).unwrap();
            let record = session.finish();
            for work in ALL {
                let list = record
                    .measurements
                    .iter()
                    .filter(|m| m.operation == work.name());
                let expected = match (work, engine) {
                    (Work::MulInRegisters, Engine::Cpu) => 0,
                    (Work::PowerShort, Engine::Cuda(_)) => 0,
                    (Work::MulInRegisters, _) | (_, Engine::Cpu) => 1,
                    _ => 2,
                };
                assert_eq!(list.count(), expected, "{}", work.name());
            }
        }
    }
}
