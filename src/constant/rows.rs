//! A series' tree on a device, level by level: all P, Q and T of a level are three arrays of rows.
//!
//! The CPU's threads make the leaves, of R terms each. Short rows are multiplied word by word, rows
//! of W limbs and more by transforms, and the last few rows become numbers.
//!
//! **Widths.** Let p(k), q(k) be below 2^t and a(k) below 2^a, in magnitude. For c terms P and Q
//! are below 2^(c·t), and T is a sum of c products of c factors p or q and one a: below c·2^(c·t +
//! a). So w limbs with c·t + a + 64 ≤ 64·w hold all three, and leave a bit for the sign, for c <
//! 2^63. Then 2w limbs hold those of 2c terms.
//!
//! **Signs.** Rows have none: they are kept on the host. T1·Q2 and P1·T2 must have the same sign in
//! every node. That is so if the terms of a series all have one sign, or if they alternate, as R is
//! even: the first term of a leaf then decides its sign.
//!
//! **Transforms.** T1·Q2 + P1·T2 of all nodes is one launch where the even rows of an array are P
//! and the odd ones Q. So P and Q exchange their odd rows before: U is P, Q, P, Q, … and V is Q, P,
//! Q, P, …

use std::sync::Arc;

use super::leaf::Arena;
use super::series::{Node, Series};
use crate::cuda::Device;
use crate::error::Result;
use crate::int::Int;
use crate::limbs::{self, Resident};
use crate::mul::cuda::{Operand, Rows};
use crate::{progress, threads};

/// Maximum terms of a leaf.
const MOST_TERMS: u64 = 36;

/// Leaves that one thread computes per task.
const LEAVES: usize = 64;

/// A level of at most this many rows becomes single numbers. With fewer rows, the last row, which
/// may be only partly used, would waste too much work.
const LAST_ROWS: usize = 8;

/// Sizes of a tree's rows.
pub(super) struct Sizes {
    /// Terms of a leaf, even.
    terms: u64,
    /// Limbs of the rows of each level, up to the first for transforms.
    widths: Vec<usize>,
}

impl Sizes {
    /// For terms with p and q of at most `term_bits` bits, and a of at most `a_bits`. None if
    /// they are too long.
    pub(super) fn new(term_bits: u64, a_bits: u64) -> Option<Sizes> {
        let last = Rows::least_width();
        let fits = |terms: u64| terms * term_bits + a_bits + 64;
        let most = (64 * last as u64).checked_sub(a_bits + 64)? / term_bits;
        let mut levels = 0;
        while most >> levels > MOST_TERMS {
            levels += 1;
        }
        let terms = (most >> levels) & !1;
        let limbs = |level| fits(terms << level).div_ceil(64) as usize;
        let widths = (0..levels).map(limbs).chain([last]).collect();
        (levels > 0).then_some(Sizes { terms, widths })
    }

    /// Limbs of all rows of P together, for `terms` terms.
    pub(super) fn limbs(&self, terms: u64) -> u64 {
        let last = self.widths.len() - 1;
        terms.div_ceil(self.terms << last) * self.widths[last] as u64
    }
}

/// The signs of the rows of a level: whether they are negative.
#[derive(Clone, Copy)]
struct Signs {
    p: bool,
    q: bool,
    /// None for 0.
    t: Option<bool>,
}

const ONE: Signs = Signs {
    p: false,
    q: false,
    t: None,
};

impl Signs {
    /// The signs of a node above two others. None if T would be a difference.
    fn above(pair: &[Signs]) -> Option<Signs> {
        let (left, right) = (pair[0], pair.get(1).copied().unwrap_or(ONE));
        let terms = (left.t.map(|t| t ^ right.q), right.t.map(|t| t ^ left.p));
        let t = match terms {
            (Some(one), Some(other)) if one != other => return None,
            (one, other) => one.or(other),
        };
        Some(Signs {
            p: left.p ^ right.p,
            q: left.q ^ right.q,
            t,
        })
    }
}

