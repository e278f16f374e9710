//! The floor: arithmetic on slices of 64-bit limbs, least significant limb first.
//!
//! Everything above (numbers, operations, engines) stands on these functions, and they know nothing of
//! signs, engines, devices or threads. The model is GMP's mpn layer.
//!
//! Conventions:
//! - A slice of n limbs is a natural number below 2^(64n). Leading zero limbs are allowed unless a
//!   function says otherwise.
//! - Results go to a slice of the caller's. Rust's borrows say what may alias: an output never
//!   overlaps an input, and a function that works in place takes the operand as `&mut`.
//! - Scratch comes from the caller. A function `f` that needs scratch has a function `f_scratch` that
//!   says how many limbs; the contents of scratch before and after the call mean nothing.
//! - Lengths are preconditions, asserted in debug builds, and in release builds where a wrong length
//!   would reach memory beyond a slice.
//!
//! | file | what |
//! |---|---|
//! | `sum.rs` | sums, differences, comparison, complement |
//! | `shift.rs` | shifts by less than a limb |
//! | `row.rs` | a number times a word: product, added, subtracted; `asm.rs` has them with mulx and adx |
//! | `mul.rs` | products and squares, low and high products |
//! | `div.rs` | division by a word, schoolbook, divide and conquer, exact division |
//! | `gcd.rs` | greatest common divisors by binary algorithms |
//! | `lehmer.rs` | half-GCD, with cofactors, by Lehmer's algorithm on double digits |
//! | `montgomery.rs` | Montgomery products and powers |
//! | `root.rs` | square roots |
//! | `radix.rs` | digits in any radix |

// The floor is whole, as GMP's is: some of its functions have no caller yet.
#![allow(dead_code, unused_imports)]

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod asm;
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[path = "asm_none.rs"]
mod asm;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod asm_half;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod asm_product;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod asm_row;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod asm_shift;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod asm_step;
pub(crate) mod div;
pub(crate) mod gcd;
pub(crate) mod lehmer;
pub(crate) mod montgomery;
mod montgomery_word;
pub(crate) mod mul;
mod mul_leaf;
pub(crate) mod mul_low;
#[cfg(test)]
mod mul_oracle;
mod mul_toom;
mod mul_toom4;
pub(crate) mod radix;
pub(crate) mod root;
pub(crate) mod row;
pub(crate) mod shift;
pub(crate) mod sum;

/// The number of limbs without leading zero limbs.
#[inline]
pub(crate) fn significant(a: &[u64]) -> usize {
    a.iter().rposition(|limb| *limb != 0).map_or(0, |i| i + 1)
}

/// `a` without its leading zero limbs.
#[inline]
pub(crate) fn trimmed(a: &[u64]) -> &[u64] {
    &a[..significant(a)]
}

/// The least n with a < 2^n.
#[inline]
pub(crate) fn bit_length(a: &[u64]) -> u64 {
    let len = significant(a);
    match len {
        0 => 0,
        _ => 64 * len as u64 - u64::from(a[len - 1].leading_zeros()),
    }
}

/// The number of zero bits below the lowest set bit; none for zero.
#[inline]
pub(crate) fn trailing_zeros(a: &[u64]) -> Option<u64> {
    let at = a.iter().position(|limb| *limb != 0)?;
    Some(64 * at as u64 + u64::from(a[at].trailing_zeros()))
}

/// 1/x modulo 2^64 for odd x.
#[inline]
pub(crate) fn inverse_word(x: u64) -> u64 {
    debug_assert!(x % 2 == 1);
    // 3x XOR 2 is right to five bits, and each step doubles them.
    let mut inverse = x.wrapping_mul(3) ^ 2;
    for _ in 0..4 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(inverse)));
    }
    inverse
}
