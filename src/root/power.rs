//! Whether a number is a power, and of what.
//!
//! The exponent's prime factors p are tried one after the other, on the number and then on the root found. Most are ruled out without
//! a root: p must divide the exponent of every small prime in the number, and modulo a prime q = 2jp + 1 that does not divide it, a p-th power
//! raised to (q − 1)/p is 1, which other numbers are with chance 1/p only.

use crate::number::Integer;

use super::root_rem;
use crate::error::Result;
use crate::limbs::{self, Limbs};
use crate::modp::words;
use crate::word::gcd::gcd_words;

/// Primes below this are looked for in the number.
const SMALL: u64 = 256;
/// Primes q tried for each p.
const FILTERS: usize = 3;
/// j goes up to this in the search for q.
const MOST_MULTIPLES: u64 = 400;

/// (b, e) with a = b^e and e > 1 as large as possible; none if there are none. 0, 1 and −1 are powers of themselves with e = 2, 2 and 3.
pub(crate) fn perfect_power(a: &Limbs) -> Result<Option<(Limbs, u64)>> {
    let (sign, bits) = limbs::size(a)?;
    if bits <= 1 {
        return Ok(Some((a.clone(), if sign < 0 { 3 } else { 2 })));
    }
    let (mut base, mut exponent) = (a.clone(), 1);
    let (common, least) = small_primes(a.host()?);
    if common == 1 {
        return Ok(None);
    }
    // Without small primes the base is at least SMALL; with them its exponent divides their common one.
    let most = match least {
        true => common,
        false => bits / u64::from(SMALL.ilog2()) + 1,
    };
    for p in words::up_to(most.max(2)) {
        if (sign < 0 && p == 2) || (least && !common.is_multiple_of(p)) {
            continue;
        }
        let mut left = limbs::size(&base)?.1;
        while p < left && may_be_power(base.host()?, p) {
            let (root, rest) = root_rem(&base, p)?;
            if limbs::size(&rest)?.0 != 0 {
                break;
            }
            base = root;
            exponent *= p;
            left = limbs::size(&base)?.1;
        }
        if p > left {
            break;
        }
    }
    Ok((exponent > 1).then_some((base, exponent)))
}

/// The greatest common divisor of the exponents of the small primes in a, and whether there are any such primes.
fn small_primes(a: &Integer) -> (u64, bool) {
    let mut common = 0;
    let mut rest = a.clone();
    for p in words::up_to(SMALL - 1) {
        let mut count = 0u64;
        while residue(&rest, p) == 0 {
            // The number must shrink fast where a prime is in it very often.
            let mut power = Integer::from(p);
            let mut times = 1;
            loop {
                let square = Integer::from(p).pow(2 * times);
                if &rest % &square != 0 {
                    break;
                }
                power = square;
                times *= 2;
            }
            rest /= power;
            count += times;
        }
        if count > 0 {
            common = gcd_words(common, count);
            if common == 1 {
                return (1, true);
            }
        }
    }
    (common, common > 0)
}

/// |a| modulo q.
fn residue(a: &Integer, q: u64) -> u64 {
    a.magnitude().rem_word(q)
}

/// False only if |a| is no p-th power.
fn may_be_power(a: &Integer, p: u64) -> bool {
    (1..MOST_MULTIPLES)
        .filter_map(|j| p.checked_mul(2 * j)?.checked_add(1))
        .filter(|q| words::is_prime(*q))
        .take(FILTERS)
        .all(|q| match residue(a, q) {
            0 => true,
            r => words::pow_mod(r, (q - 1) / p, q) == 1,
        })
}
