//! Linear operations on rows on a device: the kernels of `limbs`, with the starts of rows.

#![allow(unsafe_code)]

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Batch, Pairwise, Rows};
use crate::cuda::{Buffer, Device, Element, Handle, Kernel, Launch, Lent, Read, Write};
use crate::error::Result;
use crate::limbs::BitChange;
use crate::limbs::cuda::{
    LinearShape, SumLaunch, limbs_add_rows, limbs_add_word_rows, limbs_and, limbs_change_bit,
    limbs_compare_rows, limbs_count_rows, limbs_fill, limbs_flip, limbs_lowest_bit_rows, limbs_or,
    limbs_shift_rows, limbs_xor,
};

/// The device copy of consecutive rows: their buffer, the index of their first limb, and their
/// number of limbs.
pub(super) struct DeviceRows {
    buffer: Arc<Buffer>,
    first: usize,
    pub(super) limbs: usize,
}

impl DeviceRows {
    /// As a kernel reads them.
    pub(super) fn read<T: Element>(&self) -> Lent<'_, Read<T>> {
        self.buffer.skip_limbs(self.first).read()
    }
}

impl Rows<'_> {
    /// The rows in the batch's copy on this device, which is made if there is none.
    pub(super) fn on(&self, device: &Arc<Device>) -> Result<DeviceRows> {
        let buffer = self.batch.copies.on(device)?;
        let (first, limbs) = (self.first * self.batch.width, self.count * self.batch.width);
        assert!(first + limbs <= buffer.limbs());
        Ok(DeviceRows {
            buffer,
            first,
            limbs,
        })
    }

    /// A batch of the same shape whose limbs are `buffer`.
    fn like(&self, buffer: Buffer) -> Batch {
        Batch::from_device(buffer, self.count, self.batch.width)
    }
}

pub(super) fn fill(
    device: &Arc<Device>,
    pattern: u64,
    count: usize,
    width: usize,
) -> Result<Batch> {
    let n = count * width;
    let shape = LinearShape::tuned(n);
    let out = device.alloc(n)?;
    let kernel = shape.kernel(device, limbs_fill)?;
    // SAFETY: out holds n limbs.
    unsafe {
        kernel.launch(shape.block_per_tile(n), out.write(), n, pattern, n, 0u64)?;
    }
    Ok(Batch::from_device(out, count, width))
}

pub(super) fn pairwise(
    device: &Arc<Device>,
    a: &Rows<'_>,
    b: &Rows<'_>,
    op: Pairwise,
) -> Result<Batch> {
    let (x, y) = (a.on(device)?, b.on(device)?);
    let n = x.limbs;
    let shape = LinearShape::tuned(n);
    assert_eq!(n, y.limbs);
    let out = device.alloc(n)?;
    if n == 0 {
        return Ok(a.like(out));
    }
    let logic = match op {
        Pairwise::And => limbs_and,
        Pairwise::Or => limbs_or,
        Pairwise::Xor => limbs_xor,
        Pairwise::Add | Pairwise::Sub => {
            let (flip, carry) = if op == Pairwise::Sub {
                (u64::MAX, 1u32)
            } else {
                (0, 0)
            };
            let with = SumLaunch::new(device, shape, limbs_add_rows, n)?;
            // SAFETY: out is new; out, x and y hold n limbs, whole rows (asserted above); the
            // workspace has a state a tile.
            unsafe {
                with.kernel.launch(
                    with.launch,
                    out.write(),
                    n,
                    x.read(),
                    y.read(),
                    flip,
                    carry,
                    a.batch.width,
                    with.workspace.update(),
                    with.epoch,
                    with.fillers,
                )?;
            }
            return Ok(a.like(out));
        }
    };
    let kernel = shape.kernel(device, logic)?;
    // SAFETY: out is new; out, x and y hold n limbs (asserted above).
    unsafe {
        kernel.launch(
            shape.block_per_tile(n),
            out.write(),
            n,
            x.read(),
            n,
            y.read(),
            n,
        )?;
    }
    Ok(a.like(out))
}

/// The complements of the rows.
pub(super) fn not(device: &Arc<Device>, a: &Rows<'_>) -> Result<Batch> {
    Ok(a.like(flipped(device, a, u64::MAX)?))
}

/// A new buffer with every limb of the rows XORed with `flip`.
fn flipped(device: &Arc<Device>, a: &Rows<'_>, flip: u64) -> Result<Buffer> {
    let x = a.on(device)?;
    let n = x.limbs;
    let shape = LinearShape::tuned(n);
    let out = device.alloc(n)?;
    if n > 0 {
        let kernel = shape.kernel(device, limbs_flip)?;
        // SAFETY: out is new; out and x hold n limbs.
        unsafe {
            kernel.launch(shape.block_per_tile(n), out.write(), n, x.read(), n, flip)?;
        }
    }
    Ok(out)
}

