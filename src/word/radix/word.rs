//! The digits of one limb, and of numbers in a radix that is a power of two.

use crate::word::div::div_two_words;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

const TEN_19: u64 = 10_000_000_000_000_000_000;
/// ⌊(2^128 − 1)/10^19⌋ − 2^64.
const TEN_19_RECIPROCAL: u64 = (u128::MAX / TEN_19 as u128) as u64;

/// Writes the low digits of `word`, as many as `text` has bytes.
#[inline]
pub(super) fn write_chunk(text: &mut [u8], mut word: u64, radix: u32) {
    if radix == 10 && text.len() == 19 {
        let (high, low) = (word / 10_000_000_000_000_000, word % 10_000_000_000_000_000);
        text[0] = b'0' + (high / 100) as u8;
        text[1] = b'0' + (high / 10 % 10) as u8;
        text[2] = b'0' + (high % 10) as u8;
        text[3..11].copy_from_slice(&eight(low / 100_000_000));
        text[11..].copy_from_slice(&eight(low % 100_000_000));
        return;
    }
    for byte in text.iter_mut().rev() {
        *byte = DIGITS[(word % u64::from(radix)) as usize];
        word /= u64::from(radix);
    }
}

/// The eight decimal digits of a number below 10^8, several at a time in one word: halves of 32
/// bits become quarters by ⌊x/100⌋ = ⌊10486·x/2^20⌋ for x < 10^4, and those eighths by
/// ⌊x/10⌋ = ⌊103·x/2^10⌋ for x < 100.
#[inline]
fn eight(word: u64) -> [u8; 8] {
    let halves = (word / 10_000) | ((word % 10_000) << 32);
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | ((halves - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | ((pairs - 10 * tens) << 8);
    (digits | 0x3030_3030_3030_3030).to_le_bytes()
}

/// Appends the digits of a word, without leading zeros; 0 has one digit.
pub(super) fn append(text: &mut Vec<u8>, word: u64, radix: u32) {
    if radix == 10 {
        let mut digits = [b'0'; 20];
        let (above, low) = (word / TEN_19, word % TEN_19);
        digits[0] += above as u8;
        write_chunk(&mut digits[1..], low, 10);
        let count = word.checked_ilog10().unwrap_or(0) as usize + 1;
        return text.extend_from_slice(&digits[20 - count..]);
    }
    // The longest is in radix 2.
    let mut digits = [0; 64];
    let mut at = digits.len();
    let mut rest = word;
    loop {
        at -= 1;
        digits[at] = DIGITS[(rest % u64::from(radix)) as usize];
        rest /= u64::from(radix);
        if rest == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}

/// Appends the decimal digits of high·2^64 + low, without leading zeros; high > 0.
pub(super) fn append_two_words(text: &mut Vec<u8>, high: u64, low: u64) {
    // 10^19 has its top bit set. Two divisions by it leave at most 2^128/10^38 < 4.
    let above = u64::from(high >= TEN_19);
    let (q, lowest) = div_two_words(high - above * TEN_19, low, TEN_19, TEN_19_RECIPROCAL);
    let (top, middle) = div_two_words(above, q, TEN_19, TEN_19_RECIPROCAL);
    let mut digits = [b'0'; 39];
    digits[0] += top as u8;
    write_chunk(&mut digits[1..20], middle, 10);
    write_chunk(&mut digits[20..], lowest, 10);
    // high > 0, so there are at least 20 digits.
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    text.extend_from_slice(&digits[zeros..]);
}

/// Appends the digits of a in a radix that is a power of two; a > 0.
pub(super) fn append_bits(text: &mut Vec<u8>, a: &[u64], radix: u32) {
    let width = u64::from(radix.trailing_zeros());
    let digits = super::bit_length(a).div_ceil(width);
    text.reserve(digits as usize);
    for i in (0..digits).rev() {
        let (limb, bit) = ((i * width / 64) as usize, i * width % 64);
        let above = a.get(limb + 1).copied().unwrap_or(0);
        let digit = (a[limb] >> bit | above << 1 << (63 - bit)) & u64::from(radix - 1);
        text.push(DIGITS[digit as usize]);
    }
}

/// The number with these digits, which fits a word.
#[inline]
pub(super) fn read_chunk(digits: &[u8], radix: u32) -> u64 {
    if radix == 10 && digits.len() == 19 {
        let eight = |at: usize| {
            let bytes = digits[at..at + 8].try_into().expect("eight bytes");
            read_eight(u64::from_le_bytes(bytes))
        };
        let first = digits[..3]
            .iter()
            .fold(0, |v, digit| 10 * v + u64::from(*digit));
        return (first * 100_000_000 + eight(3)) * 100_000_000 + eight(11);
    }
    let radix = u64::from(radix);
    digits
        .iter()
        .fold(0, |v, digit| v * radix + u64::from(*digit))
}

/// The number with eight decimal digits, the first one in the lowest byte: pairs, then fours, then
/// both fours at once.
#[inline]
fn read_eight(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    (fours & 0xffff_ffff) * 10_000 + (fours >> 32)
}

/// out = the number with these digits in a radix that is a power of two.
pub(super) fn read_bits(out: &mut [u64], digits: &[u8], radix: u32) {
    let width = u64::from(radix.trailing_zeros());
    out.fill(0);
    for (i, digit) in digits.iter().rev().enumerate() {
        let at = i as u64 * width;
        let (limb, bit) = ((at / 64) as usize, at % 64);
        out[limb] |= u64::from(*digit) << bit;
        if bit + width > 64 {
            out[limb + 1] |= u64::from(*digit) >> (64 - bit);
        }
    }
}
