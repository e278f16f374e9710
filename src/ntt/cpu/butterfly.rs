//! Transforms of a block of rows, the same for all columns: the steps that the columns of a long
//! transform and the upper levels of a row have in common.
//!
//! Forward, a step takes x and y to x ± w·y. Values are any in [0, 2^52): x is first reduced to
//! [3p, 4p + 2^42), and the product is in [−p, p), so two consecutive levels end in [p, 6p + 2^42)
//! and need no reduction between them. Backward, it takes x and y to x + y and (x − y)/w. Values
//! are in [0, 2p): after two levels sums are below 8p < 2^52 and are reduced, products are below 2p
//! again.

use super::lanes::{Factor, Lanes};
use super::tables::Tree;

/// Blocks of at most this many values are transformed level by level; larger ones quarter by
/// quarter, so that the current values stay in the first-level cache.
const CACHED: usize = 1 << 11;

#[inline(always)]
fn splat<L: Lanes>(tree: Tree, node: usize) -> (L::V, L::V) {
    (L::splat(tree.w[node]), L::splat(tree.q[node]))
}

/// Both halves of a slice as vectors.
#[inline(always)]
fn pairs<'a>(
    left: &'a mut [u64],
    right: &'a mut [u64],
) -> impl Iterator<Item = (&'a mut [u64; 8], &'a mut [u64; 8])> {
    let right = right.as_chunks_mut::<8>().0;
    left.as_chunks_mut::<8>().0.iter_mut().zip(right)
}

/// The factors of a node and of its two children.
#[inline(always)]
fn family<L: Lanes>(tree: Tree, node: usize) -> [(L::V, L::V); 3] {
    [
        splat::<L>(tree, node),
        splat::<L>(tree, 2 * node),
        splat::<L>(tree, 2 * node + 1),
    ]
}

/// For each node from `node` on, the factors of the node and of its two children.
#[inline(always)]
fn families<L: Lanes>(tree: Tree, node: usize) -> impl Iterator<Item = [(L::V, L::V); 3]> {
    let parents = tree.w[node..].iter().zip(&tree.q[node..]);
    let children = tree.w[2 * node..].as_chunks::<2>().0.iter();
    let children = children.zip(tree.q[2 * node..].as_chunks::<2>().0);
    parents
        .zip(children)
        .map(|((&w, &q), (&[w2, w3], &[q2, q3]))| {
            [
                (L::splat(w), L::splat(q)),
                (L::splat(w2), L::splat(q2)),
                (L::splat(w3), L::splat(q3)),
            ]
        })
}

/// Four vectors after another.
#[inline(always)]
fn quads(block: &mut [u64]) -> impl Iterator<Item = [&mut [u64; 8]; 4]> {
    let (quads, _) = block.as_chunks_mut::<8>().0.as_chunks_mut::<4>();
    quads.iter_mut().map(|quad| quad.each_mut())
}

/// The four quarters of a block as vectors.
#[inline(always)]
fn quarters(block: &mut [u64]) -> impl Iterator<Item = [&mut [u64; 8]; 4]> {
    let quarter = block.len() / 4;
    let (left, right) = block.split_at_mut(2 * quarter);
    let (a, b) = left.split_at_mut(quarter);
    let (c, d) = right.split_at_mut(quarter);
    pairs(a, b)
        .zip(pairs(c, d))
        .map(|((a, b), (c, d))| [a, b, c, d])
}

#[inline(always)]
fn forward2<L: Lanes>(k: L::K, (w, q): (L::V, L::V), left: &mut [u64], right: &mut [u64]) {
    for (a, b) in pairs(left, right) {
        let x = L::reduce::<3>(k, L::load(a));
        let t = L::mul::<-1>(k, L::load(b), w, q);
        L::store(a, L::add(x, t));
        L::store(b, L::sub(x, t));
    }
}

/// Two levels on four vectors, with the factors of a node and of its children.
#[inline(always)]
fn forward_quad<L: Lanes>(k: L::K, [f1, f2, f3]: [(L::V, L::V); 3], x: [&mut [u64; 8]; 4]) {
    let [a, b, c, d] = x;
    let x0 = L::reduce::<3>(k, L::load(a));
    let x1 = L::reduce::<3>(k, L::load(b));
    let t2 = L::mul::<-1>(k, L::load(c), f1.0, f1.1);
    let t3 = L::mul::<-1>(k, L::load(d), f1.0, f1.1);
    let (y0, y2) = (L::add(x0, t2), L::sub(x0, t2));
    let y1 = L::mul::<-1>(k, L::add(x1, t3), f2.0, f2.1);
    let y3 = L::mul::<-1>(k, L::sub(x1, t3), f3.0, f3.1);
    L::store(a, L::add(y0, y1));
    L::store(b, L::sub(y0, y1));
    L::store(c, L::add(y2, y3));
    L::store(d, L::sub(y2, y3));
}

