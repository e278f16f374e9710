//! Division on the CPU.

use super::modulus::Modulus;
use super::mul;
use crate::error::{Error, Result};

/// Quotient and remainder; neither operand has leading zeros.
pub(super) fn div_rem(a: &[u64], b: &[u64], p: Modulus) -> Result<(Vec<u64>, Vec<u64>)> {
    let Some(top) = b.last() else {
        return Err(Error::DivisionByZero);
    };
    let mut rest = a.to_vec();
    let mut quotient = vec![0; (a.len() + 1).saturating_sub(b.len())];
    let inverse = p.inverse(*top);
    for i in (0..quotient.len()).rev() {
        let q = p.mul(rest[i + b.len() - 1], inverse);
        quotient[i] = q;
        let q = p.factor(q);
        for (r, y) in rest[i..].iter_mut().zip(b) {
            *r = p.sub(*r, p.mul_by(*y, q));
        }
    }
    rest.truncate(b.len() - 1);
    super::coefficients::trim(&mut rest);
    Ok((quotient, rest))
}

/// a^exponent modulo m, the exponent as limbs, low one first.
pub(super) fn pow_mod(a: &[u64], exponent: &[u64], m: &[u64], p: Modulus) -> Result<Vec<u64>> {
    let rem = |x: Vec<u64>| Ok::<_, Error>(div_rem(super::linear::trimmed(&x), m, p)?.1);
    let base = rem(a.to_vec())?;
    let mut power = rem(vec![1])?;
    for limb in exponent.iter().rev() {
        for bit in (0..64).rev() {
            power = rem(mul::square(&power, p))?;
            if limb >> bit & 1 == 1 {
                power = rem(mul::mul(&power, &base, p))?;
            }
        }
    }
    Ok(power)
}
