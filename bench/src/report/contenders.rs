//! The pictures of `mul`, `div`, `radix`, `gcd` and `poly`: time and speed-up against size.

use super::plot::{self, LineChart, Series, Style};
use super::{Headline, raised};
use crate::contenders::{FLINT, FLINT_ALL};
use crate::format::{percent, seconds, significant, size_raised, times};
use crate::record::{Measurement, Record};
use crate::table::contenders::{Lane, Unit, from, is_series, operations};

const LANES: [(Lane, &str, Style); 4] = [
    (Lane::Device, "GPU", line(0, false)),
    (Lane::Transfers, "GPU, transfers included", line(0, true)),
    (Lane::AllThreads, "CPU, all threads", line(1, false)),
    (Lane::OneThread, "CPU, 1 thread", line(1, true)),
];

const LIBRARIES: [(&str, Style); 4] = [
    ("malachite", line(2, false)),
    ("GMP", line(3, false)),
    (FLINT, line(4, true)),
    (FLINT_ALL, line(4, false)),
];

const fn line(colour: usize, dashed: bool) -> Style {
    Style { colour, dashed }
}

/// Title, what a reader wants first, and the pictures.
pub fn parts(title: &'static str, record: &Record) -> (&'static str, Vec<Headline>, String) {
    (title, headlines(record), pictures(record))
}

fn of<'a>(
    record: &'a Record,
    operation: &'a str,
    lane: Lane,
) -> impl Iterator<Item = &'a Measurement> {
    let measured = record.measurements.iter();
    measured.filter(move |m| m.operation == operation && Lane::of(&m.engine) == lane)
}

/// Of each operation the largest size that a library was measured at, in the best lane; and where
/// the GPU leads.
fn headlines(record: &Record) -> Vec<Headline> {
    let (unit, mut cards) = (Unit::of(record), Vec::new());
    for operation in operations(record) {
        let lanes = [Lane::Device, Lane::Transfers, Lane::AllThreads];
        let compared = |lane| {
            let list = of(record, operation, lane).filter(|m| !m.baselines.is_empty());
            list.max_by_key(|m| m.bits)
        };
        let Some(m) = lanes.into_iter().find_map(compared) else {
            continue;
        };
        let against: Vec<String> = m
            .baselines
            .iter()
            .map(|b| format!("{} over {}", times(b.ratio), b.name))
            .collect();
        let mut about = format!(
            "{operation} at {} {} on {}: {}",
            size_raised(unit.size(m)),
            unit.name,
            m.engine,
            against.join(", ")
        );
        if let Some(share) = m.share_of_limit {
            about += &format!("; {} of the arithmetic limit", percent(share));
        }
        if let Some(products) = m.products {
            about += &format!("; {} products", significant(products));
        }
        cards.push(Headline {
            number: seconds(m.time.median),
            about,
        });
    }
    for lead in record.leads.iter().filter(|lead| lead.bits.is_some()) {
        cards.push(Headline {
            number: from(lead)
                .split(' ')
                .map(raised)
                .collect::<Vec<_>>()
                .join(" "),
            about: format!(
                "bits from which {} on {} is faster than all CPU code ({} there)",
                lead.operation, lead.engine, lead.rival
            ),
        });
    }
    cards
}

fn pictures(record: &Record) -> String {
    let lanes = LANES.iter().map(|(lane, name, style)| {
        let there = record
            .measurements
            .iter()
            .any(|m| Lane::of(&m.engine) == *lane);
        (*name, *style, there)
    });
    let libraries = LIBRARIES.iter().map(|(name, style)| {
        let there = record
            .measurements
            .iter()
            .any(|m| m.baseline(name).is_some());
        (*name, *style, there)
    });
    let there = |(name, style, there): (_, _, bool)| there.then_some((name, style));
    let ours: Vec<_> = lanes.filter_map(there).collect();
    let theirs: Vec<_> = libraries.filter_map(there).collect();
    let mut html = String::from(
        "<h3>Time against size</h3>\n<p class=\"about\">Both scales are logarithmic. malachite, \
         GMP and FLINT without “all threads” run on one core.</p>\n",
    );
    html += &plot::legend(ours.iter().chain(&theirs).copied());
    html += "<div class=\"panels wide\">\n";
    let series = || {
        let all = operations(record).into_iter();
        all.filter(|operation| is_series(record, operation))
    };
    for operation in series() {
        html += &time(record, operation);
    }
    html += "</div>\n<h3>Speed-up against size</h3>\n<p class=\"about\">Above the dotted line the \
             engine is faster than the library.</p>\n";
    html += &plot::legend(ours);
    html += "<div class=\"panels wide\">\n";
    for operation in series() {
        for (name, _) in LIBRARIES.iter().rev() {
            html += &speed_up(record, operation, name);
        }
    }
    html + "</div>\n"
}

fn time(record: &Record, operation: &str) -> String {
    let unit = Unit::of(record);
    let library = |(name, style): &(&str, Style)| {
        // Every lane carries the same times of the libraries.
        let all = record.measurements.iter();
        let mut points: Vec<_> = all
            .filter(|m| m.operation == operation)
            .filter_map(|m| Some((unit.size(m) as f64, m.baseline(name)?.time.median)))
            .collect();
        points.dedup();
        series(name, *style, points.into_iter())
    };
    let lane = |(lane, name, style): &(Lane, &str, Style)| {
        let points = of(record, operation, *lane).map(|m| (unit.size(m) as f64, m.time.median));
        series(name, *style, points)
    };
    let all = LIBRARIES.iter().map(library).chain(LANES.iter().map(lane));
    chart(&unit, operation.to_string(), "time", seconds, all, false)
}

fn speed_up(record: &Record, operation: &str, library: &str) -> String {
    let unit = Unit::of(record);
    let lane = |(lane, name, style): &(Lane, &str, Style)| {
        let points = of(record, operation, *lane)
            .filter_map(|m| Some((unit.size(m) as f64, m.baseline(library)?.ratio)));
        series(name, *style, points)
    };
    let title = format!("{operation}, over {library}");
    let all = LANES.iter().map(lane);
    chart(&unit, title, "speed-up", times, all, true)
}

fn series(name: &str, style: Style, points: impl Iterator<Item = (f64, f64)>) -> Series {
    Series {
        name: name.to_string(),
        points: points.collect(),
        style,
    }
}

fn chart(
    unit: &Unit,
    title: String,
    y_label: &'static str,
    y_text: fn(f64) -> String,
    all: impl Iterator<Item = Series>,
    ratio: bool,
) -> String {
    LineChart {
        title,
        x_label: unit.name,
        y_label,
        y_text,
        series: all.filter(|s| !s.points.is_empty()).collect(),
        marks: Vec::new(),
        ratio,
        extent: (520.0, 330.0),
    }
    .figure()
}
