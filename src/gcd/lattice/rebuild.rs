//! Reconstructs the greatest common divisor from the residues of U.
//!
//! Let P be the product of the moduli of all finished blocks: those of the steps, and those that
//! divide both operands, whose product is K. The residue of U modulo q is stored as u ≡
//! U·(P/K)·R^-E, so that u·R^E/P ≡ U/K. Let Q be the product of the moduli from which U/K is
//! reconstructed, with |U/K| < Q/2^62. Then
//!
//!   U/K = Σ c·Q/q − n·Q,   c = (U/K)/(Q/q) modulo q,   n = the integer nearest to Σ c/q,
//!
//! and P·(Q/q) modulo q is one product of primes, all except q itself. The sum is computed as a
//! tree of fractions, which needs no inverses other than those modulo q.

use super::moduli::{Block, MODULUS_BITS, Moduli, first_blocks, vectors};
use super::plan::LatticePlan;
use super::run::Outcome;
use crate::engine;
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::modp::Modulus;
use crate::number::{Integer, Natural};
use crate::product_tree::{product_of, times};
use crate::threads::{self, chunk};
use crate::tuning::Tuning;

/// Moduli of a unit of work on one thread.
const CHUNK: usize = 4 * vectors::LANES;

/// R·Π p/R over the moduli p up to those needed, but for q itself, modulo each q that is needed: on
/// the host's threads.
pub(super) fn products(plan: &LatticePlan, moduli: &Moduli, outcome: &Outcome) -> Vec<u32> {
    let range = outcome.range(plan);
    let mut out = vec![0; range.len()];
    let (q, ninv) = (&moduli.q[range.clone()], &moduli.ninv[range.clone()]);
    let factors = &moduli.q[..range.end];
    threads::chunks_mut(&mut out, CHUNK, 1, |i, out| {
        vectors::products(factors, chunk(q, CHUNK, i), chunk(ninv, CHUNK, i), out);
    });
    out
}

/// |U| from its residues and the products above.
pub(super) fn rebuild(
    plan: &LatticePlan,
    moduli: &Moduli,
    outcome: &Outcome,
    residues: &[u32],
    products: &[u32],
) -> Result<Resident> {
    let range = outcome.range(plan);
    let mut c = residues[..range.len()].to_vec();
    let (q, ninv) = (&moduli.q[range.clone()], &moduli.ninv[range.clone()]);
    coefficients(plan, outcome, q, ninv, products, &mut c);
    let whole = whole(&c, q);
    let known = first_blocks(moduli, plan.k, plan.blocks);
    let leaf = |i| {
        let (q, c) = (chunk(q, plan.k, i), chunk(&c, plan.k, i));
        let whole = known.get(outcome.blocks + i).filter(|_| c.len() == plan.k);
        let block = whole.cloned().unwrap_or_else(|| Block::new(q).into());
        Fraction::of(&block, c)
    };
    let leaves = threads::map(q.len().div_ceil(plan.k), 1, leaf);
    let bits = u64::from(MODULUS_BITS) * range.len() as u64;
    engine::on_cpu_if_short(bits, Tuning::current().pow_limbs, || {
        conclude(sum(&leaves)?, whole, outcome)
    })
}

/// The c modulo some of the q's, in place of the residues of U, from the products above.
pub(super) fn coefficients(
    plan: &LatticePlan,
    outcome: &Outcome,
    q: &[u32],
    ninv: &[u32],
    products: &[u32],
    c: &mut [u32],
) {
    assert!(c.len() == q.len() && products.len() == q.len());
    // One factor fewer than moduli, and each product but the first took an R away; two more for
    // `ratios`.
    let exponent = outcome.exponent as i64 - (outcome.range(plan).end as i64 - 1) + 3;
    threads::chunks_mut(c, CHUNK, 1, |i, c| {
        let (q, ninv) = (chunk(q, CHUNK, i), chunk(ninv, CHUNK, i));
        let powers: Vec<u32> = q.iter().map(|q| power_of_r(*q, exponent)).collect();
        vectors::ratios(q, ninv, &powers, chunk(products, CHUNK, i), c);
    });
}

/// Σ c/q.
pub(super) fn whole(c: &[u32], q: &[u32]) -> f64 {
    let parts = c.iter().zip(q);
    parts.map(|(c, q)| f64::from(*c) / f64::from(*q)).sum()
}

/// |U| from the sum of all fractions c/q, not reduced, and from its approximate value.
pub(crate) fn conclude(all: Fraction, whole: f64, outcome: &Outcome) -> Result<Resident> {
    let whole = Resident::from(Integer::from(whole.round() as u64));
    let Fraction { top, bottom } = all;
    let bits = bottom.bits_bound();
    engine::on_cpu_if_short(bits, Tuning::current().pow_limbs, || {
        let value = limbs::abs(&limbs::sub(&top, &times(&bottom, &whole)?)?)?;
        let common = outcome
            .common
            .iter()
            .map(|q| Resident::from(Integer::from(*q)));
        let common: Vec<Resident> = common.collect();
        let value = if common.is_empty() {
            value
        } else {
            times(&value, &product_of(&common)?)?
        };
        if limbs::size(&value)?.1 <= outcome.bound.bits() {
            Ok(value)
        } else {
            Err(Error::Verification(
                "gcd by lattices: the residues come to a number out of its bound".into(),
            ))
        }
    })
}

/// R^exponent modulo q.
fn power_of_r(q: u32, exponent: i64) -> u32 {
    let modulus = Modulus::new(q);
    // In Montgomery's form: R is R² and 1/R is 1; the result comes out of it by a product with 1.
    let base = if exponent < 0 { 1 } else { modulus.square };
    let mut power = modulus.one;
    let size = exponent.unsigned_abs();
    for bit in (0..u64::BITS - size.leading_zeros()).rev() {
        power = modulus.mul(power, power);
        if size >> bit & 1 == 1 {
            power = modulus.mul(power, base);
        }
    }
    modulus.mul(power, 1)
}

/// top/bottom, not reduced.
#[derive(Clone)]
pub(crate) struct Fraction {
    pub(crate) top: Resident,
    pub(crate) bottom: Resident,
}

impl Fraction {
    /// Σ c/q over the moduli of a block.
    pub(super) fn of(block: &Block, c: &[u32]) -> Fraction {
        Fraction {
            top: natural(block.sum(c).0),
            bottom: natural(block.product.limbs.clone()),
        }
    }

    /// The sum of two fractions, not reduced.
    pub(crate) fn plus(&self, other: &Fraction) -> Result<Fraction> {
        let (crossed, bottom) = engine::join(
            || {
                engine::join(
                    || times(&self.top, &other.bottom),
                    || times(&other.top, &self.bottom),
                )
            },
            || times(&self.bottom, &other.bottom),
        );
        Ok(Fraction {
            top: limbs::add(&crossed.0?, &crossed.1?)?,
            bottom: bottom?,
        })
    }
}

pub(super) fn natural(limbs: Vec<u64>) -> Resident {
    Resident::from(Integer::from(Natural::from_vec(limbs)))
}

/// The sum of the fractions, computed recursively by halves on several threads.
pub(super) fn sum(leaves: &[Fraction]) -> Result<Fraction> {
    if let [one] = leaves {
        return Ok(one.clone());
    }
    let (left, right) = leaves.split_at(leaves.len() / 2);
    let (left, right) = engine::join(|| sum(left), || sum(right));
    left?.plus(&right?)
}
