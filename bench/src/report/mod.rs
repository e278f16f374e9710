//! Results as one page that needs nothing else: no script, no font, no picture from elsewhere. And
//! as Markdown tables for a README. Every number comes from the records.

pub mod batch;
pub mod cluster;
pub mod constant;
pub mod contenders;
#[cfg(test)]
mod documents;
pub mod ecm;
pub mod keys;
pub mod linear;
pub mod liu_tong;
pub mod mmm;
pub mod papers;
mod plot;
#[cfg(test)]
mod prose;
pub mod semiprimes;
pub mod sieve;
pub mod small;
pub mod sort;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::benchmarks::shown;
use crate::format::{memory, size_raised};
use crate::record::Record;
use crate::table::{self, Table};

/// Turns every `.json` file of `dir` into one HTML page.
pub fn report(dir: &Path, out: &Path) -> Result<(), Error> {
    let records = Record::read_all(dir)?;
    crate::write_whole(out, page(&records).as_bytes())
}

/// The first line chart of every `.json` file of `dir`, as an SVG file of the same name in `out`.
pub fn pictures(dir: &Path, out: &Path) -> Result<Vec<PathBuf>, Error> {
    crate::create_folder(out)?;
    let mut written = Vec::new();
    for (stem, record) in Record::read_all(dir)? {
        let (_, _, figures) = parts(&record);
        if let Some(picture) = plot::first_alone(&figures, include_str!("style.css")) {
            let path = out.join(stem).with_extension("svg");
            crate::write_whole(&path, picture.as_bytes())?;
            written.push(path);
        }
    }
    Ok(written)
}

/// Tables of every `.json` file of `dir`, to be pasted into a README.
pub fn markdown(dir: &Path) -> Result<String, Error> {
    Ok(markdown_of(&Record::read_all(dir)?))
}

