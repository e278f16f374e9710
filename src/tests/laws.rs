//! Algebraic laws, for random numbers on random engines under random tunings.

use proptest::prelude::*;
use proptest::sample::Index;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::number;
use crate::engine::Engine;
use crate::error::Error;
use crate::int::Int;
use crate::tuning::Tuning;

/// Numbers of 1 to `limbs` limbs.
fn numbers(limbs: usize) -> impl Strategy<Value = Int> {
    (1..=limbs, any::<u64>())
        .prop_map(|(limbs, seed)| number(limbs, &mut Xoshiro256PlusPlus::seed_from_u64(seed)))
}

/// Where and how: one draw for each case.
fn somewhere(pick: Index, minimal: bool, law: impl FnOnce()) {
    let engines = Engine::usable();
    let tuning = if minimal {
        Tuning::MINIMAL
    } else {
        Tuning::DEFAULT
    };
    tuning.scope(|| engines[pick.index(engines.len())].scope(law));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn of_rings(
        pick in any::<Index>(), minimal in any::<bool>(),
        a in numbers(40), b in numbers(30), c in numbers(50), k in 0..200u64,
    ) {
        somewhere(pick, minimal, || {
            assert!((&a + &b) * &c == &a * &c + &b * &c);
            assert!(&a * (&b * &c) == (&a * &b) * &c);
            assert!((&a + &b).square() - (&a - &b).square() == (&a * &b) << 2);
            assert!(Int::sum_of_products(&[(&a, &b), (&c, &a)]) == &a * (&b + &c));
            assert!((&a << k) >> k == a && &a << k == &a * (Int::ONE << k));
            assert!(b.pow(5) == b.pow(2) * b.pow(3));
        });
    }

    #[test]
    fn of_division(
        pick in any::<Index>(), minimal in any::<bool>(), a in numbers(60), b in numbers(30),
    ) {
        somewhere(pick, minimal, || {
            assert!((&a * &b) / &b == a && ((&a * &b) % &b).is_zero());
            assert!((&a * &b).try_div_exact(&b).unwrap() == a);
            for (q, r) in [
                a.try_div_rem(&b).unwrap(),
                a.try_div_rem_floor(&b).unwrap(),
                a.try_div_rem_ceil(&b).unwrap(),
                a.try_div_rem_euclid(&b).unwrap(),
            ] {
                assert!(q * &b + &r == a && r.abs() < b.abs());
            }
        });
    }

    #[test]
    fn of_roots(
        pick in any::<Index>(), minimal in any::<bool>(), a in numbers(20), n in 2..12u64,
    ) {
        somewhere(pick, minimal, || {
            let a = a.abs();
            let (s, r) = a.try_sqrt_rem().unwrap();
            assert!(s.square() + &r == a && !r.is_negative() && r <= &s << 1);
            let (s, r) = a.try_root_rem(n).unwrap();
            assert!(s.pow(n) + &r == a && !r.is_negative() && (s + 1).pow(n) > a);
        });
    }

    #[test]
    fn of_text(
        pick in any::<Index>(), minimal in any::<bool>(), a in numbers(60), radix in 2..=36u32,
    ) {
        somewhere(pick, minimal, || {
            let text = a.to_string_radix(radix);
            assert!(Int::from_str_radix(&text, radix).unwrap() == a);
            assert!(a.to_string().parse::<Int>().unwrap() == a);
        });
    }

    #[test]
    fn of_residues(
        pick in any::<Index>(), minimal in any::<bool>(),
        a in numbers(10), m in numbers(8), e in 0..40u64,
    ) {
        somewhere(pick, minimal, || {
            let power = a.try_pow_mod(&Int::from(e), &m).unwrap();
            assert!(power == a.pow(e).try_rem_euclid(&m).unwrap());
            match a.try_mod_inverse(&m) {
                Ok(x) => assert!((x * &a - 1).try_rem_euclid(&m).unwrap().is_zero()),
                Err(Error::Domain(_)) => assert!(Engine::Cpu.scope(|| a.gcd(&m)) > 1),
                Err(other) => panic!("{other}"),
            }
        });
    }
}
