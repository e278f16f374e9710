//! Sorts on a device: wrappers around `onesweep.cu` and `plain.cu`.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::plan::{ODD, Order, Plain, READS_KEYS, Sizes, SortShape, WRITES_KEYS};
use crate::cuda::{Buffer, Device, Element, Launch, Read, Span, Unit, Update, Write, kernels};
use crate::error::{Error, Result};
use crate::tuning::Tuning;

/// The words of keys and of values: 4 or 8 bytes, depending on the `-D` values.
#[derive(Clone, Copy)]
pub(crate) struct Key;
#[derive(Clone, Copy)]
pub(crate) struct Value;

impl Element for Key {
    const C: &'static str = "Key";
    const BYTES: u64 = 0;
}
impl Element for Value {
    const C: &'static str = "Value";
    const BYTES: u64 = 0;
}

kernels! {
    pub(crate) static ONESWEEP = "sort_onesweep", concat!(
        include_str!("sort.cuh"),
        include_str!("onesweep.cu")
    );

    fn sort_histogram(
        keys: Read<Key>, n: u64, histograms: Update<u64>, done: Update<u32>[1], spread: u64,
        flip: u64,
    );
    fn sort_pass(
        keys: Read<Key>, keys_to: Write<Key>, values: Option<Read<Value>>,
        values_to: Option<Write<Value>>, n: u64, bases: Read<u64>, next: Option<Write<u64>>,
        states: Update<u32>, ticket: Update<u32>[1], pass: u32, roles: u32, spread: u64, flip: u64,
    );
}

kernels! {
    pub(crate) static PLAIN = "sort_plain", concat!(
        include_str!("sort.cuh"),
        include_str!("plain.cu")
    );

    fn plain_tiles(
        keys: Read<Key>, keys_to: Write<Key>, values: Option<Read<Value>>,
        values_to: Option<Write<Value>>, n: u64, histograms: Write<u32>, pass: u32, roles: u32,
        spread: u64, flip: u64,
    );
    fn plain_sums(counts: Update<u32>[n], n: u64, sums: Write<u32>);
    fn plain_totals(sums: Update<u32>[n], n: u64);
    fn plain_add(counts: Update<u32>[n], n: u64, sums: Read<u32>);
    fn plain_scatter(
        keys: Read<Key>, keys_to: Write<Key>, values: Option<Read<Value>>,
        values_to: Option<Write<Value>>, n: u64, counts: Read<u32>, pass: u32, roles: u32,
        spread: u64, flip: u64,
    );
}

/// Every module of this folder but those for digits of another size, which are asked for by name
/// and compiled then.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let words = [(4, 0), (4, 4), (4, 8), (8, 0), (8, 4), (8, 8)];
    let of_words = |(key, value)| {
        let plain = Sizes::new(key, value, tuning.plain_sort_bits);
        [
            onesweep_unit(key, value, tuning),
            Unit::new(&PLAIN, &Plain::of(tuning, plain).defines()),
        ]
    };
    words.into_iter().flat_map(of_words).collect()
}

fn onesweep_unit(key: u32, value: u32, tuning: &Tuning) -> Unit {
    let fast = Sizes::new(key, value, 8);
    Unit::new(&ONESWEEP, &SortShape::of(tuning, fast).defines())
}

/// The kernels of the usual sort of keys of `key` bytes and values of `value` bytes.
pub(super) fn units_of((key, value): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    vec![onesweep_unit(key as u32, value as u32, tuning)]
}

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

