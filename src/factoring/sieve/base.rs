//! The factor base: the multiplier, and the properties of each prime.

use std::ops::Range;
use std::sync::OnceLock;

use crate::fork::PerProcess;
use crate::modp::words::{self, jacobi_32};
use crate::number::Natural;
use crate::word::inverse_word;

/// The properties of each odd prime of the factor base, one array per property.
#[derive(Default)]
pub(super) struct Base {
    pub(super) p: Vec<u32>,
    /// p and 1/p as floating-point numbers, for `lanes`.
    pub(super) real: Vec<f64>,
    pub(super) reciprocal: Vec<f64>,
    /// A square root of kn modulo p; 0 where p divides k.
    pub(super) root: Vec<f64>,
    /// log2(p) in units of the sieve, rounded.
    pub(super) log: Vec<u8>,
    /// p⁻¹ mod 2^64.
    pub(super) inverse: Vec<u64>,
}

/// The properties of some primes of the base that `lanes` needs.
pub(super) struct Block<'a> {
    pub(super) p: &'a [u32],
    pub(super) real: &'a [f64],
    pub(super) reciprocal: &'a [f64],
    pub(super) root: &'a [f64],
}

impl Base {
    pub(super) fn block(&self, range: Range<usize>) -> Block<'_> {
        Block {
            p: &self.p[range.clone()],
            real: &self.real[range.clone()],
            reciprocal: &self.reciprocal[range.clone()],
            root: &self.root[range],
        }
    }

    /// The first odd primes modulo which kn is a square, or a prime that divides n.
    pub(super) fn new(n: &Natural, k: u32, count: usize) -> Result<Base, u32> {
        let limbs = (n * Natural::from(k)).to_vec();
        let mut base = Base::default();
        for known in primes(count).iter().skip(1) {
            if base.p.len() == count {
                break;
            }
            let p = known.p;
            let rest = remainder(&limbs, known);
            if rest == 0 {
                if !k.is_multiple_of(p) {
                    return Err(p);
                }
                base.push(p, 0);
            } else if let Some(root) = square_root(rest, p) {
                base.push(p, root);
            }
        }
        Ok(base)
    }

    fn push(&mut self, p: u32, root: u32) {
        self.p.push(p);
        self.real.push(p.into());
        self.reciprocal.push(1.0 / f64::from(p));
        self.root.push(root.into());
        self.inverse.push(inverse_word(p.into()));
    }

    /// Sets the logarithms, in units of `unit` bits.
    pub(super) fn complete(&mut self, unit: f64) {
        let log = |p: &f64| (p.log2() / unit).round() as u8;
        self.log = self.real.iter().map(log).collect();
    }
}

/// A prime, and ⌊2^64/p⌋ for quotients.
struct Prime {
    p: u32,
    reciprocal: u64,
}

/// The first primes, enough for a factor base of `count` primes, which uses about every second
/// prime.
fn primes(count: usize) -> &'static [Prime] {
    static FEW: PerProcess<OnceLock<Vec<Prime>>> = PerProcess::new(OnceLock::new());
    static MANY: PerProcess<OnceLock<Vec<Prime>>> = PerProcess::new(OnceLock::new());
    static MORE: PerProcess<OnceLock<Vec<Prime>>> = PerProcess::new(OnceLock::new());
    static ALL: PerProcess<OnceLock<Vec<Prime>>> = PerProcess::new(OnceLock::new());
    let (known, end) = match count {
        0..=1000 => (&FEW, 1 << 15),
        1001..=12_000 => (&MANY, 1 << 19),
        12_001..=100_000 => (&MORE, 1 << 22),
        _ => (&ALL, 1 << 24),
    };
    known.get_or_init(|| {
        let prime = |p: u32| Prime {
            p,
            reciprocal: u64::MAX / u64::from(p),
        };
        words::up_to(end - 1)
            .into_iter()
            .map(|p| prime(p as u32))
            .collect()
    })
}

