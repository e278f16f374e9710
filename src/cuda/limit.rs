//! How much device memory this process may use.

use crate::environment;
use crate::error::{Error, Result};

/// The limit that `BEZOUT_DEVICE_MEMORY` sets, or nine tenths of the card.
pub(super) fn limit_from_environment(card: u64) -> Result<u64> {
    match environment::text("BEZOUT_DEVICE_MEMORY") {
        None => Ok(card / 10 * 9),
        Some(text) => parse_limit(&text, card),
    }
}

/// A size in bytes, with a unit (`8GiB`, `500MB`, `2T`), or a percentage of the card (`90%`); at
/// most the card.
pub(crate) fn parse_limit(text: &str, card: u64) -> Result<u64> {
    let bad = || {
        Error::Domain(format!(
            "BEZOUT_DEVICE_MEMORY='{text}' is not a size: use bytes, a unit (8GiB, 500MB) or a percentage (90%)"
        ))
    };
    let trimmed = text.trim();
    let digits = trimmed.len()
        - trimmed
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            .len();
    let (number, unit) = trimmed.split_at(digits);
    let number: f64 = number.parse().map_err(|_| bad())?;
    let scale = match unit.trim().to_ascii_lowercase().as_str() {
        "%" if number <= 100.0 => card as f64 / 100.0,
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024f64.powi(2),
        "g" | "gib" => 1024f64.powi(3),
        "t" | "tib" => 1024f64.powi(4),
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(bad()),
    };
    let bytes = (number * scale).min(card as f64) as u64;
    if bytes == 0 { Err(bad()) } else { Ok(bytes) }
}
