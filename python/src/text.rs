//! Text: literals as Python's int reads them, digits in gmpy2's bases, and `format`.

use std::borrow::Cow;

use bezout::{Error, Int, memory};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::border;

/// Digits of bases above 36, as in GMP: capitals come first.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A literal without its sign, prefix and underscores.
struct Literal<'a> {
    negative: bool,
    base: u32,
    digits: Cow<'a, str>,
}

/// The number that a literal stands for. White space around it and single underscores between
/// digits are allowed as in Python; base 0 goes by the prefix, 10 where there is none.
pub(crate) fn parse(py: Python<'_>, text: &str, base: u32) -> PyResult<Int> {
    if base == 1 || base > 62 {
        return Err(PyValueError::new_err(
            "base for mpz() must be 0 or in the interval [2, 62]",
        ));
    }
    let refusal = || {
        let shown: String = text.chars().take(200).collect();
        PyValueError::new_err(format!(
            "invalid literal for mpz() with base {base}: '{shown}'"
        ))
    };
    let Literal {
        negative,
        base,
        digits,
    } = literal(text, base)
        .map_err(border::exception)?
        .ok_or_else(refusal)?;
    let effort = border::product(digits.len() as u64 * 4);
    let parsed = border::run(py, effort, || match base {
        ..=36 => Int::from_str_radix(&digits, base)
            .map(Some)
            .or_else(|error| match error {
                Error::Parse { .. } => Ok(None),
                other => Err(other),
            }),
        _ => from_digits(digits.as_bytes(), base),
    })?;
    let magnitude = parsed.ok_or_else(refusal)?;
    Ok(if negative { -magnitude } else { magnitude })
}

/// Takes a literal apart; none if it is malformed. The digits are not looked at.
fn literal(text: &str, base: u32) -> Result<Option<Literal<'_>>, Error> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let (negative, rest) = match text.as_bytes().first() {
        None => return Ok(None),
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        Some(_) => (false, text),
    };
    let prefixed = match rest.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ => 0,
    };
    let (base, digits) = match prefixed {
        // After a prefix there may be an underscore.
        2.. if base == 0 || base == prefixed => {
            let digits = &rest[2..];
            (prefixed, digits.strip_prefix('_').unwrap_or(digits))
        }
        _ => (if base == 0 { 10 } else { base }, rest),
    };
    let has_underscore = digits.contains('_');
    let misplaced = has_underscore
        && (digits.starts_with('_') || digits.ends_with('_') || digits.contains("__"));
    // The library looks at the digits, and would take one more sign.
    if misplaced || digits.starts_with(['+', '-']) {
        return Ok(None);
    }
    let digits = if has_underscore {
        let mut kept = memory::room::<u8>("the digits", digits.len())?;
        kept.extend(digits.bytes().filter(|c| *c != b'_'));
        let kept = String::from_utf8(kept);
        Cow::Owned(kept.map_err(|error| Error::Domain(error.to_string()))?)
    } else {
        Cow::Borrowed(digits)
    };
    Ok((!digits.is_empty()).then_some(Literal {
        negative,
        base,
        digits,
    }))
}

/// A number in a base above 36, most significant digit first; none where a digit is none.
fn from_digits(digits: &[u8], base: u32) -> Result<Option<Int>, Error> {
    if let [digit] = *digits {
        let place = DIGITS[..base as usize].iter().position(|c| *c == digit);
        return Ok(place.map(|value| Int::from(value as u64)));
    }
    let (high, low) = digits.split_at(digits.len() / 2);
    let power = Int::from(base).try_pow(low.len() as u64)?;
    match (from_digits(high, base)?, from_digits(low, base)?) {
        (Some(high), Some(low)) => high.try_mul(&power)?.try_add(&low).map(Some),
        _ => Ok(None),
    }
}

/// Digits in a base from 2 to 62, after a minus if negative.
pub(crate) fn digits(py: Python<'_>, value: &Int, base: u32) -> PyResult<String> {
    if !(2..=62).contains(&base) {
        return Err(PyValueError::new_err(
            "base must be in the interval 2 ... 62",
        ));
    }
    border::run(py, border::product(border::bits(value)), || match base {
        ..=36 => value.try_to_string_radix(base),
        _ => {
            // An upper bound: a digit of these bases has more than five bits.
            let places = (value.try_bit_length()? / 5 + 1).next_power_of_two();
            let most = usize::try_from(places).unwrap_or(usize::MAX);
            let mut text = memory::room("the digits", most.saturating_add(1))?;
            if value.try_is_negative()? {
                text.push(b'-');
            }
            let mut powers = vec![Int::from(base)];
            while 1 << powers.len() < places {
                powers.push(powers[powers.len() - 1].try_square()?);
            }
            let start = text.len();
            to_digits(&value.try_abs()?, &powers, &mut text)?;
            let zeros = text[start..].iter().take_while(|c| **c == b'0').count();
            text.drain(start..start + zeros.min(text.len() - start - 1));
            String::from_utf8(text).map_err(|error| Error::Domain(error.to_string()))
        }
    })
}

