//! The tests of a number that is short enough for schoolbook products, in Montgomery form.

use crate::error::Result;
use crate::progress;
use crate::word::div::{div_rem_word, rem_word};
use crate::word::montgomery::Modulus;
use crate::word::row::addmul_word;
use crate::word::shift::{shl_assign, shr_assign};
use crate::word::sum::{add_assign, add_word, compare_same, sub_assign};
use crate::word::{bit_length, mul};

/// Numbers of at most this many limbs are tested here. For longer ones other products are faster.
pub(super) const MOST_LIMBS: usize = 256;
/// Products between two checks whether to stop.
const BETWEEN_CHECKS: usize = 64;

/// Residues modulo an odd n > 1, below n: x itself for n = 2^k − c with a small c, else x·R mod n
/// with R = 2^(64·limbs).
struct Residues<'a> {
    n: &'a [u64],
    reduction: Reduction,
    /// The residue of 1.
    one: Vec<u64>,
    /// A product of two residues.
    product: Vec<u64>,
    /// Scratch of products and reductions.
    scratch: Vec<u64>,
    products: usize,
}

/// How products are reduced.
enum Reduction {
    /// By 2^k ≡ c (mod n), for n of at least 2^128 and 0 < c < 2^31.
    Fold { k: usize, c: u64 },
    /// By the floor's Montgomery reduction.
    Montgomery(Modulus),
}

impl Reduction {
    fn new(n: &[u64]) -> Reduction {
        let k = bit_length(n) as usize;
        let top = u64::MAX >> (64 * n.len() - k);
        let c = n[0].wrapping_neg();
        let is_full =
            |(i, limb): (usize, &u64)| *limb == if i + 1 == n.len() { top } else { u64::MAX };
        if k > 128 && c < 1 << 31 && n.iter().enumerate().skip(1).all(is_full) {
            return Reduction::Fold { k, c };
        }
        Reduction::Montgomery(Modulus::new(n))
    }
}

impl Residues<'_> {
    fn new(n: &[u64]) -> Residues<'_> {
        let len = n.len();
        let reduction = Reduction::new(n);
        let (one, scratch) = match &reduction {
            Reduction::Montgomery(modulus) => (modulus.one().to_vec(), modulus.scratch()),
            Reduction::Fold { .. } => {
                let mut one = vec![0; len];
                one[0] = 1;
                (
                    one,
                    mul::mul_scratch(len, len).max(mul::square_scratch(len)),
                )
            }
        };
        Residues {
            n,
            reduction,
            one,
            product: vec![0; 2 * len],
            scratch: vec![0; scratch],
            products: 0,
        }
    }

    /// x ← 2x.
    fn double(&self, x: &mut [u64]) {
        if shl_assign(x, 1) != 0 || compare_same(x, self.n).is_ge() {
            sub_assign(x, self.n);
        }
    }

    /// x ← x − y.
    fn sub(&self, x: &mut [u64], y: &[u64]) {
        if sub_assign(x, y) {
            add_assign(x, self.n);
        }
    }

    fn minus_one(&self) -> Vec<u64> {
        let mut x = self.n.to_vec();
        sub_assign(&mut x, &self.one);
        x
    }

    /// x ← x·y.
    fn multiply(&mut self, x: &mut [u64], y: &[u64]) -> Result<()> {
        mul::mul(&mut self.product, x, y, &mut self.scratch);
        self.reduce(x)
    }

    /// x ← x².
    fn square(&mut self, x: &mut [u64]) -> Result<()> {
        mul::square(&mut self.product, x, &mut self.scratch);
        self.reduce(x)
    }

    /// x ← product, or product/R in Montgomery form.
    fn reduce(&mut self, x: &mut [u64]) -> Result<()> {
        match &self.reduction {
            Reduction::Fold { k, c } => fold(x, &mut self.product, self.n, *k, *c),
            Reduction::Montgomery(modulus) => {
                modulus.reduce(x, &mut self.product, &mut self.scratch);
            }
        }
        self.products += 1;
        if self.products.is_multiple_of(BETWEEN_CHECKS) {
            progress::check()?;
        }
        Ok(())
    }

    /// x/q modulo n for 0 < q < 2^32 that is prime to n: (x + tn)/q for the t < q that makes this
    /// an integer.
    fn divide(&self, x: &[u64], q: u32) -> Option<Vec<u64>> {
        let q = u64::from(q);
        let (x_rest, n_rest) = (rem_word(x, q), rem_word(self.n, q));
        let t = (0..q).find(|t| (x_rest + t * n_rest).is_multiple_of(q))?;
        let mut sum = x.to_vec();
        // x + tn < qn, so the limb above is below q.
        let top = addmul_word(&mut sum, self.n, t);
        sum.push(top);
        let mut quotient = vec![0; sum.len()];
        div_rem_word(&mut quotient, &sum, q);
        quotient.pop();
        Some(quotient)
    }
}

