//! The linear operations on a device: typed wrappers around `add.cu`, `map.cu` and `reduce.cu`.
//!
//! Every result is allocated before its kernel is queued, so running out of memory leaves nothing half done. Sums, logic and
//! shifts never wait for the device; what returns a plain number does.

#![allow(unsafe_code)]

mod map;
mod reduce;
mod sum;

pub(super) use map::{and, change_bit, not, or, shl, shr, xor};
pub(crate) use map::{complement, fill, logic};
pub(crate) use reduce::popcount_queued;
pub(super) use reduce::{bit, compare, hamming, popcount, scan, size};
pub(crate) use sum::{Joined, Part, SumLaunch, around, join, sum};
pub(super) use sum::{abs, add, add_small, neg, sub};

use std::sync::Arc;

use super::number::Resident;
use crate::cuda::{Buffer, Device, Kernel, Launch, Source, Unit};
use crate::error::Result;
use crate::model::Tuning;

pub(crate) static ADD: Source = Source {
    name: "limbs_add",
    kernels: &[
        "limbs_add",
        "limbs_join",
        "limbs_around",
        "limbs_add_rows",
        "limbs_add_word",
        "limbs_add_word_rows",
        "limbs_abs",
    ],
    text: concat!(include_str!("../carry.cuh"), include_str!("../add.cu")),
};
pub(crate) static MAP: Source = Source {
    name: "limbs_map",
    kernels: &[
        "limbs_and",
        "limbs_or",
        "limbs_xor",
        "limbs_flip",
        "limbs_fill",
        "limbs_shift",
        "limbs_shift_rows",
        "limbs_change_bit",
    ],
    text: include_str!("../map.cu"),
};
pub(crate) static REDUCE: Source = Source {
    name: "limbs_reduce",
    kernels: &[
        "limbs_popcount",
        "limbs_hamming",
        "limbs_highest_difference",
        "limbs_lowest_bit",
        "limbs_count_rows",
        "limbs_compare_rows",
        "limbs_lowest_bit_rows",
    ],
    text: include_str!("../reduce.cu"),
};

/// Every module of this folder.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let defines = Shape::of(tuning).defines();
    [&ADD, &MAP, &REDUCE]
        .map(|source| Unit::new(source, &defines))
        .to_vec()
}

/// Those that operations made of products need besides.
pub(crate) fn needed(tuning: &Tuning) -> Vec<Unit> {
    let defines = Shape::of(tuning).defines();
    let of = |source, kernels| Unit::new(source, &defines).only(kernels);
    vec![
        of(
            &ADD,
            &["limbs_add", "limbs_join", "limbs_around", "limbs_add_word"],
        ),
        of(&MAP, &["limbs_flip", "limbs_shift"]),
        of(&REDUCE, &["limbs_highest_difference", "limbs_lowest_bit"]),
    ]
}

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

    /// One block a tile and one a filler, for sums; and how many fillers there are. They only have work where a carry runs
    /// through whole tiles, and then share it: enough of them to fill the device, few enough to cost nothing otherwise.
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
    fn resident(self, kernel: &Kernel, limbs: usize) -> Result<Launch> {
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

fn result(buffer: Buffer, bits: u64) -> Resident {
    Resident::from_device(buffer, bits)
}
