//! The flags of `constant`, and the words below them.

use std::path::PathBuf;
use std::time::Duration;

use bezout::constant;
use clap::Args;

use crate::args::{count, time, within};

pub const EXAMPLES: &str = "\
Examples:
  bezout constant pi
  bezout constant pi --digits 1000
  bezout constant e --digits 1e6 --out e.txt --verify
  bezout constant ln2 --digits 100 --radix 16 --group 8
  bezout constant pi --digits 1e9 --out pi.txt --checkpoint pi.checkpoint";

pub const HELP: &str = "\
Constants: pi, e, sqrt2, phi, ln2, zeta3, catalan, gamma.

Digits are those behind the point, cut and not rounded. With --out, the SHA-256 of the file is said
on stderr, as sha256sum gives it.

With --verify the digits are read back and compared with those of another formula, and for pi also
with hexadecimal digits at a place, by a formula that needs none before them.

With --out the digits go to FILE.partial as they come, which becomes FILE when all are written, and
verified if asked for. A file that is there already is not touched; neither is FILE.partial, unless
a checkpoint goes on.

With --checkpoint, finished parts of the series, and the number before it is converted to digits,
are kept in files whose names begin with FILE. Parts of less than 4 Mibit are not kept, nor are
steps of a square root. The same command goes on from there after an interrupt or a crash, and
removes them at its end. A checkpoint of another constant, radix or number of digits is refused.
Only one command at a time may use a checkpoint.

JSON: command, constant, digits, radix, text (null with --out), out, sha256, engine, seconds,
verified.";

/// Arguments of `constant`.
#[derive(Debug, Clone, Args)]
pub struct Constant {
    /// The constant: pi, e, sqrt2, phi, ln2, zeta3, catalan or gamma
    #[arg(value_name = "NAME", index = 1)]
    pub name: constant::Constant,
    /// The digits, as --digits takes them
    #[arg(value_name = "DIGITS", index = 2, conflicts_with = "digits", value_parser = digits)]
    pub count: Option<u64>,
    /// Digits behind the point, such as 1000, 2^20 or 1e6
    #[arg(
        long,
        short = 'n',
        default_value = "50",
        value_name = "N",
        allow_hyphen_values = true,
        value_parser = digits
    )]
    pub digits: u64,
    /// The radix, from 2 to 36
    #[arg(
        long,
        default_value_t = 10,
        value_name = "R",
        value_parser = within::<u32>(2, 36)
    )]
    pub radix: u32,
    /// Write the digits to this file, which must not be there
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write digits in groups of so many, ten groups a line
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = count)]
    pub group: Option<u64>,
    /// Keep finished parts in files whose names begin with this, and go on from them
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Stop after so long, such as 90, 1.5 or 10m
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    pub timeout: Option<Duration>,
}

/// A number of digits.
fn digits(text: &str) -> Result<u64, String> {
    if text == "0" {
        return Ok(0);
    }
    count(text).map_err(|_| {
        if text
            .parse::<f64>()
            .is_ok_and(|number| number >= 2f64.powi(64))
        {
            "more digits than any memory holds".to_string()
        } else {
            "not a number of digits, such as 1000, 2^20 or 1e6".to_string()
        }
    })
}
