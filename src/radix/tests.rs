//! Conversions on every engine, under both tunings, against malachite and (feature `gmp`) GMP.

use malachite_base::num::arithmetic::traits::Pow;
use malachite_base::num::conversion::traits::ToStringBase;
use malachite_nz::integer::Integer;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::plan::Radix;
use crate::engine::Engine;
use crate::int::Int;
use crate::limbs::Resident;
use crate::tuning::Tuning;

fn check(what: &str, v: &Integer, radix: u32) {
    let text = super::to_digits(&Resident::from(v.clone()), radix).unwrap();
    let expected = v.to_string_base(radix as u8);
    assert!(
        text == expected,
        "{what}: radix {radix}, {} digits",
        expected.len()
    );
    #[cfg(feature = "gmp")]
    assert_eq!(
        rug::Integer::from(&Int::from(v)).to_string_radix(radix as i32),
        text
    );
    let values: Vec<u8> = text
        .bytes()
        .map(|byte| char::from(byte).to_digit(36).unwrap() as u8)
        .collect();
    let back = super::from_digits(&values, 0, radix).unwrap();
    assert!(back.host().unwrap() == v, "{what}: radix {radix} back");
}

/// Runs of zeros and of the largest digit on both sides of every cut are what a fraction could get
/// wrong.
fn hard(radix: u32, digits: u64, rng: &mut Xoshiro256PlusPlus) -> Vec<Integer> {
    let one = Integer::from(1);
    let power = |n: u64| Integer::from(radix).pow(n);
    let bits = (digits as f64 * f64::from(radix).log2()) as u64;
    vec![
        Int::random_bits(bits, rng).into(),
        power(digits) - &one,
        power(digits - 1),
        power(digits - 1) + &one,
        power(digits) - power(digits / 2),
        power(digits - 1) + power(digits / 2) - &one,
        Int::ones(bits).into(),
        power(digits - 1) + power(rng.random_range(1..digits)),
        power(digits) - power(rng.random_range(1..digits)),
    ]
}

#[test]
fn every_radix() {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            let host = engine == Engine::Cpu;
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(21);
            let what = format!("{engine} {}", tuning.radix_limbs);
            let most = tuning.scope(super::cuda::leaf_chunks) as u64;
            let radixes: Vec<u32> = if host {
                (3..=36).filter(|r: &u32| !r.is_power_of_two()).collect()
            } else {
                vec![10, 3]
            };
            for radix in radixes {
                let chunk = Radix::new(radix).chunk as u64;
                let lengths: Vec<u64> = match (tuning == Tuning::MINIMAL, host) {
                    (true, true) => vec![
                        20,
                        2 * chunk,
                        2 * chunk + 1,
                        5 * chunk,
                        8 * chunk - 1,
                        8 * chunk,
                        8 * chunk + 1,
                        700,
                        // Longer than the transforms of this tuning.
                        4000,
                    ],
                    (true, false) => vec![
                        8 * chunk + 1,
                        most * chunk,
                        most * chunk + 1,
                        4 * most * chunk - 1,
                        5 * most * chunk,
                        11 * most * chunk + 3,
                    ],
                    (false, true) if radix == 10 => vec![28_800, 28_900, 28_910, 60_000, 300_000],
                    (false, true) => vec![31_000],
                    (false, false) => vec![30_000, 60_000, 100_000],
                };
                for digits in lengths {
                    let numbers = hard(radix, digits, &mut rng);
                    let all = host || tuning == Tuning::MINIMAL;
                    let count = if all { numbers.len() } else { 3 };
                    for v in &numbers[..count] {
                        tuning.scope(|| engine.scope(|| check(&what, v, radix)));
                    }
                }
            }
        }
    }
}

#[test]
fn every_number_of_a_few_digits() {
    let tuning = Tuning {
        radix_limbs: 0,
        ..Tuning::MINIMAL
    };
    tuning.scope(|| {
        Engine::Cpu.scope(|| {
            for v in 0..3000 {
                check("tiny", &Integer::from(v), 10);
            }
        });
    });
}

#[test]
fn scales_fit_a_word() {
    for radix in (3..=36).filter(|r: &u32| !r.is_power_of_two()) {
        let plan = super::plan::ConversionPlan::new(Radix::new(radix), 5000, 48, true).unwrap();
        for power in &plan.powers {
            let scale = power.scale().unwrap();
            assert!(
                (1 << 62..=1 << 63).contains(&scale),
                "{radix} {}",
                power.digits
            );
        }
    }
}
