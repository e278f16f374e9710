//! Arguments outside an operation's domain: each a clear error on every engine, before anything is
//! computed.

use crate::engine::Engine;
use crate::error::Error;
use crate::int::Int;
use crate::tests::support::everywhere;
use crate::{Divisor, tree};

/// Small and large, on both sides of every threshold of the minimal tuning.
fn operands() -> [Int; 4] {
    let large = (Int::ONE << 700) + 15;
    [Int::ZERO, Int::from(5), -&large, large]
}

#[test]
fn division_by_zero() {
    everywhere(|engine| {
        let zero = Int::ZERO;
        for a in operands() {
            let errors = [
                a.try_div(&zero).err(),
                a.try_rem(&zero).err(),
                a.try_div_rem(&zero).err(),
                a.try_div_rem_floor(&zero).err(),
                a.try_div_rem_ceil(&zero).err(),
                a.try_div_rem_euclid(&zero).err(),
                a.try_div_floor(&zero).err(),
                a.try_rem_euclid(&zero).err(),
                a.try_div_exact(&zero).err(),
                a.try_pow_mod(&Int::from(3), &zero).err(),
                a.try_pow_mod(&Int::from(-3), &zero).err(),
                a.try_mod_inverse(&zero).err(),
                Divisor::new(&zero).err(),
                tree::remainders(&a, &[Int::from(3), zero.clone()]).err(),
            ];
            for (i, error) in errors.into_iter().enumerate() {
                assert_eq!(error, Some(Error::DivisionByZero), "{engine}: {i} of {a:?}");
            }
        }
    });
}

#[test]
fn outside_the_domain() {
    everywhere(|engine| {
        let [zero, five, negative, large] = operands();
        let mut errors = vec![
            (five.try_div_exact(&Int::from(3)).err(), "does not divide"),
            (negative.try_isqrt().err(), "no square root"),
            (negative.try_root(2).err(), "even degree 2"),
            (negative.try_root(6).err(), "even degree 6"),
            (negative.try_root(0).err(), "no 0th root"),
            (zero.try_root(0).err(), "no 0th root"),
            (five.try_jacobi(&Int::from(8)).err(), "odd positive"),
            (five.try_jacobi(&zero).err(), "odd positive"),
            (five.try_jacobi(&negative).err(), "odd positive"),
            (five.try_jacobi(&(large.clone() << 1)).err(), "odd positive"),
            (five.try_to_string_radix(1).err(), "radix 1"),
            (large.try_to_string_radix(37).err(), "radix 37"),
            (Int::from_str_radix("1", 0).err(), "radix 0"),
            (Int::from_str_radix("129", 9).err(), "position 2"),
            (Int::from_str_radix("", 9).err(), "position 0"),
        ];
        // Inverses need greatest common divisors, which a forced device may lack.
        if engine == Engine::Cpu {
            let ten = Int::from(10);
            let even = large.clone() << 1;
            errors.extend([
                (
                    Int::from(6).try_mod_inverse(&Int::from(9)).err(),
                    "common divisor 3",
                ),
                (zero.try_mod_inverse(&ten).err(), "common divisor 10"),
                (
                    Int::from(4).try_pow_mod(&Int::from(-1), &ten).err(),
                    "common divisor 2",
                ),
                (
                    even.try_mod_inverse(&(even.clone() << 300)).err(),
                    "a number of 702 bits",
                ),
            ]);
        }
        for (error, words) in errors {
            let text = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(text.contains(words), "{engine}: {words}: '{text}'");
        }
    });
}

#[test]
fn results_that_cannot_fit() {
    everywhere(|engine| {
        let (three, huge) = (Int::from(3), 1 << 61);
        let errors = [
            three.try_pow(huge).err(),
            (-Int::ones(700)).try_pow(huge).err(),
            three.try_shl(huge).err(),
            Int::try_ones(huge).err(),
            Int::try_fill(1, 1 << 60).err(),
            Int::try_factorial(huge).err(),
            Int::try_double_factorial(huge).err(),
            Int::try_double_factorial(huge + 1).err(),
            Int::try_multi_factorial(huge, 3).err(),
            Int::try_primorial(huge).err(),
            Int::try_fibonacci(huge).err(),
            Int::try_lucas(huge).err(),
            Int::try_binomial(huge, huge / 2).err(),
            three.clone().try_set_bit(huge).err(),
        ];
        for (i, error) in errors.into_iter().enumerate() {
            assert!(
                matches!(error, Some(Error::TooLarge { .. })),
                "{engine}: {i}: {error:?}"
            );
        }
    });
}
