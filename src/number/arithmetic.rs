//! Sums, differences, shifts, and the operators made of them.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign};

use super::buffer::Buffer;
use super::integer::Integer;
use super::natural::Natural;
use super::store::{Holder, INLINE, Store};
use crate::word::{self, shift, sum};

/// A sign and a magnitude, borrowed. The sign of the store does not count.
#[derive(Clone, Copy)]
pub(super) struct Signed<'a> {
    pub(super) negative: bool,
    pub(super) size: &'a Store,
}

impl<'a> Signed<'a> {
    #[inline]
    pub(super) fn limbs(self) -> &'a [u64] {
        self.size.limbs()
    }

    #[inline]
    fn negated(self) -> Self {
        Signed {
            negative: !self.negative,
            ..self
        }
    }
}

/// a + b.
#[inline]
fn add<T: Holder>(a: Signed, b: Signed) -> T {
    if let (Some(x), Some(y)) = (a.size.as_inline(), b.size.as_inline()) {
        return if a.negative == b.negative {
            add_inline(a.negative, x, y)
        } else {
            sub_inline(a.negative, x, y)
        };
    }
    add_long(a, b)
}

/// x + y with this sign.
#[inline]
fn add_inline<T: Holder>(negative: bool, x: &[u64; INLINE], y: &[u64; INLINE]) -> T {
    let (low, carry) = x[0].overflowing_add(y[0]);
    let (middle, carry) = x[1].carrying_add(y[1], carry);
    let (high, carry) = x[2].carrying_add(y[2], carry);
    Store::almost_inline(negative, [low, middle, high, u64::from(carry)])
}

/// x − y, or its opposite where `negative` says so.
#[inline]
fn sub_inline<T: Holder>(negative: bool, x: &[u64; INLINE], y: &[u64; INLINE]) -> T {
    let (low, borrow) = x[0].overflowing_sub(y[0]);
    let (middle, borrow) = x[1].borrowing_sub(y[1], borrow);
    let (high, borrow) = x[2].borrowing_sub(y[2], borrow);
    if !borrow {
        return T::of(Store::inline(negative, [low, middle, high]));
    }
    let (low, borrow) = 0u64.overflowing_sub(low);
    let (middle, borrow) = 0u64.borrowing_sub(middle, borrow);
    let (high, _) = 0u64.borrowing_sub(high, borrow);
    T::of(Store::inline(!negative, [low, middle, high]))
}

/// a + b where one at least is long.
fn add_long<T: Holder>(a: Signed, b: Signed) -> T {
    let (x, y) = (a.limbs(), b.limbs());
    if a.negative == b.negative {
        let (long, short) = if x.len() >= y.len() { (x, y) } else { (y, x) };
        let len = long.len();
        let mut limbs = Buffer::unspecified(len + 1);
        let carry = sum::add(&mut limbs[..len], long, short);
        limbs[len] = u64::from(carry);
        limbs.truncate(len + usize::from(carry));
        return T::of(Store::Long {
            negative: a.negative,
            limbs,
        });
    }
    let (negative, more, less) = match sum::compare(x, y) {
        Ordering::Equal => return T::of(Store::ZERO),
        Ordering::Greater => (a.negative, x, y),
        Ordering::Less => (b.negative, y, x),
    };
    let mut limbs = Buffer::unspecified(more.len());
    sum::sub(&mut limbs, more, less);
    Store::from_buffer(negative, limbs)
}

/// out = a + b, in the memory of `out` where that is long enough.
#[inline]
fn add_into(out: &mut Store, a: Signed, b: Signed) {
    let (x, y) = (a.limbs(), b.limbs());
    let (long, short) = if x.len() >= y.len() { (x, y) } else { (y, x) };
    let len = long.len();
    if let Store::Long { negative, limbs } = out
        && a.negative == b.negative
        && len < limbs.capacity()
    {
        limbs.resize_unspecified(len + 1);
        let carry = sum::add(&mut limbs[..len], long, short);
        limbs[len] = u64::from(carry);
        limbs.truncate(len + usize::from(carry));
        *negative = a.negative;
        return;
    }
    *out = add(a, b);
}

/// a += b, in the memory of a where it is long enough.
#[inline]
fn add_assign(a: &mut Store, b: Signed) {
    if a.as_inline().is_some() && b.size.as_inline().is_some() {
        let negative = a.is_negative();
        *a = add(Signed { negative, size: a }, b);
    } else {
        add_assign_long(a, b);
    }
}

/// a += b where one at least is long.
fn add_assign_long(a: &mut Store, b: Signed) {
    let negative = a.is_negative();
    let (len, other) = (a.limbs().len(), b.limbs());
    if negative == b.negative || len == 0 {
        if len < other.len() {
            a.extend(other.len());
        }
        if len == 0 {
            a.limbs_mut().copy_from_slice(other);
            a.set_negative(b.negative);
            return;
        }
        if sum::add_assign(a.limbs_mut(), other) {
            a.push(1);
        }
        return;
    }
    match sum::compare(a.limbs(), other) {
        Ordering::Equal => *a = Store::ZERO,
        Ordering::Greater => {
            sum::sub_assign(a.limbs_mut(), other);
            a.trim();
        }
        Ordering::Less => {
            a.extend(other.len());
            sum::sub_from(a.limbs_mut(), other);
            a.trim();
            a.set_negative(b.negative);
        }
    }
}

/// a·2^bits.
#[inline]
fn shl<T: Holder>(a: Signed, bits: u64) -> T {
    if let (Some(&[x, y, z]), 0..64) = (a.size.as_inline(), bits) {
        // The bits that leave a limb; the shift by one makes a count of 64 possible.
        let out = |limb: u64| limb >> 1 >> (63 - bits);
        let low = [x << bits, y << bits | out(x), z << bits | out(y), out(z)];
        return Store::almost_inline(a.negative, low);
    }
    shl_long(a, bits)
}

