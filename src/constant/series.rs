//! Sums of hypergeometric series by binary splitting.
//!
//! S = Σ a(n)/b(n) · p(1)⋯p(n) / (q(1)⋯q(n)), over n from 0 on. For the terms from l up to r,
//! without r, let P = p(l)⋯p(r−1), Q = q(l)⋯q(r−1) and T = Q·Σ a(n)·p(l)⋯p(n) / (q(l)⋯q(n)), with
//! p(0) = q(0) = 1. Two neighbours, the left one first, make
//!
//! ```text
//!     P = P1·P2        Q = Q1·Q2        T = T1·Q2 + P1·T2
//! ```
//!
//! and S = T/Q over all terms (Haible and Papanikolaou, *Fast multiprecision evaluation of series
//! of rational numbers*, 1998). The denominators b go into p and q: with p(n)·b(n−1) and q(n)·b(n)
//! in their places, b(0)·S is a series without b. That takes as many products as a fourth number B.
//!
//! The whole sum is needed only to the bits of the constant, but Q and T have two to three times as
//! many bits. The last two nodes may therefore be cut before they are merged ([`merge_cut`]).
//!
//! Below some hundred limbs, `leaf.rs` computes the tree, with one thread per block. Above that,
//! two threads compute the two halves if a thread is free, and products are those of `Int`. On a
//! device, `rows.rs` computes subtrees level by level.

use super::cancel::{self, Sieve};
use super::fixed::shift;
use super::keep::Keep;
use super::polynomial::{Polynomial, Value};
use super::{leaf, rows};
use crate::engine::{self, Engine, Residence, Work};
use crate::error::{Error, Result};
use crate::int::Int;
use crate::mul;
use crate::progress::{self, Stage};
use crate::tuning::Tuning;

/// Bits of Q in a block that one thread computes in one piece of memory.
const BLOCK_BITS: u64 = 1 << 13;

/// Bits of Q and T beyond those of the sum that is wanted.
const CUT_GUARD: u64 = 64;

/// Bits of Q of a cut node beyond those of the sum that is wanted, and levels of such nodes.
const NODE_GUARD: u64 = 2048;
const CUT_LEVELS: u32 = 8;

/// Bits that T of a cut node has beyond those of Q, at most.
const MOST_LONGER: u64 = 128;

/// Bits of Q from which on halves are worth two threads.
const JOIN_BITS: u64 = 1 << 15;

/// A series Σ a(n)/b(n) · p(1)⋯p(n) / (q(1)⋯q(n)) over n from 0 on.
///
/// ```
/// use bezout::constant::{Polynomial, Series};
/// // e = Σ 1/n!
/// let series = Series::new(Polynomial::ONE, Polynomial::new(&[0, 1]), Polynomial::ONE);
/// let sum = series.try_sum(20)?;
/// assert_eq!((sum.t * 10u64.pow(15)) / sum.q, 2_718_281_828_459_045u64);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    p: Polynomial,
    q: Polynomial,
    a: Polynomial,
    b: Polynomial,
}

/// The sum of the first terms of a series: T/Q. P, Q and T may have been divided by a factor that
/// they have in common; which one depends on the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sum {
    /// p(1)⋯p(N−1)·b(0)⋯b(N−2).
    pub p: Int,
    /// q(1)⋯q(N−1)·b(0)⋯b(N−1).
    pub q: Int,
    /// The numerator.
    pub t: Int,
}

/// P, Q and T of some terms, with b in p and q. P is None if no terms follow on the right.
pub(super) struct Node {
    pub(super) p: Option<Int>,
    pub(super) q: Int,
    pub(super) t: Int,
}

/// The values of one term.
pub(super) struct Term {
    pub(super) p: Value,
    pub(super) q: Value,
    pub(super) a: Value,
}

impl Series {
    /// The series with b(n) = 1.
    pub fn new(p: Polynomial, q: Polynomial, a: Polynomial) -> Series {
        Series {
            p,
            q,
            a,
            b: Polynomial::ONE,
        }
    }

