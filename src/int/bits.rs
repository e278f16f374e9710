//! Bits, in the two's-complement view where a negative number has infinitely many ones.

use super::{Int, must, wrap};
use crate::error::Result;
use crate::limbs::{self, BitChange};
use crate::progress;

impl Int {
    /// self AND other.
    pub fn try_and(&self, other: &Int) -> Result<Int> {
        wrap(limbs::and(&self.limbs, &other.limbs))
    }

    /// self OR other.
    pub fn try_or(&self, other: &Int) -> Result<Int> {
        wrap(limbs::or(&self.limbs, &other.limbs))
    }

    /// self XOR other.
    pub fn try_xor(&self, other: &Int) -> Result<Int> {
        wrap(limbs::xor(&self.limbs, &other.limbs))
    }

    /// −self − 1.
    pub fn try_not(&self) -> Result<Int> {
        wrap(limbs::not(&self.limbs))
    }

    /// self · 2^count, or an error where it would not fit in memory.
    pub fn try_shl(&self, count: u64) -> Result<Int> {
        wrap(limbs::shl(&self.limbs, count))
    }

    /// ⌊self / 2^count⌋.
    pub fn try_shr(&self, count: u64) -> Result<Int> {
        wrap(limbs::shr(&self.limbs, count))
    }

    /// Bit `index`.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert!(Int::from(4).bit(2));
    /// assert!(Int::from(-1).bit(1 << 40));
    /// ```
    pub fn bit(&self, index: u64) -> bool {
        must(limbs::bit(&self.limbs, index))
    }

    /// Makes bit `index` one.
    ///
    /// ```
    /// # use bezout::Int;
    /// let mut x = Int::zero();
    /// x.set_bit(100)?;
    /// assert_eq!(x, Int::one() << 100);
    /// assert!(x.set_bit(u64::MAX).is_err());
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn set_bit(&mut self, index: u64) -> Result<()> {
        self.change_bit(index, BitChange::Set)
    }

    /// Makes bit `index` zero.
    pub fn clear_bit(&mut self, index: u64) -> Result<()> {
        self.change_bit(index, BitChange::Clear)
    }

    /// Changes bit `index`.
    pub fn flip_bit(&mut self, index: u64) -> Result<()> {
        self.change_bit(index, BitChange::Flip)
    }

    fn change_bit(&mut self, index: u64, change: BitChange) -> Result<()> {
        limbs::change_bit(&mut self.limbs, index, change)
    }

    /// Number of one bits; `None` for a negative number, which has infinitely many.
    pub fn count_ones(&self) -> Option<u64> {
        must(limbs::popcount(&self.limbs))
    }

    /// Number of bits that differ; `None` for opposite signs, where infinitely many do.
    pub fn hamming_distance(&self, other: &Int) -> Option<u64> {
        must(limbs::hamming(&self.limbs, &other.limbs))
    }

    /// The first one bit at or above `from`, as GMP's `mpz_scan1`.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(0b1010).first_set_bit(2), Some(3));
    /// assert_eq!(Int::from(0b1010).first_set_bit(4), None);
    /// assert_eq!(Int::from(-1).first_clear_bit(0), None);
    /// ```
    pub fn first_set_bit(&self, from: u64) -> Option<u64> {
        must(progress::unobserved(|| limbs::scan_set(&self.limbs, from)))
    }

    /// The first zero bit at or above `from`, as GMP's `mpz_scan0`.
    pub fn first_clear_bit(&self, from: u64) -> Option<u64> {
        must(progress::unobserved(|| {
            limbs::scan_clear(&self.limbs, from)
        }))
    }
}
