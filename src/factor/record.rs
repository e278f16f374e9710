//! The record of each factor of a factorisation, and the options of a factorisation.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::int::Int;

/// How a factor was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Method {
    /// It is the input itself.
    #[serde(rename = "none")]
    None,
    /// Division by small primes, after a greatest common divisor with their product.
    #[serde(rename = "trial")]
    Trial,
    /// The number was a power.
    #[serde(rename = "power")]
    Power,
    /// Fermat's method, for two factors close to each other.
    #[serde(rename = "fermat")]
    Fermat,
    /// Pollard's rho as Beránek published it, all runners in step.
    #[serde(rename = "rho-v1")]
    RhoV1,
    /// Pollard's rho as Beránek published it, with independent runners.
    #[serde(rename = "rho-v2")]
    RhoV2,
    /// Pollard's rho, in Brent's form.
    #[serde(rename = "rho")]
    Rho,
    /// Pollard's p − 1.
    #[serde(rename = "p-1")]
    PMinus1,
    /// Williams's p + 1.
    #[serde(rename = "p+1")]
    PPlus1,
    /// Lenstra's elliptic curves.
    #[serde(rename = "ecm")]
    Ecm,
    /// The self-initialising quadratic sieve.
    #[serde(rename = "siqs")]
    Siqs,
}

impl Method {
    /// The methods that can be chosen, in the order in which they are tried.
    pub const CHOICES: [Method; 8] = [
        Method::RhoV1,
        Method::RhoV2,
        Method::Fermat,
        Method::Rho,
        Method::PMinus1,
        Method::PPlus1,
        Method::Ecm,
        Method::Siqs,
    ];

    /// Whether the method serves only for comparison, and is used only if it is requested.
    pub(super) fn is_published(self) -> bool {
        matches!(self, Method::RhoV1 | Method::RhoV2)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::None => "none",
            Method::Trial => "trial",
            Method::Power => "power",
            Method::Fermat => "fermat",
            Method::RhoV1 => "rho-v1",
            Method::RhoV2 => "rho-v2",
            Method::Rho => "rho",
            Method::PMinus1 => "p-1",
            Method::PPlus1 => "p+1",
            Method::Ecm => "ecm",
            Method::Siqs => "siqs",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Method> {
        let known = Method::CHOICES
            .into_iter()
            .find(|method| method.to_string() == text)
            .or((text == "sieve").then_some(Method::Siqs));
        known.ok_or_else(|| {
            Error::Domain(format!(
                "unknown method '{text}': use fermat, rho, p-1, p+1, ecm, siqs (or sieve), rho-v1 or \
                 rho-v2"
            ))
        })
    }
}

/// The status of a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Prime, proved: it is below 2^64.
    Proved,
    /// A Baillie–PSW probable prime; no composite number that is one is known.
    Probable,
    /// Composite: it was not split in the available time.
    Composite,
    /// Prime or composite: time ran out before the test.
    Unknown,
}

impl Status {
    /// Whether the factor is a proved or a probable prime.
    pub fn is_prime(self) -> bool {
        matches!(self, Status::Proved | Status::Probable)
    }
}

/// The origin of a factor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// The method that split it off.
    pub method: Method,
    /// The bound of the method's first stage, if it has one.
    pub b1: Option<u64>,
    /// The bound of its second stage.
    pub b2: Option<u64>,
    /// Suyama's parameter of the curve.
    pub sigma: Option<u64>,
    /// Seconds from the start of the factorisation until it was found.
    pub seconds: f64,
}

impl Origin {
    pub(super) fn of(method: Method, seconds: f64) -> Origin {
        Origin {
            method,
            b1: None,
            b2: None,
            sigma: None,
            seconds,
        }
    }

    pub(super) fn with_bounds(self, b1: u64, b2: u64) -> Origin {
        Origin {
            b1: Some(b1),
            b2: Some(b2),
            ..self
        }
    }
}

/// A factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Factor {
    /// Its value, above 1.
    pub value: Int,
    /// Its exponent: how often it divides the number.
    pub exponent: u64,
    /// Whether it is prime.
    pub status: Status,
    /// How it was found.
    pub origin: Origin,
}

