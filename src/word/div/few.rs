//! Quotients of few limbs: neither operand is shifted.

use super::{Top, shifted};
use crate::word::row::submul_word;
use crate::word::sum::add_assign;

/// q = a / d and a = a mod d, whose upper limbs become zero. `d` has n ≥ 3 limbs, the top one not
/// zero, `a` m ≥ n limbs, `q` m − n + 1.
///
/// A digit of the quotient is estimated from the top 128 bits of the divisor, from its highest set
/// bit on, and as many bits of the dividend as belong to these and to one limb more. It is right or
/// one too large (Knuth's theorem for two digits: with so many bits the estimate exceeds the true
/// quotient by less than 2^64/2^127 + 1). A pass of [`super::schoolbook`] over the limbs is
/// faster, but that asks for three passes of shifts.
pub(crate) fn div_rem_few(q: &mut [u64], a: &mut [u64], d: &[u64]) {
    let (m, n) = (a.len(), d.len());
    assert!(n >= 3 && m >= n && q.len() == m - n + 1 && d[n - 1] != 0);
    let shift = d[n - 1].leading_zeros();
    let top = Top::new(
        shifted(d[n - 1], d[n - 2], shift),
        shifted(d[n - 2], d[n - 3], shift),
    );
    // The limb of what is left above the part that d is taken from.
    let mut above = 0;
    for (i, digit) in q.iter_mut().enumerate().rev() {
        let part = &mut a[i..i + n];
        let [n2, n1, n0] = [
            shifted(above, part[n - 1], shift),
            shifted(part[n - 1], part[n - 2], shift),
            shifted(part[n - 2], part[n - 3], shift),
        ];
        *digit = if (n2, n1) >= (top.d1, top.d0) {
            // As the rest is below d, the top limbs are equal, and the digit is 2^64 − 1.
            u64::MAX
        } else {
            top.divide(n2, n1, n0).0
        };
        if submul_word(part, d, *digit) > above {
            *digit -= 1;
            add_assign(part, d);
        }
        // Below d now, so there is nothing above the part.
        above = part[n - 1];
        if i > 0 {
            part[n - 1] = 0;
        }
    }
}
