//! Numbers from text: hexadecimal eight digits at a time, decimal nineteen at a time.

use crate::batch::{Fault, Kind, Parsed, Value};

/// Decimal numbers of more digits are left to the caller: the conversion here is quadratic.
const DECIMAL_DIGITS: usize = 20_000;

/// A byte in each of the eight places of a word.
const fn each(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

/// How a number without a prefix is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Radix {
    /// Decimal, unless a letter is among the digits.
    Guess,
    Decimal,
    Hex,
}

fn not_a_number(words: &'static str) -> Fault {
    Fault::new(Kind::NotNumber, words)
}

/// A number: decimal, hexadecimal, `0x…`, or what `openssl rsa -modulus` prints. Underscores
/// between digits do not count.
pub(crate) fn parse(text: &[u8], radix: Radix) -> Parsed<Value> {
    let (is_negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (digits, is_hex) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (rest, true),
        [b'M', b'o', b'd', b'u', b'l', b'u', b's', b'=', rest @ ..] => (rest, true),
        _ if radix == Radix::Guess => {
            let is_decimal = text.iter().all(|c| c.is_ascii_digit() || *c == b'_');
            (text, !is_decimal)
        }
        _ => (text, radix == Radix::Hex),
    };
    let value = match plain(digits, is_hex) {
        Some(value) => value,
        None if digits.is_empty() => return Err(not_a_number("the number has no digits")),
        None => {
            let is_between = |i: usize| i > 0 && i + 1 < digits.len() && digits[i - 1] != b'_';
            let (mut compact, mut is_good) = (Vec::with_capacity(digits.len()), true);
            for (i, digit) in digits.iter().enumerate() {
                if *digit != b'_' {
                    compact.push(*digit);
                } else {
                    is_good &= is_between(i);
                }
            }
            let value = plain(&compact, is_hex).filter(|_| is_good);
            value.ok_or_else(|| not_a_number("it is not a number"))?
        }
    };
    if is_negative {
        return Err(Fault::new(Kind::TooSmall, "a modulus is not negative"));
    }
    Ok(value)
}

/// The value of digits alone, at least one.
fn plain(digits: &[u8], is_hex: bool) -> Option<Value> {
    if digits.is_empty() {
        None
    } else if is_hex {
        hexadecimal(digits).map(Value::Limbs)
    } else {
        decimal(digits)
    }
}

/// The limbs of hexadecimal digits; none where another character is among them.
pub(crate) fn hexadecimal(digits: &[u8]) -> Option<Vec<u64>> {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let digits = &digits[zeros..];
    let (top, chunks) = digits.as_rchunks::<16>();
    let mut limbs = Vec::with_capacity(chunks.len() + 1);
    let mut bad = 0;
    for chunk in chunks.iter().rev() {
        limbs.push(sixteen(chunk, &mut bad));
    }
    if !top.is_empty() {
        let mut padded = [b'0'; 16];
        padded[16 - top.len()..].copy_from_slice(top);
        limbs.push(sixteen(&padded, &mut bad));
    }
    (bad == 0).then_some(limbs)
}

/// The value of sixteen hexadecimal digits. `bad` gets a bit where a byte is no digit.
#[inline]
fn sixteen(digits: &[u8; 16], bad: &mut u64) -> u64 {
    let digits = u128::from_be_bytes(*digits);
    eight((digits >> 64) as u64, bad) << 32 | eight(digits as u64, bad)
}

/// The value of eight hexadecimal digits, the first in the top byte. `bad` gets a bit where a byte
/// is no digit.
///
/// Bit 6 tells letters from digits. With letters folded to lower case the high half of a byte must
/// be 3 for a digit and 6 for a letter. Its value v, the low half plus 9 for a letter, is below 16,
/// and v + 6 reaches 16 for the letters alone. No sum leaves its byte.
#[inline]
fn eight(word: u64, bad: &mut u64) -> u64 {
    let letter = word & each(0x40);
    let folded = word | letter >> 1;
    *bad |= (folded & each(0xf0)) ^ (each(0x30) + (letter >> 6) * 0x30);
    let v = (word & each(0x0f)) + (letter >> 6) * 9;
    *bad |= v & each(0xf0);
    *bad |= ((v + each(6)) & each(0xf0)) ^ letter >> 2;
    let v = (v | v >> 4) & 0x00ff_00ff_00ff_00ff;
    let v = (v | v >> 8) & 0x0000_ffff_0000_ffff;
    (v | v >> 16) & 0xffff_ffff
}

