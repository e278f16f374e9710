//! Greatest common divisors of [`Int`]s.

use super::{Int, must, wrap};
use crate::error::Result;
use crate::gcd::{self, Algorithm, Stats, WeberOptions};

impl Int {
    /// The greatest common divisor, never negative; gcd(0, 0) = 0.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-12).gcd(&Int::from(18)), 6);
    /// ```
    #[track_caller]
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Some(x), Some(y)) = (self.limbs.short(), other.limbs.short()) {
            return Int::from_sign_and_magnitude(false, x.gcd(y));
        }
        must(self.try_gcd(other))
    }

    /// The greatest common divisor, never negative; gcd(0, 0) = 0.
    pub fn try_gcd(&self, other: &Int) -> Result<Int> {
        wrap(gcd::gcd(&self.limbs, &other.limbs))
    }

    /// [`Int::try_gcd`] by one algorithm, and what it did.
    ///
    /// ```
    /// # use bezout::{GcdAlgorithm, Int};
    /// let (g, stats) = Int::from(-12).try_gcd_by(&Int::from(18), GcdAlgorithm::Host)?;
    /// assert_eq!(g, 6);
    /// assert_eq!(stats.algorithm, GcdAlgorithm::Host);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_gcd_by(&self, other: &Int, algorithm: Algorithm) -> Result<(Int, Stats)> {
        let (limbs, stats) = gcd::gcd_by(&self.limbs, &other.limbs, algorithm)?;
        Ok((Int { limbs }, stats))
    }

    /// [`Int::try_gcd_by`] by Weber's algorithm with moduli of the caller's choice.
    ///
    /// An error where a modulus cannot have so many bits on the engine in force, or where there
    /// are not enough primes of so many bits.
    ///
    /// ```
    /// # use bezout::{Int, WeberCount, WeberOptions};
    /// let options = WeberOptions { bits: 16, count: WeberCount::Worst };
    /// let (g, stats) = Int::from(6006).try_gcd_by_weber(&Int::from(5005), options)?;
    /// assert_eq!(g, 1001);
    /// assert_eq!(stats.moduli, Some(256 + 13));
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_gcd_by_weber(&self, other: &Int, options: WeberOptions) -> Result<(Int, Stats)> {
        let (limbs, stats) = gcd::gcd_by_weber(&self.limbs, &other.limbs, options)?;
        Ok((Int { limbs }, stats))
    }

    /// (g, s, t) with g = gcd(self, other) ≥ 0 and s·self + t·other = g, the cofactors as small as
    /// GMP's.
    ///
    /// ```
    /// # use bezout::Int;
    /// let (a, b) = (Int::from(240), Int::from(46));
    /// let (g, s, t) = a.extended_gcd(&b);
    /// assert_eq!(&s * &a + &t * &b, g);
    /// Int::verify_gcd(&a, &b, &g, &s, &t)?;
    /// # Ok::<(), bezout::Error>(())
    /// ```
    #[track_caller]
    pub fn extended_gcd(&self, other: &Int) -> (Int, Int, Int) {
        must(self.try_extended_gcd(other))
    }

    /// (g, s, t) with g = gcd(self, other) ≥ 0 and s·self + t·other = g, the cofactors as small as
    /// GMP's.
    pub fn try_extended_gcd(&self, other: &Int) -> Result<(Int, Int, Int)> {
        let (g, s, t) = gcd::extended_gcd(&self.limbs, &other.limbs)?;
        Ok((Int { limbs: g }, Int { limbs: s }, Int { limbs: t }))
    }

    /// [`Int::try_extended_gcd`] by one algorithm, and what it did. Only `Half` and `Host` find
    /// cofactors: with another, `Half` finds them too, and both must agree on g.
    pub fn try_extended_gcd_by(
        &self,
        other: &Int,
        algorithm: Algorithm,
    ) -> Result<((Int, Int, Int), Stats)> {
        let ((g, s, t), stats) = gcd::extended_gcd_by(&self.limbs, &other.limbs, algorithm)?;
        let [g, s, t] = [g, s, t].map(|limbs| Int { limbs });
        Ok(((g, s, t), stats))
    }

    /// Proves that g = gcd(a, b): g ≥ 0 divides both and s·a + t·b = g. An error says which of
    /// these fails.
    ///
    /// Runs on the host, whichever engine made the certificate.
    pub fn verify_gcd(a: &Int, b: &Int, g: &Int, s: &Int, t: &Int) -> Result<()> {
        gcd::verify(&a.limbs, &b.limbs, &g.limbs, &s.limbs, &t.limbs)
    }

    /// The least common multiple, never negative; 0 if either is 0.
    #[track_caller]
    pub fn lcm(&self, other: &Int) -> Int {
        must(self.try_lcm(other))
    }

    /// The least common multiple, never negative; 0 if either is 0.
    pub fn try_lcm(&self, other: &Int) -> Result<Int> {
        wrap(gcd::lcm(&self.limbs, &other.limbs))
    }

    /// The fraction (r, t) with r ≡ t·self (mod modulus), |r| ≤ numerator and 0 < t ≤ denominator,
    /// in lowest terms; none where there is no such fraction.
    ///
    /// ```
    /// # use bezout::Int;
    /// let m = Int::from(1009);
    /// let third = Int::from(3).mod_inverse(&m) * -2;
    /// let bound = Int::from(20);
    /// let found = third.rational_reconstruction(&m, &bound, &bound);
    /// assert_eq!(found, Some((Int::from(-2), Int::from(3))));
    /// ```
    ///
    /// # Panics
    /// Unless 2·numerator·denominator < modulus, which makes the fraction unique.
    #[track_caller]
    pub fn rational_reconstruction(
        &self,
        modulus: &Int,
        numerator: &Int,
        denominator: &Int,
    ) -> Option<(Int, Int)> {
        must(self.try_rational_reconstruction(modulus, numerator, denominator))
    }

    /// [`Int::rational_reconstruction`], or an error unless 2·numerator·denominator < modulus.
    pub fn try_rational_reconstruction(
        &self,
        modulus: &Int,
        numerator: &Int,
        denominator: &Int,
    ) -> Result<Option<(Int, Int)>> {
        let found = gcd::rational_reconstruction(
            &self.limbs,
            &modulus.limbs,
            &numerator.limbs,
            &denominator.limbs,
        )?;
        Ok(found.map(|(r, t)| (Int { limbs: r }, Int { limbs: t })))
    }
}
