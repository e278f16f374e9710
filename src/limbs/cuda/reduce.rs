//! Counts, comparison and search: wrappers around `reduce.cu`.

use std::cmp::Ordering;
use std::sync::{Arc, atomic};

use super::super::number::{DeviceLimbs, Resident};
use super::super::plan::limbs_for;
use super::{
    LinearShape, REDUCE_ANSWER, REDUCE_WORKSPACE, limbs_hamming, limbs_highest_difference,
    limbs_lowest_bit, limbs_popcount, result,
};
use crate::cuda::{Buffer, Device, Mapped, Span};
use crate::error::Result;

/// The answer of a reduction, in memory that host and device share, because a transfer of a few
/// words takes as long as the reduction of a million limbs.
struct Answer(Mapped);

impl Answer {
    /// The answer is the caller's own: another thread may queue the next reduction before this one
    /// is fetched.
    fn new(device: &Arc<Device>) -> Result<Answer> {
        device.mapped(REDUCE_ANSWER).map(Answer)
    }

    fn span(&self) -> Span<'_> {
        self.0.span()
    }

    /// The words, once the device has written them.
    fn fetch(self, device: &Device) -> Result<[u64; REDUCE_ANSWER]> {
        device.synchronize()?;
        let words = self.0.words();
        Ok(std::array::from_fn(|i| {
            words[i].load(atomic::Ordering::Acquire)
        }))
    }
}

fn reduce_workspace(device: &Arc<Device>) -> Result<Arc<Buffer>> {
    device.workspace("limbs/reduce", REDUCE_WORKSPACE)
}

/// The number of one bits of a, or None if a is negative.
pub(in crate::limbs) fn popcount(a: &DeviceLimbs) -> Result<Option<u64>> {
    let device = a.buffer.device();
    let answer = Answer::new(device)?;
    count_into(answer.span(), true, a, LinearShape::tuned(a.len()))?;
    let [count, _, top, ..] = answer.fetch(device)?;
    Ok((top >> 63 == 0).then_some(count))
}

/// The one bits of a's limbs as a value that stays on the device.
pub(crate) fn popcount_queued(a: &DeviceLimbs, shape: LinearShape) -> Result<Resident> {
    const BITS: u64 = 64;
    let answer = a.buffer.device().alloc(limbs_for(BITS))?;
    count_into(answer.span(), false, a, shape)?;
    Ok(result(answer, BITS))
}

fn count_into(
    answer: Span<'_>,
    with_tops: bool,
    a: &DeviceLimbs,
    shape: LinearShape,
) -> Result<()> {
    let device = a.buffer.device();
    let workspace = reduce_workspace(device)?;
    let kernel = shape.kernel(device, limbs_popcount)?;
    a.check();
    // SAFETY: a holds the length passed (checked above); answer and workspace have the lengths
    // declared.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, a.len())?,
            answer.write(),
            u32::from(with_tops),
            a.read(),
            a.len(),
            workspace.update(),
        )
    }
}

/// The number of bits in which a and b differ, or None if their signs differ.
pub(in crate::limbs) fn hamming(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Option<u64>> {
    let [count, _, top_a, top_b, _] = pairwise(a, b, limbs_hamming)?;
    Ok((top_a >> 63 == top_b >> 63).then_some(count))
}

/// Queues the hamming count or the comparison of two operands and fetches its answer.
fn pairwise(
    a: &DeviceLimbs,
    b: &DeviceLimbs,
    kernel: limbs_hamming,
) -> Result<[u64; REDUCE_ANSWER]> {
    let shape = LinearShape::tuned(a.len().max(b.len()));
    let device = a.buffer.device();
    let (workspace, answer) = (reduce_workspace(device)?, Answer::new(device)?);
    let kernel = shape.kernel(device, kernel)?;
    a.check();
    b.check();
    // SAFETY: a and b hold the lengths passed (checked above); answer and workspace have the
    // lengths the kernel uses.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, a.len().max(b.len()))?,
            answer.span().write(),
            a.read(),
            a.len(),
            b.read(),
            b.len(),
            workspace.update(),
        )?;
    }
    answer.fetch(device)
}

/// Compares a and b as signed numbers.
pub(in crate::limbs) fn compare(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Ordering> {
    let [index, limb_a, limb_b, top_a, top_b] = pairwise(a, b, limbs_highest_difference)?;
    Ok(match (top_a >> 63, top_b >> 63) {
        _ if index == 0 => Ordering::Equal,
        (1, 0) => Ordering::Less,
        (0, 1) => Ordering::Greater,
        // Same sign: two's complement limbs compare as unsigned numbers.
        _ => limb_a.cmp(&limb_b),
    })
}

/// Sign and bit length of |a|.
pub(in crate::limbs) fn size(a: &DeviceLimbs) -> Result<(i32, u64)> {
    let shape = LinearShape::tuned(a.len());
    let device = a.buffer.device();
    let (workspace, answer) = (reduce_workspace(device)?, Answer::new(device)?);
    let kernel = shape.kernel(device, limbs_highest_difference)?;
    a.check();
    // SAFETY: as in `pairwise`; a second operand of length 0 is never read.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, a.len())?,
            answer.span().write(),
            a.read(),
            a.len(),
            None,
            0u64,
            workspace.update(),
        )?;
    }
    let [index, limb, _, top, _] = answer.fetch(device)?;
    if top >> 63 == 0 {
        return Ok(match index {
            0 => (0, 0),
            _ => (1, 64 * index - u64::from(limb.leading_zeros())),
        });
    }
    // a = −m: m − 1 = NOT a has the bit length below; m has one more exactly where m is a power of
    // two, that is where a's lowest one bit is the bit just above NOT a's.
    let below = match index {
        0 => 0,
        _ => 64 * index - u64::from((!limb).leading_zeros()),
    };
    let lowest = scan(a, 0, true)?;
    Ok((-1, below + u64::from(lowest == Some(below))))
}

pub(in crate::limbs) fn scan(a: &DeviceLimbs, from: u64, set: bool) -> Result<Option<u64>> {
    let device = a.buffer.device();
    let end = 64 * a.len() as u64;
    // Above the limbs all bits are the sign.
    let past_end = |top: u64, at: u64| ((top >> 63 == 1) == set).then_some(at);
    if from >= end {
        let mut top = [0];
        a.fetch(a.len() - 1, &mut top)?;
        return Ok(past_end(top[0], from));
    }
    let shape = LinearShape::tuned(a.len());
    let (workspace, answer) = (reduce_workspace(device)?, Answer::new(device)?);
    let kernel = shape.kernel(device, limbs_lowest_bit)?;
    let flip = if set { 0 } else { u64::MAX };
    a.check();
    // SAFETY: a holds the length passed (checked above) and from < 64·len; answer and workspace as
    // the kernel uses them.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, a.len())?,
            answer.span().write(),
            a.read(),
            a.len(),
            flip,
            from,
            workspace.update(),
        )?;
    }
    let [index, limb, top, ..] = answer.fetch(device)?;
    Ok(match index {
        0 => past_end(top, end),
        _ => Some(64 * (index - 1) + u64::from(limb.trailing_zeros())),
    })
}

/// Bit `index` of a in two's complement.
pub(in crate::limbs) fn bit(a: &DeviceLimbs, index: u64) -> Result<bool> {
    let limb = (index / 64).min(a.len() as u64 - 1) as usize;
    let mut word = [0];
    a.fetch(limb, &mut word)?;
    let shift = if index / 64 > limb as u64 {
        63
    } else {
        index % 64
    };
    Ok(word[0] >> shift & 1 == 1)
}
