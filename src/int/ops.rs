//! Operators, and the `try_` methods behind them.
//!
//! By-value forms put the result into the left operand's memory where nothing else shares it.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::iter::{Product, Sum};
use std::mem;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use crate::number::{self, Holder, Integer, Store};
use num_traits::PrimInt;

use super::{Int, must, wrap};
use crate::engine;
use crate::error::Result;
use crate::limbs::{self, Resident};
use crate::tuning::Tuning;
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

    /// self^exponent; 0^0 is 1.
    ///
    /// # Panics
    /// If the result does not fit in memory.
    #[track_caller]
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
    #[track_caller]
    pub fn abs(&self) -> Int {
        must(self.try_abs())
    }

    /// |self|.
    pub fn try_abs(&self) -> Result<Int> {
        wrap(limbs::abs(&self.limbs))
    }

    /// |self − other|.
    #[track_caller]
    pub fn abs_diff(&self, other: &Int) -> Int {
        must(self.try_abs_diff(other))
    }

    /// |self − other|.
    pub fn try_abs_diff(&self, other: &Int) -> Result<Int> {
        self.try_sub(other)?.try_abs()
    }

    /// self = a + b, in the memory that self has where that is long enough.
    ///
    /// ```
    /// # use bezout::Int;
    /// let (a, b) = (Int::from(2).pow(300), Int::from(2).pow(299));
    /// let mut sum = Int::from(2).pow(400);
    /// sum.assign_sum(&a, &b);
    /// assert_eq!(sum, a + b);
    /// ```
    #[inline]
    #[track_caller]
    pub fn assign_sum(&mut self, a: &Int, b: &Int) {
        match (&mut self.limbs, both_inline(&a.limbs, &b.limbs)) {
            (Resident::Small(out), Some((x, y))) => number::assign_sum(out, x, y),
            _ => *self = a + b,
        }
    }

    /// self = a − b, in the memory that self has where that is long enough.
    #[inline]
    #[track_caller]
    pub fn assign_difference(&mut self, a: &Int, b: &Int) {
        match (&mut self.limbs, both_inline(&a.limbs, &b.limbs)) {
            (Resident::Small(out), Some((x, y))) => number::assign_difference(out, x, y),
            _ => *self = a - b,
        }
    }

    /// self = a·b, in the memory that self has where that is long enough and the product short.
    #[inline]
    #[track_caller]
    pub fn assign_product(&mut self, a: &Int, b: &Int) {
        match (&mut self.limbs, both_inline(&a.limbs, &b.limbs)) {
            (Resident::Small(out), Some((x, y))) if mul::is_short(x) && mul::is_short(y) => {
                mul::assign_product(out, x, y);
            }
            _ => *self = a * b,
        }
    }

    /// How the two numbers compare, as [`Ord::cmp`] says.
    pub fn try_cmp(&self, other: &Int) -> Result<Ordering> {
        limbs::compare(&self.limbs, &other.limbs)
    }
}

/// What may stand on the right of an operator: an [`Int`], a reference to one, or a machine
/// integer.
pub trait Operand {
    /// The operand as an `Int`: itself where it is one.
    fn into_int(self) -> impl Borrow<Int>;
}

macro_rules! operand {
    ($($t:ty)*) => {$(
        impl Operand for $t {
            #[inline]
            fn into_int(self) -> impl Borrow<Int> {
                Int::from(self)
            }
        }
    )*};
}

operand! { Int i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize }

impl Operand for &Int {
    #[inline]
    fn into_int(self) -> impl Borrow<Int> {
        self
    }
}

/// The values of two operands whose operation the host number's own operator does at once. Small
/// numbers must not pay for the choice of an engine, nor for moving a `Result` about.
///
/// No result is longer than both operands together, or than one of them where the other is zero, so
/// it lies inline too.
#[inline]
fn both_inline<'a>(a: &'a Resident, b: &'a Resident) -> Option<(&'a Integer, &'a Integer)> {
    match (a, b) {
        (Resident::Small(x), Resident::Small(y))
            if x.limbs().len() + y.limbs().len() <= Tuning::inline_limbs_everywhere()
                && !engine::is_device_missing() =>
        {
            Some((x, y))
        }
        _ => None,
    }
}