#[inline(always)]
fn forward4<L: Lanes>(k: L::K, tree: Tree, block: &mut [u64], node: usize) {
    let factors = family::<L>(tree, node);
    for x in quarters(block) {
        forward_quad::<L>(k, factors, x);
    }
}

/// `forward4` for many blocks of four vectors, at the nodes from `node` on.
#[inline(always)]
fn forward4_single<L: Lanes>(k: L::K, tree: Tree, block: &mut [u64], node: usize) {
    for (factors, x) in families::<L>(tree, node).zip(quads(block)) {
        forward_quad::<L>(k, factors, x);
    }
}

/// Transforms a block at a node of the tree down to rows of `width` values: the number of rows is a
/// power of two.
#[inline(always)]
pub(super) fn forward<L: Lanes>(k: L::K, tree: Tree, block: &mut [u64], width: usize, node: usize) {
    if block.len() > CACHED && block.len() >= 4 * width {
        forward4::<L>(k, tree, block, node);
        let quarter = block.len() / 4;
        for (at, block) in block.chunks_exact_mut(quarter).enumerate() {
            L::forward(k, tree, block, width, 4 * node + at);
        }
        return;
    }
    let mut nodes = 1;
    if (block.len() / width).ilog2() % 2 == 1 {
        let (left, right) = block.split_at_mut(block.len() / 2);
        forward2::<L>(k, splat::<L>(tree, node), left, right);
        nodes = 2;
    }
    while block.len() / nodes > width {
        let len = block.len() / nodes;
        if len == 32 {
            forward4_single::<L>(k, tree, block, nodes * node);
        } else {
            for (at, block) in block.chunks_exact_mut(len).enumerate() {
                forward4::<L>(k, tree, block, nodes * node + at);
            }
        }
        nodes *= 4;
    }
}

#[inline(always)]
fn inverse2<L: Lanes>(k: L::K, (w, q): (L::V, L::V), left: &mut [u64], right: &mut [u64]) {
    for (a, b) in pairs(left, right) {
        let (x, y) = (L::load(a), L::load(b));
        L::store(a, L::reduce::<0>(k, L::add(x, y)));
        L::store(b, L::mul::<0>(k, L::sub2(k, x, y), w, q));
    }
}

/// Two levels on four vectors, with the factors of a node and of its children.
#[inline(always)]
fn inverse_quad<L: Lanes>(k: L::K, [f1, f2, f3]: [(L::V, L::V); 3], x: [&mut [u64; 8]; 4]) {
    let [a, b, c, d] = x;
    let (x0, x1, x2, x3) = (L::load(a), L::load(b), L::load(c), L::load(d));
    let (y0, y2) = (L::add(x0, x1), L::add(x2, x3));
    // In [2p, 4p) and [0, 2p): their difference needs no bias.
    let y1 = L::mul::<2>(k, L::sub2(k, x0, x1), f2.0, f2.1);
    let y3 = L::mul::<0>(k, L::sub2(k, x2, x3), f3.0, f3.1);
    L::store(a, L::reduce::<0>(k, L::add(y0, y2)));
    L::store(b, L::reduce::<0>(k, L::add(y1, y3)));
    L::store(c, L::mul::<0>(k, L::sub4(k, y0, y2), f1.0, f1.1));
    L::store(d, L::mul::<0>(k, L::sub(y1, y3), f1.0, f1.1));
}

#[inline(always)]
fn inverse4<L: Lanes>(k: L::K, tree: Tree, block: &mut [u64], node: usize) {
    let factors = family::<L>(tree, node);
    for x in quarters(block) {
        inverse_quad::<L>(k, factors, x);
    }
}

/// `inverse4` for many blocks of four vectors, at the nodes from `node` on.
#[inline(always)]
fn inverse4_single<L: Lanes>(k: L::K, tree: Tree, block: &mut [u64], node: usize) {
    for (factors, x) in families::<L>(tree, node).zip(quads(block)) {
        inverse_quad::<L>(k, factors, x);
    }
}

/// Undoes `forward`, up to a factor of the number of rows.
#[inline(always)]
pub(super) fn inverse<L: Lanes>(k: L::K, tree: Tree, block: &mut [u64], width: usize, node: usize) {
    if block.len() > CACHED && block.len() >= 4 * width {
        let quarter = block.len() / 4;
        for (at, block) in block.chunks_exact_mut(quarter).enumerate() {
            L::inverse(k, tree, block, width, 4 * node + at);
        }
        inverse4::<L>(k, tree, block, node);
        return;
    }
    let rows = block.len() / width;
    let mut nodes = rows / 4;
    while nodes > 0 {
        let len = block.len() / nodes;
        if len == 32 {
            inverse4_single::<L>(k, tree, block, nodes * node);
        } else {
            for (at, block) in block.chunks_exact_mut(len).enumerate() {
                inverse4::<L>(k, tree, block, nodes * node + at);
            }
        }
        nodes /= 4;
    }
    if rows.ilog2() % 2 == 1 {
        let (left, right) = block.split_at_mut(block.len() / 2);
        inverse2::<L>(k, splat::<L>(tree, node), left, right);
    }
}

