//! num-traits. There is no `Bounded`: an integer of any size has no largest value.

use num_traits::{
    CheckedAdd, CheckedDiv, CheckedMul, CheckedNeg, CheckedRem, CheckedSub, FromPrimitive, Num,
    One, Pow, Signed, ToPrimitive, Zero,
};

use super::Int;
use crate::error::{Error, Result};

impl Zero for Int {
    fn zero() -> Int {
        Int::ZERO
    }

    fn is_zero(&self) -> bool {
        self.is_zero()
    }
}

impl One for Int {
    fn one() -> Int {
        Int::ONE
    }

    fn is_one(&self) -> bool {
        *self == 1
    }
}

impl Num for Int {
    type FromStrRadixErr = Error;

    fn from_str_radix(text: &str, radix: u32) -> Result<Int> {
        Int::from_str_radix(text, radix)
    }
}

impl Signed for Int {
    fn abs(&self) -> Int {
        self.abs()
    }

    fn abs_sub(&self, other: &Int) -> Int {
        if self <= other {
            Int::ZERO
        } else {
            self - other
        }
    }

    fn signum(&self) -> Int {
        self.signum().into()
    }

    fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    fn is_negative(&self) -> bool {
        self.is_negative()
    }
}

/// Each exponent type, on values and on references.
macro_rules! pow {
    ($($t:ty)*) => {$(
        impl Pow<$t> for &Int {
            type Output = Int;
            fn pow(self, exponent: $t) -> Int {
                self.pow(exponent.into())
            }
        }

        impl Pow<$t> for Int {
            type Output = Int;
            fn pow(self, exponent: $t) -> Int {
                (&self).pow(exponent.into())
            }
        }
    )*};
}

pow! { u32 u64 }

/// `None` where the `try_` method would be an error.
macro_rules! checked {
    ($($trait:ident $method:ident: $of:expr;)*) => {$(
        impl $trait for Int {
            fn $method(&self, other: &Int) -> Option<Int> {
                $of(self, other).ok()
            }
        }
    )*};
}

checked! {
    CheckedAdd checked_add: Int::try_add;
    CheckedSub checked_sub: Int::try_sub;
    CheckedMul checked_mul: Int::try_mul;
    CheckedDiv checked_div: |a: &Int, b| a.try_div_rem(b).map(|both| both.0);
    CheckedRem checked_rem: |a: &Int, b| a.try_div_rem(b).map(|both| both.1);
}

impl CheckedNeg for Int {
    fn checked_neg(&self) -> Option<Int> {
        self.try_neg().ok()
    }
}

impl ToPrimitive for Int {
    fn to_i64(&self) -> Option<i64> {
        self.try_into().ok()
    }

    fn to_u64(&self) -> Option<u64> {
        self.try_into().ok()
    }

    fn to_i128(&self) -> Option<i128> {
        self.try_into().ok()
    }

    fn to_u128(&self) -> Option<u128> {
        self.try_into().ok()
    }

    fn to_f32(&self) -> Option<f32> {
        Some(self.to_f32())
    }

    fn to_f64(&self) -> Option<f64> {
        Some(self.to_f64())
    }
}

impl FromPrimitive for Int {
    fn from_i64(value: i64) -> Option<Int> {
        Some(value.into())
    }

    fn from_u64(value: u64) -> Option<Int> {
        Some(value.into())
    }

    fn from_i128(value: i128) -> Option<Int> {
        Some(value.into())
    }

    fn from_u128(value: u128) -> Option<Int> {
        Some(value.into())
    }

    fn from_f64(value: f64) -> Option<Int> {
        Int::from_f64(value)
    }
}
