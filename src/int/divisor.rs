//! A divisor that is prepared once for many divisions.

use super::Int;
use crate::div;
use crate::error::Result;

/// A divisor prepared for many divisions: each then takes two products for a dividend of twice its
/// length, against nearly four.
///
/// ```
/// use bezout::{Divisor, Int};
/// let divisor = Divisor::new(&Int::from(1000))?;
/// assert_eq!(divisor.try_div_rem(&Int::from(-1234567))?, (Int::from(-1234), Int::from(-567)));
/// assert_eq!(divisor.try_rem_euclid(&Int::from(-1234567))?, 433);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Clone)]
pub struct Divisor(div::Divisor);

impl Divisor {
    /// Prepares to divide by `divisor`; an error if it is 0.
    pub fn new(divisor: &Int) -> Result<Divisor> {
        div::Divisor::of(divisor.as_limbs()).map(Divisor)
    }

    /// The divisor itself.
    pub fn value(&self) -> Int {
        Int::from(self.0.value().clone())
    }

    /// Quotient rounded towards zero, and the remainder, which has the sign of `a`.
    pub fn try_div_rem(&self, a: &Int) -> Result<(Int, Int)> {
        let (quotient, remainder) = self.0.div_rem(a.as_limbs())?;
        Ok((quotient.into(), remainder.into()))
    }

    /// The remainder, with the sign of `a`.
    pub fn try_rem(&self, a: &Int) -> Result<Int> {
        Ok(self.0.div_rem(a.as_limbs())?.1.into())
    }

    /// The remainder from 0 to |divisor| − 1.
    pub fn try_rem_euclid(&self, a: &Int) -> Result<Int> {
        self.0.rem_euclid(a.as_limbs()).map(Int::from)
    }

    /// Whether the divisor divides `a`.
    pub fn try_divides(&self, a: &Int) -> Result<bool> {
        Ok(self.try_rem(a)?.is_zero())
    }
}
