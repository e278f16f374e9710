//! Methods beyond the operators against malachite, and plain names against their `try_` twins.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use malachite_base::num::arithmetic::traits::{
    Abs, DoubleFactorial, IsPowerOf2, Multifactorial, NextPowerOf2, Parity, Pow,
};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use proptest::prelude::*;

use super::{boundaries, integers, tunings};
use crate::engine::Engine;
use crate::error::Error;
use crate::int::Int;
use crate::tuning::Tuning;

#[test]
fn four_words() {
    assert!(size_of::<Int>() <= 32);
}

#[test]
fn constants() {
    const SMALL: [Int; 2] = [Int::ZERO, Int::ONE];
    static SHARED: Int = Int::ONE;
    assert_eq!(SMALL, [Int::from(0), Int::from(1)]);
    assert_eq!(&SHARED + &SMALL[1], 2);
    assert_eq!(Int::default(), Int::ZERO);
}

/// Structured numbers: boundaries, and 2^(64 n) + d for n up to 40 limbs.
fn structured() -> Vec<Integer> {
    let mut numbers = boundaries();
    for limbs in [4u64, 17, 40] {
        for offset in [-1, 0, 1] {
            let number = (Integer::from(1) << (64 * limbs)) + Integer::from(offset);
            numbers.extend([-&number, number]);
        }
    }
    numbers
}

#[test]
fn digits_of_any_width() {
    for a in structured().into_iter().filter(|a| *a >= 0) {
        for bits in [
            1,
            7,
            32,
            63,
            64,
            65,
            127,
            128,
            129,
            200,
            1000,
            1 << 20,
            u64::MAX,
        ] {
            let digits = Int::from(&a).unpack(bits);
            let length = Int::from(&a).bit_length();
            assert_eq!(digits.len() as u64, length.div_ceil(bits).max(1));
            let mut rest = Int::from(&a);
            for digit in &digits {
                let above = rest.clone() >> bits;
                assert_eq!(*digit, &rest - (above.clone() << bits.min(length + 1)));
                rest = above;
            }
            assert_eq!(rest, 0, "{a} {bits}");
            tunings(|| assert_eq!(Int::pack(&digits, bits), Int::from(&a), "{bits}"));
        }
    }
    let top = Int::pack(&[Int::ONE, Int::ZERO, Int::ZERO], 1 << 63);
    assert_eq!((top, Int::pack(&[], 5)), (Int::ONE, Int::ZERO));
}

fn bits(a: &Integer) {
    tunings(|| {
        let x = Int::from(a);
        assert_eq!(x.is_even(), a.even());
        assert_eq!(x.is_odd(), a.odd());
        assert_eq!(x.is_positive(), *a > 0);
        assert_eq!(x.trailing_zeros(), a.trailing_zeros());
        assert_eq!(x.trailing_ones(), (!a).trailing_zeros());
        let positive = Natural::try_from(a).ok().filter(|a| *a != 0);
        let is_power = positive.as_ref().is_some_and(Natural::is_power_of_2);
        assert_eq!(x.is_power_of_two(), is_power);
        let next = positive.map_or(Natural::from(1u8), Natural::next_power_of_2);
        assert_eq!(x.next_power_of_two(), Int::from(next));
        assert_eq!(x.try_is_even(), Ok(x.is_even()));
        assert_eq!(x.try_is_odd(), Ok(x.is_odd()));
        assert_eq!(x.try_is_positive(), Ok(x.is_positive()));
        assert_eq!(x.try_is_negative(), Ok(x.is_negative()));
        assert_eq!(x.try_is_zero(), Ok(x.is_zero()));
        assert_eq!(x.try_trailing_zeros(), Ok(x.trailing_zeros()));
        assert_eq!(x.try_trailing_ones(), Ok(x.trailing_ones()));
        assert_eq!(x.try_bit_length(), Ok(x.bit_length()));
        assert_eq!(x.try_limb_count(), Ok(x.limb_count()));
        assert_eq!(x.try_to_signed_be_bytes(), Ok(x.to_signed_be_bytes()));
        assert_eq!(x.try_to_be_bytes(), Ok(x.to_be_bytes()));
        assert_eq!(x.try_to_f64(), Ok(x.to_f64()));
    });
}

