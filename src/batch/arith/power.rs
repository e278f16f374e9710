//! Powers of rows on the host: eight at once in the lanes of vectors where that pays, others one by
//! one.

use super::cpu::{power, put, row};
use super::lanes::{Level, MOST_LIMBS, Power, ROWS};
use crate::batch::limb_pool;
use crate::modp::words;
use crate::progress::Pulse;
use crate::threads;
use crate::word::{bit_length, significant};

/// Fewest limbs of a modulus in lanes. Arithmetic on one or two words is faster by itself.
const LEAST_LIMBS: usize = 3;

/// base^exponent modulo the modulus in each row, unless it is to stop; no modulus is zero.
pub(super) fn pow_mod(base: &[u64], exponent: &[u64], modulus: &[u64], width: usize) -> Vec<u64> {
    let mut out = limb_pool::unspecified(base.len());
    let count = base.len() / width;
    // Every thread gets a share before a vector is filled.
    let rows = count.div_ceil(threads::count()).clamp(1, ROWS);
    let pulse = Pulse::of_thread();
    threads::chunks_mut(&mut out, rows * width, 1, |i, out| {
        if !pulse.goes_on() {
            return;
        }
        let powers: Vec<Power<'_>> = (rows * i..count.min(rows * (i + 1)))
            .map(|i| Power {
                base: row(base, width, i),
                exponent: row(exponent, width, i),
                modulus: row(modulus, width, i),
            })
            .collect();
        block(Level::best(), &powers, width, out);
    });
    out
}

/// The powers of at most ROWS rows.
fn block(level: Option<Level>, rows: &[Power<'_>], width: usize, out: &mut [u64]) {
    let mut out: Vec<&mut [u64]> = out.chunks_exact_mut(width).collect();
    let chosen = level.map_or_else(Vec::new, |level| in_lanes(level, rows));
    for (i, row) in rows.iter().enumerate() {
        if chosen.contains(&i) {
            continue;
        }
        match (row.base, row.exponent, row.modulus) {
            ([base], [exponent], [modulus]) if modulus % 2 == 1 => {
                out[i][0] = words::pow_mod(*base, *exponent, *modulus);
            }
            _ => put(out[i], &power(row.base, row.exponent, row.modulus)),
        }
    }
    if let (Some(level), false) = (level, chosen.is_empty()) {
        let powers: Vec<Power<'_>> = chosen.iter().map(|i| rows[*i]).collect();
        level.powers(&powers, &mut |i, power| {
            let (low, high) = out[chosen[i]].split_at_mut(power.len());
            low.copy_from_slice(power);
            high.fill(0);
        });
    }
}

/// The rows for which lanes pay: those with odd moduli of fitting lengths, or none if all of them
/// by the floor are done before lanes as long as the longest.
fn in_lanes(level: Level, rows: &[Power<'_>]) -> Vec<usize> {
    let fits = |row: &Power<'_>| {
        let limbs = significant(row.modulus);
        row.modulus[0] % 2 == 1 && (LEAST_LIMBS..=MOST_LIMBS).contains(&limbs)
    };
    let chosen: Vec<usize> = (0..rows.len()).filter(|i| fits(&rows[*i])).collect();
    // Products of limbs that a power takes, up to a factor.
    let work = |limbs: usize, bits: u64| (limbs * limbs) as u128 * u128::from(bits);
    let (mut sum, mut most_limbs, mut most_bits) = (0, 0, 0);
    for row in chosen.iter().map(|i| &rows[*i]) {
        let (limbs, bits) = (significant(row.modulus), bit_length(row.exponent));
        sum += work(limbs, bits);
        (most_limbs, most_bits) = (most_limbs.max(limbs), most_bits.max(bits));
    }
    if sum > level.power_cost() * work(most_limbs, most_bits) {
        chosen
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `bits` ones, in rows of four limbs.
    fn ones(bits: u64) -> Vec<u64> {
        let limb = |i: u64| match bits.saturating_sub(64 * i) {
            0 => 0,
            left => u64::MAX >> (64 - left.min(64)),
        };
        (0..4).map(limb).collect()
    }

    #[test]
    fn lanes_take_what_fills_them() {
        let level = Level::Avx512Float;
        let even = [2, 0, 0, 1];
        let (long, short, word) = (ones(256), ones(20), ones(64));
        let row = |exponent, modulus| Power {
            base: &long,
            exponent,
            modulus,
        };
        let full = row(&long, &long);
        assert_eq!(in_lanes(level, &[full; 8]), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(in_lanes(level, &[full; 5]), [0, 1, 2, 3, 4]);
        assert!(in_lanes(level, &[full; 4]).is_empty());
        // Even moduli and short ones stay out; short exponents do not fill a lane.
        let (even, word) = (row(&long, &even), row(&long, &word));
        let mixed = [even, full, full, word, full, full, full, even];
        assert_eq!(in_lanes(level, &mixed), [1, 2, 4, 5, 6]);
        let brief = row(&short, &long);
        let mixed = [full, full, full, full, brief, brief, brief, brief];
        assert_eq!(in_lanes(level, &mixed), [0, 1, 2, 3, 4, 5, 6, 7]);
        let mixed = [full, full, full, brief, brief, brief, brief, brief];
        assert!(in_lanes(level, &mixed).is_empty());
        assert!(in_lanes(level, &[]).is_empty());
    }
}
