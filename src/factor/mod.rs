//! Factors of integers.

pub(crate) mod ecm;
pub(crate) mod pminus1;
pub(crate) mod pplus1;
