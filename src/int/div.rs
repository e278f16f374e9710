//! Division of [`Int`]s, with every rounding.

use super::{Int, must, wrap};
use crate::div::{self, Rounding};
use crate::error::{Error, Result};
use crate::limbs;
use crate::number::Integer;

impl Int {
    /// self / other rounded towards zero.
    pub fn try_div(&self, other: &Int) -> Result<Int> {
        wrap(div::quotient(&self.limbs, &other.limbs))
    }

    /// The remainder of [`Int::try_div`], which has the sign of `self`.
    pub fn try_rem(&self, other: &Int) -> Result<Int> {
        wrap(div::remainder(&self.limbs, &other.limbs))
    }

    /// Quotient rounded towards zero, and the remainder, which has the sign of `self`.
    ///
    /// ```
    /// use bezout::{Error, Int};
    /// let (q, r) = Int::from(-7).div_rem(&Int::from(2));
    /// assert_eq!((q, r), (Int::from(-3), Int::from(-1)));
    /// assert_eq!(Int::ONE.try_div_rem(&Int::ZERO), Err(Error::DivisionByZero));
    /// ```
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn div_rem(&self, other: &Int) -> (Int, Int) {
        if let (Some(x), Some(y)) = (self.limbs.inline(), other.limbs.short())
            && !y.is_zero()
        {
            let (quotient, remainder) = x.div_rem(y);
            return (Int::from(quotient), Int::from(remainder));
        }
        must(self.try_div_rem(other))
    }

    /// [`Int::div_rem`], or an error if `other` is 0.
    pub fn try_div_rem(&self, other: &Int) -> Result<(Int, Int)> {
        self.divide(other, Rounding::Truncate)
    }

    /// Quotient rounded down, and the remainder, which has the sign of `other`.
    ///
    /// ```
    /// # use bezout::Int;
    /// let (q, r) = Int::from(-7).div_rem_floor(&Int::from(2));
    /// assert_eq!((q, r), (Int::from(-4), Int::from(1)));
    /// ```
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn div_rem_floor(&self, other: &Int) -> (Int, Int) {
        must(self.try_div_rem_floor(other))
    }

    /// [`Int::div_rem_floor`], or an error if `other` is 0.
    pub fn try_div_rem_floor(&self, other: &Int) -> Result<(Int, Int)> {
        self.divide(other, Rounding::Floor)
    }

    /// Quotient rounded up, and the remainder, which is 0 or has the sign opposite to `other`.
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn div_rem_ceil(&self, other: &Int) -> (Int, Int) {
        must(self.try_div_rem_ceil(other))
    }

    /// [`Int::div_rem_ceil`], or an error if `other` is 0.
    pub fn try_div_rem_ceil(&self, other: &Int) -> Result<(Int, Int)> {
        self.divide(other, Rounding::Ceiling)
    }

    /// The quotient that leaves a remainder from 0 to |other| − 1, and that remainder.
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn div_rem_euclid(&self, other: &Int) -> (Int, Int) {
        must(self.try_div_rem_euclid(other))
    }

    /// [`Int::div_rem_euclid`], or an error if `other` is 0.
    pub fn try_div_rem_euclid(&self, other: &Int) -> Result<(Int, Int)> {
        self.divide(other, Rounding::Euclid)
    }

    /// self / other rounded down.
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn div_floor(&self, other: &Int) -> Int {
        must(self.try_div_floor(other))
    }

