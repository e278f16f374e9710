//! Numbers from 0 on.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::buffer::Buffer;
use super::store::{Holder, INLINE, Store};
use crate::word;

/// A number from 0 on. It ignores the sign of its store, so that a reference to an integer is one
/// to its magnitude.
#[derive(Clone)]
#[repr(transparent)]
pub(crate) struct Natural(pub(super) Store);

impl Natural {
    pub(crate) const ZERO: Natural = Natural(Store::ZERO);
    pub(crate) const ONE: Natural = Natural(Store::word(false, 1));

    /// The number of these limbs, least significant first.
    pub(crate) fn from_limbs(limbs: &[u64]) -> Natural {
        Natural(Store::from_slice(false, limbs))
    }

    /// The number of these limbs, in their memory where it is long.
    pub(crate) fn from_vec(limbs: Vec<u64>) -> Natural {
        Store::from_buffer(false, limbs.into())
    }

    /// The number of the limbs of a buffer.
    pub(crate) fn from_buffer(limbs: Buffer) -> Natural {
        Store::from_buffer(false, limbs)
    }

    /// The number whose `len` limbs `write` fills in. What it finds there is unspecified.
    #[inline]
    pub(crate) fn build(len: usize, write: impl FnOnce(&mut [u64])) -> Natural {
        Store::build(false, len, write)
    }

    /// The limbs, least significant first, without leading zeros.
    #[inline]
    pub(crate) fn limbs(&self) -> &[u64] {
        self.0.limbs()
    }

    /// The limbs of a number that has up to [`INLINE`] of them, zeros above; none for one in a
    /// buffer.
    #[inline]
    pub(crate) fn as_inline(&self) -> Option<&[u64; INLINE]> {
        self.0.as_inline()
    }

    /// The limbs by value.
    pub(crate) fn into_vec(self) -> Vec<u64> {
        self.0.into_vec()
    }

    /// The limbs as a new vector.
    pub(crate) fn to_vec(&self) -> Vec<u64> {
        self.limbs().to_vec()
    }

    /// The count of limbs without leading zeros.
    #[inline]
    pub(crate) fn limb_count(&self) -> usize {
        self.limbs().len()
    }

    /// The least n with x < 2^n.
    #[inline]
    pub(crate) fn bit_length(&self) -> u64 {
        word::bit_length(self.limbs())
    }

    #[inline]
    pub(crate) fn is_zero(&self) -> bool {
        self.limbs().is_empty()
    }

    #[inline]
    pub(crate) fn is_even(&self) -> bool {
        self.limbs().first().is_none_or(|limb| limb % 2 == 0)
    }

    /// 2^exponent.
    pub(crate) fn power_of_2(exponent: u64) -> Natural {
        &Natural::ONE << exponent
    }
}

impl Holder for Natural {
    #[inline(always)]
    fn of(store: Store) -> Natural {
        Natural(store)
    }
}

impl Default for Natural {
    fn default() -> Natural {
        Natural::ZERO
    }
}

impl PartialEq for Natural {
    #[inline]
    fn eq(&self, other: &Natural) -> bool {
        self.0.has_size_of(&other.0)
    }
}

impl Eq for Natural {}

impl PartialOrd for Natural {
    #[inline]
    fn partial_cmp(&self, other: &Natural) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Natural {
    #[inline]
    fn cmp(&self, other: &Natural) -> Ordering {
        self.0.compare(&other.0)
    }
}

impl Hash for Natural {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.limbs().hash(state);
    }
}
