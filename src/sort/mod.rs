//! Radix sort of machine words on every engine: stable, ascending or descending, with or without a
//! value to each key.
//!
//! Floating-point keys are in the order of `f64::total_cmp`: −NaN < −∞ < … < −0.0 < +0.0 < … < +∞ <
//! +NaN, NaNs among themselves by their bits. A descending sort is stable too: equal keys stay in
//! the order in which they came.
//!
//! ```
//! use bezout::sort::{Options, sort, sort_with_values};
//!
//! let mut keys = [3.5f64, -0.0, f64::NAN, 0.0, -7.25];
//! let mut values = [0u32, 1, 2, 3, 4];
//! sort_with_values(&mut keys, &mut values, Options::default())?;
//! assert_eq!(values, [4, 1, 3, 0, 2]);
//! sort(&mut keys, Options::default().descending())?;
//! assert!(keys[0].is_nan() && keys[4] == -7.25);
//! # Ok::<(), bezout::Error>(())
//! ```

mod array;
mod cpu;
pub(crate) mod cuda;
mod key;
pub(crate) mod plan;
#[cfg(test)]
mod tests;

pub use array::Array;
pub use key::{Key, Value};

use std::sync::Arc;

use crate::cuda::Device;
use crate::engine::{Work, device_for};
use crate::error::{Error, Result};
use crate::memory;
use crate::tuning::Tuning;
use cuda::{Columns, Sorted};
use plan::{Order, Plain, Sizes, SortShape};

/// How to sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// From the largest key to the smallest.
    pub descending: bool,
    /// Bits of the digits by which a device sorts, 1 to 8: the parameter s of the machine-model
    /// paper. Fewer bits mean more passes over the keys. None for 8, or for the tuned value of the
    /// plain algorithm.
    pub bits: Option<u32>,
    /// By which algorithm a device sorts.
    pub algorithm: Algorithm,
}

/// How a device sorts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// In one sweep over memory a digit.
    #[default]
    Onesweep,
    /// As the machine-model paper has it (Satish, Harris and Garland): tiles sorted bit by bit,
    /// prefix sums, scatter. For comparison.
    Plain,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            descending: false,
            bits: None,
            algorithm: Algorithm::Onesweep,
        }
    }
}

impl Options {
    /// These options with keys sorted from the largest to the smallest.
    pub fn descending(self) -> Options {
        Options {
            descending: true,
            ..self
        }
    }

    /// These options with digits of `bits` bits on a device, 1 to 8.
    pub fn bits(self, bits: u32) -> Options {
        Options {
            bits: Some(bits),
            ..self
        }
    }

    /// These options with this algorithm on a device.
    pub fn algorithm(self, algorithm: Algorithm) -> Options {
        Options { algorithm, ..self }
    }

    fn check(self) -> Result<()> {
        match self.bits {
            None | Some(1..=8) => Ok(()),
            Some(bits) => Err(Error::Domain(format!(
                "digits of {bits} bits: a sort takes 1 to 8 bits a pass"
            ))),
        }
    }
}

/// Sorts keys.
pub fn sort<K: Key>(keys: &mut [K], options: Options) -> Result<()> {
    options.check()?;
    if keys.len() < 2 {
        return Ok(());
    }
    check_room(size_of_val(keys))?;
    if let Some(device) = device_for(work_of(keys.len(), K::BYTES, 0))? {
        let column = key::upload(&device, keys)?;
        let input = Columns {
            keys: &column,
            values: None,
            len: keys.len(),
        };
        let sorted = on_device::<K>(&device, &input, 0, options)?;
        return key::download(&sorted.keys, keys);
    }
    cpu::sort(keys, options);
    Ok(())
}

/// The sort of `keys` keys of `key` bytes each, with values of `value` bytes each.
fn work_of(keys: usize, key: u32, value: u32) -> Work {
    Work::sort(keys).needing(cuda::units_of, (key.into(), value.into()))
}

/// Sorts keys and takes a value with each; they must be equally many.
pub fn sort_with_values<K: Key, V: Value>(
    keys: &mut [K],
    values: &mut [V],
    options: Options,
) -> Result<()> {
    options.check()?;
    check_lengths(keys.len(), values.len())?;
    if keys.len() < 2 {
        return Ok(());
    }
    // Each key becomes a word of up to 128 bits, with its place.
    check_room(16 * keys.len() + size_of_val(values))?;
    if let Some(device) = device_for(work_of(keys.len(), K::BYTES, V::BYTES))? {
        let columns = (key::upload(&device, keys)?, key::upload(&device, values)?);
        let input = Columns {
            keys: &columns.0,
            values: Some(&columns.1),
            len: keys.len(),
        };
        let sorted = on_device::<K>(&device, &input, V::BYTES, options)?;
        key::download(&sorted.keys, keys)?;
        return sorted
            .values
            .map_or(Ok(()), |column| key::download(&column, values));
    }
    cpu::sort_with_values(keys, values, options);
    Ok(())
}

/// The permutation that sorts the keys: the current index of each key in sorted order.
pub fn permutation<K: Key>(keys: &[K], options: Options) -> Result<Vec<u64>> {
    let mut indices = memory::room("the permutation", keys.len())?;
    indices.extend(0..keys.len() as u64);
    let mut sorted = memory::room("the permutation", keys.len())?;
    sorted.extend_from_slice(keys);
    sort_with_values(&mut sorted, &mut indices, options)?;
    Ok(indices)
}

/// Returns an error if there is no memory for `bytes` bytes of working space.
fn check_room(bytes: usize) -> Result<()> {
    memory::check_copies("the sort", 8 * bytes as u128, 1)
}

fn check_lengths(keys: usize, values: usize) -> Result<()> {
    if keys == values {
        Ok(())
    } else {
        Err(Error::Domain(format!(
            "{keys} keys with {values} values: each key needs one"
        )))
    }
}

/// Sorts n ≥ 1 keys of type K on a device.
fn on_device<K: Key>(
    device: &Arc<Device>,
    input: &Columns<'_>,
    value_bytes: u32,
    options: Options,
) -> Result<Sorted> {
    let order = Order::of::<K>(options.descending);
    let sizes = |own: u32| Sizes::new(K::BYTES, value_bytes, options.bits.unwrap_or(own));
    match options.algorithm {
        Algorithm::Onesweep => {
            let shape = SortShape::of(Tuning::in_force(), sizes(8));
            cuda::onesweep(device, input, order, shape)
        }
        Algorithm::Plain => {
            let tuning = Tuning::at("plain-sort", input.len as u64);
            let plain = Plain::of(tuning, sizes(tuning.plain_sort_bits));
            cuda::plain(device, input, order, plain)
        }
    }
}
