//! The hidden interface for `bezout-lab` and the benchmarks. It is not part of the stable
//! interface, and users of arithmetic do not need it.
//!
//! It exports internals of the library that only measurements use:
//!
//! - measured machines and the current tuning ([`Machine`], [`Stored`], [`Tuning`]), which
//!   determine the library's choices and which `bezout-lab` measures;
//! - launches of a chosen shape, and the device's own copy to compare with;
//! - algorithms as they were published, and counts of their operations;
//! - arithmetic of the host to compare results with ([`host`]).

pub mod host;

use std::sync::Arc;

use crate::batch::{Batch, Rows};
use crate::cluster::Cluster;
use crate::cuda::Device;
use crate::error::{Error, Result};
use crate::factoring::ecm;
use crate::factoring::published;
pub use crate::factoring::published::{
    Activity as RhoActivity, RunnerGrid as RhoShape, Start as RhoStart, Variant as RhoVariant,
};
use crate::factoring::workers::Curves;
pub use crate::gcd::competitors::Competitor;
use crate::gcd::competitors::{self, Counted};
use crate::gcd::weber::basic;
pub use crate::gcd::weber::basic::{
    Basic as WeberBasic, average_iterations, expected_b_bits, least_choice, moduli_of_average,
    most_iterations, published_b_bits,
};
pub use crate::gcd::weber::cuda::Capacity as WeberCapacity;
pub use crate::gcd::weber::variant::{Meeting as WeberMeeting, Variant as WeberVariant};
pub use crate::gcd::weber::{Count as WeberCount, Options as WeberOptions};
use crate::gcd::{Stats as GcdStats, accelerated, weber};
use crate::int::Int;
use crate::limbs::cuda::{self, LinearShape, PublishedShape};
pub use crate::model::probe;
use crate::modp::primes;
use crate::ntt::cpu::Level;
use crate::ntt::plan::DevicePlan;
use crate::number::Integer;
use crate::progress;
pub use crate::progress::{Stage, stage};
pub use crate::tuning::{
    Chosen, Identity, Machine, Parameter, Provenance, Range, Side, Stored, Tuned, Tuning, tuning_of,
};

/// Runs work that its observer may stop, and hears nothing of.
pub fn silently<T>(work: impl FnOnce() -> T) -> T {
    progress::inherit(progress::shared(), work)
}

/// The tuning in force for a kernel that is tuned by size, at this size.
pub fn tuning_at(kernel: &str, size: u64) -> &'static Tuning {
    Tuning::at(kernel, size)
}

/// Whether transforms on the CPU use vector instructions.
pub fn has_vectors() -> bool {
    Level::best() != Level::Portable
}

/// Odd primes up to `limit` < 2^32.
pub fn small_primes(limit: u64) -> Vec<u32> {
    primes::small_primes(limit)
}

/// A linear operation whose launch can be shaped: the ones Liu–Tong vary block and grid of (Figs.
/// 1, 3, 5, 7 and 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearOp {
    /// a AND b.
    And,
    /// a + b.
    Add,
    /// a − b.
    Sub,
    /// One bits of a; the count stays on the device.
    Popcount,
    /// This limb, as many times as a has limbs.
    Fill(u64),
}

/// Queues the operation with blocks of `block` threads and `grid` blocks, or as tuned where not
/// given. Nothing is waited for.
pub fn linear_with_shape(
    device: &Arc<Device>,
    op: LinearOp,
    a: &Int,
    b: &Int,
    block: Option<u32>,
    grid: Option<u32>,
) -> Result<Int> {
    let x = a.limbs_on(device)?;
    let tuned = LinearShape::tuned(x.len());
    let shape = LinearShape {
        block: block.unwrap_or(tuned.block),
        grid,
        ..tuned
    };
    if shape.block == 0 || !shape.block.is_multiple_of(32) || shape.block > 1024 || grid == Some(0)
    {
        return Err(Error::Domain(format!(
            "a launch of {} threads by {} blocks: blocks are whole warps of at most 1024 threads",
            shape.block,
            grid.unwrap_or_default()
        )));
    }
    let result = match op {
        LinearOp::And => cuda::logic(&x, &b.limbs_on(device)?, cuda::limbs_and, shape),
        LinearOp::Add => cuda::sum(&x, &b.limbs_on(device)?, false, shape),
        LinearOp::Sub => cuda::sum(&x, &b.limbs_on(device)?, true, shape),
        LinearOp::Popcount => cuda::popcount_queued(&x, shape),
        LinearOp::Fill(pattern) => {
            let count = x.bits.div_ceil(64) as usize;
            cuda::fill(device, pattern, count, 0, 64 * count as u64, shape)
        }
    };
    result.map(Int::from)
}

