//! Loops and pairs of work on the threads of rayon's pool.
//!
//! rayon's functions are compiled again for every closure, some thousand lines of LLVM code each
//! time. This file passes only trait objects to rayon, so they are compiled once. A call through a
//! trait object takes a nanosecond or two.
//!
//! A forked process has none of its parent's threads, and would wait for them forever. It gets a
//! new pool (`Home`), so no other code in this crate may use rayon's threads directly.

// Threads write chunks of one slice, each those whose numbers it has.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use rayon::prelude::*;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use crate::fork::{self, PerProcess};
use crate::memory;

/// The pool that work of a thread goes to.
enum Home {
    /// The one that the thread belongs to, or else rayon's global one.
    Rayons,
    /// That of a forked process.
    Child(&'static ThreadPool),
    /// The pool of a forked process, entered by a new thread. The current thread belongs to a pool
    /// whose other threads do not exist any more, and rayon would continue with their work.
    ByNewThread(&'static ThreadPool),
    /// None: a forked process cannot start threads.
    Nowhere,
}

impl Home {
    #[inline]
    fn of_thread() -> Home {
        if fork::is_child() {
            Home::in_child()
        } else {
            Home::Rayons
        }
    }

    #[cold]
    fn in_child() -> Home {
        static POOL: PerProcess<OnceLock<Option<ThreadPool>>> = PerProcess::new(OnceLock::new());
        let is_of_pool = rayon::current_thread_index().is_some();
        if is_of_pool && !fork::came_through() {
            return Home::Rayons;
        }
        let start = || ThreadPoolBuilder::new().build().ok();
        match POOL.get_or_init(start) {
            None => Home::Nowhere,
            Some(pool) if is_of_pool => Home::ByNewThread(pool),
            Some(pool) => Home::Child(pool),
        }
    }
}

/// How many threads share this thread's work.
pub(crate) fn count() -> usize {
    match Home::of_thread() {
        Home::Rayons => rayon::current_num_threads(),
        Home::Child(pool) | Home::ByNewThread(pool) => pool.current_num_threads(),
        Home::Nowhere => 1,
    }
}

/// Whether this thread is one of a pool that has others.
pub(crate) fn is_of_pool() -> bool {
    rayon::current_thread_index().is_some() && matches!(Home::of_thread(), Home::Rayons)
}

/// Runs work that asks rayon for threads by itself where it finds them. False, and nothing was
/// run, where there are none.
pub(crate) fn in_pool(work: &mut (dyn FnMut() + Send)) -> bool {
    match Home::of_thread() {
        Home::Rayons => work(),
        Home::Child(pool) => pool.install(work),
        Home::ByNewThread(pool) => std::thread::scope(|threads| {
            let done = threads.spawn(|| pool.install(work)).join();
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        }),
        Home::Nowhere => return false,
    }
    true
}

/// Runs `work` on this thread, and the tasks that it spawns on other threads. Returns when all have
/// ended.
pub(crate) fn in_place_scope<'scope, T>(work: impl FnOnce(&Scope<'scope>) -> T) -> T {
    match Home::of_thread() {
        Home::Child(pool) | Home::ByNewThread(pool) => pool.in_place_scope(work),
        Home::Rayons | Home::Nowhere => rayon::in_place_scope(work),
    }
}

/// Both pieces of work, on two threads where one is free.
pub(crate) fn join<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut first, mut second) = (Some(first), Some(second));
    let (mut a, mut b) = (None, None);
    both(&mut || a = first.take().map(|work| work()), &mut || {
        b = second.take().map(|work| work())
    });
    match (a, b) {
        (Some(a), Some(b)) => (a, b),
        _ => unreachable!("both pieces of work have run"),
    }
}

fn both(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    let mut join = || {
        rayon::join(&mut *first, &mut *second);
    };
    if !in_pool(&mut join) {
        first();
        second();
    }
}

/// `work(i)` for every i below `count`, at least `least` of them in a row on one thread.
pub(crate) fn each(count: usize, least: usize, work: &(dyn Fn(usize) + Sync)) {
    // rayon cuts a range as often as it has threads, so a few pieces would be distributed unevenly.
    let most = if count <= 2 * self::count() {
        least.max(1)
    } else {
        usize::MAX
    };
    let mut all = || {
        (0..count)
            .into_par_iter()
            .with_min_len(least.max(1))
            .with_max_len(most)
            .for_each(work);
    };
    if !in_pool(&mut all) {
        (0..count).for_each(work);
    }
}

/// Returns `work(i)` for every i below `count`. Each task of a thread has at least `least`
/// consecutive i.
pub(crate) fn map<T: Send>(count: usize, least: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut all: Vec<T> = Vec::with_capacity(count);
    let places = Chunks::new(&mut all.spare_capacity_mut()[..count], 1);
    each(count, least, &|i| {
        // SAFETY: every number comes once.
        unsafe { places.get(i) }.fill_with(|| MaybeUninit::new(work(i)));
    });
    // SAFETY: every place below `count` was written. Where `work` panics this is not reached, and
    // results are leaked.
    unsafe { all.set_len(count) };
    all
}

