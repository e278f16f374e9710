//! Eight rows in 512-bit vectors of floating-point numbers, with fused multiply-adds: for
//! processors with AVX-512 that lack 52-bit integer multiply-adds.
//!
//! A digit below 2^52 is a number, exactly. For digits a and b, a·b + 2^104 is in [2^104, 2^105),
//! where neighbours are 2^52 apart: rounded towards zero it is 2^104 + h·2^52 with h =
//! ⌊a·b/2^52⌋. Its bits, as an integer, are those of 2^104 plus h. Then a·b + 2^52 − h·2^52 is the
//! integer 2^52 + l, with l below 2^52: it is exact, and its bits are those of 2^52 plus l. (Emmart
//! and others, *Faster modular exponentiation using double precision floating point arithmetic on
//! the GPU*, ARITH 2018.)

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::arithmetic::{Lanes, leaves};
use super::division::{self, DivisionLengths};
use super::montgomery::{self, Modulus};
use super::vectors::vectors;
use super::{Group, ROWS, Sum};

#[derive(Clone, Copy)]
pub(super) struct Avx512Float;

const MASK: i64 = (1 << 52) - 1;
/// 2^52 and 2^104.
const LOW: f64 = (1u64 << 52) as f64;
const HIGH: f64 = LOW * LOW;
const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

// SAFETY of every block in this file: the instructions are available where `Level::is_available`
// said so, and loads and stores go through references to eight words, which need no alignment.
macro_rules! simd {
    ($e:expr) => {{
        // SAFETY: see above.
        unsafe { $e }
    }};
}

/// The bits of 2^52 + l and of 2^104 + h·2^52.
#[inline(always)]
fn halves(a: __m512d, b: __m512d) -> (__m512i, __m512i) {
    simd!({
        let high = _mm512_fmadd_round_pd::<TO_ZERO>(a, b, _mm512_set1_pd(HIGH));
        let rest = _mm512_sub_pd(_mm512_set1_pd(HIGH + LOW), high);
        let low = _mm512_fmadd_round_pd::<TO_ZERO>(a, b, rest);
        (_mm512_castpd_si512(low), _mm512_castpd_si512(high))
    })
}

impl Lanes for Avx512Float {
    type Sum = __m512i;
    type Digit = __m512d;
    type Real = __m512d;

    vectors!();

    #[inline(always)]
    fn digit(x: __m512i) -> __m512d {
        Self::real(Self::low_bits(x))
    }

    #[inline(always)]
    fn to_bits(x: __m512d) -> __m512i {
        simd!(_mm512_castpd_si512(x))
    }

    #[inline(always)]
    fn from_bits(x: __m512i) -> __m512d {
        simd!(_mm512_castsi512_pd(x))
    }

    #[inline(always)]
    fn multiply_add(low: &mut __m512i, high: &mut __m512i, a: __m512d, b: __m512d) {
        let (l, h) = halves(a, b);
        *low = Self::add(*low, l);
        *high = Self::add(*high, h);
    }

    #[inline(always)]
    fn excess(low: u64, high: u64) -> __m512i {
        let low = low.wrapping_mul(LOW.to_bits());
        Self::splat(low.wrapping_add(high.wrapping_mul(HIGH.to_bits())))
    }

    // The bits of 2^52 are zero below bit 52.
    #[inline(always)]
    fn low_product(a: __m512d, b: __m512d) -> __m512d {
        Self::digit(halves(a, b).0)
    }

    fn pack(digits: &[u64; ROWS]) -> __m512d {
        let numbers = digits.map(|digit| digit as f64);
        simd!(std::mem::transmute::<[f64; ROWS], __m512d>(numbers))
    }

    fn unpack(digits: __m512d) -> [u64; ROWS] {
        let numbers = simd!(std::mem::transmute::<__m512d, [f64; ROWS]>(digits));
        numbers.map(|digit| digit as u64)
    }

    leaves!(
        Avx512Float,
        simd,
        target_feature(enable = "avx512f,avx512dq")
    );
}
