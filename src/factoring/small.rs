//! Numbers of at most 128 bits, completely: trial division, primality, micro-ECM and the quadratic
//! sieve.

use std::sync::OnceLock;

use crate::fork::PerProcess;
use crate::modp::{primes, words};
use crate::number::Natural;
use crate::word::gcd::jacobi_two_words;
use crate::word::inverse_two_words;
use crate::word::montgomery::{Word64, Word128};

use super::ring::Ring;
use super::{curve, plan, sieve};

/// Primes below this are divided out first.
pub(crate) const TRIAL: u32 = 512;

/// Suyama's parameter of the first curve: smaller ones give curves that have no point of infinite
/// order.
pub(crate) const FIRST_SIGMA: u64 = 6;

/// Numbers of at least this many bits are sieved if the first curves find nothing.
const SIEVE_BITS: u32 = 76;
/// These curves, and their level: they find most factors of up to 28 bits.
const CURVES_BEFORE_SIEVE: u64 = 2;
const LEVEL_BEFORE_SIEVE: usize = 3;

/// An odd prime p with p⁻¹ mod 2^128 and ⌊(2^128 − 1)/p⌋: p divides x if and only if x·p⁻¹ mod
/// 2^128 is at most ⌊(2^128 − 1)/p⌋. The same is true modulo 2^64.
struct Small {
    p: u32,
    inverse: u128,
    most: u128,
    short_inverse: u64,
    short_most: u64,
}

fn small_primes() -> &'static [Small] {
    static PRIMES: PerProcess<OnceLock<Vec<Small>>> = PerProcess::new(OnceLock::new());
    PRIMES.get_or_init(|| {
        let odd = primes::small_primes(u64::from(TRIAL) - 1);
        odd.into_iter()
            .map(|p| {
                let wide = u128::from(p);
                let inverse = inverse_two_words(wide);
                Small {
                    p,
                    inverse,
                    most: u128::MAX / wide,
                    short_inverse: inverse as u64,
                    short_most: u64::MAX / u64::from(p),
                }
            })
            .collect()
    })
}

/// Divides n ≥ 1 by primes below TRIAL, and appends them to `primes`. The returned cofactor has no
/// such prime factor, or is prime.
pub(crate) fn divide_out_small(n: u128, primes: &mut Vec<u128>) -> u128 {
    let twos = n.trailing_zeros();
    primes.extend((0..twos).map(|_| 2));
    let mut rest = n >> twos;
    for small in small_primes() {
        if rest < u128::from(small.p * small.p) {
            break;
        }
        if rest >> 64 == 0 {
            let mut quotient = (rest as u64).wrapping_mul(small.short_inverse);
            while quotient <= small.short_most {
                primes.push(small.p.into());
                rest = quotient.into();
                quotient = quotient.wrapping_mul(small.short_inverse);
            }
        } else {
            let mut quotient = rest.wrapping_mul(small.inverse);
            while quotient <= small.most {
                primes.push(small.p.into());
                rest = quotient;
                quotient = quotient.wrapping_mul(small.inverse);
            }
        }
    }
    rest
}

/// A proper divisor and the method that found it.
pub(crate) struct Split {
    pub(crate) divisor: u128,
    pub(crate) by: FoundBy,
}

/// The method that found a divisor.
pub(crate) enum FoundBy {
    /// The number is a power of the divisor.
    Root,
    /// The curve of this level and sigma.
    Curve(usize, u64),
    /// The quadratic sieve.
    Sieve,
}

/// Splits n > 1 without factors below TRIAL into primes.
pub(crate) fn complete(n: u128, primes: &mut Vec<u128>) {
    let mut open = vec![n];
    while let Some(n) = open.pop() {
        if is_prime(n) {
            primes.push(n);
        } else {
            let divisor = split(n).divisor;
            open.extend([divisor, n / divisor]);
        }
    }
}

/// A proper divisor of a composite n without factors below TRIAL.
pub(crate) fn split(n: u128) -> Split {
    if let Some(divisor) = square_root(n) {
        let by = FoundBy::Root;
        return Split { divisor, by };
    }
    match u64::try_from(n) {
        Ok(n) => split_in(Word64::new(n)),
        Err(_) => split_in(Word128::new(n)),
    }
}

