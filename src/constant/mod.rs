//! Mathematical constants to as many digits as fit in memory, and the hypergeometric series that
//! they are sums of.
//!
//! ```
//! use bezout::constant::{Constant, Digits};
//! assert_eq!(Constant::Pi.digits(20), "3.14159265358979323846");
//! let hexadecimal = Digits::new(Constant::E, 10).radix(16);
//! assert_eq!(hexadecimal.try_text()?, "2.b7e151628a");
//! # Ok::<(), bezout::Error>(())
//! ```
//!
//! Digits are truncated, not rounded. They are computed with some additional digits. If these do
//! not decide the last digit, the work is repeated with twice as many additional digits.
//!
//! | file | what |
//! |---|---|
//! | `series.rs` | binary splitting |
//! | `leaf.rs` | the bottom of its tree |
//! | `rows.rs` | its tree on a device, level by level |
//! | `cancel.rs` | common factors taken out on one level of it |
//! | `polynomial.rs` | polynomials of n and their values |
//! | `formula.rs` | two formulas for each constant |
//! | `gamma.rs` | the series for Euler's constant |
//! | `fixed.rs` | quotients and roots in fixed point |
//! | `hexadecimal.rs` | hexadecimal digits of π at one position |
//! | `keep.rs` | finished parts that are stored on disk |

mod cancel;
mod fixed;
mod formula;
mod gamma;
mod hexadecimal;
mod keep;
mod leaf;
mod polynomial;
mod rows;
mod series;
#[cfg(test)]
mod tests;

pub use hexadecimal::pi_hexadecimal_at;
pub use keep::Storage;
pub use polynomial::Polynomial;
pub use series::{Series, Sum};

use std::fmt;
use std::str::FromStr;

use crate::engine::{self, Work};
use crate::error::{Error, Result};
use crate::int::{Int, fraction_digits};
use crate::{memory, progress};
use formula::Formula;

/// A mathematical constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Constant {
    /// π, the circumference of a circle of diameter 1.
    Pi,
    /// e, the base of the natural logarithm.
    E,
    /// √2.
    Sqrt2,
    /// φ = (1 + √5)/2, the golden ratio.
    Phi,
    /// ln 2.
    Ln2,
    /// ζ(3), Apéry's constant.
    Zeta3,
    /// G = Σ (−1)^n/(2n + 1)², Catalan's constant.
    Catalan,
    /// γ, Euler's constant.
    Gamma,
}

/// Bits by which the digits beyond those asked for decide the last one.
const DECIDING_BITS: f64 = 40.0;

/// Bits that the other formula gives, at least: as many as hexadecimal digits of π at a place need.
const LEAST_VERIFIED_BITS: u64 = 128;

/// Digits of a part of the text, at least, and parts of a text, at most.
const PART_DIGITS: u64 = 10_000_000;
const MOST_PARTS: u64 = 16;

/// Bits beyond those of all digits. A value that is off by one unit is off by 2^-16 of the last of
/// them.
const GUARD: u64 = 16;

impl Constant {
    /// All of them.
    pub const ALL: [Constant; 8] = [
        Constant::Pi,
        Constant::E,
        Constant::Sqrt2,
        Constant::Phi,
        Constant::Ln2,
        Constant::Zeta3,
        Constant::Catalan,
        Constant::Gamma,
    ];

    /// The name that text is parsed from.
    pub fn name(self) -> &'static str {
        match self {
            Constant::Pi => "pi",
            Constant::E => "e",
            Constant::Sqrt2 => "sqrt2",
            Constant::Phi => "phi",
            Constant::Ln2 => "ln2",
            Constant::Zeta3 => "zeta3",
            Constant::Catalan => "catalan",
            Constant::Gamma => "gamma",
        }
    }

    /// The constant with `count` decimal digits after the point, truncated.
    ///
    /// # Panics
    /// If the digits do not fit in memory.
    #[track_caller]
    pub fn digits(self, count: u64) -> String {
        match self.try_digits(count) {
            Ok(text) => text,
            Err(error) => panic!("{error}"),
        }
    }

    /// The constant with `count` decimal digits after the point, truncated.
    pub fn try_digits(self, count: u64) -> Result<String> {
        Digits::new(self, count).try_text()
    }

    /// Bytes of memory for each byte of the answer in binary, without and with the other formula:
    /// by measurements on two threads at up to 4·10^7 digits, with some to spare.
    fn copies(self, is_verified: bool) -> u64 {
        let [alone, verified] = match self {
            Constant::Sqrt2 | Constant::Phi => [28, 34],
            Constant::E => [36, 48],
            Constant::Pi => [48, 56],
            Constant::Zeta3 => [72, 90],
            Constant::Ln2 | Constant::Catalan => [80, 105],
            Constant::Gamma => [1800, 3200],
        };
        if is_verified { verified } else { alone }
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Constant {
    type Err = Error;

    fn from_str(text: &str) -> Result<Constant> {
        let known = Constant::ALL.into_iter();
        known
            .clone()
            .find(|constant| constant.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| {
                let names: Vec<&str> = known.map(Constant::name).collect();
                Error::Domain(format!(
                    "unknown constant '{text}': use one of {}",
                    names.join(", ")
                ))
            })
    }
}

/// Digits of a constant: how many, in which radix, and how they are computed.
#[derive(Clone, Copy)]
pub struct Digits<'a> {
    constant: Constant,
    count: u64,
    radix: u32,
    storage: Option<&'a dyn Storage>,
    is_verified: bool,
}

