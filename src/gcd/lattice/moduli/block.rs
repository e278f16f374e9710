//! A block of moduli: its product, and the tables of the Chinese remainder theorem for it.

use std::sync::Arc;

use super::super::basis::{Bound, append};
use super::vectors::{self, DIGIT, DIGIT_MASK, GROUP, PARTS};
use super::{Moduli, negative_inverse};
use crate::modp::Modulus;
use crate::word::mul::{mul, mul_scratch};
use crate::word::row::{mul_word_assign, submul_word};
use crate::word::sum::{add_assign, compare_same, sub_assign, sub_word};
use crate::word::{bit_length, significant};

/// Maximum moduli of a block: see [`vectors::PARTS`].
pub(crate) const MAX_BLOCK: usize = 128;

/// A product M of moduli.
pub(crate) struct Product {
    pub(crate) limbs: Vec<u64>,
    /// At most M.
    pub(crate) below: Bound,
    /// M modulo 2^61 − 1.
    pub(crate) mersenne: u64,
}

impl Product {
    pub(crate) fn new(limbs: Vec<u64>) -> Product {
        let words = limbs
            .iter()
            .rev()
            .flat_map(|limb| [(limb >> 32) as u32, *limb as u32]);
        Product {
            below: Bound::below(&limbs),
            mersenne: words.fold(0, append),
            limbs,
        }
    }
}

/// A set of moduli with product M.
///
/// The moduli are divided into groups of at most eight with products G: modulus i is in group i
/// modulo the number of groups. A sum of the Chinese remainder theorem is Σ c·M/q = Σ M/G·Σ c·G/q,
/// where the outer sum is over the groups and each inner sum is over one group. This keeps the
/// tables short. The tables of a block are used once in a run, and the leader waits for them.
pub(crate) struct Block {
    pub(crate) q: Vec<u32>,
    pub(crate) ninv: Vec<u32>,
    /// R²/(M/q) modulo q.
    inverses: Vec<u32>,
    /// 1/q, for the multiple of M in a sum.
    reciprocals: Vec<f64>,
    tables: Tables,
    /// M.
    pub(crate) product: Product,
}

impl Block {
    pub(crate) fn new(q: &[u32]) -> Block {
        assert!((1..=MAX_BLOCK).contains(&q.len()));
        let groups = q.len().div_ceil(GROUP);
        let group = |g: usize| q.iter().skip(g).step_by(groups);
        // Products of the groups before each, from below, and after each, from above.
        let mut before = vec![vec![1u64]];
        for g in 0..groups {
            before.push(multiplied(&before[g], group(g)));
        }
        let mut after = vec![1u64];
        let mut tables = Tables::new(groups, bit_length(&before[groups]));
        for g in (0..groups).rev() {
            tables.set_high(g, &limb_product(&before[g], &after));
            for (i, one) in group(g).enumerate() {
                let mut others = [1, 0, 0, 0];
                group(g).filter(|other| *other != one).for_each(|other| {
                    assert_eq!(mul_word_assign(&mut others, u64::from(*other), 0), 0)
                });
                tables.set_low(g, i, &others);
            }
            after = multiplied(&after, group(g));
        }
        let ninv: Vec<u32> = q.iter().map(|q| negative_inverse(*q)).collect();
        // (M/q)·R^(2−k) for k moduli.
        let mut others = vec![0; q.len()];
        vectors::products(q, q, &ninv, &mut others);
        // R^6/(M/q·R^(2−k))·R^-k/R² = R²/(M/q).
        let powers = q.iter().map(|p| {
            let modulus = Modulus::new(*p);
            let third = modulus.mul(modulus.square, modulus.square);
            (
                modulus.mul(modulus.mul(third, third), modulus.square),
                without(&modulus, q.len()),
            )
        });
        let (mut inverses, factors): (Vec<u32>, Vec<u32>) = powers.unzip();
        vectors::ratios(q, &ninv, &factors, &others, &mut inverses);
        Block {
            reciprocals: q.iter().map(|q| 1.0 / f64::from(*q)).collect(),
            q: q.to_vec(),
            ninv,
            inverses,
            tables,
            product: Product::new(after),
        }
    }

