//! Division on the CPU, and powers modulo a polynomial.
//!
//! | quotient or divisor below `poly_newton_len` | coefficient by coefficient |
//! |---|---|
//! | else | by the reciprocal of the reversed divisor, as a power series (Newton's iteration), in blocks of at most its length |

use super::linear::{self, trimmed};
use super::modulus::Modulus;
use super::mul;
use crate::error::{Error, Result};
use crate::progress;
use crate::tuning::Tuning;

/// Quotient and remainder; neither operand has leading zeros, nor has the remainder.
pub(super) fn div_rem(a: &[u64], b: &[u64], p: Modulus) -> Result<(Vec<u64>, Vec<u64>)> {
    if b.is_empty() {
        return Err(Error::DivisionByZero);
    }
    if a.len() < b.len() {
        return Ok((Vec::new(), a.to_vec()));
    }
    let least = Tuning::in_force().poly_newton_len.max(1);
    if b.len() < least || a.len() - b.len() + 1 < least {
        return Ok(by_steps(a, b, p));
    }
    Ok(Divisor::new(b, a.len() - b.len() + 1, p)?.div_rem(a))
}

/// The definition, two coefficients of the quotient at a time.
fn by_steps(a: &[u64], b: &[u64], p: Modulus) -> (Vec<u64>, Vec<u64>) {
    let mut rest = a.to_vec();
    let quotient = divide(&mut rest, b, p);
    (quotient, rest)
}

/// Leaves a modulo b in a, without leading zeros, and gives the quotient. a is no shorter than b,
/// which is not empty.
pub(super) fn divide(a: &mut Vec<u64>, b: &[u64], p: Modulus) -> Vec<u64> {
    let n = b.len();
    let inverse = p.inverse(b[n - 1]);
    let mut quotient = vec![0; a.len() - n + 1];
    let mut left = quotient.len();
    while left > 0 {
        let top = a[left + n - 2];
        let q1 = p.mul(top, inverse);
        if left == 1 {
            quotient[0] = q1;
            linear::add_scaled(&mut a[..n], b, p.neg(q1), p);
            break;
        }
        let below = if n > 1 { p.mul(q1, b[n - 2]) } else { 0 };
        let q0 = p.mul(p.sub(a[left + n - 3], below), inverse);
        quotient[left - 1] = q1;
        quotient[left - 2] = q0;
        let part = &mut a[left - 2..][..=n];
        linear::add_twice(part, b, p.neg(q0), p.neg(q1), p);
        left -= 2;
    }
    a.truncate(n - 1);
    super::coefficients::trim(a);
    quotient
}

/// Up to this precision a reciprocal is found coefficient by coefficient.
const BASE: usize = 16;

/// 1/f modulo x^n, for f with a constant term.
pub(super) fn reciprocal(f: &[u64], n: usize, p: Modulus) -> Vec<u64> {
    if n <= BASE {
        let first = p.inverse(f[0]);
        let mut g = vec![first];
        let minus = p.factor(p.neg(first));
        for k in 1..n {
            let terms = f.iter().skip(1).take(k).zip(g.iter().rev());
            let sum = terms.fold(0, |sum, (f, g)| p.add(sum, p.mul(*f, *g)));
            g.push(p.mul_by(sum, minus));
        }
        return g;
    }
    // From g right modulo x^k: f·g = 1 + e·x^k, and g·(1 − e·x^k) is right modulo x^2k.
    let k = n.div_ceil(2);
    let mut g = reciprocal(f, k, p);
    let f = &f[..f.len().min(n)];
    // The wrapped coefficients are below x^k.
    let product = mul::cyclic(f, &g, n, p).unwrap_or_else(|| mul::mul(f, &g, p));
    let e = product.get(k..).unwrap_or_default();
    let e = &e[..e.len().min(n - k)];
    let correction = mul::mul(e, &g[..n - k], p);
    g.extend(correction.iter().take(n - k).map(|c| p.neg(*c)));
    g.resize(n, 0);
    g
}

/// A divisor with its reciprocal, for many divisions.
pub(super) struct Divisor<'a> {
    b: &'a [u64],
    /// That of the reversed divisor, as long as the longest block of a quotient.
    reciprocal: Vec<u64>,
    p: Modulus,
}

impl<'a> Divisor<'a> {
    /// For quotients of about this many coefficients, at least one.
    pub(super) fn new(b: &'a [u64], quotient: usize, p: Modulus) -> Result<Divisor<'a>> {
        if b.is_empty() {
            return Err(Error::DivisionByZero);
        }
        let len = quotient.clamp(1, b.len());
        let reversed: Vec<u64> = b.iter().rev().take(len).copied().collect();
        Ok(Divisor {
            b,
            reciprocal: reciprocal(&reversed, len, p),
            p,
        })
    }

    /// Quotient and remainder, which has no leading zeros.
    pub(super) fn div_rem(&self, a: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let (p, below) = (self.p, self.b.len() - 1);
        let mut rest = a.to_vec();
        let mut quotient = vec![0; a.len().saturating_sub(below)];
        while rest.len() > below {
            let left = rest.len() - below;
            let len = left.min(self.reciprocal.len());
            let top: Vec<u64> = rest.iter().rev().take(len).copied().collect();
            let mut block = mul::mul(&top, &self.reciprocal[..len], p);
            block.truncate(len);
            block.reverse();
            let from = left - len;
            match mul::cyclic(&block, self.b, self.b.len(), p) {
                // The remainder has fewer coefficients than wrap.
                Some(product) => {
                    let window = rest.split_off(from);
                    rest.extend_from_slice(&window[..below]);
                    for (at, c) in window.iter().enumerate().skip(product.len()) {
                        let sum = &mut rest[from + at % product.len()];
                        *sum = p.add(*sum, *c);
                    }
                    linear::sub_from(&mut rest[from..], &product[..below], p);
                }
                // Subtract the block's product from the coefficients that it does not cancel.
                None => {
                    rest.truncate(from + below);
                    let product = mul::mul(&block, &self.b[..below], p);
                    linear::sub_from(&mut rest[from..], &product[..product.len().min(below)], p);
                }
            }
            quotient[left - len..left].copy_from_slice(&block);
        }
        super::coefficients::trim(&mut rest);
        (quotient, rest)
    }
}

/// a^exponent modulo m, the exponent as limbs, low one first; neither has leading zeros.
pub(super) fn pow_mod(a: &[u64], exponent: &[u64], m: &[u64], p: Modulus) -> Result<Vec<u64>> {
    let divisor = Divisor::new(m, m.len(), p)?;
    let rem = |x: &[u64]| -> Result<Vec<u64>> {
        let x = trimmed(x);
        if m.len() < Tuning::in_force().poly_newton_len {
            Ok(div_rem(x, m, p)?.1)
        } else {
            Ok(divisor.div_rem(x).1)
        }
    };
    let base = rem(a)?;
    let mut power = rem(&[1])?;
    let bits = match exponent.last() {
        Some(top) => 64 * exponent.len() as u64 - u64::from(top.leading_zeros()),
        None => 0,
    };
    progress::stage("polynomial power", bits, |stage| {
        for bit in (0..bits).rev() {
            power = rem(&mul::square(&power, p))?;
            if exponent[(bit / 64) as usize] >> (bit % 64) & 1 == 1 {
                power = rem(&mul::mul(&power, &base, p))?;
            }
            stage.advance(1)?;
        }
        Ok(power)
    })
}
