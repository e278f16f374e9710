//! Divisions by the same number again and again.

use super::{Top, divide, scratch_for};
use crate::word::shift::{shl, shr};

/// A divisor, ready to divide by.
pub(crate) struct Divisor {
    /// d·2^bits without its limbs of zero below.
    limbs: Vec<u64>,
    bits: u32,
    /// The limbs of zero below.
    zeros: usize,
    top: Top,
}

impl Divisor {
    /// For d ≥ 2^128, whose top limb is not zero, and whose limbs of zero below leave two limbs.
    pub(crate) fn new(d: &[u64]) -> Divisor {
        let zeros = d.iter().take_while(|limb| **limb == 0).count();
        let bits = d[d.len() - 1].leading_zeros();
        let mut limbs = vec![0; d.len() - zeros];
        shl(&mut limbs, &d[zeros..], bits);
        let top = Top::of(&limbs);
        Divisor {
            limbs,
            bits,
            zeros,
            top,
        }
    }

    /// The limbs of d.
    pub(crate) fn len(&self) -> usize {
        self.zeros + self.limbs.len()
    }

    /// Whether v, whose top limb is not zero, has fewer limbs than d, or a top limb so much lower
    /// that it is below d.
    pub(crate) fn is_above(&self, v: &[u64]) -> bool {
        v.len() < self.len() || v.len() == self.len() && v[v.len() - 1] < self.top.d1 >> self.bits
    }

    /// Limbs of scratch that [`Divisor::div_rem`] needs.
    pub(crate) fn scratch(&self) -> usize {
        scratch_for(self.limbs.len())
    }

    /// q = v / d, and v = v mod d in its low limbs, as many as d has; the limbs above mean nothing.
    /// v has m ≥ [`Divisor::len`] limbs, q m − len + 1. `scratch` has [`Divisor::scratch`] limbs
    /// and m + 1 more.
    pub(crate) fn div_rem(&self, q: &mut [u64], v: &mut [u64], scratch: &mut [u64]) {
        let (m, n) = (v.len(), self.limbs.len());
        let (shifted, scratch) = scratch.split_at_mut(m + 1);
        shifted[m] = shl(&mut shifted[..m], v, self.bits);
        let upper = &mut shifted[self.zeros..];
        if upper[m - self.zeros] == 0 {
            let (low, first) = q.split_at_mut(m - self.zeros - n);
            let upper = &mut upper[..m - self.zeros];
            first[0] = u64::from(divide(low, upper, &self.limbs, self.top, scratch));
        } else {
            let above = divide(q, upper, &self.limbs, self.top, scratch);
            debug_assert!(!above);
        }
        let len = self.len();
        shr(&mut v[..len], &shifted[..len], self.bits);
    }
}
