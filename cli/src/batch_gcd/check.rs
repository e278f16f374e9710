//! Moduli that are weak by themselves.

use bezout::{Error, Int};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::interrupt;

/// Moduli of fewer bits are factored in hours (RSA-512: 2015, *Factoring as a Service*).
const SHORT_BITS: u64 = 512;

/// What is wrong with a modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weakness {
    /// It is a prime, and no product of two.
    Prime,
    /// Both primes are the same.
    Square,
    /// It is short enough to be factored.
    Short,
}

impl Weakness {
    /// The word for it.
    pub fn label(self) -> &'static str {
        match self {
            Weakness::Prime => "prime",
            Weakness::Square => "square",
            Weakness::Short => "short",
        }
    }
}

/// The places of weak moduli, in order.
pub fn weak(moduli: &[Int]) -> Result<Vec<(Weakness, usize)>, Failure> {
    let of_one = |(i, n): (usize, &Int)| -> Result<Option<(Weakness, usize)>, Failure> {
        // Threads of the pool do not hear of interrupts by themselves.
        if interrupt::verdict().is_break() {
            return Err(Error::Cancelled.into());
        }
        let weakness = if n.try_is_square()? {
            Some(Weakness::Square)
        } else if n.try_is_probable_prime()? {
            Some(Weakness::Prime)
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
        ];
        let expected = [
            (Weakness::Short, 0),
            (Weakness::Square, 1),
            (Weakness::Prime, 2),
            (Weakness::Prime, 3),
        ];
        assert_eq!(weak(&moduli).unwrap(), expected);
    }
}
