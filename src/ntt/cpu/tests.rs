//! Every level against malachite, at every boundary of a plan; long products against residues and
//! closed forms.

use malachite_nz::natural::Natural;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::field::{self, FIXED, ORDER_LOG, PRIMES};
use super::plan::NARROW_TERMS;
use super::{Base, HostPlan, Level, Prepared, add, mul, product, square, sums_of_products};
use crate::tuning::Tuning;

/// Operands that are hard in different ways.
#[derive(Clone, Copy)]
enum Kind {
    Random,
    Ones,
    Sparse,
}

const KINDS: [Kind; 3] = [Kind::Random, Kind::Ones, Kind::Sparse];

fn operand(kind: Kind, len: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<u64> {
    (0..len)
        .map(|_| match kind {
            Kind::Random => rng.next_u64(),
            Kind::Ones => u64::MAX,
            Kind::Sparse if rng.next_u64().is_multiple_of(16) => 1 << (rng.next_u64() % 64),
            Kind::Sparse => 0,
        })
        .collect()
}

fn expected(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut limbs = (Natural::from_limbs_asc(a) * Natural::from_limbs_asc(b)).into_limbs_asc();
    limbs.resize(a.len() + b.len(), 0);
    limbs
}

fn plan(a: usize, b: usize, limbs: usize, row: usize, parallel: bool) -> HostPlan {
    let tuning = Tuning {
        cpu_ntt_narrow_limbs: if limbs == 1 { usize::MAX } else { 0 },
        cpu_ntt_parallel_limbs: if parallel { 0 } else { usize::MAX },
        ..Tuning::DEFAULT
    };
    let mut plan = HostPlan::new(a, b, &tuning).expect("the test's lengths fit");
    plan.rows = (a.div_ceil(limbs) + b.div_ceil(limbs) - 1).div_ceil(row);
    plan.row = row;
    plan.strip = plan.strip.min(row);
    plan
}

fn check(level: Level, plan: HostPlan, a: &[u64], b: &[u64]) {
    let label = format!("{level:?} {plan:?} {} {}", a.len(), b.len());
    let want = expected(a, b);
    assert!(mul(level, plan, a, b) == want, "{label}");
    assert!(
        Prepared::new(level, plan, b).mul(a) == want,
        "prepared {label}"
    );
}

#[test]
fn primes_have_the_form_that_the_bounds_need() {
    let mut product = Natural::from(1u32);
    for (i, &p) in PRIMES.iter().enumerate() {
        assert!(p < 1 << 49 && p > (1 << 49) - (1 << 39) && p % (1 << ORDER_LOG) == 1);
        for base in 2..40 {
            assert_eq!(field::pow(base, p - 1, p), 1);
        }
        let root = FIXED[i].root(ORDER_LOG);
        assert_eq!(field::pow(root, 1 << (ORDER_LOG - 1), p), p - 1);
        assert_eq!(field::mul(field::inverse(root, p), root, p), 1);
        product *= Natural::from(p);
        // The most terms, times the largest product of two coefficients.
        if i == 2 {
            assert!(product > Natural::from(NARROW_TERMS) << 128u64);
        }
    }
    assert!(product > Natural::from(1u32) << (256u64 + 37));
}

/// Whole numbers of rows and one coefficient more or less, for all numbers of rows up to the first
/// two trees.
#[test]
fn every_number_of_rows_gives_the_product() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for level in Level::available() {
        for limbs in [1, 2] {
            for rows in 1..=17 {
                for off in 0..3 {
                    let total = (64 * rows + off) * limbs;
                    let short = (total / 2 - rows % 7).max(1);
                    let kind = KINDS[(rows + off) % 3];
                    let a = operand(kind, total - short, &mut rng);
                    let b = operand(kind, short, &mut rng);
                    check(
                        level,
                        plan(a.len(), b.len(), limbs, 64, rows % 2 == 0),
                        &a,
                        &b,
                    );
                }
            }
        }
    }
}

