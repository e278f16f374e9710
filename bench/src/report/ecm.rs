//! The pictures of `ecm`: curves a second against the bits of n, and the times of planted factors
//! in order.

use super::Headline;
use super::plot::{self, LineChart, Series, Style};
use crate::ecm::{BOTH, STAGE_1};
use crate::format::{per_second, seconds};
use crate::record::Record;
use crate::table::contenders::Lane;
use crate::table::ecm::{planted, rate};

const LINES: [(&str, &str, Lane, Style); 6] = [
    ("GPU, stage 1", STAGE_1, Lane::Device, line(0, false)),
    ("GPU, both stages", BOTH, Lane::Device, line(0, true)),
    ("CPU, stage 1", STAGE_1, Lane::AllThreads, line(1, false)),
    ("CPU, both stages", BOTH, Lane::AllThreads, line(1, true)),
    (
        "1 thread, stage 1",
        STAGE_1,
        Lane::OneThread,
        line(2, false),
    ),
    (
        "1 thread, both stages",
        BOTH,
        Lane::OneThread,
        line(2, true),
    ),
];

const fn line(colour: usize, dashed: bool) -> Style {
    Style { colour, dashed }
}

/// Title, what a reader wants first, and the pictures.
pub fn parts(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let mut sizes: Vec<u64> = record.measurements.iter().map(|m| m.bits).collect();
    sizes.dedup();
    let lines = LINES.map(|(name, operation, lane, style)| {
        let point = |bits: &u64| Some((*bits as f64, rate(record, operation, lane, *bits)?));
        Series {
            name: name.to_string(),
            points: sizes.iter().filter_map(point).collect(),
            style,
        }
    });
    let lines: Vec<Series> = lines.into_iter().filter(|l| !l.points.is_empty()).collect();
    let mut cards: Vec<Headline> = lines
        .iter()
        .take(2)
        .map(|line| Headline {
            number: per_second(line.points[0].1),
            about: format!("{} modulo {} bits", line.name, line.points[0].0),
        })
        .collect();
    let found = planted(record);
    if let Some(median) = found.get(found.len() / 2) {
        cards.push(Headline {
            number: seconds(*median),
            about: format!("median time to find one of {} planted factors", found.len()),
        });
    }
    let mut html = plot::legend(LINES.map(|(name, _, _, style)| (name, style)));
    html += "<div class=\"panels wide\">\n";
    let chart = |title: &str, labels: [&'static str; 2], y_text: fn(f64) -> String, series| {
        let [x_label, y_label] = labels;
        LineChart {
            title: title.into(),
            x_label,
            y_label,
            y_text,
            series,
            marks: Vec::new(),
            ratio: false,
            extent: (520.0, 330.0),
        }
        .figure()
    };
    html += &chart(
        "Curves a second",
        ["bits of n", "curves a second"],
        per_second,
        lines,
    );
    if !found.is_empty() {
        let points = (1..).zip(found).map(|(i, t)| (f64::from(i), t)).collect();
        let series = vec![Series {
            name: "time to find".into(),
            points,
            style: line(0, false),
        }];
        html += &chart(
            "Planted factors",
            ["numbers", "found within"],
            seconds,
            series,
        );
    }
    ("Elliptic curve method", cards, html + "</div>\n")
}