pub(super) fn add_word(
    device: &Arc<Device>,
    a: &Rows<'_>,
    flip: u64,
    word: i64,
    carry: u32,
) -> Result<Batch> {
    let x = a.on(device)?;
    let n = x.limbs;
    let shape = LinearShape::tuned(n);
    let out = device.alloc(n)?;
    if n > 0 {
        let with = SumLaunch::new(device, shape, limbs_add_word_rows, n)?;
        let above = (word >> 63) as u64;
        // SAFETY: out is new; out and x hold n limbs, whole rows; the workspace has a state a tile.
        unsafe {
            with.kernel.launch(
                with.launch,
                out.write(),
                n,
                x.read(),
                flip,
                word as u64,
                above,
                carry,
                a.batch.width,
                with.workspace.update(),
                with.epoch,
                with.fillers,
            )?;
        }
    }
    Ok(a.like(out))
}

/// Limb i of a row of the result is the bits [64(i + offset) + part, … + 64) of the row, zero
/// outside it.
pub(super) fn shift(device: &Arc<Device>, a: &Rows<'_>, offset: i64, part: u32) -> Result<Batch> {
    let x = a.on(device)?;
    let n = x.limbs;
    let shape = LinearShape::tuned(n);
    let out = device.alloc(n)?;
    if n > 0 {
        let kernel = shape.kernel(device, limbs_shift_rows)?;
        // SAFETY: out is new; out and x hold n limbs, whole rows, and the kernel reads inside a row
        // only.
        unsafe {
            kernel.launch(
                shape.block_per_tile(n),
                out.write(),
                n,
                x.read(),
                a.batch.width,
                offset,
                part,
            )?;
        }
    }
    Ok(a.like(out))
}

pub(super) fn change_bit(
    device: &Arc<Device>,
    a: &Rows<'_>,
    index: u64,
    change: BitChange,
) -> Result<Batch> {
    let kernel = LinearShape::tuned(a.count * a.batch.width).kernel(device, limbs_change_bit)?;
    let out = flipped(device, a, 0)?;
    assert!(index / 64 < a.batch.width as u64);
    if a.count > 0 {
        let grid = a.count.div_ceil(256).min(65_535) as u32;
        // SAFETY: out is new and holds whole rows, each with bit `index` (asserted above).
        unsafe {
            kernel.launch(
                Launch::of(grid, 256),
                out.update(),
                a.count,
                a.batch.width,
                index,
                change as u32,
            )?;
        }
    }
    Ok(a.like(out))
}

/// One word a row from a kernel that gives each row a warp.
fn answers<K: Handle, T>(
    device: &Arc<Device>,
    a: &Rows<'_>,
    handle: K,
    launch: impl FnOnce(&Kernel<K>, Launch, Lent<Write<u64>>) -> Result<()>,
    read: impl Fn(u64) -> T,
) -> Result<Vec<T>> {
    if a.count == 0 {
        return Ok(Vec::new());
    }
    let shape = LinearShape::tuned(a.count * a.batch.width);
    let answer = device.alloc(a.count)?;
    let kernel = shape.kernel(device, handle)?;
    let grid = a.count.div_ceil((shape.block / 32) as usize).min(65_535) as u32;
    launch(&kernel, Launch::of(grid, shape.block), answer.write())?;
    let mut words = vec![0; a.count];
    device.download(&answer, 0, &mut words)?;
    Ok(words.into_iter().map(read).collect())
}

/// The number of one bits of each row of a, or of a ^ b with `b`.
pub(super) fn count(device: &Arc<Device>, a: &Rows<'_>, b: Option<&Rows<'_>>) -> Result<Vec<u64>> {
    let x = a.on(device)?;
    let y = b.map(|b| b.on(device)).transpose()?;
    assert!(y.as_ref().is_none_or(|y| y.limbs == x.limbs));
    let other = y.as_ref().map(|y| y.read());
    answers(
        device,
        a,
        limbs_count_rows,
        // SAFETY: x, and y where there is one, hold count rows (asserted above); the answer holds
        // count words.
        |kernel, shape, answer| unsafe {
            kernel.launch(shape, answer, x.read(), other, a.count, a.batch.width)
        },
        |count| count,
    )
}

/// Compares each pair of rows as unsigned numbers.
pub(super) fn compare(device: &Arc<Device>, a: &Rows<'_>, b: &Rows<'_>) -> Result<Vec<Ordering>> {
    let (x, y) = (a.on(device)?, b.on(device)?);
    assert_eq!(x.limbs, y.limbs);
    answers(
        device,
        a,
        limbs_compare_rows,
        // SAFETY: x and y hold count rows (asserted above); the answer holds count words.
        |kernel, shape, answer| unsafe {
            kernel.launch(shape, answer, x.read(), y.read(), a.count, a.batch.width)
        },
        |order| order.cmp(&1),
    )
}

pub(super) fn first_bit(
    device: &Arc<Device>,
    a: &Rows<'_>,
    from: u64,
    flip: u64,
) -> Result<Vec<Option<u64>>> {
    let x = a.on(device)?;
    answers(
        device,
        a,
        limbs_lowest_bit_rows,
        // SAFETY: x holds count rows, and the kernel reads inside them for any `from`; the answer
        // holds count words.
        |kernel, shape, answer| unsafe {
            kernel.launch(shape, answer, x.read(), a.count, a.batch.width, flip, from)
        },
        |index| (index != u64::MAX).then_some(index),
    )
}
