//! Numbers to digits and back, in any radix from 3 to 36 that is no power of two, in O(M(n) log n).
//!
//! ```text
//!   limbs    0 ........ radix_limbs ........ radix_device_limbs ................ all of memory
//!   Cpu      | the floor | halves, down to leaves of radix_print_limbs (reading: radix_leaf_limbs); threads |
//!   Cuda     | the same on the host          | halves and leaves on the device (reading: leaves on the host) |
//! ```

mod cpu;
pub(crate) mod cuda;
mod parse;
mod plan;
mod print;
#[cfg(test)]
mod tests;

pub(crate) use parse::from_digits;
pub(crate) use print::{fraction_digits, to_digits};
