//! Powers modulo a number, by windows of the exponent.
//!
//! Between steps residues are below 2m, not m, which the reciprocal's blocks give without a
//! comparison: the product of two such is below 2m·2^(n+1) for a modulus of n bits, so one block of
//! n + 1 bits brings it back.

use crate::number::Integer;
use crate::number::Natural;

use super::mod_inverse;
use crate::div::Reciprocal;
use crate::div::{self, Rounding};
use crate::engine::{self, Engine, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::mul::{made_of_products, mul, square};
use crate::progress::{self, Stage};
use crate::tuning::Tuning;

/// Products of limbs from which on a power on the host reports its progress: some milliseconds.
const TOLD_PRODUCTS: u64 = 1 << 22;

/// a^e modulo |m|, from 0 to |m| − 1. A negative exponent takes the inverse of a; m = 0 is an
/// error.
pub(crate) fn mod_pow(a: &Resident, e: &Resident, m: &Resident) -> Result<Resident> {
    let (sign, n) = limbs::size(m)?;
    if sign == 0 {
        return Err(Error::DivisionByZero);
    }
    engine::check()?;
    let exponent = e.host()?;
    let base = if *exponent < 0 {
        mod_inverse(a, m)?
    } else {
        div::div_rem_rounded(a, m, Rounding::Euclid)?.1
    };
    let exponent = exponent.magnitude();
    let least = Tuning::current().powmod_limbs;
    if n < 64 * least as u64 || *exponent <= 1 {
        Engine::Cpu.note_used();
        let (base, modulus) = (base.host()?.magnitude(), m.host()?.magnitude());
        return Ok(Integer::from(on_host(base, exponent, modulus)?).into());
    }
    engine::on_cpu_if_short(n, least, || {
        // Every step is a product and a division.
        engine::wholly(
            made_of_products(Work::division(2 * n, n)),
            [base.residence(), m.residence()],
            || {
                let modulus = div::magnitude(m, sign, n)?;
                progress::stage("modular power", exponent.bit_length(), |stage| {
                    windows(stage, &base, exponent, &modulus, n)
                })
            },
        )
    })
}

/// base^exponent modulo m > 0.
fn on_host(base: &Natural, exponent: &Natural, m: &Natural) -> Result<Natural> {
    let (bits, limbs) = (exponent.bit_length(), m.limb_count() as u64);
    if !progress::is_observed() || bits.saturating_mul(limbs.pow(2)) < TOLD_PRODUCTS {
        return Ok(base.mod_pow(exponent, m));
    }
    progress::stage("modular power", bits, |stage| {
        let go_on = &mut |bits| stage.advance(bits).is_ok();
        base.mod_pow_while(exponent, m, go_on)
            .ok_or(Error::Cancelled)
    })
}

/// Bits of a window: each costs a multiplication, and the table 2^(width−1).
fn window_width(bits: u64) -> u64 {
    match bits {
        0..=24 => 2,
        25..=80 => 3,
        81..=240 => 4,
        241..=672 => 5,
        673..=1792 => 6,
        _ => 7,
    }
}

/// base^exponent mod m, for 0 ≤ base < m, exponent > 1 and m of n bits.
fn windows(
    stage: &Stage,
    base: &Resident,
    exponent: &Natural,
    m: &Resident,
    n: u64,
) -> Result<Resident> {
    let reciprocal = Reciprocal::new(m, n, n + 1)?;
    let reduce = |x: Resident| Ok::<_, Error>(reciprocal.residue(&x, n + 1)?.narrow(n + 1));
    let bits = exponent.bit_length();
    let width = window_width(bits);
    let twice = reduce(square(base)?)?;
    // Odd powers: base^1, base^3, ...
    let mut odd = vec![base.clone()];
    while odd.len() < 1 << (width - 1) {
        odd.push(reduce(mul(&odd[odd.len() - 1], &twice)?)?);
    }
    let mut result: Option<Resident> = None;
    let mut at = bits;
    while at > 0 {
        if !exponent.bit(at - 1) {
            if let Some(x) = result {
                result = Some(reduce(square(&x)?)?);
            }
            at -= 1;
            stage.advance(1)?;
            continue;
        }
        // The longest window from here that ends in a one.
        let mut end = at.saturating_sub(width);
        while !exponent.bit(end) {
            end += 1;
        }
        let index = (end..at)
            .rev()
            .fold(0usize, |v, i| v << 1 | usize::from(exponent.bit(i)));
        result = Some(match result {
            None => odd[index / 2].clone(),
            Some(mut x) => {
                for _ in end..at {
                    x = reduce(square(&x)?)?;
                }
                reduce(mul(&x, &odd[index / 2])?)?
            }
        });
        stage.advance(at - end)?;
        at = end;
    }
    let result = result.unwrap_or_else(|| Integer::from(1).into());
    Ok(reciprocal.div_rem(&result, n + 1)?.1)
}
