//! Multiplication.

pub(crate) mod cuda;
mod plan;
#[cfg(test)]
mod tests;

use crate::engine;
use crate::error::Result;
use crate::limbs::Limbs;

/// a · b.
pub(crate) fn mul(a: &Limbs, b: &Limbs) -> Result<Limbs> {
    engine::run(
        [a.residence(), b.residence()],
        || Ok((a.host()? * b.host()?).into()),
        |device| cuda::mul(&a.on(device)?, &b.on(device)?),
    )
}

/// a².
pub(crate) fn square(a: &Limbs) -> Result<Limbs> {
    engine::run(
        [a.residence()],
        || Ok((a.host()? * a.host()?).into()),
        |device| cuda::square(&a.on(device)?),
    )
}
