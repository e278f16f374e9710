//! Division by a word, with a reciprocal (Möller and Granlund, *Improved division by invariant
//! integers*, IEEE Trans. Comp. 60 (2011)).

#![allow(unsafe_code)]

/// (q + 1, r − d). Out of line, so that what comes next waits for a branch that is seldom taken and
/// not for a choice.
#[cold]
#[inline(never)]
fn one_more(q: u64, r: u64, d: u64) -> (u64, u64) {
    (q.wrapping_add(1), r.wrapping_sub(d))
}

/// ⌊(2^19 − 3·2^8)/d⌋ for the nine leading bits d of a normalised word, from d = 2^8 on.
static SEEDS: [u16; 256] = {
    let mut seeds = [0; 256];
    let mut i = 0;
    while i < 256 {
        seeds[i] = (((1 << 19) - (3 << 8)) / (256 + i)) as u16;
        i += 1;
    }
    seeds
};

/// ⌊(2^128 − 1)/d⌋ − 2^64 for d ≥ 2^63.
#[inline]
pub(crate) fn reciprocal_word(d: u64) -> u64 {
    debug_assert!(d >> 63 == 1);
    // Möller–Granlund, algorithm 3: Newton's iteration from 11 to 21, 34 and 65 bits.
    let high = |x: u64, y: u64| ((u128::from(x) * u128::from(y)) >> 64) as u64;
    let odd = d & 1;
    let (d40, d63) = ((d >> 24) + 1, (d >> 1) + odd);
    let v0 = u64::from(SEEDS[(d >> 55) as usize - 256]);
    let v1 = (v0 << 11) - ((v0 * v0 * d40) >> 40) - 1;
    let v2 = (v1 << 13) + ((v1 * ((1 << 60) - v1 * d40)) >> 47);
    let e = ((v2 >> 1) & odd.wrapping_neg()).wrapping_sub(v2.wrapping_mul(d63));
    let v3 = (v2 << 31).wrapping_add(high(v2, e) >> 1);
    let (_, above) = v3.carrying_mul(d, d);
    v3.wrapping_sub(above).wrapping_sub(d)
}

/// Quotient and remainder of high·2^64 + low by d, for high < d, d ≥ 2^63 and
/// v = reciprocal_word(d).
#[inline]
pub(crate) fn div_two_words(high: u64, low: u64, d: u64, v: u64) -> (u64, u64) {
    let (q, r) = estimate(high, low, d, v);
    if r >= d { one_more(q, r, d) } else { (q, r) }
}

/// [`div_two_words`] but for one case: the quotient may be one too small, and is seldom.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn estimate(high: u64, low: u64, d: u64, v: u64) -> (u64, u64) {
    let (q, r);
    // SAFETY: The instructions are those of every x86-64 and touch registers alone.
    unsafe {
        std::arch::asm!(
            // One more than the estimate from the start; then Möller–Granlund, algorithm 4. The
            // chain from the old remainder to the new one has eleven cycles.
            "mul {v}",
            "add rax, {r}",
            "adc rdx, {next}",
            "mov {t}, rdx",
            "imul {t}, {d}",
            "sub {r}, {t}",
            "lea {t}, [{r} + {d}]",
            "cmp rax, {r}",
            "cmovb {r}, {t}",
            "sbb rdx, 0",
            v = in(reg) v,
            d = in(reg) d,
            next = in(reg) high.wrapping_add(1),
            r = inout(reg) low => r,
            t = out(reg) _,
            inout("rax") high => _,
            out("rdx") q,
            options(pure, nomem, nostack),
        );
    }
    (q, r)
}

/// [`div_two_words`] but for one case: the quotient may be one too small, and is seldom.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
fn estimate(high: u64, low: u64, d: u64, v: u64) -> (u64, u64) {
    portable::estimate(high, low, d, v)
}

/// The twin of the assembly.
#[cfg(any(test, miri, not(target_arch = "x86_64")))]
mod portable {
    #[inline(always)]
    pub(super) fn estimate(high: u64, low: u64, d: u64, v: u64) -> (u64, u64) {
        let sum = u128::from(high.wrapping_add(1)) << 64 | u128::from(low);
        let q = (u128::from(v) * u128::from(high)).wrapping_add(sum);
        let (q1, q0) = ((q >> 64) as u64, q as u64);
        let r = low.wrapping_sub(q1.wrapping_mul(d));
        // Möller–Granlund, algorithm 4: q1 is right, one too large, or (seldom) one too small.
        if r > q0 {
            (q1.wrapping_sub(1), r.wrapping_add(d))
        } else {
            (q1, r)
        }
    }
}

