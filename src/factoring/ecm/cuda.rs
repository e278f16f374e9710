//! Curves on a device, with one thread per curve.

#![allow(unsafe_code)]

use std::sync::Arc;
use std::time::Instant;

use crate::number::Natural;

use super::plan::{Round, Stage2, steps};
use super::residues::Constants;
use super::{Group, KeepGoing};
use crate::cuda::{Buffer, Device, Launch, Module, Read, Unit, Update, Write, kernels};
use crate::error::Result;
use crate::tuning::Tuning;

kernels! {
    /// The two loops that take the time.
    pub(crate) static CHAIN = "ecm_chain", concat!(
        include_str!("../../modular/number.cuh"),
        include_str!("curve.cuh"),
        include_str!("chain.cu")
    );

    fn ecm_multiply(
        state: Update<u32>[ECM_STATE as u64 * stride], stride: u64, modulus: Read<u32>, n0: u32,
        table: Read<u32>,
        steps: Read<u32>[count], count: u32,
    );
    fn ecm_pairs(
        state: Update<u32>[ECM_STATE as u64 * stride], stride: u64, modulus: Read<u32>, n0: u32,
        babies: Read<u32>,
        giants: Read<u32>[stride * end], starts: Read<u32>[end + 1], pairs: Read<u32>, first: u32,
        end: u32,
    );
}
kernels! {
    /// All else.
    pub(crate) static POINTS = "ecm_points", concat!(
        include_str!("../../modular/number.cuh"),
        include_str!("curve.cuh"),
        include_str!("points.cu")
    );

    fn ecm_begin(
        state: Write<u32>[ECM_STATE as u64 * stride], stride: u64, modulus: Read<u32>, n0: u32,
        first: u64,
    );
    fn ecm_table(
        state: Update<u32>[ECM_STATE as u64 * stride], stride: u64, modulus: Read<u32>, n0: u32,
        table: Write<u32>[4 * stride * entries], entries: u32,
    );
    fn ecm_babies(
        state: Update<u32>[ECM_STATE as u64 * stride], stride: u64, modulus: Read<u32>, n0: u32,
        table: Write<u32>[4 * stride * longest], longest: u32, babies: Write<u32>[stride * count],
        zs: Write<u32>[stride * count], gaps: Read<u32>[count], count: u32, d: u32, first: u32,
    );
    fn ecm_giants(
        state: Update<u32>[ECM_STATE as u64 * stride], stride: u64, modulus: Read<u32>, n0: u32,
        table: Read<u32>,
        babies: Update<u32>[stride * baby_count], baby_count: u32,
        giants: Write<u32>[stride * count], zs: Write<u32>[stride * count], count: u32,
    );
}

/// Maximum bits of n: not even one product of longer numbers fits in a thread's registers.
pub(super) const MOST_BITS: u64 = 2048;

/// Seconds that a kernel should take. Short kernels keep a desktop usable, and the caller can stop
/// the work between them.
const SLICE_SECONDS: f64 = 0.15;

/// Numbers of the state of a curve, X to COMMON of `curve.cuh`, and which of them the host reads
/// after each stage.
const ECM_STATE: usize = 8;
const ECM_X: usize = 0;
const ECM_PRODUCT: usize = 6;

/// The 32-bit words for a number of `bits` bits. A module is compiled for each value, so there are
/// few values.
fn words(bits: u64) -> u32 {
    let words = bits.div_ceil(32).max(2) as u32;
    words.next_multiple_of(match words {
        0..=16 => 2,
        17..=32 => 4,
        _ => 8,
    })
}

/// Every module of this folder.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let mut widths: Vec<u32> = (1..=MOST_BITS).map(words).collect();
    widths.dedup();
    let of_width = |words| of_words(words, tuning);
    widths.into_iter().flat_map(of_width).collect()
}

fn of_words(words: u32, tuning: &Tuning) -> [Unit; 2] {
    [
        Unit::new(&CHAIN, &chain_defines(tuning, words)),
        Unit::new(&POINTS, &points_defines(tuning, words)),
    ]
}

