//! Sorts on a device: wrappers around `onesweep.cu` and `plain.cu`.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::plan::{Order, Plain, Shape, Sizes};
use crate::cuda::{Buffer, Device, DevicePtr, Launch, Source, Unit};
use crate::error::{Error, Result};
use crate::model::Tuning;

pub(crate) static ONESWEEP: Source = Source {
    name: "sort_onesweep",
    kernels: &["sort_histogram", "sort_pass"],
    text: concat!(include_str!("sort.cuh"), include_str!("onesweep.cu")),
};

pub(crate) static PLAIN: Source = Source {
    name: "sort_plain",
    kernels: &["plain_tiles", "plain_sums", "plain_totals", "plain_scatter"],
    text: concat!(include_str!("sort.cuh"), include_str!("plain.cu")),
};

/// Every module of this folder but those for digits of another size, which are asked for by name and compiled then.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let words = [(4, 0), (4, 4), (4, 8), (8, 0), (8, 4), (8, 8)];
    let of_words = |(key, value)| {
        let (fast, plain) = (
            Sizes::new(key, value, 8),
            Sizes::new(key, value, tuning.plain_sort_bits),
        );
        [
            Unit::new(&ONESWEEP, &Shape::of(tuning, fast).defines()),
            Unit::new(&PLAIN, &Plain::of(tuning, plain).defines()),
        ]
    };
    words.into_iter().flat_map(of_words).collect()
}

/// What a pass does besides; as in the kernels.
const READS_KEYS: u32 = 1;
const WRITES_KEYS: u32 = 2;
const ODD: u32 = 4;

/// Keys on a device, and perhaps a value to each.
pub(super) struct Columns<'a> {
    pub(super) keys: &'a Buffer,
    pub(super) values: Option<&'a Buffer>,
    pub(super) len: usize,
}

/// The keys in order, their values with them.
pub(super) struct Sorted {
    pub(super) keys: Buffer,
    pub(super) values: Option<Buffer>,
}

/// Limbs of a column.
pub(super) fn limbs(len: usize, bytes: u32) -> usize {
    (len * bytes as usize).div_ceil(8)
}

/// Buffers for a result or for what lies between two passes.
pub(super) fn columns(device: &Arc<Device>, of: &Columns<'_>) -> Result<Sorted> {
    Ok(Sorted {
        keys: device.alloc(of.keys.limbs())?,
        values: of.values.map(|v| device.alloc(v.limbs())).transpose()?,
    })
}

impl Sorted {
    fn as_columns(&self, len: usize) -> Columns<'_> {
        Columns {
            keys: &self.keys,
            values: self.values.as_ref(),
            len,
        }
    }

    fn addresses(&self) -> (DevicePtr, DevicePtr) {
        (self.keys.ptr(), address(self.values.as_ref()))
    }
}

fn address(values: Option<&Buffer>) -> DevicePtr {
    values.map_or(DevicePtr::NULL, Buffer::ptr)
}

/// Both buffers hold at least `len` items of the shape's sizes, which the kernels rely on.
fn check(columns: &Columns<'_>, sizes: Sizes) {
    assert!(columns.keys.limbs() >= limbs(columns.len, sizes.key_bytes));
    assert_eq!(columns.values.is_some(), sizes.value_bytes > 0);
    let values = columns.values.map_or(0, Buffer::limbs);
    assert!(values >= limbs(columns.len, sizes.value_bytes));
}

