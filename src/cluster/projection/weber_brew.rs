//! Weber and Brew's projection (their section 5): a line through the times of one GPU that is not
//! yet full, and as many GPUs as hold all moduli. No communication is charged.

use serde::Serialize;

/// T = slope·N + start with N in Kibit, and how many moduli one GPU holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Line {
    /// The GPU.
    pub name: &'static str,
    /// Milliseconds a Kibit.
    pub slope: f64,
    /// Milliseconds.
    pub start: f64,
    /// Moduli of a GPU before its times are no longer linear.
    pub held: f64,
}

/// As published, by least squares over 16 to 160 Kibit on a Tesla V100.
pub const PAPER: Line = Line {
    name: "V100, paper",
    slope: 0.35,
    start: 1.62,
    held: 35_000.0,
};

/// This crate's kernel of the same algorithm: bench/results/h200-weber-brew.json, commit a014236,
/// 2026-11-18; a modulus a thread.
pub const H200: Line = Line {
    name: "H200",
    slope: 0.128_92,
    start: 0.2096,
    held: 135_168.0,
};

impl Line {
    /// Seconds on enough GPUs.
    pub fn seconds(&self, bits: u64) -> f64 {
        1e-3 * (self.slope * bits as f64 / 1024.0 + self.start).max(0.0)
    }

    /// How many are enough.
    pub fn gpus(&self, bits: u64) -> u64 {
        (moduli(bits) / self.held).ceil() as u64
    }
}

/// N_Q = C_L·N / log10 N of their Fig. 2, with C_L = 1.6 − 0.015·L and L = 32.
pub fn moduli(bits: u64) -> f64 {
    let n = bits.max(16) as f64;
    ((1.6 - 0.015 * 32.0) * n / n.log10()).ceil()
}
