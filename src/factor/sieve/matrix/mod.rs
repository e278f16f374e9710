//! Products that are squares: sets of rows of a sparse matrix over GF(2) whose sum is 0.
//!
//! | matrix | method | file |
//! |---|---|---|
//! | up to DENSE rows | elimination on rows of bits | `dense.rs` |
//! | larger | block Lanczos | `lanczos.rs`, on `sparse.rs` and `block.rs` |
//!
//! Whatever the method finds is added up again by the rows as they were given: a set whose sum is
//! not 0 is never returned.

mod block;
mod dense;
mod lanczos;
mod sparse;
#[cfg(test)]
mod tests;

use super::filter::prune;
use sparse::Matrix;

/// Rows of a matrix that elimination takes about as long for as block Lanczos.
const DENSE: usize = 1200;
/// Rows of a matrix that elimination takes if block Lanczos finds nothing: 32 MiB of bits.
const MOST_DENSE: usize = 1 << 14;
/// Rows beyond the number of columns that block Lanczos is given.
const SURPLUS: usize = 128;
/// Starts of block Lanczos, each of which fails seldom.
const ATTEMPTS: u64 = 5;

/// Sets of rows whose columns, taken together, all appear an even number of times. The sets are not
/// empty and independent. Small matrices give a basis of all sets, large ones at most 64 sets. None
/// of them if `keep_going` says no.
pub(super) fn dependencies(
    rows: &[Vec<u32>],
    columns: usize,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Vec<Vec<usize>> {
    let odd: Vec<Vec<u32>> = rows.iter().map(|row| odd_columns(row.clone())).collect();
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
    let found = solve(&odd, &active, columns, keep_going);
    let numbered = |set: Vec<usize>| set.into_iter().map(|i| active[i]).collect();
    sets.extend(found.into_iter().map(numbered));
    sets.retain(|set| is_even(&odd, set, columns));
    sets
}

/// The columns that a row has an odd number of times, ascending.
pub(super) fn odd_columns(mut row: Vec<u32>) -> Vec<u32> {
    row.sort_unstable();
    let runs = row.chunk_by(|a, b| a == b);
    runs.filter(|run| run.len() % 2 == 1)
        .map(|run| run[0])
        .collect()
}

/// Whether the sum of these rows is 0.
fn is_even(rows: &[Vec<u32>], set: &[usize], columns: usize) -> bool {
    let mut sum = vec![0u64; columns.div_ceil(64)];
    for column in set.iter().flat_map(|i| &rows[*i]) {
        sum[*column as usize / 64] ^= 1 << (column % 64);
    }
    !set.is_empty() && sum.iter().all(|word| *word == 0)
}

/// Dependencies of the active rows, numbered by their places in `active`.
fn solve(
    rows: &[Vec<u32>],
    active: &[usize],
    columns: usize,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Vec<Vec<usize>> {
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
    let numbered = |i: &usize| {
        rows[*i]
            .iter()
            .map(|column| numbers[*column as usize])
            .collect()
    };
    let small: Vec<Vec<u32>> = active.iter().map(numbered).collect();
    if small.len() <= DENSE {
        return dense::dependencies(&small, used as usize, keep_going);
    }
    let matrix = Matrix::new(&small, used as usize);
    for seed in 0..ATTEMPTS {
        let found = lanczos::kernel(&matrix, seed, keep_going);
        if !found.is_empty() || !keep_going() {
            return found;
        }
    }
    if small.len() <= MOST_DENSE {
        return dense::dependencies(&small, used as usize, keep_going);
    }
    Vec::new()
}
