//! Integers modulo 2^256 in two's complement: coefficients and values of the polynomials.

use std::ops::{Add, Neg, Sub};

use crate::number::Natural;
use crate::word::inverse_word;

const LIMBS: usize = 4;

/// Limbs from the lowest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Wide([u64; LIMBS]);

impl Wide {
    /// A number modulo 2^256.
    pub(super) fn from_limbs(limbs: &[u64]) -> Wide {
        Wide(std::array::from_fn(|i| limbs.get(i).copied().unwrap_or(0)))
    }

    /// Whether the number, in two's complement, is negative.
    pub(super) fn is_negative(self) -> bool {
        self.0[LIMBS - 1] >> 63 == 1
    }

    pub(super) fn is_odd(self) -> bool {
        self.0[0] & 1 == 1
    }

    /// self/4, for a multiple of 4.
    pub(super) fn quarter(self) -> Wide {
        Wide(std::array::from_fn(|i| {
            // Above the highest limb are copies of the sign.
            let sign = (self.0[LIMBS - 1] as i64 >> 63) as u64;
            let above = self.0.get(i + 1).copied().unwrap_or(sign);
            self.0[i] >> 2 | above << 62
        }))
    }

    /// |self|, for a number above −2^255.
    pub(super) fn magnitude(self) -> Wide {
        if self.is_negative() { -self } else { self }
    }

    /// The number as a natural number. It must not be negative.
    pub(super) fn to_natural(self) -> Natural {
        Natural::from_limbs(&self.0)
    }

    /// self·word modulo 2^256.
    pub(super) fn times(self, word: u64) -> Wide {
        let mut carry = 0;
        Wide(self.0.map(|limb| {
            let low;
            (low, carry) = limb.carrying_mul(word, carry);
            low
        }))
    }

    /// self·word modulo 2^256, for a signed word.
    pub(super) fn times_signed(self, word: i64) -> Wide {
        let product = self.times(word.unsigned_abs());
        if word < 0 { -product } else { product }
    }

    /// self·other modulo 2^256.
    pub(super) fn product(self, other: Wide) -> Wide {
        let mut sum = [0u64; LIMBS];
        for i in 0..LIMBS {
            let mut carry = 0;
            for j in 0..LIMBS - i {
                let at = &mut sum[i + j];
                (*at, carry) = self.0[i].carrying_mul_add(other.0[j], *at, carry);
            }
        }
        Wide(sum)
    }

    /// 1/self modulo 2^256 for an odd number.
    pub(super) fn inverse(self) -> Wide {
        let mut inverse = Wide::from(inverse_word(self.0[0]));
        // Each step doubles the number of bits that are right.
        for _ in 0..2 {
            inverse = inverse.product(Wide::from(2) - self.product(inverse));
        }
        inverse
    }
}

impl From<u64> for Wide {
    fn from(word: u64) -> Wide {
        Wide::from_limbs(&[word])
    }
}

impl Add for Wide {
    type Output = Wide;

    fn add(self, other: Wide) -> Wide {
        let mut carry = false;
        Wide(std::array::from_fn(|i| {
            let sum;
            (sum, carry) = self.0[i].carrying_add(other.0[i], carry);
            sum
        }))
    }
}

impl Sub for Wide {
    type Output = Wide;

    fn sub(self, other: Wide) -> Wide {
        let mut borrow = false;
        Wide(std::array::from_fn(|i| {
            let difference;
            (difference, borrow) = self.0[i].borrowing_sub(other.0[i], borrow);
            difference
        }))
    }
}

impl Neg for Wide {
    type Output = Wide;

    fn neg(self) -> Wide {
        Wide::default() - self
    }
}

/// A value of a polynomial, not 0, while its primes are divided out.
pub(super) struct Cofactor {
    limbs: [u64; LIMBS],
    len: usize,
}

impl Cofactor {
    pub(super) fn new(value: Wide) -> Cofactor {
        let mut cofactor = Cofactor {
            limbs: value.0,
            len: LIMBS,
        };
        cofactor.shorten();
        cofactor
    }

    fn shorten(&mut self) {
        while self.len > 1 && self.limbs[self.len - 1] == 0 {
            self.len -= 1;
        }
    }

