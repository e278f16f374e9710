//! Bits, in the two's-complement view where a negative number has infinitely many ones.

use super::{Int, must, wrap};
use crate::error::{Error, Result};
use crate::limbs::{self, BitChange};
use crate::number::{Integer, Natural};
use crate::word::shift;
use crate::{memory, progress};

/// Digits, or limbs of them, that are cut or joined between two looks at the observer: some tens of
/// microseconds.
const PIECE: u64 = 1 << 12;

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
    #[track_caller]
    pub fn bit(&self, index: u64) -> bool {
        must(self.try_bit(index))
    }

    /// Bit `index`.
    pub fn try_bit(&self, index: u64) -> Result<bool> {
        limbs::bit(&self.limbs, index)
    }

    /// Whether 2 divides this number.
    #[track_caller]
    pub fn is_even(&self) -> bool {
        !self.bit(0)
    }

    /// Whether 2 divides this number.
    pub fn try_is_even(&self) -> Result<bool> {
        self.try_bit(0).map(|bit| !bit)
    }

    /// Whether 2 does not divide this number.
    #[track_caller]
    pub fn is_odd(&self) -> bool {
        self.bit(0)
    }

    /// Whether 2 does not divide this number.
    pub fn try_is_odd(&self) -> Result<bool> {
        self.try_bit(0)
    }

    /// Makes bit `index` one.
    ///
    /// ```
    /// # use bezout::Int;
    /// let mut x = Int::ZERO;
    /// x.set_bit(100);
    /// assert_eq!(x, Int::ONE << 100);
    /// assert!(x.try_set_bit(u64::MAX).is_err());
    /// ```
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn set_bit(&mut self, index: u64) {
        must(self.try_set_bit(index));
    }

    /// Makes bit `index` one; an error where the result would not fit in memory.
    pub fn try_set_bit(&mut self, index: u64) -> Result<()> {
        limbs::change_bit(&mut self.limbs, index, BitChange::Set)
    }

    /// Makes bit `index` zero.
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn clear_bit(&mut self, index: u64) {
        must(self.try_clear_bit(index));
    }

    /// Makes bit `index` zero; an error where the result would not fit in memory.
    pub fn try_clear_bit(&mut self, index: u64) -> Result<()> {
        limbs::change_bit(&mut self.limbs, index, BitChange::Clear)
    }

    /// Changes bit `index`.
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn flip_bit(&mut self, index: u64) {
        must(self.try_flip_bit(index));
    }

    /// Changes bit `index`; an error where the result would not fit in memory.
    pub fn try_flip_bit(&mut self, index: u64) -> Result<()> {
        limbs::change_bit(&mut self.limbs, index, BitChange::Flip)
    }

    /// Number of one bits; `None` for a negative number, which has infinitely many.
    #[track_caller]
    pub fn count_ones(&self) -> Option<u64> {
        must(self.try_count_ones())
    }

    /// Number of one bits; `None` for a negative number.
    pub fn try_count_ones(&self) -> Result<Option<u64>> {
        limbs::popcount(&self.limbs)
    }

    /// Number of bits that differ; `None` for opposite signs, where infinitely many do.
    #[track_caller]
    pub fn hamming_distance(&self, other: &Int) -> Option<u64> {
        must(self.try_hamming_distance(other))
    }

    /// Number of bits that differ; `None` for opposite signs.
    pub fn try_hamming_distance(&self, other: &Int) -> Result<Option<u64>> {
        limbs::hamming(&self.limbs, &other.limbs)
    }

    /// The first one bit at or above `from`, as GMP's `mpz_scan1`.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(0b1010).first_set_bit(2), Some(3));
    /// assert_eq!(Int::from(0b1010).first_set_bit(4), None);
    /// assert_eq!(Int::from(-1).first_clear_bit(0), None);
    /// ```
    #[track_caller]
    pub fn first_set_bit(&self, from: u64) -> Option<u64> {
        must(progress::unobserved(|| self.try_first_set_bit(from)))
    }

    /// The first one bit at or above `from`.
    pub fn try_first_set_bit(&self, from: u64) -> Result<Option<u64>> {
        limbs::scan_set(&self.limbs, from)
    }

    /// The first zero bit at or above `from`, as GMP's `mpz_scan0`.
    #[track_caller]
    pub fn first_clear_bit(&self, from: u64) -> Option<u64> {
        must(progress::unobserved(|| self.try_first_clear_bit(from)))
    }

    /// The first zero bit at or above `from`.
    pub fn try_first_clear_bit(&self, from: u64) -> Result<Option<u64>> {
        limbs::scan_clear(&self.limbs, from)
    }

    /// Number of zero bits below the lowest one bit; `None` for 0.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-40).trailing_zeros(), Some(3));
    /// assert_eq!(Int::ZERO.trailing_zeros(), None);
    /// ```
    #[track_caller]
    pub fn trailing_zeros(&self) -> Option<u64> {
        self.first_set_bit(0)
    }

    /// Number of zero bits below the lowest one bit; `None` for 0.
    pub fn try_trailing_zeros(&self) -> Result<Option<u64>> {
        self.try_first_set_bit(0)
    }

    /// Number of one bits below the lowest zero bit; `None` for −1.
    #[track_caller]
    pub fn trailing_ones(&self) -> Option<u64> {
        self.first_clear_bit(0)
    }

    /// Number of one bits below the lowest zero bit; `None` for −1.
    pub fn try_trailing_ones(&self) -> Result<Option<u64>> {
        self.try_first_clear_bit(0)
    }

    /// Whether this is 2^k for some k ≥ 0.
    #[track_caller]
    pub fn is_power_of_two(&self) -> bool {
        must(self.try_is_power_of_two())
    }

    /// Whether this is 2^k for some k ≥ 0.
    pub fn try_is_power_of_two(&self) -> Result<bool> {
        let (sign, bits) = limbs::size(&self.limbs)?;
        Ok(sign > 0 && self.try_trailing_zeros()? == Some(bits - 1))
    }

    /// The least power of two that is not below this number: 1 for every number below 1.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(65).next_power_of_two(), 128);
    /// assert_eq!(Int::from(-5).next_power_of_two(), 1);
    /// ```
    #[track_caller]
    pub fn next_power_of_two(&self) -> Int {
        must(self.try_next_power_of_two())
    }

    /// The least power of two that is not below this number: 1 for every number below 1.
    pub fn try_next_power_of_two(&self) -> Result<Int> {
        let (sign, bits) = limbs::size(&self.limbs)?;
        match sign {
            1 if self.try_is_power_of_two()? => Ok(self.clone()),
            1 => Int::ONE.try_shl(bits),
            _ => Ok(Int::ONE),
        }
    }

    /// The number whose digits in base 2^bits these are, the lowest first:
    /// Σ `digits[i]`·2^(bits·i).
    ///
    /// ```
    /// # use bezout::Int;
    /// let x = Int::pack(&[Int::from(1), Int::from(2), Int::from(3)], 8);
    /// assert_eq!(x, 0x030201);
    /// ```
    ///
    /// # Panics
    /// If a digit is negative or has more than `bits` bits, or the number does not fit in memory.
    #[track_caller]
    pub fn pack(digits: &[Int], bits: u64) -> Int {
        must(Int::try_pack(digits, bits))
    }

    /// [`Int::pack`]; an error for what it panics for.
    pub fn try_pack(digits: &[Int], bits: u64) -> Result<Int> {
        let (mut length, mut work) = (0, digits.len() as u64);
        for (at, digit) in digits.iter().enumerate() {
            let (sign, own) = limbs::size(&digit.limbs)?;
            if sign < 0 || own > bits {
                return Err(Error::Domain(format!(
                    "digit {at} is not an unsigned number of at most {bits} bits"
                )));
            }
            if sign > 0 {
                length = bits.saturating_mul(at as u64).saturating_add(own);
                work += own / 64;
            }
        }
        limbs::check_bits("packed digits", length)?;
        let mut out = memory::zeros("packed digits", length.div_ceil(64) as usize)?;
        progress::stage("packing", work, |stage| {
            let mut since = 0;
            for (at, digit) in digits.iter().enumerate() {
                let value = digit.try_host()?.limbs();
                if !value.is_empty() {
                    shift::insert(&mut out, value, bits * at as u64);
                }
                since += 1 + value.len() as u64;
                if since >= PIECE {
                    stage.advance(std::mem::take(&mut since))?;
                }
            }
            stage.advance(since)
        })?;
        wrap(Ok(Integer::from_vec(false, out).into()))
    }

    /// The digits in base 2^bits, the lowest first, at least one.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(0x030201).unpack(8), [1, 2, 3].map(Int::from));
    /// ```
    ///
    /// # Panics
    /// For a negative number and for no bits, and if the digits do not fit in memory.
    #[track_caller]
    pub fn unpack(&self, bits: u64) -> Vec<Int> {
        must(self.try_unpack(bits))
    }

    /// [`Int::unpack`]; an error for what it panics for.
    pub fn try_unpack(&self, bits: u64) -> Result<Vec<Int>> {
        let value = self.try_host()?;
        if value.is_negative() || bits == 0 {
            return Err(Error::Domain(format!(
                "digits of {bits} bits need a number from 0 on and at least one bit"
            )));
        }
        let (limbs, length) = (value.limbs(), value.bit_length());
        let count = length.div_ceil(bits).max(1);
        memory::check_copies("the digits", length.into(), 2)?;
        let mut digits = memory::room("the digits", count as usize)?;
        let width = bits.div_ceil(64);
        let piece = (PIECE / width).max(1);
        progress::stage("unpacking", count, |stage| {
            for first in (0..count).step_by(piece as usize) {
                let last = count.min(first + piece);
                digits.extend((first..last).map(|at| digit(limbs, bits * at, bits)));
                stage.advance(last - first)?;
            }
            Ok(())
        })?;
        Ok(digits)
    }
}

/// Bits `from` to `from + bits` of a number.
fn digit(limbs: &[u64], from: u64, bits: u64) -> Int {
    let rest = (limbs.len() as u64).saturating_sub(from / 64);
    if bits <= 64 {
        let mut word = [0];
        shift::extract(&mut word, limbs, from);
        return Int::from(word[0] & u64::MAX >> (64 - bits));
    }
    let width = bits.div_ceil(64);
    let magnitude = Natural::build(width.min(rest) as usize, |out| {
        shift::extract(out, limbs, from);
        if out.len() as u64 == width {
            let above = width * 64 - bits;
            out[width as usize - 1] &= u64::MAX >> above;
        }
    });
    Int::from(Integer::from(magnitude))
}
