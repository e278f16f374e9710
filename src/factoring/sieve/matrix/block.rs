//! Matrices of 64×64 bits and of n×64 bits. Word i is row i, and bit j of a word is column j.

use crate::threads;

/// A matrix of 64×64 bits.
pub(super) type Block = [u64; 64];

/// Rows of a long matrix that one thread takes at a time.
const CHUNK: usize = 1 << 13;
/// Partial sums by the value of each of the 8 bytes of a word.
type Tables = [[u64; 256]; 8];

pub(super) fn identity() -> Block {
    std::array::from_fn(|i| 1 << i)
}

/// a·b.
pub(super) fn product(a: &Block, b: &Block) -> Block {
    a.map(|row| combination(row, b))
}

/// a + b.
pub(super) fn sum(a: &Block, b: &Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// The columns of a in `mask`; the others become 0.
pub(super) fn masked(a: &Block, mask: u64) -> Block {
    a.map(|row| row & mask)
}

pub(super) fn transposed(a: &Block) -> Block {
    std::array::from_fn(|j| (0..64).fold(0, |row, i| row | ((a[i] >> j & 1) << i)))
}

/// The sum of the rows of b that the bits of `row` select.
fn combination(mut row: u64, b: &Block) -> u64 {
    let mut total = 0;
    while row != 0 {
        total ^= b[row.trailing_zeros() as usize];
        row &= row - 1;
    }
    total
}

/// For every byte of a word: the combinations of 8 rows of b that its values select.
fn combinations(b: &Block) -> Box<Tables> {
    let mut tables = Box::new([[0u64; 256]; 8]);
    for (table, rows) in tables.iter_mut().zip(b.chunks_exact(8)) {
        for value in 1..256usize {
            let low = value.trailing_zeros() as usize;
            table[value] = table[value & (value - 1)] ^ rows[low];
        }
    }
    tables
}

/// out += v·b for matrices v and out of n×64 bits.
pub(super) fn add_product(out: &mut [u64], v: &[u64], b: &Block) {
    let tables = combinations(b);
    threads::chunks_mut(out, CHUNK, 1, |i, out| {
        let v = threads::chunk(v, CHUNK, i);
        for (out, v) in out.iter_mut().zip(v) {
            let bytes = v.to_le_bytes();
            let parts = tables.iter().zip(bytes);
            *out ^= parts.fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)]);
        }
    });
}

/// vᵀ·w for matrices v and w of n×64 bits.
pub(super) fn inner_product(v: &[u64], w: &[u64]) -> Block {
    let parts = threads::map(v.len().div_ceil(CHUNK), 1, |i| {
        let (v, w) = (threads::chunk(v, CHUNK, i), threads::chunk(w, CHUNK, i));
        let mut tables: Box<Tables> = Box::new([[0; 256]; 8]);
        for (v, w) in v.iter().zip(w) {
            for (table, byte) in tables.iter_mut().zip(v.to_le_bytes()) {
                table[usize::from(byte)] ^= w;
            }
        }
        rows_of(&mut tables)
    });
    parts.iter().fold([0; 64], |total, part| sum(&total, part))
}

/// Row 8k + j of the result is the sum of the entries of table k whose place has bit j.
fn rows_of(tables: &mut Tables) -> Block {
    let mut rows = [0; 64];
    for (table, rows) in tables.iter_mut().zip(rows.chunks_exact_mut(8)) {
        // The upper half of the places goes into its row, and is added to the lower half.
        for bit in (0..8).rev() {
            let (low, high) = table[..2 << bit].split_at_mut(1 << bit);
            rows[bit] = high.iter().fold(0, |total, entry| total ^ entry);
            low.iter_mut()
                .zip(high)
                .for_each(|(low, high)| *low ^= *high);
        }
    }
    rows
}
