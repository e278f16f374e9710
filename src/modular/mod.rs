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

pub(crate) use crate::gcd::mod_inverse;

use crate::error::{Error, Result};
use crate::limbs::{self, Resident};

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
