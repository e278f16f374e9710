//! Sorts on the host's cores.

use rayon::slice::ParallelSliceMut;

use super::plan::Order;
use super::{Key, Options, Value};

pub(super) fn sort<K: Key>(keys: &mut [K], options: Options) {
    let order = Order::of::<K>(options.descending);
    keys.par_sort_unstable_by_key(|key| order.word::<K>(*key));
}

pub(super) fn sort_with_values<K: Key, V: Value>(
    keys: &mut [K],
    values: &mut [V],
    options: Options,
) {
    let order = Order::of::<K>(options.descending);
    let mut pairs: Vec<(K, V)> = keys.iter().copied().zip(values.iter().copied()).collect();
    pairs.par_sort_by_key(|(key, _)| order.word::<K>(*key));
    for ((key, value), pair) in keys.iter_mut().zip(values).zip(pairs) {
        (*key, *value) = pair;
    }
}
