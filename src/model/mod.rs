//! What is known of the machine: measured machines, and the tuning that every operation's choices
//! come from. The paper's model and the tuner are in `bezout-lab`, which reaches this by
//! `bezout::measure`.
//!
//! | file | what |
//! |---|---|
//! | `machine.rs` | a measured machine |
//! | `probe/` | the measurements, on the CPU or a device |
//! | `tuning.rs` | the tuning in force |
//! | `parameters.rs` | its parameters, their shipped values and where those come from |
//! | `store.rs` | measured tunings in the user's cache |

mod machine;
mod parameters;
pub(crate) mod probe;
mod store;
mod tuning;

pub use machine::{Identity, Machine};
pub use probe::probe;
pub use store::{Chosen, Stored, Tuned, tuning_of};
pub use tuning::{Parameter, Provenance, Range, Side, Tuning};
pub(crate) use tuning::{Scoped, load_device_tuning};
