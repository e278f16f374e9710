//! Divisions on every engine, under both tunings, against malachite and (feature `gmp`) GMP.

use malachite_base::num::arithmetic::traits::{DivRem, Pow};
use malachite_nz::integer::Integer;
use malachite_nz::natural::Natural;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::int::{Divisor, Int};
use crate::verify;

type Rng = Xoshiro256PlusPlus;

fn engines(test: impl Fn(Engine, Tuning)) {
    for engine in Engine::usable() {
        for tuning in [Tuning::MINIMAL, Tuning::DEFAULT] {
            tuning.scope(|| engine.scope(|| test(engine, tuning)));
        }
    }
}

fn random(bits: u64, rng: &mut Rng) -> Integer {
    Int::random_bits(bits, rng).into()
}

fn power(bits: u64) -> Integer {
    Integer::from(2).pow(bits)
}

fn check(what: &str, a: &Integer, b: &Integer) {
    let (x, y) = (Resident::from(a.clone()), Resident::from(b.clone()));
    let (q, r) = div_rem(&x, &y).unwrap();
    let (q, r) = (
        Integer::from(q.into_host().unwrap()),
        Integer::from(r.into_host().unwrap()),
    );
    let expected = a.div_rem(b);
    assert!(
        (&q, &r) == (&expected.0, &expected.1),
        "{what}: {} by {} bits, quotient off by {}",
        x.bits_bound(),
        y.bits_bound(),
        q - expected.0
    );
    #[cfg(feature = "gmp")]
    {
        let [a, b] = [a, b].map(|x| rug::Integer::from(&Int::from(x)));
        let (gq, gr) = a.div_rem(b);
        assert!(
            Integer::from(Int::from(gq)) == q && Integer::from(Int::from(gr)) == r,
            "{what}: GMP"
        );
    }
}

/// Divisors of n bits whose reciprocal or quotients are extreme.
fn hard(n: u64, rng: &mut Rng) -> Vec<Integer> {
    let one = Integer::from(1);
    vec![
        random(n, rng),
        power(n) - &one,
        power(n - 1),
        power(n - 1) + &one,
        power(n) - power(n / 2),
        (power(n - 1) | random(n / 2 + 1, rng)),
    ]
}

fn sweep(what: &str, n: u64, q: u64, rng: &mut Rng) {
    let one = Integer::from(1);
    for d in hard(n, rng) {
        let quotients = [random(q, rng), power(q) - &one, power(q - 1)];
        // A launch of the executor takes its time: one quotient for each divisor there.
        let only = rng.random_range(0..3usize);
        let fits = |i: &usize| Engine::current() == Engine::Cpu || *i == only;
        for k in (0..3).filter(fits).map(|i| &quotients[i]) {
            // Exact multiples, one less, one more, and the largest remainder.
            let multiple = k * &d;
            let pick = rng.random_range(0..4u32);
            let a = match pick {
                0 => multiple.clone(),
                1 => &multiple - &one,
                2 => &multiple + &d - &one,
                _ => &multiple + random(n - 1, rng),
            };
            check(what, &a, &d);
            if pick == 0 {
                check(what, &-&a, &d);
                check(what, &a, &-&d);
                exact(what, k, &d);
            }
        }
    }
}

fn exact(what: &str, q: &Integer, d: &Integer) {
    let (x, y) = (Resident::from(q * d), Resident::from(d.clone()));
    assert!(
        div_exact(&x, &y).unwrap().into_host().unwrap() == *q,
        "{what}: exact"
    );
    assert!(is_multiple(&x, &y).unwrap(), "{what}: multiple");
    if *d != 1 {
        let x = Resident::from(q * d + Integer::from(1));
        assert!(matches!(div_exact(&x, &y), Err(Error::Domain(_))) || !verify::is_on());
        assert!(!is_multiple(&x, &y).unwrap(), "{what}: no multiple");
    }
}

#[test]
fn every_size() {
    verify::set(true);
    engines(|engine, tuning| {
        let mut rng = Rng::seed_from_u64(11);
        let minimal = tuning == Tuning::MINIMAL;
        let host = engine == Engine::Cpu;
        let cpu = 64 * tuning.div_cpu_limbs as u64;
        let what = format!("{engine} {}", if minimal { "minimal" } else { "default" });
        let sizes: Vec<(u64, u64)> = match (minimal, host) {
            (true, _) => vec![
                (127, 128),
                (128, 128),
                (129, 129),
                (192, 191),
                (64, 700),
                (3, 500),
                (700, 64),
                (2, 300),
                (257, 1),
                (1000, 1000),
                (1500, 511),
                (511, 1600),
                (130, 5000),
                // About where an exact quotient is found from the low end.
                (1000, 249),
                (1000, 250),
                (1000, 251),
                (1000, 252),
            ],
            (false, true) => vec![
                (cpu, cpu - 1),
                (cpu, cpu),
                (cpu + 1, cpu + 1),
                (3 * cpu, cpu),
                (cpu, 5 * cpu),
                (5 * cpu, cpu),
            ],
            (false, false) => vec![
                (32768, 32768),
                (32768, 32769),
                (100, 70000),
                (70000, 100),
                (20000, 90000),
                (140000, 33000),
            ],
        };
        for (n, q) in sizes {
            sweep(&what, n, q, &mut rng);
        }
    });
}

