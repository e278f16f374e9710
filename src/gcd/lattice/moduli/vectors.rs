//! Arithmetic modulo many primes at once: plain loops over lanes, compiled for each level of vector
//! instructions.
//!
//! The primes q are odd and below 2^31, R = 2^32, and `ninv` is −1/q mod R. One Montgomery step
//! takes x < 2^32 and a word w to (x + w + m·q)/R, which is congruent to (x + w)/R and at most q +
//! 1 for every x ≤ q + 1 and w < R. The reduction of `word` is not used, because it branches, and
//! lanes of vectors must not.

#![allow(unsafe_code)]

use super::super::basis::Step;
#[cfg(target_arch = "x86_64")]
use super::avx512;
use crate::vectorised::vectorised;

/// Moduli of one pass of the loops.
pub(crate) const LANES: usize = 16;

/// Bits of a digit in sums of the Chinese remainder theorem.
pub(crate) const DIGIT: u32 = 28;
pub(crate) const DIGIT_MASK: u64 = (1 << DIGIT) - 1;
/// Maximum moduli of a group, and also the number of digits of the product of all of them except
/// one, which has 7·31 bits. The sum of as many products of a residue and a digit fits in 64 bits.
pub(crate) const GROUP: usize = 8;
/// Digits of a group's sum, which has at most 3 + 31 + 7·31 bits. Sixteen groups' products of two
/// digits fit 64 bits.
pub(crate) const PARTS: usize = 9;

type Lane = [u64; LANES];
const LOW: u64 = u32::MAX as u64;

/// One Montgomery step in each lane.
#[inline(always)]
fn step(x: &mut Lane, word: u64, q: &Lane, ninv: &Lane) {
    for l in 0..LANES {
        let s = x[l] + word;
        let m = ((s & LOW) * (ninv[l] & LOW)) & LOW;
        x[l] = (s + m * (q[l] & LOW)) >> 32;
    }
}

/// sum/R mod q in [0, q), for sums up to 2q².
#[inline(always)]
fn reduce(sum: &Lane, q: &Lane, ninv: &Lane) -> Lane {
    let mut out = [0; LANES];
    for l in 0..LANES {
        let m = ((sum[l] & LOW) * (ninv[l] & LOW)) & LOW;
        // At most 2q²/R + q < 2q.
        let r = (sum[l] + m * (q[l] & LOW)) >> 32;
        out[l] = less(r, q[l]);
    }
    out
}

/// x·y/R mod q in [0, q), for x ≤ q and y < 2^31.
#[inline(always)]
fn mul(x: &Lane, y: &Lane, q: &Lane, ninv: &Lane) -> Lane {
    let mut product = [0; LANES];
    for l in 0..LANES {
        product[l] = (x[l] & LOW) * (y[l] & LOW);
    }
    reduce(&product, q, ninv)
}

/// x − q if that is not negative, else x, for x < 2q.
#[inline(always)]
fn less(x: u64, q: u64) -> u64 {
    if x >= q { x - q } else { x }
}

#[inline(always)]
fn load(from: &[u32]) -> Lane {
    let mut lane = [0; LANES];
    for (to, x) in lane.iter_mut().zip(from) {
        *to = u64::from(*x);
    }
    lane
}

#[inline(always)]
fn store(lane: &Lane, to: &mut [u32]) {
    for (x, from) in to.iter_mut().zip(lane) {
        *x = *from as u32;
    }
}

