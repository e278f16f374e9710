//! Eight residues modulo p < 2^49 in a vector, with 52-bit multiply-adds (AVX-512 IFMA).
//!
//! A factor is w and ⌊w·2^52/p⌋ (Shoup): for x < 2^52, x·w less the high half of the product with
//! the latter times p is in [0, 2p), exact modulo 2^52. Bits above 52 of a lane are left as sums
//! make them, and masked at the end.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::modulus::Modulus;

/// Moduli below this: sums of up to seven residues stay below 2^52.
const LIMIT: u64 = 1 << 49;

/// Whether the processor has what this takes, and p is small enough.
#[inline]
pub(super) fn is_available(p: Modulus) -> bool {
    p.get() < LIMIT
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512ifma")
}

/// A prime in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Prime {
    p: __m512i,
    /// −p modulo 2^52.
    minus: __m512i,
}

/// A residue and its quotient in all lanes.
pub(super) type Factor = [__m512i; 2];

impl Prime {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(p: Modulus) -> Prime {
        assert!(p.get() < LIMIT);
        Prime {
            p: _mm512_set1_epi64(p.get() as i64),
            minus: _mm512_set1_epi64((1 << 52) - p.get() as i64),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn factor(self, p: Modulus, w: u64) -> Factor {
        let quotient = p.factor(w).quotient >> 12;
        [
            _mm512_set1_epi64(w as i64),
            _mm512_set1_epi64(quotient as i64),
        ]
    }

    /// The sum and x·w: [0, 2p) more, for x < 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn add_product(self, sum: __m512i, x: __m512i, [w, q]: Factor) -> __m512i {
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, q);
        let sum = _mm512_madd52lo_epu64(sum, x, w);
        _mm512_madd52lo_epu64(sum, quotient, self.minus)
    }

    /// x in [0, p) for one in [0, 2p).
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn least(self, x: __m512i) -> __m512i {
        let x = _mm512_and_si512(x, _mm512_set1_epi64((1 << 52) - 1));
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.p))
    }

    /// x in [0, p) for one in [0, 5p).
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn least_of_five(self, x: __m512i) -> __m512i {
        let x = _mm512_and_si512(x, _mm512_set1_epi64((1 << 52) - 1));
        let two = _mm512_add_epi64(self.p, self.p);
        let four = _mm512_add_epi64(two, two);
        let x = _mm512_min_epu64(x, _mm512_sub_epi64(x, four));
        let x = _mm512_min_epu64(x, _mm512_sub_epi64(x, two));
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.p))
    }
}

/// sum[i] += f0·x[i] + f1·x[i − 1] for i from 0 to x.len(): one longer than x.
pub(super) fn add_twice(sum: &mut [u64], x: &[u64], f0: u64, f1: u64, p: Modulus) {
    assert!(is_available(p) && sum.len() == x.len() + 1);
    // SAFETY: the processor has AVX-512 with IFMA and p < 2^49, asserted above.
    unsafe { add_twice_leaf(sum, x, f0, f1, p) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn add_twice_leaf(sum: &mut [u64], x: &[u64], f0: u64, f1: u64, p: Modulus) {
    let prime = Prime::new(p);
    let (f0, f1) = (prime.factor(p, f0), prime.factor(p, f1));
    let len = x.len();
    assert!(sum.len() == len + 1);
    let mut at = 0;
    while at <= len {
        // Lanes of the sum, of x and of x moved up by one.
        let lanes = |from: usize, to: usize| -> __mmask8 {
            let count = to.saturating_sub(at).min(8);
            ((1u32 << count) - (1u32 << from.min(count))) as u8
        };
        let own = lanes(0, len);
        let above = lanes(usize::from(at == 0), len + 1);
        let all = lanes(0, len + 1);
        // SAFETY: masked lanes alone are touched: `own` ends with x, `above` begins with its first
        // word where `at` is 0 and ends with its last, and `all` ends with the sum, all of lengths
        // asserted above.
        unsafe {
            let here = sum.as_mut_ptr().add(at).cast::<i64>();
            let from = x.as_ptr().wrapping_add(at);
            let y0 = _mm512_maskz_loadu_epi64(own, from.cast());
            let y1 = _mm512_maskz_loadu_epi64(above, from.wrapping_sub(1).cast());
            let y = _mm512_maskz_loadu_epi64(all, here);
            let y = prime.add_product(y, y0, f0);
            let y = prime.least_of_five(prime.add_product(y, y1, f1));
            _mm512_mask_storeu_epi64(here, all, y);
        }
        at += 8;
    }
}

/// sum[i] += f·x[i].
pub(super) fn add_scaled(sum: &mut [u64], x: &[u64], f: u64, p: Modulus) {
    assert!(is_available(p) && sum.len() == x.len());
    // SAFETY: the processor has AVX-512 with IFMA and p < 2^49, asserted above.
    unsafe { add_scaled_leaf(sum, x, f, p) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn add_scaled_leaf(sum: &mut [u64], x: &[u64], f: u64, p: Modulus) {
    let prime = Prime::new(p);
    let f = prime.factor(p, f);
    assert!(sum.len() == x.len());
    for (sum, x) in sum.chunks_mut(8).zip(x.chunks(8)) {
        let all = ((1u32 << sum.len()) - 1) as u8;
        // SAFETY: only the lanes of both chunks are touched, which are of one length.
        unsafe {
            let here = sum.as_mut_ptr().cast::<i64>();
            let y = _mm512_maskz_loadu_epi64(all, here);
            let x = _mm512_maskz_loadu_epi64(all, x.as_ptr().cast());
            _mm512_mask_storeu_epi64(here, all, prime.least_of_five(prime.add_product(y, x, f)));
        }
    }
}