/// The factors of a number in ascending order. Their product has been compared with the number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Factorization {
    /// The number that was factored.
    pub number: Int,
    /// Its factors.
    pub factors: Vec<Factor>,
    /// The seconds that the factorisation took.
    pub seconds: f64,
}

impl Factorization {
    /// Whether every factor is prime.
    pub fn is_complete(&self) -> bool {
        self.factors.iter().all(|factor| factor.status.is_prime())
    }
}

/// `2^3 * 5 * [91]`: prime factors with their exponents, and in brackets what may be composite.
///
/// ```
/// # use bezout::Int;
/// assert_eq!(Int::from(3_600).factor().to_string(), "2^4 * 3^2 * 5^2");
/// ```
impl fmt::Display for Factorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.factors.is_empty() {
            return write!(f, "{}", self.number);
        }
        for (i, factor) in self.factors.iter().enumerate() {
            if i > 0 {
                f.write_str(" * ")?;
            }
            if factor.status.is_prime() {
                write!(f, "{}", factor.value)?;
            } else {
                write!(f, "[{}]", factor.value)?;
            }
            if factor.exponent > 1 {
                write!(f, "^{}", factor.exponent)?;
            }
        }
        Ok(())
    }
}

/// How to factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Options {
    /// Methods to use; trial division and the search for powers always come first.
    pub methods: Vec<Method>,
    /// B1 of every curve, of p − 1 and of p + 1. If not set, the bounds grow with the size of the
    /// factors.
    pub b1: Option<u64>,
    /// B2 of every curve, of p − 1 and of p + 1.
    pub b2: Option<u64>,
    /// The number of curves after which to give up.
    pub curves: Option<u64>,
    /// Other seeds are other curves.
    pub seed: u64,
    /// A step that is expected to take longer is not started: no sieve of a longer number without
    /// relations on disk ([`Search::keep_relations`](super::Search::keep_relations)), and no curves
    /// with a larger B1. A search can be saved only between steps, so this is the work that a
    /// killed run can lose.
    pub longest_step: Option<Duration>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            methods: Method::CHOICES
                .into_iter()
                .filter(|method| !method.is_published())
                .collect(),
            b1: None,
            b2: None,
            curves: None,
            seed: 0,
            longest_step: None,
        }
    }
}

impl Options {
    /// These options with only these methods.
    pub fn methods(self, methods: &[Method]) -> Options {
        Options {
            methods: methods.to_vec(),
            ..self
        }
    }

    /// These options with these bounds of stage 1 and stage 2.
    pub fn bounds(self, b1: Option<u64>, b2: Option<u64>) -> Options {
        Options { b1, b2, ..self }
    }

    /// These options with at most this many curves.
    pub fn curves(self, curves: Option<u64>) -> Options {
        Options { curves, ..self }
    }

    /// These options with this seed. Other seeds are other curves.
    pub fn seed(self, seed: u64) -> Options {
        Options { seed, ..self }
    }

    /// These options with steps of at most this expected time.
    pub fn longest_step(self, longest_step: Option<Duration>) -> Options {
        Options {
            longest_step,
            ..self
        }
    }

    /// An error if these options are not allowed.
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |reason: String| Err(Error::Domain(reason));
        if self.methods.is_empty() {
            return refuse("no method to factor by".into());
        }
        match (self.b1, self.b2) {
            (Some(b1), _) if !(10..=MOST_B1).contains(&b1) => {
                refuse(format!("B1 = {b1}: it must be between 10 and {MOST_B1}"))
            }
            (_, Some(b2)) if b2 > MOST_B2 => {
                refuse(format!("B2 = {b2}: it must be at most {MOST_B2}"))
            }
            (None, Some(_)) => refuse("B2 without B1".into()),
            (Some(b1), Some(b2)) if b2 < b1 => refuse(format!("B2 = {b2} is below B1 = {b1}")),
            _ => Ok(()),
        }
    }

    /// Whether these options use a method.
    pub(super) fn uses(&self, method: Method) -> bool {
        self.methods.contains(&method)
    }
}

/// Maximum bounds: sieves up to them fit in memory and in 64 bits.
const MOST_B1: u64 = 10_000_000_000;
const MOST_B2: u64 = 1 << 40;
