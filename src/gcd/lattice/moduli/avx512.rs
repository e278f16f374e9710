//! The leader's loops of `vectors.rs` with AVX-512, eight moduli per vector. Plain loops, as the
//! compiler vectorises them, have a third of the speed.
//!
//! Numbers are in 64-bit lanes. All are below 2^32, except sums. The bounds are those of
//! `vectors.rs`.

#![allow(unsafe_code)]
// The two vectors of several pairs are processed together.
#![allow(clippy::needless_range_loop)]

use std::arch::x86_64::*;

use super::super::basis::Step;
use super::vectors::{GROUP, LANES, PARTS};

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

/// x − q if that is not negative, else x.
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

    /// [u, v] = B·[u, v]/R for entries up to q.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn turn(&self, entries: &[Pair; 4], u: &mut [u32], v: &mut [u32]) {
        let (x, y) = (load(u), load(v));
        for (row, out) in [(0, u), (2, v)] {
            let mut pair = x;
            for i in 0..2 {
                let first = _mm512_mul_epu32(entries[row][i], x[i]);
                let sum = _mm512_add_epi64(first, _mm512_mul_epu32(entries[row + 1][i], y[i]));
                pair[i] = less(redc(sum, self.q[i], self.ninv[i]), self.q[i]);
            }
            store(pair, out);
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

/// As `vectors::apply`.
#[target_feature(enable = "avx512f")]
pub(crate) fn apply(basis: &Step, q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]) {
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
        moduli.turn(&entries, u, v);
    }
}

/// As `vectors::advance`: words of 52 bits, and as many of them at a time as a product has.
///
/// A step takes y to y' with −y' = (w − y)/2^52 modulo q: for s = w − y and m = s/q modulo 2^52, s
/// − m·q is a multiple of 2^52, and the quotient is that of s rounded down, −1 or 0, less the high
/// part of m·q. So y' ≤ q for y ≤ q, and −y is the entry over a power of 2^52.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn advance(basis: &Step, q: &[u32], ninv: &[u32], u: &mut [u32], v: &mut [u32]) {
    assert!(q.len() == ninv.len() && q.len() == u.len() && q.len() == v.len());
    let words = basis.wide_words();
    let chunks = q.chunks(LANES).zip(ninv.chunks(LANES));
    let pairs = u.chunks_mut(LANES).zip(v.chunks_mut(LANES));
    let zero = _mm512_setzero_si512();
    for ((q, ninv), (u, v)) in chunks.zip(pairs) {
        let moduli = Moduli::load(q, ninv);
        let mut inverse = [zero; 2];
        for i in 0..2 {
            // 1/q modulo 2^32, then one step of Newton's.
            let half = _mm512_sub_epi64(_mm512_set1_epi64(1 << 32), moduli.ninv[i]);
            let product = _mm512_madd52lo_epu64(zero, half, moduli.q[i]);
            let rest = _mm512_sub_epi64(_mm512_set1_epi64(2), product);
            inverse[i] = _mm512_madd52lo_epu64(zero, half, rest);
        }
        let mut entries = [[zero; 2]; 4];
        for words in &words {
            for e in 0..4 {
                let word = _mm512_set1_epi64(words[e]);
                for i in 0..2 {
                    let s = _mm512_sub_epi64(word, entries[e][i]);
                    let m = _mm512_madd52lo_epu64(zero, s, inverse[i]);
                    let below = _mm512_srli_epi64::<63>(s);
                    entries[e][i] = _mm512_madd52hi_epu64(below, m, moduli.q[i]);
                }
            }
        }
        for (e, entry) in entries.iter_mut().enumerate() {
            if basis.signs() >> e & 1 == 0 {
                for i in 0..2 {
                    entry[i] = _mm512_sub_epi64(moduli.q[i], entry[i]);
                }
            }
        }
        moduli.turn(&entries, u, v);
    }
}

/// As `vectors::ratios`.
#[target_feature(enable = "avx512f")]
pub(crate) fn ratios(q: &[u32], ninv: &[u32], factor: &[u32], v: &[u32], u: &mut [u32]) {
    assert!(
        q.len() == ninv.len()
            && q.len() == u.len()
            && q.len() == v.len()
            && q.len() == factor.len()
    );
    // Two chunks side by side hide the latency of a step.
    for from in (0..q.len()).step_by(2 * LANES) {
        let part = |x: &[u32], half: usize| {
            let at = (from + half * LANES).min(x.len());
            load(&x[at..(at + LANES).min(x.len())])
        };
        let four = |x: &[u32]| {
            let ([a, b], [c, d]) = (part(x, 0), part(x, 1));
            [a, b, c, d]
        };
        let [a, b, c, d] = inverses(four(q), four(v));
        for (half, inverse) in [[a, b], [c, d]].into_iter().enumerate() {
            let at = (from + half * LANES).min(u.len());
            let to = (at + LANES).min(u.len());
            let m = Moduli {
                q: part(q, half),
                ninv: part(ninv, half),
            };
            let ratio = m.mul(load(&u[at..to]), inverse);
            store(m.mul(ratio, part(factor, half)), &mut u[at..to]);
        }
    }
}

