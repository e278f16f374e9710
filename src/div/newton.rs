//! Division by Newton's iteration, of any sizes, through products, sums and shifts alone: it runs
//! wherever they do.
//!
//! Brent and Zimmermann, *Modern Computer Arithmetic*, sections 3.4 and 4.2, with bounds derived
//! for these roundings. Below, d > 0 has n bits, δ = d/2^n with 1/2 ≤ δ < 1, and ρ = 1/δ with 1 <
//! ρ ≤ 2.
//!
//! **Reciprocal.** X is a reciprocal of precision p if |X/2^p − ρ| ≤ 2·2^-p. From one of precision
//! h = ⌈p/2⌉ + 2, y = X_h/2^h, the step takes δ' = D/2^(p+4), d cut to p + 4 bits, so 0 ≤ δ − δ' <
//! 2^-(p+4), and forms
//!
//! ```text
//!     T = D·X_h − 2^(p+4+h)          δ'y − 1 = T/2^(p+4+h), and |δ'y − 1| ≤ δ·2·2^-h + y·2^-(p+4) < 4·2^-h, so |T| < 2^(p+6)
//!     F = ⌊T / 2^h⌋                  loses less than 2^-(p+4), times y
//!     X_p = X_h·2^(p−h) − ⌊X_h·F / 2^(h+4)⌋                      loses less than 2^-p
//! ```
//!
//! Without losses the step squares the error: ρ − y(2 − δy) = δ(ρ − y)² < 4·2^-2h ≤ 2^-p/4. D in
//! place of d costs y²·2^-(p+4). As h ≥ 66, y < 2.01, so the error is below (1/4 + 4.05/16 +
//! 2.01/16 + 1)·2^-p < 2·2^-p. The first one is ⌊2^(2p+4)/D⌋, off by at most (1 + 4.1/16)·2^-p.
//! `value` keeps X − 2, which never exceeds ρ·2^p and is at most 4 below it.
//!
//! T is D·X_h in its low p + 6 bits: 2^(p+4+h) is a multiple of every power of two that a limb can
//! end on there, as h ≥ 66.
//!
//! **A block of quotient.** For 0 ≤ A < 2d·2^w and p = w + 5, with X from below of error at most
//! 5·2^-p (one more than above where X itself was cut), q = ⌊⌊A/2^(n−4)⌋·X / 2^(p+4)⌋ is never
//! above A/d, and below it by less than ρ/16 + (A/2^n)·5·2^-p + 1 < 1/8 + 2^(w+1)·5·2^-(w+5) + 1 <
//! 3/2. So A − q·d is at least 0 and below 2d, which is all that the next block needs. Only the
//! last remainder is compared with d, and d taken off it once at most.
//!
//! **Cost** with products of n by n bits as the unit, unequal ones by the length of the result: a
//! reciprocal of precision p takes 2.5 p/n, a block w/n + (w/n + 1)/2. A division of 2n by n bits
//! in two blocks takes 3.75, in one 4.5, in three 3.83. Q bits of quotient in k blocks take
//! 2.5Q/kn + 3Q/2n + k/2, least where k = √(5Q/n).

use crate::number::Integer;

use crate::engine::{self, ChosenPlace, Engine, Work};
use crate::error::Result;
use crate::limbs::{self, Resident, low, shr_wrapped, sub_bounded};
use crate::mul::{made_of_products, mul};
use crate::progress;
use crate::tuning::Tuning;

/// Bits by which a divisor is known better than its reciprocal, and a dividend better than its
/// quotient.
const GUARD: u64 = 4;
/// Bits of precision beyond those of a block of quotient.
const BLOCK_GUARD: u64 = 5;
/// Least precision that the host's division starts with: the next then has h ≥ 66.
const LEAST_BASE: u64 = 128;

/// a·2^by, rounded down.
fn shift(a: &Resident, by: i128) -> Result<Resident> {
    match by {
        0 => Ok(a.clone()),
        1.. => limbs::shl(a, by as u64),
        _ => limbs::shr(a, by.unsigned_abs() as u64),
    }
}

