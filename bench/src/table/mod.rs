//! A record as tables, and tables as text, Markdown or HTML.

pub mod batch;
pub mod cluster;
pub mod contenders;
pub mod ecm;
pub mod engines;
pub mod keys;
pub mod mmm;
pub mod papers;
pub mod semiprimes;
pub mod small;
pub mod sort;

use std::fmt::Write;

use crate::benchmarks::shown;
use crate::format::{bandwidth, count, percent, seconds, size, times};
use crate::record::{Crossover, DeviceRecord, LaunchShape, Measurement, Record};

/// A table; its first column is text, the others are numbers or short words.
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Names of the columns.
    pub headers: Vec<&'static str>,
    /// The cells, by row.
    pub rows: Vec<Vec<String>>,
}

const NONE: &str = "–";

/// All tables of a record.
pub fn all(record: &Record) -> Vec<Table> {
    (shown(record).tables)(record)
}

/// The tables of a record that pages show.
pub fn brief(record: &Record) -> Vec<Table> {
    let shown = shown(record);
    shown.brief.unwrap_or(shown.tables)(record)
}

/// Every list of a record, crossovers last. Tables with no row are left out.
pub fn general(record: &Record) -> Vec<Table> {
    let plain = record.measurements.iter().filter(|m| m.shape.is_none());
    let shaped = record.measurements.iter().filter(|m| m.shape.is_some());
    let tables = [
        measurements("Operations", plain.collect()),
        shapes(shaped.collect()),
        chains(record),
        sweeps(record),
        crossovers(record),
    ];
    filled(tables)
}

/// The largest size, the longest chains, launch shapes, and crossovers with the last baseline,
/// which is the strongest that was built.
pub fn general_brief(record: &Record) -> Vec<Table> {
    let mut record = record.clone();
    let largest = record
        .measurements
        .iter()
        .map(|m| m.bits)
        .max()
        .unwrap_or(0);
    let longest = record.chains.iter().map(|c| c.bits).max().unwrap_or(0);
    let strongest = record.crossovers.last().map(|c| c.baseline.clone());
    record
        .measurements
        .retain(|m| m.shape.is_none() && m.bits == largest);
    record.chains.retain(|c| c.bits == longest);
    record
        .crossovers
        .retain(|c| Some(&c.baseline) == strongest.as_ref());
    if !record.crossovers.is_empty() {
        // Sizes are then a means to find those.
        record.measurements.clear();
    }
    // The device first: it is what a reader looks for.
    record.measurements.sort_by_key(|m| m.engine == "cpu");
    general(&record)
}

/// `liu-tong`: the general tables, and those of the paper's sections.
pub fn liu_tong(record: &Record) -> Vec<Table> {
    let sections = papers::liu_tong(record);
    general(record).into_iter().chain(sections).collect()
}

/// `liu-tong` on a page.
pub fn liu_tong_brief(record: &Record) -> Vec<Table> {
    let sections = papers::liu_tong(record);
    general_brief(record).into_iter().chain(sections).collect()
}

/// The tables that have rows.
fn filled(tables: impl IntoIterator<Item = Table>) -> Vec<Table> {
    let tables = tables.into_iter();
    tables.filter(|table| !table.rows.is_empty()).collect()
}

fn measurements(title: &str, list: Vec<&Measurement>) -> Table {
    let against = |m: &Measurement, name| m.baseline(name).map_or(NONE.into(), |b| times(b.ratio));
    let row = |m: &&Measurement| {
        vec![
            m.operation.clone(),
            m.engine.clone(),
            size(m.bits),
            seconds(m.time.median),
            format!("{} – {}", seconds(m.time.p10), seconds(m.time.p90)),
            m.bandwidth.map_or(NONE.into(), bandwidth),
            m.share_of_copy.map_or(NONE.into(), percent),
            against(m, "malachite"),
            against(m, "GMP"),
            against(m, "GMP in place"),
        ]
    };
    Table {
        title: title.to_string(),
        headers: vec![
            "operation",
            "engine",
            "bits",
            "median",
            "10% – 90%",
            "bandwidth",
            "of copy",
            "over malachite",
            "over GMP",
            "over GMP in place",
        ],
        rows: list.iter().map(row).collect(),
    }
}

fn chains(record: &Record) -> Table {
    let row = |c: &crate::record::Chain| {
        vec![
            format!("{} mixed operations", c.operations),
            c.engine.clone(),
            size(c.bits),
            seconds(c.time.median),
            seconds(c.parts),
            percent(c.ratio),
            c.transferred
                .map_or(NONE.into(), |bytes| format!("{bytes} bytes")),
        ]
    };
    Table {
        title: "Chains of operations against the sum of their parts".into(),
        headers: vec![
            "chain",
            "engine",
            "bits",
            "median",
            "sum of parts",
            "ratio",
            "host–device traffic",
        ],
        rows: record.chains.iter().map(row).collect(),
    }
}

fn sweeps(record: &Record) -> Table {
    let row = |s: &crate::record::Sweep| {
        vec![
            s.operation.clone(),
            s.figure.to_string(),
            count(s.limbs),
            shape(s.best),
            seconds(s.best_time),
            seconds(s.own_time),
            shape(s.paper),
        ]
    };
    Table {
        title: "Best launch shape, block × grid".into(),
        headers: vec![
            "operation",
            "figure",
            "32-bit limbs",
            "best",
            "its time",
            "bezout's choice",
            "paper's best",
        ],
        rows: record.sweeps.iter().map(row).collect(),
    }
}

