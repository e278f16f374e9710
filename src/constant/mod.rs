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
//! Digits are cut, not rounded. They are computed with some more digits than asked for; where these
//! do not decide the last digit, the work is done again with twice as many of them.
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
//! | `hexadecimal.rs` | hexadecimal digits of π at a place |
//! | `keep.rs` | finished parts that outlive the process |

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

    /// The constant with `count` decimal digits behind the point, cut.
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

    /// The constant with `count` decimal digits behind the point, cut.
    pub fn try_digits(self, count: u64) -> Result<String> {
        Digits::new(self, count).try_text()
    }

    /// Bytes of memory for each byte of the answer in binary. That of the roots is measured (22.5
    /// at 10^7 digits on two threads), the others are estimates.
    fn copies(self) -> u64 {
        match self {
            Constant::Sqrt2 | Constant::Phi => 24,
            Constant::E => 30,
            Constant::Pi | Constant::Zeta3 => 45,
            Constant::Ln2 | Constant::Catalan => 80,
            Constant::Gamma => 300,
        }
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
            .find(|constant| constant.name() == text)
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
}

impl<'a> Digits<'a> {
    /// `count` decimal digits behind the point.
    pub fn new(constant: Constant, count: u64) -> Digits<'a> {
        Digits {
            constant,
            count,
            radix: 10,
            storage: None,
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

    /// An error where the digits do not fit in the memory that is left, or the radix is none.
    pub fn check(&self) -> Result<()> {
        if !(2..=36).contains(&self.radix) {
            return Err(Error::Radix(self.radix));
        }
        engine::check()?;
        let bits = self.bits_of(self.count);
        let copies = self.constant.copies();
        let checked = memory::check_copies("the constant", bits.into(), copies);
        match &checked {
            // Long numbers are on a device, and move to the host where it has no room for them.
            Err(Error::Memory {
                needed, available, ..
            }) if *needed <= available.saturating_add(self.device_bytes()?) => Ok(()),
            _ => checked,
        }
    }

    fn device_bytes(&self) -> Result<u64> {
        engine::device_bytes(Work::series(self.bits_of(self.count)))
    }

    /// How many digits fit in the memory that is left, roughly.
    pub fn most(&self) -> u64 {
        let bytes_per_digit = f64::from(self.radix).log2() / 8.0 * self.constant.copies() as f64;
        let bytes = memory::available_bytes().saturating_add(self.device_bytes().unwrap_or(0));
        (bytes as f64 / bytes_per_digit) as u64
    }

    /// The constant, with a point before its digits if there are any.
    pub fn try_text(&self) -> Result<String> {
        self.check()?;
        let mut deciding_bits = DECIDING_BITS;
        loop {
            if let Some(text) = self.attempt(deciding_bits)? {
                return Ok(text);
            }
            deciding_bits *= 2.0;
        }
    }

    /// The text, unless the digits that decide the last one are all 0 or all the highest.
    fn attempt(&self, deciding_bits: f64) -> Result<Option<String>> {
        let deciding = (deciding_bits / f64::from(self.radix).log2()).ceil() as u64;
        let all = self.count + deciding;
        let bits = self.bits_of(all) + GUARD;
        progress::stage("digits", 5, |stage| {
            let x = stage.step(4, || {
                formula::value(self.constant, Formula::Fast, bits, self.storage)
            })?;
            let whole = x.try_shr(bits)?;
            let mut text = whole.try_to_string_radix(self.radix)?;
            let fraction = x.try_sub(&whole.try_shl(bits)?)?;
            drop(x);
            let convert = || fraction_digits(&fraction, bits, all as usize, self.radix);
            let digits = stage.step(1, || progress::stage("conversion", 1, |_| convert()))?;
            let (kept, rest) = digits.split_at(self.count as usize);
            // The last of them may be wrong by one, and no other in between then.
            let decides = &rest[..rest.len() - 1];
            let highest = char::from_digit(self.radix - 1, self.radix).map_or(b'0', |c| c as u8);
            let is_all = |digit: u8| decides.iter().all(|other| *other == digit);
            if is_all(b'0') || is_all(highest) {
                return Ok(None);
            }
            if self.count > 0 {
                text.reserve_exact(kept.len() + 1);
                text.push('.');
                text.push_str(&String::from_utf8_lossy(kept));
            }
            Ok(Some(text))
        })
    }

    /// Bits of so many digits.
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
        self.check()?;
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
        let bits = self.bits_of(self.count) + 2 * GUARD;
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
