//! The basis: the definition of a step of the algorithm, and how a step is found.
//!
//! A step is the basis of a lattice of determinant M, where M is the product of one block of
//! moduli. `reduction.rs` finds it by Gauss's reduction and proves how many bits it takes off the
//! operands. `step.rs` stores it in words, as it is applied to residues. `bound.rs` bounds the
//! magnitudes of the operands, by which the reduction weights rows. `mersenne.rs` checks a step's
//! determinant. This folder uses only the product of a block of moduli.

mod bound;
mod mersenne;
mod reduction;
mod step;

pub(crate) use bound::{Bound, OperandBounds};
pub(crate) use mersenne::append;
pub(crate) use reduction::{divide, reduce};
pub(crate) use step::Step;
