//! Schoolbook products and squares, the leaves of all others.

use crate::word::{asm, row};

/// out = a·b. Both have at least one limb, out as many as both together.
#[inline]
pub(in crate::word) fn mul(out: &mut [u64], a: &[u64], b: &[u64]) {
    assert!(out.len() == a.len() + b.len());
    match (a.len(), b.len(), asm::leaves()) {
        (1, 1, _) => fixed::<1>(out, a, b),
        (n, 1, _) => out[n] = row::mul_word(&mut out[..n], a, b[0]),
        (3, 3, _) => fixed::<3>(out, a, b),
        (4, 4, _) => fixed::<4>(out, a, b),
        (_, _, Some(leaves)) => leaves.mul(out, a, b),
        _ => portable::mul(out, a, b),
    }
}

/// out = a². a has at least one limb, out twice as many.
#[inline]
pub(in crate::word) fn square(out: &mut [u64], a: &[u64]) {
    assert!(out.len() == 2 * a.len());
    match (a.len(), asm::leaves()) {
        (1, _) => fixed::<1>(out, a, a),
        (2, _) => fixed_square::<2>(out, a),
        (3, _) => fixed_square::<3>(out, a),
        (4, _) => fixed_square::<4>(out, a),
        (_, Some(leaves)) => leaves.square(out, a),
        (_, None) => portable::square(out, a),
    }
}

/// a·b.
#[inline]
pub(crate) fn mul_two_words(a: &[u64; 2], b: &[u64; 2]) -> [u64; 4] {
    let (low, carry) = a[0].carrying_mul(b[0], 0);
    let (x, y) = a[1].carrying_mul(b[0], carry);
    let (x, carry) = a[0].carrying_mul_add(b[1], x, 0);
    let (y, z) = a[1].carrying_mul_add(b[1], y, carry);
    [low, x, y, z]
}

/// out = a·b for N ≤ 4 limbs each, unrolled by the compiler.
#[inline(always)]
fn fixed<const N: usize>(out: &mut [u64], a: &[u64], b: &[u64]) {
    let a: &[u64; N] = a.try_into().expect("N limbs");
    let b: &[u64; N] = b.try_into().expect("N limbs");
    let mut sum = [0; 8];
    for j in 0..N {
        let mut carry = 0;
        for i in 0..N {
            (sum[i + j], carry) = a[i].carrying_mul_add(b[j], sum[i + j], carry);
        }
        sum[j + N] = carry;
    }
    out.copy_from_slice(&sum[..2 * N]);
}

/// out = a² for N ≤ 4 limbs, unrolled by the compiler.
#[inline(always)]
fn fixed_square<const N: usize>(out: &mut [u64], a: &[u64]) {
    let a: &[u64; N] = a.try_into().expect("N limbs");
    let mut sum = [0; 8];
    for j in 0..N {
        let mut carry = 0;
        for i in j + 1..N {
            (sum[i + j], carry) = a[i].carrying_mul_add(a[j], sum[i + j], carry);
        }
        sum[j + N] = carry;
    }
    let (mut top, mut carry) = (0, false);
    for i in 0..N {
        let (low, high) = a[i].carrying_mul(a[i], 0);
        let (x, y) = (sum[2 * i], sum[2 * i + 1]);
        (sum[2 * i], carry) = (x << 1 | top).carrying_add(low, carry);
        (sum[2 * i + 1], carry) = (y << 1 | x >> 63).carrying_add(high, carry);
        top = y >> 63;
    }
    out.copy_from_slice(&sum[..2 * N]);
}

/// The twins of the assembly.
mod portable {
    use crate::word::row::portable::{addmul_word, mul_word};

    pub(super) fn mul(out: &mut [u64], a: &[u64], b: &[u64]) {
        let n = a.len();
        out[n] = mul_word(&mut out[..n], a, b[0]);
        for (i, word) in b.iter().enumerate().skip(1) {
            out[i + n] = addmul_word(&mut out[i..i + n], a, *word);
        }
    }

    /// The products of two different limbs once each, then doubled, then the squares of the limbs.
    pub(super) fn square(out: &mut [u64], a: &[u64]) {
        let n = a.len();
        out[0] = 0;
        out[n] = mul_word(&mut out[1..n], &a[1..], a[0]);
        for i in 1..n {
            out[i + n] = addmul_word(&mut out[2 * i + 1..i + n], &a[i + 1..], a[i]);
        }
        let (mut top, mut carry) = (0, false);
        for (pair, a) in out.chunks_exact_mut(2).zip(a) {
            let (low, high) = a.carrying_mul(*a, 0);
            let doubled = [pair[0] << 1 | top, pair[1] << 1 | pair[0] >> 63];
            top = pair[1] >> 63;
            (pair[0], carry) = doubled[0].carrying_add(low, carry);
            (pair[1], carry) = doubled[1].carrying_add(high, carry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::oracle::{SHAPES, generator, product, shaped};

    #[test]
    fn products() {
        let mut random = generator(5);
        for n in 1..=40 {
            for m in 1..=40 {
                for shape in 0..SHAPES {
                    let a = shaped(&mut random, shape, n);
                    let b = shaped(&mut random, (shape + n % 2) % SHAPES, m);
                    let right = product(&a, &b);
                    let mut out = vec![5; n + m];
                    mul(&mut out, &a, &b);
                    assert_eq!(out, right);
                    portable::mul(&mut out, &a, &b);
                    assert_eq!(out, right);
                    if let Some(leaves) = asm::leaves() {
                        out.fill(6);
                        leaves.mul(&mut out, &a, &b);
                        assert_eq!(out, right);
                    }
                }
            }
        }
    }

    #[test]
    fn squares() {
        let mut random = generator(6);
        for n in 1..=90 {
            for shape in 0..SHAPES {
                let a = shaped(&mut random, shape, n);
                let right = product(&a, &a);
                let mut out = vec![5; 2 * n];
                square(&mut out, &a);
                assert_eq!(out, right);
                portable::square(&mut out, &a);
                assert_eq!(out, right);
                if let Some(leaves) = asm::leaves() {
                    out.fill(6);
                    leaves.square(&mut out, &a);
                    assert_eq!(out, right);
                }
            }
        }
    }

    #[test]
    fn unrolled() {
        let mut random = generator(7);
        for shape in 0..SHAPES * 20 {
            let a = shaped(&mut random, shape % SHAPES, 4);
            let b = shaped(&mut random, shape / SHAPES % SHAPES, 4);
            let mut out = [0; 8];
            fixed::<3>(&mut out[..6], &a[..3], &b[..3]);
            assert_eq!(&out[..6], product(&a[..3], &b[..3]));
            fixed::<4>(&mut out, &a, &b);
            assert_eq!(&out[..], product(&a, &b));
        }
    }
}
