//! What is known of the machine: the tuning values that every operation's choices come from.

mod tuning;

pub use tuning::Tuning;
