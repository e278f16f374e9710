//! A sign and the limbs of a magnitude, inline or in a buffer.

use std::cmp::Ordering;

use super::buffer::Buffer;
use crate::word;

/// Most limbs that lie in the value itself.
pub(crate) const INLINE: usize = 3;

/// A sign and a magnitude. The top limb is not zero; zero has no limbs and is not negative.
///
/// A buffer may hold few limbs: a number that shrank keeps its memory.
///
/// The representation puts the sign of both kinds in one place.
#[derive(Clone)]
#[repr(u8)]
pub(crate) enum Store {
    /// The first `len` limbs count, the others are zero.
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

/// What a result is handed out as. Functions make it where they make the store: moving a store that
/// was just written costs more than a short sum does, because the processor must wait for the
/// writes.
pub(crate) trait Holder {
    /// This number.
    fn of(store: Store) -> Self;
}

impl Holder for Store {
    #[inline(always)]
    fn of(store: Store) -> Store {
        store
    }
}

impl Store {
    pub(crate) const ZERO: Store = Store::Inline {
        negative: false,
        len: 0,
        limbs: [0; INLINE],
    };

    /// A number of one limb.
    #[inline]
    pub(crate) const fn word(negative: bool, word: u64) -> Store {
        Store::Inline {
            negative: negative && word != 0,
            len: (word != 0) as u8,
            limbs: [word, 0, 0],
        }
    }

    /// A number of two limbs, with leading zeros or without.
    #[inline]
    pub(super) const fn two_words(negative: bool, words: u128) -> Store {
        Store::inline(negative, [words as u64, (words >> 64) as u64, 0])
    }

    /// A number that lies in the value, with leading zeros or without.
    #[inline]
    pub(super) const fn inline(negative: bool, limbs: [u64; INLINE]) -> Store {
        let len = if limbs[2] != 0 {
            3
        } else if limbs[1] != 0 {
            2
        } else {
            (limbs[0] != 0) as u8
        };
        Store::Inline {
            negative: negative && len > 0,
            len,
            limbs,
        }
    }

    /// A number of one limb more than lies in the value, with leading zeros or without. That limb
    /// is often the zero above a sum.
    #[inline]
    pub(crate) fn almost_inline<T: Holder>(negative: bool, limbs: [u64; INLINE + 1]) -> T {
        let [x, y, z, top] = limbs;
        if top == 0 {
            return T::of(Store::inline(negative, [x, y, z]));
        }
        T::of(Store::Long {
            negative,
            limbs: Buffer::copy_of(&limbs, 0),
        })
    }

    /// The limbs of a number that lies in the value, zeros above them.
    #[inline]
    pub(super) fn as_inline(&self) -> Option<&[u64; INLINE]> {
        match self {
            Store::Inline { limbs, .. } => Some(limbs),
            Store::Long { .. } => None,
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
        Store::inline(negative, inline)
    }

    /// The number of the limbs of a buffer, with leading zeros or without.
    #[inline]
    pub(crate) fn from_buffer<T: Holder>(negative: bool, mut limbs: Buffer) -> T {
        limbs.trim();
        if limbs.len() > INLINE {
            return T::of(Store::Long { negative, limbs });
        }
        T::of(Store::shrunk(negative, limbs))
    }

    #[cold]
    fn shrunk(negative: bool, limbs: Buffer) -> Store {
        Store::from_slice(negative, &limbs)
    }

    /// The number whose `len` limbs `write` fills in. What it finds there is unspecified.
    #[inline]
    pub(crate) fn build<T: Holder>(
        negative: bool,
        len: usize,
        write: impl FnOnce(&mut [u64]),
    ) -> T {
        if len > INLINE + 1 {
            let mut limbs = Buffer::unspecified(len);
            write(&mut limbs);
            return Store::from_buffer(negative, limbs);
        }
        let mut limbs = [0; INLINE + 1];
        write(&mut limbs[..len]);
        Store::almost_inline(negative, limbs)
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

    /// The order of two magnitudes.
    #[inline(always)]
    pub(super) fn compare(&self, other: &Store) -> Ordering {
        let (x, y) = match (self, other) {
            (Store::Long { limbs: x, .. }, Store::Long { limbs: y, .. }) => (&x[..], &y[..]),
            // From the top limb down; limbs above the number are zero.
            (Store::Inline { limbs: x, .. }, Store::Inline { limbs: y, .. }) => {
                return if x[2] != y[2] {
                    x[2].cmp(&y[2])
                } else if x[1] != y[1] {
                    x[1].cmp(&y[1])
                } else {
                    x[0].cmp(&y[0])
                };
            }
            _ => (self.limbs(), other.limbs()),
        };
        word::sum::compare(x, y)
    }

    /// Whether two magnitudes are the same.
    #[inline]
    pub(super) fn has_size_of(&self, other: &Store) -> bool {
        match (self.as_inline(), other.as_inline()) {
            (Some(x), Some(y)) => x == y,
            _ => self.limbs() == other.limbs(),
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
                debug_assert!(limbs[old..].iter().all(|limb| *limb == 0));
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
            Store::Inline { len, limbs, .. } => {
                limbs[count.min(INLINE)..].fill(0);
                *len = (*len).min(count.min(INLINE) as u8);
            }
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
