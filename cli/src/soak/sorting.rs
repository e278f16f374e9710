//! Sorting of words. Checked by the standard library's stable sort.

use bezout::Result;
use bezout::sort::{self, Options};
use rand::RngExt;

use super::operation::{Operation, Value};
use super::sample::{Rng, Sample};

pub const OPERATIONS: &[Operation] = &[Operation {
    name: "sort",
    most_bits: 1 << 32,
    draw: keys,
    compute: |s| {
        let (mut keys, order) = (s.words[0].clone(), options(s));
        let places = sort::permutation(&keys, order)?;
        sort::sort(&mut keys, order)?;
        Ok(vec![Value::Words(keys), Value::Words(places)])
    },
    check: |s, found| {
        let keys = &s.words[0];
        let mut places: Vec<u64> = (0..keys.len() as u64).collect();
        let key = |place: &u64| keys[*place as usize];
        if is_descending(s) {
            places.sort_by_key(|place| std::cmp::Reverse(key(place)));
        } else {
            places.sort_by_key(key);
        }
        let sorted = places.iter().map(key).collect();
        Ok(found == [Value::Words(sorted), Value::Words(places)])
    },
}];

/// Keys with few different values or many, and the order.
fn keys(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let count = bits.div_ceil(64) as usize;
    let mask = u64::MAX >> rng.random_range(0..64);
    let shift = rng.random_range(0..=mask.leading_zeros());
    Ok(Sample {
        words: vec![
            (0..count)
                .map(|_| (rng.random::<u64>() & mask) << shift)
                .collect(),
        ],
        count: rng.random_range(0..2),
        ..Sample::default()
    })
}

fn is_descending(s: &Sample) -> bool {
    s.count == 1
}

fn options(s: &Sample) -> Options {
    let options = Options::default();
    if is_descending(s) {
        options.descending()
    } else {
        options
    }
}
