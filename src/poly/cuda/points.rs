//! Values at many points and polynomials through them: over the tree of the products of x − xi, as
//! on the CPU (`eval.rs`), level by level.
//!
//! Up to `poly_horner_points` points at a time, values are found point by point. The lowest
//! products, of a few points each, are the host's.

use super::euclid::Piece;
use super::{Field, Slice, poly_values};
use crate::cuda::{Buffer, Launch};
use crate::engine;
use crate::error::Result;
use crate::poly::eval;
use crate::progress;

/// Points of a product that the host makes, which takes as many steps as their square.
const GROUP: usize = 64;

/// The products of x − xi over groups of points. The groups of a level have twice as many points as
/// those of the previous level.
struct Tree<'a> {
    points: &'a [u64],
    /// Points of a group of the first level.
    group: usize,
    levels: Vec<Vec<Piece>>,
}

impl Tree<'_> {
    /// The points below a node.
    fn points(&self, level: usize, node: usize) -> &[u64] {
        let size = self.group << level;
        let start = node * size;
        &self.points[start..(start + size).min(self.points.len())]
    }
}

impl Field {
    /// a at each of the points, which are below p.
    pub(super) fn values(&self, a: Slice, points: &[u64]) -> Result<Vec<u64>> {
        let few = self.tuning.poly_horner_points;
        if points.len() <= few || a.len <= few {
            return self.one_by_one(a, points);
        }
        let tree = self.tree(points)?;
        self.values_below(&tree, tree.levels.len() - 1, 0, a)
    }

    /// The polynomial of least degree with these values at distinct points below p: Lagrange's sum
    /// of yi/m'(xi)·m/(x − xi), m the product of all x − xi.
    pub(super) fn interpolate(&self, points: &[u64], values: &[u64]) -> Result<Buffer> {
        if points.is_empty() {
            return self.device.alloc(0);
        }
        let tree = self.tree(points)?;
        let top = tree.levels.len() - 1;
        let slope = self.derivative(tree.levels[top][0].slice())?;
        let slopes = self.values_below(&tree, top, 0, Slice::all(&slope))?;
        let weights = eval::weights(&slopes, values, self.p);
        let parts: Vec<_> = points
            .chunks(tree.group)
            .zip(weights.chunks(tree.group))
            .collect();
        let sums = engine::map(&parts, &|(x, w): &(&[u64], &[u64])| {
            Ok(eval::weighted(x, w, self.p))
        })?;
        let mut sums = self.uploaded(&sums, tree.group)?;
        for products in &tree.levels[..top] {
            progress::check()?;
            let pairs = sums.chunks_exact(2).zip(products.chunks_exact(2));
            let crossed: Vec<_> = pairs
                .flat_map(|(sum, product)| [(&sum[0], &product[1]), (&sum[1], &product[0])])
                .map(|(sum, product)| (sum.slice(), product.slice()))
                .collect();
            let crossed = self.mul_many(&crossed)?;
            let added = crossed.chunks_exact(2).map(|pair| {
                let [low, high] = [&pair[0], &pair[1]].map(Slice::all);
                Ok(Piece::from(self.add(low, high, low.len, false)?))
            });
            let mut next: Vec<Piece> = added.collect::<Result<_>>()?;
            next.extend(sums.chunks_exact(2).remainder().iter().cloned());
            sums = next;
        }
        let sum = sums[0].slice();
        self.copy(sum, sum.len)
    }

    fn tree<'a>(&self, points: &'a [u64]) -> Result<Tree<'a>> {
        let group = GROUP.min(self.tuning.poly_horner_points).max(1);
        let groups: Vec<&[u64]> = points.chunks(group).collect();
        let of_roots = |group: &&[u64]| Ok(eval::of_roots(group, self.p));
        let mut level = self.uploaded(&engine::map(&groups, &of_roots)?, group + 1)?;
        let mut levels = Vec::new();
        while level.len() > 1 {
            progress::check()?;
            let pairs = level.chunks_exact(2);
            let pairs: Vec<_> = pairs.map(|p| (p[0].slice(), p[1].slice())).collect();
            let products = self.mul_many(&pairs)?;
            let mut next: Vec<Piece> = products.into_iter().map(Piece::from).collect();
            next.extend(level.chunks_exact(2).remainder().iter().cloned());
            levels.push(std::mem::replace(&mut level, next));
        }
        levels.push(level);
        Ok(Tree {
            points,
            group,
            levels,
        })
    }

    /// Uploads polynomials of at most `most` coefficients into one buffer. Each starts at an
    /// address from which pairs can be loaded.
    fn uploaded(&self, all: &[Vec<u64>], most: usize) -> Result<Vec<Piece>> {
        let stride = most.next_multiple_of(2);
        let mut limbs = vec![0; all.len() * stride];
        for (to, from) in limbs.chunks_mut(stride).zip(all) {
            to[..from.len()].copy_from_slice(from);
        }
        let whole = Piece::from(self.device.upload(&limbs)?);
        let part = |(i, one): (usize, &Vec<u64>)| whole.part(i * stride, one.len());
        Ok(all.iter().enumerate().map(part).collect())
    }

    /// a at the points below a node, whose product a is reduced by first.
    fn values_below(&self, tree: &Tree, level: usize, node: usize, a: Slice) -> Result<Vec<u64>> {
        progress::check()?;
        let (points, product) = (tree.points(level, node), tree.levels[level][node].slice());
        let rest;
        let a = if a.len < product.len {
            a
        } else {
            rest = self.div_rem(a, product)?.1;
            Slice::all(&rest)
        };
        if level == 0 || points.len() <= self.tuning.poly_horner_points {
            return self.one_by_one(a, points);
        }
        let mut values = Vec::with_capacity(points.len());
        for child in 2 * node..(2 * node + 2).min(tree.levels[level - 1].len()) {
            values.extend(self.values_below(tree, level - 1, child, a)?);
        }
        Ok(values)
    }

    /// Horner's rule at every point.
    fn one_by_one(&self, a: Slice, points: &[u64]) -> Result<Vec<u64>> {
        let n = points.len();
        if n == 0 {
            return Ok(Vec::new());
        }
        let (at, out) = (self.device.upload(points)?, self.device.alloc(n)?);
        let kernel = self.kernel(poly_values)?;
        let block = self.tuning.poly_block;
        let grid = n.div_ceil(block as usize / 32) as u32;
        // SAFETY: n points, room for n values, and a holds its length (asserted by span()); a warp
        // for each point.
        unsafe {
            kernel.launch(
                Launch::of(grid, block),
                out.write(),
                at.read(),
                n,
                a.read(),
                a.len,
                self.p.get(),
                self.square,
            )?;
        }
        let mut values = vec![0; n];
        self.device.download(&out, 0, &mut values)?;
        Ok(values)
    }
}
