//! Sums of products on a device that share operands.

use super::{Target, digits, release_sum};
use crate::error::Result;
use crate::limbs::{DeviceLimbs, Limbs};
use crate::model::Tuning;
use crate::mul::plan::{product_bits, sum_bits};
use crate::ntt::cuda as ntt;
use crate::ntt::plan::Plan;

/// For each list of pairs of operands, by their places, the sum of the products; none where transforms do not serve: lengths too
/// different, too long, or so short that products need none.
pub(crate) fn sums(
    operands: &[DeviceLimbs],
    sums: &[Vec<(usize, usize)>],
) -> Result<Option<Vec<Limbs>>> {
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
    let terms = |pairs: &Vec<(usize, usize)>| pairs.iter().map(|(a, b)| len(*a).min(len(*b))).sum();
    let terms = sums.iter().map(terms).max().unwrap_or(0);
    let Some(plan) = Plan::for_reuse(longest, terms, &tuning) else {
        return Ok(None);
    };
    let device = operands[0].buffer.device();
    let targets = sums
        .iter()
        .map(|pairs| {
            let bits = |(a, b): &(usize, usize)| product_bits(operands[*a].bits, operands[*b].bits);
            let bits = pairs.iter().map(bits).max().unwrap_or(0);
            Target::new(device, sum_bits(bits, pairs.len()), false)
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
        release_sum(target, &residues, &plan, &pairs)
    });
    found.collect::<Result<Vec<_>>>().map(Some)
}