/// q = a / d; the remainder. `q` and `a` have one length, d > 0.
pub(crate) fn div_rem_word(q: &mut [u64], a: &[u64], d: u64) -> u64 {
    assert!(q.len() == a.len() && d != 0);
    match (a, &mut *q) {
        ([], _) => return 0,
        ([word], [digit]) => {
            *digit = word / d;
            return word % d;
        }
        _ => {}
    }
    let shift = d.leading_zeros();
    let (d_shifted, v) = (d << shift, reciprocal_word(d << shift));
    let mut digits = a.len();
    let mut next = a[digits - 1];
    let mut r = shifted(0, next, shift);
    if next < d {
        // The first digit is zero.
        digits -= 1;
        q[digits] = 0;
        r = shifted(next, a[digits - 1], shift);
        next = a[digits - 1];
    }
    let (low, q) = q[..digits].split_first_mut().expect("two limbs at least");
    for (digit, limb) in q.iter_mut().zip(a).rev() {
        (*digit, r) = div_two_words(r, shifted(next, *limb, shift), d_shifted, v);
        next = *limb;
    }
    (*low, r) = div_two_words(r, next << shift, d_shifted, v);
    r >> shift
}

/// The upper limb of (high, low) shifted left.
#[inline(always)]
pub(super) fn shifted(high: u64, low: u64, shift: u32) -> u64 {
    high << shift | low >> 1 >> (63 - shift)
}

/// a mod d, for d > 0.
pub(crate) fn rem_word(a: &[u64], d: u64) -> u64 {
    assert!(d != 0);
    match a {
        [] => return 0,
        [word] => return word % d,
        _ => {}
    }
    let shift = d.leading_zeros();
    let d = d << shift;
    let v = reciprocal_word(d);
    if a.len() >= 4 && d << 1 != 0 {
        return rem_folded(a, d, v, shift);
    }
    // r < d holds from the start. The shift is undone at the end, since
    // (2^s·a) mod (2^s·d) = 2^s·(a mod d).
    let (mut r, mut above) = (0, 0);
    for limb in a.iter().rev() {
        let limb_shifted = shifted(above, *limb, shift);
        above = *limb;
        (_, r) = div_two_words(r, limb_shifted, d, v);
    }
    (_, r) = div_two_words(r, above << shift, d, v);
    r >> shift
}

/// [`rem_word`] for at least two limbs and a divisor d/2^shift > 1: the upper of two limbs is
/// replaced by its product with 2^128 mod d, which takes no quotient.
fn rem_folded(a: &[u64], d: u64, v: u64, shift: u32) -> u64 {
    let b1 = div_two_words(1 << shift, 0, d, v).1;
    let b2 = u128::from(div_two_words(b1, 0, d, v).1 >> shift);
    let (rest, top) = a.split_at(a.len() - 2);
    let (mut low, mut high) = (top[0], top[1]);
    for limb in rest.iter().rev() {
        let pair = u128::from(low) << 64 | u128::from(*limb);
        let (sum, over) = pair.overflowing_add(u128::from(high) * b2);
        // 2^128 ≡ b2 for the carry. The sum is below high·b2 then, so there is no second one.
        let sum = sum.wrapping_add(if over { b2 } else { 0 });
        (high, low) = ((sum >> 64) as u64, sum as u64);
    }
    let (_, r) = div_two_words(shifted(0, high, shift), shifted(high, low, shift), d, v);
    let (_, r) = div_two_words(r, low << shift, d, v);
    r >> shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::oracle::generator;
    use rand_xoshiro::rand_core::Rng;

    #[test]
    fn assembly_and_twin_agree() {
        let mut random = generator(7);
        for round in 0..20_000 {
            let d = random.next_u64() | 1 << 63;
            let d = [d, 1 << 63, u64::MAX][round % 3];
            let high = [random.next_u64() % d, d - 1, 0][round / 3 % 3];
            let low = [random.next_u64(), u64::MAX, 0][round / 9 % 3];
            let v = reciprocal_word(d);
            let twin = portable::estimate(high, low, d, v);
            assert_eq!(estimate(high, low, d, v), twin, "{high} {low} {d}");
        }
    }
}
