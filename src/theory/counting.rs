//! Primes counted.
//!
//! **π(n).** For each v among the ⌊n/i⌋, S(v, p) is the number of those from 2 to v that are prime
//! or have no prime factor up to p. With a prime p and q the prime before it, S(v, p) = S(v, q) −
//! (S(⌊v/p⌋, q) − π(q)) for p² ≤ v, and π(n) = S(n, √n) (Legendre; in this form by Lucy). That
//! takes O(n^(3/4)) steps and O(√n) words.
//!
//! **The n-th prime** is near the x with li(x) = n, by some √x. π(x) is counted, and a sieve goes
//! from x up or down by the primes that are left.

use crate::error::{Error, Result};
use crate::modp::words;
use crate::progress;

/// The largest n whose primes are counted: a minute of work, and 2^27 bytes.
const MOST: u64 = 1 << 46;
/// Numbers of a segment of the sieve.
const SEGMENT: u64 = 1 << 18;
/// Steps between two checks whether to stop.
const PIECE: usize = 1 << 20;

/// How many primes there are up to n, for n up to 2^46.
pub fn prime_count(n: u64) -> Result<u64> {
    if n > MOST {
        return Err(Error::Domain(
            "primes are counted up to 2^46 = 70368744177664".into(),
        ));
    }
    if n < 2 {
        return Ok(0);
    }
    let root = n.isqrt();
    // low[v] is S(v) for v ≤ root, high[i] is S(⌊n/i⌋) for 1 ≤ i ≤ root.
    let mut low: Vec<u64> = (0..=root).map(|v| v.saturating_sub(1)).collect();
    let mut high: Vec<u64> = (0..=root).map(|i| n / i.max(1) - 1).collect();
    let mut steps = 0;
    for p in 2..=root {
        let before = low[p as usize - 1];
        if low[p as usize] == before {
            continue;
        }
        let square = p * p;
        let last = (n / square).min(root);
        for i in 1..=last {
            let inner = i * p;
            let part = if inner <= root {
                high[inner as usize]
            } else {
                low[(n / inner) as usize]
            };
            high[i as usize] -= part - before;
        }
        for v in (square..=root).rev() {
            low[v as usize] -= low[(v / p) as usize] - before;
        }
        steps += last as usize + (root + 1).saturating_sub(square) as usize;
        if steps > PIECE {
            steps = 0;
            progress::check()?;
        }
    }
    Ok(high[1])
}

/// The n-th prime, n ≥ 1: 2 is the first. It must be below 2^46.
pub fn nth_prime(n: u64) -> Result<u64> {
    const FIRST: [u64; 6] = [2, 3, 5, 7, 11, 13];
    match n {
        0 => return Err(Error::Domain("the first prime is number 1".into())),
        1..=6 => return Ok(FIRST[n as usize - 1]),
        _ => {}
    }
    let near = inverse_logarithmic_integral(n as f64);
    // Also where n is so large that it has no such x in floating point.
    if near.is_nan() || near > MOST as f64 {
        return Err(Error::Domain("the prime is above 2^46".into()));
    }
    let near = near as u64;
    let count = prime_count(near)?;
    let small = words::up_to((2 * near).isqrt() + SEGMENT);
    if count < n {
        let (mut left, mut start) = (n - count, near + 1);
        loop {
            let primes = segment(start, start + SEGMENT, &small)?;
            if let Some(prime) = primes.get(left as usize - 1) {
                return Ok(*prime);
            }
            left -= primes.len() as u64;
            start += SEGMENT;
        }
    }
    // `left` primes up to `near` are above the wanted one.
    let (mut left, mut end) = (count - n, near + 1);
    loop {
        let start = end.saturating_sub(SEGMENT).max(2);
        let primes = segment(start, end, &small)?;
        if let Some(place) = primes.len().checked_sub(left as usize + 1) {
            return Ok(primes[place]);
        }
        left -= primes.len() as u64;
        end = start;
    }
}

/// x with li(x) = n ≥ 7, by Newton's iteration from Cipolla's first terms.
fn inverse_logarithmic_integral(n: f64) -> f64 {
    let log = n.ln();
    let mut x = n * (log + log.ln() - 1.0);
    for _ in 0..8 {
        x -= (logarithmic_integral(x) - n) * x.ln();
    }
    x
}

/// li(x) = γ + ln ln x + Σ (ln x)^k/(k·k!), for x > 1.
fn logarithmic_integral(x: f64) -> f64 {
    const GAMMA: f64 = 0.577_215_664_901_532_9;
    let log = x.ln();
    let (mut sum, mut term) = (GAMMA + log.ln(), 1.0);
    for k in 1..200 {
        term *= log / f64::from(k);
        sum += term / f64::from(k);
    }
    sum
}

/// The primes from `start` ≥ 2 to below `end`, by the primes up to the root of `end`.
fn segment(start: u64, end: u64, small: &[u64]) -> Result<Vec<u64>> {
    progress::check()?;
    let mut composite = vec![false; (end - start) as usize];
    for p in small.iter().take_while(|p| *p * *p < end) {
        let first = (p * p).max(start.div_ceil(*p) * p);
        for multiple in (first..end).step_by(*p as usize) {
            composite[(multiple - start) as usize] = true;
        }
    }
    let places = (start..end).zip(composite);
    Ok(places.filter(|(_, is)| !is).map(|(n, _)| n).collect())
}
