//! Limbs and bytes in and out, and GMP's raw format.

use std::io::{self, Read, Write};

use crate::number::Integer;
use crate::number::Natural;

use super::{Int, must};
use crate::error::{Error, Result};
use crate::limbs::{Resident, check_bits};
use crate::memory;

impl Int {
    /// Limbs of the magnitude, least significant first, none above the highest nonzero one; 0 has
    /// none.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!((Int::from(-5) << 64).limbs(), [0, 5]);
    /// ```
    ///
    /// # Panics
    /// If the device that holds the only copy is lost.
    #[inline]
    pub fn limbs(&self) -> &[u64] {
        if let Resident::Small(value) = &self.limbs {
            return value.limbs();
        }
        must(self.try_limbs())
    }

    /// Limbs of the magnitude, least significant first, fetched first if they are only on a device.
    pub fn try_limbs(&self) -> Result<&[u64]> {
        Ok(self.try_host()?.limbs())
    }

    /// Limbs of the magnitude by value, not copied where no clone shares them.
    ///
    /// # Panics
    /// If the device that holds the only copy is lost.
    #[track_caller]
    pub fn into_limbs(self) -> Vec<u64> {
        must(self.try_into_limbs())
    }

    /// Limbs of the magnitude by value, not copied where no clone shares them.
    pub fn try_into_limbs(self) -> Result<Vec<u64>> {
        Ok(self.limbs.into_host()?.into_magnitude().into_vec())
    }

    /// The number with these limbs, least significant first; not copied.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from_limbs(vec![0, 5]), Int::from(5) << 64);
    /// ```
    pub fn from_limbs(limbs: Vec<u64>) -> Int {
        Int::from_sign_limbs(false, limbs)
    }

    /// The number with a sign and the limbs of its magnitude, least significant first; not copied.
    pub fn from_sign_limbs(negative: bool, limbs: Vec<u64>) -> Int {
        Int::from_sign_and_magnitude(negative, Natural::from_vec(limbs))
    }

    /// The number with these limbs, least significant first.
    pub fn from_limbs_slice(limbs: &[u64]) -> Int {
        Int::from(Natural::from_limbs(limbs))
    }

    /// The magnitude's bytes, least significant first, as few as there can be; 0 has none.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(0x1234).to_le_bytes(), [0x34, 0x12]);
    /// ```
    #[track_caller]
    pub fn to_le_bytes(&self) -> Vec<u8> {
        must(self.try_to_le_bytes())
    }

    /// The magnitude's bytes, least significant first, as few as there can be; 0 has none.
    pub fn try_to_le_bytes(&self) -> Result<Vec<u8>> {
        let limbs = self.try_limbs()?;
        memory::check_copies("the bytes", 64 * limbs.len() as u128, 1)?;
        let mut bytes = le_bytes(limbs);
        let zeros = limbs.last().map_or(0, |top| top.leading_zeros() / 8);
        bytes.truncate(bytes.len() - zeros as usize);
        Ok(bytes)
    }

    /// The magnitude's bytes, most significant first, as few as there can be; 0 has none.
    #[track_caller]
    pub fn to_be_bytes(&self) -> Vec<u8> {
        must(self.try_to_be_bytes())
    }

    /// The magnitude's bytes, most significant first, as few as there can be; 0 has none.
    pub fn try_to_be_bytes(&self) -> Result<Vec<u8>> {
        self.try_to_le_bytes().map(reversed)
    }

    /// The number with these bytes, least significant first.
    pub fn from_le_bytes(bytes: &[u8]) -> Int {
        Int::from_limbs(le_limbs(bytes, 0))
    }

    /// The number with these bytes, most significant first.
    pub fn from_be_bytes(bytes: &[u8]) -> Int {
        Int::from_limbs(be_limbs(bytes))
    }

    /// Two's complement, least significant byte first, as few bytes as there can be but at least
    /// one.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-129).to_signed_le_bytes(), [0x7f, 0xff]);
    /// assert_eq!(Int::from_signed_le_bytes(&[0x7f, 0xff]), -129);
    /// ```
    #[track_caller]
    pub fn to_signed_le_bytes(&self) -> Vec<u8> {
        must(self.try_to_signed_le_bytes())
    }

    /// Two's complement, least significant byte first, as few bytes as there can be but at least
    /// one.
    pub fn try_to_signed_le_bytes(&self) -> Result<Vec<u8>> {
        let value = self.try_host()?;
        memory::check_copies("the bytes", 64 * value.limbs().len() as u128, 2)?;
        let mut bytes = le_bytes(&value.to_twos_complement());
        let sign = if value.is_negative() { 0xff } else { 0 };
        // A top byte that only repeats the sign bit of the one below it says nothing.
        while let [.., below, top] = bytes[..]
            && top == sign
            && (below ^ sign) < 0x80
        {
            bytes.pop();
        }
        Ok(if bytes.is_empty() { vec![0] } else { bytes })
    }

    /// Two's complement, most significant byte first, as few bytes as there can be but at least
    /// one.
    #[track_caller]
    pub fn to_signed_be_bytes(&self) -> Vec<u8> {
        must(self.try_to_signed_be_bytes())
    }

