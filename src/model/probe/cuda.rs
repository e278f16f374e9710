//! A device: small kernels (`probe.cu`), timed by the device's clock, and transfers, timed by the
//! host's.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::{least, ring};
use crate::cuda::{Buffer, Device, Kernel, Launch, Read, Unit, Update, Write, kernels};
use crate::engine::{EXECUTOR, Engine};
use crate::error::Result;
use crate::progress;
use crate::tuning::{Identity, Machine};

kernels! {
    pub(crate) static PROBE = "model_probe", include_str!("probe.cu");

    fn probe_nothing(out: Write<u64>);
    fn probe_ring(ring: Write<u64>[lines * line], lines: u64, line: u64, factor: u64);
    fn probe_chase(ring: Read<u64>, links: u64, at: Update<u64>[1]);
    fn probe_operations(steps: u64, factor: u64, out: Write<u64>);
    fn probe_products(steps: u64, factor: u32, p: u32, inverse: u32, out: Write<u64>);
    fn probe_block_barriers(rounds: u64, out: Write<u64>);
    fn probe_grid_barriers(rounds: u64, state: Update<u32>[2], out: Write<u64>);
}

/// Every module of this folder.
pub(crate) fn units() -> Vec<Unit> {
    vec![Unit::new(&PROBE, &[])]
}

/// Seconds for each measurement by the host's clock.
const PATIENCE: f64 = 0.03;
/// Threads of a block that operates or meets.
const BLOCK: u32 = 256;
/// The modulus of products, and the factor of the products.
const PRIME: u32 = 469_762_049;
const FACTOR: u32 = 271_828_183;
/// Walks through a ring, the fastest of which counts.
const WALKS: usize = 5;

/// How much of everything: a GPU needs more to fill it than the executor has patience for.
struct Effort {
    launches: usize,
    /// Maximum lines of a ring.
    lines: u64,
    /// Links of a walk through a ring.
    links: u64,
    operations: u64,
    barriers: u64,
    copy: usize,
}

const GPU: Effort = Effort {
    launches: 200,
    lines: u64::MAX,
    links: 20_000,
    operations: 20_000,
    barriers: 1000,
    copy: 1 << 24,
};
const EXECUTED: Effort = Effort {
    launches: 20,
    lines: 1 << 12,
    links: 10_000,
    operations: 1000,
    barriers: 20,
    copy: 1 << 16,
};

struct Probe<'a> {
    device: &'a Arc<Device>,
    effort: Effort,
    out: Buffer,
}

pub(crate) fn probe(device: &Arc<Device>) -> Result<Machine> {
    let info = device.info();
    let module = device.module(&PROBE, &[])?;
    let operations = module.kernel(probe_operations)?;
    let resident = operations.resident_blocks(BLOCK, 0)?;
    let barriers = module.kernel(probe_grid_barriers)?;
    let meeting = barriers
        .resident_blocks(BLOCK, 0)?
        .min(info.multiprocessors);
    let probe = Probe {
        device,
        effort: if info.ordinal == EXECUTOR {
            EXECUTED
        } else {
            GPU
        },
        out: device.alloc(resident.max(meeting) as usize)?,
    };
    progress::stage("probing", 10, |stage| {
        let measured = |seconds: f64| stage.advance(1).map(|()| seconds);
        let launch = measured(probe.launch(&module.kernel(probe_nothing)?)?)?;
        let round_trip = measured(probe.round_trip(&module.kernel(probe_nothing)?)?)?;
        let chase = |lines: u64| {
            let lines = lines.min(probe.effort.lines);
            Chase::new(
                device,
                lines,
                &module.kernel(probe_ring)?,
                module.kernel(probe_chase)?,
            )
        };
        let small = chase(ring::lines_for_cache(info.l2_bytes))?;
        small.walk(small.lines)?;
        let cache_latency = measured(small.access(probe.effort.links)?)?;
        let large = chase(ring::lines_for_memory(info.l2_bytes, info.memory_limit))?;
        probe.clear_cache()?;
        let latency = measured(large.access(probe.effort.links)?)?;
        drop((small, large));
        let bandwidth = measured(device.copy_bandwidth(probe.effort.copy)?)?;
        let transfers = probe.transfers()?;
        stage.advance(1)?;
        let one = probe.operations(&operations, Launch::of(1, 32))?;
        let all = probe.operations(&operations, Launch::of(resident, BLOCK))?;
        stage.advance(1)?;
        let products = module.kernel(probe_products)?;
        let multiplying = products.resident_blocks(BLOCK, 0)?.min(resident);
        let product = probe.products(&products, Launch::of(1, 32))?;
        let many = probe.products(&products, Launch::of(multiplying, BLOCK))?;
        stage.advance(1)?;
        let block_barrier = measured(probe.block_barrier(&module.kernel(probe_block_barriers)?)?)?;
        let grid_barrier = measured(probe.grid_barrier(&barriers, meeting)?)?;
        Ok(Machine {
            identity: Identity::of_device(info),
            engine: Engine::Cuda(info.ordinal).to_string(),
            threads_per_block: 1024,
            resident_threads: u64::from(resident) * u64::from(BLOCK),
            local_bytes: info.shared_bytes_per_block.into(),
            cache_bytes: info.l2_bytes,
            launch,
            round_trip,
            latency,
            cache_latency: Some(cache_latency),
            bandwidth,
            upload: Some(transfers.0),
            download: Some(transfers.1),
            operation: one,
            throughput: f64::from(resident) * f64::from(BLOCK) / all,
            product: Some(product),
            products: Some(f64::from(multiplying) * f64::from(BLOCK) / many),
            block_barrier: Some(block_barrier),
            grid_barrier,
        })
    })
}

