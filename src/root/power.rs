//! Whether a number is a power, and of what.
//!
//! The exponent's prime factors p are tried one after the other, on the number and then on the root
//! found. If a prime below [`SMALL`] divides the number, p divides its exponent there, and few p
//! are left. If the number has no other primes, their exponents are the answer. Otherwise, without
//! small primes, the number is odd, and every p up to the logarithm of the number to the base
//! `SMALL` counts. Most are ruled out without a root:
//!
//! - **Short roots.** If the root has at most [`SHORT`] bits, it is the only p-th root of the
//!   number modulo 2^64, as x → x^p permutes the odd residues. That root has too many bits but for
//!   one p in thousands.
//! - **Long roots.** Modulo a prime q = 2jp + 1 that does not divide the number, a p-th power
//!   raised to (q − 1)/p is 1, which other numbers are with chance 1/p only. One remainder tree
//!   gives the residues modulo the first q of every p, so that all of them cost a few products of
//!   the number's length.

use crate::number::Integer;

use super::root_rem;
use crate::div;
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::modp::words;
use crate::mul;
use crate::product_tree::ProductTree;
use crate::progress;
use crate::word::gcd::gcd_words;

/// The number is divided by primes below this.
const SMALL: u64 = 256;
/// Primes q tried for each p.
const FILTERS: usize = 3;
/// j goes up to this in the search for q.
const MOST_MULTIPLES: u64 = 400;
/// Exponents p whose first q are a leaf of the remainder tree.
const SHARED: usize = 256;
/// Roots of at most this many bits are found modulo 2^64.
const SHORT: u64 = 48;
/// Roots modulo 2^64 between two checks whether to stop.
const BETWEEN_CHECKS: usize = 1 << 14;

/// (b, e) with a = b^e and e > 1 as large as possible; none if there are none. 0, 1 and −1 are
/// powers of themselves with e = 2, 2 and 3.
pub(crate) fn perfect_power(a: &Resident) -> Result<Option<(Resident, u64)>> {
    let (sign, bits) = limbs::size(a)?;
    if bits <= 1 {
        return Ok(Some((a.clone(), if sign < 0 { 3 } else { 2 })));
    }
    let Some(small) = SmallPrimes::of(a)? else {
        return Ok(None);
    };
    if small.is_all {
        return small.power(sign);
    }
    let (mut base, mut exponent) = (a.clone(), 1);
    // Without small primes the base is at least SMALL; with them its exponent divides their common
    // one.
    let least = small.common > 0;
    let most = if least {
        small.common
    } else {
        bits / u64::from(SMALL.ilog2()) + 1
    };
    let exponents: Vec<u64> = if least {
        prime_divisors(small.common)
    } else {
        words::up_to(most.max(2))
    };
    let exponents: Vec<u64> = exponents
        .into_iter()
        .filter(|p| !(sign < 0 && *p == 2))
        .collect();
    let mut left = bits;
    // Without small primes the number is odd.
    let most_long = if least { most } else { (bits / SHORT).max(2) };
    let (long, short) = exponents.split_at(exponents.partition_point(|p| *p <= most_long));
    for p in likely(&base, long)? {
        // A root that is a p-th power makes the number one too, so the residues hold for the root.
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
    if let Some((root, p)) = short_root(&base, left, short)? {
        // The root fits a word, and may be a power itself.
        let (inner, more) = perfect_power(&root)?.unwrap_or((root, 1));
        return Ok(Some((inner, exponent * p * more)));
    }
    Ok((exponent > 1).then_some((base, exponent)))
}

/// Those p for which the number may be a p-th power by its residue modulo the first q of p.
fn likely(a: &Resident, exponents: &[u64]) -> Result<Vec<u64>> {
    let first: Vec<(u64, Option<u64>)> =
        exponents.iter().map(|p| (*p, moduli(*p).next())).collect();
    let groups: Vec<_> = first.chunks(SHARED).collect();
    let product = |group: &&[(u64, Option<u64>)]| -> Integer {
        let known = group.iter().filter_map(|(_, q)| *q);
        known.map(Integer::from).product()
    };
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let products = groups.iter().map(|group| product(group).into()).collect();
    let rests = ProductTree::new(products)?.remainders(a)?;
    let mut likely = Vec::new();
    for (group, rest) in groups.into_iter().zip(rests) {
        let rest = rest.host()?;
        let may = |(p, q): &&(u64, Option<u64>)| q.is_none_or(|q| agrees(rest, *p, q));
        likely.extend(group.iter().filter(may).map(|(p, _)| *p));
    }
    Ok(likely)
}

/// (b, p) with a = b^p for the first of these odd primes p, where a is odd, of `bits` bits, and b
/// has at most `SHORT` of them.
fn short_root(a: &Resident, bits: u64, exponents: &[u64]) -> Result<Option<(Resident, u64)>> {
    let host = a.host()?;
    let lowest = host.magnitude().limbs()[0];
    for group in exponents.chunks(BETWEEN_CHECKS) {
        progress::check()?;
        for p in group.iter().filter(|p| **p < bits) {
            let root = root_modulo_word(lowest, *p);
            // The power has `bits` bits or nearly, whatever the rounding.
            let power_bits = (root as f64).log2() * *p as f64;
            if root >> SHORT > 1 || (power_bits - bits as f64).abs() > 2.0 {
                continue;
            }
            let root = Integer::from_parts(host.is_negative(), root.into());
            let power = mul::pow(&root.clone().into(), *p)?;
            if limbs::compare(&power, a)?.is_eq() {
                return Ok(Some((root.into(), *p)));
            }
        }
    }
    Ok(None)
}

/// The p-th root of an odd x modulo 2^64, for odd p.
fn root_modulo_word(x: u64, p: u64) -> u64 {
    // 1/p modulo 2^64: p itself is right in three bits, and each step doubles them. The units have
    // exponent 2^62, so that x^(p/p) = x.
    let mut exponent = p;
    for _ in 0..5 {
        exponent = exponent.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(exponent)));
    }
    wrapping_power(x, exponent & ((1 << 62) - 1))
}

