//! Sorts on the host's cores.
//!
//! | words | few | more | many |
//! |---|---|---|---|
//! | 32 bits | the standard library | rdst | rdst |
//! | 64 bits | the standard library | rayon | rdst |
//! | 128 bits | the standard library | rayon | rayon |
//!
//! rdst and rayon's sort are generic and long. They are instantiated for these words, here and
//! nowhere else.

use bytemuck::cast_slice_mut;
use rayon::slice::ParallelSliceMut;
use rdst::RadixSort;

use super::key::Bits;
use super::plan::Order;
use super::{Key, Options, Value};
use crate::threads;

/// Words of 32, 64 and 128 bits that one core sorts as fast as any other way does.
pub(super) const FEW_32: usize = 1 << 11;
pub(super) const FEW_64: usize = 1 << 15;
pub(super) const FEW_128: usize = 1 << 13;

/// Words of 64 bits from which on digits are faster than comparisons.
pub(super) const MANY: usize = 1 << 20;

/// Words that one thread changes in a row.
pub(super) const CHUNK: usize = 1 << 14;

/// Sorts in place: keys are replaced by their words, and the words are sorted.
pub(super) fn sort<K: Key>(keys: &mut [K], options: Options) {
    let order = Order::of::<K>(options.descending);
    if K::BYTES == 4 {
        by_words(cast_slice_mut::<K, u32>(keys), order, sort_u32);
    } else {
        by_words(cast_slice_mut::<K, u64>(keys), order, sort_u64);
    }
}

fn by_words<W: Bits>(keys: &mut [W], order: Order, sort: fn(&mut [W])) {
    if order == Order::PLAIN {
        return sort(keys);
    }
    let width = 8 * W::BYTES;
    change(keys, |_, key| {
        *key = W::from_bits(order.word_of(key.to_bits(), width))
    });
    sort(keys);
    change(keys, |_, word| {
        *word = W::from_bits(order.bits_of(word.to_bits(), width))
    });
}

/// Each key is sorted with its place below it. No two such words are equal, so that an unstable
/// sort is as good as a stable one.
pub(super) fn sort_with_values<K: Key, V: Value>(
    keys: &mut [K],
    values: &mut [V],
    options: Options,
) {
    let order = Order::of::<K>(options.descending);
    let word = |key: &K| order.word_of(key.to_bits(), 8 * K::BYTES);
    let key = |word: u64| K::from_bits(order.bits_of(word, 8 * K::BYTES));
    let unmoved = values.to_vec();
    if K::BYTES == 4 && u32::try_from(keys.len()).is_ok() {
        let mut placed = vec![0u64; keys.len()];
        change(&mut placed, |i, placed| {
            *placed = word(&keys[i]) << 32 | i as u64
        });
        sort_u64(&mut placed);
        change(keys, |i, to| *to = key(placed[i] >> 32));
        change(values, |i, to| *to = unmoved[placed[i] as u32 as usize]);
    } else {
        let mut placed = vec![0u128; keys.len()];
        change(&mut placed, |i, placed| {
            *placed = u128::from(word(&keys[i])) << 64 | i as u128;
        });
        sort_u128(&mut placed);
        change(keys, |i, to| *to = key((placed[i] >> 64) as u64));
        change(values, |i, to| *to = unmoved[placed[i] as u64 as usize]);
    }
}

/// `work(i, item)` for every item, on all threads where there are enough.
fn change<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    let chunk = |number: usize, items: &mut [T]| {
        for (i, item) in items.iter_mut().enumerate() {
            work(number * CHUNK + i, item);
        }
    };
    if items.len() <= CHUNK {
        chunk(0, items);
    } else {
        threads::chunks_mut(items, CHUNK, 1, chunk);
    }
}

#[inline(never)]
fn sort_u32(words: &mut [u32]) {
    if words.len() <= FEW_32 {
        words.sort_unstable();
    } else {
        on_threads(words, |words| words.radix_sort_unstable());
    }
}

/// Sorts on several threads, or on this one where there are no others.
fn on_threads<W: Ord + Send>(words: &mut [W], sort: fn(&mut [W])) {
    if !threads::in_pool(&mut || sort(words)) {
        words.sort_unstable();
    }
}

#[inline(never)]
fn sort_u64(words: &mut [u64]) {
    if words.len() <= FEW_64 {
        words.sort_unstable();
    } else if words.len() < MANY {
        on_threads(words, |words| words.par_sort_unstable());
    } else {
        on_threads(words, |words| words.radix_sort_unstable());
    }
}

#[inline(never)]
fn sort_u128(words: &mut [u128]) {
    if words.len() <= FEW_128 {
        words.sort_unstable();
    } else {
        on_threads(words, |words| words.par_sort_unstable());
    }
}
