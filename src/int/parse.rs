//! Text to number. Radixes that are powers of two take linear time; the others are the work of
//! `radix`.

use std::str::FromStr;

use crate::number::Natural;

use super::Int;
use crate::error::{Error, Result};
use crate::tuning::Tuning;
use crate::{div, memory, progress, radix};

/// What each byte stands for as a digit, in either case; `NOT_A_DIGIT` for all others.
const DIGITS: [u8; 256] = {
    let mut table = [NOT_A_DIGIT; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            digit @ b'0'..=b'9' => digit - b'0',
            letter @ b'a'..=b'z' => letter - b'a' + 10,
            letter @ b'A'..=b'Z' => letter - b'A' + 10,
            _ => NOT_A_DIGIT,
        };
        byte += 1;
    }
    table
};

const NOT_A_DIGIT: u8 = 255;

/// Characters between two checks whether to stop.
const BETWEEN_CHECKS: usize = 1 << 22;

/// Digits of texts that need no memory to be read: those of numbers of up to 850 bits.
const SHORT_TEXT: usize = 256;

/// Digits to a limb, by which a short number is told from a long one.
const SHORT_DIGITS: usize = 19;

/// Decimal, or hexadecimal, octal or binary after `0x`, `0o` or `0b`; with an optional sign first,
/// and with single underscores between digits.
///
/// ```
/// use bezout::{Error, Int};
/// assert_eq!("-0xff_ff".parse::<Int>()?, -65535);
/// assert_eq!(
///     "12x4".parse::<Int>(),
///     Err(Error::Parse { position: 2, reason: "'x' is not a decimal digit".into() }),
/// );
/// # Ok::<(), Error>(())
/// ```
impl FromStr for Int {
    type Err = Error;

    fn from_str(text: &str) -> Result<Int> {
        let (negative, start) = sign(text);
        let (radix, prefix) = match &text.as_bytes()[start..] {
            [b'0', b'x' | b'X', ..] => (16, 2),
            [b'0', b'o' | b'O', ..] => (8, 2),
            [b'0', b'b' | b'B', ..] => (2, 2),
            _ => (10, 0),
        };
        parse(text, start + prefix, radix, negative)
    }
}

impl Int {
    /// Digits in `radix`, 2 to 36, in either case, with an optional sign first and with single
    /// underscores between digits.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from_str_radix("-Zz", 36)?, -1295);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn from_str_radix(text: &str, radix: u32) -> Result<Int> {
        check_radix(radix)?;
        let (negative, start) = sign(text);
        parse(text, start, radix, negative)
    }
}

/// Refuses a radix outside 2 to 36.
pub(super) fn check_radix(radix: u32) -> Result<()> {
    match radix {
        2..=36 => Ok(()),
        _ => Err(Error::Radix(radix)),
    }
}

/// Whether the text begins with a minus, and where its digits or prefix begin.
fn sign(text: &str) -> (bool, usize) {
    match text.as_bytes().first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    }
}

