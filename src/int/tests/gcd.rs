use proptest::prelude::*;

use super::{boundaries, integers, tunings};
use crate::error::Error;
use crate::int::Int;

/// The result, its certificate, and GMP's choice of cofactors.
fn check(a: &Int, b: &Int) {
    let (g, s, t) = a.try_extended_gcd(b).unwrap();
    assert_eq!(a.gcd(b), g);
    Int::verify_gcd(a, b, &g, &s, &t).unwrap();
    let (sign_a, sign_b) = (a.signum(), b.signum());
    if a.abs() == b.abs() {
        assert!(s == 0 && t == sign_b, "{a} {b}: {s} {t}");
        return;
    }
    if b.is_zero() || b.abs() == &g * 2 {
        assert_eq!(s, sign_a, "{a} {b}");
    } else {
        assert!(s.abs() * &g * 2 < b.abs(), "{a} {b}: {s} {t}");
    }
    if a.is_zero() || a.abs() == &g * 2 {
        assert_eq!(t, sign_b, "{a} {b}");
    } else {
        assert!(t.abs() * &g * 2 < a.abs(), "{a} {b}: {s} {t}");
    }
    let lcm = a.lcm(b);
    assert!(!lcm.is_negative());
    assert_eq!(lcm * g, (a * b).abs());
}

#[test]
fn small_numbers_and_boundaries() {
    for a in -40..=40 {
        for b in -40..=40 {
            check(&Int::from(a), &Int::from(b));
        }
    }
    tunings(|| {
        let numbers: Vec<Int> = boundaries().into_iter().map(Int::from).collect();
        for a in &numbers {
            for b in &numbers {
                check(a, b);
            }
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn large_numbers(a in integers(60), b in integers(60), common in integers(20)) {
        tunings(|| {
            let common = Int::from(&common);
            check(&(Int::from(&a) * &common), &(Int::from(&b) * &common));
        });
    }

    #[cfg(feature = "gmp")]
    #[test]
    fn against_gmp(a in integers(60), b in integers(60)) {
        let (a, b) = (Int::from(a), Int::from(b));
        let (g, s, t) = rug::Integer::from(&a).extended_gcd((&b).into(), rug::Integer::new());
        prop_assert_eq!(a.try_extended_gcd(&b).unwrap(), (g.into(), s.into(), t.into()));
    }
}

#[test]
fn false_certificates_are_refused() {
    let [a, b] = [240, 46].map(Int::from);
    let (g, s, t) = a.try_extended_gcd(&b).unwrap();
    let refused = |g: &Int, s: &Int, t: &Int| {
        matches!(
            Int::verify_gcd(&a, &b, g, s, t),
            Err(Error::Verification(_))
        )
    };
    assert!(refused(&-&g, &-&s, &-&t), "negative");
    assert!(refused(&Int::ONE, &s, &t), "a divisor but not the greatest");
    assert!(
        refused(&(&g * 2), &(&s * 2), &(&t * 2)),
        "a combination but no divisor"
    );
    assert!(refused(&g, &(&s + 1), &t), "not a combination");
    assert!(refused(&Int::ZERO, &Int::ZERO, &Int::ZERO), "zero");
    let zero = Int::ZERO;
    assert_eq!(Int::verify_gcd(&zero, &zero, &zero, &zero, &zero), Ok(()));
}
