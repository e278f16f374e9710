//! [`Int`] against malachite, against definitions, and (feature `gmp`) against GMP; under both
//! tunings.

mod bytes;
mod convert;
mod device;
mod gcd;
mod methods;
mod operators;
mod text;

use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use proptest::prelude::*;

use crate::tuning::Tuning;

/// Runs `test` under each tuning.
fn tunings(test: impl Fn()) {
    for tuning in [Tuning::DEFAULT, Tuning::MINIMAL] {
        tuning.scope(&test);
    }
}

/// Integers of up to `limbs` limbs, with the limbs that carries and borrows run through more often
/// than chance would.
fn integers(limbs: usize) -> impl Strategy<Value = Integer> {
    let limb = prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        Just(1 << 63),
        any::<u64>()
    ];
    (any::<bool>(), prop::collection::vec(limb, 0..=limbs)).prop_map(|(sign, limbs)| {
        Integer::from_sign_and_abs(sign, Natural::from_owned_limbs_asc(limbs))
    })
}

/// Numbers next to the ends of every machine integer and every limb count up to three.
fn boundaries() -> Vec<Integer> {
    let mut numbers = vec![Integer::from(0)];
    for power in [0u64, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 191, 192] {
        for offset in [-1, 0, 1] {
            let number = (Integer::from(1) << power) + Integer::from(offset);
            numbers.push(-&number);
            numbers.push(number);
        }
    }
    numbers
}