/// The number whose digits are `text` from byte `start` on.
fn parse(text: &str, start: usize, radix: u32, negative: bool) -> Result<Int> {
    let digits = &text[start..];
    let is_plain = is_plain(digits.as_bytes(), radix);
    if is_plain && digits.len() <= SHORT_TEXT {
        let mut values = [0; SHORT_TEXT];
        let values = &mut values[..digits.len()];
        for (value, byte) in values.iter_mut().zip(digits.bytes()) {
            *value = byte - b'0';
        }
        let magnitude = Natural::from_digits(values, radix);
        return Ok(Int::from_sign_and_magnitude(negative, magnitude));
    }
    if !is_plain {
        check(text, start, radix)?;
    }
    memory::check_copies("the number", 8 * digits.len() as u128, 2)?;
    if radix.is_power_of_two() {
        let limbs = power_of_two(digits.as_bytes(), radix.ilog2())?;
        let magnitude = Natural::from_vec(limbs);
        return Ok(Int::from_sign_and_magnitude(negative, magnitude));
    }
    let is_long = digits.len() > SHORT_DIGITS * Tuning::in_force().radix_limbs;
    let magnitude = if is_plain && is_long {
        radix::from_digits(digits.as_bytes(), b'0', radix)?
    } else {
        let values: Vec<u8> = if is_plain {
            digits.bytes().map(|byte| byte - b'0').collect()
        } else {
            digits
                .bytes()
                .filter(|byte| *byte != b'_')
                .map(|byte| DIGITS[usize::from(byte)])
                .collect()
        };
        if !is_long {
            let magnitude = Natural::from_digits(&values, radix);
            return Ok(Int::from_sign_and_magnitude(negative, magnitude));
        }
        radix::from_digits(&values, 0, radix)?
    };
    Ok(Int::from(div::signed(
        magnitude,
        if negative { -1 } else { 1 },
    )?))
}

/// Whether these are digits from 0 to 9 alone, at least one, in a radix up to ten. Most numbers
/// are, and a loop without exits tells so several bytes at a time.
fn is_plain(digits: &[u8], radix: u32) -> bool {
    let least = radix.min(10) as u8;
    let beyond = |byte: u8| u8::from(byte.wrapping_sub(b'0') >= least);
    let strays = digits.iter().fold(0, |strays, byte| strays | beyond(*byte));
    strays == 0 && radix <= 10 && !digits.is_empty()
}

/// Checks every character from byte `start` on.
fn check(text: &str, start: usize, radix: u32) -> Result<()> {
    let bytes = text.as_bytes();
    let error = |position, reason| Err(Error::Parse { position, reason });
    if start == bytes.len() {
        let reason = match bytes {
            [] => "nothing there, a number was expected",
            [_] => "a sign alone, digits were expected after it",
            _ => "a prefix alone, digits were expected after it",
        };
        return error(start, reason.into());
    }
    // Whether the character before was a digit.
    let mut after_digit = false;
    for (position, byte) in bytes.iter().enumerate().skip(start) {
        if position.is_multiple_of(BETWEEN_CHECKS) {
            progress::check()?;
        }
        if u32::from(DIGITS[usize::from(*byte)]) < radix {
            after_digit = true;
        } else if *byte == b'_' && after_digit {
            after_digit = false;
        } else {
            return error(position, stray(&text[position..], radix));
        }
    }
    if !after_digit {
        return error(bytes.len() - 1, stray("_", radix));
    }
    Ok(())
}

/// Why the first character of `rest` cannot stand where it does.
fn stray(rest: &str, radix: u32) -> String {
    let character = rest.chars().next().unwrap_or_default();
    match (character, radix) {
        ('_', _) => "'_' must stand between two digits".into(),
        (_, 10) => format!("{character:?} is not a decimal digit"),
        (_, 16) => format!("{character:?} is not a hexadecimal digit"),
        _ => format!("{character:?} is not a digit in radix {radix}"),
    }
}

/// Limbs of checked digits of `width` bits each, most significant first; underscores are passed
/// over.
fn power_of_two(digits: &[u8], width: u32) -> Result<Vec<u64>> {
    let most = digits.len() / 64 * width as usize + width as usize;
    let mut limbs = memory::room("the number", most)?;
    let (mut limb, mut filled) = (0, 0);
    for block in digits.rchunks(BETWEEN_CHECKS) {
        progress::check()?;
        for byte in block.iter().rev().filter(|byte| **byte != b'_') {
            let digit = u64::from(DIGITS[usize::from(*byte)]);
            limb |= digit << filled;
            filled += width;
            if filled >= 64 {
                limbs.push(limb);
                filled -= 64;
                // The bits that did not fit: none when the digit ended with the limb.
                limb = digit >> (width - filled);
            }
        }
    }
    limbs.push(limb);
    Ok(limbs)
}
