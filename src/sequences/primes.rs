//! Products of primes: factorials by prime swings (Luschny), primorials, binomial coefficients.
//!
//! n! = (⌊n/2⌋!)²·s(n), where the swing s(n) has every prime p ≤ n as often as ⌊n/p^i⌋ is odd, and
//! ever fewer twos and large factors are left. With o(n) and w(n) the odd parts of n! and s(n),
//! o(n) = o(⌊n/2⌋)²·w(n). For odd n = 2m + 1, n! = n!!·2^m·m!, so that n!! = o(n) / o(m) =
//! o(m)·w(n). A binomial coefficient has a prime as often as there are borrows in n − k written in
//! its radix (Kummer).

use std::f64::consts::{E, LN_2, LOG2_E, TAU};

use crate::number::Integer;
use crate::number::Natural;

use super::{check, product_of_terms, product_of_words, product_on_host, word};
use crate::div;
use crate::engine;
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::modp::words;
use crate::mul::{mul, square};
use crate::progress::{self, Stage};
use crate::tuning::Tuning;
use crate::word::inverse_word;

/// Below this the host's library makes factorials and binomial coefficients.
const SMALL: u64 = 512;

/// Primes that are processed between two checks whether to stop.
const PRIMES_AT_ONCE: usize = 1 << 16;

/// 0! to 20!, which fit a word.
const FACTORIALS: [u64; 21] = {
    let mut table = [1; 21];
    let mut n = 1;
    while n < table.len() {
        table[n] = table[n - 1] * n as u64;
        n += 1;
    }
    table
};

/// n!.
pub(crate) fn factorial(n: u64) -> Result<Resident> {
    if let Some(factorial) = FACTORIALS.get(n as usize) {
        return word(*factorial);
    }
    check("factorial", factorial_bits(n))?;
    if n < SMALL {
        let factorial = product_on_host(factorial_bits(n) as u64 + 1, 2..=n);
        return Ok(Integer::from(factorial).into());
    }
    let primes: Vec<u64> = primes_up_to(n)?.split_off(1);
    // Two steps of n for n, then of n/2, and so on.
    let odd = progress::stage("factorial", 4 * n, |stage| odd_part(stage, n, &primes))?;
    limbs::shl(&odd, n - u64::from(n.count_ones()))
}

/// A bound on the bits of n!, by Stirling (Robbins): n! < √(2πn) (n/e)^n e^(1/12n).
fn factorial_bits(n: u64) -> f64 {
    let x = n as f64;
    match n {
        0 => 1.0,
        _ => x * (x / E).log2() + (TAU * x).log2() / 2.0 + LOG2_E / (12.0 * x) + 1.0,
    }
}

/// n!! = n·(n − 2)·(n − 4)⋯, down to 1 or 2.
pub(crate) fn double_factorial(n: u64) -> Result<Resident> {
    let half = n / 2;
    if n.is_multiple_of(2) {
        check("double factorial", factorial_bits(half) + half as f64)?;
        return limbs::shl(&factorial(half)?, half);
    }
    // (2m + 1)!! < (2m + 2)!! = 2^(m + 1)·(m + 1)!.
    check(
        "double factorial",
        factorial_bits(half + 1) + half as f64 + 1.0,
    )?;
    if n < SMALL {
        let product = product_on_host(factorial_bits(n) as u64 + 1, (3..=n).step_by(2));
        return Ok(Integer::from(product).into());
    }
    let primes: Vec<u64> = primes_up_to(n)?.split_off(1);
    // Two steps of m for m, then of m/2, and so on; then two of n.
    progress::stage("double factorial", 4 * half + 2 * n, |stage| {
        let odd = odd_part(stage, half, &primes)?;
        let swing = stage.step(n, || product_of_words(&swing(n, &primes)?))?;
        let bits = odd.bits_bound() + swing.bits_bound();
        stage.step(n, || {
            engine::on_cpu_if_short(bits, Tuning::current().pow_limbs, || mul(&odd, &swing))
        })
    })
}

/// n·(n − step)·(n − 2·step)⋯, all factors positive.
pub(crate) fn multi_factorial(n: u64, step: u64) -> Result<Resident> {
    match step {
        0 => {
            return Err(Error::Domain(
                "a multiple factorial needs a step above 0".into(),
            ));
        }
        1 => return factorial(n),
        2 => return double_factorial(n),
        _ => {}
    }
    // Factor number j from below, j = 1, …, count, is at most j·step.
    let count = n.div_ceil(step);
    let bits = factorial_bits(count) + count as f64 * (step as f64).log2();
    check("multiple factorial", bits)?;
    product_of_terms(count as usize, &|j| n - j as u64 * step)
}