/// With product = high·2^k + low, x ← low + c·high modulo n, folded once more where that reaches
/// 2^k. x has as many limbs as n, and product twice as many.
fn fold(x: &mut [u64], product: &mut [u64], n: &[u64], k: usize, c: u64) {
    let len = x.len();
    let (last, used) = (len - 1, k - 64 * (len - 1));
    let mask = u64::MAX >> (64 - used);
    x.copy_from_slice(&product[..len]);
    x[last] &= mask;
    let high = if used < 64 {
        // The product is below 2^(2k), so that the last limb is zero after the shift.
        shr_assign(&mut product[last..], used as u32);
        &product[last..last + len]
    } else {
        &product[len..]
    };
    let carry = addmul_word(x, high, c);
    // low + c·high < 2^(k + 32): the part above bit k is below 2^32, and times c below 2^63.
    let above = if used < 64 {
        x[last] >> used | carry << (64 - used)
    } else {
        carry
    };
    x[last] &= mask;
    let mut over = add_word(x, above * c);
    while over || compare_same(x, n).is_ge() {
        over ^= sub_assign(x, n);
    }
}

fn is_zero(x: &[u64]) -> bool {
    x.iter().all(|limb| *limb == 0)
}

fn bit(n: &[u64], at: usize) -> bool {
    n[at / 64] >> (at % 64) & 1 == 1
}

/// Miller's test of odd n > 2 to the base 2; the highest limb is not 0.
pub(super) fn is_strong_to_base_2(n: &[u64]) -> Result<bool> {
    let mut residues = Residues::new(n);
    let (one, minus_one) = (residues.one.clone(), residues.minus_one());
    // n − 1 is n without its lowest bit.
    let bits = bit_length(n) as usize;
    let twos = (1..bits).find(|at| bit(n, *at)).unwrap_or(bits);
    let mut x = one.clone();
    for at in (twos..bits).rev() {
        residues.square(&mut x)?;
        if bit(n, at) {
            residues.double(&mut x);
        }
    }
    if x == one || x == minus_one {
        return Ok(true);
    }
    for _ in 1..twos {
        residues.square(&mut x)?;
        if x == minus_one {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The strong Lucas test of odd n > 2 with P = 1, Q = (1 − D)/4 and (D/n) = −1. None if Q is not
/// prime to n.
///
/// Only one sequence is computed: Wk = Vk(1/Q − 2, 1), for which V2k(1, Q) = Q^k·Wk. With n + 1 =
/// d·2^s and d = 2m + 1, U and V at odd indices are sums of those at even ones, which gives, modulo
/// n:
/// - Ud ≡ 0 just if W(m+1) ≡ Wm, and Vd ≡ 0 just if W(m+1) ≡ −Wm;
/// - V(d·2^r) ≡ 0 for r > 0 just if W(d·2^(r−1)) ≡ 0.
///
/// Proof of the first line, with D = 1 − 4Q: V2m = Q^m·Wm and D·U2m = Q^(m+1)·(2W(m+1) − (1/Q −
/// 2)·Wm). So 2D·Ud = D·U2m + D·V2m = 2Q^(m+1)·(W(m+1) − Wm) and 2Vd = D·U2m + V2m =
/// 2Q^(m+1)·(W(m+1) + Wm).
pub(super) fn is_strong_lucas(n: &[u64], d: i64) -> Result<Option<bool>> {
    let mut residues = Residues::new(n);
    let q = (1 - d) / 4;
    let Ok(size) = u32::try_from(q.unsigned_abs()) else {
        return Ok(None);
    };
    let one = residues.one.clone();
    let mut two = one.clone();
    residues.double(&mut two);
    let Some(quotient) = residues.divide(&one, size) else {
        return Ok(None);
    };
    // W1 = 1/Q − 2.
    let mut first = vec![0; n.len()];
    if q < 0 {
        residues.sub(&mut first, &quotient);
    } else {
        first.copy_from_slice(&quotient);
    }
    residues.sub(&mut first, &two);
    let (mut low, mut high) = (two.clone(), first.clone());
    let bits = bit_length(n) as usize;
    // n + 1 has as many zeros below its lowest one as n has ones; m is n without them and the zero
    // above them.
    let twos = (0..bits).find(|at| !bit(n, *at)).unwrap_or(bits);
    for at in (twos + 1..bits).rev() {
        // (Wk, W(k+1)) becomes (W2k, W(2k+1)) or (W(2k+1), W(2k+2)).
        let (doubled, sum) = if bit(n, at) {
            (&mut high, &mut low)
        } else {
            (&mut low, &mut high)
        };
        residues.multiply(sum, doubled)?;
        residues.sub(sum, &first);
        residues.square(doubled)?;
        residues.sub(doubled, &two);
    }
    let mut negative = vec![0; n.len()];
    residues.sub(&mut negative, &low);
    if high == low || high == negative {
        return Ok(Some(true));
    }
    residues.multiply(&mut high, &low)?;
    residues.sub(&mut high, &first);
    for r in 1..twos {
        if is_zero(&high) {
            return Ok(Some(true));
        }
        if r + 1 < twos {
            residues.square(&mut high)?;
            residues.sub(&mut high, &two);
        }
    }
    Ok(Some(false))
}