    /// Two's complement, most significant byte first, as few bytes as there can be but at least
    /// one.
    pub fn try_to_signed_be_bytes(&self) -> Result<Vec<u8>> {
        self.try_to_signed_le_bytes().map(reversed)
    }

    /// The number with this two's complement, least significant byte first; no bytes are 0.
    pub fn from_signed_le_bytes(bytes: &[u8]) -> Int {
        match bytes.last() {
            Some(0x80..) => {
                let limbs = le_limbs(bytes, 0xff);
                Int::from(Integer::from_twos_complement(limbs))
            }
            _ => Int::from_le_bytes(bytes),
        }
    }

    /// The number with this two's complement, most significant byte first; no bytes are 0.
    pub fn from_signed_be_bytes(bytes: &[u8]) -> Int {
        match bytes.first() {
            Some(0x80..) => Int::from_signed_le_bytes(&reversed(bytes.to_vec())),
            _ => Int::from_be_bytes(bytes),
        }
    }

    /// Writes GMP's raw format (`mpz_out_raw`): the magnitude's length in bytes, negated for a
    /// negative number, as four bytes of two's complement, then the magnitude; both most
    /// significant byte first.
    ///
    /// Fails with `InvalidInput` for a magnitude of 2^31 bytes or more, which the format cannot
    /// say.
    ///
    /// ```
    /// # use bezout::Int;
    /// let mut bytes = Vec::new();
    /// Int::from(-258).write_gmp_raw(&mut bytes)?;
    /// assert_eq!(bytes, [0xff, 0xff, 0xff, 0xfe, 1, 2]);
    /// assert_eq!(Int::read_gmp_raw(&bytes[..])?, -258);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_gmp_raw(&self, mut writer: impl Write) -> io::Result<()> {
        let host = self.try_host().map_err(io::Error::other)?;
        let bits = self.bit_length();
        let Ok(length) = i32::try_from(bits.div_ceil(8)) else {
            let reason = format!("{bits} bits are more than its length field can say");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, gmp_raw(reason)));
        };
        let size = if *host < 0 { -length } else { length };
        writer.write_all(&size.to_be_bytes())?;
        writer.write_all(&self.to_be_bytes())
    }

    /// Reads GMP's raw format, as [`Int::write_gmp_raw`] or `mpz_out_raw` wrote it, and nothing
    /// after it.
    ///
    /// Fails with `UnexpectedEof` where the bytes end early. Memory is taken as bytes arrive, not
    /// as the length claims.
    pub fn read_gmp_raw(mut reader: impl Read) -> io::Result<Int> {
        let truncated = |got: usize, of: u32, what: &str| {
            let reason = format!("it ends after {got} of {of} bytes of {what}");
            io::Error::new(io::ErrorKind::UnexpectedEof, gmp_raw(reason))
        };
        let mut head = Vec::with_capacity(4);
        reader.by_ref().take(4).read_to_end(&mut head)?;
        let Ok(size) = <[u8; 4]>::try_from(&head[..]) else {
            return Err(truncated(head.len(), 4, "length"));
        };
        let size = i32::from_be_bytes(size);
        let length = size.unsigned_abs();
        check_bits("GMP raw format", u64::from(length) * 8)
            .map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
        let mut magnitude = Vec::new();
        reader.take(length.into()).read_to_end(&mut magnitude)?;
        if magnitude.len() < length as usize {
            return Err(truncated(magnitude.len(), length, "magnitude"));
        }
        memory::check_copies("GMP raw format", 8 * u128::from(length), 2)
            .map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
        Ok(Int::from_sign_limbs(size < 0, be_limbs(&magnitude)))
    }
}

fn gmp_raw(reason: String) -> Error {
    Error::Format {
        format: "GMP raw format",
        reason,
    }
}

fn le_bytes(limbs: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; limbs.len() * 8];
    for (eight, limb) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(limbs) {
        *eight = limb.to_le_bytes();
    }
    bytes
}

/// Limbs of bytes, least significant first, filled up to a whole limb with `above`.
pub(super) fn le_limbs(bytes: &[u8], above: u8) -> Vec<u64> {
    let (whole, rest) = bytes.as_chunks::<8>();
    let mut limbs = Vec::with_capacity(whole.len() + 1);
    limbs.extend(whole.iter().map(|eight| u64::from_le_bytes(*eight)));
    if !rest.is_empty() {
        let mut top = [above; 8];
        top[..rest.len()].copy_from_slice(rest);
        limbs.push(u64::from_le_bytes(top));
    }
    limbs
}

/// Limbs of bytes, most significant first.
fn be_limbs(bytes: &[u8]) -> Vec<u64> {
    let (rest, whole) = bytes.as_rchunks::<8>();
    let mut limbs = Vec::with_capacity(whole.len() + 1);
    limbs.extend(whole.iter().rev().map(|eight| u64::from_be_bytes(*eight)));
    if !rest.is_empty() {
        let mut top = [0; 8];
        top[8 - rest.len()..].copy_from_slice(rest);
        limbs.push(u64::from_be_bytes(top));
    }
    limbs
}

fn reversed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.reverse();
    bytes
}
