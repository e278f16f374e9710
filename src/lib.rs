//! Exact arithmetic at GPU speed.

#![doc(html_no_source)]

pub mod cuda;
pub mod engine;
pub mod error;
pub mod gcd;
mod int;
mod limbs;
pub mod model;
pub mod notice;

pub use engine::Engine;
pub use error::{Error, Result};
pub use int::Int;
