//! Weber's reduction on a device modulo primes of 33 to 62 bits.

#![allow(unsafe_code)]

use super::super::cuda::{ITEMS, WeberShape};
use super::super::plan::Moduli;
use super::super::{Run, Used};
use crate::cuda::{Launch, Read, Unit, Update, Write, kernels};
use crate::error::Result;
use crate::limbs::DeviceLimbs;
use crate::modp;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static REDUCE_WIDE = "weber_reduce_wide", concat!(
        include_str!("../../../modp/montgomery.cuh"),
        include_str!("../../../modp/modp.cuh"),
        include_str!("../../../modp/wide.cuh"),
        include_str!("../least.cuh"),
        include_str!("reduce.cu")
    );
    const {
        /// The maximum number of blocks. Each block has its own slot.
        WIDE_SLOTS: u32 = 256;
    }

    fn weber_reduce_wide(
        primes: Read<u64>[count], residues: Read<u64>[2 * count], count: u64, slots: Update<u64>,
        out: Write<u64>[2 + 4 * count],
    );
}

/// Every module of this folder.
pub(in super::super) fn units(tuning: &Tuning) -> impl Iterator<Item = Unit> {
    ITEMS
        .into_iter()
        .map(|items| Unit::new(&REDUCE_WIDE, &defines(tuning, items)))
}

fn defines(tuning: &Tuning, items: u32) -> [(&'static str, i64); 3] {
    [
        ("WIDE_BLOCK", tuning.weber_block.into()),
        ("WIDE_COPIES", tuning.weber_copies.into()),
        ("WIDE_ITEMS", items.into()),
    ]
}

/// The steps and the digits of u and v, not negative.
pub(in super::super) fn run(u: &DeviceLimbs, v: &DeviceLimbs, moduli: &Moduli) -> Result<Run> {
    let device = u.buffer.device();
    let tuning = Tuning::current();
    let count = moduli.len();
    let list: Vec<u64> = (0..count).map(|i| moduli.get(i)).collect();
    let primes = device.upload(&list)?;
    let residues = modp::cuda::residues_wide(u, v, &primes, count)?;
    let meeting = 4 * (tuning.weber_copies * WIDE_SLOTS) as usize;
    let (slots, out) = (device.alloc(meeting)?, device.alloc(2 + 4 * count)?);
    device.zero(&slots, 0, meeting)?;
    let multiprocessors = device.info().multiprocessors;
    let shape = WeberShape::of(count, multiprocessors, 1, tuning.weber_block, &tuning)?;
    assert!(shape.grid <= WIDE_SLOTS && shape.block <= tuning.weber_block);
    assert!(shape.items as usize * shape.grid as usize * shape.block as usize >= count);
    let kernel = device.kernel(weber_reduce_wide, &defines(&tuning, shape.items))?;
    let launch = Launch {
        cooperative: true,
        ..Launch::of(shape.grid, shape.block)
    };
    // SAFETY: `count` primes and 2·count residues; two rows of zeroed slots of two words in each
    // copy; room for two counters and two lists of at most `count` keys, as every step and every
    // digit uses up a modulus.
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
    let mut keys = vec![0; 2 * (steps + digits)];
    let (first, second) = keys.split_at_mut(2 * steps);
    device.download(&out, 2, first)?;
    device.download(&out, 2 + 2 * count, second)?;
    Ok(Run {
        steps: first.chunks_exact(2).map(step).collect(),
        digits: second.chunks_exact(2).map(digit).collect(),
    })
}

/// `step_key` of `reduce.cu`, back.
fn step(key: &[u64]) -> Used {
    let size = (key[0] >> 2) as i64;
    Used {
        p: key[1] >> 3 << 1 | 1,
        value: if key[1] >> 2 & 1 == 1 { -size } else { size },
    }
}

/// `digit_key` of `reduce.cu`, back.
fn digit(key: &[u64]) -> Used {
    Used {
        p: key[0] >> 2,
        value: key[1] as i64 >> 2,
    }
}
