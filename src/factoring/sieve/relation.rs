//! The relations that sieving finds.

use crate::factoring::ecm::residues::{Residues, with_residues};
use crate::number::Natural;

/// (ax + b)² − kn = a·Q, where a·Q is a product of primes of the factor base and of at most two
/// larger ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    /// |ax + b| modulo n.
    pub(super) x: Natural,
    /// The columns of the primes of a·Q, with repetition. Column 0 is the sign −1.
    pub(super) factors: Vec<u32>,
    /// The larger primes, ascending; 1 where there is none.
    pub(super) large: [u64; 2],
}

impl Relation {
    /// Whether x² is the product of the factors modulo n, which is odd. The prime of column c is
    /// `primes[c]`, from column 1 on.
    pub(super) fn holds(&self, n: &Natural, primes: &[u32]) -> bool {
        let is_known = |column: &u32| (*column as usize) < primes.len();
        if self.x >= *n || !self.factors.iter().all(is_known) || self.large.contains(&0) {
            return false;
        }
        with_residues!(n, ring => {
            let mut product = ring.one();
            for column in &self.factors {
                product = if *column == 0 {
                    ring.sub(&ring.zero(), &product)
                } else {
                    ring.mul(&product, &ring.small(primes[*column as usize].into()))
                };
            }
            for prime in self.large {
                product = ring.mul(&product, &ring.small(prime));
            }
            let square = ring.sqr(&ring.import(&self.x));
            ring.export(&ring.sub(&square, &product)) == 0u32
        })
    }
}
