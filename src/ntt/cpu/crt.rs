//! From residues to numbers (Garner's way), and from numbers one coefficient apart to limbs.
//!
//! x = v0 + v1·P1 + v2·P2 + … with Pi = p0···p(i−1) and 0 <= vi < pi, where vi = (xi − v0 − v1·P1 −
//! … − v(i−1)·P(i−1)) / Pi modulo pi. The factors include the signs, the quotients by Pi and the
//! constants by which the transforms have multiplied the residues xi.

use std::sync::{Arc, Mutex, PoisonError};

use crate::fork::PerProcess;

use super::field::{self, PRIMES, Prime};
use super::lanes::{Factor, Lanes, Level};
use super::plan::HostPlan;

/// The constants that combine the residues modulo the first primes.
pub(super) struct Crt<L: Lanes> {
    pub(super) k: [L::K; 6],
    pub(super) constants: Arc<Constants>,
}

/// The numbers of Garner's way.
pub(super) struct Constants {
    /// The level, the prime of a plan that has its own, and what residues come multiplied by.
    key: (Level, u64, u64),
    /// The factors of the xi.
    pub(super) own: [Factor; 6],
    /// The factors of vj in vi, by i and j.
    pub(super) mixed: [[Factor; 6]; 6],
    /// Pi in words of 64 bits.
    words: [[u64; 5]; 6],
    /// Pi in words of 52 bits.
    pub(super) digits: [[u64; 6]; 6],
    /// Pi in words of [`SHORT_BITS`] bits.
    pub(super) short: [[u64; 9]; 6],
}

/// Bits of words whose products vectors add up that have no wider ones.
pub(super) const SHORT_BITS: u32 = 28;

static CACHE: PerProcess<Mutex<Vec<Arc<Constants>>>> = PerProcess::new(Mutex::new(Vec::new()));

impl Constants {
    /// Those of one prime: there is nothing to put together.
    fn own<L: Lanes>(prime: Prime, scale: u64) -> Constants {
        let p = prime.p;
        let factor = field::mul(scale % p, L::product_bias(p), p);
        let inverse = field::inverse(factor, p);
        Constants {
            key: (L::LEVEL, p, scale),
            own: [L::factor(inverse, prime.modulus); 6],
            mixed: [[[0; 2]; 6]; 6],
            words: [[0; 5]; 6],
            digits: [[0; 6]; 6],
            short: [[0; 9]; 6],
        }
    }

    fn new<L: Lanes>(scale: u64) -> Constants {
        let mut words = [[0; 5]; 6];
        let mut digits = [[0; 6]; 6];
        let mut short = [[0; 9]; 6];
        words[0][0] = 1;
        digits[0][0] = 1;
        short[0][0] = 1;
        for i in 1..6 {
            words[i] = times(words[i - 1], PRIMES[i - 1], 64);
            digits[i] = times(digits[i - 1], PRIMES[i - 1], 52);
            short[i] = times(short[i - 1], PRIMES[i - 1], SHORT_BITS);
        }
        let mut mixed = [[[0; 2]; 6]; 6];
        let own = std::array::from_fn(|i| {
            let p = PRIMES[i];
            let before = |n: usize| PRIMES[..n].iter().fold(1, |x, &q| field::mul(x, q % p, p));
            let inverse = field::inverse(before(i), p);
            for (j, factor) in mixed[i].iter_mut().enumerate().take(i) {
                *factor = L::factor(p - field::mul(before(j), inverse, p), p);
            }
            let scale = field::mul(scale % p, L::product_bias(p), p);
            L::factor(field::mul(inverse, field::inverse(scale, p), p), p)
        });
        Constants {
            key: (L::LEVEL, 0, scale),
            own,
            mixed,
            words,
            digits,
            short,
        }
    }
}

