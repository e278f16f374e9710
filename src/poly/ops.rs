//! The operators.

use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

use super::{Poly, must};
use crate::error::Result;

impl Poly {
    fn try_div(&self, other: &Poly) -> Result<Poly> {
        Ok(self.try_div_rem(other)?.0)
    }
}

/// An operator by value and by reference, and its assigning form.
macro_rules! operator {
    ($($operator:ident $apply:ident, $assign:ident $apply_assign:ident = $method:ident;)*) => {$(
        impl $operator<&Poly> for &Poly {
            type Output = Poly;

            fn $apply(self, other: &Poly) -> Poly {
                must(self.$method(other))
            }
        }

        impl $operator<Poly> for &Poly {
            type Output = Poly;

            fn $apply(self, other: Poly) -> Poly {
                must(self.$method(&other))
            }
        }

        impl $operator<&Poly> for Poly {
            type Output = Poly;

            fn $apply(self, other: &Poly) -> Poly {
                must(self.$method(other))
            }
        }

        impl $operator<Poly> for Poly {
            type Output = Poly;

            fn $apply(self, other: Poly) -> Poly {
                must(self.$method(&other))
            }
        }

        impl $assign<&Poly> for Poly {
            fn $apply_assign(&mut self, other: &Poly) {
                *self = must(self.$method(other));
            }
        }

        impl $assign<Poly> for Poly {
            fn $apply_assign(&mut self, other: Poly) {
                *self = must(self.$method(&other));
            }
        }
    )*};
}

operator! {
    Add add, AddAssign add_assign = try_add;
    Sub sub, SubAssign sub_assign = try_sub;
    Mul mul, MulAssign mul_assign = try_mul;
    Div div, DivAssign div_assign = try_div;
    Rem rem, RemAssign rem_assign = try_rem;
}

impl Neg for &Poly {
    type Output = Poly;

    fn neg(self) -> Poly {
        must(self.try_neg())
    }
}

impl Neg for Poly {
    type Output = Poly;

    fn neg(self) -> Poly {
        must(self.try_neg())
    }
}
