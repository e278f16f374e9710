//! A rank's part of the moduli on its device. Each step takes one launch, and one word is copied to
//! the host. Between two launches all ranks find the minimum of their words. Ranks may share a
//! device, because no kernel waits.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::plan::Moduli;
use super::{Holders, Run, Used, cpu};
use crate::cuda::{Buffer, Device, Kernel, Launch, Read, Unit, Update, kernels};
use crate::error::Result;
use crate::limbs::DeviceLimbs;
use crate::modp;

kernels! {
    pub(crate) static PART = "weber_part", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../../modp/modp.cuh"),
        include_str!("least.cuh"),
        include_str!("part.cu")
    );
    const {
        /// Threads of a block.
        PART_BLOCK: u32 = 256;
        /// The work of a launch on every modulus.
        PART_BEGIN: u32 = 0;
        PART_STEP: u32 = 1;
        PART_WORDS: u32 = 2;
        PART_DIGIT: u32 = 3;
    }

    fn weber_part(
        primes: Read<u32>[count], residues: Read<u32>[2 * count], count: u64,
        state: Update<u32>[5 * count], best: Update<u64>[2], turn: u32, work: u32, p: u32,
        value: i32,
    );
}

/// The module of this file.
pub(super) fn unit() -> Unit {
    Unit::new(&PART, &[])
}

/// The moduli of one holder, on its device.
struct Part {
    device: Arc<Device>,
    kernel: Kernel<weber_part>,
    primes: Buffer,
    residues: Buffer,
    state: Buffer,
    best: Buffer,
    count: usize,
    launches: u32,
}

impl Part {
    /// None for a holder without moduli.
    fn new(
        u: &DeviceLimbs,
        v: &DeviceLimbs,
        moduli: &Moduli,
        holders: &dyn Holders,
    ) -> Result<Option<Part>> {
        let device = u.buffer.device();
        let own = cpu::own(moduli, holders);
        let count = own.len();
        if count == 0 {
            return Ok(None);
        }
        let pair = |pair: &[u64]| pair[0] | pair.get(1).unwrap_or(&0) << 32;
        let primes = device.upload(&own.chunks(2).map(pair).collect::<Vec<u64>>())?;
        let residues = modp::cuda::residues(u, v, &primes, count)?;
        let state = device.alloc((5 * count).div_ceil(2))?;
        let best = device.alloc(2)?;
        device.zero(&best, 0, 2)?;
        Ok(Some(Part {
            kernel: device.kernel(weber_part, &[])?,
            device: device.clone(),
            primes,
            residues,
            state,
            best,
            count,
            launches: 0,
        }))
    }

    /// Does this work and returns the smallest word after it, or `u64::MAX` if there is none.
    fn least(&mut self, work: u32, used: Used) -> Result<u64> {
        let turn = self.launches % 2;
        self.launches = self.launches.wrapping_add(1);
        let grid = self.count.div_ceil(PART_BLOCK as usize) as u32;
        // SAFETY: a thread for each modulus; `count` primes, 2·count residues and 5·count words of
        // state, two in a limb; PART_BEGIN comes first. Moduli and values have at most 32 bits.
        unsafe {
            self.kernel.launch(
                Launch::of(grid, PART_BLOCK),
                self.primes.read(),
                self.residues.read(),
                self.count,
                self.state.update(),
                self.best.update(),
                turn,
                work,
                used.p as u32,
                used.value as i32,
            )?;
        }
        let mut found = [0];
        self.device
            .download(&self.best, turn as usize, &mut found)?;
        Ok(!found[0])
    }
}

/// Computes the steps and the digits. Collective: every holder calls it with its own part of the
/// moduli, and each step and each digit takes one minimum over all holders. Words are those of
/// `cpu::run_shared`, so that holders on a CPU may take part. Moduli have at most 32 bits.
pub(super) fn run_shared(
    u: &DeviceLimbs,
    v: &DeviceLimbs,
    moduli: &Moduli,
    holders: &dyn Holders,
) -> Result<Run> {
    let mut part = Part::new(u, v, moduli, holders)?;
    let mut least = |work, used| {
        let own = part.as_mut().map(|part| part.least(work, used));
        Ok(holders.least(own.transpose()?.unwrap_or(u64::MAX)))
    };
    let mut run = Run::default();
    let none = Used { p: 0, value: 0 };
    let mut word = least(PART_BEGIN, none)?;
    while let Some(used) = cpu::quotient_of(word) {
        run.steps.push(used);
        word = least(PART_STEP, used)?;
    }
    word = least(PART_WORDS, none)?;
    while let Some(used) = cpu::digit_of(word) {
        run.digits.push(used);
        word = least(PART_DIGIT, used)?;
    }
    Ok(run)
}
