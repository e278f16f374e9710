//! The linear operations on a device: typed wrappers around `add.cu`, `map.cu` and `reduce.cu`.
//!
//! Every result is allocated before its kernel is queued, so running out of memory leaves nothing half done. Sums, logic and
//! shifts never wait for the device; what returns a plain number does.

#![allow(unsafe_code)]

use std::cmp::Ordering;
use std::sync::Arc;

use super::BitChange;
use super::number::{DeviceLimbs, Limbs};
use super::plan::{self, limbs_for};
use crate::cuda::{Buffer, Device, DevicePtr, Kernel, Launch, Source};
use crate::error::Result;
use crate::model::Tuning;

pub(crate) static ADD: Source = Source {
    name: "limbs_add",
    text: include_str!("add.cu"),
};
pub(crate) static MAP: Source = Source {
    name: "limbs_map",
    text: include_str!("map.cu"),
};
pub(crate) static REDUCE: Source = Source {
    name: "limbs_reduce",
    text: include_str!("reduce.cu"),
};

/// How the linear kernels are launched: block size and limbs per thread from the tuning, and a grid that fits the work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) block: u32,
    pub(crate) items: u32,
    /// A fixed number of blocks, for experiments; else as many as there are tiles, or as the device holds at once.
    pub(crate) grid: Option<u32>,
}

impl Shape {
    pub(crate) fn tuned() -> Shape {
        Shape::of(&Tuning::current())
    }

    pub(crate) fn of(tuning: &Tuning) -> Shape {
        Shape {
            block: tuning.linear_block,
            items: tuning.linear_items,
            grid: None,
        }
    }

    pub(crate) fn defines(self) -> [(&'static str, i64); 2] {
        [
            ("LINEAR_BLOCK", self.block.into()),
            ("LINEAR_ITEMS", self.items.into()),
        ]
    }

    pub(crate) fn kernel(
        self,
        device: &Arc<Device>,
        source: &'static Source,
        name: &str,
    ) -> Result<Kernel> {
        device.module(source, &self.defines())?.kernel(name)
    }

    fn tiles(self, limbs: usize) -> u64 {
        (limbs as u64).div_ceil(u64::from(self.block) * u64::from(self.items))
    }

    /// One block a tile.
    pub(crate) fn block_per_tile(self, limbs: usize) -> Launch {
        let grid = self
            .grid
            .unwrap_or_else(|| self.tiles(limbs).clamp(1, i32::MAX as u64) as u32);
        Launch::of(grid, self.block)
    }

    /// No more blocks than the device holds at once, each taking several tiles.
    pub(crate) fn resident(self, kernel: &Kernel, limbs: usize) -> Result<Launch> {
        let grid = match self.grid {
            Some(grid) => grid,
            None => {
                let most = kernel.resident_blocks(self.block, 0)?.max(1);
                self.tiles(limbs).clamp(1, most.into()) as u32
            }
        };
        Ok(Launch::of(grid, self.block))
    }
}

/// Counters at the head of the workspaces; see the kernels.
const WORKSPACE_HEAD: usize = 4;
/// Limbs of the longest answer of a reduction.
const ANSWER: usize = 5;

/// The workspace of a sum of `limbs` limbs: counters and a state a tile.
pub(crate) fn add_workspace(
    device: &Arc<Device>,
    shape: Shape,
    limbs: usize,
) -> Result<Arc<Buffer>> {
    device.workspace("limbs/add", WORKSPACE_HEAD + shape.tiles(limbs) as usize)
}

fn result(buffer: Buffer, bits: u64) -> Limbs {
    Limbs::from_device(buffer, bits)
}

pub(super) fn add(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
    sum(a, b, false, Shape::tuned())
}

pub(super) fn sub(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
    sum(a, b, true, Shape::tuned())
}

/// a + b, or a − b = a + NOT b + 1.
pub(crate) fn sum(a: &DeviceLimbs, b: &DeviceLimbs, subtract: bool, shape: Shape) -> Result<Limbs> {
    let device = a.buffer.device();
    let bits = plan::sum_bits(a.bits, b.bits);
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let workspace = add_workspace(device, shape, n)?;
    let kernel = shape.kernel(device, &ADD, "limbs_add")?;
    let (flip, carry) = if subtract { (u64::MAX, 1u32) } else { (0, 0) };
    check(a);
    check(b);
    // SAFETY: out holds n limbs and is new, a and b hold the lengths passed (checked above), and the workspace
    // has its head and a state for every tile of n limbs.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, n)?,
            (
                out.ptr(),
                n,
                a.buffer.ptr(),
                a.len(),
                b.buffer.ptr(),
                b.len(),
                flip,
                carry,
                workspace.ptr(),
            ),
        )?;
    }
    Ok(result(out, bits))
}

