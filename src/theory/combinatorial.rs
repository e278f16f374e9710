//! The numbers of combinatorics, and the digits of a number.

use crate::error::{Error, Result};
use crate::int::Int;
use crate::progress;

/// Tables of larger arguments take too long.
const MOST: u64 = 1 << 20;

fn at_most(what: &'static str, n: u64) -> Result<()> {
    if n > MOST {
        let words = format!("{what} is computed for arguments up to {MOST}");
        return Err(Error::Domain(words));
    }
    Ok(())
}

/// Bernoulli's number B(n) as a numerator and a positive denominator, in lowest terms; B(1) = −1/2.
///
/// From the tangent numbers T(k) = the (2k − 1)-th derivative of tan at 0, which a triangle of sums
/// gives (Brent and Harvey, *Fast computation of Bernoulli, tangent and secant numbers*, 2013):
/// B(2k) = (−1)^(k − 1)·2k·T(k)/(2^(2k)·(2^(2k) − 1)).
///
/// ```
/// # use bezout::{Int, theory};
/// assert_eq!(theory::bernoulli(12)?, (Int::from(-691), Int::from(2730)));
/// # Ok::<(), bezout::Error>(())
/// ```
pub fn bernoulli(n: u64) -> Result<(Int, Int)> {
    at_most("Bernoulli's number", n)?;
    match n {
        0 => return Ok((Int::ONE, Int::ONE)),
        1 => return Ok((Int::from(-1), Int::from(2))),
        _ if !n.is_multiple_of(2) => return Ok((Int::ZERO, Int::ONE)),
        _ => {}
    }
    let k = (n / 2) as usize;
    let mut tangents = Vec::with_capacity(k + 1);
    tangents.push(Int::ZERO);
    tangents.push(Int::ONE);
    for i in 2..=k {
        tangents.push(tangents[i - 1].try_mul(&Int::from(i - 1))?);
    }
    for i in 2..=k {
        progress::check()?;
        for j in i..=k {
            let left = tangents[j - 1].try_mul(&Int::from(j - i))?;
            let right = tangents[j].try_mul(&Int::from(j - i + 2))?;
            tangents[j] = left.try_add(&right)?;
        }
    }
    let numerator = tangents[k].try_mul(&Int::from(n))?;
    let power = Int::ONE.try_shl(n)?;
    let denominator = power.try_mul(&power.try_add_small(-1)?)?;
    let common = numerator.try_gcd(&denominator)?;
    let numerator = numerator.try_div_exact(&common)?;
    let denominator = denominator.try_div_exact(&common)?;
    let is_negative = k.is_multiple_of(2);
    Ok((
        if is_negative {
            numerator.try_neg()?
        } else {
            numerator
        },
        denominator,
    ))
}

/// In how many ways n is a sum of positive numbers, whatever their order, by Euler's pentagonal
/// numbers: p(n) = Σ (−1)^(k + 1)·(p(n − k(3k − 1)/2) + p(n − k(3k + 1)/2)).
pub fn partitions(n: u64) -> Result<Int> {
    at_most("the number of partitions", n)?;
    let n = n as usize;
    let mut all = Vec::with_capacity(n + 1);
    all.push(Int::ONE);
    for i in 1..=n {
        progress::check()?;
        let mut sum = Int::ZERO;
        for k in 1.. {
            let first = k * (3 * k - 1) / 2;
            if first > i {
                break;
            }
            let mut pair = all[i - first].clone();
            if first + k <= i {
                pair = pair.try_add(&all[i - first - k])?;
            }
            sum = if k % 2 == 1 {
                sum.try_add(&pair)?
            } else {
                sum.try_sub(&pair)?
            };
        }
        all.push(sum);
    }
    Ok(all.pop().unwrap_or_default())
}

/// In how many ways n things can be put into groups, by the triangle of Aitken.
pub fn bell(n: u64) -> Result<Int> {
    at_most("Bell's number", n)?;
    let mut row = vec![Int::ONE];
    for _ in 1..n.max(1) {
        progress::check()?;
        let mut next = Vec::with_capacity(row.len() + 1);
        next.push(row[row.len() - 1].clone());
        for (i, above) in row.iter().enumerate() {
            next.push(next[i].try_add(above)?);
        }
        row = next;
    }
    Ok(row.pop().unwrap_or_default())
}

/// In how many ways n things can be put on k cycles: Stirling's number of the first kind, without
/// its sign.
pub fn stirling_first(n: u64, k: u64) -> Result<Int> {
    stirling(n, k, |row, _| row)
}

/// In how many ways n things can be put into k groups: Stirling's number of the second kind.
pub fn stirling_second(n: u64, k: u64) -> Result<Int> {
    stirling(n, k, |_, column| column)
}

/// The number in row n and column k of the triangle with
/// S(i + 1, j) = factor(i, j)·S(i, j) + S(i, j − 1).
fn stirling(n: u64, k: u64, factor: fn(u64, u64) -> u64) -> Result<Int> {
    at_most("Stirling's number", n)?;
    if k > n {
        return Ok(Int::ZERO);
    }
    let mut row = vec![Int::ZERO; k as usize + 1];
    row[0] = Int::ONE;
    for i in 0..n {
        progress::check()?;
        for j in (0..=k.min(i + 1)).rev() {
            let stays = row[j as usize].try_mul(&Int::from(factor(i, j)))?;
            row[j as usize] = match j.checked_sub(1) {
                Some(before) => stays.try_add(&row[before as usize])?,
                None => stays,
            };
        }
    }
    Ok(row.pop().unwrap_or_default())
}

/// Catalan's number: in how many ways n pairs of brackets can be written.
pub fn catalan(n: u64) -> Result<Int> {
    // Larger arguments are refused by the binomial coefficient.
    let double = n.saturating_mul(2);
    Int::try_binomial(double, n)?.try_div_exact(&Int::from(n).try_add_small(1)?)
}

/// The sum of the digits of |x| in a base from 2 to 36.
pub fn digit_sum(x: &Int, base: u32) -> Result<Int> {
    let digits = x.try_abs()?.try_to_string_radix(base)?;
    let sum = digits.bytes().map(|digit| match digit {
        b'0'..=b'9' => u64::from(digit - b'0'),
        _ => u64::from(digit.to_ascii_lowercase() - b'a') + 10,
    });
    Ok(Int::from(sum.sum::<u64>()))
}
