//! Memory for transforms: kept between products, because fresh memory costs a page fault every few
//! microseconds, and shared between threads column by column.

#![allow(unsafe_code)]

use crate::fork::PerProcess;
use crate::{memory, threads};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Words whose first one starts a cache line, so that each vector is in one line.
#[derive(Default)]
pub(super) struct Aligned {
    words: Vec<u64>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub(super) fn new(len: usize) -> Aligned {
        let mut words = vec![0; len + 7];
        memory::prefer_large_pages(&mut words);
        let start = words.as_ptr().align_offset(64).min(7);
        Aligned { words, start, len }
    }

    /// At least `len` words; of any content, if there were fewer.
    pub(super) fn at_least(&mut self, len: usize) -> &mut [u64] {
        if self.len < len {
            *self = Aligned::new(len);
        }
        &mut self[..len]
    }
}

impl FromIterator<u64> for Aligned {
    fn from_iter<I: IntoIterator<Item = u64>>(words: I) -> Aligned {
        let words: Vec<u64> = words.into_iter().collect();
        let mut aligned = Aligned::new(words.len());
        aligned.copy_from_slice(&words);
        aligned
    }
}

impl Deref for Aligned {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.words[self.start..][..self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.words[self.start..][..self.len]
    }
}

/// Words of any content, out of the memory that is kept.
pub(super) struct Buffer {
    words: Aligned,
    len: usize,
}

/// Maximum words that are kept for the next product: 256 MiB.
const KEPT: usize = 1 << 25;

/// Words that are kept in any case.
const ALWAYS_KEPT: usize = 1 << 21;

/// The kept memory. Kept memory and memory in use together never exceed the maximum that was in use
/// at once, so products of different lengths do not make it grow.
#[derive(Default)]
struct Keep {
    free: Vec<Aligned>,
    in_use: usize,
    most_in_use: usize,
}

static KEEP: PerProcess<Mutex<Keep>> = PerProcess::new(Mutex::new(Keep {
    free: Vec::new(),
    in_use: 0,
    most_in_use: 0,
}));

impl Keep {
    /// Takes kept memory of at least `len` words and not of far more, if there is some.
    fn take(&mut self, len: usize) -> Option<Aligned> {
        let fit = (0..self.free.len())
            .filter(|&i| self.free[i].len() >= len && self.free[i].len() / 4 <= len)
            .min_by_key(|&i| self.free[i].len());
        let words = fit.map(|i| self.free.swap_remove(i));
        self.in_use += words.as_ref().map_or(len, |words| words.len());
        self.most_in_use = self.most_in_use.max(self.in_use);
        self.shrink();
        words
    }

    fn give(&mut self, words: Aligned) {
        // A forked process may give back what its parent took.
        self.in_use = self.in_use.saturating_sub(words.len());
        self.free.push(words);
        self.shrink();
    }

    /// Frees the oldest memory that is too much.
    fn shrink(&mut self) {
        let unused = self.most_in_use.max(ALWAYS_KEPT) - self.in_use;
        let mut total: usize = self.free.iter().map(|words| words.len()).sum();
        while total > unused.min(KEPT) {
            total -= self.free.remove(0).len();
        }
    }
}

impl Buffer {
    pub(super) fn new(len: usize) -> Buffer {
        let mut keep = KEEP.lock().unwrap_or_else(PoisonError::into_inner);
        let words = keep.take(len);
        drop(keep);
        Buffer {
            words: words.unwrap_or_else(|| Aligned::new(len)),
            len,
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut keep = KEEP.lock().unwrap_or_else(PoisonError::into_inner);
        keep.give(std::mem::take(&mut self.words));
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
    static COLUMNS: RefCell<Aligned> = RefCell::default();
    static TREE: RefCell<[Aligned; 2]> = RefCell::default();
}

/// Calls `work` with this thread's memory for the roots of a row.
pub(super) fn with_tree<T>(work: impl FnOnce(&mut [Aligned; 2]) -> T) -> T {
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

/// A matrix of words.
#[derive(Clone, Copy)]
pub(super) struct MatrixShape {
    pub(super) rows: usize,
    /// Words a row.
    pub(super) row: usize,
    /// Words from one row to the next.
    pub(super) pitch: usize,
}

/// Calls `work(strip, buffer)` for each strip of `width` columns of a matrix. With `at_once` it
/// runs on several threads, with that many consecutive strips per task. The buffer has `len` words
/// of unspecified content.
pub(super) fn for_strips(
    matrix: &mut [u64],
    shape: MatrixShape,
    width: usize,
    at_once: Option<usize>,
    len: usize,
    work: impl Fn(Strip, &mut [u64]) + Sync,
) {
    struct Shared(*mut u64);
    // SAFETY: the pointer is used by the strips below alone, which touch different words.
    unsafe impl Sync for Shared {}
    impl Shared {
        fn get(&self) -> *mut u64 {
            self.0
        }
    }

    let MatrixShape { rows, row, pitch } = shape;
    assert!(row <= pitch && matrix.len() == rows * pitch && row.is_multiple_of(width));
    let words = Shared(matrix.as_mut_ptr());
    // Every index is used once, so no two strips have a column in common; all of them end before
    // the borrow of the matrix.
    let work = |index: usize| {
        let strip = Strip {
            words: words.get(),
            shape,
            first: index * width,
            width,
            matrix: PhantomData,
        };
        COLUMNS.with_borrow_mut(|buffer| work(strip, buffer.at_least(len)));
    };
    match at_once {
        Some(strips) => threads::each(row / width, strips, &work),
        None => (0..row / width).for_each(work),
    }
}

/// Some columns of a matrix, borrowed alone.
pub(super) struct Strip<'a> {
    words: *mut u64,
    shape: MatrixShape,
    first: usize,
    width: usize,
    matrix: PhantomData<&'a mut [u64]>,
}

impl Strip<'_> {
    /// The first column.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// The strip's words of row r.
    #[inline(always)]
    fn row(&mut self, r: usize) -> &mut [u64] {
        let MatrixShape { rows, row, pitch } = self.shape;
        // A strip's rows are too far apart for the machine to foresee them.
        if r + AHEAD < rows {
            let ahead = self.words.wrapping_add((r + AHEAD) * pitch + self.first);
            for word in (0..self.width).step_by(8) {
                prefetch(ahead.wrapping_add(word));
            }
        }
        assert!(r < rows && self.first + self.width <= row);
        // SAFETY: the matrix has `rows` rows, `pitch` words apart and at least `row` words long, so
        // the words lie within it. They are in this strip's columns, which no other strip has, and
        // are borrowed through `self`.
        unsafe {
            let from = self.words.add(r * pitch + self.first);
            std::slice::from_raw_parts_mut(from, self.width)
        }
    }

    /// Copies the strip's rows from `first` on to a buffer, as many as it and the matrix have.
    pub(super) fn get(&mut self, first: usize, buffer: &mut [u64]) {
        let rows = buffer
            .chunks_exact_mut(self.width)
            .zip(first..self.shape.rows);
        for (out, r) in rows {
            out.copy_from_slice(self.row(r));
        }
    }

    /// Copies a buffer to the strip's rows from `first` on, as many as it and the matrix have.
    pub(super) fn put(&mut self, first: usize, buffer: &[u64]) {
        let rows = buffer.chunks_exact(self.width).zip(first..self.shape.rows);
        for (from, r) in rows {
            self.row(r).copy_from_slice(from);
        }
    }
}
