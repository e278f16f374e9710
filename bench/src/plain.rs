//! Linear operations on limbs, from their definitions in two's complement: the oracle of the
//! benchmarks of linear operations. Plain loops that share no code with the library.

use std::cmp::Ordering;
use std::iter::repeat;

use bezout::{Int, Result};

use crate::residue;

/// A number: its sign and the limbs of its magnitude, none above the highest nonzero one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    negative: bool,
    limbs: Vec<u64>,
}

/// Orders magnitudes whose highest limb is not 0.
pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let by_length = a.len().cmp(&b.len());
    by_length.then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

impl Number {
    /// The number with this sign and these limbs of the magnitude, the highest of which is not 0.
    pub fn new(negative: bool, limbs: Vec<u64>) -> Number {
        Number { negative, limbs }
    }

    /// A copy of the library's number, fetched from its device.
    pub fn of(x: &Int) -> Result<Number> {
        Ok(Number::new(x.is_negative(), x.try_limbs()?.to_vec()))
    }

    /// The number whose limbs are `count` copies of `limb`, which is not 0.
    pub fn fill(limb: u64, count: usize) -> Number {
        Number::new(false, vec![limb; count])
    }

    /// Whether this is below 0.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The limbs of the magnitude.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Whether this is the number with this sign and these limbs of the magnitude.
    pub fn is(&self, negative: bool, limbs: &[u64]) -> bool {
        self.negative == negative && self.limbs == limbs
    }

    /// The residue modulo the random prime.
    pub fn residue(&self) -> u64 {
        residue::signed(self.negative, &self.limbs)
    }

    /// Digits of the two's complement, least significant first, without end.
    fn digits(&self) -> impl Iterator<Item = u64> {
        let negative = self.negative;
        let mut carry = negative;
        let limbs = self.limbs.iter().copied().chain(repeat(0));
        limbs.map(move |limb| {
            if !negative {
                return limb;
            }
            let (digit, over) = (!limb).overflowing_add(u64::from(carry));
            carry = over;
            digit
        })
    }

    /// The number with this two's complement, whose highest bit is the sign.
    fn of_digits(mut digits: Vec<u64>) -> Number {
        let negative = digits.last().is_some_and(|top| top >> 63 == 1);
        let mut carry = negative;
        if negative {
            for digit in &mut digits {
                (*digit, carry) = (!*digit).overflowing_add(u64::from(carry));
            }
        }
        let length = digits.iter().rposition(|digit| *digit != 0);
        digits.truncate(length.map_or(0, |top| top + 1));
        Number::new(negative, digits)
    }

    /// Digits that hold the sum or any bitwise combination of both numbers, with its sign.
    fn width(&self, other: &Number) -> usize {
        self.limbs.len().max(other.limbs.len()) + 1
    }

    /// `op` on each pair of digits.
    pub fn bitwise(&self, other: &Number, op: fn(u64, u64) -> u64) -> Number {
        let pairs = self.digits().zip(other.digits());
        let digits = pairs.map(|(x, y)| op(x, y)).take(self.width(other));
        Number::of_digits(digits.collect())
    }

    /// !self.
    pub fn not(&self) -> Number {
        let digits = self.digits().map(|x| !x).take(self.width(self));
        Number::of_digits(digits.collect())
    }

    /// self + other.
    pub fn add(&self, other: &Number) -> Number {
        self.sum(other, 0, false)
    }

    /// self − other, which is self + !other + 1.
    pub fn sub(&self, other: &Number) -> Number {
        self.sum(other, u64::MAX, true)
    }

    /// self + (other ^ mask) + carry, where the mask inverts all digits or none.
    fn sum(&self, other: &Number, mask: u64, mut carry: bool) -> Number {
        let pairs = self.digits().zip(other.digits());
        let digits = pairs.map(|(x, y)| {
            let (sum, first) = x.overflowing_add(y ^ mask);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            sum
        });
        Number::of_digits(digits.take(self.width(other)).collect())
    }

    /// self·2^count.
    pub fn shl(&self, count: usize) -> Number {
        let (words, bits) = (count / 64, count % 64);
        let mut carry = 0u128;
        let shifted = self.digits().map(|x| {
            let both = (u128::from(x) << bits) | carry;
            carry = both >> 64;
            both as u64
        });
        let digits = std::iter::repeat_n(0, words).chain(shifted);
        Number::of_digits(digits.take(self.limbs.len() + words + 2).collect())
    }

    /// The floor of self / 2^count.
    pub fn shr(&self, count: usize) -> Number {
        let (words, bits) = (count / 64, count % 64);
        let pairs = self.digits().zip(self.digits().skip(1)).skip(words);
        let joined = pairs.map(|(low, high)| {
            let both = (u128::from(high) << 64) | u128::from(low);
            (both >> bits) as u64
        });
        Number::of_digits(joined.take(self.limbs.len() + 1).collect())
    }

    /// The number of one bits; none for infinitely many.
    pub fn count_ones(&self) -> Option<u64> {
        let ones = self.limbs.iter().map(|x| u64::from(x.count_ones()));
        (!self.negative).then(|| ones.sum())
    }

    /// The number of bits that differ; none for infinitely many.
    pub fn hamming_distance(&self, other: &Number) -> Option<u64> {
        self.bitwise(other, |x, y| x ^ y).count_ones()
    }

    /// The order of both numbers.
    pub fn cmp(&self, other: &Number) -> Ordering {
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => compare(&self.limbs, &other.limbs),
            (true, true) => compare(&other.limbs, &self.limbs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of up to three limbs around powers of two, small enough for i128 in pairs.
    fn words() -> Vec<i128> {
        let powers = [0u32, 1, 5, 63, 64, 65, 100];
        let near = powers.map(|k| [(1i128 << k) - 1, 1 << k, (1 << k) + 1]);
        let near = near.into_iter().flatten();
        near.flat_map(|x| [x, -x]).collect()
    }

    fn number(x: i128) -> Number {
        let size = x.unsigned_abs();
        let mut limbs = vec![size as u64, (size >> 64) as u64];
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Number::new(x < 0, limbs)
    }

    #[test]
    fn operations_agree_with_machine_words() {
        for x in words() {
            let a = number(x);
            assert_eq!(a.not(), number(!x), "!{x}");
            let ones = (x >= 0).then_some(u64::from(x.count_ones()));
            assert_eq!(a.count_ones(), ones, "{x}");
            for count in [0, 1, 3, 20] {
                assert_eq!(a.shl(count), number(x << count), "{x} << {count}");
            }
            for count in [0, 1, 63, 64, 67] {
                assert_eq!(a.shr(count), number(x >> count), "{x} >> {count}");
                assert_eq!(a.shl(count).shr(count), a, "{x}, {count}");
            }
            for y in words() {
                let b = number(y);
                assert_eq!(a.add(&b), number(x + y), "{x} + {y}");
                assert_eq!(a.sub(&b), number(x - y), "{x} - {y}");
                assert_eq!(a.bitwise(&b, |p, q| p & q), number(x & y), "{x} & {y}");
                assert_eq!(a.bitwise(&b, |p, q| p | q), number(x | y), "{x} | {y}");
                assert_eq!(a.bitwise(&b, |p, q| p ^ q), number(x ^ y), "{x} ^ {y}");
                assert_eq!(a.cmp(&b), x.cmp(&y), "{x} {y}");
                let differ = x ^ y;
                let distance = (differ >= 0).then_some(u64::from(differ.count_ones()));
                assert_eq!(a.hamming_distance(&b), distance, "{x} {y}");
            }
        }
    }
}
