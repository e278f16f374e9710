//! Memory of long numbers: buffers of limbs that are pooled and reused.
//!
//! Fresh memory from the operating system is expensive: every page is cleared and mapped when it is
//! first touched (20 ms for 64 MiB on the machines measured). A buffer that is dropped therefore goes
//! to a pool and the next number of about its length takes it over.
//!
//! | limbs | pool |
//! |---|---|
//! | up to `THREAD_LIMBS` | one pool per thread, a few buffers of each length class |
//! | longer | none; from `LARGE_PAGE_LIMBS` on, large pages make first touches cheap |
//!
//! All memory of a buffer is initialised at all times, so that handing out the contents of an earlier
//! number as the unspecified contents of a new one is safe.

use std::cell::RefCell;
use std::mem;
use std::ops::{Deref, DerefMut};

/// Longest buffers that are kept, in limbs: 64 KiB. Longer ones are freed at once, so that idle memory stays far
/// below what the numbers themselves take.
const THREAD_LIMBS: usize = 1 << 13;
/// Buffers of each class that a thread keeps.
const THREAD_DEPTH: usize = 8;
/// Limbs that a thread keeps in all: 512 KiB.
const THREAD_TOTAL: usize = 1 << 16;

/// Limbs from which on memory lies on large pages: 4 MiB, so that at least one page of 2 MiB fits in.
const LARGE_PAGE_LIMBS: usize = 1 << 19;

/// Limbs of a long number. The first `len` limbs of the memory are the value.
pub(crate) struct Buffer {
    memory: Box<[u64]>,
    len: usize,
}

impl Buffer {
    /// A buffer of `len` limbs whose contents are unspecified.
    pub(crate) fn unspecified(len: usize) -> Buffer {
        Buffer {
            memory: take(len),
            len,
        }
    }

    /// A buffer of these limbs with room for `room` more.
    pub(crate) fn copy_of(limbs: &[u64], room: usize) -> Buffer {
        let mut buffer = Buffer::unspecified(limbs.len() + room);
        buffer.truncate(limbs.len());
        buffer.copy_from_slice(limbs);
        buffer
    }

    /// Shortens the buffer to `len` limbs; without effect on a shorter one.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Lengthens or shortens the buffer to `len` limbs. The contents of new limbs are unspecified.
    pub(crate) fn resize_unspecified(&mut self, len: usize) {
        if len > self.memory.len() {
            let mut longer = Buffer::unspecified(len.max(self.len + self.len / 2));
            longer[..self.len].copy_from_slice(self);
            *self = longer;
        }
        self.len = len;
    }

    /// Drops leading zero limbs.
    pub(crate) fn trim(&mut self) {
        self.len = crate::word::significant(self);
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
        &self.memory[..self.len]
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.memory[..self.len]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        give(mem::take(&mut self.memory));
    }
}

/// Lengths are rounded up to classes, four to each doubling from 16 limbs on, so that numbers of about
/// one length share memory: (class, its length).
fn class_above(len: usize) -> (usize, usize) {
    if len <= 16 {
        let class = len.div_ceil(4).max(1);
        return (class, 4 * class);
    }
    let log = (len - 1).ilog2() as usize;
    let step = 1 << (log - 2);
    let steps = len.div_ceil(step);
    // `steps` is 5 to 8 times a quarter of 2^log.
    (4 * (log - 4) + steps, steps * step)
}

/// The class that memory of this length serves: the longest one that is not longer.
fn class_below(len: usize) -> Option<usize> {
    if len < 16 {
        return (len >= 4).then_some(len / 4);
    }
    let log = len.ilog2() as usize;
    Some(4 * (log - 4) + (len >> (log - 2)))
}

/// Classes of at most `THREAD_LIMBS` limbs; see [`class_above`].
const THREAD_CLASSES: usize = 4 * (13 - 5) + 8 + 1;

struct ThreadPool {
    classes: [Vec<Box<[u64]>>; THREAD_CLASSES],
    limbs: usize,
}

thread_local! {
    static POOL: RefCell<ThreadPool> = const {
        RefCell::new(ThreadPool {
            classes: [const { Vec::new() }; THREAD_CLASSES],
            limbs: 0,
        })
    };
}

/// Memory of at least `len` limbs, from a pool or new.
fn take(len: usize) -> Box<[u64]> {
    if len == 0 {
        return Box::default();
    }
    let (class, rounded) = class_above(len);
    if rounded <= THREAD_LIMBS {
        // A thread that is ending has no pool any more.
        let pooled = POOL.try_with(|pool| {
            let mut pool = pool.try_borrow_mut().ok()?;
            let memory = pool.classes[class].pop()?;
            pool.limbs -= memory.len();
            Some(memory)
        });
        if let Ok(Some(memory)) = pooled {
            return memory;
        }
        return vec![0; rounded].into_boxed_slice();
    }
    let mut memory = vec![0; len].into_boxed_slice();
    if len >= LARGE_PAGE_LIMBS {
        crate::memory::prefer_large_pages(&mut memory);
    }
    memory
}

/// Puts memory into a pool, or frees it where the pool is full.
fn give(memory: Box<[u64]>) {
    let len = memory.len();
    if len <= THREAD_LIMBS {
        let Some(class) = class_below(len) else {
            return;
        };
        let _ = POOL.try_with(|pool| {
            if let Ok(mut pool) = pool.try_borrow_mut()
                && pool.limbs + len <= THREAD_TOTAL
                && pool.classes[class].len() < THREAD_DEPTH
            {
                pool.limbs += len;
                pool.classes[class].push(memory);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_round_up_and_down_alike() {
        for len in 1..5000 {
            let (class, rounded) = class_above(len);
            assert!(rounded >= len && rounded <= len + len / 4 + 4, "{len}");
            assert_eq!(class_below(rounded), Some(class), "{len}");
            // Memory of any length serves requests of its class.
            if let Some(below) = class_below(len) {
                assert!(class_above(len).0 >= below);
            }
        }
        assert_eq!(class_above(THREAD_LIMBS).0, THREAD_CLASSES - 1);
    }
}