fn pairs(a: &Integer, b: &Integer) {
    tunings(|| {
        let (x, y) = (Int::from(a), Int::from(b));
        assert_eq!(x.abs_diff(&y), Int::from((a - b).abs()));
        assert_eq!(x.try_cmp(&y), Ok(a.cmp(b)));
        if *b == 0 {
            assert_eq!(x.try_div(&y), Err(Error::DivisionByZero));
            assert_eq!(x.try_rem(&y), Err(Error::DivisionByZero));
        } else {
            assert_eq!(x.try_div(&y), Ok(Int::from(a / b)));
            assert_eq!(x.try_rem(&y), Ok(Int::from(a % b)));
        }
        for difference in [0, 1, -3] {
            let c = a - b * Integer::from(difference) + Integer::from(difference % 2);
            let congruent = if *b == 0 { *a == c } else { (a - &c) % b == 0 };
            assert_eq!(x.is_congruent(&Int::from(c), &y), congruent);
        }
    });
}

/// Divides by `factor` as long as that leaves no remainder.
fn removed(mut a: Integer, factor: &Integer) -> (Integer, u64) {
    let mut count = 0;
    while a != 0 && &a % factor == 0 {
        a /= factor;
        count += 1;
    }
    (a, count)
}

fn removal(cofactor: &Integer, factor: &Integer, exponent: u64) {
    tunings(|| {
        let a = cofactor * factor.pow(exponent);
        let found = Int::from(&a).try_remove(&Int::from(factor));
        if factor.abs() <= 1 {
            return assert!(matches!(found, Err(Error::Domain(_))));
        }
        let (rest, count) = removed(a, factor);
        assert_eq!(found, Ok((Int::from(rest), count)));
    });
}

#[test]
fn structured_numbers() {
    let numbers = structured();
    for a in &numbers {
        bits(a);
        for b in &numbers {
            pairs(a, b);
        }
    }
}

#[test]
fn removal_of_every_count() {
    let factors = [-10, -8, -2, -1, 0, 1, 2, 3, 4, 6, 64, 97];
    let cofactors = [0, 1, -1, 2, 3, -30, 3072, 1i64 << 40];
    for factor in factors.map(Integer::from) {
        for cofactor in cofactors.map(Integer::from) {
            for exponent in (0..10).chain([15, 16, 17, 100]) {
                removal(&cofactor, &factor, exponent);
            }
        }
    }
}

#[test]
fn factors_are_removed_on_every_engine() {
    let factor = (Int::ONE << 70) - 3;
    let rest = (Int::ONE << 500) + 1;
    let product = &rest * factor.pow(13);
    for engine in Engine::usable() {
        Tuning::MINIMAL.scope(|| {
            let found = engine.scope(|| product.try_remove(&factor));
            assert_eq!(found, Ok((rest.clone(), 13)), "{engine}");
        });
    }
}

