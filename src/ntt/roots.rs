//! The tables that the transforms read, one per prime; the layout is that of `ntt.cuh`.

use super::plan::{MAX_LOG, PRIMES};
use crate::word::inverse_word;

const SCALES: usize = 5;
const ROOTS: usize = SCALES + 5 * (MAX_LOG as usize + 1);
const NODES: usize = 1 << 13;
const HALF_LOG: u32 = MAX_LOG / 2;
/// Words per prime.
pub(crate) const TABLE: usize = ROOTS + 2 * NODES + (2 << HALF_LOG);

fn mul(a: u32, b: u32, p: u32) -> u32 {
    (u64::from(a) * u64::from(b) % u64::from(p)) as u32
}

fn pow(mut a: u32, mut e: u64, p: u32) -> u32 {
    let mut power = 1;
    while e > 0 {
        if e & 1 == 1 {
            power = mul(power, a, p);
        }
        a = mul(a, a, p);
        e >>= 1;
    }
    power
}

fn inverse(a: u32, p: u32) -> u32 {
    pow(a, u64::from(p) - 2, p)
}

/// w and ⌊w·2^32 / p⌋ in one word.
fn with_quotient(w: u32, p: u32) -> u64 {
    ((u64::from(w) << 32) / u64::from(p)) << 32 | u64::from(w)
}

/// 1/p modulo 2^32.
fn inverse_of_two_power(p: u32) -> u32 {
    inverse_word(p.into()) as u32
}

/// roots[v] of `ntt.cuh`, from a primitive 2^22-th root of unity z.
fn roots(z: u32, p: u32) -> Vec<u32> {
    let mut roots = vec![1; NODES];
    for k in 0..NODES.ilog2() {
        let step = pow(z, 1 << (MAX_LOG - k - 2), p);
        for v in 0..1 << k {
            roots[v + (1 << k)] = mul(roots[v], step, p);
        }
    }
    roots
}

/// The factor that the inverse of 2^log_n points is left with: 1/2^log_n; 2^32 for each reduction
/// of a limb and of the product; and what makes the residue a digit of the Chinese remainders
/// modulo `primes` primes.
fn scale(index: usize, primes: usize, log_n: u32) -> u32 {
    let p = PRIMES[index].0;
    let others = PRIMES[..primes]
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != index);
    let cofactor = others.fold(1, |product, (_, (q, _))| mul(product, q % p, p));
    let points = pow(2, u64::from(log_n), p);
    mul(pow(2, 96, p), inverse(mul(points, cofactor, p), p), p)
}

/// The table of one prime.
fn table(index: usize) -> Vec<u64> {
    let (p, generator) = PRIMES[index];
    let z = pow(generator, u64::from(p - 1) >> MAX_LOG, p);
    let montgomery = |x| u64::from(montgomery(x, p));
    let mut table = vec![
        p.into(),
        inverse_of_two_power(p).into(),
        (1 << 61) / u64::from(p),
        (2 * p).into(),
        p.wrapping_neg().into(),
    ];
    for primes in 2..=PRIMES.len() {
        let scales = (0..=MAX_LOG).map(|log_n| {
            if index < primes {
                montgomery(scale(index, primes, log_n))
            } else {
                0
            }
        });
        table.extend(scales);
    }
    assert_eq!(table.len(), ROOTS);
    table.extend(roots(z, p).iter().map(|w| with_quotient(*w, p)));
    table.extend(roots(inverse(z, p), p).iter().map(|w| with_quotient(*w, p)));
    let half = 1 << HALF_LOG;
    table.extend(powers(z, p).take(half).map(u64::from));
    table.extend(powers(pow(z, half as u64, p), p).take(half).map(montgomery));
    assert_eq!(table.len(), TABLE);
    table
}

/// The tables of all primes.
pub(crate) fn tables() -> Vec<u64> {
    (0..PRIMES.len()).flat_map(table).collect()
}

fn montgomery(x: u32, p: u32) -> u32 {
    mul(x, pow(2, 32, p), p)
}

/// 1, step, step², ...
fn powers(step: u32, p: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(1), move |w| Some(mul(*w, step, p)))
}

/// The powers of generators that `split.cu` reads, of all primes.
pub(crate) fn twists() -> Vec<u64> {
    let of_prime = |(p, g): (u32, u32)| {
        [g, inverse(g, p)].into_iter().flat_map(move |g| {
            [g, pow(g, 1 << HALF_LOG, p)]
                .into_iter()
                .flat_map(move |step| powers(step, p).take(1 << HALF_LOG))
                .map(move |w| u64::from(montgomery(w, p)))
        })
    };
    PRIMES.into_iter().flat_map(of_prime).collect()
}

/// The matrices that `split.cu` reads, of all primes: rows (1, c, c², …) for m numbers c =
/// g^(j·2^log_n), and the inverse of that; entries times 2^32, rows and columns filled with zeros
/// to a multiple of 4.
pub(crate) fn matrices(m: usize, log_n: u32) -> Vec<u64> {
    let padded = m.next_multiple_of(4);
    let mut table = Vec::with_capacity(PRIMES.len() * padded * padded);
    for (p, g) in PRIMES {
        let points: Vec<u32> = powers(pow(g, 1 << log_n, p), p).take(m).collect();
        let mut forward = vec![0; padded * padded];
        for (j, c) in points.iter().enumerate() {
            for (t, w) in powers(*c, p).take(m).enumerate() {
                forward[j * padded + t] = montgomery(w, p);
            }
        }
        let mut backward = vec![0; padded * padded];
        for (j, column) in interpolation(&points, p).into_iter().enumerate() {
            for (t, w) in column.into_iter().enumerate() {
                backward[t * padded + j] = montgomery(w, p);
            }
        }
        let words = forward.chunks(2).chain(backward.chunks(2));
        table.extend(words.map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])));
    }
    table
}

/// For each point, the coefficients of the polynomial that is 1 there and 0 at the others.
fn interpolation(points: &[u32], p: u32) -> Vec<Vec<u32>> {
    let sub = |a: u32, b: u32| (a + p - b) % p;
    // The monic polynomial that is 0 at all points.
    let mut zeros = vec![1];
    for c in points {
        zeros.insert(0, 0);
        for t in 0..zeros.len() - 1 {
            zeros[t] = sub(zeros[t], mul(*c, zeros[t + 1], p));
        }
    }
    points
        .iter()
        .map(|c| {
            // Division by x − c, from the top.
            let mut quotient = vec![0; points.len()];
            let mut above = 0;
            for t in (0..points.len()).rev() {
                above = (zeros[t + 1] + mul(*c, above, p)) % p;
                quotient[t] = above;
            }
            let value = quotient
                .iter()
                .rev()
                .fold(0, |v, q| (mul(v, *c, p) + q) % p);
            let scale = inverse(value, p);
            quotient.iter().map(|q| mul(*q, scale, p)).collect()
        })
        .collect()
}