/// Σ limbs[i]·2^(64i) mod p.
fn remainder(limbs: &[u64], prime: &Prime) -> u32 {
    let p = u64::from(prime.p);
    // For x < 2^64 the quotient is too small by at most one.
    let reduce = |x: u64| {
        let quotient = ((u128::from(x) * u128::from(prime.reciprocal)) >> 64) as u64;
        let rest = x - quotient * p;
        if rest >= p { rest - p } else { rest }
    };
    limbs.iter().rev().fold(0, |rest, limb| {
        let high = reduce(rest << 32 | limb >> 32);
        reduce(high << 32 | limb & 0xffff_ffff)
    }) as u32
}

fn power(x: u32, mut exponent: u32, p: u32) -> u32 {
    let (mut x, mut result, p) = (u64::from(x), 1u64, u64::from(p));
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * x % p;
        }
        x = x * x % p;
        exponent >>= 1;
    }
    result as u32
}

/// A square root of x modulo an odd prime p, 0 < x < p, by Tonelli and Shanks; none if there is
/// none.
pub(super) fn square_root(x: u32, p: u32) -> Option<u32> {
    if jacobi_32(x, p) != 1 {
        return None;
    }
    if p % 4 == 3 {
        return Some(power(x, (p + 1) / 4, p));
    }
    let twos = (p - 1).trailing_zeros();
    let odd = (p - 1) >> twos;
    let other = (2..p).find(|z| jacobi_32(*z, p) == -1)?;
    let times = |a: u32, b: u32| (u64::from(a) * u64::from(b) % u64::from(p)) as u32;
    let mut generator = power(other, odd, p);
    let mut root = power(x, odd.div_ceil(2), p);
    let mut rest = power(x, odd, p);
    let mut order = twos;
    // root² = x·rest, and rest has an order of 2^i with i < order.
    while rest != 1 {
        let mut i = 0;
        let mut square = rest;
        while square != 1 {
            square = times(square, square);
            i += 1;
        }
        for _ in 0..order - i - 1 {
            generator = times(generator, generator);
        }
        root = times(root, generator);
        generator = times(generator, generator);
        rest = times(rest, generator);
        order = i;
    }
    Some(root)
}

/// Multipliers that are tried: square-free, and small, since values of the polynomials grow by √k.
const MULTIPLIERS: [u32; 30] = [
    1, 2, 3, 5, 6, 7, 10, 11, 13, 14, 15, 17, 19, 21, 22, 23, 26, 29, 30, 31, 33, 35, 37, 39, 41,
    43, 47, 53, 59, 61,
];
/// Odd primes that a multiplier is judged by.
const JUDGES: usize = 60;

/// The multiplier k for which values of the polynomials have the most small primes (Knuth and
/// Schroeppel).
pub(super) fn multiplier(n: &Natural) -> u32 {
    static SYMBOLS: PerProcess<OnceLock<Vec<[i32; JUDGES]>>> = PerProcess::new(OnceLock::new());
    let judges = &primes(JUDGES)[1..=JUDGES];
    let symbols = SYMBOLS.get_or_init(|| {
        let of = |k: &u32| std::array::from_fn(|i| jacobi_32(*k, judges[i].p));
        MULTIPLIERS.iter().map(of).collect()
    });
    let limbs = n.limbs();
    let of_n: Vec<i32> = judges
        .iter()
        .map(|prime| jacobi_32(remainder(limbs, prime), prime.p))
        .collect();
    let weight = |p: u32| f64::from(p).ln();
    let judged = |(k, symbols): (&u32, &[i32; JUDGES])| {
        let two = match k.wrapping_mul(limbs[0] as u32) % 8 {
            1 => 2.0,
            5 => 1.0,
            3 | 7 => 0.5,
            _ => 0.0,
        };
        let mut score = two * 2f64.ln() - 0.5 * f64::from(*k).ln();
        for ((prime, of_n), of_k) in judges.iter().zip(&of_n).zip(symbols) {
            match of_n * of_k {
                1 => score += 2.0 * weight(prime.p) / f64::from(prime.p - 1),
                0 => score += weight(prime.p) / f64::from(prime.p),
                _ => {}
            }
        }
        (score, *k)
    };
    MULTIPLIERS
        .iter()
        .zip(symbols)
        .map(judged)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(1, |(_, k)| k)
}
