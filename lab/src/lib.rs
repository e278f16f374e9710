//! What is research around [`bezout`]: the machine model with the papers' equations, the tuner that
//! measures choices, and the library's algorithms as they were published.
//!
//! `bezout model`, `bezout tune` and the benchmarks use it. The library itself does not: it only
//! reads the tunings that the tuner keeps.
//!
//! | module | what |
//! |---|---|
//! | [`model`] | programs and their costs, equations, predictions, measured machines |
//! | [`tune`] | every choice, its work and its prediction, and the search for the best |
//! | [`measure`] | the library's hidden interface: launches of a chosen shape, published variants |

pub mod model;
pub mod tune;

pub use bezout::measure;
