//! Polynomials modulo a prime. Checked by products of integers, with three limbs for each
//! coefficient (Kronecker's substitution), and by certificates.

use bezout::poly::{Modulus, Poly};
use bezout::{Int, Result};
use rand::RngExt;

use super::operation::{Operation, Value};
use super::sample::{self, Rng, Sample};

/// The smallest, those near powers of two, and the largest.
const MODULI: [u64; 8] = [
    2,
    3,
    101,
    65_537,
    469_762_049,
    (1 << 31) - 1,
    (1 << 61) - 1,
    (1 << 63) - 25,
];

pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "poly-mul",
        most_bits: 1 << 26,
        draw: pair,
        compute: |s| {
            let [a, b] = polys(s)?;
            coefficients([a.try_mul(&b)?])
        },
        check: |s, found| {
            let p = s.count;
            Ok(found == [Value::Words(product(&s.words[0], &s.words[1], p)?)])
        },
    },
    Operation {
        name: "poly-div",
        most_bits: 1 << 24,
        draw: |bits, rng| {
            let mut sample = pair(bits, rng)?;
            if sample.words[1].is_empty() {
                sample.words[1].push(1);
            }
            Ok(sample)
        },
        compute: |s| {
            let [a, b] = polys(s)?;
            let (q, r) = a.try_div_rem(&b)?;
            coefficients([q, r])
        },
        check: |s, found| {
            let [Value::Words(q), Value::Words(r)] = found else {
                return Ok(false);
            };
            let ([a, b], p) = ([&s.words[0], &s.words[1]], s.count);
            let is_valid = is_reduced(q, p) && is_reduced(r, p) && r.len() < b.len();
            Ok(is_valid && sum(&product(q, b, p)?, r, p) == *a)
        },
    },
    Operation {
        name: "poly-gcd",
        most_bits: 1 << 20,
        draw: |bits, rng| {
            let mut sample = pair(bits, rng)?;
            if rng.random() {
                let (p, length) = (sample.count, (bits / 256).max(1) as usize);
                let factor = polynomial(length, p, rng);
                for words in &mut sample.words {
                    words.truncate((3 * length).max(1));
                    *words = product(&trimmed(words.clone()), &factor, p)?;
                }
            }
            Ok(sample)
        },
        compute: |s| {
            let [a, b] = polys(s)?;
            coefficients([a.try_gcd(&b)?])
        },
        check: |s, found| {
            let [Value::Words(g)] = found else {
                return Ok(false);
            };
            let p = s.count;
            // Monic, and zero only where both operands are.
            if !is_reduced(g, p) || g.last().is_some_and(|leading| *leading != 1) {
                return Ok(false);
            }
            let [a, b] = polys(s)?;
            let (_, x, y) = a.try_extended_gcd(&b)?;
            let left = product(x.try_coefficients()?, &s.words[0], p)?;
            let right = product(y.try_coefficients()?, &s.words[1], p)?;
            if sum(&left, &right, p) != *g || g.is_empty() {
                return Ok(g.is_empty() && s.words.iter().all(Vec::is_empty));
            }
            let g = Poly::new(g.clone(), Modulus::new(p)?)?;
            Ok(a.try_rem(&g)?.is_zero() && b.try_rem(&g)?.is_zero())
        },
    },
];

/// Two polynomials with so many bits of coefficients each at most.
fn pair(bits: u64, rng: &mut Rng) -> Result<Sample> {
    let p = MODULI[rng.random_range(0..MODULI.len())];
    let mut lengths = [bits, sample::other_length(bits, rng)];
    if rng.random() {
        lengths.swap(0, 1);
    }
    let words = lengths.map(|bits| polynomial(bits.div_ceil(64) as usize, p, rng));
    Ok(Sample {
        words: words.into(),
        count: p,
        ..Sample::default()
    })
}

/// At most so many coefficients modulo p: random, or the largest, or few other than zero.
fn polynomial(length: usize, p: u64, rng: &mut Rng) -> Vec<u64> {
    let words = match rng.random_range(0..8) {
        0 => vec![p - 1; length],
        1 => {
            let mut words = vec![0; length];
            for _ in 0..3 {
                words[rng.random_range(0..length)] = rng.random_range(0..p);
            }
            words
        }
        _ => (0..length).map(|_| rng.random_range(0..p)).collect(),
    };
    trimmed(words)
}

/// Without zeros at the top.
fn trimmed(mut words: Vec<u64>) -> Vec<u64> {
    let length = words
        .iter()
        .rposition(|word| *word != 0)
        .map_or(0, |top| top + 1);
    words.truncate(length);
    words
}

fn is_reduced(words: &[u64], p: u64) -> bool {
    words.iter().all(|word| *word < p) && words.last() != Some(&0)
}

fn polys(s: &Sample) -> Result<[Poly; 2]> {
    let modulus = Modulus::new(s.count)?;
    Ok([
        Poly::new(s.words[0].clone(), modulus)?,
        Poly::new(s.words[1].clone(), modulus)?,
    ])
}

fn coefficients<const N: usize>(polys: [Poly; N]) -> Result<Vec<Value>> {
    let words = polys
        .iter()
        .map(|poly| Ok(Value::Words(poly.try_coefficients()?.to_vec())));
    words.collect()
}

/// The product by one product of integers. A coefficient of it is below n·p² < 2^192 for n < 2^66.
fn product(a: &[u64], b: &[u64], p: u64) -> Result<Vec<u64>> {
    let spread = |words: &[u64]| Int::from_limbs(words.iter().flat_map(|w| [*w, 0, 0]).collect());
    let product = spread(a).try_mul(&spread(b))?;
    let shift = ((1u128 << 64) % u128::from(p)) as u64;
    let horner = |r: u64, limb: &u64| {
        let x = u128::from(r) * u128::from(shift) + u128::from(*limb);
        (x % u128::from(p)) as u64
    };
    let slots = product.try_limbs()?.chunks(3);
    Ok(trimmed(
        slots
            .map(|slot| slot.iter().rev().fold(0, horner))
            .collect(),
    ))
}

fn sum(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    let at = |words: &[u64], i: usize| u128::from(words.get(i).copied().unwrap_or(0));
    let words = (0..a.len().max(b.len())).map(|i| (at(a, i) + at(b, i)) % u128::from(p));
    trimmed(words.map(|word| word as u64).collect())
}
