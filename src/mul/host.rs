//! Products of host numbers, as operators: by the floor, by digits or by transforms, as
//! [`super::cpu`] chooses.

use std::iter::Product;
use std::ops::{Mul, MulAssign};

use super::cpu;
use crate::number::{Holder, Integer, Natural, Store, assign_built, operator};
use crate::word::mul::low::{FULL, mul_low};
use crate::word::mul::{mul as mul_words, mul_scratch, mul_two_words};
use crate::word::trimmed;

/// From how many limbs on a low product of the floor is faster than the full product. Measured on
/// Cascade Lake at 2.5 GHz, 2026-11-16.
const LOW_LIMBS: usize = 4;

/// a·b with this sign.
#[inline]
fn signed_product<T: Holder>(negative: bool, a: &Natural, b: &Natural) -> T {
    if let (Some([x @ .., 0]), Some([y @ .., 0])) = (a.as_inline(), b.as_inline()) {
        return Store::almost_inline(negative, mul_two_words(x, y));
    }
    cpu::signed_product(negative, a.limbs(), b.limbs())
}

/// a·b.
#[inline]
pub(crate) fn product<T: Holder>(a: &Integer, b: &Integer) -> T {
    let negative = a.is_negative() != b.is_negative();
    signed_product(negative, a.magnitude(), b.magnitude())
}

/// out = a·b, in the memory of `out` where that is long enough and the product short.
#[inline]
pub(crate) fn assign_product(out: &mut Integer, a: &Integer, b: &Integer) {
    let (x, y) = (a.limbs(), b.limbs());
    let (long, short) = if x.len() >= y.len() { (x, y) } else { (y, x) };
    let is_negative = a.is_negative() != b.is_negative();
    let is_short = !short.is_empty() && mul_scratch(long.len(), short.len()) == 0;
    let len = long.len() + short.len();
    let write = |out: &mut [u64]| mul_words(out, long, short, &mut []);
    if !is_short || !assign_built(out, is_negative, len, write) {
        *out = product(a, b);
    }
}

operator! { Natural, Mul mul, MulAssign mul_assign,
|a: &Natural, b: &Natural| signed_product(false, a, b),
|a: &mut Natural, b: &Natural| *a = signed_product(false, a, b) }
operator! { Integer, Mul mul, MulAssign mul_assign, product,
|a: &mut Integer, b: &Integer| *a = product(a, b) }

impl Natural {
    /// x².
    #[inline]
    pub(crate) fn square(&self) -> Natural {
        square(self)
    }

    /// x·y modulo 2^bits.
    pub(crate) fn mul_low(&self, y: &Natural, bits: u64) -> Natural {
        let n = usize::try_from(bits.div_ceil(64)).unwrap_or(usize::MAX);
        let [a, b] = [self, y].map(|x| &x.limbs()[..x.limbs().len().min(n)]);
        let suits = (LOW_LIMBS..FULL).contains(&n);
        let mut product = if suits && a.len() == n && b.len() == n {
            Natural::build(n, |out| mul_low(out, a, b, &mut []))
        } else {
            cpu::signed_product(false, trimmed(a), trimmed(b))
        };
        product.keep_low_bits(bits);
        product
    }

    /// x^exponent; 0^0 = 1.
    pub(crate) fn pow(&self, exponent: u64) -> Natural {
        let Some(top) = exponent.checked_ilog2() else {
            return Natural::ONE;
        };
        // Factors of two are shifted in at the end.
        let zeros = self.trailing_zeros().unwrap_or(0);
        if zeros > 0 {
            return (self >> zeros).pow(exponent) << (zeros * exponent);
        }
        let mut power = self.clone();
        for bit in (0..top).rev() {
            power = power.square();
            if exponent >> bit & 1 == 1 {
                power *= self;
            }
        }
        power
    }
}

/// x².
#[inline]
pub(crate) fn square<T: Holder>(x: &Natural) -> T {
    if let Some([x @ .., 0]) = x.as_inline() {
        return Store::almost_inline(false, mul_two_words(x, x));
    }
    cpu::signed_square(x.limbs())
}

impl Integer {
    /// x·y modulo 2^bits, not negative.
    pub(crate) fn mul_low(&self, y: &Integer, bits: u64) -> Natural {
        let low = self.magnitude().mul_low(y.magnitude(), bits);
        Integer::from_parts(self.is_negative() != y.is_negative(), low).low_bits(bits)
    }

    /// x^exponent; 0^0 = 1.
    pub(crate) fn pow(&self, exponent: u64) -> Integer {
        let negative = self.is_negative() && exponent % 2 == 1;
        Integer::from_parts(negative, self.magnitude().pow(exponent))
    }
}

macro_rules! products {
    ($($type:ident)*) => {$(
        /// Neighbours first, then neighbouring products, so that large factors are of equal length.
        impl Product for $type {
            fn product<I: Iterator<Item = $type>>(values: I) -> $type {
                let mut row: Vec<$type> = values.collect();
                while row.len() > 1 {
                    row = row
                        .chunks(2)
                        .map(|pair| match pair {
                            [a, b] => a * b,
                            rest => rest[0].clone(),
                        })
                        .collect();
                }
                row.pop().unwrap_or($type::ONE)
            }
        }

        impl<'a> Product<&'a $type> for $type {
            fn product<I: Iterator<Item = &'a $type>>(values: I) -> $type {
                values.cloned().product()
            }
        }
    )*};
}
products! { Natural Integer }
