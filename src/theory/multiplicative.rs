//! Functions of the prime factors of a number.

use super::prime_factors;
use crate::error::{Error, Result};
use crate::int::Int;
use crate::progress;

/// More divisors are an error: such a list is of no use.
const MOST_DIVISORS: u64 = 1 << 26;

/// All divisors of n ≥ 1, in ascending order.
///
/// ```
/// # use bezout::{Int, theory};
/// assert_eq!(theory::divisors(&Int::from(12))?, [1, 2, 3, 4, 6, 12]);
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn divisors(n: &Int) -> Result<Vec<Int>> {
    let factors = prime_factors(n)?;
    let count = factors
        .iter()
        .try_fold(1u64, |count, (_, e)| count.checked_mul(e + 1));
    if count.is_none_or(|count| count > MOST_DIVISORS) {
        return Err(Error::Domain("the number has too many divisors".into()));
    }
    let mut all = vec![Int::ONE];
    for (p, exponent) in factors {
        let old = all.len();
        for place in 0..old * exponent as usize {
            if place.is_multiple_of(1 << 12) {
                progress::check()?;
            }
            // The divisor with one p less.
            all.push(all[place].try_mul(&p)?);
        }
    }
    all.sort_unstable();
    Ok(all)
}

/// How many divisors n ≥ 1 has.
pub fn divisor_count(n: &Int) -> Result<Int> {
    let factors = prime_factors(n)?;
    Ok(factors.iter().map(|(_, e)| Int::from(e + 1)).product())
}

/// The sum of the k-th powers of the divisors of n ≥ 1.
pub fn divisor_sum(n: &Int, k: u64) -> Result<Int> {
    let mut sum = Int::ONE;
    for (p, exponent) in prime_factors(n)? {
        if k == 0 {
            sum = sum.try_mul(&Int::from(exponent + 1))?;
            continue;
        }
        // 1 + q + … + q^e for q = p^k.
        let q = p.try_pow(k)?;
        let power = q.try_pow(exponent + 1)?.try_add_small(-1)?;
        sum = sum.try_mul(&power.try_div_exact(&q.try_add_small(-1)?)?)?;
    }
    Ok(sum)
}

/// Möbius's function of n ≥ 1: 0 if a square of a prime divides n, else −1 or 1 by the number of
/// prime factors.
pub fn moebius(n: &Int) -> Result<i32> {
    let factors = prime_factors(n)?;
    if factors.iter().any(|(_, exponent)| *exponent > 1) {
        return Ok(0);
    }
    Ok(if factors.len().is_multiple_of(2) {
        1
    } else {
        -1
    })
}

/// Euler's phi of n ≥ 1: how many of 1, 2, …, n have no divisor in common with n.
pub fn totient(n: &Int) -> Result<Int> {
    let mut product = Int::ONE;
    for (p, exponent) in prime_factors(n)? {
        let power = p.try_pow(exponent - 1)?;
        product = product.try_mul(&power)?.try_mul(&p.try_add_small(-1)?)?;
    }
    Ok(product)
}
