//! Fig. 1 of Weber, Trevisan and Martins: the basic algorithm on integers, without residues. The
//! bounds of their theorems are computed too, for comparison.
//!
//! n is the number of bits of U, i counts iterations from 1, and m and M are the smallest and the
//! largest modulus.
//!
//! - Theorem 2: lg|V_i| < n − i + 2 while V_i ≠ 0, so there are at most n + 2 iterations. It
//!   supposes π(m) > max(n, 9).
//! - Lemma 3: at least ‖Q‖ − ⌊i + (n + 3 − i)/lg m − 1⌋ moduli can be chosen in iteration i.
//! - The heuristic model: the quotients of those moduli are independent and uniform, so the
//!   expected |b_i| is 0.5·M/(‖P_i‖ + 1).
//! - Lemma 4: with n + 1 + 0.5·M/√m moduli, at most ⌈2n/lg(m/φ²)⌉ + 1 iterations on average, and by
//!   theorem 5 that is O(n/w).
//! - Theorem 6: 2·|U_N| is below the product of the remaining moduli.
//!
//! The paper finds b shorter than the model says, 13.7 bits where 0.5·M/‖P‖ has 15. The model is
//! right, though: the least of many uniform values is about exponentially distributed, and the mean
//! of its *logarithm* is γ/ln 2 = 0.83 below the logarithm of its mean. A number x has ⌊lg x⌋ + 1
//! bits, half a bit above lg x on average. That makes 14.0 − 0.83 + 0.5 = 13.67.

use std::f64::consts::LN_2;

use super::plan::Moduli;
use super::{Count, Options};
use crate::error::Result;
use crate::number::{Integer, Natural};
use crate::word::residue::inverse;

/// Euler's constant.
const GAMMA: f64 = 0.577_215_664_901_532_9;

/// Maximum iterations for numbers of n bits (theorem 2).
pub fn most_iterations(n: u64) -> u64 {
    n + 2
}

/// Minimum number of moduli that can be chosen in iteration i (lemma 3).
pub fn least_choice(moduli: u64, n: u64, i: u64, least: f64) -> f64 {
    let gone = i as f64 + (n as f64 + 3.0 - i as f64) / least.log2() - 1.0;
    moduli as f64 - gone.floor()
}

/// Mean bits of the smallest of `moduli` uniform quotients up to half of `largest`.
pub fn expected_b_bits(moduli: f64, largest: f64) -> f64 {
    (0.5 * largest / (moduli + 1.0)).log2() - GAMMA / LN_2 + 0.5
}

/// Bits of 0.5·M/‖P‖, which the paper has for the model's prediction.
pub fn published_b_bits(moduli: f64, largest: f64) -> f64 {
    (0.5 * largest / moduli).log2() + 1.0
}

/// Upper bound of the average number of iterations, for at least [`moduli_of_average`] moduli
/// (lemma 4).
pub fn average_iterations(n: u64, least: f64) -> f64 {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    (2.0 * n as f64 / (least / (golden * golden)).log2()).ceil() + 1.0
}

/// The number of moduli that lemma 4 assumes.
pub fn moduli_of_average(n: u64, least: f64, largest: f64) -> f64 {
    n as f64 + 1.0 + 0.5 * largest / least.sqrt()
}

/// The counts of a run of the basic algorithm, and the bounds of the theorems.
#[derive(Debug, Clone, PartialEq)]
pub struct Basic {
    /// n, the bits of U.
    pub size: u64,
    /// The number of moduli, and the smallest and the largest of them.
    pub moduli: (u64, u64, u64),
    /// Iterations; theorem 2 allows n + 2.
    pub iterations: u64,
    /// The minimum of n − i + 2 − lg|V_i|, which is above 0 by theorem 2.
    pub spare_bits: f64,
    /// The minimum of ‖P_i‖ minus the bound of lemma 3, which is not below 0.
    pub spare_choice: f64,
    /// Mean bits of b.
    pub b_bits: f64,
    /// Bits of the product of the remaining moduli minus those of 2·|U_N|, above 0 by theorem 6.
    pub spare_product: f64,
}

/// lg x, for x > 0.
fn lg(x: &Natural) -> f64 {
    let bits = x.bit_length();
    let shift = bits.saturating_sub(64);
    let top = (x >> shift).limbs()[0];
    (top as f64).log2() + shift as f64
}

/// x mod q.
fn residue(x: &Integer, q: u64) -> u64 {
    let rest = x.magnitude().rem_word(q);
    if x.is_negative() && rest > 0 {
        q - rest
    } else {
        rest
    }
}

