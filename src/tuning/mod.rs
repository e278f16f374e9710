//! Tuning is data: every threshold and launch shape of every operation, in one value.
//!
//! A process has one tuning in force: the shipped values of `parameters.rs`, with those in their
//! place that `bezout tune` measured for this CPU and, from the first use of a GPU on, for that
//! GPU. `BEZOUT_TUNING` sets it instead: a preset's name, and after it values such as
//! `default,linear_block=256`. A scope on one thread can override it, so that tests reach every
//! branch with small numbers.
//!
//! | file | what |
//! |---|---|
//! | `parameters.rs` | the parameters, their shipped values and the provenance of these values |
//! | `store/` | measured tunings in the user's cache |
//! | `machine.rs` | a measured machine |

mod machine;
mod parameters;
mod store;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::Serialize;

pub use machine::{Identity, Machine};
pub use parameters::Tuning;
pub use store::{Chosen, Stored, Tuned, tuning_of};

use crate::device::DeviceInfo;
use crate::error::{Error, Result};
use crate::fork::PerProcess;
use crate::{notice, variables};

/// One parameter of the tuning.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name, that of the field of [`Tuning`].
    pub name: &'static str,
    /// The meaning of the parameter.
    #[serde(serialize_with = "trimmed")]
    pub meaning: &'static str,
    /// The shipped value; numbers of 2^64 − 1 mean without end.
    pub default: u64,
    /// The value of the preset for tests.
    pub minimal: u64,
    /// The allowed values.
    pub range: Range,
    /// Where it is measured.
    pub side: Side,
    /// Where the shipped value comes from.
    pub provenance: Provenance,
}

fn trimmed<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text.trim())
}

/// Whose property a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Of the host and its CPU.
    Cpu,
    /// Of a GPU.
    Cuda,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Provenance {
    /// Whether it is a limit of the method or of a format, which nothing could be measured for.
    pub limit: bool,
    /// The machine it was measured on; none for a limit.
    pub device: Option<&'static str>,
    /// The commit it was measured at.
    pub commit: Option<&'static str>,
    /// The day.
    pub date: Option<&'static str>,
}

/// A limit of a method or a format, set by its roots of unity, registers or counters. It is not a
/// choice, so there is nothing to measure.
pub(super) const LIMIT: Provenance = Provenance {
    limit: true,
    device: None,
    commit: None,
    date: None,
};

/// A machine that values were measured on.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredOn(pub(crate) &'static str);

impl MeasuredOn {
    pub(super) const fn at(self, commit: &'static str, date: &'static str) -> Provenance {
        Provenance {
            limit: false,
            device: Some(self.0),
            commit: Some(commit),
            date: Some(date),
        }
    }
}

/// The values that a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Range {
    /// The least,
    pub least: u64,
    /// the most,
    pub most: u64,
    /// and the number that they are multiples of;
    pub step: u64,
    /// only powers of two of them.
    pub powers: bool,
}

pub(super) const fn whole(least: u64, most: u64) -> Range {
    multiples(1, least, most)
}

pub(super) const fn multiples(step: u64, least: u64, most: u64) -> Range {
    Range {
        least,
        most,
        step,
        powers: false,
    }
}

pub(super) const fn powers(least: u64, most: u64) -> Range {
    Range {
        powers: true,
        ..whole(least, most)
    }
}

impl Range {
    /// Whether a parameter may be `value`. No end at all is always a multiple.
    pub fn contains(&self, value: u64) -> bool {
        (self.least..=self.most).contains(&value)
            && (value == u64::MAX || value.is_multiple_of(self.step))
            && (!self.powers || value.is_power_of_two())
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.powers, self.step) {
            (true, _) => write!(f, "a power of two from {} to {}", self.least, self.most),
            (false, 1) if self.most == u64::MAX => write!(f, "at least {}", self.least),
            (false, 1) => write!(f, "from {} to {}", self.least, self.most),
            (false, step) => write!(
                f,
                "a multiple of {step} from {} to {}",
                self.least, self.most
            ),
        }
    }
}

