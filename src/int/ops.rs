//! Operators, and the `try_` methods behind them.
//!
//! By-value forms put the result into the left operand's memory where nothing else shares it.

use std::cmp::Ordering;
use std::iter::{Product, Sum};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use super::{Int, must, wrap};
use crate::error::Result;
use crate::limbs::{self, Limbs};
use crate::{div, mul};

impl Int {
    /// self + other.
    pub fn try_add(&self, other: &Int) -> Result<Int> {
        wrap(limbs::add(&self.limbs, &other.limbs))
    }

    /// self + other, for a machine word.
    pub fn try_add_small(&self, other: i64) -> Result<Int> {
        wrap(limbs::add_small(&self.limbs, other))
    }

    /// self − other.
    pub fn try_sub(&self, other: &Int) -> Result<Int> {
        wrap(limbs::sub(&self.limbs, &other.limbs))
    }

    /// self · other.
    pub fn try_mul(&self, other: &Int) -> Result<Int> {
        wrap(mul::mul(&self.limbs, &other.limbs))
    }

    /// Quotient rounded towards zero, and the remainder, which has the sign of `self`.
    ///
    /// ```
    /// use bezout::{Error, Int};
    /// let (q, r) = Int::from(-7).try_div_rem(&Int::from(2))?;
    /// assert_eq!((q, r), (Int::from(-3), Int::from(-1)));
    /// assert_eq!(Int::one().try_div_rem(&Int::zero()), Err(Error::DivisionByZero));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn try_div_rem(&self, other: &Int) -> Result<(Int, Int)> {
        let (quotient, remainder) = div::div_rem(&self.limbs, &other.limbs)?;
        Ok((Int { limbs: quotient }, Int { limbs: remainder }))
    }

    /// self^exponent; 0^0 is 1.
    pub fn pow(&self, exponent: u64) -> Int {
        must(self.try_pow(exponent))
    }

    /// self^exponent, or an error where it would not fit in memory; 0^0 is 1.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-3).try_pow(5)?, -243);
    /// assert!(Int::from(3).try_pow(u64::MAX).is_err());
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn try_pow(&self, exponent: u64) -> Result<Int> {
        wrap(mul::pow(&self.limbs, exponent))
    }

    /// −self.
    pub fn try_neg(&self) -> Result<Int> {
        wrap(limbs::neg(&self.limbs))
    }

    /// |self|.
    pub fn abs(&self) -> Int {
        must(self.try_abs())
    }

    /// |self|.
    pub fn try_abs(&self) -> Result<Int> {
        wrap(limbs::abs(&self.limbs))
    }
}

/// Each operator in its four combinations and two assigning forms, from one function by reference and one into the left.
macro_rules! binary {
    ($($op:ident $method:ident $op_assign:ident $method_assign:ident: $by_ref:expr, $into:expr;)*) => {$(
        impl $op<&Int> for &Int {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(self, other: &Int) -> Int {
                must(wrap($by_ref(&self.limbs, &other.limbs)))
            }
        }

        impl $op<Int> for &Int {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(self, other: Int) -> Int {
                $op::$method(self, &other)
            }
        }

        impl $op<&Int> for Int {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(mut self, other: &Int) -> Int {
                must($into(&mut self.limbs, &other.limbs));
                self
            }
        }

        impl $op<Int> for Int {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(self, other: Int) -> Int {
                $op::$method(self, &other)
            }
        }

        impl $op_assign<&Int> for Int {
            #[inline]
            #[track_caller]
            fn $method_assign(&mut self, other: &Int) {
                must($into(&mut self.limbs, &other.limbs));
            }
        }

        impl $op_assign<Int> for Int {
            #[inline]
            #[track_caller]
            fn $method_assign(&mut self, other: Int) {
                must($into(&mut self.limbs, &other.limbs));
            }
        }
    )*};
}

binary! {
    Add add AddAssign add_assign: limbs::add, limbs::add_assign;
    Sub sub SubAssign sub_assign: limbs::sub, limbs::sub_assign;
    Mul mul MulAssign mul_assign: mul::mul, mul::mul_assign;
    Div div DivAssign div_assign: div::quotient, into(div::quotient);
    Rem rem RemAssign rem_assign: div::remainder, into(div::remainder);
    BitAnd bitand BitAndAssign bitand_assign: limbs::and, limbs::and_assign;
    BitOr bitor BitOrAssign bitor_assign: limbs::or, limbs::or_assign;
    BitXor bitxor BitXorAssign bitxor_assign: limbs::xor, limbs::xor_assign;
}

