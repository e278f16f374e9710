//! Number theory on whole numbers: functions of the prime factors, primes counted, residues, and
//! the numbers of combinatorics.
//!
//! | file | what |
//! |---|---|
//! | `multiplicative.rs` | divisors, their sums, Euler's phi, Möbius's function |
//! | `counting.rs` | how many primes there are up to n, and the n-th prime |
//! | `residues.rs` | Chinese remainders, orders, primitive roots, logarithms, square roots |
//! | `combinatorial.rs` | Bernoulli's, Bell's, Stirling's and Catalan's numbers, partitions, digits |
//!
//! Every function that needs the prime factors of a number factors it first, which may take long.
//! If the factorisation gives up, the error is [`Error::Domain`].
//!
//! ```
//! use bezout::{Int, theory};
//!
//! let n = Int::from(360);
//! assert_eq!(theory::divisor_sum(&n, 1)?, 1170);
//! assert_eq!(theory::prime_count(1_000_000)?, 78_498);
//! assert_eq!(theory::sqrt_mod(&Int::from(2), &Int::from(7))?, 3);
//! # Ok::<(), bezout::Error>(())
//! ```

mod combinatorial;
mod counting;
mod multiplicative;
mod residues;
#[cfg(test)]
mod tests;

pub use combinatorial::{
    bell, bernoulli, catalan, digit_sum, partitions, stirling_first, stirling_second,
};
pub use counting::{nth_prime, prime_count};
pub use multiplicative::{divisor_count, divisor_sum, divisors, moebius, totient};
pub use residues::{
    chinese_remainder, discrete_log, multiplicative_order, primitive_root, sqrt_mod,
};

use crate::error::{Error, Result};
use crate::factor::{Status, factor_many};
use crate::int::Int;

/// The prime factors of n ≥ 1 and their exponents, in ascending order.
fn prime_factors(n: &Int) -> Result<Vec<(Int, u64)>> {
    if *n < 1 {
        return Err(Error::Domain(
            "only numbers from 1 on have prime factors".into(),
        ));
    }
    // A search has a plan to make, which takes longer than a word's factors.
    if let Ok(word) = u64::try_from(n) {
        return of_word(word);
    }
    let found = n.try_factor()?;
    if found.factors.iter().any(|f| f.status == Status::Composite) {
        return Err(Error::Domain(
            "the number could not be factored completely".into(),
        ));
    }
    let factors = found.factors.into_iter();
    Ok(factors
        .map(|factor| (factor.value, factor.exponent))
        .collect())
}

/// m, where it is above 0.
fn modulus(m: &Int) -> Result<&Int> {
    match m.try_signum()? {
        0 => Err(Error::DivisionByZero),
        1 => Ok(m),
        _ => Err(Error::Domain("the modulus must be positive".into())),
    }
}

/// The prime factors of a word from 1 on and their exponents, in ascending order.
fn of_word(n: u64) -> Result<Vec<(Int, u64)>> {
    let found = factor_many(&[n.into()])?;
    let powers = found.of(0).chunk_by(|p, q| p == q);
    Ok(powers
        .map(|power| (Int::from(power[0]), power.len() as u64))
        .collect())
}
