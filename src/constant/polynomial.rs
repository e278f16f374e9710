//! Polynomials with integer coefficients, kept as products, and their values at one place.

use std::ops::Mul;

use crate::error::{Error, Result};
use crate::int::Int;
use crate::word;

/// Maximum limbs of a value in the leaves of a series.
pub(super) const VALUE_LIMBS: usize = 10;

/// A polynomial in n with integer coefficients, kept as a product of factors.
///
/// A product is not multiplied out: its factors are evaluated one by one, so that values may be far
/// longer than coefficients.
///
/// ```
/// use bezout::constant::Polynomial;
/// // n³·(2n − 1)
/// let p = Polynomial::new(&[0, 1]).pow(3) * Polynomial::new(&[-1, 2]);
/// assert_eq!(p.try_at(5)?, 1125);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polynomial {
    /// Coefficients of each factor, the constant term first.
    factors: Vec<Vec<i64>>,
}

impl Polynomial {
    /// 1.
    pub const ONE: Polynomial = Polynomial {
        factors: Vec::new(),
    };

    /// The polynomial with these coefficients, the constant term first.
    pub fn new(coefficients: &[i64]) -> Polynomial {
        Polynomial {
            factors: vec![coefficients.to_vec()],
        }
    }

    /// The product of `exponent` copies.
    pub fn pow(self, exponent: usize) -> Polynomial {
        Polynomial {
            factors: (0..exponent).flat_map(|_| self.factors.clone()).collect(),
        }
    }

    /// The value at n.
    pub fn try_at(&self, n: u64) -> Result<Int> {
        let mut product = Int::ONE;
        for factor in &self.factors {
            product = product.try_mul(&horner(factor, n)?)?;
        }
        Ok(product)
    }

    /// constant + slope·n for each factor of this form.
    pub(super) fn linear_factors(&self) -> impl Iterator<Item = (i64, i64)> {
        self.factors.iter().filter_map(|factor| match factor[..] {
            [constant] => Some((constant, 0)),
            [constant, slope] => Some((constant, slope)),
            _ => None,
        })
    }

    /// The polynomial of n − 1, where its factors are linear and their coefficients fit.
    pub(super) fn before(&self) -> Polynomial {
        let shifted =
            |(constant, slope): (i64, i64)| Some(vec![constant.checked_sub(slope)?, slope]);
        Polynomial {
            factors: self.linear_factors().filter_map(shifted).collect(),
        }
    }

    /// Whether this is the polynomial 1.
    pub(super) fn is_one(&self) -> bool {
        self.factors.iter().all(|factor| factor == &[1])
    }

    /// A bound on the bits of the values at places up to n.
    pub(super) fn bits_bound(&self, n: u64) -> u64 {
        let bits = |factor: &Vec<i64>| {
            let mut bound = 0.0f64;
            for coefficient in factor.iter().rev() {
                bound = bound * n as f64 + coefficient.unsigned_abs() as f64;
            }
            bound.max(1.0).log2() + 1e-9
        };
        self.factors.iter().map(bits).sum::<f64>() as u64 + 1
    }

    /// Multiplies `value` by the value at n.
    pub(super) fn multiply(&self, n: u64, value: &mut Value) -> Result<()> {
        for factor in &self.factors {
            match small_horner(factor, n) {
                Some(x) => value.multiply(x)?,
                None => value.multiply_long(&Value::at(factor, n)?)?,
            }
        }
        Ok(())
    }
}

impl Mul for Polynomial {
    type Output = Polynomial;
    fn mul(mut self, other: Polynomial) -> Polynomial {
        self.factors.extend(other.factors);
        self
    }
}

/// The value at n where it and everything on the way fits.
fn small_horner(coefficients: &[i64], n: u64) -> Option<i128> {
    if let [constant, linear] = coefficients {
        // |linear·n| < 2^127 and |constant| ≤ 2^63: only the sum can overflow.
        return (i128::from(*linear) * i128::from(n)).checked_add(i128::from(*constant));
    }
    let mut sum = 0i128;
    for coefficient in coefficients.iter().rev() {
        sum = sum
            .checked_mul(n.into())?
            .checked_add((*coefficient).into())?;
    }
    Some(sum)
}

fn horner(coefficients: &[i64], n: u64) -> Result<Int> {
    let mut sum = Int::ZERO;
    for coefficient in coefficients.iter().rev() {
        sum = sum.try_mul(&Int::from(n))?.try_add_small(*coefficient)?;
    }
    Ok(sum)
}