    /// The series with other denominators of its terms.
    pub fn over(self, b: Polynomial) -> Series {
        Series { b, ..self }
    }

    /// The sum of the terms 0 to `terms` − 1.
    pub fn try_sum(&self, terms: u64) -> Result<Sum> {
        let (first, terms) = (self.b.try_at(0)?, terms.max(1));
        let node = Tree::new(self, terms, None).run(true, None)?;
        if node.q.try_is_zero()? || first.try_is_zero()? {
            return Err(Error::DivisionByZero);
        }
        Ok(Sum {
            p: node.p.unwrap_or(Int::ONE),
            q: node.q.try_mul(&first)?,
            t: node.t,
        })
    }

    /// The values of term k, with the denominators in p and q.
    pub(super) fn term(&self, k: u64) -> Result<Term> {
        let (mut p, mut q, mut a) = (Value::one(), Value::one(), Value::one());
        if k > 0 {
            self.p.multiply(k, &mut p)?;
            self.q.multiply(k, &mut q)?;
            if !self.b.is_one() {
                self.b.multiply(k - 1, &mut p)?;
                self.b.multiply(k, &mut q)?;
            }
        }
        self.a.multiply(k, &mut a)?;
        Ok(Term { p, q, a })
    }

    fn sieve(&self) -> Sieve {
        let p = self.p.clone() * self.b.before();
        Sieve::new(&p, &(self.q.clone() * self.b.clone()))
    }

    /// A bound on the bits of the longer of p and q at places up to n.
    fn term_bits(&self, n: u64) -> u64 {
        let [p, q, b] = [&self.p, &self.q, &self.b].map(|x| x.bits_bound(n));
        p.max(q) + b
    }
}

