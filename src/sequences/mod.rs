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

use crate::number::{Buffer, Integer, Natural};

use crate::engine::{self, Engine};
use crate::error::Result;
use crate::limbs::Resident;
use crate::mul::check_product;
use crate::product_tree::product_of;
use crate::progress;
use crate::word::row::mul_word_assign;

/// Factors whose product is made on the host at once.
const LEAF_FACTORS: usize = 64;
/// Factors that a thread multiplies between two checks whether to stop.
const PIECE_FACTORS: usize = 1 << 14;

/// Returns an error if a result of about `bits` bits does not fit, or if the engine is missing.
fn check(what: &'static str, bits: f64) -> Result<()> {
    engine::check()?;
    Engine::Cpu.note_used();
    check_product(what, (bits * (1.0 + 2f64.powi(-40))) as u64)
}

/// A result that fits a word. Refuses an engine that is not there.
fn word(value: u64) -> Result<Resident> {
    engine::check()?;
    Engine::Cpu.note_used();
    Ok(Integer::from(value).into())
}

/// The product of words above 0, which has at most `bits` bits. As many factors as fit a word are
/// multiplied there first.
fn product_on_host(bits: u64, factors: impl Iterator<Item = u64>) -> Natural {
    let mut limbs = Buffer::unspecified(bits as usize / 64 + 2);
    limbs[0] = 1;
    let mut len = 1;
    let mut multiply = |word: u64| {
        let above = mul_word_assign(&mut limbs[..len], word, 0);
        limbs[len] = above;
        len += usize::from(above != 0);
    };
    let mut word = 1u64;
    for factor in factors {
        match word.checked_mul(factor) {
            Some(product) => word = product,
            None => multiply(std::mem::replace(&mut word, factor)),
        }
    }
    multiply(word);
    limbs.truncate(len);
    Natural::from_buffer(limbs)
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
            let factors = (first..end.min(first + LEAF_FACTORS)).map(term);
            let product = product_on_host(64 * LEAF_FACTORS as u64, factors);
            Resident::from(Integer::from(product))
        };
        Ok((*start..end).step_by(LEAF_FACTORS).map(leaf).collect())
    })?;
    let leaves: Vec<Vec<Resident>> = pieces;
    product_of(&leaves.concat())
}