#[inline(always)]
fn splat_factor<L: Lanes>(w: Factor) -> (L::V, L::V) {
    (L::splat(w[0]), L::splat(w[1]))
}

/// One level of `forward`.
#[inline(always)]
pub(super) fn split_node<L: Lanes>(k: L::K, w: Factor, left: &mut [u64], right: &mut [u64]) {
    forward2::<L>(k, splat_factor::<L>(w), left, right);
}

/// One level of `inverse`.
#[inline(always)]
pub(super) fn join_node<L: Lanes>(k: L::K, w: Factor, left: &mut [u64], right: &mut [u64]) {
    inverse2::<L>(k, splat_factor::<L>(w), left, right);
}

/// right = left − w·right; in [0, 2p) as all arguments.
#[inline(always)]
pub(super) fn subtract_scaled<L: Lanes>(k: L::K, w: Factor, left: &[u64], right: &mut [u64]) {
    let (w, q) = splat_factor::<L>(w);
    let left = left.as_chunks::<8>().0;
    for (a, b) in left.iter().zip(right.as_chunks_mut::<8>().0) {
        let t = L::mul::<0>(k, L::load(b), w, q);
        L::store(b, L::reduce::<0>(k, L::sub2(k, L::load(a), t)));
    }
}

/// left = half·(left + w·right); in [0, 2p) as all arguments.
#[inline(always)]
pub(super) fn average<L: Lanes>(k: L::K, half: Factor, w: Factor, left: &mut [u64], right: &[u64]) {
    let (half, half_q) = splat_factor::<L>(half);
    let (w, q) = splat_factor::<L>(w);
    let right = right.as_chunks::<8>().0;
    for (a, b) in left.as_chunks_mut::<8>().0.iter_mut().zip(right) {
        let sum = L::add(L::load(a), L::mul::<0>(k, L::load(b), w, q));
        L::store(a, L::mul::<0>(k, sum, half, half_q));
    }
}

/// left = 2·left − w·right; in [0, 2p) as all arguments.
#[inline(always)]
pub(super) fn double_less<L: Lanes>(k: L::K, w: Factor, left: &mut [u64], right: &[u64]) {
    let (w, q) = splat_factor::<L>(w);
    let right = right.as_chunks::<8>().0;
    for (a, b) in left.as_chunks_mut::<8>().0.iter_mut().zip(right) {
        let x = L::load(a);
        let t = L::mul::<0>(k, L::load(b), w, q);
        L::store(a, L::reduce::<0>(k, L::sub2(k, L::add(x, x), t)));
    }
}

/// Adds a residue to all of a block: from [0, 2p) to [0, 3p).
#[inline(always)]
pub(super) fn add_to_all<L: Lanes>(_: L::K, c: Factor, block: &mut [u64]) {
    let c = L::splat(c[0]);
    for x in block.as_chunks_mut::<8>().0 {
        L::store(x, L::add(L::load(x), c));
    }
}

/// The residues of numbers of one or two limbs; numbers past the end of `limbs` are zero.
#[inline(always)]
pub(super) fn residues<L: Lanes>(k: L::K, limbs: &[u64], wide: bool, out: &mut [u64]) {
    let out = out.as_chunks_mut::<8>().0;
    if wide {
        let (pairs, rest) = limbs.as_chunks::<16>();
        let whole = pairs.len();
        for (x, out) in pairs.iter().zip(out.iter_mut()) {
            let x = [
                std::array::from_fn(|i| x[2 * i]),
                std::array::from_fn(|i| x[2 * i + 1]),
            ];
            L::store(out, L::residue_wide(k, &x));
        }
        if let Some(out) = out.get_mut(whole) {
            let at = |i: usize| rest.get(i).copied().unwrap_or(0);
            let x = [
                std::array::from_fn(|i| at(2 * i)),
                std::array::from_fn(|i| at(2 * i + 1)),
            ];
            L::store(out, L::residue_wide(k, &x));
        }
        for out in out.iter_mut().skip(whole + 1) {
            L::store(out, L::residue(k, &[0; 8]));
        }
    } else {
        let (vectors, rest) = limbs.as_chunks::<8>();
        let whole = vectors.len();
        for (x, out) in vectors.iter().zip(out.iter_mut()) {
            L::store(out, L::residue(k, x));
        }
        for (at, out) in out.iter_mut().skip(whole).enumerate() {
            let x = std::array::from_fn(|i| rest.get(8 * at + i).copied().unwrap_or(0));
            L::store(out, L::residue(k, &x));
        }
    }
}
