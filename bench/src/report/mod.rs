//! Results as one page that needs nothing else: no script, no font, no picture from elsewhere. And
//! as Markdown tables for a README. Every number comes from the records.

pub mod batch;
pub mod cluster;
pub mod constant;
pub mod contenders;
#[cfg(test)]
mod documents;
pub mod ecm;
pub mod engines;
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
    let records = Record::read_all(dir)?;
    for ((stem, record), title) in records.iter().zip(headings(&records)) {
        let (_, _, figures) = parts(record);
        if let Some(picture) = plot::first_alone(&title, &figures, include_str!("style.css")) {
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

/// What a record was measured on, in few words.
fn machine(record: &Record) -> String {
    match &record.device {
        Some(device) => device.name.clone(),
        None => format!("{} CPU cores", record.machine.cores),
    }
}

/// The title of each record with its machine. Where several have the same, what only some of their
/// files have in their names follows.
fn headings(records: &[(String, Record)]) -> Vec<String> {
    let plain = |(_, record): &(String, Record)| {
        let (title, _, _) = parts(record);
        format!("{title}, {}", machine(record))
    };
    let all: Vec<String> = records.iter().map(plain).collect();
    let distinct = |(heading, (stem, _)): (&String, &(String, Record))| {
        let same = || {
            let named = all.iter().zip(records);
            named
                .filter(|(other, _)| *other == heading)
                .map(|(_, (stem, _))| stem)
        };
        let is_common = |word: &&str| same().all(|stem| stem.split('-').any(|w| w == *word));
        let words: Vec<&str> = stem.split('-').filter(|word| !is_common(word)).collect();
        if words.is_empty() {
            heading.clone()
        } else {
            format!("{heading} ({})", words.join(" "))
        }
    };
    all.iter().zip(records).map(distinct).collect()
}

/// Most columns of a table that has words in them.
const COLUMNS: usize = 16;
/// Longer tables are folded.
const LONGEST: usize = 12;

fn page(records: &[(String, Record)]) -> String {
    let words = (2..=COLUMNS).map(|n| format!("table.w{n} :is(th, td):nth-child({n})"));
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>bezout: measured</title>\n<style>\n{}{} {{ text-align: left; }}\n</style>\n\
         </head>\n<body>\n\
         <header>\n<h1>bezout: measured</h1>\n\
         <p class=\"lead\">Exact arithmetic on the GPU and on the CPU. Every result was verified \
         in the run that timed it; times are medians.</p>\n</header>\n<main>\n",
        include_str!("style.css"),
        words.collect::<Vec<_>>().join(", "),
    );
    let headings = headings(records);
    let shown: Vec<Parts> = records.iter().map(|(_, record)| parts(record)).collect();
    html += &menu(records, &headings, &shown);
    for (((stem, record), heading), (_, cards, pictures)) in
        records.iter().zip(&headings).zip(&shown)
    {
        let _ = writeln!(
            html,
            "<section id=\"{}\">\n<h2>{}{}</h2>",
            escape(stem),
            escape(heading),
            if record.quick { " (a quick run)" } else { "" },
        );
        html += &cards_of(cards);
        for note in table::notes(record) {
            let _ = writeln!(html, "<p class=\"note\">{}</p>", escape(&note));
        }
        html += pictures;
        let (long, short): (Vec<Table>, Vec<Table>) = table::all(record)
            .into_iter()
            .partition(|t| t.rows.len() > LONGEST);
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
        let _ = writeln!(
            html,
            "{}<p class=\"about\"><a href=\"#results\">All results</a></p>\n</section>",
            facts(stem, record)
        );
    }
    let _ = writeln!(
        html,
        "<section id=\"machines\">\n<h2>Machines and commits</h2>\n<details><summary>All {} \
         runs</summary>\n{}</details>\n</section>",
        records.len(),
        runs(records)
    );
    html += "</main>\n<footer>Made by <code>bezout report</code> of the files that <code>bezout \
             bench --out</code> wrote. Bandwidth counts the bytes an operation must move: each \
             operand read once, the result written once.</footer>\n\
             </body>\n</html>\n";
    html
}

/// A link to each section with its first result, machine by machine.
fn menu(records: &[(String, Record)], headings: &[String], shown: &[Parts]) -> String {
    let mut html = String::from("<section id=\"results\">\n<h2>Results</h2>\n");
    let mut machines: Vec<String> = Vec::new();
    for (_, record) in records {
        let name = machine(record);
        if !machines.contains(&name) {
            machines.push(name);
        }
    }
    for name in machines {
        let _ = writeln!(html, "<h3>{}</h3>\n<ul class=\"menu\">", escape(&name));
        let entries = records.iter().zip(headings).zip(shown);
        for (((stem, _), heading), (_, cards, _)) in
            entries.filter(|(((_, record), _), _)| machine(record) == name)
        {
            // The machine is in the heading above.
            let title = heading.replacen(&format!(", {name}"), "", 1);
            let result = cards.first().map_or(String::new(), |card| {
                format!(": <b>{}</b> {}", escape(&card.number), escape(&card.about))
            });
            let _ = writeln!(
                html,
                "<li><a href=\"#{}\">{}</a>{result}.</li>",
                escape(stem),
                escape(&title)
            );
        }
        html += "</ul>\n";
    }
    html + "<p class=\"about\"><a href=\"#machines\">Machines and commits</a></p>\n</section>\n"
}

fn cards_of(cards: &[Headline]) -> String {
    if cards.is_empty() {
        return String::new();
    }
    let mut html = String::from("<div class=\"cards\">\n");
    for Headline { number, about } in cards {
        let (number, about) = (escape(number), escape(about));
        let _ = writeln!(
            html,
            "<div class=\"card\"><b>{number}</b><span>{about}</span></div>"
        );
    }
    html + "</div>\n"
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
fn facts(stem: &str, record: &Record) -> String {
    let mut host = format!(
        "{}, {} cores, {}",
        record.machine.cpu, record.machine.cores, record.machine.os
    );
    if let Some(bytes) = record.machine.memory_bytes {
        host += &format!(", {}", memory(bytes));
    }
    let mut facts: Vec<(String, String)> = vec![
        ("file".into(), format!("{stem}.json")),
        ("host".into(), host),
    ];
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
    let mut html = String::from(
        "<details><summary>Machine and versions</summary>\n<div class=\"scroll\"><table \
         class=\"facts\"><tbody>\n",
    );
    for (name, value) in &facts {
        let (name, value) = (escape(name), escape(value));
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"
        );
    }
    html + "</tbody></table></div></details>\n"
}

/// Columns of numbers are aligned on the right, those of words on the left, as the first one is.
fn rows(table: &Table) -> String {
    let is_number = |cell: &str| cell.is_empty() || cell.starts_with(|c: char| !c.is_alphabetic());
    let has_words = |column: &usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(*column));
        2 * cells.filter(|cell| !is_number(cell)).count() > table.rows.len()
    };
    let columns = (1..table.headers.len().min(COLUMNS)).filter(has_words);
    let classes = columns.map(|column| format!(" w{}", column + 1));
    rows_of(&format!("numbers{}", classes.collect::<String>()), table)
}

/// `class` is `numbers`, with `w2` for words in the second column and so on, or `words`.
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
