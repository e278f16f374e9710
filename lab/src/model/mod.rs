//! The machine model: the model of Haque, Moreno Maza and Xie, measured machines, and what they
//! predict.
//!
//! | file | what |
//! |---|---|
//! | `mmm/` | programs as graphs of kernels, their costs, the paper's algorithms and equations |
//! | `predict/` | what a measured machine predicts of a program |
//! | `pram.rs` | what the modular GCD costs on a parallel random access machine |
//!
//! Machines are measured, and tunings are kept, by the library: it chooses by them.

pub mod mmm;
pub mod pram;
mod predict;

pub use bezout::measure::{
    Chosen, Identity, Machine, Parameter, Provenance, Range, Side, Stored, Tuned, Tuning, probe,
};
pub use predict::Predict;
