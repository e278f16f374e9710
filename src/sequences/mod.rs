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
use crate::progress;

/// Factors whose product is made on the host at once.
const LEAF_FACTORS: usize = 64;
/// Factors that a thread multiplies between two questions whether to go on.
const PIECE_FACTORS: usize = 1 << 14;

/// Refuses a result of about so many bits that does not fit, and an engine that is not there.
fn check(what: &'static str, bits: f64) -> Result<()> {
    engine::check()?;
    Engine::Cpu.note_used();
    check_product(what, (bits * (1.0 + 2f64.powi(-40))) as u64)
}

/// The product of words.
fn product_of_words(words: &[u64]) -> Result<Resident> {
    product_of_terms(words.len(), &|i| words[i])
}

/// The product of `term(i)` for every i below `count`.
fn product_of_terms(count: usize, term: &(dyn Fn(usize) -> u64 + Sync)) -> Result<Resident> {
    let starts: Vec<usize> = (0..count).step_by(PIECE_FACTORS).collect();
    let pieces = engine::map(&starts, &|start: &usize| {
        progress::check()?;
        let end = count.min(start + PIECE_FACTORS);
        let leaf = |first| {
            let factors = (first..end.min(first + LEAF_FACTORS)).map(|i| Natural::from(term(i)));
            Resident::from(Integer::from(factors.product::<Natural>()))
        };
        Ok((*start..end).step_by(LEAF_FACTORS).map(leaf).collect())
    })?;
    let leaves: Vec<Vec<Resident>> = pieces;
    product_of(&leaves.concat())
}
