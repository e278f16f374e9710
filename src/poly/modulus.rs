//! A prime below 2^63 and arithmetic modulo it, on residues in [0, p).
//!
//! Residues are kept as they are, not in Montgomery's form: a product by a residue that is used
//! often goes by Shoup's quotients ([`Factor`]), one of any two by the reciprocal of Möller and
//! Granlund (*Improved division by invariant integers*, IEEE Trans. Comput. 60 (2011)). Both take
//! two or three word products, serve even p too, and need no conversions.

use std::fmt;

use crate::error::{Error, Result};
use crate::factoring::least_factor;
use crate::modp::words;
use crate::word::div::reciprocal_word;
use crate::word::residue;

/// Least number that is too large for a modulus.
const LIMIT: u64 = 1 << 63;

/// A prime below 2^63.
///
/// ```
/// use bezout::{Error, poly::Modulus};
/// let p = Modulus::new(7)?;
/// assert_eq!(p.get(), 7);
/// assert_eq!(Modulus::new(91), Err(Error::NotPrime { modulus: 91, factor: 7 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modulus {
    p: u64,
    /// d = p·2^shift has its top bit set.
    shift: u32,
    /// ⌊(2^128 − 1)/d⌋ − 2^64.
    reciprocal: u64,
}

/// A residue w that multiplies, with ⌊w·2^64/p⌋.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factor {
    pub(crate) w: u64,
    pub(crate) quotient: u64,
}

impl Modulus {
    /// p as a modulus. An error names a factor of a composite one.
    pub fn new(p: u64) -> Result<Modulus> {
        if !(2..LIMIT).contains(&p) {
            return Err(Error::Domain(format!(
                "modulus {p} is out of range: it must be a prime from 2 to 2^63 - 1"
            )));
        }
        if !words::is_prime(p) {
            return Err(Error::NotPrime {
                modulus: p,
                factor: least_factor(p),
            });
        }
        Ok(Modulus::of(p))
    }

    fn of(p: u64) -> Modulus {
        let shift = p.leading_zeros();
        Modulus {
            p,
            shift,
            reciprocal: reciprocal_word(p << shift),
        }
    }

    /// The prime.
    pub fn get(self) -> u64 {
        self.p
    }

    /// x + y.
    #[inline(always)]
    pub(crate) fn add(self, x: u64, y: u64) -> u64 {
        self.least(x + y)
    }

    /// x − y.
    #[inline(always)]
    pub(crate) fn sub(self, x: u64, y: u64) -> u64 {
        let less = x.wrapping_sub(y);
        less.min(less.wrapping_add(self.p))
    }

    /// −x.
    #[inline(always)]
    pub(crate) fn neg(self, x: u64) -> u64 {
        if x == 0 { 0 } else { self.p - x }
    }

    /// x for x in [0, 2p).
    #[inline(always)]
    pub(crate) fn least(self, x: u64) -> u64 {
        x.min(x.wrapping_sub(self.p))
    }

    /// x·y.
    #[inline(always)]
    pub(crate) fn mul(self, x: u64, y: u64) -> u64 {
        self.div_rem(u128::from(x) * u128::from(y)).1
    }

    /// Quotient and remainder of x by p, for x < 2^64·p.
    ///
    /// `div_two_words` of `word` is the same in assembly, for chains in which each division waits
    /// for the previous one. Divisions here are independent, and the compiler interleaves them.
    #[inline(always)]
    fn div_rem(self, x: u128) -> (u64, u64) {
        let x = x << self.shift;
        let d = self.p << self.shift;
        let (high, low) = ((x >> 64) as u64, x as u64);
        let estimate = (u128::from(self.reciprocal) * u128::from(high)).wrapping_add(x);
        let mut quotient = ((estimate >> 64) as u64).wrapping_add(1);
        let mut rest = low.wrapping_sub(quotient.wrapping_mul(d));
        if rest > estimate as u64 {
            quotient = quotient.wrapping_sub(1);
            rest = rest.wrapping_add(d);
        }
        if rest >= d {
            quotient = quotient.wrapping_add(1);
            rest -= d;
        }
        (quotient, rest >> self.shift)
    }

    /// Any x modulo p.
    #[inline(always)]
    pub(crate) fn reduce(self, x: u64) -> u64 {
        self.div_rem(u128::from(x)).1
    }

