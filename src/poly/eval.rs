//! Values at many points, and polynomials through them.

use super::modulus::Modulus;
use super::{linear, mul};
use crate::error::{Error, Result};

/// The values of a at points below p.
pub(super) fn evaluate(a: &[u64], points: &[u64], p: Modulus) -> Result<Vec<u64>> {
    let at = |x: &u64| {
        let x = p.factor(*x);
        a.iter().rev().fold(0, |sum, c| p.add(p.mul_by(sum, x), *c))
    };
    Ok(points.iter().map(at).collect())
}

/// An error where a point is repeated.
pub(super) fn check_distinct(points: &[u64]) -> Result<()> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|i| points[*i]);
    match order
        .windows(2)
        .find(|pair| points[pair[0]] == points[pair[1]])
    {
        None => Ok(()),
        Some(pair) => Err(Error::Domain(format!(
            "point {} is repeated: numbers {} and {} of the points are equal",
            points[pair[0]],
            pair[0] + 1,
            pair[1] + 1
        ))),
    }
}

/// The polynomial of least degree with these values at distinct points below p.
pub(super) fn interpolate(points: &[u64], values: &[u64], p: Modulus) -> Result<Vec<u64>> {
    let mut found: Vec<u64> = Vec::new();
    let mut product = vec![1];
    for (x, y) in points.iter().zip(values) {
        let at = |f: &[u64]| evaluate(f, &[*x], p).map(|v| v[0]);
        let scale = p.mul(p.sub(*y, at(&found)?), p.inverse(at(&product)?));
        found = linear::add(&found, &linear::scale(&product, scale, p), p);
        product = mul::mul(&product, &[p.neg(*x), 1], p);
    }
    Ok(found)
}
