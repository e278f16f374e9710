//! Quotients and remainders of host numbers, as operators: by the floor's division.

use std::ops::{Div, DivAssign, Rem, RemAssign};

use crate::number::{Buffer, Holder, Integer, Natural, Store, operator};
use crate::word::div::{
    SHORT_LIMBS, div_exact, div_exact_scratch, div_rem_scratch, div_rem_to, div_rem_word,
    rem_short, rem_word,
};
use crate::word::inverse_word;

impl Natural {
    /// (x / y, x mod y).
    ///
    /// # Panics
    /// If y is 0.
    pub(crate) fn div_rem(&self, y: &Natural) -> (Natural, Natural) {
        let (a, b) = (self.limbs(), y.limbs());
        match (a, b) {
            (_, []) => panic!("attempt to divide by zero"),
            ([], _) => return (Natural::ZERO, Natural::ZERO),
            ([x], [y]) => return (Natural::from(x / y), Natural::from(x % y)),
            (_, [word]) => {
                let mut rest = 0;
                let quotient = Natural::build(a.len(), |out| rest = div_rem_word(out, a, *word));
                return (quotient, Natural::from(rest));
            }
            _ if self < y => return (Natural::ZERO, self.clone()),
            _ => {}
        }
        let mut scratch = Buffer::unspecified(div_rem_scratch(a.len(), b.len()));
        let mut quotient = Natural::ZERO;
        let rest = Natural::build(b.len(), |rest| {
            quotient = Natural::build(a.len() - b.len() + 1, |out| {
                div_rem_to(out, rest, a, b, &mut scratch);
            });
        });
        (quotient, rest)
    }

    /// x mod word, for word > 0.
    pub(crate) fn rem_word(&self, word: u64) -> u64 {
        rem_word(self.limbs(), word)
    }

    /// x / y where y divides x.
    pub(crate) fn div_exact(&self, y: &Natural) -> Natural {
        let (a, b) = (self.limbs(), y.limbs());
        assert!(!b.is_empty(), "attempt to divide by zero");
        if a.len() < b.len() {
            debug_assert!(a.is_empty());
            return Natural::ZERO;
        }
        let mut scratch = Buffer::unspecified(div_exact_scratch(a.len(), b.len()));
        let quotient = Natural::build(a.len() - b.len() + 1, |out| {
            div_exact(out, a, b, &mut scratch);
        });
        debug_assert!(&quotient * y == *self);
        quotient
    }

    /// Whether y divides x; 0 divides 0 alone.
    pub(crate) fn is_multiple_of(&self, y: &Natural) -> bool {
        match y.limbs() {
            [] => self.is_zero(),
            [word] => self.rem_word(*word) == 0,
            _ => (self % y).is_zero(),
        }
    }

    /// (x / f^k, k) with k as large as possible, for x > 0 and a word f > 1.
    pub(crate) fn remove_word(&self, f: u64) -> (Natural, u64) {
        if let [word] = self.limbs() {
            let (rest, count) = multiplicity(*word, f);
            return (Natural::from(rest), count);
        }
        // The largest power of f in a word; as many factors go in a pass.
        let (mut power, mut exponent) = (f, 1);
        while let Some(next) = power.checked_mul(f) {
            (power, exponent) = (next, exponent + 1);
        }
        let divided = |x: &Natural, by: u64| {
            let mut rest = 0;
            let quotient = Natural::build(x.limb_count(), |out| {
                rest = div_rem_word(out, x.limbs(), by);
            });
            (quotient, rest)
        };
        let (mut quotient, mut rest) = divided(self, power);
        let (mut x, mut count) = (None, 0);
        while rest == 0 {
            count += exponent;
            let (next, next_rest) = divided(&quotient, power);
            (x, quotient, rest) = (Some(quotient), next, next_rest);
        }
        // A power of f below `power` divides x just if it divides the remainder.
        let (_, more) = multiplicity(rest, f);
        let x = x.as_ref().unwrap_or(self);
        if more == 0 {
            return (x.clone(), count);
        }
        (divided(x, f.pow(more as u32)).0, count + more)
    }

    /// 1/x modulo 2^bits; none for an even x.
    pub(crate) fn inverse_mod_power_of_2(&self, bits: u64) -> Option<Natural> {
        let low = *self.limbs().first()?;
        if low.is_multiple_of(2) {
            return None;
        }
        let mut inverse = Natural::from(inverse_word(low));
        let mut known = 64;
        while known < bits {
            known = (2 * known).min(bits);
            // y·(2 − x·y) doubles the bits that are right.
            let product = self.mul_low(&inverse, known);
            let two = Natural::power_of_2(known) + Natural::from(2u32);
            inverse = (two - product).mul_low(&inverse, known);
        }
        Some(inverse.low_bits(bits))
    }
}

/// (x / f^k, k) with k as large as possible, for x > 0 and f > 1.
fn multiplicity(mut x: u64, f: u64) -> (u64, u64) {
    let mut count = 0;
    while x.is_multiple_of(f) {
        x /= f;
        count += 1;
    }
    (x, count)
}

operator! { Natural, Div div, DivAssign div_assign,
|a: &Natural, b: &Natural| a.div_rem(b).0, |a: &mut Natural, b: &Natural| *a = a.div_rem(b).0 }
operator! { Natural, Rem rem, RemAssign rem_assign,
|a: &Natural, b: &Natural| signed_remainder(false, a, b),
|a: &mut Natural, b: &Natural| *a = signed_remainder(false, a, b) }

/// a mod b with this sign.
///
/// # Panics
/// If b is 0.
#[inline]
fn signed_remainder<T: Holder>(negative: bool, a: &Natural, b: &Natural) -> T {
    let (x, y) = (a.limbs(), b.limbs());
    match (x, y) {
        ([x], [y]) => T::of(Store::word(negative, x % y)),
        (_, [word]) => T::of(Store::word(negative, rem_word(x, *word))),
        (_, [_, ..]) if x.len() <= SHORT_LIMBS && b <= a => {
            Store::build(negative, y.len(), |rest| rem_short(rest, x, y))
        }
        _ => Integer::from_parts(negative, a.div_rem(b).1).into_holder(),
    }
}

/// The remainder of a / b rounded towards zero, which has the sign of a.
///
/// # Panics
/// If b is 0.
#[inline]
pub(crate) fn remainder<T: Holder>(a: &Integer, b: &Integer) -> T {
    signed_remainder(a.is_negative(), a.magnitude(), b.magnitude())
}

impl Integer {
    /// The quotient rounded towards zero, and the remainder, which has the sign of x.
    ///
    /// # Panics
    /// If y is 0.
    pub(crate) fn div_rem(&self, y: &Integer) -> (Integer, Integer) {
        let (quotient, rest) = self.magnitude().div_rem(y.magnitude());
        (
            Integer::from_parts(self.is_negative() != y.is_negative(), quotient),
            Integer::from_parts(self.is_negative(), rest),
        )
    }

    /// Whether y divides x; 0 divides 0 alone.
    pub(crate) fn is_multiple_of(&self, y: &Integer) -> bool {
        self.magnitude().is_multiple_of(y.magnitude())
    }
}

operator! { Integer, Div div, DivAssign div_assign,
|a: &Integer, b: &Integer| a.div_rem(b).0, |a: &mut Integer, b: &Integer| *a = a.div_rem(b).0 }
operator! { Integer, Rem rem, RemAssign rem_assign, remainder,
|a: &mut Integer, b: &Integer| *a = remainder(a, b) }