/// n! without its factors of two; `primes` are the odd ones up to n or beyond.
fn odd_part(stage: &Stage, n: u64, primes: &[u64]) -> Result<Resident> {
    if n < 2 {
        return Ok(Integer::from(1).into());
    }
    let half = odd_part(stage, n / 2, primes)?;
    let swing = stage.step(n, || product_of_words(&swing(n, primes)?))?;
    let bits = 2 * half.bits_bound() + swing.bits_bound();
    stage.step(n, || {
        engine::on_cpu_if_short(bits, Tuning::current().pow_limbs, || {
            mul(&square(&half)?, &swing)
        })
    })
}

/// The powers of odd primes whose product is the odd part of the swing s(n); `primes` are the odd
/// ones up to n or beyond.
fn swing(n: u64, primes: &[u64]) -> Result<Vec<u64>> {
    let below = primes.partition_point(|p| *p <= n);
    powers(&primes[..below], |p| {
        let (mut rest, mut power) = (n / p, 1);
        while rest > 0 {
            if rest % 2 == 1 {
                power *= p;
            }
            rest /= p;
        }
        power
    })
}

/// The powers of primes that are above 1.
fn powers(primes: &[u64], power: impl Fn(u64) -> u64) -> Result<Vec<u64>> {
    let mut powers = Vec::new();
    for primes in primes.chunks(PRIMES_AT_ONCE) {
        progress::check()?;
        let some = primes.iter().map(|p| power(*p)).filter(|power| *power > 1);
        powers.extend(some);
    }
    Ok(powers)
}

/// The primes up to n.
fn primes_up_to(n: u64) -> Result<Vec<u64>> {
    words::up_to_while(n, &mut || progress::check().is_ok()).ok_or(Error::Cancelled)
}

/// The product of the primes up to n.
pub(crate) fn primorial(n: u64) -> Result<Resident> {
    // Rosser–Schoenfeld (1962), theorem 9: the sum of ln p over primes p ≤ n is below 1.01624 n.
    check("primorial", 1.01624 / LN_2 * n as f64 + 1.0)?;
    product_of_words(&primes_up_to(n)?)
}

/// n over k; 0 for k > n.
pub(crate) fn binomial(n: u64, k: u64) -> Result<Resident> {
    if k > n {
        return Ok(limbs::zero());
    }
    let k = k.min(n - k);
    if let Some(binomial) = binomial_word(n, k) {
        return word(binomial);
    }
    // At most 2^n, and at most (en/k)^k.
    let (x, y) = (n as f64, k as f64);
    let bits = match k {
        0 => 1.0,
        _ => x.min(y * (E * x / y).log2()) + 1.0,
    };
    check("binomial", bits)?;
    if k < SMALL {
        let bits = k * u64::from(n.ilog2() + 1);
        let product = product_on_host(bits, (0..k).map(|i| n - i));
        let divisor = match FACTORIALS.get(k as usize) {
            Some(factorial) => Natural::from(*factorial),
            None => product_on_host(factorial_bits(k) as u64 + 1, 2..=k),
        };
        return Ok(Integer::from(product.div_exact(&divisor)).into());
    }
    if n / k >= 64 {
        // Few factors among many numbers: a sieve would cost more than the division.
        return progress::stage("binomial", 4, |stage| {
            let product = stage.step(1, || {
                product_of_terms(k as usize, &|i| n - k + 1 + i as u64)
            })?;
            let divisor = stage.step(1, || factorial(k))?;
            stage.step(2, || div::div_exact(&product, &divisor))
        });
    }
    product_of_words(&powers(&primes_up_to(n)?, |p| kummer(n, k, p))?)
}

/// All binomial coefficients of n up to here fit a word.
const WORD_ROWS: usize = 67;

/// n! without its factors of 2, and the inverse of that, modulo 2^64.
const ODD_FACTORIALS: [(u64, u64); WORD_ROWS + 1] = {
    let mut table = [(1u64, 1u64); WORD_ROWS + 1];
    let mut n = 1;
    while n < table.len() {
        let odd = (n >> n.trailing_zeros()) as u64;
        let factorial = table[n - 1].0.wrapping_mul(odd);
        table[n] = (factorial, inverse_word(factorial));
        n += 1;
    }
    table
};

/// n over k for k ≤ n ≤ [`WORD_ROWS`]: modulo 2^64 it is the quotient of odd parts, times 2 as
/// often as there are carries in k + (n − k) (Kummer).
fn binomial_word(n: u64, k: u64) -> Option<u64> {
    let (odd, _) = ODD_FACTORIALS.get(n as usize)?;
    let [x, y] = [k, n - k].map(|i| ODD_FACTORIALS[i as usize].1);
    let twos = k.count_ones() + (n - k).count_ones() - n.count_ones();
    Some(odd.wrapping_mul(x).wrapping_mul(y) << twos)
}

/// The power of p in n over k: at most n, so it fits.
fn kummer(n: u64, k: u64, p: u64) -> u64 {
    let (mut n, mut k, mut borrow, mut power) = (n, k, 0, 1);
    while n > 0 {
        borrow = u64::from(n % p < k % p + borrow);
        if borrow == 1 {
            power *= p;
        }
        n /= p;
        k /= p;
    }
    power
}