/// A ring in device memory, and the place that the last walk through it reached.
pub(super) struct Chase {
    device: Arc<Device>,
    kernel: Kernel<probe_chase>,
    ring: Buffer,
    at: Buffer,
    lines: u64,
}

impl Chase {
    pub(super) fn new(
        device: &Arc<Device>,
        lines: u64,
        fill: &Kernel<probe_ring>,
        kernel: Kernel<probe_chase>,
    ) -> Result<Chase> {
        assert!(lines.is_power_of_two());
        let ring = device.alloc(lines as usize * ring::LINE)?;
        let at = device.alloc(1)?;
        device.zero(&at, 0, 1)?;
        let shape = Launch::of(lines.div_ceil(256).min(1024) as u32, 256);
        let line = ring::LINE as u64;
        // SAFETY: the ring has `lines` lines of LINE words, and the kernel writes the first of
        // each.
        unsafe { fill.launch(shape, ring.write(), lines, line, ring::FACTOR)? };
        Ok(Chase {
            device: device.clone(),
            kernel,
            ring,
            at,
            lines,
        })
    }

    /// Follows `links` links from the end of the last walk.
    pub(super) fn walk(&self, links: u64) -> Result<()> {
        // SAFETY: every link is a place in the ring, as is the word `at`: 0, or where a walk ended.
        unsafe {
            self.kernel
                .launch(Launch::of(1, 1), self.ring.read(), links, self.at.update())
        }
    }

    /// The place that the last walk reached.
    #[cfg(test)]
    pub(super) fn place(&self) -> Result<u64> {
        let mut at = [0];
        self.device.download(&self.at, 0, &mut at)?;
        Ok(at[0])
    }

    /// The smallest seconds per access over several walks of `links` links.
    fn access(&self, links: u64) -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..WALKS {
            best = best.min(self.device.time_ms(|| self.walk(links))? * 1e-3);
        }
        // A clock that did not move must not become a rate without end.
        Ok(best.max(1e-9) / links as f64)
    }
}

