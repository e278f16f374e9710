//! Moduli that are weak by themselves.

use bezout::{Error, Int, keys};
use bezout_keyfile::Exponent;
use rayon::prelude::*;

use super::input::KeyPlace;
use crate::failure::Failure;
use crate::interrupt;

/// Moduli of fewer bits are factored in hours (RSA-512: 2015, *Factoring as a Service*).
const SHORT_BITS: u64 = 512;

/// Primes up to this are looked for.
const SMALL: u64 = 1 << 20;

/// What is wrong with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weakness {
    /// It is a prime, and no product of two.
    Prime,
    /// Both primes are the same.
    Square,
    /// A prime of at most 20 bits divides it.
    SmallFactor,
    /// Its primes are so near each other that Fermat's method finds them.
    ClosePrimes,
    /// It looks as the keys do that a library of Infineon made (CVE-2017-15361).
    Roca,
    /// It is short enough to be factored.
    Short,
    /// Its public exponent is even or not positive.
    EvenExponent,
    /// Its public exponent is 1.
    ExponentOne,
    /// Its public exponent is below 65537.
    SmallExponent,
}

impl Weakness {
    /// The word for it.
    pub fn label(self) -> &'static str {
        match self {
            Weakness::Prime => "prime",
            Weakness::Square => "square",
            Weakness::SmallFactor => "small factor",
            Weakness::ClosePrimes => "close primes",
            Weakness::Roca => "ROCA",
            Weakness::Short => "short",
            Weakness::EvenExponent => "even exponent",
            Weakness::ExponentOne => "exponent 1",
            Weakness::SmallExponent => "small exponent",
        }
    }

    /// What is wrong with a public exponent.
    fn of_exponent(exponent: Exponent) -> Option<Weakness> {
        match exponent {
            Exponent::Even => Some(Weakness::EvenExponent),
            Exponent::One => Some(Weakness::ExponentOne),
            Exponent::Small => Some(Weakness::SmallExponent),
            Exponent::Unknown | Exponent::Usual => None,
        }
    }
}

/// The keys with a weak modulus or a weak exponent, in order. A key with both is there twice.
pub fn weak_keys(moduli: &[Int], places: &[KeyPlace]) -> Result<Vec<(Weakness, usize)>, Failure> {
    let mut found = weak(moduli)?;
    let exponents = places.iter().map(|place| place.exponent).enumerate();
    found.extend(exponents.filter_map(|(i, e)| Some((Weakness::of_exponent(e)?, i))));
    found.sort_by_key(|(_, i)| *i);
    Ok(found)
}

/// The places of weak moduli, in order.
fn weak(moduli: &[Int]) -> Result<Vec<(Weakness, usize)>, Failure> {
    let small_primes = Int::try_primorial(SMALL)?;
    let of_one = |(i, n): (usize, &Int)| -> Result<Option<(Weakness, usize)>, Failure> {
        // Threads of the pool do not hear of interrupts by themselves.
        if interrupt::verdict().is_break() {
            return Err(Error::Cancelled.into());
        }
        let weakness = if n.try_is_square()? {
            Some(Weakness::Square)
        } else if n.try_is_probable_prime()? {
            Some(Weakness::Prime)
        } else if small_primes.try_div_rem(n)?.1.try_gcd(n)? != 1 {
            Some(Weakness::SmallFactor)
        } else if keys::close_primes(n)?.is_some() {
            Some(Weakness::ClosePrimes)
        } else if keys::has_roca_fingerprint(n)? {
            Some(Weakness::Roca)
        } else if n.bit_length() < SHORT_BITS {
            Some(Weakness::Short)
        } else {
            None
        };
        Ok(weakness.map(|weakness| (weakness, i)))
    };
    let all: Vec<_> = moduli.par_iter().enumerate().map(of_one).collect();
    let all: Result<Vec<_>, Failure> = all.into_iter().collect();
    Ok(all?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_moduli_are_told_apart() {
        let long = (Int::ONE << 521) - Int::ONE;
        let moduli = [
            Int::from(15),
            Int::from(49),
            Int::from(101),
            long.clone(),
            &long * ((Int::ONE << 127) - Int::ONE),
            &long * 65537,
            (Int::ONE << 600).next_prime() * ((Int::ONE << 600) + (1 << 20)).next_prime(),
            (Int::ONE << 100).next_prime() * (Int::ONE << 120).next_prime(),
        ];
        let expected = [
            (Weakness::SmallFactor, 0),
            (Weakness::Square, 1),
            (Weakness::Prime, 2),
            (Weakness::Prime, 3),
            (Weakness::SmallFactor, 5),
            (Weakness::ClosePrimes, 6),
            (Weakness::Short, 7),
        ];
        assert_eq!(weak(&moduli).unwrap(), expected);
    }

    #[test]
    fn weak_exponents_come_after_the_modulus() {
        let place = |exponent| KeyPlace {
            file: "keys".into(),
            line: 1,
            column: None,
            name: None,
            exponent,
        };
        let good = ((Int::ONE << 600).next_prime()) * (Int::ONE << 700).next_prime();
        let moduli = [
            good.clone(),
            Int::from(15),
            good.clone(),
            good.clone(),
            good,
        ];
        let exponents = [
            Exponent::Small,
            Exponent::One,
            Exponent::Usual,
            Exponent::Unknown,
            Exponent::Even,
        ];
        let expected = [
            (Weakness::SmallExponent, 0),
            (Weakness::SmallFactor, 1),
            (Weakness::ExponentOne, 1),
            (Weakness::EvenExponent, 4),
        ];
        assert_eq!(weak_keys(&moduli, &exponents.map(place)).unwrap(), expected);
    }
}