/// 1/v modulo q in [0, q), where v is not 0, by Euclid's algorithm on doubles: r ≡ y·v modulo q for
/// both remainders.
///
/// Any integer quotients serve; these are off by at most one part in 2^13, so that seldom a second
/// step is needed in the place of one. All numbers are integers below 2^53, so that the steps are
/// exact. The algorithm ends with one remainder ±1 and the other 0.
#[target_feature(enable = "avx512f")]
fn inverses(q: [__m512i; 4], v: [__m512i; 4]) -> [__m512i; 4] {
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn real(x: __m512i) -> __m512d {
        _mm512_cvtepu32_pd(_mm512_cvtepi64_epi32(x))
    }
    /// a −= k·b, and likewise the cofactors. No change if b is 0.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn step(a: &mut [__m512d; 2], b: &[__m512d; 2]) {
        let there = _mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(b[0], _mm512_setzero_pd());
        let k = _mm512_maskz_mul_pd(there, a[0], _mm512_rcp14_pd(b[0]));
        let k = _mm512_roundscale_pd::<0>(k);
        for i in 0..2 {
            a[i] = _mm512_fnmadd_pd(k, b[i], a[i]);
        }
    }
    let (zero, one) = (_mm512_setzero_pd(), _mm512_set1_pd(1.0));
    let mut a = q.map(|q| [real(q), zero]);
    let mut b = v.map(|v| [real(v), one]);
    let mut left = 1;
    while left != 0 {
        left = 0;
        for i in 0..4 {
            step(&mut a[i], &b[i]);
            step(&mut b[i], &a[i]);
            let product = _mm512_mul_pd(a[i][0], b[i][0]);
            left |= _mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(product, zero);
        }
    }
    let mut out = q;
    for i in 0..4 {
        let last = _mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(b[i][0], zero);
        let [r, y] = [0, 1].map(|j| _mm512_mask_mov_pd(a[i][j], last, b[i][j]));
        // y·r ≡ 1/v, below a few q; the remainder nearest to 0, then the one from 0 on.
        let (y, q) = (_mm512_mul_pd(y, r), real(q[i]));
        let multiple = _mm512_roundscale_pd::<0>(_mm512_mul_pd(y, _mm512_rcp14_pd(q)));
        let y = _mm512_fnmadd_pd(multiple, q, y);
        let negative = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(y, zero);
        let y = _mm512_mask_add_pd(y, negative, y, q);
        out[i] = _mm512_cvtepu32_epi64(_mm512_cvtpd_epu32(y));
    }
    out
}

/// As `vectors::combine`.
#[target_feature(enable = "avx512f")]
pub(crate) fn combine(parts: &[u32], lanes: usize, high: &[u32], out: &mut [u64]) {
    let stride = out.len();
    assert!(high.len().is_multiple_of(GROUP + stride) && stride.is_multiple_of(8));
    assert!(parts.len() == PARTS * lanes && lanes >= high.len() / (GROUP + stride));
    let mut from = 0;
    while from < stride {
        from += match (stride - from) / 8 {
            1 => columns::<1>(parts, lanes, high, out, from),
            2 => columns::<2>(parts, lanes, high, out, from),
            3 | 6 => columns::<3>(parts, lanes, high, out, from),
            4 | 7 | 8 => columns::<4>(parts, lanes, high, out, from),
            _ => columns::<5>(parts, lanes, high, out, from),
        };
    }
}

/// Adds up 8·N columns and returns their number.
#[target_feature(enable = "avx512f")]
fn columns<const N: usize>(
    parts: &[u32],
    lanes: usize,
    high: &[u32],
    out: &mut [u64],
    from: usize,
) -> usize {
    let stride = out.len();
    let mut sums = [_mm512_setzero_si512(); N];
    for (g, row) in high.chunks_exact(GROUP + stride).enumerate() {
        for d in 0..PARTS {
            let part = _mm512_set1_epi64(i64::from(parts[d * lanes + g]));
            let row = &row[GROUP - d + from..GROUP - d + from + 8 * N];
            for (j, sum) in sums.iter_mut().enumerate() {
                // SAFETY: eight of the row's 8·N words from 8·j on.
                let digits = unsafe { _mm256_loadu_si256(row.as_ptr().add(8 * j).cast()) };
                let digits = _mm512_cvtepu32_epi64(digits);
                *sum = _mm512_add_epi64(*sum, _mm512_mul_epu32(digits, part));
            }
        }
    }
    for (j, sum) in sums.into_iter().enumerate() {
        let to = &mut out[from + 8 * j..from + 8 * j + 8];
        // SAFETY: the eight words of `to`.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), sum) };
    }
    8 * N
}
