//! The plan's bounds, against exact arithmetic.

use malachite_base::num::arithmetic::traits::Pow;
use malachite_base::num::basic::traits::One;
use malachite_nz::natural::Natural;

use super::plan::*;
use super::roots;
use crate::model::Tuning;

fn product(primes: usize) -> Natural {
    PRIMES[..primes]
        .iter()
        .map(|(p, _)| Natural::from(*p))
        .product()
}

#[test]
fn coefficients_fit_the_primes() {
    let limb = Natural::from(u64::MAX);
    for (primes, terms) in [(5, FIVE_PRIME_TERMS), (6, 1 << 50)] {
        let p = product(primes);
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

/// The inverse matrices are inverse, and the rows of the forward ones the powers of different numbers.
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
fn check_shape(plan: &Plan) {
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
                    if let Some(plan) = Plan::for_reuse(count, lb, &tuning) {
                        check_shape(&plan);
                        assert!(plan.log_rows > 0 && count <= plan.points());
                    }
                    let Some(plan) = Plan::new(la, lb, &tuning) else {
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
                    }
                }
            }
        }
        assert!(splits > 0 && pieces > 0);
    }
}

/// Residues, operands and product stay below 8 times the operands from the sizes on where memory matters.
#[test]
fn products_fit_memory() {
    let tuning = Tuning::DEFAULT;
    for log in 18..28 {
        for eighths in 8..16u64 {
            let len = (eighths << log) / 8;
            let plan = Plan::new(len, len, &tuning).unwrap();
            let residues = 4 * plan.points() * u64::from(plan.primes + plan.group);
            assert!(residues + 32 * len <= 8 * 16 * len, "{len} {plan:?}");
        }
    }
}
