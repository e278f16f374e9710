//! Exponents in the text of a polynomial.
//!
//! ```text
//!   exponent = number | "(" sum ")"
//!   sum      = product { ("+" | "-") product }
//!   product  = power { "*" power }
//!   power    = ["+" | "-"] (number | "(" sum ")") [("^" | "**") power]
//! ```
//! Powers of numbers bind from the right: (2^3^2) is 2^9. Everything is a whole number below 2^63
//! in absolute value.

use super::parse::Cursor;
use crate::error::Result;

/// Reads an exponent, which must not be negative.
pub(super) fn read(cursor: &mut Cursor) -> Result<u64> {
    let at = cursor.at;
    let found = atom(cursor)?;
    match u64::try_from(found) {
        Ok(exponent) => Ok(exponent),
        Err(_) => cursor.error(at, format!("the exponent {found} is negative")),
    }
}

fn too_large<T>(cursor: &Cursor, at: usize) -> Result<T> {
    cursor.error(at, "the exponent is out of range: it must be below 2^63")
}

fn atom(cursor: &mut Cursor) -> Result<i64> {
    let at = cursor.at;
    if let Some((radix, digits)) = cursor.digits()? {
        let step = |number: i64, digit: &u8| {
            let shifted = number.checked_mul(radix.into())?;
            shifted.checked_add((*digit).into())
        };
        return match digits.iter().try_fold(0, step) {
            Some(number) => Ok(number),
            None => too_large(cursor, at),
        };
    }
    if !cursor.take("(") {
        return cursor.unexpected("an exponent (a number, or '(' and an expression of numbers)");
    }
    cursor.enter(at)?;
    let found = sum(cursor)?;
    cursor.leave(at)?;
    Ok(found)
}

fn sum(cursor: &mut Cursor) -> Result<i64> {
    let mut found = product(cursor)?;
    loop {
        let at = cursor.at;
        let next = if cursor.take("+") {
            found.checked_add(product(cursor)?)
        } else if cursor.take_minus() {
            found.checked_sub(product(cursor)?)
        } else {
            return Ok(found);
        };
        found = match next {
            Some(next) => next,
            None => return too_large(cursor, at),
        };
    }
}

/// Leaves the cursor after the blanks that follow.
fn product(cursor: &mut Cursor) -> Result<i64> {
    let mut found = power(cursor)?;
    loop {
        let at = cursor.at;
        if !cursor.take_times() {
            return Ok(found);
        }
        found = match found.checked_mul(power(cursor)?) {
            Some(next) => next,
            None => return too_large(cursor, at),
        };
    }
}

/// Leaves the cursor after the blanks that follow.
fn power(cursor: &mut Cursor) -> Result<i64> {
    cursor.skip_blanks();
    let negative = cursor.take_minus();
    if !negative {
        cursor.take("+");
    }
    cursor.skip_blanks();
    let mut found = atom(cursor)?;
    cursor.skip_blanks();
    let at = cursor.at;
    if cursor.take_power() {
        // A chain of powers is as deep as parentheses are.
        cursor.enter(at)?;
        let exponent = power(cursor)?;
        cursor.close();
        let power = match u32::try_from(exponent) {
            Ok(exponent) => found.checked_pow(exponent),
            Err(_) => None,
        };
        found = match power {
            Some(power) => power,
            None => return too_large(cursor, at),
        };
    }
    if !negative {
        return Ok(found);
    }
    match found.checked_neg() {
        Some(found) => Ok(found),
        None => too_large(cursor, at),
    }
}
