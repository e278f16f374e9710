//! The moduli, and what is known in advance of each block of them: its product, and the basis of the Chinese remainder theorem.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::bound::Bound;
use super::lanes;
use super::step::sub_limbs;
use crate::modp::{Modulus, primes};

/// Bits of a modulus.
pub(super) const MODULUS_BITS: u32 = 31;
/// Bits of a digit of the tables: a digit times a residue, `MAX_BLOCK` times, fits 64 bits.
const DIGIT: u32 = 26;
/// Most moduli of a block.
pub(super) const MAX_BLOCK: usize = 1 << (64 - DIGIT - MODULUS_BITS);
/// Moduli the tables of whose blocks are kept: those of numbers up to two million bits, 160 bytes each in blocks of 32.
const KEPT: usize = 1 << 17;

/// The moduli of a run with their constants.
pub(super) struct Moduli {
    pub(super) q: Arc<Vec<u32>>,
    /// −1/q modulo 2^32.
    pub(super) ninv: Arc<Vec<u32>>,
}

impl Moduli {
    /// At least `count` moduli, largest first; none where there are not so many.
    pub(super) fn new(count: usize) -> Option<Moduli> {
        static NINV: Mutex<Option<Arc<Vec<u32>>>> = Mutex::new(None);
        let q = primes::largest(MODULUS_BITS, count);
        if q.len() < count {
            return None;
        }
        let mut known = NINV.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ninv = known.take().unwrap_or_default();
        if ninv.len() < count {
            let own = Arc::make_mut(&mut ninv);
            own.extend(q[own.len()..].iter().map(|q| negative_inverse(*q)));
        }
        *known = Some(ninv.clone());
        Some(Moduli { q, ninv })
    }
}

fn negative_inverse(q: u32) -> u32 {
    Modulus::new(q).inverse.wrapping_neg()
}

/// A set of moduli with product M.
pub(super) struct Block {
    pub(super) q: Vec<u32>,
    pub(super) ninv: Vec<u32>,
    /// 1/(M/q) modulo q.
    inverses: Vec<u32>,
    /// 1/q, for the multiple of M in a sum.
    reciprocals: Vec<f64>,
    /// The digits of M/q for each q, `stride` of them, zeros above.
    rows: Vec<u32>,
    stride: usize,
    /// M.
    pub(super) product: Vec<u64>,
    /// At most M.
    pub(super) below: Bound,
}

impl Block {
    pub(super) fn new(q: &[u32]) -> Block {
        assert!((1..=MAX_BLOCK).contains(&q.len()));
        let mut product = vec![1u64];
        for q in q {
            let mut carry = 0;
            for limb in &mut product {
                let sum = u128::from(*limb) * u128::from(*q) + carry;
                (*limb, carry) = (sum as u64, sum >> 64);
            }
            if carry > 0 {
                product.push(carry as u64);
            }
        }
        let stride = digits_of(&product).next_multiple_of(8);
        let mut rows = Vec::with_capacity(q.len() * stride);
        for q in q {
            let mut quotient = product.clone();
            let mut rest = 0;
            for limb in quotient.iter_mut().rev() {
                let mut halves = [0; 2];
                for (half, shift) in halves.iter_mut().zip([32, 0]) {
                    let digit = rest << 32 | *limb >> shift & u64::from(u32::MAX);
                    (*half, rest) = (digit / u64::from(*q), digit % u64::from(*q));
                }
                *limb = halves[0] << 32 | halves[1];
            }
            debug_assert_eq!(rest, 0);
            rows.extend((0..stride).map(|i| digit(&quotient, i)));
        }
        let ninv: Vec<u32> = q.iter().map(|q| negative_inverse(*q)).collect();
        let mut inverses = vec![0; q.len()];
        lanes::products(q, q, &ninv, &mut inverses);
        for (inverse, p) in inverses.iter_mut().zip(q) {
            let modulus = Modulus::new(*p);
            // The product of n factors came times R^(1−n); each product with 1 takes one R away.
            *inverse = match q.len() - 1 {
                0 => 1,
                n => (1..n).fold(modulus.inv(*inverse), |x, _| modulus.mul(x, 1)),
            };
        }
        Block {
            below: Bound::below(&product),
            reciprocals: q.iter().map(|q| 1.0 / f64::from(*q)).collect(),
            q: q.to_vec(),
            ninv,
            inverses,
            rows,
            stride,
            product,
        }
    }

    /// The T below M with T ≡ u/v modulo every q; no v is 0.
    pub(super) fn ratio(&self, u: &[u32], v: &[u32]) -> Vec<u64> {
        let mut c = u.to_vec();
        lanes::ratios(&self.q, &self.ninv, &self.inverses, v, &mut c);
        let (mut sum, multiple) = self.sum(&c);
        // The estimate of the multiple is at most one off.
        if sub_scaled(&mut sum, &self.product, multiple) {
            while !add_limbs(&mut sum, &self.product) {}
        }
        while !is_below(&sum, &self.product) {
            sub_limbs(&mut sum, &self.product);
        }
        sum.truncate(self.product.len());
        sum
    }

