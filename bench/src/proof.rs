//! Proofs of answers from their definitions. The library's CPU engine supplies witnesses (quotients
//! and cofactors); what they prove is judged by limbs and modulo a random prime, so a wrong witness
//! cannot make a wrong answer pass.

use bezout::{Engine, Int, Result};

use crate::{plain, residue};

/// Whether g is the greatest common divisor of a and b: g divides both and is a sum of multiples.
pub fn is_gcd(a: &Int, b: &Int, g: &Int) -> Result<bool> {
    if g.is_negative() || !(divides(g, a)? && divides(g, b)?) {
        return Ok(false);
    }
    let (_, s, t) = Engine::Cpu.scope(|| a.try_extended_gcd(b))?;
    let multiple = |cofactor: &Int, x: &Int| {
        Ok::<_, bezout::Error>(residue::mul(residue::of(cofactor)?, residue::of(x)?))
    };
    Ok(residue::add(multiple(&s, a)?, multiple(&t, b)?) == residue::of(g)?)
}

/// Whether d divides x; 0 divides 0 alone.
pub fn divides(d: &Int, x: &Int) -> Result<bool> {
    if d.is_zero() {
        return Ok(x.is_zero());
    }
    is_remainder(x, d, &Int::ZERO)
}

/// Whether r is the remainder of x ≥ 0 by d > 0.
pub fn is_remainder(x: &Int, d: &Int, r: &Int) -> Result<bool> {
    if r.is_negative() || plain::compare(r.try_limbs()?, d.try_limbs()?).is_ge() {
        return Ok(false);
    }
    let (quotient, _) = Engine::Cpu.scope(|| x.try_div_rem(d))?;
    let product = residue::mul(residue::of(&quotient)?, residue::of(d)?);
    Ok(residue::add(product, residue::of(r)?) == residue::of(x)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_greatest_common_divisor_passes() {
        let common = Int::from(3).pow(200);
        let (a, b) = (
            &common * Int::from(2).pow(90),
            &common * Int::from(5).pow(70),
        );
        assert!(is_gcd(&a, &b, &common).unwrap());
        for wrong in [
            Int::ONE,
            Int::ZERO,
            Int::from(3).pow(199),
            -&common,
            &common * 2,
            &common + 1,
        ] {
            assert!(!is_gcd(&a, &b, &wrong).unwrap(), "{wrong}");
        }
        assert!(is_gcd(&Int::ZERO, &a, &a).unwrap());
        assert!(is_gcd(&Int::ZERO, &Int::ZERO, &Int::ZERO).unwrap());
    }

    #[test]
    fn only_the_reduced_remainder_passes() {
        let (x, d) = (Int::from(7).pow(100), Int::from(11).pow(40));
        let r = &x % &d;
        assert!(is_remainder(&x, &d, &r).unwrap());
        assert!(!is_remainder(&x, &d, &(&r + &d)).unwrap());
        assert!(!is_remainder(&x, &d, &(&r - &d)).unwrap());
        assert!(!is_remainder(&x, &d, &(&r + 1)).unwrap());
        assert!(divides(&d, &(&d * 5)).unwrap() && !divides(&d, &(&d * 5 + 1)).unwrap());
    }
}
