//! The JSON form of a benchmark's result. Every table and picture is made of these files and of
//! nothing else.
//!
//! Times are in seconds, sizes in bits or bytes, bandwidths in bytes per second.

#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;

/// The version of this schema. A reader refuses any other.
pub const SCHEMA: u32 = 1;

/// One run of one benchmark on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version of the schema, [`SCHEMA`].
    pub schema: u32,
    /// The benchmark's name.
    pub benchmark: String,
    /// Whether the run was shortened; its figures are then for a look only.
    pub quick: bool,
    /// bezout's version.
    pub version: String,
    /// The commit it was built from, or `unknown`.
    pub commit: String,
    /// Whether the tree had changes that are not in that commit.
    pub dirty: bool,
    /// When the run began, UTC, ISO 8601.
    pub date: String,
    /// The host.
    pub machine: Machine,
    /// The device; none where only the host ran.
    pub device: Option<DeviceRecord>,
    /// Versions of what was measured and of what it was measured against.
    pub versions: BTreeMap<String, String>,
    /// What a plain copy reaches on this machine, in this run; 0 bits where nothing is compared
    /// with it.
    pub copy: CopyBandwidth,
    /// What a reader must know, such as why the GPU part did not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What was measured.
    pub measurements: Vec<Measurement>,
    /// Chains of operations against the sum of their parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chains: Vec<Chain>,
    /// Best launch shapes found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweeps: Vec<Sweep>,
    /// Sizes from which an engine is faster than one core.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crossovers: Vec<Crossover>,
    /// Sizes from which a device is ahead of all that runs on the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leads: Vec<Lead>,
    /// What a paper reports, and what came out here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reproduced: Vec<Reproduced>,
}

/// The host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Processor model, or `unknown`.
    pub cpu: String,
    /// Cores this process may use.
    pub cores: usize,
    /// Bytes of memory, where the system says.
    pub memory_bytes: Option<u64>,
    /// Operating system and architecture.
    pub os: String,
}

/// The device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// Its name.
    pub name: String,
    /// The driver's version, or `unknown`.
    pub driver: String,
    /// Newest CUDA version the driver serves, such as `13.0`.
    pub cuda: String,
    /// The compiler that made the kernels.
    pub compiler: String,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// Second-level cache in bytes.
    pub l2_bytes: u64,
}

/// Bytes read plus bytes written per second by a plain copy at the run's largest size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CopyBandwidth {
    /// Bits copied.
    pub bits: u64,
    /// Host memory, all cores.
    pub host: f64,
    /// Device memory.
    pub device: Option<f64>,
}

/// How a time was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockKind {
    /// The host's clock, with a synchronise after each operation on a device.
    Host,
    /// Events on the device's stream around a run of operations.
    Device,
}

/// Seconds for one operation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// How it was taken.
    pub clock: ClockKind,
    /// Number of samples.
    pub samples: usize,
    /// The middle sample.
    pub median: f64,
    /// The fastest sample.
    pub min: f64,
    /// One sample in ten is below this.
    pub p10: f64,
    /// One sample in ten is above this.
    pub p90: f64,
}

/// One operation on one engine at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The operation.
    pub operation: String,
    /// The engine, as `--engine` spells it; with `, 1 thread` where it had only one, with
    /// `, transfers` where operands come from the host and the result goes back there.
    pub engine: String,
    /// Bits of each operand; of the divisor where the dividend has twice as many.
    pub bits: u64,
    /// The launch shape, where it was forced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<LaunchShape>,
    /// The time.
    pub time: Timing,
    /// Bytes the operation must move; none where that is not what bounds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_moved: Option<u64>,
    /// `bytes_moved` per second of the median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<f64>,
    /// `bandwidth` over that of a copy of the same size on the same side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_of_copy: Option<f64>,
    /// Share of the arithmetic limit: the time that the butterflies of a product's transforms take
    /// at the rate of butterflies in registers (2.8·10¹² a second on an H200), over the median.
    /// Three transforms, two where an operand is prepared or both are the same, each with
    /// c·log2(c)/2 butterflies for each of 5 or 6 primes, c the coefficients in 64-bit digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_of_limit: Option<f64>,
    /// Most device memory held at a time, operands included, as a multiple of the operands. Tables
    /// that stay between calls do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_memory: Option<f64>,
    /// The median over that of a product of two numbers of `bits` bits on the same engine in the
    /// same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<f64>,
    /// Ranks that did the work together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<usize>,
    /// Bytes that the rank that needed the most held for the work, beside the operands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_memory: Option<u64>,
    /// Seconds of a known piece of work that every rank did at the same time, before and after:
    /// what their cores were worth just then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_pace: Option<f64>,
    /// Seconds that the model of ranks makes of it, from what one rank took and what the ranks cost
    /// each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<f64>,
    /// Whether the result was checked in the same run. A record with `false` is refused.
    pub verified: bool,
    /// What others take for the same, on one core if they do not say else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<Baseline>,
}

