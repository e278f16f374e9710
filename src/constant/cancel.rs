//! Prime factors that P, Q and T of some terms have in common, found by a sieve.
//!
//! T = Σ a(k)·p(l)⋯p(k)·q(k+1)⋯q(r−1) over the terms k from l up to r. A prime that divides p(i)
//! and q(j) with i ≤ j divides every term: term k has p(i) as a factor if k ≥ i, and q(j) if k < j.
//! So it can be taken out of P, Q and T, and so can one more for each further pair. For one prime
//! the pairs are as those of brackets: p opens, q closes, and a closing one takes an open one
//! before it.
//!
//! Factors of p and q that are linear in n are sieved: a prime r divides one in every r terms. Of L
//! terms with numbers below n the primes up to L go out, log2(L/e) of the log2(n) bits of each
//! linear factor that p and q both have. The sieve takes L·log log L steps. The three exact
//! divisions take about as long as a level of the tree, so they are done on one level alone: high
//! enough that L is long, and low enough that divisions are cheap and that most of the tree is
//! above it.
//!
//! GMP's own program for π (H. Xue) takes common factors out on all levels, by factorised numbers.

use super::polynomial::Polynomial;
use super::series::Node;
use crate::error::Result;
use crate::int::Int;
use crate::word::residue::{inverse, residue};

/// The most terms of a node whose common factors are taken out.
pub(super) const TERMS: u64 = 1024;

/// Primes up to this are sieved. Among L terms a larger prime has a pair with a chance of about
/// (L/prime)².
const MOST: u32 = 4 * TERMS as u32;

/// Words whose product is made one by one.
const SHORT_PRODUCT: usize = 8;

/// The parts of a series that are sieved.
pub(super) struct Sieve {
    primes: Vec<Prime>,
}

/// A prime, and where it divides the linear factors of p and q: at the same places of every period
/// of as many terms as the prime.
struct Prime {
    prime: u32,
    /// By place; those of p before those of q.
    hits: Vec<Hit>,
}

/// A place of a period at which the prime divides a factor of p or of q.
struct Hit {
    place: u32,
    is_p: bool,
    exponent: Exponent,
}

/// How often a prime divides a factor constant + slope·k at one place of all periods. A factor that
/// is 0 counts as not divisible.
enum Exponent {
    /// The same in every period.
    Fixed(u64),
    /// Once, but in the periods whose number is this one modulo the prime.
    Once { but: u32, factor: Linear },
    /// The prime divides the slope too.
    Any(Linear),
}

/// The factor constant + slope·k.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Linear {
    constant: i64,
    slope: i64,
}

impl Sieve {
    /// For a series with these products of polynomials for p and q.
    pub(super) fn new(p: &Polynomial, q: &Polynomial) -> Sieve {
        let factors = |x: &Polynomial, is_p| {
            let of = move |(constant, slope)| (Linear { constant, slope }, is_p);
            x.linear_factors().map(of).collect::<Vec<_>>()
        };
        // Those of p first: sorting keeps them so.
        let all = [factors(p, true), factors(q, false)].concat();
        let primes = primes_up_to(MOST).map(|prime| {
            let mut hits: Vec<Hit> = all.iter().flat_map(|x| hits(prime, *x)).collect();
            hits.sort_by_key(|hit| hit.place);
            Prime { prime, hits }
        });
        // Where only p has a prime, or only q, there are no pairs.
        let has = |x: &Prime, is_p| x.hits.iter().any(|hit| hit.is_p == is_p);
        Sieve {
            primes: primes.filter(|x| has(x, true) && has(x, false)).collect(),
        }
    }

    /// Takes common factors out of P, Q and T of the terms from `from` up to `to`.
    pub(super) fn reduce(&self, node: Node, from: u64, to: u64) -> Result<Node> {
        let common = self.common(from, to)?;
        if common == Int::ONE {
            return Ok(node);
        }
        let p = node.p.map(|p| p.try_div_exact(&common)).transpose()?;
        Ok(Node {
            p,
            q: node.q.try_div_exact(&common)?,
            t: node.t.try_div_exact(&common)?,
        })
    }

