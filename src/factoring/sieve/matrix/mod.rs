//! Products that are squares: sets of rows of a sparse matrix over GF(2) whose sum is 0.
//!
//! | matrix | method | file |
//! |---|---|---|
//! | up to DENSE rows | elimination on rows of bits | `dense.rs` |
//! | larger | block Lanczos | `lanczos.rs`, on `sparse.rs` and `block.rs` |
//! | from LEAST_ON_DEVICE rows on a device | the same | `lanczos.rs`, on `cuda.rs`, `lanczos.cu` |
//!
//! Whatever the method finds is added up again by the rows as they were given: a set whose sum is
//! not 0 is never returned.

mod block;
pub(crate) mod cuda;
mod dense;
mod lanczos;
mod sparse;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::filter::prune;
use crate::cuda::Device;
use crate::error::Result;
use crate::threads;
use cuda::DeviceMatrix;
use lanczos::Vectors;
use sparse::Matrix;

/// Rows of a matrix that elimination takes about as long for as block Lanczos.
const DENSE: usize = 1200;
/// Rows of a matrix that elimination takes if block Lanczos finds nothing: 32 MiB of bits.
const MOST_DENSE: usize = 1 << 14;
/// Rows of a matrix from which on a device pays. An estimate: an iteration waits about 0.1 ms for a
/// device, and takes 16 threads as long at this size.
const LEAST_ON_DEVICE: usize = 10_000;
/// Rows beyond the number of columns that block Lanczos is given.
const SURPLUS: usize = 128;
/// Rows that one thread takes at least.
const ROWS: usize = 256;
/// Starts of block Lanczos, each of which fails seldom.
const ATTEMPTS: u64 = 5;

/// Sets of rows whose columns, taken together, all appear an even number of times. The sets are
/// non-empty and independent. Small matrices give a basis of all sets, large ones at most 64 sets.
/// Empty if `keep_going` stops the work. The device, if there is one, solves matrices that are
/// large enough. An error describes its failure.
pub(super) fn dependencies(
    rows: &[Vec<u32>],
    columns: usize,
    device: Option<&Arc<Device>>,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<usize>>> {
    let odd = threads::map(rows.len(), ROWS, |i| odd_columns(rows[i].clone()));
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut active: Vec<usize> = Vec::new();
    for (i, row) in odd.iter().enumerate() {
        if row.is_empty() {
            sets.push(vec![i]);
        } else {
            active.push(i);
        }
    }
    prune::drop_singletons(&odd, &mut active, columns);
    if active.len() > DENSE {
        prune::drop_heaviest(&odd, &mut active, columns, SURPLUS);
    }
    let found = solve(&odd, &active, columns, device, keep_going)?;
    let numbered = |set: Vec<usize>| set.into_iter().map(|i| active[i]).collect();
    sets.extend(found.into_iter().map(numbered));
    let checked = sets.chunks(64).flat_map(|sets| even(&odd, sets, columns));
    Ok(checked.cloned().collect())
}

/// The columns that a row has an odd number of times, ascending.
pub(super) fn odd_columns(mut row: Vec<u32>) -> Vec<u32> {
    row.sort_unstable();
    let runs = row.chunk_by(|a, b| a == b);
    runs.filter(|run| run.len() % 2 == 1)
        .map(|run| run[0])
        .collect()
}

/// Those of at most 64 sets that are non-empty and whose rows have the sum 0.
fn even<'a>(
    rows: &[Vec<u32>],
    sets: &'a [Vec<usize>],
    columns: usize,
) -> impl Iterator<Item = &'a Vec<usize>> {
    // Bit j of a word belongs to set j.
    let mut members = vec![0u64; rows.len()];
    for (j, set) in sets.iter().enumerate() {
        set.iter().for_each(|i| members[*i] ^= 1 << j);
    }
    let mut sums = vec![0u64; columns];
    for (row, member) in rows
        .iter()
        .zip(&members)
        .filter(|(_, member)| **member != 0)
    {
        row.iter()
            .for_each(|column| sums[*column as usize] ^= member);
    }
    let odd = sums.iter().fold(0, |odd, sum| odd | sum);
    let is_even = move |j: usize| odd >> j & 1 == 0;
    let numbered = sets.iter().enumerate();
    numbered.filter_map(move |(j, set)| (is_even(j) && !set.is_empty()).then_some(set))
}

/// Dependencies of the active rows, numbered by their places in `active`.
fn solve(
    rows: &[Vec<u32>],
    active: &[usize],
    columns: usize,
    device: Option<&Arc<Device>>,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<usize>>> {
    // Columns without an entry get no number.
    let mut numbers = vec![0u32; columns];
    let mut used = 0;
    for (number, weight) in numbers
        .iter_mut()
        .zip(prune::weights(rows, active, columns))
    {
        *number = used;
        used += u32::from(weight > 0);
    }
    let small: Vec<Vec<u32>> = threads::map(active.len(), ROWS, |i| {
        let row = rows[active[i]].iter();
        row.map(|column| numbers[*column as usize]).collect()
    });
    let eliminate = || dense::dependencies(&small, used as usize, keep_going);
    if small.len() <= DENSE {
        return Ok(eliminate());
    }
    let matrix = Matrix::new(&small, used as usize);
    let found = match device.filter(|_| small.len() >= LEAST_ON_DEVICE) {
        Some(device) => attempt(&DeviceMatrix::new(device, &matrix)?, keep_going)?,
        None => attempt(&matrix, keep_going)?,
    };
    if found.is_empty() && small.len() <= MOST_DENSE {
        return Ok(eliminate());
    }
    Ok(found)
}

/// The result of the first start of block Lanczos that does not fail.
fn attempt<V: Vectors>(
    vectors: &V,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<usize>>> {
    for seed in 0..ATTEMPTS {
        let found = lanczos::kernel(vectors, seed, keep_going)?;
        if !found.is_empty() || !keep_going() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}
