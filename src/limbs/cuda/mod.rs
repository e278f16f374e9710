//! The linear operations on a device: typed wrappers around `add.cu`, `map.cu` and `reduce.cu`.
//!
//! Every result is allocated before its kernel is queued, so running out of memory leaves nothing
//! half done. Sums, logic and shifts never wait for the device; what returns a plain number does.

#![allow(unsafe_code)]

mod map;
mod published;
mod reduce;
mod sum;

pub(super) use map::{and, change_bit, not, or, shl, shr, xor};
pub(crate) use map::{complement, fill, logic};
pub(crate) use published::{PublishedShape, published_shl, published_sum, published_sum_of_words};
pub(crate) use reduce::popcount_queued;
pub(super) use reduce::{bit, compare, hamming, popcount, scan, size};
pub(crate) use sum::{Joined, Part, SumLaunch, fold_high_limbs, join, sum};
pub(super) use sum::{abs, add, add_small, neg, sub};

use std::sync::Arc;

use super::number::Resident;
use crate::cuda::{Buffer, Device, Handle, Kernel, Launch, Read, Unit, Update, Write, kernels};
use crate::error::Result;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static ADD = "limbs_add", concat!(
        include_str!("../carry.cuh"),
        include_str!("../add.cu")
    );
    const {
        /// Limbs before the states of the tiles in the workspace.
        ADD_HEAD: usize = 4;
    }

    fn limbs_add(
        out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64, b: Read<u64>[len_b],
        len_b: u64, flip_b: u64, carry_in: u32, workspace: Update<u64>[ADD_HEAD as u64],
        epoch: u64, fillers: u32,
    );
    fn limbs_join(
        out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64, natural_a: u32, shift_a: u64,
        b: Read<u64>[len_b], len_b: u64, natural_b: u32, flip_b: u64, carry_in: u32,
        workspace: Update<u64>[ADD_HEAD as u64], epoch: u64, fillers: u32,
    );
    fn limbs_fold_high(
        out: Write<u64>[n], n: u64, a: Read<u64>[fold + 2], fold: u64,
        workspace: Update<u64>[ADD_HEAD as u64],
        epoch: u64, fillers: u32,
    );
    fn limbs_add_rows(
        out: Write<u64>[n], n: u64, a: Read<u64>[n], b: Read<u64>[n], flip_b: u64, carry_in: u32,
        width: u64, workspace: Update<u64>[ADD_HEAD as u64], epoch: u64, fillers: u32,
    );
    fn limbs_add_word(
        out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64, flip_a: u64, low: u64,
        above: u64, carry_in: u32, workspace: Update<u64>[ADD_HEAD as u64], epoch: u64,
        fillers: u32,
    );
    fn limbs_add_word_rows(
        out: Write<u64>[n], n: u64, a: Read<u64>[n], flip_a: u64, low: u64, above: u64,
        carry_in: u32, width: u64, workspace: Update<u64>[ADD_HEAD as u64], epoch: u64,
        fillers: u32,
    );
    fn limbs_abs(
        out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64,
        workspace: Update<u64>[ADD_HEAD as u64],
        epoch: u64, fillers: u32,
    );
}
kernels! {
    pub(crate) static MAP = "limbs_map", include_str!("../map.cu");

    fn limbs_and | limbs_or | limbs_xor(
        out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64, b: Read<u64>[len_b],
        len_b: u64,
    );
    fn limbs_flip(out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64, flip: u64);
    fn limbs_fill(out: Write<u64>[n], n: u64, pattern: u64, count: u64, top: u64);
    fn limbs_shift(
        out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64, offset: i64, bits: u32,
    );
    fn limbs_shift_rows(
        out: Write<u64>[n], n: u64, a: Read<u64>[n], width: u64, offset: i64, bits: u32,
    );
    fn limbs_change_bit(
        limbs: Update<u64>[rows * width], rows: u64, width: u64, index: u64, change: u32,
    );
}
kernels! {
    pub(crate) static REDUCE = "limbs_reduce", include_str!("../reduce.cu");
    const {
        /// Limbs of the workspace.
        REDUCE_WORKSPACE: usize = 2;
        /// Limbs of the longest answer.
        REDUCE_ANSWER: usize = 5;
    }

    fn limbs_popcount(
        answer: Write<u64>[2 + 2 * with_tops], with_tops: u32, a: Read<u64>[len], len: u64,
        workspace: Update<u64>[REDUCE_WORKSPACE as u64],
    );
    fn limbs_hamming | limbs_highest_difference(
        answer: Write<u64>[REDUCE_ANSWER as u64], a: Read<u64>[len_a], len_a: u64,
        b: Option<Read<u64>>[len_b],
        len_b: u64, workspace: Update<u64>[REDUCE_WORKSPACE as u64],
    );
    fn limbs_lowest_bit(
        answer: Write<u64>[3], a: Read<u64>[len], len: u64, flip: u64, from: u64,
        workspace: Update<u64>[REDUCE_WORKSPACE as u64],
    );
    fn limbs_count_rows(
        answer: Write<u64>[rows], a: Read<u64>[rows * width], b: Option<Read<u64>>[rows * width],
        rows: u64, width: u64,
    );
    fn limbs_compare_rows(
        answer: Write<u64>[rows], a: Read<u64>[rows * width], b: Read<u64>[rows * width], rows: u64,
        width: u64,
    );
    fn limbs_lowest_bit_rows(
        answer: Write<u64>[rows], a: Read<u64>[rows * width], rows: u64, width: u64, flip: u64,
        from: u64,
    );
}