/// The value of an operand that the host number's own shift by so many bits does at once.
#[inline]
fn inline_for_shift(a: &Resident, bits: u64) -> Option<&Integer> {
    match a {
        Resident::Small(x)
            if bits < SHORT_SHIFT
                && x.limbs().len() + (bits / 64 + 1) as usize
                    <= Tuning::inline_limbs_everywhere()
                && !engine::is_device_missing() =>
        {
            Some(x)
        }
        _ => None,
    }
}

/// Moves a result that has grown too long to stay inline.
#[inline]
fn spill_if_long(limbs: &mut Resident) {
    if let Resident::Small(value) = limbs
        && value.limbs().len() > Tuning::inline_limbs_everywhere()
    {
        *limbs = spilled(mem::take(value));
    }
}

#[cold]
fn spilled(value: Integer) -> Resident {
    value.into()
}

/// Each operator from one function by reference and one into the left operand. One implementation
/// for all right operands, so that the type of `a + 1` is known before that of `1` is.
macro_rules! binary {
    ($(
        $op:ident $method:ident $op_assign:ident $method_assign:ident:
            $by_ref:expr, $into:expr, $inline:expr, $allowed:expr;
    )*) => {$(
        impl<T: Operand> $op<T> for &Int {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(self, other: T) -> Int {
                let other = other.into_int();
                let (a, b) = (&self.limbs, &other.borrow().limbs);
                if let Some((x, y)) = both_inline(a, b)
                    && $allowed(y)
                {
                    return $inline(x, y);
                }
                must(wrap($by_ref(a, b)))
            }
        }

        impl<T: Operand> $op<T> for Int {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(mut self, other: T) -> Int {
                $op_assign::$method_assign(&mut self, other);
                self
            }
        }

        impl<T: Operand> $op_assign<T> for Int {
            #[inline]
            #[track_caller]
            fn $method_assign(&mut self, other: T) {
                let other = other.into_int();
                let (a, b) = (&mut self.limbs, &other.borrow().limbs);
                if let (Resident::Small(x), Some(y)) = (&mut *a, b.inline())
                    && $allowed(y)
                {
                    $op_assign::$method_assign(x, y);
                    return spill_if_long(a);
                }
                must($into(a, b));
            }
        }
    )*};
}

binary! {
    Add add AddAssign add_assign: limbs::add, limbs::add_assign, number::sum, any;
    Sub sub SubAssign sub_assign: limbs::sub, limbs::sub_assign, number::difference, any;
    Mul mul MulAssign mul_assign: mul::mul, into(mul::mul), mul::host_product, mul::is_short;
    Div div DivAssign div_assign: div::quotient, into(div::quotient), by(Div::div), nonzero;
    Rem rem RemAssign rem_assign:
        div::remainder, into(div::remainder), div::host_remainder, nonzero;
    BitAnd bitand BitAndAssign bitand_assign:
        limbs::and, limbs::and_assign, by(BitAnd::bitand), any;
    BitOr bitor BitOrAssign bitor_assign: limbs::or, limbs::or_assign, by(BitOr::bitor), any;
    BitXor bitxor BitXorAssign bitxor_assign:
        limbs::xor, limbs::xor_assign, by(BitXor::bitxor), any;
}

/// An operator of the host's number whose result lies inline.
#[inline]
fn by<'a>(
    operator: impl Fn(&'a Integer, &'a Integer) -> Integer,
) -> impl Fn(&'a Integer, &'a Integer) -> Int {
    move |x, y| Int {
        limbs: Resident::Small(operator(x, y)),
    }
}

impl Holder for Int {
    #[inline(always)]
    fn of(store: Store) -> Int {
        Int {
            limbs: Resident::Small(Integer::of(store)),
        }
    }
}

fn any(_: &Integer) -> bool {
    true
}

fn nonzero(divisor: &Integer) -> bool {
    *divisor != 0
}

/// An assigning form for an operation that has none of its own.
fn into(
    by_ref: impl Fn(&Resident, &Resident) -> Result<Resident>,
) -> impl Fn(&mut Resident, &Resident) -> Result<()> {
    move |a, b| {
        *a = by_ref(a, b)?;
        Ok(())
    }
}

/// Machine integers on the left of an operator.
macro_rules! left {
    ($($op:ident $method:ident)*; $types:tt) => {$(
        left! { $op $method $types }
    )*};
    ($op:ident $method:ident { $($t:ty)* }) => {$(
        impl $op<Int> for $t {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(self, other: Int) -> Int {
                Int::from(self).$method(other)
            }
        }

        impl $op<&Int> for $t {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(self, other: &Int) -> Int {
                Int::from(self).$method(other)
            }
        }
    )*};
}