/// X with |X/2^p − 2^n/d| ≤ 2·2^-p, for d > 0 of exactly n bits.
pub(crate) fn reciprocal(d: &Resident, n: u64, p: u64) -> Result<Resident> {
    let work = made_of_products(Work::division(n.saturating_add(p), n));
    if let ChosenPlace::Cuda(device) = engine::place(work, [d.residence()])? {
        return super::cuda::reciprocal_bits(&device, d, n, p);
    }
    let base = (64 * Tuning::current().div_base_limbs as u64).max(LEAST_BASE);
    let mut precisions = vec![p];
    while let Some(p) = precisions.last().copied().filter(|p| *p > base) {
        precisions.push(p.div_ceil(2) + 2);
    }
    let cut = |p: u64| -> Result<Resident> {
        let by = i128::from(p + GUARD) - i128::from(n);
        Ok(shift(d, by)?.narrow(p + GUARD))
    };
    let mut h = precisions.pop().unwrap_or(p);
    let start = Integer::ONE << (2 * h + GUARD);
    let mut x = Resident::from(start / cut(h)?.host()?);
    progress::stage("reciprocal", 2 * p, |stage| {
        while let Some(p) = precisions.pop() {
            let t = mul(&cut(p)?, &x)?;
            let f = shr_wrapped(&t, p + GUARD + 2, h)?;
            let change = limbs::shr(&mul(&x, &f)?, h + GUARD)?;
            // X ≤ 2^p·(2 + 2·2^-p).
            x = sub_bounded(&limbs::shl(&x, p - h)?, &change, p + 2)?;
            h = p;
            stage.advance(p)?;
        }
        Ok(x)
    })
}

/// A divisor and its reciprocal from below.
#[derive(Clone)]
pub(crate) struct Reciprocal {
    divisor: Resident,
    /// Bits of the divisor.
    n: u64,
    /// Quotient bits found at a time.
    block: u64,
    /// Of precision block + 5, at most 4 units below ρ.
    value: Resident,
}

/// Quotient bits to find at a time, for `q` of them in all and a divisor of `n` bits.
pub(crate) fn block_bits(q: u64, n: u64) -> u64 {
    let count = (5.0 * q as f64 / n.max(1) as f64).sqrt().round().max(1.0);
    let least = match Engine::current() {
        Engine::Cuda(_) => 64 * Tuning::current().div_block_limbs as u64,
        _ => 1,
    };
    q.div_ceil(count as u64).max(least)
}

impl Reciprocal {
    /// For a divisor d > 0 of exactly n bits, to find `block` > 0 quotient bits at a time.
    pub(crate) fn new(divisor: &Resident, n: u64, block: u64) -> Result<Reciprocal> {
        let value = limbs::add_small(&reciprocal(divisor, n, block + BLOCK_GUARD)?, -2)?;
        Ok(Reciprocal {
            divisor: divisor.clone(),
            n,
            block,
            value: value.narrow(block + BLOCK_GUARD + 2),
        })
    }

    /// (q, r) with a = q·d + r and 0 ≤ r < d, for 0 ≤ a < 2^m.
    pub(crate) fn div_rem(&self, a: &Resident, m: u64) -> Result<(Resident, Resident)> {
        let (quotient, remainder) = self.reduce(a, m.saturating_sub(self.n))?;
        if limbs::compare(&remainder, &self.divisor)?.is_lt() {
            return Ok((quotient, remainder));
        }
        let remainder = sub_bounded(&remainder, &self.divisor, self.n)?;
        Ok((limbs::add_small(&quotient, 1)?, remainder))
    }

    /// a modulo d, but below 2d, for 0 ≤ a < 2d·2^bits.
    pub(crate) fn residue(&self, a: &Resident, bits: u64) -> Result<Resident> {
        Ok(self.reduce(a, bits)?.1)
    }

    /// (q, r) with a = q·d + r and 0 ≤ r < 2d, for 0 ≤ a < 2d·2^bits.
    fn reduce(&self, a: &Resident, bits: u64) -> Result<(Resident, Resident)> {
        if bits == 0 {
            return Ok((limbs::zero(), a.clone()));
        }
        if bits <= self.block {
            return self.reduce_block(a, bits);
        }
        let below = self.block * (bits.div_ceil(self.block) / 2);
        let (high, carried) = self.reduce(&limbs::shr(a, below)?, bits - below)?;
        let rest = limbs::add(&limbs::shl(&carried, below)?, &low(a, below)?)?;
        let (lower, remainder) = self.reduce(&rest.narrow(self.n + 1 + below), below)?;
        let quotient = limbs::add(&limbs::shl(&high, below)?, &lower)?;
        Ok((quotient.narrow(bits + 1), remainder))
    }

    fn reduce_block(&self, a: &Resident, bits: u64) -> Result<(Resident, Resident)> {
        let top = shift(a, i128::from(GUARD) - i128::from(self.n))?.narrow(bits + 1 + GUARD);
        let (value, precision) = if 2 * bits < self.block {
            let cut = limbs::shr(&self.value, self.block - bits)?;
            (cut, bits + BLOCK_GUARD)
        } else {
            (self.value.clone(), self.block + BLOCK_GUARD)
        };
        let quotient = limbs::shr(&mul(&top, &value)?, precision + GUARD)?.narrow(bits + 1);
        let taken = mul(&quotient, &self.divisor)?;
        let remainder = sub_bounded(a, &taken, self.n + 1)?;
        Ok((quotient, remainder))
    }
}