impl<'a> Digits<'a> {
    /// `count` decimal digits after the point.
    pub fn new(constant: Constant, count: u64) -> Digits<'a> {
        Digits {
            constant,
            count,
            radix: 10,
            storage: None,
            is_verified: false,
        }
    }

    /// In another radix, from 2 to 36.
    pub fn radix(self, radix: u32) -> Digits<'a> {
        Digits { radix, ..self }
    }

    /// Finished parts of the work are kept there, and taken from there.
    pub fn storage(self, storage: &'a dyn Storage) -> Digits<'a> {
        Digits {
            storage: Some(storage),
            ..self
        }
    }

    /// [`Digits::check`] and [`Digits::most`] count the memory of [`Digits::try_verify`] too.
    pub fn verified(self, is_verified: bool) -> Digits<'a> {
        Digits {
            is_verified,
            ..self
        }
    }

    /// An error if the digits do not fit in the memory that is left, or the radix is none.
    pub fn check(&self) -> Result<()> {
        self.check_radix()?;
        engine::check()?;
        let bits = self.bits_of(self.count);
        let copies = self.constant.copies(self.is_verified);
        let checked = memory::check_copies("the constant", bits.into(), copies);
        match &checked {
            // Long numbers are on a device, and move to the host where it has no room for them.
            Err(Error::Memory {
                needed, available, ..
            }) if *needed <= available.saturating_add(self.device_bytes()?) => Ok(()),
            _ => checked,
        }
    }

    fn check_radix(&self) -> Result<()> {
        if (2..=36).contains(&self.radix) {
            Ok(())
        } else {
            Err(Error::Radix(self.radix))
        }
    }

    fn device_bytes(&self) -> Result<u64> {
        engine::device_bytes(Work::series(self.bits_of(self.count)))
    }

    /// How many digits fit in the memory that is left, roughly.
    pub fn most(&self) -> u64 {
        let copies = self.constant.copies(self.is_verified) as f64;
        let bytes_per_digit = f64::from(self.radix).log2() / 8.0 * copies;
        let mut bytes = memory::available_bytes();
        // The memory that threads map when they start counts against a limit of the process.
        if memory::is_limited() {
            bytes -= bytes / 4;
        }
        let bytes = bytes.saturating_add(self.device_bytes().unwrap_or(0));
        (bytes as f64 / bytes_per_digit) as u64
    }

    /// The constant, with a point before its digits if there are any.
    pub fn try_text(&self) -> Result<String> {
        let mut text = String::new();
        self.in_parts(u64::MAX, &mut |_, part| {
            text = part;
            Ok(())
        })?;
        Ok(text)
    }

    /// Calls `each(at, part)` for the parts of the text of [`Digits::try_text`] in order, as they
    /// are converted to digits; `at` is the place of the part in the text. Parts are some millions
    /// of digits long, so that the text need not fit in memory.
    ///
    /// If the digits after the last one do not decide it, the text starts again, with a part whose
    /// place is 0.
    pub fn try_parts(&self, each: &mut dyn FnMut(u64, String) -> Result<()>) -> Result<()> {
        self.in_parts(PART_DIGITS.max(self.count / MOST_PARTS), each)
    }

    fn in_parts(&self, part: u64, each: &mut dyn FnMut(u64, String) -> Result<()>) -> Result<()> {
        self.check()?;
        let mut deciding_bits = DECIDING_BITS;
        while !self.attempt(deciding_bits, part, each)? {
            deciding_bits *= 2.0;
        }
        Ok(())
    }

    /// Whether the digits that decide the last one are neither all 0 nor all the highest. Where
    /// they are, the last part is not given.
    fn attempt(
        &self,
        deciding_bits: f64,
        part: u64,
        each: &mut dyn FnMut(u64, String) -> Result<()>,
    ) -> Result<bool> {
        let deciding = (deciding_bits / f64::from(self.radix).log2()).ceil() as u64;
        let bits = self.bits_of(self.count + deciding) + GUARD;
        progress::stage("digits", 5, |stage| {
            let x = stage.step(4, || {
                formula::value(self.constant, Formula::Fast, bits, self.storage)
            })?;
            let whole = x.try_shr(bits)?;
            let mut text = whole.try_to_string_radix(self.radix)?;
            if self.count > 0 {
                text.push('.');
            }
            let mut rest = Fraction {
                value: x.try_sub(&whole.try_shl(bits)?)?,
                bits,
                digits: self.count,
                radix: self.radix,
            };
            drop(x);
            stage.step(1, || {
                let parts = self.count.div_ceil(part).max(1);
                progress::stage("conversion", parts, |stage| {
                    let mut at = 0;
                    let unit = if rest.digits > part {
                        Int::from(self.radix).try_pow(part)?
                    } else {
                        Int::ONE
                    };
                    while rest.digits > part {
                        text.push_str(&rest.take(part, &unit)?);
                        let len = text.len() as u64;
                        each(at, std::mem::take(&mut text))?;
                        at += len;
                        stage.advance(1)?;
                    }
                    match rest.decided(deciding)? {
                        None => Ok(false),
                        Some(digits) => {
                            text.reserve_exact(digits.len());
                            text.push_str(&String::from_utf8_lossy(&digits));
                            each(at, text)?;
                            Ok(true)
                        }
                    }
                })
            })
        })
    }

    /// Bits of `digits` digits.
    fn bits_of(&self, digits: u64) -> u64 {
        // The product is right to a few parts in 2^52.
        (digits as f64 * f64::from(self.radix).log2() * (1.0 + 2f64.powi(-40))).min(2f64.powi(63))
            as u64
            + 1
    }

    /// An error unless `text` is what [`Digits::try_text`] returns, by a formula that is
    /// independent of the one it uses, and for π also by a formula for hexadecimal digits at a
    /// place.
    ///
    /// The text is read back to a number, so that the conversion to digits is checked too.
    pub fn try_verify(&self, text: &str) -> Result<()> {
        self.check_radix()?;
        let wrong = |what: &str| {
            Err(Error::Verification(format!(
                "{}: {what}",
                self.constant.name()
            )))
        };
        let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
        if digits.len() as u64 != self.count {
            return wrong("not as many digits as asked for");
        }
        let claimed = Int::from_str_radix(&format!("{whole}{digits}"), self.radix)?;
        let bits = (self.bits_of(self.count) + 2 * GUARD).max(LEAST_VERIFIED_BITS);
        let x = formula::value(self.constant, Formula::Check, bits, self.storage)?;
        // 0 ≤ x − claimed/radix^count < radix^-count, up to the error of one unit in x.
        let unit = Int::from(self.radix).try_pow(self.count)?;
        let difference = x.try_mul(&unit)?.try_sub(&claimed.try_shl(bits)?)?;
        let slack = unit.try_shl(1)?;
        let one = Int::ONE << bits;
        if difference < -&slack || difference > one + slack {
            return wrong("another formula gives other digits");
        }
        drop(difference);
        if self.constant == Constant::Pi {
            let place = (bits / 4 - GUARD).min(hexadecimal::FARTHEST);
            let (place, digits) = hexadecimal::pi_hexadecimal_near(place)?;
            let found = x
                .try_shr(bits - 4 * place - 32)?
                .try_mul_low(&Int::ONE, 32)?;
            if found != digits {
                return wrong("hexadecimal digits at a place are others");
            }
        }
        Ok(())
    }
}

