//! Probable primes: Baillie–PSW, deterministic below 2^64.
//!
//! Trial division, a strong test to the base 2, and a strong Lucas test with Selfridge's parameters
//! (Baillie and Wagstaff, *Lucas pseudoprimes*, Math. Comp. 35 (1980)). No composite that passes is
//! known. Numbers of at least `powmod_limbs` limbs are tested by the engine in force, shorter ones
//! on the host: those of at most `short::MOST_LIMBS` limbs in `short.rs`.

mod short;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::sync::OnceLock;

use crate::div::Divisor;
use crate::engine;
use crate::error::{Error, Result};
use crate::fork::PerProcess;
use crate::limbs::{self, Resident};
use crate::modp::{TrialGroup, words};
use crate::modular::mod_pow;
use crate::mul::{mul, square};
use crate::number::Integer;
use crate::progress;
use crate::root;
use crate::tuning::Tuning;

/// Primes below this divide first.
const TRIAL: u64 = 1000;
/// Values of Selfridge's D that are tried before the number is tested for being a square, which has
/// none.
const BEFORE_SQUARE: usize = 12;

/// Whether n is a probable prime; exact below 2^64.
pub(crate) fn is_probable_prime(n: &Resident) -> Result<bool> {
    let (sign, bits) = limbs::size(n)?;
    if sign < 0 || bits < 2 {
        return Ok(false);
    }
    let host = n.host()?;
    if let Ok(word) = u64::try_from(host) {
        return Ok(words::is_prime(word));
    }
    let limbs = host.magnitude().limbs();
    if has_small_factor(limbs)? {
        return Ok(false);
    }
    engine::on_cpu_if_short(bits, Tuning::current().powmod_limbs, || {
        progress::stage("primality", 4, |stage| {
            Ok(
                stage.step(1, || is_strong_to_base_2(n))?
                    && stage.step(3, || is_strong_lucas(n))?,
            )
        })
    })
}

/// Whether a prime below TRIAL divides the number, which is not 0.
fn has_small_factor(limbs: &[u64]) -> Result<bool> {
    if limbs[0].is_multiple_of(2) {
        return Ok(true);
    }
    static GROUPS: PerProcess<OnceLock<Vec<TrialGroup>>> = PerProcess::new(OnceLock::new());
    let odd_primes = || words::up_to(TRIAL - 1).into_iter().skip(1);
    for group in GROUPS.get_or_init(|| TrialGroup::all(odd_primes())) {
        progress::check()?;
        if group.divisor(limbs).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a number is tested by schoolbook products on the host.
fn is_short(limbs: &[u64]) -> bool {
    limbs.len() <= short::MOST_LIMBS && limbs.len() < Tuning::current().powmod_limbs
}

/// Miller's test of odd n > 2 to the base 2.
fn is_strong_to_base_2(n: &Resident) -> Result<bool> {
    let words = n.host()?.magnitude().limbs();
    if is_short(words) {
        return short::is_strong_to_base_2(words);
    }
    let below = limbs::add_small(n, -1)?;
    let twos = limbs::scan_set(&below, 0)?.unwrap_or(0);
    let mut x = mod_pow(&small(2), &limbs::shr(&below, twos)?, n)?;
    let is_minus_one = |x: &Resident| Ok(limbs::compare(x, &below)? == Ordering::Equal);
    if limbs::size(&x)? == (1, 1) || is_minus_one(&x)? {
        return Ok(true);
    }
    let divisor = Divisor::of(n)?;
    for _ in 1..twos {
        x = divisor.rem_euclid(&square(&x)?)?;
        if is_minus_one(&x)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The strong Lucas test of odd n > 2 without small factors: P = 1, Q = (1 − D)/4, D the first of
/// 5, −7, 9, −11, … with (D/n) = −1.
fn is_strong_lucas(n: &Resident) -> Result<bool> {
    let host = n.host()?;
    let mut d = 5i64;
    for tried in 0.. {
        match Integer::from(d).kronecker(host) {
            -1 => break,
            0 if *host > d.unsigned_abs() => return Ok(false),
            _ => {}
        }
        if tried == BEFORE_SQUARE && root::is_square(n)? {
            return Ok(false);
        }
        d = if d > 0 { -d - 2 } else { -d + 2 };
    }
    let words = host.magnitude().limbs();
    if is_short(words)
        && let Some(passes) = short::is_strong_lucas(words, d)?
    {
        return Ok(passes);
    }
    let divisor = Divisor::of(n)?;
    let reduce = |x: Resident| divisor.rem_euclid(&x);
    let halve = |x: Resident| {
        if limbs::bit(&x, 0)? {
            limbs::shr(&limbs::add(&x, n)?, 1)
        } else {
            limbs::shr(&x, 1)
        }
    };
    // V_2k from V_k and Q^k.
    let double =
        |v: &Resident, power: &Resident| reduce(limbs::sub(&square(v)?, &limbs::shl(power, 1)?)?);
    let is_zero = |x: &Resident| Ok(limbs::size(x)?.0 == 0);
    let [d, q] = [d, (1 - d) / 4].map(small);
    let above = limbs::add_small(n, 1)?;
    let twos = limbs::scan_set(&above, 0)?.unwrap_or(0);
    let index = limbs::shr(&above, twos)?;
    // U_1 = 1, V_1 = P = 1, and Q^k.
    let (mut u, mut v, mut power) = (small(1), small(1), reduce(q.clone())?);
    let bits = limbs::size(&index)?.1 - 1;
    progress::stage("Lucas test", bits, |stage| {
        for bit in (0..bits).rev() {
            u = reduce(mul(&u, &v)?)?;
            v = double(&v, &power)?;
            power = reduce(square(&power)?)?;
            if limbs::bit(&index, bit)? {
                let sum = reduce(limbs::add(&u, &v)?)?;
                v = halve(reduce(limbs::add(&mul(&u, &d)?, &v)?)?)?;
                u = halve(sum)?;
                power = reduce(mul(&power, &q)?)?;
            }
            stage.advance(1)?;
        }
        Ok(())
    })?;
    if is_zero(&u)? || is_zero(&v)? {
        return Ok(true);
    }
    for _ in 1..twos {
        v = double(&v, &power)?;
        if is_zero(&v)? {
            return Ok(true);
        }
        power = reduce(square(&power)?)?;
    }
    Ok(false)
}

/// The least probable prime above n.
pub(crate) fn next_prime(n: &Resident) -> Result<Resident> {
    let (sign, bits) = limbs::size(n)?;
    if sign < 0 || bits < 2 {
        return Ok(small(2));
    }
    let mut candidate = limbs::add_small(n, if limbs::bit(n, 0)? { 2 } else { 1 })?;
    while !is_probable_prime(&candidate)? {
        candidate = limbs::add_small(&candidate, 2)?;
    }
    Ok(candidate)
}

/// The greatest probable prime below n; an error if n is at most 2.
pub(crate) fn prev_prime(n: &Resident) -> Result<Resident> {
    let host = n.host()?;
    if *host <= 2 {
        let reason = "there is no prime below 2: a number from 3 on was expected";
        return Err(Error::Domain(reason.to_string()));
    }
    if *host == 3 {
        return Ok(small(2));
    }
    let mut candidate = limbs::add_small(n, if limbs::bit(n, 0)? { -2 } else { -1 })?;
    while !is_probable_prime(&candidate)? {
        candidate = limbs::add_small(&candidate, -2)?;
    }
    Ok(candidate)
}

fn small(x: i64) -> Resident {
    Resident::from(Integer::from(x))
}
