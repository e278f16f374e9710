//! Multiplication and powers.
//!
//! ```text
//!   engine      0 .................................. all of memory
//!   Auto, Cpu   | malachite: schoolbook, Toom–Cook | transforms (`cpu`) |
//!   Cuda        | not yet: an error                     |
//! ```

mod cpu;

use malachite_base::num::arithmetic::traits::Pow;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limbs::{Limbs, check_bits};

/// Peak memory in multiples of the product's own size, its operands included. Measured at 2^29 to 2^30 bits with malachite
/// 0.14: 11 for multiplication, power, factorial and Fibonacci, 13.4 for the primorial.
const PRODUCT_MEMORY: u64 = 14;

/// a · b.
pub(crate) fn mul(a: &Limbs, b: &Limbs) -> Result<Limbs> {
    check_operands(a, b)?;
    Ok(cpu::product(a.host()?, b.host()?).into())
}

/// The same, into `a`, reusing its memory where nothing else shares it.
pub(crate) fn mul_assign(a: &mut Limbs, b: &Limbs) -> Result<()> {
    check_operands(a, b)?;
    let other = b.host()?;
    let product = match a.take_host() {
        Some(mut value) => {
            cpu::product_assign(&mut value, other);
            value
        }
        None => cpu::product(a.host()?, other),
    };
    *a = product.into();
    Ok(())
}

fn check_operands(a: &Limbs, b: &Limbs) -> Result<()> {
    host_only("multiplication")?;
    match (a, b) {
        (Limbs::Small(_), Limbs::Small(_)) => Ok(()),
        _ => check_product(
            "multiplication",
            a.bits_bound().saturating_add(b.bits_bound()),
        ),
    }
}

/// a^exponent; 0^0 is 1.
pub(crate) fn pow(a: &Limbs, exponent: u64) -> Result<Limbs> {
    host_only("power")?;
    let a = a.host()?;
    check_product(
        "power",
        power_bits(a.unsigned_abs_ref().as_limbs_asc(), exponent),
    )?;
    Ok(a.pow(exponent).into())
}

/// Bits of |a|^exponent, at most one part in 2^40 (and one bit) too many; saturates.
fn power_bits(magnitude: &[u64], exponent: u64) -> u64 {
    let Some(top) = magnitude.last() else {
        return 0;
    };
    if magnitude == [1] {
        return 1;
    }
    let below = magnitude.len().checked_sub(2).map_or(0, |i| magnitude[i]);
    let mantissa = *top as f64 + (below as f64 + 1.0) * 2f64.powi(-64);
    let log2 = mantissa.log2() + 64.0 * (magnitude.len() - 1) as f64;
    // log2 and the product are each right to a few parts in 2^53.
    ((log2 * exponent as f64 * (1.0 + 2f64.powi(-40))) as u64).saturating_add(1)
}

/// Refuses, before anything is allocated, a product of `bits` bits that could not be computed in memory.
pub(crate) fn check_product(what: &'static str, bits: u64) -> Result<()> {
    match check_bits(what, bits.saturating_mul(PRODUCT_MEMORY)) {
        Err(Error::TooLarge { limit, .. }) => Err(Error::TooLarge {
            what,
            bits,
            limit: limit / PRODUCT_MEMORY,
        }),
        other => other.map(drop),
    }
}

/// For operations that only the host has: refuses a forced device, and notes that the CPU was used.
pub(crate) fn host_only(operation: &'static str) -> Result<()> {
    match Engine::current() {
        engine @ Engine::Cuda(_) => Err(Error::Unsupported {
            operation,
            engine: engine.to_string(),
        }),
        Engine::Auto | Engine::Cpu => {
            Engine::Cpu.note_used();
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use malachite_base::num::logic::traits::SignificantBits;
    use malachite_nz::integer::Integer;

    use super::*;

    #[test]
    fn power_bits_bounds_the_power() {
        let two64 = Integer::from(1u128 << 64);
        for base in [0, 1, 2, 3, 10, 255, 256, u64::MAX]
            .map(Integer::from)
            .into_iter()
            .chain([
                two64.clone(),
                &two64 + Integer::from(1),
                &two64 * &two64 - Integer::from(1),
            ])
        {
            for exponent in [0, 1, 2, 3, 64, 1000, 12345] {
                let bits = (&base).pow(exponent).significant_bits();
                let bound = power_bits(base.unsigned_abs_ref().as_limbs_asc(), exponent);
                let slack = if exponent == 0 { 0 } else { 2 };
                assert!(
                    bits <= bound.max(1) && bound <= bits + slack,
                    "{base}^{exponent}: {bits} {bound}"
                );
            }
        }
        assert_eq!(power_bits(&[3], u64::MAX), u64::MAX);
        assert_eq!(power_bits(&[1], u64::MAX), 1);
    }

    #[test]
    fn too_large_is_an_error() {
        let three = Limbs::from(Integer::from(3));
        assert!(matches!(
            pow(&three, 1 << 60),
            Err(Error::TooLarge { what: "power", .. })
        ));
    }
}
