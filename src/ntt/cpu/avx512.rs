//! Eight residues in a 512-bit vector of 64-bit lanes, with 52-bit integer multiply-adds.
//!
//! Those read only the low 52 bits of a lane, so a lane need only be right modulo 2^52. Sums and
//! differences may leave any bits above. The lane represents the value in [0, 2^52) that has these
//! low bits, which is the bound of `Lanes`.
//!
//! A factor is w and ⌊w·2^52/p⌋ (Shoup): for x < 2^52 the high half of the product with the latter
//! is ⌊x·w/p⌋ or one less, and x·w less that many p, exact modulo 2^52, is in [0, 2p). Adding a
//! constant to the quotient adds multiples of p.

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
pub(super) struct Avx512;

/// A prime in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Modulus {
    /// −p modulo 2^52.
    minus: __m512i,
    p: __m512i,
    two: __m512i,
    four: __m512i,
    /// 1/p modulo 2^52.
    reciprocal: __m512i,
    /// ⌊2^101/p⌋ − 2^52.
    barrett: __m512i,
    /// The factor 2^32.
    half_limb: [__m512i; 2],
    /// The factor 2^64.
    limb: [__m512i; 2],
}

const MASK: i64 = (1 << 52) - 1;

// SAFETY of every block in this file: the instructions are available where `Level::is_available`
// said so, and loads and stores go through references to eight words, which need no alignment.
macro_rules! simd {
    ($e:expr) => {{
        // SAFETY: see above.
        unsafe { $e }
    }};
}

#[inline(always)]
fn all(x: i64) -> __m512i {
    simd!(_mm512_set1_epi64(x))
}

#[inline(always)]
fn low(sum: __m512i, x: __m512i, y: __m512i) -> __m512i {
    simd!(_mm512_madd52lo_epu64(sum, x, y))
}

#[inline(always)]
fn high(sum: __m512i, x: __m512i, y: __m512i) -> __m512i {
    simd!(_mm512_madd52hi_epu64(sum, x, y))
}

/// The sum of the product x·w less q·p, and `sum`, where q is the quotient of the product plus
/// `offset`.
#[inline(always)]
fn shoup(k: Modulus, sum: __m512i, offset: i64, x: __m512i, w: __m512i, wq: __m512i) -> __m512i {
    let q = high(all(offset), x, wq);
    low(low(sum, x, w), q, k.minus)
}

/// The sum and x·w for a factor of the prime that `minus` is the negative of.
#[inline(always)]
fn times(minus: __m512i, sum: __m512i, x: __m512i, [w, q]: Factor) -> __m512i {
    let quotient = high(all(0), x, Avx512::splat(q));
    low(low(sum, x, Avx512::splat(w)), quotient, minus)
}

/// x for x in [0, 2p) or a little more, in [0, p).
#[inline(always)]
fn least(k: Modulus, x: __m512i) -> __m512i {
    simd!({
        let x = _mm512_and_si512(x, all(MASK));
        _mm512_min_epu64(x, _mm512_sub_epi64(x, k.p))
    })
}

impl Avx512 {
    #[inline(always)]
    fn canonical_vector(k: Modulus, x: __m512i) -> __m512i {
        least(k, Self::reduce::<0>(k, x))
    }
}

/// Garner's digits of the numbers with these residues.
#[inline(always)]
fn digits<const N: usize>(crt: &Crt<Avx512>, x: [__m512i; N]) -> [__m512i; N] {
    let mut v = [all(0); N];
    for i in 0..N {
        let k = crt.k[i];
        let [w, q] = crt.constants.own[i];
        let mut sum = Avx512::mul::<0>(k, x[i], Avx512::splat(w), Avx512::splat(q));
        for (j, &v) in v.iter().enumerate().take(i) {
            let [w, q] = crt.constants.mixed[i][j];
            if j == 3 {
                sum = Avx512::reduce::<0>(k, sum);
            }
            sum = shoup(k, sum, 0, v, Avx512::splat(w), Avx512::splat(q));
        }
        v[i] = Avx512::canonical_vector(k, sum);
    }
    v
}

