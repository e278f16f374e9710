//! Whether a number is a power, and of what.
//!
//! The exponent's prime factors p are tried one after the other, on the number and then on the root
//! found. Most are ruled out without a root: p must divide the exponent of every small prime in the
//! number, and modulo a prime q = 2jp + 1 that does not divide it, a p-th power raised to (q − 1)/p
//! is 1, which other numbers are with chance 1/p only. The first q of many p share one division of
//! the number, by their product.

use crate::number::Integer;

use super::root_rem;
use crate::div;
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::modp::words;
use crate::progress;
use crate::word::gcd::gcd_words;

/// Primes below this are looked for in the number.
const SMALL: u64 = 256;
/// Primes q tried for each p.
const FILTERS: usize = 3;
/// j goes up to this in the search for q.
const MOST_MULTIPLES: u64 = 400;
/// Exponents p whose first q share a division of the number.
const SHARED: usize = 256;

/// (b, e) with a = b^e and e > 1 as large as possible; none if there are none. 0, 1 and −1 are
/// powers of themselves with e = 2, 2 and 3.
pub(crate) fn perfect_power(a: &Resident) -> Result<Option<(Resident, u64)>> {
    let (sign, bits) = limbs::size(a)?;
    if bits <= 1 {
        return Ok(Some((a.clone(), if sign < 0 { 3 } else { 2 })));
    }
    let (mut base, mut exponent) = (a.clone(), 1);
    let (common, least) = small_primes(a.host()?)?;
    if common == 1 {
        return Ok(None);
    }
    // Without small primes the base is at least SMALL; with them its exponent divides their common
    // one.
    let most = if least {
        common
    } else {
        bits / u64::from(SMALL.ilog2()) + 1
    };
    let mut exponents = words::up_to(most.max(2))
        .into_iter()
        .filter(|p| !(sign < 0 && *p == 2) && (!least || common.is_multiple_of(*p)));
    let mut left = bits;
    loop {
        let group: Vec<u64> = exponents.by_ref().take(SHARED).collect();
        if group.first().is_none_or(|p| *p > left) {
            break;
        }
        // A root that is a p-th power makes the number one too, so the residues hold for the root.
        for p in likely(&base, group)? {
            while p < left && may_be_power(base.host()?, p)? {
                let (root, rest) = root_rem(&base, p)?;
                if limbs::size(&rest)?.0 != 0 {
                    break;
                }
                base = root;
                exponent *= p;
                left = limbs::size(&base)?.1;
            }
        }
    }
    Ok((exponent > 1).then_some((base, exponent)))
}

/// Those p for which the number may be a p-th power by its residue modulo the first q of p.
fn likely(a: &Resident, exponents: Vec<u64>) -> Result<Vec<u64>> {
    let first: Vec<(u64, Option<u64>)> = exponents
        .into_iter()
        .map(|p| (p, moduli(p).next()))
        .collect();
    let product: Integer = first
        .iter()
        .filter_map(|(_, q)| *q)
        .map(Integer::from)
        .product();
    let rest = div::remainder(a, &product.into())?;
    let rest = rest.host()?;
    let is_likely = |(p, q): &(u64, Option<u64>)| q.is_none_or(|q| agrees(rest, *p, q));
    Ok(first
        .into_iter()
        .filter(is_likely)
        .map(|(p, _)| p)
        .collect())
}

/// The greatest common divisor of the exponents of the small primes in a, and whether there are any
/// such primes.
fn small_primes(a: &Integer) -> Result<(u64, bool)> {
    let mut common = 0;
    let mut rest = a.clone();
    for p in words::up_to(SMALL - 1) {
        progress::check()?;
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
                return Ok((1, true));
            }
        }
    }
    Ok((common, common > 0))
}

/// |a| modulo q.
fn residue(a: &Integer, q: u64) -> u64 {
    a.magnitude().rem_word(q)
}

/// The primes q = 2jp + 1, in ascending order.
fn moduli(p: u64) -> impl Iterator<Item = u64> {
    (1..MOST_MULTIPLES)
        .filter_map(move |j| p.checked_mul(2 * j)?.checked_add(1))
        .filter(|q| words::is_prime(*q))
}

/// False only if |a| is no p-th power by its residue modulo q.
fn agrees(a: &Integer, p: u64, q: u64) -> bool {
    match residue(a, q) {
        0 => true,
        r => words::pow_mod(r, (q - 1) / p, q) == 1,
    }
}

/// False only if |a| is no p-th power.
fn may_be_power(a: &Integer, p: u64) -> Result<bool> {
    progress::check()?;
    Ok(moduli(p).take(FILTERS).all(|q| agrees(a, p, q)))
}
