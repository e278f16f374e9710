//! The reduction on a device: residues, then one persistent kernel.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::plan::Moduli;
use super::variant::{Meeting, Variant};
use super::{Options, Run, Used, part, plan, wide};
use crate::cuda::{Buffer, Device, Kernel, Launch, Read, Unit, Update, Write, kernels};
use crate::error::{Error, Result};
use crate::limbs::DeviceLimbs;
use crate::modp;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static REDUCE = "weber_reduce", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../../modp/modp.cuh"),
        include_str!("least.cuh"),
        include_str!("reduce.cu")
    );
    const {
        /// The maximum number of blocks. Each block has its own slot.
        WEBER_SLOTS: u32 = 256;
    }

    fn weber_reduce(
        primes: Read<u32>[count], residues: Read<u32>[2 * count], count: u64, slots: Update<u64>,
        out: Write<u64>[2 + 2 * count],
    );
}

/// Every module of this folder for moduli of 32 bits and more. Modules for fewer bits are compiled
/// when they are first used.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let usual = ITEMS.into_iter().map(|items| (items, Variant::default()));
    let variants = Variant::ALL.into_iter().map(|(_, variant)| (1, variant));
    usual
        .chain(variants.filter(|(_, variant)| !variant.is_usual_kernel()))
        .map(|(items, variant)| Unit::new(&REDUCE, &defines(tuning, 32, items, variant)))
        .chain(wide::cuda::units(tuning))
        .chain([part::unit()])
        .collect()
}

/// The possible numbers of moduli per thread. A module is compiled for each.
pub(super) const ITEMS: [u32; 12] = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Maximum moduli per thread. Above four they are in its local memory, which is part of the
/// device's memory: 28 bytes each. All 98 million 32-bit primes fit on 94 multiprocessors.
pub(super) const MOST_ITEMS: usize = ITEMS[ITEMS.len() - 1] as usize;

fn defines(tuning: &Tuning, bits: u32, items: u32, variant: Variant) -> [(&'static str, i64); 8] {
    let barrier = match variant.meeting {
        Meeting::Slots => 0,
        Meeting::Barrier => 1,
        Meeting::GridSync => 2,
    };
    [
        ("WEBER_BLOCK", tuning.weber_block.into()),
        ("WEBER_COPIES", tuning.weber_copies.into()),
        ("WEBER_BITS", bits.into()),
        ("WEBER_ITEMS", items.into()),
        ("WEBER_BARRIER", barrier),
        ("WEBER_QUOTIENTS", variant.quotients.into()),
        ("WEBER_EARLY", variant.early.into()),
        ("WEBER_PATIENCE", variant.patience.into()),
    ]
}

/// Threads of a block, blocks, and moduli of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WeberShape {
    pub(super) block: u32,
    pub(super) grid: u32,
    pub(super) items: u32,
}

impl WeberShape {
    /// The shape for `count` moduli on a device of `multiprocessors` multiprocessors, with at most
    /// `resident` blocks on each and `threads` threads in a block.
    pub(super) fn of(
        count: usize,
        multiprocessors: u32,
        resident: u32,
        threads: u32,
        tuning: &Tuning,
    ) -> Result<WeberShape> {
        let most = (multiprocessors * resident).clamp(1, WEBER_SLOTS) as usize;
        let items = count.div_ceil(most * threads as usize);
        let Some(items) = ITEMS.into_iter().find(|n| *n as usize >= items) else {
            return Err(Error::TooLarge {
                what: "the modular gcd on this device",
                bits: 32 * count as u64,
                limit: 32 * (MOST_ITEMS * most * threads as usize) as u64,
            });
        };
        let items = items as usize;
        let least = tuning.weber_least_block.min(threads) as usize;
        let threads = count.div_ceil(most * items).max(least);
        let block = threads.next_multiple_of(32);
        Ok(WeberShape {
            block: block as u32,
            grid: count.div_ceil(block * items) as u32,
            items: items as u32,
        })
    }
}

