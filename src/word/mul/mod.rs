//! Products and squares.
//!
//! ```text
//!   limbs    1 .......... karatsuba ....... toom3 ....... toom4 ....... the crate's transforms
//!            | schoolbook | Karatsuba       | Toom-3      | Toom-4
//! ```
//!
//! The table holds for operands of about one length. The longer operand is cut in pieces of the
//! length of the shorter one where that is below three quarters of it.

pub(super) mod leaf;
pub(crate) mod low;
mod toom;
mod toom4;

pub(crate) use leaf::mul_two_words;

/// From how many limbs on an algorithm is used.
pub(crate) struct Thresholds {
    /// Karatsuba's algorithm for products; at least 4.
    pub(crate) karatsuba: usize,
    /// Toom-3 for products; at least 10.
    pub(crate) toom3: usize,
    /// Toom-4 for products; at least 20.
    pub(crate) toom4: usize,
    /// Karatsuba's algorithm for squares; at least 4.
    pub(crate) square_karatsuba: usize,
    /// Toom-3 for squares; at least 10.
    pub(crate) square_toom3: usize,
    /// Toom-4 for squares; at least 20.
    pub(crate) square_toom4: usize,
}

/// Measured on Cascade Lake at 2.5 GHz with one thread, 2026-11-16.
pub(crate) const SHIPPED: Thresholds = Thresholds {
    karatsuba: 29,
    toom3: 110,
    toom4: 470,
    square_karatsuba: 46,
    square_toom3: 160,
    square_toom4: 680,
};

/// Every branch at lengths that a test can go through.
#[cfg(test)]
pub(crate) const MINIMAL: Thresholds = Thresholds {
    karatsuba: 4,
    toom3: 10,
    toom4: 20,
    square_karatsuba: 4,
    square_toom3: 10,
    square_toom4: 20,
};

/// Limbs of scratch that [`mul`] needs for operands of these lengths.
#[inline]
pub(crate) fn mul_scratch(a: usize, b: usize) -> usize {
    mul_scratch_with(&SHIPPED, a, b)
}

/// out = a·b. `out` has as many limbs as `a` and `b` together, which have at least one each.
#[inline]
pub(crate) fn mul(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    mul_with(&SHIPPED, out, a, b, scratch);
}

/// Limbs of scratch that [`square`] needs for an operand of this length.
#[inline]
pub(crate) fn square_scratch(a: usize) -> usize {
    square_scratch_with(&SHIPPED, a)
}

/// out = a². `out` has twice as many limbs as `a`, which has at least one.
#[inline]
pub(crate) fn square(out: &mut [u64], a: &[u64], scratch: &mut [u64]) {
    square_with(&SHIPPED, out, a, scratch);
}

/// Limbs of scratch for balanced operands, of which the longer has n limbs.
///
/// Karatsuba: S(n) = 2h + S(h) with h = ⌈n/2⌉. Toom-3: S(n) = 6k + 6 + S(k + 1) with k = ⌈n/3⌉.
/// Toom-4: S(n) = 8k + 8 + S(k + 1) with k = ⌈n/4⌉, and 10k + 10 where no recursion is going on.
/// S(n) ≤ 3n + 15·log₂ n follows by induction:
/// n + 1 + 3(n + 1)/2 ≤ 3n for n ≥ 5, and 4 + S(2) = 4 for n = 4;
/// 6k + 6 + 3(k + 1) ≤ 9(n + 2)/3 + 9 = 3n + 15, where k + 1 ≤ n/2 for n ≥ 10;
/// 8k + 8 + 3(k + 1) ≤ 11(n + 3)/4 + 11 ≤ 3n + 15 for n ≥ 17, where k + 1 ≤ n/2 too, and
/// 10k + 10 ≤ 3n + 45 for n ≥ 4. At last, 15·log₂ n ≤ n + 48 for all n.
const fn balanced_scratch(n: usize) -> usize {
    4 * n + 48
}

/// Limbs of scratch that [`mul_with`] needs.
///
/// Pieces, for b ≤ 3a/4: the product of a piece, 2b limbs at most, and scratch for it. A piece of b
/// limbs needs 4b + 48 more. The last has r < b limbs. Balanced, it needs 4b + 48 more. Else r ≤
/// 3b/4, and it needs b + r + 7r + 48 ≤ 7b + 48 in all.
pub(crate) fn mul_scratch_with(thresholds: &Thresholds, a: usize, b: usize) -> usize {
    let (long, short) = (a.max(b), a.min(b));
    if short < thresholds.karatsuba {
        0
    } else if 4 * short < 3 * long {
        7 * short + 48
    } else {
        balanced_scratch(long)
    }
}

/// Limbs of scratch that [`square_with`] needs.
pub(crate) fn square_scratch_with(thresholds: &Thresholds, a: usize) -> usize {
    if a < thresholds.square_karatsuba {
        0
    } else {
        balanced_scratch(a)
    }
}

/// [`mul`] with other thresholds.
#[inline]
pub(crate) fn mul_with(
    thresholds: &Thresholds,
    out: &mut [u64],
    a: &[u64],
    b: &[u64],
    scratch: &mut [u64],
) {
    assert!(!a.is_empty() && !b.is_empty() && out.len() == a.len() + b.len());
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    if b.len() < thresholds.karatsuba {
        leaf::mul(out, a, b);
    } else if 4 * b.len() < 3 * a.len() {
        in_pieces(thresholds, out, a, b, scratch);
    } else if a.len() < thresholds.toom3 || b.len() <= 2 * a.len().div_ceil(3) {
        toom::karatsuba(thresholds, out, a, b, scratch);
    } else if a.len() < thresholds.toom4 || b.len() <= 3 * a.len().div_ceil(4) {
        toom::toom3(thresholds, out, a, b, scratch);
    } else {
        toom4::toom4(thresholds, out, a, b, scratch);
    }
}

/// [`square`] with other thresholds.
#[inline]
pub(crate) fn square_with(
    thresholds: &Thresholds,
    out: &mut [u64],
    a: &[u64],
    scratch: &mut [u64],
) {
    assert!(!a.is_empty() && out.len() == 2 * a.len());
    if a.len() < thresholds.square_karatsuba {
        leaf::square(out, a);
    } else if a.len() < thresholds.square_toom3 {
        toom::square_karatsuba(thresholds, out, a, scratch);
    } else if a.len() < thresholds.square_toom4 {
        toom::square_toom3(thresholds, out, a, scratch);
    } else {
        toom4::square_toom4(thresholds, out, a, scratch);
    }
}

/// out = a·b with a in pieces of the length of b, the last one shorter.
fn in_pieces(thresholds: &Thresholds, out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let n = b.len();
    mul_with(thresholds, &mut out[..2 * n], &a[..n], b, scratch);
    for (i, piece) in a.chunks(n).enumerate().skip(1) {
        let (product, rest) = scratch.split_at_mut(n + piece.len());
        mul_with(thresholds, product, b, piece, rest);
        // The lower n limbs of the place are the top of the product so far, the others are new.
        let place = &mut out[i * n..][..n + piece.len()];
        place[n..].copy_from_slice(&product[n..]);
        let over = super::sum::add_assign(place, &product[..n]);
        debug_assert!(!over);
    }
}

#[cfg(test)]
mod tests;
