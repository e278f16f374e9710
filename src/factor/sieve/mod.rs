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
//! | `filter/` | sets of relations whose large primes are squared; elimination of light columns |
//! | `matrix/` | products of sets in which all exponents are even |
//! | `square.rs` | the divisor that such a product gives |
//!
//! With P(x) = (ax + b)² − kn and b² ≡ kn (mod a), P(x)/a = ax² + 2bx + c is the value that must be
//! smooth. The coefficient a is a product of primes of the factor base.

mod filter;
mod lanes;
mod matrix;
mod plan;
mod polynomial;
mod relation;
mod square;
#[cfg(test)]
mod tests;
mod worker;

use crate::number::Natural;
use rayon::prelude::*;

use filter::Collection;
use plan::{Plan, Sizes};
use polynomial::Coefficients;
use relation::Relation;
use worker::Worker;

/// Numbers of more bits are not taken. Values of the polynomials, below 2^14·√(61n/2), must fit 127
/// bits, and larger numbers are worth two large primes per relation.
pub(super) const MOST_BITS: u64 = 205;
/// Numbers of fewer bits are not taken: their factor base has too few primes to choose a from.
pub(super) const LEAST_BITS: u64 = 60;
/// From this size on, one number is worth more than one thread.
const PARALLEL_BITS: u64 = 120;
/// Relations beyond the number of primes: each doubles the number of products that may split n.
const SURPLUS: usize = 12;
/// Rounds without a divisor, of at least SURPLUS products each, before the sieve gives up.
const ROUNDS: usize = 6;

/// A proper divisor of n, which is odd, composite, not a perfect power, and of LEAST_BITS to
/// MOST_BITS bits. None if `keep_going` says no, or if the sieve gives up, which it does on a prime
/// or a power.
pub(super) fn run(n: &Natural, keep_going: &(dyn Fn() -> bool + Sync)) -> Option<Natural> {
    run_with(n, &Sizes::for_bits(plan::bits(n)), keep_going)
}

fn run_with(n: &Natural, sizes: &Sizes, keep_going: &(dyn Fn() -> bool + Sync)) -> Option<Natural> {
    let bits = plan::bits(n);
    if !(LEAST_BITS..=MOST_BITS).contains(&bits) {
        return None;
    }
    let plan = match Plan::new(n, sizes) {
        Ok(plan) => plan,
        Err(divisor) => return Some(divisor),
    };
    let threads = if bits < PARALLEL_BITS {
        1
    } else {
        rayon::current_num_threads()
    };
    let mut coefficients = Coefficients::new(&plan);
    let primes = plan.primes();
    let mut relations = Collection::default();
    let mut worker = Worker::new(&plan);
    let mut wanted = plan.columns() + SURPLUS;
    for _ in 0..ROUNDS {
        while relations.cycles() < wanted {
            if !keep_going() {
                return None;
            }
            if threads == 1 {
                let a = coefficients.next()?;
                relations.extend(worker.relations(&a, coefficients.inverses()));
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
                    || Worker::new(&plan),
                    |worker, a| {
                        if keep_going() {
                            worker.relations(&a, inverses)
                        } else {
                            Vec::new()
                        }
                    },
                )
                .collect();
            found.into_iter().for_each(|found| relations.extend(found));
        }
        if let Some(divisor) = square::divisor(n, &primes, &relations, keep_going) {
            return Some(divisor);
        }
        wanted = relations.cycles() + SURPLUS;
    }
    None
}