    /// How often 2 divides it; those are divided out.
    pub(super) fn divide_by_twos(&mut self) -> u32 {
        let mut twos = 0;
        while self.limbs[0] == 0 && self.len > 1 {
            self.limbs.copy_within(1.., 0);
            self.limbs[LIMBS - 1] = 0;
            self.len -= 1;
            twos += 64;
        }
        let shift = self.limbs[0].trailing_zeros() % 64;
        if shift > 0 {
            for i in 0..self.len {
                let above = self.limbs.get(i + 1).copied().unwrap_or(0);
                self.limbs[i] = self.limbs[i] >> shift | above << (64 - shift);
            }
            self.shorten();
        }
        twos + shift
    }

    /// Divides by an odd p if p divides it, with p⁻¹ modulo 2^64: exact division from the lowest
    /// limb on leaves no borrow just if p is a divisor.
    pub(super) fn divide(&mut self, p: u32, inverse: u64) -> bool {
        let mut quotient = [0; LIMBS];
        let mut borrow = 0;
        for (limb, q) in self.limbs[..self.len].iter().zip(&mut quotient) {
            let (difference, below) = limb.overflowing_sub(borrow);
            *q = difference.wrapping_mul(inverse);
            let (_, high) = q.carrying_mul(p.into(), 0);
            borrow = high + u64::from(below);
        }
        if borrow != 0 {
            return false;
        }
        self.limbs = quotient;
        self.shorten();
        true
    }

    /// Its bits, as its logarithm rounded up.
    pub(super) fn bits(&self) -> u32 {
        64 * self.len as u32 - self.limbs[self.len - 1].leading_zeros()
    }

    /// The remaining value, if it fits in a word.
    pub(super) fn word(&self) -> Option<u64> {
        (self.len == 1).then_some(self.limbs[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [i128; 9] = [
        0,
        1,
        -1,
        3,
        -7,
        i64::MAX as i128,
        -(1 << 90),
        (1 << 100) + 12_345,
        -(1 << 126) - 1,
    ];

    fn wide(x: i128) -> Wide {
        let magnitude = x.unsigned_abs();
        let wide = Wide::from_limbs(&[magnitude as u64, (magnitude >> 64) as u64]);
        if x < 0 { -wide } else { wide }
    }

    #[test]
    fn arithmetic_is_that_of_shorter_integers() {
        for a in NUMBERS {
            assert_eq!(wide(a).is_negative(), a < 0);
            assert_eq!(wide(a).magnitude(), wide(a.abs()));
            assert_eq!(wide(a).is_odd(), a % 2 != 0);
            assert_eq!(wide(a / 4 * 4).quarter(), wide(a / 4));
            for b in NUMBERS {
                assert_eq!(wide(a / 2) + wide(b / 2), wide(a / 2 + b / 2));
                assert_eq!(wide(a / 2) - wide(b / 2), wide(a / 2 - b / 2));
                let (a, b) = (a >> 64, b >> 64);
                assert_eq!(wide(a).product(wide(b)), wide(a * b));
                assert_eq!(wide(a).times_signed(b as i64), wide(a * b));
            }
        }
    }

    #[test]
    fn inverses_of_odd_numbers() {
        for a in NUMBERS.into_iter().filter(|a| a % 2 != 0) {
            assert_eq!(wide(a).product(wide(a).inverse()), Wide::from(1));
        }
    }

    /// Products of primes are taken apart, at every length, and other primes divide nothing.
    #[test]
    fn cofactors_are_divided_exactly() {
        let primes = [3u32, 5, 65_537, 4_294_967_291];
        let mut value = Wide::from(7);
        for count in 0..10 {
            let p = primes[count % primes.len()];
            value = value.times(p.into()).times(4);
            let mut rest = Cofactor::new(value);
            assert_eq!(rest.divide_by_twos() as usize, 2 * (count + 1));
            assert!(!rest.divide(11, inverse_word(11)));
            let mut found = 0;
            for p in primes {
                while rest.divide(p, inverse_word(p.into())) {
                    found += 1;
                }
            }
            assert_eq!((found, rest.word()), (count + 1, Some(7)));
        }
        assert_eq!(Cofactor::new(wide(1 << 70)).bits(), 71);
    }
}
