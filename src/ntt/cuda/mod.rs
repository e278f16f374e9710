//! Products of polynomials on a device: typed wrappers around `columns.cu`, `rows.cu` and
//! `split.cu`.

#![allow(unsafe_code)]

mod passes;
mod rows;
mod sums;
mod units;

pub(crate) use rows::{Pairing, products_of_rows};
pub(crate) use sums::sum_of_kept;
#[cfg(test)]
pub(crate) use units::examples;
pub(crate) use units::{needed, of_kept, of_plan, of_rows, units};

use std::sync::Arc;

use super::plan::{DevicePlan, Parts};
use super::roots;
use crate::cuda::{Buffer, Device, Handle, Kernel, Launch, Lent, Read};
use crate::error::Result;
use crate::tuning::Tuning;
use passes::{Passes, Residues};
use units::{
    ntt_one_row, ntt_rows_by_kept, ntt_rows_keep, ntt_rows_product, ntt_rows_square, row_defines,
};

/// The limbs of an operand, unsigned.
#[derive(Clone, Copy)]
pub(crate) struct Digits<'a> {
    pub(crate) buffer: &'a Buffer,
    /// The first of them; even, because limbs are loaded in pairs.
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl<'a> Digits<'a> {
    fn read(self) -> Lent<'a, Read<u64>> {
        assert!(self.start.is_multiple_of(2));
        assert!(1 <= self.len && self.start + self.len <= self.buffer.limbs());
        self.buffer.skip_limbs(self.start).read()
    }
}

/// The transform of an operand: `plan.points()` residues a prime, in the order of `rows.cu`.
pub(crate) struct DeviceTransform {
    residues: Buffer,
    plan: DevicePlan,
}

impl DeviceTransform {
    #[cfg(test)]
    pub(super) fn into_residues(self) -> Buffer {
        self.residues
    }

    /// The plan it was made with.
    pub(crate) fn plan(&self) -> &DevicePlan {
        &self.plan
    }
}

/// The coefficients of a·b (of a² without b) as residues: `plan.points()` 32-bit words a prime, one
/// prime after another, each in [0, 2p) and multiplied as `carry.cu` takes them.
pub(crate) fn product(a: Digits, b: Option<Digits>, plan: &DevicePlan) -> Result<Buffer> {
    let second = b.unwrap_or(a);
    if plan.log_rows == 0 {
        return one_row(a, second, plan);
    }
    if let Parts::Pieces { .. } = plan.parts {
        let (long, short) = if a.len >= second.len {
            (a, second)
        } else {
            (second, a)
        };
        return product_by_kept(long, &keep(short, &plan.one())?, plan);
    }
    let passes = Passes::new(a.buffer.device(), plan)?;
    // One allocation: the second operand's residues are after those of all primes.
    let out = passes.alloc(plan.primes + if b.is_some() { plan.group } else { 0 })?;
    let rows = match b {
        Some(_) => Pass::Product(passes.rows(ntt_rows_product)?),
        None => Pass::Square(passes.rows(ntt_rows_square)?),
    };
    let parts = plan.parts.count();
    for prime in (0..plan.primes).step_by(plan.group as usize) {
        let count = plan.group.min(plan.primes - prime);
        let start = Residues {
            buffer: &out,
            first: prime * parts,
            base: 0,
        };
        let start_other = Residues {
            base: i64::from(prime * parts) - i64::from(plan.primes * parts),
            ..start
        };
        passes.split(start, a, count)?;
        if let Some(b) = b {
            passes.split(start_other, b, count)?;
        }
        passes.batches(start.first, count * parts, |first, count| {
            let to = Residues { first, ..start };
            let to_other = Residues {
                first,
                ..start_other
            };
            match b {
                Some(b) => passes.columns_forward(&[(to, a), (to_other, b)], count)?,
                None => passes.columns_forward(&[(to, a)], count)?,
            }
            let shape = passes.row_shape(count);
            let (values, tables) = (passes.at(to, count).update(), passes.tables.read());
            // SAFETY: values and the other operand hold n words for each of `count` transforms from
            // `first` on (asserted by at()), the tables all primes; the grid, block and shared
            // cells are those of the kernels' heads.
            unsafe {
                match &rows {
                    Pass::Product(rows) => rows.launch(
                        shape,
                        values,
                        passes.at(to_other, count).read(),
                        tables,
                        first,
                        count,
                        parts,
                        plan.primes,
                        plan.log_n,
                    )?,
                    Pass::Square(rows) => rows.launch(
                        shape,
                        values,
                        tables,
                        first,
                        count,
                        parts,
                        plan.primes,
                        plan.log_n,
                    )?,
                }
            }
            passes.columns_inverse(to, count)
        })?;
        passes.merge(start, count)?;
    }
    Ok(out)
}

