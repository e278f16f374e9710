//! Sums of products that share operands, above all products of small matrices: each operand is transformed once and each sum
//! comes back once. Two by two times two by two is eight transforms and four back, where eight products take twenty-four.
//!
//! That serves where all products of the call have about the same length and need transforms at all; others are computed one by
//! one.

use malachite_nz::integer::Integer;

use super::{check_product, cpu, cuda, mul};
use crate::engine;
use crate::error::Result;
use crate::limbs::{self, DeviceLimbs, Limbs};
use crate::verify;

/// Pairs of operands by their places in a list.
type Pairs = Vec<(usize, usize)>;

/// The sum of the products of the pairs.
pub(crate) fn sum_of_products(pairs: &[(&Limbs, &Limbs)]) -> Result<Limbs> {
    let sums = sums_of_products(&[pairs], None)?;
    Ok(sums.into_iter().next().unwrap_or_else(zero))
}

/// The product of two matrices. With `within`, the caller has proved that every x of it is in −2^within ≤ x < 2^within.
pub(crate) fn matrix_product<const R: usize, const K: usize, const C: usize>(
    a: [[&Limbs; K]; R],
    b: [[&Limbs; C]; K],
    within: Option<u64>,
) -> Result<[[Limbs; C]; R]> {
    let entry = |i: usize, j: usize| (0..K).map(|k| (a[i][k], b[k][j])).collect::<Vec<_>>();
    let sums: Vec<_> = (0..R * C).map(|at| entry(at / C, at % C)).collect();
    let views: Vec<&[_]> = sums.iter().map(Vec::as_slice).collect();
    let mut entries = sums_of_products(&views, within)?.into_iter();
    Ok(std::array::from_fn(|_| {
        std::array::from_fn(|_| entries.next().unwrap_or_else(zero))
    }))
}

fn zero() -> Limbs {
    Limbs::Small(Integer::default())
}

/// For each list the sum of the products of its pairs; `within` as in [`matrix_product`].
fn sums_of_products(sums: &[&[(&Limbs, &Limbs)]], within: Option<u64>) -> Result<Vec<Limbs>> {
    let (operands, places) = distinct(sums);
    let narrow = |sum: Limbs| match within {
        Some(bits) => sum.narrow(bits),
        None => sum,
    };
    let one_by_one = || {
        let sum = |pairs: &&[(&Limbs, &Limbs)]| {
            let sum = pairs
                .iter()
                .try_fold(zero(), |sum, (a, b)| limbs::add(&sum, &mul(a, b)?))?;
            Ok(narrow(sum))
        };
        sums.iter().map(sum).collect::<Result<Vec<_>>>()
    };
    let found = engine::run(
        operands.iter().map(|x| x.residence()),
        || {
            for (a, b) in sums.iter().copied().flatten() {
                let bits = a.bits_bound().saturating_add(b.bits_bound());
                check_product("multiplication", bits)?;
            }
            let values = operands.iter().map(|x| x.host());
            match cpu::sums(&values.collect::<Result<Vec<_>>>()?, &places) {
                Some(found) => Ok(found.into_iter().map(|sum| narrow(sum.into())).collect()),
                None => one_by_one(),
            }
        },
        |device| {
            let there = operands.iter().map(|x| x.on(device));
            let there = there.collect::<Result<Vec<DeviceLimbs>>>()?;
            match cuda::sums(&there, &places)? {
                Some(found) => Ok(found.into_iter().map(narrow).collect()),
                None => one_by_one(),
            }
        },
    )?;
    for (pairs, sum) in sums.iter().zip(&found) {
        verify::sum("sum of products", pairs, sum)?;
    }
    Ok(found)
}

/// The operands without those that are there already, and the pairs by places in that list.
fn distinct<'a>(sums: &[&[(&'a Limbs, &'a Limbs)]]) -> (Vec<&'a Limbs>, Vec<Pairs>) {
    let mut operands: Vec<&Limbs> = Vec::new();
    let mut place = |x: &'a Limbs| {
        let same = |y: &&Limbs| std::ptr::eq(*y, x) || y.is_same(x);
        operands.iter().position(same).unwrap_or_else(|| {
            operands.push(x);
            operands.len() - 1
        })
    };
    let places = sums
        .iter()
        .map(|pairs| pairs.iter().map(|(a, b)| (place(a), place(b))).collect())
        .collect();
    (operands, places)
}

#[cfg(test)]
mod tests;
