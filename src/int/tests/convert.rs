use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use num_traits::{
    CheckedAdd, CheckedDiv, CheckedMul, CheckedNeg, CheckedRem, CheckedSub, FromPrimitive, Num,
    One, Pow, Signed, ToPrimitive, Zero,
};
use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{boundaries, integers, tunings};
use crate::error::Error;
use crate::int::Int;

macro_rules! primitives {
    ($x:expr, $a:expr; $($t:ty)*) => {$(
        assert_eq!(<$t>::try_from(&$x).ok(), <$t>::try_from($a).ok());
        assert_eq!(<$t>::try_from($x.clone()).ok(), <$t>::try_from($a).ok());
        for end in [<$t>::MIN, <$t>::MAX, 0, 1] {
            let back = Int::from(end);
            assert_eq!(<$t>::try_from(&back), Ok(end));
            assert_eq!(back, end);
            assert_eq!(back.to_string(), end.to_string());
        }
    )*};
}

#[test]
fn machine_integers() {
    tunings(|| {
        for a in &boundaries() {
            let x = Int::from(a);
            primitives!(x, a; i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize);
        }
        let error = u8::try_from(Int::from(256)).unwrap_err();
        assert_eq!(error, Error::Domain("the number does not fit in u8".into()));
    });
}

proptest! {
    #[test]
    fn malachite(a in integers(6)) {
        tunings(|| {
            let x = Int::from(&a);
            assert_eq!(*x.host(), a);
            assert_eq!(x.try_limbs(), Ok(x.limbs()));
            assert_eq!(Integer::from(&x), a);
            assert_eq!(Integer::from(x.clone()), a);
            assert_eq!(x.clone().into_integer(), a);
            assert_eq!(Int::from(a.clone()), x);
            match Natural::try_from(&a) {
                Ok(natural) => {
                    assert_eq!(Natural::try_from(&x).as_ref(), Ok(&natural));
                    assert_eq!(Natural::try_from(x.clone()).as_ref(), Ok(&natural));
                    assert_eq!(Int::from(&natural), x);
                    assert_eq!(Int::from(natural), x);
                }
                Err(_) => assert!(Natural::try_from(&x).is_err() && Natural::try_from(x).is_err()),
            }
        });
    }

    /// Through decimal text, which Rust rounds correctly.
    #[test]
    fn floats(a in integers(20), shift in 0u64..1000) {
        for a in [a.clone(), a >> shift] {
            let (x, text) = (Int::from(&a), a.to_string());
            prop_assert_eq!(x.to_f64(), text.parse::<f64>().unwrap());
            prop_assert_eq!(x.to_f32(), text.parse::<f32>().unwrap());
        }
    }

    #[test]
    fn floats_back(value in any::<f64>()) {
        match Int::from_f64(value) {
            Some(x) => prop_assert_eq!(x.to_f64(), value.trunc()),
            None => prop_assert!(!value.is_finite()),
        }
    }
}

#[test]
fn float_ends() {
    let two = |n: u64| Int::ONE << n;
    assert_eq!((two(1024) - two(970)).to_f64(), f64::INFINITY);
    assert_eq!((two(1024) - two(970) - 1).to_f64(), f64::MAX);
    assert_eq!((two(128) - two(103)).to_f32(), f32::INFINITY);
    assert_eq!((two(128) - two(103) - 1).to_f32(), f32::MAX);
    assert_eq!((-two(5000)).to_f64(), f64::NEG_INFINITY);
    assert_eq!(Int::from_f64(f64::MAX).unwrap().bit_length(), 1024);
    assert_eq!(Int::from_f64(0.99), Some(Int::ZERO));
}

