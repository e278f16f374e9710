//! The operations.

use super::inputs::{some, with_quotients};
use super::naive;
use super::*;
use crate::error::Error;
use crate::int::Int;

/// Lengths around the thresholds of the tuning in force, up to `size`.
fn lengths(size: usize) -> Vec<usize> {
    let tuning = Tuning::current();
    let thresholds = [
        tuning.poly_ntt_len,
        tuning.poly_ntt_wide_len,
        tuning.poly_newton_len,
        tuning.poly_half_len,
        tuning.poly_gcd_len,
    ];
    let mut all: Vec<usize> = thresholds
        .into_iter()
        .flat_map(|t| [t - 1, t, t + 1])
        .collect();
    all.extend([0, 1, 2, 3, 7, 8, 9, 31, 33, 64, 65]);
    all.retain(|len| *len <= size);
    all.sort_unstable();
    all.dedup();
    all
}

fn check_gcd(a: &Poly, b: &Poly, label: &str) -> Poly {
    let g = a.try_gcd(b).unwrap();
    let (g2, s, t) = a.try_extended_gcd(b).unwrap();
    assert!(g == g2, "{label}");
    assert!(&s * a + &t * b == g, "{label}");
    if g.is_zero() {
        assert!(a.is_zero() && b.is_zero());
        return g;
    }
    assert_eq!(g.leading(), 1, "{label}");
    assert!((a % &g).is_zero() && (b % &g).is_zero(), "{label}");
    let (a_len, b_len) = ((a / &g).len(), (b / &g).len());
    if a_len > 1 && b_len > 1 {
        assert!(s.len() < b_len && t.len() < a_len, "{label}");
    }
    g
}

#[test]
fn linear_operations() {
    everywhere(|size| {
        let mut rng = rng(1);
        for modulus in primes() {
            let p = modulus.get();
            for round in 0..6 {
                let mut draw = || {
                    let len = rng.random_range(0..size.min(50));
                    some(len, round, modulus, &mut rng)
                };
                let (a, b) = (draw(), draw());
                let (x, y) = (a.coefficients(), b.coefficients());
                assert_eq!((&a + &b).coefficients(), naive::add(x, y, p));
                assert_eq!(
                    (&a - &b).coefficients(),
                    naive::add(x, &naive::neg(y, p), p)
                );
                assert_eq!((-&a).coefficients(), naive::neg(x, p));
                assert!((&a - &a).is_zero());
                for c in [0, 1, p - 1, u64::MAX] {
                    let scaled = a.try_scale(c).unwrap();
                    assert_eq!(scaled.coefficients(), naive::mul(x, &[c % p], p));
                }
                let slopes = x.iter().enumerate().skip(1);
                let slope =
                    |(i, c): (usize, &u64)| (i as u128 * u128::from(*c) % u128::from(p)) as u64;
                let slopes = naive::trim(slopes.map(slope).collect());
                assert_eq!(a.try_derivative().unwrap().coefficients(), slopes);
                let monic = a.try_monic().unwrap();
                assert_eq!(monic.len(), a.len());
                assert!(a.is_zero() || monic.leading() == 1);
                assert!(monic.try_scale(a.leading()).unwrap() == a);
            }
        }
    });
}

#[test]
fn products() {
    everywhere(|size| {
        let mut rng = rng(2);
        for modulus in primes() {
            let p = modulus.get();
            for (round, len) in lengths(size).into_iter().enumerate() {
                let other = [len, len / 5, 2 * len + 1][round % 3].min(size);
                let a = some(len, round, modulus, &mut rng);
                let b = some(other, round / 2, modulus, &mut rng);
                let expected = naive::mul(a.coefficients(), b.coefficients(), p);
                assert!((&a * &b).coefficients() == expected, "{p} {len} {other}");
                assert!((&b * &a).coefficients() == expected, "{p} {len} {other}");
                let square = naive::mul(a.coefficients(), a.coefficients(), p);
                assert!(
                    a.try_square().unwrap().coefficients() == square,
                    "{p} {len}"
                );
            }
        }
    });
}

#[test]
fn divisions() {
    everywhere(|size| {
        let mut rng = rng(3);
        for modulus in primes() {
            for (round, len) in lengths(size / 2).into_iter().enumerate() {
                let b = some(len.max(1), round, modulus, &mut rng);
                for more in [0, 1, 2, len / 2, len, 3 * len] {
                    let a = some(len + more, round / 3, modulus, &mut rng);
                    let (q, r) = a.try_div_rem(&b).unwrap();
                    assert!(r.len() < b.len());
                    assert!(&q * &b + &r == a, "{modulus} {len} {more}");
                    if len < 40 {
                        let (x, y) = (a.coefficients(), b.coefficients());
                        assert_eq!(r.coefficients(), naive::rem(x, y, modulus.get()));
                    }
                    // Nothing is left of a multiple.
                    assert!((&a * &b % &b).is_zero() && (&a * &b / &b) == a);
                }
            }
        }
        let p = Modulus::new(7).unwrap();
        let a = Poly::x(p);
        assert_eq!(
            a.try_div_rem(&Poly::zero(p)).unwrap_err(),
            Error::DivisionByZero
        );
        assert_eq!(
            a.try_rem(&Poly::zero(p)).unwrap_err(),
            Error::DivisionByZero
        );
    });
}

