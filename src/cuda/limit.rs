//! How much device memory this process may use.

use crate::error::Result;
use crate::memory::parse_device_limit;
use crate::variables;

/// The limit that `BEZOUT_DEVICE_MEMORY` sets, or nine tenths of the card.
pub(super) fn limit_from_environment(card: u64) -> Result<u64> {
    match variables::text("BEZOUT_DEVICE_MEMORY") {
        None => Ok(card / 10 * 9),
        Some(text) => parse_device_limit(&text, card),
    }
}