/// An operation as Liu and Tong published it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishedOp {
    /// a + b: limbs added by one kernel, carries walked by another (section III.E).
    Add,
    /// a − b: the same with borrows.
    Sub,
    /// a·2^n: the shifted limbs and their overflow in two buffers, then the sum of both (section
    /// III.D).
    ShiftLeft(u64),
}

/// Queues a published operation with blocks of `block` threads, 256 where not given, and `grid`
/// blocks, a thread for each limb of 32 bits where not given. Nothing is waited for.
pub fn published_linear(
    device: &Arc<Device>,
    op: PublishedOp,
    a: &Int,
    b: &Int,
    block: Option<u32>,
    grid: Option<u32>,
) -> Result<Int> {
    let block = block.unwrap_or(PublishedShape::DEFAULT.block);
    if block == 0 || !block.is_multiple_of(32) || block > 1024 || grid == Some(0) {
        return Err(Error::Domain(format!(
            "a launch of {block} threads by {} blocks: blocks are whole warps of at most 1024 \
             threads",
            grid.unwrap_or_default()
        )));
    }
    let shape = PublishedShape { block, grid };
    let x = a.limbs_on(device)?;
    let result = match op {
        PublishedOp::Add => cuda::published_sum(&x, &b.limbs_on(device)?, false, shape),
        PublishedOp::Sub => cuda::published_sum(&x, &b.limbs_on(device)?, true, shape),
        PublishedOp::ShiftLeft(count) => {
            let bits = x.bits.checked_add(count);
            let bits = bits.ok_or_else(|| Error::Domain(format!("a shift by {count} bits")))?;
            cuda::published_shl(&x, count, bits, shape)
        }
    };
    result.map(Int::from)
}

/// About a·b by a Fourier transform in floating point of digits of 8 bits (section III.F), in
/// double or in single precision. Digits of the result are wrong; it is for counting them.
pub fn published_product(device: &Arc<Device>, a: &Int, b: &Int, double: bool) -> Result<Int> {
    if a.try_is_negative()? || b.try_is_negative()? {
        let reason = "a published product has no negative operands";
        return Err(Error::Domain(reason.into()));
    }
    let (x, y) = (a.limbs_on(device)?, b.limbs_on(device)?);
    crate::mul::cuda::published_product(&x, &y, double).map(Int::from)
}

/// Butterflies of one of the three transforms of a product of two numbers of `bits` bits on a
/// device: c·log2(c)/2 for each prime, c the coefficients of the product in 64-bit digits. Padding
/// to a length of transforms is not included. None for a product that is too long.
pub fn transform_butterflies(bits: u64) -> Option<f64> {
    let limbs = bits.div_ceil(64).max(1);
    let primes = DevicePlan::new(limbs, limbs, &Tuning::current())?.primes;
    let coefficients = (2 * limbs - 1) as f64;
    Some(f64::from(primes) * coefficients * coefficients.log2() / 2.0)
}

/// The statistics of one run of Weber's algorithm, for the experiments of Weber, Trevisan and
/// Martins.
#[derive(Debug, Clone)]
pub struct WeberRun {
    /// The greatest common divisor.
    pub gcd: Int,
    /// Iterations, moduli and sizes of b.
    pub stats: GcdStats,
    /// How many quotients had i bits before the step that was watched.
    pub sizes: Option<Vec<u64>>,
}

/// Weber's algorithm on the CPU with `moduli` moduli of `bits` bits (16 to 40). An error if they
/// are too few.
pub fn weber(u: &Int, v: &Int, bits: u32, moduli: usize, watch: Option<usize>) -> Result<WeberRun> {
    let options = weber::Options {
        bits,
        count: weber::Count::Exactly(moduli),
    };
    let (gcd, stats, sizes) = weber::observe(u.try_host()?, v.try_host()?, options, watch)?;
    Ok(WeberRun {
        gcd: gcd.into(),
        stats,
        sizes,
    })
}

