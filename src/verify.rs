//! Checks of products by residues: always in debug builds, and on request ([`set`]) in others.
//!
//! A wrong product of n limbs agrees with the right one modulo a prime only if the prime divides
//! their difference. The difference has at most 64(n + 1)/60 prime factors above 2^60. There are
//! about 2^54 primes between 2^60 and 2^61, and each process draws one of them. A wrong product of
//! 2^30 limbs therefore passes with a probability below 2^-23.

use std::sync::OnceLock;

use rand::TryRng;
use rand::rngs::SysRng;

pub use crate::checks::{is_on, set};
use crate::error::{Error, Result};
use crate::fork::PerProcess;
use crate::limbs::Resident;
use crate::modp::words;
use crate::threads;
use crate::word::div::rem_word;

/// An error if `product` is not a·b, or not a² without b; nothing where checks are off.
pub(crate) fn product(
    what: &str,
    a: &Resident,
    b: Option<&Resident>,
    product: &Resident,
) -> Result<()> {
    match expect(a, b.unwrap_or(a))? {
        Some(expected) => expected.is(what, product),
        None => Ok(()),
    }
}

/// The expected residue of a product, known before the product is computed.
pub(crate) struct Expected {
    residue: u64,
    bits: [u64; 2],
}

/// The expected residue of a·b. None if checks are off.
pub(crate) fn expect(a: &Resident, b: &Resident) -> Result<Option<Expected>> {
    if !is_on() {
        return Ok(None);
    }
    Ok(Some(Expected {
        residue: product_residue(a, b)?,
        bits: [a.bits_bound(), b.bits_bound()],
    }))
}

impl Expected {
    /// An error if `product` is not as expected.
    pub(crate) fn is(&self, what: &str, product: &Resident) -> Result<()> {
        if self.residue == residue(product)? {
            return Ok(());
        }
        let [a, b] = self.bits;
        Err(Error::Verification(format!(
            "{what}: the product of numbers of {a} and {b} bits is wrong modulo {}",
            prime()
        )))
    }
}

fn product_residue(a: &Resident, b: &Resident) -> Result<u64> {
    Ok((u128::from(residue(a)?) * u128::from(residue(b)?) % u128::from(prime())) as u64)
}

/// An error if `sum` is not that of the products of the pairs; nothing where checks are off.
pub(crate) fn sum(what: &str, pairs: &[(&Resident, &Resident)], sum: &Resident) -> Result<()> {
    if !is_on() {
        return Ok(());
    }
    let p = u128::from(prime());
    let mut expected = 0;
    for (a, b) in pairs {
        expected += u128::from(product_residue(a, b)?);
    }
    if expected % p == u128::from(residue(sum)?) {
        return Ok(());
    }
    Err(Error::Verification(format!(
        "{what}: the sum of {} products is wrong modulo {p}",
        pairs.len()
    )))
}

/// An error if `digits` in this base, the lowest first, are not those of the number with these
/// limbs; nothing where checks are off.
pub(crate) fn digits(what: &str, limbs: &[u64], digits: &[u64], base: u64) -> Result<()> {
    if !is_on() {
        return Ok(());
    }
    let p = u128::from(prime());
    let base = u128::from(base) % p;
    let step = |r: u64, digit: &u64| ((u128::from(r) * base + u128::from(*digit)) % p) as u64;
    if digits.iter().rev().fold(0, step) == fold(limbs) {
        return Ok(());
    }
    Err(Error::Verification(format!(
        "{what}: the digits of a number of {} limbs are wrong modulo {p}",
        limbs.len()
    )))
}

/// Limbs of which one thread finds the residue at a time.
const CHUNK: usize = 1 << 14;

/// Limbs that are fetched from a device at a time.
const PIECE: usize = 1 << 18;

/// The number with these limbs modulo the prime.
fn fold(limbs: &[u64]) -> u64 {
    let p = prime();
    if limbs.len() <= CHUNK {
        return rem_word(limbs, p);
    }
    let chunks = threads::map(limbs.len().div_ceil(CHUNK), 1, |i| {
        rem_word(threads::chunk(limbs, CHUNK, i), p)
    });
    let (p, step) = (u128::from(p), u128::from(power(CHUNK)));
    let above = |r: u64, chunk: u64| ((u128::from(r) * step + u128::from(chunk)) % p) as u64;
    chunks.into_iter().rev().fold(0, above)
}

/// 2^64 to the number of limbs, modulo the prime.
fn power(limbs: usize) -> u64 {
    words::pow_mod(2, 64 * limbs as u64, prime())
}

