//! Eight residues in one 512-bit vector of floating-point numbers, with fused multiply-adds: for
//! processors with AVX-512 that lack 52-bit integer multiply-adds.
//!
//! Lanes hold what those of `avx2` hold, and every step rounds as its twin there does: the bounds
//! proved at the head of `avx2.rs` are the bounds here.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2::{Avx2, EXCESS, ROUND};
use super::base::{self, Base, Carry};
use super::crt::{self, Crt, SHORT_BITS, Target};
use super::lanes::{Factor, Lanes, Level};
use super::leaves::leaves;
use super::row::{self, RowConstants, Scratch, Term};
use super::tables::Tree;
use super::{butterfly, field, wrapped};

#[derive(Clone, Copy)]
pub(super) struct Avx512Float;

/// A prime in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Modulus {
    p: __m512d,
    /// 1/p, rounded.
    reciprocal: __m512d,
    /// The factor 2^32.
    half_limb: [__m512d; 2],
    /// The factor 2^64.
    limb: [__m512d; 2],
}

// SAFETY of every block in this file: the instructions are available where `Level::is_available`
// said so, and loads and stores go through references to eight words, which need no alignment.
macro_rules! simd {
    ($e:expr) => {{
        // SAFETY: see above.
        unsafe { $e }
    }};
}

#[inline(always)]
fn all(x: f64) -> __m512d {
    simd!(_mm512_set1_pd(x))
}

/// Integers below 2^52 as numbers.
#[inline(always)]
fn number(x: __m512i) -> __m512d {
    simd!({
        let excess = all(EXCESS);
        let bits = _mm512_or_pd(_mm512_castsi512_pd(x), excess);
        _mm512_sub_pd(bits, excess)
    })
}

#[inline(always)]
fn integers(x: &[u64; 8]) -> __m512i {
    simd!(_mm512_loadu_si512(x.as_ptr().cast()))
}

/// The numbers with these residues, as words of 64 bits.
///
/// The digits below 2^49 of Garner's way are cut into a word of 28 bits and one of 21, for products
/// of 32 bits. A column is the sum of at most N ≤ 6 products below 2^56, as many below 2^49, and a
/// carry below 2^32: below 2^60.
#[inline(always)]
fn word_vectors<const N: usize>(crt: &Crt<Avx512Float>, x: [__m512d; N]) -> [__m512i; 5] {
    const COLUMNS: usize = 11;
    let digits = crt.mixed_radix(x);
    simd!({
        let mask = _mm512_set1_epi64((1 << SHORT_BITS) - 1);
        let mut columns = [_mm512_setzero_si512(); COLUMNS];
        for (i, digit) in digits.iter().enumerate() {
            let digit = integers(digit);
            let low = _mm512_and_si512(digit, mask);
            let high = _mm512_srli_epi64::<SHORT_BITS>(digit);
            // Pi has at most 49·i bits.
            for at in 0..(49 * i).div_ceil(SHORT_BITS as usize).max(1) {
                let word = _mm512_set1_epi64(crt.constants.short[i][at] as i64);
                columns[at] = _mm512_add_epi64(columns[at], _mm512_mul_epu32(low, word));
                columns[at + 1] = _mm512_add_epi64(columns[at + 1], _mm512_mul_epu32(high, word));
            }
        }
        // N primes hold numbers below 2^(49·N).
        let used = (49 * N).div_ceil(SHORT_BITS as usize);
        for at in 0..used - 1 {
            let carry = _mm512_srli_epi64::<SHORT_BITS>(columns[at]);
            columns[at + 1] = _mm512_add_epi64(columns[at + 1], carry);
            columns[at] = _mm512_and_si512(columns[at], mask);
        }
        let mut words = [_mm512_setzero_si512(); 5];
        for (at, word) in words.iter_mut().enumerate().take((49 * N).div_ceil(64)) {
            let (first, shift) = (64 * at / 28, (64 * at % 28) as u32);
            *word = _mm512_srl_epi64(columns[first], _mm_cvtsi32_si128(shift as i32));
            for next in 1..4 {
                let above = SHORT_BITS * next - shift;
                if first + (next as usize) < used && above < 64 {
                    let column = columns[first + next as usize];
                    let part = _mm512_sll_epi64(column, _mm_cvtsi32_si128(above as i32));
                    *word = _mm512_or_si512(*word, part);
                }
            }
        }
        words
    })
}

impl Lanes for Avx512Float {
    type V = __m512d;
    type K = Modulus;
    const LEVEL: Level = Level::Avx512Float;

