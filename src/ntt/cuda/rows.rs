//! Many products of equal length at once, of rows of limbs that are stored one after another.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::DeviceTransform;
use super::passes::{Passes, Residues};
use super::units::ntt_rows_pairs;
use crate::cuda::Buffer;
use crate::error::Result;
use crate::ntt::plan::DevicePlan;

/// Which rows are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// Row j is a[2j]·b[2j + 1].
    Neighbours,
    /// Row j is a[2j]·b[2j + 1] + a[2j + 1]·b[2j].
    BothWays,
    /// Row j is a[j / 2]·b[j xor 1].
    Siblings,
    /// Row j is a[j]·b[0].
    ByOne,
}

/// As [`super::product`], of the rows of two kept operands of one [`DevicePlan::rows`]: residues of
/// a prime row by row.
pub(crate) fn products_of_rows(
    a: &DeviceTransform,
    b: &DeviceTransform,
    pairing: Pairing,
) -> Result<Buffer> {
    let (count_a, count_b) = (a.plan.parts.count(), b.plan.parts.count());
    let (count, terms) = match pairing {
        Pairing::Neighbours => (count_b / 2, 1u32),
        Pairing::BothWays => (count_b / 2, 2),
        Pairing::Siblings => (count_b, 1),
        Pairing::ByOne => (count_a, 1),
    };
    let rows_a = match pairing {
        Pairing::Neighbours | Pairing::BothWays => count_b,
        Pairing::Siblings => count_b / 2,
        Pairing::ByOne => count_a,
    };
    let is_even = count_b.is_multiple_of(2) || pairing == Pairing::ByOne && count_b == 1;
    assert!(count_a == rows_a && is_even && count > 0);
    assert_eq!(
        a.plan,
        DevicePlan {
            parts: a.plan.parts,
            ..b.plan
        }
    );
    let device = a.residues.device();
    assert!(Arc::ptr_eq(device, b.residues.device()));
    for kept in [a, b] {
        assert!(
            kept.residues.limbs() as u64 >= u64::from(kept.plan.primes) * kept.plan.points() / 2
        );
    }
    let n = a.plan.n() as u32;
    let plan = a.plan.of_rows(count, n, n);
    let passes = Passes::new(device, &plan)?;
    let out = passes.alloc(plan.primes)?;
    let rows = passes.rows(ntt_rows_pairs)?;
    passes.batches(0, plan.primes * count, |first, number| {
        let to = Residues {
            first,
            ..Residues::all(&out)
        };
        // SAFETY: as in product(); a and b hold n words for each of their rows and primes, and the
        // rows that are read are among them (asserted above).
        unsafe {
            rows.launch(
                passes.row_shape(number),
                passes.at(to, number).write(),
                a.residues.read(),
                count_a,
                b.residues.read(),
                count_b,
                terms,
                passes.tables.read(),
                first,
                number,
                count,
                plan.primes,
                plan.log_n,
            )?;
        }
        passes.columns_inverse(to, number)
    })?;
    Ok(out)
}
