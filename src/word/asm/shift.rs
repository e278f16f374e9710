//! Shifts by less than a limb for x86-64 with AVX2 and BMI2: four limbs at a time, then two, then
//! one.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// Four limbs shifted left and four shifted right, in one vector.
///
/// # Safety
///
/// Both pointers are readable for four limbs, and `out` is writable for four.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
unsafe fn join(out: *mut u64, left: *const u64, right: *const u64, counts: [__m128i; 2]) {
    // SAFETY: The caller says that the pointers are valid. The loads come before the store.
    unsafe {
        let left = _mm256_sll_epi64(_mm256_loadu_si256(left.cast()), counts[0]);
        let right = _mm256_srl_epi64(_mm256_loadu_si256(right.cast()), counts[1]);
        _mm256_storeu_si256(out.cast(), _mm256_or_si256(left, right));
    }
}

/// Two limbs shifted left and two shifted right, in one vector.
///
/// # Safety
///
/// Both pointers are readable for two limbs, and `out` is writable for two.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
unsafe fn join_two(out: *mut u64, left: *const u64, right: *const u64, counts: [__m128i; 2]) {
    // SAFETY: The caller says that the pointers are valid. The loads come before the store.
    unsafe {
        let left = _mm_sll_epi64(_mm_loadu_si128(left.cast()), counts[0]);
        let right = _mm_srl_epi64(_mm_loadu_si128(right.cast()), counts[1]);
        _mm_storeu_si128(out.cast(), _mm_or_si128(left, right));
    }
}

/// out = a·2^bits modulo 2^(64·len), from the top limb down.
///
/// # Safety
///
/// The processor has AVX2 and BMI2. Both are valid for `len` limbs, at least 1. `out` may be `a`
/// itself and does not overlap it otherwise. bits < 64.
#[target_feature(enable = "avx2,bmi2")]
pub(super) unsafe fn shl(out: *mut u64, a: *const u64, len: usize, bits: u32) {
    // A shift by 64 gives zero.
    let counts = [bits, 64 - bits].map(|count| _mm_cvtsi32_si128(count as i32));
    let mut at = len;
    // SAFETY: Every access is to limbs from 0 to len − 1. Limbs that are still to be read lie below
    // those that are written.
    unsafe {
        while at > 8 {
            join(out.add(at - 4), a.add(at - 4), a.add(at - 5), counts);
            join(out.add(at - 8), a.add(at - 8), a.add(at - 9), counts);
            at -= 8;
        }
        if at > 4 {
            join(out.add(at - 4), a.add(at - 4), a.add(at - 5), counts);
            at -= 4;
        }
        if at > 2 {
            join_two(out.add(at - 2), a.add(at - 2), a.add(at - 3), counts);
            at -= 2;
        }
        if at > 1 {
            *out.add(1) = *a.add(1) << bits | *a >> 1 >> (63 - bits);
        }
        *out = *a << bits;
    }
}

/// out = ⌊a / 2^bits⌋, from the lowest limb up.
///
/// # Safety
///
/// As for [`shl`].
#[target_feature(enable = "avx2,bmi2")]
pub(super) unsafe fn shr(out: *mut u64, a: *const u64, len: usize, bits: u32) {
    let counts = [64 - bits, bits].map(|count| _mm_cvtsi32_si128(count as i32));
    let mut at = 0;
    // SAFETY: Every access is to limbs from 0 to len − 1. Limbs that are still to be read lie above
    // those that are written.
    unsafe {
        while at + 8 < len {
            join(out.add(at), a.add(at + 1), a.add(at), counts);
            join(out.add(at + 4), a.add(at + 5), a.add(at + 4), counts);
            at += 8;
        }
        if at + 4 < len {
            join(out.add(at), a.add(at + 1), a.add(at), counts);
            at += 4;
        }
        if at + 2 < len {
            join_two(out.add(at), a.add(at + 1), a.add(at), counts);
            at += 2;
        }
        if at + 1 < len {
            *out.add(at) = *a.add(at) >> bits | *a.add(at + 1) << 1 << (63 - bits);
            at += 1;
        }
        *out.add(at) = *a.add(at) >> bits;
    }
}
