//! Division with every rounding, exact division, and division by a prepared divisor.
//!
//! ```text
//!   engine   dividend   0 ...... div_device_limbs ................................. all of memory
//!   Cpu                 | the floor: schoolbook, divide and conquer                                |
//!                       | Newton on this crate's products where divisor and quotient have at      |
//!                       | least div_cpu_limbs limbs each                                          |
//!   Cuda                | on the host     | Newton on the device                                  |
//!   Auto     on the device where the operands are there already or sending them pays, else on the CPU
//! ```

mod cuda;
mod divisor;
mod exact;
mod host;
pub(crate) mod newton;
mod reciprocal;
#[cfg(test)]
mod tests;

pub(crate) use divisor::Divisor;
pub(crate) use exact::div_exact;
pub(crate) use host::remainder as host_remainder;
pub(crate) use reciprocal::Reciprocal;

use self::newton::block_bits;
use crate::engine::{self, ChosenPlace, Engine, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::mul::{self, made_of_products};
use crate::number::Integer;
use crate::progress;
use crate::tuning::Tuning;

/// Which neighbour of a / b the quotient is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// The one nearer zero: the remainder has the sign of a.
    Truncate,
    /// The lower one: the remainder has the sign of b.
    Floor,
    /// The upper one: the remainder has the opposite sign of b.
    Ceiling,
    /// The one that leaves a remainder of at least 0.
    Euclid,
}

/// The values of an inline dividend and a short divisor that is not 0: the floor divides them.
#[inline]
fn short<'a>(a: &'a Resident, b: &'a Resident) -> Option<(&'a Integer, &'a Integer)> {
    let (x, y) = (a.inline()?, b.short()?);
    if y.is_zero() {
        return None;
    }
    Engine::Cpu.note_used();
    Some((x, y))
}

/// Quotient rounded towards zero, and the remainder, which has the sign of `a`.
pub(crate) fn div_rem(a: &Resident, b: &Resident) -> Result<(Resident, Resident)> {
    if let Some((x, y)) = short(a, b) {
        let (quotient, remainder) = x.div_rem(y);
        return Ok((quotient.into(), remainder.into()));
    }
    match Sizes::of(a, b)? {
        None => {
            let (quotient, remainder) = a.host()?.div_rem(b.host()?);
            Ok((quotient.into(), remainder.into()))
        }
        Some(sizes) => by_newton(a, b, sizes),
    }
}

/// a / b rounded towards zero.
pub(crate) fn quotient(a: &Resident, b: &Resident) -> Result<Resident> {
    if let Some((x, y)) = short(a, b) {
        return Ok((x / y).into());
    }
    match Sizes::of(a, b)? {
        None => Ok((a.host()? / b.host()?).into()),
        Some(sizes) => Ok(by_newton(a, b, sizes)?.0),
    }
}

/// a − b·(a / b).
pub(crate) fn remainder(a: &Resident, b: &Resident) -> Result<Resident> {
    if let Some((x, y)) = short(a, b) {
        return Ok((x % y).into());
    }
    match Sizes::of(a, b)? {
        None => Ok((a.host()? % b.host()?).into()),
        Some(sizes) => Ok(by_newton(a, b, sizes)?.1),
    }
}

/// Whether b divides a; 0 divides 0 alone.
pub(crate) fn is_multiple(a: &Resident, b: &Resident) -> Result<bool> {
    if limbs::size(b)?.0 == 0 {
        return Ok(limbs::size(a)?.0 == 0);
    }
    if let Some((x, y)) = short(a, b) {
        return Ok(x.is_multiple_of(y));
    }
    match Sizes::of(a, b)? {
        None => Ok(a.host()?.is_multiple_of(b.host()?)),
        Some(sizes) => Ok(limbs::size(&by_newton(a, b, sizes)?.1)?.0 == 0),
    }
}

/// Quotient and remainder with this rounding.
pub(crate) fn div_rem_rounded(
    a: &Resident,
    b: &Resident,
    rounding: Rounding,
) -> Result<(Resident, Resident)> {
    if let Some((x, y)) = short(a, b) {
        let both = x.div_rem(y);
        let (quotient, remainder) = round_host(both, y, rounding);
        return Ok((quotient.into(), remainder.into()));
    }
    let both = div_rem(a, b)?;
    round(both, b, rounding)
}

/// (rest, k) with a = rest·factor^k and k as large as possible, for a ≠ 0 and |factor| > 1.
///
/// Divides by factor^(2^i) for i = 0, 1, … as long as the remainders are 0, and then for i
/// downwards. After the first pass fewer than 2^i factors are left, i the number of divisions.
pub(crate) fn remove(a: &Resident, factor: &Resident) -> Result<(Resident, u64)> {
    let (mut rest, mut count) = (a.clone(), 0);
    let mut powers: Vec<Resident> = Vec::new();
    loop {
        let power = match powers.last() {
            None => factor.clone(),
            // The square would be longer than the number.
            Some(last) if 2 * limbs::size(last)?.1 > limbs::size(&rest)?.1 + 1 => break,
            Some(last) => mul::square(last)?,
        };
        let (quotient, remainder) = div_rem(&rest, &power)?;
        if limbs::size(&remainder)?.0 != 0 {
            break;
        }
        rest = quotient;
        count += 1 << powers.len();
        powers.push(power);
    }
    for (i, power) in powers.iter().enumerate().rev() {
        let (quotient, remainder) = div_rem(&rest, power)?;
        if limbs::size(&remainder)?.0 == 0 {
            rest = quotient;
            count += 1 << i;
        }
    }
    Ok((rest, count))
}

