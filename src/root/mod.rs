//! Square roots, n-th roots, and whether a number is a power.
//!
//! ```text
//!   limbs    0 ...... root_limbs ................................ all of memory
//!   both     | the floor | halves, on divisions and squares          |
//! ```
//!
//! **Square root** (Zimmermann, *Karatsuba Square Root*, 1999). For N = H·β² + a1·β + a0 with β =
//! 2^k and s', r' the root and the remainder of H, let (q, u) be the quotient and the remainder of
//! r'β + a1 by 2s'. Then s = s'β + q and r = uβ + a0 − q² are N's, or r is negative and s − 1 and
//! r + 2s − 1 are. That needs s' ≥ β/2, so that q ≤ β and r ≥ −β²: it holds where H has at least
//! 2k − 1 bits.
//!
//! **n-th root.** With s' the root of ⌊N/2^(nk)⌋, x = (s' + 1)·2^k is above the root of N, and
//! Newton's iteration goes down from there, as the mean of n numbers is at least their geometric
//! mean, until it no longer falls: then x is the root rounded down.

mod host;
mod power;
#[cfg(test)]
mod tests;

pub(crate) use power::perfect_power;

use crate::number::Integer;

use crate::div;
use crate::engine::{self, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident, low};
use crate::mul::{self, made_of_products, square};
use crate::progress::{self, Stage};
use crate::tuning::Tuning;

fn is_short(bits: u64) -> bool {
    bits <= (64 * Tuning::current().root_limbs as u64).max(8)
}

/// (s, r) with a = s² + r and 0 ≤ r ≤ 2s; an error for a < 0.
pub(crate) fn sqrt_rem(a: &Resident) -> Result<(Resident, Resident)> {
    if let Some([x]) = limbs::short([a])
        && !x.is_negative()
    {
        let (root, rest) = x.magnitude().sqrt_rem();
        return Ok((Integer::from(root).into(), Integer::from(rest).into()));
    }
    let (sign, bits) = limbs::size(a)?;
    if sign < 0 {
        return Err(Error::Domain("a negative number has no square root".into()));
    }
    if is_short(bits) {
        return short_sqrt_rem(a);
    }
    // The root of half the bits takes half as long, and so on.
    engine::wholly(made_of_products(Work::root(bits)), [a.residence()], || {
        progress::stage("square root", 2 * bits, |stage| halves(stage, a, bits))
    })
}

/// ⌊√a⌋; an error for a < 0.
pub(crate) fn floor_sqrt(a: &Resident) -> Result<Resident> {
    if let Some([x]) = limbs::short([a])
        && !x.is_negative()
    {
        return Ok(Integer::from(x.magnitude().floor_sqrt()).into());
    }
    Ok(sqrt_rem(a)?.0)
}

fn short_sqrt_rem(a: &Resident) -> Result<(Resident, Resident)> {
    let (root, rest) = a.host()?.magnitude().sqrt_rem();
    Ok((Integer::from(root).into(), Integer::from(rest).into()))
}

fn halves(stage: &Stage, a: &Resident, bits: u64) -> Result<(Resident, Resident)> {
    if is_short(bits) {
        return short_sqrt_rem(a);
    }
    let k = bits.div_ceil(4);
    let k = if bits - 2 * k < 2 * k - 1 { k - 1 } else { k };
    let high = limbs::shr(a, 2 * k)?.narrow(bits - 2 * k);
    let (root, rest) = halves(stage, &high, bits - 2 * k)?;
    let middle = low(&limbs::shr(a, k)?, k)?;
    let dividend = limbs::add(&limbs::shl(&rest, k)?, &middle)?;
    let (quotient, left) = div::div_rem(&dividend, &limbs::shl(&root, 1)?)?;
    let root = limbs::add(&limbs::shl(&root, k)?, &quotient)?;
    let upper = limbs::add(&limbs::shl(&left, k)?, &low(a, k)?)?;
    let rest = limbs::sub(&upper, &square(&quotient)?)?;
    stage.advance(bits)?;
    if limbs::size(&rest)?.0 >= 0 {
        return Ok((root, rest));
    }
    let lower = limbs::add_small(&root, -1)?;
    let rest = limbs::add(&rest, &limbs::add(&root, &lower)?)?;
    Ok((lower, rest))
}

