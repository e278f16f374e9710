//! Signed numbers.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::natural::Natural;
use super::store::{Holder, Store};
use crate::word;

/// A signed number: a sign and a magnitude.
#[derive(Clone)]
#[repr(transparent)]
pub(crate) struct Integer(pub(super) Store);

impl Integer {
    pub(crate) const ZERO: Integer = Integer(Store::ZERO);
    pub(crate) const ONE: Integer = Integer(Store::word(false, 1));
    pub(crate) const NEGATIVE_ONE: Integer = Integer(Store::word(true, 1));

    /// The number of this magnitude, negative or not.
    #[inline]
    pub(crate) fn from_parts(negative: bool, magnitude: Natural) -> Integer {
        let Natural(mut store) = magnitude;
        store.set_negative(negative);
        Integer(store)
    }

    /// The number of the magnitude whose limbs these are.
    pub(crate) fn from_limbs(negative: bool, limbs: &[u64]) -> Integer {
        Integer(Store::from_slice(negative, limbs))
    }

    /// The number of the magnitude whose limbs these are, in their memory where it is long.
    pub(crate) fn from_vec(negative: bool, limbs: Vec<u64>) -> Integer {
        Store::from_buffer(negative, limbs.into())
    }

    /// |x|.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) fn magnitude(&self) -> &Natural {
        // SAFETY: both types are transparent wrappers of `Store`, `Natural` ignores its sign, and
        // the reference has the lifetime of `self`.
        unsafe { &*std::ptr::from_ref(self).cast::<Natural>() }
    }

    /// |x|.
    #[inline]
    pub(crate) fn into_magnitude(self) -> Natural {
        let Integer(mut store) = self;
        store.set_negative(false);
        Natural(store)
    }

    /// The number as what a result is handed out as.
    #[inline]
    pub(crate) fn into_holder<T: Holder>(self) -> T {
        T::of(self.0)
    }

    /// The limbs of the magnitude, least significant first, without leading zeros.
    #[inline]
    pub(crate) fn limbs(&self) -> &[u64] {
        self.0.limbs()
    }

    /// Limbs of memory of its own, which longer results may be put into; 0 for a number that lies
    /// in the value.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        match &self.0 {
            Store::Inline { .. } => 0,
            Store::Long { limbs, .. } => limbs.capacity(),
        }
    }

    /// The least n with |x| < 2^n.
    #[inline]
    pub(crate) fn bit_length(&self) -> u64 {
        word::bit_length(self.limbs())
    }

    #[inline]
    pub(crate) fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    #[inline]
    pub(crate) fn is_zero(&self) -> bool {
        self.limbs().is_empty()
    }

    #[inline]
    pub(crate) fn is_even(&self) -> bool {
        self.magnitude().is_even()
    }

    /// −1, 0 or 1.
    #[inline]
    pub(crate) fn signum(&self) -> i32 {
        match (self.is_zero(), self.is_negative()) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Two's complement in as few limbs as there can be; 0 has none.
    pub(crate) fn to_twos_complement(&self) -> Vec<u64> {
        let mut limbs = self.limbs().to_vec();
        let negative = self.is_negative();
        if negative {
            word::sum::negate(&mut limbs);
        }
        // The top bit must be the sign.
        let top = limbs.last().is_some_and(|limb| limb >> 63 == 1);
        if top != negative {
            limbs.push(if negative { u64::MAX } else { 0 });
        }
        limbs
    }

    /// The number whose two's complement these limbs are.
    pub(crate) fn from_twos_complement(mut limbs: Vec<u64>) -> Integer {
        let negative = limbs.last().is_some_and(|limb| limb >> 63 == 1);
        if negative {
            word::sum::negate(&mut limbs);
        }
        Integer::from_vec(negative, limbs)
    }

    /// x modulo 2^bits, from 0 to 2^bits − 1.
    pub(crate) fn low_bits(&self, bits: u64) -> Natural {
        let low = self.magnitude().low_bits(bits);
        if !self.is_negative() || low.is_zero() {
            return low;
        }
        Natural::power_of_2(bits) - low
    }

    /// |x|.
    pub(crate) fn abs(&self) -> Integer {
        let Natural(store) = self.magnitude().clone();
        Integer::from_parts(false, Natural(store))
    }
}

impl Holder for Integer {
    #[inline(always)]
    fn of(store: Store) -> Integer {
        Integer(store)
    }
}

impl Default for Integer {
    fn default() -> Integer {
        Integer::ZERO
    }
}

impl From<Natural> for Integer {
    #[inline]
    fn from(magnitude: Natural) -> Integer {
        Integer::from_parts(false, magnitude)
    }
}

impl From<&Natural> for Integer {
    fn from(magnitude: &Natural) -> Integer {
        Integer::from(magnitude.clone())
    }
}

impl PartialEq for Integer {
    #[inline]
    fn eq(&self, other: &Integer) -> bool {
        self.is_negative() == other.is_negative() && self.0.has_size_of(&other.0)
    }
}

impl Eq for Integer {}

impl PartialOrd for Integer {
    #[inline]
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    // One function for all cases and no call in it: a comparison of short numbers takes no longer
    // than two calls.
    #[inline(never)]
    fn cmp(&self, other: &Integer) -> Ordering {
        let negative = self.is_negative();
        if negative != other.is_negative() {
            return other.is_negative().cmp(&negative);
        }
        let order = self.0.compare(&other.0);
        if negative { order.reverse() } else { order }
    }
}

impl Hash for Integer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.is_negative().hash(state);
        self.limbs().hash(state);
    }
}
