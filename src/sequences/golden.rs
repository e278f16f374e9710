//! Fibonacci and Lucas numbers by doubling: two squares a step, one product in the last.
//!
//! ```text
//!     F(2k+1) = 4F(k)² − F(k−1)² + 2(−1)^k        F(2k−1) = F(k)² + F(k−1)²        F(2k) = F(2k+1) − F(2k−1)
//!     F(2k+1) = (2F(k) + F(k−1))·(2F(k) − F(k−1)) + 2(−1)^k                         F(2k) = F(k)·(F(k) + 2F(k−1))
//!     L(2k)   = (F(k) + 2F(k−1))² − 2(−1)^k       L(2k+1) = 5F(k−1)·(2F(k) + F(k−1)) − 4(−1)^k
//! ```

use crate::number::Integer;

use super::{check, word};
use crate::engine;
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::mul::{mul, square};
use crate::progress::{self, Stage};
use crate::tuning::Tuning;

/// F(93) is the last that fits a word.
const LAST_WORD: u64 = 93;

/// F(0) to F(93).
const WORDS: [u64; LAST_WORD as usize + 1] = {
    let mut table = [1; LAST_WORD as usize + 1];
    table[0] = 0;
    let mut i = 2;
    while i < table.len() {
        table[i] = table[i - 1] + table[i - 2];
        i += 1;
    }
    table
};

/// F(n), with F(0) = 0 and F(1) = 1.
pub(crate) fn fibonacci(n: u64) -> Result<Resident> {
    if n <= LAST_WORD {
        return word(WORDS[n as usize]);
    }
    // F(n) ≤ φ^(n−1) < L(n) ≤ φ^n + 1.
    check("fibonacci", golden_bits(n))?;
    let last = |(a, b): (Resident, Resident)| {
        if n.is_multiple_of(2) {
            return mul(&a, &limbs::add(&a, &limbs::shl(&b, 1)?)?);
        }
        let twice = limbs::shl(&a, 1)?;
        let product = mul(&limbs::add(&twice, &b)?, &limbs::sub(&twice, &b)?)?;
        limbs::add_small(&product, 2 * sign(n / 2))
    };
    doublings("fibonacci", n, last)
}

/// L(n), with L(0) = 2 and L(1) = 1.
pub(crate) fn lucas(n: u64) -> Result<Resident> {
    if n < LAST_WORD {
        // L(n) = F(n − 1) + F(n + 1), and L(92) fits a word.
        let n = n as usize;
        return word(if n == 0 {
            2
        } else {
            WORDS[n - 1] + WORDS[n + 1]
        });
    }
    check("lucas", golden_bits(n))?;
    let last = |(a, b): (Resident, Resident)| {
        if n.is_multiple_of(2) {
            let half = limbs::add(&a, &limbs::shl(&b, 1)?)?;
            return limbs::add_small(&square(&half)?, -2 * sign(n / 2));
        }
        let sum = limbs::add(&limbs::shl(&a, 1)?, &b)?;
        let five = limbs::add(&limbs::shl(&b, 2)?, &b)?;
        limbs::add_small(&mul(&five, &sum)?, -4 * sign(n / 2))
    };
    doublings("lucas", n, last)
}

/// Applies `last` to F(⌊n/2⌋) and its predecessor. The result has about n·log2 φ bits.
fn doublings(
    name: &'static str,
    n: u64,
    last: impl FnOnce((Resident, Resident)) -> Result<Resident>,
) -> Result<Resident> {
    // The pair at k takes about k units, those before it together as much.
    let number = progress::stage(name, n.saturating_mul(2), |stage| {
        let half = pair(stage, n / 2)?;
        on_cpu_if_short(n, || last(half))
    })?;
    Ok(narrow(number, n))
}

/// Bits of φ^n + 1.
fn golden_bits(n: u64) -> f64 {
    let phi = f64::midpoint(1.0, 5f64.sqrt());
    n as f64 * phi.log2() + 2.0
}

/// (−1)^k.
fn sign(k: u64) -> i64 {
    if k.is_multiple_of(2) { 1 } else { -1 }
}

fn on_cpu_if_short<T>(n: u64, work: impl FnOnce() -> T) -> T {
    engine::on_cpu_if_short(golden_bits(n) as u64, Tuning::current().pow_limbs, work)
}

/// F(n) or L(n) with the bound that follows from n.
fn narrow(x: Resident, n: u64) -> Resident {
    x.narrow((golden_bits(n) * (1.0 + 2f64.powi(-40))) as u64 + 1)
}

/// F(n) and F(n − 1) for n up to 93, with F(−1) = 1.
fn words(n: u64) -> (Integer, Integer) {
    let n = n as usize;
    let before = if n == 0 { 1 } else { WORDS[n - 1] };
    (WORDS[n].into(), before.into())
}

/// F(n) and F(n − 1).
fn pair(stage: &Stage, n: u64) -> Result<(Resident, Resident)> {
    if n < LAST_WORD {
        let (a, b) = words(n);
        return Ok((a.into(), b.into()));
    }
    let k = n / 2;
    let (a, b) = pair(stage, k)?;
    let doubled = on_cpu_if_short(n, || {
        let (a2, b2) = (square(&a)?, square(&b)?);
        let below = limbs::add(&a2, &b2)?;
        let above = limbs::sub(&limbs::shl(&a2, 2)?, &b2)?;
        let above = limbs::add_small(&above, 2 * sign(k))?;
        let middle = limbs::sub(&above, &below)?;
        Ok::<_, Error>(if n.is_multiple_of(2) {
            (narrow(middle, n), narrow(below, n - 1))
        } else {
            (narrow(above, n), narrow(middle, n - 1))
        })
    })?;
    stage.advance(n)?;
    Ok(doubled)
}
