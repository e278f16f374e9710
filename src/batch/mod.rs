//! Many unsigned integers of one length, side by side: linear operations on slices of them here,
//! others in `arith/`.
//!
//! A batch is `count` rows of `width` 64-bit limbs, little-endian, contiguous. Arithmetic is modulo
//! 2^(64·width), like Rust's wrapping operations. Operations take [`Rows`], a run of rows of a
//! batch, and give a new batch; the same kernels serve a batch and a single number, with carries
//! that start afresh at each row.
//!
//! Rows have no operators and no panicking methods. The name of a method that can fail starts with
//! `try_`, and the method returns a `Result`. Constructors (`new`, `fill`, `from_…`) return one
//! too.

pub(crate) mod arith;
mod bytes;
mod cpu;
mod cuda;
mod limb_pool;
#[cfg(test)]
mod tests;

pub use arith::Moduli;

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::number::Integer;
use crate::number::Natural;

use crate::cuda::exchange::{Foreign, Loan};
use crate::cuda::{Buffer, Copies, Device, Mirror, device};
use crate::engine;
use crate::error::{Error, Result};
use crate::int::Int;
use crate::limbs::{BitChange, check_bits};
use crate::memory;

/// Equal-length unsigned integers with host and device copies.
#[derive(Clone)]
pub struct Batch {
    copies: Arc<Copies<HostLimbs>>,
    count: usize,
    width: usize,
}

/// A run of rows of a batch.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    batch: &'a Batch,
    first: usize,
    count: usize,
}

/// The limbs of `count` rows. An error if they fit in no memory.
fn limbs_of(count: usize, width: usize) -> Result<usize> {
    let limbs = count as u128 * width as u128;
    let bits = u64::try_from(limbs.saturating_mul(64)).unwrap_or(u64::MAX);
    check_bits("the batch", bits)?;
    Ok(limbs as usize)
}

/// Two-operand operations on rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pairwise {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// The limbs of a batch on the host.
pub(crate) enum HostLimbs {
    Own(limb_pool::Limbs),
    /// Those of something else, which never change.
    Shared(Arc<dyn AsRef<[u64]> + Send + Sync>),
}

impl HostLimbs {
    pub(crate) fn get(&self) -> &[u64] {
        match self {
            HostLimbs::Own(limbs) => limbs,
            HostLimbs::Shared(limbs) => (**limbs).as_ref(),
        }
    }

    pub(crate) fn into_vec(self) -> Vec<u64> {
        match self {
            HostLimbs::Own(limbs) => limbs.into_vec(),
            HostLimbs::Shared(limbs) => (*limbs).as_ref().to_vec(),
        }
    }
}

impl Mirror for HostLimbs {
    fn write(&self, buffer: &Buffer) -> Result<()> {
        buffer.device().upload_into(buffer, 0, self.get())
    }

    fn read(limbs: Vec<u64>) -> HostLimbs {
        HostLimbs::Own(limbs.into())
    }
}