/// The numbers with these residues, as words of 64 bits.
// N digits below 2^49 times the D words of 52 bits of each product of primes; word sums stay below
// 2^56.
#[inline(always)]
fn word_vectors<const N: usize, const D: usize>(
    crt: &Crt<Avx512>,
    x: [__m512i; N],
) -> [__m512i; 5] {
    let mut sums = [all(0); D];
    for (i, &v) in digits(crt, x).iter().enumerate() {
        for at in 0..i.max(1) {
            let digit = Avx512::splat(crt.constants.digits[i][at]);
            sums[at] = low(sums[at], v, digit);
            sums[at + 1] = high(sums[at + 1], v, digit);
        }
    }
    simd!({
        for at in 0..D - 1 {
            let carry = _mm512_srli_epi64::<52>(sums[at]);
            sums[at + 1] = _mm512_add_epi64(sums[at + 1], carry);
            sums[at] = _mm512_and_si512(sums[at], all(MASK));
        }
        let mut words = [all(0); 5];
        for (at, word) in words
            .iter_mut()
            .enumerate()
            .take(if N == 3 { 3 } else { 5 })
        {
            let (first, shift) = (64 * at / 52, (64 * at % 52) as u32);
            let mut bits = _mm512_srl_epi64(sums[first], _mm_cvtsi32_si128(shift as i32));
            for (next, above) in [(first + 1, 52 - shift), (first + 2, 104 - shift)] {
                if next < D && above < 64 {
                    let part = _mm512_sll_epi64(sums[next], _mm_cvtsi32_si128(above as i32));
                    bits = _mm512_or_si512(bits, part);
                }
            }
            *word = bits;
        }
        words
    })
}

impl Lanes for Avx512 {
    type V = __m512i;
    type K = Modulus;
    const LEVEL: Level = Level::Avx512;

    fn modulus(p: u64) -> Modulus {
        let mut reciprocal: u64 = 1;
        for _ in 0..6 {
            let next = 2u64.wrapping_sub(reciprocal.wrapping_mul(p));
            reciprocal = reciprocal.wrapping_mul(next);
        }
        #[target_feature(enable = "avx512f")]
        fn splat(x: u64) -> __m512i {
            _mm512_set1_epi64(x as i64)
        }
        let factor = |w: u64| Self::factor(w, p);
        let (half_limb, limb) = (factor(1 << 32), factor(field::pow(2, 64, p)));
        simd!(Modulus {
            minus: splat((1 << 52) - p),
            p: splat(p),
            two: splat(2 * p),
            four: splat(4 * p),
            reciprocal: splat(reciprocal & MASK as u64),
            barrett: splat(((1u128 << 101) / u128::from(p) - (1 << 52)) as u64),
            half_limb: [splat(half_limb[0]), splat(half_limb[1])],
            limb: [splat(limb[0]), splat(limb[1])],
        })
    }

    fn factor(w: u64, p: u64) -> Factor {
        [w, ((u128::from(w) << 52) / u128::from(p)) as u64]
    }

    fn product_bias(p: u64) -> u64 {
        field::inverse(field::pow(2, 52, p), p)
    }

    #[inline(always)]
    fn load(x: &[u64; 8]) -> __m512i {
        simd!(_mm512_loadu_si512(x.as_ptr().cast()))
    }

    #[inline(always)]
    fn store(x: &mut [u64; 8], v: __m512i) {
        simd!(_mm512_storeu_si512(x.as_mut_ptr().cast(), v))
    }

    #[inline(always)]
    fn splat(word: u64) -> __m512i {
        all(word as i64)
    }

    #[inline(always)]
    fn small(x: &[u64; 8]) -> __m512i {
        Self::load(x)
    }

    #[inline(always)]
    fn residue(k: Modulus, x: &[u64; 8]) -> __m512i {
        let x = Self::load(x);
        let low_half = simd!(_mm512_and_si512(x, all(0xffff_ffff)));
        let high_half = simd!(_mm512_srli_epi64::<32>(x));
        shoup(k, low_half, 0, high_half, k.half_limb[0], k.half_limb[1])
    }

