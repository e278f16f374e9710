//! A self-initialising quadratic sieve on the host (Contini, *Factoring integers with the
//! self-initializing quadratic sieve*, 1997), with one large prime per relation.
//!
//! A relation is X² ≡ Π p^e (mod n) with every p in the factor base, or with one larger prime.
//! Enough relations have a product in which all exponents are even: X² ≡ Y². Then gcd(X − Y, n) is
//! a proper divisor of n for at least half of these products.
//!
//! | file | what |
//! |---|---|
//! | `plan.rs` | the sizes, the multiplier, the factor base |
//! | `polynomial.rs` | the leading coefficients a, and the values of b that belong to each |
//! | `worker.rs` | the polynomials of one a: roots, sieving, relations from candidates |
//! | `lanes.rs` | the inner loops |
//! | `relation.rs` | what sieving finds |
//! | `journal/` | the same on disk |
//! | `filter/` | sets of relations whose large primes are squared; elimination of light columns |
//! | `matrix/` | products of sets in which all exponents are even |
//! | `square.rs` | the divisor that such a product gives |
//!
//! With P(x) = (ax + b)² − kn and b² ≡ kn (mod a), P(x)/a = ax² + 2bx + c is the value that must be
//! smooth. The coefficient a is a product of primes of the factor base.

mod filter;
mod journal;
mod lanes;
mod matrix;
mod plan;
mod polynomial;
mod relation;
mod square;
#[cfg(test)]
mod tests;
mod worker;

use std::path::Path;

use crate::error::Result;
use crate::number::Natural;
use rayon::prelude::*;

use filter::Collection;
use journal::{Base, Journal};
use plan::{Plan, Sizes};
use polynomial::Coefficients;
use relation::Relation;
use worker::Worker;

/// Numbers of more bits are not taken. Values of the polynomials, below 2^14·√(61n/2), must fit 127
/// bits, and larger numbers are worth two large primes per relation.
pub(super) const MOST_BITS: u64 = 205;
/// Numbers of fewer bits are not taken: their factor base has too few primes to choose a from.
pub(super) const LEAST_BITS: u64 = 60;
/// Relations of numbers of fewer bits are not worth a file: their sieve takes a second at most.
pub(super) const LEAST_KEPT_BITS: u64 = 180;
/// From this size on, one number is worth more than one thread.
const PARALLEL_BITS: u64 = 120;
/// Relations beyond the number of primes: each doubles the number of products that may split n.
const SURPLUS: usize = 12;
/// Columns of the smallest factor base.
const LEAST_COLUMNS: usize = 30;
/// Rounds without a divisor, of at least SURPLUS products each, before the sieve gives up.
const ROUNDS: usize = 6;

/// A proper divisor of n, which is odd, composite, not a perfect power, and of LEAST_BITS to
/// MOST_BITS bits. None if `keep_going` says no, or if the sieve gives up, which it does on a prime
/// or a power.
pub(super) fn run(n: &Natural, keep_going: &(dyn Fn() -> bool + Sync)) -> Option<Natural> {
    match plan(n, &Sizes::for_bits(plan::bits(n)))? {
        Ok(plan) => sieve(&plan, &mut Known::default(), keep_going),
        Err(divisor) => Some(divisor),
    }
}

/// The same with relations on disk: those in the file at `path` are taken up, and new ones are
/// added to it. An error says why the file is refused.
pub(super) fn run_kept(
    n: &Natural,
    path: &Path,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Natural>> {
    let mut sizes = Sizes::for_bits(plan::bits(n));
    let mut journal = Journal::open(path, n)?;
    if let Some(base) = journal.base() {
        sizes.primes = (base.columns as usize).max(LEAST_COLUMNS) - 2;
    }
    let plan = match plan(n, &sizes) {
        None => return Ok(None),
        Some(Ok(plan)) => plan,
        Some(Err(divisor)) => return Ok(Some(divisor)),
    };
    let base = Base {
        multiplier: plan.multiplier,
        columns: plan.columns() as u32,
        largest: plan.base.p.last().copied().unwrap_or(2),
    };
    let mut known = Known::default();
    known
        .collection
        .extend(journal.relations(base, &plan.primes())?);
    known.journal = Some(journal);
    Ok(sieve(&plan, &mut known, keep_going))
}

/// The plan for n, or a divisor of n; none if n has too few or too many bits.
fn plan(n: &Natural, sizes: &Sizes) -> Option<std::result::Result<Plan, Natural>> {
    let has_size = (LEAST_BITS..=MOST_BITS).contains(&plan::bits(n));
    has_size.then(|| Plan::new(n, sizes))
}

/// The relations that are known, in memory and on disk.
#[derive(Default)]
struct Known {
    collection: Collection,
    journal: Option<Journal>,
}

impl Known {
    fn extend(&mut self, found: Vec<Relation>) {
        if let Some(journal) = &mut self.journal {
            journal.append(&found);
        }
        self.collection.extend(found);
    }
}

fn sieve(
    plan: &Plan,
    known: &mut Known,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Option<Natural> {
    let threads = if plan::bits(&plan.n) < PARALLEL_BITS {
        1
    } else {
        rayon::current_num_threads()
    };
    // A run that is taken up has other coefficients than the run before.
    let seed = known.collection.relations().len() as u64;
    let mut coefficients = Coefficients::new(plan, seed);
    let primes = plan.primes();
    let mut worker = Worker::new(plan);
    let mut wanted = plan.columns() + SURPLUS;
    for _ in 0..ROUNDS {
        while known.collection.cycles() < wanted {
            if !keep_going() {
                return None;
            }
            if threads == 1 {
                let a = coefficients.next()?;
                known.extend(worker.relations(&a, coefficients.inverses()));
                continue;
            }
            let round: Vec<_> = (0..2 * threads)
                .map_while(|_| coefficients.next())
                .collect();
            if round.is_empty() {
                return None;
            }
            let inverses = coefficients.inverses();
            let found: Vec<Vec<Relation>> = round
                .into_par_iter()
                .map_init(
                    || Worker::new(plan),
                    |worker, a| {
                        if keep_going() {
                            worker.relations(&a, inverses)
                        } else {
                            Vec::new()
                        }
                    },
                )
                .collect();
            known.extend(found.into_iter().flatten().collect());
        }
        if let Some(divisor) = square::divisor(&plan.n, &primes, &known.collection, keep_going) {
            return Some(divisor);
        }
        wanted = known.collection.cycles() + SURPLUS;
    }
    None
}