#[test]
fn gcds_of_any_lengths() {
    everywhere(|size| {
        let mut rng = rng(4);
        for modulus in primes() {
            for (round, len) in lengths(size).into_iter().enumerate() {
                for other in [0, 1, len / 3, len.saturating_sub(1), len] {
                    let a = some(len, round, modulus, &mut rng);
                    let b = some(other, round / 4, modulus, &mut rng);
                    let label = format!("{modulus} {len} {other}");
                    let g = check_gcd(&a, &b, &label);
                    assert!(check_gcd(&b, &a, &label) == g);
                    if len < 40 {
                        let (x, y) = (a.coefficients(), b.coefficients());
                        assert_eq!(g.coefficients(), naive::gcd(x, y, modulus.get()));
                    }
                    assert!(a.try_gcd(&a).unwrap() == a.try_monic().unwrap());
                }
            }
        }
    });
}

#[test]
fn gcds_with_any_quotients() {
    everywhere(|size| {
        let mut rng = rng(5);
        for modulus in primes() {
            for round in 0..12 {
                // Degrees that drop by one, by two, by much, and by much once at every place.
                let total = rng.random_range(2..size);
                let degrees: Vec<usize> = match round % 4 {
                    0 => vec![1; total],
                    1 => vec![2; total / 2],
                    2 => (0..total / 8).map(|_| rng.random_range(1..16)).collect(),
                    _ => {
                        let mut degrees = vec![1; total / 2];
                        let at = rng.random_range(0..=degrees.len());
                        degrees.insert(at, total / 2);
                        degrees
                    }
                };
                let common = [1, 2, size / 4][round % 3];
                let (a, b, g) = with_quotients(&degrees, common, modulus, &mut rng);
                let label = format!("{modulus} {degrees:?} {common}");
                assert!(check_gcd(&a, &b, &label) == g, "{label}");
            }
        }
    });
}

#[test]
fn resultants() {
    everywhere(|size| {
        let mut rng = rng(6);
        for modulus in primes() {
            let p = modulus.get();
            for round in 0..20 {
                let [m, n] = [(); 2].map(|()| rng.random_range(0..size.min(30)));
                let a = some(m, round, modulus, &mut rng);
                let b = some(n, round / 2, modulus, &mut rng);
                let expected = naive::resultant(a.coefficients(), b.coefficients(), p);
                assert_eq!(
                    a.try_resultant(&b).unwrap(),
                    expected,
                    "{a} and {b} mod {p}"
                );
            }
            // Roots: res(x − r, b) = b(r), and products.
            let root = rng.random_range(0..p);
            let linear = Poly::new(vec![(p - root) % p, 1], modulus).unwrap();
            let (a, b) = (
                some(size / 2, 0, modulus, &mut rng),
                some(size / 3, 0, modulus, &mut rng),
            );
            let at = naive::at(b.coefficients(), root, p);
            assert_eq!(linear.try_resultant(&b).unwrap(), at);
            let whole = (&a * &linear).try_resultant(&b).unwrap();
            assert_eq!(whole, modulus.mul(a.try_resultant(&b).unwrap(), at));
            assert_eq!((&a * &linear).try_resultant(&(&b * &linear)), Ok(0));
        }
    });
}

#[test]
fn values_and_interpolation() {
    everywhere(|size| {
        let mut rng = rng(7);
        for modulus in primes() {
            let p = modulus.get();
            for count in [0, 1, 2, 3, 5, 32, 33, 70, size / 2] {
                let len = rng.random_range(0..size);
                let a = some(len, count, modulus, &mut rng);
                let points: Vec<u64> = (0..count).map(|_| rng.random()).collect();
                let values = a.try_evaluate(&points).unwrap();
                for (x, y) in points.iter().zip(&values) {
                    assert_eq!(*y, naive::at(a.coefficients(), x % p, p));
                }
                let distinct: Vec<u64> = (0..count.min(p as usize) as u64)
                    .map(|i| p - 1 - i)
                    .collect();
                let wanted: Vec<u64> = distinct.iter().map(|_| rng.random_range(0..p)).collect();
                let f = Poly::try_interpolate(&distinct, &wanted, modulus).unwrap();
                assert!(f.len() <= distinct.len());
                for (x, y) in distinct.iter().zip(&wanted) {
                    assert_eq!(*y, naive::at(f.coefficients(), *x, p), "{count} {p}");
                }
            }
        }
    });
}

