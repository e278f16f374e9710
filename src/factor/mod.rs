//! Factoring, of one number of any size and of millions of short ones.
//!
//! ```
//! use bezout::Int;
//! use bezout::factor::Status;
//!
//! let n = (Int::ONE << 101) - 1;
//! let found = n.factor();
//! let factors: Vec<String> = found.factors.iter().map(|f| f.value.to_string()).collect();
//! assert_eq!(factors, ["7432339208719", "341117531003194129"]);
//! assert!(found.factors.iter().all(|f| f.status == Status::Proved));
//! ```
//!
//! | file | what |
//! |---|---|
//! | `search/`, `levels.rs` | one number: which method when, for how long |
//! | `record.rs` | what is known of each factor, and what may be asked for |
//! | `gmp_ecm.rs` | curves as GMP-ECM names them |
//! | `int.rs` | the methods of [`Int`] |
//!
//! The methods themselves are in `src/factoring/`.

pub mod gmp_ecm;
mod int;
mod levels;
mod record;
mod search;
#[cfg(test)]
mod tests;

pub use crate::factoring::many::{Factors, factor_many};
pub use record::{Factor, Factorization, Method, Options, Origin, Status};
pub use search::{KeepGoing, Outlook, Search};

use crate::engine::Engine;
use crate::error::Result;
use crate::int::Int;
use crate::progress;

/// Factors a number from 1 on until it is done, which for a large one may be never; see
/// [`progress`] for a way to stop it, and [`Search`] for one that keeps what was found. Factors
/// that are left composite are so because `options` allows nothing more.
pub fn factor(number: &Int, options: &Options) -> Result<Factorization> {
    let mut search = Search::new(number, options)?;
    let (engine, place) = (Engine::current(), progress::shared());
    let keep_going =
        move || progress::inherit(place.clone(), || engine.scope(progress::check)).is_ok();
    search.run(&keep_going, &mut |_| progress::check())?;
    progress::check()?;
    search.result()
}