    #[inline(always)]
    fn residue_wide(k: Modulus, x: &[[u64; 8]; 2]) -> __m512i {
        let high_limb = Self::residue(k, &x[1]);
        shoup(
            k,
            Self::residue(k, &x[0]),
            0,
            high_limb,
            k.limb[0],
            k.limb[1],
        )
    }

    #[inline(always)]
    fn canonical(k: Modulus, x: __m512i) -> [u64; 8] {
        let mut out = [0; 8];
        Self::store(&mut out, Self::canonical_vector(k, x));
        out
    }

    #[inline(always)]
    fn mul<const BIAS: i64>(k: Modulus, x: __m512i, w: __m512i, q: __m512i) -> __m512i {
        shoup(k, all(0), -BIAS, x, w, q)
    }

    // Montgomery: with m = x·y/p modulo 2^52 the low halves of x·y and m·p are equal, so the
    // difference of the high halves is (x·y − m·p)/2^52. It is above −p; x and y below p + 2^42
    // make it less than p/8 + 2^42.
    #[inline(always)]
    fn product(k: Modulus, x: __m512i, y: __m512i) -> __m512i {
        let x = Self::reduce::<0>(k, x);
        let y = Self::reduce::<0>(k, y);
        let m = low(all(0), low(all(0), x, y), k.reciprocal);
        Self::sub(high(k.p, x, y), high(all(0), m, k.p))
    }

