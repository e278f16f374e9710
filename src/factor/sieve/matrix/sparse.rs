//! The matrix B over GF(2): a row for each prime, a column for each set of relations.

use super::block::{self, Block};
use crate::threads;

/// Rows of one of the two halves that a thread takes at a time.
const CHUNK: usize = 64;
/// 64 rows are kept as words where they have at least so many entries per column of B. A word takes
/// 8 look-ups in the first cache, an entry one look-up in the second.
const DENSE_ENTRIES: usize = 6;

/// Lists of indices, one after the other.
struct Lists {
    /// Where each list starts, and the end of the last.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    /// From pairs of a list's number and an entry, which `pairs` gives twice in the same order.
    fn new<I: Iterator<Item = (u32, u32)>>(count: usize, pairs: impl Fn() -> I) -> Lists {
        let mut starts = vec![0u32; count + 1];
        pairs().for_each(|(list, _)| starts[list as usize + 1] += 1);
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut ends = starts.clone();
        let mut entries = vec![0; starts[count] as usize];
        for (list, entry) in pairs() {
            let end = &mut ends[list as usize];
            entries[*end as usize] = entry;
            *end += 1;
        }
        Lists { starts, entries }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// out[i] += the sum of x over list i.
    fn add_sums(&self, x: &[u64], out: &mut [u64]) {
        threads::chunks_mut(out, CHUNK, 1, |chunk, out| {
            let first = chunk * CHUNK;
            let bounds = self.starts[first..=first + out.len()].windows(2);
            for (out, bounds) in out.iter_mut().zip(bounds) {
                let list = &self.entries[bounds[0] as usize..bounds[1] as usize];
                *out = list.iter().fold(*out, |sum, i| sum ^ x[*i as usize]);
            }
        });
    }
}

/// B, of n columns. Its densest rows are kept as words, the others as lists of their entries, by
/// rows and by columns, so that no product writes to one place from two threads.
pub(super) struct Matrix {
    by_row: Lists,
    by_column: Lists,
    /// Word i of each has the bits of 64 rows in column i.
    dense: Vec<Vec<u64>>,
}

/// B·x for a matrix x of n×64 bits.
pub(super) struct Image {
    pub(super) sparse: Vec<u64>,
    pub(super) dense: Vec<Block>,
}

impl Matrix {
    /// From the rows of entries different from 0 in each column of B, without repetition.
    pub(super) fn new(columns: &[Vec<u32>], rows: usize) -> Matrix {
        let mut weights = vec![0usize; rows];
        for row in columns.iter().flatten() {
            weights[*row as usize] += 1;
        }
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_by_key(|row| std::cmp::Reverse(weights[*row as usize]));
        let weight = |rows: &[u32]| rows.iter().map(|row| weights[*row as usize]).sum::<usize>();
        let is_dense = |rows: &&[u32]| weight(rows) >= DENSE_ENTRIES * columns.len();
        let blocks = order.chunks(64).take_while(is_dense).count();
        // The new number of each row: the dense ones come first.
        let mut numbers = vec![0u32; rows];
        for (number, row) in order.iter().enumerate() {
            numbers[*row as usize] = number as u32;
        }
        let first = (64 * blocks).min(rows) as u32;
        let mut dense = vec![vec![0u64; columns.len()]; blocks];
        for (i, column) in columns.iter().enumerate() {
            for number in column.iter().map(|row| numbers[*row as usize]) {
                if number < first {
                    dense[number as usize / 64][i] |= 1 << (number % 64);
                }
            }
        }
        let entries = || {
            columns.iter().zip(0u32..).flat_map(|(column, i)| {
                let sparse = column.iter().map(|row| numbers[*row as usize]);
                sparse.filter_map(move |number| Some((number.checked_sub(first)?, i)))
            })
        };
        Matrix {
            by_row: Lists::new(rows - first as usize, entries),
            by_column: Lists::new(columns.len(), || entries().map(|(row, i)| (i, row))),
            dense,
        }
    }

    /// n.
    pub(super) fn width(&self) -> usize {
        self.by_column.len()
    }

    /// B·x.
    pub(super) fn times(&self, x: &[u64]) -> Image {
        let mut sparse = vec![0; self.by_row.len()];
        self.by_row.add_sums(x, &mut sparse);
        let dense = self.dense.iter();
        Image {
            sparse,
            dense: dense.map(|words| block::inner_product(words, x)).collect(),
        }
    }

    /// Bᵀ·B·x.
    pub(super) fn times_twice(&self, x: &[u64]) -> Vec<u64> {
        let image = self.times(x);
        let mut out = vec![0; self.width()];
        self.by_column.add_sums(&image.sparse, &mut out);
        for (words, rows) in self.dense.iter().zip(&image.dense) {
            block::add_product(&mut out, words, rows);
        }
        out
    }
}
