//! Products of short polynomials, from the definition.
//!
//! With 52-bit multiply-adds (AVX-512 IFMA) and p < 2^49, low and high halves of the products are
//! gathered apart, eight coefficients to a vector and four vectors at a time; elsewhere sums of two
//! words, kept below p·2^64. Both are reduced once, at the end.

#![allow(unsafe_code)]

use super::super::modulus::Modulus;

/// Maximum terms of a coefficient: a lane adds that many halves below 2^52 and stays below 2^64.
pub(super) const MOST_TERMS: usize = 1 << 11;

/// Whether products modulo p are by vectors.
pub(super) fn is_fast(p: Modulus) -> bool {
    #[cfg(target_arch = "x86_64")]
    return vectors::is_available(p);
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// The sum of the products of pairs; zeros may lead. The shorter operands have at most `MOST_TERMS`
/// coefficients together.
pub(super) fn sum(pairs: &[(&[u64], &[u64])], p: Modulus) -> Vec<u64> {
    let mut ordered = Vec::with_capacity(pairs.len());
    let (mut len, mut terms) = (0, 0);
    for &(a, b) in pairs {
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        if !short.is_empty() {
            len = len.max(short.len() + long.len() - 1);
            terms += short.len();
            ordered.push((short, long));
        }
    }
    assert!(terms <= MOST_TERMS);
    #[cfg(target_arch = "x86_64")]
    if len >= 8 && vectors::is_available(p) {
        return vectors::sum(&ordered, len, p);
    }
    plain(&ordered, len, p)
}

/// Sums of two words. Below p·2^64, so that one division ends them: a product is below p·2^63.
fn plain(pairs: &[(&[u64], &[u64])], len: usize, p: Modulus) -> Vec<u64> {
    let limit = u128::from(p.get()) << 64;
    let coefficient = |k: usize| {
        let mut sum = 0u128;
        for (short, long) in pairs {
            let from = (k + 1).saturating_sub(long.len());
            let to = short.len().min(k + 1);
            for i in from..to {
                sum += u128::from(short[i]) * u128::from(long[k - i]);
                if sum >= limit {
                    sum -= limit;
                }
            }
        }
        p.reduce_products(sum)
    };
    (0..len).map(coefficient).collect()
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use std::arch::x86_64::*;
    use std::cell::RefCell;

    use super::super::super::ifma::{self, Prime};
    use super::{MOST_TERMS, Modulus};

    /// Vectors of the result that are gathered at a time, and the coefficients in them.
    const BLOCK: usize = 4;
    const WIDTH: usize = 8 * BLOCK;

    pub(super) fn is_available(p: Modulus) -> bool {
        ifma::is_available(p)
    }

    thread_local! {
        /// A longer operand with `WIDTH` zeros on both sides.
        static PADDED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn sum(pairs: &[(&[u64], &[u64])], len: usize, p: Modulus) -> Vec<u64> {
        assert!(is_available(p));
        let mut out = vec![0; len.next_multiple_of(WIDTH)];
        PADDED.with_borrow_mut(|padded| {
            padded.clear();
            let mut starts = Vec::with_capacity(pairs.len());
            for (_, long) in pairs {
                padded.resize(padded.len() + WIDTH, 0);
                starts.push(padded.len());
                padded.extend_from_slice(long);
                padded.resize(padded.len() + WIDTH, 0);
            }
            // SAFETY: the processor has AVX-512 with IFMA and p < 2^49, asserted above.
            unsafe { gather(pairs, padded, &starts, &mut out, p) };
        });
        out.truncate(len);
        out
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn gather(
        pairs: &[(&[u64], &[u64])],
        padded: &[u64],
        starts: &[usize],
        out: &mut [u64],
        p: Modulus,
    ) {
        let zero = _mm512_setzero_si512();
        let prime = Prime::new(p);
        let powers = [1, 1 << 52, 1 << 104].map(|x: u128| prime.factor(p, p.reduce_wide(x)));
        let one = powers[0];
        let mask = _mm512_set1_epi64((1 << 52) - 1);
        for (block, out) in out.chunks_exact_mut(WIDTH).enumerate() {
            let first = block * WIDTH;
            let (mut low, mut high) = ([zero; BLOCK], [zero; BLOCK]);
            for ((short, long), start) in pairs.iter().zip(starts) {
                let from = (first + 1).saturating_sub(long.len());
                let to = short.len().min(first + WIDTH);
                if from >= to {
                    continue;
                }
                // Coefficient i of the shorter meets those from first − i on, of which at least one
                // is there.
                let (least, most) = (start + first + 1 - to, start + first - from);
                assert!(*start >= WIDTH && least + WIDTH > *start && most + WIDTH <= padded.len());
                debug_assert!(short.len() <= MOST_TERMS);
                for (i, x) in short[from..to].iter().enumerate() {
                    let x = _mm512_set1_epi64(*x as i64);
                    let at = start + first - from - i;
                    for j in 0..BLOCK {
                        // SAFETY: `at` lies between `least` and `most`, so the eight words lie in
                        // `padded`, asserted above.
                        let y =
                            unsafe { _mm512_loadu_si512(padded.as_ptr().add(at + 8 * j).cast()) };
                        low[j] = _mm512_madd52lo_epu64(low[j], x, y);
                        high[j] = _mm512_madd52hi_epu64(high[j], x, y);
                    }
                }
            }
            for j in 0..BLOCK {
                // Words of 52 bits: low and high sums are below 2^63, so that no carry is lost.
                let high = _mm512_add_epi64(high[j], _mm512_srli_epi64::<52>(low[j]));
                let words = [
                    _mm512_and_si512(low[j], mask),
                    _mm512_and_si512(high, mask),
                    _mm512_srli_epi64::<52>(high),
                ];
                let mut sum = zero;
                for k in 0..3 {
                    sum = prime.add_product(sum, words[k], powers[k]);
                }
                // Below 6p < 2^52; one more product brings it below 2p.
                let sum = prime.least(prime.add_product(zero, sum, one));
                // SAFETY: the block has 8·BLOCK words.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(8 * j).cast(), sum) };
            }
        }
    }
}
