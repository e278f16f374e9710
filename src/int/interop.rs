//! Conversions to and from other libraries' integers, limb by limb.

use super::Int;

#[cfg(feature = "gmp")]
mod gmp {
    use rug::Integer;
    use rug::integer::Order;

    use super::Int;

    impl From<&Integer> for Int {
        fn from(value: &Integer) -> Int {
            Int::from_sign_limbs(value.is_negative(), value.to_digits(Order::Lsf))
        }
    }

    impl From<Integer> for Int {
        fn from(value: Integer) -> Int {
            Int::from(&value)
        }
    }

    impl From<&Int> for Integer {
        fn from(value: &Int) -> Integer {
            let magnitude = Integer::from_digits(value.limbs(), Order::Lsf);
            if value.is_negative() {
                -magnitude
            } else {
                magnitude
            }
        }
    }

    impl From<Int> for Integer {
        fn from(value: Int) -> Integer {
            Integer::from(&value)
        }
    }
}

#[cfg(any(test, feature = "malachite"))]
mod malachite {
    use malachite_nz::integer::Integer;
    use malachite_nz::natural::Natural;

    use super::Int;
    use crate::error::{Error, Result};
    use crate::int::convert::negative;

    impl From<&Integer> for Int {
        fn from(value: &Integer) -> Int {
            let limbs = value.unsigned_abs_ref().to_limbs_asc();
            Int::from_sign_limbs(*value < 0, limbs)
        }
    }

    impl From<Integer> for Int {
        fn from(value: Integer) -> Int {
            Int::from(&value)
        }
    }

    impl From<&Natural> for Int {
        fn from(value: &Natural) -> Int {
            Int::from_limbs(value.to_limbs_asc())
        }
    }

    impl From<Natural> for Int {
        fn from(value: Natural) -> Int {
            Int::from_limbs(value.into_limbs_asc())
        }
    }

    impl From<&Int> for Integer {
        fn from(value: &Int) -> Integer {
            let magnitude = Natural::from_limbs_asc(value.limbs());
            Integer::from_sign_and_abs(!value.is_negative(), magnitude)
        }
    }

    impl From<Int> for Integer {
        fn from(value: Int) -> Integer {
            Integer::from(&value)
        }
    }

    /// An error for a negative number.
    impl TryFrom<&Int> for Natural {
        type Error = Error;

        fn try_from(value: &Int) -> Result<Natural> {
            if value.is_negative() {
                return Err(negative());
            }
            Ok(Natural::from_limbs_asc(value.try_limbs()?))
        }
    }

    /// An error for a negative number.
    impl TryFrom<Int> for Natural {
        type Error = Error;

        fn try_from(value: Int) -> Result<Natural> {
            Natural::try_from(&value)
        }
    }
}

#[cfg(feature = "num-bigint")]
mod bigint {
    use num_bigint::{BigInt, BigUint, Sign};

    use super::Int;
    use crate::error::{Error, Result};

    impl From<&BigUint> for Int {
        fn from(value: &BigUint) -> Int {
            Int::from_limbs(value.iter_u64_digits().collect())
        }
    }

    impl From<BigUint> for Int {
        fn from(value: BigUint) -> Int {
            Int::from(&value)
        }
    }

    impl From<&BigInt> for Int {
        fn from(value: &BigInt) -> Int {
            Int::from_sign_limbs(
                value.sign() == Sign::Minus,
                value.iter_u64_digits().collect(),
            )
        }
    }

    impl From<BigInt> for Int {
        fn from(value: BigInt) -> Int {
            Int::from(&value)
        }
    }

    impl From<&Int> for BigInt {
        fn from(value: &Int) -> BigInt {
            let sign = if value.is_negative() {
                Sign::Minus
            } else {
                Sign::Plus
            };
            BigInt::from_biguint(sign, magnitude(value))
        }
    }

    impl From<Int> for BigInt {
        fn from(value: Int) -> BigInt {
            BigInt::from(&value)
        }
    }

    /// An error for a negative number.
    impl TryFrom<&Int> for BigUint {
        type Error = Error;

        fn try_from(value: &Int) -> Result<BigUint> {
            if value.is_negative() {
                return Err(super::super::convert::negative());
            }
            Ok(magnitude(value))
        }
    }

    /// An error for a negative number.
    impl TryFrom<Int> for BigUint {
        type Error = Error;

        fn try_from(value: Int) -> Result<BigUint> {
            BigUint::try_from(&value)
        }
    }

    /// `BigUint` takes its digits as 32-bit halves, whatever it keeps inside.
    fn magnitude(value: &Int) -> BigUint {
        let halves = |limb: &u64| [*limb as u32, (limb >> 32) as u32];
        BigUint::new(value.limbs().iter().flat_map(halves).collect())
    }
}
