//! Greatest common divisors and Bézout's cofactors.
//!
//! ```text
//!   engine      0 .............................. all of memory
//!   Auto, Cpu   | malachite: Lehmer, half-gcd              |
//!   Cuda        | not yet: an error                        |
//! ```

mod accelerated;
mod algorithm;
mod leader;
pub(crate) mod weber;

pub use algorithm::{Algorithm, Stats};

use std::cmp::Ordering;

use malachite_base::num::arithmetic::traits::{DivisibleBy, ExtendedGcd, Gcd, Lcm};
use malachite_nz::integer::Integer;

use crate::div::{self, magnitude};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limbs::{self, Limbs};
use crate::mul::{check_product, host_only};

/// g = gcd(a, b) ≥ 0; gcd(0, 0) = 0.
pub(crate) fn gcd(a: &Limbs, b: &Limbs) -> Result<Limbs> {
    Ok(gcd_by(a, b, Algorithm::Auto)?.0)
}

/// The same by this algorithm, and what it did.
///
/// Signs, zeros, equal numbers and numbers of very different lengths are settled here: an algorithm is given a > b > 0, of which a has
/// at most a quarter more bits.
pub(crate) fn gcd_by(a: &Limbs, b: &Limbs, algorithm: Algorithm) -> Result<(Limbs, Stats)> {
    if algorithm == Algorithm::Host {
        return by_host(a, b);
    }
    if let (Limbs::Small(_), Limbs::Small(_), Algorithm::Auto, Engine::Auto | Engine::Cpu) =
        (a, b, algorithm, Engine::current())
    {
        return by_host(a, b);
    }
    let ((sign_a, m), (sign_b, n)) = (limbs::size(a)?, limbs::size(b)?);
    let (a, b) = (magnitude(a, sign_a, m)?, magnitude(b, sign_b, n)?);
    let (mut a, mut b, m, n) = match limbs::compare(&a, &b)? {
        Ordering::Less => (b, a, n, m),
        Ordering::Equal => return Ok((a, Stats::of(algorithm))),
        Ordering::Greater => (a, b, m, n),
    };
    if n == 0 {
        return Ok((a, Stats::of(algorithm)));
    }
    if m > n + n / 4 + 64 {
        (a, b) = (b.clone(), div::remainder(&a, &b)?);
        let (_, n) = limbs::size(&b)?;
        if n == 0 {
            return Ok((a, Stats::of(algorithm)));
        }
        b = b.narrow(n);
    }
    match algorithm {
        Algorithm::Auto | Algorithm::Host => by_host(&a, &b),
        Algorithm::Weber => weber::gcd(&a, &b, weber::Options::default()),
        Algorithm::Accelerated => accelerated::gcd(&a, &b),
        Algorithm::Lattice => Err(missing("lattice")),
        Algorithm::Half => Err(missing("half")),
    }
}

fn missing(operation: &'static str) -> Error {
    let engine = Engine::current().to_string();
    Error::Unsupported { operation, engine }
}

fn by_host(a: &Limbs, b: &Limbs) -> Result<(Limbs, Stats)> {
    host_only("gcd by the host")?;
    let g = Integer::from(a.host()?.gcd(b.host()?));
    Ok((g.into(), Stats::of(Algorithm::Host)))
}

/// (g, s, t) with g = gcd(a, b) ≥ 0 and s·a + t·b = g.
///
/// The cofactors are GMP's: |s| < |b|/2g and |t| < |a|/2g, which makes them unique, except that
/// |a| = |b| gives s = 0, t = sgn b; b = 0 or |b| = 2g gives s = sgn a; a = 0 or |a| = 2g gives t = sgn b.
pub(crate) fn extended_gcd(a: &Limbs, b: &Limbs) -> Result<(Limbs, Limbs, Limbs)> {
    host_only("extended gcd")?;
    let (g, s, t) = a.host()?.extended_gcd(b.host()?);
    Ok((Integer::from(g).into(), s.into(), t.into()))
}

/// The least common multiple, ≥ 0; lcm(a, 0) = 0.
pub(crate) fn lcm(a: &Limbs, b: &Limbs) -> Result<Limbs> {
    host_only("lcm")?;
    check_product("lcm", a.bits_bound().saturating_add(b.bits_bound()))?;
    let [a, b] = [a.host()?, b.host()?].map(Integer::unsigned_abs_ref);
    Ok(Integer::from(a.lcm(b)).into())
}

/// Checks the certificate that g = gcd(a, b): g ≥ 0 divides both, and s·a + t·b = g, so every common divisor divides g.
pub(crate) fn verify(a: &Limbs, b: &Limbs, g: &Limbs, s: &Limbs, t: &Limbs) -> Result<()> {
    let [a, b, g, s, t] = [a.host()?, b.host()?, g.host()?, s.host()?, t.host()?];
    let refuted = |what: &str| Err(Error::Verification(format!("gcd: {what}")));
    if *g < 0 {
        return refuted("g is negative");
    }
    if !a.divisible_by(g) {
        return refuted("g does not divide the first operand");
    }
    if !b.divisible_by(g) {
        return refuted("g does not divide the second operand");
    }
    if s * a + t * b != *g {
        return refuted("s·a + t·b is not g");
    }
    Ok(())
}
