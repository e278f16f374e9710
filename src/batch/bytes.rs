//! Rows from bytes and numbers, and back.

use super::{Batch, Rows, limbs_of};
use crate::error::{Error, Result};
use crate::int::Int;
use crate::memory;

impl Batch {
    /// Makes one row from every `size` bytes, the least significant first, with the smallest number
    /// of limbs.
    ///
    /// ```
    /// use bezout::Batch;
    /// let batch = Batch::from_le_bytes(&[1, 2, 3, 4], 2)?;
    /// assert_eq!(batch.try_limbs()?, [0x0201, 0x0403]);
    /// assert_eq!(batch.try_rows(1..2)?.try_to_be_bytes()?, [0, 0, 0, 0, 0, 0, 4, 3]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn from_le_bytes(bytes: &[u8], size: usize) -> Result<Batch> {
        Batch::from_bytes(bytes, size, |row, ascending| {
            ascending
                .iter_mut()
                .zip(row)
                .for_each(|(to, from)| *to = *from);
        })
    }

    /// One row for every `size` bytes, the most significant first, in as few limbs as hold them.
    pub fn from_be_bytes(bytes: &[u8], size: usize) -> Result<Batch> {
        Batch::from_bytes(bytes, size, |row, ascending| {
            let reversed = row.iter().rev();
            ascending
                .iter_mut()
                .zip(reversed)
                .for_each(|(to, from)| *to = *from);
        })
    }

    /// `fill` writes the bytes of a row in ascending order.
    fn from_bytes(bytes: &[u8], size: usize, fill: impl Fn(&[u8], &mut [u8])) -> Result<Batch> {
        if size == 0 || !bytes.len().is_multiple_of(size) {
            return Err(Error::Domain(format!(
                "{} bytes are not whole rows of {size} bytes",
                bytes.len()
            )));
        }
        let width = size.div_ceil(8);
        let count = bytes.len() / size;
        if count == 0 {
            return Batch::from_limbs(Vec::new(), width);
        }
        let mut ascending = memory::room("the batch", 8 * width)?;
        ascending.resize(8 * width, 0);
        let mut limbs = memory::room("the batch", limbs_of(count, width)?)?;
        for row in bytes.chunks_exact(size) {
            fill(row, &mut ascending);
            let (words, _) = ascending.as_chunks();
            limbs.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        }
        Batch::from_limbs(limbs, width)
    }

    /// Every row as a number.
    pub fn try_to_ints(&self) -> Result<Vec<Int>> {
        let mut numbers = memory::room("the numbers", self.count)?;
        for row in 0..self.count {
            memory::check_copies("a row", 64 * self.width as u128, 2)?;
            numbers.push(self.try_get(row)?);
        }
        Ok(numbers)
    }
}

impl Rows<'_> {
    /// The rows one after the other, 8·width bytes each, the least significant first.
    pub fn try_to_le_bytes(&self) -> Result<Vec<u8>> {
        let limbs = self.host()?;
        let mut bytes = memory::room("the bytes", 8 * limbs.len())?;
        bytes.extend(limbs.iter().flat_map(|limb| limb.to_le_bytes()));
        Ok(bytes)
    }

    /// The rows one after the other, 8·width bytes each, the most significant first.
    pub fn try_to_be_bytes(&self) -> Result<Vec<u8>> {
        let rows = self.host()?.chunks_exact(self.batch.width);
        let limbs = rows.flat_map(|row| row.iter().rev());
        let mut bytes = memory::room("the bytes", 8 * self.count * self.batch.width)?;
        bytes.extend(limbs.flat_map(|limb| limb.to_be_bytes()));
        Ok(bytes)
    }
}
