//! Trial division: the remainder by the product of a few primes decides divisibility by each of
//! them.

use crate::word::div::rem_word;
use crate::word::inverse_word;

/// Odd primes with a product of one word.
pub(crate) struct TrialGroup {
    product: u64,
    primes: Vec<TrialPrime>,
}

struct TrialPrime {
    p: u64,
    /// 1/p modulo 2^64.
    inverse: u64,
    /// (2^64 − 1)/p.
    most: u64,
}

impl TrialGroup {
    /// These odd primes in groups, in order.
    pub(crate) fn all(odd_primes: impl Iterator<Item = u64>) -> Vec<TrialGroup> {
        let mut groups: Vec<TrialGroup> = Vec::new();
        for p in odd_primes {
            let (inverse, most) = (inverse_word(p), u64::MAX / p);
            let prime = TrialPrime { p, inverse, most };
            let joined = groups.last_mut().and_then(|group| {
                group.product = group.product.checked_mul(p)?;
                Some(group)
            });
            match joined {
                Some(group) => group.primes.push(prime),
                None => groups.push(TrialGroup {
                    product: p,
                    primes: vec![prime],
                }),
            }
        }
        groups
    }

    /// The first of the primes that divides the number. The multiples of p are those whose quotient
    /// modulo 2^64 is at most (2^64 − 1)/p: Granlund and Montgomery, *Division by invariant
    /// integers using multiplication* (1994), section 9.
    pub(crate) fn divisor(&self, limbs: &[u64]) -> Option<u64> {
        let rest = rem_word(limbs, self.product);
        let mut primes = self.primes.iter();
        let divides = |prime: &&TrialPrime| rest.wrapping_mul(prime.inverse) <= prime.most;
        primes.find(divides).map(|prime| prime.p)
    }
}
