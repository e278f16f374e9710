//! Bits: single ones, counts, and logic in two's complement with infinitely many sign bits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::arithmetic::Signed;
use super::integer::Integer;
use super::natural::Natural;
use super::store::Store;
use crate::word;

impl Natural {
    /// Bit number `index`.
    #[inline]
    pub(crate) fn bit(&self, index: u64) -> bool {
        let at = usize::try_from(index / 64).ok();
        at.and_then(|at| self.limbs().get(at))
            .is_some_and(|limb| limb >> (index % 64) & 1 == 1)
    }

    /// Makes bit number `index` a one.
    #[cfg(test)]
    pub(crate) fn set_bit(&mut self, index: u64) {
        let at = (index / 64) as usize;
        if at >= self.limb_count() {
            self.0.extend(at + 1);
        }
        self.0.limbs_mut()[at] |= 1 << (index % 64);
    }

    /// The number of zeros below the lowest one; none for 0.
    #[inline]
    pub(crate) fn trailing_zeros(&self) -> Option<u64> {
        word::trailing_zeros(self.limbs())
    }
}

/// The limbs of a number in two's complement, from the lowest on, without end.
struct Complement<'a> {
    negative: bool,
    limbs: &'a [u64],
    /// Whether every limb so far was zero: a negative number then still takes the one of −x = ¬x +
    /// 1.
    carry: bool,
}

impl<'a> Complement<'a> {
    fn of(value: Signed<'a>) -> Complement<'a> {
        Complement {
            negative: value.negative,
            limbs: value.limbs(),
            carry: value.negative,
        }
    }

    #[inline]
    fn next(&mut self) -> u64 {
        let limb = self.limbs.split_off_first().copied().unwrap_or(0);
        if !self.negative {
            return limb;
        }
        let (limb, carry) = (!limb).overflowing_add(u64::from(self.carry));
        self.carry = carry;
        limb
    }
}

/// A logical operation limb by limb; the sign bits are limbs too. It is commutative, and of x and 0
/// makes x or 0.
fn combine(a: Signed, b: Signed, op: impl Fn(u64, u64) -> u64) -> Store {
    if !a.negative && !b.negative {
        return combine_naturals(a.limbs(), b.limbs(), op);
    }
    let sign = |x: Signed| if x.negative { u64::MAX } else { 0 };
    let negative = op(sign(a), sign(b)) != 0;
    let len = a.limbs().len().max(b.limbs().len()) + 1;
    let (mut x, mut y) = (Complement::of(a), Complement::of(b));
    Store::build(negative, len, |out| {
        for limb in &mut *out {
            *limb = op(x.next(), y.next());
        }
        if negative {
            word::sum::negate(out);
        }
    })
}

/// A logical operation on numbers that are not negative, in a loop that uses vectors.
fn combine_naturals(a: &[u64], b: &[u64], op: impl Fn(u64, u64) -> u64) -> Store {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let (low, high) = long.split_at(short.len());
    let high = if op(1, 0) == 0 { &[] } else { high };
    Store::build(false, low.len() + high.len(), |out| {
        let (out_low, out_high) = out.split_at_mut(low.len());
        for ((out, x), y) in out_low.iter_mut().zip(low).zip(short) {
            *out = op(*x, *y);
        }
        out_high.copy_from_slice(high);
    })
}

macro_rules! logic {
    ($($op:ident $method:ident $op_assign:ident $method_assign:ident $sign:tt;)*) => {$(
        impl $op<&Integer> for &Integer {
            type Output = Integer;
            fn $method(self, other: &Integer) -> Integer {
                Integer(combine(self.signed(), other.signed(), |x, y| x $sign y))
            }
        }

        impl $op<&Integer> for Integer {
            type Output = Integer;
            fn $method(self, other: &Integer) -> Integer {
                &self $sign other
            }
        }

        impl $op for Integer {
            type Output = Integer;
            fn $method(self, other: Integer) -> Integer {
                &self $sign &other
            }
        }

        impl $op_assign<&Integer> for Integer {
            fn $method_assign(&mut self, other: &Integer) {
                *self = &*self $sign other;
            }
        }
    )*};
}
logic! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for &Integer {
    type Output = Integer;
    fn not(self) -> Integer {
        -(self + &Integer::ONE)
    }
}

impl Not for Integer {
    type Output = Integer;
    fn not(self) -> Integer {
        -(self + &Integer::ONE)
    }
}

impl Integer {
    /// Bit number `index` in two's complement.
    pub(crate) fn bit(&self, index: u64) -> bool {
        let own = self.magnitude().bit(index);
        if !self.is_negative() {
            return own;
        }
        // −x = ¬x + 1: bits above the lowest one are flipped.
        match word::trailing_zeros(self.limbs()) {
            Some(lowest) if index > lowest => !own,
            _ => own,
        }
    }

    /// Makes bit number `index` in two's complement `value`.
    pub(crate) fn assign_bit(&mut self, index: u64, value: bool) {
        if self.bit(index) == value {
            return;
        }
        // The value of a bit is 2^index whatever the sign.
        let power = Integer::from(Natural::power_of_2(index));
        if value {
            *self += power;
        } else {
            *self -= power;
        }
    }

    /// The number of zeros below the lowest one; none for 0.
    pub(crate) fn trailing_zeros(&self) -> Option<u64> {
        word::trailing_zeros(self.limbs())
    }
}
