//! Numbers that have names.

use super::{Int, wrap};
use crate::error::Result;
use crate::sequences;

impl Int {
    /// n!, or an error where it would not fit in memory.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::factorial(5)?, 120);
    /// assert!(Int::factorial(u64::MAX).is_err());
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn factorial(n: u64) -> Result<Int> {
        wrap(sequences::factorial(n))
    }

    /// The product of all primes p ≤ n, or an error where it would not fit in memory.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::primorial(10)?, 2 * 3 * 5 * 7);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn primorial(n: u64) -> Result<Int> {
        wrap(sequences::primorial(n))
    }

    /// The binomial coefficient n over k, 0 for k > n, or an error where it would not fit in memory.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::binomial(10, 3)?, 120);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn binomial(n: u64, k: u64) -> Result<Int> {
        wrap(sequences::binomial(n, k))
    }

    /// The Fibonacci number F(n), with F(0) = 0 and F(1) = 1, or an error where it would not fit in memory.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::fibonacci(10)?, 55);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn fibonacci(n: u64) -> Result<Int> {
        wrap(sequences::fibonacci(n))
    }

    /// The Lucas number L(n), with L(0) = 2 and L(1) = 1, or an error where it would not fit in memory.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::lucas(10)?, 123);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn lucas(n: u64) -> Result<Int> {
        wrap(sequences::lucas(n))
    }
}