    /// Σ c·M/q, one limb longer than M, and about which multiple of M it is, rounded down.
    pub(super) fn sum(&self, c: &[u32]) -> (Vec<u64>, u64) {
        let mut digits = vec![0; self.stride];
        lanes::combine(c, &self.rows, &mut digits);
        let mut limbs = vec![0; self.product.len() + 1];
        let mut carry = 0;
        let used = digits_of(&self.product);
        for (i, digit) in digits.into_iter().take(used).enumerate() {
            let sum = u128::from(digit) + carry;
            let (at, low) = (i * DIGIT as usize, sum as u64 & ((1 << DIGIT) - 1));
            limbs[at / 64] |= low << (at % 64);
            if at % 64 + DIGIT as usize > 64 {
                limbs[at / 64 + 1] |= low >> (64 - at % 64);
            }
            carry = sum >> DIGIT;
        }
        let at = used * DIGIT as usize;
        let rest = carry << (at % 64);
        limbs[at / 64] |= rest as u64;
        debug_assert_eq!(rest >> 64, 0);
        let parts = c.iter().zip(&self.reciprocals);
        let whole: f64 = parts.map(|(c, r)| f64::from(*c) * r).sum();
        (limbs, whole as u64)
    }
}

/// Digits of a number as long as these limbs.
fn digits_of(limbs: &[u64]) -> usize {
    (64 * limbs.len()).div_ceil(DIGIT as usize)
}

/// Digit `i` of the limbs.
fn digit(limbs: &[u64], i: usize) -> u32 {
    let at = i * DIGIT as usize;
    let limb = |i: usize| u128::from(limbs.get(i).copied().unwrap_or(0));
    let pair = limb(at / 64) | limb(at / 64 + 1) << 64;
    (pair >> (at % 64)) as u32 & ((1 << DIGIT) - 1)
}

/// a − b·factor into a, which is longer; whether it wrapped around.
fn sub_scaled(a: &mut [u64], b: &[u64], factor: u64) -> bool {
    let mut borrow = 0;
    for (i, limb) in a.iter_mut().enumerate() {
        let part = u128::from(b.get(i).copied().unwrap_or(0)) * u128::from(factor) + borrow;
        let (rest, wrapped) = limb.overflowing_sub(part as u64);
        (*limb, borrow) = (rest, (part >> 64) + u128::from(wrapped));
    }
    borrow != 0
}

/// a + b into a, which is longer; whether it wrapped around.
fn add_limbs(a: &mut [u64], b: &[u64]) -> bool {
    let mut carry = false;
    for (i, limb) in a.iter_mut().enumerate() {
        let (sum, c1) = limb.overflowing_add(b.get(i).copied().unwrap_or(0));
        let (sum, c2) = sum.overflowing_add(carry.into());
        (*limb, carry) = (sum, c1 | c2);
    }
    carry
}

/// a < b, for an a that is longer.
fn is_below(a: &[u64], b: &[u64]) -> bool {
    let (low, high) = a.split_at(b.len());
    high.iter().all(|limb| *limb == 0) && low.iter().rev().lt(b.iter().rev())
}

/// The first blocks of `k` consecutive moduli: `count` of them, or as many as are kept.
///
/// Threads make them, so nobody may ask while a kernel waits for him: the threads may be waiting for that kernel.
pub(super) fn first_blocks(moduli: &Moduli, k: usize, count: usize) -> Vec<Arc<Block>> {
    static KNOWN: Mutex<Vec<(usize, Vec<Arc<Block>>)>> = Mutex::new(Vec::new());
    let count = count.min(KEPT / k);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut list = match known().iter().find(|(size, _)| *size == k) {
        Some((_, list)) if list.len() >= count => return list[..count].to_vec(),
        Some((_, list)) => list.clone(),
        None => Vec::new(),
    };
    // Unlocked: a thread that waits for the others may take up work that asks the same.
    let range = list.len()..count;
    let more: Vec<Arc<Block>> = range.into_par_iter().map(|b| block(moduli, k, b)).collect();
    list.extend(more);
    let mut known = known();
    match known.iter_mut().find(|(size, _)| *size == k) {
        Some((_, kept)) if kept.len() >= count => {}
        Some((_, kept)) => *kept = list.clone(),
        None => known.push((k, list.clone())),
    }
    list
}

/// Block `number` of `k` consecutive moduli.
pub(super) fn block(moduli: &Moduli, k: usize, number: usize) -> Arc<Block> {
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
            let product = Natural::from_limbs_asc(&block.product);
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
