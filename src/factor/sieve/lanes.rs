//! The inner loops of the sieve: plain loops over arrays, compiled for each level of vector
//! instructions.
//!
//! Residues modulo p < 2^26 are multiplied as floating-point numbers: ab < 2^52 is exact, so is qp
//! for the quotient q that is nearest to ab/p, and ab − qp lies between −p and p.

#![allow(unsafe_code)]

use super::base::Base;
use crate::vectorised::vectorised;

/// Adding and subtracting this rounds a number below 2^51 to the nearest integer.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Adding this puts an integer below 2^51 into the low bits of the number.
const LOW_BITS: f64 = 4_503_599_627_370_496.0;

/// ab mod p.
#[inline(always)]
fn times(a: f64, b: f64, p: f64, reciprocal: f64) -> f64 {
    let product = a * b;
    let quotient = product * reciprocal + ROUND - ROUND;
    let rest = product - quotient * p;
    if rest < 0.0 { rest + p } else { rest }
}

#[inline(always)]
fn integer(x: f64) -> u32 {
    (x + LOW_BITS).to_bits() as u32
}

/// The inverses of q modulo each prime of the base, as q^(p − 2); 0 modulo q itself.
pub(super) fn inverses(q: u32, base: &Base) -> Vec<i32> {
    let mut result = vec![1.0; base.p.len()];
    let bits = 32 - base.p.last().map_or(0, |p| p.leading_zeros());
    for bit in (0..bits).rev() {
        raise(&mut result, q, bit, base);
    }
    result.into_iter().map(|inverse| inverse as i32).collect()
}

vectorised! {
    avx2;

    /// One step of the powers with the exponents p − 2: the square, times q where the exponent has
    /// this bit.
    fn raise(result: &mut [f64], q: u32, bit: u32, base: &Base) {
        let len = result.len();
        let (p, reals, reciprocals) = (&base.p[..len], &base.real[..len], &base.reciprocal[..len]);
        let q = f64::from(q);
        for i in 0..len {
            let (real, reciprocal) = (reals[i], reciprocals[i]);
            let square = times(result[i], result[i], real, reciprocal);
            let more = times(square, times(q, 1.0, real, reciprocal), real, reciprocal);
            let has_bit = ((p[i] - 2) >> bit) & 1 == 1;
            result[i] = if has_bit { more } else { square };
        }
    }

    /// product[i] = product[i]·factor[i] mod p.
    fn multiply(product: &mut [f64], factor: &[i32], base: &Base) {
        let len = product.len();
        let (factor, reals, reciprocals) =
            (&factor[..len], &base.real[..len], &base.reciprocal[..len]);
        for i in 0..len {
            product[i] = times(product[i], factor[i].into(), reals[i], reciprocals[i]);
        }
    }

    /// Of h = γ·inverse mod p: delta = 2h mod p, and sum = sum + h mod p.
    fn part(gamma: u32, inverse: &[i32], base: &Base, delta: &mut [u32], sum: &mut [f64]) {
        let len = delta.len();
        let (inverse, reals, reciprocals) =
            (&inverse[..len], &base.real[..len], &base.reciprocal[..len]);
        let sum = &mut sum[..len];
        let gamma = f64::from(gamma);
        for i in 0..len {
            let p = reals[i];
            let h = times(inverse[i].into(), gamma, p, reciprocals[i]);
            let twice = h + h;
            delta[i] = integer(if twice < p { twice } else { twice - p });
            let more = sum[i] + h;
            sum[i] = if more < p { more } else { more - p };
        }
    }

    /// The roots half + (±t − b)/a mod p, from 1/a and b/a.
    fn roots(
        inverse: &[f64],
        sum: &[f64],
        half: usize,
        base: &Base,
        first: &mut [u32],
        second: &mut [u32],
    ) {
        let len = first.len();
        let (inverse, sum, second) = (&inverse[..len], &sum[..len], &mut second[..len]);
        let (reals, reciprocals) = (&base.real[..len], &base.reciprocal[..len]);
        let root = &base.root[..len];
        for i in 0..len {
            let (p, reciprocal) = (reals[i], reciprocals[i]);
            let distance = times(root[i], inverse[i], p, reciprocal);
            let centre = times(half as f64, 1.0, p, reciprocal) - sum[i];
            let centre = if centre < 0.0 { centre + p } else { centre };
            let (low, high) = (centre - distance, centre + distance);
            first[i] = integer(if low < 0.0 { low + p } else { low });
            second[i] = integer(if high < p { high } else { high - p });
        }
    }

    /// Adds delta to both roots, modulo p < 2^15.
    fn raise_roots(delta: &[u16], p: &[u16], first: &mut [u16], second: &mut [u16]) {
        let len = delta.len();
        let (p, first, second) = (&p[..len], &mut first[..len], &mut second[..len]);
        for i in 0..len {
            // A difference below 0 is a large number.
            let (low, high) = (first[i] + delta[i], second[i] + delta[i]);
            first[i] = low.min(low.wrapping_sub(p[i]));
            second[i] = high.min(high.wrapping_sub(p[i]));
        }
    }

    /// Subtracts delta from both roots, modulo p < 2^15.
    fn lower_roots(delta: &[u16], p: &[u16], first: &mut [u16], second: &mut [u16]) {
        let len = delta.len();
        let (p, first, second) = (&p[..len], &mut first[..len], &mut second[..len]);
        for i in 0..len {
            let low = first[i].wrapping_sub(delta[i]);
            let high = second[i].wrapping_sub(delta[i]);
            first[i] = low.min(low.wrapping_add(p[i]));
            second[i] = high.min(high.wrapping_add(p[i]));
        }
    }

    /// Which primes have a root at `place` < 2^15: flags[i] becomes 1 or 0.
    ///
    /// With m = ⌊2^16/p⌋ + 1, in `scaled`, the quotient place·m/2^16 is ⌊place/p⌋ or one more.
    fn meets(
        place: u16,
        p: &[u16],
        scaled: &[u16],
        first: &[u16],
        second: &[u16],
        flags: &mut [u8],
    ) {
        let len = flags.len();
        let (p, scaled) = (&p[..len], &scaled[..len]);
        let (first, second) = (&first[..len], &second[..len]);
        for i in 0..len {
            let quotient = ((u32::from(place) * u32::from(scaled[i])) >> 16) as u16;
            let rest = place.wrapping_sub(quotient.wrapping_mul(p[i]));
            let rest = rest.min(rest.wrapping_add(p[i]));
            flags[i] = u8::from((rest == first[i]) | (rest == second[i]));
        }
    }

    /// The places of bytes of at least 128, whose number is a multiple of 256.
    fn candidates(sieve: &[u8], found: &mut Vec<u32>) {
        for (at, chunk) in sieve.chunks_exact(256).enumerate() {
            let any = chunk.iter().fold(0, |any, byte| any | byte);
            if any >= 128 {
                let places = (0u32..256).filter(|i| chunk[*i as usize] >= 128);
                found.extend(places.map(|i| 256 * at as u32 + i));
            }
        }
    }
}