/// An assigning form for an operation that has none of its own.
fn into(
    by_ref: impl Fn(&Limbs, &Limbs) -> Result<Limbs>,
) -> impl Fn(&mut Limbs, &Limbs) -> Result<()> {
    move |a, b| {
        *a = by_ref(a, b)?;
        Ok(())
    }
}

/// Machine integers on the right: by value, by reference and assigning, for each operator and each type.
macro_rules! primitive {
    ($types:tt: $($op:ident $method:ident $op_assign:ident $method_assign:ident;)*) => {
        $(primitive!(@ $types $op $method $op_assign $method_assign);)*
    };
    (@ ($($t:ty)*) $op:ident $method:ident $op_assign:ident $method_assign:ident) => {$(
        impl $op<$t> for &Int {
            type Output = Int;
            #[track_caller]
            fn $method(self, other: $t) -> Int {
                $op::$method(self, &Int::from(other))
            }
        }

        impl $op<$t> for Int {
            type Output = Int;
            #[track_caller]
            fn $method(self, other: $t) -> Int {
                $op::$method(self, &Int::from(other))
            }
        }

        impl $op_assign<$t> for Int {
            #[track_caller]
            fn $method_assign(&mut self, other: $t) {
                $op_assign::$method_assign(self, &Int::from(other));
            }
        }
    )*};
}

primitive! { (i32 u32 i64 u64 i128 u128 isize usize):
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
    Rem rem RemAssign rem_assign;
}

/// Comparison with machine integers.
macro_rules! compare {
    ($($t:ty)*) => {$(
        impl PartialEq<$t> for Int {
            fn eq(&self, other: &$t) -> bool {
                self.partial_cmp(other) == Some(Ordering::Equal)
            }
        }

        impl PartialOrd<$t> for Int {
            fn partial_cmp(&self, other: &$t) -> Option<Ordering> {
                match &self.limbs {
                    Limbs::Small(value) => value.partial_cmp(other),
                    _ => Some(self.cmp(&Int::from(*other))),
                }
            }
        }
    )*};
}

compare! { i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize }

/// Shifts; a negative count shifts the other way.
macro_rules! shift {
    ($($t:ty)*) => {$(
        shift!(@ $t, Shl shl ShlAssign shl_assign, limbs::shl, limbs::shr);
        shift!(@ $t, Shr shr ShrAssign shr_assign, limbs::shr, limbs::shl);
    )*};
    (@ $t:ty, $op:ident $method:ident $op_assign:ident $method_assign:ident, $there:path, $back:path) => {
        impl $op<$t> for &Int {
            type Output = Int;
            #[track_caller]
            fn $method(self, count: $t) -> Int {
                // A count beyond u64 would be beyond memory all the same.
                #[allow(unused_comparisons, clippy::unnecessary_cast)]
                must(wrap(if count < 0 {
                    $back(&self.limbs, (count as i64).unsigned_abs())
                } else {
                    $there(&self.limbs, count as u64)
                }))
            }
        }

        impl $op<$t> for Int {
            type Output = Int;
            #[track_caller]
            fn $method(self, count: $t) -> Int {
                $op::$method(&self, count)
            }
        }

        impl $op_assign<$t> for Int {
            #[track_caller]
            fn $method_assign(&mut self, count: $t) {
                *self = $op::$method(&*self, count);
            }
        }
    };
}

shift! { i32 i64 u32 u64 usize }

/// Neg and Not.
macro_rules! unary {
    ($($op:ident $method:ident: $by_ref:path;)*) => {$(
        impl $op for &Int {
            type Output = Int;
            #[track_caller]
            fn $method(self) -> Int {
                must(wrap($by_ref(&self.limbs)))
            }
        }

        impl $op for Int {
            type Output = Int;
            #[track_caller]
            fn $method(self) -> Int {
                $op::$method(&self)
            }
        }
    )*};
}

unary! {
    Neg neg: limbs::neg;
    Not not: limbs::not;
}

/// Sums values, references and machine integers.
impl<T> Sum<T> for Int
where
    Int: AddAssign<T>,
{
    fn sum<I: Iterator<Item = T>>(values: I) -> Int {
        values.fold(Int::zero(), |mut sum, value| {
            sum += value;
            sum
        })
    }
}

/// Multiplies neighbours, then neighbouring products, so that the large factors are of equal length.
impl Product for Int {
    fn product<I: Iterator<Item = Int>>(values: I) -> Int {
        let mut row: Vec<Int> = values.collect();
        while row.len() > 1 {
            row = row
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => a * b,
                    rest => rest[0].clone(),
                })
                .collect();
        }
        row.pop().unwrap_or_else(Int::one)
    }
}

impl<'a> Product<&'a Int> for Int {
    fn product<I: Iterator<Item = &'a Int>>(values: I) -> Int {
        values.cloned().product()
    }
}
