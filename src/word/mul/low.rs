//! The lower and the upper half of a product.
//!
//! Both leave out about half of the products of limbs where those are made one by one. From
//! [`FULL`] limbs on the full product is as fast, and half of it is copied.

use super::{mul, mul_scratch};
use crate::word::asm;

/// From how many limbs on the full product is made. Measured on Cascade Lake at 2.5 GHz,
/// 2026-11-16.
const FULL: usize = 180;

/// Limbs of scratch that [`mul_low`] and [`mul_high`] need for operands of n limbs.
pub(crate) fn half_scratch(n: usize) -> usize {
    half_scratch_with(FULL, n)
}

fn half_scratch_with(full: usize, n: usize) -> usize {
    if n < full {
        2 * n.max(8)
    } else {
        2 * n + mul_scratch(n, n)
    }
}

/// out = a·b modulo 2^(64n). All have n limbs, n ≥ 1.
pub(crate) fn mul_low(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    mul_low_with(FULL, out, a, b, scratch);
}

/// out = ⌊a·b/2^(64n)⌋ − e with 0 ≤ e < n. All have n limbs, n ≥ 1.
///
/// The products a[i]·b[j] with i + j < n − 1 may be left out. With B = 2^64 their sum is at most
/// (n − 1)·(B − 1)²·(1 + B + … + B^(n−2)) < (n − 1)·B^n.
pub(crate) fn mul_high(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    mul_high_with(FULL, out, a, b, scratch);
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

fn mul_high_with(full: usize, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let n = out.len();
    assert!(n >= 1 && a.len() == n && b.len() == n);
    if n >= full || n < 8 {
        let (product, rest) = scratch.split_at_mut(2 * n);
        mul(product, a, b, rest);
        out.copy_from_slice(&product[n..]);
    } else if let Some(leaves) = asm::leaves() {
        let sum = &mut scratch[..n + 8];
        leaves.mul_high(sum, a, b);
        out.copy_from_slice(&sum[8..]);
    } else {
        portable::mul_high(out, a, b, &mut scratch[..n + 1]);
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

    /// `sum` is the product from limb n − 1 on.
    pub(super) fn mul_high(out: &mut [u64], a: &[u64], b: &[u64], sum: &mut [u64]) {
        let n = a.len();
        sum[1] = mul_word(&mut sum[..1], &a[n - 1..], b[0]);
        for (i, word) in b.iter().enumerate().skip(1) {
            sum[i + 1] = addmul_word(&mut sum[..=i], &a[n - 1 - i..], *word);
        }
        out.copy_from_slice(&sum[1..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::oracle::{SHAPES, generator, product, shaped, total};

    /// Whether upper − high is in [0, n).
    fn close(high: &[u64], upper: &[u64]) -> bool {
        let n = high.len();
        (0..n as u64).any(|e| total(high, &[e], n) == upper)
    }

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
                    let mut scratch = vec![u64::MAX; half_scratch_with(full, n)];
                    mul_low_with(full, &mut out, &a, &b, &mut scratch);
                    assert_eq!(out, right[..n]);
                    mul_high_with(full, &mut out, &a, &b, &mut scratch);
                    assert!(close(&out, &right[n..]), "{n} limbs");
                }
                let mut out = vec![3; n];
                portable::mul_low(&mut out, &a, &b);
                assert_eq!(out, right[..n]);
                portable::mul_high(&mut out, &a, &b, &mut vec![0; n + 1]);
                assert!(close(&out, &right[n..]), "{n} limbs");
            }
        }
    }
}
