//! The sizes of a sieve, its multiplier and its factor base.

use std::sync::OnceLock;

use crate::number::Natural;

use crate::modp::words::{self, jacobi_32};
use crate::word::inverse_two_words;

/// What a sieve of numbers of a certain size uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    bits: u64,
    /// Odd primes in the factor base.
    pub(super) primes: usize,
    /// Bytes that are sieved per polynomial, a multiple of 64 and at most 2^15.
    pub(super) block: usize,
    /// The bound of large primes, in multiples of the largest prime of the factor base.
    pub(super) large: u32,
    /// The average size of the primes of a, in eighths of a bit.
    pub(super) factor_bits: u32,
    /// Primes below this are not sieved.
    pub(super) first: u32,
    /// Bits that the sum of logarithms may miss, besides the large prime.
    pub(super) slack: u32,
}

/// The sizes in the order of the fields of `Sizes`, but with log2 of the block.
const fn sizes(
    bits: u64,
    primes: usize,
    block_bits: u32,
    large: u32,
    factor_bits: u32,
    first: u32,
    slack: u32,
) -> Sizes {
    Sizes {
        bits,
        primes,
        block: 1 << block_bits,
        large,
        factor_bits,
        first,
        slack,
    }
}

/// Measured on balanced semiprimes on one core (Xeon, Cascade Lake).
const SIZES: [Sizes; 8] = [
    sizes(60, 40, 12, 20, 56, 11, 8),
    sizes(80, 65, 12, 30, 60, 13, 9),
    sizes(100, 125, 13, 40, 64, 17, 10),
    sizes(120, 220, 13, 50, 68, 23, 11),
    sizes(140, 520, 14, 50, 70, 29, 12),
    sizes(160, 1000, 14, 50, 74, 29, 12),
    sizes(180, 1900, 15, 60, 78, 37, 13),
    sizes(210, 6000, 15, 60, 82, 41, 13),
];

impl Sizes {
    /// The sizes for numbers of so many bits: those of the nearest entry, with the primes
    /// interpolated.
    pub(super) fn for_bits(bits: u64) -> Sizes {
        let above = SIZES.partition_point(|sizes| sizes.bits < bits);
        let (Some(high), Some(low)) = (SIZES.get(above), above.checked_sub(1)) else {
            return SIZES[above.min(SIZES.len() - 1)];
        };
        let low = &SIZES[low];
        let part = (bits - low.bits) as f64 / (high.bits - low.bits) as f64;
        let nearest = if part < 0.5 { low } else { high };
        let ratio = (high.primes as f64 / low.primes as f64).powf(part);
        Sizes {
            bits,
            primes: (low.primes as f64 * ratio) as usize,
            ..*nearest
        }
    }
}

pub(super) fn bits(n: &Natural) -> u64 {
    n.bit_length()
}

/// What is known of each odd prime of the factor base, one array per property.
#[derive(Default)]
pub(super) struct Base {
    pub(super) p: Vec<u32>,
    /// p and 1/p as floating-point numbers, for `lanes`.
    pub(super) real: Vec<f64>,
    pub(super) reciprocal: Vec<f64>,
    /// A square root of kn modulo p; 0 where p divides k.
    pub(super) root: Vec<f64>,
    /// ⌊2^16/p⌋ + 1.
    pub(super) scaled: Vec<u32>,
    /// log2(p), rounded.
    pub(super) log: Vec<u8>,
    /// p⁻¹ mod 2^128 and ⌊(2^128 − 1)/p⌋.
    pub(super) inverse: Vec<u128>,
    pub(super) most: Vec<u128>,
}

