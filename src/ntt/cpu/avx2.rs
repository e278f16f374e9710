//! Eight residues in two 256-bit vectors of floating-point numbers, with fused multiply-adds (as
//! FLINT's `fft_small`).
//!
//! Lanes hold signed integers, exactly, of size at most 4p < 2^51. A factor is w with |w| <= p/2
//! and w/p, with a relative error of at most 2^−52 (two roundings). For |x| <= 4p the quotient
//! x·w/p is at most 2p < 2^50; computed from the rounded w/p, and rounded to an integer q by one
//! multiply-add, it is off by at most 1/2 + 2^50·2^−52 = 3/4. The product is h + l exactly (h =
//! fl(x·w), l = x·w − h by multiply-add, |l| <= 2^46), so h − q·p is an integer below p < 2^49 and
//! so is what the tail makes of it: all exact. So |x·w − q·p| <= 3/4·p, and a reduced value is at
//! most p/2 + 1.
//!
//! Where the integer levels stay below 8p, at most four products or reduced values are added up,
//! here at most 3p; a bias is no operation.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::base::{self, Base, Carry};
use super::crt::{self, Crt, Target};
use super::lanes::{Factor, Lanes, Level};
use super::leaves::leaves;
use super::row::{self, RowConstants, Scratch, Term};
use super::tables::Tree;
use super::{butterfly, field, wrapped};

#[derive(Clone, Copy)]
pub(super) struct Avx2;

/// A prime in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Modulus {
    p: __m256d,
    /// 1/p, rounded.
    reciprocal: __m256d,
    /// The factor 2^32.
    half_limb: [__m256d; 2],
    /// The factor 2^64.
    limb: [__m256d; 2],
}

type V = [__m256d; 2];

/// Adding and subtracting it rounds numbers below 2^51 in size to integers.
pub(super) const ROUND: f64 = (3u64 << 51) as f64;
/// Its bits or'ed to those of an integer below 2^52 make a number with that excess.
pub(super) const EXCESS: f64 = (1u64 << 52) as f64;

// SAFETY of every block in this file: the instructions are available where `Level::is_available`
// said so, and loads and stores go through references to eight words, which need no alignment.
macro_rules! simd {
    ($e:expr) => {{
        // SAFETY: see above.
        unsafe { $e }
    }};
}

#[inline(always)]
fn all(x: f64) -> __m256d {
    simd!(_mm256_set1_pd(x))
}

#[inline(always)]
fn mul(k: Modulus, x: __m256d, w: __m256d, q: __m256d) -> __m256d {
    simd!({
        let quotient = _mm256_sub_pd(_mm256_fmadd_pd(x, q, all(ROUND)), all(ROUND));
        let head = _mm256_mul_pd(x, w);
        let tail = _mm256_fmsub_pd(x, w, head);
        _mm256_add_pd(_mm256_fnmadd_pd(quotient, k.p, head), tail)
    })
}

#[inline(always)]
fn reduce(k: Modulus, x: __m256d) -> __m256d {
    simd!({
        let quotient = _mm256_fmadd_pd(x, k.reciprocal, all(ROUND));
        _mm256_fnmadd_pd(_mm256_sub_pd(quotient, all(ROUND)), k.p, x)
    })
}

/// Integers below 2^52 as numbers.
#[inline(always)]
fn number(x: __m256i) -> __m256d {
    simd!({
        let excess = all(EXCESS);
        let bits = _mm256_or_pd(_mm256_castsi256_pd(x), excess);
        _mm256_sub_pd(bits, excess)
    })
}

#[inline(always)]
fn integers(x: &[u64; 8]) -> [__m256i; 2] {
    let at: *const __m256i = x.as_ptr().cast();
    simd!([_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))])
}

#[inline(always)]
fn residue(k: Modulus, x: __m256i) -> __m256d {
    simd!({
        let low = number(_mm256_blend_epi32::<0b1010_1010>(x, _mm256_setzero_si256()));
        let high = number(_mm256_srli_epi64::<32>(x));
        _mm256_add_pd(low, mul(k, high, k.half_limb[0], k.half_limb[1]))
    })
}

#[inline(always)]
fn product(k: Modulus, x: __m256d, y: __m256d) -> __m256d {
    let y = reduce(k, y);
    mul(k, reduce(k, x), y, simd!(_mm256_mul_pd(y, k.reciprocal)))
}

/// The least residue, as the bits of an integer: the excess leaves it in the low 52 bits.
#[inline(always)]
fn canonical(k: Modulus, x: __m256d) -> __m256d {
    let x = reduce(k, x);
    simd!({
        let negative = _mm256_cmp_pd::<_CMP_LT_OQ>(x, _mm256_setzero_pd());
        let x = _mm256_add_pd(x, _mm256_and_pd(negative, k.p));
        _mm256_xor_pd(_mm256_add_pd(x, all(EXCESS)), all(EXCESS))
    })
}