/// Weber's algorithm on the engine in force, with moduli chosen by `options`.
pub fn weber_by(a: &Int, b: &Int, options: WeberOptions) -> Result<(Int, GcdStats)> {
    let (gcd, stats) = weber::gcd(a.try_abs()?.as_limbs(), b.try_abs()?.as_limbs(), options)?;
    Ok((gcd.into(), stats))
}

/// Weber's algorithm with a variant of its kernel, for a ≥ b > 0 on the device in force.
pub fn weber_variant(a: &Int, b: &Int, variant: WeberVariant) -> Result<(Int, GcdStats)> {
    let options = weber::Options::default();
    let (gcd, stats) = weber::variant::gcd_by(a.as_limbs(), b.as_limbs(), options, variant)?;
    Ok((gcd.into(), stats))
}

/// A GCD by an algorithm whose steps are counted.
#[derive(Debug, Clone)]
pub struct CountedGcd {
    /// The greatest common divisor.
    pub gcd: Int,
    /// Steps, each with a constant number of passes over both numbers.
    pub iterations: u64,
    /// Products of a limb of 64 bits with a multiplier.
    pub work: u64,
}

impl From<Counted> for CountedGcd {
    fn from(counted: Counted) -> CountedGcd {
        CountedGcd {
            gcd: Integer::from(counted.gcd).into(),
            iterations: counted.iterations,
            work: counted.work,
        }
    }
}

/// gcd(a, b) for a, b ≠ 0 by an algorithm that Weber, Trevisan and Martins compare theirs with.
pub fn gcd_by_competitor(a: &Int, b: &Int, which: Competitor) -> Result<CountedGcd> {
    let (a, b) = (a.try_host()?.magnitude(), b.try_host()?.magnitude());
    Ok(competitors::gcd(a, b, which).into())
}

/// gcd(a, b) for a, b ≠ 0 by the accelerated algorithm, with a step of dmod if one number is longer
/// by more than `longer` bits.
pub fn gcd_accelerated(a: &Int, b: &Int, longer: u64) -> Result<CountedGcd> {
    let (a, b) = (a.try_host()?.magnitude(), b.try_host()?.magnitude());
    Ok(accelerated::counted(a, b, longer).into())
}

/// gcd(u, v) for u ≥ v > 0 by the basic algorithm of Weber, Trevisan and Martins (Fig. 1), on
/// integers, with the worst-case count of moduli of `bits` bits.
pub fn weber_basic(u: &Int, v: &Int, bits: u32) -> Result<(Int, WeberBasic)> {
    let (u, v) = (u.try_host()?.magnitude(), v.try_host()?.magnitude());
    let (gcd, done) = basic::run(u, v, bits)?;
    Ok((Integer::from(gcd).into(), done))
}

/// The number of moduli of 32 bits with which Weber's algorithm starts for numbers of `bits` bits
/// on one thread.
pub fn weber_moduli(bits: u64, count: WeberCount) -> usize {
    weber::wanted(WeberOptions { bits: 32, count }, bits)
}

/// How many moduli Weber's kernel holds on this device at once, for each number of moduli in a
/// thread that it is compiled for.
pub fn weber_capacities(device: &Arc<Device>) -> Result<Vec<WeberCapacity>> {
    weber::cuda::capacities(device)
}

/// A factor that rho as published came to.
#[derive(Debug, Clone, PartialEq)]
pub struct RhoFound {
    /// The factor.
    pub factor: Int,
    /// Iterations of the runner that came first.
    pub iterations: u64,
    /// Its number, from 1 on.
    pub runner: u64,
}

/// Pollard's rho as Beránek published it, on the current engine: a factor of n, or None if all
/// runners have entered a cycle.
pub fn published_rho(n: &Int, variant: RhoVariant, shape: RhoShape) -> Result<Option<RhoFound>> {
    let n = n.try_abs()?.into_integer();
    let check = || progress::check().is_ok();
    let found = published::rho_in_shape(n.magnitude(), variant, shape, &check)?;
    Ok(found.map(|found| RhoFound {
        factor: found.factor.into(),
        iterations: found.iterations,
        runner: found.runner,
    }))
}

