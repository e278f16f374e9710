//! Greatest common divisors on the CPU.
//!
//! | coefficients of the smaller | served by |
//! |---|---|
//! | below `poly_gcd_len` | Euclid's algorithm (`euclid`) |
//! | from there on | half-GCDs (`half`), which end with it below `poly_half_len` |
//!
//! Every quotient is one of a true remainder sequence, whichever algorithm finds it. [`Step`]s
//! record the quotients for callers that need more than the last remainder: the resultant is a
//! product over them.

mod euclid;
mod half;

use self::half::{Matrix, half};
use super::modulus::Modulus;
use super::{div, linear};
use crate::error::Result;
use crate::progress;
use crate::tuning::Tuning;

/// A step of Euclid's algorithm, as a resultant needs it.
pub(super) struct Step {
    /// The degree of the quotient.
    pub(super) drop: usize,
    /// The leading coefficient of the divisor.
    pub(super) leading: u64,
}

/// The results that are needed in addition to the last remainder.
#[derive(Default)]
struct Wanted {
    /// Matrices whose product takes (g, 0) to the operands.
    matrices: Option<Vec<Matrix>>,
    steps: Option<Vec<Step>>,
}

/// The monic gcd; neither operand has leading zeros.
pub(super) fn gcd(a: &[u64], b: &[u64], p: Modulus) -> Result<Vec<u64>> {
    let g = last_remainder(a, b, &mut Wanted::default(), p)?;
    Ok(linear::monic(&g, p))
}

/// (g, s, t) with s·a + t·b = g, the monic gcd; neither operand has leading zeros.
pub(super) fn extended_gcd(a: &[u64], b: &[u64], p: Modulus) -> Result<[Vec<u64>; 3]> {
    let mut wanted = Wanted {
        matrices: Some(Vec::new()),
        ..Wanted::default()
    };
    let g = last_remainder(a, b, &mut wanted, p)?;
    // The inverse of the product has rows of cofactors: the first is ±(r11, −r01), from the second
    // column.
    let (mut column, mut sign) = ([Vec::new(), vec![1]], 1);
    for matrix in wanted.matrices.iter().flatten().rev() {
        column = matrix.times(&column, p);
        sign *= matrix.sign();
    }
    let inverse = g.last().map_or(1, |top| p.inverse(*top));
    let [minus_t, s] = column;
    let (s_by, t_by) = if sign > 0 {
        (inverse, p.neg(inverse))
    } else {
        (p.neg(inverse), inverse)
    };
    Ok([
        linear::scale(&g, inverse, p),
        linear::scale(&s, s_by, p),
        linear::scale(&minus_t, t_by, p),
    ])
}

/// The resultant; neither operand has leading zeros.
pub(super) fn resultant(a: &[u64], b: &[u64], p: Modulus) -> Result<u64> {
    if a.is_empty() || b.is_empty() {
        return Ok(0);
    }
    if a.len() < b.len() {
        return Ok(exchanged(resultant(b, a, p)?, a.len(), b.len(), p));
    }
    let mut wanted = Wanted {
        steps: Some(Vec::new()),
        ..Wanted::default()
    };
    if last_remainder(a, b, &mut wanted, p)?.len() > 1 {
        return Ok(0);
    }
    let steps = wanted.steps.unwrap_or_default();
    Ok(resultant_of(a.len() - 1, &steps, p))
}

/// The resultant of polynomials without a common factor, from all steps, the first one of this
/// degree: res(a, b) = (−1)^(deg a·deg b)·lc(b)^(deg a − deg r)·res(b, r), and c^deg a for b = c.
pub(super) fn resultant_of(mut degree: usize, steps: &[Step], p: Modulus) -> u64 {
    let mut found = 1;
    for (i, step) in steps.iter().enumerate() {
        let divisor = degree - step.drop;
        let rest = divisor - steps.get(i + 1).map_or(divisor, |next| next.drop);
        found = p.mul(found, p.pow(step.leading, (degree - rest) as u64));
        if degree % 2 == 1 && divisor % 2 == 1 {
            found = p.neg(found);
        }
        degree = divisor;
    }
    found
}

/// res(b, a) from res(a, b), of these many coefficients: (−1)^(deg a·deg b) times as much.
pub(super) fn exchanged(found: u64, a: usize, b: usize, p: Modulus) -> u64 {
    if a.is_multiple_of(2) && b.is_multiple_of(2) {
        p.neg(found)
    } else {
        found
    }
}

/// The last remainder of Euclid's algorithm that is not 0.
fn last_remainder(a: &[u64], b: &[u64], wanted: &mut Wanted, p: Modulus) -> Result<Vec<u64>> {
    let least = Tuning::in_force().poly_gcd_len.max(2);
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    let mut degrees = (a.len().max(b.len())) as u64;
    progress::stage("polynomial gcd", degrees, |stage| {
        while !b.is_empty() {
            if a.len() > b.len() && b.len() < least {
                let mut matrix = wanted.matrices.as_ref().map(|_| Matrix::identity());
                euclid::run(&mut a, &mut b, 0, matrix.as_mut(), wanted.steps.as_mut(), p);
                if let (Some(all), Some(matrix)) = (&mut wanted.matrices, matrix) {
                    all.push(matrix);
                }
                break;
            }
            // A half-GCD needs a shorter second operand, and finds nothing in one of half the
            // length.
            if a.len() > b.len() && b.len() > a.len() / 2 {
                let keep = wanted.matrices.is_some();
                let done = half(&a, &b, keep, &mut wanted.steps, p)?;
                (a, b) = done.pair;
                if let (Some(all), Some(matrix)) = (&mut wanted.matrices, done.matrix) {
                    all.push(matrix);
                }
                if b.is_empty() {
                    break;
                }
            }
            let (q, r) = div::div_rem(&a, &b, p)?;
            if let Some(steps) = &mut wanted.steps {
                steps.push(Step {
                    drop: a.len().saturating_sub(b.len()),
                    leading: b[b.len() - 1],
                });
            }
            if let Some(all) = &mut wanted.matrices {
                all.push(Matrix::of_quotient(q));
            }
            (a, b) = (b, r);
            let left = a.len() as u64;
            stage.advance(degrees.saturating_sub(left))?;
            degrees = degrees.min(left);
        }
        Ok(a)
    })
}
