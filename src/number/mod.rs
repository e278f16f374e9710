//! Host integers: `Natural`, a number from 0 on, and `Integer`, a signed one.
//!
//! Numbers of up to [`INLINE`] limbs lie in the value itself and need no heap. Longer ones have a pooled
//! [`Buffer`]. The arithmetic is that of the floor, `crate::word`, on slices; what is longer than the
//! floor's algorithms serve best is the business of the operations' own folders.
//!
//! | file | what |
//! |---|---|
//! | `buffer.rs` | memory of long numbers |
//! | `store.rs` | a sign and limbs, inline or in a buffer |
//! | `natural.rs`, `integer.rs` | the two types: construction, access, comparison |
//! | `arithmetic.rs` | sums, products, quotients, shifts and their operators |
//! | `bits.rs` | bits, logic in two's complement, counts |
//! | `convert.rs` | machine integers, text |
//! | `theory.rs` | divisors, powers, roots, residues |

mod arithmetic;
mod bits;
mod buffer;
mod convert;
mod integer;
mod long;
mod natural;
mod store;
mod theory;
#[cfg(test)]
mod tests;

pub(crate) use buffer::Buffer;
pub(crate) use integer::Integer;
pub(crate) use natural::Natural;
pub(crate) use store::INLINE;