/// A launch shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchShape {
    /// Threads in a block; none for the library's own choice.
    pub block: Option<u32>,
    /// Blocks; none for as many as are resident at once.
    pub grid: Option<u32>,
}

/// What another library takes on one core of the same machine, in the same run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The library.
    pub name: String,
    /// Its time.
    pub time: Timing,
    /// Its median over ours: above 1, ours is faster.
    pub ratio: f64,
}

/// A chain of operations on resident values against the sum of its parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// The engine.
    pub engine: String,
    /// Bits of each operand.
    pub bits: u64,
    /// Operations in the chain.
    pub operations: usize,
    /// Seconds for the whole chain.
    pub time: Timing,
    /// Seconds its operations take when measured one by one.
    pub parts: f64,
    /// `time.median` over `parts`.
    pub ratio: f64,
    /// Bytes that went between host and device during all timed runs; none on the host's engine.
    pub transferred: Option<u64>,
    /// Whether the result was checked in the same run.
    pub verified: bool,
}

/// The best launch shape of one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The operation.
    pub operation: String,
    /// The paper's figure.
    pub figure: u32,
    /// 32-bit limbs of each operand.
    pub limbs: u64,
    /// The fastest forced shape.
    pub best: LaunchShape,
    /// Its median.
    pub best_time: f64,
    /// The median of the library's own choice.
    pub own_time: f64,
    /// The paper's best shape.
    pub paper: LaunchShape,
}

/// The size from which an engine is faster than one core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Crossover {
    /// The operation.
    pub operation: String,
    /// The engine.
    pub engine: String,
    /// What runs on the one core.
    pub baseline: String,
    /// The paper's figure.
    pub figure: u32,
    /// 32-bit limbs, between two measured sizes by interpolation; none where the engine is not
    /// faster at the largest.
    pub limbs: Option<f64>,
    /// Whether it is faster at every measured size, so that the true crossover lies below `limbs`.
    pub always: bool,
    /// The paper's crossover in 32-bit limbs.
    pub paper_limbs: u64,
}

/// The size from which a device is ahead of all that runs on the host, the library's own CPU engine
/// included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// The operation.
    pub operation: String,
    /// The engine.
    pub engine: String,
    /// The smallest measured size from which it is the fastest at every measured size; none where
    /// it is not at the largest.
    pub bits: Option<u64>,
    /// Whether that is the smallest size of all, so that the true one may lie below.
    pub always: bool,
    /// What is the fastest on the host at that size.
    pub rival: String,
}

/// A value of a paper's figure or table beside the one found here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reproduced {
    /// The figure or table.
    pub figure: String,
    /// What it is a value of.
    pub quantity: String,
    /// Where on the figure's x axis, or in which row.
    pub x: f64,
    /// The paper's value; none where it has none.
    pub paper: Option<f64>,
    /// Ours; none where it was not measured.
    pub here: Option<f64>,
}

impl Timing {
    /// The time of one of so many.
    pub fn each(self, count: f64) -> Timing {
        Timing {
            median: self.median / count,
            min: self.min / count,
            p10: self.p10 / count,
            p90: self.p90 / count,
            ..self
        }
    }
}