    /// The product of the primes of all pairs.
    pub(super) fn common(&self, from: u64, to: u64) -> Result<Int> {
        let (mut words, mut word) = (Vec::new(), 1u64);
        for prime in &self.primes {
            for _ in 0..prime.pairs(from, to) {
                match word.checked_mul(prime.prime.into()) {
                    Some(product) => word = product,
                    None => words.push(std::mem::replace(&mut word, prime.prime.into())),
                }
            }
        }
        words.push(word);
        product(&words)
    }
}

impl Prime {
    /// How many pairs of this prime there are among these terms.
    fn pairs(&self, from: u64, to: u64) -> u64 {
        let prime = u64::from(self.prime);
        // There are no p(0) and q(0).
        let from = from.max(1);
        let mut start = from - from % prime;
        // The number of the period, modulo the prime.
        let mut period = (start / prime % prime) as u32;
        let (mut open, mut pairs) = (0, 0);
        while start < to {
            for hit in &self.hits {
                let k = start + u64::from(hit.place);
                if !(from..to).contains(&k) {
                    continue;
                }
                let exponent = match hit.exponent {
                    Exponent::Fixed(exponent) => exponent,
                    Exponent::Once { but, .. } if but != period => 1,
                    Exponent::Once { factor, .. } | Exponent::Any(factor) => {
                        factor.exponent(k, prime)
                    }
                };
                if hit.is_p {
                    open += exponent;
                } else {
                    let closed = exponent.min(open);
                    pairs += closed;
                    open -= closed;
                }
            }
            start += prime;
            period = (period + 1) % self.prime;
        }
        pairs
    }
}

impl Linear {
    /// How often the prime divides the factor at k, which it does at least once.
    fn exponent(self, k: u64, prime: u64) -> u64 {
        let value = i128::from(self.constant) + i128::from(self.slope) * i128::from(k);
        let Ok(mut value) = u64::try_from(value.unsigned_abs()) else {
            return 1;
        };
        let mut exponent = 0;
        while value > 0 && value.is_multiple_of(prime) {
            value /= prime;
            exponent += 1;
        }
        exponent
    }
}

/// Where a prime divides a factor.
fn hits(prime: u32, (factor, is_p): (Linear, bool)) -> Vec<Hit> {
    let modulus = u64::from(prime);
    let hit = |place: u64, exponent| Hit {
        place: place as u32,
        is_p,
        exponent,
    };
    let [c, s] = [factor.constant, factor.slope].map(|x| residue(x, modulus));
    if s == 0 {
        // Everywhere or nowhere.
        let exponent = || match factor.slope {
            0 => Exponent::Fixed(factor.exponent(0, modulus)),
            _ => Exponent::Any(factor),
        };
        let everywhere = if c == 0 { 0..modulus } else { 0..0 };
        return everywhere.map(|place| hit(place, exponent())).collect();
    }
    let Some(inverse) = inverse(s, modulus) else {
        return Vec::new();
    };
    let root = (modulus - c) * inverse % modulus;
    // In period m the factor is the prime times (constant + slope·root)/prime + slope·m.
    let at_root = i128::from(factor.constant) + i128::from(factor.slope) * i128::from(root);
    let quotient = (at_root / i128::from(prime)).rem_euclid(i128::from(prime)) as u64;
    let but = ((modulus - quotient) * inverse % modulus) as u32;
    vec![hit(root, Exponent::Once { but, factor })]
}

fn primes_up_to(most: u32) -> impl Iterator<Item = u32> {
    let is_prime = |n: &u32| {
        (2..)
            .take_while(|d| d * d <= *n)
            .all(|d| !n.is_multiple_of(d))
    };
    (2..=most).filter(is_prime)
}

fn product(words: &[u64]) -> Result<Int> {
    if words.len() <= SHORT_PRODUCT {
        return words
            .iter()
            .try_fold(Int::ONE, |product, word| product.try_mul(&Int::from(*word)));
    }
    let (left, right) = words.split_at(words.len() / 2);
    product(left)?.try_mul(&product(right)?)
}
