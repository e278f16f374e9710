//! Sums and matrices on every engine against malachite.

use malachite_base::num::logic::traits::SignificantBits;
use malachite_nz::integer::Integer;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::mul::tests::hard;
use crate::tests::support::{everywhere, random_limbs as random};
use crate::tuning::Tuning;

#[test]
fn sums() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(17);
        let lengths: &[usize] = if tuning == Tuning::MINIMAL {
            &[1, 13, 19, 40, 140, 600, 2500]
        } else {
            &[170, 900, 1100]
        };
        for len in lengths {
            for count in [0, 1, 2, 5] {
                let mut numbers = |len| {
                    let choice = hard(len, &mut rng);
                    (0..count)
                        .map(|_| choice[rng.random_range(0..choice.len())].clone())
                        .collect::<Vec<_>>()
                };
                let (x, y) = (numbers(*len), numbers(len + 3));
                let sum: Integer = x.iter().zip(&y).map(|(x, y)| x * y).sum();
                let a: Vec<_> = x.into_iter().map(Resident::from).collect();
                let b: Vec<_> = y.into_iter().map(Resident::from).collect();
                let pairs: Vec<_> = a.iter().zip(&b).collect();
                let found = sum_of_products(&pairs).unwrap().into_host().unwrap();
                assert!(found == sum, "{engine} {len} {count}");
            }
        }
    });
}

/// Matrices of all signs, with operands in common, and of about the lengths that reductions of
/// pairs of numbers have.
#[test]
fn matrices() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(23);
        let lengths: &[(usize, usize)] = if tuning == Tuning::MINIMAL {
            &[(1, 1), (9, 20), (12, 35), (70, 70), (200, 60), (1500, 900)]
        } else {
            &[(200, 400), (1000, 1000), (3000, 4100)]
        };
        for (la, lb) in lengths {
            let mut pick = |len| {
                let mut choice = hard(len, &mut rng);
                // The last two are one limb or none, for which nothing is shared.
                choice.truncate(if rng.random_ratio(1, 4) { 9 } else { 7 });
                choice[rng.random_range(0..choice.len())].clone()
            };
            let x: [[Integer; 2]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| pick(*la)));
            let y: [[Integer; 2]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| pick(*lb)));
            let a = x.clone().map(|row| row.map(Resident::from));
            let b = y.clone().map(|row| row.map(Resident::from));
            let refs = |m: &'static str, found: Resident, want: Integer| {
                let found = found.into_host().unwrap();
                assert!(found == want, "{m} {engine} {la} {lb}");
            };
            let entry = |i: usize, j: usize| &x[i][0] * &y[0][j] + &x[i][1] * &y[1][j];

            let a_refs = a.each_ref().map(|row| row.each_ref());
            let b_refs = b.each_ref().map(|row| row.each_ref());
            let product = matrix_product(a_refs, b_refs, None).unwrap();
            for (i, row) in product.into_iter().enumerate() {
                for (j, found) in row.into_iter().enumerate() {
                    refs("2x2", found, entry(i, j));
                }
            }
            let vector = [[&b[0][0]], [&b[1][0]]];
            let [[first], [second]] = matrix_product(a_refs, vector, None).unwrap();
            refs("vector", first, entry(0, 0));
            refs("vector", second, entry(1, 0));
            let square = matrix_product(a_refs, a_refs, None).unwrap();
            let [[_, corner], _] = square;
            refs("square", corner, &x[0][1] * (&x[0][0] + &x[1][1]));
        }
    });
}

/// Differences of products that are much shorter than the products.
#[test]
fn results_within_a_bound() {
    everywhere(|engine| {
        let tuning = Tuning::current();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(29);
        let lengths: &[(usize, usize)] = if tuning == Tuning::MINIMAL {
            &[(5, 9), (30, 60), (200, 300), (130, 1000)]
        } else {
            &[(300, 1200), (2000, 5000)]
        };
        for (short, long) in lengths {
            // u·a − v·b with a = v·c + r and b = u·c + s is u·r − v·s.
            let [u, v] = [0; 2].map(|_| random(*short, &mut rng));
            let c = random(long - short, &mut rng);
            let [r, s] = [0; 2].map(|_| -random(short / 2 + 1, &mut rng));
            let (a, b) = (&v * &c + &r, &u * &c + &s);
            let want = &u * &r - &v * &s;
            let bits = (short + short / 2 + 1) as u64 * 64 + 1;
            assert!(want.significant_bits() <= bits);
            let [a, b] = [a, b].map(Resident::from);
            let [plus, minus] = [u, -v].map(Resident::from);
            let found = matrix_product([[&plus, &minus]], [[&a], [&b]], Some(bits)).unwrap();
            let [[found]] = found;
            assert!(found.bits_bound() <= bits);
            assert!(
                found.into_host().unwrap() == want,
                "{engine} {short} {long}"
            );
        }
    });
}