/// The kernel of this variant, and the shape of its launch: at most `variant.resident` blocks on a
/// multiprocessor, and no more than fit on the device.
fn shaped(
    device: &Arc<Device>,
    moduli: &Moduli,
    variant: Variant,
    tuning: &Tuning,
) -> Result<(Kernel<weber_reduce>, WeberShape)> {
    let count = moduli.len();
    let multiprocessors = device.info().multiprocessors;
    let mut resident = variant.resident;
    loop {
        // Several blocks on a multiprocessor together have at most as many threads as one block may
        // have.
        let threads = (tuning.weber_block / resident / 32 * 32).max(32);
        let shape = WeberShape::of(count, multiprocessors, resident, threads, tuning)?;
        let defines = defines(tuning, moduli.bits, shape.items, variant);
        let kernel = device.kernel(weber_reduce, &defines)?;
        if resident == 1 || kernel.resident_blocks(shape.block, 0)? >= shape.grid {
            return Ok((kernel, shape));
        }
        resident -= 1;
    }
}

/// The options on a device, for numbers of `size` bits. A step with one warp of moduli for each of
/// the four schedulers of a multiprocessor takes no longer than a step with fewer moduli.
pub(super) fn options_on(device: &Device, options: Options, size: u64) -> Options {
    let spare = 4 * 32 * device.info().multiprocessors as usize;
    plan::with_spare(options, size, spare)
}

/// The number of moduli of 32 bits that the kernel can have on a device, with all blocks resident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Moduli of a thread.
    pub items: u32,
    /// Threads of a block.
    pub block: u32,
    /// Blocks that are resident at once by the driver's count, at most one per multiprocessor.
    pub blocks: u32,
    /// The product of the three, or the number of all primes of 32 bits if that is less.
    pub moduli: u64,
    /// The maximum bits of numbers for which that many moduli are used.
    pub bits: u64,
}

/// The capacity of the kernel with `items` moduli per thread, one of `ITEMS`, on this device.
pub(super) fn capacity(device: &Arc<Device>, items: u32) -> Result<Capacity> {
    /// Primes from 2^31 to 2^32.
    const PRIMES: u64 = 98_182_656;
    let tuning = Tuning::current();
    let most = device.info().multiprocessors.clamp(1, WEBER_SLOTS);
    let defines = defines(&tuning, 32, items, Variant::default());
    let kernel = device.kernel(weber_reduce, &defines)?;
    let blocks = kernel.resident_blocks(tuning.weber_block, 0)?.min(most);
    let moduli = u64::from(items) * u64::from(tuning.weber_block) * u64::from(blocks);
    let moduli = moduli.min(PRIMES);
    Ok(Capacity {
        items,
        block: tuning.weber_block,
        blocks,
        moduli,
        bits: plan::most_bits(Options::default(), moduli as usize),
    })
}

/// The capacity of the kernel for each number of moduli per thread on this device.
pub(crate) fn capacities(device: &Arc<Device>) -> Result<Vec<Capacity>> {
    let all = ITEMS.into_iter().map(|items| capacity(device, items));
    all.collect()
}

/// Computes the steps and the digits of u, v ≥ 0 with the default variant of the kernel.
pub(super) fn run(u: &DeviceLimbs, v: &DeviceLimbs, moduli: &Moduli) -> Result<Run> {
    run_by(u, v, moduli, Variant::default())
}

pub(super) fn run_by(
    u: &DeviceLimbs,
    v: &DeviceLimbs,
    moduli: &Moduli,
    variant: Variant,
) -> Result<Run> {
    let device = u.buffer.device();
    let primes = modp::cuda::primes_on(device, moduli.bits, moduli.len())?;
    let residues = modp::cuda::residues(u, v, &primes, moduli.len())?;
    reduce(device, &residues, moduli, variant)
}