/// Whether a·b and c agree modulo this process's prime.
pub(crate) fn agrees(a: &Resident, b: &Resident, c: &Resident) -> Result<bool> {
    Ok(product_residue(a, b)? == residue(c)?)
}

/// A prime between 2^60 and 2^61, drawn once.
fn prime() -> u64 {
    static PRIME: PerProcess<OnceLock<u64>> = PerProcess::new(OnceLock::new());
    *PRIME.get_or_init(|| {
        // Without the system's randomness a fixed start still finds every fault that is not made
        // for it.
        let seed = SysRng.try_next_u64().unwrap_or(0x9e37_79b9_7f4a_7c15);
        let start = (1 << 60) | (seed >> 5) | 1;
        (start..1 << 61)
            .step_by(2)
            .chain((1 << 60) + 1..)
            .find(|n| words::is_prime(*n))
            .expect("there are primes between 2^60 and 2^61")
    })
}

/// x modulo the prime, without leaving a copy of x on the host.
fn residue(x: &Resident) -> Result<u64> {
    let p = u128::from(prime());
    if x.is_on_host() {
        let value = x.host()?;
        let r = fold(value.magnitude().limbs());
        return Ok(if *value < 0 && r > 0 { p as u64 - r } else { r });
    }
    let Some(device) = x.device() else {
        return residue(x);
    };
    let there = x.on(&device)?;
    // Piece by piece in the same memory: pages of fresh memory take longer than the copy.
    let mut buffer = vec![0; there.len().min(PIECE)];
    let (mut r, mut negative) = (0, false);
    for at in (0..there.len()).step_by(PIECE).rev() {
        let piece = &mut buffer[..(there.len() - at).min(PIECE)];
        there.fetch(at, piece)?;
        if at + piece.len() == there.len() {
            negative = piece.last().is_some_and(|top| top >> 63 == 1);
        }
        r = (r * u128::from(power(piece.len())) + u128::from(fold(piece))) % p;
    }
    // Below zero x is U − 2^(64·len).
    let less = if negative { power(there.len()) } else { 0 };
    Ok(((r + p - u128::from(less)) % p) as u64)
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::engine::Engine;
    use crate::limbs;
    use crate::number::Integer;

    #[test]
    fn residues_of_long_numbers() {
        let p = u128::from(prime());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        for len in [0, 1, 2, 5, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
            let limbs: Vec<u64> = (0..len).map(|_| random.next_u64()).collect();
            let step = |r: u128, limb: &u64| (r << 64 | u128::from(*limb)) % p;
            assert_eq!(u128::from(fold(&limbs)), limbs.iter().rev().fold(0, step));
            assert_eq!(power(len), fold(&[vec![0; len], vec![1]].concat()), "{len}");
        }
    }

    /// Numbers on a device come in pieces, with their sign in the last one.
    #[test]
    fn residues_of_numbers_on_every_engine() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
        for len in [3, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 3] {
            let limbs: Vec<u64> = (0..len).map(|_| random.next_u64()).collect();
            for is_negative in [false, true] {
                let x = Integer::from_limbs(is_negative, &limbs);
                let sum = Resident::from(&x + Integer::from(1));
                let x = Resident::from(x);
                let expected = residue(&sum).unwrap();
                for engine in Engine::usable() {
                    let add = || limbs::add(&x, &Resident::from(Integer::from(1)));
                    let sum = engine.scope(add).unwrap();
                    let found = residue(&sum).unwrap();
                    assert_eq!(found, expected, "{engine} {len} {is_negative}");
                }
            }
        }
    }

    #[test]
    fn wrong_products_are_found() {
        let number = |n: i64| Resident::from((Integer::from(n) << 1000u64) + Integer::from(n));
        let (a, b) = (number(-12345), number(678));
        let right = Resident::from(a.host().unwrap() * b.host().unwrap());
        let wrong = Resident::from(right.host().unwrap() + (Integer::from(1) << 77u64));
        assert!(agrees(&a, &b, &right).unwrap());
        assert!(!agrees(&a, &b, &wrong).unwrap());
        assert!(!agrees(&a, &a, &right).unwrap());
        let pairs = [(&a, &b), (&b, &a)];
        let twice = Resident::from(right.host().unwrap() * Integer::from(2));
        set(true);
        assert_eq!(sum("sums", &pairs, &twice), Ok(()));
        assert!(sum("sums", &pairs, &right).is_err());
    }
}
