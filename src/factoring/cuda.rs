//! Numbers of at most 128 bits on a device: wrappers around `many.cu`.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::plan::{self, CurvePlan, Step};
use super::small::FIRST_SIGMA;
use crate::cuda::{Buffer, Device, Launch, Module, Read, Span, Unit, Update, Write, kernels};
use crate::error::{Error, Result};
use crate::progress;
use crate::tuning::Tuning;

kernels! {
    pub(crate) static MANY = "factor_many", concat!(
        include_str!("ring.cuh"),
        include_str!("many.cu")
    );

    fn factor_many_curves(
        values: Read<u64>[items], items: u32, replicas: u32, sigma: u64,
        steps: Read<u64>[step_count.div_ceil(8)], step_count: u32, pairs: Read<u32>[giants],
        giants: u32, found: Write<u64>[items], claims: Update<u32>[items],
    );
    fn factor_many_sort(
        values: Read<u64>[most], places: Read<u32>[most], most: u32, count: Option<Read<u32>>[1],
        stride: u32, primes: Write<u64>[stride], taken: Update<u32>[stride], composites: Write<u64>,
        composite_places: Write<u32>, state: Update<u32>[3],
    );
    fn factor_many_split(
        values: Read<u64>[items], places: Read<u32>[items], items: u32, found: Read<u64>[items],
        claims: Update<u32>[items], pieces: Write<u64>[2 * items],
        piece_places: Write<u32>[2 * items], composites: Write<u64>, composite_places: Write<u32>,
        state: Update<u32>[3],
    );
}

/// The maximum number of primes above the trial bound of 2^9 that a number of one word or of two
/// words can have, and the maximum number of composites among its divisors at one time.
const MOST_PRIMES: [usize; 2] = [7, 14];
const MOST_OPEN: [usize; 2] = [3, 7];

/// Curves of one number after which something must be wrong: any composite below 2^128 falls to far
/// fewer.
const MOST_CURVES: u64 = 1 << 20;

/// Every module of this file.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    [1, 2]
        .map(|words| Unit::new(&MANY, &defines(tuning, words)))
        .to_vec()
}

