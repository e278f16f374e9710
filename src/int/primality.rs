//! Primes.

use super::{Int, must, wrap};
use crate::error::Result;
use crate::primality;

impl Int {
    /// Whether this is prime, by the Baillie–PSW test: exact below 2^64, and beyond that no
    /// composite number that passes is known.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert!(((Int::ONE << 127) - 1).is_probable_prime());
    /// assert!(!((Int::ONE << 128) + 1).is_probable_prime());
    /// ```
    #[track_caller]
    pub fn is_probable_prime(&self) -> bool {
        must(self.try_is_probable_prime())
    }

    /// Whether this is prime, by the Baillie–PSW test.
    pub fn try_is_probable_prime(&self) -> Result<bool> {
        primality::is_probable_prime(&self.limbs)
    }

    /// The least probable prime above this number.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(100).next_prime(), 101);
    /// ```
    #[track_caller]
    pub fn next_prime(&self) -> Int {
        must(self.try_next_prime())
    }

    /// The least probable prime above this number.
    pub fn try_next_prime(&self) -> Result<Int> {
        wrap(primality::next_prime(&self.limbs))
    }

    /// The greatest probable prime below this number.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(100).prev_prime(), 97);
    /// assert!(Int::from(2).try_prev_prime().is_err());
    /// ```
    ///
    /// # Panics
    /// If this number is at most 2.
    #[track_caller]
    pub fn prev_prime(&self) -> Int {
        must(self.try_prev_prime())
    }

    /// The greatest probable prime below this number, or an error if this number is at most 2.
    pub fn try_prev_prime(&self) -> Result<Int> {
        wrap(primality::prev_prime(&self.limbs))
    }
}
