//! The pictures of `linear`: share of the copy bandwidth, time against size, speed-up against size.

use std::fmt::Write;

use super::plot::{self, LineChart, Series, Style};
use super::{Headline, main_engine};
use crate::format::{bandwidth, percent, seconds, size_raised, times};
use crate::operation::Operation;
use crate::record::{Measurement, Record};

/// The operations that a copy is the measure of.
const BOUND: [Operation; 10] = [
    Operation::Add,
    Operation::Sub,
    Operation::And,
    Operation::Or,
    Operation::Xor,
    Operation::ShiftLeft1,
    Operation::ShiftLeft67,
    Operation::ShiftRight67,
    Operation::Fill,
    Operation::Popcount,
];

/// One of each kind, for charts that would otherwise have lines on top of each other.
const KINDS: [Operation; 8] = [
    Operation::Add,
    Operation::And,
    Operation::Not,
    Operation::ShiftLeft67,
    Operation::Fill,
    Operation::Popcount,
    Operation::Hamming,
    Operation::Compare,
];

const BASELINES: [&str; 2] = ["malachite", "GMP"];

fn solid(colour: usize) -> Style {
    Style {
        colour,
        dashed: false,
    }
}

fn largest(record: &Record) -> u64 {
    record
        .measurements
        .iter()
        .map(|m| m.bits)
        .max()
        .unwrap_or(0)
}

/// Engines in the order they were measured.
fn engines(record: &Record) -> Vec<String> {
    let mut engines: Vec<String> = Vec::new();
    for m in &record.measurements {
        if !engines.contains(&m.engine) {
            engines.push(m.engine.clone());
        }
    }
    engines
}

fn of<'a>(
    record: &'a Record,
    operation: &'a str,
    engine: &'a str,
) -> impl Iterator<Item = &'a Measurement> {
    let measured = record.measurements.iter();
    measured.filter(move |m| m.operation == operation && m.engine == engine)
}

/// What a reader wants first.
pub fn headlines(record: &Record) -> Vec<Headline> {
    let (bits, engine) = (largest(record), main_engine(record));
    let at = size_raised(bits);
    let find =
        |operation: Operation| of(record, operation.name(), &engine).find(|m| m.bits == bits);
    let mut cards = Vec::new();
    let mut card = |number: String, about: String| cards.push(Headline { number, about });
    for operation in [Operation::Add, Operation::Popcount] {
        let Some(m) = find(operation) else { continue };
        let built = BASELINES.iter().rev().find_map(|name| m.baseline(name));
        if let Some(b) = built {
            let mut about = format!(
                "{} on {engine} over {}, one core, {at} bits",
                operation.name(),
                b.name
            );
            if let Some(best) = m.baseline("GMP in place") {
                about += &format!("; {} where GMP reuses its memory", times(best.ratio));
            }
            card(times(b.ratio), about);
        }
    }
    let copy = record.copy.device.unwrap_or(record.copy.host);
    let side = if record.copy.device.is_some() {
        "device"
    } else {
        "host"
    };
    card(
        bandwidth(copy),
        format!("{side} copy, bytes read plus bytes written, measured in this run"),
    );
    let lowest = BOUND
        .iter()
        .filter_map(|o| Some((find(*o)?.share_of_copy?, o.name())))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((share, name)) = lowest {
        let all = "add, sub, and, or, xor, shift, set and popcount";
        card(
            percent(share),
            format!("of a copy’s bandwidth: the lowest of {all} at {at} bits on {engine} ({name})"),
        );
    }
    if let (Some(random), Some(carry)) = (find(Operation::Add), find(Operation::AddCarry)) {
        card(
            percent(carry.time.median / random.time.median),
            format!("of a random addition’s time when one carry runs through all {at} bits"),
        );
    }
    let chains = record.chains.iter().filter(|c| c.engine == engine);
    if let Some(chain) = chains.max_by_key(|c| c.bits) {
        let mut about = format!(
            "of the sum of its parts: a chain of {} mixed operations at {} bits",
            chain.operations,
            size_raised(chain.bits)
        );
        if let Some(bytes) = chain.transferred {
            let _ = write!(about, ", {bytes} bytes between host and device");
        }
        card(percent(chain.ratio), about);
    }
    cards
}

