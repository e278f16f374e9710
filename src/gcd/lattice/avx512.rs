//! The leader's loops of `lanes.rs` by AVX-512, eight moduli a vector: the compiler makes a third of their speed of plain loops.
//!
//! Numbers are in 64-bit lanes, all below 2^32 but for sums. The bounds are those of `lanes.rs`.

#![allow(unsafe_code)]
// The two vectors of several pairs go side by side.
#![allow(clippy::needless_range_loop)]

use std::arch::x86_64::*;

use super::lanes::LANES;
use super::step::Step;

/// Two vectors: a chunk of `LANES` moduli.
type Pair = [__m512i; 2];

#[derive(Clone, Copy)]
struct Moduli {
    q: Pair,
    ninv: Pair,
}

#[target_feature(enable = "avx512f")]
fn load(from: &[u32]) -> Pair {
    let mut padded = [0u32; LANES];
    padded[..from.len()].copy_from_slice(from);
    // SAFETY: sixteen words, read in two halves of eight.
    unsafe {
        let half = |i: usize| _mm256_loadu_si256(padded.as_ptr().add(8 * i).cast());
        [
            _mm512_cvtepu32_epi64(half(0)),
            _mm512_cvtepu32_epi64(half(1)),
        ]
    }
}

#[target_feature(enable = "avx512f")]
fn store(pair: Pair, to: &mut [u32]) {
    let mut padded = [0u32; LANES];
    // SAFETY: sixteen words, written in two halves of eight.
    unsafe {
        for (i, half) in pair.into_iter().enumerate() {
            _mm256_storeu_si256(
                padded.as_mut_ptr().add(8 * i).cast(),
                _mm512_cvtepi64_epi32(half),
            );
        }
    }
    to.copy_from_slice(&padded[..to.len()]);
}

/// (sum + m·q)/R.
#[target_feature(enable = "avx512f")]
#[inline]
fn redc(sum: __m512i, q: __m512i, ninv: __m512i) -> __m512i {
    let m = _mm512_mul_epu32(sum, ninv);
    _mm512_srli_epi64::<32>(_mm512_add_epi64(sum, _mm512_mul_epu32(m, q)))
}

/// x − q where that is not negative.
#[target_feature(enable = "avx512f")]
#[inline]
fn less(x: __m512i, q: __m512i) -> __m512i {
    _mm512_min_epu64(x, _mm512_sub_epi64(x, q))
}

impl Moduli {
    #[target_feature(enable = "avx512f")]
    fn load(q: &[u32], ninv: &[u32]) -> Moduli {
        Moduli {
            q: load(q),
            ninv: load(ninv),
        }
    }

    /// x·y/R modulo q.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn mul(&self, x: Pair, y: Pair) -> Pair {
        let mut out = x;
        for i in 0..2 {
            let product = _mm512_mul_epu32(x[i], y[i]);
            out[i] = less(redc(product, self.q[i], self.ninv[i]), self.q[i]);
        }
        out
    }
}

/// As `lanes::apply`.
#[target_feature(enable = "avx512f")]
pub(super) fn apply(basis: &Step, q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]) {
    assert!(q.len() == ninv.len() && q.len() == u.len() && q.len() == v.len());
    let chunks = q.chunks(LANES).zip(ninv.chunks(LANES));
    let pairs = u.chunks_mut(LANES).zip(v.chunks_mut(LANES));
    for ((q, ninv), (u, v)) in chunks.zip(pairs) {
        let moduli = Moduli::load(q, ninv);
        let zero = _mm512_setzero_si512();
        let mut entries = [[zero; 2]; 4];
        for words in basis.words() {
            for e in 0..4 {
                let word = _mm512_set1_epi64(i64::from(words[e]));
                for i in 0..2 {
                    let sum = _mm512_add_epi64(entries[e][i], word);
                    entries[e][i] = redc(sum, moduli.q[i], moduli.ninv[i]);
                }
            }
        }
        for (e, entry) in entries.iter_mut().enumerate() {
            let negative = basis.signs() >> e & 1 == 1;
            for i in 0..2 {
                let x = less(entry[i], moduli.q[i]);
                entry[i] = if negative {
                    _mm512_sub_epi64(moduli.q[i], x)
                } else {
                    x
                };
            }
        }
        let (x, y) = (load(u), load(v));
        for (row, out) in [(0, u), (2, v)] {
            let mut pair = [zero; 2];
            for i in 0..2 {
                let first = _mm512_mul_epu32(entries[row][i], x[i]);
                let sum = _mm512_add_epi64(first, _mm512_mul_epu32(entries[row + 1][i], y[i]));
                pair[i] = less(redc(sum, moduli.q[i], moduli.ninv[i]), moduli.q[i]);
            }
            store(pair, out);
        }
    }
}

