//! The value of a part of a polynomial's text, while the text is parsed.
//!
//! A single term keeps its exponent, so that a text of n terms takes time and memory for its
//! coefficients alone, whatever their order. Sums are held coefficient by coefficient.

use super::Poly;
use super::coefficients::trim;
use super::modulus::Modulus;
use crate::error::Result;
use crate::{memory, progress};

/// A polynomial, constant term first, or a term of one.
pub(super) enum Value {
    /// c·x^e.
    Term(u64, u64),
    /// Coefficients without zeros at the end.
    Sum(Vec<u64>),
}

impl Value {
    /// More than the coefficients of any polynomial: they would take 2 TiB.
    pub(super) const MOST_LEN: u64 = 1 << 38;

    /// −self.
    pub(super) fn negated(self, p: Modulus) -> Value {
        match self {
            Value::Term(c, e) => Value::Term(p.neg(c), e),
            Value::Sum(mut values) => {
                values.iter_mut().for_each(|c| *c = p.neg(*c));
                Value::Sum(values)
            }
        }
    }

    /// The coefficients, if memory holds them.
    pub(super) fn into_coefficients(self, p: Modulus) -> Result<Vec<u64>> {
        match self {
            Value::Sum(values) => Ok(values),
            Value::Term(..) => {
                let mut values = Vec::new();
                add_into(&mut values, self, p)?;
                trim(&mut values);
                Ok(values)
            }
        }
    }

    /// self + other.
    pub(super) fn plus(self, other: Value, p: Modulus) -> Result<Value> {
        let (mut sum, other) = match (self, other) {
            (Value::Term(a, e), Value::Term(b, f)) if e == f => {
                return Ok(Value::Term(p.add(a, b), e));
            }
            (Value::Sum(sum), other) => (sum, other),
            (term, Value::Sum(sum)) => (sum, term),
            (term, other) => (term.into_coefficients(p)?, other),
        };
        add_into(&mut sum, other, p)?;
        trim(&mut sum);
        Ok(Value::Sum(sum))
    }

    /// self · other; none if the degree is out of range.
    pub(super) fn checked_times(self, other: Value, p: Modulus) -> Result<Option<Value>> {
        let len = self.len().saturating_add(other.len());
        let (sum, c, e) = match (self, other) {
            (Value::Term(a, e), Value::Term(b, f)) => {
                return Ok(in_range(p.mul(a, b), u128::from(e) + u128::from(f)));
            }
            (Value::Sum(sum), Value::Term(c, e)) | (Value::Term(c, e), Value::Sum(sum)) => {
                (sum, c, e)
            }
            (Value::Sum(a), Value::Sum(b)) => {
                let [a, b] = [a, b].map(|values| Poly::from_residues(values, p));
                let product = a.try_mul(&b)?;
                return Ok(Some(Value::Sum(product.try_coefficients()?.to_vec())));
            }
        };
        if c == 0 || sum.is_empty() {
            return Ok(Some(Value::Term(0, 0)));
        }
        if len >= Value::MOST_LEN {
            return Ok(None);
        }
        let mut product = Vec::new();
        reserve(&mut product, sum.len() + e as usize)?;
        product.resize(e as usize, 0);
        let factor = p.factor(c);
        product.extend(sum.iter().map(|value| p.mul_by(*value, factor)));
        Ok(Some(Value::Sum(product)))
    }

    /// self^exponent, where 0^0 = 1; none if the degree is out of range.
    pub(super) fn checked_pow(self, exponent: u64, p: Modulus) -> Result<Option<Value>> {
        let base = match self {
            Value::Term(c, e) => {
                return Ok(in_range(
                    p.pow(c, exponent),
                    u128::from(e) * u128::from(exponent),
                ));
            }
            Value::Sum(values) if values.len() <= 1 => {
                let c = values.first().copied().unwrap_or(0);
                return Ok(Some(Value::Term(p.pow(c, exponent), 0)));
            }
            Value::Sum(values) => values,
        };
        let degree = (base.len() as u128 - 1) * u128::from(exponent);
        if degree >= u128::from(Value::MOST_LEN) {
            return Ok(None);
        }
        memory::check("the power of a polynomial", 64 * degree)?;
        let base = Poly::from_residues(base, p);
        let mut power = Poly::one(p);
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            progress::check()?;
            power = power.try_square()?;
            if exponent >> bit & 1 == 1 {
                power = power.try_mul(&base)?;
            }
        }
        Ok(Some(Value::Sum(power.try_coefficients()?.to_vec())))
    }

    /// Coefficients from the constant term to the leading one.
    fn len(&self) -> u64 {
        match self {
            Value::Term(_, e) => e.saturating_add(1),
            Value::Sum(values) => values.len() as u64,
        }
    }
}

/// c·x^e; none if e is out of range.
fn in_range(c: u64, e: u128) -> Option<Value> {
    if c == 0 {
        return Some(Value::Term(0, 0));
    }
    (e < u128::from(Value::MOST_LEN)).then_some(Value::Term(c, e as u64))
}

/// sum + value, in place; zeros may be at the end.
fn add_into(sum: &mut Vec<u64>, value: Value, p: Modulus) -> Result<()> {
    let len = match &value {
        Value::Term(0, _) => 0,
        value => value.len() as usize,
    };
    if len > sum.len() {
        reserve(sum, len)?;
        sum.resize(len, 0);
    }
    match value {
        Value::Term(0, _) => {}
        Value::Term(c, e) => {
            let place = &mut sum[e as usize];
            *place = p.add(*place, c);
        }
        Value::Sum(values) => {
            for (place, c) in sum.iter_mut().zip(values) {
                *place = p.add(*place, c);
            }
        }
    }
    Ok(())
}

/// Makes room for `len` coefficients, and for twice as many as there are, if memory holds them
/// beside the copies that every operation needs.
fn reserve(values: &mut Vec<u64>, len: usize) -> Result<()> {
    if len > values.capacity() {
        let more = len.max(values.len().saturating_mul(2));
        memory::check("a polynomial of this degree", 64 * more as u128)?;
        values.reserve_exact(more - values.len());
    }
    Ok(())
}
