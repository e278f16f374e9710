//! The matrix B over GF(2): a row for each prime, a column for each set of relations.

use super::block::{self, Block};
use super::lanczos::Vectors;
use crate::error::Result;
use crate::threads;

/// Rows of one of the two halves per task of a thread.
const CHUNK: usize = 64;
/// Columns that a thread brings into order at a time.
const COLUMNS: usize = 1 << 10;
/// 64 rows are stored as words if they have at least this many entries per column of B. A word
/// takes 8 look-ups in the first-level cache, an entry one look-up in the second-level cache.
const DENSE_ENTRIES: usize = 6;

/// Lists of indices, one after the other.
pub(super) struct Lists {
    /// Where each list starts, and the end of the last.
    pub(super) starts: Vec<u32>,
    pub(super) entries: Vec<u32>,
}

impl Lists {
    /// The lists of where each of `count` entries occurs.
    fn transposed(&self, count: usize) -> Lists {
        let mut starts = vec![0u32; count + 1];
        for entry in &self.entries {
            starts[*entry as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut ends = starts.clone();
        let mut entries = vec![0; self.entries.len()];
        for (bounds, list) in self.starts.windows(2).zip(0u32..) {
            for entry in &self.entries[bounds[0] as usize..bounds[1] as usize] {
                let end = &mut ends[*entry as usize];
                entries[*end as usize] = list;
                *end += 1;
            }
        }
        Lists { starts, entries }
    }

    pub(super) fn len(&self) -> usize {
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
/// rows and by columns, so that no product writes to one place from two threads. Lists of rows come
/// in the order of their lengths, the longest first.
pub(super) struct Matrix {
    pub(super) by_row: Lists,
    pub(super) by_column: Lists,
    /// Word i of each has the bits of 64 rows in column i.
    pub(super) dense: Vec<Vec<u64>>,
}

/// B·x for a matrix x of n×64 bits.
pub(super) struct Image {
    pub(super) sparse: Vec<u64>,
    pub(super) dense: Vec<Block>,
}

/// Some columns of B.
struct Part {
    /// Entries in sparse rows: how many each column has, and all of them.
    lengths: Vec<u32>,
    entries: Vec<u32>,
    /// For each 64 dense rows, a word per column.
    dense: Vec<Vec<u64>>,
}

impl Part {
    /// From the rows of entries different from 0. `numbers` has the new number of each row; the
    /// first 64·`blocks` of those are dense.
    fn new(columns: &[Vec<u32>], numbers: &[u32], blocks: usize) -> Part {
        let mut part = Part {
            lengths: Vec::with_capacity(columns.len()),
            entries: Vec::new(),
            dense: vec![vec![0; columns.len()]; blocks],
        };
        for (i, column) in columns.iter().enumerate() {
            let before = part.entries.len();
            for number in column.iter().map(|row| numbers[*row as usize]) {
                match part.dense.get_mut(number as usize / 64) {
                    Some(words) => words[i] |= 1 << (number % 64),
                    None => part.entries.push(number - 64 * blocks as u32),
                }
            }
            part.lengths.push((part.entries.len() - before) as u32);
        }
        part
    }
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
        let parts = threads::map(columns.len().div_ceil(COLUMNS), 1, |i| {
            Part::new(threads::chunk(columns, COLUMNS, i), &numbers, blocks)
        });
        let mut starts = vec![0];
        let mut end = 0;
        for length in parts.iter().flat_map(|part| &part.lengths) {
            end += length;
            starts.push(end);
        }
        let entries: Vec<&[u32]> = parts.iter().map(|part| &part.entries[..]).collect();
        let by_column = Lists {
            entries: entries.concat(),
            starts,
        };
        let words = |block: usize| {
            let words = parts.iter().map(|part| &part.dense[block][..]);
            words.collect::<Vec<&[u64]>>().concat()
        };
        Matrix {
            by_row: by_column.transposed(rows.saturating_sub(64 * blocks)),
            by_column,
            dense: (0..blocks).map(words).collect(),
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
}

/// Vectors on the host.
impl Vectors for Matrix {
    type Vector = Vec<u64>;

    fn matrix(&self) -> &Matrix {
        self
    }

    fn put(&self, words: &[u64]) -> Result<Vec<u64>> {
        Ok(words.to_vec())
    }

    fn get(&self, v: Vec<u64>) -> Result<Vec<u64>> {
        Ok(v)
    }

    fn times_twice(&self, x: &Vec<u64>) -> Result<Vec<u64>> {
        let image = self.times(x);
        let mut out = vec![0; self.width()];
        self.by_column.add_sums(&image.sparse, &mut out);
        for (words, rows) in self.dense.iter().zip(&image.dense) {
            block::add_product(&mut out, words, rows);
        }
        Ok(out)
    }

    fn inner_products(&self, pairs: &[(&Vec<u64>, &Vec<u64>)]) -> Result<Vec<Block>> {
        let products = pairs.iter().map(|(v, w)| block::inner_product(v, w));
        Ok(products.collect())
    }

    fn advance(
        &self,
        x: &mut Vec<u64>,
        next: &mut Vec<u64>,
        mask: u64,
        last: [&Vec<u64>; 3],
        by: &[Block; 4],
    ) -> Result<()> {
        block::add_product(x, last[0], &by[0]);
        next.iter_mut().for_each(|row| *row &= mask);
        for (v, by) in last.into_iter().zip(&by[1..]) {
            block::add_product(next, v, by);
        }
        Ok(())
    }
}
