//! Random numbers from any generator; the same generator state gives the same number everywhere.

use rand::Rng;

use super::{Int, must};
use crate::error::{Error, Result};
use crate::memory;

impl Int {
    /// A uniformly random number of exactly `bits` bits: its top bit is set. 0 bits give 0.
    ///
    /// ```
    /// # use bezout::Int;
    /// use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
    /// let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    /// assert_eq!(Int::random_bits(1000, &mut rng).bit_length(), 1000);
    /// ```
    ///
    /// # Panics
    /// If the number does not fit in memory.
    #[track_caller]
    pub fn random_bits(bits: u64, rng: &mut (impl Rng + ?Sized)) -> Int {
        must(Int::try_random_bits(bits, rng))
    }

    /// [`Int::random_bits`], or an error where the number would not fit in memory.
    pub fn try_random_bits(bits: u64, rng: &mut (impl Rng + ?Sized)) -> Result<Int> {
        let mut limbs = random_limbs("random", bits, rng)?;
        if let Some(top) = limbs.last_mut() {
            *top |= 1 << ((bits - 1) % 64);
        }
        Ok(Int::from_limbs(limbs))
    }

    /// A uniformly random number from 0 to `bound` − 1.
    ///
    /// # Panics
    /// If `bound` is not positive.
    #[track_caller]
    pub fn random_below(bound: &Int, rng: &mut (impl Rng + ?Sized)) -> Int {
        must(Int::try_random_below(bound, rng))
    }

    /// A uniformly random number from 0 to `bound` − 1, or an error if `bound` is not positive.
    pub fn try_random_below(bound: &Int, rng: &mut (impl Rng + ?Sized)) -> Result<Int> {
        if bound.try_signum()? <= 0 {
            return Err(Error::Domain(
                "a random number needs a bound above 0".into(),
            ));
        }
        // Each try succeeds with a probability above one half.
        loop {
            let value = Int::from_limbs(random_limbs("random", bound.try_bit_length()?, rng)?);
            if value.host() < bound.try_host()? {
                return Ok(value);
            }
        }
    }
}

/// Limbs below 2^bits.
fn random_limbs(what: &'static str, bits: u64, rng: &mut (impl Rng + ?Sized)) -> Result<Vec<u64>> {
    memory::check_copies(what, bits.into(), 2)?;
    let mut limbs: Vec<u64> = (0..bits.div_ceil(64)).map(|_| rng.next_u64()).collect();
    if let Some(top) = limbs.last_mut() {
        *top >>= (64 - bits % 64) % 64;
    }
    Ok(limbs)
}