    // The quotient is the value of the bits from 49 on, at most 7; p is short of 2^49 by less than
    // 2^39.
    #[inline(always)]
    fn reduce<const BIAS: i64>(k: Modulus, x: __m512i) -> __m512i {
        low(x, high(all(-BIAS), x, all(8)), k.minus)
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
    fn sub2(k: Modulus, x: __m512i, y: __m512i) -> __m512i {
        Self::sub(Self::add(x, k.two), y)
    }

    #[inline(always)]
    fn sub4(k: Modulus, x: __m512i, y: __m512i) -> __m512i {
        Self::sub(Self::add(x, k.four), y)
    }

    // With w < p, ⌊w·2^52/p⌋ is 8w + ⌊8w·(2^101/p − 2^52)/2^52⌋, here too small by at most one:
    // then the remainder w·2^52 − q·p is p or more.
    #[inline(always)]
    fn scale(k: Modulus, w: __m512i, g: __m512i, gq: __m512i) -> (__m512i, __m512i) {
        let w = least(k, Self::mul::<0>(k, w, g, gq));
        simd!({
            let w8 = _mm512_slli_epi64::<3>(w);
            let q = high(w8, w8, k.barrett);
            let rest = _mm512_and_si512(low(all(0), q, k.minus), all(MASK));
            let short = _mm512_cmpge_epu64_mask(rest, k.p);
            (w, _mm512_mask_add_epi64(q, short, q, all(1)))
        })
    }

    #[inline(always)]
    fn transpose(x: &mut [__m512i; 8]) {
        simd!({
            let lo = |a, b| _mm512_unpacklo_epi64(a, b);
            let hi = |a, b| _mm512_unpackhi_epi64(a, b);
            // Pairs of lanes, then pairs of pairs within halves, then halves.
            let a = [
                lo(x[0], x[1]),
                hi(x[0], x[1]),
                lo(x[2], x[3]),
                hi(x[2], x[3]),
                lo(x[4], x[5]),
                hi(x[4], x[5]),
                lo(x[6], x[7]),
                hi(x[6], x[7]),
            ];
            let even = |a, b| _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b);
            let odd = |a, b| _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b);
            let b = [
                even(a[0], a[2]),
                even(a[1], a[3]),
                odd(a[0], a[2]),
                odd(a[1], a[3]),
                even(a[4], a[6]),
                even(a[5], a[7]),
                odd(a[4], a[6]),
                odd(a[5], a[7]),
            ];
            *x = [
                even(b[0], b[4]),
                even(b[1], b[5]),
                even(b[2], b[6]),
                even(b[3], b[7]),
                odd(b[0], b[4]),
                odd(b[1], b[5]),
                odd(b[2], b[6]),
                odd(b[3], b[7]),
            ];
        })
    }

    #[inline(always)]
    fn words<const N: usize, const D: usize>(crt: &Crt<Self>, x: [__m512i; N]) -> [[u64; 8]; 5] {
        let mut words = [[0; 8]; 5];
        for (word, vector) in words.iter_mut().zip(word_vectors::<N, D>(crt, x)) {
            Self::store(word, vector);
        }
        words
    }

    // A term is below 2p and p < 2^49, so sums of four are below 2^52.
    #[inline(always)]
    fn modulo<const N: usize>(crt: &Crt<Self>, target: &Target, x: [__m512i; N]) -> [u64; 8] {
        let Some(factors) = &target.narrow else {
            return crt.plain_modulo(target, x);
        };
        let (p, minus) = (all(target.p as i64), all((1 << 52) - target.p as i64));
        let v = digits(crt, x);
        let mut sum = all(0);
        for i in 0..N {
            sum = times(minus, sum, v[i], factors[i]);
        }
        let mut out = [0; 8];
        let sum = times(minus, all(0), sum, factors[4]);
        Self::store(
            &mut out,
            simd!({
                let sum = _mm512_and_si512(sum, all(MASK));
                _mm512_min_epu64(sum, _mm512_sub_epi64(sum, p))
            }),
        );
        out
    }

    // Three primes make three words a number and one limb, so the words of eight numbers are added
    // with the second ones one lane up and the third ones, below 2^20, two lanes up. A carry out of
    // the first sum goes to the third word of the next lane; one out of the second sum runs on
    // through lanes of all ones, which an addition of masks follows.
    #[inline(always)]
    fn carry<const N: usize, const D: usize>(
        crt: &Crt<Self>,
        rows: [&[[u64; 8]]; N],
        out: &mut [u64],
        carry: &mut [u64; 4],
    ) {
        if N != 3 {
            return crt::carry::<Self, N, D>(crt, rows, out, carry);
        }
        let mut second = Self::load(&[0, 0, 0, 0, 0, 0, 0, carry[0]]);
        let mut third = Self::load(&[0, 0, 0, 0, 0, 0, 0, carry[1]]);
        let (mut first_carry, mut last_carry) = (0, 0);
        for (at, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let mut x = [all(0); N];
            for i in 0..N {
                x[i] = Self::load(&rows[i][at]);
            }
            let words = word_vectors::<N, D>(crt, x);
            simd!({
                let one_up = _mm512_alignr_epi64::<7>(words[1], second);
                let two_up = _mm512_alignr_epi64::<6>(words[2], third);
                (second, third) = (words[1], words[2]);
                let sum = _mm512_add_epi64(words[0], one_up);
                let over = u32::from(_mm512_cmplt_epu64_mask(sum, one_up));
                let carries = (over << 1 | first_carry) as u8;
                first_carry = over >> 7;
                let two_up = _mm512_mask_add_epi64(two_up, carries, two_up, all(1));
                let sum = _mm512_add_epi64(sum, two_up);
                let over = u32::from(_mm512_cmplt_epu64_mask(sum, two_up));
                let ones = u32::from(_mm512_cmpeq_epu64_mask(sum, all(-1)));
                let carries = (over << 1 | last_carry) + ones;
                last_carry = carries >> 8;
                let sum = _mm512_mask_add_epi64(sum, (carries ^ ones) as u8, sum, all(1));
                Self::store(out, sum);
            });
        }
        let (mut words, mut above) = ([0; 8], [0; 8]);
        Self::store(&mut words, second);
        Self::store(&mut above, third);
        let low =
            u128::from(words[7]) + u128::from(above[6]) + u128::from(first_carry + last_carry);
        *carry = [low as u64, above[7] + (low >> 64) as u64, 0, 0];
    }

    leaves!(
        Avx512,
        Modulus,
        simd,
        target_feature(enable = "avx512f,avx512dq,avx512ifma")
    );
}
