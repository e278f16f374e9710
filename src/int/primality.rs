//! Primes.

use super::{Int, must};
use crate::error::Result;
use crate::primality;

impl Int {
    /// Whether this is prime, by the Baillie–PSW test: exact below 2^64, and beyond that no composite number that passes is known.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert!(((Int::one() << 127) - 1).is_probable_prime());
    /// assert!(!((Int::one() << 128) + 1).is_probable_prime());
    /// ```
    pub fn is_probable_prime(&self) -> bool {
        must(self.try_is_probable_prime())
    }

    /// [`Int::is_probable_prime`], with the errors of the engine in force.
    pub fn try_is_probable_prime(&self) -> Result<bool> {
        primality::is_probable_prime(self)
    }

    /// The least probable prime above this number.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(100).try_next_prime()?, 101);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_next_prime(&self) -> Result<Int> {
        primality::next_prime(self)
    }

    /// The greatest probable prime below this number. Panics if this number is at most 2.
    pub fn prev_prime(&self) -> Int {
        must(self.try_prev_prime())
    }

    /// The greatest probable prime below this number; an error if this number is at most 2.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(100).try_prev_prime()?, 97);
    /// assert!(Int::from(2).try_prev_prime().is_err());
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_prev_prime(&self) -> Result<Int> {
        primality::prev_prime(self)
    }
}