/// The active lanes of such a run on the current device, for odd n > 2 of one limb. None on the
/// CPU.
pub fn published_rho_activity(
    n: &Int,
    variant: RhoVariant,
    shape: RhoShape,
) -> Result<Option<RhoActivity>> {
    let n = n.try_abs()?.into_integer();
    let check = || progress::check().is_ok();
    published::activity(n.magnitude(), variant, shape, &check)
}

impl Device {
    /// Bytes read plus bytes written per second by copies of `limbs` limbs inside device memory, in
    /// turn between buffers that together exceed the caches: the yardstick of everything that
    /// memory bounds.
    pub fn copy_bandwidth(self: &Arc<Self>, limbs: usize) -> Result<f64> {
        const PAIRS: usize = 4;
        let buffers = (0..2 * PAIRS)
            .map(|_| {
                let buffer = self.alloc(limbs)?;
                self.zero(&buffer, 0, limbs)?;
                Ok(buffer)
            })
            .collect::<Result<Vec<_>>>()?;
        let round = |rounds: usize| {
            self.time_ms(|| {
                (0..rounds * PAIRS).try_for_each(|k| {
                    let pair = k % PAIRS;
                    self.copy(&buffers[2 * pair], 0, &buffers[2 * pair + 1], 0, limbs)
                })
            })
        };
        // Warm up, then run long enough that the overhead around the copies is negligible.
        let once = round(2)? / 2.0;
        let rounds = (5.0 / once.max(1e-3)).clamp(1.0, 2000.0) as usize;
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            best = best.min(round(rounds)? / rounds as f64);
        }
        Ok(16.0 * limbs as f64 * PAIRS as f64 / (best * 1e-3))
    }
}

/// A divisor of n that the elliptic curve method found, and by which curve in which stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EcmFound {
    /// Neither 1 nor n.
    pub factor: Int,
    /// The number of the curve.
    pub sigma: u64,
    /// 1 or 2.
    pub stage: u8,
}

impl From<ecm::CurveFound> for EcmFound {
    fn from(found: ecm::CurveFound) -> EcmFound {
        EcmFound {
            factor: found.factor.into(),
            sigma: found.sigma,
            stage: found.stage,
        }
    }
}

/// Runs curves of the elliptic curve method on the engine in force, both stages if b2 > b1; the
/// first group of curves that finds something is the last.
pub fn ecm_curves(
    n: &Int,
    b1: u64,
    b2: u64,
    first_sigma: u64,
    count: usize,
) -> Result<Vec<EcmFound>> {
    let n = n.try_host()?.magnitude();
    let found = ecm::curves(n, b1, b2, first_sigma, count, &|| true)?;
    Ok(found.into_iter().map(EcmFound::from).collect())
}

/// [`ecm_curves`] by all ranks of a cluster. Collective. Rank 0 gets the results, the others get
/// none.
pub fn ecm_curves_by_ranks(
    cluster: &Cluster,
    n: &Int,
    b1: u64,
    b2: u64,
    sigma: u64,
    count: usize,
) -> Result<Vec<EcmFound>> {
    let n = n.try_host()?.magnitude();
    let count = count as u64;
    let curves = Curves {
        n,
        b1,
        b2,
        sigma,
        count,
    };
    let found = cluster.curves(curves)?;
    Ok(found.into_iter().map(EcmFound::from).collect())
}

/// Curves that keep the engine in force busy.
pub fn ecm_preferred_count(n_bits: u64) -> usize {
    ecm::preferred_count(n_bits, u64::MAX, u64::MAX)
}

/// The low half of a·b·b·…, row by row, with enough products in one kernel that loads and stores
/// are negligible. This measures the rate of products alone.
pub fn products_of_rows(
    device: &Arc<Device>,
    a: &Rows<'_>,
    b: &Rows<'_>,
    times: u32,
) -> Result<Batch> {
    crate::batch::arith::cuda::mul_again(device, a, b, times)
}
