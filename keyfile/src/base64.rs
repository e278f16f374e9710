//! Base64 of RFC 4648 by tables: four characters at a time, one at a time around blanks.

use crate::batch::{Fault, Kind, Parsed};

/// The entry of a character that is no digit.
const NONE: u8 = 0xff;

/// The values of digits, by character.
pub(crate) type Alphabet = [u8; 256];

/// Digits with + and /.
pub(crate) static STANDARD: Alphabet = alphabet(b'+', b'/');
/// Digits with - and _, as in JSON Web Keys.
pub(crate) static URL: Alphabet = alphabet(b'-', b'_');

const fn alphabet(plus: u8, slash: u8) -> Alphabet {
    let mut table = [NONE; 256];
    let mut i = 0;
    while i < 26 {
        table[(b'A' + i) as usize] = i;
        table[(b'a' + i) as usize] = 26 + i;
        i += 1;
    }
    i = 0;
    while i < 10 {
        table[(b'0' + i) as usize] = 52 + i;
        i += 1;
    }
    table[plus as usize] = 62;
    table[slash as usize] = 63;
    table
}

fn wrong(words: &'static str) -> Fault {
    Fault::new(Kind::NotBase64, words)
}

/// Bytes from base64. Blanks do not count, and padding may be missing.
pub(crate) fn decode(text: &[u8], alphabet: &Alphabet) -> Parsed<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut rest = text;
    // Bits that do not fill a byte yet, and how many there are.
    let (mut bits, mut held, mut padding) = (0u32, 0, 0);
    loop {
        if held == 0 && padding == 0 {
            while let Some((group, after)) = rest.split_first_chunk::<4>() {
                let [a, b, c, d] = group.map(|digit| alphabet[usize::from(digit)]);
                // Values are below 64, and no digit is 255.
                if (a | b | c | d) & 0xc0 != 0 {
                    break;
                }
                let word = [a, b, c, d].iter().fold(0, |w, v| w << 6 | u32::from(*v));
                bytes.extend_from_slice(&word.to_be_bytes()[1..]);
                rest = after;
            }
        }
        let Some((digit, after)) = rest.split_first() else {
            break;
        };
        rest = after;
        match (*digit, alphabet[usize::from(*digit)]) {
            (b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, _) => {}
            (b'=', _) => padding += 1,
            (_, NONE) => return Err(wrong("it is not base64")),
            _ if padding > 0 => return Err(wrong("it is not base64: it goes on after its end")),
            (_, value) => {
                bits = bits << 6 | u32::from(value);
                held += 6;
                if held >= 8 {
                    held -= 8;
                    bytes.push((bits >> held) as u8);
                }
                if held == 0 {
                    bits = 0;
                }
            }
        }
    }
    // 0, 2 or 4 bits are left over, which with padding makes whole groups of four.
    if held == 6 || padding > 2 {
        return Err(Fault::new(
            Kind::Cut,
            "it is not base64: its end is missing",
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standard(text: &str) -> Parsed<Vec<u8>> {
        decode(text.as_bytes(), &STANDARD)
    }

    #[test]
    fn base64_is_read() {
        assert_eq!(
            standard("TWFu TWE=\nTQ").unwrap_err().words,
            "it is not base64: it goes on after its end"
        );
        assert_eq!(standard("TWFu\nTWE=").unwrap(), b"ManMa");
        assert_eq!(standard("T WF\nuTWE=").unwrap(), b"ManMa");
        assert_eq!(standard("TQ").unwrap(), b"M");
        assert_eq!(standard("").unwrap(), b"");
        for bad in ["T", "TWFuT", "TW-u", "TWFu====", "é"] {
            assert!(standard(bad).is_err(), "{bad}");
        }
        assert_eq!(decode(b"-_-_", &URL).unwrap(), [0xfb, 0xff, 0xbf]);
        assert_eq!(standard("+/+/").unwrap(), [0xfb, 0xff, 0xbf]);
        assert!(decode(b"+/+/", &URL).is_err());
    }

    /// The digits of a number in radix 64 by arithmetic on one long bit string.
    #[test]
    fn agrees_with_bits_one_by_one() {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for len in 0..100 {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 37 + len * 11) as u8).collect();
            let bit = |i: usize| bytes.get(i / 8).is_some_and(|b| b >> (7 - i % 8) & 1 == 1);
            let count = (8 * bytes.len()).div_ceil(6);
            let digit = |i: usize| (0..6).fold(0, |d, j| d << 1 | usize::from(bit(6 * i + j)));
            let text: Vec<u8> = (0..count).map(|i| digits[digit(i)]).collect();
            assert_eq!(decode(&text, &STANDARD).unwrap(), bytes);
            let lines: Vec<&[u8]> = text.chunks(13).collect();
            assert_eq!(decode(&lines.join(&b"\r\n"[..]), &STANDARD).unwrap(), bytes);
        }
    }
}