/// Buffers for a result, or for the data between two passes.
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

    fn spans(&self) -> (Span<'_>, Option<Span<'_>>) {
        (self.keys.span(), self.values.as_ref().map(Buffer::span))
    }
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
    shape: SortShape,
) -> Result<Sorted> {
    check(input, shape.sizes);
    let n = input.len as u64;
    let out = columns(device, input)?;
    let between = columns(device, input)?;
    let plan = shape.scratch(n);
    let scratch = device.alloc(plan.limbs)?;
    device.zero(&scratch, 0, plan.limbs)?;
    let at = |limb: usize| scratch.skip_limbs(limb);
    let module = device.module(&ONESWEEP, &shape.defines())?;

    let histogram = module.kernel(sort_histogram)?;
    let blocks = u64::from(histogram.resident_blocks(shape.threads, 0)?);
    let grid = n.div_ceil(shape.tile()).clamp(1, blocks) as u32;
    // SAFETY: the input holds n keys (checked above); the scratch memory is zero and holds a count
    // for each pass and digit first, and a free word at the head of the tickets.
    unsafe {
        histogram.launch(
            Launch::of(grid, shape.threads),
            input.keys.read(),
            n,
            at(0).update(),
            at(plan.tickets).update(),
            order.spread,
            order.flip,
        )?;
    }

    let pass_kernel = module.kernel(sort_pass)?;
    let mut ticket = at(plan.tickets);
    for pass in 0..shape.sizes.passes() {
        let to_end = shape.sizes.passes() - 1 - pass;
        let (from_keys, from_values) = match pass {
            0 => (input.keys.span(), input.values.map(Buffer::span)),
            _ if to_end.is_multiple_of(2) => between.spans(),
            _ => out.spans(),
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
            ticket = ticket.skip_bytes(4);
            let next = (!portion.is_last).then(|| at(plan.bases + k % 2 * shape.sizes.bins()));
            let (key_bytes, value_bytes) = (shape.sizes.key_bytes, shape.sizes.value_bytes);
            let keys = from_keys.skip_bytes(portion.start * u64::from(key_bytes));
            let values = from_values.map(|v| v.skip_bytes(portion.start * u64::from(value_bytes)));
            let launch = Launch {
                shared_bytes: shape.shared_bytes(),
                ..Launch::of(portion.len.div_ceil(shape.tile()) as u32, shape.threads)
            };
            // SAFETY: source and destination hold n items each (checked above) and are different
            // buffers; the destinations of all launches of a pass together are a permutation of
            // 0..n; each launch has a ticket and each tile its states.
            unsafe {
                pass_kernel.launch(
                    launch,
                    keys.read(),
                    to.keys.write(),
                    values.map(Span::read),
                    to.values.as_ref().map(Buffer::write),
                    portion.len,
                    bases.read(),
                    next.map(Span::write),
                    at(plan.states)
                        .skip_bytes(4 * portion.first_tile * shape.sizes.bins() as u64)
                        .update(),
                    ticket.update(),
                    pass,
                    roles,
                    order.spread,
                    order.flip,
                )?;
            }
            bases = next.unwrap_or(bases);
        }
    }
    Ok(out)
}

/// Sorts as published, with a block's own sort, prefix sums and a scatter for every digit. The
/// input stays as it is.
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
    let (sort_tiles, sum, sum_all, add, scatter) = (
        module.kernel(plain_tiles)?,
        module.kernel(plain_sums)?,
        module.kernel(plain_totals)?,
        module.kernel(plain_add)?,
        module.kernel(plain_scatter)?,
    );
    let grid = |blocks: u64| Launch::of(blocks as u32, shape.threads);
    let (between_keys, between_values) = between.spans();
    for pass in 0..shape.sizes.passes() {
        let (from_keys, from_values) = match pass {
            0 => (input.keys.span(), input.values.map(Buffer::span)),
            _ => out.spans(),
        };
        let reads = if pass == 0 { READS_KEYS } else { 0 };
        let writes = if pass + 1 == shape.sizes.passes() {
            WRITES_KEYS
        } else {
            0
        };
        // SAFETY: input, out and between are different buffers that hold n items each (checked
        // above, and made alike); histograms hold a count for each tile and digit, sums one for
        // each block of counts; destinations are a permutation of 0..n.
        unsafe {
            sort_tiles.launch(
                grid(tiles),
                from_keys.read(),
                between_keys.write(),
                from_values.map(Span::read),
                between_values.map(Span::write),
                n,
                histograms.write(),
                pass,
                reads,
                order.spread,
                order.flip,
            )?;
            sum.launch(grid(blocks), histograms.update(), counts, sums.write())?;
            sum_all.launch(grid(1), sums.update(), blocks)?;
            add.launch(grid(blocks), histograms.update(), counts, sums.read())?;
            scatter.launch(
                grid(tiles),
                between_keys.read(),
                out.keys.write(),
                between_values.map(Span::read),
                out.values.as_ref().map(Buffer::write),
                n,
                histograms.read(),
                pass,
                writes,
                order.spread,
                order.flip,
            )?;
        }
    }
    Ok(out)
}
