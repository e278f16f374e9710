//! Curves against their orders, found by walking along them, and one engine against the other.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::number::{Integer, Natural};

use super::plan::{Multipliers, Stage2, steps};
use super::*;
use crate::engine::Engine;
use crate::tests::support::everywhere;

fn all(n: &Natural, b1: u64, b2: u64, sigma: u64, count: usize) -> Vec<CurveFound> {
    curves(n, b1, b2, sigma, count, &|| true).unwrap()
}

/// 2^k − c.
fn below(k: u64, c: u64) -> Natural {
    Natural::from(2u32).pow(k) - Natural::from(c)
}

/// The curve of sigma modulo a small prime and its point, by the formulas of curve.rs with
/// divisions: (x, y, d), unless something has no inverse.
fn small_curve(p: i64, sigma: u64) -> Option<(i64, i64, i64)> {
    let inverse = |x: i64| {
        let power = |mut base: i64, mut k: i64| {
            let mut y = 1;
            while k > 0 {
                if k % 2 == 1 {
                    y = y * base % p;
                }
                base = base * base % p;
                k /= 2;
            }
            y
        };
        (x.rem_euclid(p) != 0).then(|| power(x.rem_euclid(p), p - 2))
    };
    // sigma·(36, 240) on W² = z³ + 44z² − 1280z, one addition after the other.
    let (mut z, mut w) = (36, 240);
    for _ in 1..sigma {
        let slope = if (z, w) == (36, 240) {
            (3 * z * z + 88 * z - 1280) % p * inverse(2 * w)?
        } else {
            (w - 240) * inverse(z - 36)?
        } % p;
        let next = (slope * slope - 44 - z - 36).rem_euclid(p);
        w = (slope * (36 - next) - 240).rem_euclid(p);
        z = next;
    }
    let s = (5 + 480 * inverse(z - 80)?) % p;
    let r = 480 * w % p * inverse((z - 80) * (z - 80) % p)? % p;
    let (u, v) = ((s * s - 5) % p, 4 * s % p);
    let cube = |x: i64| x * x % p * x % p;
    let x = r * v % p * inverse(2 * (u + v) % p * (s * s + 5) % p)? % p;
    let y = (cube(u) - cube(v)) % p * inverse(cube(u) + cube(v))? % p;
    let d = 16 * cube(u) % p * v % p * inverse(cube(v - u) * (3 * u + v) % p)? % p - 1;
    let (xx, yy) = (x * x % p, y * y % p);
    assert_eq!((yy - xx - 1 - d * xx % p * yy).rem_euclid(p), 0);
    Some((x.rem_euclid(p), y.rem_euclid(p), d.rem_euclid(p)))
}

/// The order of the point, by adding it to itself until the sum is neutral.
fn order(p: i64, (x, y, d): (i64, i64, i64)) -> Option<u64> {
    let inverse = |a: i64| (1..p).find(|b| a * b % p == 1);
    let (mut a, mut b, mut k) = (x, y, 1);
    while (a, b) != (0, 1) {
        let product = d * a % p * x % p * b % p * y % p;
        let (up, down) = ((1 + product) % p, (1 - product).rem_euclid(p));
        (a, b) = (
            (a * y + b * x) % p * inverse(up)? % p,
            (b * y + a * x) % p * inverse(down)? % p,
        );
        k += 1;
    }
    Some(k)
}

#[test]
fn finds_just_the_smooth_orders() {
    let big = below(61, 1);
    let (b1, b2) = (20, 70);
    let smooth: u64 = 16 * 9 * 5 * 7 * 11 * 13 * 17 * 19;
    let stage = Stage2::new(b1, b2).unwrap();
    let covered = |k: u64| {
        stage.rounds().any(|round| {
            let giants = round.starts.windows(2).enumerate();
            giants.into_iter().any(|(i, ends)| {
                let giant = u64::from(stage.d) * (u64::from(stage.first) + i as u64);
                round.pairs[ends[0] as usize..ends[1] as usize]
                    .iter()
                    .map(|place| u64::from(stage.babies[*place as usize]))
                    .any(|j| giant.abs_diff(j).is_multiple_of(k) || (giant + j).is_multiple_of(k))
            })
        })
    };
    let mut seen = [0; 3];
    for p in [211, 307, 401, 503, 613, 727] {
        let n = &big * Natural::from(p as u64);
        let orders: Vec<_> = (1..33)
            .map(|sigma| small_curve(p, sigma).and_then(|curve| order(p, curve)))
            .collect();
        everywhere(|_| {
            for (sigma, order) in (1..).zip(&orders) {
                // A curve that is singular modulo p, or whose addition fails there.
                let Some(order) = order else { continue };
                let found = all(&n, b1, b2, sigma, 1);
                let left = order / num_gcd(*order, smooth);
                let expected = match left {
                    1 => 1,
                    _ if covered(left) => 2,
                    _ => 0,
                };
                let stages: Vec<_> = found.iter().map(|found| found.stage).collect();
                assert_eq!(
                    stages,
                    [expected; 1][..usize::from(expected > 0)],
                    "{p} {sigma} {order}"
                );
                assert!(
                    found
                        .iter()
                        .all(|found| found.factor == p as u64 && found.sigma == sigma)
                );
            }
        });
        for left in orders.iter().flatten().map(|o| o / num_gcd(*o, smooth)) {
            seen[if left == 1 {
                1
            } else {
                2 * usize::from(covered(left))
            }] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 10), "{seen:?}");
}