/// As `lanes::ratios`.
#[target_feature(enable = "avx512f")]
pub(super) fn ratios(q: &[u32], ninv: &[u32], factor: &[u32], v: &[u32], u: &mut [u32]) {
    assert!(
        q.len() == ninv.len()
            && q.len() == u.len()
            && q.len() == v.len()
            && q.len() == factor.len()
    );
    // Two chunks side by side hide the latency of a product.
    let step = 2 * LANES;
    for from in (0..q.len()).step_by(step) {
        let part = |x: &[u32], half: usize| {
            let at = (from + half * LANES).min(x.len());
            load(&x[at..(at + LANES).min(x.len())])
        };
        let two = [0, 1];
        let moduli = two.map(|half| Moduli {
            q: part(q, half),
            ninv: part(ninv, half),
        });
        let v = two.map(|half| part(v, half));
        let mut power = v;
        for bit in (0..30).rev() {
            let bit = _mm512_set1_epi64(1 << bit);
            for half in 0..2 {
                let m = &moduli[half];
                power[half] = m.mul(power[half], power[half]);
                let times = m.mul(power[half], v[half]);
                for i in 0..2 {
                    let exponent = _mm512_sub_epi64(m.q[i], _mm512_set1_epi64(2));
                    let set = _mm512_test_epi64_mask(exponent, bit);
                    power[half][i] = _mm512_mask_mov_epi64(power[half][i], set, times[i]);
                }
            }
        }
        for half in two {
            let at = (from + half * LANES).min(u.len());
            let to = (at + LANES).min(u.len());
            let m = &moduli[half];
            let ratio = m.mul(load(&u[at..to]), power[half]);
            store(m.mul(ratio, part(factor, half)), &mut u[at..to]);
        }
    }
}

/// As `lanes::combine`, for a multiple of eight columns.
#[target_feature(enable = "avx512f")]
pub(super) fn combine(c: &[u32], rows: &[u32], out: &mut [u64]) {
    let stride = out.len();
    assert!(rows.len() == c.len() * stride && stride.is_multiple_of(8));
    let mut from = 0;
    while from < stride {
        from += match (stride - from) / 8 {
            1 => columns::<1>(c, rows, out, from),
            2 => columns::<2>(c, rows, out, from),
            3 => columns::<3>(c, rows, out, from),
            4 => columns::<4>(c, rows, out, from),
            _ => columns::<5>(c, rows, out, from),
        };
    }
}

/// The sums of 8·N columns, and how many that are.
#[target_feature(enable = "avx512f")]
fn columns<const N: usize>(c: &[u32], rows: &[u32], out: &mut [u64], from: usize) -> usize {
    let stride = out.len();
    let mut sums = [_mm512_setzero_si512(); N];
    for (c, row) in c.iter().zip(rows.chunks_exact(stride)) {
        let c = _mm512_set1_epi64(i64::from(*c));
        let row = &row[from..from + 8 * N];
        for (j, sum) in sums.iter_mut().enumerate() {
            // SAFETY: eight of the row's 8·N words from 8·j on.
            let digits = unsafe { _mm256_loadu_si256(row.as_ptr().add(8 * j).cast()) };
            *sum = _mm512_add_epi64(*sum, _mm512_mul_epu32(_mm512_cvtepu32_epi64(digits), c));
        }
    }
    for (j, sum) in sums.into_iter().enumerate() {
        let to = &mut out[from + 8 * j..from + 8 * j + 8];
        // SAFETY: the eight words of `to`.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), sum) };
    }
    8 * N
}
