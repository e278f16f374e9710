//! Every operation on every device, under both presets, against the host's code.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as StdRng;

use crate::engine::Engine;
use crate::poly::{Modulus, Poly};
use crate::tests::support;

/// The ends of every kind of `field.cuh`, and one that is typical.
const PRIMES: [u64; 7] = [
    2,
    3,
    469762049,
    (1 << 31) - 1,
    4294967311,
    (1 << 61) - 1,
    (1 << 63) - 25,
];

fn random(len: usize, p: Modulus, rng: &mut StdRng) -> Poly {
    Poly::random(len, p, rng)
}

/// Runs `test` on every device under both presets, for each prime.
fn everywhere(test: impl Fn(Modulus, &mut StdRng)) {
    support::everywhere(|engine| {
        let Engine::Cuda(_) = engine else { return };
        for p in PRIMES {
            let mut rng = StdRng::seed_from_u64(p);
            test(Modulus::new(p).unwrap(), &mut rng);
        }
    });
}

fn on_cpu<T>(work: impl FnOnce() -> T) -> T {
    Engine::Cpu.scope(work)
}

#[test]
fn linear_operations() {
    everywhere(|p, rng| {
        for (la, lb) in [(0, 0), (1, 0), (5, 9), (200, 77)] {
            let (a, b) = (random(la, p, rng), random(lb, p, rng));
            let c = rng.random::<u64>();
            let points: Vec<u64> = (0..7).map(|_| rng.random()).collect();
            let all = || {
                (
                    [&a + &b, &a - &b, &a - &a, -&a, a.try_scale(c).unwrap()],
                    a.try_derivative().unwrap(),
                    a.try_evaluate(&points).unwrap(),
                )
            };
            assert!(all() == on_cpu(all), "{la} {lb} {p}");
            assert_eq!((&a + &b).len(), on_cpu(|| (&a + &b).len()));
        }
    });
}

#[test]
fn values_and_interpolation() {
    everywhere(|p, rng| {
        for (len, count) in [(0, 50), (30, 300), (200, 50), (300, 130), (65, 65)] {
            let a = random(len, p, rng);
            let points: Vec<u64> = (0..count).map(|_| rng.random()).collect();
            let all = || a.try_evaluate(&points).unwrap();
            assert!(all() == on_cpu(all), "{len} {count} {p}");
            let count = p.get().min(count);
            let points: Vec<u64> = (0..count).map(|i| p.get() - 1 - i).collect();
            let values: Vec<u64> = points.iter().map(|_| rng.random()).collect();
            let all = || Poly::try_interpolate(&points, &values, p).unwrap();
            assert!(all() == on_cpu(all), "{count} {p}");
        }
    });
}

#[test]
fn compositions_and_powers() {
    everywhere(|p, rng| {
        for (la, lb) in [(0, 4), (4, 0), (1, 3), (7, 1), (8, 5), (30, 9), (65, 2)] {
            let (a, b) = (random(la, p, rng), random(lb, p, rng));
            let all = || a.try_compose(&b).unwrap();
            assert!(all() == on_cpu(all), "{la} {lb} {p}");
        }
        for (la, lm) in [(0, 3), (5, 1), (9, 2), (4, 60), (200, 90)] {
            let (a, m) = (random(la, p, rng), random(lm, p, rng));
            for e in [0, 1, 2, 1000] {
                let all = || a.try_pow_mod(&crate::Int::from(e), &m).unwrap();
                assert!(all() == on_cpu(all), "{la} {lm} {e} {p}");
            }
        }
    });
}

#[test]
fn products() {
    everywhere(|p, rng| {
        for (la, lb) in [(0, 3), (1, 1), (7, 5), (100, 90), (600, 3), (900, 800)] {
            let (a, b) = (random(la, p, rng), random(lb, p, rng));
            let (product, square) = (&a * &b, a.try_square().unwrap());
            assert!(product == on_cpu(|| &a * &b), "{la} {lb} {p}");
            assert!(square == on_cpu(|| &a * &a), "{la} {p}");
        }
        // The largest coefficients there are.
        let a = Poly::new(vec![p.get() - 1; 700], p).unwrap();
        assert!(a.try_square().unwrap() == on_cpu(|| &a * &a), "{p}");
    });
}

#[test]
fn divisions() {
    everywhere(|p, rng| {
        for (la, lb) in [
            (3, 5),
            (5, 1),
            (9, 9),
            (40, 17),
            (300, 20),
            (300, 280),
            (700, 350),
        ] {
            let (a, b) = (random(la, p, rng), random(lb, p, rng));
            let (q, r) = a.try_div_rem(&b).unwrap();
            assert!(r.len() < b.len(), "{la} {lb} {p}");
            assert!(on_cpu(|| &q * &b + &r) == a, "{la} {lb} {p}");
            let a = on_cpu(|| &a * &b);
            let (q, r) = a.try_div_rem(&b).unwrap();
            assert!(r.is_zero() && on_cpu(|| &q * &b) == a, "{la} {lb} {p}");
        }
        let zero = Poly::zero(p);
        assert!(Poly::one(p).try_div_rem(&zero).is_err());
    });
}