#[test]
fn compositions_and_powers() {
    everywhere(|size| {
        let mut rng = rng(8);
        for modulus in primes() {
            let p = modulus.get();
            for round in 0..6 {
                let a = some(rng.random_range(0..40), round, modulus, &mut rng);
                let b = some(rng.random_range(0..8), round / 2, modulus, &mut rng);
                let horner = |sum: Vec<u64>, c: &u64| {
                    naive::add(&naive::mul(&sum, b.coefficients(), p), &[*c], p)
                };
                let expected = a.coefficients().iter().rev().fold(Vec::new(), horner);
                assert_eq!(a.try_compose(&b).unwrap().coefficients(), expected);
            }
            let m = some(size / 8, 0, modulus, &mut rng);
            let a = some(size / 4, 0, modulus, &mut rng);
            let mut power = Poly::one(modulus) % &m;
            for e in 0..5u64 {
                assert!(
                    a.try_pow_mod(&Int::from(e), &m).unwrap() == power,
                    "{p} {e}"
                );
                power = power * &a % &m;
            }
            // (a^e)^f = a^(e·f), over more than a limb.
            let (e, f) = (Int::from(u64::MAX), Int::from(12345));
            let once = a.try_pow_mod(&(&e * &f), &m).unwrap();
            let twice = a.try_pow_mod(&e, &m).unwrap().try_pow_mod(&f, &m).unwrap();
            assert!(once == twice, "{p}");
            let one = Poly::one(modulus);
            assert!(a.try_pow_mod(&e, &one).unwrap().is_zero());
            assert_eq!(
                a.try_pow_mod(&e, &Poly::zero(modulus)).unwrap_err(),
                Error::DivisionByZero
            );
        }
    });
}

#[test]
fn many_at_once() {
    everywhere(|size| {
        let p = Modulus::new((1 << 31) - 1).unwrap();
        let mut rng = rng(9);
        let mut list = |count: usize| -> Vec<Poly> {
            (0..count)
                .map(|i| some(i * size / 40, i, p, &mut rng))
                .collect()
        };
        let (a, b) = (list(9), list(9));
        let products = Poly::try_mul_many(&a, &b).unwrap();
        let gcds = Poly::try_gcd_many(&a, &b).unwrap();
        for i in 0..9 {
            assert!(products[i] == &a[i] * &b[i]);
            assert!(gcds[i] == a[i].try_gcd(&b[i]).unwrap());
        }
        assert!(Poly::try_mul_many(&[], &[]).unwrap().is_empty());
        assert!(matches!(
            Poly::try_gcd_many(&a, &b[1..]),
            Err(Error::Domain(_))
        ));
    });
}

#[test]
fn bad_operands() {
    let [p, q] = [7, 11].map(|p| Modulus::new(p).unwrap());
    let (a, b) = (Poly::x(p), Poly::x(q));
    assert!(matches!(a.try_add(&b), Err(Error::Domain(_))));
    assert!(matches!(a.try_gcd(&b), Err(Error::Domain(_))));
    assert!(matches!(
        Poly::try_mul_many(std::slice::from_ref(&a), &[b]),
        Err(Error::Domain(_))
    ));
    assert!(matches!(Poly::new(vec![1, 7], p), Err(Error::Domain(_))));
    assert!(matches!(
        a.try_pow_mod(&Int::from(-1), &a),
        Err(Error::Domain(_))
    ));
    let repeated = Poly::try_interpolate(&[1, 2, 8], &[0, 0, 0], p).unwrap_err();
    assert_eq!(
        repeated.to_string(),
        "points must differ: numbers 1 and 3 are both 1"
    );
    assert!(matches!(
        Poly::try_interpolate(&[1], &[], p),
        Err(Error::Domain(_))
    ));
    let huge = Poly::parse("x^1000000000000", p).unwrap_err();
    assert!(
        matches!(huge, Error::Polynomial { position: 3, .. }),
        "{huge}"
    );
}

#[test]
fn copies() {
    for engine in Engine::usable() {
        let Engine::Cuda(n) = engine else { continue };
        let p = Modulus::new(101).unwrap();
        let a = Poly::random(2000, p, &mut rng(10));
        a.try_to_device(n).unwrap();
        assert!(a.is_on_device() && a.is_on_host());
        let b = &a + &a;
        assert!(b.is_on_device() && Engine::last_used() == Some(engine));
        assert_eq!((&b - &b).degree(), None);
        b.try_drop_device().unwrap();
        assert!(b.is_on_host() && !b.is_on_device());
        assert_eq!(b, a.try_scale(2).unwrap());
    }
}