/// Computes the steps and the digits from the residues, which are those of u and then those of v,
/// two per limb.
pub(super) fn reduce(
    device: &Arc<Device>,
    residues: &Buffer,
    moduli: &Moduli,
    variant: Variant,
) -> Result<Run> {
    let tuning = Tuning::current();
    let count = moduli.len();
    let primes = modp::cuda::primes_on(device, moduli.bits, count)?;
    assert!(residues.limbs() >= count && primes.limbs() >= count.div_ceil(2));
    let meeting = 2 * (tuning.weber_copies * WEBER_SLOTS) as usize;
    let (slots, out) = (device.alloc(meeting)?, device.alloc(2 + 2 * count)?);
    device.zero(&slots, 0, meeting)?;
    let (kernel, shape) = shaped(device, moduli, variant, &tuning)?;
    assert!(shape.grid <= WEBER_SLOTS && shape.block <= tuning.weber_block);
    assert!(shape.items as usize * shape.grid as usize * shape.block as usize >= count);
    let launch = Launch {
        cooperative: true,
        ..Launch::of(shape.grid, shape.block)
    };
    // SAFETY: `count` primes and 2·count residues of a word each (asserted above); two rows of
    // zeroed slots in each copy, which are also enough for the five words of a barrier; room for
    // two counters and two lists of at most `count` words, as every step and every digit uses up a
    // modulus.
    unsafe {
        kernel.launch(
            launch,
            primes.read(),
            residues.read(),
            count,
            slots.update(),
            out.write(),
        )?;
    }
    let mut head = [0; 2];
    device.download(&out, 0, &mut head)?;
    let [steps, digits] = head.map(|n| n as usize);
    assert!(steps <= count && digits <= count);
    let mut keys = vec![0; steps + digits];
    device.download(&out, 2, &mut keys[..steps])?;
    device.download(&out, 2 + count, &mut keys[steps..])?;
    Ok(Run {
        steps: keys[..steps]
            .iter()
            .map(|key| step(*key, moduli.bits))
            .collect(),
        digits: keys[steps..]
            .iter()
            .map(|key| digit(*key, moduli.bits))
            .collect(),
    })
}

/// The prime of which a key has the bits between the ends.
fn prime(middle: u64, bits: u32) -> u64 {
    (middle & 0x3fff_ffff) << 1 | 1 | if bits == 32 { 1 << 31 } else { 0 }
}

/// `step_key` of `reduce.cu`, back.
fn step(key: u64, bits: u32) -> Used {
    let size = (key >> 33) as i64;
    Used {
        p: prime(key >> 3, bits),
        value: if key >> 2 & 1 == 1 { -size } else { size },
    }
}

/// `digit_key` of `reduce.cu`, back.
fn digit(key: u64, bits: u32) -> Used {
    Used {
        p: prime(key >> 34, bits),
        value: i64::from((key >> 2) as u32 as i32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_hold_all_moduli() {
        for tuning in [Tuning::DEFAULT, Tuning::MINIMAL] {
            for count in [1, 31, 64, 1000, 15_240, 72_651, 140_000, 600_000, 1 << 20] {
                for multiprocessors in [2, 80, 132] {
                    let Ok(shape) =
                        WeberShape::of(count, multiprocessors, 1, tuning.weber_block, &tuning)
                    else {
                        continue;
                    };
                    let threads = shape.grid as usize * shape.block as usize;
                    assert!(threads * shape.items as usize >= count, "{shape:?} {count}");
                    assert!(shape.block <= tuning.weber_block && shape.block % 32 == 0);
                    assert!(shape.grid <= multiprocessors.max(1));
                }
            }
        }
        let h200 = |count| WeberShape::of(count, 132, 1, 1024, &Tuning::DEFAULT).unwrap();
        let expected = WeberShape {
            block: 576,
            grid: 127,
            items: 1,
        };
        assert_eq!(h200(72_651), expected);
        // Weber–Brew's longest numbers: 529 and 777 million bits with 68 and 98 million moduli.
        assert_eq!(h200(68_000_000).items, 512);
        assert_eq!(h200(98_000_000).items, 1024);
        // Two blocks on a multiprocessor, of half the threads each; slots are the limit.
        let two = WeberShape::of(72_651, 100, 2, 512, &Tuning::DEFAULT).unwrap();
        assert_eq!((two.block, two.grid), (384, 190));
    }
}
