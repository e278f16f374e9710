//! What a measured machine predicts of a program.
//!
//! The model of the paper has two parameters, U and Z, and counts time in local operations. To
//! predict seconds takes more: what a launch costs, how long an access and an operation take when
//! nothing hides them, and how many of each the whole machine does in a second when everything
//! does. A kernel of b blocks of t threads is predicted to take
//!
//! ```text
//! launch + waves·(span·operation + barriers·barrier)
//!        + ⌈b / multiprocessors⌉·work·multiprocessors/throughput
//!        + max(waves·waits·latency, b·t·(α + β)·word/bandwidth)
//! ```
//!
//! where waves is the number of times that the machine is filled with its blocks: ⌈b·t / resident
//! threads⌉. The first line is what a thread waits for in its block. The second is what a
//! multiprocessor is busy with: it runs whole blocks, so that fewer blocks than multiprocessors
//! leave some of them idle. The third is memory: accesses that wait for each other, or the
//! bandwidth that all share.
//! Kernels of a program wait for each other, so their launches add up, and one round trip ends the
//! program; one more stands before each kernel that the host decides on as the program runs.
//!
//! An operation is that of a word or of a residue ([`Operation`]). Nothing is known of caches, of
//! bank conflicts or of how well a block hides its own latencies.

use super::Machine;
use super::mmm::{Launches, Operation, Program};

/// Operations of words that stand for a product of residues where none was measured.
const PRODUCT_OPERATIONS: f64 = 2.0;

/// Operations of words that come with a product of residues: it is subtracted from a residue, and
/// both are in local memory.
const BESIDE_PRODUCT: f64 = 2.0;

/// Predictions of a measured machine.
pub trait Predict {
    /// Seconds of a program whose kernels are queued one after the other and waited for once, and
    /// before each kernel that is decided on as the program runs.
    fn predict(&self, program: &Program) -> f64;

    /// Seconds of one launch among others.
    fn predict_kernel(&self, kernel: &Launches) -> f64;
}

impl Predict for Machine {
    fn predict(&self, program: &Program) -> f64 {
        let kernels = program.kernels().iter();
        let seconds: f64 = kernels
            .map(|kernel| {
                let looks = if kernel.decision > 0.0 { 1.0 } else { 0.0 };
                kernel.times as f64 * self.predict_kernel(kernel) + looks * self.round_trip
            })
            .sum();
        seconds + self.round_trip
    }

    fn predict_kernel(&self, kernel: &Launches) -> f64 {
        let (blocks, block) = (kernel.blocks as f64, &kernel.block);
        let threads = blocks * block.threads;
        let waves = (threads / self.resident_threads as f64).ceil().max(1.0);
        let (operation, throughput) = operation_of(self, block.operation);
        let barriers = block.barriers * self.block_barrier.unwrap_or(0.0);
        let waited = waves * (block.span * operation + barriers);
        let units = f64::from(self.identity.units.max(1));
        let busy = (blocks / units).ceil() * block.work * units / throughput;
        let words = block.reads + block.writes;
        let transfers = threads * words * block.word_bytes / self.bandwidth;
        let accesses = if words > 0.0 { block.waits } else { 0.0 };
        let memory = transfers.max(waves * accesses * self.latency);
        self.launch + waited + busy + memory
    }
}

/// Seconds of an operation that the next one waits for, and such operations a second.
fn operation_of(machine: &Machine, operation: Operation) -> (f64, f64) {
    match operation {
        Operation::Word => (machine.operation, machine.throughput),
        Operation::Residue => {
            let estimated = PRODUCT_OPERATIONS * machine.operation;
            let product = machine.product.unwrap_or(estimated);
            let estimated = machine.throughput / PRODUCT_OPERATIONS;
            let products = machine.products.unwrap_or(estimated);
            (
                product + BESIDE_PRODUCT * machine.operation,
                1.0 / (1.0 / products + BESIDE_PRODUCT / machine.throughput),
            )
        }
    }
}

#[cfg(test)]
mod tests;