#[test]
fn multiple_factorials() {
    for n in (0..40).chain([100, 511, 512, 513, 2000, 2001]) {
        let expected = Natural::double_factorial(n);
        assert_eq!(Int::double_factorial(n), Int::from(expected), "{n}");
        for step in [1, 2, 3, 4, 7, 1000, u64::MAX] {
            let expected = Natural::multifactorial(n, step);
            assert_eq!(
                Int::multi_factorial(n, step),
                Int::from(expected),
                "{n} {step}"
            );
        }
    }
    assert!(matches!(
        Int::try_multi_factorial(5, 0),
        Err(Error::Domain(_))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_numbers(a in integers(40), b in integers(40), c in integers(3)) {
        bits(&a);
        pairs(&a, &b);
        pairs(&a, &c);
    }

    #[test]
    fn random_factors(a in integers(20), b in integers(4), exponent in 0u64..12) {
        removal(&a, &b, exponent);
    }
}

/// A function rather than `assert_eq!`, which would make the expansion of `sides` slow to compile.
#[track_caller]
fn same(found: Int, expected: Integer) {
    assert_eq!(found, Int::from(expected));
}

/// Every operator and comparison with one machine type, on either side.
macro_rules! sides {
    ($a:expr; $($t:ty)*) => {$({
        let (x, a) = (Int::from($a), $a);
        for word in [0, 1, 5, <$t>::MAX - 1, <$t>::MAX, <$t>::MIN, <$t>::MIN + 1] {
            let b = Integer::from(word);
            sides!(x a word b; + +=, - -=, * *=, & &=, | |=, ^ ^=);
            if word != 0 {
                sides!(x a word b; / /=, % %=);
            }
            if *a != 0 {
                same(word / &x, &b / a);
                same(word % x.clone(), &b % a);
            }
            same(word + &x, &b + a);
            same(word - x.clone(), &b - a);
            same(word * &x, &b * a);
            same(word & x.clone(), &b & a);
            same(word | &x, &b | a);
            same(word ^ x.clone(), &b ^ a);
            assert!((x == word) == (*a == b) && (word == x) == (*a == b));
            assert!(x.partial_cmp(&word) == a.partial_cmp(&b));
            assert!(word.partial_cmp(&x) == b.partial_cmp(a));
        }
    })*};
    ($x:ident $a:ident $word:ident $b:ident; $($op:tt $assign:tt),*) => {$(
        same(&$x $op $word, $a $op &$b);
        let mut y = $x.clone();
        y $assign $word;
        same(y, $a $op &$b);
    )*};
}

#[test]
fn machine_integers_on_either_side() {
    for a in &boundaries() {
        sides!(a; i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize);
    }
}

/// Where the `try_` form is an error, the plain form panics with the text of that error.
macro_rules! twins {
    ($($plain:expr => $fallible:expr;)*) => {$({
        let error = $fallible.map(drop).unwrap_err();
        let plain = AssertUnwindSafe(|| {
            let _ = $plain;
        });
        let panic = catch_unwind(plain).expect_err(stringify!($plain));
        let text = panic.downcast_ref::<String>().unwrap();
        assert_eq!(*text, error.to_string(), "{}", stringify!($plain));
    })*};
}

#[test]
fn plain_names_panic_where_their_twins_are_errors() {
    let [zero, one, two, nine] = [0, 1, 2, 9].map(Int::from);
    let negative = Int::from(-5);
    let rng = || {
        use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
        Xoshiro256PlusPlus::seed_from_u64(1)
    };
    let huge = u64::MAX;
    let mut bit = nine.clone();
    twins! {
        &nine / &zero => nine.try_div(&zero);
        &nine % &zero => nine.try_rem(&zero);
        nine.clone() / 0 => nine.try_div(&zero);
        9 / &zero => nine.try_div(&zero);
        nine.div_rem(&zero) => nine.try_div_rem(&zero);
        nine.div_rem_floor(&zero) => nine.try_div_rem_floor(&zero);
        nine.div_rem_ceil(&zero) => nine.try_div_rem_ceil(&zero);
        nine.div_rem_euclid(&zero) => nine.try_div_rem_euclid(&zero);
        nine.div_floor(&zero) => nine.try_div_floor(&zero);
        nine.div_ceil(&zero) => nine.try_div_ceil(&zero);
        nine.div_euclid(&zero) => nine.try_div_euclid(&zero);
        nine.rem_floor(&zero) => nine.try_rem_floor(&zero);
        nine.rem_ceil(&zero) => nine.try_rem_ceil(&zero);
        nine.rem_euclid(&zero) => nine.try_rem_euclid(&zero);
        nine.div_exact(&two) => nine.try_div_exact(&two);
        nine.remove(&one) => nine.try_remove(&one);
        nine.pow_mod(&two, &zero) => nine.try_pow_mod(&two, &zero);
        nine.mod_inverse(&nine) => nine.try_mod_inverse(&nine);
        nine.jacobi(&two) => nine.try_jacobi(&two);
        nine.rational_reconstruction(&nine, &nine, &nine)
            => nine.try_rational_reconstruction(&nine, &nine, &nine);
        negative.isqrt() => negative.try_isqrt();
        negative.sqrt_rem() => negative.try_sqrt_rem();
        negative.root(4) => negative.try_root(4);
        nine.root(0) => nine.try_root(0);
        nine.root_rem(0) => nine.try_root_rem(0);
        two.prev_prime() => two.try_prev_prime();
        zero.factor() => zero.try_factor();
        nine.to_string_radix(37) => nine.try_to_string_radix(37);
        nine.pow(huge) => nine.try_pow(huge);
        &nine << huge => nine.try_shl(huge);
        bit.set_bit(huge) => bit.try_set_bit(huge);
        bit.flip_bit(huge) => bit.try_flip_bit(huge);
        Int::ones(huge) => Int::try_ones(huge);
        Int::fill(1, usize::MAX) => Int::try_fill(1, usize::MAX);
        Int::pack(slice::from_ref(&two), 1) => Int::try_pack(slice::from_ref(&two), 1);
        Int::pack(slice::from_ref(&negative), 9)
            => Int::try_pack(slice::from_ref(&negative), 9);
        Int::pack(&[zero.clone(), one.clone()], huge)
            => Int::try_pack(&[zero.clone(), one.clone()], huge);
        nine.unpack(0) => nine.try_unpack(0);
        negative.unpack(8) => negative.try_unpack(8);
        Int::factorial(huge) => Int::try_factorial(huge);
        Int::double_factorial(huge) => Int::try_double_factorial(huge);
        Int::multi_factorial(huge, 3) => Int::try_multi_factorial(huge, 3);
        Int::multi_factorial(9, 0) => Int::try_multi_factorial(9, 0);
        Int::primorial(huge) => Int::try_primorial(huge);
        Int::binomial(huge, huge / 2) => Int::try_binomial(huge, huge / 2);
        Int::fibonacci(huge) => Int::try_fibonacci(huge);
        Int::lucas(huge) => Int::try_lucas(huge);
        Int::random_bits(huge, &mut rng()) => Int::try_random_bits(huge, &mut rng());
        Int::random_below(&zero, &mut rng()) => Int::try_random_below(&zero, &mut rng());
        nine.to_device(999) => nine.try_to_device(999);
    }
    assert_eq!(bit, 9);
}

#[test]
fn plain_names_agree_with_their_twins() {
    tunings(|| {
        let (a, b) = ((Int::ONE << 300) + 7, (Int::from(-3) << 100) + 1);
        let (m, e) = ((Int::ONE << 127) - 1, Int::from(65537));
        assert_eq!(Ok(a.div_rem(&b)), a.try_div_rem(&b));
        assert_eq!(a.div_rem_floor(&b), (a.div_floor(&b), a.rem_floor(&b)));
        assert_eq!(a.div_rem_ceil(&b), (a.div_ceil(&b), a.rem_ceil(&b)));
        assert_eq!(a.div_rem_euclid(&b), (a.div_euclid(&b), a.rem_euclid(&b)));
        assert_eq!((&a * &b).div_exact(&b), a);
        assert_eq!(Ok(a.extended_gcd(&b)), a.try_extended_gcd(&b));
        assert_eq!(Ok(a.pow_mod(&e, &m)), a.try_pow_mod(&e, &m));
        assert_eq!((a.mod_inverse(&m) * &a).rem_euclid(&m), 1);
        assert_eq!(Ok(a.jacobi(&m)), a.try_jacobi(&m));
        assert_eq!(Ok(a.kronecker(&b)), a.try_kronecker(&b));
        assert_eq!(a.square().isqrt(), a);
        assert_eq!(a.pow(3).root_rem(3), (a.clone(), Int::ZERO));
        assert_eq!(a.pow(5).perfect_power(), Some((a.clone(), 5)));
        assert_eq!(m.next_prime().prev_prime(), m);
        assert_eq!(a.mul_low(&b, 90), (&a * &b).rem_euclid(&(Int::ONE << 90)));
        assert_eq!(a.mul_high(&b, 90), (&a * &b) >> 90);
        assert_eq!(a.prepare().mul(&b), &a * &b);
    });
}