/// Makes [`Tuning`], its presets and its table of parameters.
macro_rules! define_tuning {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $kind:ty = $default:expr, minimal $minimal:expr, in $range:expr,
            on $side:ident, from $provenance:expr;
    )*) => {
        /// Thresholds and launch shapes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Tuning {
            $($(#[doc = $doc])+ pub $name: $kind,)*
        }

        impl Tuning {
            /// The shipped values for processors with 52-bit multiply-adds.
            pub const DEFAULT: Tuning = Tuning { $($name: $default,)* };

            /// Every threshold as small as it can be, so that tests reach every branch.
            pub const MINIMAL: Tuning = Tuning { $($name: $minimal,)* };

            /// The meaning, the allowed values and the provenance of each field.
            pub const PARAMETERS: &'static [Parameter] = &[$(
                Parameter {
                    name: stringify!($name),
                    meaning: concat!($($doc),+),
                    default: Tuning::DEFAULT.$name as u64,
                    minimal: Tuning::MINIMAL.$name as u64,
                    range: $range,
                    side: Side::$side,
                    provenance: $provenance,
                },
            )*];

            /// The value of the parameter of this name.
            pub fn value(&self, name: &str) -> Option<u64> {
                $(if name == stringify!($name) {
                    return Some(self.$name as u64);
                })*
                None
            }

            /// Sets an existing parameter to an allowed value.
            pub(super) fn set_value(&mut self, name: &str, value: u64) {
                $(if name == stringify!($name) {
                    self.$name = <$kind>::try_from(value).unwrap_or(<$kind>::MAX);
                })*
            }
        }
    };
}
use define_tuning;

