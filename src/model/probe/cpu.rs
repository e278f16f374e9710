//! The CPU: a launch is work handed to all threads of the pool, a block is a thread, its local memory a core's first cache.

use std::hint::black_box;

use rayon::prelude::*;

use super::least;
use crate::engine::Engine;
use crate::error::Result;
use crate::model::machine::{Identity, Machine};
use crate::progress::Stage;

/// Measurements of a probe.
pub(super) const STEPS: u64 = 5;
/// Seconds for each.
const PATIENCE: f64 = 0.05;
/// Larger than any cache of one core, small enough to be filled at once.
const RING: usize = 1 << 23;
/// Words of a copy.
const COPY: usize = 1 << 22;
/// Dependent operations in a row.
const CHAIN: u64 = 100_000;
/// Chains that a core works on side by side.
const CHAINS: usize = 8;

pub(super) fn probe(stage: &Stage) -> Result<Machine> {
    let threads = rayon::current_num_threads();
    let launch = least(PATIENCE, 100.0, || {
        for _ in 0..100 {
            rayon::broadcast(|context| black_box(context.index()));
        }
        Ok(())
    })?;
    stage.advance(1)?;
    // A stride that the hardware does not foresee and that visits every line.
    let ring: Vec<u32> = (0..RING)
        .map(|i| ((i + 1_000_003 * 16) % RING) as u32)
        .collect();
    let mut at = 0u32;
    let latency = least(PATIENCE, 10_000.0, || {
        for _ in 0..10_000 {
            at = ring[at as usize];
        }
        black_box(at);
        Ok(())
    })?;
    stage.advance(1)?;
    let source: Vec<u64> = vec![7; COPY];
    let mut target = vec![0u64; COPY];
    let piece = COPY.div_ceil(threads);
    let bytes = 16.0 * COPY as f64;
    let bandwidth = 1.0
        / least(PATIENCE, bytes, || {
            let pairs = target.par_chunks_mut(piece).zip(source.par_chunks(piece));
            pairs.for_each(|(target, source)| target.copy_from_slice(source));
            Ok(())
        })?;
    stage.advance(1)?;
    let operation = least(PATIENCE, CHAIN as f64, || {
        black_box(chains::<1>(black_box([3])));
        Ok(())
    })?;
    stage.advance(1)?;
    let throughput = (threads * CHAINS) as f64
        / least(PATIENCE, CHAIN as f64, || {
            rayon::broadcast(|_| black_box(chains::<CHAINS>(black_box([5; CHAINS]))));
            Ok(())
        })?;
    stage.advance(1)?;
    Ok(Machine {
        identity: Identity::of_host(),
        engine: Engine::Cpu.to_string(),
        threads_per_block: 1,
        resident_threads: threads as u64,
        local_bytes: cache_bytes(0).unwrap_or(32 << 10),
        cache_bytes: (0..4).rev().find_map(cache_bytes).unwrap_or(1 << 20),
        launch,
        round_trip: launch,
        latency,
        bandwidth,
        upload: None,
        download: None,
        operation,
        throughput,
        block_barrier: None,
        grid_barrier: launch,
    })
}

/// Multiplications and additions, each waiting for the one before, in N chains.
#[inline(never)]
fn chains<const N: usize>(mut x: [u64; N]) -> [u64; N] {
    // A factor that the compiler does not know: it would take several steps of a known one at once.
    let factor = black_box(6_364_136_223_846_793_005);
    for _ in 0..CHAIN {
        for value in &mut x {
            *value = value.wrapping_mul(factor).wrapping_add(1);
        }
    }
    x
}

/// Bytes of a cache of the first core, where the system says so.
fn cache_bytes(index: usize) -> Option<u64> {
    let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
    let size = std::fs::read_to_string(format!("{folder}/size")).ok()?;
    let size = size.trim();
    let (digits, unit) = size.split_at(
        size.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(size.len()),
    );
    let scale = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    Some(digits.parse::<u64>().ok()? * scale)
}
