//! Eight rows in 512-bit vectors of 64-bit lanes, with 52-bit integer multiply-adds (IFMA).
//!
//! Those read the low 52 bits of a lane and no more, so a digit is a sum whose upper bits mean
//! nothing.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::arithmetic::{Lanes, leaves};
use super::division::{self, DivisionLengths};
use super::montgomery::{self, Modulus};
use super::vectors::vectors;
use super::{Group, ROWS, Sum};

#[derive(Clone, Copy)]
pub(super) struct Avx512;

const MASK: i64 = (1 << 52) - 1;

// SAFETY of every block in this file: the instructions are available where `Level::is_available`
// said so, and loads and stores go through references to eight words, which need no alignment.
macro_rules! simd {
    ($e:expr) => {{
        // SAFETY: see above.
        unsafe { $e }
    }};
}

impl Lanes for Avx512 {
    type Sum = __m512i;
    type Digit = __m512i;
    type Real = __m512d;

    vectors!();

    #[inline(always)]
    fn digit(x: __m512i) -> __m512i {
        x
    }

    #[inline(always)]
    fn to_bits(x: __m512i) -> __m512i {
        x
    }

    #[inline(always)]
    fn from_bits(x: __m512i) -> __m512i {
        x
    }

    #[inline(always)]
    fn multiply_add(low: &mut __m512i, high: &mut __m512i, a: __m512i, b: __m512i) {
        simd!({
            *low = _mm512_madd52lo_epu64(*low, a, b);
            *high = _mm512_madd52hi_epu64(*high, a, b);
        });
    }

    #[inline(always)]
    fn excess(_low: u64, _high: u64) -> __m512i {
        Self::zero()
    }

    #[inline(always)]
    fn low_product(a: __m512i, b: __m512i) -> __m512i {
        simd!(_mm512_madd52lo_epu64(Self::zero(), a, b))
    }

    fn pack(digits: &[u64; ROWS]) -> __m512i {
        simd!(std::mem::transmute::<[u64; ROWS], __m512i>(*digits))
    }

    fn unpack(digits: __m512i) -> [u64; ROWS] {
        simd!(std::mem::transmute::<__m512i, [u64; ROWS]>(digits)).map(|digit| digit & MASK as u64)
    }

    leaves!(
        Avx512,
        simd,
        target_feature(enable = "avx512f,avx512dq,avx512ifma")
    );
}
