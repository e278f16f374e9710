//! The transforms of one row: down to single coefficients, the product, and back, while the row is
//! in the first cache.
//!
//! Down to blocks of eight coefficients a row is transformed like any node, with the row's own
//! roots. A block is then multiplied by the powers of the row's u (`tables`), after which the last
//! three levels have the same roots in all rows, and transposed with its seven neighbours, so that
//! those levels too run on whole vectors, in registers. The values stay transposed: products do not
//! mind.

use super::lanes::Lanes;
use super::scratch::Aligned;
use super::tables::{TAIL, Tree};

/// Memory for the tree of a row: first words, second words.
pub(super) type Scratch = [Aligned; 2];

/// The constants of the transforms of one row.
pub(super) struct RowConstants<'a> {
    pub(super) down: Direction<'a>,
    pub(super) up: Direction<'a>,
}

/// One way through the tree of a row.
pub(super) struct Direction<'a> {
    /// The powers 0 to 7 of u: first words, second words.
    pub(super) twist: [&'a [u64; 8]; 2],
    /// The factors of the nodes 0 to 7 of the heap.
    pub(super) first: [&'a [u64; 8]; 2],
    /// The factors of the nodes of level 3, 4, ….
    pub(super) levels: &'a [[u64; 2]],
    /// The nodes of the heap, before they are multiplied.
    pub(super) nodes: &'a [[u64; 8]],
    pub(super) tail: &'a [[[u64; 8]; TAIL]],
}

impl Direction<'_> {
    /// The row's own tree.
    #[inline(always)]
    fn tree<'t, L: Lanes>(&self, k: L::K, scratch: &'t mut Scratch) -> Tree<'t> {
        let [w, q] = scratch;
        let len = 8 * self.nodes.len();
        let (w, q) = (w.at_least(len), q.at_least(len));
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

/// A factor in all lanes of each of eight vectors. (`array::map` would not be compiled for the
/// level.)
#[inline(always)]
fn times<L: Lanes, const BIAS: i64>(k: L::K, x: &mut [L::V; 8], [w, q]: [&[u64; 8]; 2]) {
    let (w, q) = (L::load(w), L::load(q));
    for v in x {
        *v = L::mul::<BIAS>(k, *v, w, q);
    }
}

/// The factors number `at` of the last three levels of a group.
#[inline(always)]
fn factor<L: Lanes>(tail: &[[u64; 8]; TAIL], at: usize) -> (L::V, L::V) {
    (L::load(&tail[2 * at]), L::load(&tail[2 * at + 1]))
}

/// Eight blocks of eight coefficients, from [0, 2^52) to [0, 8p).
#[inline(always)]
fn down<L: Lanes>(k: L::K, constants: &Direction, group: usize, block: &[[u64; 8]]) -> [L::V; 8] {
    let mut x = [L::splat(0); 8];
    for i in 0..8 {
        x[i] = L::load(&block[i]);
    }
    // Three levels take 3p off and put 3p on at most: [3p, 5p) becomes [0, 8p).
    times::<L, 3>(k, &mut x, constants.twist);
    L::transpose(&mut x);
    let tail = &constants.tail[group];
    for (i, j, at) in [
        (0, 4, 0),
        (1, 5, 0),
        (2, 6, 0),
        (3, 7, 0),
        (0, 2, 1),
        (1, 3, 1),
        (4, 6, 2),
        (5, 7, 2),
        (0, 1, 3),
        (2, 3, 4),
        (4, 5, 5),
        (6, 7, 6),
    ] {
        let (w, q) = factor::<L>(tail, at);
        let t = L::mul::<-1>(k, x[j], w, q);
        (x[i], x[j]) = (L::add(x[i], t), L::sub(x[i], t));
    }
    x
}

