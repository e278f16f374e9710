//! Probable primes: Baillie–PSW, deterministic below 2^64.
//!
//! Trial division, a strong test to the base 2, and a strong Lucas test with Selfridge's parameters (Baillie and Wagstaff, *Lucas
//! pseudoprimes*, Math. Comp. 35 (1980)). No composite that passes is known. Numbers of at least `powmod_limbs` limbs are tested by the
//! engine in force, shorter ones on the host: those of at most `short::MOST_LIMBS` limbs in `short.rs`.

mod short;
#[cfg(test)]
mod tests;

use crate::number::Integer;

use crate::div::Divisor;
use crate::engine;
use crate::error::{Error, Result};
use crate::int::Int;
use crate::model::Tuning;
use crate::modp::words;
use crate::progress;
use crate::root;
use crate::word::div::rem_word;

/// Primes below this divide first.
const TRIAL: u64 = 1000;
/// Values of Selfridge's D that are tried before the number is tested for being a square, which has none.
const BEFORE_SQUARE: usize = 12;

/// Whether n is a probable prime; exact below 2^64.
pub(crate) fn is_probable_prime(n: &Int) -> Result<bool> {
    if *n < 2 {
        return Ok(false);
    }
    let host = n.try_host()?;
    if let Ok(word) = u64::try_from(host) {
        return Ok(words::is_prime(word));
    }
    let limbs = host.magnitude().limbs();
    if has_small_factor(limbs)? {
        return Ok(false);
    }
    engine::suited(n.try_bit_length()?, Tuning::current().powmod_limbs, || {
        progress::stage("primality", 4, |stage| {
            Ok(
                stage.step(1, || is_strong_to_base_2(n))?
                    && stage.step(3, || is_strong_lucas(n))?,
            )
        })
    })
}

/// Whether a prime below TRIAL divides the number.
fn has_small_factor(limbs: &[u64]) -> Result<bool> {
    let (mut product, mut group) = (1u64, Vec::new());
    let divides = |product: u64, group: &mut Vec<u64>| {
        let rest = rem_word(limbs, product);
        group.drain(..).any(|p| rest.is_multiple_of(p))
    };
    for p in words::up_to(TRIAL - 1) {
        match product.checked_mul(p) {
            Some(more) => product = more,
            None => {
                progress::check()?;
                if divides(product, &mut group) {
                    return Ok(true);
                }
                product = p;
            }
        }
        group.push(p);
    }
    Ok(divides(product, &mut group))
}

/// Whether a number is tested by schoolbook products on the host.
fn is_short(limbs: &[u64]) -> bool {
    limbs.len() <= short::MOST_LIMBS && limbs.len() < Tuning::current().powmod_limbs
}

/// Miller's test of odd n > 2 to the base 2.
fn is_strong_to_base_2(n: &Int) -> Result<bool> {
    let limbs = n.try_host()?.magnitude().limbs();
    if is_short(limbs) {
        return short::is_strong_to_base_2(limbs);
    }
    let below = n.try_add_small(-1)?;
    let twos = below.try_trailing_zeros()?.unwrap_or(0);
    let mut x = Int::from(2).try_pow_mod(&below.try_shr(twos)?, n)?;
    if x == 1 || x == below {
        return Ok(true);
    }
    let divisor = Divisor::new(n)?;
    for _ in 1..twos {
        x = divisor.try_rem_euclid(&x.try_square()?)?;
        if x == below {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The strong Lucas test of odd n > 2 without small factors: P = 1, Q = (1 − D)/4, D the first of 5, −7, 9, −11, … with (D/n) = −1.
fn is_strong_lucas(n: &Int) -> Result<bool> {
    let host = n.try_host()?;
    let mut d = 5i64;
    for tried in 0.. {
        match Integer::from(d).kronecker(host) {
            -1 => break,
            0 if *n > d.unsigned_abs() => return Ok(false),
            _ => {}
        }
        if tried == BEFORE_SQUARE && root::is_square(n.as_limbs())? {
            return Ok(false);
        }
        d = if d > 0 { -d - 2 } else { -d + 2 };
    }
    let limbs = host.magnitude().limbs();
    if is_short(limbs)
        && let Some(passes) = short::is_strong_lucas(limbs, d)?
    {
        return Ok(passes);
    }
    let divisor = Divisor::new(n)?;
    let reduce = |x: Int| divisor.try_rem_euclid(&x);
    let halve = |x: Int| match x.try_is_odd()? {
        true => x.try_add(n)?.try_shr(1),
        false => x.try_shr(1),
    };
    let [d, q] = [d, (1 - d) / 4].map(Int::from);
    let above = n.try_add_small(1)?;
    let twos = above.try_trailing_zeros()?.unwrap_or(0);
    let index = above.try_shr(twos)?;
    // U_1 = 1, V_1 = P = 1, and Q^k.
    let (mut u, mut v, mut power) = (Int::ONE, Int::ONE, reduce(q.clone())?);
    let bits = index.try_bit_length()? - 1;
    progress::stage("Lucas test", bits, |stage| {
        for bit in (0..bits).rev() {
            u = reduce(u.try_mul(&v)?)?;
            v = reduce(v.try_square()?.try_sub(&power.try_shl(1)?)?)?;
            power = reduce(power.try_square()?)?;
            if index.try_bit(bit)? {
                let sum = reduce(u.try_add(&v)?)?;
                v = halve(reduce(u.try_mul(&d)?.try_add(&v)?)?)?;
                u = halve(sum)?;
                power = reduce(power.try_mul(&q)?)?;
            }
            stage.advance(1)?;
        }
        Ok(())
    })?;
    if u.try_is_zero()? || v.try_is_zero()? {
        return Ok(true);
    }
    for _ in 1..twos {
        v = reduce(v.try_square()?.try_sub(&power.try_shl(1)?)?)?;
        if v.try_is_zero()? {
            return Ok(true);
        }
        power = reduce(power.try_square()?)?;
    }
    Ok(false)
}

/// The least probable prime above n.
pub(crate) fn next_prime(n: &Int) -> Result<Int> {
    if *n < 2 {
        return Ok(Int::from(2));
    }
    let mut candidate = n.try_add_small(if n.bit(0) { 2 } else { 1 })?;
    while !is_probable_prime(&candidate)? {
        candidate = candidate.try_add_small(2)?;
    }
    Ok(candidate)
}

/// The greatest probable prime below n; an error if n is at most 2.
pub(crate) fn prev_prime(n: &Int) -> Result<Int> {
    if *n <= 2 {
        let reason = "there is no prime below 2: a number from 3 on was expected";
        return Err(Error::Domain(reason.to_string()));
    }
    if *n == 3 {
        return Ok(Int::from(2));
    }
    let mut candidate = n.try_add_small(if n.bit(0) { -2 } else { -1 })?;
    while !is_probable_prime(&candidate)? {
        candidate = candidate.try_add_small(-2)?;
    }
    Ok(candidate)
}
