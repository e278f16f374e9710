//! Other libraries on one core, for linear operations.

#[cfg(feature = "gmp")]
pub mod gmp;
#[cfg(feature = "malachite")]
pub mod malachite;