impl Tuning {
    /// The parameter of this name.
    pub fn parameter(name: &str) -> Option<&'static Parameter> {
        Tuning::PARAMETERS
            .iter()
            .find(|parameter| parameter.name == name)
    }

    /// This tuning with other values for some parameters. An error for a name that is none, or a
    /// value that it may not have.
    pub fn with<N: AsRef<str>>(mut self, values: &[(N, u64)]) -> Result<Tuning> {
        for (name, value) in values {
            let name = name.as_ref();
            let parameter = Tuning::parameter(name).ok_or_else(|| {
                Error::Domain(format!("no parameter of the tuning is called '{name}'"))
            })?;
            if !parameter.range.contains(*value) {
                return Err(Error::Domain(format!(
                    "{name} cannot be {value}: it must be {}",
                    parameter.range
                )));
            }
            self.set_value(name, *value);
        }
        Ok(self)
    }

    /// The shipped values for processors without 52-bit multiply-adds, whose transforms are slower:
    /// the floor's algorithms serve longer numbers. Measured on Cascade Lake at 2.5 GHz, 2 cores,
    /// 2026-11-16.
    pub const PLAIN_VECTORS: Tuning = Tuning {
        cpu_ntt_limbs: 900,
        div_cpu_limbs: 3000,
        radix_limbs: 8000,
        ..Tuning::DEFAULT
    };

    /// The shipped values for this processor. [`Tuning::DEFAULT`] in this crate's own tests, whose
    /// thresholds must not depend on the machine.
    pub fn shipped() -> Tuning {
        #[cfg(all(target_arch = "x86_64", not(test)))]
        if !is_x86_feature_detected!("avx512ifma") {
            return Tuning::PLAIN_VECTORS;
        }
        Tuning::DEFAULT
    }

    /// The preset of this name: `default` or `minimal`.
    pub fn preset(name: &str) -> Option<Tuning> {
        match name {
            "default" => Some(Tuning::shipped()),
            "minimal" => Some(Tuning::MINIMAL),
            _ => None,
        }
    }

    /// A preset's name, and after it parameters with values: `minimal,linear_block=256`.
    pub fn parse(text: &str) -> Result<Tuning> {
        let mut words = text.split(',').map(str::trim);
        let preset = words.next().unwrap_or_default();
        let base = Tuning::preset(preset).ok_or_else(|| {
            Error::Domain(format!("'{preset}' is not a preset (default, minimal)"))
        })?;
        let values = words.map(|word| {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            match value.parse() {
                Ok(value) => Ok((name, value)),
                Err(_) => Err(Error::Domain(format!(
                    "'{word}' is not a parameter and its value, such as linear_block=256"
                ))),
            }
        });
        base.with(&values.collect::<Result<Vec<_>>>()?)
    }

    /// The tuning in force on this thread.
    pub fn current() -> Tuning {
        *Tuning::in_force()
    }

    /// A reference to the tuning in force on this thread. Small operations use the reference
    /// because they must not pay for a copy.
    #[inline]
    pub(crate) fn in_force() -> &'static Tuning {
        SCOPED.get().unwrap_or_else(|| &process().tuning)
    }

    /// Numbers of fewer limbs than this are short under every tuning that this process has used:
    /// they and their products are inline, and all operations on them use `number` directly. 0
    /// before the process has a tuning.
    #[inline]
    pub(crate) fn short_limbs() -> usize {
        SHORT.load(Ordering::Relaxed)
    }

    /// The least [`Tuning::inline_limbs`] that has been in force in this process; 0 before it has a
    /// tuning.
    #[inline]
    pub(crate) fn inline_limbs_everywhere() -> usize {
        INLINE.load(Ordering::Relaxed)
    }

    /// The tuning in force on this thread, and those that are in force for some kernels at some
    /// sizes.
    pub(crate) fn all_in_force() -> Vec<Tuning> {
        let mut all = vec![Tuning::current()];
        if SCOPED.get().is_none() {
            let by_size = process().ranges.iter().flat_map(|(_, sizes)| sizes);
            all.extend(by_size.map(|(_, tuning)| *tuning));
        }
        all
    }

    /// The tuning in force for a kernel that is tuned by size, at this size.
    pub(crate) fn at(kernel: &str, size: u64) -> &'static Tuning {
        SCOPED.get().unwrap_or_else(|| process().at(kernel, size))
    }

    /// Runs `work` with this tuning in force on this thread; scopes nest. Scopes are for tests and
    /// experiments: each value that is not a preset stays in memory for the life of the process.
    pub fn scope<T>(self, work: impl FnOnce() -> T) -> T {
        static KNOWN: PerProcess<Mutex<Vec<&'static Tuning>>> =
            PerProcess::new(Mutex::new(Vec::new()));
        let presets = [&Tuning::DEFAULT, &Tuning::MINIMAL];
        let tuning = match presets.into_iter().find(|preset| **preset == self) {
            Some(preset) => preset,
            None => {
                let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
                match known.iter().find(|other| ***other == self) {
                    Some(other) => other,
                    None => {
                        let kept: &'static Tuning = Box::leak(Box::new(self));
                        known.push(kept);
                        kept
                    }
                }
            }
        };
        comes_into_force(tuning, false);
        Scoped(Some(tuning)).enter(work)
    }
}

thread_local! {
    static SCOPED: Cell<Option<&'static Tuning>> = const { Cell::new(None) };
}

/// Bounds that are valid under every tuning that this process has used, so that operations on small
/// numbers need not read their thread's tuning.
static SHORT: AtomicUsize = AtomicUsize::new(0);
static INLINE: AtomicUsize = AtomicUsize::new(0);

