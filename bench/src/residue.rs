//! Numbers modulo a random prime: a check of answers that needs no other library.
//!
//! A wrong answer of n bits passes only where the prime, one of 2^54, is among the n/60 factors
//! that the error can have at most.

use std::sync::OnceLock;

use bezout::{Int, Result};
use rand::TryRng;
use rand::rngs::SysRng;

/// The residue of the magnitude with these limbs, least significant first.
pub fn of_limbs(limbs: &[u64]) -> u64 {
    let p = u128::from(prime());
    let fold = |residue: u128, limb: &u64| ((residue << 64) | u128::from(*limb)) % p;
    limbs.iter().rev().fold(0, fold) as u64
}

/// The residue of a signed number. Fetches the number from its device.
pub fn of(x: &Int) -> Result<u64> {
    Ok(signed(x.is_negative(), x.try_limbs()?))
}

/// The residue of the number with this sign and this magnitude.
pub fn signed(negative: bool, limbs: &[u64]) -> u64 {
    let residue = of_limbs(limbs);
    if negative { sub(0, residue) } else { residue }
}

/// The residue of decimal digits; none where the text is not digits.
pub fn of_text(text: &str) -> Option<u64> {
    let p = u128::from(prime());
    let mut residue = 0u128;
    for chunk in text.as_bytes().chunks(18) {
        if !chunk.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let digits: u64 = std::str::from_utf8(chunk).ok()?.parse().ok()?;
        let power = 10u128.pow(chunk.len() as u32);
        residue = (residue * power + u128::from(digits)) % p;
    }
    Some(residue as u64)
}

/// x + y.
pub fn add(x: u64, y: u64) -> u64 {
    ((u128::from(x) + u128::from(y)) % u128::from(prime())) as u64
}

/// x − y, for residues x and y.
pub fn sub(x: u64, y: u64) -> u64 {
    add(x, prime() - y)
}

/// x·y.
pub fn mul(x: u64, y: u64) -> u64 {
    product(x, y, prime())
}

/// A prime between 2^60 and 2^61, drawn once for each process.
fn prime() -> u64 {
    static PRIME: OnceLock<u64> = OnceLock::new();
    *PRIME.get_or_init(|| {
        let seed = SysRng.try_next_u64().unwrap_or(0x9e37_79b9_7f4a_7c15);
        let mut candidate = (1 << 60) | (seed >> 5) | 1;
        while !is_prime(candidate) {
            candidate += 2;
        }
        candidate
    })
}

fn product(x: u64, y: u64, n: u64) -> u64 {
    (u128::from(x) * u128::from(y) % u128::from(n)) as u64
}

/// Whether the odd n > 37 is prime: strong probable primes to the first twelve prime bases are
/// prime below 2^64.
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    let twos = (n - 1).trailing_zeros();
    let power = |mut base: u64, mut exponent: u64| {
        let mut power = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = product(power, base, n);
            }
            base = product(base, base, n);
            exponent >>= 1;
        }
        power
    };
    BASES.iter().all(|base| {
        let mut x = power(*base, (n - 1) >> twos);
        let mut is_strong = x == 1;
        for _ in 0..twos {
            is_strong |= x == n - 1;
            x = product(x, x, n);
        }
        is_strong
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_that_are_known() {
        for n in [41, 97, 65_537, (1 << 61) - 1, 18_446_744_073_709_551_557] {
            assert!(is_prime(n), "{n}");
        }
        // Carmichael numbers, a square and a strong pseudoprime to the bases 2 to 31.
        for n in [561, 41_041, 65_537 * 65_537, 3_825_123_056_546_413_051] {
            assert!(!is_prime(n), "{n}");
        }
        assert!((1 << 60..1 << 61).contains(&prime()));
    }

    #[test]
    fn residues_are_consistent() {
        let x = Int::from(10).pow(40) + 7;
        let text = x.to_string();
        assert_eq!(of_text(&text), Some(of(&x).unwrap()));
        assert_eq!(of_text("+1"), None);
        assert_eq!(of_text("1 2"), None);
        let residue = of(&x).unwrap();
        assert_eq!(add(residue, of(&-&x).unwrap()), 0);
        assert_eq!(sub(residue, residue), 0);
        assert_eq!(mul(residue, residue), of(&x.square()).unwrap());
        assert_eq!(of(&Int::from(5)).unwrap(), 5);
    }
}