impl<L: Lanes> Crt<L> {
    /// The constants for the residues of a plan's transforms.
    pub(super) fn new(plan: &HostPlan) -> Self {
        let scale = plan.scale();
        let key = (L::LEVEL, plan.own.map_or(0, |prime| prime.p), scale);
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        let constants = match cache.iter().find(|constants| constants.key == key) {
            Some(constants) => constants.clone(),
            None => {
                let constants = match plan.own {
                    None => Constants::new::<L>(scale),
                    Some(prime) => Constants::own::<L>(prime, scale),
                };
                let constants = Arc::new(constants);
                cache.push(constants.clone());
                constants
            }
        };
        drop(cache);
        let mut k = [L::modulus(plan.prime(0).modulus); 6];
        for (i, k) in k.iter_mut().enumerate().take(plan.primes).skip(1) {
            *k = L::modulus(PRIMES[i]);
        }
        Crt { k, constants }
    }

    /// The vi. Sums of four products are below 8p.
    #[inline(always)]
    pub(super) fn mixed_radix<const N: usize>(&self, x: [L::V; N]) -> [[u64; 8]; N] {
        let mut v = [[0; 8]; N];
        for i in 0..N {
            let k = self.k[i];
            let [w, q] = self.constants.own[i];
            let mut sum = L::mul::<0>(k, x[i], L::splat(w), L::splat(q));
            for (j, v) in v.iter().enumerate().take(i) {
                let [w, q] = self.constants.mixed[i][j];
                if j == 3 {
                    sum = L::reduce::<0>(k, sum);
                }
                let term = L::mul::<0>(k, L::small(v), L::splat(w), L::splat(q));
                sum = L::add(sum, term);
            }
            v[i] = L::canonical(k, sum);
        }
        v
    }

    /// `Lanes::words` in plain integers.
    #[inline(always)]
    pub(super) fn plain_words<const N: usize>(&self, x: [L::V; N]) -> [[u64; 8]; 5] {
        let v = self.mixed_radix(x);
        let mut words = [[0; 8]; 5];
        for lane in 0..8 {
            let mut number = [0; 5];
            for (i, v) in v.iter().enumerate() {
                let mut carry = 0;
                // Pi has at most 49·i bits, vi·Pi at most 49·(i + 1).
                let words = (49 * (i + 1)).div_ceil(64);
                let product = self.constants.words[i].iter();
                for (sum, &word) in number.iter_mut().zip(product).take(words) {
                    let t = u128::from(word) * u128::from(v[lane]) + u128::from(*sum) + carry;
                    *sum = t as u64;
                    carry = t >> 64;
                }
            }
            for at in 0..5 {
                words[at][lane] = number[at];
            }
        }
        words
    }
}

/// A prime p < 2^63 that numbers are wanted modulo.
pub(super) struct Target {
    pub(super) p: u64,
    /// Pi modulo p as factors: the second words are quotients of 2^64 times the first by p.
    pub(super) wide: [Factor; 4],
    /// Pi modulo p, and 1, as factors: the second words are quotients of 2^52 times the first by p.
    /// Only for p < 2^49.
    pub(super) narrow: Option<[Factor; 5]>,
}

impl Target {
    pub(super) fn new(p: u64) -> Target {
        let mut product = 1;
        let residues: [u64; 4] = std::array::from_fn(|i| {
            let own = product;
            product = field::mul(product, PRIMES[i] % p, p);
            own
        });
        let factor = |w: u64, bits: u32| [w, ((u128::from(w) << bits) / u128::from(p)) as u64];
        let [a, b, c, d] = residues;
        Target {
            p,
            wide: residues.map(|w| factor(w, 64)),
            narrow: (p < 1 << 49).then(|| [a, b, c, d, 1].map(|w| factor(w, 52))),
        }
    }

    /// v0 + v1·P1 + … modulo p.
    #[inline(always)]
    fn sum<const N: usize>(&self, v: [u64; N]) -> u64 {
        let mut sum = 0;
        for (v, [w, q]) in v.into_iter().zip(self.wide) {
            let quotient = ((u128::from(v) * u128::from(q)) >> 64) as u64;
            // Below 2p < 2^64; so are sums of two residues.
            let term = v
                .wrapping_mul(w)
                .wrapping_sub(quotient.wrapping_mul(self.p));
            sum += term.min(term.wrapping_sub(self.p));
            sum = sum.min(sum.wrapping_sub(self.p));
        }
        sum
    }
}

