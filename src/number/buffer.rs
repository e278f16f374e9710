//! Memory of long numbers: buffers of limbs that are pooled and reused.
//!
//! Fresh memory from the operating system is expensive: every page is cleared and mapped when it is
//! first touched (20 ms for 64 MiB on the machines measured). A buffer that is dropped therefore
//! goes to a pool and the next number of about its length takes it over.
//!
//! | limbs | pool |
//! |---|---|
//! | up to `THREAD_LIMBS` | one pool per thread, a few buffers of each length class |
//! | longer | none; from 4 MiB on, large pages make first touches cheap |
//!
//! All memory of a buffer is initialised at all times, so that handing out the contents of an
//! earlier number as the unspecified contents of a new one is safe.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::{mem, ptr};

/// Longest buffers that are kept, in limbs: 64 KiB. Longer ones are freed at once, so that idle
/// memory stays far below what the numbers themselves take.
const THREAD_LIMBS: usize = 1 << 13;
/// Most buffers of a class that a thread keeps.
const THREAD_DEPTH: usize = 8;
/// Limbs of a class that a thread keeps, but one buffer at least. All classes together come to 1
/// MiB.
const CLASS_LIMBS: usize = 1 << 12;

/// Limbs of a long number. The first `len` limbs of the memory are the value.
pub(crate) struct Buffer {
    memory: Box<[u64]>,
    len: usize,
}

impl Buffer {
    /// A buffer of `len` limbs whose contents are unspecified.
    #[inline]
    pub(crate) fn unspecified(len: usize) -> Buffer {
        Buffer {
            memory: take(len),
            len,
        }
    }

    /// A buffer of these limbs with room for `room` more.
    #[inline]
    pub(crate) fn copy_of(limbs: &[u64], room: usize) -> Buffer {
        let mut buffer = Buffer::unspecified(limbs.len() + room);
        buffer.truncate(limbs.len());
        buffer.copy_from_slice(limbs);
        buffer
    }

    /// Limbs that fit the memory.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// Shortens the buffer to `len` limbs; without effect on a shorter one.
    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Lengthens or shortens the buffer to `len` limbs. The contents of new limbs are unspecified.
    #[inline]
    pub(crate) fn resize_unspecified(&mut self, len: usize) {
        if len > self.memory.len() {
            let mut longer = Buffer::unspecified(len.max(self.len + self.len / 2));
            longer[..self.len].copy_from_slice(self);
            *self = longer;
        }
        self.len = len;
    }

    /// Drops leading zero limbs.
    #[inline]
    pub(crate) fn trim(&mut self) {
        while let Some(0) = self.last() {
            self.len -= 1;
        }
    }

    /// The limbs as a vector, without copying them.
    pub(crate) fn into_vec(mut self) -> Vec<u64> {
        let mut limbs = mem::take(&mut self.memory).into_vec();
        limbs.truncate(self.len);
        limbs
    }
}