vectorised! {
    avx512;

    /// [u, v] = B·[u, v]·R^-(words + 1) in every place.
    fn apply_plain(basis: &Step, q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]) {
        assert!(q.len() == ninv.len() && q.len() == u.len() && q.len() == v.len());
        let chunks = q.chunks(LANES).zip(ninv.chunks(LANES));
        let pairs = u.chunks_mut(LANES).zip(v.chunks_mut(LANES));
        for ((q, ninv), (u, v)) in chunks.zip(pairs) {
            let (q, ninv) = (load(q), load(ninv));
            let mut entries = [[0; LANES]; 4];
            for words in basis.words() {
                for (entry, word) in entries.iter_mut().zip(words) {
                    step(entry, u64::from(*word), &q, &ninv);
                }
            }
            for (i, entry) in entries.iter_mut().enumerate() {
                let negative = basis.signs() >> i & 1 == 1;
                for l in 0..LANES {
                    // q + 1 becomes 1, which is below q.
                    let x = less(entry[l], q[l]);
                    entry[l] = if negative { q[l] - x } else { x };
                }
            }
            let (x, y) = (load(u), load(v));
            for (row, out) in [(0, u), (2, v)] {
                let mut sum = [0; LANES];
                for l in 0..LANES {
                    sum[l] = (entries[row][l] & LOW) * (x[l] & LOW)
                        + (entries[row + 1][l] & LOW) * (y[l] & LOW);
                }
                store(&reduce(&sum, &q, &ninv), out);
            }
        }
    }

    /// u = u/v·factor/R² in every place where v is not 0.
    fn ratios_plain(q: &[u32], ninv: &[u32], factor: &[u32], v: &[u32], u: &mut [u32]) {
        assert!(q.len() == ninv.len() && q.len() == u.len() && q.len() == v.len());
        let chunks = q.chunks(LANES).zip(ninv.chunks(LANES));
        let pairs = u.chunks_mut(LANES).zip(v.chunks(LANES).zip(factor.chunks(LANES)));
        for ((q, ninv), (u, (v, factor))) in chunks.zip(pairs) {
            let (q, ninv, v) = (load(q), load(ninv), load(v));
            // v is ṽ·R for some ṽ; Fermat gives ṽ^(q−2)·R = R²/v, and the four products below take
            // R^4 away.
            let mut power = v;
            for bit in (0..30).rev() {
                power = mul(&power, &power, &q, &ninv);
                let times = mul(&power, &v, &q, &ninv);
                for l in 0..LANES {
                    let set = q[l].wrapping_sub(2) >> bit & 1 == 1;
                    power[l] = if set { times[l] } else { power[l] };
                }
            }
            let ratio = mul(&load(u), &power, &q, &ninv);
            let scaled = mul(&ratio, &load(factor), &q, &ninv);
            let one = [1; LANES];
            store(&mul(&mul(&scaled, &one, &q, &ninv), &one, &q, &ninv), u);
        }
    }

    /// u and v, plus the two numbers of these words, of one length, both times R^-words, modulo
    /// every q.
    fn convert(words: &[[u32; 2]], q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]) {
        assert!(q.len() == ninv.len() && q.len() == u.len() && q.len() == v.len());
        let chunks = q.chunks(LANES).zip(ninv.chunks(LANES));
        let pairs = u.chunks_mut(LANES).zip(v.chunks_mut(LANES));
        for ((q, ninv), (u, v)) in chunks.zip(pairs) {
            let (q, ninv) = (load(q), load(ninv));
            let (mut x, mut y) = (load(u), load(v));
            for [first, second] in words {
                step(&mut x, u64::from(*first), &q, &ninv);
                step(&mut y, u64::from(*second), &q, &ninv);
            }
            for (lane, out) in [(x, u), (y, v)] {
                let mut rest = lane;
                for l in 0..LANES {
                    rest[l] = less(rest[l], q[l]);
                }
                store(&rest, out);
            }
        }
    }

    /// The digits of Σ c·G/q for each group, lane by lane: `c` has GROUP residues of each, `low`
    /// GROUP digits for each of these, `out` is PARTS long.
    fn parts(c: &[u32], low: &[u32], lanes: usize, out: &mut [u32]) {
        assert!(lanes.is_multiple_of(8) && c.len() == GROUP * lanes);
        assert!(low.len() == GROUP * c.len() && out.len() == PARTS * lanes);
        for from in (0..lanes).step_by(8) {
            let eight = |x: &[u32], row: usize| -> [u64; 8] {
                let part = &x[row * lanes + from..][..8];
                std::array::from_fn(|l| u64::from(part[l]))
            };
            let c: [[u64; 8]; GROUP] = std::array::from_fn(|i| eight(c, i));
            let mut carry = [0; 8];
            for d in 0..GROUP {
                let mut sum = carry;
                for (i, c) in c.iter().enumerate() {
                    let digits = eight(low, i * GROUP + d);
                    for l in 0..8 {
                        sum[l] += (c[l] & LOW) * (digits[l] & LOW);
                    }
                }
                for l in 0..8 {
                    out[d * lanes + from + l] = (sum[l] & DIGIT_MASK) as u32;
                    carry[l] = sum[l] >> DIGIT;
                }
            }
            for l in 0..8 {
                out[GROUP * lanes + from + l] = carry[l] as u32;
            }
        }
    }

    /// out[j] = Σ parts[d·lanes + g]·high[g][GROUP + j − d], over the groups g and the PARTS digits
    /// d of each; a row of `high` is GROUP + `out.len()` long.
    fn combine_plain(parts: &[u32], lanes: usize, high: &[u32], out: &mut [u64]) {
        let stride = out.len();
        for (from, sums) in out.chunks_mut(LANES).enumerate() {
            let mut sum = [0; LANES];
            for (g, row) in high.chunks_exact(GROUP + stride).enumerate() {
                for d in 0..PARTS {
                    let part = u64::from(parts[d * lanes + g]);
                    let start = GROUP - d + from * LANES;
                    let row = load(&row[start..start + sums.len()]);
                    for l in 0..LANES {
                        sum[l] += part * (row[l] & LOW);
                    }
                }
            }
            sums.copy_from_slice(&sum[..sums.len()]);
        }
    }

    /// out times Π p/R over the factors p, but for those equal to q, modulo every q. The factors
    /// are below 2^31.
    fn multiply(factors: &[u32], q: &[u32], ninv: &[u32], out: &mut [u32]) {
        assert!(q.len() == ninv.len() && q.len() == out.len());
        let chunks = q.chunks(LANES).zip(ninv.chunks(LANES));
        for ((q, ninv), out) in chunks.zip(out.chunks_mut(LANES)) {
            let (q, ninv) = (load(q), load(ninv));
            let mut one = [0; LANES];
            for l in 0..LANES {
                one[l] = if q[l] == 0 { 0 } else { (1u64 << 32) % q[l] };
            }
            // Several chains hide the latency of a product.
            let mut chains = [load(out), one, one, one];
            for four in factors.chunks(4) {
                for (chain, factor) in chains.iter_mut().zip(four) {
                    let factor = u64::from(*factor);
                    let times = mul(chain, &[factor; LANES], &q, &ninv);
                    for l in 0..LANES {
                        chain[l] = if q[l] == factor { chain[l] } else { times[l] };
                    }
                }
            }
            let [a, b, c, d] = &chains;
            let halves = [mul(a, b, &q, &ninv), mul(c, d, &q, &ninv)];
            store(&mul(&halves[0], &halves[1], &q, &ninv), out);
        }
    }
}

