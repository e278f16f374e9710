//! The plan's bounds, against exact arithmetic.

use malachite_base::num::arithmetic::traits::Pow;
use malachite_base::num::basic::traits::One;
use malachite_nz::natural::Natural;

use super::plan::*;
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

#[test]
fn plans_fit_the_kernels() {
    let can_step = |log: u32| log == 3 || log == 4 || log >= 6;
    for tuning in [Tuning::DEFAULT, Tuning::MINIMAL] {
        for log in 0..=MAX_LOG {
            for count in [(1u64 << log).saturating_sub(1), 1 << log, (1 << log) + 1] {
                for lb in [1, 2, count / 2, count / 2 + 1] {
                    if lb == 0 || lb > count {
                        continue;
                    }
                    let la = count + 1 - lb;
                    let Some(plan) = Plan::new(la, lb, &tuning) else {
                        assert!(count > 1 << MAX_LOG);
                        continue;
                    };
                    assert!(count <= plan.n());
                    let log_row = plan.log_n - plan.log_rows;
                    assert!(can_step(log_row) && log_row <= 12, "{plan:?}");
                    assert!(
                        plan.row_threads % 32 == 0 && plan.row_threads <= 256,
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
                        assert!(plan.column_threads % 32 == 0, "{plan:?}");
                        assert!(
                            pairs >= 1 << plan.log_rows && u64::from(2 * pairs) <= plan.n(),
                            "{plan:?}"
                        );
                    }
                }
            }
        }
    }
}
