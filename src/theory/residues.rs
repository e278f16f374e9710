//! Numbers modulo a number.

use std::collections::HashMap;

use super::{modulus, prime_factors, totient};
use crate::error::{Error, Result};
use crate::int::Int;
use crate::progress;

/// The largest prime order in which a logarithm is computed: 2^20 steps and as many stored powers.
const MOST_ORDER_BITS: u64 = 42;

/// The least x ≥ 0 that is r modulo m for every pair (r, m). Moduli may have common divisors; an
/// error where no number has these remainders.
///
/// ```
/// # use bezout::{Int, theory};
/// let pairs = [(2, 3), (3, 5), (2, 7)].map(|(r, m)| (Int::from(r), Int::from(m)));
/// assert_eq!(theory::chinese_remainder(&pairs)?, 23);
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn chinese_remainder(pairs: &[(Int, Int)]) -> Result<Int> {
    let (mut value, mut product) = (Int::ZERO, Int::ONE);
    for (remainder, modulus) in pairs {
        let next = modulus.try_abs()?;
        // value + product·k has to be the remainder modulo next.
        let difference = remainder.try_sub(&value)?.try_rem_euclid(&next)?;
        let common = product.try_gcd(&next)?;
        if !difference.try_is_multiple_of(&common)? {
            return Err(Error::Domain(format!(
                "no number has these remainders: they disagree modulo {common}"
            )));
        }
        let step = next.try_div_exact(&common)?;
        // Everything is 0 modulo 1.
        if step != 1 {
            let inverse = product.try_div_exact(&common)?.try_mod_inverse(&step)?;
            let k = difference.try_div_exact(&common)?.try_mul(&inverse)?;
            value = value.try_add(&product.try_mul(&k.try_rem_euclid(&step)?)?)?;
        }
        product = product.try_mul(&step)?;
    }
    Ok(value)
}

/// The least k ≥ 1 with a^k = 1 modulo m; an error if a and m have a common divisor.
pub fn multiplicative_order(a: &Int, m: &Int) -> Result<Int> {
    let m = modulus(m)?;
    let common = a.try_gcd(m)?;
    if common != 1 {
        return Err(Error::Domain(format!(
            "no power is 1: the number and the modulus have the common divisor {common}"
        )));
    }
    order_dividing(a, m, &totient(m)?)
}

/// The order of a modulo m, a divisor of `multiple`.
fn order_dividing(a: &Int, m: &Int, multiple: &Int) -> Result<Int> {
    let mut order = multiple.clone();
    for (p, exponent) in prime_factors(multiple)? {
        for _ in 0..exponent {
            let less = order.try_div_exact(&p)?;
            if !is_one(&a.try_pow_mod(&less, m)?, m) {
                break;
            }
            order = less;
        }
    }
    Ok(order)
}

/// Whether x from 0 to m − 1 is 1 modulo m.
fn is_one(x: &Int, m: &Int) -> bool {
    *x == 1 || *m == 1
}

/// The least primitive root modulo m: a number whose powers are all that have no divisor in common
/// with m. An error if there is none: m must be 1, 2, 4, p^k or 2p^k for an odd prime p.
pub fn primitive_root(m: &Int) -> Result<Int> {
    let m = modulus(m)?;
    if *m == 1 {
        return Ok(Int::ZERO);
    }
    let factors = prime_factors(m)?;
    let is_cyclic = match factors.as_slice() {
        [(p, exponent)] => *p != 2 || *exponent <= 2,
        [(two, 1), _] => *two == 2,
        _ => false,
    };
    if !is_cyclic {
        return Err(Error::Domain("the modulus has no primitive root".into()));
    }
    let phi = totient(m)?;
    let quotients = prime_factors(&phi)?.into_iter();
    let quotients = quotients.map(|(p, _)| phi.try_div_exact(&p));
    let quotients = quotients.collect::<Result<Vec<Int>>>()?;
    let mut g = Int::ONE;
    loop {
        progress::check()?;
        let is_full = |quotient| Ok::<_, Error>(!is_one(&g.try_pow_mod(quotient, m)?, m));
        if g.try_gcd(m)? == 1 {
            let full = quotients.iter().map(is_full).collect::<Result<Vec<_>>>()?;
            if full.iter().all(|is| *is) {
                return Ok(g);
            }
        }
        g = g.try_add_small(1)?;
    }
}

