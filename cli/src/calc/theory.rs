//! The functions of number theory that take more than one call of the library.

use bezout::factor::{Factorization, Status};
use bezout::{Error, Int};

use super::apply::{mul, word};

type Result<T> = bezout::Result<T>;

/// The gcd g of two numbers, and s and t with s·x + t·y = g.
pub fn xgcd(x: &[Int]) -> Result<Vec<Int>> {
    let (g, s, t) = x[0].try_extended_gcd(&x[1])?;
    Ok(vec![g, s, t])
}

/// The number, and its prime factors in ascending order, each as often as it divides the number.
pub fn factors(n: &Int) -> Result<Vec<Int>> {
    let mut values = vec![n.clone()];
    for factor in &complete(n)?.factors {
        let count = usize::try_from(factor.exponent).unwrap_or(usize::MAX);
        values.extend(std::iter::repeat_n(factor.value.clone(), count));
    }
    Ok(values)
}

/// How many of 1, 2, …, n have no divisor in common with n.
pub fn phi(n: &Int) -> Result<Int> {
    let mut product = Int::ONE;
    for factor in &complete(n)?.factors {
        let power = factor.value.try_pow(factor.exponent - 1)?;
        product = product
            .try_mul(&power)?
            .try_mul(&factor.value.try_add_small(-1)?)?;
    }
    Ok(product)
}

/// All prime factors of a number from 1 on.
fn complete(n: &Int) -> Result<Factorization> {
    if *n < 1 {
        let reason = "only numbers from 1 on have prime factors";
        return Err(Error::Domain(reason.to_string()));
    }
    let found = n.try_factor()?;
    let is_open = |status| status == Status::Composite;
    if found.factors.iter().any(|factor| is_open(factor.status)) {
        let reason = "the number could not be factored completely";
        return Err(Error::Domain(reason.to_string()));
    }
    Ok(found)
}

/// Chinese remainders: `x` holds a remainder and its modulus in turn. Moduli may have common
/// divisors.
pub fn crt(x: &[Int]) -> Result<Int> {
    if !x.len().is_multiple_of(2) {
        let reason = "crt takes pairs: a remainder and its modulus, and so on";
        return Err(Error::Domain(reason.to_string()));
    }
    let (mut value, mut modulus) = (Int::ZERO, Int::ONE);
    for pair in x.chunks_exact(2) {
        let next = pair[1].try_abs()?;
        // value + modulus·k has to be pair[0] modulo next.
        let difference = pair[0].try_sub(&value)?.try_rem_euclid(&next)?;
        let common = modulus.try_gcd(&next)?;
        if !difference.try_is_multiple_of(&common)? {
            return Err(Error::Domain(format!(
                "no number has these remainders: they disagree modulo {common}"
            )));
        }
        let step = next.try_div_exact(&common)?;
        // Everything is 0 modulo 1.
        if step != 1 {
            let inverse = modulus.try_div_exact(&common)?.try_mod_inverse(&step)?;
            let k = mul(&[difference.try_div_exact(&common)?, inverse])?.try_rem_euclid(&step)?;
            value = value.try_add(&mul(&[modulus.clone(), k])?)?;
        }
        modulus = mul(&[modulus, step])?;
    }
    Ok(value)
}

/// Legendre's symbol (x[0]/x[1]).
pub fn legendre(x: &[Int]) -> Result<Int> {
    if x[1] == 2 || !x[1].try_is_probable_prime()? {
        return Err(Error::Domain(
            "the Legendre symbol needs an odd prime below the line: jacobi takes any odd number"
                .to_string(),
        ));
    }
    Ok(Int::from(x[0].try_jacobi(&x[1])?))
}

/// The binary logarithm, rounded down.
pub fn log2(x: &Int) -> Result<Int> {
    if *x < 1 {
        let reason = "only positive numbers have a logarithm";
        return Err(Error::Domain(reason.to_string()));
    }
    Ok(Int::from(x.bit_length() - 1))
}

/// How many digits |x[0]| has in the base x[1], or in base 10.
pub fn digits(x: &[Int]) -> Result<Int> {
    let base = x.get(1).map_or(Ok(10), |base| word(base, "the base"))?;
    if base < 2 {
        return Err(Error::Domain("the base must be at least 2".to_string()));
    }
    let number = x[0].try_abs()?;
    let bits = number.bit_length();
    if number < base {
        return Ok(Int::ONE);
    }
    if base.is_power_of_two() {
        return Ok(Int::from(bits.div_ceil(u64::from(base.ilog2()))));
    }
    // The logarithm to the base, from the top 64 bits. Leaving out the other bits, taking the two
    // logarithms, adding and dividing have a relative error of at most 2^-52 each.
    let shift = bits.saturating_sub(64);
    let top = word(&number.try_shr(shift)?, "the leading bits")?;
    let logarithm = (shift as f64 + (top as f64).log2()) / (base as f64).log2();
    let slack = logarithm * 2f64.powi(-49) + 2f64.powi(-49);
    let (low, high) = (logarithm - slack, logarithm + slack);
    if low.floor() == high.floor() {
        return Ok(Int::from(low.floor() as u64 + 1));
    }
    let exponent = high.floor() as u64;
    let is_above = number >= Int::from(base).try_pow(exponent)?;
    Ok(Int::from(exponent + u64::from(is_above)))
}
