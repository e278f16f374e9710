//! Sums of products that share operands, above all products of small matrices: each operand is
//! transformed once and each sum comes back once. Two by two times two by two is eight transforms
//! and four back, where eight products take twenty-four.
//!
//! If the caller knows that results are shorter than the products, transforms are shorter too: they
//! compute the results modulo a number that is a little larger than twice the results.
//!
//! That serves where all products of the call have about the same length and need transforms at
//! all; others are computed one by one.

use super::{check_product, cpu, cuda, mul};
use crate::engine::{self, Work};
use crate::error::Result;
use crate::limbs::{self, DeviceLimbs, Resident};
use crate::ntt::cpu::Pairs;
use crate::verify;

/// A sum of products.
struct Sum<'a> {
    pairs: Vec<(&'a Resident, &'a Resident)>,
}

/// The sum of the products of the pairs.
pub(crate) fn sum_of_products(pairs: &[(&Resident, &Resident)]) -> Result<Resident> {
    let pairs = pairs.to_vec();
    let found = sums(&[Sum { pairs }], None)?.into_iter().next();
    Ok(found.unwrap_or_else(limbs::zero))
}

/// Several sums of products, for which operands that they share are transformed once.
pub(crate) fn sums_of_products<const N: usize>(
    lists: [&[(&Resident, &Resident)]; N],
) -> Result<[Resident; N]> {
    let sum = |pairs: &[(_, _)]| Sum {
        pairs: pairs.to_vec(),
    };
    let mut found = sums(&lists.map(sum), None)?.into_iter();
    Ok(std::array::from_fn(|_| {
        found.next().unwrap_or_else(limbs::zero)
    }))
}

/// The product of two matrices. With `within`, the caller has proved that every x of it is in
/// −2^within ≤ x < 2^within.
pub(crate) fn matrix_product<const R: usize, const K: usize, const C: usize>(
    a: [[&Resident; K]; R],
    b: [[&Resident; C]; K],
    within: Option<u64>,
) -> Result<[[Resident; C]; R]> {
    let entry = |i: usize, j: usize| (0..K).map(|k| (a[i][k], b[k][j])).collect();
    let entries = (0..R * C).map(|at| Sum {
        pairs: entry(at / C, at % C),
    });
    let mut found = sums(&entries.collect::<Vec<_>>(), within)?.into_iter();
    Ok(std::array::from_fn(|_| {
        std::array::from_fn(|_| found.next().unwrap_or_else(limbs::zero))
    }))
}

impl Sum<'_> {
    /// The sum with no transforms in common.
    fn by_products(&self) -> Result<Resident> {
        let mut sum: Option<Resident> = None;
        for (a, b) in &self.pairs {
            let product = mul(a, b)?;
            sum = Some(match sum {
                Some(sum) => limbs::add(&sum, &product)?,
                None => product,
            });
        }
        Ok(sum.unwrap_or_else(limbs::zero))
    }

    /// Bits of the longest product.
    fn bits(&self) -> u64 {
        let bits = |(a, b): &(&Resident, &Resident)| a.bits_bound().saturating_add(b.bits_bound());
        self.pairs.iter().map(bits).max().unwrap_or(0)
    }
}

fn sums(sums: &[Sum], within: Option<u64>) -> Result<Vec<Resident>> {
    let (operands, places) = distinct(sums);
    let narrow = |sum: Resident| match within {
        Some(bits) => sum.narrow(bits),
        None => sum,
    };
    let one_by_one = || {
        let sum = |sum: &Sum| sum.by_products().map(narrow);
        sums.iter().map(sum).collect::<Result<Vec<_>>>()
    };
    let shortest = |(a, b): &(&Resident, &Resident)| a.bits_bound().min(b.bits_bound());
    let pairs = sums.iter().flat_map(|sum| &sum.pairs);
    let found = engine::run(
        super::made_of_products(Work::product(pairs.map(shortest).max().unwrap_or(0))),
        operands.iter().copied().map(Resident::residence),
        || {
            check_product("multiplication", sums.iter().map(Sum::bits).sum())?;
            let values = operands.iter().map(|x| x.host());
            let values = values.collect::<Result<Vec<_>>>()?;
            match cpu::sums(&values, &places, within) {
                Some(found) => Ok(found.into_iter().map(|sum| narrow(sum.into())).collect()),
                None => one_by_one(),
            }
        },
        |device| {
            let there = operands.iter().map(|x| x.on(device));
            let there = there.collect::<Result<Vec<DeviceLimbs>>>()?;
            let Some(found) = cuda::sums(&there, &places, within)? else {
                return one_by_one();
            };
            let whole = |found: cuda::ProductSum| -> Result<Resident> {
                Ok(narrow(match (found.wrapped, within) {
                    (Some(n), Some(bits)) => lift(found.products, 64 * n, bits)?,
                    _ => found.products,
                }))
            };
            found.into_iter().map(whole).collect()
        },
    )?;
    for (sum, found) in sums.iter().zip(&found) {
        verify::sum("sum of products", &sum.pairs, found)?;
    }
    Ok(found)
}

/// The x with −2^bits ≤ x < 2^bits that is w modulo 2^n − 1, for bits ≤ n − 2.
///
/// w = h·2^n + l is h + l modulo that. Once |w| < 2^(n + 64) it is x + q·(2^n − 1) with q = w/2^n
/// rounded, as |x − q| < 2^(n − 1). So x is w + q modulo 2^n.
fn lift(mut w: Resident, n: u64, bits: u64) -> Result<Resident> {
    while w.bits_bound() > n + 60 {
        w = limbs::add(&limbs::low(&w, n)?, &limbs::shr(&w, n)?)?;
    }
    let twice = limbs::shr(&w, n - 1)?;
    let quotient = limbs::shr(&limbs::add_small(&twice, 1)?, 1)?;
    limbs::sub_bounded(&w, &limbs::neg(&quotient)?, bits)
}

/// The distinct operands, and the pairs as indices into that list.
fn distinct<'a>(sums: &[Sum<'a>]) -> (Vec<&'a Resident>, Vec<Pairs>) {
    let mut operands: Vec<&Resident> = Vec::new();
    let mut place = |x: &'a Resident| {
        let same = |y: &&Resident| std::ptr::eq(*y, x) || y.is_same(x);
        operands.iter().position(same).unwrap_or_else(|| {
            operands.push(x);
            operands.len() - 1
        })
    };
    let pairs = |sum: &Sum<'a>| {
        sum.pairs
            .iter()
            .map(|(a, b)| (place(a), place(b)))
            .collect()
    };
    let places = sums.iter().map(pairs).collect();
    (operands, places)
}

#[cfg(test)]
mod tests;