pub(crate) fn defines(tuning: &Tuning, words: usize) -> [(&'static str, i64); 3] {
    [
        ("WORDS", words as i64),
        ("FACTOR_BLOCK", tuning.factor_block.into()),
        ("FACTOR_RESIDENT", tuning.factor_resident.into()),
    ]
}

/// The primes of each of a list of numbers. Row k has the k-th prime of each number, or 0 if it has
/// fewer.
pub(super) struct Primes {
    pub(super) rows: Vec<u64>,
    pub(super) words: usize,
    count: usize,
}

impl Primes {
    /// The primes of one number.
    pub(super) fn of(&self, place: usize) -> impl Iterator<Item = u128> {
        let rows = self.rows.chunks_exact(self.count * self.words);
        rows.map(move |row| {
            let limbs = &row[place * self.words..][..self.words];
            limbs
                .iter()
                .rev()
                .fold(0, |sum, limb| sum << 64 | u128::from(*limb))
        })
        .take_while(|prime| *prime != 0)
    }
}

/// Numbers with their places: `count` of them, of `words` limbs, places in pairs of 32 bits.
struct Items {
    values: Buffer,
    places: Buffer,
    count: u32,
}

/// Splits numbers into primes. The numbers are above 1, have at most 64·words bits and no factor
/// below the trial bound, and the longest has `bits` bits. Primes above 2^64 are only strong
/// probable primes to the base 2.
pub(super) fn primes(
    device: &Arc<Device>,
    numbers: &[u64],
    words: usize,
    bits: u32,
) -> Result<Primes> {
    assert!(matches!(words, 1 | 2) && numbers.len().is_multiple_of(words));
    let count = numbers.len() / words;
    let most = count * MOST_OPEN[words - 1];
    if count == 0 || u32::try_from(count * MOST_PRIMES[words - 1]).is_err() {
        return Err(Error::Domain(format!("{count} numbers at a time")));
    }
    let tuning = Tuning::in_force();
    let module = device.module(&MANY, &defines(tuning, words))?;
    let rows = device.alloc(count * words * MOST_PRIMES[words - 1])?;
    let taken = device.alloc(count.div_ceil(2))?;
    device.zero(&rows, 0, rows.limbs())?;
    device.zero(&taken, 0, taken.limbs())?;
    let (found, claims) = (device.alloc(most * words)?, device.alloc(most.div_ceil(2))?);
    device.zero(&claims, 0, claims.limbs())?;
    let places: Vec<u64> = (0..count as u64)
        .step_by(2)
        .map(|place| (place + 1) << 32 | place)
        .collect();
    let many = ManyFactors {
        device,
        module,
        words,
        block: tuning.factor_block,
        count,
        rows,
        taken,
        found,
        claims,
        pieces: Items::new(device, 2 * most, words)?,
        state: device.alloc(2)?,
    };
    let all = Items {
        values: device.upload(numbers)?,
        places: device.upload(&places)?,
        count: count as u32,
    };
    let (mut items, mut next) = (
        Items::new(device, most, words)?,
        Items::new(device, most, words)?,
    );
    many.begin_round()?;
    many.sort_primes_out(&all, None, &next)?;
    let mut depth = many.end_round(&mut next)?;
    drop(all);
    let mut curve = 0;
    while next.count > 0 {
        progress::check()?;
        std::mem::swap(&mut items, &mut next);
        let level = plan::level(bits, curve);
        curve += many.curves(&items, level, FIRST_SIGMA + curve)?;
        many.begin_round()?;
        many.split(&items, &next)?;
        let pieces = many.state.skip_limbs(1);
        many.sort_primes_out(&many.pieces, Some((2 * items.count, pieces)), &next)?;
        depth = depth.max(many.end_round(&mut next)?);
        if curve > MOST_CURVES {
            return Err(Error::Verification(format!(
                "{} numbers withstood {curve} curves",
                next.count
            )));
        }
    }
    let mut rows = vec![0; depth * count * words];
    device.download(&many.rows, 0, &mut rows)?;
    Ok(Primes { rows, words, count })
}

impl Items {
    /// Allocates space for `most` items.
    fn new(device: &Arc<Device>, most: usize, words: usize) -> Result<Items> {
        Ok(Items {
            values: device.alloc(most * words)?,
            places: device.alloc(most.div_ceil(2))?,
            count: 0,
        })
    }

    /// Whether there is space for `count` items.
    fn holds(&self, count: usize, words: usize) -> bool {
        self.values.limbs() >= count * words && 2 * self.places.limbs() >= count
    }
}

/// The data that the launches for one list of numbers share.
struct ManyFactors<'a> {
    device: &'a Arc<Device>,
    module: Arc<Module>,
    words: usize,
    block: u32,
    /// Numbers in the list.
    count: usize,
    rows: Buffer,
    taken: Buffer,
    found: Buffer,
    claims: Buffer,
    pieces: Items,
    /// The maximum number of primes of a number in this round, and the numbers of composites and
    /// pieces so far, as in the kernels.
    state: Buffer,
}

