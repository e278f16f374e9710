//! Division of [`Int`]s, with every rounding.

use super::{Int, must, wrap};
use crate::div::{self, Rounding};
use crate::error::Result;

impl Int {
    /// Quotient rounded towards zero, and the remainder, which has the sign of `self`.
    ///
    /// ```
    /// use bezout::{Error, Int};
    /// let (q, r) = Int::from(-7).try_div_rem(&Int::from(2))?;
    /// assert_eq!((q, r), (Int::from(-3), Int::from(-1)));
    /// assert_eq!(Int::one().try_div_rem(&Int::zero()), Err(Error::DivisionByZero));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn try_div_rem(&self, other: &Int) -> Result<(Int, Int)> {
        self.divide(other, Rounding::Truncate)
    }

    /// Quotient rounded down, and the remainder, which has the sign of `other`.
    ///
    /// ```
    /// # use bezout::Int;
    /// let (q, r) = Int::from(-7).try_div_rem_floor(&Int::from(2))?;
    /// assert_eq!((q, r), (Int::from(-4), Int::from(1)));
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_div_rem_floor(&self, other: &Int) -> Result<(Int, Int)> {
        self.divide(other, Rounding::Floor)
    }

    /// Quotient rounded up, and the remainder, which is 0 or has the sign opposite to `other`.
    pub fn try_div_rem_ceil(&self, other: &Int) -> Result<(Int, Int)> {
        self.divide(other, Rounding::Ceiling)
    }

    /// The quotient that leaves a remainder from 0 to |other| − 1, and that remainder.
    pub fn try_div_rem_euclid(&self, other: &Int) -> Result<(Int, Int)> {
        self.divide(other, Rounding::Euclid)
    }

    /// self / other rounded down.
    pub fn try_div_floor(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_floor(other)?.0)
    }

    /// self / other rounded up.
    pub fn try_div_ceil(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_ceil(other)?.0)
    }

    /// The quotient that leaves a remainder from 0 to |other| − 1.
    pub fn try_div_euclid(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_euclid(other)?.0)
    }

    /// The remainder of [`Int::try_div_floor`], which has the sign of `other`.
    pub fn try_rem_floor(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_floor(other)?.1)
    }

    /// The remainder of [`Int::try_div_ceil`], which is 0 or has the sign opposite to `other`.
    pub fn try_rem_ceil(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_ceil(other)?.1)
    }

    /// The remainder from 0 to |other| − 1.
    pub fn try_rem_euclid(&self, other: &Int) -> Result<Int> {
        Ok(self.try_div_rem_euclid(other)?.1)
    }

    /// self / other where `other` divides `self`. On the CPU this is faster than with a remainder
    /// from 2^19 bits on; on a device it is slower.
    ///
    /// Where it does not divide, the result is an error; for large values on a device that is only found out in debug builds and
    /// under [`verify::set`](crate::verify::set), and is a meaningless number otherwise.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-91).try_div_exact(&Int::from(7))?, -13);
    /// assert!(Int::from(-92).try_div_exact(&Int::from(7)).is_err());
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_div_exact(&self, other: &Int) -> Result<Int> {
        wrap(div::div_exact(&self.limbs, &other.limbs))
    }

    /// Whether `other` divides this; 0 divides 0 alone.
    pub fn is_multiple_of(&self, other: &Int) -> bool {
        must(div::is_multiple(&self.limbs, &other.limbs))
    }

    fn divide(&self, other: &Int, rounding: Rounding) -> Result<(Int, Int)> {
        let (quotient, remainder) = div::div_rem_rounded(&self.limbs, &other.limbs, rounding)?;
        Ok((Int { limbs: quotient }, Int { limbs: remainder }))
    }
}