fn crossovers(record: &Record) -> Table {
    let row = |c: &Crossover| {
        vec![
            c.operation.clone(),
            c.figure.to_string(),
            c.engine.clone(),
            c.baseline.clone(),
            crossing(c),
            count(c.paper_limbs),
        ]
    };
    Table {
        title: "Size from which an engine is faster than one core, in 32-bit limbs".into(),
        headers: vec![
            "operation",
            "figure",
            "engine",
            "one core runs",
            "crossover",
            "paper's",
        ],
        rows: record.crossovers.iter().map(row).collect(),
    }
}

/// A crossover in words, to the two digits that an interpolation between measured sizes is good
/// for.
pub fn crossing(c: &Crossover) -> String {
    match c.limbs {
        Some(limbs) if c.always => format!("below {}", count(limbs as u64)),
        Some(limbs) => {
            let unit = 10f64.powf((limbs.log10().floor() - 1.0).max(0.0));
            count(((limbs / unit).round() * unit) as u64)
        }
        None => "not reached".into(),
    }
}

fn shapes(list: Vec<&Measurement>) -> Table {
    let row = |m: &&Measurement| {
        vec![
            m.operation.clone(),
            m.engine.clone(),
            count(m.bits / 32),
            m.shape.map_or(NONE.into(), shape),
            seconds(m.time.median),
            format!("{} – {}", seconds(m.time.p10), seconds(m.time.p90)),
            m.bandwidth.map_or(NONE.into(), bandwidth),
            m.share_of_copy.map_or(NONE.into(), percent),
        ]
    };
    Table {
        title: "Time against launch shape".into(),
        headers: vec![
            "operation",
            "engine",
            "32-bit limbs",
            "block × grid",
            "median",
            "10% – 90%",
            "bandwidth",
            "of copy",
        ],
        rows: list.iter().map(row).collect(),
    }
}

/// `256 × 12000`, `256 × resident`, or `own`.
pub fn shape(shape: LaunchShape) -> String {
    let grid = shape.grid.map_or("resident".into(), |g| g.to_string());
    match shape.block {
        Some(block) => format!("{block} × {grid}"),
        None => "own".into(),
    }
}

/// Where and of what a record is, in one line.
pub fn provenance(record: &Record) -> String {
    let mut text = format!("{}, {} cores", record.machine.cpu, record.machine.cores);
    if let Some(device) = &record.device {
        let DeviceRecord {
            name, driver, cuda, ..
        } = device;
        let _ = write!(text, "; {name}, driver {driver}, CUDA {cuda}");
    }
    for (name, version) in &record.versions {
        // `rustc --version` begins with its own name.
        let version = version.strip_prefix("rustc ").unwrap_or(version);
        let _ = write!(text, "; {name} {version}");
    }
    let _ = write!(text, "; commit {}; {}", commit(record), record.date);
    text
}

/// The commit, shortened, and whether the tree was as committed.
pub fn commit(record: &Record) -> String {
    let short = record.commit.get(..12).unwrap_or(&record.commit);
    format!("{short}{}", if record.dirty { " with changes" } else { "" })
}

/// What copies reach; none where they are no measure of anything in the record.
pub fn copies(record: &Record) -> Option<String> {
    if record.copy.bits == 0 {
        return None;
    }
    let mut text = format!("host {}", bandwidth(record.copy.host));
    if let Some(device) = record.copy.device {
        let _ = write!(text, ", device {}", bandwidth(device));
    }
    Some(format!("{text} at {} bits", size(record.copy.bits)))
}

/// What a reader must know: the record's own notes, and what holds for every run of its benchmark.
pub fn notes(record: &Record) -> Vec<String> {
    let always = shown(record).note.map(|note| note());
    record.notes.iter().cloned().chain(always).collect()
}

/// A record for a terminal.
pub fn text(record: &Record) -> String {
    let mut out = format!("{}: {}\n", record.benchmark, provenance(record));
    if let Some(copies) = copies(record) {
        let _ = writeln!(out, "copy, read plus written: {copies}");
    }
    for table in all(record) {
        let _ = write!(out, "\n{}\n{}", table.title, table.aligned());
    }
    for note in notes(record) {
        let _ = write!(out, "\n{note}\n");
    }
    out
}

impl Table {
    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.chain([self.headers[column].chars().count()]).max()
        };
        (0..self.headers.len()).filter_map(width).collect()
    }

    /// In columns, for a terminal.
    pub fn aligned(&self) -> String {
        let widths = self.widths();
        let line = |cells: Vec<&str>| {
            let mut line = String::new();
            for (i, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let _ = match i {
                    0 => write!(line, "{cell:<width$}"),
                    _ => write!(line, "  {cell:>width$}"),
                };
            }
            line.truncate(line.trim_end().len());
            line + "\n"
        };
        let mut text = line(self.headers.clone());
        for row in &self.rows {
            text += &line(row.iter().map(String::as_str).collect());
        }
        text
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("**{}**\n\n| {} |\n|", self.title, self.headers.join(" | "));
        for i in 0..self.headers.len() {
            text += if i == 0 { "---|" } else { "---:|" };
        }
        text.push('\n');
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|c| c.replace('|', "\\|")).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let table = Table {
            title: "t".into(),
            headers: vec!["name", "n"],
            rows: vec![
                vec!["µ".into(), "1".into()],
                vec!["a|b".into(), "100".into()],
            ],
        };
        assert_eq!(table.aligned(), "name    n\nµ       1\na|b   100\n");
        assert_eq!(
            table.markdown(),
            "**t**\n\n| name | n |\n|---|---:|\n| µ | 1 |\n| a\\|b | 100 |\n"
        );
    }
}
