//! The tables that the transforms read, one per prime; the layout is that of `ntt.cu`.

use super::plan::{MAX_LOG, PRIMES};

const SCALES: usize = 5;
const ROOTS: usize = SCALES + 2 * (MAX_LOG as usize + 1) + 1;
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

/// 1/p modulo 2^32: each step doubles the number of right bits, from 3.
fn inverse_of_two_power(p: u32) -> u32 {
    (0..4).fold(p, |x, _| {
        x.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(x)))
    })
}

/// roots[v] of `ntt.cu`, from a primitive 2^22-th root of unity z.
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

/// The factor that the inverse of 2^log_n points is left with: 1/2^log_n; 2^32 for each reduction of a limb and of the
/// product; and what makes the residue a digit of the Chinese remainders modulo `primes` primes.
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
    let montgomery = |x| u64::from(mul(x, pow(2, 32, p), p));
    let mut table = vec![
        p.into(),
        inverse_of_two_power(p).into(),
        (1 << 61) / u64::from(p),
        (2 * p).into(),
        p.wrapping_neg().into(),
    ];
    for primes in [5, 6] {
        let scales = (0..=MAX_LOG).map(|log_n| match index < primes {
            true => montgomery(scale(index, primes, log_n)),
            false => 0,
        });
        table.extend(scales);
    }
    table.resize(ROOTS, 0);
    table.extend(roots(z, p).iter().map(|w| with_quotient(*w, p)));
    table.extend(roots(inverse(z, p), p).iter().map(|w| with_quotient(*w, p)));
    let powers =
        |step| std::iter::successors(Some(1), move |w| Some(mul(*w, step, p))).take(1 << HALF_LOG);
    table.extend(powers(z).map(u64::from));
    table.extend(powers(pow(z, 1 << HALF_LOG, p)).map(montgomery));
    assert_eq!(table.len(), TABLE);
    table
}

/// The tables of all primes.
pub(crate) fn tables() -> Vec<u64> {
    (0..PRIMES.len()).flat_map(table).collect()
}
