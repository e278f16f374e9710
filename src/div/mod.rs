//! Division, truncating towards zero as Rust's does.
//!
//! ```text
//!   engine      0 ........................................... all of memory
//!   Auto, Cpu   | malachite: schoolbook, divide and conquer, Newton |
//!   Cuda        | not yet: an error                                 |
//! ```

use malachite_base::num::arithmetic::traits::DivRem;
use malachite_nz::integer::Integer;

use crate::error::{Error, Result};
use crate::limbs::Limbs;
use crate::mul::host_only;

/// Quotient rounded towards zero, and the remainder, which has the sign of `a`.
pub(crate) fn div_rem(a: &Limbs, b: &Limbs) -> Result<(Limbs, Limbs)> {
    let (quotient, remainder) = operands(a, b)?.div_rem(b.host()?);
    Ok((quotient.into(), remainder.into()))
}

/// a / b rounded towards zero.
pub(crate) fn quotient(a: &Limbs, b: &Limbs) -> Result<Limbs> {
    Ok((operands(a, b)? / b.host()?).into())
}

/// a − b·(a / b).
pub(crate) fn remainder(a: &Limbs, b: &Limbs) -> Result<Limbs> {
    Ok((operands(a, b)? % b.host()?).into())
}

/// The dividend, once the divisor is known not to be zero.
fn operands<'a>(a: &'a Limbs, b: &Limbs) -> Result<&'a Integer> {
    host_only("division")?;
    if *b.host()? == 0 {
        return Err(Error::DivisionByZero);
    }
    a.host()
}
