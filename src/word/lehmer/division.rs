//! Full steps of Euclid's algorithm on limbs, for quotients that leading digits do not show.

use crate::word::bit_length;

/// x += y·digit; x is longer than y, and nothing runs over.
pub(super) fn add_product(x: &mut [u64], y: &[u64], digit: u64) {
    let mut above = 0u128;
    let (low, high) = x.split_at_mut(y.len());
    for (x, y) in low.iter_mut().zip(y) {
        above += u128::from(*x) + u128::from(*y) * u128::from(digit);
        *x = above as u64;
        above >>= 64;
    }
    for x in high {
        if above == 0 {
            return;
        }
        above += u128::from(*x);
        *x = above as u64;
        above >>= 64;
    }
    debug_assert!(above == 0);
}

/// x −= y·digit, which is known to be natural; x and y as long as each other.
fn sub_product(x: &mut [u64], y: &[u64], digit: u64) {
    let mut below = 0i128;
    for (x, y) in x.iter_mut().zip(y) {
        let product = u128::from(*y) * u128::from(digit);
        let (low, borrow) = x.overflowing_sub(product as u64);
        let (low, more) = low.overflowing_sub(below as u64);
        *x = low;
        below = i128::from((product >> 64) as u64) + i128::from(borrow) + i128::from(more);
    }
    debug_assert!(below == 0);
}

/// Whether x < y, for two numbers of as many limbs.
pub(super) fn is_below(x: &[u64], y: &[u64]) -> bool {
    x.iter().rev().lt(y.iter().rev())
}

/// The 128 bits of x below bit n, shifted up where n < 128.
#[inline]
pub(super) fn leading(x: &[u64], n: u64) -> u128 {
    let limb = |i: usize| x.get(i).copied().unwrap_or(0);
    let top = ((n - 1) / 64) as usize;
    let shift = (64 * (top as u64 + 1) - n) as u32;
    let at = |below: usize| top.checked_sub(below).map_or(0, limb);
    let high = u128::from(at(0)) << 64 | u128::from(at(1));
    match shift {
        0 => high,
        _ => high << shift | u128::from(at(2)) >> (64 - shift),
    }
}

/// One full step of Euclid, (a, b) ← (b, a mod b), and the quotient. As long as each other, b > 0.
pub(super) fn divide(a: &mut [u64], b: &mut [u64]) -> Vec<u64> {
    let (n, m) = (bit_length(a), bit_length(b));
    let q = if n - m < 60 {
        // A quotient that is never too large, and below the right one by 2^60·2^-67 of a part and
        // the cut: by one at most.
        let (x, y) = (leading(a, n), leading(b, n));
        let mut q = match y.checked_add(1) {
            Some(y) => (x / y) as u64,
            None => 1,
        };
        sub_product(a, b, q);
        while !is_below(a, b) {
            sub_product(a, b, 1);
            q += 1;
        }
        vec![q]
    } else {
        long_quotient(a, b, n - m)
    };
    a.swap_with_slice(b);
    q
}

/// a mod b into a, for a quotient of about `bits` bits: thirty of them at a time.
fn long_quotient(a: &mut [u64], b: &[u64], bits: u64) -> Vec<u64> {
    let mut q = vec![0; (bits / 64) as usize + 2];
    let len = a.len();
    let mut shifted = vec![0; len];
    while !is_below(a, b) {
        let (n, m) = (bit_length(a), bit_length(b));
        // b·2^up has n or n − 30 bits and the digit at most 2^31.
        let up = (n - m).saturating_sub(30);
        let (words, part) = ((up / 64) as usize, up % 64);
        shifted.fill(0);
        for (i, limb) in b[..len - words].iter().enumerate() {
            shifted[i + words] |= limb << part;
            if part > 0 && i + words + 1 < len {
                shifted[i + words + 1] |= limb >> (64 - part);
            }
        }
        let (x, y) = (leading(a, n), leading(&shifted, n));
        let digit = match y.checked_add(1) {
            Some(y) => (x / y) as u64,
            None => 1,
        };
        let digit = match digit {
            // Equal in their leading bits: the quotient here is 1, or the shift one too many.
            0 if is_below(a, &shifted) => unreachable!("b·2^up has fewer bits than a, or as many"),
            0 => 1,
            _ => digit,
        };
        sub_product(a, &shifted, digit);
        let mut high = vec![0; 2];
        high[0] = digit << part;
        high[1] = if part > 0 { digit >> (64 - part) } else { 0 };
        add_product(&mut q[words..], &high, 1);
    }
    while q.last() == Some(&0) {
        q.pop();
    }
    q
}
