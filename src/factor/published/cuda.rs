//! Runners on a device: the wrapper around `runners.cu`.

#![allow(unsafe_code)]

use std::sync::Arc;

use crate::number::Natural;

use super::{LOOK, MOST_BITS, Shape, Variant};
use crate::cuda::{Device, Launch, Read, Unit, Update, kernels};
use crate::error::{Error, Result};
use crate::word::inverse_word;

kernels! {
    pub(crate) static RUNNERS = "rho_runners", include_str!("runners.cu");

    fn rho_run(
        numbers: Read<u32>, state: Update<u32>[2 * runners], found: Update<u64>[2], n0: u32,
        runners: u32, done: u32, steps: u32, look: u32, begin: u32,
    );
}

/// Steps of a launch of the first variant.
const STEPS: u32 = 16;
/// Products of words that a launch of the second variant is to take, one runner alone, so that it
/// can be stopped.
const LAUNCH_PRODUCTS: u32 = 40_000;

/// Every module of this folder.
pub(crate) fn units() -> Vec<Unit> {
    let most = MOST_BITS.div_ceil(64) as usize;
    (1..=most)
        .map(|limbs| Unit::new(&RUNNERS, &defines(limbs)))
        .collect()
}

/// The `-D` values for numbers of so many limbs.
pub(crate) fn defines(limbs: usize) -> [(&'static str, i64); 1] {
    [("WORDS", 2 * limbs as i64)]
}

/// A factor of odd n > 2, or none.
pub(super) fn run(
    device: &Arc<Device>,
    n: &Natural,
    variant: Variant,
    shape: Shape,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Natural>> {
    if shape.threads > 1024 || shape.runners() == 0 {
        let what = format!("{} blocks of {} threads", shape.blocks, shape.threads);
        return Err(Error::Domain(what));
    }
    let runners = shape.runners();
    let limbs = n.limb_count();
    let words = 2 * limbs as u32;
    let square = (Natural::ONE << (128 * limbs as u64)) % n;
    let mut numbers = n.to_vec();
    numbers.extend(square.to_vec());
    numbers.resize(2 * limbs, 0);
    let numbers = device.upload(&numbers)?;
    let state = device.alloc(runners as usize * 2 * limbs)?;
    let found = device.upload(&[u64::MAX, 0])?;
    let kernel = device.kernel(rho_run, &defines(limbs))?;
    let (steps, look, mut begin) = match variant {
        Variant::First => (STEPS, 0, 1u32),
        Variant::Second => {
            let steps = (LAUNCH_PRODUCTS / (words * words)).clamp(LOOK, 100 * LOOK);
            (steps.next_multiple_of(LOOK), LOOK, 2)
        }
    };
    let mut done = 0u32;
    while keep_going() {
        // SAFETY: `numbers` holds two and `state` two for each runner of `limbs` limbs; `found` two
        // words; the grid has a thread for each runner.
        unsafe {
            kernel.launch(
                Launch::of(shape.blocks, shape.threads),
                numbers.read(),
                state.update(),
                found.update(),
                negative_inverse(n),
                runners,
                done,
                steps,
                look,
                begin,
            )?;
        }
        let mut answer = [0; 2];
        device.download(&found, 0, &mut answer)?;
        if answer[0] != u64::MAX {
            let thread = answer[0] as u32 as usize;
            let mut pair = vec![0; 2 * limbs];
            device.download(&state, thread * 2 * limbs, &mut pair)?;
            let [x, y] = [&pair[..limbs], &pair[limbs..]].map(Natural::from_limbs);
            let difference = if x > y { x - y } else { y - x };
            return Ok(Some(difference.gcd(n)));
        }
        if answer[1] == u64::from(runners) {
            return Ok(None);
        }
        begin = 0;
        done += steps;
    }
    Ok(None)
}

/// −1/n modulo 2^32 for odd n.
fn negative_inverse(n: &Natural) -> u32 {
    (inverse_word(n.limbs()[0]) as u32).wrapping_neg()
}
