//! Digits on a device: wrappers around `digits.cu`.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::plan::{Power, Radix};
use crate::cuda::{Buffer, Device, Launch, Module, Read, Unit, Write, kernels};
use crate::error::Result;
use crate::limbs::{self, Resident, limbs_for};
use crate::mul;
use crate::mul::cuda::Rows;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static DIGITS = "radix_digits", include_str!("digits.cu");

    fn radix_split(
        lower: Write<u64>[n], upper: Write<u64>[n], change: Write<u64>[1], n: u64, precision: u64,
        product: Read<u64>[product_len], product_len: u64, point: u64,
        fraction: Read<u64>[fraction_len], fraction_len: u64, cut: u64, scale: u64,
    );
    fn radix_leaves(
        values: Write<u64>, rows: Read<u64>, stride: u64, len: u32, shift: u32, chunks: u32,
        power: u64,
    );
    fn radix_numbers(
        rows: Write<u64>, stride: u64, values: Read<u64>, chunks: u32, power: u64,
    );
    fn radix_values(
        values: Write<u64>[count], count: u64, text: Read<u8>, start: u64, len: u64,
        zero: u32, chunk: u32, radix: u32, chunks: u32,
    );
    fn radix_text(
        text: Write<u8>[count * chunk], values: Read<u64>[count], count: u64, chunk: u32,
        radix: u32,
    );
}

/// Every module of this folder.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    vec![Unit::new(&DIGITS, &defines(tuning))]
}