/// Sorts in one sweep a digit. The input stays as it is.
pub(super) fn onesweep(
    device: &Arc<Device>,
    input: &Columns<'_>,
    order: Order,
    shape: Shape,
) -> Result<Sorted> {
    check(input, shape.sizes);
    let n = input.len as u64;
    let out = columns(device, input)?;
    let between = columns(device, input)?;
    let plan = shape.scratch(n);
    let scratch = device.alloc(plan.limbs)?;
    device.zero(&scratch, 0, plan.limbs)?;
    let at = |limb: usize| scratch.ptr().offset_limbs(limb);
    let module = device.module(&ONESWEEP, &shape.defines())?;

    let histogram = module.kernel("sort_histogram")?;
    let blocks = u64::from(histogram.resident_blocks(shape.threads, 0)?);
    let grid = n.div_ceil(shape.tile()).clamp(1, blocks) as u32;
    // SAFETY: the input holds n keys (checked above); the scratch memory is zero and holds a count for each pass and digit first, and a
    // free word at the head of the tickets.
    unsafe {
        histogram.launch(
            Launch::of(grid, shape.threads),
            (
                input.keys.ptr(),
                n,
                at(0),
                at(plan.tickets),
                order.spread,
                order.flip,
            ),
        )?;
    }

    let pass_kernel = module.kernel("sort_pass")?;
    let mut ticket = at(plan.tickets);
    for pass in 0..shape.sizes.passes() {
        let to_end = shape.sizes.passes() - 1 - pass;
        let (from_keys, from_values) = match pass {
            0 => (input.keys.ptr(), address(input.values)),
            _ if to_end.is_multiple_of(2) => between.addresses(),
            _ => out.addresses(),
        };
        let to = if to_end.is_multiple_of(2) {
            &out
        } else {
            &between
        };
        check(&to.as_columns(input.len), shape.sizes);
        let mut roles = if pass % 2 == 1 { ODD } else { 0 };
        if order != Order::PLAIN {
            roles |= if pass == 0 { READS_KEYS } else { 0 };
            roles |= if to_end == 0 { WRITES_KEYS } else { 0 };
        }
        let mut bases = at(pass as usize * shape.sizes.bins());
        for (k, portion) in shape.launches(n).enumerate() {
            ticket = ticket.offset_bytes(4);
            let next = match portion.is_last {
                true => DevicePtr::NULL,
                false => at(plan.bases + k % 2 * shape.sizes.bins()),
            };
            let skip = |p: DevicePtr, bytes: u32| match bytes {
                0 => p,
                _ => p.offset_bytes(portion.start * u64::from(bytes)),
            };
            let launch = Launch {
                shared_bytes: shape.shared_bytes(),
                ..Launch::of(portion.len.div_ceil(shape.tile()) as u32, shape.threads)
            };
            // SAFETY: source and destination hold n items each (checked above) and are different buffers; the destinations of all launches
            // of a pass together are a permutation of 0..n; each launch has a ticket and each tile its states.
            unsafe {
                pass_kernel.launch(
                    launch,
                    (
                        skip(from_keys, shape.sizes.key_bytes),
                        to.keys.ptr(),
                        skip(from_values, shape.sizes.value_bytes),
                        address(to.values.as_ref()),
                        portion.len,
                        bases,
                        next,
                        at(plan.states)
                            .offset_bytes(4 * portion.first_tile * shape.sizes.bins() as u64),
                        ticket,
                        pass,
                        roles,
                        order.spread,
                        order.flip,
                    ),
                )?;
            }
            bases = next;
        }
    }
    Ok(out)
}

/// Sorts as published, with a block's own sort, prefix sums and a scatter for every digit. The input stays as it is.
pub(super) fn plain(
    device: &Arc<Device>,
    input: &Columns<'_>,
    order: Order,
    shape: Plain,
) -> Result<Sorted> {
    check(input, shape.sizes);
    let n = input.len as u64;
    if n > u64::from(u32::MAX) {
        return Err(Error::Domain(format!(
            "{n} keys: the plain sort takes fewer than 2^32"
        )));
    }
    let out = columns(device, input)?;
    let between = columns(device, input)?;
    let tiles = n.div_ceil(shape.tile());
    let counts = tiles << shape.sizes.bits;
    let blocks = counts.div_ceil(shape.tile());
    let histograms = device.alloc((counts as usize).div_ceil(2))?;
    let sums = device.alloc((blocks as usize).div_ceil(2))?;
    let module = device.module(&PLAIN, &shape.defines())?;
    let kernel = |name: &str| module.kernel(name);
    let (sort_tiles, add, add_all, scatter) = (
        kernel("plain_tiles")?,
        kernel("plain_sums")?,
        kernel("plain_totals")?,
        kernel("plain_scatter")?,
    );
    let grid = |blocks: u64| Launch::of(blocks as u32, shape.threads);
    let (between_keys, between_values) = between.addresses();
    for pass in 0..shape.sizes.passes() {
        let (from_keys, from_values) = match pass {
            0 => (input.keys.ptr(), address(input.values)),
            _ => out.addresses(),
        };
        let reads = if pass == 0 { READS_KEYS } else { 0 };
        let writes = if pass + 1 == shape.sizes.passes() {
            WRITES_KEYS
        } else {
            0
        };
        // SAFETY: input, out and between are different buffers that hold n items each (checked above, and made alike); histograms hold a
        // count for each tile and digit, sums one for each block of counts; destinations are a permutation of 0..n.
        unsafe {
            sort_tiles.launch(
                grid(tiles),
                (
                    from_keys,
                    between_keys,
                    from_values,
                    between_values,
                    n,
                    histograms.ptr(),
                    pass,
                    reads,
                    order.spread,
                    order.flip,
                ),
            )?;
            add.launch(grid(blocks), (histograms.ptr(), counts, sums.ptr()))?;
            add_all.launch(grid(1), (sums.ptr(), blocks))?;
            scatter.launch(
                grid(tiles),
                (
                    between_keys,
                    out.keys.ptr(),
                    between_values,
                    address(out.values.as_ref()),
                    n,
                    histograms.ptr(),
                    sums.ptr(),
                    pass,
                    writes,
                    order.spread,
                    order.flip,
                ),
            )?;
        }
    }
    Ok(out)
}