/// A signed number of a few limbs that needs no heap.
#[derive(Clone, Copy)]
pub(super) struct Value {
    limbs: [u64; VALUE_LIMBS],
    len: usize,
    pub(super) is_negative: bool,
}

impl Value {
    pub(super) fn one() -> Value {
        let mut limbs = [0; VALUE_LIMBS];
        limbs[0] = 1;
        Value {
            limbs,
            len: 1,
            is_negative: false,
        }
    }

    /// The limbs of the magnitude, without zeros above; none for 0.
    pub(super) fn limbs(&self) -> &[u64] {
        &self.limbs[..self.len]
    }

    fn multiply(&mut self, x: i128) -> Result<()> {
        self.is_negative ^= x < 0;
        let size = x.unsigned_abs();
        let (low, high) = (size as u64, (size >> 64) as u64);
        if high == 0 {
            return self.multiply_word(low);
        }
        self.multiply_limbs(&[low, high])
    }

    /// The value of a polynomial at n. Series have millions of terms, so that no memory is
    /// allocated and no engine is asked.
    fn at(coefficients: &[i64], n: u64) -> Result<Value> {
        let mut sum = Value {
            len: 0,
            ..Value::one()
        };
        for coefficient in coefficients.iter().rev() {
            sum.multiply_word(n)?;
            sum.add(*coefficient)?;
        }
        Ok(sum)
    }

    fn add(&mut self, x: i64) -> Result<()> {
        let size = x.unsigned_abs();
        if self.len == 0 {
            (self.limbs[0], self.len) = (size, usize::from(size > 0));
            self.is_negative = x < 0;
            return Ok(());
        }
        let limbs = &mut self.limbs[..self.len];
        if self.is_negative == (x < 0) {
            if word::sum::add_word(limbs, size) {
                *self.limbs.get_mut(self.len).ok_or_else(too_long)? = 1;
                self.len += 1;
            }
        } else if let [only] = limbs
            && *only < size
        {
            (*only, self.is_negative) = (size - *only, x < 0);
        } else {
            word::sum::sub_word(limbs, size);
            self.len = word::significant(limbs);
        }
        Ok(())
    }

    fn multiply_long(&mut self, x: &Value) -> Result<()> {
        self.is_negative ^= x.is_negative;
        self.multiply_limbs(x.limbs())
    }

    fn multiply_word(&mut self, word: u64) -> Result<()> {
        let mut carry = 0;
        for limb in &mut self.limbs[..self.len] {
            (*limb, carry) = limb.carrying_mul(word, carry);
        }
        if carry > 0 {
            *self.limbs.get_mut(self.len).ok_or_else(too_long)? = carry;
            self.len += 1;
        } else if word == 0 {
            self.len = 0;
        }
        Ok(())
    }

    fn multiply_limbs(&mut self, other: &[u64]) -> Result<()> {
        let mut product = [0; VALUE_LIMBS];
        for (i, word) in other.iter().enumerate() {
            let mut carry = 0;
            for (j, limb) in self.limbs().iter().enumerate() {
                let place = product.get_mut(i + j).ok_or_else(too_long)?;
                (*place, carry) = limb.carrying_mul_add(*word, *place, carry);
            }
            if carry > 0 {
                *product.get_mut(i + self.len).ok_or_else(too_long)? = carry;
            }
        }
        self.limbs = product;
        self.len = word::significant(&product);
        Ok(())
    }
}

fn too_long() -> Error {
    Error::Domain(format!(
        "a term of the series has a factor of more than {} bits",
        64 * VALUE_LIMBS
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_integers() {
        let most = i64::MAX;
        for coefficients in [
            &[12_463, 104_000, 336_367, 531_578, 412_708, 126_392][..],
            &[-5, most, -most, most, i64::MIN, 1],
            &[-1, 1, 0, 0, 0, 1],
            &[1, 0, 0, -1],
            &[0, 0, 0, 0],
            &[7],
            &[],
            &[-1, 1],
            &[most, most, most, most, most, most, most],
        ] {
            for n in [0, 1, 2, 3, 1 << 20, (1 << 32) - 1, 1 << 63, u64::MAX] {
                let value = Value::at(coefficients, n).unwrap();
                let mut found = Int::from_limbs_slice(value.limbs());
                if value.is_negative {
                    found = -found;
                }
                assert_eq!(
                    found,
                    horner(coefficients, n).unwrap(),
                    "{coefficients:?} {n}"
                );
            }
        }
        assert!(Value::at(&[1; 12], u64::MAX).is_err());
    }
}