/// `work(i, chunk)` for every chunk of `size` items, the last of which may be shorter; at least
/// `least` chunks in a row on one thread.
pub(crate) fn chunks_mut<T: Send>(
    items: &mut [T],
    size: usize,
    least: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let (count, chunks) = (items.len().div_ceil(size), Chunks::new(items, size));
    each(count, least, &|i| {
        // SAFETY: every number comes once.
        work(i, unsafe { chunks.get(i) });
    });
}

/// Returns `work(i, chunk)` for every chunk of `size` items, the last of which may be shorter.
pub(crate) fn map_chunks_mut<T: Send, U: Send>(
    items: &mut [T],
    size: usize,
    work: impl Fn(usize, &mut [T]) -> U + Sync,
) -> Vec<U> {
    let (count, chunks) = (items.len().div_ceil(size), Chunks::new(items, size));
    map(count, 1, |i| {
        // SAFETY: every number comes once.
        work(i, unsafe { chunks.get(i) })
    })
}

/// Builds `len` words. `work(i, chunk)` writes every chunk of `size` words, which are zeros before.
/// Returns the words, and the results of `work`.
///
/// The thread that writes a chunk is the first to touch its memory: new pages are made on all
/// threads.
pub(crate) fn build_chunks<U: Send>(
    len: usize,
    size: usize,
    work: impl Fn(usize, &mut [u64]) -> U + Sync,
) -> (Vec<u64>, Vec<U>) {
    let mut all: Vec<u64> = Vec::with_capacity(len);
    let room = &mut all.spare_capacity_mut()[..len];
    memory::prefer_large_pages(room);
    let given = map_chunks_mut(room, size, |i, chunk| {
        chunk.fill(MaybeUninit::new(0));
        // SAFETY: every word of the chunk was written just now.
        work(i, unsafe { chunk.assume_init_mut() })
    });
    // SAFETY: every word below `len` is in a chunk, and was written.
    unsafe { all.set_len(len) };
    (all, given)
}

/// `work(i, a, b)` for every pair of chunks of `size` items of two slices of the same length; at
/// least `least` pairs in a row on one thread.
pub(crate) fn chunk_pairs_mut<T: Send>(
    a: &mut [T],
    b: &mut [T],
    size: usize,
    least: usize,
    work: impl Fn(usize, &mut [T], &mut [T]) + Sync,
) {
    assert_eq!(a.len(), b.len());
    let count = a.len().div_ceil(size);
    let (a, b) = (Chunks::new(a, size), Chunks::new(b, size));
    each(count, least, &|i| {
        // SAFETY: every number comes once.
        work(i, unsafe { a.get(i) }, unsafe { b.get(i) });
    });
}

/// Chunk `i` of `size` items, the last of which may be shorter.
pub(crate) fn chunk<T>(items: &[T], size: usize, i: usize) -> &[T] {
    let from = i * size;
    &items[from..items.len().min(from + size)]
}

/// The chunks of a slice, for several threads.
struct Chunks<'a, T> {
    start: *mut T,
    len: usize,
    size: usize,
    items: PhantomData<&'a mut [T]>,
}

// SAFETY: each chunk is taken by one thread alone, and items may go to other threads.
unsafe impl<T: Send> Sync for Chunks<'_, T> {}

impl<'a, T> Chunks<'a, T> {
    fn new(items: &'a mut [T], size: usize) -> Self {
        Chunks {
            start: items.as_mut_ptr(),
            len: items.len(),
            size,
            items: PhantomData,
        }
    }

    /// # Safety
    /// No chunk may be taken twice.
    #[allow(clippy::mut_from_ref)]
    unsafe fn get(&self, i: usize) -> &mut [T] {
        let from = i * self.size;
        assert!(from < self.len);
        // SAFETY: the chunk lies inside the slice, and chunks of different numbers have no item in
        // common.
        unsafe {
            std::slice::from_raw_parts_mut(self.start.add(from), self.size.min(self.len - from))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_comes_once_and_in_order() {
        for count in [0usize, 1, 2, 3, 4, 5, 63, 64, 65, 1000] {
            for least in [0, 1, 3, 64] {
                let squares = map(count, least, |i| Box::new(i * i));
                assert!(squares.iter().enumerate().all(|(i, x)| **x == i * i));
                assert_eq!(squares.len(), count);
                for size in [1, 3, 64] {
                    let mut items = vec![0usize; count];
                    chunks_mut(&mut items, size, least, |i, chunk| {
                        assert!(chunk.len() == size || (i + 1) * size > count);
                        chunk.iter_mut().for_each(|x| *x += 1 + i);
                    });
                    assert!(items.iter().enumerate().all(|(i, x)| *x == 1 + i / size));
                    let read = |i| chunk(&items, size, i).len();
                    assert_eq!((0..count.div_ceil(size)).map(read).sum::<usize>(), count);
                }
            }
        }
    }

    #[test]
    fn a_panic_comes_through() {
        let fails = std::panic::catch_unwind(|| join(|| 1, || panic!("the second piece")));
        assert!(fails.is_err());
        let fails = std::panic::catch_unwind(|| map(100, 1, |i| assert!(i < 50)));
        assert!(fails.is_err());
    }
}