/// The way back, from [0, 2p) to [0, 2p).
#[inline(always)]
fn up<L: Lanes>(
    k: L::K,
    constants: &Direction,
    group: usize,
    mut x: [L::V; 8],
    block: &mut [[u64; 8]],
) {
    let tail = &constants.tail[group];
    for (i, j, at) in [(0, 1, 3), (2, 3, 4), (4, 5, 5), (6, 7, 6)] {
        let (w, q) = factor::<L>(tail, at);
        let t = L::sub2(k, x[i], x[j]);
        (x[i], x[j]) = (L::add(x[i], x[j]), L::mul::<0>(k, t, w, q));
    }
    // Sums are below 4p, products below 2p.
    for (i, j, at) in [(0, 2, 1), (4, 6, 2)] {
        let (w, q) = factor::<L>(tail, at);
        let t = L::sub4(k, x[i], x[j]);
        let sum = L::reduce::<0>(k, L::add(x[i], x[j]));
        (x[i], x[j]) = (sum, L::mul::<0>(k, t, w, q));
    }
    for (i, j, at) in [(1, 3, 1), (5, 7, 2)] {
        let (w, q) = factor::<L>(tail, at);
        let t = L::sub2(k, x[i], x[j]);
        (x[i], x[j]) = (L::add(x[i], x[j]), L::mul::<0>(k, t, w, q));
    }
    // Vectors 1 and 5 are below 4p, the others below 2p.
    let (w, q) = factor::<L>(tail, 0);
    for i in 0..4 {
        let t = L::sub4(k, x[i], x[i + 4]);
        (x[i], x[i + 4]) = (L::add(x[i], x[i + 4]), L::mul::<0>(k, t, w, q));
    }
    L::transpose(&mut x);
    times::<L, 0>(k, &mut x, constants.twist);
    for i in 0..8 {
        L::store(&mut block[i], x[i]);
    }
}

/// Transforms a row, values in [0, 2^52).
#[inline(always)]
pub(super) fn forward<L: Lanes>(
    k: L::K,
    constants: &RowConstants,
    row: &mut [u64],
    scratch: &mut Scratch,
) {
    L::forward(k, constants.down.tree::<L>(k, scratch), row, 8, 1);
    for (group, block) in row.as_chunks_mut::<8>().0.chunks_exact_mut(8).enumerate() {
        let x = down::<L>(k, &constants.down, group, block);
        for i in 0..8 {
            L::store(&mut block[i], x[i]);
        }
    }
}

/// Transforms a row, multiplies it by a transformed one (by itself where there is none) and
/// transforms the product back: from [0, 2^52) to [0, 2p), times the length of the row and the
/// level's bias.
#[inline(always)]
pub(super) fn product<L: Lanes>(
    k: L::K,
    constants: &RowConstants,
    row: &mut [u64],
    other: Option<&[u64]>,
    scratch: &mut Scratch,
) {
    L::forward(k, constants.down.tree::<L>(k, scratch), row, 8, 1);
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
        up::<L>(k, &constants.up, group, x, block);
    }
    L::inverse(k, constants.up.tree::<L>(k, scratch), row, 8, 1);
}

/// A term of a sum of products: two transformed rows, and whether their product is taken off.
pub(super) struct Term<'a> {
    pub(super) a: &'a [u64],
    pub(super) b: &'a [u64],
    pub(super) negative: bool,
}

/// The sum of the terms, transformed back: in [0, 2p), times the length of the row and the level's
/// bias.
#[inline(always)]
pub(super) fn sum<L: Lanes>(
    k: L::K,
    constants: &RowConstants,
    row: &mut [u64],
    terms: &[Term],
    scratch: &mut Scratch,
) {
    for (group, block) in row.as_chunks_mut::<8>().0.chunks_exact_mut(8).enumerate() {
        let mut x = [L::splat(0); 8];
        for term in terms {
            let a = &term.a.as_chunks::<8>().0[8 * group..][..8];
            let b = &term.b.as_chunks::<8>().0[8 * group..][..8];
            // A reduced sum is below p + 2^42 and a product below 2p, so the value to reduce is in
            // [0, 4p).
            for i in 0..8 {
                let product = L::product(k, L::load(&a[i]), L::load(&b[i]));
                let sum = if term.negative {
                    L::sub2(k, x[i], product)
                } else {
                    L::add(x[i], product)
                };
                x[i] = L::reduce::<0>(k, sum);
            }
        }
        up::<L>(k, &constants.up, group, x, block);
    }
    L::inverse(k, constants.up.tree::<L>(k, scratch), row, 8, 1);
}
