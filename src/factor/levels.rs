//! The work to spend on factors of each size.
//!
//! The bounds and numbers of curves find a factor of the given digits with probability 1 − 1/e,
//! with a second stage up to B2 = 100·B1 (Silverman and Wagstaff, *A practical analysis of the
//! elliptic curve factoring algorithm*, Math. Comp. 61 (1993), and GMP-ECM's tables).

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

/// The last level is repeated until a factor is found.
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

/// Digits of the factors that `curves` curves of a level find: five more for every 5.7 times as
/// many curves, as in GMP-ECM's table of curves by size and B1 around 30 digits.
pub(super) fn reached(level: &Level, curves: u64) -> u32 {
    let more = (curves as f64 / level.curves as f64).max(1.0).ln() / 5.7f64.ln();
    level.digits + (5.0 * more) as u32
}

/// B2 for B1.
pub(super) fn b2(b1: u64) -> u64 {
    b1.saturating_mul(100)
}

/// B1 of p − 1 and p + 1 at a level. Each has only one chance, and its steps cost a tenth of a
/// curve's. None if the previous level had the same bound: they should not run for more than a
/// minute.
pub(super) fn single_b1(level: usize) -> Option<u64> {
    let b1 = |level: &Level| level.b1.saturating_mul(10).min(30_000_000);
    let before = level.checked_sub(1).map(|before| b1(&LEVELS[before]));
    Some(b1(LEVELS.get(level)?)).filter(|b1| before != Some(*b1))
}

/// The digits of the factors that curves search for before a number of `bits` bits is sieved: four
/// thirteenths of its digits, as in YAFU.
pub(super) fn digits_before_sieve(bits: u64) -> u32 {
    let digits = bits as f64 * std::f64::consts::LOG10_2;
    (digits * 4.0 / 13.0) as u32
}