#[test]
fn roundings() {
    engines(|engine, tuning| {
        let mut rng = Rng::seed_from_u64(12);
        let one = Integer::from(1);
        let large = tuning == Tuning::MINIMAL;
        let sizes: &[u64] = if large { &[2, 3, 300] } else { &[3] };
        for bits in sizes {
            let b = random(*bits, &mut rng);
            let k = random(2 * bits, &mut rng);
            for a in [&k * &b, &k * &b + &one, &k * &b - &one] {
                for (a, b) in [(&a, &b), (&-&a, &b), (&a, &-&b), (&-&a, &-&b)] {
                    let (x, y) = (Int::from(a), Int::from(b));
                    let test = |(q, r): (Int, Int), fits: fn(&Int, &Int) -> bool| {
                        assert!(&q * &y + &r == x && r.abs() < y.abs(), "{engine} {a} {b}");
                        assert!(r.is_zero() || fits(&r, &y), "{engine} {a} {b}: {q} {r}");
                    };
                    test(x.try_div_rem_floor(&y).unwrap(), |r, y| {
                        r.signum() == y.signum()
                    });
                    test(x.try_div_rem_ceil(&y).unwrap(), |r, y| {
                        r.signum() == -y.signum()
                    });
                    test(x.try_div_rem_euclid(&y).unwrap(), |r, _| r.signum() > 0);
                    assert_eq!(
                        x.try_div_floor(&y).unwrap() * &y + x.try_rem_floor(&y).unwrap(),
                        x
                    );
                    assert_eq!(
                        x.try_div_ceil(&y).unwrap() * &y + x.try_rem_ceil(&y).unwrap(),
                        x
                    );
                    assert_eq!(
                        x.try_div_euclid(&y).unwrap() * &y + x.try_rem_euclid(&y).unwrap(),
                        x
                    );
                }
            }
        }
    });
}

#[test]
fn prepared_divisors() {
    engines(|engine, tuning| {
        let mut rng = Rng::seed_from_u64(13);
        let n = if tuning == Tuning::MINIMAL {
            400
        } else if engine == Engine::Cpu {
            64 * tuning.div_cpu_limbs as u64
        } else {
            40_000
        };
        for d in hard(n, &mut rng).into_iter().chain([Integer::from(-3)]) {
            let divisor = Divisor::new(&Int::from(&d)).unwrap();
            for m in [1, n - 1, n, n + 1, 3 * n / 2, 2 * n, 5 * n] {
                let a = -random(m, &mut rng);
                let (q, r) = divisor.try_div_rem(&Int::from(&a)).unwrap();
                let (eq, er) = (&a).div_rem(&d);
                assert!(*q.host() == eq && *r.host() == er, "{engine} {n} {m}");
                let rest = divisor.try_rem_euclid(&Int::from(&a)).unwrap();
                assert_eq!(divisor.try_divides(&(Int::from(&a) - &rest)), Ok(true));
                assert!(!rest.is_negative() && rest < divisor.value().abs());
            }
        }
    });
}

/// Wrapped products, kept transforms, and a first block of a few limbs: lengths at and next to
/// powers of two, remainders 0 and d − 1.
#[test]
fn lengths_of_transforms() {
    let mut rng = Rng::seed_from_u64(15);
    for engine in Engine::usable().into_iter().filter(|e| *e != Engine::Cpu) {
        let minimal = [
            (300, 299),
            (512, 512),
            (511, 1025),
            (514, 700),
            (1000, 2100),
        ];
        let default = [(2048, 2048), (4096, 4096), (4095, 4097), (3000, 9000)];
        for (tuning, lengths) in [
            (Tuning::MINIMAL, &minimal[..]),
            (Tuning::DEFAULT, &default[..]),
        ] {
            for (n, q) in lengths {
                let all = hard(64 * n, &mut rng);
                let picked = if tuning == Tuning::MINIMAL {
                    &all[..]
                } else {
                    &all[..2]
                };
                for d in picked {
                    let quotient = match rng.random_range(0..3u32) {
                        0 => power(64 * q) - Integer::from(1),
                        _ => random(64 * q, &mut rng),
                    };
                    let a = match rng.random_range(0..3u32) {
                        0 => quotient * d,
                        1 => (quotient + Integer::from(1)) * d - Integer::from(1),
                        _ => quotient * d + random(64 * n - 1, &mut rng),
                    };
                    tuning.scope(|| engine.scope(|| check("lengths", &a, d)));
                }
            }
        }
    }
}

/// The bound that the blocks rely on, at every precision.
#[test]
fn reciprocals_are_within_their_bound() {
    for engine in Engine::usable() {
        Tuning::MINIMAL.scope(|| {
            engine.scope(|| {
                let mut rng = Rng::seed_from_u64(14);
                for n in [1, 2, 64, 200, 333] {
                    for d in hard(n.max(2), &mut rng) {
                        let n = Resident::from(d.clone()).bits_bound();
                        for p in [6, 127, 128, 129, 130, 131, 255, 400, 1000] {
                            let x = newton::reciprocal(&Resident::from(d.clone()), n, p).unwrap();
                            // |X·d − 2^(n+p)| ≤ 2·d.
                            let off = Integer::from(x.host().unwrap()) * &d - power(n + p);
                            assert!(
                                off.unsigned_abs_ref()
                                    <= &(d.unsigned_abs_ref() * Natural::from(2u32)),
                                "{engine} {n} {p}"
                            );
                        }
                    }
                }
            })
        });
    }
}

#[test]
fn by_zero_is_an_error() {
    engines(|_, _| {
        for a in [0, 5] {
            let (a, zero) = (Int::from(a), Int::ZERO);
            for result in [
                a.try_div_rem(&zero),
                a.try_div_rem_floor(&zero),
                a.try_div_rem_ceil(&zero),
                a.try_div_rem_euclid(&zero),
            ] {
                assert_eq!(result, Err(Error::DivisionByZero));
            }
            assert_eq!(a.try_div_exact(&zero), Err(Error::DivisionByZero));
            assert_eq!(a.is_multiple_of(&zero), a.is_zero());
        }
        assert_eq!(Divisor::new(&Int::ZERO).err(), Some(Error::DivisionByZero));
    });
}