/// [`digits`], with capitals for bases from −36 to −2.
pub(crate) fn digits_in(py: Python<'_>, value: &Int, base: i32) -> PyResult<String> {
    match base {
        -36..=-2 => Ok(digits(py, value, base.unsigned_abs())?.to_ascii_uppercase()),
        // No base is 0, so that a negative one is refused too.
        _ => digits(py, value, u32::try_from(base).unwrap_or(0)),
    }
}

/// The 2^k digits of a value below base^(2^k), of which `powers` has base^(2^i) for i < k.
fn to_digits(value: &Int, powers: &[Int], text: &mut Vec<u8>) -> Result<(), Error> {
    let Some((half, lower)) = powers.split_last() else {
        let digit = u64::try_from(value).unwrap_or_default();
        text.push(DIGITS[digit as usize]);
        return Ok(());
    };
    if value.try_is_zero()? {
        text.resize(text.len() + (1 << powers.len()), b'0');
        return Ok(());
    }
    let (high, low) = value.try_div_rem(half)?;
    to_digits(&high, lower, text)?;
    to_digits(&low, lower, text)
}

/// A format specification for whole numbers; see Python's "Format Specification Mini-Language".
pub(crate) struct Format {
    fill: char,
    align: char,
    sign: char,
    alternate: bool,
    width: usize,
    grouping: Option<char>,
    kind: char,
}

impl Format {
    /// The specification that this text is; none where it is wrong, or not for whole numbers, or
    /// goes by the locale.
    pub(crate) fn parse(text: &str) -> Option<Format> {
        let mut rest: Vec<char> = text.chars().collect();
        let is_align = |c: Option<&char>| matches!(c, Some('<' | '>' | '=' | '^'));
        let (mut fill, mut align) = (' ', '>');
        let (mut is_filled, mut is_aligned) = (false, true);
        if is_align(rest.get(1)) {
            (fill, align, is_filled) = (rest[0], rest[1], true);
            rest.drain(..2);
        } else if is_align(rest.first()) {
            align = rest.remove(0);
        } else {
            is_aligned = false;
        }
        let mut take = |wanted: &[char]| {
            let found = rest.first().copied().filter(|c| wanted.contains(c));
            if found.is_some() {
                rest.remove(0);
            }
            found
        };
        let sign = take(&['+', '-', ' ']).unwrap_or('-');
        let alternate = take(&['#']).is_some();
        if !is_filled && take(&['0']).is_some() {
            fill = '0';
            align = if is_aligned { align } else { '=' };
        }
        let mut width = 0usize;
        while let Some(digit) = take(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
            width = width
                .checked_mul(10)?
                .checked_add(digit.to_digit(10)? as usize)?;
        }
        let grouping = take(&[',', '_']);
        let kind = take(&['b', 'd', 'o', 'x', 'X']).unwrap_or('d');
        let is_wrong = !rest.is_empty() || (grouping == Some(',') && kind != 'd');
        (!is_wrong).then_some(Format {
            fill,
            align,
            sign,
            alternate,
            width,
            grouping,
            kind,
        })
    }

    /// The base of the digits.
    pub(crate) fn base(&self) -> u32 {
        match self.kind {
            'b' => 2,
            'o' => 8,
            'd' => 10,
            _ => 16,
        }
    }

    /// Lays digits out, which may have a minus in front. The width may be more than fits in memory.
    pub(crate) fn apply(&self, text: &str) -> Result<String, Error> {
        let characters = self.width as u128 + 2 * text.len() as u128;
        memory::check("the text", 8 * characters * self.fill.len_utf8() as u128)?;
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let mut head = String::new();
        match (negative, self.sign) {
            (true, _) => head.push('-'),
            (false, '-') => {}
            (false, sign) => head.push(sign),
        }
        if self.alternate && self.kind != 'd' {
            head.extend(['0', self.kind]);
        }
        let mut digits = match self.kind {
            'X' => digits.to_uppercase(),
            _ => digits.to_string(),
        };
        let group = if self.kind == 'd' { 3 } else { 4 };
        if let Some(separator) = self.grouping {
            // Zeros that fill up are grouped with the digits, and never begin with a separator.
            let room = match (self.fill, self.align) {
                ('0', '=') => self.width.saturating_sub(head.len()),
                _ => 0,
            };
            let mut least = room - room / (group + 1);
            while least > 0 && least + (least - 1) / group < room {
                least += 1;
            }
            if digits.len() < least {
                digits = "0".repeat(least - digits.len()) + &digits;
            }
            digits = grouped(&digits, group, separator);
        }
        let missing = self.width.saturating_sub(head.len() + digits.len());
        let fill = |count: usize| self.fill.to_string().repeat(count);
        Ok(match self.align {
            '<' => head + &digits + &fill(missing),
            '^' => fill(missing / 2) + &head + &digits + &fill(missing - missing / 2),
            '=' => head + &fill(missing) + &digits,
            _ => fill(missing) + &head + &digits,
        })
    }
}

/// Digits with a separator between groups.
fn grouped(digits: &str, group: usize, separator: char) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / group);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(group) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}
