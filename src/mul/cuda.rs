//! Products on a device: transforms by `ntt`, then `release.cu`.

#![allow(unsafe_code)]

mod sums;

pub(crate) use sums::sums;

use std::sync::Arc;

use super::plan::{digits_for, product_bits};
use crate::cuda::{Buffer, Device, Launch, Module, Source};
use crate::error::{Error, Result};
use crate::limbs::{DeviceLimbs, Limbs, limbs_for};
use crate::model::Tuning;
use crate::ntt::cuda::{self as ntt, Digits};
use crate::ntt::plan::{MAX_LOG, MAX_PARTS, PRIMES, Parts, Plan};

pub(crate) static RELEASE: Source = Source {
    name: "mul_release",
    text: include_str!("release.cu"),
};

/// Coefficients per thread of `release.cu`, and those of a tile of direct products.
const ROWS: u64 = 4;
const DIRECT_TILE: u64 = 32;
/// Counters at the head of its workspace.
const WORKSPACE_HEAD: usize = 4;

/// The `-D` values of `release.cu`, for direct products in small tiles or for all others.
pub(crate) fn defines(tuning: &Tuning, direct: bool) -> [(&'static str, i64); 8] {
    [
        ("RELEASE_BLOCK", tuning.release_block.into()),
        ("RELEASE_DIRECT", direct.into()),
        ("NTT_PRIME_0", PRIMES[0].0.into()),
        ("NTT_PRIME_1", PRIMES[1].0.into()),
        ("NTT_PRIME_2", PRIMES[2].0.into()),
        ("NTT_PRIME_3", PRIMES[3].0.into()),
        ("NTT_PRIME_4", PRIMES[4].0.into()),
        ("NTT_PRIME_5", PRIMES[5].0.into()),
    ]
}

/// a·b; a square where both are the same limbs.
pub(crate) fn mul(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
    let same = Arc::ptr_eq(&a.buffer, &b.buffer) && a.bits == b.bits;
    product(a, (!same).then_some(b))
}

/// a².
pub(crate) fn square(a: &DeviceLimbs) -> Result<Limbs> {
    product(a, None)
}

fn product(a: &DeviceLimbs, b: Option<&DeviceLimbs>) -> Result<Limbs> {
    let tuning = Tuning::current();
    let second = b.unwrap_or(a);
    let (device, bits) = (a.buffer.device(), product_bits(a.bits, second.bits));
    let (la, lb) = (digits(a).len, digits(second).len);
    if la.max(lb) <= tuning.mul_direct_limbs {
        return by_limbs(Target::new(device, bits, true)?, a, second);
    }
    if la.min(lb) <= tuning.mul_thin_limbs {
        return by_limbs(Target::new(device, bits, false)?, a, second);
    }
    let plan = Plan::new(la as u64, lb as u64, &tuning).ok_or_else(|| too_large(bits))?;
    let target = Target::new(device, bits, false)?;
    let residues = ntt::product(digits(a), b.map(digits), &plan)?;
    release(target, &residues, &plan, a, second)
}

/// The transform of an operand, kept for products with others of about its length or longer.
pub(crate) struct Kept {
    transform: ntt::Kept,
    /// Limbs of the operand.
    len: usize,
}

impl Kept {
    pub(crate) fn new(a: &DeviceLimbs) -> Result<Kept> {
        let len = digits(a).len;
        let plan = Plan::for_reuse(2 * len as u64, len as u64, &Tuning::current())
            .ok_or_else(|| too_large(product_bits(a.bits, a.bits)))?;
        Ok(Kept {
            transform: ntt::keep(digits(a), &plan)?,
            len,
        })
    }

    /// a·b, for the `a` that this was made of.
    pub(crate) fn mul(&self, a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
        assert_eq!(digits(a).len, self.len);
        let other = digits(b).len;
        let plan = self.transform.plan();
        // Two transforms of the kept length against three of the product's, or none.
        let fits =
            3 * other >= self.len && self.len.max(other) > Tuning::current().mul_direct_limbs;
        let Some(plan) = plan
            .with_kept(self.len as u64, other as u64)
            .filter(|_| fits)
        else {
            return mul(a, b);
        };
        let target = Target::new(a.buffer.device(), product_bits(a.bits, b.bits), false)?;
        let residues = ntt::product_by_kept(digits(b), &self.transform, &plan)?;
        release(target, &residues, &plan, a, b)
    }
}

/// The limbs of an operand without those that are only sign.
fn digits(x: &DeviceLimbs) -> Digits<'_> {
    let len = digits_for(x.bits);
    assert!(len <= x.len() && x.len() <= x.buffer.limbs());
    Digits {
        buffer: &x.buffer,
        len,
    }
}

fn too_large(bits: u64) -> Error {
    Error::TooLarge {
        what: "multiplication",
        bits,
        limit: u64::from(64 * MAX_PARTS) << MAX_LOG,
    }
}

