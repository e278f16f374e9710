//! Operations on the CPU whose cost is linear.

#[cfg(target_arch = "x86_64")]
use super::ifma;
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

/// sum += f·x, both of one length.
pub(super) fn add_scaled(sum: &mut [u64], x: &[u64], f: u64, p: Modulus) {
    #[cfg(target_arch = "x86_64")]
    if ifma::is_available(p) {
        return ifma::add_scaled(sum, x, f, p);
    }
    let f = p.factor(f);
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum = p.add(*sum, p.mul_by(*x, f));
    }
}

/// sum += (f0 + f1·x)·y, for a sum that is one longer than y.
pub(super) fn add_twice(sum: &mut [u64], y: &[u64], f0: u64, f1: u64, p: Modulus) {
    #[cfg(target_arch = "x86_64")]
    if ifma::is_available(p) {
        return ifma::add_twice(sum, y, f0, f1, p);
    }
    let Some((last, rest)) = sum.split_last_mut() else {
        return;
    };
    let mut below = 0;
    let (f0, f1) = (u128::from(f0), u128::from(f1));
    for (sum, y) in rest.iter_mut().zip(y) {
        // Below 2p² < 2^64·p.
        *sum = p.reduce_products(f0 * u128::from(*y) + f1 * u128::from(below) + u128::from(*sum));
        below = *y;
    }
    *last = p.reduce_products(f1 * u128::from(below) + u128::from(*last));
}

/// sum += q·y, for a sum of at least the product's length, by the definition.
pub(super) fn add_product(sum: &mut [u64], q: &[u64], y: &[u64], p: Modulus) {
    let (pairs, last) = q.as_chunks::<2>();
    for (i, [f0, f1]) in pairs.iter().enumerate() {
        add_twice(&mut sum[2 * i..][..=y.len()], y, *f0, *f1, p);
    }
    if let [f] = last {
        add_scaled(&mut sum[q.len() - 1..][..y.len()], y, *f, p);
    }
}
