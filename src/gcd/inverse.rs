//! Inverses modulo a number, by cofactors.

use super::extended_gcd;
use crate::div::{self, Rounding};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::number::Integer;

/// 1/a modulo |m|, from 0 to |m| − 1; an error for m = 0, and where a and m have a common divisor.
pub(crate) fn mod_inverse(a: &Resident, m: &Resident) -> Result<Resident> {
    if let Some([x, modulus]) = limbs::short([a, m])
        && !modulus.is_zero()
        && let Some(inverse) = x.mod_inverse(modulus.magnitude())
    {
        return Ok(Integer::from(inverse).into());
    }
    let (_, reduced) = div::div_rem_rounded(a, m, Rounding::Euclid)?;
    let (g, s, _) = extended_gcd(&reduced, m)?;
    let bits = limbs::size(&g)?.1;
    if bits != 1 {
        let g = match bits {
            0..=256 => format!("{}", g.host()?),
            _ => format!("a number of {bits} bits"),
        };
        return Err(Error::Domain(format!(
            "not invertible: number and modulus have the common divisor {g}"
        )));
    }
    Ok(div::div_rem_rounded(&s, m, Rounding::Euclid)?.1)
}
