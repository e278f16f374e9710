//! Digits in a radix from 2 to 36, of numbers short enough for algorithms of quadratic cost.

use super::div::div_rem_word;
use super::row::mul_word_assign;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The digits of a radix that fit one limb, and the radix to their number.
fn chunk(radix: u32) -> (usize, u64) {
    let radix = u64::from(radix);
    let mut chunk = (1, radix);
    while let Some(power) = chunk.1.checked_mul(radix) {
        chunk = (chunk.0 + 1, power);
    }
    chunk
}

/// Appends the digits of a, without leading zeros; 0 has one digit.
pub(crate) fn to_text(text: &mut Vec<u8>, a: &[u64], radix: u32) {
    assert!((2..=36).contains(&radix));
    let start = text.len();
    let (digits, power) = chunk(radix);
    let mut rest = super::trimmed(a).to_vec();
    let mut quotient = vec![0; rest.len()];
    // From the low end, in reverse.
    while !rest.is_empty() {
        let len = rest.len();
        let mut word = div_rem_word(&mut quotient[..len], &rest, power);
        rest.copy_from_slice(&quotient[..len]);
        rest.truncate(super::significant(&rest));
        for _ in 0..digits {
            text.push(DIGITS[(word % u64::from(radix)) as usize]);
            word /= u64::from(radix);
            if word == 0 && rest.is_empty() {
                break;
            }
        }
    }
    if text.len() == start {
        text.push(b'0');
    }
    text[start..].reverse();
}

/// Limbs that hold any number of so many digits.
pub(crate) fn limbs_for(digits: usize, radix: u32) -> usize {
    digits / chunk(radix).0 + 1
}

/// out = the number with these digits, most significant first, each below `radix`. `out` has at least
/// [`limbs_for`] limbs.
pub(crate) fn from_digits(out: &mut [u64], digits: &[u8], radix: u32) {
    let (count, power) = chunk(radix);
    assert!(out.len() >= limbs_for(digits.len(), radix));
    out.fill(0);
    let mut len = 0;
    let (first, rest) = digits.split_at(digits.len() % count);
    let value = |digits: &[u8]| {
        let step = |v: u64, digit: &u8| v * u64::from(radix) + u64::from(*digit);
        digits.iter().fold(0, step)
    };
    for chunk in std::iter::once(first).chain(rest.chunks_exact(count)) {
        let above = mul_word_assign(&mut out[..len], power, value(chunk));
        if above != 0 {
            out[len] = above;
            len += 1;
        }
    }
}