/// The least x ≥ 0 with g^x = a modulo m, by Pohlig and Hellman's method: the primes that divide
/// the order of g may have up to 42 bits. An error if there is no such x.
pub fn discrete_log(a: &Int, g: &Int, m: &Int) -> Result<Int> {
    let m = modulus(m)?;
    let order = multiplicative_order(g, m)?;
    let none = || Error::Domain("the number is no power of the base".into());
    let mut pairs = Vec::new();
    for (p, exponent) in prime_factors(&order)? {
        if p.bit_length() > MOST_ORDER_BITS {
            return Err(Error::Domain(format!(
                "the order of the base has the prime factor {p}, above 2^{MOST_ORDER_BITS}"
            )));
        }
        // Digit by digit to the base p, in the group of order p.
        let step = order.try_div_exact(&p)?;
        let (generator, power) = (g.try_pow_mod(&step, m)?, p.try_pow(exponent)?);
        let table = BabySteps::new(&generator, &p, m)?;
        let (mut x, mut digit_value) = (Int::ZERO, Int::ONE);
        for i in 1..=exponent {
            let rest = a.try_mul(&g.try_pow_mod(&x.try_neg()?, m)?)?;
            let part = rest.try_pow_mod(&order.try_div_exact(&p.try_pow(i)?)?, m)?;
            let digit = table.log(&part)?.ok_or_else(none)?;
            x = x.try_add(&digit_value.try_mul(&Int::from(digit))?)?;
            digit_value = digit_value.try_mul(&p)?;
        }
        pairs.push((x, power));
    }
    let x = chinese_remainder(&pairs)?;
    if g.try_pow_mod(&x, m)? != a.try_rem_euclid(m)? {
        return Err(none());
    }
    Ok(x)
}

/// Powers of a generator of a group of prime order, by their values (Shanks).
struct BabySteps<'a> {
    places: HashMap<Int, u64>,
    /// The generator's inverse to the power of their number.
    giant: Int,
    count: u64,
    m: &'a Int,
}