left! {
    Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor;
    { i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize }
}

/// Comparison with machine integers on either side.
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
                    Resident::Small(value) => value.partial_cmp(other),
                    _ => Some(self.cmp(&Int::from(*other))),
                }
            }
        }

        impl PartialEq<Int> for $t {
            fn eq(&self, other: &Int) -> bool {
                other == self
            }
        }

        impl PartialOrd<Int> for $t {
            fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
                other.partial_cmp(self).map(Ordering::reverse)
            }
        }
    )*};
}

compare! { i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize }

/// Shifts of inline numbers by fewer bits than this are done at once: a result of so few bits more
/// always fits.
const SHORT_SHIFT: u64 = 1 << 16;

/// How far and which way a shift by `count` goes: (false, n) the operator's own way, (true, n) the
/// other. What u64 does not hold is beyond memory, or beyond every bit, all the same.
#[inline]
fn distance<T: PrimInt>(count: T) -> (bool, u64) {
    match (count.to_u64(), count.to_i64()) {
        (None, Some(negative)) => (true, negative.unsigned_abs()),
        (None, None) if count < T::zero() => (true, u64::MAX),
        (positive, _) => (false, positive.unwrap_or(u64::MAX)),
    }
}

/// Shifts by any machine integer; a negative count shifts the other way.
macro_rules! shift {
    ($(
        $op:ident $method:ident $op_assign:ident $method_assign:ident:
            $inline:path, $back:ident $back_assign:ident;
    )*) => {$(
        impl<T: PrimInt> $op<T> for &Int {
            type Output = Int;
            #[inline]
            #[track_caller]
            fn $method(self, count: T) -> Int {
                if let (false, count) = distance(count)
                    && let Some(x) = inline_for_shift(&self.limbs, count)
                {
                    return $inline(x, count);
                }
                must(wrap(match distance(count) {
                    (false, count) => limbs::$method(&self.limbs, count),
                    (true, count) => limbs::$back(&self.limbs, count),
                }))
            }
        }

        impl<T: PrimInt> $op<T> for Int {
            type Output = Int;
            #[track_caller]
            fn $method(mut self, count: T) -> Int {
                $op_assign::$method_assign(&mut self, count);
                self
            }
        }

        impl<T: PrimInt> $op_assign<T> for Int {
            #[inline]
            #[track_caller]
            fn $method_assign(&mut self, count: T) {
                if let (Resident::Small(x), (false, count @ 0..SHORT_SHIFT), false) =
                    (&mut self.limbs, distance(count), engine::is_device_missing())
                {
                    $op_assign::$method_assign(x, count);
                    return spill_if_long(&mut self.limbs);
                }
                must(match distance(count) {
                    (false, count) => limbs::$method_assign(&mut self.limbs, count),
                    (true, count) => limbs::$back_assign(&mut self.limbs, count),
                });
            }
        }
    )*};
}

shift! {
    Shl shl ShlAssign shl_assign: number::shifted_left, shr shr_assign;
    Shr shr ShrAssign shr_assign: number::shifted_right, shl shl_assign;
}

/// Neg and Not.
macro_rules! unary {
    ($($op:ident $method:ident: $by_ref:path;)*) => {$(
        impl $op for &Int {
            type Output = Int;
            #[track_caller]
            fn $method(self) -> Int {
                if let Some(x) = self.limbs.inline() {
                    return Int { limbs: $op::$method(x).into() };
                }
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
impl<T: Operand> Sum<T> for Int {
    fn sum<I: Iterator<Item = T>>(values: I) -> Int {
        values.fold(Int::ZERO, |mut sum, value| {
            sum += value;
            sum
        })
    }
}

/// Multiplies neighbours, then neighbouring products, so that the large factors are of equal
/// length.
impl<T: Operand> Product<T> for Int {
    fn product<I: Iterator<Item = T>>(values: I) -> Int {
        let mut row: Vec<Int> = values
            .map(|value| value.into_int().borrow().clone())
            .collect();
        while row.len() > 1 {
            row = row
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => a * b,
                    rest => rest[0].clone(),
                })
                .collect();
        }
        row.pop().unwrap_or(Int::ONE)
    }
}
