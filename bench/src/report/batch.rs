//! The pictures of `batch`: numbers a second against their size.

use super::Headline;
use super::plot::{self, LineChart, Series, Style};
use crate::batch::{CGBN, GMP};
use crate::format::{count, per_second, times};
use crate::record::{Measurement, Record};
use crate::table::contenders::{Lane, operations};

const GPU_LINE: (&str, Style) = ("GPU", line(0));
const CPU_LINE: (&str, Style) = ("CPU, all threads", line(1));
const GMP_LINE: (&str, Style) = ("GMP, all cores", line(3));
const CGBN_LINE: (&str, Style) = (CGBN, line(2));

const fn line(colour: usize) -> Style {
    Style {
        colour,
        dashed: false,
    }
}

/// Title, what a reader wants first, and the pictures.
pub fn parts(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let cards = record.reproduced.iter().filter_map(|r| {
        let (theirs, ours) = (r.paper?, r.here?);
        Some(Headline {
            number: per_second(ours),
            about: format!(
                "{} of {} bits on the GPU; {} over CGBN",
                r.quantity,
                count(r.x as u64),
                times(ours / theirs)
            ),
        })
    });
    let mut cards: Vec<Headline> = cards.collect();
    if cards.is_empty() {
        cards.extend(beside_gmp(record));
    }
    let mut html = String::from(
        "<h3>Numbers a second</h3>\n<p class=\"about\">Both scales are logarithmic.</p>\n",
    );
    let is_there = |lane| {
        record
            .measurements
            .iter()
            .any(|m| Lane::of(&m.engine) == lane)
    };
    let is_compared = record.reproduced.iter().any(|r| r.paper.is_some());
    let has_gmp = record
        .measurements
        .iter()
        .any(|m| m.baseline(GMP).is_some());
    let lines = [
        (GPU_LINE, is_there(Lane::Device)),
        (CGBN_LINE, is_compared),
        (GMP_LINE, has_gmp),
        (CPU_LINE, is_there(Lane::AllThreads)),
    ];
    let lines = lines.into_iter().filter(|(_, is_there)| *is_there);
    html += &plot::legend(lines.map(|(line, _)| line));
    html += "<div class=\"panels wide\">\n";
    for operation in operations(record) {
        html += &chart(record, operation);
    }
    ("Arithmetic on many rows", cards, html + "</div>\n")
}

/// Rows of 2048 bits on all threads, where there is no GPU to compare.
fn beside_gmp(record: &Record) -> impl Iterator<Item = Headline> {
    let measured = record.measurements.iter();
    let list = measured.filter(|m| m.bits == 2048 && Lane::of(&m.engine) == Lane::AllThreads);
    list.filter_map(|m| {
        let gmp = m.baseline(GMP)?;
        Some(Headline {
            number: per_second(1.0 / m.time.median),
            about: format!(
                "{} of {} bits on all threads; {} over GMP on all cores",
                m.operation,
                count(m.bits),
                times(gmp.ratio)
            ),
        })
    })
}

fn chart(record: &Record, operation: &str) -> String {
    let all = record.measurements.iter();
    let list: Vec<&Measurement> = all.filter(|m| m.operation == operation).collect();
    let point = |bits: f64, seconds: f64| (bits, 1.0 / seconds);
    let ours = |lane: Lane| {
        let of = list.iter().filter(move |m| Lane::of(&m.engine) == lane);
        of.map(|m| point(m.bits as f64, m.time.median)).collect()
    };
    let theirs = list.iter().filter_map(|m| Some((m, m.baseline(GMP)?)));
    let mut gmp: Vec<(f64, f64)> = theirs
        .map(|(m, b)| point(m.bits as f64, b.time.median))
        .collect();
    // Several lanes carry the same time.
    gmp.dedup();
    let known = record.reproduced.iter().filter(|r| r.quantity == operation);
    let known = known.filter_map(|r| Some((r.x, r.paper?))).collect();
    let series = [
        (GPU_LINE, ours(Lane::Device)),
        (CGBN_LINE, known),
        (GMP_LINE, gmp),
        (CPU_LINE, ours(Lane::AllThreads)),
    ];
    let series = series.map(|((name, style), points)| Series {
        name: name.to_string(),
        points,
        style,
    });
    LineChart {
        title: operation.to_string(),
        x_label: "bits",
        y_label: "numbers a second",
        y_text: per_second,
        series: series
            .into_iter()
            .filter(|s| !s.points.is_empty())
            .collect(),
        marks: Vec::new(),
        ratio: false,
        extent: (520.0, 330.0),
    }
    .figure()
}
