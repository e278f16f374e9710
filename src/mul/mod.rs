//! Multiplication and powers.
//!
//! ```text
//!   engine      0 ........................................................ all of memory
//!   Cpu         | the floor | 52-bit digits | transforms over 49-bit primes        |
//!   Cuda        | limbs | transforms over 30-bit primes, from 2^35 bits on of halves |
//!   Auto        on the device where the operands are there already, else on the CPU
//! ```

mod combinations;
mod cpu;
pub(crate) mod cuda;
mod halves;
mod host;
mod plan;
mod prepared;
mod slices;
#[cfg(test)]
mod tests;

pub(crate) use combinations::{matrix_product, sum_of_products, sums_of_products};
pub(crate) use cpu::sums_of_limbs;
pub(crate) use host::{assign_product, product as host_product, square as host_square};
pub(crate) use prepared::Prepared;
pub use slices::mul_slices;

use crate::number::Integer;

use crate::engine::{self, Engine, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident};
use crate::tuning::Tuning;
use crate::word::mul::low::FULL;
use crate::{memory, progress, verify};

pub(crate) use crate::ntt::cpu::Number;

/// Peak memory in multiples of the product's own size, its operands included. Measured at 2^29 to
/// 2^30 bits: 11 for multiplication, power, factorial and Fibonacci, 13.4 for the primorial.
const PRODUCT_MEMORY: u64 = 14;

/// Whether products by x on the CPU are the floor's, whatever the other operand, and need no check.
#[inline]
pub(crate) fn is_short(x: &Integer) -> bool {
    let limbs = x.magnitude().limbs().len();
    // One limb is short whatever the tuning, and need not ask it.
    let least = |tuning: &Tuning| tuning.cpu_ntt_limbs.min(tuning.cpu_digits_limbs);
    (limbs < Tuning::short_limbs() || limbs <= 1 || limbs < least(Tuning::in_force()))
        && !verify::is_on()
}

/// Work that is made of products of numbers of up to as many limbs as its size.
pub(crate) fn made_of_products(work: Work) -> Work {
    work.needing(cuda::of_products, (work.size(), 0))
}

/// One product of numbers of `a` and `b` bits.
pub(crate) fn one_product(a: u64, b: u64) -> Work {
    let limbs = |bits: u64| bits.div_ceil(64).max(1);
    Work::product(a.min(b)).needing(cuda::of_product, (limbs(a), limbs(b)))
}

/// a · b.
pub(crate) fn mul(a: &Resident, b: &Resident) -> Result<Resident> {
    if a.is_same(b) {
        return square(a);
    }
    if let (Resident::Small(x), Resident::Small(y), Engine::Auto | Engine::Cpu) =
        (a, b, Engine::current())
    {
        Engine::Cpu.note_used();
        let product = cpu::product(x, y).into();
        verify::product("multiplication", a, Some(b), &product)?;
        return Ok(product);
    }
    let product = engine::run(
        one_product(a.bits_bound(), b.bits_bound()),
        [a.residence(), b.residence()],
        || {
            check_operands(a, b)?;
            Ok(cpu::product(a.host()?, b.host()?).into())
        },
        |device| cuda::mul(&a.on(device)?, &b.on(device)?),
    )?;
    verify::product("multiplication", a, Some(b), &product)?;
    Ok(product)
}

/// a².
pub(crate) fn square(a: &Resident) -> Result<Resident> {
    let square = engine::run(
        one_product(a.bits_bound(), a.bits_bound()),
        [a.residence()],
        || {
            check_operands(a, a)?;
            let value = a.host()?;
            Ok(cpu::product(value, value).into())
        },
        |device| cuda::square(&a.on(device)?),
    )?;
    verify::product("squaring", a, None, &square)?;
    Ok(square)
}

/// a·b modulo 2^bits, not negative.
pub(crate) fn mul_low(a: &Resident, b: &Resident, bits: u64) -> Result<Resident> {
    if let (Resident::Small(x), Resident::Small(y), Engine::Auto | Engine::Cpu) =
        (a, b, Engine::current())
        && bits <= 64 * FULL as u64
        && !verify::is_on()
    {
        Engine::Cpu.note_used();
        return Ok(Integer::from(x.mul_low(y, bits)).into());
    }
    // The limbs above do not affect the result.
    let part = |x: &Resident| {
        if x.bits_bound() > bits {
            limbs::low(x, bits)
        } else {
            Ok(x.clone())
        }
    };
    let product = mul(&part(a)?, &part(b)?)?;
    if product.bits_bound() > bits {
        return limbs::low(&product, bits);
    }
    let high = limbs::shr(&product, bits)?;
    limbs::sub(&product, &limbs::shl(&high, bits)?)
}

/// ⌊a·b / 2^bits⌋.
pub(crate) fn mul_high(a: &Resident, b: &Resident, bits: u64) -> Result<Resident> {
    limbs::shr(&mul(a, b)?, bits)
}

fn check_operands(a: &Resident, b: &Resident) -> Result<()> {
    check_product(
        "multiplication",
        a.bits_bound().saturating_add(b.bits_bound()),
    )
}

/// a^exponent; 0^0 is 1.
pub(crate) fn pow(a: &Resident, exponent: u64) -> Result<Resident> {
    engine::check()?;
    let bits = if a.is_on_host() {
        power_bits(a.host()?.magnitude().limbs(), exponent)
    } else {
        limbs::size(a)?.1.saturating_mul(exponent)
    };
    check_product("power", bits)?;
    if bits <= 64 * Tuning::current().pow_limbs as u64 || exponent < 2 {
        Engine::Cpu.note_used();
        return Ok(a.host()?.pow(exponent).into());
    }
    let work = || {
        // The factor 2^zeros only shifts.
        let zeros = limbs::scan_set(a, 0)?.unwrap_or(0);
        let odd = limbs::shr(a, zeros)?;
        let (sign, bits) = limbs::size(a)?;
        if bits == zeros + 1 {
            let sign = if exponent.is_multiple_of(2) { 1 } else { sign };
            return limbs::shl(&Integer::from(sign).into(), zeros * exponent);
        }
        // Each step takes as much as all before it.
        let power = progress::stage("power", exponent, |stage| {
            let mut power = odd.clone();
            for bit in (0..exponent.ilog2()).rev() {
                power = square(&power)?;
                if exponent >> bit & 1 == 1 {
                    power = mul(&power, &odd)?;
                }
                stage.advance((exponent >> bit).div_ceil(2))?;
            }
            Ok(power)
        })?;
        limbs::shl(&power, zeros * exponent)
    };
    engine::wholly(made_of_products(Work::power(bits)), [a.residence()], work)
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

/// Refuses, before anything is allocated, a product of `bits` bits that could not be computed in
/// memory.
pub(crate) fn check_product(what: &'static str, bits: u64) -> Result<()> {
    memory::check_copies(what, bits.into(), PRODUCT_MEMORY)
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
