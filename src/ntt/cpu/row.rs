//! The transforms of one row: down to single coefficients, the product, and back, while the row is in the first cache.
//!
//! Down to blocks of eight coefficients a row is transformed like any node, with the row's own roots. A block is then
//! multiplied by the powers of the row's u (`tables`), after which the last three levels have the same roots in all
//! rows, and transposed with its seven neighbours, so that those levels too run on whole vectors. The values stay
//! transposed: products do not mind.

use super::lanes::Lanes;
use super::tables::{TAIL, Tree};

/// What the transforms of one row read.
pub(super) struct RowConstants<'a> {
    pub(super) down: Direction<'a>,
    pub(super) up: Direction<'a>,
}

/// One way through the tree of a row.
pub(super) struct Direction<'a> {
    /// The powers 0 to 7 of u: first words, second words.
    pub(super) twist: [&'a [u64; 8]; 2],
    /// What multiplies the nodes 0 to 7 of the heap.
    pub(super) first: [&'a [u64; 8]; 2],
    /// What multiplies the nodes of level 3, 4, ….
    pub(super) levels: &'a [[u64; 2]],
    /// The nodes of the heap, before they are multiplied.
    pub(super) nodes: &'a [[u64; 8]],
    pub(super) tail: &'a [[u64; 8]],
}

impl Direction<'_> {
    /// The row's own tree.
    #[inline(always)]
    fn tree<'t, L: Lanes>(&self, k: L::K, tree: &'t mut [Vec<u64>; 2]) -> Tree<'t> {
        let [w, q] = tree;
        let len = 8 * self.nodes.len();
        w.resize(len, 0);
        q.resize(len, 0);
        let out = w
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .zip(q.as_chunks_mut::<8>().0);
        for (at, (node, (w, q))) in self.nodes.iter().zip(out).enumerate() {
            let (g, gq) = match at.checked_ilog2() {
                None => (L::load(self.first[0]), L::load(self.first[1])),
                Some(level) => {
                    let [g, gq] = self.levels[level as usize];
                    (L::splat(g), L::splat(gq))
                }
            };
            let (x, y) = L::scale(k, L::load(node), g, gq);
            L::store(w, x);
            L::store(q, y);
        }
        Tree { w, q }
    }
}

/// A factor in all lanes of each of eight vectors. (`array::map` would not be compiled for the level.)
#[inline(always)]
fn times<L: Lanes, const BIAS: i64>(k: L::K, x: &mut [L::V; 8], [w, q]: [&[u64; 8]; 2]) {
    let (w, q) = (L::load(w), L::load(q));
    for v in x {
        *v = L::mul::<BIAS>(k, *v, w, q);
    }
}

/// From [0, 2^52) to [0, 8p): the last three levels of eight blocks.
#[inline(always)]
fn down<L: Lanes>(k: L::K, constants: &Direction, group: usize, block: &[[u64; 8]]) -> [L::V; 8] {
    let mut x = [L::splat(0); 8];
    for i in 0..8 {
        x[i] = L::load(&block[i]);
    }
    // Three levels take 3p off and put 3p on at most: [3p, 5p) becomes [0, 8p).
    times::<L, 3>(k, &mut x, constants.twist);
    L::transpose(&mut x);
    let tail = &constants.tail[TAIL * group..][..TAIL];
    for (i, j, at) in [
        (0, 4, 0),
        (1, 5, 0),
        (2, 6, 0),
        (3, 7, 0),
        (0, 2, 2),
        (1, 3, 2),
        (4, 6, 4),
        (5, 7, 4),
        (0, 1, 6),
        (2, 3, 8),
        (4, 5, 10),
        (6, 7, 12),
    ] {
        let t = L::mul::<-1>(k, x[j], L::load(&tail[at]), L::load(&tail[at + 1]));
        (x[i], x[j]) = (L::add(x[i], t), L::sub(x[i], t));
    }
    x
}

/// From [0, 2p) to [0, 2p), the way back.
#[inline(always)]
fn up<L: Lanes>(k: L::K, constants: &Direction, group: usize, mut x: [L::V; 8]) -> [L::V; 8] {
    let tail = &constants.tail[TAIL * group..][..TAIL];
    let factor = |at: usize| (L::load(&tail[at]), L::load(&tail[at + 1]));
    for (i, j, at) in [(0, 1, 6), (2, 3, 8), (4, 5, 10), (6, 7, 12)] {
        let (w, q) = factor(at);
        let t = L::sub2(k, x[i], x[j]);
        (x[i], x[j]) = (L::add(x[i], x[j]), L::mul::<0>(k, t, w, q));
    }
    // Sums are below 4p, products below 2p.
    for (i, j, at) in [(0, 2, 2), (4, 6, 4)] {
        let (w, q) = factor(at);
        let t = L::sub4(k, x[i], x[j]);
        (x[i], x[j]) = (
            L::reduce::<0>(k, L::add(x[i], x[j])),
            L::mul::<0>(k, t, w, q),
        );
    }
    for (i, j, at) in [(1, 3, 2), (5, 7, 4)] {
        let (w, q) = factor(at);
        let t = L::sub2(k, x[i], x[j]);
        (x[i], x[j]) = (L::add(x[i], x[j]), L::mul::<0>(k, t, w, q));
    }
    // Vectors 1 and 5 are below 4p, the others below 2p.
    let (w, q) = factor(0);
    for i in 0..4 {
        let t = L::sub4(k, x[i], x[i + 4]);
        (x[i], x[i + 4]) = (L::add(x[i], x[i + 4]), L::mul::<0>(k, t, w, q));
    }
    L::transpose(&mut x);
    times::<L, 0>(k, &mut x, constants.twist);
    x
}

/// Transforms a row, values in [0, 2^52).
#[inline(always)]
pub(super) fn forward<L: Lanes>(
    k: L::K,
    constants: &RowConstants,
    row: &mut [u64],
    tree: &mut [Vec<u64>; 2],
) {
    L::forward(k, constants.down.tree::<L>(k, tree), row, 8, 1);
    for (group, block) in row.as_chunks_mut::<8>().0.chunks_exact_mut(8).enumerate() {
        let x = down::<L>(k, &constants.down, group, block);
        for i in 0..8 {
            L::store(&mut block[i], x[i]);
        }
    }
}

/// Transforms a row, multiplies it by a transformed one (by itself where there is none) and transforms the product back:
/// from [0, 2^52) to [0, 2p), times the length of the row and the level's bias.
#[inline(always)]
pub(super) fn product<L: Lanes>(
    k: L::K,
    constants: &RowConstants,
    row: &mut [u64],
    other: Option<&[u64]>,
    tree: &mut [Vec<u64>; 2],
) {
    L::forward(k, constants.down.tree::<L>(k, tree), row, 8, 1);
    let mut others = other.map(|row| row.as_chunks::<8>().0.chunks_exact(8));
    for (group, block) in row.as_chunks_mut::<8>().0.chunks_exact_mut(8).enumerate() {
        let mut x = down::<L>(k, &constants.down, group, block);
        match others.as_mut().and_then(Iterator::next) {
            Some(other) => {
                for i in 0..8 {
                    x[i] = L::product(k, x[i], L::load(&other[i]));
                }
            }
            None => {
                for v in &mut x {
                    *v = L::product(k, *v, *v);
                }
            }
        }
        let x = up::<L>(k, &constants.up, group, x);
        for i in 0..8 {
            L::store(&mut block[i], x[i]);
        }
    }
    L::inverse(k, constants.up.tree::<L>(k, tree), row, 8, 1);
}
