//! Machine integers and text.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::integer::Integer;
use super::natural::Natural;
use super::store::Store;

macro_rules! unsigned {
    ($($word:ty)*) => {$(
        impl From<$word> for Natural {
            #[inline]
            fn from(value: $word) -> Natural {
                Natural(Store::two_words(false, value as u128))
            }
        }

        impl From<$word> for Integer {
            #[inline]
            fn from(value: $word) -> Integer {
                Integer(Store::two_words(false, value as u128))
            }
        }
    )*};
}
unsigned! { bool u8 u16 u32 u64 usize u128 }

macro_rules! signed {
    ($($word:ty)*) => {$(
        impl From<$word> for Integer {
            #[inline]
            fn from(value: $word) -> Integer {
                Integer(Store::two_words(value < 0, value.unsigned_abs() as u128))
            }
        }
    )*};
}
signed! { i8 i16 i32 i64 isize i128 }

/// A number that does not fit a machine type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfRange;

impl TryFrom<&Natural> for u128 {
    type Error = OutOfRange;
    #[inline]
    fn try_from(value: &Natural) -> Result<u128, OutOfRange> {
        match value.limbs() {
            [] => Ok(0),
            [low] => Ok(u128::from(*low)),
            [low, high] => Ok(u128::from(*high) << 64 | u128::from(*low)),
            _ => Err(OutOfRange),
        }
    }
}

impl TryFrom<&Integer> for i128 {
    type Error = OutOfRange;
    fn try_from(value: &Integer) -> Result<i128, OutOfRange> {
        let magnitude = u128::try_from(value.magnitude())?;
        if value.is_negative() {
            0i128.checked_sub_unsigned(magnitude).ok_or(OutOfRange)
        } else {
            i128::try_from(magnitude).map_err(|_| OutOfRange)
        }
    }
}

impl TryFrom<&Integer> for u128 {
    type Error = OutOfRange;
    fn try_from(value: &Integer) -> Result<u128, OutOfRange> {
        if value.is_negative() {
            return Err(OutOfRange);
        }
        u128::try_from(value.magnitude())
    }
}

macro_rules! narrow {
    ($($word:ty)*) => {$(
        impl TryFrom<&Natural> for $word {
            type Error = OutOfRange;
            #[inline]
            fn try_from(value: &Natural) -> Result<$word, OutOfRange> {
                <$word>::try_from(u128::try_from(value)?).map_err(|_| OutOfRange)
            }
        }

        impl TryFrom<&Integer> for $word {
            type Error = OutOfRange;
            #[inline]
            fn try_from(value: &Integer) -> Result<$word, OutOfRange> {
                <$word>::try_from(i128::try_from(value)?).map_err(|_| OutOfRange)
            }
        }
    )*};
}
narrow! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }

macro_rules! compare {
    ($type:ident: $($word:ty)*) => {$(
        impl PartialEq<$word> for $type {
            #[inline]
            fn eq(&self, other: &$word) -> bool {
                self.cmp(&$type::from(*other)).is_eq()
            }
        }

        impl PartialOrd<$word> for $type {
            #[inline]
            fn partial_cmp(&self, other: &$word) -> Option<Ordering> {
                Some(self.cmp(&$type::from(*other)))
            }
        }
    )*};
}
compare! { Natural: u8 u16 u32 u64 usize u128 }
compare! { Integer: i8 u8 i16 u16 i32 u32 i64 u64 isize usize i128 u128 }

/// So that `x > 0` needs no suffix.
impl PartialEq<i32> for Natural {
    #[inline]
    fn eq(&self, other: &i32) -> bool {
        u32::try_from(*other).is_ok_and(|word| *self == word)
    }
}

impl PartialOrd<i32> for Natural {
    #[inline]
    fn partial_cmp(&self, other: &i32) -> Option<Ordering> {
        match u32::try_from(*other) {
            Ok(word) => self.partial_cmp(&word),
            Err(_) => Some(Ordering::Greater),
        }
    }
}

impl Natural {
    /// Digits in a radix from 2 to 36, lower case, without leading zeros.
    pub(crate) fn to_text(&self, radix: u32) -> String {
        let mut text = Vec::new();
        crate::word::radix::to_text(&mut text, self.limbs(), radix);
        String::from_utf8(text).expect("digits are ASCII")
    }

    /// The number with these digits, most significant first, each below `radix`.
    pub(crate) fn from_digits(digits: &[u8], radix: u32) -> Natural {
        Natural::build(crate::word::radix::limbs_for(digits.len(), radix), |out| {
            crate::word::radix::from_digits(out, digits, radix);
        })
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(true, "", &self.to_text(10))
    }
}

impl fmt::Debug for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(!self.is_negative(), "", &self.magnitude().to_text(10))
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Decimal digits alone.
impl FromStr for Natural {
    type Err = ();
    fn from_str(text: &str) -> Result<Natural, ()> {
        let digit = |byte: u8| byte.is_ascii_digit().then_some(byte - b'0');
        let digits: Option<Vec<u8>> = text.bytes().map(digit).collect();
        let digits = digits.filter(|digits| !digits.is_empty()).ok_or(())?;
        Ok(Natural::from_digits(&digits, 10))
    }
}

/// Decimal digits, and a minus before them for a negative number.
impl FromStr for Integer {
    type Err = ();
    fn from_str(text: &str) -> Result<Integer, ()> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        Ok(Integer::from_parts(negative, digits.parse()?))
    }
}
