//! Memory for transforms: kept between products, because fresh memory costs a page fault every few microseconds, and
//! shared between threads column by column.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Words of any content.
pub(super) struct Buffer {
    words: Vec<u64>,
    len: usize,
}

/// Most words that are kept for the next product.
const KEPT: usize = 1 << 25;

static KEEP: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());

impl Buffer {
    pub(super) fn new(len: usize) -> Buffer {
        let mut keep = KEEP.lock().unwrap_or_else(PoisonError::into_inner);
        let fit = (0..keep.len())
            .filter(|&i| keep[i].len() >= len && keep[i].len() / 4 <= len)
            .min_by_key(|&i| keep[i].len());
        let words = fit.map(|i| keep.swap_remove(i));
        drop(keep);
        Buffer {
            words: words.unwrap_or_else(|| vec![0; len]),
            len,
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut keep = KEEP.lock().unwrap_or_else(PoisonError::into_inner);
        keep.push(std::mem::take(&mut self.words));
        let mut total: usize = keep.iter().map(Vec::len).sum();
        while total > KEPT {
            total -= keep.remove(0).len();
        }
    }
}

impl Deref for Buffer {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.words[..self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.words[..self.len]
    }
}

thread_local! {
    static COLUMNS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static TREE: RefCell<[Vec<u64>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// Calls `work(buffer, i)` for all i below `count`, the buffer of `len` words of any content.
pub(super) fn for_each(
    parallel: bool,
    count: usize,
    len: usize,
    work: impl Fn(&mut [u64], usize) + Sync,
) {
    let work = |i| {
        COLUMNS.with_borrow_mut(|buffer| {
            if buffer.len() < len {
                buffer.resize(len, 0);
            }
            work(&mut buffer[..len], i);
        });
    };
    if parallel {
        (0..count).into_par_iter().for_each(work);
    } else {
        (0..count).for_each(work);
    }
}

/// Calls `work` with this thread's memory for the roots of a row.
pub(super) fn with_tree<T>(work: impl FnOnce(&mut [Vec<u64>; 2]) -> T) -> T {
    TREE.with_borrow_mut(work)
}

/// Rows from the one in use to the one asked for.
pub(super) const AHEAD: usize = 4;

/// Asks for a line of memory. The address need not be valid.
#[inline(always)]
pub(super) fn prefetch(at: *const u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and cannot fault, and every x86-64 has it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// A matrix of words whose columns several threads work on.
pub(super) struct Strips<'a> {
    words: *mut u64,
    rows: usize,
    row: usize,
    pitch: usize,
    first: usize,
    width: usize,
    matrix: PhantomData<&'a mut [u64]>,
}

// SAFETY: a value of this type stands for an exclusive borrow of the matrix or of columns of it; `at` is told by its
// callers, one index of `for_each` each, to make every strip once.
unsafe impl Sync for Strips<'_> {}

impl<'a> Strips<'a> {
    /// All columns of a matrix of `rows` rows of `row` words, `pitch` words from row to row.
    pub(super) fn new(words: &'a mut [u64], rows: usize, row: usize, pitch: usize) -> Strips<'a> {
        assert!(row <= pitch && words.len() == rows * pitch);
        Strips {
            words: words.as_mut_ptr(),
            rows,
            row,
            pitch,
            first: 0,
            width: row,
            matrix: PhantomData,
        }
    }

    /// The `width` columns from `first` on. No two strips in use at the same time may overlap.
    pub(super) fn at(&self, first: usize, width: usize) -> Strips<'_> {
        assert!(first + width <= self.row && first.is_multiple_of(width));
        Strips {
            first,
            width,
            matrix: PhantomData,
            ..*self
        }
    }

    /// Asks for a row of the strip ahead of its use: a strip's rows are too far apart for the machine to foresee them.
    #[inline(always)]
    fn expect(&self, r: usize) {
        if r < self.rows {
            let from = self.words.wrapping_add(r * self.pitch + self.first);
            for word in (0..self.width).step_by(8) {
                prefetch(from.wrapping_add(word));
            }
        }
    }

    /// Copies the strip to a buffer, row after row.
    pub(super) fn get(&mut self, buffer: &mut [u64]) {
        let rows = buffer.chunks_exact_mut(self.width).take(self.rows);
        for (r, out) in rows.enumerate() {
            self.expect(r + AHEAD);
            assert!(
                r < self.rows && self.first + self.width <= self.pitch && out.len() == self.width
            );
            // SAFETY: row r has `pitch` words from r·pitch on, within the matrix borrowed in `new`; the strip lies in
            // the row, and the buffer is another borrow. No other thread uses these columns.
            unsafe {
                let from = self.words.add(r * self.pitch + self.first);
                std::ptr::copy_nonoverlapping(from, out.as_mut_ptr(), self.width);
            }
        }
    }

    /// Copies a buffer to the strip, as many rows as the matrix has.
    pub(super) fn put(&mut self, buffer: &[u64]) {
        let rows = buffer.chunks_exact(self.width).take(self.rows);
        for (r, from) in rows.enumerate() {
            self.expect(r + AHEAD);
            assert!(
                r < self.rows && self.first + self.width <= self.pitch && from.len() == self.width
            );
            // SAFETY: as in `get`.
            unsafe {
                let out = self.words.add(r * self.pitch + self.first);
                std::ptr::copy_nonoverlapping(from.as_ptr(), out, self.width);
            }
        }
    }
}