fn num_gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { num_gcd(b, a % b) }
}

#[test]
fn engines_find_the_same() {
    // Primes of 33 to 36 bits, and a long one that makes n so long: in registers, by calls, and on
    // the host.
    let primes = [5_915_587_277u64, 6_001_801_087, 48_112_959_847];
    for (bits, minus) in [(0, 0), (127, 1), (2203, 1)] {
        let long = match bits {
            0 => Natural::ONE,
            _ => below(bits, minus),
        };
        let n = primes.iter().fold(long, |n, p| n * Natural::from(*p));
        let expected = Engine::Cpu.scope(|| all(&n, 60, 2000, 5, 70));
        assert!(!expected.is_empty());
        for found in &expected {
            assert!((&n % &found.factor) == 0u32 && found.factor > 1u32);
        }
        everywhere(|_| assert_eq!(all(&n, 60, 2000, 5, 70), expected, "{bits}"));
    }
}

#[test]
fn second_stage_alone_finds_as_much_with_any_round() {
    // 40 giant steps of 30 are one round, and 400 of them several.
    let n = Natural::from(1_000_003u64) * Natural::from(998_244_353u64) * below(61, 1);
    let near = Engine::Cpu.scope(|| all(&n, 17, 1_200, 1, 40));
    let far = Engine::Cpu.scope(|| all(&n, 17, 12_000, 1, 40));
    assert!(
        near.iter()
            .all(|found| far.contains(found) || far.iter().any(|f| f.sigma == found.sigma))
    );
    everywhere(|_| assert_eq!(all(&n, 17, 12_000, 1, 40), far));
}

#[test]
fn primes_powers_and_small_numbers() {
    everywhere(|_| {
        for prime in [Natural::from(3u32), Natural::from(101u32), below(89, 1)] {
            assert_eq!(all(&prime, 50, 500, 2, 5), []);
        }
        assert_eq!(all(&Natural::ONE, 50, 500, 2, 5), []);
        let p = Natural::from(1_000_003u64);
        let found = all(&(&p * &p), 200, 5000, 2, 40);
        assert!(found.iter().all(|found| found.factor == p) && !found.is_empty());
        // All primes at once, or some of them: never n.
        let n = Natural::from(3u64 * 5 * 7 * 11 * 13 * 10_007);
        for found in all(&n, 30, 100, 2, 20) {
            assert!(found.factor < n && (&n % &found.factor) == 0u32);
        }
        assert!(curves(&Natural::from(10u32), 50, 500, 2, 5, &|| true).is_err());
        assert!(curves(&Natural::ONE, 50, 500, 0, 5, &|| true).is_err());
        assert!(curves(&Natural::ONE, 50, 500, u64::MAX, 5, &|| true).is_err());
        assert!(curves(&Natural::ONE, u64::MAX, 500, 1, 5, &|| true).is_err());
        assert_eq!(all(&below(89, 1), 0, 0, u64::MAX - 9, 5), []);
    });
}

#[test]
fn stops_when_told_to() {
    everywhere(|_| {
        let asked = AtomicUsize::new(0);
        let keep_going = || asked.fetch_add(1, Ordering::Relaxed) < 2;
        let n = below(61, 1) * below(31, 1);
        assert_eq!(
            curves(&n, 3_000_000, 1 << 36, 1, 3, &keep_going).unwrap(),
            []
        );
        assert!(asked.load(Ordering::Relaxed) < 100);
    });
}