#[test]
fn every_length_of_a_row_gives_the_product() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for level in Level::available() {
        for limbs in [1, 2] {
            for row in [64, 128, 256, 512, 1024, 4096] {
                for (rows, off) in [(1, 0), (2, 1), (3, 0), (7, 1)] {
                    let total = (row * rows + off) * limbs;
                    for (kind, short) in KINDS.into_iter().zip([1, total / 5, total / 2]) {
                        let a = operand(kind, total - short, &mut rng);
                        let b = operand(kind, short, &mut rng);
                        check(
                            level,
                            plan(a.len(), b.len(), limbs, row, row % 3 == 1),
                            &a,
                            &b,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn squares_are_products() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for level in Level::available() {
        for limbs in [1, 2] {
            for len in [1, 2, 33, 64, 500, 2049] {
                for kind in KINDS {
                    let a = operand(kind, len, &mut rng);
                    let plan = plan(len, len, limbs, 64, len % 2 == 0);
                    assert!(
                        square(level, plan, &a) == expected(&a, &a),
                        "{level:?} {plan:?}"
                    );
                }
            }
        }
    }
}

/// All limbs all ones is the worst case for coefficients: (2^64n − 1)² = (2^64n − 2)·2^64n + 1.
#[test]
fn the_most_terms_do_not_overflow() {
    let level = Level::best();
    for len in [NARROW_TERMS - 1, NARROW_TERMS, NARROW_TERMS + 1] {
        let ones = vec![u64::MAX; len];
        let plan = HostPlan::new(len, len, &Tuning::DEFAULT).expect("fits");
        assert_eq!(plan.limbs, if len <= NARROW_TERMS { 1 } else { 2 });
        let product = mul(level, plan, &ones, &ones);
        assert!(product[0] == 1 && product[1..len].iter().all(|&x| x == 0));
        assert!(product[len] == u64::MAX - 1 && product[len + 1..].iter().all(|&x| x == u64::MAX));
    }
}

/// x modulo 2^61 − 1.
fn residue(x: &[u64]) -> u64 {
    let m = (1u128 << 61) - 1;
    x.iter().rev().fold(0, |r, &limb| {
        ((u128::from(r) << 64 | u128::from(limb)) % m) as u64
    })
}

#[test]
fn long_products_have_the_right_residue() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for (a, b) in [(1 << 16, 1 << 16), (200_000, 70_001), (1 << 20, 600_000)] {
        let a = operand(Kind::Random, a, &mut rng);
        let b = operand(Kind::Random, b, &mut rng);
        let plan = HostPlan::new(a.len(), b.len(), &Tuning::DEFAULT).expect("fits");
        let want = u128::from(residue(&a)) * u128::from(residue(&b)) % ((1 << 61) - 1);
        let product = mul(Level::best(), plan, &a, &b);
        assert_eq!(u128::from(residue(&product)), want);
        assert_eq!(product[0], a[0].wrapping_mul(b[0]));
    }
}

#[test]
fn levels_agree_on_a_long_product() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let a = operand(Kind::Random, 40_000, &mut rng);
    let b = operand(Kind::Ones, 30_001, &mut rng);
    for limbs in [1, 2] {
        let plan = plan(a.len(), b.len(), limbs, 1024, true);
        let mut products = Level::available().map(|level| mul(level, plan, &a, &b));
        let first = products.next().expect("plain Rust is always there");
        assert!(products.all(|product| product == first));
    }
}

#[test]
fn carries_run_to_the_end() {
    let mut x = [u64::MAX; 4];
    assert!(add(&mut x, &[1]) && x == [0; 4]);
    assert!(!add(&mut x, &[u64::MAX, 2, 0, 0, 0, 0]) && x == [u64::MAX, 2, 0, 0]);
}

#[test]
fn too_long_products_have_no_plan() {
    assert_eq!(HostPlan::new(1 << 34, 1 << 34, &Tuning::DEFAULT), None);
    assert_eq!(
        HostPlan::new(usize::MAX, usize::MAX, &Tuning::DEFAULT),
        None
    );
    assert!(HostPlan::new(1 << 29, 1 << 29, &Tuning::DEFAULT).is_some());
}

/// Products of polynomials from the definition.
fn polynomial(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    let mut product = vec![0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (sum, y) in product[i..].iter_mut().zip(b) {
            let term = u128::from(*x) * u128::from(*y) + u128::from(*sum);
            *sum = (term % u128::from(p)) as u64;
        }
    }
    product
}

#[test]
fn polynomials_of_one_to_four_primes_and_of_their_own() {
    let table = [
        (2, 1, 1, false),
        (7681, 3000, 1, false),
        ((1 << 31) - 1, 2, 2, false),
        (469762049, 2, 2, true),
        (206158430209, 2, 2, true),
        ((1 << 49) - 81, 1 << 20, 3, false),
        ((1 << 61) - 1, 2, 3, false),
        ((1 << 63) - 25, 1 << 20, 3, false),
        ((1 << 63) - 25, 1 << 22, 4, false),
    ];
    for level in Level::available() {
        for (p, terms, primes, own) in table {
            for (m, n) in [(1, 1), (8, 70), (65, 64), (300, 100), (20, 900)] {
                let tuning = Tuning {
                    cpu_ntt_parallel_limbs: 250,
                    ..Tuning::DEFAULT
                };
                let terms = terms.max(m.min(n));
                let plan = HostPlan::for_polynomials(&[(m, n)], terms, p, &tuning).unwrap();
                assert_eq!(plan.own.is_some(), own, "{p}");
                assert_eq!(plan.primes, if own { 1 } else { primes }, "{p}");
                // The largest residues, and others.
                let some = |len: usize, step: u64| -> Vec<u64> {
                    let value = |i: u64| match step {
                        0 => p - 1,
                        _ => (i + 1).wrapping_mul(step) % p,
                    };
                    (0..len as u64).map(value).collect()
                };
                for step in [0, 0x9e37_79b9_7f4a_7c15] {
                    let (a, b) = (some(m, step), some(n, step ^ (step >> 7)));
                    let label = format!("{level:?} {p} {m} {n}");
                    let want = polynomial(&a, &b, p);
                    assert!(product(level, plan, p, &a, Some(&b)) == want, "{label}");
                    let operands: [&[u64]; 3] = [&a, &b, &a];
                    let sums: [&[(usize, usize)]; 2] = [&[(0, 1)], &[(0, 1), (1, 2)]];
                    let found = sums_of_products(level, plan, p, &operands, &sums);
                    assert!(found[0] == want, "{label}");
                    let twice = |x: &u64| ((2 * u128::from(*x)) % u128::from(p)) as u64;
                    let twice: Vec<u64> = want.iter().map(twice).collect();
                    if terms >= 2 * m.min(n) {
                        assert!(found[1] == twice, "{label}");
                    }
                }
            }
        }
    }
}

/// The number with these digits in a base, the lowest first.
fn value(base: u64, digits: &[u64]) -> Natural {
    let base = Natural::from(base);
    let step = |value: Natural, digit: &u64| value * &base + Natural::from(*digit);
    digits.iter().rev().fold(Natural::from(0u32), step)
}

/// Three primes and four, whole numbers of rows and one coefficient more or less, and the largest
/// digits.
#[test]
fn products_in_a_base() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let bases = [
        10u64.pow(19),
        3u64.pow(40),
        14u64.pow(16),
        (1 << 58) + 1,
        u64::MAX,
    ];
    for level in Level::available() {
        for (round, base) in bases.into_iter().enumerate() {
            for (a, b) in [
                (1, 1),
                (1, 64),
                (32, 33),
                (33, 33),
                (64, 65),
                (100, 90),
                (300, 213),
            ] {
                for largest in [false, true] {
                    let mut digits = |len: usize| -> Vec<u64> {
                        let digit = |_| {
                            if largest {
                                base - 1
                            } else {
                                rng.next_u64() % base
                            }
                        };
                        (0..len).map(digit).collect()
                    };
                    let (x, y) = (digits(a), digits(b));
                    for primes in [3, 4] {
                        let tuning = Tuning {
                            cpu_ntt_parallel_limbs: if round % 2 == 0 { 0 } else { usize::MAX },
                            cpu_ntt_task_values: 64,
                            ..Tuning::DEFAULT
                        };
                        let plan = |a, b| {
                            let plan = HostPlan::for_base(a, b, base, &tuning).unwrap();
                            HostPlan { primes, ..plan }
                        };
                        let label = format!("{level:?} {base} {a} {b} {primes}");
                        let base_of = Base::new(base);
                        let kept = Prepared::new(level, plan(a, b), &y);
                        let found = kept.mul_in(&base_of, &x);
                        assert!(found.len() == a + b && found.iter().all(|d| *d < base));
                        assert!(
                            value(base, &found) == value(base, &x) * value(base, &y),
                            "{label}"
                        );
                        let kept = Prepared::new(level, plan(b, b), &y);
                        let found = kept.square_in(&base_of);
                        assert!(found.iter().all(|d| *d < base));
                        assert!(
                            value(base, &found) == value(base, &y) * value(base, &y),
                            "{label}"
                        );
                    }
                }
            }
        }
    }
}

/// A carry that runs through all digits, in all lengths.
#[test]
fn sums_in_a_base() {
    let base = 10u64.pow(19);
    for len in 1..5 {
        let mut x = vec![base - 1; len];
        assert!(Base::new(base).add(&mut x, &[1]));
        assert_eq!(x, vec![0; len]);
        assert!(!Base::new(base).add(&mut x, &vec![base - 1; len]));
        assert_eq!(x, vec![base - 1; len]);
    }
}