fn decimal(digits: &[u8]) -> Option<Value> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let digits = &digits[zeros..];
    if digits.len() > DECIMAL_DIGITS {
        let text = String::from_utf8(digits.to_vec()).ok()?;
        return Some(Value::Decimal(text.into()));
    }
    let (first, chunks) = digits.as_rchunks::<19>();
    let mut limbs: Vec<u64> = Vec::with_capacity(digits.len() / 19 + 1);
    for chunk in std::iter::once(first).chain(chunks.iter().map(|chunk| &chunk[..])) {
        let value = chunk.iter().fold(0, |v, c| 10 * v + u64::from(c - b'0'));
        // limbs · 10^19 + value. The sum of a product of two limbs and a limb fits two limbs.
        let mut carry = value;
        for limb in &mut limbs {
            let sum = u128::from(*limb) * 10_000_000_000_000_000_000 + u128::from(carry);
            (*limb, carry) = (sum as u64, (sum >> 64) as u64);
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    Some(Value::Limbs(limbs))
}

/// The limbs of bytes, most significant byte first.
pub(crate) fn from_be_bytes(bytes: &[u8]) -> Value {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let (top, chunks) = bytes[zeros..].as_rchunks::<8>();
    let limbs = chunks.iter().rev().map(|chunk| u64::from_be_bytes(*chunk));
    let mut limbs: Vec<u64> = limbs.collect();
    if !top.is_empty() {
        limbs.push(
            top.iter()
                .fold(0, |limb, byte| limb << 8 | u64::from(*byte)),
        );
    }
    Value::Limbs(limbs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_in_every_place_of_hexadecimal() {
        for place in 0..20 {
            for byte in 0..=255u8 {
                let mut digits = *b"123456789abcdefABCDE";
                digits[place] = byte;
                let value = hexadecimal(&digits);
                assert_eq!(value.is_some(), byte.is_ascii_hexdigit(), "{byte} {place}");
                let text = str::from_utf8(&digits);
                let oracle = text.ok().and_then(|t| u128::from_str_radix(t, 16).ok());
                // 20 digits are 80 bits.
                let expected = oracle.filter(|_| value.is_some()).map(|n| {
                    let limbs = [n as u64, (n >> 64) as u64];
                    limbs[..if limbs[1] == 0 { 1 } else { 2 }].to_vec()
                });
                assert_eq!(value, expected);
            }
        }
    }

    #[test]
    fn decimal_numbers_agree_with_hexadecimal_ones() {
        for i in 0..40 {
            let n = u128::MAX / 7u128.pow(i);
            let (hex, text) = (format!("{n:x}"), format!("000{n}"));
            let hex = parse(hex.as_bytes(), Radix::Hex).unwrap();
            assert_eq!(parse(text.as_bytes(), Radix::Guess).unwrap(), hex);
            assert_eq!(parse(text.as_bytes(), Radix::Decimal).unwrap(), hex);
        }
        // 2^(64·k) from 10^(19·k) downwards: the powers of ten by repeated products.
        let long = [&b"1"[..], &[b'0'; 100]].concat();
        let Some(Value::Limbs(mut limbs)) = decimal(&long) else {
            panic!("100 digits are few");
        };
        for _ in 0..100 {
            let mut rest = 0;
            for limb in limbs.iter_mut().rev() {
                let wide = u128::from(rest) << 64 | u128::from(*limb);
                (*limb, rest) = ((wide / 10) as u64, (wide % 10) as u64);
            }
            assert_eq!(rest, 0);
        }
        assert_eq!(limbs.iter().sum::<u64>(), 1);
    }

    #[test]
    fn prefixes_signs_and_underscores() {
        let value = |text: &str| parse(text.as_bytes(), Radix::Guess);
        for text in ["255", "0xff", "FF", "Modulus=fF", "2_55", "0Xf_f", "+255"] {
            assert_eq!(value(text).unwrap(), Value::Limbs(vec![255]), "{text}");
        }
        for text in [
            "", "0x", "-", "x", "1_", "_1", "1__1", "fg", "Modulus=", "1x",
        ] {
            assert_eq!(value(text).unwrap_err().kind, Kind::NotNumber, "{text}");
        }
        assert_eq!(value("-15").unwrap_err().kind, Kind::TooSmall);
        assert_eq!(value("0").unwrap(), Value::Limbs(vec![]));
        assert_eq!(parse(b"15", Radix::Hex).unwrap(), Value::Limbs(vec![0x15]));
        assert!(parse(b"ff", Radix::Decimal).is_err());
    }
}