/// Keeps [`SHORT`] and [`INLINE`] below the thresholds of a tuning that comes into force. They stay
/// 0 until the process itself has its tuning.
fn comes_into_force(tuning: &Tuning, is_processes: bool) {
    static LEAST_SHORT: AtomicUsize = AtomicUsize::new(usize::MAX);
    static LEAST_INLINE: AtomicUsize = AtomicUsize::new(usize::MAX);
    static HAS_PROCESSES: AtomicBool = AtomicBool::new(false);
    let thresholds = [
        tuning.inline_limbs / 2,
        tuning.cpu_parallel_limbs,
        tuning.cpu_ntt_limbs,
        tuning.cpu_ntt_plain_limbs,
        tuning.cpu_digits_limbs,
        tuning.div_cpu_limbs,
        tuning.gcd_host_limbs,
        tuning.radix_limbs,
    ];
    let short = thresholds.into_iter().fold(usize::MAX, usize::min);
    let bounds = [
        (&LEAST_SHORT, &SHORT, short),
        (&LEAST_INLINE, &INLINE, tuning.inline_limbs),
    ];
    for (least, _, value) in bounds {
        least.fetch_min(value, Ordering::SeqCst);
    }
    HAS_PROCESSES.fetch_or(is_processes, Ordering::SeqCst);
    // If two threads run this at once, the later one sees the write of the other.
    if HAS_PROCESSES.load(Ordering::SeqCst) {
        for (least, bound, _) in bounds {
            let least = least.load(Ordering::SeqCst);
            let lower = |known| Some(if known == 0 { least } else { least.min(known) });
            let _ = bound.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lower);
        }
    }
}

/// The tuning of a thread, for another thread that takes a part of its work.
#[derive(Clone, Copy)]
pub(crate) struct Scoped(Option<&'static Tuning>);

impl Scoped {
    pub(crate) fn current() -> Scoped {
        Scoped(SCOPED.get())
    }

    /// Runs `work` with this in force on this thread.
    pub(crate) fn enter<T>(self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<&'static Tuning>);
        impl Drop for Restore {
            fn drop(&mut self) {
                SCOPED.set(self.0);
            }
        }
        let _restore = Restore(SCOPED.replace(self.0));
        work()
    }
}

/// A process's tuning: one for everything, and others for kernels that are tuned by size.
pub(super) struct Process {
    pub(super) tuning: Tuning,
    /// Kernels, and from which size on which tuning holds, by size.
    pub(super) ranges: Vec<(String, Vec<(u64, Tuning)>)>,
}

impl Process {
    fn at(&self, kernel: &str, size: u64) -> &Tuning {
        let ranges = self.ranges.iter().find(|(name, _)| name == kernel);
        let range = ranges.and_then(|(_, ranges)| ranges.iter().rfind(|(from, _)| *from <= size));
        range.map_or(&self.tuning, |(_, tuning)| tuning)
    }
}

/// Without a device, and once the first one is open.
static HOST: PerProcess<OnceLock<Process>> = PerProcess::new(OnceLock::new());
static WITH_DEVICE: PerProcess<OnceLock<Process>> = PerProcess::new(OnceLock::new());

#[inline]
fn process() -> &'static Process {
    match WITH_DEVICE.get() {
        Some(process) => process,
        None => HOST.get_or_init(|| of_process(None)),
    }
}

/// Loads the tuning measured for `device` into the process's tuning. Only the first call has an
/// effect.
pub(crate) fn load_device_tuning(device: &DeviceInfo) {
    WITH_DEVICE.get_or_init(|| of_process(Some(device)));
}

fn of_process(device: Option<&DeviceInfo>) -> Process {
    let process = match from_environment() {
        Some(tuning) => fixed(tuning),
        None => Process::of(&files(device)),
    };
    comes_into_force(&process.tuning, true);
    process
}

fn fixed(tuning: Tuning) -> Process {
    Process {
        tuning,
        ranges: Vec::new(),
    }
}

/// The files of the host and the device. None in this crate's own tests, whose thresholds must not
/// depend on the machine.
fn files(device: Option<&DeviceInfo>) -> Vec<Stored> {
    if cfg!(test) {
        return Vec::new();
    }
    let host = Stored::of_host();
    host.into_iter()
        .chain(device.and_then(Stored::of_device))
        .collect()
}

fn from_environment() -> Option<Tuning> {
    let text = variables::text("BEZOUT_TUNING")?;
    match Tuning::parse(&text) {
        Ok(tuning) => Some(tuning),
        Err(error) => {
            notice::say_once(&format!(
                "BEZOUT_TUNING={text}: {error}; using the defaults"
            ));
            Some(Tuning::shipped())
        }
    }
}
