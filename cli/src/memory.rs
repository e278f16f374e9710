//! How large a value this machine can hold, so that an absurd exponent is refused before it is tried.

use std::fs;

use bezout::Error;

/// Results below this many bits are never asked about.
const ALWAYS_FITS: u128 = 1 << 26;

/// A value may take this share of the available memory: operands, result and working space live side by side.
const SHARE: u64 = 4;

/// Refuses a result of at least `bits` bits if it cannot fit in memory.
pub fn check(what: &'static str, bits: u128) -> Result<(), Error> {
    if bits <= ALWAYS_FITS {
        return Ok(());
    }
    let limit = available_bytes().map_or(u64::MAX, |bytes| (bytes / SHARE).saturating_mul(8));
    if bits > u128::from(limit) {
        let bits = u64::try_from(bits).unwrap_or(u64::MAX);
        return Err(Error::TooLarge { what, bits, limit });
    }
    Ok(())
}

/// Memory that can be had without swapping, under the container's limit if there is one. `None` where the system has
/// no file that says so: the library's own limit is then the only one.
fn available_bytes() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let available = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|kib| kib.trim().parse::<u64>().ok())?
        .saturating_mul(1024);
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok());
    Some(container.map_or(available, |limit| limit.min(available)))
}
