//! What is known of the machine: the model of Haque, Moreno Maza and Xie, measured machines, and
//! the tuning that every operation's choices come from.
//!
//! | file | what |
//! |---|---|
//! | `mmm/` | programs as graphs of kernels, their costs, the paper's algorithms and equations |
//! | `machine.rs` | a measured machine, and what it predicts of a program |
//! | `probe/` | the measurements, on the CPU or a device |
//! | `tuning.rs` | the tuning in force |
//! | `parameters.rs` | its parameters, their shipped values and where those come from |
//! | `store.rs` | measured tunings in the user's cache |
//! | `pram.rs` | what the modular GCD costs on a parallel random access machine |

mod machine;
pub mod mmm;
mod parameters;
pub mod pram;
pub(crate) mod probe;
mod store;
mod tuning;

pub use machine::{Identity, Machine};
pub use probe::probe;
pub(crate) use store::tuning_of;
pub use store::{Chosen, Stored, Tuned};
pub use tuning::{Parameter, Provenance, Range, Side, Tuning};
pub(crate) use tuning::{Scoped, load_device_tuning};
