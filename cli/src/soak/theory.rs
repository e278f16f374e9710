//! Common divisors, inverses and powers modulo a number. Checked by certificates.

use bezout::{Int, Result};
use rand::RngExt;

use super::operation::{Operation, Value, is_domain, numbers, one};
use super::residues::Residues;
use super::sample::{self, Rng, Sample};

const MOST_BITS: u64 = 1 << 28;
/// Products of limbs that a power may take, which sets the length of its exponent.
const POWER_WORK: u64 = 1 << 21;

pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "gcd",
        most_bits: MOST_BITS,
        draw: sample::pair_with_factor,
        compute: |s| one(s.numbers[0].try_gcd(&s.numbers[1])),
        check: |s, found| {
            numbers(found, |[g]| {
                let [a, b] = [&s.numbers[0], &s.numbers[1]];
                is_gcd(a, b, g)
            })
        },
    },
    Operation {
        name: "cofactors",
        most_bits: MOST_BITS,
        draw: sample::pair_with_factor,
        compute: |s| {
            let (g, x, y) = s.numbers[0].try_extended_gcd(&s.numbers[1])?;
            Ok(vec![g.into(), x.into(), y.into()])
        },
        check: |s, found| {
            numbers(found, |[g, x, y]| {
                let [a, b] = [&s.numbers[0], &s.numbers[1]];
                Ok(is_certified(a, b, g, x, y)? && are_least(a, b, g, x, y)?)
            })
        },
    },
    Operation {
        name: "invert",
        most_bits: MOST_BITS,
        draw: |bits, rng| {
            let mut sample = sample::pair(bits, rng);
            if sample.numbers[1].is_zero() {
                sample.numbers[1] = Int::ONE;
            }
            Ok(sample)
        },
        compute: |s| match s.numbers[0].try_mod_inverse(&s.numbers[1]) {
            Ok(x) => Ok(vec![x.into()]),
            Err(error) if is_domain(&error) => Ok(vec![Value::Nothing]),
            Err(error) => Err(error),
        },
        check: |s, found| {
            let [a, m] = [&s.numbers[0], &s.numbers[1]];
            if found == [Value::Nothing] {
                return Ok(a.try_gcd(m)? != Int::ONE);
            }
            numbers(found, |[x]| {
                let is_inverse = a.try_mul(x)?.try_is_congruent(&Int::ONE, m)?;
                Ok(is_inverse && !x.try_is_negative()? && *x < m.try_abs()?)
            })
        },
    },
    Operation {
        name: "powmod",
        most_bits: MOST_BITS,
        draw: power,
        compute: |s| one(s.numbers[0].try_pow_mod(&s.numbers[1], &s.numbers[2])),
        check: |s, found| {
            numbers(found, |[x]| {
                Ok(*x == pow_mod(&s.numbers[0], &s.numbers[1], &s.numbers[2])?)
            })
        },
    },
];

/// A base, an exponent from 0 on, and a modulus, odd more often than not.
fn power(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let limbs = bits.div_ceil(64);
    let longest = (POWER_WORK / (limbs * limbs)).clamp(16, bits.max(16));
    let mut modulus = sample::positive(bits, rng);
    if rng.random_ratio(3, 4) {
        modulus.try_set_bit(0)?;
    }
    let exponent = sample::positive(rng.random_range(1..=longest), rng);
    Ok(Sample {
        numbers: vec![sample::number(bits, rng), exponent, modulus],
        ..Sample::default()
    })
}

/// base^exponent mod modulus, by squares and remainders.
pub fn pow_mod(base: &Int, exponent: &Int, modulus: &Int) -> Result<Int> {
    let mut result = Int::ONE.try_rem_euclid(modulus)?;
    for bit in (0..exponent.try_bit_length()?).rev() {
        result = result.try_square()?.try_rem_euclid(modulus)?;
        if exponent.try_bit(bit)? {
            result = result.try_mul(base)?.try_rem_euclid(modulus)?;
        }
    }
    Ok(result)
}

/// Whether g is the greatest common divisor, by cofactors that the CPU finds.
pub fn is_gcd(a: &Int, b: &Int, g: &Int) -> Result<bool> {
    let (_, x, y) = a.try_extended_gcd(b)?;
    is_certified(a, b, g, &x, &y)
}

/// Whether g ≥ 0 divides a and b, and x·a + y·b = g: every common divisor then divides g.
fn is_certified(a: &Int, b: &Int, g: &Int, x: &Int, y: &Int) -> Result<bool> {
    let sum = Residues::of(x)? * Residues::of(a)? + Residues::of(y)? * Residues::of(b)?;
    let divides = a.try_is_multiple_of(g)? && b.try_is_multiple_of(g)?;
    Ok(!g.try_is_negative()? && divides && Residues::of(g)? == sum)
}

/// Whether these are the cofactors that GMP defines: |x| < |b|/(2g) and |y| < |a|/(2g). The
/// exceptions are x = 0 and y = sgn(b) where |a| = |b|; else x = sgn(a) where b = 0 or |b| = 2g,
/// and y likewise.
fn are_least(a: &Int, b: &Int, g: &Int, x: &Int, y: &Int) -> Result<bool> {
    let double = g.try_shl(1)?;
    let (a_size, b_size) = (a.try_abs()?, b.try_abs()?);
    let sign = |a: &Int| Ok(Int::from(a.try_signum()?));
    if a_size == b_size {
        return Ok(x.try_is_zero()? && *y == sign(b)?);
    }
    let is_least = |x: &Int, a: &Int, b_size: &Int| {
        if b_size.try_is_zero()? || *b_size == double {
            return Ok(*x == sign(a)?);
        }
        Ok(double.try_mul(x)?.try_abs()? < *b_size)
    };
    Ok(is_least(x, a, &b_size)? && is_least(y, b, &a_size)?)
}
