//! Sums, differences and shifts as Liu and Tong published them: wrappers around `published.cu`.

use std::sync::Arc;

use super::super::number::{DeviceLimbs, Resident};
use super::super::plan::{self, limbs_for};
use super::{limbs_published_carries, limbs_published_shift, limbs_published_sums, result};
use crate::cuda::{Buffer, Device, Launch, Span};
use crate::error::Result;

/// How the kernels are launched. Threads loop where there are fewer of them than limbs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PublishedShape {
    pub(crate) block: u32,
    /// A thread for every limb where there is none.
    pub(crate) grid: Option<u32>,
}

impl PublishedShape {
    pub(crate) const DEFAULT: PublishedShape = PublishedShape {
        block: 256,
        grid: None,
    };

    /// The launch for `threads` threads.
    pub(crate) fn launch(self, threads: u64) -> Launch {
        let fitting = threads.div_ceil(self.block.into());
        let grid = self
            .grid
            .unwrap_or(fitting.clamp(1, i32::MAX as u64) as u32);
        Launch::of(grid, self.block)
    }
}

/// The limbs of 32 bits from the beginning of a span on, and their number.
pub(crate) type Words<'a> = (Span<'a>, u64);

fn words(a: &DeviceLimbs) -> Words<'_> {
    a.check();
    (a.buffer.skip_limbs(a.start()), 2 * a.len() as u64)
}

/// A new buffer of `limbs` limbs with a ± b, both sign-extended.
pub(crate) fn published_sum_of_words(
    device: &Arc<Device>,
    limbs: usize,
    (a, len_a): Words,
    (b, len_b): Words,
    subtract: bool,
    shape: PublishedShape,
) -> Result<Buffer> {
    let n = 2 * limbs as u64;
    let (out, carries) = (device.alloc(limbs)?, device.alloc(limbs)?);
    let sums = device.kernel(limbs_published_sums, &[])?;
    let walk = device.kernel(limbs_published_carries, &[])?;
    let (launch, subtract) = (shape.launch(n), u32::from(subtract));
    // SAFETY: out and carries are new and hold n limbs of 32 bits; the operands hold the lengths
    // declared, which are not 0.
    unsafe {
        sums.launch(
            launch,
            out.write(),
            carries.write(),
            n,
            a.read(),
            len_a,
            b.read(),
            len_b,
            subtract,
        )?;
        walk.launch(launch, out.update(), carries.read(), n, subtract)?;
    }
    Ok(out)
}

/// a + b or a − b.
pub(crate) fn published_sum(
    a: &DeviceLimbs,
    b: &DeviceLimbs,
    subtract: bool,
    shape: PublishedShape,
) -> Result<Resident> {
    let device = a.buffer.device();
    let bits = plan::sum_bits(a.bits, b.bits);
    let (x, y) = (words(a), words(b));
    let out = published_sum_of_words(device, limbs_for(bits), x, y, subtract, shape)?;
    Ok(result(out, bits))
}

/// a·2^count in −2^bits ≤ x < 2^bits.
pub(crate) fn published_shl(
    a: &DeviceLimbs,
    count: u64,
    bits: u64,
    shape: PublishedShape,
) -> Result<Resident> {
    let device = a.buffer.device();
    let limbs = limbs_for(bits);
    let n = 2 * limbs as u64;
    let (shifted, carries) = (device.alloc(limbs)?, device.alloc(limbs)?);
    let kernel = device.kernel(limbs_published_shift, &[])?;
    let (span, len) = words(a);
    // SAFETY: shifted and carries are new and hold n limbs of 32 bits; a holds `len` of them.
    unsafe {
        kernel.launch(
            shape.launch(n),
            shifted.write(),
            carries.write(),
            n,
            span.read(),
            len,
            count / 32,
            (count % 32) as u32,
        )?;
    }
    let (x, y) = ((shifted.span(), n), (carries.span(), n));
    let out = published_sum_of_words(device, limbs, x, y, false, shape)?;
    Ok(result(out, bits))
}
