//! Number to digits on the CPU: halves of the binary number, put together in the base of the
//! digits.
//!
//! Let B be the radix to the number of digits that fit a limb. A number v = h·2^s + l has in base B
//! the digits of h times those of 2^s, plus those of l. Products in base B are as fast as binary
//! ones (`ntt::cpu`), so this is how text is read, with the two bases exchanged: no division, no
//! reciprocal, and nothing to round.
//!
//! Each power is the square of the previous one. The transform that multiplies by a power also
//! computes its square.

use super::plan::{self, Radix};
use crate::error::Result;
use crate::ntt::cpu::{Base, HostPlan, Level, Prepared};
use crate::progress::{self, Stage};
use crate::tuning::Tuning;
use crate::word::radix::{Chunks, chunk_to_text};
use crate::{mul, threads, verify};

/// Limbs whose text one thread writes.
const TEXT_LIMBS: usize = 1 << 11;

/// Digits of v > 0, most significant first, without leading zeros. None if transforms are slower
/// than other products, as without vector instructions, or if no product is long enough.
pub(super) fn to_digits(v: &[u64], radix: Radix) -> Result<Option<Vec<u8>>> {
    let tuning = Tuning::current();
    let most = tuning.radix_print_limbs.max(1);
    let levels = v.len().div_ceil(most).next_power_of_two().ilog2();
    let leaf = v.len().div_ceil(1 << levels);
    // A chunk has more than 58 bits.
    let longest = 64 * (leaf << levels) / 58 + 1;
    let plan = HostPlan::for_base(longest, longest, radix.chunk_power, &tuning);
    if plan.is_none() || Level::best() == Level::Portable {
        return Ok(None);
    }
    mul::check_product("printing", 64 * v.len() as u64)?;
    let len = v.len() as u64;
    // The powers take as long as a level and a half.
    progress::stage("printing", len * (4 + u64::from(levels)), |stage| {
        let powers = stage.step(2 * len, || Powers::new(radix, leaf, levels as usize))?;
        let printer = Printer {
            stage,
            leaves: Chunks::new(radix.radix as u32, leaf),
            leaf,
            powers,
        };
        let chunks = printer.node(v, levels as usize)?;
        verify::digits("printing", v, &chunks, radix.chunk_power)?;
        let text = text(&chunks, radix);
        stage.advance(len)?;
        Ok(Some(text))
    })
}

/// The powers 2^(64·leaf·2^j) in base B, transformed.
struct Powers {
    base: Base,
    /// Chunks of each power, which hold all smaller numbers too.
    lengths: Vec<usize>,
    transforms: Vec<Prepared>,
}

impl Powers {
    fn new(radix: Radix, leaf: usize, levels: usize) -> Result<Powers> {
        let tuning = Tuning::current();
        let base = Base::new(radix.chunk_power);
        let mut power = vec![0; leaf];
        power.push(1);
        let mut power = Chunks::new(radix.radix as u32, leaf + 1).of(&power);
        let mut powers = Powers {
            base,
            lengths: Vec::with_capacity(levels),
            transforms: Vec::with_capacity(levels),
        };
        for level in 0..levels {
            progress::check()?;
            let len = power
                .iter()
                .rposition(|chunk| *chunk != 0)
                .map_or(0, |at| at + 1);
            let plan = HostPlan::for_base(len, len, radix.chunk_power, &tuning);
            let plan = plan.expect("a longer one has a plan");
            let transform = Prepared::new(Level::best(), plan, &power[..len]);
            if level + 1 < levels {
                power = transform.square_in(&powers.base);
            }
            powers.lengths.push(len);
            powers.transforms.push(transform);
        }
        Ok(powers)
    }
}

struct Printer<'a> {
    stage: &'a Stage,
    leaves: Chunks,
    /// Limbs of a leaf.
    leaf: usize,
    powers: Powers,
}

impl Printer<'_> {
    /// The chunks of v, least significant first, with leading zeros or without; v has at most
    /// leaf·2^level limbs.
    fn node(&self, v: &[u64], level: usize) -> Result<Vec<u64>> {
        if v.len() <= self.leaf {
            let chunks = self.leaves.of(v);
            self.stage.advance(v.len() as u64)?;
            return Ok(chunks);
        }
        let half = self.leaf << (level - 1);
        if v.len() <= half {
            return self.node(v, level - 1);
        }
        let (below, above) = v.split_at(half);
        let (lower, upper) = plan::join(
            64 * v.len() as u64,
            || self.node(below, level - 1),
            || self.node(above, level - 1),
        );
        let (lower, upper) = (lower?, upper?);
        let Powers {
            base,
            lengths,
            transforms,
        } = &self.powers;
        // Both halves are below the power, so they have at most that many chunks.
        let len = lengths[level - 1];
        let mut chunks = transforms[level - 1].mul_in(base, &upper[..upper.len().min(len)]);
        let over = base.add(&mut chunks, &lower[..lower.len().min(len)]);
        debug_assert!(!over);
        self.stage.advance(v.len() as u64)?;
        Ok(chunks)
    }
}

/// The text of the chunks, least significant first, of a number above 0.
fn text(chunks: &[u64], radix: Radix) -> Vec<u8> {
    let len = chunks.iter().rposition(|chunk| *chunk != 0).unwrap_or(0);
    let (below, top) = (&chunks[..len], chunks[len]);
    let first = top.checked_ilog(radix.radix).unwrap_or(0) as usize + 1;
    let mut text = vec![0; first + len * radix.chunk];
    let (start, rest) = text.split_at_mut(first);
    chunk_to_text(start, top, radix.radix as u32);
    threads::chunks_mut(rest, TEXT_LIMBS * radix.chunk, 1, |i, part| {
        let from = below.len() - i * TEXT_LIMBS;
        let chunks = below[..from].iter().rev();
        for (place, chunk) in part.chunks_exact_mut(radix.chunk).zip(chunks) {
            chunk_to_text(place, *chunk, radix.radix as u32);
        }
    });
    text
}