/// The n-th root rounded towards zero, and a minus its n-th power; an error for n = 0 and for an
/// even root of a < 0.
pub(crate) fn root_rem(a: &Resident, n: u64) -> Result<(Resident, Resident)> {
    if let Some([x]) = limbs::short([a])
        && n > 0
        && (n % 2 == 1 || !x.is_negative())
    {
        let (root, rest) = x.magnitude().root_rem(n);
        let signed = |size| Integer::from_parts(x.is_negative(), size).into();
        return Ok((signed(root), signed(rest)));
    }
    let (sign, bits) = limbs::size(a)?;
    if n == 0 {
        return Err(Error::Domain("there is no 0th root".into()));
    }
    if sign < 0 && n.is_multiple_of(2) {
        return Err(Error::Domain(format!(
            "a negative number has no root of even degree {n}"
        )));
    }
    if n == 1 {
        return Ok((a.clone(), limbs::zero()));
    }
    if n == 2 {
        return sqrt_rem(a);
    }
    engine::wholly(made_of_products(Work::root(bits)), [a.residence()], || {
        let magnitude = div::magnitude(a, sign, bits)?;
        let (root, rest) = progress::stage("root", 3 * bits, |stage| {
            let root = floor_root(stage, &magnitude, n, bits)?;
            let power = stage.step(bits, || mul::pow(&root, n))?;
            Ok((root, limbs::sub(&magnitude, &power)?))
        })?;
        Ok((div::signed(root, sign)?, div::signed(rest, sign)?))
    })
}

/// ⌊a^(1/n)⌋ for 0 ≤ a < 2^bits and n > 1.
fn floor_root(stage: &Stage, a: &Resident, n: u64, bits: u64) -> Result<Resident> {
    if bits <= n {
        // 0 or 1 is its own root; below 2^n the root of any other is 1.
        let (sign, _) = limbs::size(a)?;
        return Ok(Integer::from(sign).into());
    }
    if is_short(bits) {
        let root = a.host()?.magnitude().floor_root(n);
        return Ok(Integer::from(root).into());
    }
    let k = bits.div_ceil(n).div_ceil(2);
    let cut = n * k;
    let high = limbs::shr(a, cut)?.narrow(bits.saturating_sub(cut));
    let start = floor_root(stage, &high, n, bits.saturating_sub(cut))?;
    let mut x = limbs::shl(&limbs::add_small(&start, 1)?, k)?;
    let degree = Resident::from(Integer::from(n));
    loop {
        let power = mul::pow(&x, n - 1)?;
        // x + (a/x^(n−1) − x)/n, whose two floors are as good as one.
        let excess = limbs::sub(&div::quotient(a, &power)?, &x)?;
        if limbs::size(&excess)?.0 >= 0 {
            stage.advance(bits)?;
            return Ok(x);
        }
        let (step, _) = div::div_rem_rounded(&excess, &degree, div::Rounding::Floor)?;
        x = limbs::add(&x, &step)?;
    }
}

/// Whether a is the square of an integer.
pub(crate) fn is_square(a: &Resident) -> Result<bool> {
    if let Some([x]) = limbs::short([a]) {
        return Ok(!x.is_negative() && x.magnitude().is_square());
    }
    // Squares are 0, 1, 4, 9, 16, 17, 25, 33, 36, 41, 49 or 57 modulo 64: four of five others stop
    // here.
    const MODULO_64: u64 = 0x0202_0212_0203_0213;
    if limbs::size(a)?.0 < 0 {
        return Ok(false);
    }
    let lowest = low(a, 6)?;
    let lowest = u64::try_from(lowest.host()?).unwrap_or(0);
    if MODULO_64 >> lowest & 1 == 0 {
        return Ok(false);
    }
    Ok(limbs::size(&sqrt_rem(a)?.1)?.0 == 0)
}
