//! How much to spend on factors of which size.
//!
//! Bounds and curves are those that find a factor of so many digits with the chance 1 − 1/e, with a
//! second stage up to B2 = 100·B1 (Silverman and Wagstaff, *A practical analysis of the elliptic
//! curve factoring algorithm*, Math. Comp. 61 (1993), and GMP-ECM's tables).

/// One size of factors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub(super) digits: u32,
    pub(super) b1: u64,
    pub(super) curves: u64,
}

const fn level(digits: u32, b1: u64, curves: u64) -> Level {
    Level { digits, b1, curves }
}

/// The last one goes on until a factor is found.
pub(super) const LEVELS: [Level; 11] = [
    level(15, 2_000, 25),
    level(20, 11_000, 90),
    level(25, 50_000, 300),
    level(30, 250_000, 700),
    level(35, 1_000_000, 1_800),
    level(40, 3_000_000, 5_100),
    level(45, 11_000_000, 10_600),
    level(50, 43_000_000, 19_300),
    level(55, 110_000_000, 49_000),
    level(60, 260_000_000, 124_000),
    level(65, 850_000_000, 210_000),
];

/// Digits of the factors that so many curves of a level are worth: five more for every 5.7 times as
/// many, as GMP-ECM's table of curves by size and B1 has it around 30 digits.
pub(super) fn reached(level: &Level, curves: u64) -> u32 {
    let more = (curves as f64 / level.curves as f64).max(1.0).ln() / 5.7f64.ln();
    level.digits + (5.0 * more) as u32
}

/// B2 for B1.
pub(super) fn b2(b1: u64) -> u64 {
    b1.saturating_mul(100)
}

/// B1 of p − 1 and p + 1 beside curves of a level: they have one chance each, and a step of theirs
/// costs a tenth of a curve's. None where the level before had the same: they are not to run for
/// more than a minute.
pub(super) fn single_b1(level: usize) -> Option<u64> {
    let b1 = |level: &Level| level.b1.saturating_mul(10).min(30_000_000);
    let before = level.checked_sub(1).map(|before| b1(&LEVELS[before]));
    Some(b1(LEVELS.get(level)?)).filter(|b1| before != Some(*b1))
}

/// Factors of so many digits are looked for by curves before a number of so many bits is sieved:
/// four thirteenths of its length, as YAFU has it.
pub(super) fn digits_before_sieve(bits: u64) -> u32 {
    let digits = bits as f64 * std::f64::consts::LOG10_2;
    (digits * 4.0 / 13.0) as u32
}