/// gcd(u, v) for u ≥ v > 0 by the basic algorithm with the worst-case count of primes of `bits`
/// bits, and the counts of the run.
pub(crate) fn run(u: &Natural, v: &Natural, bits: u32) -> Result<(Natural, Basic)> {
    let count = Count::Worst;
    let n = u.bit_length();
    let list = Moduli::new(Options { bits, count }, n, 40)?;
    let mut set: Vec<u64> = (0..list.len()).map(|i| list.get(i)).collect();
    let (largest, least) = (set[0], set[set.len() - 1]);
    let moduli = set.len() as u64;
    let [mut u, mut v] = [u, v].map(|x| Integer::from(x.clone()));
    let mut done = Basic {
        size: n,
        moduli: (moduli, least, largest),
        iterations: 0,
        spare_bits: f64::INFINITY,
        spare_choice: f64::INFINITY,
        b_bits: 0.0,
        spare_product: 0.0,
    };
    loop {
        done.iterations += 1;
        let i = done.iterations;
        let quotients = set.iter().enumerate().filter_map(|(place, &q)| {
            // None if the prime q divides V.
            let inverse = inverse(residue(&v, q), q)?;
            let product = u128::from(residue(&u, q)) * u128::from(inverse);
            let t = (product % u128::from(q)) as u64;
            Some((t.min(q - t), place, if t > q / 2 { -1 } else { 1 }))
        });
        let quotients: Vec<(u64, usize, i64)> = quotients.collect();
        let choice = quotients.len() as f64 - least_choice(moduli, n, i, least as f64);
        done.spare_choice = done.spare_choice.min(choice);
        let best = quotients.into_iter().min();
        let Some((size, place, sign)) = best else {
            unreachable!("lemma 3: a modulus is left that does not divide V")
        };
        done.b_bits += f64::from(64 - size.leading_zeros());
        let p = set.remove(place);
        let product = &v * &Integer::from(sign * size as i64);
        let (negative, magnitude) = {
            let difference = &u - &product;
            (difference.is_negative(), difference.into_magnitude())
        };
        let next = Integer::from_parts(negative, &magnitude / &Natural::from(p));
        (u, v) = (v, next);
        if v.is_zero() {
            break;
        }
        let spare = (n as f64 - i as f64 + 2.0) - lg(v.magnitude());
        done.spare_bits = done.spare_bits.min(spare);
    }
    done.b_bits /= done.iterations as f64;
    let left: f64 = set.iter().map(|q| (*q as f64).log2()).sum();
    done.spare_product = left - lg(u.magnitude()) - 1.0;
    Ok((u.into_magnitude(), done))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::tests::support::random_bits as random;

    fn check(a: &Natural, b: &Natural, bits: u32) -> Basic {
        let (a, b) = if a < b { (b, a) } else { (a, b) };
        let (g, done) = run(a, b, bits).unwrap();
        assert_eq!(g, a.gcd(b), "{a} {b}");
        assert!(done.iterations <= most_iterations(done.size), "{done:?}");
        assert!(done.spare_bits > 0.0, "{done:?}");
        assert!(done.spare_choice >= 0.0, "{done:?}");
        assert!(done.spare_product > 0.0, "{done:?}");
        done
    }

    #[test]
    fn the_theorems_hold() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(51);
        for bits in [16, 20] {
            for size in [1, 2, 16, 33, 64, 200, 500] {
                let (a, b) = (random(size, &mut rng), random(size, &mut rng));
                let g = random(size / 2 + 1, &mut rng);
                check(&a, &b, bits);
                check(&(&a * &g), &(&b * &g), bits);
                check(&a, &Natural::from(1u32), bits);
                check(&(&a * &b), &b, bits);
            }
            // Many moduli divide V.
            let list = crate::modp::primes::largest(bits, 30);
            let product = |range: &[u32]| {
                let all = range.iter().map(|p| Natural::from(*p));
                all.fold(Natural::from(1u32), |x, y| x * y)
            };
            check(&product(&list[..20]), &product(&list[10..30]), bits);
            let (mut old, mut new) = (Natural::from(0u32), Natural::from(1u32));
            for _ in 0..300 {
                (old, new) = (new.clone(), old + &new);
            }
            check(&new, &old, bits);
        }
    }

    #[test]
    fn the_model_is_met() {
        // 2^17 moduli of 32 bits: the paper predicts 15 bits and measures 13.7.
        let (moduli, largest) = (f64::from(1 << 17), 4_294_967_291.0);
        assert!((published_b_bits(moduli, largest) - 15.0).abs() < 0.01);
        assert!((expected_b_bits(moduli, largest) - 13.67).abs() < 0.01);
        assert_eq!(average_iterations(4096, 4_292_056_541.0), 269.0);
        assert_eq!(most_iterations(4096), 4098);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(52);
        let (mut measured, mut expected) = (0.0, 0.0);
        for _ in 0..5 {
            let done = check(&random(400, &mut rng), &random(400, &mut rng), 24);
            let (moduli, least, largest) = done.moduli;
            let middle = moduli as f64 - done.iterations as f64 / 2.0;
            measured += done.b_bits / 5.0;
            expected += expected_b_bits(middle, largest as f64) / 5.0;
            assert!(done.iterations as f64 <= 1.1 * average_iterations(400, least as f64));
        }
        assert!((measured - expected).abs() < 0.3, "{measured} {expected}");
    }
}
