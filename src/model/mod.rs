//! What is known of the machine. The tuning that every operation's choices come from is in
//! `src/tuning/`. The paper's model and the tuner are in `bezout-lab`, which reaches this by
//! `bezout::measure`.
//!
//! | file | what |
//! |---|---|
//! | `machine.rs` | what is computed from a measured machine |
//! | `probe/` | the measurements, on the CPU or a device |

mod machine;
pub(crate) mod probe;

pub use probe::probe;
