//! Memory of rows that is kept for the next rows.
//!
//! Fresh memory is cleared and mapped when it is first touched, which takes several times as long
//! as a division of two rows of one length. Memory of dropped batches is therefore kept, a few
//! vectors in all.

use std::mem;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use crate::fork::PerProcess;

/// Limbs of vectors that are kept: shorter ones the allocator reuses itself, and longer ones get
/// large pages (`memory::prefer_large_pages`).
const LEAST: usize = 1 << 13;
const MOST: usize = 1 << 19;
/// Maximum number of kept vectors: 16 MiB in all.
const COUNT: usize = 4;

static KEPT: PerProcess<LimbPool> = PerProcess::new(LimbPool(Mutex::new(Vec::new())));

/// `len` limbs of any contents.
pub(super) fn unspecified(len: usize) -> Vec<u64> {
    KEPT.take(len).unwrap_or_else(|| vec![0; len])
}

/// Limbs whose memory is kept when they are dropped.
pub(crate) struct Limbs(Vec<u64>);

impl Limbs {
    pub(super) fn into_vec(mut self) -> Vec<u64> {
        mem::take(&mut self.0)
    }
}

impl From<Vec<u64>> for Limbs {
    fn from(limbs: Vec<u64>) -> Limbs {
        Limbs(limbs)
    }
}

impl Deref for Limbs {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl Drop for Limbs {
    fn drop(&mut self) {
        KEPT.give(mem::take(&mut self.0));
    }
}

#[derive(Default)]
struct LimbPool(Mutex<Vec<Vec<u64>>>);

impl LimbPool {
    /// Takes a vector of `len` limbs: the smallest kept memory that fits and has at most twice as
    /// many.
    fn take(&self, len: usize) -> Option<Vec<u64>> {
        if !(LEAST..=MOST).contains(&len) {
            return None;
        }
        let mut limbs = {
            let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = |limbs: &&Vec<u64>| (len..=2 * len).contains(&limbs.capacity());
            let least = list.iter().filter(fits).map(Vec::capacity).min()?;
            let at = list.iter().position(|limbs| limbs.capacity() == least)?;
            list.swap_remove(at)
        };
        limbs.resize(len, 0);
        Some(limbs)
    }

    /// Keeps a vector; the oldest goes where there are enough.
    fn give(&self, limbs: Vec<u64>) {
        if !(LEAST..=MOST).contains(&limbs.capacity()) {
            return;
        }
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = (list.len() >= COUNT).then(|| list.remove(0));
        list.push(limbs);
        drop(list);
        drop(oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_and_bounded() {
        let kept = LimbPool(Mutex::new(Vec::new()));
        let sizes = || -> Vec<usize> {
            let list = kept.0.lock().unwrap();
            list.iter().map(Vec::len).collect()
        };
        assert_eq!(kept.take(LEAST), None);
        for len in [LEAST - 1, LEAST, 2 * LEAST, 3 * LEAST, 4 * LEAST, 5 * LEAST] {
            kept.give(vec![7; len]);
        }
        kept.give(vec![7; MOST + 1]);
        assert_eq!(sizes(), [2, 3, 4, 5].map(|n| n * LEAST));
        // The least that fits; nothing where all are too short or too long.
        assert_eq!(kept.take(2 * LEAST + 1).unwrap().len(), 2 * LEAST + 1);
        assert_eq!(kept.take(6 * LEAST), None);
        assert_eq!(kept.take(LEAST).unwrap(), vec![7; LEAST]);
        assert_eq!(kept.take(LEAST), None);
        assert_eq!(sizes().len(), 2);
    }
}
