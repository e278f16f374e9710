//! Polynomials on a device.

use super::coefficients::{Coefficients, DeviceCoefficients};
use super::modulus::Modulus;
use super::{compose, div, eval, gcd, linear, mul};
use crate::error::Result;

type Operand<'a> = &'a DeviceCoefficients;

// TODO: every function here computes on the host; the device side takes their place.

fn back(a: Operand, values: Vec<u64>) -> Result<Coefficients> {
    Ok(Coefficients::from_device(a.device().upload(&values)?))
}

fn trimmed(a: Operand) -> Result<Vec<u64>> {
    let mut values = a.fetch()?;
    super::coefficients::trim(&mut values);
    Ok(values)
}

/// How many coefficients there are without leading zeros.
pub(super) fn length(a: Operand) -> Result<usize> {
    Ok(trimmed(a)?.len())
}

/// a + b.
pub(super) fn add(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    back(a, linear::add(&a.fetch()?, &b.fetch()?, p))
}

/// a − b.
pub(super) fn sub(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    back(a, linear::sub(&a.fetch()?, &b.fetch()?, p))
}

/// −a.
pub(super) fn neg(a: Operand, p: Modulus) -> Result<Coefficients> {
    back(a, linear::neg(&a.fetch()?, p))
}

/// c·a for c < p.
pub(super) fn scale(a: Operand, c: u64, p: Modulus) -> Result<Coefficients> {
    back(a, linear::scale(&a.fetch()?, c, p))
}

/// The derivative.
pub(super) fn derivative(a: Operand, p: Modulus) -> Result<Coefficients> {
    back(a, linear::derivative(&a.fetch()?, p))
}

/// a·b.
pub(super) fn mul(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    back(a, mul::mul(&trimmed(a)?, &trimmed(b)?, p))
}

/// a².
pub(super) fn square(a: Operand, p: Modulus) -> Result<Coefficients> {
    let a_host = trimmed(a)?;
    back(a, mul::square(&a_host, p))
}

/// Quotient and remainder; `Error::DivisionByZero` where b has no coefficient other than 0.
pub(super) fn div_rem(a: Operand, b: Operand, p: Modulus) -> Result<(Coefficients, Coefficients)> {
    let (q, r) = div::div_rem(&trimmed(a)?, &trimmed(b)?, p)?;
    Ok((back(a, q)?, back(a, r)?))
}

/// The monic gcd; 0 where both are.
pub(super) fn gcd(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    back(a, gcd::gcd(&trimmed(a)?, &trimmed(b)?, p)?)
}

/// (g, s, t) with s·a + t·b = g, the monic gcd.
pub(super) fn extended_gcd(a: Operand, b: Operand, p: Modulus) -> Result<[Coefficients; 3]> {
    let [g, s, t] = gcd::extended_gcd(&trimmed(a)?, &trimmed(b)?, p)?;
    Ok([back(a, g)?, back(a, s)?, back(a, t)?])
}

/// The resultant.
pub(super) fn resultant(a: Operand, b: Operand, p: Modulus) -> Result<u64> {
    gcd::resultant(&trimmed(a)?, &trimmed(b)?, p)
}

/// a at each of the points, which are below p: as many values.
pub(super) fn evaluate(a: Operand, points: &[u64], p: Modulus) -> Result<Vec<u64>> {
    eval::evaluate(&trimmed(a)?, points, p)
}

/// a(b).
pub(super) fn compose(a: Operand, b: Operand, p: Modulus) -> Result<Coefficients> {
    back(a, compose::compose(&trimmed(a)?, &trimmed(b)?, p)?)
}

/// a^exponent modulo m, the exponent as limbs, low one first.
pub(super) fn pow_mod(
    a: Operand,
    exponent: &[u64],
    m: Operand,
    p: Modulus,
) -> Result<Coefficients> {
    back(a, div::pow_mod(&trimmed(a)?, exponent, &trimmed(m)?, p)?)
}

/// The products of pairs.
pub(super) fn mul_many(
    pairs: &[(DeviceCoefficients, DeviceCoefficients)],
    p: Modulus,
) -> Result<Vec<Coefficients>> {
    pairs.iter().map(|(a, b)| mul(a, b, p)).collect()
}

/// The monic gcds of pairs.
pub(super) fn gcd_many(
    pairs: &[(DeviceCoefficients, DeviceCoefficients)],
    p: Modulus,
) -> Result<Vec<Coefficients>> {
    pairs.iter().map(|(a, b)| gcd(a, b, p)).collect()
}
