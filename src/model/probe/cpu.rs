//! The CPU: a launch is work handed to all threads of the pool, a block is a thread, its local
//! memory a core's first cache.

use std::hint::black_box;
use std::time::Instant;

use super::{least, ring};
use crate::engine::Engine;
use crate::error::Result;
use crate::progress::Stage;
use crate::threads;
use crate::tuning::{Identity, Machine};

/// Measurements of a probe.
pub(super) const STEPS: u64 = 6;
/// Seconds for each.
const PATIENCE: f64 = 0.05;
/// Links of a walk through a ring: less than a millisecond, so that some walk is not interrupted.
const LINKS: u64 = 5000;
/// Walks, the fastest of which counts.
const WALKS: usize = 80;
/// The available memory to assume if the system does not state it: enough for the smallest ring.
const AVAILABLE: u64 = 2 << 30;
/// Dependent operations in a row.
const CHAIN: u64 = 100_000;
/// Chains that a core works on side by side.
const CHAINS: usize = 8;

pub(super) fn probe(stage: &Stage) -> Result<Machine> {
    let threads = threads::count();
    let launch = least(PATIENCE, 100.0, || {
        threads::in_pool(&mut || {
            for _ in 0..100 {
                rayon::broadcast(|context| black_box(context.index()));
            }
        });
        Ok(())
    })?;
    stage.advance(1)?;
    let last_cache = (0..4).rev().find_map(cache_bytes).unwrap_or(1 << 20);
    let mut small = Ring::new(ring::lines_for_cache(last_cache));
    small.walk(small.lines());
    let cache_latency = small.access();
    stage.advance(1)?;
    let available = available_bytes().unwrap_or(AVAILABLE);
    let mut large = Ring::new(ring::lines_for_memory(last_cache, available));
    // Other words take the place in the cache of the links that were written last.
    black_box(vec![1u64; (last_cache / 4).min(available / 32) as usize]);
    let latency = large.access();
    stage.advance(1)?;
    // The ring is no longer needed, and a copy inside it is as far larger than the cache.
    let half = large.links.len() / 2;
    let (target, source) = large.links.split_at_mut(half);
    let piece = target.len().div_ceil(threads);
    let bytes = 16.0 * target.len() as f64;
    let bandwidth = 1.0
        / least(PATIENCE, bytes, || {
            threads::chunks_mut(target, piece, 1, |i, target| {
                target.copy_from_slice(&source[i * piece..][..target.len()]);
            });
            Ok(())
        })?;
    drop(large);
    stage.advance(1)?;
    let operation = least(PATIENCE, CHAIN as f64, || {
        black_box(chains::<1>(black_box([3])));
        Ok(())
    })?;
    stage.advance(1)?;
    let throughput = (threads * CHAINS) as f64
        / least(PATIENCE, CHAIN as f64, || {
            threads::in_pool(&mut || {
                rayon::broadcast(|_| black_box(chains::<CHAINS>(black_box([5; CHAINS]))));
            });
            Ok(())
        })?;
    stage.advance(1)?;
    Ok(Machine {
        identity: Identity::of_host(),
        engine: Engine::Cpu.to_string(),
        threads_per_block: 1,
        resident_threads: threads as u64,
        local_bytes: cache_bytes(0).unwrap_or(32 << 10),
        cache_bytes: last_cache,
        launch,
        round_trip: launch,
        latency,
        cache_latency: Some(cache_latency),
        bandwidth,
        upload: None,
        download: None,
        operation,
        throughput,
        product: None,
        products: None,
        block_barrier: None,
        grid_barrier: launch,
    })
}

/// A ring in main memory, and the place that the last walk through it reached.
pub(super) struct Ring {
    links: Vec<u64>,
    at: u64,
}

impl Ring {
    pub(super) fn new(lines: u64) -> Ring {
        let mut links = vec![0u64; lines as usize * ring::LINE];
        threads::chunks_mut(&mut links, ring::LINE, 1 << 12, |i, line| {
            line[0] = ring::next(i as u64, lines) * ring::LINE as u64;
        });
        Ring { links, at: 0 }
    }

    fn lines(&self) -> u64 {
        (self.links.len() / ring::LINE) as u64
    }

    /// Follows `links` links from the end of the last walk, and returns the new position.
    pub(super) fn walk(&mut self, links: u64) -> u64 {
        let mut at = self.at;
        for _ in 0..links {
            at = self.links[at as usize];
        }
        self.at = black_box(at);
        at
    }

    /// The least seconds of an access over several walks.
    fn access(&mut self) -> f64 {
        let mut walk = || {
            let start = Instant::now();
            self.walk(LINKS);
            start.elapsed().as_secs_f64()
        };
        let best = (0..WALKS).map(|_| walk()).fold(f64::INFINITY, f64::min);
        best / LINKS as f64
    }
}

/// Multiplications and additions in N chains. In a chain, each waits for the previous one.
#[inline(never)]
fn chains<const N: usize>(mut x: [u64; N]) -> [u64; N] {
    // The factor must be unknown to the compiler, which would otherwise combine several steps.
    let factor = black_box(6_364_136_223_846_793_005);
    for _ in 0..CHAIN {
        for value in &mut x {
            *value = value.wrapping_mul(factor).wrapping_add(1);
        }
    }
    x
}

/// Bytes of a cache of the first core, if the system states it.
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

/// Memory that is available without swapping, under the container's limit if there is one. `None`
/// if the system does not state it.
fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let available = line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10;
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok());
    Some(container.map_or(available, |limit| limit.min(available)))
}
