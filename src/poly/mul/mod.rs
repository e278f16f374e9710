//! Products of polynomials on the CPU.

use super::modulus::Modulus;

/// a·b.
pub(super) fn mul(a: &[u64], b: &[u64], p: Modulus) -> Vec<u64> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut product = vec![0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        let x = p.factor(*x);
        for (sum, y) in product[i..].iter_mut().zip(b) {
            *sum = p.add(*sum, p.mul_by(*y, x));
        }
    }
    product
}

/// a².
pub(super) fn square(a: &[u64], p: Modulus) -> Vec<u64> {
    mul(a, a, p)
}
