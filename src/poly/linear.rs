//! Operations on the CPU whose cost is linear.

use super::modulus::Modulus;

/// a + b.
pub(super) fn add(a: &[u64], b: &[u64], p: Modulus) -> Vec<u64> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut sum = long.to_vec();
    add_to(&mut sum, short, p);
    sum
}

/// a += b for b no longer than a.
pub(super) fn add_to(a: &mut [u64], b: &[u64], p: Modulus) {
    for (a, b) in a[..b.len()].iter_mut().zip(b) {
        *a = p.add(*a, *b);
    }
}

/// a − b.
pub(super) fn sub(a: &[u64], b: &[u64], p: Modulus) -> Vec<u64> {
    let mut less = a.to_vec();
    less.resize(a.len().max(b.len()), 0);
    sub_from(&mut less, b, p);
    less
}

/// a −= b for b no longer than a.
pub(super) fn sub_from(a: &mut [u64], b: &[u64], p: Modulus) {
    for (a, b) in a[..b.len()].iter_mut().zip(b) {
        *a = p.sub(*a, *b);
    }
}

/// −a.
pub(super) fn neg(a: &[u64], p: Modulus) -> Vec<u64> {
    a.iter().map(|c| p.neg(*c)).collect()
}

/// c·a for c < p.
pub(super) fn scale(a: &[u64], c: u64, p: Modulus) -> Vec<u64> {
    let factor = p.factor(c);
    a.iter().map(|x| p.mul_by(*x, factor)).collect()
}

/// The derivative.
pub(super) fn derivative(a: &[u64], p: Modulus) -> Vec<u64> {
    let above = a.iter().enumerate().skip(1);
    above.map(|(i, c)| p.mul(p.reduce(i as u64), *c)).collect()
}

/// a without leading zeros.
pub(super) fn trimmed(a: &[u64]) -> &[u64] {
    &a[..a.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1)]
}

/// The monic multiple of a; a has no leading zeros.
pub(super) fn monic(a: &[u64], p: Modulus) -> Vec<u64> {
    match a.last() {
        None | Some(1) => a.to_vec(),
        Some(top) => scale(a, p.inverse(*top), p),
    }
}
