//! Shifts by less than a limb. Whole limbs are moved by the caller.

/// out = a·2^bits modulo 2^(64n); the bits shifted out. `out` and `a` have n limbs, bits < 64.
#[inline]
pub(crate) fn shl(out: &mut [u64], a: &[u64], bits: u32) -> u64 {
    assert!(out.len() == a.len() && bits < 64);
    let mut below = 0u64;
    for (out, a) in out.iter_mut().zip(a) {
        *out = a << bits | below;
        // Shifted twice: by 64 in all where bits is 0.
        below = a >> 1 >> (63 - bits);
    }
    below
}

/// a = a·2^bits modulo 2^(64n); the bits shifted out. bits < 64.
#[inline]
pub(crate) fn shl_assign(a: &mut [u64], bits: u32) -> u64 {
    assert!(bits < 64);
    let mut below = 0u64;
    for a in a {
        let limb = *a;
        *a = limb << bits | below;
        below = limb >> 1 >> (63 - bits);
    }
    below
}

/// out = ⌊a / 2^bits⌋; the bits shifted out, at the top of a limb. `out` and `a` have one length, bits < 64.
#[inline]
pub(crate) fn shr(out: &mut [u64], a: &[u64], bits: u32) -> u64 {
    assert!(out.len() == a.len() && bits < 64);
    let mut above = 0u64;
    for (out, a) in out.iter_mut().zip(a).rev() {
        *out = a >> bits | above;
        above = a << 1 << (63 - bits);
    }
    above
}

/// a = ⌊a / 2^bits⌋; the bits shifted out, at the top of a limb. bits < 64.
#[inline]
pub(crate) fn shr_assign(a: &mut [u64], bits: u32) -> u64 {
    assert!(bits < 64);
    let mut above = 0u64;
    for a in a.iter_mut().rev() {
        let limb = *a;
        *a = limb >> bits | above;
        above = limb << 1 << (63 - bits);
    }
    above
}