/// Pairs with and without a common factor, with long quotients, equal, and with zeros among them.
fn pairs(p: Modulus, rng: &mut StdRng) -> Vec<(Poly, Poly)> {
    let mut pairs = Vec::new();
    for (la, lb, lg) in [
        (0, 0, 0),
        (0, 3, 1),
        (1, 1, 1),
        (5, 4, 1),
        (9, 3, 3),
        (40, 41, 1),
        (150, 20, 30),
        (210, 190, 1),
        (60, 60, 140),
    ] {
        let (a, b, g) = (random(la, p, rng), random(lb, p, rng), random(lg, p, rng));
        on_cpu(|| pairs.push((&a * &g, &b * &g)));
    }
    let a = random(70, p, rng);
    pairs.push((a.clone(), a.clone()));
    // Powers of x alone, and quotients of any degree between.
    let x = |n: usize| {
        let mut c = vec![0; n + 1];
        c[n] = 1;
        Poly::new(c, p).unwrap()
    };
    pairs.push((x(120), x(33)));
    pairs.push(on_cpu(|| (x(150) + Poly::one(p), x(100) - Poly::one(p))));
    let (mut old, mut new) = (random(4, p, rng), random(2, p, rng));
    for degree in [1, 30, 2, 17, 1, 1, 60] {
        let next = on_cpu(|| random(degree + 1, p, rng) * &new + &old);
        (old, new) = (new, next);
    }
    pairs.push((new, old));
    pairs
}

#[test]
fn gcds() {
    everywhere(|p, rng| {
        let pairs = pairs(p, rng);
        for (a, b) in &pairs {
            let what = format!("{} {} {p}", a.len(), b.len());
            let expected = on_cpu(|| a.try_gcd(b).unwrap());
            assert!(a.try_gcd(b).unwrap() == expected, "{what}");
            let resultant = || a.try_resultant(b).unwrap();
            assert_eq!(resultant(), on_cpu(resultant), "{what}");
            let (g, s, t) = a.try_extended_gcd(b).unwrap();
            assert!(g == expected, "extended {what}");
            assert!(on_cpu(|| &s * a + &t * b) == g, "cofactors {what}");
            assert!(
                s.len() <= b.len().max(1) && t.len() <= a.len().max(1),
                "{what}"
            );
        }
        let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let expected = on_cpu(|| Poly::try_gcd_many(&a, &b).unwrap());
        assert!(Poly::try_gcd_many(&a, &b).unwrap() == expected, "{p}");
    });
}

#[test]
fn plain_products() {
    everywhere(|p, rng| {
        for (la, lb, s) in [
            (1, 1, 1),
            (9, 5, 1),
            (9, 5, 4),
            (61, 50, 2),
            (200, 77, 3),
            (90, 71, 6),
            (150, 64, 7),
            (300, 311, 32),
        ] {
            let (a, b) = (random(la, p, rng), random(lb, p, rng));
            let product = a.try_plain_mul(&b, s).unwrap();
            assert!(product == on_cpu(|| &a * &b), "{la} {lb} {s} {p}");
        }
        let (a, b) = (random(90, p, rng), random(80, p, rng));
        assert!(a.try_plain_mul(&b, None).unwrap() == on_cpu(|| &a * &b));
        assert!(a.try_plain_mul(&b, 0).is_err());
    });
}

#[test]
fn plain_divisions() {
    everywhere(|p, rng| {
        for (la, lb) in [(3, 5), (5, 1), (9, 9), (40, 17), (130, 20), (130, 120)] {
            let (a, b) = (random(la, p, rng), random(lb, p, rng));
            for s in [None, Some(1), Some(2), Some(16), Some(50)] {
                let (q, r) = a.try_plain_div_rem(&b, s).unwrap();
                assert!(r.len() < b.len(), "{la} {lb} {s:?} {p}");
                assert!(on_cpu(|| &q * &b + &r) == a, "{la} {lb} {s:?} {p}");
            }
        }
    });
}

#[test]
fn plain_gcds() {
    everywhere(|p, rng| {
        for (a, b) in pairs(p, rng) {
            let expected = on_cpu(|| a.try_gcd(&b).unwrap());
            for s in [None, Some(1), Some(2), Some(13), Some(64)] {
                let what = format!("{} {} {s:?} {p}", a.len(), b.len());
                assert!(a.try_plain_gcd(&b, s).unwrap() == expected, "{what}");
            }
        }
    });
}
