//! Factorials, double and multiple factorials, primorials, binomial coefficients, Fibonacci and
//! Lucas numbers, through this crate's products on either engine.
//!
//! Each refuses an argument whose result could not be computed in memory, by an upper bound on the
//! result's bits. Bounds are taken in floating point with 1 bit in 2^40 to spare, far above its
//! rounding.

mod golden;
mod primes;
#[cfg(test)]
mod tests;

pub(crate) use golden::{fibonacci, lucas};
pub(crate) use primes::{binomial, double_factorial, factorial, multi_factorial, primorial};

use crate::number::Integer;
use crate::number::Natural;

use crate::engine::{self, Engine};
use crate::error::Result;
use crate::limbs::Resident;
use crate::mul::check_product;
use crate::product_tree::product_of;

/// Factors whose product is made on the host at once.
const LEAF_FACTORS: usize = 64;

/// Refuses a result of about so many bits that does not fit, and an engine that is not there.
fn check(what: &'static str, bits: f64) -> Result<()> {
    engine::check()?;
    Engine::Cpu.note_used();
    check_product(what, (bits * (1.0 + 2f64.powi(-40))) as u64)
}

/// The product of words.
fn product_of_words(words: &[u64]) -> Result<Resident> {
    let leaves: Vec<Resident> = words
        .chunks(LEAF_FACTORS)
        .map(|leaf| {
            let factors = leaf.iter().copied().map(Natural::from);
            Integer::from(factors.product::<Natural>()).into()
        })
        .collect();
    product_of(&leaves)
}