pub(super) struct Plan {
    pub(super) n: Natural,
    /// k.
    pub(super) multiplier: u32,
    /// k·n modulo 2^128.
    pub(super) kn: u128,
    pub(super) sizes: Sizes,
    pub(super) base: Base,
    /// The first prime of the base that is sieved.
    pub(super) first: usize,
    /// Half of the interval: −half ≤ x < half.
    pub(super) half: usize,
    /// log2 of the best leading coefficient, √(2kn)/half.
    pub(super) leading: f64,
    /// What a byte of the sieve starts with: it reaches 128 at a candidate.
    pub(super) start: u8,
    /// Large primes are below this, and this is below the square of every prime that is not in the
    /// base.
    pub(super) large: u32,
}

impl Plan {
    /// The plan for n, or a divisor of n that the search for the factor base met.
    pub(super) fn new(n: &Natural, sizes: &Sizes) -> Result<Plan, Natural> {
        let k = multiplier(n);
        let product = n * Natural::from(k);
        let limbs = product.to_vec();
        let mut base = Base::default();
        for known in primes(sizes.primes).iter().skip(1) {
            if base.p.len() == sizes.primes {
                break;
            }
            let p = known.p;
            let rest = remainder(&limbs, known);
            if rest == 0 {
                if !k.is_multiple_of(p) {
                    return Err(Natural::from(p));
                }
                base.push(known, 0);
            } else if let Some(root) = square_root(rest, p) {
                base.push(known, root);
            }
        }
        let most = base.p.last().copied().unwrap_or(3);
        let large = u64::from(most) * u64::from(sizes.large);
        let large = large
            .min(u64::from(most) * u64::from(most))
            .min(u32::MAX.into()) as u32;
        let half = sizes.block / 2;
        let root_bits = log2(&limbs) / 2.0;
        let value = root_bits - 0.5 + (half as f64).log2();
        let threshold = value - f64::from(large).log2() - f64::from(sizes.slack);
        let word = |i: usize| limbs.get(i).copied().unwrap_or(0);
        Ok(Plan {
            n: n.clone(),
            multiplier: k,
            kn: u128::from(word(0)) | u128::from(word(1)) << 64,
            sizes: *sizes,
            first: base.p.partition_point(|p| *p < sizes.first),
            half,
            leading: root_bits + 0.5 - (half as f64).log2(),
            start: 128 - threshold.clamp(8.0, 120.0) as u8,
            large,
            base,
        })
    }

    /// Columns of the matrix: the sign, 2, and the odd primes of the base.
    pub(super) fn columns(&self) -> usize {
        self.base.p.len() + 2
    }

    /// The prime of each column; 1 for the sign.
    pub(super) fn primes(&self) -> Vec<u32> {
        [&[1, 2], self.base.p.as_slice()].concat()
    }
}

impl Base {
    fn push(&mut self, known: &Prime, root: u32) {
        let p = known.p;
        let wide = u128::from(p);
        self.p.push(p);
        self.real.push(p.into());
        self.reciprocal.push(1.0 / f64::from(p));
        self.root.push(root.into());
        self.scaled.push((1 << 16) / p + 1);
        self.log.push(f64::from(p).log2().round() as u8);
        self.inverse.push(inverse_two_words(wide));
        self.most.push(u128::MAX / wide);
    }
}

/// A prime, and ⌊2^64/p⌋ for quotients.
struct Prime {
    p: u32,
    reciprocal: u64,
}

/// The first primes, with enough for a factor base of so many of them: it takes about every second.
fn primes(count: usize) -> &'static [Prime] {
    static FEW: OnceLock<Vec<Prime>> = OnceLock::new();
    static MANY: OnceLock<Vec<Prime>> = OnceLock::new();
    let (known, end) = if count <= 1000 {
        (&FEW, 1 << 15)
    } else {
        (&MANY, 1 << 19)
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

fn log2(limbs: &[u64]) -> f64 {
    let value = limbs
        .iter()
        .rev()
        .fold(0.0, |value, limb| value * 2f64.powi(64) + *limb as f64);
    value.log2()
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
fn multiplier(n: &Natural) -> u32 {
    static SYMBOLS: OnceLock<Vec<[i32; JUDGES]>> = OnceLock::new();
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
