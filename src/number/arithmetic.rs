//! Sums, differences, shifts, and the operators made of them.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign};

use super::integer::Integer;
use super::natural::Natural;
use super::store::Store;
use crate::word::{self, shift, sum};

/// A sign and a magnitude, borrowed. The top limb is not zero.
#[derive(Clone, Copy)]
pub(super) struct Signed<'a> {
    pub(super) negative: bool,
    pub(super) limbs: &'a [u64],
}

impl Signed<'_> {
    fn negated(self) -> Self {
        Signed {
            negative: !self.negative,
            ..self
        }
    }
}

/// a + b.
#[inline]
fn add(a: Signed, b: Signed) -> Store {
    if let ([x], [y]) = (a.limbs, b.limbs) {
        return if a.negative == b.negative {
            Store::two_words(a.negative, u128::from(*x) + u128::from(*y))
        } else if x >= y {
            Store::word(a.negative, x - y)
        } else {
            Store::word(b.negative, y - x)
        };
    }
    if a.negative == b.negative {
        let (long, short) = if a.limbs.len() >= b.limbs.len() {
            (a.limbs, b.limbs)
        } else {
            (b.limbs, a.limbs)
        };
        let len = long.len();
        return Store::build(a.negative, len + 1, |out| {
            let carry = sum::add(&mut out[..len], long, short);
            out[len] = u64::from(carry);
        });
    }
    let (more, less) = match sum::compare(a.limbs, b.limbs) {
        Ordering::Equal => return Store::ZERO,
        Ordering::Greater => (a, b),
        Ordering::Less => (b, a),
    };
    Store::build(more.negative, more.limbs.len(), |out| {
        sum::sub(out, more.limbs, less.limbs);
    })
}

/// a += b, in the memory of a where it is long enough.
#[inline]
fn add_assign(a: &mut Store, b: Signed) {
    let negative = a.is_negative();
    let len = a.limbs().len();
    if let (1, [y]) = (len, b.limbs) {
        let x = a.limbs()[0];
        *a = add(
            Signed {
                negative,
                limbs: &[x],
            },
            Signed {
                negative: b.negative,
                limbs: &[*y],
            },
        );
        return;
    }
    if negative == b.negative || len == 0 {
        if len < b.limbs.len() {
            a.extend(b.limbs.len());
        }
        if len == 0 {
            a.limbs_mut().copy_from_slice(b.limbs);
            a.set_negative(b.negative);
            return;
        }
        if sum::add_assign(a.limbs_mut(), b.limbs) {
            a.push(1);
        }
        return;
    }
    match sum::compare(a.limbs(), b.limbs) {
        Ordering::Equal => *a = Store::ZERO,
        Ordering::Greater => {
            sum::sub_assign(a.limbs_mut(), b.limbs);
            a.trim();
        }
        Ordering::Less => {
            a.extend(b.limbs.len());
            sum::sub_from(a.limbs_mut(), b.limbs);
            a.trim();
            a.set_negative(b.negative);
        }
    }
}

/// a·2^bits.
fn shl(a: Signed, bits: u64) -> Store {
    if a.limbs.is_empty() {
        return Store::ZERO;
    }
    let (whole, part) = ((bits / 64) as usize, (bits % 64) as u32);
    let len = a.limbs.len();
    Store::build(a.negative, len + whole + 1, |out| {
        out[..whole].fill(0);
        out[len + whole] = shift::shl(&mut out[whole..len + whole], a.limbs, part);
    })
}

/// ⌊a / 2^bits⌋ of a magnitude.
fn shr(a: &[u64], bits: u64) -> Store {
    let whole = (bits / 64).min(a.len() as u64) as usize;
    let a = &a[whole..];
    Store::build(false, a.len(), |out| {
        shift::shr(out, a, (bits % 64) as u32);
    })
}

/// Whether a shift of a magnitude to the right by so many bits loses a one.
pub(super) fn loses_ones(a: &[u64], bits: u64) -> bool {
    word::trailing_zeros(a).is_some_and(|zeros| zeros < bits)
}

impl Natural {
    #[inline]
    fn signed(&self) -> Signed<'_> {
        Signed {
            negative: false,
            limbs: self.limbs(),
        }
    }

    /// x modulo 2^bits.
    pub(crate) fn low_bits(&self, bits: u64) -> Natural {
        let mut low = self.clone();
        low.keep_low_bits(bits);
        low
    }

    /// Reduces x modulo 2^bits.
    pub(crate) fn keep_low_bits(&mut self, bits: u64) {
        if bits >= 64 * self.limb_count() as u64 {
            return;
        }
        let (whole, part) = ((bits / 64) as usize, bits % 64);
        if part > 0 {
            self.0.limbs_mut()[whole] &= (1 << part) - 1;
        }
        self.0.truncate(whole + usize::from(part > 0));
    }
}

impl Integer {
    #[inline]
    pub(super) fn signed(&self) -> Signed<'_> {
        Signed {
            negative: self.is_negative(),
            limbs: self.limbs(),
        }
    }

    /// Changes the sign.
    #[inline]
    pub(crate) fn negate(&mut self) {
        let negative = self.is_negative();
        self.0.set_negative(!negative);
    }
}

