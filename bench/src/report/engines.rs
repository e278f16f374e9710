//! What `threads`, `placement`, `programs` and `commands` found, in a card each.

use super::{Headline, Parts};
use crate::contenders::threads::{COUNTS, engine};
use crate::format::{size_raised, times};
use crate::record::Record;
use crate::table::engines::{median, pieces};

/// A title, and what `auto` takes of the time of the better engine.
pub fn choice(title: &'static str, record: &Record) -> Parts {
    let measured = record.measurements.iter();
    // `commands` names the first device without its number.
    let device = measured.map(|m| m.engine.as_str());
    let device = device.into_iter().find(|name| name.starts_with("cuda"));
    let ratio = |piece| {
        let at = |engine: &str| median(record, piece, engine);
        Some(at("auto")? / at("cpu")?.min(at(device?)?))
    };
    let mut ratios: Vec<f64> = pieces(record).into_iter().filter_map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    // One alone is no median.
    let worst = ratios.last().filter(|_| ratios.len() > 1);
    let card = worst.map(|worst| Headline {
        number: times(ratios[ratios.len() / 2]),
        about: format!(
            "the time of auto over that of the better engine, median of {} measurements; {} at \
             most",
            ratios.len(),
            times(*worst)
        ),
    });
    (title, card.into_iter().collect(), String::new())
}

/// `threads`: a title, and what all threads gain over one.
pub fn threads(title: &'static str, record: &Record) -> Parts {
    let gain = |piece: (&'_ str, u64)| {
        let at = |count: usize| median(record, piece, &engine(count));
        let (most, time) = COUNTS.iter().rev().find_map(|(n, _)| Some((*n, at(*n)?)))?;
        Some((at(1)? / time, most, piece.0.to_string(), piece.1))
    };
    let gains = pieces(record).into_iter().filter_map(gain);
    let card = gains.max_by(|a, b| a.0.total_cmp(&b.0));
    let card = card.map(|(gain, most, operation, bits)| Headline {
        number: times(gain),
        about: format!(
            "{operation} at {} bits with {most} threads over one, the most of all",
            size_raised(bits)
        ),
    });
    (title, card.into_iter().collect(), String::new())
}
