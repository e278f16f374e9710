//! Products on a device: transforms by `ntt`, then `release.cu`.

#![allow(unsafe_code)]

use super::plan::{digits_for, product_bits};
use crate::cuda::{Launch, Source};
use crate::error::{Error, Result};
use crate::limbs::{DeviceLimbs, Limbs, limbs_for};
use crate::model::Tuning;
use crate::ntt::cuda::{self as ntt, Digits};
use crate::ntt::plan::{PRIMES, Plan};

pub(crate) static RELEASE: Source = Source {
    name: "mul_release",
    text: include_str!("release.cu"),
};

/// Coefficients per thread of `release.cu`.
const ROWS: u64 = 4;
/// Counters at the head of its workspace.
const WORKSPACE_HEAD: usize = 4;

/// The `-D` values of `release.cu`.
pub(crate) fn defines(tuning: &Tuning) -> [(&'static str, i64); 7] {
    [
        ("RELEASE_BLOCK", tuning.release_block.into()),
        ("NTT_PRIME_0", PRIMES[0].0.into()),
        ("NTT_PRIME_1", PRIMES[1].0.into()),
        ("NTT_PRIME_2", PRIMES[2].0.into()),
        ("NTT_PRIME_3", PRIMES[3].0.into()),
        ("NTT_PRIME_4", PRIMES[4].0.into()),
        ("NTT_PRIME_5", PRIMES[5].0.into()),
    ]
}

/// a·b.
pub(crate) fn mul(a: &DeviceLimbs, b: &DeviceLimbs) -> Result<Limbs> {
    product(a, Some(b))
}

/// a².
pub(crate) fn square(a: &DeviceLimbs) -> Result<Limbs> {
    product(a, None)
}

fn product(a: &DeviceLimbs, b: Option<&DeviceLimbs>) -> Result<Limbs> {
    let device = a.buffer.device();
    let tuning = Tuning::current();
    let digits = |x: &DeviceLimbs| {
        assert!(digits_for(x.bits) <= x.len() && x.len() <= x.buffer.limbs());
        digits_for(x.bits)
    };
    let len_a = digits(a);
    let second = b.unwrap_or(a);
    let len_b = digits(second);
    let bits = product_bits(a.bits, second.bits);
    let plan = Plan::new(len_a as u64, len_b as u64, &tuning).ok_or(Error::TooLarge {
        what: "multiplication",
        bits,
        limit: 64 << crate::ntt::plan::MAX_LOG,
    })?;
    let n = limbs_for(bits);
    let out = device.alloc(n)?;
    let tiles = (n as u64).div_ceil(ROWS * u64::from(tuning.release_block));
    let workspace = device.workspace("mul/release", WORKSPACE_HEAD + tiles as usize)?;
    let release = device
        .module(&RELEASE, &defines(&tuning))?
        .kernel(match plan.primes {
            5 => "mul_release_5",
            _ => "mul_release_6",
        })?;
    let residues = ntt::product(
        Digits {
            buffer: &a.buffer,
            len: len_a,
        },
        b.map(|b| Digits {
            buffer: &b.buffer,
            len: len_b,
        }),
        &plan,
    )?;
    // SAFETY: out holds n limbs and is new; the residues are n() words for each prime, and there are no more coefficients than
    // that; the operands hold the lengths passed (asserted above); the workspace has its head and a state for every tile.
    unsafe {
        release.launch(
            Launch::of(tiles.clamp(1, i32::MAX as u64) as u32, tuning.release_block),
            (
                out.ptr(),
                n,
                residues.ptr(),
                plan.n(),
                len_a + len_b - 1,
                a.buffer.ptr(),
                len_a,
                a.len(),
                second.buffer.ptr(),
                len_b,
                second.len(),
                workspace.ptr(),
            ),
        )?;
    }
    Ok(Limbs::from_device(out, bits))
}
