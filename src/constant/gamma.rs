//! Euler's constant γ, by Brent and McMillan, *Some new algorithms for high-precision computation
//! of Euler's constant*, 1980, algorithm B1.
//!
//! With V = Σ (N^k/k!)² over k from 0 on, and U = Σ H_k·(N^k/k!)², H_k = 1 + 1/2 + … + 1/k,
//! 0 < U/V − ln N − γ < π·e^(−4N). Terms from k = α·N on, α·(ln α − 1) = 1, are as small as that.
//!
//! N is a power of two, 2^m, so that products by N² are shifts and ln N = m·ln 2. For the terms
//! from l up to r let D = l⋯(r−1), C = D·(1/l + … + 1/(r−1)), s = 2m·(r − l), and let T/D² and U/D³
//! be the sums of these terms, with N^k/k! and H_k counted from l on. Two neighbours, the left one
//! first, make
//!
//! ```text
//!     D = D1·D2      C = C1·D2 + C2·D1      T = T1·D2² + 2^s1·T2
//!     U = D2·(D2²·U1 + 2^s1·C1·T2) + 2^s1·D1·U2
//! ```

use std::f64::consts::LN_2;

use super::fixed::quotient;
use super::keep::{Keep, Storage};
use crate::engine;
use crate::error::Result;
use crate::int::Int;
use crate::progress::{self, Stage};

/// α above, rounded up.
const TERMS_PER_N: f64 = 3.5912;

/// Terms from which on halves are worth two threads.
const JOIN_TERMS: u64 = 256;

/// Sums of some terms.
struct Node {
    d: Int,
    c: Int,
    t: Int,
    u: Int,
}

/// The smallest m for which N = 2^m gives `bits` bits.
pub(super) fn least_exponent(bits: u64) -> u32 {
    // π·e^(−4N) < 2^-bits
    let least = (bits as f64 + 2.0) * LN_2 / 4.0;
    least.max(1.0).log2().ceil() as u32 + u32::from(bits < 8)
}

/// U/V·2^bits for N = 2^m, off by at most 4 units: γ + m·ln 2 is as much.
pub(super) fn ratio(m: u32, bits: u64, storage: Option<&dyn Storage>) -> Result<Int> {
    let terms = (TERMS_PER_N * 2f64.powi(m as i32)) as u64 + 16;
    let levels = u64::from(terms.ilog2()) + 1;
    let name = format!("gamma-{m}");
    let keep = storage.map(|storage| Keep {
        storage,
        series: &name,
    });
    let tree = Tree { m, keep };
    let node = progress::stage("series", terms * levels, |stage| {
        tree.node(stage, 1, terms, 0)
    })?;
    // V = 1 + T/D², and U has no term for k = 0.
    let v = node.d.try_square()?.try_add(&node.t)?;
    quotient(&node.u, &v.try_mul(&node.d)?, bits)
}

struct Tree<'a> {
    m: u32,
    keep: Option<Keep<'a>>,
}

impl Tree<'_> {
    fn node(&self, stage: &Stage, from: u64, to: u64, depth: u32) -> Result<Node> {
        if to - from == 1 {
            stage.advance(1)?;
            let square = Int::ONE << (2 * u64::from(self.m));
            return Ok(Node {
                d: Int::from(from),
                c: Int::ONE,
                t: square.clone(),
                u: square,
            });
        }
        let middle = from.midpoint(to);
        let left = || self.node(stage, from, middle, depth + 1);
        let right = || self.node(stage, middle, to, depth + 1);
        if to - from < JOIN_TERMS {
            return self.merged(stage, [left()?, right()?], from, to);
        }
        // The second half may begin when the first one was stopped.
        progress::check()?;
        // D, of which U has three times the bits.
        let bits = 3 * (to - from) * u64::from(to.ilog2());
        let keep = self.keep.as_ref().filter(|keep| keep.wants(depth, bits));
        if let Some(numbers) = keep.map_or(Ok(None), |keep| keep.load_numbers(from, to))?
            && let Ok([d, c, t, u]) = <[Int; 4]>::try_from(numbers)
        {
            return Ok(Node { d, c, t, u });
        }
        let (left, right) = engine::join(left, right);
        let node = self.merged(stage, [left?, right?], from, to)?;
        if let Some(keep) = keep {
            keep.save_numbers(from, to, &[&node.d, &node.c, &node.t, &node.u])?;
        }
        Ok(node)
    }

    fn merged(&self, stage: &Stage, [left, right]: [Node; 2], from: u64, to: u64) -> Result<Node> {
        let middle = from.midpoint(to);
        let node = merge(left, right, 2 * u64::from(self.m) * (middle - from))?;
        stage.advance(to - from)?;
        Ok(node)
    }
}

/// Merges the sums of two neighbours. The left one shifts the right one by `shift` bits.
fn merge(left: Node, right: Node, shift: u64) -> Result<Node> {
    let square = right.d.try_square()?;
    let inner =
        Int::try_sum_of_products(&[(&square, &left.u), (&left.c.try_shl(shift)?, &right.t)])?;
    let u = Int::try_sum_of_products(&[(&right.d, &inner), (&left.d.try_shl(shift)?, &right.u)])?;
    let t = left.t.try_mul(&square)?;
    let t = t.try_add(&right.t.try_shl(shift)?)?;
    let c = Int::try_sum_of_products(&[(&left.c, &right.d), (&right.c, &left.d)])?;
    let d = left.d.try_mul(&right.d)?;
    Ok(Node { d, c, t, u })
}