impl Batch {
    /// Rows of `width` limbs each, one after the other.
    ///
    /// ```
    /// use bezout::Batch;
    /// let batch = Batch::from_limbs(vec![u64::MAX, 0, 7, 1], 2)?;
    /// let sum = batch.all().try_add(&batch.all())?;
    /// assert_eq!(sum.try_limbs()?, [u64::MAX - 1, 1, 14, 2]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn from_limbs(limbs: Vec<u64>, width: usize) -> Result<Batch> {
        Batch::from_host(HostLimbs::Own(limbs.into()), width)
    }

    /// Rows of `width` limbs each in memory that something else owns, which is not copied and must
    /// not change while the batch is alive.
    ///
    /// ```
    /// use std::sync::Arc;
    /// let limbs = Arc::new(vec![3, 0, 7, 1]);
    /// let batch = bezout::Batch::from_shared(limbs.clone(), 2)?;
    /// assert_eq!(batch.try_limbs()?.as_ptr(), limbs.as_ptr());
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn from_shared(limbs: Arc<dyn AsRef<[u64]> + Send + Sync>, width: usize) -> Result<Batch> {
        Batch::from_host(HostLimbs::Shared(limbs), width)
    }

    fn from_host(limbs: HostLimbs, width: usize) -> Result<Batch> {
        let len = limbs.get().len();
        // Bits of a row can be counted, also where there is no row.
        limbs_of(1, width)?;
        if width == 0 || !len.is_multiple_of(width) {
            return Err(Error::Domain(format!(
                "{len} limbs are not whole rows of {width} limbs"
            )));
        }
        Ok(Batch {
            copies: Copies::from_host(limbs, len),
            count: len / width,
            width,
        })
    }

    /// One row a number, `width` limbs each; every number must be non-negative and fit.
    pub fn from_ints(numbers: &[Int], width: usize) -> Result<Batch> {
        let mut limbs = memory::room("the batch", limbs_of(numbers.len(), width)?)?;
        for (row, number) in numbers.iter().enumerate() {
            let value = number.try_host()?;
            let own = value.magnitude().limbs();
            if *value < 0 || own.len() > width {
                return Err(Error::Domain(format!(
                    "number {row} of the batch is not an unsigned number of at most {width} limbs"
                )));
            }
            limbs.extend_from_slice(own);
            limbs.resize((row + 1) * width, 0);
        }
        Batch::from_limbs(limbs, width)
    }

    /// `count` rows, every limb `pattern`.
    pub fn fill(pattern: u64, count: usize, width: usize) -> Result<Batch> {
        if width == 0 {
            return Err(Error::Domain(format!(
                "{count} rows of {width} limbs are no batch"
            )));
        }
        let limbs = limbs_of(count, width)?;
        engine::run(
            engine::Work::IN_PLACE,
            [],
            || {
                let mut all = memory::room("the batch", limbs)?;
                all.resize(limbs, pattern);
                Batch::from_limbs(all, width)
            },
            |device| cuda::fill(device, pattern, count, width),
        )
    }

    pub(crate) fn from_device(buffer: Buffer, count: usize, width: usize) -> Batch {
        assert_eq!(buffer.limbs(), count * width);
        Batch {
            copies: Copies::from_device(buffer),
            count,
            width,
        }
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Limbs in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All limbs, row after row; fetched from the device if need be.
    pub fn try_limbs(&self) -> Result<&[u64]> {
        Ok(self.copies.host()?.get())
    }

    /// Row `row` as a number.
    pub fn try_get(&self, row: usize) -> Result<Int> {
        let limbs = self.try_limbs()?.chunks_exact(self.width).nth(row);
        let limbs = limbs
            .ok_or_else(|| Error::Domain(format!("row {row} of a batch of {} rows", self.count)))?;
        Ok(Int::from(Integer::from(Natural::from_limbs(limbs))))
    }

    /// Makes a copy on CUDA device `n`, so that operations run there.
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
        Ok(Loan::new(buffer, self.count * self.width))
    }

    /// The number of the device that has a copy.
    #[doc(hidden)]
    pub fn device_ordinal(&self) -> Option<u32> {
        self.copies.device().map(|device| device.info().ordinal)
    }

    /// Rows of `width` limbs in memory of other code: shared where its layout allows that, unless
    /// `copy` asks for a copy on the device.
    #[doc(hidden)]
    pub fn from_foreign(memory: Foreign, width: usize, copy: bool) -> Result<Batch> {
        let bytes = memory.bytes();
        limbs_of(1, width)?;
        if width == 0 || !bytes.is_multiple_of(8 * width) {
            return Err(Error::Domain(format!(
                "{bytes} bytes are not whole rows of {width} limbs"
            )));
        }
        let buffer = memory.into_buffer(copy)?;
        Ok(Batch::from_device(buffer, bytes / 8 / width, width))
    }

    /// The copies, which nothing else shares unless another batch does.
    pub(crate) fn into_copies(self) -> Arc<Copies<HostLimbs>> {
        self.copies
    }

    /// Every row.
    pub fn all(&self) -> Rows<'_> {
        Rows {
            batch: self,
            first: 0,
            count: self.count,
        }
    }

    /// The rows of `range`; an error if it leaves the batch.
    pub fn try_rows(&self, range: Range<usize>) -> Result<Rows<'_>> {
        if range.start > range.end || range.end > self.count {
            return Err(Error::Domain(format!(
                "rows {range:?} of a batch of {} rows",
                self.count
            )));
        }
        Ok(Rows {
            batch: self,
            first: range.start,
            count: range.len(),
        })
    }
}