    /// Returns the T below M with T ≡ u/v modulo every q. No v may be 0.
    pub(crate) fn ratio(&self, u: &[u32], v: &[u32]) -> Vec<u64> {
        let mut c = u.to_vec();
        vectors::ratios(&self.q, &self.ninv, &self.inverses, v, &mut c);
        let ((mut sum, multiple), product) = (self.sum(&c), &self.product.limbs);
        // The estimate of the multiple is at most one off.
        if sub_scaled(&mut sum, product, multiple) {
            while !add_assign(&mut sum, product) {}
        }
        while !is_below(&sum, product) {
            sub_assign(&mut sum, product);
        }
        sum.truncate(product.len());
        sum
    }

    /// Σ c·M/q, one limb longer than M, and an estimate of the quotient by M, rounded down.
    pub(crate) fn sum(&self, c: &[u32]) -> (Vec<u64>, u64) {
        let mut limbs = Vec::with_capacity(self.product.limbs.len() + 3);
        let (mut carry, mut word, mut bits) = (0, 0u128, 0);
        for digit in self.tables.sum(c) {
            // Sums of digits are below 2^63.2, carries below 2^36.
            let sum = digit + carry;
            word |= u128::from(sum & DIGIT_MASK) << bits;
            (carry, bits) = (sum >> DIGIT, bits + DIGIT);
            if bits >= 64 {
                limbs.push(word as u64);
                (word, bits) = (word >> 64, bits - 64);
            }
        }
        debug_assert_eq!(carry, 0);
        limbs.push(word as u64);
        limbs.resize(self.product.limbs.len() + 1, 0);
        let mut parts = [0.0; 8];
        for (c, r) in c.chunks(8).zip(self.reciprocals.chunks(8)) {
            for (part, (c, r)) in parts.iter_mut().zip(c.iter().zip(r)) {
                *part += f64::from(*c) * r;
            }
        }
        (limbs, parts.iter().sum::<f64>() as u64)
    }
}

/// Digits of G/q for each modulus and of M/G for each group.
struct Tables {
    groups: usize,
    /// The groups, and zeros for the lanes above them.
    lanes: usize,
    /// Digit d of G/q, for modulus i of each group: lane by lane at (i·GROUP + d)·lanes.
    low: Vec<u32>,
    /// For each group GROUP zeros, then the digits of M/G, `stride` of them, zeros above.
    high: Vec<u32>,
    stride: usize,
}

impl Tables {
    /// For sums below 2^bits·MAX_BLOCK.
    fn new(groups: usize, bits: u64) -> Tables {
        let lanes = groups.next_multiple_of(8);
        let stride = ((bits + 8).div_ceil(u64::from(DIGIT)) as usize).next_multiple_of(8);
        Tables {
            groups,
            lanes,
            low: vec![0; GROUP * GROUP * lanes],
            high: vec![0; groups * (GROUP + stride)],
            stride,
        }
    }

    fn set_low(&mut self, group: usize, i: usize, value: &[u64]) {
        for d in 0..GROUP {
            self.low[(i * GROUP + d) * self.lanes + group] = digit(value, d);
        }
    }

    fn set_high(&mut self, group: usize, value: &[u64]) {
        let start = group * (GROUP + self.stride) + GROUP;
        for (d, to) in self.high[start..start + self.stride].iter_mut().enumerate() {
            *to = digit(value, d);
        }
    }

    /// Sums of products that make up the digits of Σ c·M/q.
    fn sum(&self, c: &[u32]) -> Vec<u64> {
        let mut padded = vec![0; GROUP * self.lanes];
        for (to, from) in padded.chunks_mut(self.lanes).zip(c.chunks(self.groups)) {
            to[..from.len()].copy_from_slice(from);
        }
        let mut parts = vec![0; PARTS * self.lanes];
        vectors::parts(&padded, &self.low, self.lanes, &mut parts);
        let mut digits = vec![0; self.stride];
        vectors::combine(&parts, self.lanes, &self.high, &mut digits);
        digits
    }
}

