//! Residues on a device.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::primes;
use crate::cuda::{Buffer, Device, Launch, Read, Unit, Write, kernels};
use crate::error::Result;
use crate::limbs::DeviceLimbs;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static RESIDUES = "modp_residues", concat!(
        include_str!("montgomery.cuh"),
        include_str!("modp.cuh"),
        include_str!("wide.cuh"),
        include_str!("residues.cu")
    );

    fn modp_residues(
        out: Write<u32>[2 * count], primes: Read<u32>[count], count: u64, u: Read<u64>[n_u],
        n_u: u64, v: Read<u64>[n_v], n_v: u64,
    );

    fn modp_residues_wide(
        out: Write<u64>[2 * count], primes: Read<u64>[count], count: u64, u: Read<u64>[n_u],
        n_u: u64, v: Read<u64>[n_v], n_v: u64,
    );
}

/// Every module of this folder.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    vec![Unit::new(&RESIDUES, &defines(tuning))]
}

/// The `-D` values of `residues.cu`.
pub(crate) fn defines(tuning: &Tuning) -> [(&'static str, i64); 2] {
    [
        ("MODP_TILE", tuning.modp_tile.into()),
        ("MODP_BLOCK", tuning.modp_block.into()),
    ]
}

/// At least the `count` largest primes of `bits` bits, two a limb, on the device to stay.
pub(crate) fn primes_on(device: &Arc<Device>, bits: u32, count: usize) -> Result<Arc<Buffer>> {
    // Rounded up, so that few tables are kept.
    let rounded = count.next_power_of_two().max(1024);
    let number = u64::from(bits) << 32 | rounded as u64;
    device.constants("modp/primes", number, || {
        let list = primes::largest(bits, rounded);
        let list = &list[..list.len().min(rounded)];
        let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
        list.chunks(2).map(pair).collect()
    })
}

/// u and v, not negative, modulo the first `count` of `primes`: 32-bit words, those of u first.
pub(crate) fn residues(
    u: &DeviceLimbs,
    v: &DeviceLimbs,
    primes: &Buffer,
    count: usize,
) -> Result<Buffer> {
    let device = u.buffer.device();
    let tuning = Tuning::current();
    assert!(count > 0 && count.div_ceil(2) <= primes.limbs());
    assert!(u.len() <= u.buffer.limbs() && v.len() <= v.buffer.limbs());
    let out = device.alloc(count)?;
    let kernel = device.kernel(modp_residues, &defines(&tuning))?;
    let grid = count.div_ceil(tuning.modp_block as usize) as u32;
    // SAFETY: there are `count` primes and 2·count words of room, two in a limb; the numbers have
    // their lengths, all asserted above.
    unsafe {
        kernel.launch(
            Launch::of(grid, tuning.modp_block),
            out.write(),
            primes.read(),
            count,
            u.read(),
            u.len(),
            v.read(),
            v.len(),
        )?;
    }
    Ok(out)
}

/// u and v, not negative, modulo the first `count` of `primes`, which have 63 bits at most and a
/// limb each: limbs, those of u first.
pub(crate) fn residues_wide(
    u: &DeviceLimbs,
    v: &DeviceLimbs,
    primes: &Buffer,
    count: usize,
) -> Result<Buffer> {
    let device = u.buffer.device();
    let tuning = Tuning::current();
    assert!(count > 0 && count <= primes.limbs());
    assert!(u.len() <= u.buffer.limbs() && v.len() <= v.buffer.limbs());
    let out = device.alloc(2 * count)?;
    let kernel = device.kernel(modp_residues_wide, &defines(&tuning))?;
    let grid = count.div_ceil(tuning.modp_block as usize) as u32;
    // SAFETY: there are `count` primes and 2·count limbs of room; the numbers have their lengths,
    // all asserted above.
    unsafe {
        kernel.launch(
            Launch::of(grid, tuning.modp_block),
            out.write(),
            primes.read(),
            count,
            u.read(),
            u.len(),
            v.read(),
            v.len(),
        )?;
    }
    Ok(out)
}
