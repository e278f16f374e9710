//! Products on a device: transforms by `ntt`, then `carry.cu`.

#![allow(unsafe_code)]

mod published;
mod rows;
mod sums;

pub(crate) use published::published_product;
pub(crate) use rows::{Operand, Rows, SHORT_LIMBS};
pub(crate) use sums::{ProductSum, sums};

use std::sync::Arc;

use super::halves;
use super::plan::{digits_for, product_bits};
use crate::cuda::{Buffer, Device, Handle, Launch, Module, Read, Unit, Update, Write, kernels};
use crate::error::{Error, Result};
use crate::limbs::{self, DeviceLimbs, Resident, limbs_for};
use crate::ntt::cuda::{self as ntt, Digits};
use crate::ntt::plan::{DevicePlan, MAX_LOG, MAX_PARTS, PRIMES, Parts, primes_for};
use crate::tuning::Tuning;

kernels! {
    pub(crate) static RELEASE = "mul_carry", concat!(
        include_str!("../../limbs/carry.cuh"),
        include_str!("../carry.cu")
    );
    const {
        /// Coefficients per thread.
        RELEASE_ROWS: u64 = 4;
        /// Coefficients of a tile of direct products.
        CARRY_DIRECT_TILE: u64 = 32;
        /// Counters at the head of the workspace.
        RELEASE_HEAD: usize = 4;
    }

    fn mul_limbs(
        out: Write<u64>[n], n: u64, a: Read<u64>[stored_a], len_a: u64, stored_a: u64,
        b: Read<u64>[stored_b], len_b: u64, stored_b: u64,
        workspace: Update<u64>[RELEASE_HEAD as u64],
    );
    fn mul_carry_5 | mul_carry_6(
        out: Write<u64>[n], n: u64, residues: Read<u32>[5 * stride], stride: u64, pieces: u32,
        length: u32, step: u32, count: u64, a: Read<u64>[stored_a], len_a: u64, stored_a: u64,
        b: Read<u64>[stored_b], len_b: u64, stored_b: u64,
        workspace: Update<u64>[RELEASE_HEAD as u64],
    );
    fn mul_carry_sum_5 | mul_carry_sum_6(
        out: Write<u64>[n], n: u64, residues: Read<u32>[5 * stride], stride: u64, count: u64,
        list: Option<Read<u64>>[6 * pairs], pairs: u32, workspace: Update<u64>[RELEASE_HEAD as u64],
    );
    fn mul_carry_folded_5 | mul_carry_folded_6(
        out: Write<u64>[n], n: u64, residues: Read<u32>[5 * count], count: u64, x: Read<u64>[len],
        len: u64, workspace: Update<u64>[RELEASE_HEAD as u64],
    );
}

/// Every module of this folder.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let of = |direct, kernels: &[_]| Unit::new(&RELEASE, &defines(tuning, direct)).only(kernels);
    let released = [
        mul_carry_5.declaration(),
        mul_carry_6.declaration(),
        mul_carry_sum_5.declaration(),
        mul_carry_sum_6.declaration(),
        mul_carry_folded_5.declaration(),
        mul_carry_folded_6.declaration(),
    ];
    let mut all = vec![of(true, &[mul_limbs.declaration()]), of(false, &released)];
    all.extend(rows::units());
    all.extend(published::units());
    all
}

