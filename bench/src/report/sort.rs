//! The pictures of `sort`, keys a second against the number of keys, and of `mmm-sort`, ratios
//! against the bits of a pass.

use super::Headline;
use super::plot::{self, LineChart, Series, Style};
use crate::format::{rate, significant, size_raised, times};
use crate::record::{Measurement, Record};
use crate::sort::{CUB, STD, keys, mmm};
use crate::table::contenders::{Lane, operations};
use crate::table::papers::values;

const LANES: [(Lane, &str, Style); 3] = [
    (Lane::Device, "GPU", line(0, false)),
    (Lane::Transfers, "GPU, transfers included", line(0, true)),
    (Lane::AllThreads, "CPU, all threads", line(1, false)),
];

const OTHERS: [(&str, &str, Style); 2] = [
    (CUB, "CUB", line(2, false)),
    (STD, "standard library, one core", line(3, false)),
];

const fn line(colour: usize, dashed: bool) -> Style {
    Style { colour, dashed }
}

/// Title, what a reader wants first, and the pictures.
pub fn parts(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let mut cards = Vec::new();
    let legend = LANES.map(|(_, name, style)| (name, style));
    let others = OTHERS.map(|(_, name, style)| (name, style));
    let mut html = String::from(
        "<h3>Keys a second</h3>\n<p class=\"about\">Both scales are logarithmic. A kind with a + \
         has a value to each key.</p>\n",
    );
    html += &plot::legend(legend.into_iter().chain(others));
    html += "<div class=\"panels wide\">\n";
    for kind in operations(record) {
        let list: Vec<&Measurement> = record
            .measurements
            .iter()
            .filter(|m| m.operation == kind)
            .collect();
        cards.extend(headline(&list));
        html += &chart(kind, &list);
    }
    ("Radix sort", cards, html + "</div>\n")
}

/// `mmm-sort`: the same.
pub fn by_bits(record: &Record) -> (&'static str, Vec<Headline>, String) {
    let points = |quantity, paper: bool| -> Vec<(f64, f64)> {
        let all = values(record, mmm::SECTION, quantity);
        all.filter_map(|r| Some((r.x, if paper { r.paper? } else { r.here? })))
            .collect()
    };
    let lines = [
        ("measured", line(0, false), points(mmm::RATIO, false)),
        ("Corollary 1", line(1, false), points(mmm::RATIO, true)),
        (
            "calibrated model",
            line(2, false),
            points(mmm::CALIBRATED, false),
        ),
        ("work, equation (8)", line(3, true), points(mmm::WORK, true)),
        (
            "overhead, equation (9)",
            line(4, true),
            points(mmm::OVERHEAD, true),
        ),
    ];
    let best = |points: &[(f64, f64)]| points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let cards = lines[..3].iter().filter_map(|(name, _, points)| {
        let (s, ratio) = best(points)?;
        Some(Headline {
            number: format!("s = {s}"),
            about: format!(
                "{name}: the best number of bits a pass, {} over one bit",
                times(ratio)
            ),
        })
    });
    let cards = cards.collect();
    let mut html = plot::legend(lines.iter().map(|(name, style, _)| (*name, *style)));
    html += "<div class=\"panels wide\">\n";
    html += &LineChart {
        title: "One bit a pass over s bits".into(),
        x_label: "s",
        y_label: "ratio",
        y_text: significant,
        series: lines
            .into_iter()
            .filter(|(.., points)| !points.is_empty())
            .map(|(name, style, points)| Series {
                name: name.to_string(),
                points,
                style,
            })
            .collect(),
        marks: Vec::new(),
        ratio: true,
        extent: (520.0, 330.0),
    }
    .figure();
    ("Radix sort by bits a pass", cards, html + "</div>\n")
}

/// The most keys, on the device if there is one.
fn headline(list: &[&Measurement]) -> Option<Headline> {
    let lane = |lane| {
        let of = list.iter().filter(move |m| Lane::of(&m.engine) == lane);
        of.max_by_key(|m| m.bits)
    };
    let m = lane(Lane::Device).or_else(|| lane(Lane::AllThreads))?;
    let mut about = format!(
        "{} keys of {} on {}",
        size_raised(keys(m)),
        m.operation,
        m.engine
    );
    for b in &m.baselines {
        about += &format!("; {} over {}", times(b.ratio), b.name);
    }
    Some(Headline {
        number: rate(keys(m) as f64 / m.time.median),
        about,
    })
}

fn chart(kind: &str, list: &[&Measurement]) -> String {
    let point = |m: &Measurement, seconds: f64| (keys(m) as f64, keys(m) as f64 / seconds);
    let ours = LANES.iter().map(|(lane, name, style)| {
        let of = list.iter().filter(|m| Lane::of(&m.engine) == *lane);
        (*name, *style, of.map(|m| point(m, m.time.median)).collect())
    });
    let theirs = OTHERS.iter().map(|(baseline, name, style)| {
        let mut points: Vec<(f64, f64)> = list
            .iter()
            .filter_map(|m| Some(point(m, m.baseline(baseline)?.time.median)))
            .collect();
        // Several lanes carry the same time.
        points.dedup();
        (*name, *style, points)
    });
    let series = ours.chain(theirs).map(|(name, style, points)| Series {
        name: name.to_string(),
        points,
        style,
    });
    LineChart {
        title: kind.to_string(),
        x_label: "keys",
        y_label: "keys a second",
        y_text: rate,
        series: series.filter(|s| !s.points.is_empty()).collect(),
        marks: Vec::new(),
        ratio: false,
        extent: (520.0, 330.0),
    }
    .figure()
}
