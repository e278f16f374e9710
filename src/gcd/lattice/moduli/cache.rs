//! Tables that the process keeps between runs. Each has the size that the longest run so far
//! needed, and is never freed.

use std::sync::{Arc, Mutex, PoisonError};

use super::block::{Block, block};
use super::{Moduli, negative_inverse, product};
use crate::error::Result;
use crate::fork::PerProcess;
use crate::limbs::Resident;
use crate::threads;

/// The number of moduli for whose blocks tables are kept: enough for numbers of up to two million
/// bits. They take 90 bytes each in blocks of 64.
pub(crate) const CACHED_MODULI: usize = 1 << 17;

/// −1/q modulo 2^32 of the largest primes q of 31 bits, in their order.
static NEGATIVE_INVERSES: PerProcess<Mutex<Option<Arc<Vec<u32>>>>> =
    PerProcess::new(Mutex::new(None));
/// A number of moduli per block, and the first blocks of this size.
type FirstBlocks = (usize, Vec<Arc<Block>>);
/// The first blocks of k consecutive moduli, for each k that a run had.
static FIRST_BLOCKS: PerProcess<Mutex<Vec<FirstBlocks>>> = PerProcess::new(Mutex::new(Vec::new()));
/// A number of moduli, and the product of the first moduli of that number.
static PRODUCT: PerProcess<Mutex<Option<(usize, Resident)>>> = PerProcess::new(Mutex::new(None));

/// −1/q modulo 2^32 of the moduli q, of the first `count` at least.
pub(super) fn negative_inverses(q: &[u32], count: usize) -> Arc<Vec<u32>> {
    let mut known = NEGATIVE_INVERSES
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let mut ninv = known.take().unwrap_or_default();
    if ninv.len() < count {
        let own = Arc::make_mut(&mut ninv);
        own.extend(q[own.len()..].iter().map(|q| negative_inverse(*q)));
    }
    *known = Some(ninv.clone());
    ninv
}

/// The first blocks of `k` consecutive moduli: `count` of them, or as many as are kept.
///
/// Computes missing blocks on the rayon pool. Must not be called while a running kernel waits for
/// the calling thread: threads of the pool may be waiting for that kernel too, and the call would
/// deadlock.
pub(crate) fn first_blocks(moduli: &Moduli, k: usize, count: usize) -> Vec<Arc<Block>> {
    let count = count.min(CACHED_MODULI / k);
    let known = || FIRST_BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut list = match known().iter().find(|(size, _)| *size == k) {
        Some((_, list)) if list.len() >= count => return list[..count].to_vec(),
        Some((_, list)) => list.clone(),
        None => Vec::new(),
    };
    // The lock is not held here: a thread that waits for the pool may start other work that needs
    // the same tables.
    let known_here = list.len();
    list.extend(threads::map(count - known_here, 1, |i| {
        block(moduli, k, known_here + i)
    }));
    let mut known = known();
    match known.iter_mut().find(|(size, _)| *size == k) {
        Some((_, kept)) if kept.len() >= count => {}
        Some((_, kept)) => *kept = list.clone(),
        None => known.push((k, list.clone())),
    }
    list
}

/// The product of the first `count` moduli. It is cached because computing it takes longer than a
/// round.
pub(crate) fn product_of_first(moduli: &Moduli, count: usize) -> Result<Resident> {
    let known = || PRODUCT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, product)) = known().as_ref().filter(|(size, _)| *size == count) {
        return Ok(product.clone());
    }
    let product = product(&moduli.q[..count])?;
    *known() = Some((count, product.clone()));
    Ok(product)
}
