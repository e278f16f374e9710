//! Exact division from the low end: Hensel's lifting, Jebelean, *An algorithm for exact division*,
//! J. Symb. Comp. 15 (1993).
//!
//! For odd d, i is its inverse of precision p if i·d ≡ 1 (mod 2^p). From precision h ≥ p/2, with T
//! = i·d and t = (T mod 2^p)/2^h (which is exact, T being 1 modulo 2^h, once the 1 is shifted out),
//! i − 2^h·(i·t mod 2^(p−h)) has precision p: i·d(2 − i·d) ≡ 1 − (1 − i·d)².
//!
//! A quotient of k bits is a·d^-1 modulo 2^k. The inverse is only lifted to h = ⌈k/2⌉ bits; the
//! upper half of the quotient comes from the remainder: q = q0 + 2^h·(i·(a − q0·d)/2^h mod
//! 2^(k−h)), q0 = i·a mod 2^h. With products of k by k bits as the unit that is 1.25 + 0.5 + 0.75 +
//! 0.5 = 3, whatever the length of d: only its low k bits count.

use crate::number::Integer;
use crate::number::Natural;

use super::{Sizes, div_rem, magnitude, signed};
use crate::engine::{self, Work};
use crate::error::{Error, Result};
use crate::limbs::{self, Resident, low};
use crate::mul::{made_of_products, mul};
use crate::tuning::Tuning;
use crate::verify;

/// a / b where b divides a. Where it does not, an error; for a quotient on a device that is much
/// shorter than b only in debug builds and under [`verify::set`], else the result is meaningless.
pub(crate) fn div_exact(a: &Resident, b: &Resident) -> Result<Resident> {
    let inexact = || Error::Domain("exact division: the divisor does not divide".into());
    let sizes = Sizes::of(a, b)?;
    // From the low end the products are as long as the quotient. From the top they are as long as
    // the divisor, but wrap around: a quotient as long as the divisor takes about as long on one
    // thread, and half as long on 16 or on a device (bench/results/h200-div.json). At a quarter
    // the low end needs fewer products of limbs on every engine.
    let Some(sizes) = sizes.filter(|s| s.m - s.n <= s.n / 4) else {
        let (quotient, remainder) = div_rem(a, b)?;
        return match limbs::size(&remainder)?.0 {
            0 => Ok(quotient),
            _ => Err(inexact()),
        };
    };
    let Some(zeros) = limbs::scan_set(b, 0)? else {
        return Err(Error::DivisionByZero);
    };
    let work = made_of_products(Work::division(sizes.m, sizes.n));
    let quotient = engine::wholly(work, [a.residence(), b.residence()], || {
        let bits = sizes.m - sizes.n + 1;
        let even = |x: &Resident, sign, size| -> Result<Resident> {
            low(&limbs::shr(&magnitude(x, sign, size)?, zeros)?, bits)
        };
        let a = even(a, sizes.sign_a, sizes.m)?;
        let b = even(b, sizes.sign_b, sizes.n)?;
        signed(
            quotient_mod_power(&a, &b, bits)?,
            sizes.sign_a * sizes.sign_b,
        )
    })?;
    if (verify::is_on() || quotient.is_on_host()) && !verify::agrees(&quotient, b, a)? {
        return Err(inexact());
    }
    Ok(quotient)
}

/// a/d modulo 2^k for odd d; a and d from 0 to 2^k − 1.
fn quotient_mod_power(a: &Resident, d: &Resident, k: u64) -> Result<Resident> {
    let h = k.div_ceil(2);
    let inverse = inverse_mod_power(d, h)?;
    let first = low(&mul(&low(a, h)?, &inverse)?, h)?;
    let rest = limbs::shr(&low(&limbs::sub(a, &mul(&first, d)?)?, k)?, h)?;
    let second = low(&mul(&rest, &inverse)?, k - h)?;
    Ok(limbs::add(&limbs::shl(&second, h)?, &first)?.narrow(k))
}

/// 1/d modulo 2^p for odd d ≥ 0.
pub(crate) fn inverse_mod_power(d: &Resident, p: u64) -> Result<Resident> {
    let base = 64 * Tuning::current().div_base_limbs as u64;
    let mut precisions = vec![p];
    while let Some(p) = precisions.last().copied().filter(|p| *p > base) {
        precisions.push(p.div_ceil(2));
    }
    let mut h = precisions.pop().unwrap_or(p);
    let start = low(d, h)?;
    let start: &Natural = start.host()?.magnitude();
    let inverse = start.inverse_mod_power_of_2(h);
    let mut i = Resident::from(Integer::from(inverse.ok_or_else(|| {
        Error::Domain("an even number has no inverse modulo a power of two".into())
    })?));
    while let Some(p) = precisions.pop() {
        let t = limbs::shr(&low(&mul(&low(d, p)?, &i)?, p)?, h)?;
        let change = low(&mul(&i, &t)?, p - h)?;
        let next = limbs::sub(&i, &limbs::shl(&change, h)?)?;
        i = low(&next, p)?;
        h = p;
    }
    Ok(i)
}
