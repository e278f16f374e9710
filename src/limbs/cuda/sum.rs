//! Sums: wrappers around `add.cu`.

use std::sync::Arc;
use std::sync::atomic::{self, AtomicU64};

use super::super::number::{DeviceLimbs, Resident};
use super::super::plan::{self, limbs_for};
use super::{
    ADD_HEAD, LinearShape, limbs_abs, limbs_add, limbs_add_word, limbs_fold_high, limbs_join,
    result,
};
use crate::cuda::{Buffer, Device, Handle, Kernel, Launch, Lent, Read};
use crate::error::Result;

/// The arguments of the launch of a sum besides its operands.
pub(crate) struct SumLaunch<K> {
    pub(crate) kernel: Kernel<K>,
    pub(crate) launch: Launch,
    /// A counter and a state for every tile.
    pub(crate) workspace: Arc<Buffer>,
    /// A number that no other sum of this process has, and not 0: what tiles publish is marked with
    /// it.
    pub(crate) epoch: u64,
    pub(crate) fillers: u32,
}

impl<K: Handle> SumLaunch<K> {
    /// For a kernel of `add.cu` and a result of `limbs` limbs.
    pub(crate) fn new(
        device: &Arc<Device>,
        shape: LinearShape,
        handle: K,
        limbs: usize,
    ) -> Result<Self> {
        static EPOCH: AtomicU64 = AtomicU64::new(1);
        let states = shape.tiles(limbs) as usize;
        let (launch, fillers) = shape.with_fillers(limbs);
        Ok(SumLaunch {
            workspace: device.workspace("limbs/add", ADD_HEAD + states)?,
            kernel: shape.kernel(device, handle)?,
            launch,
            epoch: EPOCH.fetch_add(1, atomic::Ordering::Relaxed),
            fillers,
        })
    }
}