#[test]
fn chains_are_the_multiplier() {
    for b1 in [17, 18, 100, 1009, 60_000] {
        let lcm = (1..=b1).fold(Natural::ONE, |lcm, k: u64| match b1 {
            // The product of the multipliers is compared for the small ones alone.
            ..2000 => {
                let k = Natural::from(k);
                &lcm * k.div_exact(&lcm.gcd(&k))
            }
            _ => lcm,
        });
        let multipliers: Vec<Natural> = Multipliers::new(b1).collect();
        if b1 < 2000 {
            assert_eq!(multipliers.iter().fold(Natural::ONE, |a, b| a * b), lcm);
        } else {
            assert_eq!(multipliers.len(), 2);
        }
        for window in [3, 4, 7, 8] {
            for multiplier in &multipliers {
                let mut sum = Integer::ZERO;
                for step in steps(multiplier, window) {
                    assert!(step >> 8 > 0);
                    sum <<= u64::from(step >> 8);
                    let digit = (step & 0xff) as u8 as i8;
                    assert!(
                        digit == 0 || digit % 2 != 0 && i32::from(digit).abs() < 1 << (window - 1)
                    );
                    sum += Integer::from(digit);
                }
                assert_eq!(sum.magnitude(), multiplier);
            }
        }
    }
}

#[test]
fn pairs_cover_every_prime() {
    for (b1, b2) in [
        (17, 100),
        (17, 18),
        (100, 9973),
        (1000, 200_000),
        (50_000, 3_000_000),
    ] {
        let stage = Stage2::new(b1, b2).unwrap();
        let mut covered = std::collections::HashSet::new();
        let (mut giant, mut pairs) = (u64::from(stage.first), 0);
        for round in stage.rounds() {
            assert_eq!(round.starts.len(), round.giants as usize + 1);
            for ends in round.starts.windows(2) {
                for place in &round.pairs[ends[0] as usize..ends[1] as usize] {
                    let (j, at) = (
                        u64::from(stage.babies[*place as usize]),
                        giant * u64::from(stage.d),
                    );
                    covered.extend([at.abs_diff(j), at + j]);
                    pairs += 1;
                }
                giant += 1;
            }
        }
        let small = crate::modp::primes::small_primes(b2);
        let primes: Vec<u64> = small
            .iter()
            .map(|p| u64::from(*p))
            .filter(|p| *p > b1)
            .collect();
        assert!(primes.iter().all(|p| covered.contains(p)), "{b1} {b2}");
        assert!(pairs <= primes.len());
    }
    assert!(Stage2::new(100, 100).is_none());
}

#[test]
fn smooth_neighbours() {
    // p − 1 = 2^4·3·5·7·11·13·17·19·23·k, or p + 1, with k = 1 or a prime from 1000 to 10000.
    let base = 16u64 * 3 * 5 * 7 * 11 * 13 * 17 * 19 * 23;
    let small = crate::modp::primes::small_primes(1 << 20);
    let is_prime = |n: u64| small.iter().all(|p| !n.is_multiple_of(u64::from(*p)));
    let of = |from: u64, sign: i64| {
        let neighbours = small.iter().map(|k| u64::from(*k)).filter(|k| *k > from);
        neighbours
            .map(|k| (base * k).wrapping_add_signed(sign))
            .find(|p| is_prime(*p))
            .unwrap()
    };
    let long = below(127, 1);
    for from in [30, 1000] {
        let minus = of(from, 1);
        let n = Natural::from(minus) * &long;
        let found = crate::factoring::pminus1::run(&n, 900, 10_000, &|| true).unwrap();
        assert_eq!(found, Some(Natural::from(minus)));
        let missed = crate::factoring::pminus1::run(&n, 20, 20, &|| true).unwrap();
        assert_eq!(missed, None);
        let plus = of(from, -1);
        let n = Natural::from(plus) * &long;
        let found: Vec<_> = (0..6)
            .filter_map(|seed| {
                crate::factoring::pplus1::run(&n, 900, 10_000, seed, &|| true).unwrap()
            })
            .collect();
        assert!(!found.is_empty() && found.iter().all(|f| *f == plus));
    }
    for even in [0u32, 4] {
        assert!(crate::factoring::pminus1::run(&Natural::from(even), 50, 100, &|| true).is_err());
    }
    assert_eq!(
        crate::factoring::pminus1::run(&long, 50, 100, &|| true).unwrap(),
        None
    );
    assert_eq!(
        crate::factoring::pplus1::run(&long, 50, 100, 0, &|| true).unwrap(),
        None
    );
    assert_eq!(
        crate::factoring::pminus1::run(&(long.clone() * long), 500, 1000, &|| false).unwrap(),
        None
    );
}