/// (a ^ flip) + (low, above, above, …) + carry in `limbs_for(bits)` limbs.
fn add_word(a: &DeviceLimbs, flip: u64, word: i64, carry: u32, bits: u64) -> Result<Limbs> {
    let shape = Shape::tuned();
    let device = a.buffer.device();
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let workspace = add_workspace(device, shape, n)?;
    let kernel = shape.kernel(device, &ADD, "limbs_add_word")?;
    check(a);
    // SAFETY: as in `sum`; the second operand is no memory.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, n)?,
            (
                out.ptr(),
                n,
                a.buffer.ptr(),
                a.len(),
                flip,
                word as u64,
                (word >> 63) as u64,
                carry,
                workspace.ptr(),
            ),
        )?;
    }
    Ok(result(out, bits))
}

pub(super) fn add_small(a: &DeviceLimbs, b: i64) -> Result<Limbs> {
    add_word(a, 0, b, 0, plan::sum_bits(a.bits, 63))
}

/// −a = NOT a + 1.
pub(super) fn neg(a: &DeviceLimbs) -> Result<Limbs> {
    add_word(a, u64::MAX, 0, 1, plan::negated_bits(a.bits))
}

pub(super) fn abs(a: &DeviceLimbs) -> Result<Limbs> {
    let shape = Shape::tuned();
    let device = a.buffer.device();
    let bits = plan::negated_bits(a.bits);
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let workspace = add_workspace(device, shape, n)?;
    let kernel = shape.kernel(device, &ADD, "limbs_abs")?;
    check(a);
    // SAFETY: as in `sum`.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, n)?,
            (out.ptr(), n, a.buffer.ptr(), a.len(), workspace.ptr()),
        )?;
    }
    Ok(result(out, bits))
}

pub(super) fn and(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
    logic(a, b, "limbs_and", Shape::tuned())
}

pub(super) fn or(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
    logic(a, b, "limbs_or", Shape::tuned())
}

pub(super) fn xor(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
    logic(a, b, "limbs_xor", Shape::tuned())
}

pub(crate) fn logic(a: &DeviceLimbs, b: &DeviceLimbs, name: &str, shape: Shape) -> Result<Limbs> {
    let device = a.buffer.device();
    let bits = plan::logic_bits(a.bits, b.bits);
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, &MAP, name)?;
    check(a);
    check(b);
    // SAFETY: out holds n limbs and is new; a and b hold the lengths passed (checked above).
    unsafe {
        kernel.launch(
            shape.block_per_tile(n),
            (
                out.ptr(),
                n,
                a.buffer.ptr(),
                a.len(),
                b.buffer.ptr(),
                b.len(),
            ),
        )?;
    }
    Ok(result(out, bits))
}

pub(super) fn not(a: &DeviceLimbs) -> Result<Limbs> {
    Ok(result(flipped(a, a.bits, u64::MAX)?, a.bits))
}

/// A new buffer of `limbs_for(bits)` limbs with a ^ flip, sign-extended.
fn flipped(a: &DeviceLimbs, bits: u64, flip: u64) -> Result<Buffer> {
    let shape = Shape::tuned();
    let device = a.buffer.device();
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, &MAP, "limbs_flip")?;
    check(a);
    // SAFETY: out holds n limbs and is new; a holds the length passed (checked above).
    unsafe {
        kernel.launch(
            shape.block_per_tile(n),
            (out.ptr(), n, a.buffer.ptr(), a.len(), flip),
        )?;
    }
    Ok(out)
}

pub(super) fn shl(a: &DeviceLimbs, count: u64, bits: u64) -> Result<Limbs> {
    let (limbs, part) = ((count / 64) as i64, (count % 64) as u32);
    match part {
        0 => shift(a, -limbs, 0, bits),
        _ => shift(a, -limbs - 1, 64 - part, bits),
    }
}

