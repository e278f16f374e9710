//! Sorts on the host's cores, by rdst.

use rdst::{RadixKey, RadixSort};

use super::plan::Order;
use super::{Key, Options, Value};

pub(super) fn sort<K: Key>(keys: &mut [K], options: Options) {
    let order = Order::of::<K>(options.descending);
    let key = |word: u64| K::from_bits(order.bits::<K>(word));
    match K::BYTES {
        4 => sort_words(keys, |k| order.word(k) as u32, |w| key(w.into())),
        _ => sort_words(keys, |k| order.word(k), key),
    }
}

fn sort_words<K: Key, W: RadixKey + Copy + Send + Sync>(
    keys: &mut [K],
    word: impl Fn(K) -> W,
    key: impl Fn(W) -> K,
) {
    let mut words: Vec<W> = keys.iter().map(|k| word(*k)).collect();
    words.radix_sort_unstable();
    for (to, word) in keys.iter_mut().zip(words) {
        *to = key(word);
    }
}

pub(super) fn sort_with_values<K: Key, V: Value>(
    keys: &mut [K],
    values: &mut [V],
    options: Options,
) {
    let order = Order::of::<K>(options.descending);
    let (word, narrow) = (|k| order.word(k), |k| order.word(k) as u32);
    // Places of fewer than 2^32 keys fit half a word.
    match (K::BYTES, u32::try_from(keys.len()).is_ok()) {
        (4, true) => sort_placed(keys, values, narrow, |i| i as u32, |p| p as usize),
        (4, false) => sort_placed(keys, values, narrow, |i| i as u64, |p| p as usize),
        (_, true) => sort_placed(keys, values, word, |i| i as u32, |p| p as usize),
        (_, false) => sort_placed(keys, values, word, |i| i as u64, |p| p as usize),
    }
}

/// A key's word and where it lay. No two are equal, so that an unstable sort is as good as a stable one.
#[derive(Clone, Copy)]
struct Placed<W, P> {
    word: W,
    place: P,
}

impl<W: RadixKey, P: RadixKey> RadixKey for Placed<W, P> {
    const LEVELS: usize = P::LEVELS + W::LEVELS;

    fn get_level(&self, level: usize) -> u8 {
        match level.checked_sub(P::LEVELS) {
            None => self.place.get_level(level),
            Some(level) => self.word.get_level(level),
        }
    }
}

fn sort_placed<K: Key, V: Value, W, P>(
    keys: &mut [K],
    values: &mut [V],
    word: impl Fn(K) -> W,
    place: fn(usize) -> P,
    index: fn(P) -> usize,
) where
    W: RadixKey + Copy + Send + Sync,
    P: RadixKey + Copy + Send + Sync,
{
    let placed = keys.iter().enumerate();
    let mut placed: Vec<Placed<W, P>> = placed
        .map(|(i, key)| Placed {
            word: word(*key),
            place: place(i),
        })
        .collect();
    placed.radix_sort_unstable();
    let moved: Vec<(K, V)> = placed
        .iter()
        .map(|p| (keys[index(p.place)], values[index(p.place)]))
        .collect();
    for ((key, value), pair) in keys.iter_mut().zip(values).zip(moved) {
        (*key, *value) = pair;
    }
}