impl Measurement {
    /// One of which only the time is known, and what others take; it was checked.
    pub fn alone(
        operation: &str,
        engine: String,
        bits: u64,
        time: Timing,
        others: &[(&str, Timing)],
    ) -> Measurement {
        let baseline = |(name, theirs): &(&str, Timing)| Baseline {
            name: name.to_string(),
            time: *theirs,
            ratio: theirs.median / time.median,
        };
        Measurement {
            operation: operation.into(),
            engine,
            bits,
            shape: None,
            time,
            bytes_moved: None,
            bandwidth: None,
            share_of_copy: None,
            share_of_limit: None,
            device_memory: None,
            products: None,
            ranks: None,
            rank_memory: None,
            rank_pace: None,
            predicted: None,
            verified: true,
            baselines: others.iter().map(baseline).collect(),
        }
    }

    /// The baseline of this name.
    pub fn baseline(&self, name: &str) -> Option<&Baseline> {
        self.baselines.iter().find(|b| b.name == name)
    }
}

impl Record {
    /// Reads and checks one file.
    pub fn read(path: &Path) -> Result<Record, Error> {
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
        }
        let text = fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
        let not_a_record = |reason: String| Error::NotARecord {
            path: path.to_path_buf(),
            reason,
        };
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|e| not_a_record(format!("not JSON: {e}")))?;
        let head = Head::deserialize(&value)
            .map_err(|_| not_a_record("it has no `schema` number".into()))?;
        if head.schema != SCHEMA {
            return Err(Error::Schema {
                path: path.to_path_buf(),
                found: head.schema,
            });
        }
        let record = Record::deserialize(value).map_err(|e| not_a_record(e.to_string()))?;
        record.check().map_err(not_a_record)?;
        Ok(record)
    }

    /// Every `.json` file in `dir`, by file name.
    pub fn read_all(dir: &Path) -> Result<Vec<(String, Record)>, Error> {
        let entries = fs::read_dir(dir).map_err(|e| Error::io("read", dir, e))?;
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(|e| Error::io("read", dir, e))?.path();
            if path.extension().is_some_and(|e| e == "json") {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            return Err(Error::NoRecords(dir.to_path_buf()));
        }
        paths.sort();
        let stem = |path: &Path| match path.file_stem() {
            Some(stem) => stem.to_string_lossy().into_owned(),
            None => String::new(),
        };
        let read = |path: &PathBuf| Ok((stem(path), Record::read(path)?));
        paths.iter().map(read).collect()
    }

    /// Writes `dir/NAME.json`, whole or not at all.
    pub fn write(&self, dir: &Path) -> Result<PathBuf, Error> {
        crate::create_folder(dir)?;
        let path = dir.join(format!("{}.json", self.benchmark));
        let mut text = serde_json::to_string_pretty(self).map_err(Error::Encode)?;
        text.push('\n');
        crate::write_whole(&path, text.as_bytes())?;
        Ok(path)
    }

    /// What the types alone do not say: times are positive and every result was verified.
    fn check(&self) -> Result<(), String> {
        let positive = |what: &str, time: &Timing| {
            let sound = [time.median, time.min, time.p10, time.p90]
                .iter()
                .all(|t| t.is_finite() && *t > 0.0);
            let ordered = time.min <= time.median && time.p10 <= time.p90 && time.samples > 0;
            if sound && ordered {
                Ok(())
            } else {
                Err(format!("{what} has an impossible time"))
            }
        };
        for m in &self.measurements {
            let what = format!("{} on {} at {} bits", m.operation, m.engine, m.bits);
            positive(&what, &m.time)?;
            for baseline in &m.baselines {
                positive(&format!("{what}, {}", baseline.name), &baseline.time)?;
            }
            if !m.verified {
                return Err(format!("{what} was not verified"));
            }
        }
        for chain in &self.chains {
            let what = format!("chain on {} at {} bits", chain.engine, chain.bits);
            positive(&what, &chain.time)?;
            if !chain.verified {
                return Err(format!("{what} was not verified"));
            }
        }
        Ok(())
    }
}