pub(super) fn shr(a: &DeviceLimbs, count: u64) -> Result<Limbs> {
    // Past the end every limb is the sign, so a longer shift than that is the same.
    let count = count.min(64 * a.len() as u64);
    let bits = plan::shifted_right_bits(a.bits, count);
    shift(a, (count / 64) as i64, (count % 64) as u32, bits)
}

fn shift(a: &DeviceLimbs, offset: i64, part: u32, bits: u64) -> Result<Limbs> {
    let shape = Shape::tuned();
    let device = a.buffer.device();
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, &MAP, "limbs_shift")?;
    check(a);
    // SAFETY: out holds n limbs and is new; a holds the length passed (checked above), and the kernel reads nothing outside it.
    unsafe {
        kernel.launch(
            shape.block_per_tile(n),
            (out.ptr(), n, a.buffer.ptr(), a.len(), offset, part),
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
    shape: Shape,
) -> Result<Limbs> {
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, &MAP, "limbs_fill")?;
    // SAFETY: out holds n limbs.
    unsafe {
        kernel.launch(shape.block_per_tile(n), (out.ptr(), n, pattern, count, top))?;
    }
    Ok(result(out, bits))
}

/// The answer of a reduction, once the device has it.
fn fetch(device: &Arc<Device>, answer: &Buffer) -> Result<[u64; ANSWER]> {
    let mut words = [0; ANSWER];
    device.download(answer, 0, &mut words)?;
    Ok(words)
}

fn reduce_workspace(device: &Arc<Device>) -> Result<Arc<Buffer>> {
    device.workspace("limbs/reduce", WORKSPACE_HEAD)
}

/// Workspace and answer of a reduction. The answer is the caller's own: another thread may queue the next reduction before
/// this one's is fetched.
fn reduction(device: &Arc<Device>) -> Result<(Arc<Buffer>, Buffer)> {
    Ok((reduce_workspace(device)?, device.alloc(ANSWER)?))
}

pub(super) fn popcount(a: &DeviceLimbs) -> Result<Option<u64>> {
    let device = a.buffer.device();
    let answer = device.alloc(ANSWER)?;
    count_into(&answer, true, a, Shape::tuned())?;
    let [count, _, top, ..] = fetch(device, &answer)?;
    Ok((top >> 63 == 0).then_some(count))
}

/// The one bits of a's limbs as a value that stays on the device.
pub(crate) fn popcount_queued(a: &DeviceLimbs, shape: Shape) -> Result<Limbs> {
    const BITS: u64 = 64;
    let answer = a.buffer.device().alloc(limbs_for(BITS))?;
    count_into(&answer, false, a, shape)?;
    Ok(result(answer, BITS))
}

fn count_into(answer: &Buffer, with_tops: bool, a: &DeviceLimbs, shape: Shape) -> Result<()> {
    let device = a.buffer.device();
    let workspace = reduce_workspace(device)?;
    let kernel = shape.kernel(device, &REDUCE, "limbs_popcount")?;
    check(a);
    assert!(answer.limbs() >= if with_tops { 4 } else { 2 });
    // SAFETY: a holds the length passed and the answer what the kernel writes (checked above); so does the workspace.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, a.len())?,
            (
                answer.ptr(),
                u32::from(with_tops),
                a.buffer.ptr(),
                a.len(),
                workspace.ptr(),
            ),
        )
    }
}

pub(super) fn hamming(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Option<u64>> {
    let [count, _, top_a, top_b, _] = pairwise(a, b, "limbs_hamming")?;
    Ok((top_a >> 63 == top_b >> 63).then_some(count))
}

/// Queues the hamming count or the comparison of two operands and fetches its answer.
fn pairwise(a: &DeviceLimbs, b: &DeviceLimbs, name: &str) -> Result<[u64; ANSWER]> {
    let shape = Shape::tuned();
    let device = a.buffer.device();
    let (workspace, answer) = reduction(device)?;
    let kernel = shape.kernel(device, &REDUCE, name)?;
    check(a);
    check(b);
    // SAFETY: a and b hold the lengths passed (checked above); answer and workspace have the lengths the kernel uses.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, a.len().max(b.len()))?,
            (
                answer.ptr(),
                a.buffer.ptr(),
                a.len(),
                b.buffer.ptr(),
                b.len(),
                workspace.ptr(),
            ),
        )?;
    }
    fetch(device, &answer)
}

