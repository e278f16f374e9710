//! Greatest common divisors on the CPU.

use super::modulus::Modulus;
use super::{div, linear, mul};
use crate::error::Result;

/// The monic gcd; neither operand has leading zeros.
pub(super) fn gcd(a: &[u64], b: &[u64], p: Modulus) -> Result<Vec<u64>> {
    Ok(extended_gcd(a, b, p)?
        .into_iter()
        .next()
        .unwrap_or_default())
}

/// (g, s, t) with s·a + t·b = g, the monic gcd.
pub(super) fn extended_gcd(a: &[u64], b: &[u64], p: Modulus) -> Result<[Vec<u64>; 3]> {
    let (mut old, mut new) = ([a.to_vec(), vec![1], vec![]], [b.to_vec(), vec![], vec![1]]);
    while !new[0].is_empty() {
        let (q, r) = div::div_rem(&old[0], &new[0], p)?;
        let less = |old: &[u64], new: &[u64]| {
            let less = linear::sub(old, &mul::mul(&q, new, p), p);
            linear::trimmed(&less).to_vec()
        };
        let next = [r, less(&old[1], &new[1]), less(&old[2], &new[2])];
        (old, new) = (new, next);
    }
    let inverse = old[0].last().map_or(1, |top| p.inverse(*top));
    Ok(old.map(|x| linear::scale(&x, inverse, p)))
}

/// The resultant.
pub(super) fn resultant(a: &[u64], b: &[u64], p: Modulus) -> Result<u64> {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    let mut found = 1;
    loop {
        let (Some(m), Some(n)) = (a.len().checked_sub(1), b.len().checked_sub(1)) else {
            return Ok(0);
        };
        if n == 0 {
            return Ok(p.mul(found, p.pow(b[0], m as u64)));
        }
        // res(a, b) = (−1)^(mn)·lc(b)^(m − deg r)·res(b, r).
        let (_, r) = div::div_rem(&a, &b, p)?;
        let drop = (m + 1).saturating_sub(r.len()) as u64;
        found = p.mul(found, p.pow(b[n], drop));
        if m % 2 == 1 && n % 2 == 1 {
            found = p.neg(found);
        }
        (a, b) = (b, r);
    }
}
