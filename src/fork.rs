//! The state that a forked process may inherit from its parent, and the state that it must not.
//!
//! The child has only the thread that forked. A lock that another thread had is never released in
//! the child, work of other threads is never finished, and the threads of rayon's pool do not
//! exist.
//!
//! | state | in the child |
//! |---|---|
//! | locks and tables of the process: [`PerProcess`] | new and empty |
//! | the pool (`threads.rs`) | a new one, started by the first work for several threads |
//! | CUDA, and open devices (`cuda/mod.rs`) | cannot be used: `Auto` uses the CPU |
//! | numbers (`cuda/copies.rs`) | those with a host copy |
//!
//! A child may fork again. Every `static` with a lock in it is a `PerProcess`; `tests/fork.rs`
//! searches for others.

// The state of a child is made once and lives as long as the process.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// Before anything asks, forks are not watched: nothing is held yet, so a child may use it all.
const UNWATCHED: u32 = 0;
/// The process that the watch began in.
const FIRST: u32 = 1;

/// The number of forks before this process, counted from `FIRST`. A child writes it while it has
/// only one thread.
static AGE: AtomicU32 = AtomicU32::new(UNWATCHED);

thread_local! {
    /// Whether this thread has come through a fork.
    static CAME_THROUGH: Cell<bool> = const { Cell::new(false) };
}

/// A number that differs between a process and its forked children, and is never 0.
#[inline]
pub(crate) fn age() -> u32 {
    match AGE.load(Ordering::Relaxed) {
        UNWATCHED => watch(),
        age => age,
    }
}

/// Whether the library was in use before this process was forked.
#[inline]
pub(crate) fn is_child() -> bool {
    age() != FIRST
}

/// Whether this thread has come through a fork: a pool that it belonged to has no other thread.
pub(crate) fn came_through() -> bool {
    CAME_THROUGH.get()
}

/// Begins to watch for forks. Two threads may do so at once: a fork is then counted twice, which
/// is as good.
#[cold]
fn watch() -> u32 {
    #[cfg(unix)]
    // SAFETY: `in_child` writes to an atomic and to a variable of its thread without a destructor,
    // which a child may do before anything else. Without memory for the entry forks stay unseen.
    unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    }
    let first = AGE.compare_exchange(UNWATCHED, FIRST, Ordering::Relaxed, Ordering::Relaxed);
    first.map_or_else(|age| age, |_| FIRST)
}

#[cfg(unix)]
unsafe extern "C" fn in_child() {
    let age = AGE.load(Ordering::Relaxed);
    AGE.store(age.max(FIRST).wrapping_add(1), Ordering::Relaxed);
    CAME_THROUGH.set(true);
}

/// A lock, or other state that threads change, of this process. A forked child starts with a new
/// one. For statics only: the value that a child creates is never freed.
pub(crate) struct PerProcess<L> {
    first: L,
    /// That of the last child that asked; null before.
    later: AtomicPtr<Later<L>>,
}

struct Later<L> {
    age: u32,
    own: L,
}

impl<L> PerProcess<L> {
    /// `first` must equal the value of `Default`.
    pub(crate) const fn new(first: L) -> Self {
        PerProcess {
            first,
            later: AtomicPtr::new(ptr::null_mut()),
        }
    }
}

impl<L: Default> PerProcess<L> {
    /// That of a child.
    #[cold]
    fn of_child(&self, age: u32) -> &L {
        let mut known = self.later.load(Ordering::Acquire);
        loop {
            // SAFETY: what is stored there is null or leaked, and never changed as a whole.
            if let Some(later) = unsafe { known.as_ref() }
                && later.age == age
            {
                return &later.own;
            }
            let own = L::default();
            let new = Box::into_raw(Box::new(Later { age, own }));
            let stored =
                (self.later).compare_exchange(known, new, Ordering::AcqRel, Ordering::Acquire);
            match stored {
                Ok(_) => known = new,
                Err(other) => {
                    // SAFETY: nobody else has seen it.
                    drop(unsafe { Box::from_raw(new) });
                    known = other;
                }
            }
        }
    }
}

impl<L: Default> Deref for PerProcess<L> {
    type Target = L;

    #[inline]
    fn deref(&self) -> &L {
        match age() {
            FIRST => &self.first,
            age => self.of_child(age),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn each_child_has_its_own() {
        let list: PerProcess<Mutex<Vec<u32>>> = PerProcess::new(Mutex::new(Vec::new()));
        // As a thread of the parent held it at the fork.
        let held = list.lock().unwrap();
        let children = [FIRST + 1, FIRST + 2];
        for age in children {
            list.of_child(age).lock().unwrap().push(age);
            assert_eq!(*list.of_child(age).lock().unwrap(), [age]);
        }
        assert!(held.is_empty());
        let made = list.later.load(Ordering::Relaxed);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| list.of_child(FIRST + 3).lock().unwrap().push(1));
            }
        });
        assert_eq!(list.of_child(FIRST + 3).lock().unwrap().len(), 4);
        assert_ne!(list.later.load(Ordering::Relaxed), made);
    }
}
