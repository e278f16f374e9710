//! Measured tunings in the user's cache: a JSON file for each CPU or device, beside the compiled
//! kernels.
//!
//! A file is rewritten as a whole after every tuned kernel. A file that is damaged, in the format
//! of another version or of another machine is not used, and a notice is printed once. This is
//! never an error, because the shipped values always work.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::machine::{Identity, Machine};
use super::{Process, Side, Tuning};
use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::{cache, notice};

const SCHEMA: u32 = 1;

/// The measurements of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stored {
    schema: u32,
    /// The machine.
    pub identity: Identity,
    /// The properties of the machine, if it was probed.
    pub machine: Option<Machine>,
    /// The chosen values, by kernel.
    pub kernels: BTreeMap<String, Tuned>,
}

/// The chosen values for a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// The parameters that were chosen.
    pub parameters: Vec<String>,
    /// Their values from each size on, by size; from the first on for all.
    pub choices: Vec<Chosen>,
    /// Whether the values depend on the size; otherwise there is one choice.
    pub by_size: bool,
    /// Chosen over best measured, the median over the sizes that were measured.
    pub median_regret: f64,
    /// Chosen over best measured, at the size where that is largest.
    pub worst_regret: f64,
    /// Measured over predicted, the geometric mean.
    pub scale: f64,
    /// Seconds that it took.
    pub seconds: f64,
    /// The version that measured.
    pub version: String,
    /// Its commit.
    pub commit: String,
    /// The day.
    pub date: String,
}

/// Values from a size on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The least size.
    pub from: u64,
    /// A value for each parameter.
    pub values: Vec<u64>,
}

impl Stored {
    /// Nothing yet.
    pub fn new(identity: Identity) -> Stored {
        Stored {
            schema: SCHEMA,
            identity,
            machine: None,
            kernels: BTreeMap::new(),
        }
    }

    /// The stored measurements of this machine's CPU, if any.
    pub fn of_host() -> Option<Stored> {
        Stored::load(Identity::of_host())
    }

    /// The stored measurements of this device, if any.
    pub fn of_device(info: &DeviceInfo) -> Option<Stored> {
        Stored::load(Identity::of_device(info))
    }

    /// The stored measurements of this machine, if any.
    pub fn load(identity: Identity) -> Option<Stored> {
        Stored::read(&path(&identity)?, &identity)
    }

    fn read(path: &Path, identity: &Identity) -> Option<Stored> {
        let unused = |why: &str| {
            notice::say_once(&format!(
                "{} is not used: {why}; tuning again replaces it",
                path.display()
            ));
        };
        let text = match cache::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                unused(&error.to_string());
                return None;
            }
        };
        match serde_json::from_slice::<Stored>(&text) {
            Err(error) => unused(&format!("it is damaged ({error})")),
            Ok(stored) if stored.schema != SCHEMA => unused("another version wrote it"),
            Ok(stored) if stored.identity != *identity => {
                let Identity { name, units, .. } = &stored.identity;
                unused(&format!("it was measured on {name} ({units} units)"));
            }
            Ok(stored) => return Some(stored),
        }
        None
    }

    /// Keeps it in the user's cache; where.
    pub fn save(&self) -> Result<PathBuf> {
        let failed = |reason: String| Error::Domain(format!("the tuning is not kept: {reason}"));
        let path = path(&self.identity)
            .ok_or_else(|| failed("there is no cache folder; BEZOUT_CACHE names one".into()))?;
        self.write(&path)
            .map_err(|error| failed(format!("{} cannot be written ({error})", path.display())))?;
        Ok(path)
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        cache::write(path, &serde_json::to_vec_pretty(self)?)
    }

    fn side(&self) -> Side {
        match self.identity.kind.as_str() {
            "cpu" => Side::Cpu,
            _ => Side::Cuda,
        }
    }

    /// The values of a choice by name. An error if this version does not know a parameter, or if
    /// this machine's file may not set it.
    fn named<'a>(&self, tuned: &'a Tuned, chosen: &Chosen) -> Result<Vec<(&'a str, u64)>> {
        let foreign = |name: &&String| {
            Tuning::parameter(name).is_some_and(|parameter| parameter.side != self.side())
        };
        if let Some(name) = tuned.parameters.iter().find(foreign) {
            return Err(Error::Domain(format!(
                "{name} is not a parameter of this machine"
            )));
        }
        let names = tuned.parameters.iter().map(String::as_str);
        Ok(names.zip(chosen.values.iter().copied()).collect())
    }
}

/// The shipped values with those of these files in their place that hold for all sizes.
pub fn tuning_of(files: &[Stored]) -> Tuning {
    Process::of(files).tuning
}

impl Process {
    /// The shipped values, replaced by the measured ones where there are any.
    pub(super) fn of(files: &[Stored]) -> Process {
        let mut process = Process {
            tuning: Tuning::shipped(),
            ranges: Vec::new(),
        };
        // Values for all sizes first, as those by size build on them.
        for by_size in [false, true] {
            for file in files {
                for (name, tuned) in file.kernels.iter().filter(|(_, t)| t.by_size == by_size) {
                    if let Err(error) = process.take(file, name, tuned) {
                        notice::say_once(&format!(
                            "the tuning of {name} on {} is not used: {error}",
                            file.identity.name
                        ));
                    }
                }
            }
        }
        process
    }

    fn take(&mut self, file: &Stored, name: &str, tuned: &Tuned) -> Result<()> {
        let tunings = tuned.choices.iter().map(|chosen| {
            let values = file.named(tuned, chosen)?;
            Ok((chosen.from, self.tuning.with(&values)?))
        });
        let tunings = tunings.collect::<Result<Vec<_>>>()?;
        match tunings.first() {
            None => {}
            Some((_, tuning)) if !tuned.by_size => self.tuning = *tuning,
            // The first choice serves smaller sizes too.
            Some((_, first)) => {
                let mut ranges = vec![(0, *first)];
                ranges.extend_from_slice(&tunings[1..]);
                self.ranges.push((name.into(), ranges));
            }
        }
        Ok(())
    }
}

/// The file of a machine: its kind, and its name in small letters and digits.
fn path(identity: &Identity) -> Option<PathBuf> {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = identity.name.chars().map(plain).collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let Identity { kind, units, .. } = identity;
    Some(cache::trusted_folder()?.join(format!("tuning-{kind}-{}-{units}.json", words.join("-"))))
}

#[cfg(test)]
mod tests;