/// The pass over rows of a product.
enum Pass {
    Product(Kernel<ntt_rows_product>),
    Square(Kernel<ntt_rows_square>),
}

/// A product in one block a prime.
fn one_row(a: Digits, b: Digits, plan: &DevicePlan) -> Result<Buffer> {
    let device = a.buffer.device();
    let tuning = Tuning::current();
    let kernel = device.kernel(
        ntt_one_row,
        &row_defines(plan, ntt_one_row.place(), &tuning),
    )?;
    let tables = tables(device)?;
    let out = device.alloc(plan.primes as usize * plan.n() as usize / 2)?;
    for digits in [a, b] {
        assert!(digits.len as u64 <= plan.n());
    }
    // SAFETY: the operands hold the lengths passed (asserted by read()); out holds n words for each
    // prime; one block of n / 16 threads a prime, and its shared cells, as the kernel's head asks.
    unsafe {
        kernel.launch(
            Launch {
                shared_bytes: plan.row_shared_bytes(),
                ..Launch::of(plan.primes, plan.row_threads)
            },
            out.write(),
            a.read(),
            a.len,
            b.read(),
            b.len,
            tables.read(),
            plan.primes,
        )?;
    }
    Ok(out)
}

/// The transform of `a` by itself; the plan has two passes and no pieces.
pub(crate) fn keep(a: Digits, plan: &DevicePlan) -> Result<DeviceTransform> {
    let passes = Passes::new(a.buffer.device(), plan)?;
    let residues = passes.alloc(plan.primes)?;
    let rows = passes.rows(ntt_rows_keep)?;
    passes.forward(&residues, a, |to, count| {
        // SAFETY: as in product().
        unsafe {
            rows.launch(
                passes.row_shape(count),
                passes.at(to, count).update(),
                passes.tables.read(),
                to.first,
                count,
                plan.parts.count(),
                plan.log_n,
            )
        }
    })?;
    Ok(DeviceTransform {
        residues,
        plan: *plan,
    })
}

/// As [`product`], of `a` and a kept operand; the plan is the kept one's, or pieces of its length.
pub(crate) fn product_by_kept(
    a: Digits,
    kept: &DeviceTransform,
    plan: &DevicePlan,
) -> Result<Buffer> {
    let passes = Passes::new(a.buffer.device(), plan)?;
    let share = match plan.parts {
        Parts::Pieces { count, .. } => count,
        Parts::One | Parts::Split(_) | Parts::Rows { .. } => 1,
    };
    assert!(Arc::ptr_eq(kept.residues.device(), a.buffer.device()));
    assert_eq!(
        (plan.primes, plan.log_n, plan.row_threads),
        (kept.plan.primes, kept.plan.log_n, kept.plan.row_threads)
    );
    assert_eq!(plan.log_rows, kept.plan.log_rows);
    assert_eq!(plan.parts.count() / share, kept.plan.parts.count());
    let out = passes.alloc(plan.primes)?;
    let rows = passes.rows(ntt_rows_by_kept)?;
    passes.forward(&out, a, |to, count| {
        // SAFETY: as in product(); the kept transforms are one for each `share` of this plan's
        // (asserted above).
        unsafe {
            rows.launch(
                passes.row_shape(count),
                passes.at(to, count).update(),
                kept.residues.read(),
                passes.tables.read(),
                to.first,
                count,
                plan.parts.count(),
                plan.primes,
                plan.log_n,
                share,
            )?;
        }
        passes.columns_inverse(to, count)
    })?;
    passes.merge(Residues::all(&out), plan.primes)?;
    Ok(out)
}

/// The tables of all primes on this device.
fn tables(device: &Arc<Device>) -> Result<Arc<Buffer>> {
    device.constants("ntt/roots", 0, roots::tables)
}
