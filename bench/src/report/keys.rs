//! The pictures of `batch-gcd`, time against the number of moduli, and of `beranek`, time against
//! threads a block.

use super::Headline;
use super::plot::{self, Series, Style};
use crate::batch_gcd::{PAIRWISE, moduli};
use crate::beranek;
use crate::format::{count, seconds, significant, times};
use crate::record::Record;
use crate::table::papers::values;

/// Its name, its style and its points.
type Line<'a> = (&'a str, Style, Vec<(f64, f64)>);

const fn line(colour: usize, dashed: bool) -> Style {
    Style { colour, dashed }
}

/// `batch-gcd`: title, what a reader wants first, and the picture.
pub fn batch_gcd(record: &Record) -> (&'static str, Vec<Headline>, String) {
    // Commands that read files have other names.
    let of = |on_device: bool| {
        let name = if on_device { "cuda" } else { "cpu" };
        let measurements = record.measurements.iter();
        measurements.filter(move |m| m.engine.starts_with(name))
    };
    let mut cards = Vec::new();
    for list in [of(true).collect::<Vec<_>>(), of(false).collect()] {
        let Some(m) = list.iter().max_by_key(|m| m.bits) else {
            continue;
        };
        let mut about = format!("{} moduli of 2048 bits on {}", count(moduli(m)), m.engine);
        if let Some(b) = m.baseline(PAIRWISE) {
            about += &format!(
                "; all pairs would take {}, {}",
                seconds(b.time.median),
                times(b.ratio)
            );
        }
        let number = seconds(m.time.median);
        cards.push(Headline { number, about });
    }
    let points = |on_device| {
        of(on_device)
            .map(|m| (moduli(m) as f64, m.time.median))
            .collect()
    };
    let mut pairs: Vec<(f64, f64)> = record
        .measurements
        .iter()
        .filter_map(|m| Some((moduli(m) as f64, m.baseline(PAIRWISE)?.time.median)))
        .collect();
    pairs.dedup();
    let lines: [Line<'_>; 3] = [
        ("GPU", line(0, false), points(true)),
        ("CPU, all threads", line(1, false), points(false)),
        ("all pairs on the CPU, extrapolated", line(2, true), pairs),
    ];
    let html = picture("Shared factors", "moduli", "seconds", lines.into(), seconds);
    ("Keys that share a prime", cards, html)
}

/// `beranek`: the same.
pub fn beranek(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let mut cards = Vec::new();
    let mut html = String::new();
    for beranek::Figure { name: figure, .. } in beranek::FIGURES {
        if let Some(mean) = values(record, figure, beranek::MEAN).next()
            && let (Some(paper), Some(here)) = (mean.paper, mean.here)
        {
            cards.push(Headline {
                number: times(paper / here),
                about: format!(
                    "{figure}: the mean over all shapes, {} ms here and {} ms in the paper",
                    significant(here),
                    significant(paper)
                ),
            });
        }
        let side = |(colour, blocks): (usize, &u32)| {
            let name = beranek::blocks(*blocks);
            let row = values(record, figure, &name).filter_map(|r| Some((r.x, r.here?)));
            let points: Vec<(f64, f64)> = row.collect();
            (name, line(colour, false), points)
        };
        let named: Vec<_> = beranek::BLOCKS.iter().enumerate().map(side).collect();
        if named.iter().all(|(_, _, points)| points.is_empty()) {
            continue;
        }
        let lines = named
            .iter()
            .map(|(name, style, points)| (name.as_str(), *style, points.clone()));
        html += &picture(
            &format!("{figure}: time"),
            "threads a block",
            "ms",
            lines.collect(),
            significant,
        );
    }
    if let Some(here) = values(record, "Fig. 4", beranek::LIBRARY)
        .next()
        .and_then(|r| r.here)
    {
        cards.push(Headline {
            number: format!("{} µs", significant(here)),
            about: "the same number by this library on the host, by its test for perfect powers: \
                it is a prime’s square"
                .into(),
        });
    }
    ("Beránek’s Pollard rho", cards, html)
}

fn picture(
    title: &str,
    x_label: &'static str,
    y_label: &'static str,
    lines: Vec<Line<'_>>,
    y_text: fn(f64) -> String,
) -> String {
    let series = lines.into_iter().map(|(name, style, points)| Series {
        name: name.to_string(),
        points,
        style,
    });
    plot::one_chart(title, (x_label, y_label), y_text, series.collect())
}
