//! Eight residues at once: the operations that a level of vector instructions must implement for
//! the transforms.
//!
//! Residues modulo p are reduced lazily. The bounds below are those of the integer levels, where a
//! lane represents an integer in [0, 2^52) and 8p < 2^52 (`field`). The floating-point levels have
//! signed values instead, for which biases are no operation. Their bounds follow from the same code
//! (`avx2`).

use super::base::{Base, Carry};
use super::crt::{self, Crt, Target};
use super::row::{RowConstants, Scratch, Term};
use super::tables::Tree;

/// A residue as a factor, with the quotient that makes the product cheap. The format of the two
/// words depends on the level.
pub(super) type Factor = [u64; 2];

/// The vector instructions in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// 512-bit vectors of 52-bit integer multiply-adds.
    Avx512,
    /// 512-bit vectors of floating-point multiply-adds.
    Avx512Float,
    /// 256-bit vectors of floating-point multiply-adds.
    Avx2,
    /// Plain Rust.
    Portable,
}

impl Level {
    /// All levels this machine has, the fastest first.
    pub(crate) fn available() -> impl Iterator<Item = Level> {
        [
            Level::Avx512,
            Level::Avx512Float,
            Level::Avx2,
            Level::Portable,
        ]
        .into_iter()
        .filter(|level| level.is_available())
    }

    /// The fastest level of this machine.
    pub(crate) fn best() -> Level {
        Level::available().next().unwrap_or(Level::Portable)
    }

    #[cfg(target_arch = "x86_64")]
    pub(super) fn is_available(self) -> bool {
        match self {
            Level::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512ifma")
            }
            Level::Avx512Float => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
            }
            Level::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Level::Portable => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn is_available(self) -> bool {
        self == Level::Portable
    }
}

