//! The plan's bounds, against exact arithmetic, and the transforms on every device against their
//! definition.

use malachite_base::num::arithmetic::traits::Pow;
use malachite_base::num::basic::traits::One;
use malachite_nz::natural::Natural;

use super::cuda::{Digits, keep, product};
use super::plan::*;
use super::roots;
use crate::cuda::{Buffer, device};
use crate::engine::Engine;
use crate::tuning::Tuning;

fn mul_mod(a: u64, b: u64, p: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(p)) as u64
}

fn pow_mod(a: u64, e: u64, p: u64) -> u64 {
    (0..64).rev().fold(1, |power, bit| {
        let square = mul_mod(power, power, p);
        if e >> bit & 1 == 1 {
            mul_mod(square, a, p)
        } else {
            square
        }
    })
}

/// The 32-bit words of a buffer.
fn words(buffer: &Buffer) -> Vec<u64> {
    let mut limbs = vec![0; buffer.limbs()];
    buffer.device().download(buffer, 0, &mut limbs).unwrap();
    limbs
        .iter()
        .flat_map(|w| [w & 0xffff_ffff, w >> 32])
        .collect()
}

/// Runs `test` on every device with limbs of some length on it.
fn on_devices(len: usize, test: impl Fn(Digits, &[u64])) {
    for engine in Engine::usable() {
        let Engine::Cuda(n) = engine else { continue };
        let limbs: Vec<u64> = (1..=len as u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let buffer = device(n).unwrap().upload(&limbs).unwrap();
        Tuning::MINIMAL.scope(|| {
            test(
                Digits {
                    buffer: &buffer,
                    start: 0,
                    len,
                },
                &limbs,
            )
        });
    }
}

/// A kept transform has the values at all N-th roots of unity, or modulo all x^N − c at all of
/// theirs, in some order.
#[test]
fn transforms_are_values() {
    for parts in [Parts::One, Parts::Split(3)] {
        on_devices(1000, |digits, limbs| {
            let mut plan = DevicePlan::for_reuse(5, 1000, &Tuning::MINIMAL).unwrap();
            plan.parts = parts;
            let found = words(&keep(digits, &plan).unwrap().into_residues());
            for (index, (p, g)) in PRIMES.into_iter().enumerate().take(plan.primes as usize) {
                let (p, g) = (u64::from(p), u64::from(g));
                let root = pow_mod(g, (p - 1) / plan.n(), p);
                let unit = pow_mod(pow_mod(2, 32, p), p - 2, p);
                let mut expected = Vec::new();
                for part in 0..u64::from(parts.count()) {
                    for i in 0..plan.n() {
                        let x = mul_mod(pow_mod(g, part, p), pow_mod(root, i, p), p);
                        let value = limbs
                            .iter()
                            .rev()
                            .fold(0, |v, a| (mul_mod(v, x, p) + a % p) % p);
                        expected.push(mul_mod(value, unit, p));
                    }
                }
                let points = plan.points() as usize;
                let mut values: Vec<_> = found[index * points..][..points]
                    .iter()
                    .map(|v| v % p)
                    .collect();
                values.sort_unstable();
                expected.sort_unstable();
                assert!(values == expected, "{p} {parts:?}");
            }
        });
    }
}

/// There and back: products modulo each prime against the definition.
#[test]
fn products_of_polynomials() {
    on_devices(700, |digits, limbs| {
        for parts in [Parts::One, Parts::Split(2)] {
            let mut plan = DevicePlan::for_reuse(6, 1 << 10, &Tuning::MINIMAL).unwrap();
            plan.parts = parts;
            let a = Digits { len: 300, ..digits };
            let found = words(&product(a, Some(digits), &plan).unwrap());
            let points = plan.points() as usize;
            for (index, (p, _)) in PRIMES.into_iter().enumerate().take(plan.primes as usize) {
                let p = u64::from(p);
                let others = PRIMES[..plan.primes as usize]
                    .iter()
                    .map(|(q, _)| u64::from(*q));
                let cofactor = others
                    .filter(|q| *q != p)
                    .fold(1, |product, q| mul_mod(product, q, p));
                for i in 0..999 {
                    let terms = (0..300).filter(|k| *k <= i && i - k < 700);
                    let sum =
                        terms.fold(0, |sum, k| (sum + mul_mod(limbs[k], limbs[i - k], p)) % p);
                    let y = found[index * points + i];
                    assert!(
                        y < 2 * p && mul_mod(y, cofactor, p) == sum,
                        "{p} {i} {parts:?}"
                    );
                }
            }
        }
    });
}

fn product_of(primes: usize) -> Natural {
    PRIMES[..primes]
        .iter()
        .map(|(p, _)| Natural::from(*p))
        .product()
}

#[test]
fn coefficients_fit_the_primes() {
    let limb = Natural::from(u64::MAX);
    for (primes, terms) in [(5, FIVE_PRIME_TERMS), (6, 1 << 50)] {
        let p = product_of(primes);
        let room = &p - (&p >> 26u64) - Natural::ONE;
        assert!(Natural::from(terms) * &limb * &limb <= room, "{primes}");
        // Three limbs, the top one below 2^51.
        assert!(p < Natural::from(2u32).pow(179));
    }
}

#[test]
fn primes_have_the_roots() {
    for (p, generator) in PRIMES {
        assert!(p > 1 << 29 && p < 1 << 30);
        assert_eq!((p - 1) % (1 << MAX_LOG), 0);
        // The generator's order is p − 1: it is no q-th power for any prime q that divides p − 1.
        let mut rest = p - 1;
        for q in 2..p {
            if q * q > rest && rest == 1 {
                break;
            }
            if rest % q == 0 {
                let mut power = 1u64;
                for bit in (0..32).rev() {
                    power = power * power % u64::from(p);
                    if ((p - 1) / q) >> bit & 1 == 1 {
                        power = power * u64::from(generator) % u64::from(p);
                    }
                }
                assert_ne!(power, 1, "{p} {q}");
                while rest % q == 0 {
                    rest /= q;
                }
            }
        }
    }
}

/// The inverse matrices are inverse, and the rows of the forward ones the powers of different
/// numbers.
#[test]
fn split_matrices() {
    for (m, log_n) in [(2, 10), (3, 22), (5, 12), (128, 22)] {
        let padded = usize::next_multiple_of(m, 4);
        let words = roots::matrices(m, log_n);
        let entries: Vec<u64> = words
            .iter()
            .flat_map(|w| [w & 0xffff_ffff, w >> 32])
            .collect();
        for (index, (p, _)) in PRIMES.into_iter().enumerate() {
            let p = u64::from(p);
            let (forward, backward) = entries[2 * index * padded * padded..][..2 * padded * padded]
                .split_at(padded * padded);
            for i in 0..m {
                for k in 0..m {
                    let sum = (0..m)
                        .map(|j| backward[i * padded + j] * forward[j * padded + k] % p)
                        .sum::<u64>();
                    // Both factors are times 2^32.
                    let one = (1u128 << 64) % u128::from(p);
                    assert_eq!(u128::from(sum % p), if i == k { one } else { 0 });
                }
            }
        }
    }
}

/// What the kernels need of a plan.
fn check_shape(plan: &DevicePlan) {
    let can_step = |log: u32| log == 3 || log == 4 || log >= 6;
    let log_row = plan.log_n - plan.log_rows;
    assert!(can_step(log_row) && log_row <= 12, "{plan:?}");
    assert!(
        plan.row_threads.is_multiple_of(32) && plan.row_threads <= 256,
        "{plan:?}"
    );
    let row_values = VALUES * plan.row_threads;
    assert!(
        row_values >= 1 << log_row && u64::from(row_values) <= plan.n(),
        "{plan:?}"
    );
    if plan.log_rows > 0 {
        assert!(can_step(plan.log_rows) && plan.log_rows <= 10, "{plan:?}");
        let pairs = VALUES * plan.column_threads;
        assert!(
            plan.column_threads.is_multiple_of(32) && plan.column_threads <= 256,
            "{plan:?}"
        );
        assert!(
            pairs >= 1 << plan.log_rows && u64::from(2 * pairs) <= plan.n(),
            "{plan:?}"
        );
    } else {
        assert_eq!(plan.parts, Parts::One);
    }
    if let Parts::Split(parts) = plan.parts {
        assert!((2..=MAX_PARTS).contains(&parts));
        assert!(plan.n().is_multiple_of(u64::from(2 * plan.split_threads())));
        assert!(plan.split_shared_bytes() <= 48 << 10);
    }
}

#[test]
fn plans_fit_the_kernels() {
    for tuning in [Tuning::DEFAULT, Tuning::MINIMAL] {
        let (mut splits, mut pieces) = (0, 0);
        for log in 0..=29 {
            for count in [
                (1u64 << log).saturating_sub(1),
                1 << log,
                (1 << log) + 1,
                9 << log >> 3,
            ] {
                for lb in [1, 2, count / 9, count / 2, count / 2 + 1] {
                    if lb == 0 || lb > count {
                        continue;
                    }
                    let la = count + 1 - lb;
                    let most = u64::from(MAX_PARTS) << tuning.ntt_max_log;
                    if let Some(plan) =
                        DevicePlan::for_reuse(primes_for(lb, &tuning), count, &tuning)
                    {
                        check_shape(&plan);
                        assert!(plan.log_rows > 0 && count <= plan.points());
                    }
                    let Some(plan) = DevicePlan::new(la, lb, &tuning) else {
                        assert!(count > most);
                        continue;
                    };
                    check_shape(&plan);
                    match plan.parts {
                        Parts::One => assert!(count <= plan.points()),
                        Parts::Split(_) => {
                            assert!(count <= plan.points());
                            splits += 1;
                        }
                        Parts::Pieces { count, step } => {
                            let (short, step) = (la.min(lb), u64::from(step));
                            assert!(step % 2 == 0 && step + short - 1 <= plan.n());
                            assert!(short - 1 <= step && plan.n() <= 2 * step);
                            assert!(la.max(lb).div_ceil(step) == u64::from(count));
                            pieces += 1;
                        }
                        Parts::Rows { .. } => panic!("rows are asked for by name"),
                    }
                }
            }
        }
        assert!(splits > 0 && pieces > 0);
    }
}

/// Residues, operands and product stay below 8 times the operands from the sizes on where memory
/// matters.
#[test]
fn products_fit_memory() {
    let tuning = Tuning::DEFAULT;
    for log in 18..28 {
        for eighths in 8..16u64 {
            let len = (eighths << log) / 8;
            let plan = DevicePlan::new(len, len, &tuning).unwrap();
            let residues = 4 * plan.points() * u64::from(plan.primes + plan.group);
            assert!(residues + 32 * len <= 8 * 16 * len, "{len} {plan:?}");
        }
    }
}
