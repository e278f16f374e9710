//! Arithmetic modulo a number: inverses, powers, Jacobi's symbol.
//!
//! ```text
//!   power, modulus of   0 ...... powmod_limbs ............................... all of memory
//!   Cpu                 | the floor: Montgomery, windows | Barrett by a prepared reciprocal, windows |
//!   Cuda                | on the host                    | the same on the device                    |
//!
//!   Jacobi's symbol     0 ............. gcd_host_limbs ......................... all of memory
//!   both                | halvings on the host | the half-GCD's quotients (`gcd`) |
//! ```

mod host;
mod pow;
#[cfg(test)]
mod tests;

pub(crate) use pow::mod_pow;

pub(crate) use crate::gcd::mod_inverse;

use crate::div;
use crate::engine;
use crate::error::{Error, Result};
use crate::gcd;
use crate::limbs::{self, Resident};
use crate::tuning::Tuning;

/// Jacobi's symbol (a/n) for odd n > 0.
pub(crate) fn jacobi(a: &Resident, n: &Resident) -> Result<i32> {
    if let Some([x, y]) = limbs::short([a, n])
        && y.signum() > 0
        && !y.is_even()
    {
        return Ok(x.kronecker(y));
    }
    if limbs::size(n)?.0 <= 0 || !limbs::bit(n, 0)? {
        return Err(Error::Domain(
            "Jacobi's symbol needs an odd positive lower number; Kronecker's takes any".into(),
        ));
    }
    kronecker(a, n)
}

/// Kronecker's symbol (a/n), for any two numbers: on the host for short ones, else from the
/// half-GCD's quotients.
pub(crate) fn kronecker(a: &Resident, n: &Resident) -> Result<i32> {
    if let Some([x, y]) = limbs::short([a, n]) {
        return Ok(x.kronecker(y));
    }
    let [(sign_a, bits_a), (sign_n, bits_n)] = [limbs::size(a)?, limbs::size(n)?];
    let short = 64 * Tuning::in_force().gcd_host_limbs as u64;
    if bits_a.max(bits_n) <= short {
        engine::check()?;
        return Ok(a.host()?.kronecker(n.host()?));
    }
    if sign_a == 0 || sign_n == 0 {
        return Ok(i32::from(bits_a + bits_n == 1));
    }
    let Some(twos) = limbs::scan_set(n, 0)? else {
        return Ok(0);
    };
    if twos > 0 && !limbs::bit(a, 0)? {
        return Ok(0);
    }
    let upper = div::magnitude(a, sign_a, bits_a)?;
    let lower = limbs::shr(&div::magnitude(n, sign_n, bits_n)?, twos)?;
    let eighth =
        |x: &Resident| -> Result<u64> { Ok(u64::try_from(limbs::low(x, 3)?.host()?).unwrap_or(0)) };
    let sign = host::sign_of_parts(
        [sign_a < 0, sign_n < 0],
        twos,
        [eighth(&upper)?, eighth(&lower)?],
    );
    Ok(sign * gcd::jacobi(&upper, &lower)?)
}
