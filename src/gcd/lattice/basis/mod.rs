//! The basis: what one step of the algorithm is, and how it is found.
//!
//! A step is the basis of a lattice of determinant M, where M is the product of one block of
//! moduli. `reduction.rs` finds it by Gauss's reduction and proves what it takes off the operands.
//! `step.rs` holds it in words, as it is applied to residues. `bound.rs` bounds the magnitudes of
//! the operands, which the reduction weighs rows by. `mersenne.rs` checks a step's determinant.
//! This folder knows blocks of moduli only by their product.

mod bound;
mod mersenne;
mod reduction;
mod step;

pub(crate) use bound::{Bound, OperandBounds};
pub(crate) use mersenne::append;
pub(crate) use reduction::{divide, reduce};
pub(crate) use step::Step;
