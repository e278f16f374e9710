//! Products and squares.

use super::row::{addmul_word, mul_word};

/// Limbs of scratch that [`mul`] needs for operands of these lengths.
pub(crate) fn mul_scratch(_a: usize, _b: usize) -> usize {
    0
}

/// out = a·b. `out` has as many limbs as `a` and `b` together, which have at least one each.
pub(crate) fn mul(out: &mut [u64], a: &[u64], b: &[u64], _scratch: &mut [u64]) {
    assert!(!a.is_empty() && !b.is_empty() && out.len() == a.len() + b.len());
    out[a.len()] = mul_word(&mut out[..a.len()], a, b[0]);
    for (i, word) in b.iter().enumerate().skip(1) {
        out[i + a.len()] = addmul_word(&mut out[i..i + a.len()], a, *word);
    }
}

/// Limbs of scratch that [`square`] needs for an operand of this length.
pub(crate) fn square_scratch(_a: usize) -> usize {
    0
}

/// out = a². `out` has twice as many limbs as `a`, which has at least one.
pub(crate) fn square(out: &mut [u64], a: &[u64], scratch: &mut [u64]) {
    mul(out, a, a, scratch);
}
