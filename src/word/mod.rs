//! The floor: arithmetic on slices of 64-bit limbs, least significant limb first.
//!
//! Everything above (numbers, operations, engines) stands on these functions, and they know nothing
//! of signs, engines, devices or threads. The model is GMP's mpn layer.
//!
//! Conventions:
//! - A slice of n limbs is a natural number below 2^(64n). Leading zero limbs are allowed unless a
//!   function says otherwise.
//! - Results go to a slice of the caller's. Rust's borrows say what may alias: an output never
//!   overlaps an input, and a function that works in place takes the operand as `&mut`.
//! - Scratch comes from the caller. A function `f` that needs scratch has a function `f_scratch`
//!   that says how many limbs; the contents of scratch before and after the call mean nothing.
//! - Lengths are preconditions, asserted in debug builds, and in release builds where a wrong
//!   length would reach memory beyond a slice.
//!
//! | folder | what |
//! |---|---|
//! | `sum/` | sums, differences, comparison, complement |
//! | `shift/` | shifts by less than a limb |
//! | `row/` | a number times a word: product, added, subtracted; `asm/` has them with mulx and adx |
//! | `mul/` | products and squares, low products |
//! | `div/` | division by a word, schoolbook, divide and conquer, exact division |
//! | `gcd/` | greatest common divisors and Jacobi's symbols by binary algorithms |
//! | `lehmer/` | half-GCD, with cofactors, by Lehmer's algorithm on double digits |
//! | `montgomery/` | Montgomery products and powers |
//! | `root/` | square roots |
//! | `radix/` | digits in any radix |
//! | `residue.rs` | inverses and signed residues modulo a word |
//! | `oracle.rs` | the definitions, which the tests compare with |
//!
//! A function that works on limbs belongs here, and everything above calls it. What no one calls is
//! deleted.

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod asm;
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[path = "asm/none.rs"]
mod asm;
pub(crate) mod div;
pub(crate) mod gcd;
pub(crate) mod lehmer;
pub(crate) mod montgomery;
pub(crate) mod mul;
#[cfg(test)]
mod oracle;
pub(crate) mod radix;
pub(crate) mod residue;
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

/// 1/x modulo 2^64 for odd x. The low bits of the result are 1/x modulo smaller powers of two.
#[inline]
pub(crate) const fn inverse_word(x: u64) -> u64 {
    debug_assert!(x % 2 == 1);
    // 3x XOR 2 is right to five bits, and each step doubles them.
    let mut inverse = x.wrapping_mul(3) ^ 2;
    let mut step = 0;
    while step < 4 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// 1/x modulo 2^128 for odd x.
#[inline]
pub(crate) const fn inverse_two_words(x: u128) -> u128 {
    let inverse = inverse_word(x as u64) as u128;
    inverse.wrapping_mul(2u128.wrapping_sub(x.wrapping_mul(inverse)))
}
