//! Euclid's algorithm on words.

use super::quotient;

/// The end of Euclid's algorithm on words a > b > 0: (a, b) = M·(g, 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cofactors {
    pub(crate) g: u64,
    /// The second column of M: at most a/2g and b/2g, unless a = 2g or b = 2g.
    pub(crate) m01: u64,
    pub(crate) m11: u64,
    /// Whether det M is −1, not 1: g = −m11·a + m01·b then, else m11·a − m01·b.
    pub(crate) odd: bool,
}

/// a / b and a mod b for b > 0.
#[inline(always)]
pub(super) fn div_rem(a: u64, b: u64) -> (u64, u64) {
    if b >> 32 == 0 {
        (a / b, a % b)
    } else {
        quotient(a, b)
    }
}

/// g, m01 and m11 of words a > b > 0.
pub(crate) fn cofactors_of_words(mut a: u64, mut b: u64) -> Cofactors {
    debug_assert!(a > b && b > 0);
    // All entries are at most a/g.
    let [mut m00, mut m01, mut m10, mut m11] = [1u64, 0, 0, 1];
    let mut odd = false;
    while b != 0 {
        let (q, r) = div_rem(a, b);
        (a, b) = (b, r);
        (m00, m01) = (m00 * q + m01, m00);
        (m10, m11) = (m10 * q + m11, m10);
        odd = !odd;
    }
    Cofactors {
        g: a,
        m01,
        m11,
        odd,
    }
}
