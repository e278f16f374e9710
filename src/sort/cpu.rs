//! Sorts on the host's cores, by rdst.
//!
//! rdst is generic and long. It is instantiated for three widths of words, here and nowhere else.

use rdst::RadixSort;

use super::plan::Order;
use super::{Key, Options, Value};

pub(super) fn sort<K: Key>(keys: &mut [K], options: Options) {
    let order = Order::of::<K>(options.descending);
    let key = |word: u64| K::from_bits(order.bits::<K>(word));
    if K::BYTES == 4 {
        let mut words: Vec<u32> = keys.iter().map(|k| order.word(*k) as u32).collect();
        sort_u32(&mut words);
        for (to, word) in keys.iter_mut().zip(words) {
            *to = key(word.into());
        }
    } else {
        let mut words: Vec<u64> = keys.iter().map(|k| order.word(*k)).collect();
        sort_u64(&mut words);
        for (to, word) in keys.iter_mut().zip(words) {
            *to = key(word);
        }
    }
}

/// Each key is sorted with its place below it. No two such words are equal, so that an unstable
/// sort is as good as a stable one.
pub(super) fn sort_with_values<K: Key, V: Value>(
    keys: &mut [K],
    values: &mut [V],
    options: Options,
) {
    let order = Order::of::<K>(options.descending);
    if K::BYTES == 4 && u32::try_from(keys.len()).is_ok() {
        let placed = keys.iter().zip(0u64..);
        let mut placed: Vec<u64> = placed.map(|(k, i)| order.word(*k) << 32 | i).collect();
        sort_u64(&mut placed);
        arrange(keys, values, placed.iter().map(|p| *p as u32 as usize));
    } else {
        let placed = keys.iter().zip(0u128..);
        let mut placed: Vec<u128> = placed
            .map(|(k, i)| u128::from(order.word(*k)) << 64 | i)
            .collect();
        sort_u128(&mut placed);
        arrange(keys, values, placed.iter().map(|p| *p as u64 as usize));
    }
}

/// Moves the pair from each of `places` to the next place.
fn arrange<K: Key, V: Value>(
    keys: &mut [K],
    values: &mut [V],
    places: impl Iterator<Item = usize>,
) {
    let moved: Vec<(K, V)> = places.map(|i| (keys[i], values[i])).collect();
    for ((key, value), pair) in keys.iter_mut().zip(values).zip(moved) {
        (*key, *value) = pair;
    }
}

#[inline(never)]
fn sort_u32(words: &mut [u32]) {
    words.radix_sort_unstable();
}

#[inline(never)]
fn sort_u64(words: &mut [u64]) {
    words.radix_sort_unstable();
}

#[inline(never)]
fn sort_u128(words: &mut [u128]) {
    words.radix_sort_unstable();
}
