//! Numbers that have names.

use super::{Int, must, wrap};
use crate::error::Result;
use crate::sequences;

impl Int {
    /// n!.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::factorial(5), 120);
    /// assert!(Int::try_factorial(u64::MAX).is_err());
    /// ```
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn factorial(n: u64) -> Int {
        must(Int::try_factorial(n))
    }

    /// [`Int::factorial`], or an error where the result would not fit in memory.
    pub fn try_factorial(n: u64) -> Result<Int> {
        wrap(sequences::factorial(n))
    }

    /// The double factorial n!! = n·(n − 2)·(n − 4)⋯, down to 1 or 2; 0!! = 1.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::double_factorial(7), 7 * 5 * 3);
    /// ```
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn double_factorial(n: u64) -> Int {
        must(Int::try_double_factorial(n))
    }

    /// [`Int::double_factorial`], or an error where the result would not fit in memory.
    pub fn try_double_factorial(n: u64) -> Result<Int> {
        wrap(sequences::double_factorial(n))
    }

    /// The product n·(n − step)·(n − 2·step)⋯ of positive factors; 1 for n = 0.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::multi_factorial(10, 3), 10 * 7 * 4);
    /// ```
    ///
    /// # Panics
    /// If `step` is 0, or if the result does not fit in memory.
    #[track_caller]
    pub fn multi_factorial(n: u64, step: u64) -> Int {
        must(Int::try_multi_factorial(n, step))
    }

    /// [`Int::multi_factorial`], or an error where that would panic.
    pub fn try_multi_factorial(n: u64, step: u64) -> Result<Int> {
        wrap(sequences::multi_factorial(n, step))
    }

    /// The product of all primes p ≤ n.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::primorial(10), 2 * 3 * 5 * 7);
    /// ```
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn primorial(n: u64) -> Int {
        must(Int::try_primorial(n))
    }

    /// [`Int::primorial`], or an error where the result would not fit in memory.
    pub fn try_primorial(n: u64) -> Result<Int> {
        wrap(sequences::primorial(n))
    }

    /// The binomial coefficient n over k, 0 for k > n.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::binomial(10, 3), 120);
    /// ```
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn binomial(n: u64, k: u64) -> Int {
        must(Int::try_binomial(n, k))
    }

    /// [`Int::binomial`], or an error where the result would not fit in memory.
    pub fn try_binomial(n: u64, k: u64) -> Result<Int> {
        wrap(sequences::binomial(n, k))
    }

    /// The Fibonacci number F(n), with F(0) = 0 and F(1) = 1.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::fibonacci(10), 55);
    /// ```
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn fibonacci(n: u64) -> Int {
        must(Int::try_fibonacci(n))
    }

    /// [`Int::fibonacci`], or an error where the result would not fit in memory.
    pub fn try_fibonacci(n: u64) -> Result<Int> {
        wrap(sequences::fibonacci(n))
    }

    /// The Lucas number L(n), with L(0) = 2 and L(1) = 1.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::lucas(10), 123);
    /// ```
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
    pub fn lucas(n: u64) -> Int {
        must(Int::try_lucas(n))
    }

    /// [`Int::lucas`], or an error where the result would not fit in memory.
    pub fn try_lucas(n: u64) -> Result<Int> {
        wrap(sequences::lucas(n))
    }
}