    /// self / other rounded down, or an error if `other` is 0.
    pub fn try_div_floor(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_floor(other)?.0)
    }

    /// self / other rounded up.
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn div_ceil(&self, other: &Int) -> Int {
        must(self.try_div_ceil(other))
    }

    /// self / other rounded up, or an error if `other` is 0.
    pub fn try_div_ceil(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_ceil(other)?.0)
    }

    /// The quotient that leaves a remainder from 0 to |other| − 1.
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn div_euclid(&self, other: &Int) -> Int {
        must(self.try_div_euclid(other))
    }

    /// [`Int::div_euclid`], or an error if `other` is 0.
    pub fn try_div_euclid(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_euclid(other)?.0)
    }

    /// The remainder of [`Int::div_floor`], which has the sign of `other`.
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn rem_floor(&self, other: &Int) -> Int {
        must(self.try_rem_floor(other))
    }

    /// [`Int::rem_floor`], or an error if `other` is 0.
    pub fn try_rem_floor(&self, other: &Int) -> Result<Int> {
        wrap(div::remainder_rounded(
            &self.limbs,
            &other.limbs,
            Rounding::Floor,
        ))
    }

    /// The remainder of [`Int::div_ceil`], which is 0 or has the sign opposite to `other`.
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn rem_ceil(&self, other: &Int) -> Int {
        must(self.try_rem_ceil(other))
    }

    /// [`Int::rem_ceil`], or an error if `other` is 0.
    pub fn try_rem_ceil(&self, other: &Int) -> Result<Int> {
        wrap(div::remainder_rounded(
            &self.limbs,
            &other.limbs,
            Rounding::Ceiling,
        ))
    }

    /// The remainder from 0 to |other| − 1.
    ///
    /// # Panics
    /// If `other` is 0.
    #[track_caller]
    pub fn rem_euclid(&self, other: &Int) -> Int {
        must(self.try_rem_euclid(other))
    }

    /// The remainder from 0 to |other| − 1, or an error if `other` is 0.
    pub fn try_rem_euclid(&self, other: &Int) -> Result<Int> {
        wrap(div::remainder_rounded(
            &self.limbs,
            &other.limbs,
            Rounding::Euclid,
        ))
    }

    /// self / other where `other` divides `self`. A quotient much shorter than `other` takes less
    /// time than with a remainder, others about as much.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-91).div_exact(&Int::from(7)), -13);
    /// assert!(Int::from(-92).try_div_exact(&Int::from(7)).is_err());
    /// ```
    ///
    /// # Panics
    /// If `other` is 0 or does not divide `self`. For a quotient on a device that is much shorter
    /// than `other` the latter is only found out in debug builds and under
    /// [`verify::set`](crate::verify::set); the result is a meaningless number otherwise.
    #[track_caller]
    pub fn div_exact(&self, other: &Int) -> Int {
        must(self.try_div_exact(other))
    }

    /// [`Int::div_exact`], or an error where that would panic.
    pub fn try_div_exact(&self, other: &Int) -> Result<Int> {
        wrap(div::div_exact(&self.limbs, &other.limbs))
    }

    /// Whether `other` divides this; 0 divides 0 alone.
    #[track_caller]
    pub fn is_multiple_of(&self, other: &Int) -> bool {
        must(self.try_is_multiple_of(other))
    }

    /// Whether `other` divides this; 0 divides 0 alone.
    pub fn try_is_multiple_of(&self, other: &Int) -> Result<bool> {
        div::is_multiple(&self.limbs, &other.limbs)
    }

    /// Whether `modulus` divides self − other. Modulo 0 only equal numbers are congruent.
    ///
    /// ```
    /// # use bezout::Int;
    /// let [a, b, m] = [-7, 13, 10].map(Int::from);
    /// assert!(a.is_congruent(&b, &m));
    /// ```
    #[track_caller]
    pub fn is_congruent(&self, other: &Int, modulus: &Int) -> bool {
        must(self.try_is_congruent(other, modulus))
    }

    /// Whether `modulus` divides self − other. Modulo 0 only equal numbers are congruent.
    pub fn try_is_congruent(&self, other: &Int, modulus: &Int) -> Result<bool> {
        self.try_sub(other)?.try_is_multiple_of(modulus)
    }

    /// (rest, k) with self = rest·factor^k and k as large as possible; (0, 0) for 0.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-360).remove(&Int::from(6)), (Int::from(-10), 2));
    /// ```
    ///
    /// # Panics
    /// If `factor` is 0, 1 or −1.
    #[track_caller]
    pub fn remove(&self, factor: &Int) -> (Int, u64) {
        must(self.try_remove(factor))
    }

    /// [`Int::remove`], or an error if `factor` is 0, 1 or −1.
    pub fn try_remove(&self, factor: &Int) -> Result<(Int, u64)> {
        let (sign, bits) = limbs::size(&factor.limbs)?;
        if bits < 2 {
            return Err(Error::Domain(
                "a factor to remove must not be 0, 1 or −1".into(),
            ));
        }
        let Some(zeros) = self.try_trailing_zeros()? else {
            return Ok((Int::ZERO, 0));
        };
        if factor.try_trailing_zeros()? == Some(bits - 1) {
            let count = zeros / (bits - 1);
            let rest = self.try_shr(count * (bits - 1))?;
            let flip = sign < 0 && count % 2 == 1;
            return Ok((if flip { rest.try_neg()? } else { rest }, count));
        }
        if let Some([x, y]) = limbs::short([&self.limbs, &factor.limbs])
            && let [word] = y.limbs()
        {
            let (rest, count) = x.magnitude().remove_word(*word);
            let negative = x.is_negative() ^ (sign < 0 && count % 2 == 1);
            return Ok((Int::from(Integer::from_parts(negative, rest)), count));
        }
        let (rest, count) = div::remove(&self.limbs, &factor.limbs)?;
        Ok((rest.into(), count))
    }

    fn divide(&self, other: &Int, rounding: Rounding) -> Result<(Int, Int)> {
        let (quotient, remainder) = div::div_rem_rounded(&self.limbs, &other.limbs, rounding)?;
        Ok((Int { limbs: quotient }, Int { limbs: remainder }))
    }
}
