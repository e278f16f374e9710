//! What is known of the machine: the model of Haque, Moreno Maza and Xie, and measured machines. The
//! tuning that every operation's choices come from is in `src/tuning/`, and exported here too.
//!
//! | file | what |
//! |---|---|
//! | `mmm/` | programs as graphs of kernels, their costs, the paper's algorithms and equations |
//! | `machine.rs` | what a measured machine predicts of a program |
//! | `probe/` | the measurements, on the CPU or a device |
//! | `pram.rs` | what the modular GCD costs on a parallel random access machine |

mod machine;
pub mod mmm;
pub mod pram;
pub(crate) mod probe;

pub use crate::tuning::{
    Chosen, Identity, Machine, Parameter, Provenance, Range, Side, Stored, Tuned, Tuning,
};
pub use probe::probe;