/// out = R·Π p/R over the factors p, but for those equal to q, modulo every q. The factors are
/// below 2^31.
pub(crate) fn products(factors: &[u32], q: &[u32], ninv: &[u32], out: &mut [u32]) {
    for (one, q) in out.iter_mut().zip(q) {
        *one = ((1u64 << 32) % u64::from(*q)) as u32;
    }
    multiply(factors, q, ninv, out);
}

/// Calls the handwritten function if the processor supports it, else the plain one.
macro_rules! by_hand {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*), $plain:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name($($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has just been found to have these instructions.
                return unsafe { avx512::$name($($argument),*) };
            }
            $plain($($argument),*)
        }
    )*};
}

by_hand! {
    /// [u, v] = B·[u, v]·R^-(words + 1) in every place.
    fn apply(basis: &Step, q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]), apply_plain;
    /// u = u/v·factor/R² in every place where v is not 0.
    fn ratios(q: &[u32], ninv: &[u32], factor: &[u32], v: &[u32], u: &mut [u32]), ratios_plain;
    /// out[j] = Σ parts[d·lanes + g]·high[g][GROUP + j − d], over the groups g and the PARTS digits
    /// d of each; a row of `high` is GROUP + `out.len()` long, and `out` a multiple of eight.
    fn combine(parts: &[u32], lanes: usize, high: &[u32], out: &mut [u64]), combine_plain;
}

/// [u, v] = B·[u, v] in every place, up to a factor that is the same for both.
pub(crate) fn advance(basis: &Step, q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma") {
        // SAFETY: the processor has just been found to have these instructions.
        return unsafe { avx512::advance(basis, q, ninv, u, v) };
    }
    apply(basis, q, ninv, u, v);
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::Moduli;
    use super::*;

    #[test]
    fn plain_loops_agree() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let moduli = Moduli::new(80).unwrap();
        for n in [1, 7, 16, 17, 33, 64, 80] {
            let (q, ninv) = (&moduli.q[..n], &moduli.ninv[..n]);
            let mut draw = |least: u32| -> Vec<u32> {
                q.iter().map(|q| rng.random_range(least..*q)).collect()
            };
            let (u, v, factor) = (draw(0), draw(1), draw(0));
            let words = draw(0)
                .into_iter()
                .map(|w| [w, !w, u32::MAX, w << 1])
                .collect();
            let step = Step::from_words(words, 6);
            let (mut first, mut second) = ((u.clone(), v.clone()), (u.clone(), v.clone()));
            apply(&step, q, ninv, &mut first.0, &mut first.1);
            apply_plain(&step, q, ninv, &mut second.0, &mut second.1);
            assert_eq!(first, second);
            let mut third = (u.clone(), v.clone());
            advance(&step, q, ninv, &mut third.0, &mut third.1);
            for (i, q) in q.iter().enumerate() {
                let cross = |x: u32, y: u32| u64::from(x) * u64::from(y) % u64::from(*q);
                assert_eq!(cross(first.0[i], third.1[i]), cross(third.0[i], first.1[i]));
                assert_eq!(
                    [first.0[i] == 0, first.1[i] == 0],
                    [third.0[i] == 0, third.1[i] == 0]
                );
            }
            let (mut first, mut second) = (u.clone(), u.clone());
            ratios(q, ninv, &factor, &v, &mut first);
            ratios_plain(q, ninv, &factor, &v, &mut second);
            assert_eq!(first, second);
            for (groups, stride) in [(1usize, 8), (2, 24), (8, 40), (16, 80)] {
                let mut digits = |n: usize| -> Vec<u32> {
                    (0..n)
                        .map(|_| rng.random::<u32>() >> (32 - DIGIT))
                        .collect()
                };
                let lanes = groups.next_multiple_of(8);
                let (parts, high) = (digits(PARTS * lanes), digits(groups * (GROUP + stride)));
                let (mut first, mut second) = (vec![0; stride], vec![0; stride]);
                combine(&parts, lanes, &high, &mut first);
                combine_plain(&parts, lanes, &high, &mut second);
                assert_eq!(first, second);
            }
        }
    }
}
