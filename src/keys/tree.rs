//! The gcd of each number with the product of all others, by a tree of sums of fractions.
//!
//! For numbers n_1, …, n_k, each node of the tree has the product p of its numbers and the sum s =
//! Σ p/n_i, so that s/p = Σ 1/n_i. Modulo n_i the root's s is the product of all other numbers, so
//! gcd(s, n_i) is the result for n_i. Remainders come from Bernstein's scaled remainder tree
//! (*Scaled remainder trees*, 2004). A node has the fraction f = s_root/p modulo 1. The fraction of
//! a child c is f·p/c, which is f times the product of its sibling. This takes one product per
//! node, and the number of digits halves from level to level. The usual algorithm computes the
//! product of all numbers modulo the squares (Heninger and others, *Mining your Ps and Qs*, 2012).
//! It has numbers twice as long on the way down and divides at every node.
//!
//! **Precision.** A node stores b bits of its fraction, with b ≥ size of p + 64, and b = b_l +
//! b_r − 64 for the bits of its children. The left child's bits are the product of the node's bits
//! and the sibling's product, modulo 2^b, without the low b − b_l = b_r − 64 bits. The sibling's
//! product has no more bits than that. An error of e units in the last place therefore becomes an
//! error of at most e + 1, and of h + 1 after h levels. A leaf's remainder is n times its fraction,
//! so it is off by less than (h + 1)/2^64, and rounding finds it.

use crate::number::Integer;

use super::OtherTrees;
use crate::div::quotient;
use crate::engine;
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::mul::sums_of_products;
use crate::progress::{self, Stage};

/// Bits of a fraction beyond those of the product.
pub(super) const GUARD: u64 = 64;

/// Below this many bits in all, a second thread does not pay.
const THREAD_BITS: u64 = 1 << 16;

/// A node of the tree.
pub(super) struct Node {
    pub(super) product: Resident,
    /// Σ product/n.
    pub(super) sum: Resident,
    /// Bits of its fraction.
    pub(super) bits: u64,
    /// Leaves under it.
    leaves: u64,
    children: Option<Box<[Node; 2]>>,
}

impl Node {
    /// A leaf of the tree: a number, or the top of another tree.
    pub(super) fn leaf(product: Resident, sum: Resident, bits: u64) -> Node {
        Node {
            product,
            sum,
            bits,
            leaves: 1,
            children: None,
        }
    }

    /// The leaf of one number.
    pub(super) fn number(n: &Integer) -> Node {
        let one = Resident::from(Integer::ONE);
        Node::leaf(n.clone().into(), one, n.bit_length() + GUARD)
    }

    /// The leaf of a number in a tree for the remainders of another number. That number becomes the
    /// root's sum.
    pub(super) fn divisor(n: &Integer) -> Node {
        Node::leaf(n.clone().into(), limbs::zero(), n.bit_length() + GUARD)
    }

    /// The tree over leaves, at least one.
    pub(super) fn over(leaves: Vec<Node>) -> Result<Node> {
        let work = work_of(leaves.len());
        progress::stage("products", work, |stage| halves(leaves, stage))
    }

    /// Replaces the sum of this root by the sum in the tree over the numbers of all trees, modulo
    /// this root's product. Without other trees the sum stays.
    pub(super) fn join(&mut self, others: Option<&dyn OtherTrees>) -> Result<()> {
        if let Some(others) = others {
            self.sum = others.joined_sum(&self.product, &self.sum)?;
        }
        Ok(())
    }

    /// The fraction of the root.
    pub(super) fn fraction(&self) -> Result<Resident> {
        let quotient = quotient(&limbs::shl(&self.sum, self.bits)?, &self.product)?;
        limbs::low(&quotient, self.bits)
    }

    /// The fractions of the leaves, given the root's.
    pub(super) fn fractions(&self, fraction: Resident) -> Result<Vec<Resident>> {
        let work = work_of(self.leaves as usize);
        progress::stage("remainders", work, |stage| self.descend(fraction, stage))
    }

    fn descend(&self, fraction: Resident, stage: &Stage) -> Result<Vec<Resident>> {
        stage.advance(self.leaves)?;
        let Some([left, right]) = self.children.as_deref() else {
            return Ok(vec![fraction]);
        };
        let part = |product: &Resident, bits: u64| -> Result<Resident> {
            let wrapped = limbs::low(product, self.bits)?;
            Ok(limbs::shr(&wrapped, self.bits - bits)?.narrow(bits))
        };
        let [by_right, by_left] = sums_of_products([
            &[(&fraction, &right.product)],
            &[(&fraction, &left.product)],
        ])?;
        let (to_left, to_right) = (part(&by_right, left.bits)?, part(&by_left, right.bits)?);
        drop((fraction, by_right, by_left));
        let (found, others) = both(
            self.bits >= THREAD_BITS,
            || left.descend(to_left, stage),
            || right.descend(to_right, stage),
        );
        let mut found = found?;
        found.extend(others?);
        Ok(found)
    }
}

/// Units of progress of a tree: its number of leaves for each level.
fn work_of(leaves: usize) -> u64 {
    leaves as u64 * u64::from(leaves.next_power_of_two().ilog2() + 1)
}

fn halves(mut leaves: Vec<Node>, stage: &Stage) -> Result<Node> {
    let right = leaves.split_off(leaves.len() / 2);
    let (left, right) = match (leaves.len(), right.len()) {
        (0, _) => {
            stage.advance(1)?;
            return right.into_iter().next().ok_or_else(empty);
        }
        _ => {
            let bits: u64 = right.iter().map(|node| node.bits).sum();
            both(
                2 * bits >= THREAD_BITS,
                || halves(leaves, stage),
                || halves(right, stage),
            )
        }
    };
    let (mut left, mut right) = (left?, right?);
    let bits = left.bits + right.bits;
    let [product, sum] = sums_of_products([
        &[(&left.product, &right.product)],
        &[(&left.sum, &right.product), (&right.sum, &left.product)],
    ])?;
    // Only products are needed on the way down.
    (left.sum, right.sum) = (limbs::zero(), limbs::zero());
    let node = Node {
        product,
        sum,
        bits: bits - GUARD,
        leaves: left.leaves + right.leaves,
        children: Some(Box::new([left, right])),
    };
    stage.advance(node.leaves)?;
    Ok(node)
}

/// The error of a tree without leaves.
pub(super) fn empty() -> Error {
    Error::Domain("a tree without leaves".into())
}

/// Does both pieces of work, on two threads if they are large enough.
fn both<A: Send, B: Send>(
    apart: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if apart {
        engine::join(first, second)
    } else {
        (first(), second())
    }
}

/// n times a fraction of `bits` bits, rounded to an integer. The result may be n, which means 0
/// modulo n.
pub(super) fn remainder(fraction: &Resident, bits: u64, n: &Integer) -> Result<Integer> {
    let half = Integer::ONE << (bits - 1);
    Ok((fraction.host()? * n + half) >> bits)
}