impl<L: Lanes> Crt<L> {
    /// `Lanes::modulo` in plain integers.
    #[inline(always)]
    pub(super) fn plain_modulo<const N: usize>(&self, target: &Target, x: [L::V; N]) -> [u64; 8] {
        let v = self.mixed_radix(x);
        let mut out = [0; 8];
        for (lane, out) in out.iter_mut().enumerate() {
            let mut digits = [0; N];
            for i in 0..N {
                digits[i] = v[i][lane];
            }
            *out = target.sum(digits);
        }
        out
    }
}

/// The numbers with these residues modulo the target's prime.
#[inline(always)]
pub(super) fn coefficients<L: Lanes, const N: usize>(
    crt: &Crt<L>,
    target: &Target,
    rows: [&[u64]; N],
    out: &mut [u64],
) {
    for (at, out) in out.chunks_mut(8).enumerate() {
        let mut x = [L::splat(0); N];
        for i in 0..N {
            x[i] = L::load(&rows[i].as_chunks::<8>().0[at]);
        }
        let numbers = L::modulo::<N>(crt, target, x);
        out.copy_from_slice(&numbers[..out.len()]);
    }
}

/// x·q in words of `bits` bits.
fn times<const N: usize>(mut x: [u64; N], q: u64, bits: u32) -> [u64; N] {
    let mut carry = 0;
    for word in &mut x {
        let t = u128::from(*word) * u128::from(q) + carry;
        *word = (t & ((1 << bits) - 1)) as u64;
        carry = t >> bits;
    }
    x
}

/// Adds numbers that are one or two limbs apart: with three primes one limb, with six primes two.
/// `carry` is the carry above the limbs written so far.
#[inline(always)]
pub(super) fn propagate_carries<L: Lanes, const N: usize, const D: usize>(
    crt: &Crt<L>,
    rows: [&[u64]; N],
    out: &mut [u64],
    carry: &mut [u64; 4],
) {
    let mut vectors: [&[[u64; 8]]; N] = [&[]; N];
    for i in 0..N {
        vectors[i] = rows[i].as_chunks::<8>().0;
    }
    L::carry::<N, D>(crt, vectors, out, carry);
}

/// `propagate_carries` with the carries one after another.
#[inline(always)]
pub(super) fn carry<L: Lanes, const N: usize, const D: usize>(
    crt: &Crt<L>,
    rows: [&[[u64; 8]]; N],
    out: &mut [u64],
    carry: &mut [u64; 4],
) {
    let [mut c0, mut c1, mut c2, _] = *carry;
    let wide = |x: u64| u128::from(x);
    let step = if N == 3 { 8 } else { 16 };
    for (at, out) in out.chunks_exact_mut(step).enumerate() {
        let mut x = [L::splat(0); N];
        for i in 0..N {
            x[i] = L::load(&rows[i][at]);
        }
        let words = L::words::<N, D>(crt, x);
        for lane in 0..8 {
            let w: [u64; 5] = std::array::from_fn(|i| words[i][lane]);
            if N == 3 {
                let t = wide(w[0]) + wide(c0);
                out[lane] = t as u64;
                let t = (t >> 64) + wide(w[1]) + wide(c1);
                c0 = t as u64;
                c1 = w[2] + (t >> 64) as u64;
            } else {
                let t = wide(w[0]) + wide(c0);
                out[2 * lane] = t as u64;
                let t = (t >> 64) + wide(w[1]) + wide(c1);
                out[2 * lane + 1] = t as u64;
                let t = (t >> 64) + wide(w[2]) + wide(c2);
                c0 = t as u64;
                let t = (t >> 64) + wide(w[3]);
                c1 = t as u64;
                c2 = w[4] + (t >> 64) as u64;
            }
        }
    }
    *carry = [c0, c1, c2, 0];
}