/// The `-D` values of `carry.cu`, for direct products in small tiles or for all others.
pub(crate) fn defines(tuning: &Tuning, direct: bool) -> [(&'static str, i64); 8] {
    [
        ("CARRY_BLOCK", tuning.carry_block.into()),
        ("CARRY_DIRECT", direct.into()),
        ("NTT_PRIME_0", PRIMES[0].0.into()),
        ("NTT_PRIME_1", PRIMES[1].0.into()),
        ("NTT_PRIME_2", PRIMES[2].0.into()),
        ("NTT_PRIME_3", PRIMES[3].0.into()),
        ("NTT_PRIME_4", PRIMES[4].0.into()),
        ("NTT_PRIME_5", PRIMES[5].0.into()),
    ]
}

/// The kernels of one product of numbers of about `a` and `b` limbs, or of a square.
pub(crate) fn of_product((a, b): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    let release =
        |direct, kernels: &[_]| Unit::new(&RELEASE, &defines(tuning, direct)).only(kernels);
    let by_limbs = mul_limbs.declaration();
    if a.max(b) <= tuning.mul_direct_limbs as u64 {
        return vec![release(true, &[by_limbs])];
    }
    if a.min(b) <= tuning.mul_short_limbs as u64 {
        return vec![release(false, &[by_limbs])];
    }
    let Some(plan) = DevicePlan::new(a, b, tuning) else {
        return needed(a.max(b), tuning);
    };
    let mut all = ntt::of_plan(&plan, tuning);
    let carry = plan.by_primes(mul_carry_5, mul_carry_6);
    all.push(release(false, &[carry.declaration()]));
    all
}

/// The kernels of operations made of products of numbers of up to about `limbs` limbs, as
/// `engine::KernelList` has it.
pub(crate) fn of_products((limbs, _): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    // Lengths near each other have one list.
    needed(limbs.next_power_of_two(), tuning)
}

/// Those of [`of_products`], and of products of many short numbers side by side.
pub(crate) fn of_rows(sizes: (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    let mut all = of_products(sizes, tuning);
    let more = ntt::of_rows(tuning).into_iter().chain(rows::units());
    for unit in more {
        if !all.contains(&unit) {
            all.push(unit);
        }
    }
    all
}

/// The kernels of operations that use products of up to `limbs` limbs.
pub(crate) fn needed(limbs: u64, tuning: &Tuning) -> Vec<Unit> {
    let mut all = ntt::needed(limbs, tuning);
    let direct = Unit::new(&RELEASE, &defines(tuning, true));
    let others = Unit::new(&RELEASE, &defines(tuning, false));
    all.push(direct.only(&[mul_limbs.declaration()]));
    all.push(others.only(&[
        mul_carry_5.declaration(),
        mul_carry_sum_5.declaration(),
        mul_carry_folded_5.declaration(),
    ]));
    all.extend(limbs::cuda::needed(tuning));
    all
}

/// a·b; a square where both are the same limbs.
pub(crate) fn mul(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Resident> {
    let same = a.ptr() == b.ptr() && a.bits == b.bits;
    product(a, (!same).then_some(b))
}

/// a².
pub(crate) fn square(a: &DeviceLimbs) -> Result<Resident> {
    product(a, None)
}

fn product(a: &DeviceLimbs, b: Option<&DeviceLimbs>) -> Result<Resident> {
    let tuning = Tuning::current();
    let second = b.unwrap_or(a);
    let (device, bits) = (a.buffer.device(), product_bits(a.bits, second.bits));
    let (la, lb) = (digits(a).len, digits(second).len);
    if la.max(lb) <= tuning.mul_direct_limbs {
        return by_limbs(Target::new(device, bits, true)?, a, second);
    }
    if la.min(lb) <= tuning.mul_short_limbs {
        return by_limbs(Target::new(device, bits, false)?, a, second);
    }
    let Some(plan) = DevicePlan::new(la as u64, lb as u64, &tuning) else {
        let first = a.clone().into_limbs()?;
        return match b {
            Some(b) => halves::mul(&first, &b.clone().into_limbs()?),
            None => halves::square(&first),
        };
    };
    let target = Target::new(device, bits, false)?;
    let residues = ntt::product(digits(a), b.map(digits), &plan)?;
    propagate_carries(target, &residues, &plan, a, second)
}

/// V + x₀ + x₁ + 1 for the V ≡ a·b modulo 2^(64·N) − 1 of [`mul_wrapped`] and a natural x =
/// x₁·2^(64·N) + x₀ of at most 2·N limbs. b may have a top limb of any kind: its low N limbs are
/// what counts. Below 2^(64·N + 117).
pub(crate) fn fold_wrapped(
    a: &DeviceLimbs,
    b: &DeviceLimbs,
    log_n: u32,
    x: &DeviceLimbs,
) -> Result<Resident> {
    let terms = digits(a).len.min(digits(b).len) as u64;
    let tuning = Tuning::current();
    let plan = DevicePlan::wrapped(primes_for(terms, &tuning), log_n, false, &tuning);
    let target = Target::new(a.buffer.device(), (64 << log_n) + FOLDED_BITS, false)?;
    let residues = ntt::product(digits(a), Some(digits(b)), &plan)?;
    propagate_carries_folded(target, &residues, &plan, x)
}

fn propagate_carries_folded(
    target: Target,
    residues: &Buffer,
    plan: &DevicePlan,
    x: &DeviceLimbs,
) -> Result<Resident> {
    x.check();
    let count = plan.points() as usize;
    assert!(plan.parts == Parts::One && x.len() <= 2 * count);
    assert!(plan.primes as usize * count / 2 <= residues.limbs());
    let kernel = target
        .module
        .kernel(plan.by_primes(mul_carry_folded_5, mul_carry_folded_6))?;
    // SAFETY: as in propagate_carries(); x holds the length passed (asserted by check()).
    unsafe {
        kernel.launch(
            target.shape,
            target.out.write(),
            target.out.limbs(),
            residues.read(),
            count,
            x.read(),
            x.len(),
            target.workspace.update(),
        )?;
    }
    Ok(target.done())
}

/// V ≡ a·b modulo 2^(64·N) − 1, N = 2^log_n, for natural a and b of at most N limbs: a·b with its
/// upper limbs added to its lower ones, so 0 ≤ V ≤ a·b. As its N coefficients are below 2^(64 +
/// 64 + 51), V < 2^(64·N + 116).
pub(crate) fn mul_wrapped(a: &DeviceLimbs, b: &DeviceLimbs, log_n: u32) -> Result<Resident> {
    let (da, db) = (digits(a), digits(b));
    let terms = da.len.min(db.len) as u64;
    let tuning = Tuning::current();
    let plan = DevicePlan::wrapped(primes_for(terms, &tuning), log_n, false, &tuning);
    let target = Target::new(a.buffer.device(), (64 << log_n) + WRAPPED_BITS, false)?;
    let residues = ntt::product(da, Some(db), &plan)?;
    propagate_carries(target, &residues, &plan, a, b)
}

/// Bits of a wrapped product beyond its limbs, and of one with something added.
const WRAPPED_BITS: u64 = 116;
const FOLDED_BITS: u64 = 117;

/// The transform of a natural operand, kept for products modulo 2^(64·2^log_n) − 1.
pub(crate) struct KeptWrapped {
    transform: ntt::DeviceTransform,
    operand: DeviceLimbs,
}

impl KeptWrapped {
    /// For factors of at most `terms` limbs, or of any length if the operand is no longer.
    pub(crate) fn new(a: &DeviceLimbs, log_n: u32, terms: u64) -> Result<KeptWrapped> {
        let tuning = Tuning::current();
        let plan = DevicePlan::wrapped(primes_for(terms, &tuning), log_n, true, &tuning);
        Ok(KeptWrapped {
            transform: ntt::keep(digits(a), &plan)?,
            operand: a.clone(),
        })
    }

    /// As [`fold_wrapped`].
    pub(crate) fn fold(&self, b: &DeviceLimbs, x: &DeviceLimbs) -> Result<Resident> {
        let plan = self.transform.plan();
        let target = Target::new(b.buffer.device(), 64 * plan.n() + FOLDED_BITS, false)?;
        let residues = ntt::product_by_kept(digits(b), &self.transform, plan)?;
        propagate_carries_folded(target, &residues, plan, x)
    }

    /// The limbs to which products wrap.
    pub(crate) fn limbs(&self) -> usize {
        self.transform.plan().n() as usize
    }

    /// As [`mul_wrapped`]; exactly a·b where that has no more than N coefficients, and then b may
    /// be negative.
    pub(crate) fn mul(&self, b: &DeviceLimbs) -> Result<Resident> {
        let plan = self.transform.plan();
        let a = &self.operand;
        let whole = digits(a).len + digits(b).len - 1 <= plan.n() as usize;
        let bits = if whole {
            product_bits(a.bits, b.bits)
        } else {
            64 * plan.n() + WRAPPED_BITS
        };
        let target = Target::new(a.buffer.device(), bits, false)?;
        let residues = ntt::product_by_kept(digits(b), &self.transform, plan)?;
        propagate_carries(target, &residues, plan, a, b)
    }
}

/// The transform of an operand, kept for products with others of about its length or longer.
pub(crate) struct PreparedOperand {
    transform: ntt::DeviceTransform,
    /// Limbs of the operand.
    len: usize,
}

impl PreparedOperand {
    pub(crate) fn new(a: &DeviceLimbs) -> Result<PreparedOperand> {
        let len = digits(a).len;
        let tuning = Tuning::current();
        let primes = primes_for(len as u64, &tuning);
        let plan = DevicePlan::for_reuse(primes, 2 * len as u64, &tuning)
            .ok_or_else(|| too_large(product_bits(a.bits, a.bits)))?;
        Ok(PreparedOperand {
            transform: ntt::keep(digits(a), &plan)?,
            len,
        })
    }

    /// a·b, for the `a` that this was made of.
    pub(crate) fn mul(&self, a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Resident> {
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
        propagate_carries(target, &residues, &plan, a, b)
    }
}

/// The limbs of an operand without those that are only sign.
fn digits(x: &DeviceLimbs) -> Digits<'_> {
    x.check();
    Digits {
        buffer: &x.buffer,
        start: x.start(),
        len: digits_for(x.bits),
    }
}

fn too_large(bits: u64) -> Error {
    Error::TooLarge {
        what: "multiplication",
        bits,
        limit: u64::from(64 * MAX_PARTS) << MAX_LOG,
    }
}

/// The memory to which carry propagation writes, allocated before any computation.
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
        let tile = if direct {
            CARRY_DIRECT_TILE
        } else {
            RELEASE_ROWS * u64::from(tuning.carry_block)
        };
        let tiles = (n as u64).div_ceil(tile);
        Ok(Target {
            out: device.alloc(n)?,
            bits,
            workspace: device.workspace("mul/release", RELEASE_HEAD + tiles as usize)?,
            module: device.module(&RELEASE, &defines(&tuning, direct))?,
            shape: Launch::of(tiles.clamp(1, i32::MAX as u64) as u32, tuning.carry_block),
        })
    }

    fn done(self) -> Resident {
        Resident::from_device(self.out, self.bits)
    }
}

/// The product of a and b from their limbs, the shorter one's for each of the longer one's.
fn by_limbs(target: Target, a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Resident> {
    let (a, b) = if a.bits >= b.bits { (a, b) } else { (b, a) };
    let kernel = target.module.kernel(mul_limbs)?;
    // SAFETY: out holds the length passed and is new; the operands hold the lengths passed
    // (asserted by digits()); the workspace has its head and a state for every tile.
    unsafe {
        kernel.launch(
            target.shape,
            target.out.write(),
            target.out.limbs(),
            a.read(),
            digits(a).len,
            a.len(),
            b.read(),
            digits(b).len,
            b.len(),
            target.workspace.update(),
        )?;
    }
    Ok(target.done())
}

/// The product of a and b from the residues of its coefficients.
fn propagate_carries(
    target: Target,
    residues: &Buffer,
    plan: &DevicePlan,
    a: &DeviceLimbs,
    b: &DeviceLimbs,
) -> Result<Resident> {
    let (len_a, len_b) = (digits(a).len, digits(b).len);
    let (pieces, step) = match plan.parts {
        Parts::One | Parts::Split(_) | Parts::Rows { .. } => (1, 0),
        Parts::Pieces { count, step } => (count, step),
    };
    // A wrapped product has no coefficients beyond its points.
    let count = (len_a + len_b - 1).min(plan.points() as usize);
    assert!(plan.primes as usize * plan.points() as usize / 2 <= residues.limbs());
    assert!(pieces == 1 || plan.points() <= u64::from(u32::MAX));
    let kernel = target
        .module
        .kernel(plan.by_primes(mul_carry_5, mul_carry_6))?;
    // SAFETY: out holds the length passed and is new; the residues are points() words for each
    // prime, and there are no more coefficients than that; the operands hold the lengths passed
    // (asserted by digits()); the workspace has its head and a state for every tile.
    unsafe {
        kernel.launch(
            target.shape,
            target.out.write(),
            target.out.limbs(),
            residues.read(),
            plan.points(),
            pieces,
            plan.n() as u32,
            step,
            count,
            a.read(),
            len_a,
            a.len(),
            b.read(),
            len_b,
            b.len(),
            target.workspace.update(),
        )?;
    }
    Ok(target.done())
}

/// The sum of the products of the pairs from the residues of its `count` coefficients.
fn propagate_carries_of_sum(
    target: Target,
    residues: &Buffer,
    plan: &DevicePlan,
    count: u64,
    pairs: &[(&DeviceLimbs, &DeviceLimbs)],
) -> Result<Resident> {
    let words = |x: &DeviceLimbs| [x.ptr().address(), digits(x).len as u64, x.len() as u64];
    let operands = pairs.iter().flat_map(|(a, b)| [a, b]);
    let list: Vec<u64> = operands.flat_map(|x| words(x)).collect();
    let list = target.out.device().upload(&list)?;
    assert!(count <= plan.points());
    assert!(plan.primes as usize * plan.points() as usize / 2 <= residues.limbs());
    let kernel = target
        .module
        .kernel(plan.by_primes(mul_carry_sum_5, mul_carry_sum_6))?;
    // SAFETY: as in propagate_carries(); the list has six words for each pair, the operands'
    // addresses and lengths.
    unsafe {
        kernel.launch(
            target.shape,
            target.out.write(),
            target.out.limbs(),
            residues.read(),
            plan.points(),
            count,
            list.read(),
            pairs.len() as u32,
            target.workspace.update(),
        )?;
    }
    Ok(target.done())
}