/// The kernels for a number of `bits` bits.
pub(super) fn units_of((bits, _): (u64, u64), tuning: &Tuning) -> Vec<Unit> {
    of_words(words(bits), tuning).to_vec()
}

/// The `-D` values of `curve.cuh`.
fn curve_defines() -> [(&'static str, i64); 3] {
    [
        ("ECM_STATE", ECM_STATE as i64),
        ("ECM_X", ECM_X as i64),
        ("ECM_PRODUCT", ECM_PRODUCT as i64),
    ]
}

/// The `-D` values of the loops, for numbers of `words` words.
pub(crate) fn chain_defines(tuning: &Tuning, words: u32) -> [(&'static str, i64); 6] {
    let [state, x, product] = curve_defines();
    [
        state,
        x,
        product,
        ("WORDS", words.into()),
        ("ECM_BLOCK", tuning.ecm_block.into()),
        ("ECM_CALLS", (words > tuning.ecm_inline_words).into()),
    ]
}

/// The `-D` values of all kernels except the loops, for numbers of `words` words. For these kernels
/// a short compile time is more important than speed.
pub(crate) fn points_defines(tuning: &Tuning, words: u32) -> [(&'static str, i64); 7] {
    let [state, x, product] = curve_defines();
    [
        state,
        x,
        product,
        ("WORDS", words.into()),
        ("ECM_BLOCK", tuning.ecm_block.into()),
        ("ECM_CALLS", 2),
        ("NUMBER_UNROLL", 0),
    ]
}

/// As many curves as fill the device, in few enough warps that they are soon done.
pub(super) fn preferred_count(device: &Device, n_bits: u64) -> usize {
    let tuning = Tuning::current();
    let threads = if words(n_bits) <= tuning.ecm_inline_words {
        tuning.ecm_threads
    } else {
        tuning.ecm_long_threads
    };
    (device.info().multiprocessors * threads) as usize
}

/// A group of curves.
pub(super) struct Curves {
    device: Arc<Device>,
    chain: Arc<Module>,
    points: Arc<Module>,
    words: usize,
    negative_inverse: u32,
    window: u32,
    launch: Launch,
    count: usize,
    /// Curves that there is memory for: all threads of all blocks.
    stride: usize,
    modulus: Buffer,
    state: Buffer,
    table: Buffer,
    second: Option<Second>,
    /// Units of work of the next launch of a loop, by the time that the last ones took.
    steps: Pace,
    pairs: Pace,
}

/// Stage 2: babies, giants, and room for a denominator of each.
struct Second {
    babies: Buffer,
    giants: Buffer,
    zs: Buffer,
}

struct Pace(f64);

impl Pace {
    fn units(&self) -> usize {
        self.0 as usize
    }

    fn took(&mut self, units: usize, seconds: f64) {
        let wanted = SLICE_SECONDS / seconds.max(1e-6) * units as f64;
        self.0 = wanted.clamp(1.0, 4.0 * self.0.max(units as f64));
    }
}

impl Curves {
    /// Up to `count` curves, as many as the device runs at once.
    pub(super) fn new(
        device: &Arc<Device>,
        n: &Natural,
        (b1, b2): (u64, u64),
        sigma: u64,
        count: usize,
    ) -> Result<Curves> {
        let tuning = Tuning::current();
        let words = words(n.bit_length());
        let chain = device.module(&CHAIN, &chain_defines(&tuning, words))?;
        let points = device.module(&POINTS, &points_defines(&tuning, words))?;
        let (words, block) = (words as usize, tuning.ecm_block as usize);
        let longest = Stage2::new(b1, b2).map_or(0, |stage| longest_gap(&stage));
        let entries = (1 << (tuning.ecm_window - 2)).max(longest);
        let second = Stage2::new(b1, b2).map_or(0, |stage| numbers(&stage).iter().sum());
        let room = device.info().memory_limit / 4 * 3
            / (4 * words * (ECM_STATE + 4 * entries + second)) as u64;
        let resident = chain
            .kernel(ecm_multiply)?
            .resident_blocks(tuning.ecm_block, 0)?;
        let blocks = count
            .div_ceil(block)
            .min(resident as usize)
            .min(room as usize / block)
            .max(1);
        let stride = blocks * block;
        let constants = Constants::new(n, words / 2);
        let modulus = [constants.n, constants.one, constants.square].concat();
        let room = |numbers: usize| device.alloc((numbers * words * stride).div_ceil(2));
        let curves = Curves {
            device: device.clone(),
            chain,
            points,
            words,
            negative_inverse: constants.negative_inverse as u32,
            window: tuning.ecm_window,
            launch: Launch::of(blocks as u32, tuning.ecm_block),
            count: count.min(stride),
            stride,
            modulus: device.upload(&modulus)?,
            state: room(ECM_STATE)?,
            table: room(4 * entries)?,
            second: None,
            steps: Pace(32.0),
            pairs: Pace(4096.0),
        };
        let kernel = curves.points.kernel(ecm_begin)?;
        // SAFETY: the grid's threads are `stride`; the state has 8 numbers and the modulus 3 of
        // `words` words to each.
        unsafe {
            kernel.launch(
                curves.launch,
                curves.state.write(),
                stride,
                curves.modulus.read(),
                curves.negative_inverse,
                sigma,
            )?;
        }
        Ok(curves)
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    fn upload(&self, words: &[u32]) -> Result<Buffer> {
        let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
        self.device
            .upload(&words.chunks(2).map(pair).collect::<Vec<_>>())
    }

    /// Whether a buffer has space for `numbers` numbers of each curve.
    fn holds(&self, buffer: &Buffer, numbers: usize) -> bool {
        2 * buffer.limbs() >= numbers * self.words * self.stride
    }

    /// Seconds that `work` on the device takes.
    fn timed(&self, work: impl FnOnce() -> Result<()>) -> Result<f64> {
        let start = Instant::now();
        work()?;
        self.device.synchronize()?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Numbers of a curve that stage 2 has as babies, giants and denominators.
fn numbers(stage: &Stage2) -> [usize; 3] {
    let (babies, giants) = (stage.babies.len(), stage.round_giants() as usize);
    [babies, giants, babies.max(giants)]
}

/// The longest step from one baby to the next, halved; at least 1.
fn longest_gap(stage: &Stage2) -> usize {
    let gaps = stage.babies.windows(2).map(|j| (j[1] - j[0]) / 2);
    gaps.max().unwrap_or(1) as usize
}

impl Group for Curves {
    fn multiply(&mut self, by: &Natural, keep_going: KeepGoing) -> Result<bool> {
        let entries = 1usize << (self.window - 2);
        assert!(self.holds(&self.table, 4 * entries) && self.holds(&self.state, ECM_STATE));
        let table = self.points.kernel(ecm_table)?;
        let steps = steps(by, self.window);
        let list = self.upload(&steps)?;
        // SAFETY: the state and the table have these numbers of every thread's curve, asserted
        // above.
        unsafe {
            table.launch(
                self.launch,
                self.state.update(),
                self.stride,
                self.modulus.read(),
                self.negative_inverse,
                self.table.write(),
                entries as u32,
            )?;
        }
        let kernel = self.chain.kernel(ecm_multiply)?;
        let mut done = 0;
        while done < steps.len() {
            let units = self.steps.units().min(steps.len() - done);
            let from = list.span().skip_bytes(4 * done as u64);
            // SAFETY: as above; `done + units` is at most the length of the list, whose digits are
            // odd and below 2·entries.
            let seconds = self.timed(|| unsafe {
                kernel.launch(
                    self.launch,
                    self.state.update(),
                    self.stride,
                    self.modulus.read(),
                    self.negative_inverse,
                    self.table.read(),
                    from.read(),
                    units as u32,
                )
            })?;
            self.steps.took(units, seconds);
            done += units;
            if done < steps.len() && !keep_going() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn begin(&mut self, stage: &Stage2) -> Result<()> {
        let longest = longest_gap(stage);
        let room = |numbers: usize| {
            self.device
                .alloc((numbers * self.words * self.stride).div_ceil(2))
        };
        let [babies, giants, zs] = numbers(stage);
        let second = Second {
            babies: room(babies)?,
            giants: room(giants)?,
            zs: room(zs)?,
        };
        let gaps = stage.babies.windows(2).map(|j| (j[1] - j[0]) / 2);
        let gaps: Vec<u32> = std::iter::once(0).chain(gaps).collect();
        let list = self.upload(&gaps)?;
        assert!(self.holds(&self.table, 4 * longest) && gaps.len() == babies);
        let kernel = self.points.kernel(ecm_babies)?;
        // SAFETY: the table has four numbers to each of `longest` addends, asserted above; `babies`
        // and `zs` have one to each of the babies, as many as there are gaps, none longer than
        // `longest`.
        unsafe {
            kernel.launch(
                self.launch,
                self.state.update(),
                self.stride,
                self.modulus.read(),
                self.negative_inverse,
                self.table.write(),
                longest as u32,
                second.babies.write(),
                second.zs.write(),
                list.read(),
                babies as u32,
                stage.d,
                stage.first,
            )?;
        }
        self.second = Some(second);
        Ok(())
    }

    fn round(&mut self, stage: &Stage2, round: &Round, keep_going: KeepGoing) -> Result<bool> {
        let Some(second) = &self.second else {
            return Ok(true);
        };
        let giants = round.giants as usize;
        assert!(self.holds(&second.babies, stage.babies.len()));
        assert!(self.holds(&second.giants, giants) && self.holds(&second.zs, giants));
        let kernel = self.points.kernel(ecm_giants)?;
        // SAFETY: babies, giants and denominators are as many as their buffers hold, asserted
        // above; the table's first addend is D·Q's.
        unsafe {
            kernel.launch(
                self.launch,
                self.state.update(),
                self.stride,
                self.modulus.read(),
                self.negative_inverse,
                self.table.read(),
                second.babies.update(),
                stage.babies.len() as u32,
                second.giants.write(),
                second.zs.write(),
                round.giants,
            )?;
        }
        let (starts, pairs) = (self.upload(&round.starts)?, self.upload(&round.pairs)?);
        assert!(round.starts.len() == giants + 1);
        assert!(round.starts[giants] as usize + 1 == round.pairs.len());
        let kernel = self.chain.kernel(ecm_pairs)?;
        let mut done = 0;
        while done < giants {
            let least = round.starts[done] + self.pairs.units() as u32;
            let more = round.starts[done + 1..=giants].partition_point(|start| *start < least);
            let end = (done + more.max(1)).min(giants);
            // SAFETY: as above; giants from `done` to `end` have their pairs, and one more is there
            // to be loaded, asserted above.
            let seconds = self.timed(|| unsafe {
                kernel.launch(
                    self.launch,
                    self.state.update(),
                    self.stride,
                    self.modulus.read(),
                    self.negative_inverse,
                    second.babies.read(),
                    second.giants.read(),
                    starts.read(),
                    pairs.read(),
                    done as u32,
                    end as u32,
                )
            })?;
            let units = round.starts[end] - round.starts[done];
            self.pairs.took(units.max(1) as usize, seconds);
            done = end;
            if done < giants && !keep_going() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn residues(&self, stage: u8) -> Result<(usize, Vec<u64>)> {
        let number = if stage == 1 { ECM_X } else { ECM_PRODUCT };
        let size = self.words * self.stride;
        let mut words = vec![0; size.div_ceil(2)];
        self.device
            .download(&self.state, number * size / 2, &mut words)?;
        let word = |i: usize, curve: usize| {
            let at = i * self.stride + curve;
            words[at / 2] >> (32 * (at % 2)) & 0xffff_ffff
        };
        let limb = |at: usize| {
            let (curve, limb) = (at / (self.words / 2), at % (self.words / 2));
            word(2 * limb, curve) | word(2 * limb + 1, curve) << 32
        };
        let limbs = self.words / 2;
        Ok((limbs, (0..self.count * limbs).map(limb).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_few_and_long_enough() {
        let all: std::collections::BTreeSet<u32> = (1..=MOST_BITS).map(words).collect();
        assert!(all.len() <= 16 && all.iter().all(|words| words % 2 == 0));
        assert!((1..=MOST_BITS).all(|bits| u64::from(words(bits)) * 32 >= bits));
        assert_eq!((words(192), words(193), words(2048)), (6, 8, 64));
    }
}