impl ManyFactors<'_> {
    fn begin_round(&self) -> Result<()> {
        self.device.zero(&self.state, 0, 2)
    }

    /// Returns the maximum number of primes of any number that got some in this round, and sets the
    /// length of `next`.
    fn end_round(&self, next: &mut Items) -> Result<usize> {
        let mut state = [0];
        self.device.download(&self.state, 0, &mut state)?;
        next.count = (state[0] >> 32) as u32;
        Ok(state[0] as u32 as usize)
    }

    /// Sorts items into primes, which go to the rows, and composites, which are appended to `next`.
    /// `pieces` is the maximum number of items and the place of their number, unless the items have
    /// it.
    fn sort_primes_out(
        &self,
        items: &Items,
        pieces: Option<(u32, Span)>,
        next: &Items,
    ) -> Result<()> {
        let most = pieces.map_or(items.count, |(most, _)| most);
        let count = pieces.map(|(_, count)| count.read());
        assert!(items.holds(most as usize, self.words));
        assert!(next.holds(self.count * MOST_OPEN[self.words - 1], self.words));
        let kernel = self.module.kernel(factor_many_sort)?;
        // SAFETY: lists hold their items (asserted above). A number has at most MOST_PRIMES prime
        // divisors above the trial bound, and its parts that are composite at a time are at most
        // MOST_OPEN, so the rows and the next list hold all.
        unsafe {
            kernel.launch(
                Launch::of(most.div_ceil(self.block), self.block),
                items.values.read(),
                items.places.read(),
                most,
                count,
                self.count as u32,
                self.rows.write(),
                self.taken.update(),
                next.values.write(),
                next.places.write(),
                self.state.update(),
            )
        }
    }

    /// Takes items apart into pieces; those without a divisor begin `next`.
    fn split(&self, items: &Items, next: &Items) -> Result<()> {
        let (count, words) = (items.count as usize, self.words);
        assert!(items.holds(count, words) && self.pieces.holds(2 * count, words));
        assert!(next.holds(self.count * MOST_OPEN[words - 1], words));
        assert!(self.found.limbs() >= count * words && 2 * self.claims.limbs() >= count);
        let kernel = self.module.kernel(factor_many_split)?;
        // SAFETY: lists, divisors and claims hold the items, the pieces twice as many (asserted
        // above).
        unsafe {
            kernel.launch(
                Launch::of(items.count.div_ceil(self.block), self.block),
                items.values.read(),
                items.places.read(),
                items.count,
                self.found.read(),
                self.claims.update(),
                self.pieces.values.write(),
                self.pieces.places.write(),
                next.values.write(),
                next.places.write(),
                self.state.update(),
            )
        }
    }

    /// Runs curves of a level from sigma on over all items: one each where they fill the device,
    /// else several. Gives how many.
    fn curves(&self, items: &Items, level: usize, sigma: u64) -> Result<u64> {
        let plan = plan::plan(level);
        let steps = self
            .device
            .constants("factor_steps", level as u64, || packed_steps(plan))?;
        let pairs = self
            .device
            .constants("factor_pairs", level as u64, || packed_pairs(plan))?;
        let kernel = self.module.kernel(factor_many_curves)?;
        let threads = kernel.resident_blocks(self.block, 0)? * self.block;
        let replicas = (threads / items.count).max(1);
        let blocks = (items.count * replicas).div_ceil(self.block);
        assert!(8 * steps.limbs() >= plan.steps.len() && 2 * pairs.limbs() >= plan.pairs.len());
        assert!(self.found.limbs() >= items.count as usize * self.words);
        assert!(2 * self.claims.limbs() >= items.count as usize);
        // SAFETY: the tables hold what the plan counts, divisors and claims have a place for each
        // item (asserted above).
        unsafe {
            kernel.launch(
                Launch::of(blocks, self.block),
                items.values.read(),
                items.count,
                replicas,
                sigma,
                steps.read(),
                plan.steps.len() as u32,
                pairs.read(),
                plan.pairs.len() as u32,
                self.found.write(),
                self.claims.update(),
            )?;
        }
        Ok(replicas.into())
    }
}

fn packed_steps(plan: &CurvePlan) -> Vec<u64> {
    let word = |steps: &[Step]| {
        steps
            .iter()
            .rev()
            .fold(0, |word, step| word << 8 | *step as u64)
    };
    plan.steps.chunks(8).map(word).collect()
}

fn packed_pairs(plan: &CurvePlan) -> Vec<u64> {
    let word =
        |pairs: &[u32]| u64::from(pairs[0]) | u64::from(pairs.get(1).copied().unwrap_or(0)) << 32;
    plan.pairs.chunks(2).map(word).collect()
}
