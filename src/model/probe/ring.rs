//! The ring of links that both engines chase to measure an access. It has one link per line, and
//! its order is a permutation of all lines in a single cycle that no prefetcher foresees.
//!
//! A ring for memory is far larger than the last-level cache, and a walk starts where the previous
//! one stopped, so that no line is visited twice. A ring for the cache fits in it, and is walked
//! once before the measurement.

/// Words from one link to the next: 128 bytes, a line of a GPU, and two of most CPUs, which fetch
/// lines in pairs.
pub(super) const LINE: usize = 16;

/// The line after `line` is line·FACTOR + 1 modulo the number of lines. That is a single cycle for
/// every power of two, since FACTOR ≡ 1 modulo 4 and the addend is odd (Hull and Dobell).
pub(super) const FACTOR: u64 = 6_364_136_223_846_793_005;

/// A ring for memory has at least this many bytes.
const LEAST_BYTES: u64 = 512 << 20;
/// A ring for memory is at least this many times as large as the last-level cache.
const CACHES: u64 = 4;
/// A ring takes at most the available memory divided by this.
const SHARE: u64 = 4;

/// The line after this one, where the number of lines is a power of two.
pub(super) fn next(line: u64, lines: u64) -> u64 {
    line.wrapping_mul(FACTOR).wrapping_add(1) & (lines - 1)
}

/// Lines of a ring for memory: the smallest power of two that is far larger than the last-level
/// cache, if the available memory allows it.
pub(super) fn lines_for_memory(cache_bytes: u64, available_bytes: u64) -> u64 {
    let wanted = LEAST_BYTES.max(CACHES * cache_bytes).next_power_of_two();
    wanted.min(power_of_two_below(available_bytes / SHARE)) / BYTES
}

/// Lines of a ring for the last-level cache: the largest power of two that fills at most half of
/// it.
pub(super) fn lines_for_cache(cache_bytes: u64) -> u64 {
    power_of_two_below(cache_bytes / 2) / BYTES
}

/// Bytes of a line.
const BYTES: u64 = 8 * LINE as u64;

/// The largest power of two up to `bytes`, and at least two lines.
fn power_of_two_below(bytes: u64) -> u64 {
    1 << bytes.max(2 * BYTES).ilog2()
}
