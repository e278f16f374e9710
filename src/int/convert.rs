//! Conversions to and from machine integers.

use crate::number::Integer;
use crate::number::Natural;

use super::{Int, must};
use crate::error::{Error, Result};
use crate::limbs::Resident;

impl Int {
    #[inline]
    pub(super) fn from_sign_and_magnitude(negative: bool, magnitude: Natural) -> Int {
        Int::from(Integer::from_parts(negative, magnitude))
    }
}

macro_rules! primitive {
    ($($t:ty)*) => {$(
        impl From<$t> for Int {
            #[inline]
            fn from(value: $t) -> Int {
                // At most two limbs: never worth sharing.
                Int { limbs: Resident::Small(Integer::from(value)) }
            }
        }

        impl TryFrom<&Int> for $t {
            type Error = Error;

            fn try_from(value: &Int) -> Result<$t> {
                <$t>::try_from(value.try_host()?).map_err(|_| {
                    Error::Domain(concat!("the number does not fit in ", stringify!($t)).into())
                })
            }
        }

        impl TryFrom<Int> for $t {
            type Error = Error;

            fn try_from(value: Int) -> Result<$t> {
                <$t>::try_from(&value)
            }
        }
    )*};
}

primitive! { i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize }

impl From<Integer> for Int {
    #[inline]
    fn from(value: Integer) -> Int {
        Int {
            limbs: value.into(),
        }
    }
}

impl From<&Integer> for Int {
    fn from(value: &Integer) -> Int {
        Int::from(value.clone())
    }
}

impl From<Natural> for Int {
    fn from(value: Natural) -> Int {
        Int::from(Integer::from(value))
    }
}

impl From<&Natural> for Int {
    fn from(value: &Natural) -> Int {
        Int::from(Integer::from(value))
    }
}

/// The value on the host, moved out where no clone shares it.
impl From<Int> for Integer {
    fn from(value: Int) -> Integer {
        value.into_integer()
    }
}

/// A copy of the value on the host.
impl From<&Int> for Integer {
    fn from(value: &Int) -> Integer {
        value.host().clone()
    }
}

/// An error for a negative number.
impl TryFrom<Int> for Natural {
    type Error = Error;

    fn try_from(value: Int) -> Result<Natural> {
        let value = value.limbs.into_host()?;
        if value.is_negative() {
            return Err(negative());
        }
        Ok(value.into_magnitude())
    }
}

/// An error for a negative number.
impl TryFrom<&Int> for Natural {
    type Error = Error;

    fn try_from(value: &Int) -> Result<Natural> {
        let value = value.try_host()?;
        if value.is_negative() {
            return Err(negative());
        }
        Ok(value.magnitude().clone())
    }
}

pub(super) fn negative() -> Error {
    Error::Domain("a negative number has no natural equivalent".into())
}

impl Int {
    /// The nearest `f64`, ties to even; infinite beyond its range.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from((1u64 << 53) + 1).to_f64(), (1u64 << 53) as f64);
    /// assert_eq!((Int::ONE << 1024).to_f64(), f64::INFINITY);
    /// ```
    #[track_caller]
    pub fn to_f64(&self) -> f64 {
        must(self.try_to_f64())
    }

    /// The nearest `f64`, ties to even; infinite beyond its range.
    pub fn try_to_f64(&self) -> Result<f64> {
        let (negative, top, exponent) = self.leading_bits()?;
        let magnitude = if exponent > 1024 - 64 {
            f64::INFINITY
        } else {
            top as f64 * 2f64.powi(exponent as i32)
        };
        Ok(if negative { -magnitude } else { magnitude })
    }

    /// The nearest `f32`, ties to even; infinite beyond its range.
    #[track_caller]
    pub fn to_f32(&self) -> f32 {
        must(self.try_to_f32())
    }

    /// The nearest `f32`, ties to even; infinite beyond its range.
    pub fn try_to_f32(&self) -> Result<f32> {
        let (negative, top, exponent) = self.leading_bits()?;
        let magnitude = if exponent > 128 - 64 {
            f32::INFINITY
        } else {
            top as f32 * 2f32.powi(exponent as i32)
        };
        Ok(if negative { -magnitude } else { magnitude })
    }

    /// (x < 0, m, e) with |x| ≈ m·2^e: m has 64 bits if e > 0, and its lowest bit is set if any
    /// lower bit of x is, so that rounding m to fewer bits rounds x.
    fn leading_bits(&self) -> Result<(bool, u64, u64)> {
        let value = self.try_host()?;
        let limbs = value.limbs();
        let (top, exponent) = match *limbs {
            [] => (0, 0),
            [only] => (only, 0),
            [ref lower @ .., below, top] => {
                let shift = top.leading_zeros();
                let pair = ((u128::from(top) << 64) | u128::from(below)) << shift;
                let sticky = pair as u64 != 0 || lower.iter().any(|limb| *limb != 0);
                let exponent = limbs.len() as u64 * 64 - u64::from(shift) - 64;
                ((pair >> 64) as u64 | u64::from(sticky), exponent)
            }
        };
        Ok((value.is_negative(), top, exponent))
    }

    /// The integer part of a finite `f64`; `None` for infinities and not-a-number.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from_f64(-2.9), Some(Int::from(-2)));
    /// assert_eq!(Int::from_f64(f64::NAN), None);
    /// ```
    pub fn from_f64(value: f64) -> Option<Int> {
        if !value.is_finite() {
            return None;
        }
        let value = value.trunc();
        // A finite number is m·2^e with a whole m below 2^53.
        let bits = value.abs().to_bits();
        let exponent = (bits >> 52) as i64 - 1075;
        let mantissa = Int::from(bits & ((1 << 52) - 1) | 1 << 52);
        let magnitude = match exponent {
            // Below 2^52, where the whole part was taken above.
            ..0 => Int::from(value.abs() as u64),
            up => mantissa << up,
        };
        Some(if value < 0.0 { -magnitude } else { magnitude })
    }
}