/// The tree over the first terms of a series.
pub(super) struct Tree<'a> {
    series: &'a Series,
    terms: u64,
    /// Bits of one term in Q.
    term_bits: u64,
    keep: Option<Keep<'a>>,
    /// None for trees in which no node is long enough.
    sieve: Option<Sieve>,
    /// None if the terms are too long for rows.
    rows: Option<rows::Sizes>,
    /// Bits of Q that long nodes are cut to, where not all are wanted.
    most_bits: Option<u64>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(series: &'a Series, terms: u64, keep: Option<Keep<'a>>) -> Tree<'a> {
        let term_bits = series.term_bits(terms);
        Tree {
            series,
            terms,
            term_bits,
            rows: rows::Sizes::new(term_bits, series.a.bits_bound(terms)),
            keep,
            sieve: (terms > cancel::TERMS).then(|| series.sieve()),
            most_bits: None,
        }
    }

    /// P (where it is wanted), Q and T of all terms. With `precision`, T/Q is the sum up to
    /// 2^-precision of it, for a sum of at least 2^-256, and P is none.
    pub(super) fn run(mut self, with_p: bool, precision: Option<u64>) -> Result<Node> {
        self.most_bits = precision.map(|bits| bits + NODE_GUARD);
        let root = Root { with_p, precision };
        progress::stage("series", self.units(self.terms), |stage| {
            self.node(stage, 0, self.terms, root, 0)
        })
    }

    /// Units of work of a subtree: its terms once for each level.
    fn units(&self, terms: u64) -> u64 {
        let levels = 64 - (terms / self.block_terms()).leading_zeros();
        terms.saturating_mul(u64::from(levels) + 1)
    }

    fn block_terms(&self) -> u64 {
        (BLOCK_BITS / self.term_bits.max(1)).max(1)
    }

    fn node(&self, stage: &Stage, from: u64, to: u64, root: Root, depth: u32) -> Result<Node> {
        let count = to - from;
        let bits = count.saturating_mul(self.term_bits);
        if count <= self.block_terms() {
            let node = leaf::block(self.series, from, to)?;
            stage.advance(count)?;
            return Ok(node);
        }
        let halves = || self.halves(stage, from, to, root, depth);
        let most = Tuning::current().series_rows_limbs;
        // One decision for a whole subtree: its nodes are many and short.
        let compute = || match &self.rows {
            Some(sizes) if sizes.limbs(count) <= most => engine::run(
                Work::series(bits).needing(mul::cuda::of_rows, (bits / 64, 0)),
                [Residence::Host],
                || Engine::Cpu.scope(halves),
                |device| match rows::nodes(device, self.series, sizes, (from, to))? {
                    Some(nodes) => {
                        stage.advance(self.units(count))?;
                        self.join(nodes, root, count)
                    }
                    None => Engine::Cpu.scope(halves),
                },
            ),
            _ => halves(),
        };
        let Some(keep) = self.keep.filter(|keep| keep.wants(depth, bits)) else {
            return compute();
        };
        if let Some(node) = keep.load(from, to, root.with_p)? {
            stage.advance(count)?;
            return Ok(node);
        }
        let node = compute()?;
        keep.save(from, to, &node)?;
        Ok(node)
    }

    fn halves(&self, stage: &Stage, from: u64, to: u64, root: Root, depth: u32) -> Result<Node> {
        let middle = from.midpoint(to);
        let left = || self.node(stage, from, middle, Root::LEFT, depth + 1);
        let right = || self.node(stage, middle, to, root.right(), depth + 1);
        let bits = (to - from).saturating_mul(self.term_bits);
        // Two subtrees on a device at once would need twice the memory.
        let is_on_device = self.rows.is_some() && Engine::current() != Engine::Cpu;
        let (left, right) = if bits < JOIN_BITS || is_on_device {
            (left(), right())
        } else {
            engine::join(left, right)
        };
        let node = self.merge(left?, right?, root, to - from)?;
        stage.advance(to - from)?;
        // The highest nodes of at most this many terms.
        let is_reduced = (cancel::TERMS / 2..cancel::TERMS).contains(&(to - from - 1));
        match &self.sieve {
            Some(sieve) if is_reduced => sieve.reduce(node, from, to),
            _ => Ok(node),
        }
    }

    /// Returns the node over at least one node, of `terms` terms in all, computed recursively by
    /// halves.
    fn join(&self, mut nodes: Vec<Node>, root: Root, terms: u64) -> Result<Node> {
        let right = nodes.split_off(nodes.len().div_ceil(2));
        if nodes.len() == 1 && right.is_empty() {
            let node = nodes.pop();
            return node.ok_or_else(|| Error::Domain("a series without terms".into()));
        }
        let left = self.join(nodes, Root::LEFT, terms / 2)?;
        let right = self.join(right, root.right(), terms / 2)?;
        self.merge(left, right, root, terms)
    }

    /// Returns the node over two neighbours, of about `terms` terms in all.
    fn merge(&self, left: Node, right: Node, root: Root, terms: u64) -> Result<Node> {
        if let Some(bits) = root.precision {
            return merge_cut(left, right, bits);
        }
        let node = merge(left, right, root.with_p)?;
        // No node is cut whose common factors are to be taken out, or a node above it.
        let is_long = terms > 2 * cancel::TERMS && terms > self.terms >> CUT_LEVELS;
        match self.most_bits {
            Some(bits) if is_long => node.cut(bits),
            _ => Ok(node),
        }
    }
}

impl Node {
    /// P, Q and T divided by the same power of two and rounded, so that Q has `bits` bits. As they
    /// are where P is longer than Q, or T by more than 128 bits.
    ///
    /// Let P, Q and T of two neighbours be off by at most e·|Q| each. As |P| < 2·|Q| and |T| <
    /// 2^129·|Q|, those of the node above are off by at most 2^131·e·|Q|, and the next cut adds at
    /// most 2^(1 − bits)·|Q|. After 8 levels of cut nodes that is at most 2^(1050 − bits)·|Q|, and
    /// T/Q is off by less than 2^(1181 − bits).
    fn cut(self, bits: u64) -> Result<Node> {
        let length = self.q.try_bit_length()?;
        let p_length = match &self.p {
            Some(p) => p.try_bit_length()?,
            None => 0,
        };
        let is_long = p_length > length || self.t.try_bit_length()? > length + MOST_LONGER;
        if length <= bits || is_long {
            return Ok(self);
        }
        let by = length - bits;
        Ok(Node {
            p: self.p.map(|p| p.try_shr(by)).transpose()?,
            q: self.q.try_shr(by)?,
            t: self.t.try_shr(by)?,
        })
    }
}

