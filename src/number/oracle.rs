//! Conversions to and from malachite's integers and comparisons with them, for tests that take
//! malachite as their oracle.

use malachite_nz::integer::Integer as Signed;
use malachite_nz::natural::Natural as Unsigned;

use super::{Integer, Natural};

impl From<&Signed> for Integer {
    fn from(value: &Signed) -> Integer {
        Integer::from_limbs(*value < 0, &value.unsigned_abs_ref().to_limbs_asc())
    }
}

impl From<&Unsigned> for Natural {
    fn from(value: &Unsigned) -> Natural {
        Natural::from_limbs(&value.to_limbs_asc())
    }
}

impl From<&Integer> for Signed {
    fn from(value: &Integer) -> Signed {
        Signed::from_sign_and_abs(!value.is_negative(), value.magnitude().into())
    }
}

impl From<&Natural> for Unsigned {
    fn from(value: &Natural) -> Unsigned {
        Unsigned::from_limbs_asc(value.limbs())
    }
}

macro_rules! owned {
    ($($from:ty => $to:ty),*) => {$(
        impl From<$from> for $to {
            fn from(value: $from) -> $to {
                <$to>::from(&value)
            }
        }

        impl PartialEq<$from> for $to {
            fn eq(&self, other: &$from) -> bool {
                self.cmp(&<$to>::from(other)).is_eq()
            }
        }
    )*};
}
owned! { Signed => Integer, Unsigned => Natural, Integer => Signed, Natural => Unsigned }
