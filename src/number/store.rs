//! A sign and the limbs of a magnitude, inline or in a buffer.

use super::buffer::Buffer;
use crate::word;

/// Most limbs that lie in the value itself.
pub(crate) const INLINE: usize = 3;

/// A sign and a magnitude. The top limb is not zero; zero has no limbs and is not negative.
///
/// A buffer may hold few limbs: a number that shrank keeps its memory.
#[derive(Clone)]
pub(super) enum Store {
    /// The first `len` limbs count, the others are unspecified.
    Inline {
        negative: bool,
        len: u8,
        limbs: [u64; INLINE],
    },
    Long {
        negative: bool,
        limbs: Buffer,
    },
}

impl Store {
    pub(super) const ZERO: Store = Store::Inline {
        negative: false,
        len: 0,
        limbs: [0; INLINE],
    };

    /// A number of one limb.
    #[inline]
    pub(super) const fn word(negative: bool, word: u64) -> Store {
        Store::Inline {
            negative: negative && word != 0,
            len: (word != 0) as u8,
            limbs: [word, 0, 0],
        }
    }

    /// A number of two limbs.
    #[inline]
    pub(super) const fn two_words(negative: bool, words: u128) -> Store {
        let limbs = [words as u64, (words >> 64) as u64, 0];
        Store::Inline {
            negative: negative && words != 0,
            len: if limbs[1] != 0 {
                2
            } else {
                (limbs[0] != 0) as u8
            },
            limbs,
        }
    }

    /// The number of these limbs, with leading zeros or without.
    #[inline]
    pub(super) fn from_slice(negative: bool, limbs: &[u64]) -> Store {
        let limbs = word::trimmed(limbs);
        if limbs.len() > INLINE {
            return Store::Long {
                negative,
                limbs: Buffer::copy_of(limbs, 0),
            };
        }
        let mut inline = [0; INLINE];
        inline[..limbs.len()].copy_from_slice(limbs);
        Store::Inline {
            negative: negative && !limbs.is_empty(),
            len: limbs.len() as u8,
            limbs: inline,
        }
    }

    /// The number of the limbs of a buffer, with leading zeros or without.
    #[inline]
    pub(super) fn from_buffer(negative: bool, mut limbs: Buffer) -> Store {
        limbs.trim();
        if limbs.len() <= INLINE {
            return Store::from_slice(negative, &limbs);
        }
        Store::Long { negative, limbs }
    }

    /// The number whose `len` limbs `write` fills in. What it finds there is unspecified.
    #[inline]
    pub(super) fn build(negative: bool, len: usize, write: impl FnOnce(&mut [u64])) -> Store {
        if len > INLINE + 1 {
            let mut limbs = Buffer::unspecified(len);
            write(&mut limbs);
            return Store::from_buffer(negative, limbs);
        }
        // One limb more than fits: it is often the zero above a sum.
        let mut limbs = [0; INLINE + 1];
        write(&mut limbs[..len]);
        Store::from_slice(negative, &limbs[..len])
    }

    /// The limbs of the magnitude, without leading zeros.
    #[inline]
    pub(super) fn limbs(&self) -> &[u64] {
        match self {
            // The mask tells the compiler that no check is needed: `len` is at most INLINE.
            Store::Inline { len, limbs, .. } => &limbs[..usize::from(*len & 3)],
            Store::Long { limbs, .. } => limbs,
        }
    }

    #[inline]
    pub(super) fn limbs_mut(&mut self) -> &mut [u64] {
        match self {
            Store::Inline { len, limbs, .. } => &mut limbs[..usize::from(*len & 3)],
            Store::Long { limbs, .. } => limbs,
        }
    }

    #[inline]
    pub(super) fn is_negative(&self) -> bool {
        match self {
            Store::Inline { negative, .. } | Store::Long { negative, .. } => *negative,
        }
    }

    /// Sets the sign; zero stays what it is.
    #[inline]
    pub(super) fn set_negative(&mut self, value: bool) {
        let value = value && !self.limbs().is_empty();
        match self {
            Store::Inline { negative, .. } | Store::Long { negative, .. } => *negative = value,
        }
    }

    /// Drops leading zeros after the limbs were changed in place.
    #[inline]
    pub(super) fn trim(&mut self) {
        match self {
            Store::Inline {
                negative,
                len,
                limbs,
            } => {
                *len = word::significant(&limbs[..usize::from(*len & 3)]) as u8;
                *negative &= *len > 0;
            }
            Store::Long { negative, limbs } => {
                limbs.trim();
                *negative &= !limbs.is_empty();
            }
        }
    }

    /// Lengthens the magnitude to `len` limbs, the new ones zero; it may have leading zeros then.
    pub(super) fn extend(&mut self, len: usize) {
        let old = self.limbs().len();
        debug_assert!(len >= old);
        match self {
            Store::Inline {
                len: own, limbs, ..
            } if len <= INLINE => {
                limbs[old..len].fill(0);
                *own = len as u8;
            }
            Store::Inline {
                negative, limbs, ..
            } => {
                let mut buffer = Buffer::copy_of(&limbs[..old], len - old);
                buffer.resize_unspecified(len);
                buffer[old..].fill(0);
                *self = Store::Long {
                    negative: *negative,
                    limbs: buffer,
                };
            }
            Store::Long { limbs, .. } => {
                limbs.resize_unspecified(len);
                limbs[old..].fill(0);
            }
        }
    }

    /// Appends a limb that is not zero.
    #[inline]
    pub(super) fn push(&mut self, limb: u64) {
        let len = self.limbs().len();
        self.extend(len + 1);
        self.limbs_mut()[len] = limb;
    }

    /// Shortens the magnitude to `count` limbs, and drops the zeros that then lead.
    pub(super) fn truncate(&mut self, count: usize) {
        match self {
            Store::Inline { len, .. } => *len = (*len).min(count.min(INLINE) as u8),
            Store::Long { limbs, .. } => limbs.truncate(count),
        }
        self.trim();
    }

    /// The limbs as a vector, in the number's own memory where it has some.
    pub(super) fn into_vec(self) -> Vec<u64> {
        match self {
            Store::Long { limbs, .. } => limbs.into_vec(),
            inline => inline.limbs().to_vec(),
        }
    }
}
