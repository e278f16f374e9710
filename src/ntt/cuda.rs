//! Products of polynomials on a device: typed wrappers around `ntt.cu`.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::plan::{Plan, VALUES};
use super::roots;
use crate::cuda::{Buffer, Device, DevicePtr, Launch, Source};
use crate::error::Result;
use crate::model::Tuning;

pub(crate) static COLUMNS: Source = Source {
    name: "ntt_columns",
    text: concat!(include_str!("ntt.cuh"), include_str!("columns.cu")),
};
pub(crate) static ROWS: Source = Source {
    name: "ntt_rows",
    text: concat!(include_str!("ntt.cuh"), include_str!("rows.cu")),
};

/// What a pass over rows does; its number is `ROW_KIND` of `rows.cu`.
#[derive(Debug, Clone, Copy)]
enum RowKind {
    Product,
    Square,
    /// The whole transform is one row of limbs.
    OneRow,
}

impl RowKind {
    fn kernel(self) -> &'static str {
        match self {
            RowKind::Product => "ntt_rows_product",
            RowKind::Square => "ntt_rows_square",
            RowKind::OneRow => "ntt_one_row",
        }
    }
}

fn column_defines(plan: &Plan, tuning: &Tuning) -> [(&'static str, i64); 3] {
    [
        ("NTT_RESIDENT", tuning.ntt_resident.into()),
        ("COLUMN_LOG", plan.log_rows.into()),
        ("COLUMN_THREADS", plan.column_threads.into()),
    ]
}

fn row_defines(plan: &Plan, kind: RowKind, tuning: &Tuning) -> [(&'static str, i64); 4] {
    [
        ("NTT_RESIDENT", tuning.ntt_resident.into()),
        ("ROW_LOG", (plan.log_n - plan.log_rows).into()),
        ("ROW_THREADS", plan.row_threads.into()),
        ("ROW_KIND", kind as i64),
    ]
}

/// The `-D` values of the longest transform.
#[cfg(test)]
pub(crate) fn column_examples(tuning: &Tuning) -> Vec<(&'static str, i64)> {
    column_defines(&Plan::longest(tuning), tuning).to_vec()
}
#[cfg(test)]
pub(crate) fn row_examples(tuning: &Tuning) -> Vec<(&'static str, i64)> {
    row_defines(&Plan::longest(tuning), RowKind::Product, tuning).to_vec()
}

/// The limbs of an operand, unsigned.
#[derive(Clone, Copy)]
pub(crate) struct Digits<'a> {
    pub(crate) buffer: &'a Buffer,
    pub(crate) len: usize,
}

/// The coefficients of a·b (of a² without b) as residues: `plan.n()` 32-bit words a prime, one prime after another, each in [0, 2p)
/// and multiplied as `release.cu` takes them.
pub(crate) fn product(a: Digits, b: Option<Digits>, plan: &Plan) -> Result<Buffer> {
    let device = a.buffer.device();
    let tuning = Tuning::current();
    let rows_kernel = |kind: RowKind| {
        let module = device.module(&ROWS, &row_defines(plan, kind, &tuning))?;
        module.kernel(kind.kernel())
    };
    let tables = tables(device)?;
    let per_prime = plan.n() as usize / 2;
    let out = device.alloc(plan.primes as usize * per_prime)?;
    for digits in [Some(a), b].into_iter().flatten() {
        assert!(1 <= digits.len && digits.len <= digits.buffer.limbs());
        assert!(digits.len as u64 <= plan.n());
    }
    let Plan {
        primes,
        log_n,
        log_rows,
        ..
    } = *plan;
    let rows = |grid| Launch {
        shared_bytes: plan.row_shared_bytes(),
        ..Launch::of(grid, plan.row_threads)
    };
    if log_rows == 0 {
        let kernel = rows_kernel(RowKind::OneRow)?;
        let b = b.unwrap_or(a);
        // SAFETY: the operands hold the lengths passed (asserted above); out holds n words for each prime; one
        // block of n / 16 threads a prime, and its shared cells, as the kernel's head asks.
        unsafe {
            kernel.launch(
                rows(primes),
                (
                    out.ptr(),
                    a.buffer.ptr(),
                    a.len,
                    b.buffer.ptr(),
                    b.len,
                    tables.ptr(),
                    primes,
                ),
            )?;
        }
        return Ok(out);
    }
    let group = plan.group as usize;
    let other = match b {
        Some(_) => device.alloc(group * per_prime)?,
        None => device.alloc(0)?,
    };
    let module = device.module(&COLUMNS, &column_defines(plan, &tuning))?;
    let forward = module.kernel("ntt_columns_forward")?;
    let inverse = module.kernel("ntt_columns_inverse")?;
    let middle = rows_kernel(match b {
        Some(_) => RowKind::Product,
        None => RowKind::Square,
    })?;
    let columns = |grid| Launch {
        shared_bytes: plan.column_shared_bytes(),
        ..Launch::of(grid, plan.column_threads)
    };
    let column_tiles = (plan.n() / u64::from(2 * VALUES * plan.column_threads)) as u32;
    let row_tiles = (plan.n() / u64::from(VALUES * plan.row_threads)) as u32;
    let (b_ptr, b_len, operands) = match b {
        Some(b) => (b.buffer.ptr(), b.len, 2u32),
        None => (DevicePtr::NULL, 0, 1),
    };
    for prime in (0..primes).step_by(group) {
        let count = plan.group.min(primes - prime);
        let values = out.ptr().offset_limbs(prime as usize * per_prime);
        // SAFETY: values and other hold n words for each of `count` primes, the operands the lengths passed (asserted
        // above), the tables all primes; grids, blocks and shared cells are those of the kernels' heads.
        unsafe {
            forward.launch(
                columns(count * operands * column_tiles),
                (
                    values,
                    other.ptr(),
                    a.buffer.ptr(),
                    a.len,
                    b_ptr,
                    b_len,
                    tables.ptr(),
                    prime,
                    count,
                    operands,
                    log_n,
                ),
            )?;
            let grid = rows(count * row_tiles);
            if b.is_some() {
                middle.launch(
                    grid,
                    (
                        values,
                        other.ptr(),
                        tables.ptr(),
                        prime,
                        count,
                        primes,
                        log_n,
                    ),
                )?;
            } else {
                middle.launch(grid, (values, tables.ptr(), prime, count, primes, log_n))?;
            }
            inverse.launch(
                columns(count * column_tiles),
                (values, tables.ptr(), prime, count, log_n),
            )?;
        }
    }
    Ok(out)
}

/// The tables of all primes on this device.
fn tables(device: &Arc<Device>) -> Result<Arc<Buffer>> {
    device.constants("ntt/roots", roots::tables)
}
