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
//! | `workers.rs` | who runs its curves and its sieves |
//! | `rho.rs`, `sieve/`, `pminus1.rs`, `pplus1.rs`, `ecm/` | the methods |
//! | `published/` | Pollard's rho as Beránek published it |
//! | `small.rs`, `ring.rs`, `plan.rs`, `curve.rs` | numbers of at most 128 bits |
//! | `mass.rs`, `cuda.rs`, `mass.cu`, `ring.cuh` | millions of those |

pub(crate) mod cuda;
mod curve;
pub(crate) mod ecm;
mod levels;
pub(crate) mod mass;
mod plan;
mod pminus1;
mod pplus1;
pub(crate) mod published;
mod record;
mod rho;
mod ring;
mod search;
pub(crate) mod sieve;
mod small;
#[cfg(test)]
mod tests;
pub(crate) mod workers;

pub use ecm::gmp_ecm;
pub use mass::{Factors, factor_many};
pub use record::{Factor, Factorization, Method, Options, Origin, Status};
pub use search::{KeepGoing, Outlook, Search};

use crate::engine::Engine;
use crate::error::Result;
use crate::int::Int;
use crate::progress;

/// The least prime factor of n > 1.
pub(crate) fn least_factor(n: u64) -> u64 {
    let mut primes = Vec::new();
    let rest = small::divide_out_small(n.into(), &mut primes);
    if rest > 1 {
        small::complete(rest, &mut primes);
    }
    primes.into_iter().min().map_or(n, |p| p as u64)
}

/// Factors a number from 1 on until it is done, which for a large one may be never; see
/// [`progress`] for a way to stop it, and
/// [`Search`] for one that keeps what was found. Factors that are left composite are so because `options` allows nothing more.
pub fn factor(number: &Int, options: &Options) -> Result<Factorization> {
    let mut search = Search::new(number, options)?;
    let (engine, place) = (Engine::current(), progress::shared());
    let keep_going =
        move || progress::inherit(place.clone(), || engine.scope(progress::check)).is_ok();
    search.run(&keep_going, &mut |_| progress::check())?;
    progress::check()?;
    search.result()
}