/// Arithmetic on eight lanes. The vector levels' methods run their instructions only when inlined
/// into a leaf of the same level; the transforms are started only at a level that is available.
pub(super) trait Lanes: Copy + Send + Sync + 'static {
    /// Eight lanes.
    type V: Copy;
    /// A prime, as the arithmetic wants it.
    type K: Copy + Send + Sync;
    const LEVEL: Level;

    fn modulus(p: u64) -> Self::K;
    /// The factor for the residue w < p.
    fn factor(w: u64, p: u64) -> Factor;
    /// The additional factor of `product`, as a residue.
    fn product_bias(p: u64) -> u64;

    fn load(x: &[u64; 8]) -> Self::V;
    fn store(x: &mut [u64; 8], v: Self::V);
    /// One word of a factor in all lanes.
    fn splat(word: u64) -> Self::V;

    /// Numbers below 2^52.
    fn small(x: &[u64; 8]) -> Self::V;
    /// The residue of 64-bit numbers, in [0, 2p + 2^32).
    fn residue(k: Self::K, x: &[u64; 8]) -> Self::V;
    /// The residue of 128-bit numbers, low limb first, in [0, 5p).
    fn residue_wide(k: Self::K, x: &[[u64; 8]; 2]) -> Self::V;
    /// The least residue, as an integer.
    fn canonical(k: Self::K, x: Self::V) -> [u64; 8];

    /// x·w for x in [0, 2^52), in [BIAS·p, (BIAS + 2)·p).
    fn mul<const BIAS: i64>(k: Self::K, x: Self::V, w: Self::V, q: Self::V) -> Self::V;
    /// x·y up to `product_bias` for x and y in [0, 2^52), in [0, 2p).
    fn product(k: Self::K, x: Self::V, y: Self::V) -> Self::V;
    /// x for x in [0, 2^52), in [BIAS·p, (BIAS + 1)·p + 2^42).
    fn reduce<const BIAS: i64>(k: Self::K, x: Self::V) -> Self::V;
    fn add(x: Self::V, y: Self::V) -> Self::V;
    fn sub(x: Self::V, y: Self::V) -> Self::V;
    /// x − y + 2p.
    fn sub2(k: Self::K, x: Self::V, y: Self::V) -> Self::V;
    /// x − y + 4p.
    fn sub4(k: Self::K, x: Self::V, y: Self::V) -> Self::V;
    /// The factors w·g for factors w and g.
    fn scale(k: Self::K, w: Self::V, g: Self::V, gq: Self::V) -> (Self::V, Self::V);
    /// Lane j of vector i becomes lane i of vector j.
    fn transpose(x: &mut [Self::V; 8]);

    // The leaves: loops compiled for the level's instructions.
    fn forward(k: Self::K, tree: Tree, block: &mut [u64], width: usize, node: usize);
    fn inverse(k: Self::K, tree: Tree, block: &mut [u64], width: usize, node: usize);
    fn split_node(k: Self::K, w: Factor, left: &mut [u64], right: &mut [u64]);
    fn join_node(k: Self::K, w: Factor, left: &mut [u64], right: &mut [u64]);
    fn subtract_scaled(k: Self::K, w: Factor, left: &[u64], right: &mut [u64]);
    fn average(k: Self::K, half: Factor, w: Factor, left: &mut [u64], right: &[u64]);
    fn double_less(k: Self::K, w: Factor, left: &mut [u64], right: &[u64]);
    fn residues(k: Self::K, limbs: &[u64], wide: bool, out: &mut [u64]);
    fn row_forward(k: Self::K, constants: &RowConstants, x: &mut [u64], scratch: &mut Scratch);
    fn row_product(
        k: Self::K,
        constants: &RowConstants,
        x: &mut [u64],
        other: Option<&[u64]>,
        scratch: &mut Scratch,
    );
    fn row_sum(
        k: Self::K,
        constants: &RowConstants,
        x: &mut [u64],
        terms: &[Term],
        scratch: &mut Scratch,
    );
    fn add_to_all(k: Self::K, c: Factor, block: &mut [u64]);
    fn fold(k: Self::K, left: &mut [u64], right: &mut [u64]);
    fn add_scaled(k: Self::K, w: Factor, x: &mut [u64], y: &[u64]);
    fn scale_difference(k: Self::K, w: Factor, x: &mut [u64], y: &[u64]);
    fn scale_all(k: Self::K, w: Factor, x: &mut [u64]);
    fn propagate_carries<const N: usize, const D: usize>(
        crt: &Crt<Self>,
        rows: [&[u64]; N],
        out: &mut [u64],
        carry: &mut [u64; 4],
    );
    /// Carry propagation in the base `base`, where the residues modulo three or four primes make
    /// one digit a number.
    fn propagate_carries_in<const N: usize>(
        crt: &Crt<Self>,
        base: &Base,
        rows: [&[u64]; N],
        out: &mut [u64],
        carry: &mut Carry,
    );
    /// The numbers with these residues modulo the target's prime.
    fn coefficients<const N: usize>(
        crt: &Crt<Self>,
        target: &Target,
        rows: [&[u64]; N],
        out: &mut [u64],
    );
    /// The part of `coefficients` for eight numbers.
    #[inline(always)]
    fn modulo<const N: usize>(crt: &Crt<Self>, target: &Target, x: [Self::V; N]) -> [u64; 8] {
        crt.plain_modulo(target, x)
    }
    /// The inner part of `propagate_carries`.
    #[inline(always)]
    fn carry<const N: usize, const D: usize>(
        crt: &Crt<Self>,
        rows: [&[[u64; 8]]; N],
        out: &mut [u64],
        carry: &mut [u64; 4],
    ) {
        crt::carry::<Self, N, D>(crt, rows, out, carry);
    }
    /// The numbers with these residues, as words of 64 bits.
    fn words<const N: usize, const D: usize>(crt: &Crt<Self>, x: [Self::V; N]) -> [[u64; 8]; 5] {
        crt.plain_words(x)
    }
}
