//! Logic, shifts, fills and changes of a bit: wrappers around `map.cu`.

use std::sync::Arc;

use super::super::BitChange;
use super::super::number::{DeviceLimbs, Resident};
use super::super::plan::{self, limbs_for};
use super::{
    LinearShape, limbs_and, limbs_change_bit, limbs_fill, limbs_flip, limbs_or, limbs_shift,
    limbs_xor, result,
};
use crate::cuda::{Buffer, Device, Launch};
use crate::error::Result;

pub(in crate::limbs) fn and(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Resident> {
    logic(a, b, limbs_and, LinearShape::tuned(a.len().max(b.len())))
}

pub(in crate::limbs) fn or(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Resident> {
    logic(a, b, limbs_or, LinearShape::tuned(a.len().max(b.len())))
}

pub(in crate::limbs) fn xor(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Resident> {
    logic(a, b, limbs_xor, LinearShape::tuned(a.len().max(b.len())))
}

pub(crate) fn logic(
    a: &DeviceLimbs,
    b: &DeviceLimbs,
    kernel: limbs_and,
    shape: LinearShape,
) -> Result<Resident> {
    let device = a.buffer.device();
    let bits = plan::logic_bits(a.bits, b.bits);
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, kernel)?;
    a.check();
    b.check();
    // SAFETY: out holds n limbs and is new; a and b hold the lengths passed (checked above).
    unsafe {
        kernel.launch(
            shape.block_per_tile(n),
            out.write(),
            n,
            a.read(),
            a.len(),
            b.read(),
            b.len(),
        )?;
    }
    Ok(result(out, bits))
}

pub(in crate::limbs) fn not(a: &DeviceLimbs) -> Result<Resident> {
    complement(a, a.bits)
}

/// A new buffer of `limbs_for(bits)` limbs with a ^ flip, sign-extended.
fn flipped(a: &DeviceLimbs, bits: u64, flip: u64) -> Result<Buffer> {
    let device = a.buffer.device();
    let n = limbs_for(bits);
    let shape = LinearShape::tuned(n);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, limbs_flip)?;
    a.check();
    // SAFETY: out holds n limbs and is new; a holds the length passed (checked above).
    unsafe {
        kernel.launch(
            shape.block_per_tile(n),
            out.write(),
            n,
            a.read(),
            a.len(),
            flip,
        )?;
    }
    Ok(out)
}

/// −a − 1 for a natural a, in `limbs_for(bits)` limbs whatever its size: its low limbs are
/// 2^(64·limbs) − 1 − a.
pub(crate) fn complement(a: &DeviceLimbs, bits: u64) -> Result<Resident> {
    Ok(result(flipped(a, bits, u64::MAX)?, bits))
}

pub(in crate::limbs) fn shl(a: &DeviceLimbs, count: u64, bits: u64) -> Result<Resident> {
    let (limbs, part) = ((count / 64) as i64, (count % 64) as u32);
    match part {
        0 => shift(a, -limbs, 0, bits),
        _ => shift(a, -limbs - 1, 64 - part, bits),
    }
}

pub(in crate::limbs) fn shr(a: &DeviceLimbs, count: u64) -> Result<Resident> {
    // Past the end every limb is the sign, so a longer shift than that is the same.
    let count = count.min(64 * a.len() as u64);
    let bits = plan::shifted_right_bits(a.bits, count);
    shift(a, (count / 64) as i64, (count % 64) as u32, bits)
}

fn shift(a: &DeviceLimbs, offset: i64, part: u32, bits: u64) -> Result<Resident> {
    let device = a.buffer.device();
    let n = limbs_for(bits);
    let shape = LinearShape::tuned(n);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, limbs_shift)?;
    a.check();
    // SAFETY: out holds n limbs and is new; a holds the length passed (checked above), and the
    // kernel reads nothing outside it.
    unsafe {
        kernel.launch(
            shape.block_per_tile(n),
            out.write(),
            n,
            a.read(),
            a.len(),
            offset,
            part,
        )?;
    }
    Ok(result(out, bits))
}

pub(crate) fn fill(
    device: &Arc<Device>,
    pattern: u64,
    count: usize,
    top: u64,
    bits: u64,
    shape: LinearShape,
) -> Result<Resident> {
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, limbs_fill)?;
    // SAFETY: out holds n limbs.
    unsafe {
        kernel.launch(shape.block_per_tile(n), out.write(), n, pattern, count, top)?;
    }
    Ok(result(out, bits))
}

/// `value` with one bit changed: in its own buffer where that is not shared and long enough, else
/// in a copy.
pub(in crate::limbs) fn change_bit(
    value: &mut Resident,
    device: &Arc<Device>,
    index: u64,
    change: BitChange,
    bits: u64,
) -> Result<Resident> {
    let kernel = LinearShape::tuned(limbs_for(bits)).kernel(device, limbs_change_bit)?;
    let own = match value.bits_bound() {
        bound if limbs_for(bound) == limbs_for(bits) => value.take_device(device),
        _ => None,
    };
    let (buffer, bits) = match own {
        Some((buffer, bound)) => (buffer, bound.max(bits)),
        None => {
            let from = value.on(device)?;
            let bits = bits.max(from.bits);
            (flipped(&from, bits, 0)?, bits)
        }
    };
    let width = limbs_for(bits);
    assert!(width <= buffer.limbs() && index / 64 < width as u64);
    // SAFETY: the buffer holds one row of `width` limbs, index lies inside it (asserted above), and
    // no one else holds it.
    unsafe {
        kernel.launch(
            Launch::of(1, 32),
            buffer.update(),
            1u64,
            width,
            index,
            change as u32,
        )?;
    }
    Ok(result(buffer, bits))
}
