//! Numbers modulo three primes near 2^64, found from limbs and digits by loops of their own.
//!
//! An identity between integers is checked modulo all three. What holds there by accident differs
//! from the truth by a multiple of their product, which has 188 bits.

use std::ops::{Add, Mul, Sub};

use bezout::{Int, Result};

/// Primes p below 2^64, each with 2^64 mod p, which is small.
const PRIMES: [(u64, u64); 3] = [
    ((1 << 61) - 1, 8),
    ((1 << 63) - 25, 50),
    (u64::MAX - 58, 59),
];

/// A number modulo each of the primes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residues([u64; 3]);

impl Residues {
    /// Those of an integer.
    pub fn of(x: &Int) -> Result<Residues> {
        let magnitude = Residues::of_limbs(x.try_limbs()?);
        Ok(if x.try_is_negative()? {
            Residues::word(0) - magnitude
        } else {
            magnitude
        })
    }

    /// Those of a word.
    pub fn word(x: u64) -> Residues {
        Residues(PRIMES.map(|(p, _)| x % p))
    }

    /// Those of Σ limbs[i]·2^(64·i).
    pub fn of_limbs(limbs: &[u64]) -> Residues {
        Residues(PRIMES.map(|(p, fold)| {
            // Every r stands for its class: r < 2^64, not always r < p.
            let horner = |r: u64, limb: &u64| {
                let x = u128::from(r) * u128::from(fold) + u128::from(*limb);
                let y = u128::from((x >> 64) as u64 * fold) + u128::from(x as u64);
                (y as u64).wrapping_add((y >> 64) as u64 * fold)
            };
            limbs.iter().rev().fold(0, horner) % p
        }))
    }

    /// Those of a number's text in a radix from 2 to 36; none where it is not as
    /// `Int::to_string_radix` writes it.
    pub fn of_text(text: &str, radix: u32) -> Option<Residues> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_canonical = !digits.is_empty() && (!digits.starts_with('0') || text == "0");
        let is_lower = !digits.bytes().any(|byte| byte.is_ascii_uppercase());
        if !is_canonical || !is_lower {
            return None;
        }
        // As many digits at a time as a word holds.
        let count = u64::MAX.ilog(radix.into()) as usize;
        let zero = Residues::word(0);
        let step = Residues::word(radix.into()).pow(count as u64);
        let (first, rest) = digits.as_bytes().split_at(digits.len() % count);
        let mut pieces = std::iter::once(first).chain(rest.chunks(count));
        let magnitude = pieces.try_fold(zero, |r, piece| {
            let piece = piece.iter().try_fold(0, |word: u64, digit| {
                let digit = char::from(*digit).to_digit(radix)?;
                Some(word * u64::from(radix) + u64::from(digit))
            })?;
            Some(r * step + Residues::word(piece))
        })?;
        Some(if digits.len() < text.len() {
            zero - magnitude
        } else {
            magnitude
        })
    }

    /// The power with this exponent.
    pub fn pow(self, mut exponent: u64) -> Residues {
        let (mut result, mut square) = (Residues::word(1), self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * square;
            }
            square = square * square;
            exponent >>= 1;
        }
        result
    }

    fn zip(self, other: Residues, with: impl Fn(u128, u128, u128) -> u128) -> Residues {
        let mut result = self;
        for (i, (p, _)) in PRIMES.into_iter().enumerate() {
            result.0[i] = with(self.0[i].into(), other.0[i].into(), p.into()) as u64;
        }
        result
    }
}

impl Add for Residues {
    type Output = Residues;

    fn add(self, other: Residues) -> Residues {
        self.zip(other, |a, b, p| (a + b) % p)
    }
}

impl Sub for Residues {
    type Output = Residues;

    fn sub(self, other: Residues) -> Residues {
        self.zip(other, |a, b, p| (a + p - b) % p)
    }
}

impl Mul for Residues {
    type Output = Residues;

    fn mul(self, other: Residues) -> Residues {
        self.zip(other, |a, b, p| a * b % p)
    }
}

#[cfg(test)]
mod tests {
    use malachite_nz::integer::Integer;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// What malachite finds.
    fn expected(x: &Int) -> Residues {
        let x: Integer = x.to_string().parse().unwrap();
        Residues(PRIMES.map(|(p, _)| {
            let p = Integer::from(p);
            let r = (x.clone() % &p + &p) % p;
            u64::try_from(&r).unwrap()
        }))
    }

    #[test]
    fn of_limbs_and_digits() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for length in 0..40 {
            let random: Vec<u64> = (0..length).map(|_| rng.random()).collect();
            for limbs in [random, vec![u64::MAX; length], vec![0; length]] {
                for negative in [false, true] {
                    let x = Int::from_sign_limbs(negative, limbs.clone());
                    assert_eq!(Residues::of(&x), Ok(expected(&x)));
                    for radix in [2, 10, 36] {
                        let text = x.to_string_radix(radix);
                        assert_eq!(Residues::of_text(&text, radix), Some(expected(&x)));
                    }
                }
            }
        }
        for bad in ["", "-", "-0", "007", "1a", "+1", "1 "] {
            assert_eq!(Residues::of_text(bad, 10), None, "{bad}");
        }
        assert_eq!(Residues::of_text("AB", 16), None);
    }

    #[test]
    fn identities() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        for bits in [1, 64, 700] {
            let [a, b] = [(); 2].map(|()| -Int::random_bits(bits, &mut rng));
            let [x, y] = [&a, &b].map(|number| Residues::of(number).unwrap());
            assert_eq!(x + y, expected(&(&a + &b)));
            assert_eq!(x - y, expected(&(&a - &b)));
            assert_eq!(x * y, expected(&(&a * &b)));
            assert_eq!(x.pow(13), expected(&a.pow(13)));
        }
    }
}
