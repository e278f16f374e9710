//! Transforms of columns whose length is not a power of two: only the first `count` nodes of the
//! last level are computed.
//!
//! These are van der Hoeven's truncated transforms (ISSAC 2004): a polynomial with fewer than
//! `count` coefficients is known from its values at `count` nodes, whichever they are. A block at a
//! node x^2m − w² has a left half, modulo x^m − w, and a right half, modulo x^m + w.

use super::lanes::{Factor, Lanes};
use super::tables::Tree;

/// How blocks of rows of `width` values are transformed.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a, L: Lanes> {
    pub(super) k: L::K,
    pub(super) tree: Tree<'a>,
    pub(super) width: usize,
}

impl<L: Lanes> Columns<'_, L> {
    /// The first `count` nodes below `node`, from a block of which only the first `filled` rows are
    /// not zero. The other rows need not be written before.
    pub(super) fn forward(&self, block: &mut [u64], node: usize, filled: usize, count: usize) {
        let rows = block.len() / self.width;
        let half = rows / 2;
        if count == rows && filled > half {
            block[filled * self.width..].fill(0);
            return L::forward(self.k, self.tree, block, self.width, node);
        }
        if rows == 1 || count == 0 {
            return;
        }
        let (left, right) = block.split_at_mut(half * self.width);
        if filled <= half {
            if count > half {
                let filled = filled * self.width;
                right[..filled].copy_from_slice(&left[..filled]);
            }
        } else {
            right[(filled - half) * self.width..].fill(0);
            L::split_node(self.k, self.tree.factor(node), left, right);
        }
        let filled = filled.min(half);
        self.forward(left, 2 * node, filled, count.min(half));
        self.forward(right, 2 * node + 1, filled, count.saturating_sub(half));
    }
}

/// The constants of the inverse transform: the roots of both directions, and one half.
pub(super) struct Inverse<'a, L: Lanes> {
    pub(super) up: Columns<'a, L>,
    pub(super) down: Tree<'a>,
    pub(super) half: Factor,
}

impl<L: Lanes> Inverse<'_, L> {
    /// From the values of the first `count` nodes below `node` and from the coefficients of the
    /// other rows, times the number of rows: all coefficients, times the number of rows. All in [0,
    /// 2p).
    pub(super) fn inverse(&self, block: &mut [u64], node: usize, count: usize) {
        let Columns { k, tree, width } = self.up;
        let rows = block.len() / width;
        if count == rows {
            return L::inverse(k, tree, block, width, node);
        }
        if count == 0 {
            return;
        }
        let half = rows / 2;
        let w = self.down.factor(node);
        let (left, right) = block.split_at_mut(half * width);
        if count >= half {
            // The left half is known. Where the right one is not, its coefficients are a − w·b = (a
            // + w·b) − 2w·b.
            self.inverse(left, 2 * node, half);
            let known = (count - half) * width;
            L::subtract_scaled(k, w, &left[known..], &mut right[known..]);
            self.inverse(right, 2 * node + 1, count - half);
            L::join_node(k, tree.factor(node), left, right);
        } else {
            // Of the left half, what is not known is a + w·b, of which the half has the scale of
            // the left half.
            let known = count * width;
            L::average(k, self.half, w, &mut left[known..], &right[known..]);
            self.inverse(left, 2 * node, count);
            L::double_less(k, w, left, right);
        }
    }
}
