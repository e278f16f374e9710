//! Sums of products of kept transforms: each operand is transformed once, each sum comes back once.

#![allow(unsafe_code)]

use super::DeviceTransform;
use super::passes::{Passes, Residues};
use super::units::ntt_rows_sum;
use crate::cuda::Buffer;
use crate::error::Result;

/// As [`super::product`], of the sum of the products of pairs of kept transforms, all of one plan.
pub(crate) fn sum_of_kept(pairs: &[(&DeviceTransform, &DeviceTransform)]) -> Result<Buffer> {
    let plan = &pairs[0].0.plan;
    let device = pairs[0].0.residues.device();
    let passes = Passes::new(device, plan)?;
    let sum = passes.alloc(plan.primes)?;
    for kept in pairs.iter().flat_map(|(a, b)| [a, b]) {
        assert!(kept.plan == *plan && std::sync::Arc::ptr_eq(kept.residues.device(), device));
        assert!(kept.residues.limbs() >= sum.limbs());
    }
    let list: Vec<u64> = pairs
        .iter()
        .flat_map(|(a, b)| [a, b])
        .map(|kept| kept.residues.ptr().address())
        .collect();
    let list = device.upload(&list)?;
    let rows = passes.rows(ntt_rows_sum)?;
    let parts = plan.parts.count();
    passes.batches(0, plan.primes * parts, |first, count| {
        let to = Residues {
            first,
            ..Residues::all(&sum)
        };
        // SAFETY: as in product(); the list has two addresses a pair, of as many residues as `sum`
        // has (asserted above), which nobody writes and which live until the work queued here is
        // done, because buffers are freed in stream order.
        unsafe {
            rows.launch(
                passes.row_shape(count),
                passes.at(to, count).write(),
                list.read(),
                pairs.len() as u32,
                passes.tables.read(),
                first,
                count,
                parts,
                plan.primes,
                plan.log_n,
            )?;
        }
        passes.columns_inverse(to, count)
    })?;
    passes.merge(Residues::all(&sum), plan.primes)?;
    Ok(sum)
}