/// The pictures.
pub fn pictures(record: &Record) -> String {
    let mut html = String::new();
    let engines = engines(record);
    let at = size_raised(largest(record));
    let _ = writeln!(
        html,
        "<h3>Share of the copy bandwidth</h3>\n<p class=\"about\">Bytes an operation must move per \
         second, over what a plain copy of the same size reaches in the same memory, at {at} bits. \
         The dotted line is the copy itself.</p>\n<div class=\"panels wide\">"
    );
    for engine in engines.iter().rev() {
        html += &shares(record, engine);
    }
    html += "</div>\n<h3>Time against size</h3>\n<p class=\"about\">Both scales are logarithmic. \
             malachite and GMP run on one core; all write their results into new memory.</p>\n";
    html += &time_panels(record, &engines);
    html += "<h3>Speed-up over one core against size</h3>\n<p class=\"about\">One operation of \
             each kind; the dotted line is where both are equal.</p>\n";
    let names = KINDS.iter().enumerate().map(|(i, o)| (o.name(), solid(i)));
    html += &plot::legend(names);
    html += "<div class=\"panels wide\">\n";
    for engine in engines.iter().rev() {
        for baseline in BASELINES.iter().rev() {
            html += &speed_up(record, engine, baseline);
        }
    }
    html + "</div>\n"
}

fn shares(record: &Record, engine: &str) -> String {
    let bits = largest(record);
    let measured = record.measurements.iter();
    let rows: Vec<(String, f64, String)> = measured
        .filter(|m| m.engine == engine && m.bits == bits)
        .filter_map(|m| {
            let value = format!(
                "{} · {}",
                percent(m.share_of_copy?),
                bandwidth(m.bandwidth?)
            );
            Some((m.operation.clone(), m.share_of_copy?, value))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let title = format!("{engine} at {} bits", size_raised(bits));
    plot::bars(
        &title,
        "share of the copy bandwidth measured in the same run",
        &rows,
    )
}

/// One panel for each operation, one line for each engine and library.
fn time_panels(record: &Record, engines: &[String]) -> String {
    let mut operations: Vec<&str> = Vec::new();
    for m in &record.measurements {
        if !operations.contains(&m.operation.as_str()) {
            operations.push(&m.operation);
        }
    }
    let mut names: Vec<(&str, Style)> = Vec::new();
    let mut html = String::new();
    for operation in operations {
        let mut series: Vec<Series> = Vec::new();
        for (i, baseline) in BASELINES.iter().enumerate() {
            // Every engine carries the same baselines; the host's measured all sizes.
            let points = of(record, operation, "cpu")
                .filter_map(|m| Some((m.bits as f64, m.baseline(baseline)?.time.median)));
            series.push(Series {
                name: baseline.to_string(),
                points: points.collect(),
                style: solid(2 + i),
            });
        }
        for (i, engine) in engines.iter().enumerate() {
            let points = of(record, operation, engine).map(|m| (m.bits as f64, m.time.median));
            series.push(Series {
                name: engine.clone(),
                points: points.collect(),
                style: solid(1 - i.min(1)),
            });
        }
        series.retain(|s| !s.points.is_empty());
        let chart = LineChart {
            title: operation.to_string(),
            x_label: "size in bits",
            y_label: "time",
            y_text: seconds,
            series,
            marks: Vec::new(),
            ratio: false,
            extent: (360.0, 250.0),
        };
        html += &chart.figure();
    }
    for (i, engine) in engines.iter().enumerate().rev() {
        names.push((engine, solid(1 - i.min(1))));
    }
    let with = |name: &&str| {
        record
            .measurements
            .iter()
            .any(|m| m.baseline(name).is_some())
    };
    let built = BASELINES.iter().enumerate().filter(|(_, name)| with(name));
    names.extend(built.map(|(i, name)| (*name, solid(2 + i))));
    format!(
        "{}<div class=\"panels\">\n{html}</div>\n",
        plot::legend(names)
    )
}

fn speed_up(record: &Record, engine: &str, baseline: &str) -> String {
    let line = |(i, operation): (usize, &Operation)| {
        let points = of(record, operation.name(), engine)
            .filter_map(|m| Some((m.bits as f64, m.baseline(baseline)?.ratio)));
        Series {
            name: operation.name().to_string(),
            points: points.collect(),
            style: solid(i),
        }
    };
    LineChart {
        title: format!("{engine} over {baseline}"),
        x_label: "size in bits",
        y_label: "speed-up",
        y_text: times,
        series: KINDS.iter().enumerate().map(line).collect(),
        marks: Vec::new(),
        ratio: true,
        extent: (520.0, 330.0),
    }
    .figure()
}
