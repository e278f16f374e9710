//! Prime factors that P, Q and T of some terms have in common, found by a sieve.
//!
//! T = Σ a(k)·p(l)⋯p(k)·q(k+1)⋯q(r−1) over the terms k from l up to r. A prime that divides p(i)
//! and q(j) with i ≤ j divides every term: term k has p(i) as a factor if k ≥ i, and q(j) if k < j.
//! So it can be taken out of P, Q and T, and so can one more for each further pair. For one prime
//! the pairs are as those of brackets: p opens, q closes, and a closing one takes an open one
//! before it.
//!
//! Factors of p and q that are linear in n are sieved: a prime divides them in every so-manieth
//! term. Of L terms with numbers below n the primes up to L go out, log2(L/e) of the log2(n) bits
//! of each linear factor that p and q both have. The sieve takes L·log log L steps. The three exact
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

/// What is sieved of a series.
pub(super) struct Sieve {
    primes: Vec<Prime>,
}

/// A prime, and where it divides the factors of p and q.
struct Prime {
    prime: u32,
    places: Vec<DivisibleFactor>,
}

/// A linear factor that a prime divides at the places root, root + step, root + 2·step, …
#[derive(Clone, Copy)]
struct DivisibleFactor {
    constant: i64,
    slope: i64,
    root: u32,
    step: u32,
    is_p: bool,
}

impl Sieve {
    /// For a series with these products of polynomials for p and q.
    pub(super) fn new(p: &Polynomial, q: &Polynomial) -> Sieve {
        let factors = |x: &Polynomial, is_p| {
            let of = move |(constant, slope)| (constant, slope, is_p);
            x.linear_factors().map(of).collect::<Vec<_>>()
        };
        let all = [factors(p, true), factors(q, false)].concat();
        let primes = primes_up_to(MOST).map(|prime| Prime {
            prime,
            places: all.iter().filter_map(|x| place(prime, *x)).collect(),
        });
        // Where only p has a prime, or only q, there are no pairs.
        let has = |x: &Prime, is_p| x.places.iter().any(|place| place.is_p == is_p);
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
        let mut next = Vec::new();
        for prime in &self.primes {
            for _ in 0..prime.pairs(from, to, &mut next) {
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
    /// How many pairs of this prime there are among these terms. `next` is room to work in.
    fn pairs(&self, from: u64, to: u64, next: &mut Vec<u64>) -> u64 {
        // There are no p(0) and q(0).
        let from = from.max(1);
        next.clear();
        next.extend(self.places.iter().map(|place| place.first(from)));
        let (mut open, mut pairs) = (0, 0);
        loop {
            let k = next.iter().copied().min().unwrap_or(to);
            if k >= to {
                return pairs;
            }
            let mut closing = 0;
            for (place, next) in self.places.iter().zip(&mut *next) {
                if *next != k {
                    continue;
                }
                *next += u64::from(place.step);
                let exponent = place.exponent(k, self.prime);
                if place.is_p {
                    open += exponent;
                } else {
                    closing += exponent;
                }
            }
            let closed = closing.min(open);
            pairs += closed;
            open -= closed;
        }
    }
}

impl DivisibleFactor {
    /// The first place from `from` on.
    fn first(self, from: u64) -> u64 {
        let (root, step) = (u64::from(self.root), u64::from(self.step));
        from + (root + step - from % step) % step
    }

    /// How often the prime divides the factor at k. A factor that is 0 counts as not divisible.
    fn exponent(self, k: u64, prime: u32) -> u64 {
        let value = i128::from(self.constant) + i128::from(self.slope) * i128::from(k);
        let Ok(mut value) = u64::try_from(value.unsigned_abs()) else {
            return 1;
        };
        let (prime, mut exponent) = (u64::from(prime), 0);
        while value > 0 && value.is_multiple_of(prime) {
            value /= prime;
            exponent += 1;
        }
        exponent
    }
}

/// Where a prime divides constant + slope·k; none if nowhere.
fn place(prime: u32, (constant, slope, is_p): (i64, i64, bool)) -> Option<DivisibleFactor> {
    let modulus = u64::from(prime);
    let (c, s) = (residue(constant, modulus), residue(slope, modulus));
    let (root, step) = match (c, s) {
        (0, 0) => (0, 1),
        // None where the prime divides the slope alone.
        _ => ((modulus - c) * inverse(s, modulus)? % modulus, modulus),
    };
    Some(DivisibleFactor {
        constant,
        slope,
        root: root as u32,
        step: step as u32,
        is_p,
    })
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