/// The rest of a number after its first digits.
struct Fraction {
    /// The fraction times 2^bits.
    value: Int,
    bits: u64,
    /// Digits that are still wanted.
    digits: u64,
    radix: u32,
}

impl Fraction {
    /// The next `count` digits. `unit` is the radix to the power `count`.
    ///
    /// The rest needs fewer bits, by the bits of these digits. A unit of the last bit stays at most
    /// 2^-16 of the last digit (`GUARD`). The initial value was off by at most one unit, and each
    /// call truncates less than one unit. After k calls the value is therefore off by at most (k +
    /// 1)·2^-16 of the last digit, with k at most `MOST_PARTS`.
    fn take(&mut self, count: u64, unit: &Int) -> Result<String> {
        let product = self.value.try_mul(unit)?;
        let whole = product.try_shr(self.bits)?;
        let fewer = (count as f64 * f64::from(self.radix).log2() * (1.0 - 2f64.powi(-40))) as u64;
        let rest = product.try_sub(&whole.try_shl(self.bits)?)?;
        self.value = rest.try_shr(fewer)?;
        self.bits -= fewer;
        self.digits -= count;
        let digits = if whole.try_is_zero()? {
            String::new()
        } else {
            whole.try_to_string_radix(self.radix)?
        };
        let zeros = count as usize - digits.len();
        Ok("0".repeat(zeros) + &digits)
    }

    /// All digits. None if the `deciding` digits after them are all 0 or all the highest digit.
    fn decided(&self, deciding: u64) -> Result<Option<Vec<u8>>> {
        let all = (self.digits + deciding) as usize;
        let mut digits = fraction_digits(&self.value, self.bits, all, self.radix)?;
        // The last of them may be wrong by one, and no other in between then.
        let decides = &digits[self.digits as usize..all - 1];
        let highest = char::from_digit(self.radix - 1, self.radix).map_or(b'0', |c| c as u8);
        let is_all = |digit: u8| decides.iter().all(|other| *other == digit);
        if is_all(b'0') || is_all(highest) {
            return Ok(None);
        }
        digits.truncate(self.digits as usize);
        Ok(Some(digits))
    }
}
