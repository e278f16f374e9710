//! Where the lines of a grid are, on logarithmic axes.

use crate::format::{count, power, power_of};

/// Most places of an axis.
const MOST: usize = 7;

/// The multiples 1, 2 and 5 of powers of ten just below and just above two values.
pub(super) fn around(low: f64, high: f64) -> (f64, f64) {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all = || (first..=last).flat_map(round).chain([10f64.powi(last + 1)]);
    // Values that are such a multiple but for rounding.
    let (below, above) = (low * (1.0 + 1e-9), high * (1.0 - 1e-9));
    let start = all()
        .filter(|value| *value <= below)
        .fold(10f64.powi(first), f64::max);
    let end = all().find(|value| *value >= above && *value > start);
    (start, end.unwrap_or(10.0 * start))
}

fn round(decade: i32) -> [f64; 3] {
    [1.0, 2.0, 5.0].map(|multiple| multiple * 10f64.powi(decade))
}

/// Powers of ten between two values, and their multiples too where there are few.
pub(super) fn values(low: f64, high: f64) -> Vec<f64> {
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let is_inside = |value: &f64| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9);
    let all = decades.clone().flat_map(round).filter(is_inside);
    let all: Vec<f64> = all.collect();
    if all.len() <= MOST {
        return all;
    }
    let tens: Vec<f64> = decades.map(|k| 10f64.powi(k)).filter(is_inside).collect();
    let step = tens.len().div_ceil(MOST + 1).max(1);
    tens.into_iter().step_by(step).collect()
}

/// Places for sizes between two: powers of two or of ten, whichever more of the sizes are, or even
/// steps where hardly any is one.
pub(super) fn sizes(all: &[f64], (low, high): (f64, f64)) -> Vec<(f64, String)> {
    let mut all = all.to_vec();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let powers = |base: f64| {
        let is_power = |size: &&f64| {
            let log = size.ln() / base.ln();
            (log - log.round()).abs() < 1e-9
        };
        all.iter().filter(is_power).count()
    };
    let (twos, tens) = (powers(2.0), powers(10.0));
    if twos.max(tens) < 2 {
        return steps(low, high);
    }
    let base: u32 = if tens > twos { 10 } else { 2 };
    let log = |size: f64| size.ln() / f64::from(base).ln();
    let (first, last) = (
        (log(low) - 1e-9).ceil() as u32,
        (log(high) + 1e-9).floor() as u32,
    );
    let step = (last.saturating_sub(first) as usize).div_ceil(6).max(1);
    let step = if base == 2 {
        step.next_power_of_two()
    } else {
        step
    };
    let name = |k| {
        if base == 2 {
            power(k)
        } else {
            power_of(base, k)
        }
    };
    let places = (first..=last).step_by(step);
    places
        .map(|k| (f64::from(base).powi(k as i32), name(k)))
        .collect()
}

fn steps(low: f64, high: f64) -> Vec<(f64, String)> {
    let decade = (high - low).log10().floor() as i32;
    let wanted = (decade - 1..=decade).flat_map(round);
    let mut wanted = wanted.filter(|step| *step >= 1.0 && (high - low) / step < MOST as f64);
    let step = wanted.next().unwrap_or(high - low).max(1.0);
    let (first, last) = ((low / step).ceil() as u64, (high / step).floor() as u64);
    let places = (first..=last).map(|k| k as f64 * step);
    places.map(|size| (size, count(size as u64))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_round_and_hold_the_values() {
        assert_eq!(around(0.3, 45.0), (0.2, 50.0));
        assert_eq!(around(1.0, 1.0), (1.0, 2.0));
        assert_eq!(around(1e-6, 1e-2), (1e-6, 1e-2));
        assert_eq!(around(7.0, 8.0), (5.0, 10.0));
        for k in -90..90 {
            let (low, high) = (1.17f64.powi(k), 1.17f64.powi(k + k.abs() % 40));
            let (start, end) = around(low, high);
            assert!(start <= low * (1.0 + 1e-9) && end >= high * (1.0 - 1e-9));
            assert!(start < end && start > low / 2.6 && end <= high * 2.6, "{k}");
            let values = values(start, end);
            assert!(values.len() >= 2 && values.len() <= MOST + 1, "{values:?}");
        }
    }

    #[test]
    fn sizes_have_the_base_that_most_are_powers_of() {
        let words = |sizes: &[f64]| {
            let ends = (sizes[0], sizes[sizes.len() - 1]);
            let words = super::sizes(sizes, ends)
                .into_iter()
                .map(|(_, words)| words);
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            words(&[1e5, 1e6, 1e7, 1e8, 1e9, 1e10]),
            "10⁵ 10⁶ 10⁷ 10⁸ 10⁹ 10¹⁰"
        );
        assert_eq!(words(&[64.0, 256.0, 1024.0]), "2⁶ 2⁷ 2⁸ 2⁹ 2¹⁰");
        assert_eq!(words(&[1000.0, 8000.0, 1e4, 1e5]), "10³ 10⁴ 10⁵");
        assert_eq!(words(&[1.0, 2.0, 4.0, 8.0]), "2⁰ 2¹ 2² 2³");
        assert_eq!(words(&[40.0, 50.0, 65.0, 100.0]), "40 50 60 70 80 90 100");
        assert_eq!(
            words(&[2.0f64.powi(10), 2.0f64.powi(32)]),
            "2¹⁰ 2¹⁴ 2¹⁸ 2²² 2²⁶ 2³⁰"
        );
    }
}
