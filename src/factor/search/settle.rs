//! What is found out about a number without a search: small primes, powers, primality, and all factors of a short one.

use crate::number::Natural;

use super::{Open, Search};
use crate::error::Result;
use crate::factor::record::{Factor, Method, Origin, Status};
use crate::factor::{plan, small};
use crate::int::Int;

/// Primes below this are divided out first.
const TRIAL: u64 = 1 << 17;

impl Search {
    /// Keeps a new number if it is prime, splits it if that is easy, and leaves it to the methods if not.
    pub(super) fn look_at(&mut self, mut open: Open) -> Result<()> {
        open.is_new = false;
        if !open.effort.trial {
            open.effort.trial = true;
            open = match self.divide_out_small(open)? {
                Some(open) => open,
                None => return Ok(()),
            };
        }
        let host = open.value.try_host()?;
        let is_for_comparison = self.options.methods.iter().any(|m| m.is_published());
        if let Ok(word) = u128::try_from(host)
            && !is_for_comparison
        {
            self.split_small(word, open.exponent, open.origin);
        } else if open.value.try_is_probable_prime()? {
            self.keep(open.value, open.exponent, open.origin);
        } else if let Some((base, exponent)) = open.value.try_perfect_power()? {
            let origin = Origin::of(Method::Power, self.seconds());
            self.open.push(Open {
                value: base,
                exponent: open.exponent * exponent,
                origin,
                is_new: true,
                effort: open.effort,
            });
        } else {
            self.open.push(open);
        }
        Ok(())
    }

    /// A prime.
    fn keep(&mut self, value: Int, exponent: u64, origin: Origin) {
        let status = match value.bit_length() <= 64 {
            true => Status::Proved,
            false => Status::Probable,
        };
        self.factors.push(Factor {
            value,
            exponent,
            status,
            origin,
        });
    }

    /// Divides by all primes below TRIAL; gives what is left, if anything.
    fn divide_out_small(&mut self, mut open: Open) -> Result<Option<Open>> {
        let mut rest = open.value.try_host()?.magnitude().clone();
        let common = open.value.try_gcd(&Int::primorial(TRIAL)?)?;
        let mut common = common.into_integer().into_magnitude();
        let primes = if common == 1u32 {
            Vec::new()
        } else {
            plan::primes_below(TRIAL as u32)
        };
        for p in primes {
            if common == 1u32 {
                break;
            }
            let p = Natural::from(p);
            let (quotient, remainder) = (&common).div_rem(&p);
            if remainder != 0u32 {
                continue;
            }
            common = quotient;
            let mut exponent = 0;
            loop {
                let (quotient, remainder) = (&rest).div_rem(&p);
                if remainder != 0u32 {
                    break;
                }
                rest = quotient;
                exponent += 1;
            }
            let origin = match rest == 1u32 && self.factors.is_empty() && exponent == 1 {
                true => open.origin,
                false => Origin::of(Method::Trial, self.seconds()),
            };
            self.keep(p.into(), exponent * open.exponent, origin);
        }
        if rest == 1u32 {
            return Ok(None);
        }
        if rest != *open.value.try_host()?.magnitude() {
            open.origin = Origin::of(Method::Trial, self.seconds());
            open.value = rest.into();
        }
        Ok(Some(open))
    }

    /// Splits a number of at most 128 bits without small factors completely.
    fn split_small(&mut self, n: u128, exponent: u64, origin: Origin) {
        if small::is_prime(n) {
            return self.keep(n.into(), exponent, origin);
        }
        let split = small::split(n);
        let origin = match split.curve {
            None => Origin::of(Method::Power, self.seconds()),
            Some((level, sigma)) => {
                let plan = plan::plan(level);
                Origin {
                    sigma: Some(sigma),
                    ..Origin::of(Method::Ecm, self.seconds())
                        .with_bounds(plan.b1.into(), plan.b2.into())
                }
            }
        };
        for piece in [split.divisor, n / split.divisor] {
            self.split_small(piece, exponent, origin);
        }
    }
}