/// a·2^bits for any a and any count.
fn shl_long<T: Holder>(a: Signed, bits: u64) -> T {
    let limbs = a.limbs();
    if limbs.is_empty() {
        return T::of(Store::ZERO);
    }
    let (whole, part) = ((bits / 64) as usize, (bits % 64) as u32);
    let len = limbs.len();
    let above = limbs[len - 1] >> 1 >> (63 - part);
    let all = len + whole + usize::from(above != 0);
    Store::build(a.negative, all, |out| {
        // A call to fill nothing is not free.
        if whole > 0 {
            out[..whole].fill(0);
        }
        if above != 0 {
            out[all - 1] = above;
        }
        shift::shl(&mut out[whole..whole + len], limbs, part);
    })
}

/// ⌊a / 2^bits⌋ of a magnitude.
#[inline]
fn shr<T: Holder>(a: &Store, bits: u64) -> T {
    if let (Some(&[x, y, z]), 0..64) = (a.as_inline(), bits) {
        let out = |limb: u64| limb << 1 << (63 - bits);
        let quotient = [x >> bits | out(y), y >> bits | out(z), z >> bits];
        return T::of(Store::inline(false, quotient));
    }
    shr_long(a.limbs(), bits)
}

/// ⌊a / 2^bits⌋ for any a and any count.
fn shr_long<T: Holder>(a: &[u64], bits: u64) -> T {
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
            size: &self.0,
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
            size: &self.0,
        }
    }

    /// Changes the sign.
    #[inline]
    pub(crate) fn negate(&mut self) {
        let negative = self.is_negative();
        self.0.set_negative(!negative);
    }
}

/// A binary operator of one type in all four forms of operands, from one function of references and
/// one into the left operand.
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
    let difference: Store = add(a.signed(), b.signed().negated());
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
|a: &Natural, b: &Natural| add(a.signed(), b.signed()), natural_add_assign }
operator! { Natural, Sub sub, SubAssign sub_assign, natural_sub, natural_sub_assign }
operator! { Integer, Add add, AddAssign add_assign,
|a: &Integer, b: &Integer| sum(a, b),
|a: &mut Integer, b: &Integer| add_assign(&mut a.0, b.signed()) }
operator! { Integer, Sub sub, SubAssign sub_assign,
|a: &Integer, b: &Integer| difference(a, b),
|a: &mut Integer, b: &Integer| add_assign(&mut a.0, b.signed().negated()) }
/// a + b.
#[inline]
pub(crate) fn sum<T: Holder>(a: &Integer, b: &Integer) -> T {
    add(a.signed(), b.signed())
}

/// out = a + b, in the memory of `out` where that is long enough.
#[inline]
pub(crate) fn assign_sum(out: &mut Integer, a: &Integer, b: &Integer) {
    add_into(&mut out.0, a.signed(), b.signed());
}

/// out = the number of at most `len` limbs that `write` gives, with this sign, if the memory of
/// `out` is long enough; whether it is.
#[inline]
pub(crate) fn assign_built(
    out: &mut Integer,
    is_negative: bool,
    len: usize,
    write: impl FnOnce(&mut [u64]),
) -> bool {
    match &mut out.0 {
        Store::Long { negative, limbs } if len <= limbs.capacity() => {
            limbs.resize_unspecified(len);
            write(&mut limbs[..len]);
            limbs.truncate(word::significant(&limbs[..len]));
            *negative = is_negative;
            true
        }
        _ => false,
    }
}

/// out = a − b, in the memory of `out` where that is long enough.
#[inline]
pub(crate) fn assign_difference(out: &mut Integer, a: &Integer, b: &Integer) {
    add_into(&mut out.0, a.signed(), b.signed().negated());
}

/// a − b.
#[inline]
pub(crate) fn difference<T: Holder>(a: &Integer, b: &Integer) -> T {
    add(a.signed(), b.signed().negated())
}

/// a·2^bits.
#[inline]
pub(crate) fn shifted_left<T: Holder>(a: &Integer, bits: u64) -> T {
    shl(a.signed(), bits)
}

/// ⌊a / 2^bits⌋.
#[inline]
pub(crate) fn shifted_right<T: Holder>(a: &Integer, bits: u64) -> T {
    shr_floor(a.signed(), bits)
}

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
#[inline]
fn shr_floor<T: Holder>(a: Signed, bits: u64) -> T {
    if a.negative {
        return T::of(shr_negative(a, bits));
    }
    shr(a.size, bits)
}

/// −⌈|x| / 2^bits⌉.
fn shr_negative(a: Signed, bits: u64) -> Store {
    let mut quotient: Store = shr(a.size, bits);
    if loses_ones(a.limbs(), bits) {
        quotient = add(
            Signed {
                negative: false,
                size: &quotient,
            },
            Signed {
                negative: false,
                size: &Store::word(false, 1),
            },
        );
    }
    quotient.set_negative(true);
    quotient
}

impl Shl<u64> for &Natural {
    type Output = Natural;
    #[inline]
    fn shl(self, bits: u64) -> Natural {
        shl(self.signed(), bits)
    }
}

impl Shr<u64> for &Natural {
    type Output = Natural;
    #[inline]
    fn shr(self, bits: u64) -> Natural {
        shr(&self.0, bits)
    }
}

impl Shl<u64> for &Integer {
    type Output = Integer;
    #[inline]
    fn shl(self, bits: u64) -> Integer {
        shifted_left(self, bits)
    }
}

impl Shr<u64> for &Integer {
    type Output = Integer;
    #[inline]
    fn shr(self, bits: u64) -> Integer {
        shifted_right(self, bits)
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
