//! The largest primes of a given number of bits, by a sieve of Eratosthenes that walks down from
//! the power of two.
//!
//! The process caches the primes found of each size. Lists of up to 32 bits are extended when more
//! primes are needed. Nothing is stored on disk: one core sieves the 73 thousand primes of a 352
//! Kibit GCD in a few milliseconds and 16 million primes of 32 bits in half a second. Reading those
//! from disk would take a tenth of that, once per process.

use std::sync::{Arc, Mutex, PoisonError};

use super::words;
use crate::fork::PerProcess;
use crate::threads;

/// Odd numbers of a segment: a byte each, so that a segment stays in a core's second-level cache.
const SEGMENT: u64 = 1 << 17;

/// Odd numbers of a short segment: for `walk`, which keeps next to nothing in memory, and for
/// primes of more than `SIEVED` bits.
const SHORT_SEGMENT: u64 = 1 << 14;

/// Primes of more bits are the numbers that remain after a sieve by the primes below 2^16 and pass
/// a test for primality.
const SIEVED: u32 = 40;

/// Maximum segments that are sieved in parallel before the count is checked again.
const SEGMENTS: u64 = 64;

/// The longest list of primes of one size that was asked for.
type Known<T> = PerProcess<Mutex<Option<Arc<Vec<T>>>>>;

/// At least the `count` largest primes below 2^bits, largest first, or all primes of exactly `bits`
/// bits if these are fewer. 2 ≤ bits ≤ 32.
pub(crate) fn largest(bits: u32, count: usize) -> Arc<Vec<u32>> {
    assert!((2..=32).contains(&bits));
    static KNOWN: [Known<u32>; 33] = [const { PerProcess::new(Mutex::new(None)) }; 33];
    let known = || (KNOWN[bits as usize].lock()).unwrap_or_else(PoisonError::into_inner);
    let list = known().clone().unwrap_or_default();
    if list.len() >= count {
        return list;
    }
    // Not under the lock: the sieve's threads may take up work that asks for primes itself.
    let from = list.last().map_or(1 << bits, |p| u64::from(*p));
    let mut longer = list.to_vec();
    // Primes of at most 32 bits.
    longer.extend(descend(bits, from, count - longer.len()).map(|p| p as u32));
    let longer = Arc::new(longer);
    let mut slot = known();
    if slot.as_ref().is_none_or(|kept| kept.len() < longer.len()) {
        *slot = Some(longer.clone());
    }
    longer
}

/// At least the `count` largest primes below 2^bits, largest first, or all primes of exactly `bits`
/// bits if these are fewer. 2 ≤ bits ≤ 62. The process caches the longest list of each size.
pub(crate) fn largest_wide(bits: u32, count: usize) -> Arc<Vec<u64>> {
    assert!((2..=62).contains(&bits));
    static KNOWN: [Known<u64>; 63] = [const { PerProcess::new(Mutex::new(None)) }; 63];
    let known = || (KNOWN[bits as usize].lock()).unwrap_or_else(PoisonError::into_inner);
    if let Some(list) = &*known()
        && list.len() >= count
    {
        return list.clone();
    }
    // Not under the lock: the sieve's threads may take up work that asks for primes itself.
    let longer = Arc::new(descend(bits, 1 << bits, count).collect::<Vec<u64>>());
    let mut slot = known();
    if slot.as_ref().is_none_or(|kept| kept.len() < longer.len()) {
        *slot = Some(longer.clone());
    }
    longer
}

/// Shows the `count` largest primes below 2^bits, largest first and some at a time, and keeps none;
/// how many there were. 3 ≤ bits ≤ 32.
pub(crate) fn walk(bits: u32, count: usize, mut show: impl FnMut(&[u64])) -> usize {
    assert!((3..=32).contains(&bits));
    let mut seen = 0;
    let most = threads::count() as u64;
    batches(bits, 1 << bits, count, (most, SHORT_SEGMENT), |primes| {
        let some = &primes[..primes.len().min(count - seen)];
        show(some);
        seen += some.len();
    });
    seen
}

/// Primes below `from` and above 2^(bits−1), downwards: `count` of them or a few more, or all.
fn descend(bits: u32, from: u64, count: usize) -> impl Iterator<Item = u64> {
    let mut found: Vec<u64> = Vec::with_capacity(count);
    let length = if bits > SIEVED {
        SHORT_SEGMENT
    } else {
        SEGMENT
    };
    batches(bits, from, count, (SEGMENTS, length), |primes| {
        found.extend(primes)
    });
    if bits == 2 && from > 2 && found.len() < count {
        found.push(2);
    }
    found.into_iter()
}

/// Shows the odd primes below `from` and above 2^(bits−1), largest first and some at a time, until
/// at least `count` were shown or none is left. Up to `most` segments of `length` odd numbers each
/// are sieved side by side.
fn batches(
    bits: u32,
    from: u64,
    count: usize,
    (most, length): (u64, u64),
    mut show: impl FnMut(&[u64]),
) {
    let floor = 1u64 << (bits - 1);
    let small = match bits {
        0..=SIEVED => small_primes(((from as f64).sqrt() as u64) + 1),
        _ => small_primes(1 << 16),
    };
    let mut found = 0;
    // Odd numbers floor + 1, floor + 3, ... below from; 2 and 3 are the only primes of two bits.
    let mut end = from.saturating_sub(floor) / 2;
    while found < count && end > 0 {
        // One prime in ln 2^bits numbers, so two of that many odd ones.
        let wanted = (count - found) as f64 * f64::from(bits) * 0.35;
        let segments = ((wanted as u64).div_ceil(length)).clamp(1, most);
        let pieces = threads::map(segments as usize, 1, |i| {
            let high = end.saturating_sub(i as u64 * length);
            let mut left = sieve(floor, high.saturating_sub(length)..high, &small);
            if bits > SIEVED {
                left.retain(|n| words::is_odd_prime(*n));
            }
            left
        });
        for piece in &pieces {
            found += piece.len();
            show(piece);
        }
        end = end.saturating_sub(segments * length);
    }
}

/// The numbers among floor + 1 + 2i for i in the range that none of `small` divides, and `small`
/// themselves, largest first; floor is even.
fn sieve(floor: u64, range: std::ops::Range<u64>, small: &[u32]) -> Vec<u64> {
    let len = (range.end - range.start) as usize;
    let mut composite = vec![false; len];
    let first = floor + 1 + 2 * range.start;
    let last = floor + 1 + 2 * range.end;
    for p in small.iter().map(|p| u64::from(*p)) {
        if p * p >= last {
            break;
        }
        // The first odd multiple of p from `first` on, and never p itself.
        let multiple = first.next_multiple_of(p);
        let odd = if multiple % 2 == 0 {
            multiple + p
        } else {
            multiple
        };
        let start = odd.max(p * p);
        composite
            .get_mut(((start - first) / 2) as usize..)
            .into_iter()
            .for_each(|rest| rest.iter_mut().step_by(p as usize).for_each(|c| *c = true));
    }
    let primes = composite.iter().enumerate().rev();
    primes
        .filter(|(_, composite)| !**composite)
        .map(|(i, _)| first + 2 * i as u64)
        .filter(|p| *p > 1)
        .collect()
}

/// Odd primes up to `limit` < 2^32.
pub(crate) fn small_primes(limit: u64) -> Vec<u32> {
    let odd = words::up_to(limit).into_iter().skip(1);
    odd.map(|p| p as u32).collect()
}
