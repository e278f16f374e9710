//! How rows are shared out to threads, and the primes of trial division: what both engines agree
//! on.

use crate::error::{Error, Result};
use crate::modp::words;
use crate::tuning::Tuning;

/// Maximum limbs of a row.
pub(crate) const MOST_LIMBS: usize = 512;
/// Trial division goes up to this bound.
pub(super) const MOST_BOUND: u64 = 1 << 24;
/// Bits of a limb of the greatest common divisor.
const STEP_BITS: usize = 30;
/// Bits that its numbers need beyond a row: a sign, and cofactors of up to 2^12 moduli.
const STEP_ROOM: usize = 16;

/// Lanes that share a row, and what each has of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) lanes: usize,
    pub(super) part: usize,
}

impl Share {
    /// `needed` items on as few lanes as have at most `most` each, or on a warp.
    fn of(needed: usize, most: usize) -> Share {
        let mut lanes = 1;
        while lanes < 32 && needed > lanes * most {
            lanes *= 2;
        }
        let part = needed.div_ceil(lanes);
        // A few sizes serve all widths, so that few modules are compiled.
        let step = match part {
            0..=4 => 2,
            5..=40 => 4,
            _ => 8,
        };
        let part = part.next_multiple_of(step);
        Share { lanes, part }
    }

    /// 32-bit words of a row of `width` limbs.
    pub(super) fn words(tuning: &Tuning, width: usize) -> Share {
        Share::of(2 * width, tuning.batch_words as usize)
    }

    /// 32-bit words of a row of `width` limbs, for plain products.
    pub(super) fn factors(tuning: &Tuning, width: usize) -> Share {
        Share::of(2 * width, tuning.batch_mul_words as usize)
    }

    /// 30-bit limbs of one in a greatest common divisor.
    pub(super) fn steps(tuning: &Tuning, width: usize) -> Share {
        let needed = (64 * width + STEP_ROOM).div_ceil(STEP_BITS);
        Share::of(needed, tuning.batch_gcd_limbs as usize)
    }
}

/// Refuses rows that arithmetic does not take.
pub(super) fn check_width(width: usize) -> Result<()> {
    if width <= MOST_LIMBS {
        Ok(())
    } else {
        Err(Error::Domain(format!(
            "rows of {} bits: arithmetic on rows takes at most {}",
            64 * width,
            64 * MOST_LIMBS
        )))
    }
}

/// The odd primes below `bound`.
pub(super) fn odd_primes(bound: u64) -> Result<Vec<u32>> {
    if bound > MOST_BOUND {
        return Err(Error::Domain(format!(
            "trial division below {bound}: the bound is at most 2^{}",
            MOST_BOUND.ilog2()
        )));
    }
    let primes = words::up_to(bound.saturating_sub(1));
    Ok(primes.into_iter().skip(1).map(|p| p as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_has_room() {
        for tuning in [Tuning::DEFAULT, Tuning::MINIMAL] {
            for width in 1..=MOST_LIMBS {
                let words = Share::words(&tuning, width);
                let steps = Share::steps(&tuning, width);
                assert!(words.lanes * words.part >= 2 * width && words.part.is_multiple_of(2));
                assert!(30 * steps.lanes * steps.part >= 64 * width + STEP_ROOM);
                assert_eq!(Share::factors(&tuning, width).part % 2, 0);
                assert!(words.lanes <= 32 && words.part <= 64 && steps.part <= 72);
            }
        }
        assert_eq!(
            Share::words(&Tuning::DEFAULT, 16),
            Share { lanes: 1, part: 32 }
        );
    }
}