/// The parts of a node that are needed, and their precision.
#[derive(Clone, Copy)]
struct Root {
    with_p: bool,
    /// Bits of T/Q that are wanted, where not all are.
    precision: Option<u64>,
}

impl Root {
    /// All of a node: a left half.
    const LEFT: Root = Root {
        with_p: true,
        precision: None,
    };

    /// The parts of its right half that are then needed.
    fn right(self) -> Root {
        Root {
            precision: None,
            ..self
        }
    }
}

/// Q and T of two neighbours, both divided by the same power of two and rounded, so that T/Q is off
/// by less than 2^-bits of itself.
///
/// With b = bits + 64, Q1, T1 and Q2 are cut to at least b bits, and each is off by less than
/// 2^(1 − b) of itself. Let |P1·T2| be at most 2^-w of |T1·Q2|, w ≥ 2; then its factors need only
/// b − w bits each to be off by less than 2^(2 − b) of T1·Q2. So T is off by less than 2^(4 − b) of
/// T1·Q2, which is at most 4/3 of |T|, and T/Q by less than 2^(6 − b) of itself.
fn merge_cut(left: Node, right: Node, bits: u64) -> Result<Node> {
    let lengths =
        |x: &Int, y: &Int| -> Result<(u64, u64)> { Ok((x.try_bit_length()?, y.try_bit_length()?)) };
    let p1 = left.p.unwrap_or(Int::ONE);
    let wanted = bits + CUT_GUARD;
    let ((q1_bits, t1_bits), (p1_bits, t2_bits)) =
        (lengths(&left.q, &left.t)?, lengths(&p1, &right.t)?);
    let q2_bits = right.q.try_bit_length()?;
    // |T1·Q2| ≥ 2^(t1_bits + q2_bits − 2).
    let weight = (t1_bits + q2_bits).saturating_sub(p1_bits + t2_bits + 2);
    if weight < 2 || t1_bits == 0 {
        let node = Node {
            p: Some(p1),
            ..left
        };
        return merge(node, right, false);
    }
    let cut = |x: Int, by: u64| if by == 0 { Ok(x) } else { x.try_shr(by) };
    let by_1 = q1_bits.min(t1_bits).saturating_sub(wanted);
    let by_2 = q2_bits.saturating_sub(wanted);
    let less = wanted.saturating_sub(weight).max(CUT_GUARD);
    let (by_p, by_t) = (p1_bits.saturating_sub(less), t2_bits.saturating_sub(less));
    let rest = cut(p1, by_p)?.try_mul(&cut(right.t, by_t)?)?;
    let by = i128::from(by_p) + i128::from(by_t) - i128::from(by_1) - i128::from(by_2);
    let rest = shift(&rest, by)?;
    let q2 = cut(right.q, by_2)?;
    let t = cut(left.t, by_1)?.try_mul(&q2)?.try_add(&rest)?;
    drop(rest);
    let q = cut(left.q, by_1)?.try_mul(&q2)?;
    Ok(Node { p: None, q, t })
}

fn merge(left: Node, right: Node, with_p: bool) -> Result<Node> {
    let p1 = left.p.unwrap_or(Int::ONE);
    let t = Int::try_sum_of_products(&[(&left.t, &right.q), (&p1, &right.t)])?;
    drop((left.t, right.t));
    let q = left.q.try_mul(&right.q)?;
    drop((left.q, right.q));
    let p = match right.p.filter(|_| with_p) {
        Some(p2) => Some(p1.try_mul(&p2)?),
        None => None,
    };
    Ok(Node { p, q, t })
}
