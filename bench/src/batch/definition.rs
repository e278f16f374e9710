//! Some of the CPU engine's rows against the definitions of the operations, whose answers all other
//! contenders are then compared with.

use bezout::{Batch, Engine, Int, Result};

use super::{Operands, TIMES, Work};
use crate::{plain, proof, residue};

/// Rows that are checked: the first, the last, and some between.
const ROWS: usize = 4;

/// Whether `found` has the right numbers in the rows that are checked.
pub fn holds(work: Work, operands: &Operands, found: &Batch) -> Result<bool> {
    let rows = found.try_limbs()?.len() / found.width();
    let last = rows.saturating_sub(1);
    Engine::Cpu.scope(|| {
        for k in 0..ROWS {
            if !row_holds(work, operands, found, k * last / (ROWS - 1))? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

fn row_holds(work: Work, operands: &Operands, found: &Batch, row: usize) -> Result<bool> {
    let Operands { a, b, n, short } = operands;
    let limbs = |batch: &Batch| {
        let start = row * batch.width();
        Ok::<_, bezout::Error>(batch.try_limbs()?[start..start + batch.width()].to_vec())
    };
    let number = |batch: &Batch| Ok::<_, bezout::Error>(Int::from_limbs(limbs(batch)?));
    let given = number(found)?;
    match work {
        Work::Mul => {
            let wanted = residue::mul(residue::of(&number(a)?)?, residue::of(&number(b)?)?);
            Ok(residue::of(&given)? == wanted)
        }
        Work::MulInRegisters => {
            let (mut x, b) = (limbs(a)?, limbs(b)?);
            for _ in 0..TIMES {
                x = mul_low(&x, &b);
            }
            Ok(x == limbs(found)?)
        }
        Work::DivRem => proof::is_remainder(&number(a)?, &number(n)?, &given),
        Work::Sqrt => is_sqrt(&number(a)?, &given),
        Work::Gcd => proof::is_gcd(&number(a)?, &number(b)?, &given),
        Work::Inverse => is_inverse(&number(a)?, &number(n)?, &given),
        Work::Power => Ok(power(&number(a)?, &number(b)?, &number(n)?) == given),
        Work::PowerShort => Ok(power(&number(a)?, &number(short)?, &number(n)?) == given),
        // Among random numbers Fermat's test errs too seldom to be met.
        Work::Prime => {
            let n = number(n)?;
            let passes = power(&Int::from(2), &(&n - 1), &n) == 1;
            Ok(given == u8::from(passes))
        }
    }
}

/// The low half of a product of two rows, by the schoolbook.
fn mul_low(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0u64; a.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (sum, y) in product[i..].iter_mut().zip(b) {
            carry += u128::from(*x) * u128::from(*y) + u128::from(*sum);
            *sum = carry as u64;
            carry >>= 64;
        }
    }
    product
}

/// Whether s² ≤ a ≤ s² + 2s.
fn is_sqrt(a: &Int, s: &Int) -> Result<bool> {
    let rest = a - s.square();
    let square = residue::mul(residue::of(s)?, residue::of(s)?);
    Ok(!rest.is_negative()
        && plain::compare(rest.limbs(), (s * 2).limbs()).is_le()
        && residue::add(square, residue::of(&rest)?) == residue::of(a)?)
}

/// Whether x is the inverse of a modulo n, or 0 where there is none.
fn is_inverse(a: &Int, n: &Int, x: &Int) -> Result<bool> {
    if x.is_zero() {
        let common = a.try_gcd(n)?;
        return Ok(common > 1 && proof::divides(&common, a)? && proof::divides(&common, n)?);
    }
    Ok(x < n && proof::is_remainder(&(x * a), n, &Int::ONE)?)
}

/// base^exponent modulo n, by squares and products that are divided one by one.
fn power(base: &Int, exponent: &Int, n: &Int) -> Int {
    let mut power = Int::ONE % n;
    for i in (0..exponent.bit_length()).rev() {
        power = power.square() % n;
        if exponent.bit(i) {
            power = power * base % n;
        }
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_rows_hold_and_wrong_ones_do_not() {
        for bits in [64, 1024] {
            let operands = Operands::new(6, bits).unwrap();
            for work in super::super::ALL {
                if !work.sizes().contains(&bits) {
                    continue;
                }
                let found = Engine::Cpu.scope(|| operands.apply(work, 6)).unwrap();
                let what = format!("{} of {bits} bits", work.name());
                assert!(holds(work, &operands, &found).unwrap(), "{what}");
                let mut limbs = found.try_limbs().unwrap().to_vec();
                limbs[0] ^= 1;
                let wrong = Batch::from_limbs(limbs, found.width()).unwrap();
                assert!(!holds(work, &operands, &wrong).unwrap(), "{what}");
            }
        }
    }
}