/// R^-count modulo q.
fn without(modulus: &Modulus, count: usize) -> u32 {
    // A product takes one R away: from R^-i and R^-j it makes R^-(i + j + 1), so that i + 1 is
    // doubled by a square, and one more by a product with 1.
    let wanted = count + 1;
    let bits = (0..wanted.ilog2()).rev();
    bits.fold(1, |power, bit| {
        let square = modulus.mul(power, power);
        match wanted >> bit & 1 {
            1 => modulus.mul(square, 1),
            _ => square,
        }
    })
}

/// The product of a number and these factors.
fn multiplied<'a>(number: &[u64], factors: impl Iterator<Item = &'a u32>) -> Vec<u64> {
    let mut product = number.to_vec();
    for factor in factors {
        match mul_word_assign(&mut product, u64::from(*factor), 0) {
            0 => {}
            carry => product.push(carry),
        }
    }
    product
}

fn limb_product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0u64; a.len() + b.len()];
    let mut scratch = vec![0; mul_scratch(a.len(), b.len())];
    mul(&mut product, a, b, &mut scratch);
    product.truncate(significant(&product).max(1));
    product
}

/// Digit `i` of the limbs.
fn digit(limbs: &[u64], i: usize) -> u32 {
    let at = i * DIGIT as usize;
    let limb = |i: usize| u128::from(limbs.get(i).copied().unwrap_or(0));
    let pair = limb(at / 64) | limb(at / 64 + 1) << 64;
    ((pair >> (at % 64)) as u64 & DIGIT_MASK) as u32
}

/// a − b·factor into a, which is longer; whether it wrapped around.
fn sub_scaled(a: &mut [u64], b: &[u64], factor: u64) -> bool {
    let (low, high) = a.split_at_mut(b.len());
    let borrow = submul_word(low, b, factor);
    sub_word(high, borrow)
}

/// a < b, for an a that is longer.
fn is_below(a: &[u64], b: &[u64]) -> bool {
    let (low, high) = a.split_at(b.len());
    high.iter().all(|limb| *limb == 0) && compare_same(low, b).is_lt()
}

/// Block `number` of `k` consecutive moduli.
pub(crate) fn block(moduli: &Moduli, k: usize, number: usize) -> Arc<Block> {
    Arc::new(Block::new(&moduli.q[number * k..(number + 1) * k]))
}

#[cfg(test)]
mod tests {
    use malachite_base::num::arithmetic::traits::{DivMod, ModInverse, ModMul};
    use malachite_nz::natural::Natural;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn ratios_are_lifted() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let moduli = Moduli::new(300).unwrap();
        for k in [1, 2, 3, 15, 16, 17, 64, MAX_BLOCK] {
            let block = Block::new(&moduli.q[5..5 + k]);
            let product = Natural::from_limbs_asc(&block.product.limbs);
            for round in 0..20 {
                let mut draw = |least: u32| -> Vec<u32> {
                    let one = |q: &u32| match round {
                        0 => q - 1,
                        1 => least,
                        _ => rng.random_range(least..*q),
                    };
                    block.q.iter().map(one).collect()
                };
                let (u, v) = (draw(0), draw(1));
                let t = Natural::from_limbs_asc(&block.ratio(&u, &v));
                assert!(t < product);
                for ((u, v), q) in u.iter().zip(&v).zip(&block.q) {
                    let rest = (&t).div_mod(Natural::from(*q)).1;
                    let q = u64::from(*q);
                    let inverse = u64::from(*v).mod_inverse(q).unwrap();
                    assert_eq!(rest, Natural::from(u64::from(*u).mod_mul(inverse, q)));
                }
            }
        }
    }
}