/// The remainder of this rounding.
pub(crate) fn remainder_rounded(
    a: &Resident,
    b: &Resident,
    rounding: Rounding,
) -> Result<Resident> {
    if let Some((x, y)) = short(a, b) {
        let remainder = x % y;
        let change = change(rounding, remainder.signum(), y.signum());
        return Ok(match change {
            0 => remainder,
            -1 => remainder + y,
            _ => remainder - y,
        }
        .into());
    }
    Ok(div_rem_rounded(a, b, rounding)?.1)
}

/// What a truncated quotient lacks of this rounding, by the signs of the remainder and the divisor.
fn change(rounding: Rounding, sign: i32, sign_b: i32) -> i64 {
    match rounding {
        Rounding::Floor if sign * sign_b < 0 => -1,
        Rounding::Ceiling if sign * sign_b > 0 => 1,
        Rounding::Euclid if sign < 0 => -i64::from(sign_b),
        _ => 0,
    }
}

/// [`round`] of host numbers.
fn round_host(
    (quotient, remainder): (Integer, Integer),
    b: &Integer,
    rounding: Rounding,
) -> (Integer, Integer) {
    match change(rounding, remainder.signum(), b.signum()) {
        0 => (quotient, remainder),
        -1 => (quotient + Integer::NEGATIVE_ONE, remainder + b),
        _ => (quotient + Integer::ONE, remainder - b),
    }
}

/// A truncated quotient and its remainder made to round otherwise.
fn round(
    (quotient, remainder): (Resident, Resident),
    b: &Resident,
    rounding: Rounding,
) -> Result<(Resident, Resident)> {
    if rounding == Rounding::Truncate {
        return Ok((quotient, remainder));
    }
    let change = change(rounding, limbs::size(&remainder)?.0, limbs::size(b)?.0);
    let remainder = match change {
        0 => return Ok((quotient, remainder)),
        -1 => limbs::add(&remainder, b)?,
        _ => limbs::sub(&remainder, b)?,
    };
    Ok((limbs::add_small(&quotient, change)?, remainder))
}

/// Signs and bits of operands that Newton's iteration serves.
#[derive(Clone, Copy)]
struct Sizes {
    sign_a: i32,
    m: u64,
    sign_b: i32,
    n: u64,
}

impl Sizes {
    /// None if the host's own division serves; an error for b = 0.
    fn of(a: &Resident, b: &Resident) -> Result<Option<Sizes>> {
        let (sign_b, n) = limbs::size(b)?;
        if sign_b == 0 {
            return Err(Error::DivisionByZero);
        }
        let (sign_a, m) = limbs::size(a)?;
        let work = made_of_products(Work::division(m, n));
        let place = engine::place(work, [a.residence(), b.residence()])?;
        let large = is_large(&place, m, n);
        if !large {
            Engine::Cpu.note_used();
        }
        Ok(large.then_some(Sizes {
            sign_a,
            m,
            sign_b,
            n,
        }))
    }
}

/// Whether Newton's iteration is to divide m bits by n bits.
fn is_large(place: &ChosenPlace, m: u64, n: u64) -> bool {
    let tuning = Tuning::in_force();
    match place {
        ChosenPlace::Cpu => n.min(m.saturating_sub(n)) >= 64 * tuning.div_cpu_limbs as u64,
        ChosenPlace::Cuda(_) => m > 64 * tuning.div_device_limbs as u64 && m >= n,
    }
}

fn by_newton(a: &Resident, b: &Resident, sizes: Sizes) -> Result<(Resident, Resident)> {
    let Sizes {
        sign_a,
        m,
        sign_b,
        n,
    } = sizes;
    engine::wholly(
        made_of_products(Work::division(m, n)),
        [a.residence(), b.residence()],
        || {
            let (a, b) = (magnitude(a, sign_a, m)?, magnitude(b, sign_b, n)?);
            let (quotient, remainder) = progress::stage("division", 2, |stage| {
                let block = block_bits((m - n).max(1), n);
                let reciprocal = stage.step(1, || Reciprocal::new(&b, n, block))?;
                stage.step(1, || reciprocal.div_rem(&a, m))
            })?;
            Ok((
                signed(quotient, sign_a * sign_b)?,
                signed(remainder, sign_a)?,
            ))
        },
    )
}

/// |x| for x of this sign and this many bits.
pub(crate) fn magnitude(x: &Resident, sign: i32, bits: u64) -> Result<Resident> {
    Ok(match sign {
        -1 => limbs::neg(x)?,
        _ => x.clone(),
    }
    .narrow(bits))
}

/// x·sign.
pub(crate) fn signed(x: Resident, sign: i32) -> Result<Resident> {
    match sign {
        -1 => limbs::neg(&x),
        _ => Ok(x),
    }
}