impl From<Vec<u64>> for Buffer {
    fn from(mut limbs: Vec<u64>) -> Buffer {
        let len = limbs.len();
        // Boxing a vector that is not full would move it.
        limbs.resize(limbs.capacity(), 0);
        Buffer {
            memory: limbs.into_boxed_slice(),
            len,
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        Buffer::copy_of(self, 0)
    }

    fn clone_from(&mut self, source: &Buffer) {
        self.len = 0;
        self.resize_unspecified(source.len);
        self.copy_from_slice(source);
    }
}

impl Deref for Buffer {
    type Target = [u64];
    #[inline]
    fn deref(&self) -> &[u64] {
        // SAFETY: `len` is at most the length of the memory, as every function here leaves it.
        unsafe { self.memory.get_unchecked(..self.len) }
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        // SAFETY: As for `deref`.
        unsafe { self.memory.get_unchecked_mut(..self.len) }
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        give(mem::take(&mut self.memory));
    }
}

/// Lengths are rounded up to classes, so that numbers of about one length share memory: multiples
/// of four limbs up to `EVEN_LIMBS`, then four to each doubling. (class, its length).
#[inline]
fn class_above(len: usize) -> (usize, usize) {
    if len <= EVEN_LIMBS {
        let class = len.div_ceil(4);
        return (class, 4 * class);
    }
    let log = (len - 1).ilog2() as usize;
    let step = 1 << (log - 2);
    // From 5 to 8.
    let steps = len.div_ceil(step);
    let doublings = log - EVEN_LIMBS.ilog2() as usize;
    (EVEN_LIMBS / 4 + 4 * doublings + steps - 4, steps * step)
}

/// Up to here classes are evenly spaced, so that finding the class takes two instructions.
const EVEN_LIMBS: usize = 64;

/// Classes of at most `THREAD_LIMBS` limbs; see [`class_above`].
const THREAD_CLASSES: usize = EVEN_LIMBS / 4 + 4 * (THREAD_LIMBS / EVEN_LIMBS).ilog2() as usize + 1;

/// The memory that a thread keeps. It has no destructor of its own, so that reaching it costs
/// nothing but its address; [`Guard`] empties it.
struct Pool {
    /// The blocks of each class, all of the class's length.
    blocks: [[Cell<*mut u64>; THREAD_DEPTH]; THREAD_CLASSES],
    /// How many of them there are.
    counts: [Cell<usize>; THREAD_CLASSES],
    /// How many there may be: none before there is a guard, and none once the thread is ending.
    limits: [Cell<usize>; THREAD_CLASSES],
    is_ending: Cell<bool>,
}

/// Frees what the pool of its thread holds when the thread ends.
struct Guard;

thread_local! {
    static POOL: Pool = const {
        Pool {
            blocks: [const {
                [const { Cell::new(ptr::null_mut()) }; THREAD_DEPTH]
            }; THREAD_CLASSES],
            counts: [const { Cell::new(0) }; THREAD_CLASSES],
            limits: [const { Cell::new(0) }; THREAD_CLASSES],
            is_ending: Cell::new(false),
        }
    };
    static GUARD: Guard = const { Guard };
}

impl Pool {
    /// A block of the class, which has `len` limbs.
    #[inline]
    fn pop(&self, class: usize, len: usize) -> Option<Box<[u64]>> {
        let count = self.counts[class].get().checked_sub(1)?;
        let block = self.blocks[class][count].get();
        self.counts[class].set(count);
        // SAFETY: `push` took the block from a box of so many limbs, and each block is popped once.
        Some(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(block, len)) })
    }

    /// Keeps a block that has the length of the class, unless there are enough.
    #[inline]
    fn push(&self, class: usize, block: Box<[u64]>) {
        let count = self.counts[class].get();
        if count >= self.limits[class].get() && !self.opens(class) {
            return;
        }
        self.blocks[class][count].set(Box::into_raw(block).cast());
        self.counts[class].set(count + 1);
    }

    /// Whether this is the first block of the thread, and its pool can be guarded.
    #[cold]
    fn opens(&self, class: usize) -> bool {
        let is_new = self.limits[1].get() == 0 && !self.is_ending.get();
        if !is_new || GUARD.try_with(|_| ()).is_err() {
            return false;
        }
        self.set_limits(|len| (CLASS_LIMBS / len).clamp(1, THREAD_DEPTH));
        self.limits[class].get() > 0
    }

    /// Sets the limit of each class of one limb and more by its length.
    fn set_limits(&self, limit: impl Fn(usize) -> usize) {
        let mut len = 0;
        while len < THREAD_LIMBS {
            let class;
            (class, len) = class_above(len + 1);
            self.limits[class].set(limit(len));
            while self.counts[class].get() > self.limits[class].get() {
                self.pop(class, len);
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        POOL.with(|pool| {
            pool.is_ending.set(true);
            pool.set_limits(|_| 0);
        });
    }
}

/// Memory of at least `len` limbs, from a pool or new.
#[inline]
fn take(len: usize) -> Box<[u64]> {
    let (class, rounded) = class_above(len);
    if class < THREAD_CLASSES {
        POOL.with(|pool| pool.pop(class, rounded))
            .unwrap_or_else(|| fresh(rounded))
    } else {
        fresh(len)
    }
}

/// New memory.
#[cold]
fn fresh(len: usize) -> Box<[u64]> {
    let mut memory = vec![0; len].into_boxed_slice();
    crate::memory::prefer_large_pages(&mut memory);
    memory
}

/// Puts memory into a pool, or frees it where the pool is full or the length is not that of a
/// class.
#[inline]
fn give(memory: Box<[u64]>) {
    let (class, rounded) = class_above(memory.len());
    if class < THREAD_CLASSES && rounded == memory.len() {
        POOL.with(|pool| pool.push(class, memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_lengths() {
        for len in 1..5000 {
            let (class, rounded) = class_above(len);
            assert!(rounded >= len && rounded <= len + len / 4 + 4, "{len}");
            assert_eq!(class_above(rounded), (class, rounded), "{len}");
        }
        assert_eq!(class_above(THREAD_LIMBS).0, THREAD_CLASSES - 1);
        assert!(class_above(THREAD_LIMBS + 1).0 >= THREAD_CLASSES);
    }

    #[test]
    fn memory_is_reused_and_freed_with_its_thread() {
        let reused = std::thread::spawn(|| {
            let first = Buffer::unspecified(100);
            let place = first.as_ptr();
            drop(first);
            let second = Buffer::unspecified(98);
            let reused = second.as_ptr() == place;
            // More blocks than are kept.
            let many: Vec<Buffer> = (0..2 * THREAD_DEPTH).map(|_| second.clone()).collect();
            drop(many);
            let class = class_above(98).0;
            reused && POOL.with(|pool| pool.counts[class].get()) == THREAD_DEPTH
        });
        assert!(reused.join().unwrap());
    }

    #[test]
    fn numbers_outlive_the_pool_of_an_ending_thread() {
        thread_local!(static LATE: Cell<Option<Buffer>> = const { Cell::new(None) });
        let thread = std::thread::spawn(|| {
            // Registered before the pool's guard, so that it is dropped after it.
            LATE.set(None);
            LATE.set(Some(Buffer::unspecified(20)));
            drop(Buffer::unspecified(20));
        });
        thread.join().unwrap();
    }
}
