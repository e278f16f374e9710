//! Columns of words that keep a host copy and a device copy, so that they can be sorted where they
//! are.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::cuda::Columns;
use super::key::{self, Bits};
use super::{Key, Options, Value, check_lengths, cpu, on_device};
use crate::cuda::exchange::{Foreign, Loan};
use crate::cuda::{Buffer, Copies, Mirror, device};
use crate::engine;
use crate::error::Result;

/// Words of one type with host and device copies; constant, like every published value.
///
/// ```
/// use bezout::sort::{Array, Options};
/// let keys = Array::from(vec![5u32, 3, 9]);
/// assert_eq!(keys.try_sorted(Options::default())?.try_host()?, [3, 5, 9]);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Clone)]
pub struct Array<W: key::Word> {
    copies: Arc<Copies<Column<W>>>,
    len: usize,
    words: PhantomData<W>,
}

/// The host copy: the given words, or the limbs of a device. An odd number of 32-bit words returns
/// from a device with one word more.
enum Column<W> {
    Given(Vec<W>),
    Fetched(Vec<u64>),
}

impl<W: Bits> Column<W> {
    fn words(&self) -> &[W] {
        match self {
            Column::Given(words) => words,
            Column::Fetched(limbs) => bytemuck::cast_slice(limbs),
        }
    }
}

impl<W: Bits> Mirror for Column<W> {
    fn write(&self, buffer: &Buffer) -> Result<()> {
        key::write(buffer, self.words())
    }

    fn read(limbs: Vec<u64>) -> Column<W> {
        Column::Fetched(limbs)
    }
}

impl<W: key::Word> From<Vec<W>> for Array<W> {
    fn from(words: Vec<W>) -> Array<W> {
        let len = words.len();
        Array {
            copies: Copies::from_host(Column::Given(words), super::cuda::limbs(len, W::BYTES)),
            len,
            words: PhantomData,
        }
    }
}

impl<W: key::Word> fmt::Debug for Array<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array of {} words of {} bytes", self.len, W::BYTES)
    }
}

impl<W: key::Word> Array<W> {
    fn from_device(buffer: Buffer, len: usize) -> Array<W> {
        assert_eq!(buffer.limbs(), super::cuda::limbs(len, W::BYTES));
        Array {
            copies: Copies::from_device(buffer),
            len,
            words: PhantomData,
        }
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The words; fetched from the device if need be.
    pub fn try_host(&self) -> Result<&[W]> {
        Ok(&self.copies.host()?.words()[..self.len])
    }

    /// Makes a copy on CUDA device `n`, so that it is sorted there.
    pub fn try_to_device(&self, n: u32) -> Result<()> {
        self.copies.on(&device(n)?).map(drop)
    }

    /// Whether a device has a copy.
    pub fn is_on_device(&self) -> bool {
        self.copies.device().is_some()
    }

    /// The device copy on device `n`, made first if there is none, for other code.
    #[doc(hidden)]
    pub fn lend(&self, n: u32) -> Result<Loan> {
        let buffer = self.copies.on(&device(n)?)?;
        let limbs = buffer.limbs();
        Ok(Loan::new(buffer, limbs))
    }

    /// The words in memory of other code: shared where its layout allows that, else copied on the
    /// device.
    #[doc(hidden)]
    pub fn from_foreign(memory: Foreign) -> Result<Array<W>> {
        let len = memory.bytes() / W::BYTES as usize;
        Ok(Array::from_device(memory.into_buffer(false)?, len))
    }
}

impl<K: Key> Array<K> {
    /// The keys in order.
    pub fn try_sorted(&self, options: Options) -> Result<Array<K>> {
        options.check()?;
        if self.len < 2 {
            return Ok(self.clone());
        }
        engine::run(
            super::work_of(self.len, K::BYTES, 0),
            [self.copies.residence()],
            || {
                let mut keys = self.try_host()?.to_vec();
                cpu::sort(&mut keys, options);
                Ok(keys.into())
            },
            |device| {
                let input = Columns {
                    keys: &*self.copies.on(device)?,
                    values: None,
                    len: self.len,
                };
                let sorted = on_device::<K>(device, &input, 0, options)?;
                Ok(Array::from_device(sorted.keys, self.len))
            },
        )
    }

    /// The keys in order, and each one's value with it.
    pub fn try_sorted_with<V: Value>(
        &self,
        values: &Array<V>,
        options: Options,
    ) -> Result<(Array<K>, Array<V>)> {
        options.check()?;
        check_lengths(self.len, values.len)?;
        if self.len < 2 {
            return Ok((self.clone(), values.clone()));
        }
        engine::run(
            super::work_of(self.len, K::BYTES, V::BYTES).with_room(2 * self.len),
            [self.copies.residence(), values.copies.residence()],
            || {
                let (mut keys, mut moved) =
                    (self.try_host()?.to_vec(), values.try_host()?.to_vec());
                cpu::sort_with_values(&mut keys, &mut moved, options);
                Ok((keys.into(), moved.into()))
            },
            |device| {
                let column = values.copies.on(device)?;
                let input = Columns {
                    keys: &*self.copies.on(device)?,
                    values: Some(&*column),
                    len: self.len,
                };
                let sorted = on_device::<K>(device, &input, V::BYTES, options)?;
                let moved = sorted.values.expect("values were given");
                Ok((
                    Array::from_device(sorted.keys, self.len),
                    Array::from_device(moved, self.len),
                ))
            },
        )
    }
}
