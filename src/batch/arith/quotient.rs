//! Quotients and remainders of rows on the host: long quotients eight at once in the lanes of
//! vectors, others by the floor.

use super::cpu::row;
use super::lanes::{Division, Level, ROWS};
use crate::batch::limb_pool;
use crate::progress::Pulse;
use crate::threads;
use crate::word::div::{div_rem_few, div_rem_scratch, div_rem_to, div_rem_word};
use crate::word::sum::compare;

/// Minimum limbs per task of a thread.
const AT_ONCE: usize = 4096;

/// Maximum limbs of a quotient for which the operands are not shifted. Measured on Cascade Lake at
/// 2.5 GHz, 2026-11-17.
const FEW: usize = 3;

/// Quotients and remainders, unless it is to stop; no divisor is zero.
pub(super) fn div_rem(a: &[u64], b: &[u64], width: usize) -> (Vec<u64>, Vec<u64>) {
    let [mut q, mut r] = [a, a].map(|limbs| limb_pool::unspecified(limbs.len()));
    let rows = (AT_ONCE / width).next_multiple_of(ROWS).max(ROWS);
    let pulse = Pulse::of_thread();
    threads::chunk_pairs_mut(&mut q, &mut r, rows * width, 1, |i, q, r| {
        if !pulse.goes_on() {
            return;
        }
        let mut scratch = Vec::new();
        let step = ROWS * width;
        let blocks = q.chunks_mut(step).zip(r.chunks_mut(step));
        for (j, (q, r)) in blocks.enumerate() {
            let first = rows * i + ROWS * j;
            let numbers = |limbs, k: usize| row(limbs, width, first + k);
            let divisions: Vec<Division<'_>> = (0..q.len() / width)
                .map(|k| Division::new(numbers(a, k), numbers(b, k)))
                .collect();
            block(Level::best(), &divisions, [q, r], width, &mut scratch);
        }
    });
    (q, r)
}

