//! The functions of number theory that take more than one call of the library.

use bezout::factor::{Factorization, Status};
use bezout::{Error, Int, theory};

use super::apply::word;
use super::value::Value;
use crate::memory;

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
    let pairs = x
        .chunks_exact(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()));
    theory::chinese_remainder(&pairs.collect::<Vec<_>>())
}

/// The sum of the k-th powers of the divisors of n; k is 1 unless given.
pub fn sigma(x: &[Int]) -> Result<Int> {
    let k = x.get(1).map_or(Ok(1), |k| word(k, "sigma's power"))?;
    // A divisor is n itself.
    memory::check(
        "the sum of powers",
        u128::from(x[0].bit_length()) * u128::from(k),
    )?;
    theory::divisor_sum(&x[0], k)
}

/// Bernoulli's number.
pub fn bernoulli(x: &[Value]) -> Result<Value> {
    let n = x[0]
        .whole()
        .ok_or_else(|| Error::Domain("bernoulli takes whole numbers only".to_string()))?;
    let (over, under) = theory::bernoulli(word(n, "bernoulli's argument")?)?;
    super::value::div(&[over.into(), under.into()])
}

/// Stirling's number of the first kind, with its sign, or of the second.
pub fn stirling(x: &[Int]) -> Result<Int> {
    let (n, k) = (word(&x[0], "stirling's n")?, word(&x[1], "stirling's k")?);
    match x
        .get(2)
        .map_or(Ok(1), |kind| word(kind, "stirling's kind"))?
    {
        1 => {
            let count = theory::stirling_first(n, k)?;
            if n.wrapping_sub(k) % 2 == 1 {
                count.try_neg()
            } else {
                Ok(count)
            }
        }
        2 => theory::stirling_second(n, k),
        _ => Err(Error::Domain("stirling's kind is 1 or 2".to_string())),
    }
}

/// A number and the base that it is printed in.
pub fn in_base(x: &[Int]) -> Result<Vec<Int>> {
    if !(2..=36).contains(&word(&x[1], "the base")?) {
        return Err(Error::Domain(
            "the base must be between 2 and 36".to_string(),
        ));
    }
    Ok(x.to_vec())
}

/// The sum of the digits of |x[0]| in the base x[1], or in base 10.
pub fn sumdigits(x: &[Int]) -> Result<Int> {
    let base = x.get(1).map_or(Ok(10), |base| word(base, "the base"))?;
    theory::digit_sum(&x[0], u32::try_from(base).unwrap_or(u32::MAX))
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
