//! Sums of products on a device that share operands.

use super::{Target, digits, propagate_carries_of_sum};
use crate::error::Result;
use crate::limbs::{DeviceLimbs, Resident};
use crate::mul::plan::{product_bits, sum_bits};
use crate::ntt::cpu::Pairs;
use crate::ntt::cuda as ntt;
use crate::ntt::plan::{DevicePlan, primes_for};
use crate::tuning::Tuning;

/// A sum of products.
pub(crate) struct ProductSum {
    pub(crate) products: Resident,
    /// The n of 2^(64·n) − 1 where the products are found modulo that.
    pub(crate) wrapped: Option<u64>,
}

/// For each list of pairs of operands, given by their indices, returns the sum of the products.
/// None if transforms do not apply: the lengths are too different, too long, or so short that
/// products need no transforms. With `within`, all results are known to be in −2^within ≤ x <
/// 2^within.
pub(crate) fn sums(
    operands: &[DeviceLimbs],
    sums: &[Pairs],
    within: Option<u64>,
) -> Result<Option<Vec<ProductSum>>> {
    let tuning = Tuning::current();
    let len = |i: usize| digits(&operands[i]).len as u64;
    let count = |(a, b): &(usize, usize)| len(*a) + len(*b) - 1;
    let counts = || sums.iter().flatten().map(count);
    let (Some(shortest), Some(longest)) = (counts().min(), counts().max()) else {
        return Ok(None);
    };
    if 2 * shortest < longest
        || longest < 2 * tuning.mul_direct_limbs as u64
        || sums.iter().any(Vec::is_empty)
    {
        return Ok(None);
    }
    let terms = |pairs: &Pairs| pairs.iter().map(|(a, b)| len(*a).min(len(*b))).sum();
    let terms = sums.iter().map(terms).max().unwrap_or(0);
    let primes = primes_for(terms, &tuning);
    let Some(whole) = DevicePlan::for_reuse(primes, longest, &tuning) else {
        return Ok(None);
    };
    // Operands must not wrap by themselves.
    let least = within.map(|bits| {
        let lengths = operands.iter().map(|x| digits(x).len as u64);
        (bits + 2).div_ceil(64).max(lengths.max().unwrap_or(0))
    });
    let wrapped = least
        .and_then(|least| DevicePlan::cyclic(primes, least, &tuning))
        .filter(|plan| 10 * plan.points() <= 9 * whole.points());
    let plan = wrapped.unwrap_or(whole);
    let count = longest.min(plan.points());
    let device = operands[0].buffer.device();
    let targets = sums
        .iter()
        .map(|pairs| {
            let bits = |(a, b): &(usize, usize)| product_bits(operands[*a].bits, operands[*b].bits);
            let bits = pairs.iter().map(bits).max().unwrap_or(0);
            let bits = match wrapped {
                // Coefficients have three limbs, and the corrections of signs do not wrap.
                Some(_) => 64 * (longest.max(count + 1) + 2),
                None => sum_bits(bits, pairs.len()),
            };
            Target::new(device, bits, false)
        })
        .collect::<Result<Vec<_>>>()?;
    let kept = operands
        .iter()
        .map(|x| ntt::keep(digits(x), &plan))
        .collect::<Result<Vec<_>>>()?;
    let found = sums.iter().zip(targets).map(|(pairs, target)| {
        let transforms: Vec<_> = pairs.iter().map(|(a, b)| (&kept[*a], &kept[*b])).collect();
        let residues = ntt::sum_of_kept(&transforms)?;
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(a, b)| (&operands[*a], &operands[*b]))
            .collect();
        Ok(ProductSum {
            products: propagate_carries_of_sum(target, &residues, &plan, count, &pairs)?,
            wrapped: wrapped.map(|plan| plan.points()),
        })
    });
    found.collect::<Result<Vec<_>>>().map(Some)
}
