//! Exact division, from the low end (Jebelean, *An algorithm for exact division*,
//! J. Symb. Comp. 15 (1993); Hensel's division).
//!
//! A quotient digit is the low limb times 1/d modulo 2^64, with no estimate and no correction, and
//! an exact quotient of k limbs depends on the low k limbs of both numbers alone.

use crate::word::inverse_word;
use crate::word::mul::{mul, mul_scratch};
use crate::word::row::submul_word;
use crate::word::shift::shr;
use crate::word::sum::{sub_assign, sub_word};

/// From this many limbs of the quotient on, divide and conquer is faster. At least 2. Measured on
/// Cascade Lake at 2.5 GHz, 2026-11-16.
const DIVIDE_LIMBS: usize = 200;

/// Limbs of scratch that [`div_exact`] needs for a dividend of m limbs and a divisor of n.
pub(crate) fn div_exact_scratch(m: usize, n: usize) -> usize {
    let k = m + 1 - n;
    let n = n.min(k);
    // Both numbers shifted, with a limb more each; then products of a half of q and d.
    let products = if n < DIVIDE_LIMBS {
        0
    } else {
        k.div_ceil(2) + n + mul_scratch(k.div_ceil(2), n).max(mul_scratch(n, n))
    };
    k + n + 2 + products
}

/// q = a / d, where d divides a; else q means nothing. `d` has n limbs, the top one not zero, `a`
/// m ≥ n limbs, `q` m − n + 1.
pub(crate) fn div_exact(q: &mut [u64], a: &[u64], d: &[u64], scratch: &mut [u64]) {
    let (m, n) = (a.len(), d.len());
    assert!(n >= 1 && m >= n && q.len() == m - n + 1 && d[n - 1] != 0);
    let zeros = d.iter().take_while(|limb| **limb == 0).count();
    // The low limbs of zero of d are those of a too.
    let (a, d) = (&a[zeros..], &d[zeros..]);
    let bits = d[0].trailing_zeros();
    let mut q = q;
    if a[a.len() - 1] < d[d.len() - 1] {
        // The top digit is zero.
        let (top, lower) = q.split_last_mut().expect("one digit at least");
        (*top, q) = (0, lower);
        if q.is_empty() {
            return;
        }
    }
    if let [word] = d {
        return by_word(q, a, *word, bits);
    }
    let k = q.len();
    let len = d.len().min(k);
    let (low_a, scratch) = scratch.split_at_mut(k + 1);
    let low_a = low(low_a, a, k, bits);
    if bits == 0 {
        return hensel(q, low_a, &d[..len], inverse_word(d[0]), scratch);
    }
    let (low_d, scratch) = scratch.split_at_mut(len + 1);
    let low_d = low(low_d, d, len, bits);
    hensel(q, low_a, low_d, inverse_word(low_d[0]), scratch);
}

/// The low `len` limbs of ⌊x / 2^bits⌋, in room for one more.
fn low<'a>(out: &'a mut [u64], x: &[u64], len: usize, bits: u32) -> &'a mut [u64] {
    let taken = x.len().min(len + 1);
    shr(&mut out[..taken], &x[..taken], bits);
    out[taken..].fill(0);
    &mut out[..len]
}

/// q = a / d for d = odd·2^bits, with q as long as a, or a limb shorter.
fn by_word(q: &mut [u64], a: &[u64], d: u64, bits: u32) {
    let d = d >> bits;
    let inverse = inverse_word(d);
    let mut borrow = 0;
    for (i, digit) in q.iter_mut().enumerate() {
        let above = a.get(i + 1).copied().unwrap_or(0);
        let limb = a[i] >> bits | above << 1 << (63 - bits);
        let (rest, under) = limb.overflowing_sub(borrow);
        *digit = rest.wrapping_mul(inverse);
        // The low half of digit·d is the limb; the upper half is due from the next.
        borrow = ((u128::from(*digit) * u128::from(d)) >> 64) as u64 + u64::from(under);
    }
}

/// q = a/d modulo 2^(64k) for an odd d with `inverse` = 1/d modulo 2^64. q and a have k ≥ 1 limbs,
/// d at most k. a is destroyed.
fn hensel(q: &mut [u64], a: &mut [u64], d: &[u64], inverse: u64, scratch: &mut [u64]) {
    let k = q.len();
    if d.len() < DIVIDE_LIMBS {
        for i in 0..k {
            let digit = a[i].wrapping_mul(inverse);
            q[i] = digit;
            let len = d.len().min(k - i);
            let (rest, above) = a[i..].split_at_mut(len);
            let borrow = submul_word(rest, &d[..len], digit);
            if !above.is_empty() {
                sub_word(above, borrow);
            }
        }
        return;
    }
    let half = k.div_ceil(2);
    let (lower, upper) = q.split_at_mut(half);
    let below = &d[..d.len().min(half)];
    hensel(lower, &mut a[..half], below, inverse, scratch);
    // The low limbs of lower·d are those of a, so nothing is borrowed from there.
    let (product, rest) = scratch.split_at_mut(half + d.len());
    mul(product, lower, d, rest);
    let end = product.len().min(k);
    sub_assign(&mut a[half..], &product[half..end]);
    let below = &d[..d.len().min(k - half)];
    hensel(upper, &mut a[half..], below, inverse, scratch);
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::Rng;

    use super::*;
    use crate::word::oracle::{SHAPES, generator, product, shaped};
    use crate::word::trimmed;

    #[track_caller]
    fn check(q: &[u64], d: &[u64]) {
        let a = product(q, d);
        let (m, n) = (a.len(), d.len());
        let mut scratch = vec![0x55; div_exact_scratch(m, n)];
        let mut quotient = vec![0xaa; m - n + 1];
        div_exact(&mut quotient, &a, d, &mut scratch);
        assert_eq!(trimmed(&quotient), trimmed(q), "{d:?}");
    }

    #[test]
    fn every_length() {
        let mut random = generator(11);
        for n in 1..=40 {
            for k in 1..=40 {
                let shape = random.next_u64() as usize;
                let q = shaped(&mut random, shape % SHAPES, k);
                let mut d = shaped(&mut random, shape / 8 % SHAPES, n);
                d[n - 1] |= 1 << (shape % 64);
                check(&q, &d);
                // Limbs and bits of zero below.
                d[..n / 2].fill(0);
                if n > 1 {
                    d[n / 2] = (d[n / 2] | 1) << (shape % 63);
                    d[n - 1] |= 1;
                }
                check(&q, &d);
            }
        }
    }

    #[test]
    fn around_the_threshold() {
        let mut random = generator(12);
        let t = DIVIDE_LIMBS;
        for n in [t - 1, t, t + 1, 2 * t + 1] {
            for k in [1, t - 1, t, t + 1, 2 * t - 1, 2 * t, 3 * t + 1] {
                for shape in 0..SHAPES {
                    let q = shaped(&mut random, shape, k);
                    let mut d = shaped(&mut random, (shape + k) % SHAPES, n);
                    d[n - 1] |= 1;
                    check(&q, &d);
                }
            }
        }
    }
}