/// 1/p modulo 2^32 for odd p: each step doubles the bits that are right, of which p has three.
const fn inverse_of(p: u32) -> u32 {
    let mut inverse = p;
    let mut bits = 3;
    while bits < 32 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

/// The residue of thread 0 of a block after `steps` products, on the executor or a GPU, and the
/// correct residue.
#[cfg(test)]
pub(super) fn products_of_a_thread(device: &Arc<Device>, steps: u64) -> Result<(u64, u64)> {
    let probe = Probe {
        device,
        effort: EXECUTED,
        out: device.alloc(2)?,
    };
    let kernel = device.kernel(probe_products, &[])?;
    // SAFETY: out has a word for each of the two blocks of 32 threads.
    unsafe { probe.multiply(&kernel, Launch::of(2, 32), steps)? };
    let mut found = [0; 2];
    device.download(&probe.out, 0, &mut found)?;
    assert_eq!(found[0], found[1]);
    let p = u64::from(PRIME);
    // 1/2 modulo p, 32 times, takes Montgomery's factor away.
    let half = |x: u64| {
        if x.is_multiple_of(2) {
            x / 2
        } else {
            (x + p) / 2
        }
    };
    let step = |x: u64| (0..32).fold(x * u64::from(FACTOR) % p, |x, _| half(x));
    Ok((found[0], (0..steps).fold(1, |x, _| step(x))))
}

impl Probe<'_> {
    /// The least seconds of device time of `work`, which does `count` of something, over the count.
    fn least(&self, count: f64, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
        let mut best = f64::INFINITY;
        work()?;
        for _ in 0..4 {
            best = best.min(self.device.time_ms(&mut work)? * 1e-3);
        }
        // A clock that did not move must not become a rate without end.
        Ok(best.max(1e-9) / count)
    }

    fn nothing(&self, kernel: &Kernel<probe_nothing>) -> Result<()> {
        // SAFETY: the kernel touches nothing.
        unsafe { kernel.launch(Launch::of(1, 32), self.out.write()) }
    }

    fn launch(&self, kernel: &Kernel<probe_nothing>) -> Result<f64> {
        let launches = self.effort.launches;
        self.least(launches as f64, || {
            (0..launches).try_for_each(|_| self.nothing(kernel))
        })
    }

    fn round_trip(&self, kernel: &Kernel<probe_nothing>) -> Result<f64> {
        let mut answer = [0];
        self.device.zero(&self.out, 0, 1)?;
        least(PATIENCE, 10.0, || {
            for _ in 0..10 {
                self.nothing(kernel)?;
                self.device.download(&self.out, 0, &mut answer)?;
            }
            Ok(())
        })
    }

    /// Fills the cache with other words, so that it no longer has what was written last.
    fn clear_cache(&self) -> Result<()> {
        let info = self.device.info();
        let words = (info.l2_bytes / 4).min(info.memory_limit / 32) as usize;
        self.device.zero(&self.device.alloc(words)?, 0, words)
    }

    /// Seconds of one operation of a thread of a launch of this shape.
    fn operations(&self, kernel: &Kernel<probe_operations>, shape: Launch) -> Result<f64> {
        let steps = self.effort.operations;
        assert!(shape.grid as usize <= self.out.limbs());
        self.least(steps as f64, || {
            let factor = 6_364_136_223_846_793_005u64;
            // SAFETY: out has a word for each block, asserted above.
            unsafe { kernel.launch(shape, steps, factor, self.out.write()) }
        })
    }

    /// Seconds of one product modulo a prime of a thread of a launch of this shape.
    fn products(&self, kernel: &Kernel<probe_products>, shape: Launch) -> Result<f64> {
        let steps = self.effort.operations;
        assert!(shape.grid as usize <= self.out.limbs() && shape.block <= BLOCK);
        self.least(steps as f64, || {
            // SAFETY: out has a word for each block, and blocks have at most BLOCK threads, both
            // asserted above.
            unsafe { self.multiply(kernel, shape, steps) }
        })
    }

    /// Products of every thread's number, counted from 1 in its block, with FACTOR.
    ///
    /// # Safety
    /// `out` has a word for each block, and blocks have at most BLOCK threads.
    unsafe fn multiply(
        &self,
        kernel: &Kernel<probe_products>,
        shape: Launch,
        steps: u64,
    ) -> Result<()> {
        let out = self.out.write();
        // SAFETY: the caller's promise.
        unsafe { kernel.launch(shape, steps, FACTOR, PRIME, inverse_of(PRIME), out) }
    }

    fn block_barrier(&self, kernel: &Kernel<probe_block_barriers>) -> Result<f64> {
        let rounds = self.effort.barriers;
        // SAFETY: out has room for the word of the one block.
        self.least(rounds as f64, || unsafe {
            kernel.launch(Launch::of(1, BLOCK), rounds, self.out.write())
        })
    }

    fn grid_barrier(&self, kernel: &Kernel<probe_grid_barriers>, blocks: u32) -> Result<f64> {
        let rounds = self.effort.barriers;
        let state = self.device.alloc(1)?;
        self.device.zero(&state, 0, 1)?;
        assert!(blocks as usize <= self.out.limbs());
        let shape = Launch {
            cooperative: true,
            ..Launch::of(blocks, BLOCK)
        };
        // SAFETY: the state is two zeroed 32-bit words, as the barrier leaves them; out has a word
        // for each block, asserted above.
        self.least(rounds as f64, || unsafe {
            kernel.launch(shape, rounds, state.update(), self.out.write())
        })
    }

    /// Bytes a second from the host and to it.
    fn transfers(&self) -> Result<(f64, f64)> {
        let mut words = vec![1u64; self.effort.copy / 2];
        let bytes = 8.0 * words.len() as f64;
        let buffer = self.device.upload(&words)?;
        let up = least(PATIENCE, bytes, || {
            self.device.upload_into(&buffer, 0, &words)?;
            self.device.synchronize()
        })?;
        let down = least(PATIENCE, bytes, || {
            self.device.download(&buffer, 0, &mut words)
        })?;
        Ok((1.0 / up, 1.0 / down))
    }
}
