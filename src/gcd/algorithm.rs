//! The algorithms for greatest common divisors, and the statistics of a run.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::error::{Error, Result};

/// How a greatest common divisor is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Algorithm {
    /// The fastest for these sizes on this engine.
    #[default]
    Auto,
    /// Residues modulo many small primes, reduced by one of them at a time (Weber and Brew).
    Weber,
    /// Jebelean's and Weber's k-ary reduction with digit moduli, on the CPU.
    Accelerated,
    /// Residues modulo many small primes, reduced by a short basis of a lattice for many of them at
    /// a time.
    Lattice,
    /// Half-GCD: Euclid's quotients from the leading halves, recursively, over this crate's
    /// products.
    Half,
    /// Binary GCD on words, for short operands, on the CPU.
    Host,
}

impl Algorithm {
    /// Every algorithm, in the order of the documentation.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Auto,
        Algorithm::Weber,
        Algorithm::Accelerated,
        Algorithm::Lattice,
        Algorithm::Half,
        Algorithm::Host,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Weber => "weber",
            Algorithm::Accelerated => "accelerated",
            Algorithm::Lattice => "lattice",
            Algorithm::Half => "half",
            Algorithm::Host => "host",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Algorithm> {
        let found = Algorithm::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| {
            Error::Domain(format!(
                "unknown algorithm '{text}': use {}",
                Algorithm::ALL.map(Algorithm::name).join(", ")
            ))
        })
    }
}

impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Statistics of a GCD. A count that does not apply to the algorithm is None.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// The algorithm that found it, never `Auto`.
    pub algorithm: Algorithm,
    /// Steps of reduction, or half-GCDs of the whole numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// The number of moduli whose residues represented the operands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moduli: Option<u64>,
    /// The number of moduli that the steps used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moduli_used: Option<u64>,
    /// Bits of a modulus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modulus_bits: Option<u32>,
    /// Mean bits of the cofactor b of a reduction, for experiments.
    #[doc(hidden)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_b_bits: Option<f64>,
    /// How often the run was repeated with more moduli.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// Blocks of moduli that were reduced at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u64>,
    /// The number of ranks that worked together, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u64>,
}

impl Stats {
    /// Statistics of this algorithm, without any count yet.
    pub(crate) fn of(algorithm: Algorithm) -> Stats {
        Stats {
            algorithm,
            ..Stats::default()
        }
    }

    /// Statistics of an answer that needed no algorithm: equal operands, an operand 0, or one that
    /// divides the other.
    pub(crate) fn of_shortcut(asked: Algorithm) -> Stats {
        Stats::of(match asked {
            Algorithm::Auto => Algorithm::Host,
            named => named,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for one in Algorithm::ALL {
            assert_eq!(one.to_string().parse::<Algorithm>(), Ok(one));
        }
        assert!("".parse::<Algorithm>().is_err());
        assert!("Half".parse::<Algorithm>().is_err());
    }
}
