//! The classification of a number without a search: small primes, powers, primality, and all
//! factors of a short number.

use crate::number::Natural;

use super::{Open, Search};
use crate::error::{Error, Result};
use crate::factor::record::{Factor, Method, Origin, Status};
use crate::factoring::small::{self, FoundBy};
use crate::factoring::{plan, published};
use crate::int::Int;
use crate::modp::words;
use crate::progress;

/// Primes below this are divided out first.
const TRIAL: u64 = 1 << 17;

/// The class of a number without small prime factors.
enum Kind {
    One,
    /// Of at most 128 bits.
    Short(u128),
    Power(Int, u64),
    Prime,
    Composite,
}

impl Search {
    /// Classifies a new number: records it if it is prime, splits it if that is easy, and leaves it
    /// to the methods otherwise. After an error the number is still new.
    pub(super) fn look_at(&mut self, mut open: Open) -> Result<()> {
        let kind = match self.kind(&mut open) {
            Ok(kind) => kind,
            Err(error) => {
                self.open.push(open);
                return Err(error);
            }
        };
        open.is_new = false;
        match kind {
            Kind::One => {}
            Kind::Short(word) => self.split_small(word, open.exponent, open.origin),
            Kind::Power(value, exponent) => self.open.push(Open {
                value,
                exponent: open.exponent * exponent,
                origin: Origin::of(Method::Power, self.seconds()),
                is_new: true,
                effort: open.effort,
            }),
            Kind::Prime => self.keep(open.value, open.exponent, open.origin),
            Kind::Composite => self.open.push(open),
        }
        Ok(())
    }

    /// Divides out small primes, once, and classifies the remaining number. If a method for
    /// comparison was requested, neither short numbers nor perfect powers are split here: Beránek's
    /// own number is a square.
    fn kind(&mut self, open: &mut Open) -> Result<Kind> {
        if !open.effort.trial {
            self.divide_out_small(open)?;
            open.effort.trial = true;
        }
        if open.value == 1 {
            return Ok(Kind::One);
        }
        let is_for_comparison = self.options.methods.iter().any(|m| m.is_published());
        if let Ok(word) = u128::try_from(open.value.try_host()?)
            && !is_for_comparison
        {
            return Ok(Kind::Short(word));
        }
        let is_left_to_published =
            is_for_comparison && open.value.bit_length() <= published::MOST_BITS;
        if !is_left_to_published && let Some((base, exponent)) = open.value.try_perfect_power()? {
            return Ok(Kind::Power(base, exponent));
        }
        let is_prime = open.value.try_is_probable_prime()?;
        Ok(if is_prime {
            Kind::Prime
        } else {
            Kind::Composite
        })
    }

    /// A prime.
    fn keep(&mut self, value: Int, exponent: u64, origin: Origin) {
        let status = if value.bit_length() <= 64 {
            Status::Proved
        } else {
            Status::Probable
        };
        self.factors.push(Factor {
            value,
            exponent,
            status,
            origin,
        });
    }

    /// Divides by all primes below TRIAL. After an error, the primes found so far are recorded, and
    /// the number is the remaining cofactor.
    fn divide_out_small(&mut self, open: &mut Open) -> Result<()> {
        let mut rest = open.value.clone();
        let done = self.divide_by_primes(open, &mut rest);
        if rest != open.value {
            open.origin = Origin::of(Method::Trial, self.seconds());
            open.value = rest;
        }
        done
    }

    fn divide_by_primes(&mut self, open: &Open, rest: &mut Int) -> Result<()> {
        let common = open.value.try_gcd(&Int::try_primorial(TRIAL)?)?;
        let mut common = common.into_integer().into_magnitude();
        if common == 1u32 {
            return Ok(());
        }
        for p in words::up_to(TRIAL - 1).into_iter().map(|p| p as u32) {
            if common == 1u32 {
                break;
            }
            progress::check()?;
            let (quotient, remainder) = common.div_rem(&Natural::from(p));
            if remainder != 0u32 {
                continue;
            }
            common = quotient;
            let mut exponent = 0;
            let divided = divide_out(rest, p, &mut exponent);
            if exponent > 0 {
                let is_whole = *rest == 1 && self.factors.is_empty() && exponent == 1;
                let origin = if is_whole {
                    open.origin
                } else {
                    Origin::of(Method::Trial, self.seconds())
                };
                self.keep(Int::from(p), exponent * open.exponent, origin);
            }
            divided?;
        }
        Ok(())
    }

    /// Splits a number of at most 128 bits without small factors completely.
    fn split_small(&mut self, n: u128, exponent: u64, origin: Origin) {
        if small::is_prime(n) {
            return self.keep(n.into(), exponent, origin);
        }
        let split = small::split(n);
        let origin = match split.by {
            FoundBy::Root => Origin::of(Method::Power, self.seconds()),
            FoundBy::Sieve => Origin::of(Method::Siqs, self.seconds()),
            FoundBy::Curve(level, sigma) => {
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

/// Divides `rest` by p as often as p divides it, and adds the number of divisions to `exponent`.
/// After an error both have the values after the divisions made so far.
fn divide_out(rest: &mut Int, p: u32, exponent: &mut u64) -> Result<()> {
    if p == 2 {
        let twos = rest.try_trailing_zeros()?.unwrap_or(0);
        *rest = rest.try_shr(twos)?;
        *exponent += twos;
        return Ok(());
    }
    let mut divide = |power: &Int, times: u64| {
        let (quotient, remainder) = rest.try_div_rem(power)?;
        if !remainder.try_is_zero()? {
            return Ok(None);
        }
        *rest = quotient;
        *exponent += times;
        Ok::<_, Error>(Some(rest.try_bit_length()?))
    };
    // By p, p², p⁴, … while they divide, then by all of these in turn: the rest has fewer factors p
    // than the power that failed.
    let mut powers = vec![Int::from(p)];
    while let Some(left) = divide(&powers[powers.len() - 1], 1 << (powers.len() - 1))? {
        let last = &powers[powers.len() - 1];
        if 2 * last.bit_length() - 1 > left {
            break;
        }
        powers.push(last.try_square()?);
    }
    while let Some(power) = powers.pop() {
        divide(&power, 1 << powers.len())?;
    }
    Ok(())
}
