//! The inner loops of the sieve: plain loops over arrays, compiled for each level of vector
//! instructions.
//!
//! Residues modulo p < 2^26 are multiplied as floating-point numbers: ab < 2^52 is exact, so is qp
//! for the quotient q that is nearest to ab/p, and ab − qp is between −p and p.

#![allow(unsafe_code)]

use super::base::{Base, Block};
use super::bucket::PLACE_BITS;
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
    avx512;

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

    /// product = product·inverse mod p, and of h = γ·inverse mod p: delta = 2h mod p, and
    /// sum = sum + h mod p.
    fn part(
        gamma: u32,
        inverse: &[i32],
        block: &Block<'_>,
        delta: &mut [u32],
        sum: &mut [f64],
        product: &mut [f64],
    ) {
        let len = delta.len();
        let (inverse, reals) = (&inverse[..len], &block.real[..len]);
        let reciprocals = &block.reciprocal[..len];
        let (sum, product) = (&mut sum[..len], &mut product[..len]);
        let gamma = f64::from(gamma);
        for i in 0..len {
            let (p, reciprocal, inverse) = (reals[i], reciprocals[i], f64::from(inverse[i]));
            product[i] = times(product[i], inverse, p, reciprocal);
            let h = times(inverse, gamma, p, reciprocal);
            let twice = h + h;
            delta[i] = integer(if twice < p { twice } else { twice - p });
            let more = sum[i] + h;
            sum[i] = if more < p { more } else { more - p };
        }
    }

    /// (values[i] + more)/2 mod p.
    fn halve(values: &mut [f64], more: f64, block: &Block<'_>) {
        let reals = &block.real[..values.len()];
        for (value, p) in values.iter_mut().zip(reals) {
            let half = 0.5 * (*value + more);
            let is_even = half + ROUND - ROUND == half;
            let half = if is_even { half } else { half + 0.5 * p };
            *value = if half < *p { half } else { half - p };
        }
    }

    /// values[i]/2 mod p.
    fn halve_words(values: &mut [u32], block: &Block<'_>) {
        let p = &block.p[..values.len()];
        for (value, p) in values.iter_mut().zip(p) {
            let odd = (*value & 1).wrapping_neg();
            *value = (*value + (odd & p)) >> 1;
        }
    }

    /// The roots half + (±t − b)/a mod p, from 1/a and b/a; or the same with 2a.
    fn roots(
        inverse: &[f64],
        sum: &[f64],
        half: usize,
        block: &Block<'_>,
        first: &mut [u32],
        second: &mut [u32],
    ) {
        let len = first.len();
        let (inverse, sum, second) = (&inverse[..len], &sum[..len], &mut second[..len]);
        let (reals, reciprocals) = (&block.real[..len], &block.reciprocal[..len]);
        let root = &block.root[..len];
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
}

vectorised! {
    avx2;

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

    /// The primes of those hits that are at `place`: `start` and the high bits of the hit.
    fn hits_at(hits: &[u32], place: u16, start: usize, found: &mut Vec<usize>) {
        let place = u32::from(place);
        let distance = |hit: &u32| (hit ^ place) << (32 - PLACE_BITS);
        for chunk in hits.chunks(128) {
            // No branch per hit: the loop runs on vectors.
            let least = chunk.iter().fold(1 << 31, |least: u32, hit| least.min(distance(hit)));
            if least == 0 {
                let here = chunk.iter().filter(|hit| distance(hit) == 0);
                found.extend(here.map(|hit| start + (hit >> PLACE_BITS) as usize));
            }
        }
    }

    /// The places of flags that are not 0, and `start`.
    fn flagged(flags: &[u8], start: usize, found: &mut Vec<usize>) {
        for (at, chunk) in flags.chunks(128).enumerate() {
            if chunk.iter().fold(0, |any, flag| any | flag) != 0 {
                let here = chunk.iter().enumerate().filter(|(_, flag)| **flag != 0);
                found.extend(here.map(|(i, _)| start + 128 * at + i));
            }
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
