//! What the functions of `functions.rs` do where that is more than one call: arguments checked,
//! results sized beforehand.

use bezout::{Error, Int};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::memory;

type Result<T> = bezout::Result<T>;

/// A bit position or a count; `None` if it is above 2^64 - 1, an error if it is negative. No number
/// is that long, so every bit at such a position is a copy of the sign.
fn position(x: &Int, what: &str) -> Result<Option<u64>> {
    if x.is_negative() {
        return Err(Error::Domain(format!("{what} must not be negative")));
    }
    Ok(u64::try_from(x).ok())
}

/// A count that makes a result at least as many bits long; an error if it is above 2^64 - 1.
fn count(x: &Int, argument: &str, what: &'static str) -> Result<u64> {
    match position(x, argument)? {
        Some(n) => Ok(n),
        None => memory::check(what, u128::MAX).map(|()| u64::MAX),
    }
}

/// An argument that sets a result's size: `bits_per_unit` bits for each unit, if that fits in
/// memory.
pub fn size(x: &Int, argument: &str, what: &'static str, bits_per_unit: f64) -> Result<u64> {
    let n = count(x, argument, what)?;
    memory::check(what, (n as f64 * bits_per_unit) as u128)?;
    Ok(n)
}

/// Bit `x[1]` of `x[0]`.
pub fn bit(x: &[Int]) -> Result<Int> {
    let index = position(&x[1], "bit position")?;
    Ok(truth(match index {
        Some(index) => x[0].try_bit(index)?,
        None => x[0].try_is_negative()?,
    }))
}

/// The first bit of `x[0]` at or above `x[1]` that is set, or that is clear; -1 if there is none.
pub fn scan(x: &[Int], wanted: bool) -> Result<Int> {
    let Some(from) = position(&x[1], "bit position")? else {
        let is_wanted = x[0].is_negative() == wanted;
        return Ok(if is_wanted {
            x[1].clone()
        } else {
            Int::from(-1)
        });
    };
    let found = if wanted {
        x[0].try_first_set_bit(from)?
    } else {
        x[0].try_first_clear_bit(from)?
    };
    Ok(found.map_or_else(|| Int::from(-1), Int::from))
}

pub fn mul(x: &[Int]) -> Result<Int> {
    let bits = u128::from(x[0].bit_length()) + u128::from(x[1].bit_length());
    memory::check("the product", bits)?;
    x[0].try_mul(&x[1])
}

pub fn pow(x: &[Int]) -> Result<Int> {
    let (base, exponent) = (&x[0], &x[1]);
    let bits = base.bit_length();
    if bits <= 1 && !exponent.is_negative() {
        // 0, 1 and -1 take any exponent: past zero, only its parity matters.
        let small = if exponent.is_zero() {
            0
        } else {
            2 - u64::from(exponent.bit(0))
        };
        return base.try_pow(small);
    }
    let n = count(exponent, "exponent", "the power")?;
    memory::check("the power", u128::from(bits - 1) * u128::from(n))?;
    base.try_pow(n)
}

pub fn shl(x: &[Int]) -> Result<Int> {
    if x[0].is_zero() && !x[1].is_negative() {
        return Ok(x[0].clone());
    }
    let n = count(&x[1], "shift count", "the shift")?;
    memory::check("the shift", u128::from(x[0].bit_length()) + u128::from(n))?;
    x[0].try_shl(n)
}

pub fn shr(x: &[Int]) -> Result<Int> {
    match position(&x[1], "shift count")? {
        Some(n) => x[0].try_shr(n),
        None => Ok(Int::from(-i32::from(x[0].is_negative()))),
    }
}

/// `x[0]` with `change` made to bit `x[1]`; only where it `grows` may that be far above the top.
pub fn with_bit(x: &[Int], change: fn(&mut Int, u64) -> Result<()>, grows: bool) -> Result<Int> {
    let i = position(&x[1], "bit position")?;
    let mut result = x[0].clone();
    if i.is_none_or(|i| i > x[0].bit_length()) && !grows {
        return Ok(result);
    }
    let i = count(&x[1], "bit position", "the number")?;
    memory::check("the number", u128::from(i) + 1)?;
    change(&mut result, i)?;
    Ok(result)
}

pub fn fill(x: &[Int]) -> Result<Int> {
    x[0].try_fetch()?;
    let limb = u64::try_from(&x[0])
        .map_err(|_| Error::Domain("fill's pattern must be between 0 and 2^64 - 1".to_string()))?;
    let count = size(&x[1], "fill's count", "the filled number", 64.0)?;
    match usize::try_from(count) {
        Ok(count) => Int::try_fill(limb, count),
        Err(_) => Err(Error::Domain("fill's count is too large".to_string())),
    }
}

pub fn factorial(x: &[Int]) -> Result<Int> {
    let what = "the factorial";
    let n = count(&x[0], "factorial's argument", what)?;
    // Stirling: ln n! > n ln n - n.
    let bits = n as f64 * ((n as f64).max(1.0).log2() - std::f64::consts::LOG2_E);
    memory::check(what, bits.max(0.0) as u128)?;
    Int::try_factorial(n)
}

pub fn lcm(x: &Int, y: &Int) -> Result<Int> {
    let divisor = x.try_gcd(y)?;
    if divisor.is_zero() {
        return Ok(divisor);
    }
    mul(&[x.try_div_rem(&divisor)?.0, y.try_abs()?])
}

/// Bits and seed; where an expression names no seed, its compilation has drawn one.
pub fn random(x: &[Int]) -> Result<Int> {
    let bits = size(&x[0], "the number of bits", "the random number", 1.0)?;
    x[1].try_fetch()?;
    let seed = u64::try_from(&x[1])
        .map_err(|_| Error::Domain("a seed must be between 0 and 2^64 - 1".to_string()))?;
    Int::try_random_bits(bits, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
}

/// n over k.
pub fn binomial(x: &[Int]) -> Result<Int> {
    let n = word(&x[0], "binomial's upper number")?;
    let k = word(&x[1], "binomial's lower number")?;
    // At least (n/k)^k for k up to n/2.
    if let Some(least) = n.checked_sub(k).map(|rest| rest.min(k)).filter(|k| *k > 0) {
        let bits = least as f64 * (n as f64 / least as f64).log2();
        memory::check("the binomial coefficient", bits as u128)?;
    }
    Int::try_binomial(n, k)
}

/// The root of degree `x[1]`.
pub fn root(x: &[Int]) -> Result<Int> {
    let n = &x[1];
    if let Some(n) = position(n, "the degree of a root")? {
        return x[0].try_root(n);
    }
    if x[0].is_negative() && !n.bit(0) {
        return Err(Error::Domain(format!(
            "a negative number has no root of even degree {n}"
        )));
    }
    // The magnitude is below 2^n, so that its root is below 2.
    Ok(Int::from(x[0].signum()))
}

/// The exponent that makes a perfect power of it, or 0.
pub fn power_exponent(x: &Int) -> Result<Int> {
    let power = x.try_perfect_power()?;
    Ok(power.map_or(Int::ZERO, |(_, exponent)| Int::from(exponent)))
}

/// 1 for true.
pub fn truth(value: bool) -> Int {
    Int::from(u8::from(value))
}

/// `x` as a u64; an error if it does not fit.
pub fn word(x: &Int, what: &str) -> Result<u64> {
    u64::try_from(x).map_err(|_| Error::Domain(format!("{what} must be between 0 and 2^64 - 1")))
}
