//! A number times a word.
//!
//! From [`LEAF`] limbs on, assembly does it where the processor has mulx and adx.

use super::asm;

/// Fewest limbs that are worth a call of the assembly. Measured on Cascade Lake at 2.5 GHz,
/// 2026-11-16: loops that the compiler makes are as fast up to here.
pub(super) const LEAF: usize = 4;

/// out = a·word; the limb above. `out` and `a` have one length.
#[inline]
pub(crate) fn mul_word(out: &mut [u64], a: &[u64], word: u64) -> u64 {
    assert_eq!(out.len(), a.len());
    match asm::leaves_from(LEAF, a.len()) {
        Some(leaves) => leaves.mul_word(out, a, word),
        None => portable::mul_word(out, a, word),
    }
}

/// a = a·word + add; the limb above.
#[inline]
pub(crate) fn mul_word_assign(a: &mut [u64], word: u64, add: u64) -> u64 {
    match asm::leaves_from(LEAF, a.len()) {
        Some(leaves) => leaves.mul_word_assign(a, word, add),
        None => portable::mul_word_assign(a, word, add),
    }
}

/// sum += a·word; the limb above. `sum` and `a` have one length.
#[inline]
pub(crate) fn addmul_word(sum: &mut [u64], a: &[u64], word: u64) -> u64 {
    assert_eq!(sum.len(), a.len());
    match asm::leaves_from(LEAF, a.len()) {
        Some(leaves) => leaves.addmul_word(sum, a, word),
        None => portable::addmul_word(sum, a, word),
    }
}

/// rest −= a·word modulo 2^(64n); the borrow, a limb. `rest` and `a` have n limbs.
#[inline]
pub(crate) fn submul_word(rest: &mut [u64], a: &[u64], word: u64) -> u64 {
    assert_eq!(rest.len(), a.len());
    match asm::leaves_from(LEAF, a.len()) {
        Some(leaves) => leaves.submul_word(rest, a, word),
        None => portable::submul_word(rest, a, word),
    }
}

/// The twins of the assembly.
pub(super) mod portable {
    #[inline]
    pub(crate) fn mul_word(out: &mut [u64], a: &[u64], word: u64) -> u64 {
        let mut carry = 0;
        for (out, a) in out.iter_mut().zip(a) {
            (*out, carry) = a.carrying_mul(word, carry);
        }
        carry
    }

    #[inline]
    pub(crate) fn mul_word_assign(a: &mut [u64], word: u64, add: u64) -> u64 {
        let mut carry = add;
        for a in a {
            (*a, carry) = a.carrying_mul(word, carry);
        }
        carry
    }

    #[inline]
    pub(crate) fn addmul_word(sum: &mut [u64], a: &[u64], word: u64) -> u64 {
        let mut carry = 0;
        for (sum, a) in sum.iter_mut().zip(a) {
            (*sum, carry) = a.carrying_mul_add(word, *sum, carry);
        }
        carry
    }

    #[inline]
    pub(crate) fn submul_word(rest: &mut [u64], a: &[u64], word: u64) -> u64 {
        let mut carry = 0u64;
        for (rest, a) in rest.iter_mut().zip(a) {
            let (low, high) = a.carrying_mul(word, carry);
            let (difference, borrow) = rest.overflowing_sub(low);
            *rest = difference;
            carry = high + u64::from(borrow);
        }
        carry
    }
}

#[cfg(test)]
mod tests;