/// The primes below [`SMALL`] in a number.
struct SmallPrimes {
    /// The greatest common divisor of their exponents; 0 without any.
    common: u64,
    /// The primes with their exponents.
    factors: Vec<(u64, u64)>,
    /// Whether the number has no other primes.
    is_all: bool,
}

impl SmallPrimes {
    /// Those of a ≠ 0. None if their exponents have no common divisor above 1, so that the number
    /// is no power.
    fn of(a: &Resident) -> Result<Option<SmallPrimes>> {
        let mut small = SmallPrimes {
            common: 0,
            factors: Vec::new(),
            is_all: false,
        };
        let twos = limbs::scan_set(a, 0)?.unwrap_or(0);
        let mut rest = if twos > 0 {
            limbs::shr(a, twos)?
        } else {
            a.clone()
        };
        let mut add = |p: u64, count: u64| {
            small.factors.push((p, count));
            small.common = gcd_words(small.common, count);
            small.common > 1
        };
        if twos > 0 && !add(2, twos) {
            return Ok(None);
        }
        for p in words::up_to(SMALL - 1).into_iter().skip(1) {
            progress::check()?;
            if residue(rest.host()?, p) != 0 {
                continue;
            }
            let count = match logarithm(&rest, p)? {
                Some(count) => {
                    rest = Integer::ONE.into();
                    count
                }
                None => {
                    let (other, count) = div::remove(&rest, &Integer::from(p).into())?;
                    rest = other;
                    count
                }
            };
            if !add(p, count) {
                return Ok(None);
            }
        }
        small.is_all = limbs::size(&rest)?.1 == 1;
        Ok(Some(small))
    }

    /// (b, e) with b^e the number of these primes and of this sign, and e as large as possible.
    /// None if e is 1.
    fn power(&self, sign: i32) -> Result<Option<(Resident, u64)>> {
        // A negative number is an odd power.
        let exponent = if sign < 0 {
            self.common >> self.common.trailing_zeros()
        } else {
            self.common
        };
        if exponent == 1 {
            return Ok(None);
        }
        let mut base: Resident = Integer::from(i64::from(sign)).into();
        for (p, count) in &self.factors {
            base = mul::mul(
                &base,
                &mul::pow(&Integer::from(*p).into(), count / exponent)?,
            )?;
        }
        Ok(Some((base, exponent)))
    }
}

/// k with |a| = p^k, for an odd a and an odd p > 1.
fn logarithm(a: &Resident, p: u64) -> Result<Option<u64>> {
    let host = a.host()?;
    let (limbs, bits) = (host.magnitude().limbs(), host.magnitude().bit_length());
    // |a| is between 2^(bits − 1) and 2^bits, so that k is one of few.
    let per_factor = (p as f64).log2();
    let least = ((bits as f64 - 1.0) / per_factor * (1.0 - 1e-9)).floor() as u64;
    let most = (bits as f64 / per_factor * (1.0 + 1e-9)).ceil() as u64;
    for k in least..=most {
        progress::check()?;
        // Most k are ruled out by the lowest limb.
        if wrapping_power(p, k) != limbs[0] {
            continue;
        }
        let power = mul::pow(&Integer::from(p).into(), k)?;
        if power.host()?.magnitude() == host.magnitude() {
            return Ok(Some(k));
        }
    }
    Ok(None)
}

/// x^exponent modulo 2^64.
fn wrapping_power(x: u64, mut exponent: u64) -> u64 {
    let (mut power, mut square) = (1u64, x);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        exponent >>= 1;
    }
    power
}

/// The primes that divide n > 0, in ascending order.
fn prime_divisors(mut n: u64) -> Vec<u64> {
    let mut primes = Vec::new();
    let mut p = 2;
    while p * p <= n {
        if n.is_multiple_of(p) {
            primes.push(p);
            while n.is_multiple_of(p) {
                n /= p;
            }
        }
        p += 1;
    }
    if n > 1 {
        primes.push(n);
    }
    primes
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