    /// Any x modulo p.
    #[inline(always)]
    pub(crate) fn reduce_wide(self, x: u128) -> u64 {
        let high = self.reduce((x >> 64) as u64);
        self.div_rem(u128::from(high) << 64 | u128::from(x as u64))
            .1
    }

    /// x modulo p for x < 2^64·p: a product of residues, or the sum of two and a residue.
    #[inline(always)]
    pub(crate) fn reduce_products(self, x: u128) -> u64 {
        self.div_rem(x).1
    }

    /// w as a factor.
    #[inline]
    pub(crate) fn factor(self, w: u64) -> Factor {
        let (quotient, _) = self.div_rem(u128::from(w) << 64);
        Factor { w, quotient }
    }

    /// x·w for any x.
    #[inline(always)]
    pub(crate) fn mul_by(self, x: u64, f: Factor) -> u64 {
        let quotient = ((u128::from(x) * u128::from(f.quotient)) >> 64) as u64;
        // Below 2p < 2^64.
        self.least(
            x.wrapping_mul(f.w)
                .wrapping_sub(quotient.wrapping_mul(self.p)),
        )
    }

    /// x^e; 0^0 is 1.
    pub(crate) fn pow(self, mut x: u64, mut e: u64) -> u64 {
        let mut power = 1;
        while e > 0 {
            if e & 1 == 1 {
                power = self.mul(power, x);
            }
            x = self.mul(x, x);
            e >>= 1;
        }
        power
    }

    /// 1/x for x other than 0.
    pub(crate) fn inverse(self, x: u64) -> u64 {
        residue::inverse(x, self.p).expect("a residue other than 0")
    }
}

impl fmt::Debug for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Modulus({})", self.p)
    }
}

impl fmt::Display for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.p.fmt(f)
    }
}

impl TryFrom<u64> for Modulus {
    type Error = Error;

    fn try_from(p: u64) -> Result<Modulus> {
        Modulus::new(p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Primes at the ends of every range for which some code has its own path.
    const PRIMES: [u64; 10] = [
        2,
        3,
        5,
        65537,
        469762049,
        (1 << 31) - 1,
        4294967311,
        (1 << 61) - 1,
        (1 << 62) - 57,
        (1 << 63) - 25,
    ];

    #[test]
    fn arithmetic_is_right() {
        for p in PRIMES {
            let m = Modulus::new(p).unwrap();
            let wide = u128::from(p);
            let some: Vec<u64> = [0, 1, 2, 3, p / 2, p - 2, p - 1, 0x1234_5678_9abc_def1]
                .map(|x: u64| x % p)
                .to_vec();
            for &x in &some {
                for &y in &some {
                    let product = (u128::from(x) * u128::from(y) % wide) as u64;
                    assert_eq!(m.mul(x, y), product);
                    assert_eq!(m.mul_by(x, m.factor(y)), product);
                    assert_eq!(m.add(x, y), ((u128::from(x) + u128::from(y)) % wide) as u64);
                    assert_eq!(m.add(m.sub(x, y), y), x);
                    let any = u128::from(x) << 64 | u128::from(y);
                    for any in [any, u128::MAX - any] {
                        assert_eq!(u128::from(m.reduce_wide(any)), any % wide);
                    }
                }
                assert_eq!(m.add(x, m.neg(x)), 0);
                assert_eq!(m.mul_by(u64::MAX, m.factor(x)), m.mul(u64::MAX % p, x));
                assert_eq!(m.pow(x, p), x);
                if x > 0 {
                    assert_eq!(m.mul(x, m.inverse(x)), 1, "{x} mod {p}");
                }
            }
        }
    }

    #[test]
    fn composites_are_refused_with_a_factor() {
        for (n, factor) in [
            (4, 2),
            (91, 7),
            (3215031751, 151),
            ((1 << 62) - 1, 3),
            (2147483647 * 2147483629, 2147483629),
        ] {
            let expected = Error::NotPrime { modulus: n, factor };
            assert_eq!(Modulus::new(n), Err(expected));
        }
        for n in [0, 1, 1 << 63, u64::MAX] {
            assert!(matches!(Modulus::new(n), Err(Error::Domain(_))), "{n}");
        }
    }
}
