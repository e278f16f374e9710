//! The numbers of an expression: whole ones, and the fractions that divisions leave.

use std::cmp::Ordering;

use bezout::{Error, Int};

use super::apply;

type Result<T> = bezout::Result<T>;

/// The denominator of whole numbers.
static ONE: Int = Int::ONE;

/// A number of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A whole number.
    Whole(Int),
    /// A fraction in lowest terms, its denominator at least 2.
    Fraction(Box<(Int, Int)>),
}

impl From<Int> for Value {
    fn from(value: Int) -> Value {
        Value::Whole(value)
    }
}

impl Value {
    /// numerator/denominator in lowest terms.
    fn quotient(numerator: &Int, denominator: &Int) -> Result<Value> {
        let (quotient, rest) = numerator.try_div_rem(denominator)?;
        if rest.is_zero() {
            return Ok(Value::Whole(quotient));
        }
        let mut common = denominator.try_gcd(&rest)?;
        if denominator.is_negative() {
            common = common.try_neg()?;
        }
        Ok(Value::Fraction(Box::new((
            numerator.try_div_exact(&common)?,
            denominator.try_div_exact(&common)?,
        ))))
    }

    /// The number, if it is whole.
    pub fn whole(&self) -> Option<&Int> {
        match self {
            Value::Whole(value) => Some(value),
            Value::Fraction(_) => None,
        }
    }

    /// The numerator, or the whole number.
    pub fn numerator(&self) -> &Int {
        match self {
            Value::Whole(value) => value,
            Value::Fraction(parts) => &parts.0,
        }
    }

    /// The denominator; 1 for a whole number.
    pub fn denominator(&self) -> &Int {
        match self {
            Value::Whole(_) => &ONE,
            Value::Fraction(parts) => &parts.1,
        }
    }

    /// Brings its limbs to the host.
    pub fn fetch(&self) -> Result<()> {
        self.numerator().try_fetch()?;
        self.denominator().try_fetch()
    }

    fn times(x: &Int, y: &Int) -> Result<Int> {
        apply::mul(&[x.clone(), y.clone()])
    }

    /// The value of two whole numbers by `whole`, or of others by `fractions`.
    fn by(
        x: &[Value],
        whole: fn(&Int, &Int) -> Result<Int>,
        fractions: fn(&Value, &Value) -> Result<Value>,
    ) -> Result<Value> {
        match (&x[0], &x[1]) {
            (Value::Whole(x), Value::Whole(y)) => whole(x, y).map(Value::Whole),
            (x, y) => fractions(x, y),
        }
    }

    /// The numerators of both over their common denominator, which is positive.
    fn over_one_denominator(&self, other: &Value) -> Result<(Int, Int, Int)> {
        let (a, b) = (self.denominator(), other.denominator());
        Ok((
            Value::times(self.numerator(), b)?,
            Value::times(other.numerator(), a)?,
            Value::times(a, b)?,
        ))
    }

    fn compare(&self, other: &Value) -> Result<Ordering> {
        if let (Value::Whole(x), Value::Whole(y)) = (self, other) {
            return Ok(x.cmp(y));
        }
        let (x, y, _) = self.over_one_denominator(other)?;
        Ok(x.cmp(&y))
    }
}

pub fn add(x: &[Value]) -> Result<Value> {
    Value::by(x, Int::try_add, |x, y| {
        let (a, b, under) = x.over_one_denominator(y)?;
        Value::quotient(&a.try_add(&b)?, &under)
    })
}

pub fn sub(x: &[Value]) -> Result<Value> {
    Value::by(x, Int::try_sub, |x, y| {
        let (a, b, under) = x.over_one_denominator(y)?;
        Value::quotient(&a.try_sub(&b)?, &under)
    })
}

pub fn mul(x: &[Value]) -> Result<Value> {
    Value::by(x, Value::times, |x, y| {
        Value::quotient(
            &Value::times(x.numerator(), y.numerator())?,
            &Value::times(x.denominator(), y.denominator())?,
        )
    })
}

