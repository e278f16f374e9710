//! Quantities that are computed from a measured machine. `bezout-lab` uses them to predict the time
//! of a program of kernels.

use crate::engine::Engine;
use crate::tuning::Machine;

/// Bytes of a machine word.
const WORD: f64 = 8.0;

impl Machine {
    /// The paper's U: local operations in the time of one transfer.
    pub fn u(&self) -> f64 {
        (self.latency / self.operation).max(1.0)
    }

    /// The paper's Z: words of a local memory.
    pub fn z(&self) -> f64 {
        self.local_bytes as f64 / WORD
    }

    /// Seconds to stream `bytes` bytes through memory in one launch.
    pub fn stream(&self, bytes: f64) -> f64 {
        self.launch.max(self.latency + bytes / self.bandwidth)
    }

    /// Seconds of `operations` operations: on one thread, where each waits for the previous one
    /// except for overlap within a core, or on all threads.
    pub fn compute(&self, operations: f64, whole_machine: bool) -> f64 {
        if whole_machine {
            operations / self.throughput
        } else {
            operations / (self.throughput / f64::from(self.identity.units.max(1)))
        }
    }
}

/// The machine that an engine computes on: `Auto` is the first GPU where there is one, else the
/// CPU.
pub(crate) fn concrete(engine: Engine) -> Engine {
    match engine {
        Engine::Auto if crate::cuda::device_count() > 0 => Engine::Cuda(0),
        Engine::Auto => Engine::Cpu,
        engine => engine,
    }
}
