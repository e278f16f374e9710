//! Shifts by less than a limb. Whole limbs are moved by the caller.
//!
//! From [`LEAF`] limbs on, vectors of four limbs do it where the processor has them.

use super::asm;

/// Fewest limbs that are worth a call of the vectors. Measured on Cascade Lake at 2.5 GHz,
/// 2026-11-16.
const LEAF: usize = 2;

/// out = a·2^bits modulo 2^(64n); the bits shifted out. `out` and `a` have n limbs, bits < 64.
#[inline]
pub(crate) fn shl(out: &mut [u64], a: &[u64], bits: u32) -> u64 {
    assert!(out.len() == a.len() && bits < 64);
    if let Some(leaves) = asm::leaves_from(LEAF, a.len()) {
        leaves.shl(out, a, bits);
        return a[a.len() - 1] >> 1 >> (63 - bits);
    }
    portable::shl(out, a, bits)
}

/// a = a·2^bits modulo 2^(64n); the bits shifted out. bits < 64.
#[inline]
pub(crate) fn shl_assign(a: &mut [u64], bits: u32) -> u64 {
    assert!(bits < 64);
    if let Some(leaves) = asm::leaves_from(LEAF, a.len()) {
        let above = a[a.len() - 1] >> 1 >> (63 - bits);
        leaves.shl_assign(a, bits);
        return above;
    }
    portable::shl_assign(a, bits)
}

/// out = ⌊a / 2^bits⌋; the bits shifted out, at the top of a limb. `out` and `a` have one length,
/// and bits < 64.
#[inline]
pub(crate) fn shr(out: &mut [u64], a: &[u64], bits: u32) -> u64 {
    assert!(out.len() == a.len() && bits < 64);
    if let Some(leaves) = asm::leaves_from(LEAF, a.len()) {
        leaves.shr(out, a, bits);
        return a[0] << 1 << (63 - bits);
    }
    portable::shr(out, a, bits)
}

/// a = ⌊a / 2^bits⌋; the bits shifted out, at the top of a limb. bits < 64.
#[inline]
pub(crate) fn shr_assign(a: &mut [u64], bits: u32) -> u64 {
    assert!(bits < 64);
    if let Some(leaves) = asm::leaves_from(LEAF, a.len()) {
        let below = a[0] << 1 << (63 - bits);
        leaves.shr_assign(a, bits);
        return below;
    }
    portable::shr_assign(a, bits)
}

/// out = ⌊a / 2^from⌋ modulo 2^(64n), where `out` has n limbs.
pub(crate) fn extract(out: &mut [u64], a: &[u64], from: u64) {
    let first = usize::try_from(from / 64).unwrap_or(usize::MAX);
    let a = a.get(first..).unwrap_or_default();
    let (part, n) = ((from % 64) as u32, out.len().min(a.len()));
    let (out, above) = out.split_at_mut(n);
    above.fill(0);
    if n == 0 {
        return;
    }
    shr(out, &a[..n], part);
    if let Some(next) = a.get(n) {
        out[n - 1] |= next << 1 << (63 - part);
    }
}

/// out = out OR a·2^from, whose bits all lie inside `out`.
pub(crate) fn insert(out: &mut [u64], a: &[u64], from: u64) {
    let (out, part) = (&mut out[(from / 64) as usize..], (from % 64) as u32);
    let mut carry = 0;
    for (out, limb) in out.iter_mut().zip(a) {
        *out |= limb << part | carry;
        carry = limb >> 1 >> (63 - part);
    }
    if carry > 0 {
        out[a.len()] |= carry;
    }
}

/// The twins of the vectors.
mod portable {
    #[inline]
    pub(super) fn shl(out: &mut [u64], a: &[u64], bits: u32) -> u64 {
        let mut below = 0u64;
        for (out, a) in out.iter_mut().zip(a) {
            *out = a << bits | below;
            // Shifted twice: by 64 in all where bits is 0.
            below = a >> 1 >> (63 - bits);
        }
        below
    }

    #[inline]
    pub(super) fn shl_assign(a: &mut [u64], bits: u32) -> u64 {
        let mut below = 0u64;
        for a in a {
            let limb = *a;
            *a = limb << bits | below;
            below = limb >> 1 >> (63 - bits);
        }
        below
    }

    #[inline]
    pub(super) fn shr(out: &mut [u64], a: &[u64], bits: u32) -> u64 {
        let mut above = 0u64;
        for (out, a) in out.iter_mut().zip(a).rev() {
            *out = a >> bits | above;
            above = a << 1 << (63 - bits);
        }
        above
    }

    #[inline]
    pub(super) fn shr_assign(a: &mut [u64], bits: u32) -> u64 {
        let mut above = 0u64;
        for a in a.iter_mut().rev() {
            let limb = *a;
            *a = limb >> bits | above;
            above = limb << 1 << (63 - bits);
        }
        above
    }
}

#[cfg(test)]
mod tests;
