//! A step: the basis B of a block's lattice, as signed limbs while the leader reduces it, and as
//! 32-bit words as the followers read it.

use super::mersenne;
use crate::number::{Integer, Natural};
use crate::word::bit_length;
use crate::word::sum::{add_assign, negate, sub_assign};

/// A signed number of a basis: limbs least significant first, none of them 0 at the top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) negative: bool,
    pub(crate) limbs: Vec<u64>,
}

/// The basis in 32-bit words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// One word of each of a1, b1, a2, b2, lowest first.
    words: Vec<[u32; 4]>,
    /// Bits 0 to 3: a1, b1, a2, b2 are negative.
    signs: u8,
}

impl Entry {
    pub(crate) fn new(negative: bool, mut limbs: Vec<u64>) -> Entry {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Entry { negative, limbs }
    }

    pub(crate) fn one() -> Entry {
        Entry::new(false, vec![1])
    }

    /// self − c·2^shift·y, |c| < 2^53.
    pub(crate) fn sub_scaled(&mut self, c: i64, shift: u64, y: &Entry) {
        if shift == 0 {
            return self.sub_multiple(c, y);
        }
        let mut product = vec![0; (shift / 64) as usize];
        let (size, mut carry) = (u128::from(c.unsigned_abs()) << (shift % 64), 0u128);
        // c is below 2^53 and the shift within a limb below 64, so each term fits after it is split
        // in two.
        let (low, high) = (size & u128::from(u64::MAX), size >> 64);
        let mut before = 0u64;
        for limb in y.limbs.iter().copied().chain([0, 0]) {
            let sum = u128::from(limb) * low + carry;
            let more = u128::from(before) * high + u128::from(sum as u64);
            product.push(more as u64);
            carry = (sum >> 64) + (more >> 64);
            before = limb;
        }
        debug_assert_eq!(carry, 0);
        let negative = (c < 0) != y.negative;
        if self.negative != negative {
            add(&mut self.limbs, &product);
        } else if sub(&mut self.limbs, &product) {
            self.negative = !self.negative;
        }
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }
}

impl Entry {
    /// self − c·y for |c| < 2^53, in one pass.
    fn sub_multiple(&mut self, c: i64, y: &Entry) {
        // self's sign times this is ±|self| ∓ |c|·|y|.
        let less = (c < 0) == (self.negative != y.negative);
        let factor = if less {
            -i128::from(c.unsigned_abs())
        } else {
            i128::from(c.unsigned_abs())
        };
        let len = self.limbs.len().max(y.limbs.len()) + 1;
        self.limbs.resize(len, 0);
        let mut carry = 0i128;
        for (i, limb) in self.limbs.iter_mut().enumerate() {
            let other = y.limbs.get(i).copied().unwrap_or(0);
            // At most 2^117 in magnitude.
            carry += i128::from(*limb) + i128::from(other) * factor;
            *limb = carry as u64;
            carry >>= 64;
        }
        if carry < 0 {
            negate(&mut self.limbs);
            self.negative = !self.negative;
        }
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }
}

/// Writes a + b to a.
fn add(a: &mut Vec<u64>, b: &[u64]) {
    a.resize(a.len().max(b.len()) + 1, 0);
    add_assign(a, b);
}

/// Writes |a − b| to a. Returns whether the difference is negative.
fn sub(a: &mut Vec<u64>, b: &[u64]) -> bool {
    a.resize(a.len().max(b.len()), 0);
    let borrow = sub_assign(a, b);
    if borrow {
        negate(a);
    }
    borrow
}

impl Step {
    /// Rows (a1, b1) and (a2, b2).
    pub(crate) fn new(entries: [&Entry; 4]) -> Step {
        let bits = entries.map(|entry| bit_length(&entry.limbs));
        let count = bits.into_iter().max().unwrap_or(0).div_ceil(32) as usize;
        let word = |entry: &Entry, i: usize| match entry.limbs.get(i / 2) {
            Some(limb) => (limb >> (32 * (i % 2))) as u32,
            None => 0,
        };
        let signs = entries
            .iter()
            .enumerate()
            .map(|(i, entry)| u8::from(entry.negative) << i);
        Step {
            words: (0..count)
                .map(|i| entries.map(|entry| word(entry, i)))
                .collect(),
            signs: signs.sum(),
        }
    }

    /// The step that changes nothing.
    pub(crate) fn identity() -> Step {
        Step {
            words: vec![[1, 0, 0, 1]],
            signs: 0,
        }
    }

    pub(crate) fn from_words(words: Vec<[u32; 4]>, signs: u8) -> Step {
        Step { words, signs }
    }

    /// The entries modulo 2^61 − 1.
    pub(crate) fn modulo_mersenne(&self) -> [u64; 4] {
        let mut rests = [0; 4];
        for words in self.words.iter().rev() {
            for (rest, word) in rests.iter_mut().zip(words) {
                *rest = mersenne::append(*rest, *word);
            }
        }
        for (i, rest) in rests.iter_mut().enumerate() {
            if self.signs >> i & 1 == 1 {
                *rest = mersenne::sub(0, *rest);
            }
        }
        rests
    }

    /// The entries in words of 52 bits.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn wide_words(&self) -> Vec<[i64; 4]> {
        let word = |i: usize, e: usize| self.words.get(i).map_or(0, |words| u128::from(words[e]));
        let wide = |i: usize| {
            let (from, shift) = (52 * i / 32, 52 * i % 32);
            std::array::from_fn(|e| {
                let three = word(from, e) | word(from + 1, e) << 32 | word(from + 2, e) << 64;
                (three >> shift) as i64 & ((1 << 52) - 1)
            })
        };
        (0..(32 * self.words.len()).div_ceil(52))
            .map(wide)
            .collect()
    }

    /// a1, b1, a2, b2.
    pub(crate) fn entries(&self) -> [Integer; 4] {
        std::array::from_fn(|i| {
            let word = |pair: &[[u32; 4]], at: usize| pair.get(at).map_or(0, |w| u64::from(w[i]));
            let limbs = self
                .words
                .chunks(2)
                .map(|pair| word(pair, 0) | word(pair, 1) << 32);
            let size = Natural::from_vec(limbs.collect());
            Integer::from_parts(self.signs >> i & 1 == 1, size)
        })
    }

    pub(crate) fn words(&self) -> &[[u32; 4]] {
        &self.words
    }

    pub(crate) fn signs(&self) -> u8 {
        self.signs
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn value(entry: &Entry) -> Integer {
        let size = Integer::from(Natural::from_limbs(&entry.limbs));
        if entry.negative {
            size * Integer::NEGATIVE_ONE
        } else {
            size
        }
    }

    #[test]
    fn scaled_differences() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        for _ in 0..2000 {
            let mut random = |n: usize| {
                let limbs = (0..n).map(|_| match rng.random_range(0..4) {
                    0 => u64::MAX,
                    _ => rng.random(),
                });
                Entry::new(false, limbs.collect())
            };
            let (mut x, mut y) = (random(3), random(2));
            (x.negative, y.negative) = (rng.random(), rng.random());
            let c = rng.random_range(-(1i64 << 53)..1 << 53);
            let shift = if rng.random() {
                0
            } else {
                rng.random_range(0..200)
            };
            let expected = value(&x) - ((value(&y) * Integer::from(c)) << shift);
            x.sub_scaled(c, shift, &y);
            assert_eq!(value(&x), expected);
        }
    }
}
