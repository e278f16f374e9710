//! Rows from bytes and numbers, and back.

use super::{Batch, Rows};
use crate::error::{Error, Result};
use crate::int::Int;

impl Batch {
    /// One row for every `size` bytes, the least significant first, in as few limbs as hold them.
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
        let mut ascending = vec![0; 8 * width];
        let mut limbs = Vec::with_capacity(bytes.len() / size * width);
        for row in bytes.chunks_exact(size) {
            fill(row, &mut ascending);
            let (words, _) = ascending.as_chunks();
            limbs.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        }
        Batch::from_limbs(limbs, width)
    }

    /// Every row as a number.
    pub fn try_to_ints(&self) -> Result<Vec<Int>> {
        (0..self.count).map(|row| self.try_get(row)).collect()
    }
}

impl Rows<'_> {
    /// The rows one after the other, 8·width bytes each, the least significant first.
    pub fn try_to_le_bytes(&self) -> Result<Vec<u8>> {
        Ok(self
            .host()?
            .iter()
            .flat_map(|limb| limb.to_le_bytes())
            .collect())
    }

    /// The rows one after the other, 8·width bytes each, the most significant first.
    pub fn try_to_be_bytes(&self) -> Result<Vec<u8>> {
        let rows = self.host()?.chunks_exact(self.batch.width);
        let limbs = rows.flat_map(|row| row.iter().rev());
        Ok(limbs.flat_map(|limb| limb.to_be_bytes()).collect())
    }
}