/// What the release of carries writes to, made before anything is computed.
struct Target {
    out: Buffer,
    bits: u64,
    workspace: Arc<Buffer>,
    module: Arc<Module>,
    shape: Launch,
}

impl Target {
    fn new(device: &Arc<Device>, bits: u64, direct: bool) -> Result<Target> {
        let tuning = Tuning::current();
        let n = limbs_for(bits);
        let tile = match direct {
            true => DIRECT_TILE,
            false => ROWS * u64::from(tuning.release_block),
        };
        let tiles = (n as u64).div_ceil(tile);
        Ok(Target {
            out: device.alloc(n)?,
            bits,
            workspace: device.workspace("mul/release", WORKSPACE_HEAD + tiles as usize)?,
            module: device.module(&RELEASE, &defines(&tuning, direct))?,
            shape: Launch::of(tiles.clamp(1, i32::MAX as u64) as u32, tuning.release_block),
        })
    }

    fn done(self) -> Limbs {
        Limbs::from_device(self.out, self.bits)
    }
}

/// The product of a and b from their limbs, the shorter one's for each of the longer one's.
fn by_limbs(target: Target, a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
    let (a, b) = if a.bits >= b.bits { (a, b) } else { (b, a) };
    let kernel = target.module.kernel("mul_limbs")?;
    // SAFETY: out holds the length passed and is new; the operands hold the lengths passed (asserted by digits()); the workspace has
    // its head and a state for every tile.
    unsafe {
        kernel.launch(
            target.shape,
            (
                target.out.ptr(),
                target.out.limbs(),
                a.buffer.ptr(),
                digits(a).len,
                a.len(),
                b.buffer.ptr(),
                digits(b).len,
                b.len(),
                target.workspace.ptr(),
            ),
        )?;
    }
    Ok(target.done())
}

/// The product of a and b from the residues of its coefficients.
fn release(
    target: Target,
    residues: &Buffer,
    plan: &Plan,
    a: &DeviceLimbs,
    b: &DeviceLimbs,
) -> Result<Limbs> {
    let (len_a, len_b) = (digits(a).len, digits(b).len);
    let (pieces, step) = match plan.parts {
        Parts::One | Parts::Split(_) => (1, 0),
        Parts::Pieces { count, step } => (count, step),
    };
    let count = len_a + len_b - 1;
    assert!(plan.primes as usize * plan.points() as usize / 2 <= residues.limbs());
    assert!(count as u64 <= plan.points() && (pieces == 1 || plan.points() <= u64::from(u32::MAX)));
    let kernel = target.module.kernel(match plan.primes {
        5 => "mul_release_5",
        _ => "mul_release_6",
    })?;
    // SAFETY: out holds the length passed and is new; the residues are points() words for each prime, and there are no more
    // coefficients than that (asserted above); the operands hold the lengths passed (asserted by digits()); the workspace
    // has its head and a state for every tile.
    unsafe {
        kernel.launch(
            target.shape,
            (
                target.out.ptr(),
                target.out.limbs(),
                residues.ptr(),
                plan.points(),
                pieces,
                plan.n() as u32,
                step,
                count,
                a.buffer.ptr(),
                len_a,
                a.len(),
                b.buffer.ptr(),
                len_b,
                b.len(),
                target.workspace.ptr(),
            ),
        )?;
    }
    Ok(target.done())
}

/// The sum of the products of the pairs from the residues of its coefficients.
fn release_sum(
    target: Target,
    residues: &Buffer,
    plan: &Plan,
    pairs: &[(&DeviceLimbs, &DeviceLimbs)],
) -> Result<Limbs> {
    let words = |x: &DeviceLimbs| {
        [
            x.buffer.ptr().address(),
            digits(x).len as u64,
            x.len() as u64,
        ]
    };
    let operands = pairs.iter().flat_map(|(a, b)| [a, b]);
    let list: Vec<u64> = operands.flat_map(|x| words(x)).collect();
    let list = target.out.device().upload(&list)?;
    let counts = pairs
        .iter()
        .map(|(a, b)| (digits(a).len + digits(b).len - 1) as u64);
    let count = counts.max().unwrap_or(0);
    assert!(count <= plan.points());
    assert!(plan.primes as usize * plan.points() as usize / 2 <= residues.limbs());
    let kernel = target.module.kernel(match plan.primes {
        5 => "mul_release_sum_5",
        _ => "mul_release_sum_6",
    })?;
    // SAFETY: as in release(); the list has six words for each pair, the operands' addresses and lengths.
    unsafe {
        kernel.launch(
            target.shape,
            (
                target.out.ptr(),
                target.out.limbs(),
                residues.ptr(),
                plan.points(),
                count,
                list.ptr(),
                pairs.len() as u32,
                target.workspace.ptr(),
            ),
        )?;
    }
    Ok(target.done())
}