pub(in crate::limbs) fn add(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Resident> {
    sum(a, b, false, LinearShape::tuned(a.len().max(b.len())))
}

pub(in crate::limbs) fn sub(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Resident> {
    sum(a, b, true, LinearShape::tuned(a.len().max(b.len())))
}

/// a + b, or a − b = a + NOT b + 1.
pub(crate) fn sum(
    a: &DeviceLimbs,
    b: &DeviceLimbs,
    subtract: bool,
    shape: LinearShape,
) -> Result<Resident> {
    let device = a.buffer.device();
    let bits = plan::sum_bits(a.bits, b.bits);
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let with = SumLaunch::new(device, shape, limbs_add, n)?;
    let (flip, carry) = if subtract { (u64::MAX, 1u32) } else { (0, 0) };
    a.check();
    b.check();
    // SAFETY: out holds n limbs and is new, a and b hold the lengths passed (checked above), and
    // the workspace has its head and a state for every tile of n limbs.
    unsafe {
        with.kernel.launch(
            with.launch,
            out.write(),
            n,
            a.read(),
            a.len(),
            b.read(),
            b.len(),
            flip,
            carry,
            with.workspace.update(),
            with.epoch,
            with.fillers,
        )?;
    }
    Ok(result(out, bits))
}

/// An operand of [`join`].
#[derive(Clone, Copy)]
pub(crate) enum Part<'a> {
    Signed(&'a DeviceLimbs),
    /// The natural number in the lowest limbs.
    Natural(&'a DeviceLimbs, usize),
}

impl<'a> Part<'a> {
    /// Its limbs, how many, and whether zeros follow them.
    fn limbs(self) -> (Lent<'a, Read<u64>>, usize, u32) {
        match self {
            Part::Signed(x) => {
                x.check();
                (x.read(), x.len(), 0)
            }
            Part::Natural(x, len) => {
                x.check();
                assert!(1 <= len && len <= x.len());
                (x.read(), len, 1)
            }
        }
    }
}

/// a·2^(64·shift) + b + carry, or a·2^(64·shift) − b. The caller must have proved that it is in
/// −2^bits ≤ x < 2^bits.
pub(crate) fn join(
    device: &Arc<Device>,
    (a, shift): (Part, usize),
    b: Part,
    sum: Joined,
    bits: u64,
) -> Result<Resident> {
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let with = SumLaunch::new(device, LinearShape::tuned(n), limbs_join, n)?;
    let (flip, carry) = match sum {
        Joined::Plus(carry) => (0, carry),
        Joined::Minus => (u64::MAX, 1),
    };
    let (a, len_a, natural_a) = a.limbs();
    let (b, len_b, natural_b) = b.limbs();
    // SAFETY: as in `sum`; the operands hold the lengths passed (asserted by limbs()).
    unsafe {
        with.kernel.launch(
            with.launch,
            out.write(),
            n,
            a,
            len_a,
            natural_a,
            shift,
            b,
            len_b,
            natural_b,
            flip,
            carry,
            with.workspace.update(),
            with.epoch,
            with.fillers,
        )?;
    }
    Ok(result(out, bits))
}

/// How [`join`] joins.
#[derive(Clone, Copy)]
pub(crate) enum Joined {
    /// And this carry.
    Plus(u32),
    Minus,
}

/// y + c − 1 for a = c·2^(64·limbs) + y, 0 ≤ y < 2^(64·limbs) and c < 2^128, or y + c −
/// 2^(64·limbs) if the top limb of y is all ones. The caller must have proved that it is in 0 ≤ x <
/// 2^bits.
pub(crate) fn fold_high_limbs(a: &DeviceLimbs, limbs: usize, bits: u64) -> Result<Resident> {
    let device = a.buffer.device();
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let with = SumLaunch::new(device, LinearShape::tuned(n), limbs_fold_high, n)?;
    a.check();
    assert!(1 <= limbs && limbs + 2 <= a.len());
    // SAFETY: as in `sum`; a holds two limbs more than the length passed (asserted above).
    unsafe {
        with.kernel.launch(
            with.launch,
            out.write(),
            n,
            a.read(),
            limbs,
            with.workspace.update(),
            with.epoch,
            with.fillers,
        )?;
    }
    Ok(result(out, bits))
}

/// (a ^ flip) + (low, above, above, …) + carry in `limbs_for(bits)` limbs.
fn add_word(a: &DeviceLimbs, flip: u64, word: i64, carry: u32, bits: u64) -> Result<Resident> {
    let device = a.buffer.device();
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let with = SumLaunch::new(device, LinearShape::tuned(n), limbs_add_word, n)?;
    a.check();
    // SAFETY: as in `sum`; the second operand is no memory.
    unsafe {
        with.kernel.launch(
            with.launch,
            out.write(),
            n,
            a.read(),
            a.len(),
            flip,
            word as u64,
            (word >> 63) as u64,
            carry,
            with.workspace.update(),
            with.epoch,
            with.fillers,
        )?;
    }
    Ok(result(out, bits))
}

pub(in crate::limbs) fn add_small(a: &DeviceLimbs, b: i64) -> Result<Resident> {
    add_word(a, 0, b, 0, plan::sum_bits(a.bits, 63))
}

/// −a = NOT a + 1.
pub(in crate::limbs) fn neg(a: &DeviceLimbs) -> Result<Resident> {
    add_word(a, u64::MAX, 0, 1, plan::negated_bits(a.bits))
}

pub(in crate::limbs) fn abs(a: &DeviceLimbs) -> Result<Resident> {
    let device = a.buffer.device();
    let bits = plan::negated_bits(a.bits);
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let with = SumLaunch::new(device, LinearShape::tuned(n), limbs_abs, n)?;
    a.check();
    // SAFETY: as in `sum`.
    unsafe {
        with.kernel.launch(
            with.launch,
            out.write(),
            n,
            a.read(),
            a.len(),
            with.workspace.update(),
            with.epoch,
            with.fillers,
        )?;
    }
    Ok(result(out, bits))
}
