//! From relations to a divisor of n: products of them that are squares on both sides.

use std::collections::HashMap;
use std::sync::Arc;

use super::filter::Collection;
use super::matrix;
use super::relation::Relation;
use crate::cuda::Device;
use crate::error::Result;
use crate::factoring::ecm::residues::{Residues, with_residues};
use crate::number::Natural;
use crate::progress;

/// A proper divisor of n, which is odd, if the relations have one. The prime of column c is
/// `primes[c]`, from column 1 on. None if `keep_going` stops the work. An error describes the
/// failure of a device.
pub(super) fn divisor(
    n: &Natural,
    primes: &[u32],
    collection: &Collection,
    device: Option<&Arc<Device>>,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Natural>> {
    let (sets, rows) = progress::stage("filtering", 1, |_| {
        let sets = collection.sets(primes.len());
        let rows = collection.rows(&sets);
        Ok((sets, rows))
    })?;
    let found = progress::stage("matrix", 1, |_| {
        matrix::dependencies(&rows, primes.len(), device, keep_going)
    })?;
    progress::stage("square root", 1, |_| {
        Ok(found.iter().find_map(|dependency| {
            let product = product(&sets, dependency);
            let relations = collection.relations();
            let relations = product.iter().map(|i| &relations[*i as usize]);
            with_residues!(n, ring => split(&ring, n, primes, relations))
        }))
    })
}

/// The relations that are in an odd number of these sets: the others are squared.
fn product(sets: &[Vec<u32>], dependency: &[usize]) -> Vec<u32> {
    let all = dependency.iter().flat_map(|set| sets[*set].iter().copied());
    matrix::odd_columns(all.collect())
}

/// The divisor gcd(X − Y, n), if it is a proper one, where X is the product of all x and Y² the
/// product of all factors. None if an exponent is odd or if X² ≠ Y² modulo n.
fn split<'a, R: Residues>(
    ring: &R,
    n: &Natural,
    primes: &[u32],
    relations: impl Iterator<Item = &'a Relation>,
) -> Option<Natural> {
    let mut exponents = vec![0u32; primes.len()];
    let mut large: HashMap<u64, u32> = HashMap::new();
    let mut x = ring.one();
    for relation in relations {
        x = ring.mul(&x, &ring.import(&relation.x));
        for column in &relation.factors {
            exponents[*column as usize] += 1;
        }
        for prime in relation.large.into_iter().filter(|prime| *prime > 1) {
            *large.entry(prime).or_default() += 1;
        }
    }
    // The square root of (−1)^e is 1: e is even.
    let small = primes.iter().zip(&exponents).skip(1);
    let small = small.map(|(prime, exponent)| (u64::from(*prime), *exponent));
    let mut y = ring.one();
    // Powers of primes are gathered in one word before they are multiplied in.
    let mut word = 1u64;
    for (prime, exponent) in small.chain(large) {
        if exponent % 2 == 1 {
            return None;
        }
        for _ in 0..exponent / 2 {
            word = word.checked_mul(prime).unwrap_or_else(|| {
                y = ring.mul(&y, &ring.small(word));
                prime
            });
        }
    }
    y = ring.mul(&y, &ring.small(word));
    let is_square = exponents.first().is_none_or(|signs| signs % 2 == 0)
        && ring.export(&ring.sqr(&x)) == ring.export(&ring.sqr(&y));
    let divisor = n.gcd(&ring.export(&ring.sub(&x, &y)));
    let is_proper = divisor != 1u32 && divisor != *n && n.div_rem(&divisor).1 == 0u32;
    (is_square && is_proper).then_some(divisor)
}