/// Curves, or where it is faster a few short curves and then the sieve. If the sieve gives up,
/// there are more curves.
fn split_in<R: Ring>(ring: R) -> Split {
    let n = ring.modulus();
    let bits = 128 - n.leading_zeros();
    let is_sieved = bits >= SIEVE_BITS;
    let mut sigma = FIRST_SIGMA;
    loop {
        let curve = sigma - FIRST_SIGMA;
        if is_sieved
            && curve == CURVES_BEFORE_SIEVE
            && let Some(split) = split_long(n)
        {
            return split;
        }
        let level = if is_sieved && curve < CURVES_BEFORE_SIEVE {
            LEVEL_BEFORE_SIEVE
        } else {
            plan::level(bits, curve)
        };
        if let Some(divisor) = curve::run(ring, plan::plan(level), sigma) {
            let by = FoundBy::Curve(level, sigma);
            return Split { divisor, by };
        }
        sigma += 1;
    }
}

/// A proper divisor of a composite n that is not a square, by its root or by the sieve.
fn split_long(n: u128) -> Option<Split> {
    if let Some(divisor) = odd_root(n) {
        let by = FoundBy::Root;
        return Some(Split { divisor, by });
    }
    let divisor = sieve::run(&Natural::from(n), &|| true)?;
    let by = FoundBy::Sieve;
    let divisor = u128::try_from(&divisor).ok()?;
    Some(Split { divisor, by })
}

/// The root of n, if n is the power of a number above TRIAL with an odd prime exponent.
fn odd_root(n: u128) -> Option<u128> {
    [3u32, 5, 7, 11, 13].into_iter().find_map(|exponent| {
        // Rounded, since n is below 2^128 and its root below 2^43: the next numbers are compared
        // too.
        let near = (n as f64).powf(1.0 / f64::from(exponent)).round() as u128;
        (near.saturating_sub(1)..=near + 1).find(|root| root.checked_pow(exponent) == Some(n))
    })
}

/// The root of odd n, if it is a square; odd squares are 1 modulo 8.
pub(crate) fn square_root(n: u128) -> Option<u128> {
    (n % 8 == 1)
        .then(|| n.isqrt())
        .filter(|root| root * root == n)
}

/// Whether n is prime: proved below 2^64, by the Baillie–PSW test above.
pub(crate) fn is_prime(n: u128) -> bool {
    if n < 2 || n.is_multiple_of(2) {
        return n == 2;
    }
    match u64::try_from(n) {
        Ok(word) => words::is_odd_prime(word),
        Err(_) => {
            let ring = Word128::new(n);
            ring.is_strong_probable_prime(2) && is_strong_lucas(&ring)
        }
    }
}

/// The strong Lucas test of odd n with Selfridge's parameters: P = 1, Q = (1 − D)/4, D the first of
/// 5, −7, 9, … with (D/n) = −1.
fn is_strong_lucas<R: Ring>(ring: &R) -> bool {
    let n = ring.modulus();
    if square_root(n).is_some() {
        return false;
    }
    let mut d = 5i64;
    loop {
        match jacobi(d, n) {
            -1 => break,
            0 if u128::from(d.unsigned_abs()) < n => return false,
            _ => d = if d > 0 { -d - 2 } else { -d + 2 },
        }
    }
    let signed = |x: i64| {
        let magnitude = ring.residue(x.unsigned_abs().into());
        if x < 0 {
            ring.sub(R::Word::default(), magnitude)
        } else {
            magnitude
        }
    };
    let (q, d) = (signed((1 - d) / 4), signed(d));
    // n + 1 = index·2^twos; n + 1 may be 2^128.
    let twos = (!n).trailing_zeros();
    let index = match twos {
        128 => 1,
        _ => (n >> twos) + 1,
    };
    let zero = R::Word::default();
    let (mut u, mut v, mut power) = (ring.one(), ring.one(), q);
    let double = |v, power| ring.sub(ring.square(v), ring.add(power, power));
    for bit in (0..127 - index.leading_zeros()).rev() {
        u = ring.mul(u, v);
        v = double(v, power);
        power = ring.square(power);
        if index >> bit & 1 == 1 {
            let sum = ring.add(u, v);
            v = ring.half(ring.add(ring.mul(u, d), v));
            u = ring.half(sum);
            power = ring.mul(power, q);
        }
    }
    if u == zero || v == zero {
        return true;
    }
    (1..twos).any(|_| {
        v = double(v, power);
        power = ring.square(power);
        v == zero
    })
}

/// Jacobi's symbol (d/n) of odd n.
fn jacobi(d: i64, n: u128) -> i32 {
    let symbol = jacobi_two_words(d.unsigned_abs().into(), n);
    if d < 0 && n % 4 == 3 { -symbol } else { symbol }
}
