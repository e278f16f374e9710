use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use malachite_base::num::arithmetic::traits::{Abs, DivRem, Pow};
use malachite_base::num::logic::traits::{
    BitAccess, BitScan, CheckedHammingDistance, SignificantBits,
};
use malachite_nz::integer::Integer;
use proptest::prelude::*;

use super::{boundaries, integers, tunings};
use crate::engine::Engine;
use crate::error::Error;
use crate::int::Int;

/// One operator in all its forms against malachite's.
macro_rules! forms {
    ($a:expr, $b:expr; $($op:tt $assign:tt),*) => {$({
        let (a, b) = (Int::from($a), Int::from($b));
        let expected = Int::from($a $op $b);
        assert_eq!(&a $op &b, expected);
        assert_eq!(&a $op b.clone(), expected);
        assert_eq!(a.clone() $op &b, expected);
        assert_eq!(a.clone() $op b.clone(), expected);
        // Not shared: may reuse its own memory.
        assert_eq!(Int::from($a) $op &b, expected);
        let mut c = a.clone();
        c $assign &b;
        assert_eq!(c, expected);
        assert_eq!(a, Int::from($a), "a clone was changed");
        c = Int::from($a);
        c $assign b.clone();
        assert_eq!(c, expected);
    })*};
}

fn binary(a: &Integer, b: &Integer) {
    tunings(|| {
        forms!(a, b; + +=, - -=, * *=, & &=, | |=, ^ ^=);
        let (x, y) = (Int::from(a), Int::from(b));
        // Into memory of all lengths, and of a number with the other sign.
        for bits in [0, 200, 256, 300, 600, 5000] {
            let mut out = -Int::ones(bits);
            out.assign_sum(&x, &y);
            assert_eq!(out, Int::from(a + b));
            let mut out = -Int::ones(bits);
            out.assign_difference(&x, &y);
            assert_eq!(out, Int::from(a - b));
            let mut out = -Int::ones(bits);
            out.assign_product(&x, &y);
            assert_eq!(out, Int::from(a * b));
        }
        if *b == 0 {
            assert_eq!(x.try_div_rem(&y), Err(Error::DivisionByZero));
        } else {
            forms!(a, b; / /=, % %=);
            let (q, r) = a.div_rem(b);
            assert_eq!(x.try_div_rem(&y), Ok((q.into(), r.into())));
        }
        assert_eq!(x.cmp(&y), a.cmp(b));
        assert_eq!(x == y, a == b);
        assert_eq!(x.hamming_distance(&y), a.checked_hamming_distance(b));
        assert_eq!(x.try_add(&y), Ok(&x + &y));
        assert_eq!(x.try_sub(&y), Ok(&x - &y));
        assert_eq!(x.try_mul(&y), Ok(&x * &y));
        assert_eq!(x.try_and(&y), Ok(&x & &y));
        assert_eq!(x.try_or(&y), Ok(&x | &y));
        assert_eq!(x.try_xor(&y), Ok(&x ^ &y));
    });
}

fn unary(a: &Integer) {
    tunings(|| {
        let x = Int::from(a);
        assert_eq!(-&x, Int::from(-a));
        assert_eq!(!&x, Int::from(!a));
        assert_eq!(-x.clone(), x.try_neg().unwrap());
        assert_eq!(!x.clone(), x.try_not().unwrap());
        assert_eq!(x.abs(), Int::from(a.abs()));
        assert_eq!(x.signum(), if *a < 0 { -1 } else { i32::from(*a > 0) });
        assert_eq!(x.is_zero(), *a == 0);
        assert_eq!(x.is_negative(), *a < 0);
        assert_eq!(x.bit_length(), a.significant_bits());
        assert_eq!(x.limb_count(), x.limbs().len());
        assert_eq!(x.count_ones(), a.checked_count_ones());
        for index in [0, 1, 63, 64, 65, 127, 128, 500] {
            assert_eq!(x.bit(index), a.get_bit(index));
            assert_eq!(x.first_set_bit(index), a.index_of_next_true_bit(index));
            assert_eq!(x.first_clear_bit(index), a.index_of_next_false_bit(index));
            let (mut set, mut clear, mut flip) = (x.clone(), x.clone(), x.clone());
            set.set_bit(index);
            clear.clear_bit(index);
            flip.flip_bit(index);
            let with = |bit| {
                let mut value = a.clone();
                value.assign_bit(index, bit);
                Int::from(value)
            };
            assert_eq!(set, with(true));
            assert_eq!(clear, with(false));
            assert_eq!(flip, with(!a.get_bit(index)));
        }
        for count in [0u64, 1, 63, 64, 65, 200] {
            let (left, right) = (Int::from(a << count), Int::from(a >> count));
            assert_eq!(&x << count, left);
            assert_eq!(&x >> count, right);
            assert_eq!(x.clone() << count as u32, left);
            assert_eq!(x.clone() >> count as usize, right);
            assert_eq!(&x << -(count as i32), right);
            assert_eq!(&x >> -(count as i64), left);
            let mut shifted = x.clone();
            shifted <<= count;
            assert_eq!(shifted, left);
            shifted = x.clone();
            shifted >>= count as i32;
            assert_eq!(shifted, right);
            // Not shared: may reuse its own memory.
            assert_eq!(Int::from(a) << count, left);
            assert_eq!(Int::from(a) << -i128::from(count), right);
            assert_eq!(Int::from(a) >> count as u8, right);
        }
        for small in [0, 1, -1, i64::MIN, i64::MAX] {
            assert_eq!(
                x.try_add_small(small),
                Ok(Int::from(a + Integer::from(small)))
            );
        }
        for exponent in [0, 1, 2, 7] {
            assert_eq!(x.try_pow(exponent), Ok(Int::from(a.pow(exponent))));
        }
        let hasher = RandomState::new();
        let again = Int::from_sign_limbs(x.is_negative(), x.limbs().to_vec());
        assert_eq!(hasher.hash_one(&x), hasher.hash_one(&again));
    });
}

