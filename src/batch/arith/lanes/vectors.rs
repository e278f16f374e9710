//! The common operations of both levels with 512-bit vectors: sums, shifts, and estimates of
//! quotients in floating point.

/// The methods of `Lanes` whose vectors are `__m512i` and `__m512d`, but for products and digits.
/// `simd!` is the macro of the file for blocks of instructions.
macro_rules! vectors {
    () => {
        #[inline(always)]
        fn zero() -> __m512i {
            simd!(_mm512_setzero_si512())
        }

        #[inline(always)]
        fn splat(x: u64) -> __m512i {
            simd!(_mm512_set1_epi64(x as i64))
        }

        #[inline(always)]
        fn load(words: &[u64; ROWS]) -> __m512i {
            simd!(_mm512_loadu_si512(words.as_ptr().cast()))
        }

        #[inline(always)]
        fn store(x: __m512i, words: &mut [u64; ROWS]) {
            simd!(_mm512_storeu_si512(words.as_mut_ptr().cast(), x))
        }

        #[inline(always)]
        fn add(x: __m512i, y: __m512i) -> __m512i {
            simd!(_mm512_add_epi64(x, y))
        }

        #[inline(always)]
        fn sub(x: __m512i, y: __m512i) -> __m512i {
            simd!(_mm512_sub_epi64(x, y))
        }

        #[inline(always)]
        fn or(x: __m512i, y: __m512i) -> __m512i {
            simd!(_mm512_or_si512(x, y))
        }

        #[inline(always)]
        fn shift_left(x: __m512i, bits: __m512i) -> __m512i {
            simd!(_mm512_sllv_epi64(x, bits))
        }

        #[inline(always)]
        fn shift_right(x: __m512i, bits: __m512i) -> __m512i {
            simd!(_mm512_srlv_epi64(x, bits))
        }

        #[inline(always)]
        fn low_bits(x: __m512i) -> __m512i {
            simd!(_mm512_and_si512(x, _mm512_set1_epi64(MASK)))
        }

        #[inline(always)]
        fn carry(x: __m512i) -> __m512i {
            simd!(_mm512_srli_epi64::<52>(x))
        }

        #[inline(always)]
        fn signed_carry(x: __m512i) -> __m512i {
            simd!(_mm512_srai_epi64::<52>(x))
        }

        #[inline(always)]
        fn clamp(x: __m512i) -> __m512i {
            simd!(_mm512_min_epi64(
                _mm512_max_epi64(x, _mm512_setzero_si512()),
                _mm512_set1_epi64(MASK)
            ))
        }

        #[inline(always)]
        fn outside(x: __m512i) -> u8 {
            simd!(_mm512_cmpgt_epu64_mask(x, _mm512_set1_epi64(MASK)))
        }

        #[inline(always)]
        fn transpose(x: &mut [__m512i; ROWS]) {
            simd!({
                let lo = |a, b| _mm512_unpacklo_epi64(a, b);
                let hi = |a, b| _mm512_unpackhi_epi64(a, b);
                let even = |a, b| _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b);
                let odd = |a, b| _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b);
                // Pairs of lanes, then pairs of pairs, then halves.
                let a = [
                    lo(x[0], x[1]),
                    lo(x[2], x[3]),
                    lo(x[4], x[5]),
                    lo(x[6], x[7]),
                ];
                let b = [
                    hi(x[0], x[1]),
                    hi(x[2], x[3]),
                    hi(x[4], x[5]),
                    hi(x[6], x[7]),
                ];
                for (i, a) in [(0, a), (1, b)] {
                    let (e0, e1) = (even(a[0], a[1]), even(a[2], a[3]));
                    let (o0, o1) = (odd(a[0], a[1]), odd(a[2], a[3]));
                    (x[i], x[i + 4]) = (even(e0, e1), odd(e0, e1));
                    (x[i + 2], x[i + 6]) = (even(o0, o1), odd(o0, o1));
                }
            })
        }

        #[inline(always)]
        fn real(x: __m512i) -> __m512d {
            simd!(_mm512_cvtepi64_pd(x))
        }

        #[inline(always)]
        fn splat_real(x: f64) -> __m512d {
            simd!(_mm512_set1_pd(x))
        }

        #[inline(always)]
        fn add_real(x: __m512d, y: __m512d) -> __m512d {
            simd!(_mm512_add_pd(x, y))
        }

        #[inline(always)]
        fn mul_real(x: __m512d, y: __m512d) -> __m512d {
            simd!(_mm512_mul_pd(x, y))
        }

        #[inline(always)]
        fn inverse(x: __m512d) -> __m512d {
            simd!(_mm512_div_pd(_mm512_set1_pd(1.0), x))
        }

        #[inline(always)]
        fn floor(x: __m512d) -> __m512i {
            simd!(_mm512_cvt_roundpd_epi64::<
                { _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC },
            >(x))
        }
    };
}

pub(super) use vectors;
