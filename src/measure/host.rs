//! Arithmetic on the calling thread of the host, by the plain algorithms of `word` and `number`.
//! Results of an engine are compared with it.

use crate::error::Result;
use crate::int::Int;
use crate::number::Integer;

/// x with no copy but the host's.
pub fn copy(x: &Int) -> Result<Int> {
    Ok(Int::from(x.try_host()?.clone()))
}

/// a + b.
pub fn sum(a: &Int, b: &Int) -> Result<Int> {
    Ok(Int::from(a.try_host()? + b.try_host()?))
}

/// a·b, in quadratic time or by Toom–Cook.
pub fn product(a: &Int, b: &Int) -> Result<Int> {
    Ok(Int::from(a.try_host()? * b.try_host()?))
}

/// ⌊√x⌋ for x ≥ 0.
pub fn isqrt(x: &Int) -> Result<Int> {
    let root = x.try_host()?.magnitude().floor_sqrt();
    Ok(Int::from(Integer::from(root)))
}

/// base^exponent modulo a positive modulus, for numbers from 0 on.
pub fn pow_mod(base: &Int, exponent: &Int, modulus: &Int) -> Result<Int> {
    let magnitude = |x: &Int| Ok(x.try_host()?.clone().into_magnitude());
    let (x, e, m) = (magnitude(base)?, magnitude(exponent)?, magnitude(modulus)?);
    Ok(Int::from(Integer::from((x % &m).mod_pow(&e, &m))))
}

/// gcd(a, b).
pub fn gcd(a: &Int, b: &Int) -> Result<Int> {
    Ok(Int::from(Integer::from(a.try_host()?.gcd(b.try_host()?))))
}
