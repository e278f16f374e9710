//! Eight residues in plain integers, for machines without the vector instructions.
//!
//! A factor is w and ⌊w·2^64/p⌋ (Shoup). Lanes hold their values modulo 2^64; the bounds are those
//! of `Lanes`.

use super::base::{self, Base, Carry};
use super::crt::{self, Crt, Target};
use super::lanes::{Factor, Lanes, Level};
use super::leaves::leaves;
use super::row::{self, RowConstants, Scratch, Term};
use super::tables::Tree;
use super::{butterfly, field, wrapped};

#[derive(Clone, Copy)]
pub(super) struct Portable;

/// A prime and ⌊2^64·2^49/p⌋ − 2^64, which is below 2^64.
#[derive(Clone, Copy)]
pub(super) struct Modulus {
    p: u64,
    barrett: u64,
    half_limb: Factor,
    limb: Factor,
}

type V = [u64; 8];

/// Calls a leaf, which needs no instructions of its own.
macro_rules! plain {
    ($e:expr) => {
        $e
    };
}

fn high(x: u64, y: u64) -> u64 {
    ((u128::from(x) * u128::from(y)) >> 64) as u64
}

fn shoup(p: u64, bias: i64, x: u64, w: u64, q: u64) -> u64 {
    let quotient = high(x, q).wrapping_sub(bias as u64);
    x.wrapping_mul(w).wrapping_sub(quotient.wrapping_mul(p))
}

fn least(x: u64, p: u64) -> u64 {
    if x >= p { x - p } else { x }
}

fn map2(x: V, y: V, f: impl Fn(u64, u64) -> u64) -> V {
    std::array::from_fn(|i| f(x[i], y[i]))
}

impl Lanes for Portable {
    type V = V;
    type K = Modulus;
    const LEVEL: Level = Level::Portable;

    fn modulus(p: u64) -> Modulus {
        Modulus {
            p,
            barrett: ((1u128 << 113) / u128::from(p) - (1 << 64)) as u64,
            half_limb: Self::factor(1 << 32, p),
            limb: Self::factor(field::pow(2, 64, p), p),
        }
    }

    fn factor(w: u64, p: u64) -> Factor {
        [w, ((u128::from(w) << 64) / u128::from(p)) as u64]
    }

    fn product_bias(_: u64) -> u64 {
        1
    }

    #[inline(always)]
    fn load(x: &V) -> V {
        *x
    }

    #[inline(always)]
    fn store(x: &mut V, v: V) {
        *x = v;
    }

    #[inline(always)]
    fn splat(word: u64) -> V {
        [word; 8]
    }

    #[inline(always)]
    fn small(x: &V) -> V {
        *x
    }

    #[inline(always)]
    fn residue(k: Modulus, x: &V) -> V {
        let [w, q] = k.half_limb;
        x.map(|x| shoup(k.p, 0, x >> 32, w, q) + (x & 0xffff_ffff))
    }

    #[inline(always)]
    fn residue_wide(k: Modulus, x: &[V; 2]) -> V {
        let [w, q] = k.limb;
        map2(Self::residue(k, &x[0]), x[1], |low, high| {
            low + shoup(k.p, 0, high, w, q)
        })
    }

    #[inline(always)]
    fn canonical(k: Modulus, x: V) -> [u64; 8] {
        Self::reduce::<0>(k, x).map(|x| least(x, k.p))
    }

    #[inline(always)]
    fn mul<const BIAS: i64>(k: Modulus, x: V, w: V, q: V) -> V {
        std::array::from_fn(|i| shoup(k.p, BIAS, x[i], w[i], q[i]))
    }

    // x and y below p + 2^42 make a product below 2^99, whose bits from 48 on times 2^113/p give
    // the quotient, at most two too small: the remainder is below 3p and is brought below p.
    #[inline(always)]
    fn product(k: Modulus, x: V, y: V) -> V {
        let x = Self::reduce::<0>(k, x);
        let y = Self::reduce::<0>(k, y);
        map2(x, y, |x, y| {
            let product = u128::from(x) * u128::from(y);
            let top = (product >> 48) as u64;
            let quotient = (top + high(top, k.barrett)) >> 1;
            let rest = (product as u64).wrapping_sub(quotient.wrapping_mul(k.p));
            least(least(rest, k.p), k.p)
        })
    }

    #[inline(always)]
    fn reduce<const BIAS: i64>(k: Modulus, x: V) -> V {
        x.map(|x| x.wrapping_sub(((x >> 49).wrapping_sub(BIAS as u64)).wrapping_mul(k.p)))
    }

    #[inline(always)]
    fn add(x: V, y: V) -> V {
        map2(x, y, u64::wrapping_add)
    }

    #[inline(always)]
    fn sub(x: V, y: V) -> V {
        map2(x, y, u64::wrapping_sub)
    }

    #[inline(always)]
    fn sub2(k: Modulus, x: V, y: V) -> V {
        map2(x, y, |x, y| (x + 2 * k.p).wrapping_sub(y))
    }

    #[inline(always)]
    fn sub4(k: Modulus, x: V, y: V) -> V {
        map2(x, y, |x, y| (x + 4 * k.p).wrapping_sub(y))
    }

    // ⌊w·2^64/p⌋ is 2^15·w + ⌊2^15·w·(2^113/p − 2^64)/2^64⌋, here too small by at most one.
    #[inline(always)]
    fn scale(k: Modulus, w: V, g: V, gq: V) -> (V, V) {
        let w = Self::mul::<0>(k, w, g, gq).map(|w| least(w, k.p));
        let q = w.map(|w| {
            let top = w << 15;
            let q = top + high(top, k.barrett);
            let rest = 0u64.wrapping_sub(q.wrapping_mul(k.p));
            q + u64::from(rest >= k.p)
        });
        (w, q)
    }

    #[inline(always)]
    fn transpose(x: &mut [V; 8]) {
        *x = std::array::from_fn(|i| std::array::from_fn(|j| x[j][i]));
    }

    leaves!(Portable, Modulus, plain, inline);
}
