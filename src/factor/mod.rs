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
//! | `search/`, `levels.rs` | one number: the order of the methods, and the time for each |
//! | `record.rs` | the record of each factor, and the options |
//! | `gmp_ecm.rs` | curves in GMP-ECM's notation |
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

/// Factors a number ≥ 1 until all methods that `options` allows are used up, which for a large
/// number may take forever. [`progress`] can stop it, and [`Search`] keeps what was found so far. A
/// factor stays composite only if `options` allows no more work.
pub fn factor(number: &Int, options: &Options) -> Result<Factorization> {
    let mut search = Search::new(number, options)?;
    let (engine, place) = (Engine::current(), progress::shared());
    let keep_going =
        move || progress::inherit(place.clone(), || engine.scope(progress::check)).is_ok();
    search.run(&keep_going, &mut |_| progress::check())?;
    progress::check()?;
    search.result()
}
