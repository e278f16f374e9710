//! The methods of factoring, on `Natural` and on words. `src/factor/` chooses among them.
//!
//! | file | what |
//! |---|---|
//! | `fermat.rs`, `rho.rs`, `sieve/`, `pminus1.rs`, `pplus1.rs`, `ecm/` | the methods for one number |
//! | `workers.rs` | the interface of those that run curves and sieves |
//! | `published/` | Pollard's rho as Beránek published it |
//! | `small.rs`, `ring.rs`, `plan.rs`, `curve.rs` | numbers of at most 128 bits |
//! | `many.rs`, `cuda.rs`, `many.cu`, `ring.cuh` | millions of those |

pub(crate) mod cuda;
mod curve;
pub(crate) mod ecm;
pub(crate) mod fermat;
pub(crate) mod many;
pub(crate) mod plan;
pub(crate) mod pminus1;
pub(crate) mod pplus1;
pub(crate) mod published;
pub(crate) mod rho;
mod ring;
pub(crate) mod sieve;
pub(crate) mod small;
pub(crate) mod workers;

/// The least prime factor of n > 1.
pub(crate) fn least_factor(n: u64) -> u64 {
    let mut primes = Vec::new();
    let rest = small::divide_out_small(n.into(), &mut primes);
    if rest > 1 {
        small::complete(rest, &mut primes);
    }
    primes.into_iter().min().map_or(n, |p| p as u64)
}