/// Transposes four vectors of four lanes.
#[inline(always)]
fn transpose4(x: [__m256d; 4]) -> [__m256d; 4] {
    simd!({
        let a = _mm256_unpacklo_pd(x[0], x[1]);
        let b = _mm256_unpackhi_pd(x[0], x[1]);
        let c = _mm256_unpacklo_pd(x[2], x[3]);
        let d = _mm256_unpackhi_pd(x[2], x[3]);
        [
            _mm256_permute2f128_pd::<0x20>(a, c),
            _mm256_permute2f128_pd::<0x20>(b, d),
            _mm256_permute2f128_pd::<0x31>(a, c),
            _mm256_permute2f128_pd::<0x31>(b, d),
        ]
    })
}

impl Lanes for Avx2 {
    type V = V;
    type K = Modulus;
    const LEVEL: Level = Level::Avx2;

    fn modulus(p: u64) -> Modulus {
        #[target_feature(enable = "avx2")]
        fn splat(x: f64) -> __m256d {
            _mm256_set1_pd(x)
        }
        #[target_feature(enable = "avx2")]
        fn factor(w: u64, p: u64) -> [__m256d; 2] {
            Avx2::factor(w, p).map(|word| splat(f64::from_bits(word)))
        }
        simd!(Modulus {
            p: splat(p as f64),
            reciprocal: splat(1.0 / p as f64),
            half_limb: factor(1 << 32, p),
            limb: factor(field::pow(2, 64, p), p),
        })
    }

    fn factor(w: u64, p: u64) -> Factor {
        let w = if 2 * w > p {
            -((p - w) as f64)
        } else {
            w as f64
        };
        [w.to_bits(), (w / p as f64).to_bits()]
    }

    fn product_bias(_: u64) -> u64 {
        1
    }

    #[inline(always)]
    fn load(x: &[u64; 8]) -> V {
        let [x, y] = integers(x);
        simd!([_mm256_castsi256_pd(x), _mm256_castsi256_pd(y)])
    }

    #[inline(always)]
    fn store(x: &mut [u64; 8], v: V) {
        let at: *mut f64 = x.as_mut_ptr().cast();
        simd!({
            _mm256_storeu_pd(at, v[0]);
            _mm256_storeu_pd(at.add(4), v[1]);
        })
    }

    #[inline(always)]
    fn splat(word: u64) -> V {
        [all(f64::from_bits(word)); 2]
    }

    #[inline(always)]
    fn small(x: &[u64; 8]) -> V {
        let [x, y] = integers(x);
        [number(x), number(y)]
    }

    #[inline(always)]
    fn residue(k: Modulus, x: &[u64; 8]) -> V {
        let [x, y] = integers(x);
        [residue(k, x), residue(k, y)]
    }

    #[inline(always)]
    fn residue_wide(k: Modulus, x: &[[u64; 8]; 2]) -> V {
        let [w, q] = k.limb;
        let high = Self::mul::<0>(k, Self::residue(k, &x[1]), [w, w], [q, q]);
        Self::add(Self::residue(k, &x[0]), high)
    }

    #[inline(always)]
    fn canonical(k: Modulus, x: V) -> [u64; 8] {
        let mut out = [0; 8];
        Self::store(&mut out, [canonical(k, x[0]), canonical(k, x[1])]);
        out
    }

    #[inline(always)]
    fn mul<const BIAS: i64>(k: Modulus, x: V, w: V, q: V) -> V {
        [mul(k, x[0], w[0], q[0]), mul(k, x[1], w[1], q[1])]
    }

    #[inline(always)]
    fn product(k: Modulus, x: V, y: V) -> V {
        [product(k, x[0], y[0]), product(k, x[1], y[1])]
    }

    #[inline(always)]
    fn reduce<const BIAS: i64>(k: Modulus, x: V) -> V {
        [reduce(k, x[0]), reduce(k, x[1])]
    }

    #[inline(always)]
    fn add(x: V, y: V) -> V {
        simd!([_mm256_add_pd(x[0], y[0]), _mm256_add_pd(x[1], y[1])])
    }

    #[inline(always)]
    fn sub(x: V, y: V) -> V {
        simd!([_mm256_sub_pd(x[0], y[0]), _mm256_sub_pd(x[1], y[1])])
    }

    #[inline(always)]
    fn sub2(_: Modulus, x: V, y: V) -> V {
        Self::sub(x, y)
    }

    #[inline(always)]
    fn sub4(_: Modulus, x: V, y: V) -> V {
        Self::sub(x, y)
    }

    #[inline(always)]
    fn scale(k: Modulus, w: V, g: V, gq: V) -> (V, V) {
        let w = Self::reduce::<0>(k, Self::mul::<0>(k, w, g, gq));
        let q = |w| simd!(_mm256_mul_pd(w, k.reciprocal));
        (w, [q(w[0]), q(w[1])])
    }

    #[inline(always)]
    fn transpose(x: &mut [V; 8]) {
        let a = transpose4([x[0][0], x[1][0], x[2][0], x[3][0]]);
        let b = transpose4([x[0][1], x[1][1], x[2][1], x[3][1]]);
        let c = transpose4([x[4][0], x[5][0], x[6][0], x[7][0]]);
        let d = transpose4([x[4][1], x[5][1], x[6][1], x[7][1]]);
        for i in 0..4 {
            x[i] = [a[i], c[i]];
            x[i + 4] = [b[i], d[i]];
        }
    }

    leaves!(Avx2, Modulus, simd, target_feature(enable = "avx2,fma"));
}