kernels! {
    pub(crate) static PUBLISHED = "limbs_published", include_str!("../published.cu");

    fn limbs_published_sums(
        out: Write<u32>[n], carries: Write<u32>[n], n: u64, a: Read<u32>[len_a], len_a: u64,
        b: Read<u32>[len_b], len_b: u64, subtract: u32,
    );
    fn limbs_published_carries(out: Update<u32>[n], carries: Read<u32>[n], n: u64, subtract: u32);
    fn limbs_published_shift(
        shifted: Write<u32>[n], carries: Write<u32>[n], n: u64, a: Read<u32>[len], len: u64,
        words: u64, bits: u32,
    );
}

/// Every module of this folder.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let mut all = linear_units(tuning);
    all.push(Unit::new(&PUBLISHED, &[]));
    all
}

/// The modules of sums, shifts, comparisons and the like.
pub(crate) fn linear_units(tuning: &Tuning) -> Vec<Unit> {
    let defines = LinearShape::of(tuning).defines();
    let of = |source| Unit::new(source, &defines);
    [&ADD, &MAP, &REDUCE].map(of).to_vec()
}

/// Those that operations made of products need besides.
pub(crate) fn needed(tuning: &Tuning) -> Vec<Unit> {
    let defines = LinearShape::of(tuning).defines();
    let of = |source, kernels: &[_]| Unit::new(source, &defines).only(kernels);
    let sums = [
        limbs_add.declaration(),
        limbs_join.declaration(),
        limbs_fold_high.declaration(),
        limbs_add_word.declaration(),
    ];
    let scans = [
        limbs_highest_difference.declaration(),
        limbs_lowest_bit.declaration(),
    ];
    vec![
        of(&ADD, &sums),
        of(&MAP, &[limbs_flip.declaration(), limbs_shift.declaration()]),
        of(&REDUCE, &scans),
    ]
}

/// How the linear kernels are launched: block size and limbs per thread from the tuning, and a grid
/// that fits the work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearShape {
    pub(crate) block: u32,
    pub(crate) items: u32,
    /// A fixed number of blocks, for experiments; else as many as there are tiles, or as the device
    /// holds at once.
    pub(crate) grid: Option<u32>,
}

impl LinearShape {
    /// The shape of a launch over `limbs` limbs.
    pub(crate) fn tuned(limbs: usize) -> LinearShape {
        LinearShape::of(Tuning::at("linear", limbs as u64))
    }

    pub(crate) fn of(tuning: &Tuning) -> LinearShape {
        LinearShape {
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

    pub(crate) fn kernel<K: Handle>(self, device: &Arc<Device>, handle: K) -> Result<Kernel<K>> {
        device.kernel(handle, &self.defines())
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

    /// One block a tile and one a filler, for sums; and how many fillers there are. They only have
    /// work where a carry runs through whole tiles, and then share it: enough of them to fill the
    /// device, few enough to cost nothing otherwise.
    fn with_fillers(self, limbs: usize) -> (Launch, u32) {
        let tiles = self.tiles(limbs).clamp(1, i32::MAX as u64 / 2) as u32;
        let fillers = if tiles == 1 {
            0
        } else {
            tiles.div_ceil(16).min(512)
        };
        (
            Launch::of(self.grid.unwrap_or(tiles + fillers), self.block),
            fillers,
        )
    }

    /// No more blocks than the device holds at once, each taking several tiles.
    fn resident<K>(self, kernel: &Kernel<K>, limbs: usize) -> Result<Launch> {
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

fn result(buffer: Buffer, bits: u64) -> Resident {
    Resident::from_device(buffer, bits)
}