pub fn div(x: &[Value]) -> Result<Value> {
    match (&x[0], &x[1]) {
        (Value::Whole(x), Value::Whole(y)) => Value::quotient(x, y),
        (x, y) => Value::quotient(
            &Value::times(x.numerator(), y.denominator())?,
            &Value::times(x.denominator(), y.numerator())?,
        ),
    }
}

pub fn div_floor(x: &[Value]) -> Result<Value> {
    Value::by(x, Int::try_div_floor, |x, y| {
        let (a, b, _) = x.over_one_denominator(y)?;
        Ok(a.try_div_floor(&b)?.into())
    })
}

pub fn div_ceil(x: &[Value]) -> Result<Value> {
    Value::by(x, Int::try_div_ceil, |x, y| {
        let (a, b, _) = x.over_one_denominator(y)?;
        Ok(a.try_div_ceil(&b)?.into())
    })
}

/// x − y·⌊x/y⌋.
pub fn rem_floor(x: &[Value]) -> Result<Value> {
    Value::by(x, Int::try_rem_floor, |x, y| {
        let (a, b, under) = x.over_one_denominator(y)?;
        Value::quotient(&a.try_rem_floor(&b)?, &under)
    })
}

/// x modulo |m|, from 0 to |m| − 1; a fraction by the inverse of its denominator.
pub fn modulo(x: &[Value]) -> Result<Value> {
    let Some(m) = x[1].whole() else {
        return Err(Error::Domain(
            "a modulus must be a whole number".to_string(),
        ));
    };
    let rest = match &x[0] {
        Value::Whole(x) => x.try_rem_euclid(m)?,
        Value::Fraction(parts) => {
            let inverse = parts.1.try_mod_inverse(m)?;
            Value::times(&parts.0.try_rem_euclid(m)?, &inverse)?.try_rem_euclid(m)?
        }
    };
    Ok(rest.into())
}

pub fn pow(x: &[Value]) -> Result<Value> {
    let Some(n) = x[1].whole() else {
        return Err(Error::Domain(
            "an exponent must be a whole number: root(x, n) gives roots".to_string(),
        ));
    };
    let size = n.try_abs()?;
    let over = apply::pow(&[x[0].numerator().clone(), size.clone()])?;
    if n.is_negative() {
        let under = apply::pow(&[x[0].denominator().clone(), size])?;
        return Value::quotient(&under, &over);
    }
    match &x[0] {
        Value::Fraction(parts) if !n.is_zero() => {
            let under = apply::pow(&[parts.1.clone(), size])?;
            Ok(Value::Fraction(Box::new((over, under))))
        }
        _ => Ok(over.into()),
    }
}

pub fn neg(x: &[Value]) -> Result<Value> {
    with_numerator(&x[0], Int::try_neg)
}

pub fn abs(x: &[Value]) -> Result<Value> {
    with_numerator(&x[0], Int::try_abs)
}

/// The number with another sign.
fn with_numerator(x: &Value, change: fn(&Int) -> Result<Int>) -> Result<Value> {
    Ok(match x {
        Value::Whole(x) => Value::Whole(change(x)?),
        Value::Fraction(parts) => Value::Fraction(Box::new((change(&parts.0)?, parts.1.clone()))),
    })
}

pub fn sign(x: &[Value]) -> Result<Value> {
    Ok(Int::from(x[0].numerator().signum()).into())
}

pub fn cmp(x: &[Value]) -> Result<Value> {
    Ok(Int::from(x[0].compare(&x[1])? as i32).into())
}

/// The first of the numbers that no other one is before, in this order.
pub fn first(x: &[Value], order: Ordering) -> Result<Value> {
    let mut best = &x[0];
    for value in &x[1..] {
        if value.compare(best)? == order {
            best = value;
        }
    }
    Ok(best.clone())
}

/// 1 if the order of the two numbers is among these.
pub fn is_ordered(x: &[Value], orders: &[Ordering]) -> Result<Value> {
    Ok(apply::truth(orders.contains(&x[0].compare(&x[1])?)).into())
}
