//! A divisor whose reciprocal is found once and used for every division by it.

use super::{Reciprocal, Rounding, is_large, magnitude, round, signed};
use crate::engine::{self, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::mul::made_of_products;

/// A divisor prepared for many divisions: each then takes two products for a dividend of twice its
/// length, against nearly four.
#[derive(Clone)]
pub(crate) struct Divisor {
    divisor: Resident,
    sign: i32,
    /// The reciprocal of |divisor|. None if the host's own division is used.
    reciprocal: Option<Reciprocal>,
}

impl Divisor {
    /// Prepares to divide by `divisor`; an error if it is 0.
    pub(crate) fn of(divisor: &Resident) -> Result<Divisor> {
        let (sign, n) = limbs::size(divisor)?;
        if sign == 0 {
            return Err(Error::DivisionByZero);
        }
        let work = made_of_products(Work::division(2 * n, n));
        let place = engine::place(work, [divisor.residence()])?;
        let reciprocal = if is_large(&place, 2 * n, n) {
            Some(engine::wholly(work, [divisor.residence()], || {
                Reciprocal::new(&magnitude(divisor, sign, n)?, n, n)
            })?)
        } else {
            None
        };
        Ok(Divisor {
            divisor: divisor.clone(),
            sign,
            reciprocal,
        })
    }

    /// The divisor itself.
    pub(crate) fn value(&self) -> &Resident {
        &self.divisor
    }

    /// The remainder from 0 to |divisor| − 1.
    pub(crate) fn rem_euclid(&self, a: &Resident) -> Result<Resident> {
        Ok(round(self.div_rem(a)?, &self.divisor, Rounding::Euclid)?.1)
    }

    /// Quotient rounded towards zero, and the remainder, which has the sign of `a`.
    pub(crate) fn div_rem(&self, a: &Resident) -> Result<(Resident, Resident)> {
        let Some(reciprocal) = &self.reciprocal else {
            // A dividend much longer than the divisor may still be large enough for a device.
            if a.is_on_host() && self.divisor.is_on_host() {
                let (quotient, remainder) = a.host()?.div_rem(self.divisor.host()?);
                return Ok((quotient.into(), remainder.into()));
            }
            return super::div_rem(a, &self.divisor);
        };
        let (sign, m) = limbs::size(a)?;
        let homes = [a.residence(), self.divisor.residence()];
        engine::wholly(
            made_of_products(Work::division(m, self.divisor.bits_bound())),
            homes,
            || {
                let (quotient, remainder) = reciprocal.div_rem(&magnitude(a, sign, m)?, m)?;
                Ok((
                    signed(quotient, sign * self.sign)?,
                    signed(remainder, sign)?,
                ))
            },
        )
    }
}