fn markdown_of(records: &[(String, Record)]) -> String {
    let mut text = String::new();
    for (_, record) in records {
        let _ = writeln!(
            text,
            "`bezout bench {}`: {}.\n",
            record.benchmark,
            table::provenance(record)
        );
        if let Some(copies) = table::copies(record) {
            let _ = writeln!(text, "Copy, read plus written: {copies}.\n");
        }
        for table in table::brief(record) {
            let _ = writeln!(text, "{}", table.markdown());
        }
        for note in table::notes(record) {
            let _ = writeln!(text, "{note}\n");
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// A number and what it is.
pub struct Headline {
    number: String,
    about: String,
}

/// Title, what a reader wants first, and the pictures.
pub type Parts = (&'static str, Vec<Headline>, String);

/// How a benchmark shows itself; what it has no word for is in its tables.
fn parts(record: &Record) -> Parts {
    (shown(record).parts)(record)
}

fn page(records: &[(String, Record)]) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>bezout: measured</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <header>\n<h1>bezout: measured</h1>\n\
         <p class=\"lead\">Exact arithmetic on the GPU and on the CPU. Every result was verified \
         in the run that timed it; times are medians.</p>\n</header>\n<main>\n",
        include_str!("style.css")
    );
    html += "<section id=\"summary\">\n";
    html += &runs(records);
    let shown: Vec<_> = records.iter().map(|(_, record)| parts(record)).collect();
    for ((stem, record), (title, headlines, _)) in records.iter().zip(&shown) {
        if headlines.is_empty() {
            continue;
        }
        let _ = writeln!(
            html,
            "<h3><a href=\"#{id}\" style=\"color:inherit\">{title}</a>{short}</h3>\n<div \
             class=\"cards\">",
            id = escape(stem),
            short = if record.quick { " (a quick run)" } else { "" },
        );
        for Headline { number, about } in headlines {
            let (number, about) = (escape(number), escape(about));
            let _ = writeln!(
                html,
                "<div class=\"card\"><b>{number}</b><span>{about}</span></div>"
            );
        }
        html += "</div>\n";
    }
    html += "</section>\n";
    for ((stem, record), (title, _, pictures)) in records.iter().zip(shown) {
        let _ = writeln!(html, "<section id=\"{}\">\n<h2>{title}</h2>", escape(stem));
        for note in table::notes(record) {
            let _ = writeln!(html, "<p class=\"note\">{}</p>", escape(&note));
        }
        html += &pictures;
        let (long, short): (Vec<Table>, Vec<Table>) = table::all(record)
            .into_iter()
            .partition(|t| t.rows.len() > 24);
        for table in short {
            let _ = writeln!(html, "<h3>{}</h3>\n{}", escape(&table.title), rows(&table));
        }
        for table in long {
            let (title, count) = (escape(&table.title), table.rows.len());
            let _ = writeln!(
                html,
                "<details><summary>{title}: all {count} rows</summary>\n{}</details>",
                rows(&table)
            );
        }
        html += &facts(record);
        html += "</section>\n";
    }
    html += "</main>\n<footer>Made by <code>bezout report</code> of the files that <code>bezout \
             bench --out</code> wrote. Bandwidth counts the bytes an operation must move: each \
             operand read once, the result written once.</footer>\n\
             </body>\n</html>\n";
    html
}

/// Which runs the page is made of.
fn runs(records: &[(String, Record)]) -> String {
    let none = || "none".to_string();
    let row = |(_, record): &(String, Record)| {
        let device = record.device.as_ref();
        vec![
            record.benchmark.clone(),
            format!("{}, {} cores", record.machine.cpu, record.machine.cores),
            device.map_or_else(none, |d| d.name.clone()),
            device.map_or_else(none, |d| format!("{}, CUDA {}", d.driver, d.cuda)),
            table::commit(record),
            record.date.clone(),
        ]
    };
    let table = Table {
        title: String::new(),
        headers: vec![
            "benchmark",
            "processor",
            "device",
            "driver",
            "commit",
            "date",
        ],
        rows: records.iter().map(row).collect(),
    };
    rows_of("words", &table)
}

/// All that is known of a run.
fn facts(record: &Record) -> String {
    let mut facts: Vec<(String, String)> = vec![(
        "host".into(),
        format!(
            "{}, {} cores, {}",
            record.machine.cpu, record.machine.cores, record.machine.os
        ),
    )];
    if let Some(bytes) = record.machine.memory_bytes {
        facts[0].1 += &format!(", {}", memory(bytes));
    }
    if let Some(d) = &record.device {
        let device = format!(
            "{}, {} multiprocessors, {}, L2 {}",
            d.name,
            d.multiprocessors,
            memory(d.memory_bytes),
            memory(d.l2_bytes)
        );
        let driver = format!(
            "{}, serves CUDA {}; kernels by {}",
            d.driver, d.cuda, d.compiler
        );
        facts.push(("device".into(), device));
        facts.push(("driver".into(), driver));
    }
    if let Some(copies) = table::copies(record) {
        let copies: Vec<String> = copies.split(' ').map(raised).collect();
        facts.push(("copy, read plus written".into(), copies.join(" ")));
    }
    let commit = format!("{} (commit {})", record.version, table::commit(record));
    facts.push(("bezout".into(), commit));
    facts.extend(record.versions.clone());
    facts.push(("date".into(), record.date.clone()));
    let mut html =
        "<h3>Machine and versions</h3>\n<div class=\"scroll\"><table class=\"facts\"><tbody>\n"
            .to_string();
    for (name, value) in &facts {
        let (name, value) = (escape(name), escape(value));
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"
        );
    }
    html + "</tbody></table></div>\n"
}

fn rows(table: &Table) -> String {
    rows_of("numbers", table)
}

/// `class` is `numbers` or `words`, for how columns are aligned.
fn rows_of(class: &str, table: &Table) -> String {
    let mut html = format!("<div class=\"scroll\"><table class=\"{class}\"><thead><tr>");
    for header in &table.headers {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escape(header));
    }
    html += "</tr></thead><tbody>\n";
    for row in &table.rows {
        html += "<tr>";
        for cell in row {
            let _ = write!(html, "<td>{}</td>", escape(&raised(cell)));
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}

/// `2^30` as a page writes it.
fn raised(cell: &str) -> String {
    let log = cell
        .strip_prefix("2^")
        .and_then(|log| log.parse::<u32>().ok());
    match log.and_then(|log| 1u64.checked_shl(log)) {
        Some(size) => size_raised(size),
        None => cell.to_string(),
    }
}

/// The engine on a device if the record has one, or else the host's.
fn main_engine(record: &Record) -> String {
    let engines = record.measurements.iter().map(|m| &m.engine);
    let device = engines.clone().find(|e| e.starts_with("cuda"));
    device
        .or(engines.clone().next())
        .cloned()
        .unwrap_or_default()
}

/// Text that may stand anywhere in HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}