/// The quotients and remainders of at most ROWS rows.
fn block(
    level: Option<Level>,
    rows: &[Division<'_>],
    [q, r]: [&mut [u64]; 2],
    width: usize,
    scratch: &mut Vec<u64>,
) {
    let chosen = level.map_or(0, |level| in_lanes(level, rows));
    let is_chosen = |i: usize| chosen >> i & 1 == 1;
    let mut left = !chosen;
    if let (Some(level), true) = (level, chosen != 0) {
        let places: Vec<usize> = (0..rows.len()).filter(|i| is_chosen(*i)).collect();
        let divisions: Vec<Division<'_>> = places.iter().map(|i| rows[*i]).collect();
        let [mut quotients, mut remainders] = [&mut *q, &mut *r].map(|out| {
            let rows = out.chunks_exact_mut(width).enumerate();
            let rows = rows.filter(|(i, _)| is_chosen(*i));
            rows.map(|(_, row)| row).collect::<Vec<&mut [u64]>>()
        });
        let bad = level.quotients(&divisions, &mut quotients, &mut remainders, scratch);
        for (k, i) in places.iter().enumerate() {
            left |= (bad >> k & 1) << i;
        }
    }
    let out = q.chunks_exact_mut(width).zip(r.chunks_exact_mut(width));
    for (i, (q, r)) in out.enumerate() {
        if left >> i & 1 == 1 {
            one(q, r, &rows[i], scratch);
        }
    }
}

/// Fewest limbs of a quotient in lanes, and of how many limbs of a divisor it must have one at
/// least. Measured on Cascade Lake at 2.5 GHz, 2026-11-17.
const LEAST_LIMBS: u64 = 8;
const LEAST_SHARE: u64 = 4;

/// The rows, a bit each, for which lanes pay: those with long quotients whose divisors are as long
/// as the longest, or none if all of them by the floor are done before.
fn in_lanes(level: Level, rows: &[Division<'_>]) -> u8 {
    let long = |row: &Division<'_>| {
        let quotient = row.quotient_digits();
        row.fits() && quotient >= LEAST_LIMBS.max(row.digits() / LEAST_SHARE)
    };
    let digits = rows.iter().filter(|row| long(row)).map(Division::digits);
    let most = digits.max().unwrap_or(0);
    let (mut chosen, mut sum, mut longest) = (0, 0, 0);
    for (i, row) in rows.iter().enumerate() {
        if long(row) && row.digits() == most {
            chosen |= 1 << i;
            sum += row.quotient_digits();
            longest = longest.max(row.quotient_digits());
        }
    }
    if sum > level.division_cost() * longest {
        chosen
    } else {
        0
    }
}

/// The quotient and the remainder of one row by the floor.
fn one(q: &mut [u64], r: &mut [u64], row: &Division<'_>, scratch: &mut Vec<u64>) {
    let (a, b) = (row.dividend, row.divisor);
    let (m, n) = (a.len(), b.len());
    if compare(a, b).is_lt() {
        q.fill(0);
        r[..m].copy_from_slice(a);
        r[m..].fill(0);
        return;
    }
    let (q, above) = q.split_at_mut(m - n + 1);
    above.fill(0);
    if let [word] = b {
        r.fill(0);
        r[0] = div_rem_word(q, a, *word);
    } else if n >= 3 && q.len() <= FEW {
        r[..m].copy_from_slice(a);
        r[m..].fill(0);
        div_rem_few(q, &mut r[..m], b);
    } else {
        let needed = div_rem_scratch(m, n);
        if scratch.len() < needed {
            scratch.resize(needed, 0);
        }
        r[n..].fill(0);
        div_rem_to(q, &mut r[..n], a, b, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_take_what_fills_them() {
        let level = Level::Avx512Float;
        let number = |limbs: usize| vec![u64::MAX; limbs];
        let (long, half, third, word) = (number(32), number(16), number(10), number(1));
        let [full, short, other, tiny] =
            [&half, &long, &third, &word].map(|divisor| Division::new(&long, divisor));
        assert_eq!(in_lanes(level, &[full; 8]), 0xff);
        assert_eq!(in_lanes(level, &[full; 7]), 0x7f);
        assert_eq!(in_lanes(level, &[full; 4]), 0);
        assert_eq!(in_lanes(level, &[short; 8]), 0);
        assert_eq!(in_lanes(level, &[tiny; 8]), 0);
        // One row apart.
        for odd in [short, other, tiny] {
            let rows = [full, full, odd, full, full, full, full, full];
            assert_eq!(in_lanes(level, &rows), 0b1111_1011);
        }
        assert_eq!(in_lanes(level, &[]), 0);
    }

    /// Rows that lanes give up are divided by the floor: the quotients have a run of digits 0 and
    /// then one below 2^52.
    #[test]
    fn rows_that_lanes_give_up() {
        let Some(level) = Level::best() else {
            return;
        };
        let width = 40;
        let divisor: Vec<u64> = (0..16).map(|i| (u64::MAX / (i + 3)) | 1).collect();
        // d·2^(52·12) − 1: V is just below a multiple of d.
        let mut dividend = vec![0; width];
        for (i, limb) in divisor.iter().enumerate() {
            dividend[9 + i] |= limb << 48;
            dividend[10 + i] |= limb >> 16;
        }
        crate::word::sum::sub_word(&mut dividend, 1);
        let rows = [Division::new(&dividend, &divisor); 8];
        let (mut q, mut r) = (vec![7; 8 * width], vec![7; 8 * width]);
        assert_eq!(in_lanes(level, &rows), 0xff);
        let [mut quotients, mut remainders] =
            [&mut q, &mut r].map(|out| out.chunks_exact_mut(width).collect::<Vec<&mut [u64]>>());
        let bad = level.quotients(&rows, &mut quotients, &mut remainders, &mut Vec::new());
        assert_eq!(bad, 0xff);
        block(Some(level), &rows, [&mut q, &mut r], width, &mut Vec::new());
        let (mut expected, mut rest) = (vec![0; width], vec![0; width]);
        one(&mut expected, &mut rest, &rows[0], &mut Vec::new());
        assert!(q.chunks_exact(width).all(|q| q == expected));
        assert!(r.chunks_exact(width).all(|r| r == rest));
        // 2^624 − 1, and d − 1.
        assert!(expected[..9].iter().all(|limb| *limb == u64::MAX));
        assert_eq!((expected[9], expected[10]), ((1 << 48) - 1, 0));
        assert_eq!(rest[0], divisor[0] - 1);
    }
}
