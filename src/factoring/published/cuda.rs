//! Runners on a device: the wrapper around `runners.cu`.

#![allow(unsafe_code)]

use std::sync::Arc;

use crate::number::Natural;

use super::{Activity, LOOK, MOST_BITS, RunnerFound, RunnerGrid, Start, Variant};
use crate::cuda::{Device, Launch, Read, Unit, Update, kernels};
use crate::error::{Error, Result};
use crate::word::inverse_word;

kernels! {
    pub(crate) static RUNNERS = "rho_runners", include_str!("runners.cu");

    fn rho_run(
        numbers: Read<u32>, state: Update<u32>[2 * runners], found: Update<u64>[2],
        counted: Option<Update<u64>>, n0: u32, runners: u32, threads: u32, done: u32, steps: u32,
        look: u32, start: u32, seed: u64, begin: u32,
    );
}

/// Products of words that a launch of the second variant is to take, one runner alone, so that it
/// can be stopped.
const LAUNCH_PRODUCTS: u32 = 40_000;
/// Limbs of the numbers for which active lanes are counted.
const COUNTED_LIMBS: usize = 1;

/// Every module of this folder.
pub(crate) fn units() -> Vec<Unit> {
    let most = MOST_BITS.div_ceil(64) as usize;
    let running = (1..=most).map(|limbs| Unit::new(&RUNNERS, &defines(limbs, false)));
    let counting = Unit::new(&RUNNERS, &defines(COUNTED_LIMBS, true));
    running.chain([counting]).collect()
}

/// The `-D` values for numbers of `limbs` limbs.
pub(crate) fn defines(limbs: usize, counts: bool) -> [(&'static str, i64); 2] {
    [("WORDS", 2 * limbs as i64), ("RHO_COUNTS", counts.into())]
}

/// The result of a run.
struct Outcome {
    found: Option<RunnerFound>,
    /// Steps of warps, lanes in them, rounds of GCDs, and lanes in those; where they are counted.
    counted: [u64; 4],
    /// Blocks that are resident on the device at once.
    resident: u32,
}

/// A factor of odd n > 2, or none.
pub(super) fn run(
    device: &Arc<Device>,
    n: &Natural,
    variant: Variant,
    shape: RunnerGrid,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<RunnerFound>> {
    Ok(go(device, n, variant, shape, false, keep_going)?.found)
}

/// The active lanes of a run on an odd n of one limb, and the number of runners that are resident
/// on a device at once.
pub(super) fn activity(
    device: &Arc<Device>,
    n: &Natural,
    variant: Variant,
    shape: RunnerGrid,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Activity> {
    if n.limb_count() != COUNTED_LIMBS {
        let bits = n.bit_length();
        return Err(Error::Domain(format!(
            "a number of {bits} bits: lanes are counted for 64 bits at most"
        )));
    }
    let outcome = go(device, n, variant, shape, true, keep_going)?;
    let [warp_steps, step_lanes, gcd_rounds, gcd_lanes] = outcome.counted;
    Ok(Activity {
        warp_steps,
        step_lanes,
        gcd_rounds,
        gcd_lanes,
        resident_runners: u64::from(outcome.resident) * u64::from(shape.threads),
    })
}

fn go(
    device: &Arc<Device>,
    n: &Natural,
    variant: Variant,
    shape: RunnerGrid,
    counts: bool,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Outcome> {
    if shape.threads > 1024 || shape.runners() == 0 || shape.steps == 0 {
        let RunnerGrid {
            blocks,
            threads,
            steps,
            ..
        } = shape;
        return Err(Error::Domain(format!(
            "{blocks} blocks of {threads} threads, {steps} steps a launch"
        )));
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
    let counted = counts.then(|| device.upload(&[0; 4])).transpose()?;
    let kernel = device.kernel(rho_run, &defines(limbs, counts))?;
    let (steps, look) = match variant {
        Variant::First => (shape.steps, 0),
        Variant::Second => {
            let steps = (LAUNCH_PRODUCTS / (words * words)).clamp(LOOK, 100 * LOOK);
            (steps.next_multiple_of(LOOK), LOOK)
        }
    };
    let (start, seed) = match shape.start_of(variant) {
        Start::Numbered => (0, 0),
        Start::Ahead => (1, 0),
        Start::Random(seed) => (2, seed),
    };
    let block = if counts {
        shape.threads.next_multiple_of(32)
    } else {
        shape.threads
    };
    let launch = Launch {
        prefers_l1: shape.prefers_l1,
        ..Launch::of(shape.blocks, block)
    };
    let mut outcome = Outcome {
        found: None,
        counted: [0; 4],
        resident: kernel.resident_blocks(block, 0)?,
    };
    let mut done = 0u32;
    while keep_going() {
        // SAFETY: `numbers` holds two and `state` two for each runner of `limbs` limbs; `found` two
        // words, and `counted` four where the kernel counts; the grid has a thread for each runner.
        unsafe {
            kernel.launch(
                launch,
                numbers.read(),
                state.update(),
                found.update(),
                counted.as_ref().map(|counted| counted.update()),
                negative_inverse(n),
                runners,
                shape.threads,
                done,
                steps,
                look,
                start,
                seed,
                u32::from(done == 0),
            )?;
        }
        let mut answer = [0; 2];
        device.download(&found, 0, &mut answer)?;
        if answer[0] != u64::MAX {
            let (step, runner) = ((answer[0] >> 32) as u32, answer[0] as u32);
            let mut pair = vec![0; 2 * limbs];
            device.download(&state, runner as usize * 2 * limbs, &mut pair)?;
            let [x, y] = [&pair[..limbs], &pair[limbs..]].map(Natural::from_limbs);
            let difference = if x > y { x - y } else { y - x };
            outcome.found = Some(RunnerFound::new(difference.gcd(n), step, runner));
            break;
        }
        if answer[1] == u64::from(runners) {
            break;
        }
        done += steps;
    }
    if let Some(counted) = &counted {
        device.download(counted, 0, &mut outcome.counted)?;
    }
    Ok(outcome)
}

/// −1/n modulo 2^32 for odd n.
fn negative_inverse(n: &Natural) -> u32 {
    (inverse_word(n.limbs()[0]) as u32).wrapping_neg()
}
