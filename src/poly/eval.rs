//! Values at many points and polynomials through them, on the CPU.
//!
//! Both go over the tree of the products of x − xi (von zur Gathen and Gerhard, *Modern Computer
//! Algebra*, sections 10.1 and 10.2): down by remainders for values, up by sums for interpolation.
//! A leaf has up to `poly_points` points; both sides of a node run on two threads.

use super::linear::{self, trimmed};
use super::modulus::Modulus;
use super::{div, mul};
use crate::engine;
use crate::error::{Error, Result};
use crate::progress;
use crate::tuning::Tuning;

/// Fewer points than this are one thread's.
const ALONE: usize = 1 << 10;

/// The values of a at points below p.
pub(super) fn evaluate(a: &[u64], points: &[u64], p: Modulus) -> Result<Vec<u64>> {
    let leaf = leaf_points();
    if points.len() <= leaf || a.len() <= leaf {
        return one_by_one(a, points, p);
    }
    Node::new(points, leaf, p)?.evaluate(a, points, p)
}

fn leaf_points() -> usize {
    Tuning::in_force().poly_points.max(1)
}

/// Horner's rule at every point.
fn one_by_one(a: &[u64], points: &[u64], p: Modulus) -> Result<Vec<u64>> {
    let at = |x: &u64| {
        let x = p.factor(*x);
        a.iter().rev().fold(0, |sum, c| p.add(p.mul_by(sum, x), *c))
    };
    if a.len().saturating_mul(points.len()) < 1 << 16 {
        return Ok(points.iter().map(at).collect());
    }
    let parts: Vec<&[u64]> = points.chunks(points.len().div_ceil(16).max(1)).collect();
    let values = engine::map(&parts, &|part: &&[u64]| {
        progress::check()?;
        Ok(part.iter().map(at).collect::<Vec<_>>())
    })?;
    Ok(values.concat())
}

/// An error if a point is repeated.
pub(super) fn check_distinct(points: &[u64]) -> Result<()> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|i| points[*i]);
    let same = |pair: &&[usize]| points[pair[0]] == points[pair[1]];
    match order.windows(2).find(same) {
        None => Ok(()),
        Some(pair) => Err(Error::Domain(format!(
            "points must differ: numbers {} and {} are both {}",
            pair[0] + 1,
            pair[1] + 1,
            points[pair[0]]
        ))),
    }
}

/// The polynomial of least degree with these values at distinct points below p.
pub(super) fn interpolate(points: &[u64], values: &[u64], p: Modulus) -> Result<Vec<u64>> {
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let tree = Node::new(points, leaf_points(), p)?;
    // Lagrange: the sum of yi/m'(xi)·m/(x − xi), m the product of all x − xi.
    let slopes = tree.evaluate(&linear::derivative(&tree.product, p), points, p)?;
    tree.combine(points, &weights(&slopes, values, p), p)
}

/// Each value over its slope, which is not 0.
pub(super) fn weights(slopes: &[u64], values: &[u64], p: Modulus) -> Vec<u64> {
    let pairs = inverses(slopes, p).into_iter().zip(values);
    pairs.map(|(inverse, y)| p.mul(inverse, *y)).collect()
}

/// The inverses of residues other than 0, by one inversion (Montgomery).
pub(super) fn inverses(values: &[u64], p: Modulus) -> Vec<u64> {
    let mut before = Vec::with_capacity(values.len());
    let mut product = 1;
    for x in values {
        before.push(product);
        product = p.mul(product, *x);
    }
    let mut inverse = p.inverse(product);
    for (before, x) in before.iter_mut().zip(values).rev() {
        *before = p.mul(*before, inverse);
        inverse = p.mul(inverse, *x);
    }
    before
}

/// The product of x − xi over some points, and those of both halves of them where there are many.
struct Node {
    product: Vec<u64>,
    halves: Option<Box<[Node; 2]>>,
}

/// Work on the two halves of some points, on two threads if there are many.
fn both<T: Send>(
    points: usize,
    left: impl FnOnce() -> Result<T> + Send,
    right: impl FnOnce() -> Result<T> + Send,
) -> Result<[T; 2]> {
    if points < ALONE {
        return Ok([left()?, right()?]);
    }
    progress::check()?;
    let (left, right) = engine::join(left, right);
    Ok([left?, right?])
}

impl Node {
    fn new(points: &[u64], leaf: usize, p: Modulus) -> Result<Node> {
        if points.len() <= leaf {
            return Ok(Node {
                product: of_roots(points, p),
                halves: None,
            });
        }
        let (low, high) = points.split_at(points.len() / 2);
        let halves = both(
            points.len(),
            || Node::new(low, leaf, p),
            || Node::new(high, leaf, p),
        )?;
        Ok(Node {
            product: mul::mul(&halves[0].product, &halves[1].product, p),
            halves: Some(Box::new(halves)),
        })
    }

    /// The values of a at this node's points.
    fn evaluate(&self, a: &[u64], points: &[u64], p: Modulus) -> Result<Vec<u64>> {
        let (_, rest) = div::div_rem(trimmed(a), &self.product, p)?;
        let Some(halves) = &self.halves else {
            return one_by_one(&rest, points, p);
        };
        let (low, high) = points.split_at(points.len() / 2);
        let values = both(
            points.len(),
            || halves[0].evaluate(&rest, low, p),
            || halves[1].evaluate(&rest, high, p),
        )?;
        Ok(values.concat())
    }

    /// The sum of wi·m/(x − xi) over this node's points, m their product.
    fn combine(&self, points: &[u64], weights: &[u64], p: Modulus) -> Result<Vec<u64>> {
        let Some(halves) = &self.halves else {
            return Ok(weighted(points, weights, p));
        };
        let (points_low, points_high) = points.split_at(points.len() / 2);
        let (low, high) = weights.split_at(points_low.len());
        let sums = both(
            points.len(),
            || halves[0].combine(points_low, low, p),
            || halves[1].combine(points_high, high, p),
        )?;
        let operands: [&[u64]; 4] = [&sums[0], &halves[1].product, &sums[1], &halves[0].product];
        let mut found = mul::sums(&operands, &[&[(0, 1), (2, 3)]], p);
        Ok(found.pop().unwrap_or_default())
    }
}

/// The product of x − xi over some points.
pub(super) fn of_roots(points: &[u64], p: Modulus) -> Vec<u64> {
    let mut product = Vec::with_capacity(points.len() + 1);
    product.push(1);
    for x in points {
        times_root(&mut product, *x, p);
    }
    product
}

/// The sum of wi·m/(x − xi) over some points, m their product; as many coefficients as points.
pub(super) fn weighted(points: &[u64], weights: &[u64], p: Modulus) -> Vec<u64> {
    let (mut sum, mut product) = (Vec::with_capacity(points.len()), vec![1]);
    for (x, w) in points.iter().zip(weights) {
        times_root(&mut sum, *x, p);
        sum.resize(product.len(), 0);
        linear::add_scaled(&mut sum, &product, *w, p);
        times_root(&mut product, *x, p);
    }
    sum
}

/// a·(x − root) in place.
fn times_root(a: &mut Vec<u64>, root: u64, p: Modulus) {
    let minus = p.factor(p.neg(root));
    a.push(0);
    for i in (0..a.len()).rev() {
        let below = if i > 0 { a[i - 1] } else { 0 };
        a[i] = p.add(p.mul_by(a[i], minus), below);
    }
}
