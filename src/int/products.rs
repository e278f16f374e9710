//! Products beyond `*`: squares, halves, prepared operands, sums.

use super::{Int, must, wrap};
use crate::error::Result;
use crate::mul;

impl Int {
    /// self², cheaper than a product of different numbers.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-12).square(), 144);
    /// ```
    #[track_caller]
    pub fn square(&self) -> Int {
        if let Some(x) = self.limbs.short() {
            return mul::host_square(x.magnitude());
        }
        must(self.try_square())
    }

    /// self².
    pub fn try_square(&self) -> Result<Int> {
        wrap(mul::square(&self.limbs))
    }

    /// self·other modulo 2^bits, not negative.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-3).mul_low(&Int::from(5), 4), 1);
    /// ```
    #[track_caller]
    pub fn mul_low(&self, other: &Int, bits: u64) -> Int {
        must(self.try_mul_low(other, bits))
    }

    /// self·other modulo 2^bits, not negative.
    pub fn try_mul_low(&self, other: &Int, bits: u64) -> Result<Int> {
        wrap(mul::mul_low(&self.limbs, &other.limbs, bits))
    }

    /// self·other / 2^bits, rounded down.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-3).mul_high(&Int::from(5), 4), -1);
    /// ```
    #[track_caller]
    pub fn mul_high(&self, other: &Int, bits: u64) -> Int {
        must(self.try_mul_high(other, bits))
    }

    /// self·other / 2^bits, rounded down.
    pub fn try_mul_high(&self, other: &Int, bits: u64) -> Result<Int> {
        wrap(mul::mul_high(&self.limbs, &other.limbs, bits))
    }

    /// Σ a·b over the pairs; 0 for none. Cheaper than the products by themselves where they are
    /// long and of about the same length: they share the inverse transform, and a number that
    /// stands in several of them is transformed once.
    ///
    /// ```
    /// # use bezout::Int;
    /// let [a, b, c, d] = [2, 3, -5, 7].map(Int::from);
    /// assert_eq!(Int::sum_of_products(&[(&a, &b), (&c, &d)]), -29);
    /// ```
    #[track_caller]
    pub fn sum_of_products(pairs: &[(&Int, &Int)]) -> Int {
        must(Int::try_sum_of_products(pairs))
    }

    /// Σ a·b over the pairs; 0 for none.
    pub fn try_sum_of_products(pairs: &[(&Int, &Int)]) -> Result<Int> {
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a.limbs, &b.limbs)).collect();
        wrap(mul::sum_of_products(&pairs))
    }

    /// The number with what its products have in common computed once: its transform, which stays
    /// where it was made, in memory or on a device, as long as the result lives.
    ///
    /// ```
    /// # use bezout::Int;
    /// let a = Int::from(10).pow(50).prepare();
    /// assert_eq!(a.mul(&Int::from(-3)), Int::from(10).pow(50) * -3);
    /// ```
    #[track_caller]
    pub fn prepare(&self) -> Prepared {
        must(self.try_prepare())
    }

    /// [`Int::prepare`], or an error where memory does not suffice.
    pub fn try_prepare(&self) -> Result<Prepared> {
        Ok(Prepared {
            inner: mul::Prepared::new(&self.limbs)?,
        })
    }
}

/// A number made ready for many products; see [`Int::prepare`].
pub struct Prepared {
    inner: mul::Prepared,
}

impl Prepared {
    /// The number times `other`.
    #[track_caller]
    pub fn mul(&self, other: &Int) -> Int {
        must(self.try_mul(other))
    }

    /// The number times `other`.
    pub fn try_mul(&self, other: &Int) -> Result<Int> {
        wrap(self.inner.mul(&other.limbs))
    }

    /// The number.
    pub fn value(&self) -> Int {
        self.inner.value().clone().into()
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("bits", &self.inner.value().bits_bound())
            .finish_non_exhaustive()
    }
}
