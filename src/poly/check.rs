//! Products checked modulo a random polynomial, where [`crate::verify`] is on.
//!
//! For a wrong product, the difference of both sides is a polynomial D other than 0 of degree below
//! 2n. A random monic m of degree k is irreducible with a chance of about 1/k, and at most 2n/k of
//! the p^k/k irreducible ones divide D. With p^k > 2^61, a wrong product of 2^30 coefficients
//! passes with a chance below 2^-29 in that case.

use rand::TryRng;
use rand::rngs::SysRng;

use super::Poly;
use super::modulus::Modulus;
use crate::error::{Error, Result};
use crate::verify;

/// An error if `expected` is not a·b + rest; nothing where checks are off.
pub(super) fn product(
    what: &str,
    a: &Poly,
    b: &Poly,
    rest: Option<&Poly>,
    expected: &Poly,
) -> Result<()> {
    if !verify::is_on() {
        return Ok(());
    }
    let m = Reducer::new(a.modulus);
    let mut found = m.mul(&m.residue(a)?, &m.residue(b)?);
    if let Some(rest) = rest {
        let rest = m.residue(rest)?;
        found = found
            .iter()
            .zip(rest)
            .map(|(x, y)| m.p.add(*x, y))
            .collect();
    }
    if found == m.residue(expected)? {
        return Ok(());
    }
    Err(Error::Verification(format!(
        "{what}: wrong modulo a random polynomial of degree {} over Z_{}",
        m.low.len(),
        m.p
    )))
}

/// Arithmetic modulo a monic polynomial.
struct Reducer {
    p: Modulus,
    /// Its coefficients but the leading one, negated.
    low: Vec<u64>,
}

impl Reducer {
    fn new(p: Modulus) -> Reducer {
        let degree = 61 / p.get().ilog2() + 1;
        // Without the system's randomness a fixed polynomial still finds every fault that is not
        // made for it.
        let draw = |i| SysRng.try_next_u64().unwrap_or(0x9e37_79b9_7f4a_7c15 ^ i);
        let low = (0..u64::from(degree)).map(|i| p.reduce(draw(i)));
        Reducer {
            p,
            low: low.collect(),
        }
    }

    /// r·x + c.
    fn step(&self, r: &mut [u64], c: u64) {
        let top = self.p.factor(r[r.len() - 1]);
        for i in (1..r.len()).rev() {
            r[i] = self.p.add(r[i - 1], self.p.mul_by(self.low[i], top));
        }
        r[0] = self.p.add(c, self.p.mul_by(self.low[0], top));
    }

    /// a modulo m, without leaving a copy of a on the host.
    fn residue(&self, a: &Poly) -> Result<Vec<u64>> {
        let fetched;
        let values = match a.coefficients.device() {
            Some(device) if !a.coefficients.is_on_host() => {
                fetched = a.coefficients.on(&device)?.fetch()?;
                &fetched
            }
            _ => a.coefficients.host()?,
        };
        let mut r = vec![0; self.low.len()];
        for c in values.iter().rev() {
            self.step(&mut r, *c);
        }
        Ok(r)
    }

    fn mul(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut product = vec![0; a.len()];
        for factor in b.iter().rev() {
            self.step(&mut product, 0);
            for (sum, x) in product.iter_mut().zip(a) {
                *sum = self.p.add(*sum, self.p.mul(*x, *factor));
            }
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_products_are_found() {
        verify::set(true);
        for p in [2, 3, 101, (1 << 31) - 1, (1 << 63) - 25] {
            let p = Modulus::new(p).unwrap();
            let poly = |text| Poly::parse(text, p).unwrap();
            let (a, b) = (poly("x^7 + x^3 + 1"), poly("x^4 + x + 1"));
            let right = poly("x^11 + x^8 + x^7 + x^7 + x^4 + x^4 + x^3 + x + 1");
            assert_eq!(product("", &a, &b, None, &right), Ok(()));
            assert_eq!(product("", &a, &b, Some(&a), &(&right + &a)), Ok(()));
            // Of degree 61 at most, where m is: no multiple of it but with a chance of 2^-61.
            assert!(product("", &a, &b, None, &(right + poly("x^5"))).is_err());
        }
    }
}
