//! Shared factors pair by pair on a device. Division steps of all pairs run at once. For some
//! hundred moduli they take less time than the launches of a tree. Also computes the gcds of the
//! leaves of a tree.

use std::sync::Arc;

use crate::number::Natural;

use crate::batch::Batch;
use crate::batch::arith::{cuda, plan::MOST_LIMBS};
use crate::cuda::Device;
use crate::error::Result;
use crate::mul::cuda::Rows;

/// Maximum number of listed pairs with a common divisor per number. With more pairs, a tree is as
/// good.
const MOST_PARTNERS: usize = 16;

/// The indices of all pairs of numbers with a common divisor. None if there are too many pairs, or
/// a number has too many bits.
pub(super) fn not_coprime(
    device: &Arc<Device>,
    numbers: &[&Natural],
) -> Result<Option<Vec<(usize, usize)>>> {
    let width = numbers.iter().map(|n| n.limb_count()).max().unwrap_or(0);
    if width > MOST_LIMBS {
        return Ok(None);
    }
    let mut limbs = vec![0; numbers.len() * width];
    for (row, n) in limbs.chunks_mut(width).zip(numbers) {
        let from = n.limbs();
        row[..from.len()].copy_from_slice(from);
    }
    let rows = Batch::from_limbs(limbs, width)?;
    cuda::not_coprime(device, &rows.all(), MOST_PARTNERS * numbers.len())
}

/// The gcd of each of the numbers and the product of all the others, given all pairs that are not
/// coprime.
pub(super) fn common_parts(numbers: &[&Natural], pairs: &[(usize, usize)]) -> Vec<Natural> {
    let mut products: Vec<Natural> = vec![Natural::ONE; numbers.len()];
    for (i, j) in pairs {
        for (one, other) in [(*i, *j), (*j, *i)] {
            products[one] = &products[one] * numbers[other] % numbers[one];
        }
    }
    let common = |(product, n): (Natural, &&Natural)| product.gcd(n);
    products.into_iter().zip(numbers).map(common).collect()
}

/// The gcds of rows of two arrays, one by one, and the rows of the first array.
pub(super) fn gcds(device: &Arc<Device>, a: Rows, b: Rows) -> Result<(Batch, Batch)> {
    let [a, b] = [a, b].map(|rows| {
        let (count, width) = (rows.count, rows.width);
        Batch::from_device(rows.into_buffer(), count, width)
    });
    Ok((cuda::gcd(device, &a.all(), &b.all())?, a))
}
