//! Factorials, primorials, Fibonacci and Lucas numbers.
//!
//! Each refuses an argument whose result could not be computed in memory, by an upper bound on the result's bits. Bounds are
//! taken in floating point with 1 bit in 2^40 to spare, far above its rounding.

use std::f64::consts::{E, LN_2, LOG2_E, TAU};

use malachite_base::num::arithmetic::traits::{Factorial, Fibonacci, LucasNumber, Primorial};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;

use crate::error::Result;
use crate::limbs::Limbs;
use crate::mul::{check_product, host_only};

/// n!.
pub(crate) fn factorial(n: u64) -> Result<Limbs> {
    // Stirling (Robbins): n! < √(2πn) (n/e)^n e^(1/12n).
    let x = n as f64;
    let bits = match n {
        0 => 1.0,
        _ => x * (x / E).log2() + (TAU * x).log2() / 2.0 + LOG2_E / (12.0 * x) + 1.0,
    };
    sequence("factorial", bits, || Natural::factorial(n))
}

/// The product of the primes up to n.
pub(crate) fn primorial(n: u64) -> Result<Limbs> {
    // Rosser–Schoenfeld (1962), theorem 9: the sum of ln p over primes p ≤ n is below 1.01624 n.
    let bits = 1.01624 / LN_2 * n as f64 + 1.0;
    sequence("primorial", bits, || Natural::primorial(n))
}

/// F(n), with F(0) = 0 and F(1) = 1.
pub(crate) fn fibonacci(n: u64) -> Result<Limbs> {
    // F(n) ≤ φ^(n−1) < L(n) ≤ φ^n + 1.
    sequence("fibonacci", golden_bits(n), || Natural::fibonacci(n))
}

/// L(n), with L(0) = 2 and L(1) = 1.
pub(crate) fn lucas(n: u64) -> Result<Limbs> {
    sequence("lucas", golden_bits(n), || Natural::lucas_number(n))
}

/// Bits of φ^n + 1.
fn golden_bits(n: u64) -> f64 {
    let phi = f64::midpoint(1.0, 5f64.sqrt());
    n as f64 * phi.log2() + 2.0
}

fn sequence(what: &'static str, bits: f64, compute: impl FnOnce() -> Natural) -> Result<Limbs> {
    host_only(what)?;
    check_product(what, (bits * (1.0 + 2f64.powi(-40))) as u64)?;
    Ok(Integer::from(compute()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    /// The definitions themselves.
    #[test]
    fn against_definitions() {
        let host = |limbs: Result<Limbs>| limbs.unwrap().into_host().unwrap();
        let (mut product, mut primes) = (Integer::from(1), Integer::from(1));
        let (mut f, mut l) = (
            (Integer::from(0), Integer::from(1)),
            (Integer::from(2), Integer::from(1)),
        );
        for n in 0..500u64 {
            if n > 0 {
                product *= Integer::from(n);
            }
            if n > 1 && (2..n).all(|d| n % d != 0) {
                primes *= Integer::from(n);
            }
            assert_eq!(host(factorial(n)), product, "{n}");
            assert_eq!(host(primorial(n)), primes, "{n}");
            assert_eq!(host(fibonacci(n)), f.0, "{n}");
            assert_eq!(host(lucas(n)), l.0, "{n}");
            f = (f.1.clone(), f.0 + f.1);
            l = (l.1.clone(), l.0 + l.1);
        }
    }

    #[test]
    fn too_large_is_an_error() {
        for sequence in [factorial, primorial, fibonacci, lucas] {
            for n in [1 << 50, u64::MAX] {
                assert!(matches!(sequence(n), Err(Error::TooLarge { .. })));
            }
        }
    }
}