/// A binary operator of one type in all four forms of operands, from one function of references and one
/// into the left operand.
macro_rules! operator {
    ($type:ident, $op:ident $method:ident, $op_assign:ident $method_assign:ident,
     $by_ref:expr, $into:expr) => {
        impl $op<&$type> for &$type {
            type Output = $type;
            #[inline]
            fn $method(self, other: &$type) -> $type {
                $by_ref(self, other)
            }
        }

        impl $op<$type> for &$type {
            type Output = $type;
            #[inline]
            fn $method(self, other: $type) -> $type {
                $by_ref(self, &other)
            }
        }

        impl $op<&$type> for $type {
            type Output = $type;
            #[inline]
            fn $method(mut self, other: &$type) -> $type {
                $into(&mut self, other);
                self
            }
        }

        impl $op<$type> for $type {
            type Output = $type;
            #[inline]
            fn $method(mut self, other: $type) -> $type {
                $into(&mut self, &other);
                self
            }
        }

        impl $op_assign<&$type> for $type {
            #[inline]
            fn $method_assign(&mut self, other: &$type) {
                $into(self, other);
            }
        }

        impl $op_assign<$type> for $type {
            #[inline]
            fn $method_assign(&mut self, other: $type) {
                $into(self, &other);
            }
        }
    };
}

pub(crate) use operator;

fn natural_sub(a: &Natural, b: &Natural) -> Natural {
    let difference = add(a.signed(), b.signed().negated());
    assert!(
        !difference.is_negative(),
        "attempt to subtract with overflow"
    );
    Natural(difference)
}

fn natural_sub_assign(a: &mut Natural, b: &Natural) {
    a.0.set_negative(false);
    add_assign(&mut a.0, b.signed().negated());
    assert!(!a.0.is_negative(), "attempt to subtract with overflow");
}

fn natural_add_assign(a: &mut Natural, b: &Natural) {
    a.0.set_negative(false);
    add_assign(&mut a.0, b.signed());
}

operator! { Natural, Add add, AddAssign add_assign,
|a: &Natural, b: &Natural| Natural(add(a.signed(), b.signed())), natural_add_assign }
operator! { Natural, Sub sub, SubAssign sub_assign, natural_sub, natural_sub_assign }
operator! { Integer, Add add, AddAssign add_assign,
|a: &Integer, b: &Integer| Integer(add(a.signed(), b.signed())),
|a: &mut Integer, b: &Integer| add_assign(&mut a.0, b.signed()) }
operator! { Integer, Sub sub, SubAssign sub_assign,
|a: &Integer, b: &Integer| Integer(add(a.signed(), b.signed().negated())),
|a: &mut Integer, b: &Integer| add_assign(&mut a.0, b.signed().negated()) }
impl Neg for Integer {
    type Output = Integer;
    fn neg(mut self) -> Integer {
        self.negate();
        self
    }
}

impl Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        -self.clone()
    }
}

impl Neg for Natural {
    type Output = Integer;
    fn neg(self) -> Integer {
        Integer::from_parts(true, self)
    }
}

/// ⌊x / 2^bits⌋ of a signed number.
fn shr_floor(a: Signed, bits: u64) -> Store {
    let mut quotient = shr(a.limbs, bits);
    if a.negative {
        // −⌈|x| / 2^bits⌉.
        if loses_ones(a.limbs, bits) {
            add_assign(
                &mut quotient,
                Signed {
                    negative: false,
                    limbs: &[1],
                },
            );
        }
        quotient.set_negative(true);
    }
    quotient
}

impl Shl<u64> for &Natural {
    type Output = Natural;
    #[inline]
    fn shl(self, bits: u64) -> Natural {
        Natural(shl(self.signed(), bits))
    }
}

impl Shr<u64> for &Natural {
    type Output = Natural;
    #[inline]
    fn shr(self, bits: u64) -> Natural {
        Natural(shr(self.limbs(), bits))
    }
}

impl Shl<u64> for &Integer {
    type Output = Integer;
    #[inline]
    fn shl(self, bits: u64) -> Integer {
        Integer(shl(self.signed(), bits))
    }
}

impl Shr<u64> for &Integer {
    type Output = Integer;
    #[inline]
    fn shr(self, bits: u64) -> Integer {
        Integer(shr_floor(self.signed(), bits))
    }
}

macro_rules! shift {
    ($($type:ident)*) => {$(
        impl Shl<u64> for $type {
            type Output = $type;
            fn shl(mut self, bits: u64) -> $type {
                self <<= bits;
                self
            }
        }

        impl Shr<u64> for $type {
            type Output = $type;
            fn shr(mut self, bits: u64) -> $type {
                self >>= bits;
                self
            }
        }

        impl ShlAssign<u64> for $type {
            fn shl_assign(&mut self, bits: u64) {
                if bits < 64 && !self.limbs().is_empty() {
                    let out = shift::shl_assign(self.0.limbs_mut(), bits as u32);
                    if out != 0 {
                        self.0.push(out);
                    }
                } else {
                    *self = &*self << bits;
                }
            }
        }

        impl ShrAssign<u64> for $type {
            fn shr_assign(&mut self, bits: u64) {
                *self = &*self >> bits;
            }
        }
    )*};
}
shift! { Natural Integer }

macro_rules! fold {
    ($($type:ident)*) => {$(
        impl Sum for $type {
            fn sum<I: Iterator<Item = $type>>(values: I) -> $type {
                values.fold($type::ZERO, |sum, value| sum + value)
            }
        }

        impl<'a> Sum<&'a $type> for $type {
            fn sum<I: Iterator<Item = &'a $type>>(values: I) -> $type {
                values.fold($type::ZERO, |sum, value| sum + value)
            }
        }

    )*};
}
fold! { Natural Integer }