macro_rules! pairwise {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, other: &Rows<'_>) -> Result<Batch> {
            self.pairwise(other, Pairwise::$op)
        }
    )*};
}

impl Rows<'_> {
    pairwise! {
        /// Row by row sum, modulo 2^(64·width).
        try_add = Add;
        /// Row by row difference, modulo 2^(64·width).
        try_sub = Sub;
        /// Row by row AND.
        try_and = And;
        /// Row by row OR.
        try_or = Or;
        /// Row by row XOR.
        try_xor = Xor;
    }

    fn pairwise(&self, other: &Rows<'_>, op: Pairwise) -> Result<Batch> {
        self.matches(other)?;
        self.run(
            Some(other),
            |a, width| cpu::pairwise(a, other.host()?, width, op),
            |device| cuda::pairwise(device, self, other, op),
        )
    }

    /// Every bit inverted.
    pub fn try_not(&self) -> Result<Batch> {
        self.run(
            None,
            |a, _| Ok(a.iter().map(|limb| !limb).collect()),
            |device| cuda::not(device, self),
        )
    }

    /// Row by row negation, modulo 2^(64·width). (An unsigned row is its own absolute value.)
    pub fn try_neg(&self) -> Result<Batch> {
        self.run(
            None,
            |a, width| Ok(cpu::add_word(a, width, u64::MAX, 0, true)),
            |device| cuda::add_word(device, self, u64::MAX, 0, 1),
        )
    }

    /// Each row plus `word`, modulo 2^(64·width).
    pub fn try_add_small(&self, word: i64) -> Result<Batch> {
        self.run(
            None,
            |a, width| Ok(cpu::add_word(a, width, 0, word, false)),
            |device| cuda::add_word(device, self, 0, word, 0),
        )
    }

    /// Each row times 2^count, modulo 2^(64·width).
    pub fn try_shl(&self, count: u64) -> Result<Batch> {
        let count = count.min(64 * self.batch.width as u64);
        let (limbs, part) = ((count / 64) as i64, (count % 64) as u32);
        match part {
            0 => self.shift(-limbs, 0),
            _ => self.shift(-limbs - 1, 64 - part),
        }
    }

    /// Each row divided by 2^count, rounded down.
    pub fn try_shr(&self, count: u64) -> Result<Batch> {
        let count = count.min(64 * self.batch.width as u64);
        self.shift((count / 64) as i64, (count % 64) as u32)
    }

    fn shift(&self, offset: i64, part: u32) -> Result<Batch> {
        self.run(
            None,
            |a, width| Ok(cpu::shift(a, width, offset, part)),
            |device| cuda::shift(device, self, offset, part),
        )
    }

    /// Each row with bit `index` set.
    pub fn try_set_bit(&self, index: u64) -> Result<Batch> {
        self.change_bit(index, BitChange::Set)
    }

    /// Each row with bit `index` cleared.
    pub fn try_clear_bit(&self, index: u64) -> Result<Batch> {
        self.change_bit(index, BitChange::Clear)
    }

    /// Each row with bit `index` flipped.
    pub fn try_flip_bit(&self, index: u64) -> Result<Batch> {
        self.change_bit(index, BitChange::Flip)
    }

    fn change_bit(&self, index: u64, change: BitChange) -> Result<Batch> {
        self.has_bit(index)?;
        self.run(
            None,
            |a, width| Ok(cpu::change_bit(a, width, index, change)),
            |device| cuda::change_bit(device, self, index, change),
        )
    }

    /// Bit `index` of each row.
    pub fn try_bit(&self, index: u64) -> Result<Vec<bool>> {
        self.has_bit(index)?;
        let (limb, shift) = ((index / 64) as usize, index % 64);
        let rows = self.host()?.chunks_exact(self.batch.width);
        let mut bits = memory::room("the bits", self.count)?;
        bits.extend(rows.map(|row| row[limb] >> shift & 1 == 1));
        Ok(bits)
    }

    /// Number of one bits of each row.
    pub fn try_count_ones(&self) -> Result<Vec<u64>> {
        self.reduce(None, cpu::count, |device| cuda::count(device, self, None))
    }

    /// Number of bits in which each pair of rows differs.
    pub fn try_hamming_distance(&self, other: &Rows<'_>) -> Result<Vec<u64>> {
        self.matches(other)?;
        self.reduce(
            Some(other),
            |a, width| Ok(cpu::hamming(a, other.host()?, width)),
            |device| cuda::count(device, self, Some(other)),
        )
    }

    /// Row by row comparison.
    pub fn try_compare(&self, other: &Rows<'_>) -> Result<Vec<Ordering>> {
        self.matches(other)?;
        self.reduce(
            Some(other),
            |a, width| Ok(cpu::compare(a, other.host()?, width)),
            |device| cuda::compare(device, self, other),
        )
    }

    /// The lowest one bit of each row at or above `from`.
    pub fn try_first_set_bit(&self, from: u64) -> Result<Vec<Option<u64>>> {
        self.first_bit(from, 0)
    }

    /// The lowest zero bit of each row at or above `from`.
    pub fn try_first_clear_bit(&self, from: u64) -> Result<Vec<Option<u64>>> {
        self.first_bit(from, u64::MAX)
    }

    fn first_bit(&self, from: u64, flip: u64) -> Result<Vec<Option<u64>>> {
        self.reduce(
            None,
            |a, width| Ok(cpu::first_bit(a, width, from, flip)),
            |device| cuda::first_bit(device, self, from, flip),
        )
    }

    /// The limbs of these rows on the host.
    fn host(&self) -> Result<&[u64]> {
        let width = self.batch.width;
        Ok(&self.batch.try_limbs()?[self.first * width..(self.first + self.count) * width])
    }

    fn run(
        &self,
        other: Option<&Rows<'_>>,
        on_cpu: impl FnOnce(&[u64], usize) -> Result<Vec<u64>>,
        on_cuda: impl FnOnce(&Arc<Device>) -> Result<Batch>,
    ) -> Result<Batch> {
        self.reduce(
            other,
            |a, width| Batch::from_limbs(on_cpu(a, width)?, width),
            on_cuda,
        )
    }

    fn reduce<T>(
        &self,
        other: Option<&Rows<'_>>,
        on_cpu: impl FnOnce(&[u64], usize) -> Result<T>,
        on_cuda: impl FnOnce(&Arc<Device>) -> Result<T>,
    ) -> Result<T> {
        let operands = std::iter::once(self).chain(other);
        engine::run(
            engine::Work::in_place(2 * self.count * self.batch.width),
            operands.map(|rows| rows.batch.copies.residence()),
            || on_cpu(self.host()?, self.batch.width),
            on_cuda,
        )
    }

    fn matches(&self, other: &Rows<'_>) -> Result<()> {
        if (self.count, self.batch.width) == (other.count, other.batch.width) {
            return Ok(());
        }
        Err(Error::Domain(format!(
            "{} rows of {} limbs do not match {} rows of {} limbs",
            self.count, self.batch.width, other.count, other.batch.width
        )))
    }

    fn has_bit(&self, index: u64) -> Result<()> {
        if index / 64 < self.batch.width as u64 {
            return Ok(());
        }
        Err(Error::Domain(format!(
            "bit {index} of rows of {} bits",
            64 * self.batch.width
        )))
    }
}
