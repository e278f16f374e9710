//! gmpy2's functions of integers, under gmpy2's names, with its results and its exceptions;
//! mpmath's two helpers; digits of constants; number theory.

pub(crate) mod bits;
pub(crate) mod constant;
pub(crate) mod division;
pub(crate) mod mpmath;
pub(crate) mod numbers;
pub(crate) mod powers;
pub(crate) mod quick;
pub(crate) mod random;
pub(crate) mod sequences;
pub(crate) mod theory;
