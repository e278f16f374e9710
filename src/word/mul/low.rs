//! The lower half of a product.
//!
//! About half of the products of limbs are left out where those are made one by one. From [`FULL`]
//! limbs on the full product is as fast, and half of it is copied.

use super::{mul, mul_scratch};
use crate::word::asm;

/// From how many limbs on the full product is made. Measured on Cascade Lake at 2.5 GHz,
/// 2026-11-16.
pub(crate) const FULL: usize = 180;

/// Limbs of scratch that [`mul_low`] needs for operands of n limbs.
pub(crate) fn mul_low_scratch(n: usize) -> usize {
    mul_low_scratch_with(FULL, n)
}

fn mul_low_scratch_with(full: usize, n: usize) -> usize {
    if n < full {
        0
    } else {
        2 * n + mul_scratch(n, n)
    }
}

/// out = a·b modulo 2^(64n). All have n limbs, n ≥ 1.
pub(crate) fn mul_low(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    mul_low_with(FULL, out, a, b, scratch);
}

fn mul_low_with(full: usize, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let n = out.len();
    assert!(n >= 1 && a.len() == n && b.len() == n);
    if n >= full {
        let (product, rest) = scratch.split_at_mut(2 * n);
        mul(product, a, b, rest);
        out.copy_from_slice(&product[..n]);
    } else if let Some(leaves) = asm::leaves() {
        leaves.mul_low(out, a, b);
    } else {
        portable::mul_low(out, a, b);
    }
}

/// The twins of the assembly.
mod portable {
    use crate::word::row::portable::{addmul_word, mul_word};

    pub(super) fn mul_low(out: &mut [u64], a: &[u64], b: &[u64]) {
        mul_word(out, a, b[0]);
        for (i, word) in b.iter().enumerate().skip(1) {
            addmul_word(&mut out[i..], &a[..a.len() - i], *word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::oracle::{SHAPES, generator, product, shaped};

    #[test]
    fn halves() {
        let mut random = generator(12);
        for n in 1..=80 {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, n);
                let b = shaped(&mut random, (shape + n % 2) % SHAPES, n);
                let right = product(&a, &b);
                for full in [1, FULL, 1000] {
                    let mut out = vec![3; n];
                    let mut scratch = vec![u64::MAX; mul_low_scratch_with(full, n)];
                    mul_low_with(full, &mut out, &a, &b, &mut scratch);
                    assert_eq!(out, right[..n]);
                }
                let mut out = vec![3; n];
                portable::mul_low(&mut out, &a, &b);
                assert_eq!(out, right[..n]);
            }
        }
    }
}