pub(super) fn compare(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Ordering> {
    let [index, limb_a, limb_b, top_a, top_b] = pairwise(a, b, "limbs_highest_difference")?;
    Ok(match (top_a >> 63, top_b >> 63) {
        _ if index == 0 => Ordering::Equal,
        (1, 0) => Ordering::Less,
        (0, 1) => Ordering::Greater,
        // Same sign: two's complement limbs compare as unsigned numbers.
        _ => limb_a.cmp(&limb_b),
    })
}

/// Sign and bit length of |a|.
pub(super) fn size(a: &DeviceLimbs) -> Result<(i32, u64)> {
    let shape = Shape::tuned();
    let device = a.buffer.device();
    let (workspace, answer) = reduction(device)?;
    let kernel = shape.kernel(device, &REDUCE, "limbs_highest_difference")?;
    check(a);
    // SAFETY: as in `pairwise`; a second operand of length 0 is never read.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, a.len())?,
            (
                answer.ptr(),
                a.buffer.ptr(),
                a.len(),
                DevicePtr::NULL,
                0u64,
                workspace.ptr(),
            ),
        )?;
    }
    let [index, limb, _, top, _] = fetch(device, &answer)?;
    if top >> 63 == 0 {
        return Ok(match index {
            0 => (0, 0),
            _ => (1, 64 * index - u64::from(limb.leading_zeros())),
        });
    }
    // a = −m: m − 1 = NOT a has the bit length below; m has one more exactly where m is a power of two, that is where
    // a's lowest one bit is the bit just above NOT a's.
    let below = match index {
        0 => 0,
        _ => 64 * index - u64::from((!limb).leading_zeros()),
    };
    let lowest = scan(a, 0, true)?;
    Ok((-1, below + u64::from(lowest == Some(below))))
}

pub(super) fn scan(a: &DeviceLimbs, from: u64, set: bool) -> Result<Option<u64>> {
    let device = a.buffer.device();
    let end = 64 * a.len() as u64;
    // Above the limbs all bits are the sign.
    let past_end = |top: u64, at: u64| ((top >> 63 == 1) == set).then_some(at);
    if from >= end {
        let mut top = [0];
        device.download(&a.buffer, a.len() - 1, &mut top)?;
        return Ok(past_end(top[0], from));
    }
    let shape = Shape::tuned();
    let (workspace, answer) = reduction(device)?;
    let kernel = shape.kernel(device, &REDUCE, "limbs_lowest_bit")?;
    let flip = if set { 0 } else { u64::MAX };
    check(a);
    // SAFETY: a holds the length passed (checked above) and from < 64·len; answer and workspace as the kernel uses them.
    unsafe {
        kernel.launch(
            shape.resident(&kernel, a.len())?,
            (
                answer.ptr(),
                a.buffer.ptr(),
                a.len(),
                flip,
                from,
                workspace.ptr(),
            ),
        )?;
    }
    let [index, limb, top, ..] = fetch(device, &answer)?;
    Ok(match index {
        0 => past_end(top, end),
        _ => Some(64 * (index - 1) + u64::from(limb.trailing_zeros())),
    })
}

pub(super) fn bit(a: &DeviceLimbs, index: u64) -> Result<bool> {
    let limb = (index / 64).min(a.len() as u64 - 1) as usize;
    let mut word = [0];
    a.buffer.device().download(&a.buffer, limb, &mut word)?;
    let shift = if index / 64 > limb as u64 {
        63
    } else {
        index % 64
    };
    Ok(word[0] >> shift & 1 == 1)
}

/// `value` with one bit changed: in its own buffer where that is not shared and long enough, else in a copy.
pub(super) fn change_bit(
    value: &mut Limbs,
    device: &Arc<Device>,
    index: u64,
    change: BitChange,
    bits: u64,
) -> Result<Limbs> {
    let kernel = Shape::tuned().kernel(device, &MAP, "limbs_change_bit")?;
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
    // SAFETY: the buffer holds one row of `width` limbs, index lies inside it (asserted above), and no one else holds it.
    unsafe {
        kernel.launch(
            Launch::of(1, 32),
            (buffer.ptr(), 1u64, width, index, change as u32),
        )?;
    }
    Ok(result(buffer, bits))
}

/// What every launch relies on: the buffer is as long as its bound says.
fn check(a: &DeviceLimbs) {
    assert!(a.len() >= 1 && a.len() <= a.buffer.limbs());
}
