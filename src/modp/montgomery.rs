//! One odd modulus of at most 32 bits. Products are Montgomery's: mul(x, y) = x·y/2^32.

use crate::word::inverse_word;
use crate::word::montgomery::reduce_32;

/// An odd modulus p, 3 ≤ p < 2^32, and its constants; `Modulus` of modp.cuh is its twin, word for
/// word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Modulus {
    pub(crate) p: u32,
    /// 1/p modulo 2^32.
    pub(crate) inverse: u32,
    /// 2^32 mod p: one in Montgomery's form.
    pub(crate) one: u32,
    /// 2^64 mod p: mul(x, square) is x in Montgomery's form.
    pub(crate) square: u32,
}

impl Modulus {
    pub(crate) fn new(p: u32) -> Modulus {
        assert!(p % 2 == 1 && p >= 3);
        let inverse = inverse_word(p.into()) as u32;
        let one = ((1u64 << 32) % u64::from(p)) as u32;
        let square = (u64::from(one) * u64::from(one) % u64::from(p)) as u32;
        Modulus {
            p,
            inverse,
            one,
            square,
        }
    }

    /// x·y/2^32 in [0, p), for x·y < 2^32·p.
    #[inline]
    pub(crate) fn mul(self, x: u32, y: u32) -> u32 {
        reduce_32(u64::from(x) * u64::from(y), self.p, self.inverse)
    }
}

/// The twins of functions of `modp.cuh` that the host has no other use for: its tests compare both.
#[cfg(test)]
impl Modulus {
    /// 1/x mod p in [0, p), for x coprime to p and 0 < x < p.
    pub(crate) fn inv(self, x: u32) -> u32 {
        // Cofactors of Euclid's algorithm: |y| ≤ p/r of the row before, so i64 is ample.
        let (mut a, mut b) = (i64::from(self.p), i64::from(x));
        let (mut old, mut new) = (0i64, 1i64);
        while b > 1 {
            let quotient = a / b;
            (a, b) = (b, a - quotient * b);
            (old, new) = (new, old - quotient * new);
        }
        new.rem_euclid(i64::from(self.p)) as u32
    }

    /// x + y in [0, p), for both in it.
    #[inline]
    pub(crate) fn add(self, x: u32, y: u32) -> u32 {
        let (sum, carry) = x.overflowing_add(y);
        if carry || sum >= self.p {
            sum.wrapping_sub(self.p)
        } else {
            sum
        }
    }

    /// x − y in [0, p), for both in it.
    #[inline]
    pub(crate) fn sub(self, x: u32, y: u32) -> u32 {
        let (difference, borrow) = x.overflowing_sub(y);
        if borrow {
            difference.wrapping_add(self.p)
        } else {
            difference
        }
    }

    /// x·y mod p in [0, p), for any x and any y < p.
    #[inline]
    pub(crate) fn mul_plain(self, x: u32, y: u32) -> u32 {
        self.mul(self.mul(x, self.square), y)
    }

    /// The symmetric residue of x in [0, p): between −(p − 1)/2 and (p − 1)/2.
    #[inline]
    pub(crate) fn symmetric(self, x: u32) -> i32 {
        if x > self.p / 2 {
            x.wrapping_sub(self.p) as i32
        } else {
            x as i32
        }
    }

    /// The residue in [0, p) of x, |x| < p.
    #[inline]
    pub(crate) fn residue(self, x: i32) -> u32 {
        if x < 0 {
            (x as u32).wrapping_add(self.p)
        } else {
            x as u32
        }
    }

    /// The residue in [0, p) of limbs, low one first.
    pub(crate) fn reduce(self, limbs: &[u64]) -> u32 {
        // From the top: r·2^32 + half, a Montgomery product by 2^64 mod p and a sum.
        let step = |r: u32, half: u32| {
            let half = if half >= self.p { half % self.p } else { half };
            self.add(self.mul(r, self.square), half)
        };
        limbs.iter().rev().fold(0, |r, limb| {
            step(step(r, (limb >> 32) as u32), *limb as u32)
        })
    }
}
