//! The types that can be sorted, as bits.

use std::sync::Arc;

use super::plan::Order;
use crate::cuda::{Buffer, Device};
use crate::error::Result;

/// A machine word that a device holds: the key and value types.
pub trait Word: sealed::Bits {}

mod sealed {
    /// A word as bits.
    pub trait Bits: bytemuck::Pod + Send + Sync {
        const BYTES: u32;
        /// Its bits, zeros above.
        fn to_bits(self) -> u64;
        /// The word with these low bits. Higher bits are ignored.
        fn from_bits(bits: u64) -> Self;
    }

    /// How keys compare.
    pub trait Ordered: Bits {
        const ORDER: super::Order;
    }
}
pub(super) use sealed::{Bits, Ordered};

/// A type of keys: `u32`, `u64`, `i32`, `i64`, `f32` or `f64`.
#[allow(private_bounds)]
pub trait Key: Word + sealed::Ordered {}

/// A type of values: `u32` or `u64`.
pub trait Value: Word {}

impl Order {
    /// That of unsigned words themselves.
    pub(super) const PLAIN: Order = Order { spread: 0, flip: 0 };

    /// That of keys of this type.
    pub(super) fn of<K: Key>(descending: bool) -> Order {
        let all = if descending {
            u64::MAX >> (64 - 8 * K::BYTES)
        } else {
            0
        };
        Order {
            flip: K::ORDER.flip ^ all,
            ..K::ORDER
        }
    }

    /// The word of a key of `width` bits.
    pub(super) fn word_of(self, bits: u64, width: u32) -> u64 {
        let sign = (bits >> (width - 1)).wrapping_neg();
        bits ^ (sign & self.spread) ^ self.flip
    }

    /// The bits of the key of a word of `width` bits.
    pub(super) fn bits_of(self, word: u64, width: u32) -> u64 {
        let bits = word ^ self.flip;
        let sign = (bits >> (width - 1)).wrapping_neg();
        bits ^ (sign & self.spread)
    }
}

macro_rules! words {
    ($($word:ty: $bits:ty, $spread:expr, $flip:expr, $to:expr, $from:expr;)*) => {$(
        impl Bits for $word {
            const BYTES: u32 = size_of::<$word>() as u32;
            fn to_bits(self) -> u64 {
                let to: fn($word) -> $bits = $to;
                u64::from(to(self))
            }
            fn from_bits(bits: u64) -> $word {
                let from: fn($bits) -> $word = $from;
                from(bits as $bits)
            }
        }
        impl Ordered for $word {
            const ORDER: Order = Order { spread: $spread, flip: $flip };
        }
        impl Word for $word {}
        impl Key for $word {}
    )*};
}
words! {
    u32: u32, 0, 0, |x| x, |x| x;
    u64: u64, 0, 0, |x| x, |x| x;
    i32: u32, 0, 1 << 31, |x| x as u32, |x| x as i32;
    i64: u64, 0, 1 << 63, |x| x as u64, |x| x as i64;
    f32: u32, (1 << 31) - 1, 1 << 31, f32::to_bits, f32::from_bits;
    f64: u64, (1 << 63) - 1, 1 << 63, f64::to_bits, f64::from_bits;
}
impl Value for u32 {}
impl Value for u64 {}

/// Limbs that are packed or unpacked at a time.
const CHUNK: usize = 1 << 18;

/// A column of words as limbs, the lower half of a limb first.
fn pack<W: Bits>(words: &[W]) -> Vec<u64> {
    let pairs = words.chunks(2);
    pairs
        .map(|pair| pair[0].to_bits() | pair.get(1).map_or(0, |high| high.to_bits() << 32))
        .collect()
}

/// The words of these limbs.
fn unpack<W: Bits>(limbs: &[u64], words: &mut [W]) {
    for (pair, limb) in words.chunks_mut(2).zip(limbs) {
        for (place, word) in pair.iter_mut().enumerate() {
            *word = W::from_bits(limb >> (32 * place));
        }
    }
}

/// Words on a device.
pub(super) fn upload<W: Bits>(device: &Arc<Device>, words: &[W]) -> Result<Buffer> {
    let buffer = device.alloc(super::cuda::limbs(words.len(), W::BYTES))?;
    write(&buffer, words)?;
    Ok(buffer)
}

/// Copies the words into a buffer, as limbs if they are aligned like limbs. Only 32-bit words that
/// start within a limb are not.
pub(super) fn write<W: Bits>(buffer: &Buffer, words: &[W]) -> Result<()> {
    let device = buffer.device();
    let (before, limbs, rest) = bytemuck::pod_align_to::<W, u64>(words);
    if before.is_empty() {
        device.upload_into(buffer, 0, limbs)?;
        return device.upload_into(buffer, limbs.len(), &pack(rest));
    }
    for (k, part) in words.chunks(2 * CHUNK).enumerate() {
        device.upload_into(buffer, k * CHUNK, &pack(part))?;
    }
    Ok(())
}

/// Copies the words of a buffer to the host, in the same way.
pub(super) fn download<W: Bits>(buffer: &Buffer, words: &mut [W]) -> Result<()> {
    let device = buffer.device();
    let (before, limbs, rest) = bytemuck::pod_align_to_mut::<W, u64>(words);
    if before.is_empty() {
        device.download(buffer, 0, limbs)?;
        let mut last = [0];
        let last = &mut last[..rest.len()];
        device.download(buffer, limbs.len(), last)?;
        unpack(last, rest);
        return Ok(());
    }
    let mut limbs = vec![0; CHUNK.min(buffer.limbs())];
    for (k, part) in words.chunks_mut(2 * CHUNK).enumerate() {
        let here = &mut limbs[..part.len().div_ceil(2)];
        device.download(buffer, k * CHUNK, here)?;
        unpack(here, part);
    }
    Ok(())
}
