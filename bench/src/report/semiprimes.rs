//! The picture of `semiprimes`: numbers a second against their bits.

use super::Headline;
use super::plot::{self, LineChart, Series, Style};
use crate::format::per_second;
use crate::record::Record;
use crate::table::contenders::Lane;

const LANES: [(Lane, &str, Style); 3] = [
    (Lane::Transfers, "GPU", line(0)),
    (Lane::AllThreads, "CPU, all threads", line(1)),
    (Lane::OneThread, "CPU, one thread", line(2)),
];

const fn line(colour: usize) -> Style {
    Style {
        colour,
        dashed: false,
    }
}

/// Title, what a reader wants first, and the picture.
pub fn parts(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let of = |lane: Lane| {
        let list = record.measurements.iter();
        list.filter(move |m| Lane::of(&m.engine) == lane)
    };
    let cards = LANES.iter().filter_map(|(lane, name, _)| {
        let m = of(*lane).find(|m| m.bits == 64)?;
        Some(Headline {
            number: per_second(1.0 / m.time.median),
            about: format!("products of two 32-bit primes factored: {name}"),
        })
    });
    let series = LANES.iter().map(|(lane, name, style)| Series {
        name: name.to_string(),
        points: of(*lane)
            .map(|m| (m.bits as f64, 1.0 / m.time.median))
            .collect(),
        style: *style,
    });
    let mut html = plot::legend(LANES.iter().map(|(_, name, style)| (*name, *style)));
    html += "<div class=\"panels wide\">\n";
    html += &LineChart {
        title: "Balanced semiprimes factored a second".into(),
        x_label: "bits",
        y_label: "numbers a second",
        y_text: per_second,
        series: series.filter(|s| !s.points.is_empty()).collect(),
        marks: Vec::new(),
        ratio: false,
        extent: (520.0, 330.0),
    }
    .figure();
    ("Semiprimes", cards.collect(), html + "</div>\n")
}
