//! Upper bounds of magnitudes: a mantissa and an exponent, every operation rounded up.
//!
//! A product of doubles is off by at most one part in 2^53, a sum likewise, so that a result times
//! 1 + 2^-51 is never below the exact one. The exponent is separate because the magnitudes have
//! millions of bits.

use crate::error::Result;
use crate::limbs::{self, Resident};

const UP: f64 = 1.0 + 1.0 / (1u64 << 51) as f64;

/// mantissa·2^exponent, the mantissa in [1, 2) or 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bound {
    mantissa: f64,
    exponent: i64,
}

impl Bound {
    pub(crate) const ZERO: Bound = Bound {
        mantissa: 0.0,
        exponent: 0,
    };

    /// 2^bits.
    pub(crate) fn power(bits: u64) -> Bound {
        Bound {
            mantissa: 1.0,
            exponent: bits as i64,
        }
    }

    /// An upper bound of the number of these limbs, least significant first.
    pub(crate) fn above(limbs: &[u64]) -> Bound {
        let Some(top) = limbs.iter().rposition(|limb| *limb != 0) else {
            return Bound::ZERO;
        };
        let high =
            u128::from(limbs[top]) << 64 | u128::from(if top > 0 { limbs[top - 1] } else { 0 });
        // The conversion rounds to nearest, and the limbs below the two leading ones are less than
        // one part in 2^64 of them.
        Bound::of(high as f64 * UP, 64 * (top as i64 - 1))
    }

    /// A lower bound of the number of these limbs, which must not be 0.
    pub(crate) fn below(limbs: &[u64]) -> Bound {
        let Bound { mantissa, exponent } = Bound::above(limbs);
        Bound::of(mantissa / (UP * UP * UP), exponent)
    }

    /// mantissa·2^exponent for any mantissa that is not negative.
    fn of(mantissa: f64, exponent: i64) -> Bound {
        if mantissa == 0.0 {
            return Bound::ZERO;
        }
        let shift = i64::from((mantissa.to_bits() >> 52) as u32) - 1023;
        Bound {
            mantissa: f64::from_bits(mantissa.to_bits() & ((1 << 52) - 1) | 1023 << 52),
            exponent: exponent + shift,
        }
    }

    /// An upper bound of the product.
    pub(crate) fn times(self, other: Bound) -> Bound {
        Bound::of(
            self.mantissa * other.mantissa * UP,
            self.exponent + other.exponent,
        )
    }

    /// An upper bound of the sum.
    pub(crate) fn plus(self, other: Bound) -> Bound {
        let (big, small) = if self.is_less(other) {
            (other, self)
        } else {
            (self, other)
        };
        // Far below the last bit of the larger one, the rounding covers the smaller one too.
        let apart = (big.exponent - small.exponent).min(60) as i32;
        Bound::of(
            (big.mantissa + small.mantissa * 0.5f64.powi(apart)) * UP,
            big.exponent,
        )
    }

    /// The quotient by a lower bound of the divisor.
    pub(crate) fn over(self, divisor: Bound) -> Bound {
        Bound::of(
            self.mantissa / divisor.mantissa * UP,
            self.exponent - divisor.exponent,
        )
    }

    /// Whether this bound is below the other one.
    pub(crate) fn is_less(self, other: Bound) -> bool {
        match (self.mantissa == 0.0, other.mantissa == 0.0) {
            (_, true) => false,
            (true, false) => true,
            _ => (self.exponent, self.mantissa) < (other.exponent, other.mantissa),
        }
    }

    /// Whether an integer of at most this magnitude can only be 0.
    pub(crate) fn is_below_one(self) -> bool {
        self.mantissa == 0.0 || self.exponent < 0
    }

    /// Bits of an integer of at most this magnitude.
    pub(crate) fn bits(self) -> u64 {
        if self.is_below_one() {
            0
        } else {
            self.exponent as u64 + 1
        }
    }

    /// Its approximate logarithm to base 2, for choices that affect only speed.
    pub(crate) fn log2(self) -> f64 {
        self.exponent as f64 + self.mantissa.log2()
    }

    /// The mantissa and the exponent, for estimates.
    pub(crate) fn parts(self) -> (f64, i64) {
        (self.mantissa, self.exponent)
    }
}

/// Bounds of |U| and |V|, the first not below the second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OperandBounds {
    pub(crate) u: Bound,
    pub(crate) v: Bound,
}

impl OperandBounds {
    /// Powers of two above a > b > 0.
    pub(crate) fn by_size(a: &Resident, b: &Resident) -> Result<OperandBounds> {
        let bound = |x: &Resident| Ok(Bound::power(limbs::size(x)?.1));
        Ok(OperandBounds {
            u: bound(a)?,
            v: bound(b)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold() {
        let big = Bound::above(&[u64::MAX, u64::MAX, 1]);
        assert_eq!(big.bits(), 130);
        assert!(Bound::below(&[u64::MAX, u64::MAX, 1]).is_less(big));
        assert!(!big.is_below_one() && Bound::ZERO.is_below_one());
        assert_eq!(Bound::power(7).plus(Bound::ZERO).bits(), 8);
        let half = Bound::power(0).over(Bound::above(&[2]));
        assert!(half.is_below_one());
        let third = Bound::power(0).over(Bound::below(&[3]));
        let sum = third.plus(third).plus(third);
        assert!(!sum.is_below_one() && sum.log2() < 1e-12);
        assert!(third.times(Bound::above(&[3])).log2() >= 0.0);
    }
}