/// P, Q and T of the terms from `from` up to `to` in a few nodes, from left to right. None if a
/// T is a difference.
pub(super) fn nodes(
    device: &Arc<Device>,
    series: &Series,
    sizes: &Sizes,
    (from, to): (u64, u64),
) -> Result<Option<Vec<Node>>> {
    let (leaves, mut signs) = leaves(device, series, sizes, (from, to))?;
    let rise = |signs: &mut Vec<Signs>| {
        let above: Option<Vec<Signs>> = signs.chunks(2).map(Signs::above).collect();
        above.map(|above| *signs = above).is_some()
    };
    let first = sizes.widths[0];
    let [p, q, t] = [0, first, 2 * first].map(|start| leaves.all().limbs(start, first));
    if !rise(&mut signs) {
        return Ok(None);
    }
    let mut level = Level::above(p, q, t, sizes.widths[1])?;
    drop(leaves);
    for width in &sizes.widths[2..] {
        progress::check()?;
        level.make_even()?;
        if !rise(&mut signs) {
            return Ok(None);
        }
        level = Level::above(level.p.all(), level.q.all(), level.t.all(), *width)?;
    }
    while signs.len() > LAST_ROWS && level.p.can_pair() {
        progress::check()?;
        level.make_even()?;
        if !rise(&mut signs) {
            return Ok(None);
        }
        level = level.above_by_transforms()?;
    }
    let node = |(i, signs): (usize, &Signs)| {
        Ok(Node {
            p: Some(number(&level.p, i, signs.p)?),
            q: number(&level.q, i, signs.q)?,
            t: number(&level.t, i, signs.t == Some(true))?,
        })
    };
    let nodes: Result<Vec<Node>> = signs.iter().enumerate().map(node).collect();
    nodes.map(Some)
}

/// All P, Q and T of a level.
struct Level {
    p: Rows,
    q: Rows,
    t: Rows,
}

impl Level {
    /// The level above an even number of short rows, in rows of `width` limbs.
    fn above(p: Operand<'_>, q: Operand<'_>, t: Operand<'_>, width: usize) -> Result<Level> {
        let (left, right) = ((t.even(), q.odd()), (t.odd(), p.even()));
        Ok(Level {
            p: Rows::products(p.even(), p.odd(), width)?,
            q: Rows::products(q.even(), q.odd(), width)?,
            t: Rows::sums_of_products(left, right, width)?,
        })
    }

    /// The level above an even count of rows that transforms can multiply.
    fn above_by_transforms(mut self) -> Result<Level> {
        self.p.exchange_odd(&mut self.q)?;
        let (p, q, t) = Rows::pair_three(&self.p, &self.q, &self.t)?;
        Ok(Level { p, q, t })
    }

    /// One more node, of no terms, where their count is odd.
    fn make_even(&mut self) -> Result<()> {
        self.p.make_even(1)?;
        self.q.make_even(1)?;
        self.t.make_even(0)
    }
}

/// Row `i` as a number.
fn number(rows: &Rows, i: usize, is_negative: bool) -> Result<Int> {
    // The highest bit of a row is free.
    let number = Resident::from_device(rows.row(i)?, 64 * rows.width as u64 - 1);
    let bits = limbs::size(&number)?.1;
    let number = Int::from(number.narrow(bits));
    if is_negative {
        number.try_neg()
    } else {
        Ok(number)
    }
}

/// The leaves, an even count of them, and their signs. A row has P, Q and T of one.
fn leaves(
    device: &Arc<Device>,
    series: &Series,
    sizes: &Sizes,
    (from, to): (u64, u64),
) -> Result<(Rows, Vec<Signs>)> {
    let (width, terms) = (sizes.widths[0], sizes.terms);
    let count = ((to - from).div_ceil(terms) as usize).next_multiple_of(2);
    let write = |chunk: usize, rows: &mut [u64]| -> Result<Vec<Signs>> {
        let mut arena = Arena::default();
        let leaf = |(i, row): (usize, &mut [u64])| {
            let (p, row) = row.split_at_mut(width);
            let (q, t) = row.split_at_mut(width);
            // The last leaf may have no terms: P and Q are 1, and T is 0.
            let first = (from + i as u64 * terms).min(to);
            let signs = arena.leaf(series, first, (first + terms).min(to), [p, q, t])?;
            Ok(Signs {
                p: signs[0] == Some(true),
                q: signs[1] == Some(true),
                t: signs[2],
            })
        };
        let rows = rows.chunks_mut(3 * width);
        (chunk * LEAVES..).zip(rows).map(leaf).collect()
    };
    let (all, written) = threads::build_chunks(3 * count * width, 3 * LEAVES * width, write);
    let mut signs = Vec::with_capacity(count);
    for part in written {
        signs.extend(part?);
    }
    Ok((Rows::upload(device, &all, 3 * width)?, signs))
}
