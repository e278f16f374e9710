//! Number to text. Radixes that are powers of two take linear time; the others are the work of
//! `radix`.

use std::fmt;

use crate::number::Integer;

use super::parse::check_radix;
use super::{Int, must};
use crate::engine::Engine;
use crate::error::Result;
use crate::limbs::Resident;
use crate::tuning::Tuning;
use crate::{div, limbs, memory, mul, radix};

const LOWER: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const UPPER: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// `Debug` writes magnitudes up to this many bits (200 decimal digits) in full.
const DEBUG_BITS: u64 = 664;

impl Int {
    /// Digits in `radix`, 2 to 36, lower case, after a minus if negative.
    ///
    /// ```
    /// # use bezout::Int;
    /// assert_eq!(Int::from(-1295).to_string_radix(36), "-zz");
    /// ```
    ///
    /// # Panics
    /// If `radix` is not from 2 to 36.
    #[track_caller]
    pub fn to_string_radix(&self, radix: u32) -> String {
        must(self.try_to_string_radix(radix))
    }

    /// [`Int::to_string_radix`], or an error if `radix` is not from 2 to 36.
    pub fn try_to_string_radix(&self, radix: u32) -> Result<String> {
        check_radix(radix)?;
        // Bytes of text; a sign in front may double them for a moment.
        let bytes = self.limbs.bits_bound() / u64::from(radix.ilog2()) + 2;
        memory::check_copies("the text", 8 * u128::from(bytes), 3)?;
        let (negative, mut text) = self.digits(radix, LOWER)?;
        if negative {
            text.insert(0, '-');
        }
        Ok(text)
    }

    /// Whether it is below zero, and the digits of the magnitude.
    fn digits(&self, radix: u32, alphabet: &[u8; 36]) -> Result<(bool, String)> {
        if radix.is_power_of_two() {
            let value = self.try_host()?;
            let limbs = value.magnitude().limbs();
            return Ok((*value < 0, power_of_two(limbs, radix.ilog2(), alphabet)));
        }
        if let Resident::Small(value) = &self.limbs {
            let text = if value.limbs().len() <= Tuning::in_force().radix_limbs {
                value.magnitude().to_text(radix)
            } else {
                let magnitude = Integer::from(value.magnitude()).into();
                Engine::Cpu.scope(|| radix::to_digits(&magnitude, radix))?
            };
            return Ok((*value < 0, text));
        }
        // Whoever looks at a value will look again: it stays on the host from now on, whichever
        // engine makes the digits.
        self.try_host()?;
        let (sign, bits) = limbs::size(&self.limbs)?;
        let magnitude = div::magnitude(&self.limbs, sign, bits)?;
        Ok((sign < 0, radix::to_digits(&magnitude, radix)?))
    }
}

/// The first `digits` digits of x/2^bits, for 0 ≤ x < 2^bits, most significant first. The last one
/// may be off by one; what is carried from or to it is then too.
pub(crate) fn fraction_digits(x: &Int, bits: u64, digits: usize, radix: u32) -> Result<Vec<u8>> {
    if bits > 64 * Tuning::current().radix_limbs as u64 && !radix.is_power_of_two() {
        return radix::fraction_digits(x.as_limbs(), bits, digits, radix);
    }
    // By one product and the digits of a whole number.
    let power = mul::pow(&Integer::from(u64::from(radix)).into(), digits as u64)?;
    let whole = Int::from(limbs::shr(&mul::mul(x.as_limbs(), &power)?, bits)?);
    let text = whole.try_to_string_radix(radix)?.into_bytes();
    let is_none = digits == 0 || whole.try_is_zero()?;
    let len = if is_none { 0 } else { text.len() };
    let mut all = vec![b'0'; digits - len];
    all.extend_from_slice(&text[..len]);
    Ok(all)
}

/// Digits of `width` bits each, most significant first, without leading zeros.
fn power_of_two(limbs: &[u64], width: u32, alphabet: &[u8; 36]) -> String {
    let Some(top) = limbs.last() else {
        return "0".into();
    };
    let bits = limbs.len() * 64 - top.leading_zeros() as usize;
    let mask = (1u64 << width) - 1;
    let mut text = vec![0; bits.div_ceil(width as usize)];
    let (mut limb, mut left, mut rest) = (0, 0, limbs.iter());
    for byte in text.iter_mut().rev() {
        let mut digit = limb;
        if left < width {
            // The digit continues in the next limb; above the top one there are only zeros.
            let next = rest.next().copied().unwrap_or(0);
            digit |= next << left;
            limb = next >> (width - left);
            left += 64 - width;
        } else {
            limb >>= width;
            left -= width;
        }
        *byte = alphabet[(digit & mask) as usize];
    }
    String::from_utf8(text).expect("the alphabets are ASCII")
}

/// A format with its radix, its prefix under `#`, and its digits; width, fill and sign flags as for
/// Rust's own integers.
macro_rules! format {
    ($($format:ident $radix:literal $prefix:literal $alphabet:ident;)*) => {$(
        impl fmt::$format for Int {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // Text must come out even where the engine in force cannot make it.
                let digits = self
                    .digits($radix, $alphabet)
                    .or_else(|_| Engine::Cpu.scope(|| self.digits($radix, $alphabet)));
                let (negative, digits) = must(digits);
                f.pad_integral(!negative, $prefix, &digits)
            }
        }
    )*};
}

format! {
    Display 10 "" LOWER;
    LowerHex 16 "0x" LOWER;
    UpperHex 16 "0x" UPPER;
    Octal 8 "0o" LOWER;
    Binary 2 "0b" LOWER;
}

/// The number itself up to 200 digits, beyond that its ends and its size. Never moves a value from
/// a device.
impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.limbs.bits_bound();
        if !self.is_on_host() {
            return write!(f, "Int(on a device, at most {bits} bits)");
        }
        if bits <= DEBUG_BITS {
            return fmt::Display::fmt(self, f);
        }
        let value = self.host();
        let limbs = value.magnitude().limbs();
        let sign = if *value < 0 { "-" } else { "" };
        let (top, bottom) = (limbs[limbs.len() - 1], limbs[0]);
        write!(f, "Int({sign}0x{top:x}…{bottom:016x}, {bits} bits)")
    }
}
