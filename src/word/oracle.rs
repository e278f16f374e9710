//! Operands and answers for the tests of this folder: numbers of many shapes, and products, sums
//! and remainders written from their definitions.

use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

pub(crate) fn generator(seed: u64) -> Xoshiro256StarStar {
    Xoshiro256StarStar::seed_from_u64(seed)
}

/// How many shapes [`shaped`] knows.
pub(crate) const SHAPES: usize = 6;

/// A number of so many limbs: random, all ones, zero, one bit in a few, runs of ones and zeros,
/// limbs that are 0, 1 or all ones.
pub(crate) fn shaped(random: &mut impl Rng, shape: usize, len: usize) -> Vec<u64> {
    let mut limbs = vec![0; len];
    match shape {
        0 => limbs.fill_with(|| random.next_u64()),
        1 => limbs.fill(u64::MAX),
        2 => {}
        3 => limbs.fill_with(|| match random.next_u64() % 4 {
            0 => 1 << (random.next_u64() % 64),
            _ => 0,
        }),
        4 => {
            let (mut ones, mut left) = (false, 0);
            for i in 0..64 * len {
                if left == 0 {
                    ones = !ones;
                    left = 1 + random.next_u64() % 150;
                }
                left -= 1;
                limbs[i / 64] |= u64::from(ones) << (i % 64);
            }
        }
        _ => limbs.fill_with(|| [0, 1, u64::MAX][(random.next_u64() % 3) as usize]),
    }
    limbs
}

/// a·b, column by column.
pub(crate) fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut columns = vec![0u128; a.len() + b.len() + 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let product = u128::from(*x) * u128::from(*y);
            columns[i + j] += product & u128::from(u64::MAX);
            columns[i + j + 1] += product >> 64;
        }
    }
    carried(&columns, a.len() + b.len())
}

/// a + b modulo 2^(64·len) for limbs with `len` places.
pub(crate) fn total(a: &[u64], b: &[u64], len: usize) -> Vec<u64> {
    let at = |x: &[u64], i| u128::from(x.get(i).copied().unwrap_or(0));
    let columns: Vec<u128> = (0..len).map(|i| at(a, i) + at(b, i)).collect();
    carried(&columns, len)
}

fn carried(columns: &[u128], len: usize) -> Vec<u64> {
    let mut carry = 0;
    columns[..len]
        .iter()
        .map(|column| {
            let sum = column + carry;
            carry = sum >> 64;
            sum as u64
        })
        .collect()
}

/// x mod m bit by bit.
pub(crate) fn remainder(x: &[u64], m: &[u64]) -> Vec<u64> {
    // One limb more than m, so that doubling never overflows.
    let mut rest = vec![0; m.len() + 1];
    for i in (0..64 * x.len()).rev() {
        rest = total(&rest, &rest, m.len() + 1);
        rest[0] |= x[i / 64] >> (i % 64) & 1;
        let less = (0..=m.len())
            .rev()
            .map(|i| (rest[i], m.get(i).copied().unwrap_or(0)))
            .find(|(x, y)| x != y)
            .is_some_and(|(x, y)| x < y);
        if !less {
            // rest − m = rest + (2^(64·len) − 1 − m) + 1.
            let complement: Vec<u64> = (0..=m.len())
                .map(|i| !m.get(i).copied().unwrap_or(0))
                .collect();
            rest = total(&total(&rest, &complement, m.len() + 1), &[1], m.len() + 1);
        }
    }
    rest.truncate(m.len());
    rest
}