/// Generic code sees the same numbers.
#[test]
fn num_traits() {
    fn horner<T: Num + Clone>(digits: &[T], base: &T) -> T {
        digits
            .iter()
            .fold(T::zero(), |sum, digit| sum * base.clone() + digit.clone())
    }
    assert_eq!(horner(&[1, 2, 3].map(Int::from), &Int::from(10)), 123);

    let (a, b) = (Int::from(-7), Int::from(2));
    assert_eq!(a.checked_add(&b), Some(Int::from(-5)));
    assert_eq!(a.checked_sub(&b), Some(Int::from(-9)));
    assert_eq!(a.checked_mul(&b), Some(Int::from(-14)));
    assert_eq!(a.checked_div(&b), Some(Int::from(-3)));
    assert_eq!(a.checked_rem(&b), Some(Int::from(-1)));
    assert_eq!(a.checked_div(&Int::ZERO), None);
    assert_eq!(a.checked_rem(&Int::ZERO), None);
    assert_eq!(a.checked_neg(), Some(Int::from(7)));
    assert_eq!(Pow::pow(&a, 3u64), -343);
    assert_eq!(Pow::pow(a.clone(), 3u32), -343);
    assert_eq!(Signed::signum(&a), -1);
    assert_eq!(Signed::abs(&a), 7);
    assert_eq!(Signed::abs_sub(&b, &a), 9);
    assert_eq!(Signed::abs_sub(&a, &b), 0);
    assert!(Signed::is_positive(&b) && Signed::is_negative(&a));
    assert!(<Int as One>::one().is_one() && <Int as Zero>::zero().is_zero());
    assert_eq!(<Int as Num>::from_str_radix("zz", 36), Ok(Int::from(1295)));
    assert_eq!(ToPrimitive::to_i64(&a), Some(-7));
    assert_eq!(ToPrimitive::to_u8(&a), None);
    assert_eq!(ToPrimitive::to_f64(&a), Some(-7.0));
    assert_eq!(Int::from_u128(u128::MAX), Some(Int::from(u128::MAX)));
    assert_eq!(<Int as FromPrimitive>::from_f32(2.5), Some(Int::from(2)));
}

#[test]
fn random() {
    tunings(|| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for bits in (0..300).chain([1 << 16]) {
            assert_eq!(Int::random_bits(bits, &mut rng).bit_length(), bits);
        }
        assert!(Int::try_random_bits(u64::MAX, &mut rng).is_err());

        let mut seen = [0; 5];
        for _ in 0..500 {
            let x = Int::random_below(&Int::from(5), &mut rng);
            seen[usize::try_from(x).unwrap()] += 1;
        }
        assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
        let bound = Int::ONE << 128;
        assert!(Int::random_below(&bound, &mut rng) < bound);
        assert_eq!(Int::random_below(&Int::ONE, &mut rng), 0);
        for bound in [0, -5] {
            assert!(Int::try_random_below(&Int::from(bound), &mut rng).is_err());
        }

        // The same state gives the same number, and generators may be trait objects.
        let [a, b] = [(); 2].map(|()| {
            let mut rng: Box<dyn rand::Rng> = Box::new(Xoshiro256PlusPlus::seed_from_u64(9));
            Int::random_bits(200, &mut *rng)
        });
        assert_eq!(a, b);
    });
}

#[cfg(feature = "gmp")]
proptest! {
    #[test]
    fn rug(a in integers(6)) {
        let x = Int::from(&a);
        let there: rug::Integer = (&x).into();
        prop_assert_eq!(there.to_string(), a.to_string());
        prop_assert_eq!(rug::Integer::from(x.clone()), there.clone());
        prop_assert_eq!(Int::from(&there), x.clone());
        prop_assert_eq!(Int::from(there), x);
    }
}

#[cfg(feature = "num-bigint")]
proptest! {
    #[test]
    fn num_bigint(a in integers(6)) {
        use num_bigint::{BigInt, BigUint};
        let x = Int::from(&a);
        let there = BigInt::from(&x);
        prop_assert_eq!(there.to_string(), a.to_string());
        prop_assert_eq!(BigInt::from(x.clone()), there.clone());
        prop_assert_eq!(Int::from(&there), x.clone());
        prop_assert_eq!(Int::from(there), x.clone());
        match BigUint::try_from(&x) {
            Ok(magnitude) => {
                prop_assert_eq!(Int::from(&magnitude), x.clone());
                prop_assert_eq!(Int::from(magnitude), x);
            }
            Err(_) => prop_assert!(x.is_negative() && BigUint::try_from(x).is_err()),
        }
    }
}
