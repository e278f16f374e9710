//! Host integers: `Natural`, a number from 0 on, and `Integer`, a signed one.
//!
//! Numbers of up to [`INLINE`] limbs lie in the value itself and need no heap. Longer ones have a
//! pooled [`Buffer`]. What costs linear time is here, on the floor `crate::word`; products,
//! quotients, divisors, roots and powers are methods that the operations' folders add, each in a
//! file `host.rs`.
//!
//! | file | what |
//! |---|---|
//! | `buffer.rs` | memory of long numbers |
//! | `store.rs` | a sign and limbs, inline or in a buffer |
//! | `natural.rs`, `integer.rs` | the two types: construction, access, comparison |
//! | `arithmetic.rs` | sums, differences, shifts and their operators |
//! | `bits.rs` | bits, logic in two's complement, counts |
//! | `convert.rs` | machine integers, text |

mod arithmetic;
mod bits;
mod buffer;
mod convert;
mod integer;
mod natural;
#[cfg(test)]
mod oracle;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use arithmetic::{
    assign_built, assign_difference, assign_sum, difference, operator, shifted_left, shifted_right,
    sum,
};
pub(crate) use buffer::Buffer;
pub(crate) use integer::Integer;
pub(crate) use natural::Natural;
pub(crate) use store::{Holder, Store};
