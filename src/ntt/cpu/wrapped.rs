//! Transforms that wrap: sums of products that are known to be short, though the products are long.
//!
//! A product is found modulo Φ = Π (x^m + 1) over different powers of two m, whose sum is the
//! length of the transform: any number of rows with at most four bits, so length grows by at most
//! an eighth. A node 2^d + 1 of the tree is modulo x^m + 1, and its rows are those from m on (in
//! rows): down, a polynomial modulo x^2m − 1 is folded into x^m + 1, which is transformed, and x^m
//! − 1, which is folded again.
//!
//! Back, from P modulo each x^m + 1, P modulo Φ in mixed radix: P = D1 + (x^m1 + 1)·(D2 + (x^m2 +
//! 1)·(D3 + …)), m1 > m2 > …. Since x^m1 + 1 is 2 modulo every smaller x^m + 1, D2 is (P2 − D1)/2
//! modulo x^m2 + 1, and so on.
//!
//! **Bounds.** Let the coefficients of P be at most W in size and their number at most 4·m1. Modulo
//! x^m + 1 they are at most (4·m1/m)·W. So is each D: at a step, half of the sum of P's own bound
//! and of the m1/m-fold of that of a D before it. A coefficient of P modulo Φ is the sum of at most
//! one of each D, so at most (4 + 8 + 16 + 32)·W < 64·W.
//!
//! **The number.** V = P mod Φ at x = 2^(64·limbs) is the wanted number r plus q·M, M = Φ there.
//! The caller knows |r| ≤ M/4, and M exceeds its highest power of two by one part in 2^4096 or
//! less, q being less than 2^256: so q is V over that power, rounded.

use super::Context;
use super::lanes::{Factor, Lanes};
use super::plan::HostPlan;

/// log2 of how many times the coefficients of the product those modulo Φ may be.
pub(super) const LOG_GROWTH: u32 = 6;

/// left + right and left − right, for a polynomial modulo x^2m − 1: modulo x^m − 1 and x^m + 1.
/// From [0, 2^52) to [0, 4p).
#[inline(always)]
pub(super) fn fold<L: Lanes>(k: L::K, left: &mut [u64], right: &mut [u64]) {
    let right = right.as_chunks_mut::<8>().0;
    for (a, b) in left.as_chunks_mut::<8>().0.iter_mut().zip(right) {
        let x = L::reduce::<0>(k, L::load(a));
        let y = L::reduce::<0>(k, L::load(b));
        L::store(a, L::add(x, y));
        L::store(b, L::sub2(k, x, y));
    }
}

/// x += w·y; from [0, 2^52) to [0, 2p).
#[inline(always)]
pub(super) fn add_scaled<L: Lanes>(k: L::K, w: Factor, x: &mut [u64], y: &[u64]) {
    let (w, q) = (L::splat(w[0]), L::splat(w[1]));
    let y = y.as_chunks::<8>().0;
    for (x, y) in x.as_chunks_mut::<8>().0.iter_mut().zip(y) {
        let sum = L::add(
            L::reduce::<0>(k, L::load(x)),
            L::mul::<0>(k, L::load(y), w, q),
        );
        L::store(x, L::reduce::<0>(k, sum));
    }
}

/// x = w·(x − y); from [0, 2^52) to [0, 2p).
#[inline(always)]
pub(super) fn scale_difference<L: Lanes>(k: L::K, w: Factor, x: &mut [u64], y: &[u64]) {
    let (w, q) = (L::splat(w[0]), L::splat(w[1]));
    let y = y.as_chunks::<8>().0;
    for (x, y) in x.as_chunks_mut::<8>().0.iter_mut().zip(y) {
        let (a, b) = (L::reduce::<0>(k, L::load(x)), L::reduce::<0>(k, L::load(y)));
        L::store(x, L::mul::<0>(k, L::sub2(k, a, b), w, q));
    }
}

/// x = w·x; from [0, 2^52) to [0, 2p).
#[inline(always)]
pub(super) fn scale_all<L: Lanes>(k: L::K, w: Factor, x: &mut [u64]) {
    let (w, q) = (L::splat(w[0]), L::splat(w[1]));
    for x in x.as_chunks_mut::<8>().0 {
        L::store(x, L::mul::<0>(k, L::load(x), w, q));
    }
}

impl<L: Lanes> Context<L> {
    /// The coefficients of the strip of columns from `first` on, modulo x^T − 1 for the T rows of
    /// `tree`.
    fn load_wrapped(&self, limbs: &[u64], first: usize, tree: &mut [u64], spare: &mut [u64]) {
        let strip = self.plan.strip;
        let rows = tree.len() / strip;
        let filled = limbs.len().div_ceil(self.plan.row_limbs());
        let one = L::factor(1, self.p);
        for r in 0..filled {
            let at = &mut tree[r % rows * strip..][..strip];
            if r < rows {
                self.load_row(limbs, r, first, at);
            } else {
                let spare = &mut spare[..strip];
                self.load_row(limbs, r, first, spare);
                L::add_scaled(self.k, one, at, spare);
            }
        }
        tree[(filled * strip).min(rows * strip)..].fill(0);
    }