impl<'a> BabySteps<'a> {
    fn new(generator: &Int, order: &Int, m: &'a Int) -> Result<BabySteps<'a>> {
        let count = order.try_isqrt()?.try_add_small(1)?;
        let count = u64::try_from(&count).unwrap_or(u64::MAX);
        let (mut places, mut power) = (HashMap::new(), Int::ONE.try_rem_euclid(m)?);
        for i in 0..count {
            if i.is_multiple_of(1 << 10) {
                progress::check()?;
            }
            places.entry(power.clone()).or_insert(i);
            power = power.try_mul(generator)?.try_rem_euclid(m)?;
        }
        let giant = generator.try_pow_mod(&Int::from(count).try_neg()?, m)?;
        Ok(BabySteps {
            places,
            giant,
            count,
            m,
        })
    }

    fn log(&self, a: &Int) -> Result<Option<u64>> {
        let mut rest = a.clone();
        for i in 0..self.count {
            if i.is_multiple_of(1 << 10) {
                progress::check()?;
            }
            if let Some(place) = self.places.get(&rest) {
                return Ok(Some(i * self.count + place));
            }
            rest = rest.try_mul(&self.giant)?.try_rem_euclid(self.m)?;
        }
        Ok(None)
    }
}

/// A square root of a modulo m ≥ 1: the smallest of those that come from the smallest roots modulo
/// the prime powers in m and their negatives. An error if a is no square.
pub fn sqrt_mod(a: &Int, m: &Int) -> Result<Int> {
    let m = modulus(m)?;
    let factors = prime_factors(m)?;
    let mut roots = vec![Vec::new()];
    for (p, exponent) in factors {
        let power = p.try_pow(exponent)?;
        let root = root_modulo_power(a, &p, exponent)?;
        let other = root.try_neg()?.try_rem_euclid(&power)?;
        let choices = if root == other {
            vec![root]
        } else {
            vec![root, other]
        };
        // Signs of many roots are as many choices; the first ones do.
        let so_far = if roots.len() > 1 << 10 {
            &roots[..1]
        } else {
            &roots[..]
        };
        roots = so_far
            .iter()
            .flat_map(|pairs: &Vec<(Int, Int)>| {
                choices.iter().map(|choice| {
                    let mut pairs = pairs.clone();
                    pairs.push((choice.clone(), power.clone()));
                    pairs
                })
            })
            .collect();
    }
    let all = roots.iter().map(|pairs| chinese_remainder(pairs));
    let all = all.collect::<Result<Vec<Int>>>()?;
    Ok(all.into_iter().min().unwrap_or_default())
}

fn no_root() -> Error {
    Error::Domain("the number is no square modulo this number".into())
}

/// A square root of a modulo p^e.
fn root_modulo_power(a: &Int, p: &Int, exponent: u64) -> Result<Int> {
    let power = p.try_pow(exponent)?;
    let a = a.try_rem_euclid(&power)?;
    if a.is_zero() {
        return Ok(Int::ZERO);
    }
    // a = p^(2k)·u: the root of u modulo p^(e − 2k), times p^k.
    let (unit, count) = a.try_remove(p)?;
    if !count.is_multiple_of(2) {
        return Err(no_root());
    }
    let left = exponent - count;
    let root = if *p == 2 {
        root_modulo_power_of_2(&unit, left)?
    } else {
        lifted_root(&unit, p, left)?
    };
    root.try_mul(&p.try_pow(count / 2)?)?.try_rem_euclid(&power)
}

/// A square root of an odd u modulo 2^e, bit by bit.
fn root_modulo_power_of_2(u: &Int, exponent: u64) -> Result<Int> {
    let known = exponent.min(3);
    let one = Int::ONE;
    if u.try_sub(&one)?
        .try_trailing_zeros()?
        .is_some_and(|zeros| zeros < known)
    {
        return Err(no_root());
    }
    // x² = u modulo 2^i for i ≥ 3: one of x and x + 2^(i − 1) is a root modulo 2^(i + 1).
    let mut x = one;
    for i in 3..exponent {
        let difference = x.try_square()?.try_sub(u)?;
        if difference.try_bit(i)? {
            x = x.try_add(&Int::ONE.try_shl(i - 1)?)?;
        }
    }
    Ok(x)
}

/// A square root of u modulo p^e for an odd prime p that does not divide u: one modulo p, lifted by
/// Newton's iteration x ← x − (x² − u)/(2x), which doubles the exponent.
fn lifted_root(u: &Int, p: &Int, exponent: u64) -> Result<Int> {
    let mut x = root_modulo_prime(&u.try_rem_euclid(p)?, p)?;
    let mut known = 1;
    while known < exponent {
        known = (2 * known).min(exponent);
        let power = p.try_pow(known)?;
        let excess = x.try_square()?.try_sub(u)?.try_rem_euclid(&power)?;
        let inverse = x.try_shl(1)?.try_mod_inverse(&power)?;
        x = x
            .try_sub(&excess.try_mul(&inverse)?)?
            .try_rem_euclid(&power)?;
    }
    Ok(x)
}

/// The least square root of u modulo an odd prime p that does not divide it (Tonelli and Shanks).
fn root_modulo_prime(u: &Int, p: &Int) -> Result<Int> {
    if u.try_jacobi(p)? != 1 {
        return Err(no_root());
    }
    let less = p.try_add_small(-1)?;
    let twos = less.try_trailing_zeros()?.unwrap_or(0);
    let odd = less.try_shr(twos)?;
    let mut other = Int::from(2);
    while other.try_jacobi(p)? != -1 {
        other = other.try_add_small(1)?;
    }
    let times = |x: &Int, y: &Int| x.try_mul(y)?.try_rem_euclid(p);
    // x² = u·t, where t has order 2^k with k < the exponent of c's order.
    let mut c = other.try_pow_mod(&odd, p)?;
    let mut x = u.try_pow_mod(&odd.try_add_small(1)?.try_shr(1)?, p)?;
    let mut t = u.try_pow_mod(&odd, p)?;
    let mut exponent = twos;
    while t != 1 {
        progress::check()?;
        let (mut k, mut power) = (0, t.clone());
        while power != 1 {
            power = times(&power, &power)?;
            k += 1;
        }
        for _ in 0..exponent - k - 1 {
            c = times(&c, &c)?;
        }
        x = times(&x, &c)?;
        c = times(&c, &c)?;
        t = times(&t, &c)?;
        exponent = k;
    }
    let negative = p.try_sub(&x)?;
    Ok(x.min(negative))
}
