//! Greatest common divisors and Bézout's cofactors.
//!
//! ```text
//!   engine      0 .............................. all of memory
//!   Auto, Cpu   | malachite: Lehmer, half-gcd              |
//!   Cuda        | not yet: an error                        |
//! ```

use malachite_base::num::arithmetic::traits::{DivisibleBy, ExtendedGcd, Gcd, Lcm};
use malachite_nz::integer::Integer;

use crate::error::{Error, Result};
use crate::limbs::Limbs;
use crate::mul::{check_product, host_only};

/// g = gcd(a, b) ≥ 0; gcd(0, 0) = 0.
pub(crate) fn gcd(a: &Limbs, b: &Limbs) -> Result<Limbs> {
    host_only("gcd")?;
    Ok(Integer::from(a.host()?.gcd(b.host()?)).into())
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