    /// From a polynomial modulo x^T − 1, T the rows of `tree`: calls `then(m, block)` for each
    /// block of m rows that the plan has, with the polynomial modulo x^m + 1.
    fn fold_down(&self, tree: &mut [u64], mut then: impl FnMut(usize, &mut [u64])) {
        let HostPlan { rows, strip, .. } = self.plan;
        let least = 1 << rows.trailing_zeros();
        let mut rest = tree;
        while rest.len() / strip > least {
            let half = rest.len() / strip / 2;
            let (left, right) = rest.split_at_mut(half * strip);
            L::fold(self.k, left, right);
            if rows & half != 0 {
                then(half, right);
            }
            rest = left;
        }
    }

    /// As `columns`, for a plan that wraps.
    pub(super) fn columns_wrapped(&self, limbs: &[u64], residues: &mut [u64]) {
        let strip = self.plan.strip;
        let down = self.tables.down();
        let tree_rows = self.plan.tree_rows();
        self.for_strips(residues, |mut part, buffer| {
            let (tree, spare) = buffer.split_at_mut(tree_rows * strip);
            self.load_wrapped(limbs, part.first(), tree, spare);
            self.fold_down(tree, |m, block| {
                L::forward(self.k, down, block, strip, tree_rows / m + 1);
            });
            for (row, m) in self.plan.blocks() {
                part.put(row, &tree[m * strip..][..m * strip]);
            }
        });
    }

    /// As `columns_back`, for a plan that wraps; `offset` is added.
    pub(super) fn columns_back_wrapped(&self, residues: &mut [u64], offset: Factor) {
        let HostPlan { rows, strip, .. } = self.plan;
        let (k, p, up) = (self.k, self.p, self.tables.up());
        let tree_rows = self.plan.tree_rows();
        let half = L::factor(p.div_ceil(2), p);
        self.for_strips(residues, |mut part, buffer| {
            let (tree, spare) = buffer.split_at_mut(tree_rows * strip);
            for (row, m) in self.plan.blocks() {
                let block = &mut tree[m * strip..][..m * strip];
                part.get(row, block);
                L::inverse(k, up, block, strip, tree_rows / m + 1);
                L::scale_all(k, L::factor((tree_rows / m) as u64, p), block);
            }
            for (_, m) in self.plan.blocks().rev() {
                let copy = &mut spare[..m * strip];
                copy.copy_from_slice(&tree[m * strip..][..m * strip]);
                self.fold_down(copy, |m, block| {
                    L::scale_difference(k, half, &mut tree[m * strip..][..m * strip], block);
                });
            }
            let one = L::factor(1, p);
            let mut done = 0;
            for (_, m) in self.plan.blocks() {
                let (low, high) = spare.split_at_mut(m * strip);
                high[..done * strip].copy_from_slice(&low[..done * strip]);
                let (sum, rest) = tree[m * strip..][..m * strip].split_at(done * strip);
                L::add_scaled(k, one, &mut low[..done * strip], sum);
                low[done * strip..].copy_from_slice(rest);
                done += m;
            }
            let all = &mut spare[..rows * strip];
            L::add_to_all(k, offset, all);
            part.put(0, all);
        });
    }
}

/// Computes r from V (both in two's complement, with four limbs above those of the plan's rows).
pub(super) fn lift(plan: HostPlan, limbs: &mut [u64]) {
    let above = plan.rows * plan.row_limbs();
    let mut quotient = [0; 4];
    quotient.copy_from_slice(&limbs[above..]);
    super::add(&mut quotient, &[limbs[above - 1] >> 63]);
    let blocks: Vec<usize> = plan.blocks().map(|(_, m)| m * plan.row_limbs()).collect();
    for subset in 0..1 << blocks.len() {
        let chosen = blocks
            .iter()
            .enumerate()
            .filter(|(i, _)| subset >> i & 1 == 1);
        let place = chosen.map(|(_, limbs)| limbs).sum::<usize>();
        subtract(&mut limbs[place..], &quotient);
    }
}

/// x −= y, both in two's complement.
fn subtract(x: &mut [u64], y: &[u64; 4]) {
    let sign = if y[3] >> 63 == 1 { u64::MAX } else { 0 };
    let mut borrow = false;
    for (at, limb) in x.iter_mut().enumerate() {
        if at >= 4 && borrow == (sign != 0) {
            return;
        }
        (*limb, borrow) = limb.borrowing_sub(y.get(at).copied().unwrap_or(sign), borrow);
    }
}
