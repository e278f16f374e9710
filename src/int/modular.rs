//! [`Int`]s modulo others, and their roots.

use super::{Int, must, wrap};
use crate::error::Result;
use crate::{modular, root};

impl Int {
    /// self^exponent modulo |modulus|, from 0 to |modulus| − 1. A negative exponent takes the
    /// inverse.
    ///
    /// ```
    /// use bezout::{Error, Int};
    /// let [a, e, m] = [3, 200, 13].map(Int::from);
    /// assert_eq!(a.pow_mod(&e, &m), 9);
    /// assert_eq!(a.try_pow_mod(&e, &Int::ZERO), Err(Error::DivisionByZero));
    /// ```
    ///
    /// # Panics
    /// If `modulus` is 0, or if `exponent` is negative and this number has no inverse.
    #[track_caller]
    pub fn pow_mod(&self, exponent: &Int, modulus: &Int) -> Int {
        must(self.try_pow_mod(exponent, modulus))
    }

    /// [`Int::pow_mod`], or an error where that would panic.
    pub fn try_pow_mod(&self, exponent: &Int, modulus: &Int) -> Result<Int> {
        wrap(modular::mod_pow(
            &self.limbs,
            &exponent.limbs,
            &modulus.limbs,
        ))
    }

    /// The x from 0 to |modulus| − 1 with self·x ≡ 1.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(3).mod_inverse(&Int::from(7)), 5);
    /// let error = Int::from(6).try_mod_inverse(&Int::from(9)).unwrap_err();
    /// assert!(error.to_string().contains("common divisor 3"));
    /// ```
    ///
    /// # Panics
    /// If `modulus` is 0, or if this number and `modulus` have a common divisor.
    #[track_caller]
    pub fn mod_inverse(&self, modulus: &Int) -> Int {
        must(self.try_mod_inverse(modulus))
    }

    /// [`Int::mod_inverse`], or an error that names the common divisor where there is no inverse.
    pub fn try_mod_inverse(&self, modulus: &Int) -> Result<Int> {
        wrap(modular::mod_inverse(&self.limbs, &modulus.limbs))
    }

    /// Jacobi's symbol (self/n): −1, 0 or 1.
    ///
    /// # Panics
    /// Unless n is odd and positive.
    #[track_caller]
    pub fn jacobi(&self, n: &Int) -> i32 {
        must(self.try_jacobi(n))
    }

    /// Jacobi's symbol (self/n): −1, 0 or 1, or an error unless n is odd and positive.
    pub fn try_jacobi(&self, n: &Int) -> Result<i32> {
        modular::jacobi(&self.limbs, &n.limbs)
    }

    /// Kronecker's symbol (self/n), which extends Jacobi's to every n.
    #[track_caller]
    pub fn kronecker(&self, n: &Int) -> i32 {
        must(self.try_kronecker(n))
    }

    /// Kronecker's symbol (self/n), which extends Jacobi's to every n.
    pub fn try_kronecker(&self, n: &Int) -> Result<i32> {
        modular::kronecker(&self.limbs, &n.limbs)
    }

    /// The square root rounded down.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(99).isqrt(), 9);
    /// assert!(Int::from(-1).try_isqrt().is_err());
    /// ```
    ///
    /// # Panics
    /// For a negative number.
    #[track_caller]
    pub fn isqrt(&self) -> Int {
        must(self.try_isqrt())
    }

    /// The square root rounded down, or an error for a negative number.
    pub fn try_isqrt(&self) -> Result<Int> {
        wrap(root::floor_sqrt(&self.limbs))
    }

    /// The square root s rounded down, and self − s².
    ///
    /// # Panics
    /// For a negative number.
    #[track_caller]
    pub fn sqrt_rem(&self) -> (Int, Int) {
        must(self.try_sqrt_rem())
    }

    /// [`Int::sqrt_rem`], or an error for a negative number.
    pub fn try_sqrt_rem(&self) -> Result<(Int, Int)> {
        let (root, rest) = root::sqrt_rem(&self.limbs)?;
        Ok((root.into(), rest.into()))
    }

    /// The n-th root rounded towards zero.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-30).root(3), -3);
    /// ```
    ///
    /// # Panics
    /// For n = 0, and for an even root of a negative number.
    #[track_caller]
    pub fn root(&self, n: u64) -> Int {
        must(self.try_root(n))
    }

    /// [`Int::root`], or an error for n = 0 and for an even root of a negative number.
    pub fn try_root(&self, n: u64) -> Result<Int> {
        Ok(self.try_root_rem(n)?.0)
    }

    /// The n-th root s rounded towards zero, and self − s^n.
    ///
    /// # Panics
    /// For n = 0, and for an even root of a negative number.
    #[track_caller]
    pub fn root_rem(&self, n: u64) -> (Int, Int) {
        must(self.try_root_rem(n))
    }

    /// [`Int::root_rem`], or an error for n = 0 and for an even root of a negative number.
    pub fn try_root_rem(&self, n: u64) -> Result<(Int, Int)> {
        let (root, rest) = root::root_rem(&self.limbs, n)?;
        Ok((root.into(), rest.into()))
    }

    /// Whether this is the square of an integer.
    #[track_caller]
    pub fn is_square(&self) -> bool {
        must(self.try_is_square())
    }

    /// Whether this is the square of an integer.
    pub fn try_is_square(&self) -> Result<bool> {
        root::is_square(&self.limbs)
    }

    /// (b, e) with self = b^e and e > 1 as large as possible; none where there are none. 0 and 1
    /// give e = 2, and −1 gives e = 3.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-1728).perfect_power(), Some((Int::from(-12), 3)));
    /// assert_eq!(Int::from(12).perfect_power(), None);
    /// ```
    #[track_caller]
    pub fn perfect_power(&self) -> Option<(Int, u64)> {
        must(self.try_perfect_power())
    }

    /// (b, e) with self = b^e and e > 1 as large as possible; none where there are none.
    pub fn try_perfect_power(&self) -> Result<Option<(Int, u64)>> {
        Ok(root::perfect_power(&self.limbs)?.map(|(base, exponent)| (base.into(), exponent)))
    }
}
