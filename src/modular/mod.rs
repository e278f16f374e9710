//! Arithmetic modulo a number: inverses, powers, Jacobi's symbol.
//!
//! ```text
//!   power, modulus of   0 ...... powmod_limbs ............................... all of memory
//!   Cpu                 | the floor: Montgomery, windows | Barrett by a prepared reciprocal, windows |
//!   Cuda                | on the host                    | the same on the device                    |
//! ```

mod host;
mod pow;
#[cfg(test)]
mod tests;

pub(crate) use pow::mod_pow;

use crate::div::{self, Rounding};
use crate::error::{Error, Result};
use crate::gcd;
use crate::limbs::{self, Resident};

/// 1/a modulo |m|, from 0 to |m| − 1; an error for m = 0, and where a and m have a common divisor.
pub(crate) fn mod_inverse(a: &Resident, m: &Resident) -> Result<Resident> {
    let (_, reduced) = div::div_rem_rounded(a, m, Rounding::Euclid)?;
    let (g, s, _) = gcd::extended_gcd(&reduced, m)?;
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

/// Jacobi's symbol (a/n) for odd n > 0.
pub(crate) fn jacobi(a: &Resident, n: &Resident) -> Result<i32> {
    if limbs::size(n)?.0 <= 0 || !limbs::bit(n, 0)? {
        return Err(Error::Domain(
            "Jacobi's symbol needs an odd positive lower number; Kronecker's takes any".into(),
        ));
    }
    kronecker(a, n)
}

/// Kronecker's symbol (a/n), for any two numbers. Found on the host.
pub(crate) fn kronecker(a: &Resident, n: &Resident) -> Result<i32> {
    Ok(a.host()?.kronecker(n.host()?))
}
