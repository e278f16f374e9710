//! Products and quotients of numbers of several limbs: memory and scratch for the floor's algorithms.

use super::buffer::Buffer;
use super::store::Store;
use crate::word::{div, mul};

/// The magnitude a·b.
pub(super) fn product(negative: bool, a: &[u64], b: &[u64]) -> Store {
    let mut scratch = Buffer::unspecified(mul::mul_scratch(a.len(), b.len()));
    Store::build(negative, a.len() + b.len(), |out| {
        mul::mul(out, a, b, &mut scratch);
    })
}

/// a².
pub(super) fn square(a: &[u64]) -> Store {
    let mut scratch = Buffer::unspecified(mul::square_scratch(a.len()));
    Store::build(false, 2 * a.len(), |out| mul::square(out, a, &mut scratch))
}

/// (a / b, a mod b) for a ≥ b, b of at least two limbs.
pub(super) fn div_rem(a: &[u64], b: &[u64]) -> (Store, Store) {
    let mut rest = Buffer::copy_of(a, 0);
    let mut scratch = Buffer::unspecified(div::div_rem_scratch(a.len(), b.len()));
    let quotient = Store::build(false, a.len() - b.len() + 1, |out| {
        div::div_rem(out, &mut rest, b, &mut scratch);
    });
    rest.truncate(b.len());
    (quotient, Store::from_buffer(false, rest))
}