/// The kernels of the conversion of a number of `sizes.0` limbs.
pub(super) fn needed(sizes: (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    let mut all = units(tuning);
    all.extend(mul::cuda::of_rows(sizes, tuning));
    all
}

pub(crate) fn defines(tuning: &Tuning) -> [(&'static str, i64); 2] {
    [
        ("RADIX_BLOCK", tuning.radix_block.into()),
        ("RADIX_ITEMS", tuning.radix_items.into()),
    ]
}

/// Maximum chunks of digits in a leaf: its fraction has one limb more.
pub(super) fn leaf_chunks() -> usize {
    let tuning = Tuning::current();
    (tuning.radix_block * tuning.radix_items) as usize - 1
}

fn module(device: &Arc<Device>) -> Result<Arc<Module>> {
    device.module(&DIGITS, &defines(&Tuning::current()))
}

/// A launch with one thread for each item, or for several items.
fn launch_over(items: usize) -> Launch {
    const MOST_BLOCKS: usize = 1 << 16;
    let block = Tuning::current().radix_block;
    let grid = items.div_ceil(block as usize).clamp(1, MOST_BLOCKS);
    Launch::of(grid as u32, block)
}

/// The fractions of the upper and of the lower half of the digits of a fraction with `precision`
/// bits: `product` is that times `half.odd`, and `scale` that of the half.
pub(super) fn split(
    device: &Arc<Device>,
    fraction: &Resident,
    precision: u64,
    product: &Resident,
    half: &Power,
    scale: u64,
) -> Result<(Resident, Resident)> {
    let (point, bits) = (precision - half.zeros, half.precision());
    let n = limbs_for(bits);
    let (lower, upper) = (device.alloc(n)?, device.alloc(n)?);
    let change = device.alloc(limbs_for(63))?;
    let (product, fraction) = (product.on(device)?, fraction.on(device)?);
    product.check();
    fraction.check();
    assert!((64..=point).contains(&bits) && bits <= precision);
    // SAFETY: both operands hold the lengths passed (checked above), both halves n limbs and the
    // change one; all five are apart.
    unsafe {
        module(device)?.kernel(radix_split)?.launch(
            launch_over(n),
            lower.write(),
            upper.write(),
            change.write(),
            n,
            bits,
            product.read(),
            product.len(),
            point,
            fraction.read(),
            fraction.len(),
            precision - bits,
            scale,
        )?;
    }
    let upper = limbs::add(
        &Resident::from_device(upper, bits),
        &Resident::from_device(change, 63),
    )?;
    Ok((upper.narrow(bits), Resident::from_device(lower, bits)))
}

/// The digits of leaves with `digits` digits each, whose fractions have `precision` bits.
pub(super) fn text(
    device: &Arc<Device>,
    radix: Radix,
    leaves: Vec<Resident>,
    digits: usize,
    precision: u64,
) -> Result<Vec<u8>> {
    let stride = limbs_for(precision);
    let len = precision.div_ceil(64) as usize;
    let chunks = digits / radix.chunk;
    assert!(digits.is_multiple_of(radix.chunk) && chunks <= leaf_chunks() && len <= chunks + 1);
    let count = leaves.len();
    let rows = device.alloc(count * stride)?;
    device.zero(&rows, 0, count * stride)?;
    for (row, leaf) in leaves.into_iter().enumerate() {
        let leaf = leaf.on(device)?;
        leaf.check();
        assert!(leaf.len() <= stride);
        device.copy(&leaf.buffer, leaf.start(), &rows, row * stride, leaf.len())?;
    }
    let module = module(device)?;
    let values = device.alloc(count * chunks)?;
    // SAFETY: `rows` has a row of `stride` ≥ len limbs for each block, `values` as many chunks; len
    // ≤ RADIX_BLOCK · RADIX_ITEMS (asserted above).
    unsafe {
        module.kernel(radix_leaves)?.launch(
            Launch::of(count as u32, Tuning::current().radix_block),
            values.write(),
            rows.read(),
            stride,
            len as u32,
            (64 * len as u64 - precision) as u32,
            chunks as u32,
            radix.chunk_power,
        )?;
    }
    let bytes = count * digits;
    let text = device.alloc(bytes.div_ceil(8))?;
    // SAFETY: `values` holds as many values as are passed and `text` that many chunks of bytes.
    unsafe {
        module.kernel(radix_text)?.launch(
            launch_over(count * chunks),
            text.write(),
            values.read(),
            count * chunks,
            radix.chunk as u32,
            radix.radix as u32,
        )?;
    }
    let mut digits = vec![0; bytes];
    // SAFETY: any bytes are a word, and any word is bytes.
    let (before, words, after) = unsafe { digits.align_to_mut::<u64>() };
    if before.is_empty() {
        device.download(&text, 0, words)?;
        let mut last = [0];
        device.download(&text, words.len(), &mut last[..after.len().min(1)])?;
        after.copy_from_slice(&last[0].to_le_bytes()[..after.len()]);
    } else {
        let words = device.fetch(&text)?;
        for (to, word) in digits.chunks_mut(8).zip(&words) {
            to.copy_from_slice(&word.to_le_bytes()[..to.len()]);
        }
    }
    Ok(digits)
}

/// Numbers of `leaf_chunks()` chunks of these digits each, in rows, those of the last digits first.
pub(super) fn numbers(device: &Arc<Device>, radix: Radix, digits: &[u8], zero: u8) -> Result<Rows> {
    let chunks = leaf_chunks();
    let count = digits.len().div_ceil(chunks * radix.chunk);
    let capacity = chunks + 1;
    let width = Rows::least_width().max(capacity.next_power_of_two());
    let (text, start) = upload(device, digits)?;
    let values = device.alloc(count * chunks)?;
    let module = module(device)?;
    // SAFETY: `text` has as many digits as are passed, from `start` on, and `values` as many
    // chunks.
    unsafe {
        module.kernel(radix_values)?.launch(
            launch_over(count * chunks),
            values.write(),
            count * chunks,
            text.read(),
            start,
            digits.len(),
            u32::from(zero),
            radix.chunk as u32,
            radix.radix as u32,
            chunks as u32,
        )?;
    }
    let rows = device.alloc(count * width)?;
    if width > capacity {
        device.zero(&rows, 0, count * width)?;
    }
    // SAFETY: each of `count` blocks writes the lowest RADIX_BLOCK · RADIX_ITEMS ≤ width limbs of
    // its own row, and reads `chunks` values.
    unsafe {
        module.kernel(radix_numbers)?.launch(
            Launch::of(count as u32, Tuning::current().radix_block),
            rows.write(),
            width as u64,
            values.read(),
            chunks as u32,
            radix.chunk_power,
        )?;
    }
    Ok(Rows::from_buffer(rows, width, count))
}

/// A copy of bytes, and where in it they begin.
fn upload(device: &Arc<Device>, bytes: &[u8]) -> Result<(Buffer, usize)> {
    // SAFETY: any eight bytes are a word.
    let (before, words, after) = unsafe { bytes.align_to::<u64>() };
    let start = (8 - before.len()) % 8;
    let mut first = [0; 8];
    first[start..][..before.len()].copy_from_slice(before);
    let mut last = [0; 8];
    last[..after.len()].copy_from_slice(after);
    let buffer = device.alloc(words.len() + 2)?;
    let at = usize::from(!before.is_empty());
    device.upload_into(&buffer, 0, &[u64::from_le_bytes(first)][..at])?;
    device.upload_into(&buffer, at, words)?;
    let last = [u64::from_le_bytes(last)];
    device.upload_into(&buffer, at + words.len(), &last)?;
    Ok((buffer, start))
}
