//! Exact arithmetic at GPU speed.

#![doc(html_no_source)]

mod batch;
pub mod cuda;
pub mod engine;
pub mod error;
pub mod gcd;
mod int;
mod limbs;
pub mod model;
mod mul;
pub mod notice;
mod ntt;

pub use batch::Batch;
pub use batch::Rows;
pub use engine::Engine;
pub use error::{Error, Result};
pub use int::Int;