#[test]
fn at_boundaries() {
    let numbers = boundaries();
    for a in &numbers {
        unary(a);
        for b in &numbers {
            binary(a, b);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn against_malachite(a in integers(40), b in integers(40)) {
        unary(&a);
        binary(&a, &b);
    }

    #[test]
    fn machine_integers_on_the_right(a in integers(3), b in any::<i64>(), c in any::<u128>()) {
        tunings(|| {
            let x = Int::from(&a);
            let big = Integer::from(b);
            assert_eq!(&x + b, Int::from(&a + &big));
            assert_eq!(x.clone() - b, Int::from(&a - &big));
            assert_eq!(&x * b, Int::from(&a * &big));
            assert_eq!(x.partial_cmp(&b), a.partial_cmp(&big));
            assert_eq!(x == c, a == c);
            if b != 0 {
                assert_eq!(&x / b, Int::from(&a / &big));
                assert_eq!(x.clone() % b, Int::from(&a % &big));
            }
            let mut y = x.clone();
            y += c;
            y -= c;
            assert_eq!(y, x);
        });
    }
}

#[test]
fn sums_and_products() {
    tunings(|| {
        let numbers: Vec<Int> = (1..=100).map(Int::from).collect();
        assert_eq!(numbers.iter().sum::<Int>(), 5050);
        assert_eq!((1..=100).sum::<Int>(), 5050);
        assert_eq!(numbers.iter().product::<Int>(), Int::factorial(100));
        assert_eq!(numbers.into_iter().product::<Int>(), Int::factorial(100));
        assert_eq!(std::iter::empty::<Int>().product::<Int>(), 1);
        assert_eq!(std::iter::empty::<Int>().sum::<Int>(), 0);
    });
}

#[test]
fn patterns() {
    tunings(|| {
        for bits in [0, 1, 63, 64, 65, 1000] {
            assert_eq!(Int::ones(bits), (Int::ONE << bits) - 1);
        }
        assert_eq!(Int::fill(7, 3).limbs(), [7, 7, 7]);
        assert_eq!(Int::fill(0, 3), 0);
        assert_eq!(Int::fill(7, 0), 0);
    });
}

#[test]
fn what_cannot_fit_is_an_error() {
    let one = Int::ONE;
    let errors = [
        one.try_shl(u64::MAX).err(),
        Int::try_ones(u64::MAX).err(),
        Int::try_fill(1, usize::MAX).err(),
        Int::from(3).try_pow(u64::MAX).err(),
        Int::try_factorial(u64::MAX).err(),
        one.clone().try_set_bit(u64::MAX).err(),
    ];
    for error in errors {
        assert!(matches!(error, Some(Error::TooLarge { .. })), "{error:?}");
    }
    // These do fit, whatever the count.
    assert_eq!(Int::from(-1).try_pow(u64::MAX), Ok(Int::from(-1)));
    assert_eq!(Int::ZERO.try_pow(u64::MAX), Ok(Int::ZERO));
    assert_eq!(one.try_shr(u64::MAX), Ok(Int::ZERO));
    assert_eq!(&one >> u128::MAX, 0);
    assert_eq!(&one << i128::MIN, 0);
    assert_eq!(Int::from(-5).try_shr(u64::MAX), Ok(Int::from(-1)));
}

#[test]
#[should_panic(expected = "division by zero")]
fn division_by_zero_panics_as_rust_does() {
    let _ = Int::ONE / 0;
}

#[test]
fn a_forced_device_that_is_not_there_is_an_error() {
    let (a, b) = (Int::from(12), Int::from(18));
    Engine::Cuda(7).scope(|| {
        let errors = [
            a.try_gcd(&b).err(),
            a.try_extended_gcd(&b).err(),
            a.try_lcm(&b).err(),
        ];
        for error in errors {
            assert!(matches!(&error, Some(Error::NoDevice(_))), "{error:?}");
        }
        assert_eq!(a.to_string(), "12");
    });
}

#[test]
fn threads_may_share_and_send() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Int>();
}

#[test]
#[expect(
    clippy::mutable_key_type,
    reason = "copies come and go, the value and its hash do not change"
)]
fn sets_find_equal_numbers() {
    let set: HashSet<Int> = boundaries().into_iter().map(Int::from).collect();
    for number in boundaries() {
        assert!(set.contains(&Int::from(number)));
    }
    assert!(!set.contains(&Int::from(1234)));
}
