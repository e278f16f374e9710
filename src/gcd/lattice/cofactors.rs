//! Cofactors of operands that take many rounds.
//!
//! k rounds with all moduli, whose product is P, leave [u, v] = B·[a, b]/P^k with B the product of
//! their bases. With the cofactors g = x·u + y·v of the short numbers and (X, Y) = (x, y)·B,
//!
//! ```text
//!     X·a + Y·b = g·P^k,    so s·a ≡ g modulo b    for s ≡ X/P^k modulo b,
//! ```
//!
//! where b and P are coprime. A division by P modulo b is (X + b·m)/P with m ≡ −X/b modulo P, 0 ≤
//! m < P: the number that Montgomery adds, for the radix P. The result is at most |X|/P + b.
//!
//! **GMP's cofactors.** s is unique modulo b' = b/g, to which it is coprime: with b' > 2 there is
//! one s of size below b'/2, and t = (g − s·a)/b is then of size below a'/2, because |t·b'| = |1 −
//! s·a'| ≤ 1 + (b' − 1)/2·a' and a' ≥ 2.

use std::sync::Arc;

use super::rounds::{Round, Rounds, Shortened, divided, product_of_bases, shorten};
use crate::cuda::Device;
use crate::div::{self, Reciprocal, Rounding, magnitude, signed};
use crate::error::{Error, Result};
use crate::gcd::{Advance, Certificate, extended_gcd, mod_inverse};
use crate::limbs::{self, Resident};
use crate::mul::{mul, sum_of_products};

/// GMP's g, s and t of a > b > 0, and the number of steps. None if this method does not apply: a
/// modulus divides b or both operands, or the cofactors are very short.
pub(in crate::gcd) fn extended(
    a: &Resident,
    b: &Resident,
    device: &Arc<Device>,
    advance: Advance<'_>,
) -> Result<Option<(Certificate, u64)>> {
    let total = a.bits_bound().saturating_add(b.bits_bound());
    let mut rounds = Rounds::new(device, total);
    let Shortened {
        u,
        v,
        steps,
        stuck,
        bases,
        whole,
    } = shorten(a, b, &mut rounds, true, advance)?;
    let count = bases.len();
    if stuck || !whole || count == 0 {
        return Ok(None);
    }
    let round = rounds.get()?;
    let inverse = match mod_inverse(b, &round.product) {
        Ok(inverse) => inverse,
        Err(Error::Domain(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    let (g, x, y) = extended_gcd(&u, &v)?;
    let Some([[b11, _], [b21, _]]) = product_of_bases(bases)? else {
        return Ok(None);
    };
    let mut s = sum_of_products(&[(&x, &b11), (&y, &b21)])?;
    for _ in 0..count {
        s = divided_by_moduli(&s, b, &inverse, round)?;
    }
    canonical(a, b, g, &s).map(|found| found.map(|all| (all, steps)))
}

/// x/P modulo b.
fn divided_by_moduli(
    x: &Resident,
    b: &Resident,
    inverse: &Resident,
    round: &Round,
) -> Result<Resident> {
    let modulo = |x: &Resident| -> Result<Resident> {
        let (sign, bits) = limbs::size(x)?;
        let (_, rest) = round.reciprocal.div_rem(&magnitude(x, sign, bits)?, bits)?;
        signed(rest, sign)
    };
    // −x/b modulo P, from −P + 1 to P − 1.
    let m = limbs::neg(&modulo(&mul(&modulo(x)?, inverse)?)?)?;
    let sum = limbs::add(x, &mul(b, &m)?)?;
    let (sign, bits) = limbs::size(&sum)?;
    signed(
        divided(&magnitude(&sum, sign, bits)?, bits, &round.reciprocal)?,
        sign,
    )
}

/// The cofactors of g from any s with s·a ≡ g modulo b.
fn canonical(a: &Resident, b: &Resident, g: Resident, s: &Resident) -> Result<Option<Certificate>> {
    let (ratio, rest) = div::div_rem(b, &g)?;
    let bits = limbs::size(&ratio)?.1;
    // Both ratios are above 2, as a > b.
    if limbs::size(&rest)?.1 > 0 || bits < 3 {
        return Ok(None);
    }
    let (_, least) = div::div_rem_rounded(s, &ratio, Rounding::Euclid)?;
    let twice = limbs::shl(&least, 1)?;
    let s = if limbs::compare(&twice, &ratio)?.is_gt() {
        limbs::sub(&least, &ratio)?
    } else {
        least
    };
    let over = limbs::sub(&g, &mul(&s, a)?)?;
    let n = limbs::size(b)?.1;
    let (sign, m) = limbs::size(&over)?;
    let reciprocal = Reciprocal::new(b, n, n)?;
    let t = divided(&magnitude(&over, sign, m)?, m, &reciprocal)?;
    Ok(Some((g, s, signed(t, sign)?)))
}