    fn modulus(p: u64) -> Modulus {
        #[target_feature(enable = "avx512f")]
        fn splat(x: f64) -> __m512d {
            _mm512_set1_pd(x)
        }
        #[target_feature(enable = "avx512f")]
        fn factor(w: u64, p: u64) -> [__m512d; 2] {
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
        Avx2::factor(w, p)
    }

    fn product_bias(p: u64) -> u64 {
        Avx2::product_bias(p)
    }

    #[inline(always)]
    fn load(x: &[u64; 8]) -> __m512d {
        simd!(_mm512_castsi512_pd(integers(x)))
    }

    #[inline(always)]
    fn store(x: &mut [u64; 8], v: __m512d) {
        simd!(_mm512_storeu_pd(x.as_mut_ptr().cast(), v))
    }

    #[inline(always)]
    fn splat(word: u64) -> __m512d {
        all(f64::from_bits(word))
    }

    #[inline(always)]
    fn small(x: &[u64; 8]) -> __m512d {
        number(integers(x))
    }

    #[inline(always)]
    fn residue(k: Modulus, x: &[u64; 8]) -> __m512d {
        let x = integers(x);
        let [w, q] = k.half_limb;
        simd!({
            let low = number(_mm512_and_si512(x, _mm512_set1_epi64(0xffff_ffff)));
            let high = number(_mm512_srli_epi64::<32>(x));
            _mm512_add_pd(low, Self::mul::<0>(k, high, w, q))
        })
    }

    #[inline(always)]
    fn residue_wide(k: Modulus, x: &[[u64; 8]; 2]) -> __m512d {
        let [w, q] = k.limb;
        let high = Self::mul::<0>(k, Self::residue(k, &x[1]), w, q);
        Self::add(Self::residue(k, &x[0]), high)
    }

    // The excess leaves the least residue in the low 52 bits.
    #[inline(always)]
    fn canonical(k: Modulus, x: __m512d) -> [u64; 8] {
        let x = Self::reduce::<0>(k, x);
        let mut out = [0; 8];
        let bits = simd!({
            let negative = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(x, _mm512_setzero_pd());
            let x = _mm512_mask_add_pd(x, negative, x, k.p);
            _mm512_xor_pd(_mm512_add_pd(x, all(EXCESS)), all(EXCESS))
        });
        Self::store(&mut out, bits);
        out
    }

    #[inline(always)]
    fn mul<const BIAS: i64>(k: Modulus, x: __m512d, w: __m512d, q: __m512d) -> __m512d {
        simd!({
            let quotient = _mm512_sub_pd(_mm512_fmadd_pd(x, q, all(ROUND)), all(ROUND));
            let head = _mm512_mul_pd(x, w);
            let tail = _mm512_fmsub_pd(x, w, head);
            _mm512_add_pd(_mm512_fnmadd_pd(quotient, k.p, head), tail)
        })
    }

    #[inline(always)]
    fn product(k: Modulus, x: __m512d, y: __m512d) -> __m512d {
        let y = Self::reduce::<0>(k, y);
        let quotient = simd!(_mm512_mul_pd(y, k.reciprocal));
        Self::mul::<0>(k, Self::reduce::<0>(k, x), y, quotient)
    }

    #[inline(always)]
    fn reduce<const BIAS: i64>(k: Modulus, x: __m512d) -> __m512d {
        simd!({
            let quotient = _mm512_fmadd_pd(x, k.reciprocal, all(ROUND));
            _mm512_fnmadd_pd(_mm512_sub_pd(quotient, all(ROUND)), k.p, x)
        })
    }

    #[inline(always)]
    fn add(x: __m512d, y: __m512d) -> __m512d {
        simd!(_mm512_add_pd(x, y))
    }

    #[inline(always)]
    fn sub(x: __m512d, y: __m512d) -> __m512d {
        simd!(_mm512_sub_pd(x, y))
    }

    #[inline(always)]
    fn sub2(_: Modulus, x: __m512d, y: __m512d) -> __m512d {
        Self::sub(x, y)
    }

    #[inline(always)]
    fn sub4(_: Modulus, x: __m512d, y: __m512d) -> __m512d {
        Self::sub(x, y)
    }

    #[inline(always)]
    fn scale(k: Modulus, w: __m512d, g: __m512d, gq: __m512d) -> (__m512d, __m512d) {
        let w = Self::reduce::<0>(k, Self::mul::<0>(k, w, g, gq));
        (w, simd!(_mm512_mul_pd(w, k.reciprocal)))
    }

    #[inline(always)]
    fn transpose(x: &mut [__m512d; 8]) {
        simd!({
            let low = |a, b| _mm512_unpacklo_pd(a, b);
            let high = |a, b| _mm512_unpackhi_pd(a, b);
            let even = |a, b| _mm512_shuffle_f64x2::<0b10_00_10_00>(a, b);
            let odd = |a, b| _mm512_shuffle_f64x2::<0b11_01_11_01>(a, b);
            // Pairs of lanes, then pairs of pairs within halves, then halves.
            let mut a = *x;
            for i in [0, 2, 4, 6] {
                (a[i], a[i + 1]) = (low(x[i], x[i + 1]), high(x[i], x[i + 1]));
            }
            let mut b = a;
            for i in [0, 1, 4, 5] {
                (b[i], b[i + 2]) = (even(a[i], a[i + 2]), odd(a[i], a[i + 2]));
            }
            for i in 0..4 {
                (x[i], x[i + 4]) = (even(b[i], b[i + 4]), odd(b[i], b[i + 4]));
            }
        })
    }

    #[inline(always)]
    fn words<const N: usize, const D: usize>(crt: &Crt<Self>, x: [__m512d; N]) -> [[u64; 8]; 5] {
        let mut words = [[0; 8]; 5];
        for (word, vector) in words.iter_mut().zip(word_vectors(crt, x)) {
            simd!(_mm512_storeu_si512(word.as_mut_ptr().cast(), vector));
        }
        words
    }

    leaves!(
        Avx512Float,
        Modulus,
        simd,
        target_feature(enable = "avx512f,avx512dq")
    );
}
