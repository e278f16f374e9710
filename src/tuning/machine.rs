//! A measured machine. Quantities that are computed from it are in `src/model/machine.rs`.

use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::device::{DeviceInfo, EXECUTOR};

/// Which machine something was measured on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// `cpu`, `cuda` or `executor`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Cores or multiprocessors.
    pub units: u32,
}

impl Identity {
    /// The host's CPU.
    pub fn of_host() -> Identity {
        Identity {
            kind: "cpu".into(),
            name: cpu_name().unwrap_or_else(|| std::env::consts::ARCH.into()),
            units: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        }
    }

    /// A device.
    pub fn of_device(info: &DeviceInfo) -> Identity {
        let kind = match info.ordinal {
            EXECUTOR => "executor",
            _ => "cuda",
        };
        Identity {
            kind: kind.into(),
            name: info.name.clone(),
            units: info.multiprocessors,
        }
    }
}

/// The CPU's name, if the system states it. Only the first core is read: listing all cores takes
/// long.
fn cpu_name() -> Option<String> {
    let mut text = Vec::new();
    let file = std::fs::File::open("/proc/cpuinfo").ok()?;
    file.take(4096).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// A measured machine. Times are in seconds, rates in a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Machine {
    /// Which one.
    pub identity: Identity,
    /// The engine it was measured through.
    pub engine: String,
    /// Maximum threads of a block.
    pub threads_per_block: u32,
    /// Threads that the whole machine holds at once.
    pub resident_threads: u64,
    /// Local memory of a block in bytes: shared memory, or a core's first cache.
    pub local_bytes: u64,
    /// The last cache before memory, in bytes.
    pub cache_bytes: u64,
    /// Each of many launches in a row.
    pub launch: f64,
    /// A launch and its answer on the host.
    pub round_trip: f64,
    /// An access to memory that the next one waits for.
    pub latency: f64,
    /// Seconds of an access to the last-level cache for which the next access waits. None if it was
    /// not measured.
    #[serde(default)]
    pub cache_latency: Option<f64>,
    /// Bytes read and written by a copy in memory.
    pub bandwidth: f64,
    /// Bytes from the host; none for the CPU.
    pub upload: Option<f64>,
    /// Bytes to the host; none for the CPU.
    pub download: Option<f64>,
    /// A multiplication and an addition of 64 bits that the next one waits for.
    pub operation: f64,
    /// Such operations of the whole machine, where enough of them need not wait.
    pub throughput: f64,
    /// Seconds of a product modulo a prime of a residue in local memory, for which the next product
    /// waits. None if it was not measured.
    #[serde(default)]
    pub product: Option<f64>,
    /// Such products of the whole machine, where enough of them need not wait.
    #[serde(default)]
    pub products: Option<f64>,
    /// All threads of a block meet; none for the CPU, whose blocks have one.
    pub block_barrier: Option<f64>,
    /// All blocks of a launch meet; on the CPU, all its threads.
    pub grid_barrier: f64,
}

impl Machine {
    /// Whether it is a device, or the executor in place of one.
    pub fn is_device(&self) -> bool {
        self.identity.kind != "cpu"
    }
}
