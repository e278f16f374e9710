//! How a conversion is divided into halves: the part that printing and parsing share.

use crate::number::Integer;

use super::cuda;
use crate::engine::{self, Engine, Work};
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::mul;
use crate::tuning::Tuning;

/// Bits that fractions carry beyond those of their digits.
pub(super) const GUARD: u64 = 62;
/// Halves of shorter numbers are converted one after the other.
const JOIN_BITS: u64 = 1 << 15;
/// Bits of a power that its scale is computed from.
const SCALE_BITS: u64 = 192;

/// A radix that is no power of two: 2^twos times an odd number.
#[derive(Clone, Copy)]
pub(super) struct Radix {
    pub(super) radix: u64,
    pub(super) odd: u64,
    pub(super) twos: u64,
    /// The maximum number of digits that always fit in a limb, and the radix to that power.
    pub(super) chunk: usize,
    pub(super) chunk_power: u64,
}

impl Radix {
    pub(super) fn new(radix: u32) -> Radix {
        let radix = u64::from(radix);
        let twos = u64::from(radix.trailing_zeros());
        let chunk = u64::MAX.ilog(radix) as usize;
        Radix {
            radix,
            odd: radix >> twos,
            twos,
            chunk,
            chunk_power: radix.pow(chunk as u32),
        }
    }

    /// The number of halvings of `digits` digits down to leaves of at most `leaf_chunks` chunks.
    pub(super) fn levels(self, digits: usize, leaf_chunks: usize) -> u64 {
        let most = self.chunk * leaf_chunks.max(1);
        digits.div_ceil(most).next_power_of_two().ilog2().into()
    }

    /// Digits that hold every number of this many bits.
    pub(super) fn digits_for(self, bits: u64) -> usize {
        let digits = bits as f64 / (self.radix as f64).log2();
        // The quotient is right to a few parts in 2^52.
        (digits * (1.0 + 2f64.powi(-40))) as usize + 1
    }
}

/// A power of the odd part of the radix: radix^digits = odd^digits · 2^(twos·digits).
pub(super) struct Power {
    pub(super) digits: usize,
    pub(super) odd: Resident,
    /// Bits of `odd`.
    pub(super) bits: u64,
    /// Trailing zero bits of the whole power.
    pub(super) zeros: u64,
}

impl Power {
    fn new(radix: Radix, digits: usize, odd: Resident) -> Result<Power> {
        Ok(Power {
            digits,
            bits: limbs::size(&odd)?.1,
            odd,
            zeros: radix.twos * digits as u64,
        })
    }

    /// Bits after the point of a fraction with this many digits: 2^precision / radix^digits is
    /// between 2^GUARD and 2^(GUARD + 1).
    pub(super) fn precision(&self) -> u64 {
        self.bits + self.zeros + GUARD
    }

    /// 2^precision / radix^digits, at most 1 too small or too large.
    pub(super) fn scale(&self) -> Result<u64> {
        let cut = self.bits.saturating_sub(SCALE_BITS);
        let top = limbs::shr(&self.odd, cut)?;
        let quotient = (Integer::ONE << (self.bits - cut + GUARD)) / top.host()?;
        Ok(u64::try_from(&quotient).unwrap_or(u64::MAX))
    }
}

/// A conversion of up to leaf·2^levels digits: halves down to leaves, and the powers between them.
pub(super) struct ConversionPlan {
    pub(super) radix: Radix,
    /// Digits of a leaf, a multiple of `radix.chunk`.
    pub(super) leaf: usize,
    /// powers[j] has leaf·2^j digits.
    pub(super) powers: Vec<Power>,
}

impl ConversionPlan {
    /// The plan for this many digits, in leaves of at most `leaf_chunks` chunks, with the powers of
    /// leaf·2^j digits for j below the number of halvings, and one more power if `whole`.
    pub(super) fn new(
        radix: Radix,
        digits: usize,
        leaf_chunks: usize,
        whole: bool,
    ) -> Result<ConversionPlan> {
        let levels = radix.levels(digits, leaf_chunks);
        let leaf = digits.div_ceil(1 << levels).next_multiple_of(radix.chunk);
        let count = levels as usize + usize::from(whole);
        let mut powers: Vec<Power> = Vec::with_capacity(count);
        while powers.len() < count {
            let (digits, odd) = match powers.last() {
                None => {
                    let odd = Resident::from(Integer::from(radix.odd));
                    let power = Engine::Cpu.scope(|| mul::pow(&odd, leaf as u64))?;
                    (leaf, power)
                }
                Some(last) => (
                    2 * last.digits,
                    on_cpu_if_short(2 * last.bits, || mul::square(&last.odd))?,
                ),
            };
            powers.push(Power::new(radix, digits, odd)?);
        }
        Ok(ConversionPlan {
            radix,
            leaf,
            powers,
        })
    }
}

/// Both halves of a number of this many bits: on two threads where waking one costs less than it
/// brings.
pub(super) fn join<A: Send, B: Send>(
    bits: u64,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if bits < JOIN_BITS {
        (first(), second())
    } else {
        engine::join(first, second)
    }
}

/// Runs work on numbers of this many bits where that suits their length.
/// Conversions by the kernels of this folder and products.
pub(super) fn work_of(work: Work) -> Work {
    work.needing(cuda::needed, (work.size(), 0))
}

pub(super) fn on_cpu_if_short<T>(bits: u64, work: impl FnOnce() -> T) -> T {
    engine::on_cpu_if_short(bits, Tuning::current().radix_device_limbs, work)
}
