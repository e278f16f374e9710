//! The measured machine. The tuning, from which every operation takes its choices, is in
//! `src/tuning/`. The paper's model and the tuner are in `bezout-lab`, which uses this module
//! through `bezout::measure`.
//!
//! | file | what |
//! |---|---|
//! | `machine.rs` | quantities that are computed from a measured machine |
//! | `probe/` | the measurements, on the CPU or a device |

mod machine;
pub(crate) mod probe;

pub use probe::probe;
