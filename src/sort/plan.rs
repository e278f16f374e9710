//! The plan of a sort on a device: shapes, passes, launches and scratch memory. Pure functions.

use crate::tuning::Tuning;

/// The order of a key type as an order of unsigned words: word = key ^ (sign(key) & spread) ^ flip,
/// see `sort.cuh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    pub(super) spread: u64,
    pub(super) flip: u64,
}

/// Flags of a pass: it reads keys, writes keys, or has an odd number.
pub(super) const READS_KEYS: u32 = 1;
pub(super) const WRITES_KEYS: u32 = 2;
pub(super) const ODD: u32 = 4;

/// The keys of a sort, and the digits by which it sorts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(super) key_bytes: u32,
    /// 0 for keys alone.
    pub(super) value_bytes: u32,
    /// Bits of a digit: the parameter s of the machine-model paper.
    pub(super) bits: u32,
}

impl Sizes {
    pub(crate) fn new(key_bytes: u32, value_bytes: u32, bits: u32) -> Sizes {
        assert!((1..=8).contains(&bits));
        Sizes {
            key_bytes,
            value_bytes,
            bits,
        }
    }

    pub(super) fn passes(self) -> u32 {
        (8 * self.key_bytes).div_ceil(self.bits)
    }

    pub(super) fn bins(self) -> usize {
        1 << self.bits
    }

    fn defines(self, threads: u32) -> Vec<(&'static str, i64)> {
        vec![
            ("SORT_KEY_BYTES", self.key_bytes.into()),
            ("SORT_VALUE_BYTES", self.value_bytes.into()),
            ("SORT_BITS", self.bits.into()),
            ("SORT_THREADS", threads.into()),
            ("SORT_READS_KEYS", READS_KEYS.into()),
            ("SORT_WRITES_KEYS", WRITES_KEYS.into()),
            ("SORT_ODD", ODD.into()),
        ]
    }
}

/// How `plain.cu` is compiled and launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(super) sizes: Sizes,
    /// Threads a block: the paper's ℓ.
    pub(super) threads: u32,
}

impl Plain {
    pub(crate) fn of(tuning: &Tuning, sizes: Sizes) -> Plain {
        Plain {
            sizes,
            threads: tuning.sort_plain_block,
        }
    }

    pub(crate) fn defines(self) -> Vec<(&'static str, i64)> {
        self.sizes.defines(self.threads)
    }

    pub(super) fn tile(self) -> u64 {
        4 * u64::from(self.threads)
    }
}

/// How `onesweep.cu` is compiled and launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortShape {
    pub(super) sizes: Sizes,
    pub(super) threads: u32,
    /// Keys a thread.
    items: u32,
    resident: u32,
    window: u32,
    /// Maximum tiles of a launch: the counts that tiles publish must stay below 2^30.
    launch_tiles: u64,
}

impl SortShape {
    pub(crate) fn of(tuning: &Tuning, sizes: Sizes) -> SortShape {
        let (threads, resident) = (tuning.sort_block, tuning.sort_resident);
        let (items, resident) = match sizes.key_bytes + sizes.value_bytes {
            4 => (tuning.sort_items_32, resident),
            8 => (tuning.sort_items_64, resident),
            _ => (tuning.sort_items_128, resident.div_ceil(2)),
        };
        let most = (1 << 30) / u64::from(threads * items) - 1;
        SortShape {
            sizes,
            threads,
            items,
            resident,
            window: tuning.sort_window,
            launch_tiles: tuning.sort_launch_tiles.min(most),
        }
    }

    pub(crate) fn defines(self) -> Vec<(&'static str, i64)> {
        let mut all = self.sizes.defines(self.threads);
        all.extend([
            ("SORT_ITEMS", i64::from(self.items)),
            ("SORT_RESIDENT", self.resident.into()),
            ("SORT_WINDOW", self.window.into()),
        ]);
        all
    }

    pub(super) fn tile(self) -> u64 {
        u64::from(self.threads) * u64::from(self.items)
    }

    /// Dynamic shared memory of a pass.
    pub(super) fn shared_bytes(self) -> u32 {
        let counters = self.threads / 32 * self.sizes.bins() as u32;
        self.tile() as u32 * (self.sizes.key_bytes + self.sizes.value_bytes) + 4 * counters
    }

    /// The launches of a pass over n > 0 keys.
    pub(super) fn launches(self, n: u64) -> impl Iterator<Item = Portion> {
        let most = self.launch_tiles * self.tile();
        (0..n.div_ceil(most)).map(move |k| Portion {
            start: k * most,
            len: (n - k * most).min(most),
            first_tile: k * self.launch_tiles,
            is_last: (k + 1) * most >= n,
        })
    }

    pub(super) fn scratch(self, n: u64) -> Scratch {
        let (passes, bins) = (self.sizes.passes() as usize, self.sizes.bins());
        let bases = passes * bins;
        let tickets = bases + 2 * bins;
        // One more counts the blocks of the histogram.
        let launches = passes * self.launches(n).count();
        let states = tickets + (launches + 1).div_ceil(2);
        let tiles = n.div_ceil(self.tile()) as usize;
        Scratch {
            bases,
            tickets,
            states,
            limbs: states + (tiles * bins).div_ceil(2),
        }
    }
}

/// The keys of one launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Portion {
    pub(super) start: u64,
    pub(super) len: u64,
    pub(super) first_tile: u64,
    pub(super) is_last: bool,
}

/// The layout of the scratch memory, in limbs. The histograms come first.
pub(super) struct Scratch {
    /// Where digits go, twice, for launches after the first of a pass.
    pub(super) bases: usize,
    pub(super) tickets: usize,
    pub(super) states: usize,
    pub(super) limbs: usize,
}
