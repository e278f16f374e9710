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
//! | `matrix.rs` | which relations have a square as their product |
//! | `square.rs` | the divisor that such a product gives |
//!
//! With P(x) = (ax + b)² − kn and b² ≡ kn (mod a), P(x)/a = ax² + 2bx + c is the value that must be
//! smooth. The coefficient a is a product of primes of the factor base.

mod lanes;
mod matrix;
mod plan;
mod polynomial;
mod square;
#[cfg(test)]
mod tests;
mod worker;

use std::collections::{HashMap, HashSet};

use crate::number::Natural;
use rayon::prelude::*;

use plan::{Plan, Sizes};
use polynomial::Coefficients;
use worker::{Relation, Worker};

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
    let mut relations = Relations::default();
    let mut worker = Worker::new(&plan);
    let mut wanted = plan.columns() + SURPLUS;
    for _ in 0..ROUNDS {
        while relations.len() < wanted {
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
        let rows = relations.rows();
        for product in matrix::dependencies(&rows, plan.columns()) {
            if let Some(divisor) = square::divisor(&plan, &relations, &product) {
                return Some(divisor);
            }
        }
        wanted = relations.len() + SURPLUS;
    }
    None
}

/// What has been found, without repetition.
#[derive(Default)]
struct Relations {
    all: Vec<Relation>,
    /// The squares that are known, by |X|.
    known: HashSet<u128>,
    /// The first relation with each large prime.
    by_large: HashMap<u32, usize>,
    /// A relation without a large prime, or two with the same one.
    usable: Vec<(usize, Option<usize>)>,
}

impl Relations {
    /// The number of relations whose primes are all in the factor base, or whose large primes are
    /// squared.
    fn len(&self) -> usize {
        self.usable.len()
    }

    fn extend(&mut self, found: Vec<Relation>) {
        for relation in found {
            if !self.known.insert(relation.x) {
                continue;
            }
            let at = self.all.len();
            if relation.large == 1 {
                self.usable.push((at, None));
            } else {
                match self.by_large.get(&relation.large) {
                    Some(first) => self.usable.push((*first, Some(at))),
                    None => {
                        self.by_large.insert(relation.large, at);
                    }
                }
            }
            self.all.push(relation);
        }
    }

    /// The columns of each usable relation, with repetition.
    fn rows(&self) -> Vec<Vec<u32>> {
        let columns = |at: usize| self.all[at].columns.iter().copied();
        self.usable
            .iter()
            .map(|&(first, second)| {
                columns(first)
                    .chain(second.into_iter().flat_map(columns))
                    .collect()
            })
            .collect()
    }
}
